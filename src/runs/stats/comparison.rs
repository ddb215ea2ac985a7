//! Comparisons of several controllers: every mean, a test of every pair, and contrasts (ratios of
//! means, and ratios of such ratios).

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::prelude::*;
use crate::stats::{Better, Estimate, Interval, Mean, Method, Observed, PairedComparison, Scale};

/// Significance level of p-values adjusted by Holm's method.
pub const ALPHA: f64 = 0.05;

/// Games of one controller in a comparison of several controllers.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Name of the controller.
    pub name: String,
    /// Games of the controller; game i has the same seed for all controllers.
    pub games: Vec<Observed>,
}

/// Rank of a controller in a comparison, and its estimated mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedArm {
    /// Rank of the controller's mean, 1 for the best; `None` if unfinished games leave it open.
    pub rank: Option<usize>,
    /// Name of the controller.
    pub controller: String,
    /// Estimated mean of the controller's games, with its interval and warnings.
    #[serde(flatten)]
    pub estimate: Estimate,
}

impl RankedArm {
    /// Returns the estimated mean of the controller's games.
    #[must_use]
    pub fn mean(&self) -> &Mean {
        &self.estimate.mean
    }
}

/// Comparison of two controllers, with the test that decides if they differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Name of the controller with the better rank.
    pub first: String,
    /// Name of the lower-ranked controller of the pair.
    pub second: String,
    /// Comparison over the seeds that both controllers played.
    #[serde(flatten)]
    pub paired: PairedComparison,
    /// Name of the test that decides if the two controllers differ; `None` without a test.
    pub test: Option<&'static str>,
    /// P-value of the test that decides if the two controllers differ.
    pub p: Option<f64>,
    /// P-value of the deciding test, adjusted by Holm's method for the number of tested pairs.
    pub p_adjusted: Option<f64>,
    /// True if the controllers' means differ: the adjusted p-value is at most 0.05.
    pub differ: bool,
}

/// Ranking of several controllers, with a test of every pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Controllers, best first; without finished games, a controller's mean counts as the greatest.
    pub controllers: Vec<RankedArm>,
    /// Comparisons of every two controllers, in the order of [`Comparison::controllers`].
    pub pairs: Vec<Pair>,
}

impl Comparison {
    /// Ranks controllers by mean, and tests each pair if games are random (`independent`).
    #[must_use]
    pub fn new(
        mut arms: Vec<Arm>,
        scale: Scale,
        better: Better,
        independent: bool,
        seed: u64,
    ) -> Comparison {
        // The sort is stable, so controllers with equal means keep their given order.
        arms.sort_by(|a, b| match better {
            Better::More => strength(b, scale).total_cmp(&strength(a, scale)),
            Better::Fewer => strength(a, scale).total_cmp(&strength(b, scale)),
        });
        let ranked = (1..).zip(&arms).map(|(rank, arm)| RankedArm {
            rank: Some(rank),
            controller: arm.name.clone(),
            estimate: Estimate::new(&arm.games, scale, independent, seed),
        });
        let mut controllers: Vec<RankedArm> = ranked.collect();
        remove_unsupported_ranks(&mut controllers);
        let mut pairs = Vec::new();
        for (index, first) in arms.iter().enumerate() {
            for second in &arms[index + 1..] {
                pairs.push(pair(first, second, scale, independent, seed));
            }
        }
        adjust(&mut pairs);
        Comparison { controllers, pairs }
    }

    /// Returns the names of the controllers without a finished game, whose means are unknown.
    #[must_use]
    pub fn without_ends(&self) -> Vec<&str> {
        let without = self.controllers.iter().filter(|ranked| ranked.mean().mean.is_none());
        without.map(|ranked| &*ranked.controller).collect()
    }

    /// Returns the largest relative half-width of the controllers' intervals; infinite if a
    /// controller has none.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        let widths = self.controllers.iter().map(|ranked| ranked.mean().half_width());
        widths.fold(0.0, f64::max)
    }
}

