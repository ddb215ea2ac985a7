//! Measures on simulated data how often each interval holds the true value and how often each test
//! rejects a true null hypothesis.
//!
//! Each case states the coverage that the documentation promises. The number of correct samples is
//! binomial, and a correct method fails with 1 in 10,000 seeds at each end. `cargo test --workspace
//! --tests coverage -- --nocapture` prints the table. Checks that need more than one sample stand
//! in the files of their methods.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::*;
use crate::rng::{Purpose, Stream};

/// Probability that a correct method fails its test by chance, at each end of the range.
const FAILURE_PROBABILITY: f64 = 1e-4;
const EXACT: [f64; 2] = [0.95, 0.95];
const CAUTIOUS: [f64; 2] = [0.95, 1.0];

struct CoverageCase {
    name: &'static str,
    /// Smallest and largest documented share of samples for which the method is correct.
    stated: [f64; 2],
    samples: u64,
    /// Draws a sample and returns true if the method is correct for it; the number seeds the
    /// method's resampling.
    is_right: fn(&mut Stream, u64) -> bool,
}

const fn case(
    name: &'static str,
    stated: [f64; 2],
    samples: u64,
    is_right: fn(&mut Stream, u64) -> bool,
) -> CoverageCase {
    CoverageCase { name, stated, samples, is_right }
}

fn exponential(stream: &mut Stream) -> f64 {
    -libm::log(1.0 - stream.unit())
}

fn normal(stream: &mut Stream) -> f64 {
    let radius = (2.0 * exponential(stream)).sqrt();
    radius * libm::cos(std::f64::consts::TAU * stream.unit())
}

/// Draws `n` exponential lifetimes of mean 1,000, cut off at `limit`.
fn games(stream: &mut Stream, n: usize, limit: f64) -> Vec<Observed> {
    let game = |value: f64| Observed { value: value.min(limit), censored: value > limit };
    (0..n).map(|_| game(1000.0 * exponential(stream))).collect()
}

/// Draws `n` pairs of lifetimes of mean 1,000 that share half of their risk.
fn pairs(stream: &mut Stream, n: usize, limit: f64) -> [Vec<Observed>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    for _ in 0..n {
        let common = 2000.0 * exponential(stream);
        for side in &mut sides {
            let value = common.min(2000.0 * exponential(stream));
            side.push(Observed { value: value.min(limit), censored: value > limit });
        }
    }
    sides
}

const NEVER: f64 = f64::INFINITY;

/// Returns an estimate, from simulated games, of a ratio of ratios of means whose true value is 2.
fn ratio_of_ratios(stream: &mut Stream, n: usize, limit: f64) -> Contrast {
    let scales = [[2.0, 1.0], [0.5, 0.5]];
    let samples: Vec<Sample> = (0..2)
        .flat_map(|group| {
            let sides = pairs(stream, n, NEVER);
            [0, 1].map(|side| {
                let game = |game: &Observed| {
                    let value = game.value * scales[group][side];
                    [value.min(limit), f64::from(u8::from(value <= limit))]
                };
                let parts = sides[side].iter().map(game).collect();
                Sample { stream: group.to_string(), parts }
            })
        })
        .collect();
    let terms: Vec<_> = [1.0, -1.0, -1.0, 1.0].into_iter().zip(&samples).collect();
    Contrast::new(&terms, 0.95).unwrap()
}

fn mean_holds(stream: &mut Stream, n: usize, limit: f64) -> bool {
    let games = games(stream, n, limit);
    let [exposure, ends] = Scale::Total.sums(&games);
    exponential_mean(exposure, ends as u64, ends < n as f64, 0.95).contains(1000.0)
}

fn bootstrap_holds(stream: &mut Stream, seed: u64, n: usize, limit: f64) -> bool {
    let found = bootstrap_scaled(&games(stream, n, limit), Scale::Total, 0.95, seed);
    found.is_none_or(|found| found.contains(1000.0))
}

fn ratio(stream: &mut Stream, limit: f64) -> Effect {
    let mut group = |n: usize| {
        let [exposure, ends] = Scale::Total.sums(&games(stream, n, limit));
        (exposure, ends as u64)
    };
    exponential_ratio(group(25), group(40), 0.95).unwrap()
}

