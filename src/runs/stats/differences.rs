//! Tests of two controllers: paired games (game i of both receives the same pieces), groups without
//! common seeds, permutations, and lifetimes by log-rank.
//!
//! Lawless, *Statistical Models and Methods for Lifetime Data*, has the interval of the ratio of
//! exponential means (section 4.1), approximate with censored games. The log-rank test has the
//! hypergeometric variance for ties (section 8.1). It assumes limits that are unrelated to the
//! risk, but not a constant risk. Games on common seeds make it conservative.

use statrs::distribution::{
    Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, FisherSnedecor, StudentsT,
};

use crate::prelude::*;
use crate::stats::{Interval, LEVEL, Mean, Method, Observed, Scale, bootstrap_paired};

/// Comparison of two controllers over common seeds: both play games with the same pieces.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairedComparison {
    /// Mean of the first controller's games minus that of the second's.
    pub difference: Mean,
    /// First controller's mean divided by the second's, with its interval.
    pub ratio: Mean,
    /// Permutation test of games paired by seed; `None` with at most one pair, or if no game ended.
    pub sign_flip: Option<PermutationTest>,
    /// Log-rank test of equal risks of ending; `None` unless games compared by a total, such as
    /// lines, were cut off by a limit.
    pub log_rank: Option<LogRank>,
    /// Number of seeds on which one controller surely has the larger value, even if a limit cut off
    /// games.
    pub known: u64,
    /// Number of seeds with a known winner on which the first controller has the larger value.
    pub wins: u64,
    /// P-value of the sign test of wins among the seeds with a known winner.
    pub sign_p: Option<f64>,
    /// Correlation of ln(1 + value) between the two games of a seed; `None` if too few games ended.
    pub correlation: Option<f64>,
    /// Comparison of the two controllers' games that ignores their common seeds.
    pub unpaired: UnpairedComparison,
}

/// Comparison of two groups of games that are treated as independent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnpairedComparison {
    /// Ratio of the groups' means, assuming exponential lifetimes; `None` for values such as
    /// heights that do not grow in a game.
    pub exponential_ratio: Option<Effect>,
    /// Difference of the groups' means by Welch's test; `None` if lines or other totals were cut
    /// off by a limit.
    pub welch: Option<Effect>,
}

impl PairedComparison {
    /// Compares two players' games; game i of both has the same seed, and extra games are ignored.
    #[must_use]
    pub fn new(
        first: &[Observed],
        second: &[Observed],
        scale: Scale,
        seed: u64,
    ) -> PairedComparison {
        let n = first.len().min(second.len());
        let (first, second) = (&first[..n], &second[..n]);
        let means = scale.mean(first).zip(scale.mean(second));
        let intervals = bootstrap_paired(first, second, scale, LEVEL, seed);
        let any_censored = first.iter().chain(second).any(|game| game.censored);
        let ranked = scale == Scale::Total && any_censored;
        let any_ended = scale.sums(first)[1] + scale.sums(second)[1] > 0.0;
        let (known, wins) = wins(first, second, scale);
        let ratio = means.map(|(mean, other)| mean / other).filter(|ratio| ratio.is_finite());
        let paired =
            |value, interval| Mean::new(value, interval, Method::PairedBootstrap, n as u64);
        PairedComparison {
            difference: paired(
                means.map(|(mean, other)| mean - other),
                intervals.map(|(difference, _)| difference),
            ),
            ratio: paired(ratio, intervals.map(|(_, ratio)| ratio).filter(is_finite)),
            sign_flip: (n > 1 && any_ended).then(|| sign_flip_test(first, second, scale, seed)),
            log_rank: if ranked { log_rank(first, second) } else { None },
            known,
            wins,
            sign_p: sign_test(wins, known),
            correlation: correlation(first, second),
            unpaired: UnpairedComparison::new(first, second, scale, any_censored),
        }
    }

    /// Returns the comparison without intervals and tests, for games that contain no randomness.
    #[must_use]
    pub fn without_chance(self) -> PairedComparison {
        PairedComparison {
            difference: self.difference.with_interval(None, Method::PairedBootstrap),
            ratio: self.ratio.with_interval(None, Method::PairedBootstrap),
            sign_flip: None,
            log_rank: None,
            sign_p: None,
            correlation: None,
            unpaired: UnpairedComparison { exponential_ratio: None, welch: None },
            ..self
        }
    }

