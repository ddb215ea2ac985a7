//! Plays one replication of a splitting estimate, and the pilot, which places the levels by playing
//! rounds.
//!
//! Each round of the pilot splits games at the levels found so far and therefore reaches a higher
//! importance. By Villen-Altamirano's rule, a path should on average become one path at the next
//! level: the product of the factors up to level i is the rate of rises to level 1 divided by that
//! to level i + 1, for the last level by the rate of deaths. Every level then sees about equally
//! many rises. No count of the pilot enters an estimate.

use super::{EstimateConfig, Importance, Levels};
use crate::prelude::*;
use crate::rng::stream_seed;
use crate::sim::game::Stepped;
use crate::sim::{Game, WithoutRow};

const REPORT_EVERY: u64 = 256;

/// Settings of one replication (independent run) of a multilevel splitting estimate.
#[derive(Debug)]
pub struct ReplicationSetup<'a, G> {
    /// Game and the controller that plays it.
    pub config: &'a G,
    /// Measure of how close a board is to the end of the game.
    pub importance: Importance,
    /// Levels of closeness to a game's end at which a game splits into copies.
    pub levels: &'a Levels,
    /// Number of pieces that the run plays first, without splitting and without counting.
    pub burn_in: u64,
    /// Number of counted pieces of the original games, copies by splitting excluded.
    pub pieces: u64,
    /// Maximum number of pieces in original games and copies, against endless splitting. Copies not
    /// played count as [`Replication::dropped`].
    pub most: u64,
}

// A derived implementation would require `G: Copy`.
impl<G> Clone for ReplicationSetup<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for ReplicationSetup<'_, G> {}

impl<'a, G: Game> ReplicationSetup<'a, G> {
    /// Returns the settings of one run of a splitting estimate, without a limit of pieces.
    #[must_use]
    pub fn for_estimate(
        config: &'a EstimateConfig<G>,
        levels: &'a Levels,
    ) -> ReplicationSetup<'a, G> {
        let EstimateConfig { run, importance, burn_in, pieces, .. } = config;
        let (importance, burn_in, pieces) = (*importance, *burn_in, *pieces);
        ReplicationSetup { config: run, importance, levels, burn_in, pieces, most: u64::MAX }
    }
}

/// Counts of one independent run of a splitting estimate of the mean lines per game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Replication {
    /// Number of pieces placed by the original games, copies by splitting excluded.
    pub main_pieces: u64,
    /// Number of lines removed by the original games, copies by splitting excluded.
    pub lines: u64,
    /// Number of original games that ended, copies by splitting excluded.
    pub main_deaths: u64,
    /// Number of pieces placed by the original games and all their copies.
    pub pieces: u64,
    /// Number of games and copies that ended, by the splitting level in which they ended.
    pub deaths: Vec<u64>,
    /// Number of pieces placed by games and copies, by their splitting level.
    pub pieces_at: Vec<u64>,
    /// Number of deadly excursions: ends at level 0, and stretches at higher splitting levels in
    /// which a game or its copies ended.
    pub deadly_excursions: u64,
    /// Sum of squared weights over the deadly excursions (stretches near a game's end in which the
    /// game or copies ended).
    pub squares: f64,
    /// Number of times that games or copies reached each importance (closeness to their end).
    pub rises_seen: Vec<u64>,
    /// Number of times, weighted by splitting level, that a game or copy reached each importance
    /// (closeness to a game's end) from below.
    pub rises: Vec<f64>,
    /// Number of placements in original games after which the stack had each height, in rows.
    pub main_heights: Vec<u64>,
    /// Number of all placements, also of copies, that left each stack height, weighted by level.
    pub heights: Vec<f64>,
    /// Total weight of the copies that the limit of pieces left unplayed: an upper bound for the
    /// expected weight of the deaths that are missing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: f64,
}

fn is_zero(dropped: &f64) -> bool {
    *dropped == 0.0
}

impl Replication {
    /// Returns the weighted number of game ends, an unbiased estimate of ends without splitting.
    #[must_use]
    pub fn weighted_deaths(&self, levels: &Levels) -> f64 {
        self.deaths.iter().zip(levels.weights()).map(|(&deaths, w)| deaths as f64 * w).sum()
    }
}

