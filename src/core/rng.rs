//! Derives one independent random stream per game from the run seed, a purpose and an index.
//!
//! Games draw nothing from each other's streams, so results do not depend on the order of games or
//! the number of threads. A single game can be replayed from its number.
//!
//! The generator is xoshiro256++ from `rand_xoshiro`. Bounded draws, shuffles and normal deviates
//! are implemented here, because those of a library may change between versions, and golden tests
//! freeze the streams. The logarithm comes from the crate `libm`, which is written in Rust, so
//! normal deviates are identical on every machine; `f64::ln` depends on the platform.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// The purpose of a stream. Streams of different purposes share no numbers, so an additional draw
/// for a sample or a bootstrap leaves the games of a seed unchanged.
///
/// The numbers are part of every frozen stream; a new purpose needs a new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The queue of pieces of a game.
    Queue = 1,
    /// Resampling: bootstrap intervals (index 0) and permutation tests (index 1).
    Bootstrap = 2,
    /// The choice of the games that are logged.
    SampleGames = 3,
    /// The candidates of a generation of an optimiser.
    Candidates = 4,
    /// The games that score candidates, generation by generation.
    TrainingGames = 5,
    /// The games by which training selects candidates: those of its checks and of its finalists.
    ValidationGames = 6,
    /// The games behind the reported result of a training; they select nothing.
    HeldOutGames = 7,
    /// The choice of candidates that play validation games regardless of their score.
    EliteDraws = 8,
    /// The hands of a card match, and the decisions to accept a redeal.
    Deals = 9,
    /// The random decisions of players in a match.
    Choices = 10,
    /// The possible continuations of a queue in which the search for a Sprint's finish plays.
    Futures = 11,
    /// The seeds of the replications of an estimate.
    Replications = 20,
    /// The games and the branches of a replication.
    Branches = 21,
    /// The seeds of the pilot rounds that choose the levels of an estimate.
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
    /// Creates the stream of a purpose and an index under a run seed.
    #[must_use]
    pub fn new(run_seed: u64, purpose: Purpose, index: u64) -> Stream {
        Stream(Xoshiro256PlusPlus::seed_from_u64(stream_seed(run_seed, purpose, index)))
    }

    /// Returns a number in `0..bound`, each equally likely, by Lemire's method of multiplying and
    /// rejecting (2019). `bound` is at least 1. A rejected draw is repeated, which happens less
    /// than once in `2^32 / bound` draws.
    pub fn below(&mut self, bound: u32) -> u32 {
        debug_assert!(bound > 0);
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            // The remainder is below `bound`, so it is needed only for products below `bound`.
            let low = product as u32;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 32) as u32;
            }
        }
    }

    /// Returns 64 random bits, from one step of the generator.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number in `[0, 1)`, a multiple of 2^-53 made of 53 random bits.
    pub fn unit(&mut self) -> f64 {
        // A double holds 53 bits without rounding.
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a uniform number in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a standard normal deviate by the polar method (Marsaglia & Bray 1964; Knuth, *The
    /// Art of Computer Programming* 2, 3.4.1, algorithm P). The second deviate of each pair is
    /// dropped, so that a stream has no state besides its generator.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = u * u + v * v;
            // Points inside the circle have uniform angles; 0 has no logarithm.
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }

    /// Shuffles `items` in place (Fisher-Yates, from the last item down) with n - 1 draws.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::rng::{Purpose, Stream};
    /// let mut items = [1, 2, 3, 4];
    /// Stream::new(7, Purpose::Bootstrap, 0).shuffle(&mut items);
    /// items.sort_unstable();
    /// assert_eq!(items, [1, 2, 3, 4]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// Returns the seed of one stream: three rounds of SplitMix64's finaliser (Steele et al. 2014).
#[must_use]
pub fn stream_seed(run_seed: u64, purpose: Purpose, index: u64) -> u64 {
    mix(mix(mix(run_seed) ^ purpose as u64) ^ index)
}

/// Runs one step of SplitMix64, which maps neighbouring values to unrelated ones.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
