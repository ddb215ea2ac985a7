//! Computes the survival curve: the share of games still running at each value, including games
//! that were cut off.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::stats::{LEVEL, Observed};

/// A step of a survival curve, at a value at which a game ended or was cut off. The curve is
/// constant up to the next step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Survival {
    /// Value of the step, for example a number of lines.
    pub value: f64,
    /// Number of games that reached this value.
    pub at_risk: u64,
    /// Number of games that ended at this value.
    pub ended: u64,
    /// Number of games that were cut off at this value.
    pub censored: u64,
    /// Estimated share of games that go on beyond this value.
    pub share: f64,
    /// Lower end of the 95 % interval of the share, by the normal distribution of
    /// log(-log(share)); `None` if the share is 0 or 1.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval of the share; `None` if the share is 0 or 1.
    pub high: Option<f64>,
}

/// Returns the survival curve of `games`: the Kaplan-Meier estimate (1958, *JASA* 53) with
/// Greenwood's variance, at every distinct value in ascending order. R prints equal numbers for
/// `survfit(Surv(value, !censored) ~ 1, conf.type = "log-log")`. A game cut off at a value at which
/// another game ended counts as at risk there.
///
/// ```
/// # extern crate tetrastat_runs as tetrastat;
/// use tetrastat::stats::{Observed, survival};
///
/// let game = |value, censored| Observed { value, censored };
/// let curve = survival(&[game(3.0, false), game(5.0, true), game(8.0, false)]);
/// assert_eq!(curve[0].share, 2.0 / 3.0);
/// assert_eq!(curve[2].share, 0.0);
/// ```
#[must_use]
pub fn survival(games: &[Observed]) -> Vec<Survival> {
    let mut sorted = games.to_vec();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    let mut curve = Vec::new();
    let (mut share, mut greenwood) = (1.0, 0.0);
    let mut at_risk = sorted.len() as u64;
    for tied in sorted.chunk_by(|a, b| a.value == b.value) {
        let censored = tied.iter().filter(|game| game.censored).count() as u64;
        let ended = tied.len() as u64 - censored;
        let (here, left) = (at_risk as f64, (at_risk - ended) as f64);
        share *= left / here;
        greenwood += ended as f64 / (here * left);
        let [low, high] = interval(share, greenwood).map_or([None; 2], |ends| ends.map(Some));
        let value = tied[0].value;
        curve.push(Survival { value, at_risk, ended, censored, share, low, high });
        at_risk -= tied.len() as u64;
    }
    curve
}

/// Returns the 95 % interval of a survival `share`; `None` if the share is 0 or 1. `greenwood` is
/// the sum in Greenwood's variance formula up to this step.
fn interval(share: f64, greenwood: f64) -> Option<[f64; 2]> {
    let log = libm::log(share);
    if !(log.is_finite() && log < 0.0) {
        return None;
    }
    // The scale of log(-log(share)) keeps the ends between 0 and 1. The low end has the larger
    // exponent, because log(share) is negative.
    let reach = Normal::standard().inverse_cdf((1.0 + LEVEL) / 2.0) * greenwood.sqrt() / -log;
    Some([reach, -reach].map(|by| libm::exp(log * libm::exp(by))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R 4.2, survival 3.5, data of the treated patients of Freireich et al. 1963:
    /// `survfit(Surv(c(6,6,6,7,10,13,16,22,23,6,9,10,11,17,19,20,25,32,32,34,35), rep(1:0,
    /// c(9,12))) ~ 1, conf.type = "log-log")`.
    #[test]
    fn the_curve_is_that_of_r() {
        let ended = [6, 6, 6, 7, 10, 13, 16, 22, 23];
        let censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35];
        let game = |value: i32, censored| Observed { value: f64::from(value), censored };
        let ended = ended.map(|value| game(value, false));
        let games = [&ended[..], &censored.map(|value| game(value, true))].concat();
        let curve = survival(&games);
        let at = |value: f64| *curve.iter().find(|step| step.value == value).unwrap();
        for (value, at_risk, share, low, high) in [
            (6.0, 21, 0.857, 0.620, 0.952),
            (7.0, 17, 0.807, 0.563, 0.923),
            (10.0, 15, 0.753, 0.503, 0.889),
            (13.0, 12, 0.690, 0.432, 0.849),
            (16.0, 11, 0.627, 0.368, 0.805),
            (22.0, 7, 0.538, 0.268, 0.747),
            (23.0, 6, 0.448, 0.188, 0.680),
        ] {
            let step = at(value);
            assert_eq!(step.at_risk, at_risk);
            let ends = [step.low, step.high].map(Option::unwrap);
            for (found, expected) in [(step.share, share), (ends[0], low), (ends[1], high)] {
                assert!((found - expected).abs() < 6e-4, "{value}: {found}, not {expected}");
            }
        }
        assert_eq!((at(6.0).ended, at(6.0).censored, at(35.0).at_risk), (3, 1, 1));
        assert_eq!(at(35.0).share, at(23.0).share);
    }

    #[test]
    fn no_game_and_no_end_have_no_interval() {
        assert!(survival(&[]).is_empty());
        let curve = survival(&[Observed { value: 4.0, censored: true }]);
        assert_eq!((curve[0].share, curve[0].low), (1.0, None));
    }
}