/// Plays one independent run of a splitting estimate. Passes numbers of new pieces to `on_pieces`,
/// and stops with `None` if `on_pieces` returns true.
pub fn replicate<G: Game>(
    setup: &ReplicationSetup<G>,
    player: &mut G::Player,
    seed: u64,
    on_pieces: &dyn Fn(u64) -> bool,
) -> Result<Option<Replication>> {
    let zeros = vec![0; setup.levels.count() + 1];
    let found = Replication { deaths: zeros.clone(), pieces_at: zeros, ..Replication::default() };
    let mut play = ReplicationRun {
        setup,
        player,
        on_pieces,
        placed: 0,
        remaining: setup.most,
        weights: setup.levels.weights(),
        seed,
        games: 0,
        branches: 0,
        pending: Vec::new(),
        excursion: 0.0,
        found,
    };
    let whole = play.main_path()?;
    Ok(whole.then_some(play.found))
}

#[derive(Clone, Copy)]
struct PathPosition {
    importance: usize,
    level: usize,
}

const START_POSITION: PathPosition = PathPosition { importance: 0, level: 0 };

struct PendingBranch<P> {
    from: P,
    position: PathPosition,
    floor: usize,
    copies: u64,
}

struct ReplicationRun<'a, G: Game> {
    setup: &'a ReplicationSetup<'a, G>,
    player: &'a mut G::Player,
    on_pieces: &'a dyn Fn(u64) -> bool,
    placed: u64,
    remaining: u64,
    weights: Vec<f64>,
    seed: u64,
    games: u64,
    branches: u64,
    /// Copies of split games that wait to be played before the original game goes on.
    pending: Vec<PendingBranch<G::State>>,
    /// Weight of the games that ended in the current stretch at splitting level 1 or above.
    excursion: f64,
    found: Replication,
}

impl<G: Game> ReplicationRun<'_, G> {
    fn main_path(&mut self) -> Result<bool> {
        let mut path = self.new_game();
        // The burn-in only leads away from the start board, so games do not split and are not
        // counted.
        for _ in 0..self.setup.burn_in {
            if self.place_piece(&mut path)?.end.is_some() {
                path = self.new_game();
            }
        }
        let mut position = self.position(&path);
        for piece in 0..self.setup.pieces {
            if piece % REPORT_EVERY == 0 && self.halted() {
                return Ok(false);
            }
            let step = self.step(&mut path, position.level)?;
            self.found.main_pieces += 1;
            self.found.lines += u64::from(step.lines);
            *entry(&mut self.found.main_heights, step.stack) += 1;
            if step.end.is_some() {
                self.found.main_deaths += 1;
                self.end_excursion();
                path = self.new_game();
                position = START_POSITION;
            }
            // An excursion ends when the path is below the first level again.
            if position.level == 0 {
                self.end_excursion();
            }
            position = self.follow(&path, position);
            if !self.play_pending()? {
                return Ok(false);
            }
            if self.remaining == 0 {
                break;
            }
        }
        self.end_excursion();
        self.found.pieces = self.found.pieces_at.iter().sum();
        // The replication is complete, so a stop that is requested now does not discard it.
        self.halted();
        Ok(true)
    }

    fn halted(&mut self) -> bool {
        (self.on_pieces)(std::mem::take(&mut self.placed))
    }

    fn new_game(&mut self) -> G::State {
        self.games += 1;
        self.setup.config.begin(self.seed, self.games - 1)
    }

    fn position(&self, path: &G::State) -> PathPosition {
        let ReplicationSetup { config, importance, .. } = *self.setup;
        let importance = config.importance(importance, self.player, path);
        PathPosition { importance, level: self.setup.levels.level_of(importance) }
    }

    fn place_piece(&mut self, path: &mut G::State) -> Result<Stepped<G::End>> {
        self.setup.config.step(self.player, path, &mut WithoutRow)
    }

    fn step(&mut self, path: &mut G::State, level: usize) -> Result<Stepped<G::End>> {
        let step = self.place_piece(path)?;
        self.placed += 1;
        self.remaining = self.remaining.saturating_sub(1);
        self.found.pieces_at[level] += 1;
        *entry(&mut self.found.heights, step.stack) += self.weights[level];
        if step.end.is_some() {
            self.found.deaths[level] += 1;
            self.excursion += self.weights[level];
        }
        Ok(step)
    }

    fn follow(&mut self, path: &G::State, before: PathPosition) -> PathPosition {
        let position = self.position(path);
        // A placement may rise by several steps, and each of them counts as reached.
        for importance in before.importance + 1..=position.importance {
            *entry(&mut self.found.rises, importance) += self.weights[before.level];
            *entry(&mut self.found.rises_seen, importance) += 1;
        }
        // A path that skips a level splits for that level, too. With splitting factors R_1, R_2,
        // ..., it is R_1 x ... x R_i paths at level i in any case.
        let mut paths = 1;
        for floor in before.level + 1..=position.level {
            let factor = u64::from(self.setup.levels.factors[floor - 1]);
            let copies = paths * (factor - 1);
            paths *= factor;
            if copies > 0 {
                self.pending.push(PendingBranch { from: path.clone(), position, floor, copies });
            }
        }
        position
    }

    fn play_pending(&mut self) -> Result<bool> {
        // Playing the last branch first keeps the list short: the branches of a path are played
        // before the path's siblings.
        while let Some(mut pending) = self.pending.pop() {
            let PendingBranch { mut position, floor, copies, .. } = pending;
            if self.remaining == 0 {
                self.found.dropped += self.weights[position.level] * copies as f64;
                continue;
            }
            let mut path = pending.from.clone();
            G::fork(&mut path, Stream::new(self.seed, Purpose::Branches, self.branches));
            self.branches += 1;
            pending.copies -= 1;
            if pending.copies > 0 {
                self.pending.push(pending);
            }
            if self.branches.is_multiple_of(REPORT_EVERY) && self.halted() {
                return Ok(false);
            }
            // A branch ends where it falls below the level at which it was split off, because there
            // it counts as one path again.
            while position.level >= floor {
                if self.remaining == 0 {
                    self.found.dropped += self.weights[position.level];
                    break;
                }
                if self.step(&mut path, position.level)?.end.is_some() {
                    break;
                }
                position = self.follow(&path, position);
            }
        }
        Ok(true)
    }

    fn end_excursion(&mut self) {
        if self.excursion > 0.0 {
            self.found.deadly_excursions += 1;
            self.found.squares += self.excursion * self.excursion;
            self.excursion = 0.0;
        }
    }
}

