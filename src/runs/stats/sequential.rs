//! A verdict on two players that may be looked at after every game.
//!
//! A test whose p-value is looked at again and again until it is small finds something sooner or later. The interval
//! here holds at all looks together: it is an asymptotic confidence sequence for the logarithm of the ratio of two
//! means (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence
//! sequences", Annals of Statistics 52 (2024), Theorem 2.2), with the games of one seed as pairs. "Asymptotic" says
//! that there must be some games before the first look ([`FIRST_LOOK`]).

use serde::Serialize;

use super::{Observed, Scale};

/// Pairs of games before the first look.
pub const FIRST_LOOK: usize = 32;

/// Pairs of games at which the interval is narrowest for what it promises.
const SHARPEST: f64 = 400.0;

/// What is said of two means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The first is greater.
    Greater,
    /// The first is smaller.
    Smaller,
    /// They lie within the margin of each other.
    Same,
    /// More games are needed.
    Open,
}

/// The rule by which a verdict is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sequential {
    /// Chance that any look at equal means, ever, finds one greater, or that the interval misses the ratio.
    pub alpha: f64,
    /// Means whose ratio lies within 1 + margin and its inverse are the same.
    pub margin: f64,
}

/// What is known after some games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Look {
    /// Pairs of games.
    pub games: usize,
    /// The first mean over the second.
    pub ratio: f64,
    /// Lower end of the interval that holds at all looks.
    pub low: f64,
    /// Its upper end; infinite when too few games ended.
    pub high: f64,
    /// What that says.
    pub verdict: Verdict,
}

impl Sequential {
    /// Looks at the games that both have played; those of one place have one seed.
    #[must_use]
    pub fn look(&self, first: &[Observed], second: &[Observed], scale: Scale) -> Look {
        let games = first.len().min(second.len());
        let (first, second) = (&first[..games], &second[..games]);
        let open =
            Look { games, ratio: f64::NAN, low: 0.0, high: f64::INFINITY, verdict: Verdict::Open };
        let (Some(one), Some(other)) = (Mean::of(first, scale), Mean::of(second, scale)) else {
            return open;
        };
        let ratio = one.value / other.value;
        if games < FIRST_LOOK {
            return Look { ratio, ..open };
        }
        // What each pair adds to the logarithm of the ratio, to first order; the mean of that is 0.
        let pairs =
            first.iter().zip(second).map(|(a, b)| one.share(a, scale) - other.share(b, scale));
        let variance = pairs.map(|part| part * part).sum::<f64>() / games as f64;
        let half = variance.sqrt() * self.width(games as f64);
        let (low, high) = (ratio * libm::exp(-half), ratio * libm::exp(half));
        Look { games, ratio, low, high, verdict: self.verdict(low, high) }
    }

    /// Half the width of the sequence for a standard deviation of 1.
    fn width(&self, games: f64) -> f64 {
        // rho of Theorem 2.2, by its approximation that makes the sequence narrowest at SHARPEST.
        let of_alpha = -2.0 * libm::log(self.alpha);
        let rho2 = (of_alpha + libm::log(of_alpha) + 1.0) / SHARPEST;
        let t = games * rho2 + 1.0;
        (2.0 * t / (games * games * rho2) * libm::log(t.sqrt() / self.alpha)).sqrt()
    }

    fn verdict(&self, low: f64, high: f64) -> Verdict {
        let margin = 1.0 + self.margin;
        match () {
            () if low > 1.0 => Verdict::Greater,
            () if high < 1.0 => Verdict::Smaller,
            () if low >= 1.0 / margin && high <= margin => Verdict::Same,
            () => Verdict::Open,
        }
    }
}

/// A mean, which is a quotient of two sums.
struct Mean {
    value: f64,
    /// Means of the two parts of a game.
    parts: [f64; 2],
}

impl Mean {
    /// The mean of games; `None` when none ended, or it is 0.
    fn of(games: &[Observed], scale: Scale) -> Option<Mean> {
        let [sum, count] = scale.sums(games);
        let n = games.len() as f64;
        (count > 0.0 && sum > 0.0).then(|| Mean { value: sum / count, parts: [sum / n, count / n] })
    }