fn values(stream: &mut Stream, n: usize, draw: fn(&mut Stream) -> f64) -> Vec<f64> {
    (0..n).map(|_| draw(stream)).collect()
}

fn share_holds(stream: &mut Stream, share: f64, n: u64) -> bool {
    let hits = (0..n).filter(|_| stream.unit() < share).count();
    share_interval(hits as u64, n, 0.95).unwrap().contains(share)
}

/// Returns true if the interval of a difference of two success rates contains the true one;
/// `shares` are the probabilities that only the first, or only the second, of a pair succeeds.
fn difference_holds(stream: &mut Stream, shares: [f64; 2], n: u64) -> bool {
    let mut counts = [0; 2];
    for _ in 0..n {
        let u = stream.unit();
        counts[0] += u64::from(u < shares[0]);
        counts[1] += u64::from((shares[0]..shares[0] + shares[1]).contains(&u));
    }
    let found = share_difference_interval(counts[0], counts[1], n, 0.95).unwrap();
    found.contains(shares[0] - shares[1])
}

fn quantile_holds(stream: &mut Stream, p: f64, n: usize) -> bool {
    let mut sorted = values(stream, n, exponential);
    sorted.sort_by(f64::total_cmp);
    quantile_interval(&sorted, p, 0.95).unwrap().contains(-libm::log(1.0 - p))
}

fn survival_holds(stream: &mut Stream, n: usize, limit: f64) -> bool {
    let half = 1000.0 * std::f64::consts::LN_2;
    let curve = survival(&games(stream, n, limit));
    let there = curve.iter().rev().find(|step| step.value <= half);
    there.is_none_or(|step| step.low.is_none_or(|low| low <= 0.5 && 0.5 <= step.high.unwrap()))
}