    /// Returns the name and p-value of the log-rank test or, without one, of the sign-flip test.
    #[must_use]
    pub fn decision(&self) -> Option<(&'static str, f64)> {
        let ranked = self.log_rank.map(|test| ("log-rank", test.p));
        ranked.or(self.sign_flip.map(|test| ("sign-flip", test.p)))
    }
}

impl UnpairedComparison {
    fn new(
        first: &[Observed],
        second: &[Observed],
        scale: Scale,
        any_censored: bool,
    ) -> UnpairedComparison {
        let values = |games: &[Observed]| games.iter().map(|game| game.value).collect::<Vec<_>>();
        let group = |games: &[Observed]| {
            let [exposure, ends] = Scale::Total.sums(games);
            (exposure, ends as u64)
        };
        let total = scale == Scale::Total;
        let ratio = || exponential_ratio(group(first), group(second), LEVEL);
        let difference = || welch(&values(first), &values(second), LEVEL);
        UnpairedComparison {
            exponential_ratio: if total { ratio() } else { None },
            welch: if total && any_censored { None } else { difference() },
        }
    }
}

fn is_finite(interval: &Interval) -> bool {
    interval.low.is_finite() && interval.high.is_some_and(f64::is_finite)
}

fn wins(first: &[Observed], second: &[Observed], scale: Scale) -> (u64, u64) {
    // The winner is known only if the smaller value is not censored: a censored game might have
    // gone further.
    let counts = |less: &Observed| scale == Scale::PerGame || !less.censored;
    let (mut known, mut wins) = (0, 0);
    for (a, b) in first.iter().zip(second) {
        let more = a.value > b.value && counts(b);
        let less = b.value > a.value && counts(a);
        known += u64::from(more || less);
        wins += u64::from(more);
    }
    (known, wins)
}

/// Returns the exact two-sided p-value of a sign test with `wins` wins in `decided` seeds; never 0.
#[must_use]
pub fn sign_test(wins: u64, decided: u64) -> Option<f64> {
    let coin = Binomial::new(0.5, decided).ok().filter(|_| decided > 0)?;
    Some((2.0 * coin.cdf(wins.min(decided - wins))).clamp(f64::MIN_POSITIVE, 1.0))
}

fn correlation(first: &[Observed], second: &[Observed]) -> Option<f64> {
    let both = first.iter().zip(second).filter(|(a, b)| !a.censored && !b.censored);
    let logs: Vec<[f64; 2]> =
        both.map(|(a, b)| [a, b].map(|game| libm::log1p(game.value))).collect();
    if logs.len() < 10 || 10 * logs.len() < 9 * first.len() {
        return None;
    }
    let n = logs.len() as f64;
    let means = [0, 1].map(|side| logs.iter().map(|pair| pair[side]).sum::<f64>() / n);
    let product = |i: usize, j: usize| -> f64 {
        logs.iter().map(|pair| (pair[i] - means[i]) * (pair[j] - means[j])).sum()
    };
    let found = product(0, 1) / (product(0, 0) * product(1, 1)).sqrt();
    Some(found).filter(|found| found.is_finite())
}

/// Estimated difference or ratio of two groups, with its interval and test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// Estimated difference or ratio of the two groups, with its interval.
    #[serde(flatten)]
    pub mean: Mean,
    /// Two-sided p-value of the hypothesis that the two groups do not differ.
    pub p: f64,
}

/// Returns the ratio of the exponential means of two groups, each a sum of lifetimes and a number
/// of ends; `None` if a group has no end.
#[must_use]
pub fn exponential_ratio(first: (f64, u64), second: (f64, u64), level: f64) -> Option<Effect> {
    let degrees = |ends: u64| 2.0 * ends as f64;
    let f = FisherSnedecor::new(degrees(first.1), degrees(second.1)).ok()?;
    let estimate = (first.0 / first.1 as f64) / (second.0 / second.1 as f64);
    let tail = (1.0 - level) / 2.0;
    let interval = Interval {
        low: estimate / f.inverse_cdf(1.0 - tail),
        high: Some(estimate / f.inverse_cdf(tail)),
    };
    let mean = Mean::new(Some(estimate), Some(interval), Method::F, first.1 + second.1);
    Some(Effect { mean, p: 2.0 * f.cdf(estimate).min(f.sf(estimate)) })
}