    /// What a game adds to the logarithm of the mean.
    fn share(&self, game: &Observed, scale: Scale) -> f64 {
        let [value, counts] = scale.parts(game);
        value / self.parts[0] - counts / self.parts[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    const RULE: Sequential = Sequential { alpha: 0.05, margin: 0.05 };

    /// Exponential lifetimes with these means and a common part, cut off at `limit`.
    fn games(stream: &mut Stream, n: usize, means: [f64; 2], limit: f64) -> [Vec<Observed>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for _ in 0..n {
            let common = -libm::log(1.0 - stream.unit());
            for (side, mean) in sides.iter_mut().zip(means) {
                // Every second game is dealt alike to both.
                let own = -libm::log(1.0 - stream.unit());
                let value = mean * if side.len().is_multiple_of(2) { common } else { own };
                side.push(Observed { value: value.min(limit), censored: value > limit });
            }
        }
        sides
    }

    /// What is said first, when it is looked at after every fourth game.
    fn first_verdict([one, other]: &[Vec<Observed>; 2]) -> (Verdict, usize) {
        let looks = (FIRST_LOOK..=one.len()).step_by(4);
        let mut looks = looks.map(|n| RULE.look(&one[..n], &other[..n], Scale::Total));
        let said = looks.find(|look| look.verdict != Verdict::Open);
        said.map_or((Verdict::Open, one.len()), |look| (look.verdict, look.games))
    }

    /// Equal means, 400 times 1,000 pairs, a look after every fourth: with 5 % each time, 20 are expected to be told
    /// apart, and more than 35 have a chance below 0.1 %.
    #[test]
    fn equal_means_are_seldom_told_apart() {
        for limit in [f64::INFINITY, 1.5] {
            let apart = (0..400).filter(|&index| {
                let stream = &mut Stream::new(11, Purpose::Bootstrap, index);
                let (said, _) = first_verdict(&games(stream, 1000, [1.0, 1.0], limit));
                matches!(said, Verdict::Greater | Verdict::Smaller)
            });
            let apart = apart.count();
            assert!(apart <= 35, "{apart} of 400 with limit {limit}");
        }
    }

    /// A half more is found within 1,000 pairs, and never the other way round; so few as these would be found by
    /// chance in no more than 5 % of the runs.
    #[test]
    fn different_means_are_told_apart() {
        let said: Vec<(Verdict, usize)> = (0..100)
            .map(|index| {
                let stream = &mut Stream::new(12, Purpose::Bootstrap, index);
                first_verdict(&games(stream, 1000, [1.5, 1.0], f64::INFINITY))
            })
            .collect();
        let right = said.iter().filter(|(verdict, _)| *verdict == Verdict::Greater).count();
        assert!(right >= 98, "{right} of 100");
        let games = said.iter().map(|(_, games)| games).sum::<usize>() / said.len();
        assert!((40..400).contains(&games), "{games} pairs on average");
    }

    /// Players that play alike are the same; those that differ by a tenth are never said to be within a twentieth.
    #[test]
    fn the_same_is_said_of_what_is_the_same() {
        let stream = &mut Stream::new(13, Purpose::Bootstrap, 0);
        let alike = games(stream, 40_000, [1.0, 1.0], f64::INFINITY);
        assert_eq!(first_verdict(&alike).0, Verdict::Same);
        for index in 1..20 {
            let stream = &mut Stream::new(13, Purpose::Bootstrap, index);
            let other = games(stream, 20_000, [1.1, 1.0], f64::INFINITY);
            assert_eq!(first_verdict(&other).0, Verdict::Greater, "{index}");
        }
    }

    #[test]
    fn nothing_is_said_of_few_games_or_without_ends() {
        let stream = &mut Stream::new(14, Purpose::Bootstrap, 0);
        let [one, other] = games(stream, 40, [9.0, 1.0], f64::INFINITY);
        let few = RULE.look(&one[..31], &other[..31], Scale::Total);
        assert!(few.verdict == Verdict::Open && few.ratio > 1.0 && few.high == f64::INFINITY);
        let cut: Vec<Observed> =
            one.iter().map(|game| Observed { censored: true, ..*game }).collect();
        assert_eq!(RULE.look(&cut, &other, Scale::Total).verdict, Verdict::Open);
    }
}
