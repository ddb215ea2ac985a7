//! Candidates whose games are too long to play: scored by the logarithm of their mean lines, found by multilevel
//! splitting ([`crate::estimate`]).
//!
//! What a candidate plays are replications instead of games: number 0, 1, ... under the generation's seed, the same for all
//! candidates, and between levels that are the same for all: they are placed once for a bout, by a pilot of one player
//! ([`Bout::pilot`]), the mean of the distribution. So a candidate costs no pilot of its own. Splitting is unbiased for
//! any levels; they suit those best who die about as often as that player. One who dies far more often would split
//! without end: its replication ends at [`EstimateOptions::most`] pieces, and what it left unplayed counts as deaths, which makes
//! it worse than it is and never better.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::config;
use super::evaluate::{Arena, Bout, Table};
use super::games::{CandidateGames, PlayedGame, TrainingGames};
use crate::engine::Totals;
use crate::error::Result;
use crate::estimate::{
    Importance, Levels, PilotOptions, Ratio, ReplicationSetup, Splittable, place_levels, replicate,
};
use crate::rng::{Purpose, stream_seed};
use crate::sim::ClassicConfig;
use crate::sim::guideline::GuidelineConfig;
use crate::stats::{Interval, LEVEL};

/// Part of a path in the last level that a replication counts as dead besides those that were: so nobody's mean is
/// infinite who was not seen to die. Ten replications count half a path; where a replication sees twenty deaths, as
/// a pilot asks for, it is a quarter of a per cent, for all candidates alike.
const UNSEEN: f64 = 0.05;
/// Pieces of a replication, its burn-in and a pilot's round at most.
const MOST_PIECES: u64 = 1_000_000_000_000;

/// How the mean lines of candidates are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateOptions {
    /// What levels are levels of.
    pub importance: Importance,
    /// Pieces of the main path of a replication.
    pub pieces: u64,
    /// Pieces that a replication plays before it counts.
    pub burn_in: u64,
    /// Pieces of the main path in each round of the pilot that places levels.
    pub pilot_pieces: u64,
    /// Pieces of all paths of a replication at most, burn-in left out.
    pub most: u64,
}

impl Default for EstimateOptions {
    fn default() -> EstimateOptions {
        EstimateOptions {
            importance: Importance::Cells,
            pieces: 50_000,
            burn_in: 2_000,
            pilot_pieces: 50_000,
            most: 1_000_000,
        }
    }
}

impl EstimateOptions {
    /// Refuses what can't be played.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] naming the setting to change.
    pub fn check(&self, games: &TrainingGames) -> Result<()> {
        let EstimateOptions { pieces, burn_in, pilot_pieces, most, .. } = *self;
        let counts = [
            ("estimate-pieces", pieces),
            ("estimate-burn-in", burn_in),
            ("estimate-pilot-pieces", pilot_pieces),
            ("estimate-most", most),
        ];
        if let Some((name, count)) = counts.iter().find(|(_, count)| *count > MOST_PIECES) {
            return config(format!("{name} {count}: give at most {MOST_PIECES}"));
        }
        if pieces == 0 || pilot_pieces == 0 {
            return config(
                "estimate-pieces and estimate-pilot-pieces: give at least 1, for example 50000"
                    .to_owned(),
            );
        }
        if most < pieces {
            return config(format!(
                "estimate-most {most}: the main path alone has {pieces} pieces, give ten times as many"
            ));
        }
        if games.games() < 2 {
            return config(
                "games 1: an estimate needs two replications for its error, give for example 10"
                    .to_owned(),
            );
        }
        match games {
            TrainingGames::Classic(config, _) => config.check(self.importance),
            TrainingGames::Guideline(config, _) => config.check(self.importance),
        }
    }

    fn setup<'a, G>(&self, config: &'a G, levels: &'a Levels) -> ReplicationSetup<'a, G> {
        let EstimateOptions { importance, pieces, burn_in, most, .. } = *self;
        ReplicationSetup { config, importance, levels, burn_in, pieces, most }
    }
}

/// The logarithm of mean lines per game: lines of main paths over deaths by weight, of all replications.
pub(super) fn log_mean(replications: &CandidateGames) -> f64 {
    let lines: u64 = replications.0.iter().map(|found| found.lines).sum();
    let deaths: f64 = replications.values().iter().sum();
    libm::log(lines.max(1) as f64) - libm::log(deaths)
}

/// Standard error of [`log_mean`], and its interval; `None` with fewer than two replications or without lines.
pub(super) fn log_error(replications: &CandidateGames) -> Option<(f64, Interval)> {
    let pair = |found: &PlayedGame| (found.lines as f64, found.value);
    let pairs: Vec<(f64, f64)> = replications.0.iter().map(pair).collect();
    let ratio = Ratio::of(&pairs, LEVEL)?;
    let Interval { low, high } = ratio.interval;
    Some((ratio.relative_error, Interval { low: libm::log(low), high: high.map(libm::log) }))
}

