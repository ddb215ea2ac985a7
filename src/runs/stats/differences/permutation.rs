//! Computes permutation tests: how often a random exchange of games gives a difference at least as
//! large as the observed one.

use serde::Serialize;

use crate::rng::{Purpose, Stream};
use crate::stats::{Observed, Scale};

/// Number of game values that a permutation test may draw in total. The number of resamples is this
/// number divided by the number of games, but stays within the limits `DRAWS`.
const VALUES: u64 = 40_000_000;
const DRAWS: (u64, u64) = (9_999, 999);
/// Largest number of pairs for which all permutations are counted instead of sampled. The 2^13
/// permutations of 13 pairs are fewer than the samples would be.
const MAX_EXACT_PAIRS: usize = 13;
/// Factor applied to the observed distance, so that a distance which is equal except for rounding
/// counts as at least as large.
const TOLERANCE: f64 = 1.0 - 1e-12;

/// Result of a permutation test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Permuted {
    /// P-value. If all permutations are counted, it is the share with a distance at least as large
    /// as the observed one. If m of n drawn permutations have one, it is (1 + m) / (1 + n) (Phipson
    /// & Smyth 2010).
    pub p: f64,
    /// Number of permutations that the p-value is computed from: all of them, or those drawn.
    pub ways: u64,
    /// True if all permutations were counted; false if the p-value comes from drawn ones.
    pub exact: bool,
}

impl Scale {
    /// Returns the distance between the means of two groups. A group is given by the numerator and
    /// the denominator of its mean ([`Scale::sums`]). The distance is logarithmic for totals, whose
    /// mean is infinite without a finished game.
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

/// Tests the difference of two means on common seeds by exchanging the two games of each seed at
/// random (Fisher 1935, *The Design of Experiments*, section 21).
///
/// The test assumes independent seeds and, under the null hypothesis, exchangeable games within a
/// seed. All exchanges are counted if at most 13 pairs differ.
#[must_use]
pub fn sign_flip_test(
    first: &[Observed],
    second: &[Observed],
    scale: Scale,
    seed: u64,
) -> Permuted {
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
        return counted(&changes, observed, moved);
    }
    resampled_p(changes.len(), observed, seed, |stream| moved(flipped(&changes, stream)))
}

fn counted(changes: &[[f64; 2]], observed: f64, moved: impl Fn([f64; 2]) -> f64) -> Permuted {
    let ways = 1u64 << changes.len();
    let chosen = |way: u64| {
        let flips = changes.iter().enumerate().filter(move |(i, _)| way >> i & 1 == 1);
        flips.fold([0.0; 2], |sums, (_, change)| crate::stats::observed::add(sums, *change))
    };
    // The tolerance keeps the observed arrangement, because sums in another order round
    // differently.
    let as_great = (0..ways).filter(|way| moved(chosen(*way)) >= observed * TOLERANCE).count();
    Permuted { p: as_great as f64 / ways as f64, ways, exact: true }
}

/// Returns the sum of the `changes` of randomly chosen pairs, each chosen with probability 1/2.
fn flipped(changes: &[[f64; 2]], stream: &mut Stream) -> [f64; 2] {
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

/// Estimates the p-value of the distance `observed` by drawing random distances with `draw`, which
/// reads `n` game values each time.
pub(super) fn resampled_p(
    n: usize,
    observed: f64,
    seed: u64,
    mut draw: impl FnMut(&mut Stream) -> f64,
) -> Permuted {
    let ways = (VALUES / n.max(1) as u64).clamp(DRAWS.1, DRAWS.0);
    let mut stream = Stream::new(seed, Purpose::Bootstrap, 1);
    let as_great = (0..ways).filter(|_| draw(&mut stream) >= observed * TOLERANCE).count() as f64;
    Permuted { p: (1.0 + as_great) / (1.0 + ways as f64), ways, exact: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::observed::ended;

    const A: [f64; 8] = [12.0, 15.0, 9.0, 20.0, 33.0, 7.0, 14.0, 18.0];
    const B: [f64; 8] = [8.0, 11.0, 10.0, 13.0, 16.0, 9.0, 6.0, 12.0];

    /// R: `g <- as.matrix(expand.grid(rep(list(c(-1,1)),8))); mean(abs(g %*% (a-b)) >=
    /// abs(sum(a-b)))`. A pair without a difference adds nothing.
    #[test]
    fn few_pairs_are_counted_as_in_r() {
        let found = sign_flip_test(&ended(&A), &ended(&B), Scale::PerGame, 1);
        assert_eq!(found, Permuted { p: 0.03125, ways: 256, exact: true });
        assert_eq!(sign_flip_test(&ended(&A), &ended(&B), Scale::Total, 1), found);
        let with = |values: &[f64]| ended(&[values, &[5.0]].concat());
        assert_eq!(sign_flip_test(&with(&A), &with(&B), Scale::Total, 1), found);
        assert_eq!(sign_flip_test(&ended(&A), &ended(&A), Scale::Total, 1).p, 1.0);
    }

    /// Sixteen pairs are too many to count, so the test draws samples. Of all 2^16 arrangements,
    /// counted exactly here, 0.24 % differ at least as much as the observed one.
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

    /// Draws 400 samples (seeded) of 12 equal pairs of exponential lifetimes, a third censored. In
    /// 40 of them p is below 0.1 (standard error 6; 4 standard errors allowed).
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
}