/// Returns the difference of two means by Welch's t test (1947, *Biometrika* 34); `None` with fewer
/// than two values in a group, or if no value varies.
#[must_use]
pub fn welch(first: &[f64], second: &[f64], level: f64) -> Option<Effect> {
    let [(mean, error, less), (other, others_error, others_less)] =
        [moments(first)?, moments(second)?];
    let squared = error + others_error;
    let degrees = squared.powi(2) / (error.powi(2) / less + others_error.powi(2) / others_less);
    let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
    let (estimate, error) = (mean - other, squared.sqrt());
    let reach = t.inverse_cdf(f64::midpoint(1.0, level)) * error;
    let interval = Interval { low: estimate - reach, high: Some(estimate + reach) };
    let n = (first.len() + second.len()) as u64;
    let mean = Mean::new(Some(estimate), Some(interval), Method::Welch, n);
    Some(Effect { mean, p: 2.0 * t.cdf(-(estimate / error).abs()) })
}

fn moments(values: &[f64]) -> Option<(f64, f64, f64)> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (n >= 2.0).then(|| (mean, squares / (n * (n - 1.0)), n - 1.0))
}

/// Tests whether two groups of independent games with equal limits differ, by random exchanges of
/// games between the groups.
#[must_use]
pub fn permutation_test(
    first: &[Observed],
    second: &[Observed],
    scale: Scale,
    seed: u64,
) -> PermutationTest {
    let mut games: Vec<[f64; 2]> =
        first.iter().chain(second).map(|game| scale.parts(game)).collect();
    let all = games.iter().copied().fold([0.0; 2], crate::stats::mean::add);
    let distance = |mine: [f64; 2]| scale.distance(mine, [all[0] - mine[0], all[1] - mine[1]]);
    let drawn = scale.sums(first);
    let group = first.len();
    resampled_p(games.len(), distance(drawn), seed, |stream: &mut Stream| {
        let mut sums = [0.0; 2];
        for index in 0..group {
            // A partial Fisher-Yates shuffle of one group is enough: the rest of the list is the
            // other group.
            let other = index + stream.below((games.len() - index) as u32) as usize;
            // The list stays shuffled: a shuffle of a shuffled list is as good and saves a copy for
            // each resample.
            games.swap(index, other);
            sums = crate::stats::mean::add(sums, games[index]);
        }
        distance(sums)
    })
}

const PERMUTED_GAMES: u64 = 40_000_000;
const PERMUTATION_LIMITS: (u64, u64) = (9_999, 999);
/// Largest number of pairs of games for which a permutation test counts all permutations.
const MAX_EXACT_PAIRS: usize = 13;
/// Factor that lets permuted differences equal the observed one despite rounding errors.
const EQUALITY_FACTOR: f64 = 1.0 - 1e-12;

/// Result of a permutation test of two groups of games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PermutationTest {
    /// P-value: share of permutations with at least the observed difference, estimated if
    /// permutations are random (Phipson & Smyth 2010).
    pub p: f64,
    /// Number of permutations that the test computed.
    pub ways: u64,
    /// True if the test computed all permutations, false if it drew some at random.
    pub exact: bool,
}

impl Scale {
    /// Returns the distance of two means: |ln(a / b)| for totals such as lines, otherwise |a - b|.
    pub(super) fn distance(self, [sum, count]: [f64; 2], [other, others]: [f64; 2]) -> f64 {
        match self {
            Scale::PerGame => (sum / count - other / others).abs(),
            Scale::Total => {
                let ratio = (sum * others) / (other * count);
                // Without lines or ends on either side the groups can't be distinguished.
                if ratio.is_nan() { 0.0 } else { libm::fabs(libm::log(ratio)) }
            }
        }
    }
}

