//! Decides when an interval is narrow enough to stop playing.

/// Rule "play until the relative half-width of every 95 % interval is P". All controllers have
/// played the same number of games at each look.
///
/// The first look is at [`FIRST`] games. The next look assumes that the widest interval narrows
/// with the root of games. It comes after at least a quarter more and at most four times as many
/// games.
///
/// # Coverage
///
/// Stopping when an interval is narrow favours samples that look narrow. Chow & Robbins 1965 show
/// that the level is kept as P goes to 0, not before. The exact interval of exponential values has
/// a relative width that depends on the number of ends alone. Without censored games, the number of
/// games is thus known in advance, and the level is kept. Intervals with an estimated width lose
/// some coverage; the tests measure how much, for values with SD/mean from 0.5 to 1.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// Relative half-width to reach.
    pub half_width: f64,
    /// Largest number of games of each controller.
    pub most: u64,
}

/// Number of games of each controller at the first look, when the widths of intervals are first
/// compared with the target.
pub const FIRST: u64 = 32;

/// Action after a look, which compares the widest interval with the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterLook {
    /// The intervals are narrow enough.
    Reached,
    /// More games are needed: the next look is at this number.
    Play(u64),
    /// The allowed number of games has been played.
    Exhausted,
}

impl Stopping {
    /// Returns the number of games at the first look.
    #[must_use]
    pub fn first(&self) -> u64 {
        FIRST.min(self.most)
    }

    /// Returns the action after `games` games, given the widest relative half-width.
    #[must_use]
    pub fn after(&self, games: u64, half_width: f64) -> AfterLook {
        if half_width <= self.half_width {
            return AfterLook::Reached;
        }
        if games >= self.most {
            return AfterLook::Exhausted;
        }
        // The factor is squared because an interval narrows with the root of games: half the width
        // takes four times as many.
        let needed = games as f64 * (half_width / self.half_width).powi(2);
        // At least a quarter more, because each look favours samples that look narrow. At most four
        // times as many, because the first intervals are poor predictors.
        let next = (needed.ceil()).clamp((games + games.div_ceil(4)) as f64, (4 * games) as f64);
        AfterLook::Play((next as u64).min(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use crate::stats::{Interval, exponential_mean, spread};

    #[test]
    fn looks_grow_by_what_is_needed() {
        let rule = Stopping { half_width: 0.1, most: 1000 };
        assert_eq!(rule.first(), 32);
        assert_eq!(rule.after(32, 0.09), AfterLook::Reached);
        assert_eq!(rule.after(32, 0.15), AfterLook::Play(72));
        assert_eq!(rule.after(32, 0.101), AfterLook::Play(40));
        assert_eq!(rule.after(32, f64::INFINITY), AfterLook::Play(128));
        assert_eq!(rule.after(900, 0.2), AfterLook::Play(1000));
        assert_eq!(rule.after(1000, 0.11), AfterLook::Exhausted);
        assert_eq!(Stopping { most: 5, ..rule }.first(), 5);
    }

    /// Applies a rule to simulated values of mean 1 and returns true if the last interval holds 1.
    fn holds(
        rule: Stopping,
        mut draw: impl FnMut() -> f64,
        interval: impl Fn(&[f64]) -> Interval,
    ) -> bool {
        let mut values: Vec<f64> = Vec::new();
        let mut games = rule.first();
        loop {
            values.resize_with(games as usize, &mut draw);
            let found = interval(&values);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            match rule.after(games, found.half_width(mean)) {
                AfterLook::Play(more) => games = more,
                AfterLook::Reached | AfterLook::Exhausted => return found.holds(1.0),
            }
        }
    }

    fn exponential(values: &[f64]) -> Interval {
        exponential_mean(values.iter().sum(), values.len() as u64, false, 0.95)
    }

    /// Returns the interval that the bootstrap approaches with many games.
    fn normal(values: &[f64]) -> Interval {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let reach = 1.96 * spread(values) * mean / n.sqrt();
        Interval { low: mean - reach, high: Some(mean + reach) }
    }

    /// Plays 2,000 runs "until 15 %" (seeded) and counts intervals that hold the mean. Exponential
    /// values with their exact interval keep 95 % (within 4 standard errors, 39). An interval of
    /// estimated width holds the mean in at least 91 % for SD/mean 0.5, 1 and 1.3, as documented.
    #[test]
    fn coverage_when_stopping() {
        let rule = Stopping { half_width: 0.15, most: 100_000 };
        let mut stream = Stream::new(7, Purpose::Bootstrap, 5);
        let mut unit = || -libm::log(1.0 - stream.unit());
        let held = (0..2000).filter(|_| holds(rule, &mut unit, exponential)).count();
        assert!((1861..=1939).contains(&held), "exponential: {held}");
        // Gamma values of shape 4 and 1 have SD/mean 0.5 and 1; this mixture of exponentials has
        // 1.3.
        type Draw = fn(&mut dyn FnMut() -> f64) -> f64;
        let cases: [(&str, Draw); 3] = [
            ("shape 4", |unit| (0..4).map(|_| unit()).sum::<f64>() / 4.0),
            ("shape 1", |unit| unit()),
            (
                "mixture",
                |unit| if unit() < std::f64::consts::LN_2 { 0.4 * unit() } else { 1.6 * unit() },
            ),
        ];
        for (name, draw) in cases {
            let held = (0..2000).filter(|_| holds(rule, || draw(&mut unit), normal)).count();
            println!("{name}: {held} of 2000");
            assert!((1820..=1939).contains(&held), "{name}: {held} of 2000");
        }
    }
}
