//! Derives one independent random stream per game from the run seed, a purpose and an index, so
//! that results do not depend on the order of games or the number of threads.
//!
//! The generator is xoshiro256++ from `rand_xoshiro`. Bounded draws, shuffles and normal deviates
//! are implemented here, and the logarithm comes from `libm`, because other libraries differ
//! between versions and platforms. Frozen: the numbers of every stream.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// The purpose of a stream of random numbers; streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
// The number of a variant seeds its streams and never changes.
pub enum Purpose {
    /// Random numbers for the pieces that are dealt in a game.
    Queue = 1,
    /// Random numbers for resampling: bootstrap intervals and permutation tests.
    // Bootstrap intervals have index 0, permutation tests index 1.
    Bootstrap = 2,
    /// Random numbers that choose the games whose placements are logged.
    SampleGames = 3,
    /// Random numbers for the candidate controllers that an optimiser draws in each generation.
    Candidates = 4,
    /// Random numbers for the games of a training that score each generation's candidates.
    TrainingGames = 5,
    /// Random numbers for further games by which a training selects or checks its candidates.
    ValidationGames = 6,
    /// Random numbers for the games that measure a training's result and select no candidate.
    HeldOutGames = 7,
    /// Random numbers that choose candidates to play validation games regardless of their score.
    EliteDraws = 8,
    /// Random numbers for the hands dealt in the card game LIAP, and for accepting a redeal.
    Deals = 9,
    /// Random numbers for the decisions of players in the card game LIAP.
    Choices = 10,
    /// Random numbers for possible later pieces, with which a search plays a Sprint to its end.
    Futures = 11,
    /// Random numbers of a player that does not always choose the best placement.
    Policy = 12,
    /// Random numbers for the columns of the holes in garbage rows.
    Garbage = 13,
    /// Random numbers for the seeds of independent repetitions of an estimate by multilevel
    /// splitting (a rare-event simulation).
    Replications = 20,
    /// Random numbers for pieces that replace a game's unseen ones, for example in a copy by
    /// multilevel splitting (a rare-event simulation).
    Branches = 21,
    /// Random numbers for the trial games that set the thresholds of multilevel splitting (a
    /// rare-event simulation).
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
    /// Creates the random stream of a run's seed, a purpose, and an index such as a game's number.
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

    /// Returns a normally distributed random number of mean 0 and variance 1, by the polar method.
    pub fn normal(&mut self) -> f64 {
        loop {
            // Marsaglia & Bray 1964; Knuth, The Art of Computer Programming 2, 3.4.1, algorithm P.
            // The second number is dropped, so that a stream has no state besides its generator.
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

/// Returns a random stream's seed, mixed from the run's seed, the stream's purpose and its index.
#[must_use]
pub fn stream_seed(run_seed: u64, purpose: Purpose, index: u64) -> u64 {
    // Three rounds of SplitMix64's finaliser (Steele et al. 2014).
    mix(mix(mix(run_seed) ^ purpose as u64) ^ index)
}

/// Returns a hash of `value` by SplitMix64, so that neighbouring values get unrelated ones.
#[must_use]
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
