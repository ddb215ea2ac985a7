//! One independent random stream per game: seed = f(run seed, purpose, index).
//!
//! The generator is xoshiro256++ of `rand_xoshiro`; bounded draws, shuffles and normal deviates are
//! our own, because a library's may change between versions and the streams are frozen by golden
//! tests. The logarithm is that of the crate `libm`, software in Rust, so that normal deviates are
//! the same bits on every machine; `f64::ln` is whatever the platform has.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// What a stream is for. Streams of different purposes never share numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The pieces of a game.
    Queue = 1,
    /// Resampling: bootstrap intervals (index 0) and permutation tests (index 1).
    Bootstrap = 2,
    /// Which games are logged.
    SampleGames = 3,
    /// The candidates of an optimiser's generation.
    Candidates = 4,
    /// The games that candidates are scored by, generation by generation.
    TrainingGames = 5,
    /// The games by which a training chooses: those of its checks and of its finalists.
    ValidationGames = 6,
    /// The games that a training's result is reported by; nothing is chosen by them.
    HeldOutGames = 7,
    /// Which candidates play validation games without having earned it.
    EliteDraws = 8,
    /// The hands of a LIAP match, and who accepts a redeal.
    Deals = 9,
    /// What players of a LIAP match draw by chance.
    Choices = 10,
    /// The seeds of an estimate's replications.
    Replications = 20,
    /// The games and the branches of a replication.
    Branches = 21,
    /// The seeds of the rounds that place an estimate's levels.
    PilotRounds = 22,
}

/// A stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of one purpose and index under a run seed.
    #[must_use]
    pub fn new(run_seed: u64, purpose: Purpose, index: u64) -> Stream {
        Stream(Xoshiro256PlusPlus::seed_from_u64(stream_seed(run_seed, purpose, index)))
    }

    /// A number in `0..bound`, each equally likely (Lemire 2019, multiply and reject).
    pub fn below(&mut self, bound: u32) -> u32 {
        debug_assert!(bound > 0);
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            // The remainder is below the bound: mostly it need not be known.
            let low = product as u32;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 32) as u32;
            }
        }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `[0, 1)`: 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in `[low, high)`, each equally likely.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A standard normal deviate: the polar method (Marsaglia & Bray 1964; Knuth, *The Art of
    /// Computer Programming* 2, 3.4.1, algorithm P). The second deviate of each pair is dropped,
    /// so that a stream has no state besides its generator.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }

    /// A random permutation in place (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// The 64-bit seed of one stream: three rounds of the SplitMix64 finaliser (Steele et al. 2014).
#[must_use]
pub fn stream_seed(run_seed: u64, purpose: Purpose, index: u64) -> u64 {
    mix(mix(mix(run_seed) ^ purpose as u64) ^ index)
}

fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chi-square with 6 degrees of freedom exceeds 22.46 once in 1,000 runs; the seed is fixed.
    #[test]
    fn bounded_draws_are_uniform() {
        let mut stream = Stream::new(3, Purpose::Queue, 0);
        let mut counts = [0f64; 7];
        for _ in 0..70_000 {
            counts[stream.below(7) as usize] += 1.0;
        }
        let chi2: f64 = counts.iter().map(|c| (c - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi2 < 22.46, "chi-square {chi2}");
    }

    /// 100,000 deviates: mean, variance, and the shares below 1 and beyond 1.96 lie within 4 standard
    /// errors of 0, 1, 0.841345 and 0.05.
    #[test]
    fn normal_deviates_are_normal() {
        let mut stream = Stream::new(5, Purpose::Candidates, 0);
        let deviates: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let mean_of = |f: &dyn Fn(f64) -> f64| deviates.iter().map(|&z| f(z)).sum::<f64>() / 1e5;
        let near = |got: f64, want: f64, sd: f64| {
            assert!((got - want).abs() < 4.0 * sd / 1e5f64.sqrt(), "{got}, not {want}");
        };
        near(mean_of(&|z| z), 0.0, 1.0);
        near(mean_of(&|z| z * z), 1.0, 2f64.sqrt());
        near(mean_of(&|z| f64::from(z < 1.0)), 0.841_345, 0.3654);
        near(mean_of(&|z| f64::from(z.abs() > 1.96)), 0.05, 0.2180);
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_index() {
        let first = |seed, purpose, index| stream_seed(seed, purpose, index);
        let base = first(1, Purpose::Queue, 0);
        assert_ne!(base, first(2, Purpose::Queue, 0));
        assert_ne!(base, first(1, Purpose::Bootstrap, 0));
        assert_ne!(base, first(1, Purpose::Queue, 1));
        assert_ne!(first(1, Purpose::Queue, 2), first(2, Purpose::Queue, 1));
    }

    #[test]
    fn the_stream_is_frozen() {
        let mut stream = Stream::new(7, Purpose::Queue, 0);
        let draws: Vec<u32> = (0..8).map(|_| stream.below(1_000_000)).collect();
        assert_eq!(draws, [11409, 757489, 774433, 795056, 977514, 509789, 803867, 38078]);
    }

    /// To the bit, on every machine.
    #[test]
    fn normal_deviates_are_frozen() {
        let mut stream = Stream::new(7, Purpose::Candidates, 0);
        let deviates: Vec<f64> = (0..4).map(|_| stream.normal()).collect();
        let frozen = [
            0.052_005_460_097_016_99,
            -0.649_754_834_422_684_9,
            0.751_006_350_886_865_1,
            -0.279_730_841_476_556_14,
        ];
        assert_eq!(deviates, frozen);
    }
}