#[rustfmt::skip]
const INTERVAL_CASES: &[CoverageCase] = &[
    case("mean, exponential, 20 ended", EXACT, 2000, |s, _| mean_holds(s, 20, NEVER)),
    case("mean, exponential, 20, a fifth cut off", CAUTIOUS, 2000, |s, _| {
        mean_holds(s, 20, 1600.0)
    }),
    // The mean lies just below the bound without any end, so samples without an end (5 %) fail.
    case("mean, lower bound without an end", EXACT, 2000, |s, _| {
        let limit = -1000.0 * libm::log(0.05) / 5.0 * (1.0 + 1e-9);
        let games = games(s, 5, limit);
        let has_end = games.iter().any(|game| !game.censored);
        has_end || exponential_mean(5.0 * limit, 0, true, 0.95).low <= 1000.0
    }),
    case("mean, bootstrap-t, 10 ended", [0.92, 0.95], 200, |s, seed| {
        bootstrap_holds(s, seed, 10, NEVER)
    }),
    case("mean, bootstrap-t, 50 ended", [0.93, 0.96], 100, |s, seed| {
        bootstrap_holds(s, seed, 50, NEVER)
    }),
    case("mean, bootstrap-t, 25, a third cut off", [0.93, 0.97], 200, |s, seed| {
        bootstrap_holds(s, seed, 25, 1100.0)
    }),
    case("mean of values, bootstrap-t, 20", [0.92, 0.96], 200, |s, seed| {
        bootstrap_values(&values(s, 20, exponential), 0.95, seed).unwrap().contains(1.0)
    }),
    case("median, percentile bootstrap, 25", [0.93, 0.98], 200, |s, seed| {
        let median = |values: &mut [f64]| {
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let interval = bootstrap_median(&values(s, 25, exponential), 0.95, seed, median).unwrap();
        interval.contains(std::f64::consts::LN_2)
    }),
    case("difference of paired means, bootstrap-t, 40", [0.92, 0.98], 100, |s, seed| {
        let [first, second] = pairs(s, 40, NEVER);
        bootstrap_paired(&first, &second, Scale::Total, 0.95, seed).unwrap().0.contains(0.0)
    }),
    case("ratio of paired means, bootstrap-t, 40", [0.92, 0.97], 100, |s, seed| {
        let [first, second] = pairs(s, 40, NEVER);
        bootstrap_paired(&first, &second, Scale::Total, 0.95, seed).unwrap().1.contains(1.0)
    }),
    case("ratio of paired means, a third cut off, 40", [0.92, 0.97], 100, |s, seed| {
        let [first, second] = pairs(s, 40, 1100.0);
        bootstrap_paired(&first, &second, Scale::Total, 0.95, seed).unwrap().1.contains(1.0)
    }),
    case("ratio of exponential means", EXACT, 2000, |s, _| ratio(s, NEVER).mean.contains(1.0)),
    case("ratio of exponential means, a third cut off", [0.94, 0.97], 2000, |s, _| {
        ratio(s, 1100.0).mean.contains(1.0)
    }),
    case("ratio of ratios of means, 30 games each", [0.93, 0.96], 2000, |s, _| {
        ratio_of_ratios(s, 30, NEVER).ratio.contains(2.0)
    }),
    case("ratio of ratios of means, 30, up to half cut off", [0.93, 0.96], 2000, |s, _| {
        ratio_of_ratios(s, 30, 1400.0).ratio.contains(2.0)
    }),
    case("ratio of ratios of means, 200, up to half cut off", [0.94, 0.96], 2000, |s, _| {
        ratio_of_ratios(s, 200, 1400.0).ratio.contains(2.0)
    }),
    case("difference, Welch, 30 normal", EXACT, 2000, |s, _| {
        welch(&values(s, 30, normal), &values(s, 30, normal), 0.95).unwrap().mean.contains(0.0)
    }),
    case("difference, Welch, 30 and 60 exponential", [0.93, 0.96], 2000, |s, _| {
        let values = [30, 60].map(|n| values(s, n, exponential));
        welch(&values[0], &values[1], 0.95).unwrap().mean.contains(0.0)
    }),
    case("share, Wilson, 1/2 of 40", [0.94, 0.97], 2000, |s, _| share_holds(s, 0.5, 40)),
    case("share, Wilson, 1/20 of 100", [0.94, 0.98], 2000, |s, _| share_holds(s, 0.05, 100)),
    case("difference of shares of the same 100 trials, alike", [0.94, 0.97], 2000, |s, _| {
        difference_holds(s, [0.05, 0.05], 100)
    }),
    case("difference of shares of the same 100 trials, rare", CAUTIOUS, 2000, |s, _| {
        difference_holds(s, [0.02, 0.005], 100)
    }),
    case("difference of shares of the same 30 trials", [0.92, 0.98], 2000, |s, _| {
        difference_holds(s, [0.2, 0.1], 30)
    }),
    case("mean, normal, 200 exponential", [0.935, 0.95], 2000, |s, _| {
        let values = values(s, 200, exponential);
        let squares = values.iter().map(|value| value * value).sum();
        mean_interval(values.iter().sum(), squares, 200, 0.95).unwrap().contains(1.0)
    }),
    case("median, order statistics, 25", CAUTIOUS, 2000, |s, _| quantile_holds(s, 0.5, 25)),
    case("90 % quantile, order statistics, 60", CAUTIOUS, 2000, |s, _| quantile_holds(s, 0.9, 60)),
    case("survival, log-log band at 1/2, 40", [0.94, 0.97], 2000, |s, _| {
        survival_holds(s, 40, NEVER)
    }),
    case("survival, log-log band at 1/2, 40 cut off", [0.93, 0.97], 2000, |s, _| {
        survival_holds(s, 40, 1100.0)
    }),
    case("ratio at one look, always valid, 100", CAUTIOUS, 1000, |s, _| {
        let [first, second] = pairs(s, 100, NEVER);
        let look = Sequential { alpha: 0.05, margin: 0.05 }.look(&first, &second, Scale::Total);
        look.low <= 1.0 && 1.0 <= look.high
    }),
];

fn is_quiet(p: f64) -> bool {
    p > 0.05
}

#[rustfmt::skip]
const TEST_CASES: &[CoverageCase] = &[
    case("sign-flip, 12 pairs, all ways", CAUTIOUS, 500, |s, seed| {
        let [first, second] = pairs(s, 12, NEVER);
        is_quiet(sign_flip_test(&first, &second, Scale::Total, seed).p)
    }),
    case("sign-flip, 30 pairs, a third cut off", EXACT, 200, |s, seed| {
        let [first, second] = pairs(s, 30, 1100.0);
        is_quiet(sign_flip_test(&first, &second, Scale::Total, seed).p)
    }),
    case("permutation, 20 and 30", EXACT, 100, |s, seed| {
        is_quiet(permutation_test(&games(s, 20, NEVER), &games(s, 30, NEVER), Scale::Total, seed).p)
    }),
    case("log-rank, 25 each, a third cut off", [0.94, 0.96], 2000, |s, _| {
        is_quiet(log_rank(&games(s, 25, 1100.0), &games(s, 25, 1100.0)).unwrap().p)
    }),
    case("log-rank on common seeds, 40 each", [0.95, 1.0], 1000, |s, _| {
        let [first, second] = pairs(s, 40, 1100.0);
        is_quiet(log_rank(&first, &second).unwrap().p)
    }),
    case("sign test, 40", CAUTIOUS, 2000, |s, _| {
        let wins = (0..40).filter(|_| s.unit() < 0.5).count();
        is_quiet(sign_test(wins as u64, 40).unwrap())
    }),
    case("ratio of exponential means", EXACT, 2000, |s, _| is_quiet(ratio(s, NEVER).p)),
    case("Welch, 30 and 60 exponential", [0.93, 0.96], 2000, |s, _| {
        is_quiet(welch(&values(s, 30, exponential), &values(s, 60, exponential), 0.95).unwrap().p)
    }),
    case("Cox-Oakes, 20 ended", [0.94, 0.97], 2000, |s, _| {
        libm::fabs(cox_oakes(&games(s, 20, NEVER))) < 1.959_964
    }),
    case("Cox-Oakes, 60, a third cut off", [0.94, 0.97], 2000, |s, _| {
        libm::fabs(cox_oakes(&games(s, 60, 1100.0))) < 1.959_964
    }),
    case("Anderson-Darling, 20 ended", [0.94, 0.955], 2000, |s, _| {
        let values: Vec<f64> = games(s, 20, NEVER).iter().map(|game| game.value).collect();
        anderson_darling(&values) < 1.321
    }),
    // The level of this test is 1 %.
    case("exponential after both tests, 40", [0.985, 0.998], 2000, |s, _| {
        Exponentiality::new(&games(s, 40, NEVER)).unwrap().fits()
    }),
    // The true ratio is 2. The margins -1 and 1 put it exactly on the bound.
    case("not worse, greater is better, 30 games each", [0.93, 0.97], 2000, |s, _| {
        is_quiet(ratio_of_ratios(s, 30, NEVER).p_not_worse(-1.0, Better::More))
    }),
    case("not worse, smaller is better, 30 games each", [0.93, 0.97], 2000, |s, _| {
        is_quiet(ratio_of_ratios(s, 30, NEVER).p_not_worse(1.0, Better::Fewer))
    }),
];

fn played() -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, case) in (0u64..).zip(INTERVAL_CASES.iter().chain(TEST_CASES)) {
        let n = case.samples;
        let mut stream = Stream::new(20, Purpose::Bootstrap, number);
        let right = (0..n).filter(|&seed| (case.is_right)(&mut stream, seed)).count() as u64;
        let [least, most] = case.stated.map(|share| Binomial::new(share, n).unwrap());
        let bounds =
            [least.inverse_cdf(FAILURE_PROBABILITY), most.inverse_cdf(1.0 - FAILURE_PROBABILITY)];
        let share = 100.0 * right as f64 / n as f64;
        let said = format!("{}: {share:.1} % of {n}, stated {:?}", case.name, case.stated);
        println!("{said}");
        if right < bounds[0] || right > bounds[1] {
            wrong.push(said);
        }
    }
    wrong
}

#[test]
fn intervals_hold_and_tests_are_quiet_as_stated() {
    let wrong = played();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

// A normal interval of 10 exponential values covers only 87 %, which the table must detect.
#[test]
fn what_covers_too_little_is_found() {
    let mut stream = Stream::new(1, Purpose::Bootstrap, 0);
    let held = (0..2000).filter(|_| {
        let values = values(&mut stream, 10, exponential);
        let squares = values.iter().map(|value| value * value).sum();
        mean_interval(values.iter().sum(), squares, 10, 0.95).unwrap().contains(1.0)
    });
    let least = Binomial::new(0.95, 2000).unwrap().inverse_cdf(FAILURE_PROBABILITY);
    assert!((held.count() as u64) < least);
}
