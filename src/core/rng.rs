//! Derives one independent random stream per game from the run seed, a purpose and an index, so
//! that results do not depend on the order of games or the number of threads.
//!
//! The generator is xoshiro256++ from `rand_xoshiro`. Bounded draws, shuffles and normal deviates
//! are implemented here, and the logarithm comes from `libm`, because other libraries differ
//! between versions and platforms. Frozen: the numbers of every stream.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// The purpose of a random stream. Each purpose has streams of its own, so an additional draw for
/// one leaves the others unchanged. The number of a variant seeds its streams and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The pieces that are dealt in a game.
    Queue = 1,
    /// Resampling: bootstrap intervals (index 0) and permutation tests (index 1).
    Bootstrap = 2,
    /// The random choice of the games whose placements are logged.
    SampleGames = 3,
    /// The candidates that an optimiser draws, generation by generation.
    Candidates = 4,
    /// The games of a training that score the candidates of each generation.
    TrainingGames = 5,
    /// The games by which a training selects the best candidates, after the training games.
    ValidationGames = 6,
    /// The games that measure the reported result of a training, and select no candidate.
    HeldOutGames = 7,
    /// The random choice of candidates that play validation games regardless of their score.
    EliteDraws = 8,
    /// The dealt hands of a card match, and the decisions to accept a redeal.
    Deals = 9,
    /// The random decisions of players in a card match.
    Choices = 10,
    /// Sampled continuations of a piece queue, on which a search plays to the end of a Sprint.
    Futures = 11,
    /// The draws of a player that does not always choose the best placement.
    Policy = 12,
    /// The holes of garbage rows, at the start of a game and from below.
    Garbage = 13,
    /// The seeds of the independent replications of a multilevel-splitting estimate.
    Replications = 20,
    /// The pieces after a split, for each copy of a game in multilevel splitting.
    Branches = 21,
    /// The seeds of the pilot rounds that choose the levels of a multilevel-splitting estimate.
    PilotRounds = 22,
}

/// A stream of random numbers for one purpose, for example for the pieces of one game.
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
    /// Creates the stream of `run_seed`, `purpose` and `index`, for example the number of a game.
    #[must_use]
    pub fn new(run_seed: u64, purpose: Purpose, index: u64) -> Stream {
        Stream(Xoshiro256PlusPlus::seed_from_u64(stream_seed(run_seed, purpose, index)))
    }

    /// Returns a uniform random integer in `0..bound`, by Lemire's multiply-and-reject method.
    pub fn below(&mut self, bound: u32) -> u32 {
        debug_assert!(bound > 0);
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            // Low words below 2^32 % bound are rejected. The division is slow, and it is needed
            // only for low words below `bound`.
            let low = product as u32;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 32) as u32;
            }
        }
    }

    /// Returns 64 random bits, from one step of the stream's generator.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform random number in `[0, 1)`: a multiple of 2^-53, made of 53 random bits.
    pub fn unit(&mut self) -> f64 {
        // A double holds 53 bits without rounding.
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a uniform random number in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a normal deviate of mean 0 and variance 1, by the polar method (Marsaglia & Bray
    /// 1964; Knuth, *The Art of Computer Programming* 2, 3.4.1, algorithm P). Its second number is
    /// dropped, so that a stream has no state besides its generator.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = u * u + v * v;
            // Only points inside the unit circle have uniform angles, and 0 has no logarithm.
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }

    /// Shuffles `items` in place (Fisher-Yates, from the last item down).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// Returns the seed of a stream, by three rounds of SplitMix64's finaliser (Steele et al. 2014).
#[must_use]
pub fn stream_seed(run_seed: u64, purpose: Purpose, index: u64) -> u64 {
    mix(mix(mix(run_seed) ^ purpose as u64) ^ index)
}

/// Returns `value` after one step of SplitMix64, which maps neighbouring values to unrelated ones.
#[must_use]
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
