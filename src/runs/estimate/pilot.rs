//! Places the levels of an estimate by playing rounds. Each round splits games at the levels found
//! so far and therefore reaches a higher importance.
//!
//! The factors follow Villen-Altamirano's rule that a path (a game in progress) should on average
//! become one path at the next level. The product of the factors up to level i is the rate of rises
//! to level 1 divided by the rate of rises to level i + 1. For the last level, the rate of deaths
//! takes the place of the latter. Every level then sees about equally many rises and costs about
//! equally many pieces. No count of the pilot enters an estimate.

use serde::{Deserialize, Serialize};

use super::{Levels, Replication, ReplicationSetup, replicate};
use crate::error::Result;
use crate::rng::{Purpose, stream_seed};
use crate::sim::Game;

const MAX_ROUNDS: u64 = 60;
/// Number of successive rounds without a higher level after which the pilot ends.
const MAX_STALLED_ROUNDS: u32 = 3;
const LARGEST_FACTOR: f64 = 100.0;

/// Options of the pilot, which places the levels: the values of importance at which paths split.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PilotOptions {
    /// Number of pieces in one round of the pilot, without the copies made by splitting.
    pub pieces: u64,
    /// Limit for placing the lowest level: the largest number of rises to it per piece, without the
    /// pieces of the copies made by splitting. The lowest level is the first importance that meets
    /// this limit.
    pub first: f64,
    /// Limit for placing each further level: the rises to the level, divided by the rises to the
    /// level below it, are at most this number.
    pub ratio: f64,
}

impl Default for PilotOptions {
    fn default() -> PilotOptions {
        PilotOptions { pieces: 200_000, first: 0.02, ratio: 0.5 }
    }
}

impl PilotOptions {
    /// Returns the number of rises that a round of the pilot must see at an importance before a
    /// level is placed there. The number is a twentieth of the rises allowed at the lowest level,
    /// but at least 20 and at most 200.
    fn rises(&self) -> u64 {
        (self.pieces as f64 * self.first / 20.0).clamp(20.0, 200.0) as u64
    }
}

/// Places levels for replications with the setup `setup`. Calls `begin` with the number of each
/// round, from 1, and `look` with the number of pieces placed since its last call. Returns `None`
/// if `look` returns true.
///
/// # Errors
/// The errors of [`replicate`].
pub fn place_levels<G: Game>(
    setup: &ReplicationSetup<G>,
    options: &PilotOptions,
    player: &mut G::Player,
    begin: &dyn Fn(u64),
    look: &dyn Fn(u64) -> bool,
) -> Result<Option<Levels>> {
    let mut levels = Levels::default();
    let mut stalled = 0;
    for round in 0..MAX_ROUNDS {
        begin(round + 1);
        let seed = stream_seed(setup.config.plan().seed, Purpose::PilotRounds, round);
        // Splitting at the levels found so far lets this round reach higher ones.
        let with = ReplicationSetup { levels: &levels, pieces: options.pieces, ..*setup };
        let Some(found) = replicate(&with, player, seed, look)? else { return Ok(None) };
        let better = choose(&found, &levels, options);
        let sees_deaths = found.deaths.iter().sum::<u64>() >= options.rises();
        let further = better.thresholds.last() > levels.thresholds.last();
        stalled = if further { 0 } else { stalled + 1 };
        levels = better;
        // The first round has no levels. The deaths in it are therefore no evidence about the
        // levels just placed.
        if round > 0 && (sees_deaths || stalled == MAX_STALLED_ROUNDS) {
            break;
        }
    }
    Ok(Some(levels))
}

/// Chooses levels from the counts `found` of a round, which was played with the levels `used`.
fn choose(found: &Replication, used: &Levels, options: &PilotOptions) -> Levels {
    let rate = |importance: usize| found.rises[importance] / found.main_pieces as f64;
    // Rises to an importance below the most visited one are rare only because games seldom are that
    // low.
    let highest = |best, importance| if rate(importance) > rate(best) { importance } else { best };
    let usual = (0..found.rises.len()).fold(0, highest);
    let mut thresholds: Vec<usize> = Vec::new();
    for importance in usual + 1..found.rises.len() {
        // A rate estimated from few rises is too uncertain for placing a level.
        if found.rises_seen[importance] < options.rises() {
            break;
        }
        let most = thresholds.last().map_or(options.first, |&last| rate(last) * options.ratio);
        if rate(importance) <= most {
            thresholds.push(importance);
        }
    }
    let seen: u64 = found.deaths.iter().sum();
    let deaths = found.weighted_deaths(used) / found.main_pieces as f64;
    let mut onward: Vec<f64> = thresholds.iter().skip(1).map(|&level| rate(level)).collect();
    onward.extend(
        thresholds
            .last()
            .map(|&last| if seen >= options.rises() { deaths } else { rate(last) * options.ratio }),
    );
    let factors = factors(thresholds.first().map_or(0.0, |&first| rate(first)), &onward);
    Levels { thresholds, factors }
}

/// Returns the splitting factor of each level, a whole number. `first` is the rate of rises to the
/// lowest level. `onward` has, for each level, the rate of rises to the next one, or of deaths. The
/// product of the factors up to a level is close to `first` divided by that rate.
fn factors(first: f64, onward: &[f64]) -> Vec<u32> {
    let mut paths = 1.0;
    // Each factor is rounded against the product of the earlier factors, so that rounding errors do
    // not add up.
    let factor = |&rate: &f64| {
        let factor = (first / rate / paths).round().clamp(1.0, LARGEST_FACTOR);
        paths *= factor;
        factor as u32
    };
    onward.iter().map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates 1, .4, .16, .064 have the products 2.5, 6.25 and 15.6. They become 3 (half rounds away
    /// from zero), 3 x 2 = 6, and 6 x 3 = 18.
    #[test]
    fn factors_do_not_drift() {
        assert_eq!(factors(1.0, &[0.4, 0.16, 0.064]), [3, 2, 3]);
        assert_eq!(factors(1.0, &[1e-9]), [100]);
    }

    /// Places levels from counts of 1,000 pieces. Importance 3 is the most visited. Importance 4 is
    /// too frequent for the lowest level, 6 is too frequent after level 5, and 8 is seen too
    /// seldom. So the levels are 5 and 7.
    #[test]
    fn levels_by_hand() {
        let found = Replication {
            main_pieces: 1000,
            rises: vec![0.0, 1.0, 50.0, 90.0, 40.0, 8.0, 6.0, 2.0, 0.5],
            rises_seen: vec![0, 1, 50, 90, 40, 30, 25, 22, 19],
            deaths: vec![0, 0],
            ..Replication::default()
        };
        let options = PilotOptions { pieces: 1000, first: 0.01, ratio: 0.5 };
        let levels = choose(&found, &Levels::default(), &options);
        assert_eq!(levels, Levels { thresholds: vec![5, 7], factors: vec![4, 2] });
    }
}