fn remove_unsupported_ranks(controllers: &mut [RankedArm]) {
    let bounds: Vec<f64> = controllers
        .iter()
        .filter(|ranked| ranked.mean().mean.is_none())
        .map(|ranked| ranked.mean().low.unwrap_or(0.0))
        .collect();
    let greatest = controllers.iter().filter_map(|ranked| ranked.mean().mean).fold(0.0, f64::max);
    // The order of several controllers that never ended is unknown. A single one is best if its
    // bound exceeds all means.
    let any_known = bounds.len() < controllers.len();
    for ranked in controllers {
        let is_known = match ranked.mean().mean {
            Some(mean) => bounds.iter().all(|&bound| bound > mean),
            None => any_known && bounds.len() == 1 && bounds[0] > greatest,
        };
        ranked.rank = ranked.rank.filter(|_| is_known);
    }
}

fn strength(arm: &Arm, scale: Scale) -> f64 {
    let [sum, count] = scale.sums(&arm.games);
    match (arm.games.is_empty(), count > 0.0) {
        (true, _) => f64::NEG_INFINITY,
        (_, true) => sum / count,
        // A value above any mean of finished games. It grows with the amount played, so lower
        // bounds decide among controllers without ends.
        (_, false) => f64::MAX / 2.0 * (1.0 + sum / (1.0 + sum)),
    }
}

fn pair(first: &Arm, second: &Arm, scale: Scale, independent: bool, seed: u64) -> Pair {
    let paired = PairedComparison::new(&first.games, &second.games, scale, seed);
    // Games without chance always repeat, so a test would count copies of one value.
    let paired = if independent { paired } else { paired.without_chance() };
    let decision = paired.decision();
    Pair {
        first: first.name.clone(),
        second: second.name.clone(),
        paired,
        test: decision.map(|(test, _)| test),
        p: decision.map(|(_, p)| p),
        p_adjusted: None,
        differ: false,
    }
}

fn adjust(pairs: &mut [Pair]) {
    // Holm's method adjusts only for pairs that were tested; an untested pair can't be a false
    // finding.
    let p_values: Vec<f64> = pairs.iter().filter_map(|pair| pair.p).collect();
    let tested = pairs.iter_mut().filter(|pair| pair.p.is_some());
    for (pair, adjusted) in tested.zip(holm(&p_values)) {
        pair.p_adjusted = Some(adjusted);
        pair.differ = adjusted <= ALPHA;
    }
}

/// Results of one setting in a study, each with its part of the mean's numerator and denominator.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Name of the random numbers behind the results; samples with equal names have common seeds at
    /// equal indices.
    pub stream: String,
    /// Numerator and denominator of each result, such as lines and ended games.
    pub parts: Vec<[f64; 2]>,
}

impl Sample {
    /// Returns the mean, sum of numerators / sum of denominators; `None` unless both are positive.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let [above, below] = self.sums();
        (above > 0.0 && below > 0.0).then(|| above / below)
    }

    fn sums(&self) -> [f64; 2] {
        self.parts.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
    }
}

/// Ratio of two means, or ratio of two such ratios (an interaction), with its interval and test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contrast {
    /// Estimated ratio of means, or ratio of such ratios, with its interval.
    pub ratio: Mean,
    /// Standard error of the natural logarithm of the estimated ratio.
    pub log_error: f64,
    /// Degrees of freedom of the t distribution for the ratio, by Welch and Satterthwaite.
    pub df: f64,
    /// Two-sided p-value of the hypothesis that the true ratio is 1.
    pub p: f64,
}

