//! Places levels by playing: each round splits at the levels found so far and so sees further.
//!
//! The factors follow Villen-Altamirano's rule that a path should on average become one path at the
//! next level: the product of the factors up to level i is the rate of rises to level 1 over that to
//! level i + 1 (deaths after the last). Then every level sees about as many rises, and costs about
//! as many pieces. Nothing of the pilot's counts enters an estimate.

use serde::{Deserialize, Serialize};

use super::{Levels, Replication, ReplicationSetup, Splittable, replicate};
use crate::error::Result;
use crate::rng::{Purpose, stream_seed};

/// Rounds at most.
const ROUNDS: u64 = 60;
/// Rounds that may come no further before the pilot gives up.
const PATIENCE: u32 = 3;
const LARGEST_FACTOR: f64 = 100.0;

/// How levels are placed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PilotOptions {
    /// Pieces of the main path in a round.
    pub pieces: u64,
    /// Rises to the first level per piece, at most.
    pub first: f64,
    /// Rises to a level per rise to the one before, at most.
    pub ratio: f64,
}

impl Default for PilotOptions {
    fn default() -> PilotOptions {
        PilotOptions { pieces: 200_000, first: 0.02, ratio: 0.5 }
    }
}

impl PilotOptions {
    /// Rises to a level that a round must have seen: a twentieth of those to the first level, within 20
    /// and 200.
    fn rises(&self) -> u64 {
        (self.pieces as f64 * self.first / 20.0).clamp(20.0, 200.0) as u64
    }
}

/// Places levels for a setup. `begin` is told of each round, from 1, and `look` of the pieces placed since it
/// was told last; `None` when it says to stop.
///
/// # Errors
/// As [`replicate`].
pub fn place_levels<G: Splittable>(
    setup: &ReplicationSetup<G>,
    options: &PilotOptions,
    player: &mut G::Player,
    begin: &dyn Fn(u64),
    look: &dyn Fn(u64) -> bool,
) -> Result<Option<Levels>> {
    let mut levels = Levels::default();
    let mut stalled = 0;
    for round in 0..ROUNDS {
        begin(round + 1);
        let seed = stream_seed(setup.config.seed(), Purpose::PilotRounds, round);
        // Split at the levels so far, so that this round sees further than the one before.
        let with = ReplicationSetup { levels: &levels, pieces: options.pieces, ..*setup };
        let Some(found) = replicate(&with, player, seed, look)? else { return Ok(None) };
        let better = choose(&found, &levels, options);
        let sees_deaths = found.deaths.iter().sum::<u64>() >= options.rises();
        let further = better.thresholds.last() > levels.thresholds.last();
        stalled = if further { 0 } else { stalled + 1 };
        levels = better;
        // The first round has no levels: that it sees deaths says nothing about those it has just placed.
        if round > 0 && (sees_deaths || stalled == PATIENCE) {
            break;
        }
    }
    Ok(Some(levels))
}

/// Levels by what a round found with those that it `used`.
fn choose(found: &Replication, used: &Levels, options: &PilotOptions) -> Levels {
    let rate = |importance: usize| found.rises[importance] / found.main_pieces as f64;
    // Below the most visited importance rises are rare because paths seldom are that low.
    let highest = |best, importance| if rate(importance) > rate(best) { importance } else { best };
    let usual = (0..found.rises.len()).fold(0, highest);
    let mut thresholds: Vec<usize> = Vec::new();
    for importance in usual + 1..found.rises.len() {
        // Not further, since a rate that few rises were seen of is not known well enough to place a level by.
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

/// Whole factors whose products stay close to the rate of the first level over each later one.
fn factors(first: f64, onward: &[f64]) -> Vec<u32> {
    let mut paths = 1.0;
    // Rounded against the product of those before and not each by itself, so that errors do not add up.
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

    /// Rates 1, .4, .16, .064: products 2.5, 6.25, 15.6 become 3 (round half away), 3 x 2 = 6, 6 x 3 = 18.
    #[test]
    fn factors_do_not_drift() {
        assert_eq!(factors(1.0, &[0.4, 0.16, 0.064]), [3, 2, 3]);
        assert_eq!(factors(1.0, &[1e-9]), [100]);
    }

    /// 1,000 pieces; importance 3 is the usual one, 4 is too frequent for a first level, 6 too frequent
    /// after 5, 8 not seen often enough.
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