fn entry<T: Copy + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if index >= list.len() {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}

const MAX_ROUNDS: u64 = 60;
const MAX_STALLED_ROUNDS: u32 = 3;
const LARGEST_FACTOR: f64 = 100.0;

/// Options of the pilot: trial games that determine the levels at which games split.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PilotOptions {
    /// Number of pieces that the original games place in each round of the pilot (trial games).
    pub pieces: u64,
    /// Largest accepted rate, per piece, at which games reach the lowest splitting level.
    pub first: f64,
    /// Largest accepted fraction of games at a splitting level that go on to the next level.
    pub ratio: f64,
}

impl Default for PilotOptions {
    fn default() -> PilotOptions {
        PilotOptions { pieces: 200_000, first: 0.02, ratio: 0.5 }
    }
}

impl PilotOptions {
    /// Returns the minimum number of times that games must reach a new splitting level: 20 to 200.
    fn rises(&self) -> u64 {
        (self.pieces as f64 * self.first / 20.0).clamp(20.0, 200.0) as u64
    }
}

/// Plays rounds of trial games to choose the splitting levels; `begin` gets each round's number,
/// from 1. Stops with `None` if `on_pieces` returns true.
pub fn place_levels<G: Game>(
    setup: &ReplicationSetup<G>,
    options: &PilotOptions,
    player: &mut G::Player,
    begin: &dyn Fn(u64),
    on_pieces: &dyn Fn(u64) -> bool,
) -> Result<Option<Levels>> {
    let mut levels = Levels::default();
    let mut stalled = 0;
    for round in 0..MAX_ROUNDS {
        begin(round + 1);
        let seed = stream_seed(setup.config.plan().seed, Purpose::PilotRounds, round);
        // Splitting at the levels found so far lets this round reach higher ones.
        let with = ReplicationSetup { levels: &levels, pieces: options.pieces, ..*setup };
        let Some(found) = replicate(&with, player, seed, on_pieces)? else { return Ok(None) };
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

/// Returns splitting factors that keep the expected number of games equal at all levels, from the
/// rates of reaching the `first` and the `onward` levels.
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

    // Rates 1, .4, .16, .064 have the products 2.5, 6.25 and 15.6. They become 3 (half rounds away
    // from zero), 3 x 2 = 6, and 6 x 3 = 18.
    #[test]
    fn factors_do_not_drift() {
        assert_eq!(factors(1.0, &[0.4, 0.16, 0.064]), [3, 2, 3]);
        assert_eq!(factors(1.0, &[1e-9]), [100]);
    }

    // 1,000 pieces: importance 4 is too frequent for the lowest level, 6 after level 5, and 8 is
    // seen too seldom.
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