impl Contrast {
    /// Computes a ratio of means, or of such ratios: the product of the samples' means to the
    /// powers 1 or -1. Returns `None` unless all are known and have two observations.
    ///
    /// Its logarithm has the standard error of the delta method for ratios of sums (Cochran 1977,
    /// *Sampling Techniques*, section 6.4). Paired observations are added before they are squared,
    /// so common random numbers make the interval narrower.
    #[must_use]
    pub fn new(terms: &[(f64, &Sample)], level: f64) -> Option<Contrast> {
        // For each stream the influence of each of its observations on the logarithm.
        let mut streams: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut log_ratio = 0.0;
        for &(power, sample) in terms {
            log_ratio += power * libm::log(sample.mean()?);
            if sample.parts.len() < 2 {
                return None;
            }
            let [above, below] = sample.sums();
            let influences = streams.entry(&sample.stream).or_default();
            influences.resize(influences.len().max(sample.parts.len()), 0.0);
            for (influence, part) in influences.iter_mut().zip(&sample.parts) {
                *influence += power * (part[0] / above - part[1] / below);
            }
        }
        let (mut variance, mut by_freedom) = (0.0, 0.0);
        for influences in streams.values() {
            let n = influences.len() as f64;
            let own = influences.iter().map(|one| one * one).sum::<f64>() * n / (n - 1.0);
            variance += own;
            by_freedom += own * own / (n - 1.0);
        }
        let log_error = variance.sqrt();
        // Equal observations, for example of two equal conditions, have no error.
        let (df, reach, p) = match by_freedom > 0.0 {
            true => {
                let df = variance * variance / by_freedom;
                let (quantile, below) = student(df, level, -(log_ratio / log_error).abs())?;
                (df, quantile * log_error, 2.0 * below)
            }
            false if log_ratio == 0.0 => (f64::INFINITY, 0.0, 1.0),
            false => (f64::INFINITY, 0.0, 0.0),
        };
        let (low, high) = (libm::exp(log_ratio - reach), libm::exp(log_ratio + reach));
        let (ratio, interval) = (libm::exp(log_ratio), Interval { low, high: Some(high) });
        let n = streams.values().map(|influences| influences.len() as u64).sum();
        Some(Contrast {
            ratio: Mean { level, ..Mean::new(Some(ratio), Some(interval), Method::LogT, n) },
            log_error,
            df,
            p: p.clamp(f64::MIN_POSITIVE, 1.0),
        })
    }
}

impl Contrast {
    /// Returns the p-value of a non-inferiority test. Its hypothesis: the ratio is worse than 1 by
    /// at least the fraction `margin`.
    #[must_use]
    pub fn p_not_worse(&self, margin: f64, better: Better) -> f64 {
        let log_ratio = libm::log(self.ratio.mean.unwrap_or(f64::NAN));
        let lead = match better {
            Better::More => log_ratio - libm::log(1.0 - margin),
            Better::Fewer => libm::log(1.0 + margin) - log_ratio,
        };
        if self.log_error == 0.0 {
            return if lead > 0.0 { f64::MIN_POSITIVE } else { 1.0 };
        }
        let below = student(self.df, 0.0, -lead / self.log_error).map_or(1.0, |(_, below)| below);
        below.clamp(f64::MIN_POSITIVE, 1.0)
    }
}

/// Degrees of freedom above which normal quantiles replace t quantiles, which may never be found.
const MAX_DEGREES_OF_FREEDOM: f64 = 1e4;

fn student(df: f64, level: f64, value: f64) -> Option<(f64, f64)> {
    let of = |found: &dyn ContinuousCDF<f64, f64>| {
        (found.inverse_cdf((1.0 + level) / 2.0), found.cdf(value))
    };
    Some(match df > MAX_DEGREES_OF_FREEDOM {
        true => of(&Normal::standard()),
        false => of(&StudentsT::new(0.0, 1.0, df).ok()?),
    })
}

