//! Precision of an objective's value: its confidence interval and its standard error.

use super::Objective;
use super::estimates::log_error;
use super::games::CandidateGames;
use super::objective::Measure;
use crate::stats::{
    Interval, LEVEL, Mean, Method, bootstrap_median, bootstrap_values, exponential_mean,
};

impl Objective {
    /// Computes the 95 % confidence interval of the objective's value for `games`. Returns `None`
    /// with too few games.
    ///
    /// The interval is that of exponential lifetimes for `lines` and that of a ratio for
    /// `estimate`. Other objectives use a bootstrap over games, drawn with `seed`:
    /// [`bootstrap_values`] for means, [`bootstrap_median`] for medians.
    #[must_use]
    pub fn interval(&self, games: &CandidateGames, seed: u64) -> Option<Interval> {
        let each = games.values();
        match self.measure {
            Measure::Lines => {
                let censored = games.censored();
                let ends = games.games() - censored;
                Some(exponential_mean(each.iter().sum(), ends, censored > 0, LEVEL))
            }
            Measure::Estimate(_) => log_error(games).map(|(_, interval)| interval),
            Measure::Median(_) => {
                bootstrap_median(&each, LEVEL, seed, |values| self.reduce(values))
            }
            _ => bootstrap_values(&each, LEVEL, seed),
        }
    }

    /// Returns the objective's value for `games` with its interval ([`Objective::interval`]).
    #[must_use]
    pub fn mean(&self, games: &CandidateGames, seed: u64) -> Mean {
        let method = match self.measure {
            Measure::Lines => Method::Exponential,
            Measure::Estimate(_) => Method::Splitting,
            _ => Method::Bootstrap,
        };
        let (value, interval) = (self.value(games), self.interval(games, seed));
        let mean = Mean::new(Some(value), interval, method, games.games());
        Mean { censored: games.censored(), ..mean }
    }

    /// Computes the standard error of the objective's value for `games`: that of exponential
    /// lifetimes for `lines`, of a ratio for `estimate`, otherwise of a mean. Returns `None` for
    /// medians and with too few games.
    #[must_use]
    pub fn error(&self, games: &CandidateGames) -> Option<f64> {
        let ends = (games.games() - games.censored()) as f64;
        match self.measure {
            Measure::Lines => (ends > 0.0).then(|| self.value(games) / ends.sqrt()),
            Measure::Estimate(_) => log_error(games).map(|(error, _)| error),
            Measure::Median(_) => None,
            Measure::Mean(_) | Measure::Sprint => {
                let (each, mean) = (games.values(), self.value(games));
                let squares: f64 = each.iter().map(|value| (value - mean).powi(2)).sum();
                let n = each.len() as f64;
                (n > 1.0).then(|| (squares / (n - 1.0) / n).sqrt())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::PlayedGame;

    /// Returns finished games with the given values.
    fn ended(values: impl Iterator<Item = f64>) -> CandidateGames {
        let game =
            |value: f64| PlayedGame { value, lines: value as u64, pieces: 1, censored: false };
        CandidateGames(values.map(game).collect())
    }

    #[test]
    fn intervals_hold_the_value() {
        let games = ended((1..=40).map(f64::from));
        for name in ["lines", "mean-lines", "median-pieces"] {
            let objective: Objective = name.parse().unwrap();
            let interval = objective.interval(&games, 1).unwrap();
            let value = objective.value(&games);
            assert!(interval.low < value && value < interval.high.unwrap(), "{name}");
        }
    }

    /// 2, 4, 9: mean 5, variance 13, standard error sqrt(13/3); of lifetimes 5/sqrt(3).
    #[test]
    fn errors_by_hand() {
        let games = ended([2.0, 4.0, 9.0].into_iter());
        let error = |name: &str| name.parse::<Objective>().unwrap().error(&games);
        assert!((error("mean-lines").unwrap() - (13.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((error("lines").unwrap() - 5.0 / 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(error("median-lines"), None);
    }
}