/// Tests whether two players' means differ, by exchanging their games of random seeds, or in all
/// ways if at most 13 seeds differ (Fisher 1935, *The Design of Experiments*, section 21).
#[must_use]
pub fn sign_flip_test(
    first: &[Observed],
    second: &[Observed],
    scale: Scale,
    seed: u64,
) -> PermutationTest {
    let (mine, others) = (scale.sums(first), scale.sums(second));
    let change = |(a, b): (&Observed, &Observed)| {
        let ([a, ended], [b, others]) = (scale.parts(a), scale.parts(b));
        [b - a, others - ended]
    };
    let changes: Vec<[f64; 2]> =
        first.iter().zip(second).map(change).filter(|change| *change != [0.0; 2]).collect();
    let moved = |[sum, count]: [f64; 2]| {
        scale.distance([mine[0] + sum, mine[1] + count], [others[0] - sum, others[1] - count])
    };
    let observed = moved([0.0; 2]);
    if changes.len() <= MAX_EXACT_PAIRS {
        return count_permutations(&changes, observed, moved);
    }
    resampled_p(changes.len(), observed, seed, |stream| moved(sum_with_flips(&changes, stream)))
}

fn count_permutations(
    changes: &[[f64; 2]],
    observed: f64,
    moved: impl Fn([f64; 2]) -> f64,
) -> PermutationTest {
    let ways = 1u64 << changes.len();
    let chosen = |way: u64| {
        let flips = changes.iter().enumerate().filter(move |(i, _)| way >> i & 1 == 1);
        flips.fold([0.0; 2], |sums, (_, change)| crate::stats::mean::add(sums, *change))
    };
    // The tolerance keeps the observed arrangement, because sums in another order round
    // differently.
    let as_great =
        (0..ways).filter(|way| moved(chosen(*way)) >= observed * EQUALITY_FACTOR).count();
    PermutationTest { p: as_great as f64 / ways as f64, ways, exact: true }
}

fn sum_with_flips(changes: &[[f64; 2]], stream: &mut Stream) -> [f64; 2] {
    let mut sums = [0.0; 2];
    // A single draw of the stream gives the bits for 64 changes.
    for part in changes.chunks(64) {
        let mut bits = stream.bits();
        for [sum, count] in part {
            let flips = (bits & 1) as f64;
            sums[0] += flips * sum;
            sums[1] += flips * count;
            bits >>= 1;
        }
    }
    sums
}

/// Returns the p-value from random permutations; `draw` returns the difference in one of them.
pub(super) fn resampled_p(
    n: usize,
    observed: f64,
    seed: u64,
    mut draw: impl FnMut(&mut Stream) -> f64,
) -> PermutationTest {
    let ways = (PERMUTED_GAMES / n.max(1) as u64).clamp(PERMUTATION_LIMITS.1, PERMUTATION_LIMITS.0);
    let mut stream = Stream::new(seed, Purpose::Bootstrap, 1);
    let as_great =
        (0..ways).filter(|_| draw(&mut stream) >= observed * EQUALITY_FACTOR).count() as f64;
    PermutationTest { p: (1.0 + as_great) / (1.0 + ways as f64), ways, exact: false }
}

/// Result of a log-rank test of two groups of games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LogRank {
    /// Number of games in the first group that ended.
    pub observed: f64,
    /// Number of games in the first group expected to end if both groups have one common risk.
    pub expected: f64,
    /// Test statistic (observed - expected)^2 / variance, chi-square with one degree of freedom.
    pub chi_square: f64,
    /// P-value of the log-rank test.
    pub p: f64,
}