/// Returns `p_values`, in their order, adjusted for multiple tests by Holm's method (1979,
/// *Scandinavian Journal of Statistics* 6). The tests may be dependent.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut greatest = 0f64;
    for (smaller, index) in order.into_iter().enumerate() {
        let left = (p_values.len() - smaller) as f64;
        // The running maximum keeps adjusted p-values in the order of the unadjusted ones.
        greatest = greatest.max(p_values[index] * left).min(1.0);
        adjusted[index] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use crate::stats::mean::ended;

    fn arm(name: &str, mean: f64, seed: u64) -> Arm {
        let mut stream = Stream::new(seed, Purpose::Bootstrap, 3);
        let values: Vec<f64> =
            (0..200).map(|_| (-mean * libm::log(1.0 - stream.unit())).ceil()).collect();
        Arm { name: name.to_owned(), games: ended(&values) }
    }

    #[test]
    fn arms_are_ranked_and_told_apart() {
        let arms = vec![arm("weak", 100.0, 1), arm("strong", 1000.0, 2), arm("also", 105.0, 3)];
        let found = Comparison::new(arms, Scale::Total, Better::More, true, 1);
        assert_eq!(found.controllers[0].controller, "strong");
        assert_eq!(found.pairs.len(), 3);
        let differ: Vec<bool> = found.pairs.iter().map(|pair| pair.differ).collect();
        assert_eq!(differ, [true, true, false], "{:?}", found.pairs);
        let least = &found.pairs[0];
        assert_eq!(least.p, Some(1e-4), "none of 9,999 ways");
        assert!((least.p_adjusted.unwrap() - 3e-4).abs() < 1e-12);
        assert!((0.13..0.15).contains(&found.half_width()), "{}", found.half_width());
    }

    #[test]
    fn one_that_never_ends_stands_first() {
        let mut endless = arm("endless", 10.0, 1);
        endless.games.iter_mut().for_each(|game| game.censored = true);
        let found = Comparison::new(
            vec![arm("weak", 100.0, 2), endless],
            Scale::Total,
            Better::More,
            true,
            1,
        );
        assert_eq!(found.controllers[0].controller, "endless");
        // 200 unfinished games of 10 lines have a lower bound above 2,000 / 3 lines, which exceeds
        // a mean of 100.
        assert_eq!([0, 1].map(|index| found.controllers[index].rank), [Some(1), Some(2)]);
        assert!(found.half_width().is_infinite());
        let pair = &found.pairs[0];
        assert_eq!((pair.paired.ratio.mean, pair.test), (None, Some("log-rank")));
    }

    #[test]
    fn without_any_end_there_is_nothing_to_test() {
        let mut arms = vec![arm("a", 10.0, 1), arm("b", 20.0, 2)];
        let games = arms.iter_mut().flat_map(|arm| &mut arm.games);
        games.for_each(|game| game.censored = true);
        let found = Comparison::new(arms, Scale::Total, Better::More, true, 1);
        assert!(found.pairs[0].p_adjusted.is_none());
        assert_eq!(
            (found.controllers[0].controller.as_str(), found.without_ends().len()),
            ("b", 2)
        );
        assert!(found.controllers.iter().all(|ranked| ranked.rank.is_none()), "{found:?}");
    }

    #[test]
    fn a_place_needs_a_bound_beyond_the_other_means() {
        let mut cut = arm("cut", 10.0, 1);
        cut.games.truncate(10);
        cut.games.iter_mut().for_each(|game| *game = Observed { value: 10.0, censored: true });
        let arms = vec![arm("strong", 100.0, 2), cut, arm("weak", 20.0, 3)];
        let found = Comparison::new(arms, Scale::Total, Better::More, true, 1);
        let ranks: Vec<_> =
            found.controllers.iter().map(|ranked| (&*ranked.controller, ranked.rank)).collect();
        assert_eq!(ranks, [("cut", None), ("strong", None), ("weak", Some(3))]);
    }

    #[test]
    fn without_chance_there_are_numbers_only() {
        let arms = vec![arm("a", 100.0, 1), arm("b", 50.0, 2)];
        let found = Comparison::new(arms, Scale::Total, Better::More, false, 1);
        let pair = &found.pairs[0];
        assert_eq!((pair.p, pair.p_adjusted, pair.paired.ratio.low), (None, None, None));
        assert!(pair.paired.ratio.mean.is_some() && pair.paired.unpaired.welch.is_none());
    }

    // At most 5 % of comparisons of equal controllers may report a difference: of 200 at most 21
    // (99.9 % of a binomial).
    #[test]
    #[ignore = "long: 5 s"]
    fn long_false_differences_are_rare() {
        let wrong = (0..200u64).filter(|round| {
            let arms = (0..4).map(|index| {
                let mut arm = arm("x", 100.0, 4 * round + index + 10);
                arm.games.truncate(20);
                arm
            });
            let pairs =
                Comparison::new(arms.collect(), Scale::PerGame, Better::More, true, *round).pairs;
            pairs.iter().any(|pair| pair.differ)
        });
        let wrong = wrong.count();
        assert!(wrong <= 21, "{wrong} of 200");
    }

    fn sample(stream: &str, parts: &[[f64; 2]]) -> Sample {
        Sample { stream: stream.to_owned(), parts: parts.to_vec() }
    }

    // R: `z <- c(10,20,30,40)/100 - c(2,2,3,3)/10; s <- sqrt(sum(z^2)*4/3); exp(log(10) +
    // c(-1,1)*qt(.975,3)*s); 2*pt(-log(10)/s, 3)`. Here z = (-.1, 0, 0, .1) and s = 0.163299.
    #[test]
    fn a_ratio_of_paired_games_by_hand() {
        let one = sample("a", &[[10.0, 1.0], [20.0, 1.0], [30.0, 1.0], [40.0, 1.0]]);
        let other = sample("a", &[[2.0, 1.0], [2.0, 1.0], [3.0, 1.0], [3.0, 1.0]]);
        let found = Contrast::new(&[(1.0, &one), (-1.0, &other)], 0.95).unwrap();
        assert!((found.ratio.mean.unwrap() - 10.0).abs() < 1e-12);
        let error = 0.163_299_316;
        assert!((found.log_error - error).abs() < 1e-8, "{found:?}");
        assert!((found.df - 3.0).abs() < 1e-9);
        let factor = (3.182_446_305 * error).exp();
        assert!((found.ratio.low.unwrap() - 10.0 / factor).abs() < 1e-6, "{found:?}");
        assert!((found.ratio.high.unwrap() - 10.0 * factor).abs() < 1e-5, "{found:?}");
        assert!((found.p - 0.000_772_62).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn non_inferiority_by_hand() {
        let one = sample("a", &[[10.0, 1.0], [20.0, 1.0], [30.0, 1.0], [40.0, 1.0]]);
        let other = sample("a", &[[20.0, 1.0], [20.0, 1.0], [30.0, 1.0], [30.0, 1.0]]);
        let found = Contrast::new(&[(1.0, &one), (-1.0, &other)], 0.95).unwrap();
        assert!(
            (found.ratio.mean.unwrap() - 1.0).abs() < 1e-12
                && (found.log_error - 0.163_299_316).abs() < 1e-8
        );
        // R: pt(log(0.9) / 0.163299316, 3) and pt(-log(1.1) / 0.163299316, 3).
        let [more, fewer] = [Better::More, Better::Fewer].map(|it| found.p_not_worse(0.1, it));
        assert!(
            (more - 0.282_372_450).abs() < 1e-6 && (fewer - 0.300_218_241).abs() < 1e-6,
            "{more} {fewer}"
        );
        let same = Contrast::new(&[(1.0, &one), (-1.0, &one)], 0.95).unwrap();
        assert!(same.p_not_worse(0.01, Better::More) < 1e-9 && same.p == 1.0);
    }

    #[test]
    fn independent_samples_add_their_variances() {
        let parts = [[10.0, 1.0], [20.0, 3.0], [30.0, 2.0], [40.0, 4.0]];
        let (one, other) = (sample("a", &parts), sample("b", &parts));
        let found = Contrast::new(&[(1.0, &one), (-1.0, &other)], 0.95).unwrap();
        let single = (0.32_f64 / 12.0).sqrt(); // as in estimate/summary.rs
        assert!((found.log_error - single * 2.0_f64.sqrt()).abs() < 1e-12, "{found:?}");
        assert!((found.df - 6.0).abs() < 1e-9 && found.ratio.mean == Some(1.0) && found.p == 1.0);
        let same = Contrast::new(&[(1.0, &one), (-1.0, &one)], 0.95).unwrap();
        assert!(same.log_error == 0.0 && same.p == 1.0, "{same:?}");
        let without_ends = sample("c", &[[10.0, 0.0], [20.0, 0.0]]);
        assert_eq!(Contrast::new(&[(1.0, &one), (-1.0, &without_ends)], 0.95), None);
        assert_eq!(Contrast::new(&[(1.0, &sample("d", &[[1.0, 1.0]]))], 0.95), None);
    }

    // Expected values from R: `p.adjust(c(.01,.04,.03,.005,.5), "holm")`.
    #[test]
    fn adjusted_as_in_r() {
        let found = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (found, expected) in found.iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
            assert!((found - expected).abs() < 1e-15, "{found}");
        }
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
