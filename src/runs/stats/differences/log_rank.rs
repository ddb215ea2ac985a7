//! Computes the log-rank test of two groups of lifetimes, some of which may be censored.

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::stats::Observed;

/// Result of a log-rank test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LogRank {
    /// Number of games in the first group that ended.
    pub observed: f64,
    /// Number of games in the first group expected to end if both groups have one common risk.
    pub expected: f64,
    /// Test statistic (observed - expected)^2 / variance, chi-square with one degree of freedom.
    pub chi_square: f64,
    /// P-value of `chi_square`.
    pub p: f64,
}

/// Tests whether two groups of lifetimes have equal risks of ending. Returns `None` if the variance
/// of the statistic is 0.
///
/// The test is Mantel's (1966) and Cox's (1972), with the hypergeometric variance for ties; see
/// Lawless, *Statistical Models and Methods for Lifetime Data*, section 8.1. It assumes independent
/// groups and limits that are unrelated to the risk. It does not assume a constant risk. Long games
/// on common seeds are hardly correlated; a positive correlation makes the test conservative.
#[must_use]
pub fn log_rank(first: &[Observed], second: &[Observed]) -> Option<LogRank> {
    let groups = [(first, 0), (second, 1)];
    let mut games: Vec<(Observed, usize)> = groups
        .iter()
        .flat_map(|(games, group)| games.iter().map(move |game| (*game, *group)))
        .collect();
    games.sort_by(|(a, _), (b, _)| a.value.total_cmp(&b.value));
    let mut at_risk = [first.len() as f64, second.len() as f64];
    let (mut observed, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for tied in games.chunk_by(|(a, _), (b, _)| a.value == b.value) {
        let all: f64 = at_risk.iter().sum();
        let ends = |group: usize| {
            tied.iter().filter(|(game, of)| *of == group && !game.censored).count() as f64
        };
        let (mine, others) = (ends(0), ends(1));
        let (ended, share) = (mine + others, at_risk[0] / all);
        observed += mine;
        expected += ended * share;
        // The last remaining game adds nothing; its variance would be 0 / 0.
        if all > 1.0 {
            variance += ended * share * (1.0 - share) * (all - ended) / (all - 1.0);
        }
        // Games leave the risk set only now: those that end or are cut off at one value are all at
        // risk there.
        tied.iter().for_each(|(_, group)| at_risk[*group] -= 1.0);
    }
    let chi_square = (observed - expected).powi(2) / variance;
    let p = ChiSquared::new(1.0).map_or(f64::NAN, |chi| chi.sf(chi_square));
    // A p-value that underflows must not be 0.
    let p = p.max(f64::MIN_POSITIVE);
    (variance > 0.0).then_some(LogRank { observed, expected, chi_square, p })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(values: [f64; 8], ends: [u8; 8]) -> Vec<Observed> {
        let games = values.into_iter().zip(ends);
        games.map(|(value, end)| Observed { value, censored: end == 0 }).collect()
    }

    /// R: `survdiff(Surv(c(a,b), c(ea,eb)) ~ rep(1:2, each=8))`.
    #[test]
    fn as_in_r() {
        let first = group([6., 7., 10., 15., 19., 25., 25., 30.], [1, 0, 1, 1, 0, 1, 1, 0]);
        let second = group([1., 2., 4., 6., 7., 9., 11., 15.], [1, 1, 1, 1, 1, 0, 1, 1]);
        let found = log_rank(&first, &second).unwrap();
        assert_eq!(found.observed, 5.0);
        assert!((found.expected - 8.602_847_152_85).abs() < 1e-9, "{found:?}");
        assert!((found.chi_square - 6.416_715_957_58).abs() < 1e-9, "{found:?}");
        assert!((found.p - 0.011_305_102_82).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn without_ends_there_is_nothing_to_test() {
        let games = [Observed { value: 5.0, censored: true }; 3];
        assert_eq!(log_rank(&games, &games), None);
    }
}