/// Returns the log-rank test of equal risks of ending in two independent groups of lifetimes
/// (Mantel 1966, Cox 1972); `None` if its variance is 0.
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
    use crate::rng::{Purpose, Stream};
    use crate::stats::mean::ended;

    const FIRST: [f64; 10] = [12.0, 15.0, 9.0, 20.0, 33.0, 7.0, 14.0, 18.0, 9.0, 30.0];
    const SECOND: [f64; 10] = [8.0, 11.0, 10.0, 13.0, 16.0, 9.0, 6.0, 12.0, 9.0, 25.0];

    // Computed by hand, except for R's `binom.test(7, 9)$p.value` and `cor(log1p(a), log1p(b))`.
    #[test]
    fn a_comparison_by_hand() {
        let found = PairedComparison::new(&ended(&FIRST), &ended(&SECOND), Scale::PerGame, 1);
        assert_eq!((found.ratio.n, found.known, found.wins), (10, 9, 7));
        assert!((found.difference.mean.unwrap() - 4.8).abs() < 1e-12);
        assert!((found.ratio.mean.unwrap() - 167.0 / 119.0).abs() < 1e-12);
        assert!((found.sign_p.unwrap() - 0.179_687_5).abs() < 1e-12);
        assert!((found.correlation.unwrap() - CORRELATION).abs() < 1e-9, "{found:?}");
        assert_eq!(found.decision().unwrap().0, "sign-flip");
        assert!(found.unpaired.exponential_ratio.is_none() && found.unpaired.welch.is_some());
    }

    const CORRELATION: f64 = 0.746_793_939_338;

    #[test]
    fn a_censored_game_with_less_has_no_order() {
        let (mut first, mut second) = (ended(&FIRST), ended(&SECOND));
        second[0].censored = true; // 12 to 8 or more
        first[1].censored = true; // 15 or more to 11
        let found = PairedComparison::new(&first, &second, Scale::Total, 1);
        assert_eq!((found.known, found.wins), (8, 6));
        assert_eq!(found.decision().unwrap().0, "log-rank");
        assert!((found.ratio.mean.unwrap() - 167.0 / 119.0).abs() < 1e-12, "nine ends each");
        assert_eq!(sign_test(0, 0), None);
        assert_eq!(sign_test(5, 10), Some(1.0));
    }

    // 60 pairs of exponential lifetimes that share half of their risk. At 95 %, 380 of 400
    // intervals hold the ratio 2 (standard error 4.4), but a bootstrap of skewed values misses one
    // or two per cent more.
    #[test]
    fn coverage_of_the_paired_ratio() {
        let mut stream = Stream::new(4, Purpose::Bootstrap, 7);
        let mut lifetime = || -libm::log(1.0 - stream.unit());
        let held = (0..400).filter(|seed| {
            let pairs: Vec<[f64; 2]> = (0..60)
                .map(|_| {
                    let common = lifetime();
                    [2.0 * lifetime().min(common), lifetime().min(common)]
                })
                .collect();
            let side = |side: usize| ended(&pairs.iter().map(|p| p[side]).collect::<Vec<_>>());
            let found = bootstrap_paired(&side(0), &side(1), Scale::Total, 0.95, *seed);
            found.is_some_and(|(_, ratio)| ratio.contains(2.0))
        });
        let held = held.count();
        assert!((362..=396).contains(&held), "{held} of 400");
    }

    const A: [f64; 8] = [12.0, 15.0, 9.0, 20.0, 33.0, 7.0, 14.0, 18.0];
    const B: [f64; 8] = [8.0, 11.0, 10.0, 13.0, 16.0, 9.0, 6.0, 12.0];

    fn near(found: Effect, [estimate, low, high, p]: [f64; 4]) {
        let Mean { mean, low: found_low, high: found_high, .. } = found.mean;
        let found = [mean.unwrap(), found_low.unwrap(), found_high.unwrap(), found.p];
        for (found, expected) in found.into_iter().zip([estimate, low, high, p]) {
            assert!((found / expected - 1.0).abs() < 1e-7, "{found}, not {expected}");
        }
    }

    // Expected values from R: `r <- (2600/20)/(2700/30)`, `r/qf(c(.975,.025),40,60)`,
    // `2*min(pf(r,40,60),1-pf(r,40,60))`.
    #[test]
    fn the_ratio_of_exponential_means_as_in_r() {
        let found = exponential_ratio((2600.0, 20), (2700.0, 30), 0.95).unwrap();
        near(found, [1.444_444_444_4, 0.828_214_445_2, 2.604_001_690_8, 0.194_006_425_6]);
        assert_eq!(exponential_ratio((2600.0, 0), (2700.0, 30), 0.95), None);
    }

    // Expected values from R: `t.test(a, b)`.
    #[test]
    fn welch_as_in_r() {
        let found = welch(&A, &B, 0.95).unwrap();
        near(found, [5.375, -1.567_802_011_5, 12.317_802_011_5, 0.113_840_712_5]);
        assert_eq!(welch(&A[..1], &B, 0.95), None);
        assert_eq!(welch(&[3.0; 4], &[3.0; 4], 0.95), None);
    }

    // R (`combn(16, 8)`): 9.448 % of all ways differ as much. The test draws 9,999, with a
    // standard error of 0.3 %.
    #[test]
    fn the_permutation_test_is_near_that_of_all_permutations() {
        let found = permutation_test(&ended(&A), &ended(&B), Scale::PerGame, 1);
        assert!((found.p - 0.094_48).abs() < 0.012, "{found:?}");
        assert_eq!(found, permutation_test(&ended(&A), &ended(&B), Scale::PerGame, 1));
    }

    // Coverage of 2,000 intervals of a ratio: within 4 standard errors (39) of 1,900.
    #[test]
    fn coverage_of_the_ratio_is_as_stated() {
        let mut stream = Stream::new(6, Purpose::Bootstrap, 0);
        let mut exposure =
            |n: u64| -> f64 { (0..n).map(|_| -libm::log(1.0 - stream.unit())).sum() };
        let held = (0..2000).filter(|_| {
            let ratio = exponential_ratio((3.0 * exposure(20), 20), (exposure(30), 30), 0.95);
            ratio.unwrap().mean.contains(3.0)
        });
        let held = held.count();
        assert!((1861..=1939).contains(&held), "{held} of 2000");
    }

    // R: `g <- as.matrix(expand.grid(rep(list(c(-1,1)),8))); mean(abs(g %*% (a-b)) >=
    // abs(sum(a-b)))`. A pair without a difference adds nothing.
    #[test]
    fn few_pairs_are_counted_as_in_r() {
        let found = sign_flip_test(&ended(&A), &ended(&B), Scale::PerGame, 1);
        assert_eq!(found, PermutationTest { p: 0.03125, ways: 256, exact: true });
        assert_eq!(sign_flip_test(&ended(&A), &ended(&B), Scale::Total, 1), found);
        let with = |values: &[f64]| ended(&[values, &[5.0]].concat());
        assert_eq!(sign_flip_test(&with(&A), &with(&B), Scale::Total, 1), found);
        assert_eq!(sign_flip_test(&ended(&A), &ended(&A), Scale::Total, 1).p, 1.0);
    }

    // 0.24 % of all 2^16 arrangements, counted here, differ at least as much as the observed one.
    #[test]
    fn many_pairs_are_drawn() {
        let twice = |values: [f64; 8]| ended(&[values, values].concat());
        let found = sign_flip_test(&twice(A), &twice(B), Scale::Total, 1);
        let changes: Vec<f64> = A.iter().zip(B).map(|(a, b)| b - a).collect();
        let total: f64 = 2.0 * changes.iter().sum::<f64>();
        let ways = (0u32..1 << 16).filter(|way| {
            let flipped: f64 = (0..16).filter(|i| way >> i & 1 == 1).map(|i| changes[i % 8]).sum();
            (total - 2.0 * flipped).abs() >= total.abs() - 1e-9
        });
        let p = ways.count() as f64 / 65536.0;
        assert!(!found.exact && (found.p - p).abs() < 4.0 * (p / 9999.0).sqrt(), "{found:?} {p}");
    }

    // False positives: in 40 of 400 samples p is below 0.1 (standard error 6; 4 allowed).
    #[test]
    fn the_level_is_kept_with_censored_games() {
        let mut lifetimes = Stream::new(2, Purpose::Bootstrap, 0);
        let mut game = |_| {
            let value = -libm::log(1.0 - lifetimes.unit());
            Observed { value: value.min(1.0986), censored: value > 1.0986 }
        };
        let found = (0..400).filter(|seed| {
            let games: [Vec<Observed>; 2] = [(); 2].map(|()| (0..12).map(&mut game).collect());
            sign_flip_test(&games[0], &games[1], Scale::Total, *seed).p <= 0.1
        });
        let found = found.count();
        assert!((16..=64).contains(&found), "{found} of 400");
    }

    fn group(values: [f64; 8], ends: [u8; 8]) -> Vec<Observed> {
        let games = values.into_iter().zip(ends);
        games.map(|(value, end)| Observed { value, censored: end == 0 }).collect()
    }

    // Expected values from R: `survdiff(Surv(c(a,b), c(ea,eb)) ~ rep(1:2, each=8))`.
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