/// Levels that were placed, by whom and under which seed.
#[derive(Debug)]
pub(super) struct Placed {
    by: Vec<f64>,
    seed: u64,
    levels: Levels,
}

impl Arena {
    /// Plays replications as [`Arena::play`] plays games.
    pub(super) fn estimate(
        &self,
        options: &EstimateOptions,
        bout: &Bout,
        pairs: std::ops::Range<u64>,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<PlayedGame>>> {
        let seed = bout.seed;
        let queue = Queue { arena: self, options, bout, totals, stop };
        match &self.games {
            TrainingGames::Classic(config, template) => queue.play(pairs, |weights| {
                ClassicConfig { controller: template.controller(weights), seed, ..config.clone() }
            }),
            TrainingGames::Guideline(config, template) => queue.play(pairs, |weights| {
                GuidelineConfig { controller: template.controller(weights), seed, ..config.clone() }
            }),
        }
    }
}

/// The replications of a bout.
struct Queue<'a> {
    arena: &'a Arena,
    options: &'a EstimateOptions,
    bout: &'a Bout,
    totals: &'a Totals,
    stop: &'a AtomicBool,
}

impl Queue<'_> {
    /// Plays pairs, `of` being who a candidate plays as.
    fn play<G: Splittable>(
        &self,
        pairs: std::ops::Range<u64>,
        of: impl Fn(&[f64]) -> G,
    ) -> Result<Option<Vec<PlayedGame>>> {
        let pilot = self.bout.pilot();
        let Some(levels) = self.levels(&pilot, &of(&pilot))? else { return Ok(None) };
        let candidates: Vec<G> = self.bout.candidates.iter().map(|weights| of(weights)).collect();
        let Queue { arena, options, bout, totals, stop } = *self;
        let last = levels.weights().last().copied().unwrap_or(1.0);
        let table = Replicas {
            candidates: &candidates,
            levels: &levels,
            options,
            last,
            first: bout.first,
            stop,
        };
        arena.queue(&table, bout, pairs, totals, stop)
    }

    /// The levels of a bout, placed by one player under its seed and kept for its other parts; `None` when stopped.
    fn levels<G: Splittable>(&self, by: &[f64], config: &G) -> Result<Option<Levels>> {
        let mut placed =
            self.arena.placed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = placed.as_ref().filter(|it| it.by == by && it.seed == self.bout.seed) {
            return Ok(Some(known.levels.clone()));
        }
        let began = Instant::now();
        let none = Levels::default();
        let options = PilotOptions { pieces: self.options.pilot_pieces, ..PilotOptions::default() };
        let mut player = config.player()?;
        let look = |_: u64| self.stop.load(Ordering::Relaxed);
        let setup = self.options.setup(config, &none);
        let found = place_levels(&setup, &options, &mut player, &|_| (), &look)?;
        self.arena.spent(began.elapsed());
        let Some(levels) = found else { return Ok(None) };
        *placed = Some(Placed { by: by.to_vec(), seed: self.bout.seed, levels: levels.clone() });
        Ok(Some(levels))
    }
}

/// A configuration for each candidate, and the levels between which all of them play.
struct Replicas<'a, G> {
    candidates: &'a [G],
    levels: &'a Levels,
    options: &'a EstimateOptions,
    /// Weight of a path in the last level.
    last: f64,
    /// The first replication of each.
    first: u64,
    stop: &'a AtomicBool,
}

impl<G: Splittable> Table for Replicas<'_, G> {
    type Player = (usize, G::Player);
    type Row = PlayedGame;

    fn player(&self, candidate: usize) -> Result<Self::Player> {
        Ok((candidate, self.candidates[candidate].player()?))
    }

    fn play(
        &self,
        (candidate, player): &mut Self::Player,
        game: u64,
    ) -> Result<Option<(PlayedGame, u64)>> {
        let config = &self.candidates[*candidate];
        let seed = stream_seed(config.seed(), Purpose::Replications, self.first + game);
        let look = |_: u64| self.stop.load(Ordering::Relaxed);
        let setup = self.options.setup(config, self.levels);
        let Some(found) = replicate(&setup, player, seed, &look)? else { return Ok(None) };
        let deaths = found.weighted_deaths(self.levels) + found.dropped + UNSEEN * self.last;
        let played = PlayedGame {
            value: deaths,
            lines: found.lines,
            pieces: found.pieces,
            censored: found.dropped > 0.0,
        };
        Ok(Some((played, found.pieces)))
    }
}
