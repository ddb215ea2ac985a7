//! One independent random stream per game: seed = f(run seed, purpose, index).
//!
//! Who plays a game, in which order and on how many threads, draws nothing from another game's stream, so
//! that results do not depend on it. A game can be played again alone: its number is enough.
//!
//! The generator is xoshiro256++ of `rand_xoshiro`; bounded draws, shuffles and normal deviates are
//! our own, because a library's may change between versions and the streams are frozen by golden
//! tests. The logarithm is that of the crate `libm`, software in Rust, so that normal deviates are
//! the same bits on every machine; `f64::ln` is whatever the platform has.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// What a stream is for. Streams of different purposes never share numbers, so that drawing one number
/// more for one of them (a sample, a bootstrap) leaves the games of a seed as they are.
///
/// The numbers are part of every frozen stream: new purposes get new ones.
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
    /// The hands of a match of cards, and who accepts a redeal.
    Deals = 9,
    /// What players of a match draw by chance.
    Choices = 10,
    /// The futures of a queue that a Sprint's finish is looked for in.
    Futures = 11,
    /// The seeds of an estimate's replications.
    Replications = 20,
    /// The games and the branches of a replication.
    Branches = 21,
    /// The seeds of the rounds that place an estimate's levels.
    PilotRounds = 22,
}

/// A stream of random numbers.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rng::{Purpose, Stream};
/// let mut stream = Stream::new(1, Purpose::Queue, 42);
/// let mut again = Stream::new(1, Purpose::Queue, 42);
/// assert_eq!(stream.bits(), again.bits());
/// assert!(stream.below(7) < 7);
/// assert!((0.0..1.0).contains(&stream.unit()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of one purpose and index under a run seed.
    #[must_use]
    pub fn new(run_seed: u64, purpose: Purpose, index: u64) -> Stream {
        Stream(Xoshiro256PlusPlus::seed_from_u64(stream_seed(run_seed, purpose, index)))
    }

    /// A number in `0..bound`, each equally likely (Lemire 2019, multiply and reject). `bound` is at least 1;
    /// one that is rejected costs another draw, which happens less than once in `2^32 / bound` draws.
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

    /// 64 random bits: one step of the generator.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `[0, 1)`: 53 random bits, so every value is a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        // 53 bits are what a double holds without rounding.
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
            // Only points inside the circle, whose angles are all equally likely; 0 has no logarithm.
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }

    /// A random permutation in place (Fisher-Yates, from the last item down): n - 1 draws for n items.
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

/// One step of SplitMix64, its finaliser included: neighbouring values give results that are nothing alike.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
