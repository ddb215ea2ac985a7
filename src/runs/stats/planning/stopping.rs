//! Decides when confidence intervals are narrow enough to stop playing.

/// Rule that stops play when the relative half-width of every controller's 95 % interval is at most
/// a target P. The widths are compared with P at a few looks. At each look, all controllers have
/// played the same number of games.
///
/// The first look is at [`FIRST`] games. The number of games at the next look is predicted from the
/// widest interval, whose width falls with the root of the number of games. The number grows by a
/// factor of 1.25 to 4.
///
/// # Coverage
///
/// Stopping when an interval is narrow favours samples that look narrow. Chow & Robbins 1965 show
/// that coverage approaches its nominal level as P goes to 0, but not before. The relative width of
/// the exact interval for exponential values depends only on the number of games that ended.
/// Without censored games, the number of games to play is thus known in advance, and coverage is
/// exact. Intervals with an estimated width lose some coverage; the tests measure how much, for
/// values with SD/mean from 0.5 to 1.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// Target for the relative half-width of every interval.
    pub half_width: f64,
    /// Maximum number of games that each controller plays.
    pub most: u64,
}

/// Number of games of each controller at the first look, when the widths of intervals are first
/// compared with the target.
pub const FIRST: u64 = 32;

/// Action after a look, which compares the relative half-width of the widest interval with the
/// target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopDecision {
    /// The intervals are narrow enough, so play stops.
    Reached,
    /// The intervals are too wide: play goes on until each controller has played this number of
    /// games.
    Play(u64),
    /// The intervals are too wide, but the maximum number of games has been played.
    Exhausted,
}

impl Stopping {
    /// Returns the number of games of each controller at the first look.
    #[must_use]
    pub fn first(&self) -> u64 {
        FIRST.min(self.most)
    }

    /// Returns the action after each controller has played `games` games; `half_width` is the
    /// relative half-width of the widest interval.
    #[must_use]
    pub fn after(&self, games: u64, half_width: f64) -> StopDecision {
        if half_width <= self.half_width {
            return StopDecision::Reached;
        }
        if games >= self.most {
            return StopDecision::Exhausted;
        }
        // The factor is squared because an interval narrows with the root of games: half the width
        // takes four times as many.
        let needed = games as f64 * (half_width / self.half_width).powi(2);
        // At least a quarter more, because each look favours samples that look narrow. At most four
        // times as many, because the first intervals are poor predictors.
        let next = (needed.ceil()).clamp((games + games.div_ceil(4)) as f64, (4 * games) as f64);
        StopDecision::Play((next as u64).min(self.most))
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
        assert_eq!(rule.after(32, 0.09), StopDecision::Reached);
        assert_eq!(rule.after(32, 0.15), StopDecision::Play(72));
        assert_eq!(rule.after(32, 0.101), StopDecision::Play(40));
        assert_eq!(rule.after(32, f64::INFINITY), StopDecision::Play(128));
        assert_eq!(rule.after(900, 0.2), StopDecision::Play(1000));
        assert_eq!(rule.after(1000, 0.11), StopDecision::Exhausted);
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
                StopDecision::Play(more) => games = more,
                StopDecision::Reached | StopDecision::Exhausted => return found.contains(1.0),
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
