//! Plays one replication: games one after another, whose paths split at levels (RESTART).

use serde::{Deserialize, Serialize};

use super::{EstimateConfig, Importance, Levels, Splittable};
use crate::error::Result;
use crate::placement::Step;

/// Number of pieces of a path after which a replication reports its progress and may be stopped.
const LOOK_EVERY: u64 = 256;

/// Setup of a replication.
#[derive(Debug)]
pub struct ReplicationSetup<'a, G> {
    /// Game and controller to play.
    pub config: &'a G,
    /// Measure of danger that defines the levels.
    pub importance: Importance,
    /// Levels at which paths split.
    pub levels: &'a Levels,
    /// Number of pieces that the main path plays before counting starts.
    pub burn_in: u64,
    /// Number of counted pieces of the main path.
    pub pieces: u64,
    /// Largest number of pieces of all paths, without burn-in. It stops endless splitting by a
    /// controller that dies far more often than the one for which the levels were placed. The main
    /// path is then cut short, and the rest of its excursion becomes [`Replication::dropped`].
    pub most: u64,
}

// A derived implementation would require `G: Copy`.
impl<G> Clone for ReplicationSetup<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for ReplicationSetup<'_, G> {}

impl<'a, G: Splittable> ReplicationSetup<'a, G> {
    /// Returns the setup of an estimate's replications.
    #[must_use]
    pub fn of(config: &'a EstimateConfig<G>, levels: &'a Levels) -> ReplicationSetup<'a, G> {
        let EstimateConfig { run, importance, burn_in, pieces, .. } = config;
        let (importance, burn_in, pieces) = (*importance, *burn_in, *pieces);
        ReplicationSetup { config: run, importance, levels, burn_in, pieces, most: u64::MAX }
    }
}

/// Counts of a replication. Lists by level begin with level 0, lists by importance or height with
/// 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Replication {
    /// Number of pieces of the main path.
    pub main_pieces: u64,
    /// Number of lines of the main path.
    pub lines: u64,
    /// Number of deaths of the main path.
    pub main_deaths: u64,
    /// Number of pieces of all paths.
    pub pieces: u64,
    /// Number of deaths of all paths, by level.
    pub deaths: Vec<u64>,
    /// Number of pieces placed by all paths, by level.
    pub pieces_at: Vec<u64>,
    /// Number of deadly excursions. An excursion lasts while the main path is at the lowest level
    /// or above. It is deadly if the main path or one of its branches dies.
    pub deadly_excursions: u64,
    /// Sum, over the deadly excursions of the main path, of the squared weighted deaths.
    pub squares: f64,
    /// Number of rises to each importance or above it, as simulated.
    pub rises_seen: Vec<u64>,
    /// Rises to each importance or above it, by weight.
    pub rises: Vec<f64>,
    /// Number of placements of the main path, by the height of the stack that they left.
    pub main_heights: Vec<u64>,
    /// Placements of all paths by weight, by the height of the stack.
    pub heights: Vec<f64>,
    /// Total weight of the paths given up because [`ReplicationSetup::most`] pieces had been
    /// placed; 0 if all paths were played. At most this many weighted deaths are missing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: f64,
}

/// Returns true if `dropped` is 0, as in every estimate. A replication is then written without the
/// field `dropped`.
fn is_zero(dropped: &f64) -> bool {
    *dropped == 0.0
}

impl Replication {
    /// Returns the deaths of all paths by weight; the expected value is the number of deaths of the
    /// main path.
    #[must_use]
    pub fn weighted_deaths(&self, levels: &Levels) -> f64 {
        self.deaths.iter().zip(levels.weights()).map(|(&deaths, w)| deaths as f64 * w).sum()
    }
}

/// Plays one replication of an estimate: games of a main path, and the branches that split from it
/// at the levels. `seed` determines all its pieces. From time to time, `look` receives the number
/// of pieces placed since its last call. If `look` returns false, the replication stops and the
/// result is `None`.
///
/// # Errors
/// [`crate::error::Error::ScriptEnded`].
pub fn replicate<G: Splittable>(
    setup: &ReplicationSetup<G>,
    player: &mut G::Player,
    seed: u64,
    look: &dyn Fn(u64) -> bool,
) -> Result<Option<Replication>> {
    let zeros = vec![0; setup.levels.count() + 1];
    let found = Replication { deaths: zeros.clone(), pieces_at: zeros, ..Replication::default() };
    let mut play = Play {
        setup,
        player,
        look,
        placed: 0,
        left: setup.most,
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

/// Position before a game begins: importance 0 and level 0. A start board at a higher level
/// therefore counts as a rise.
const BEFORE: PathPosition = PathPosition { importance: 0, level: 0 };

/// Branches that wait to be played from the position where a path rose.
struct Pending<P> {
    from: P,
    position: PathPosition,
    /// Level below which each branch ends.
    floor: usize,
    copies: u64,
}

struct Play<'a, G: Splittable> {
    setup: &'a ReplicationSetup<'a, G>,
    player: &'a mut G::Player,
    look: &'a dyn Fn(u64) -> bool,
    /// Number of pieces not yet reported to `look`.
    placed: u64,
    /// Number of pieces that may still be placed.
    left: u64,
    weights: Vec<f64>,
    seed: u64,
    games: u64,
    branches: u64,
    /// Waiting branches; empty between two pieces of the main path.
    pending: Vec<Pending<G::Path>>,
    /// Weighted deaths of the main path's current excursion.
    excursion: f64,
    found: Replication,
}

impl<G: Splittable> Play<'_, G> {
    /// Plays the main path and all branches; returns false if stopped.
    fn main_path(&mut self) -> Result<bool> {
        let mut path = self.new_game();
        // The burn-in only leads away from the start board, so nothing splits and nothing counts.
        for _ in 0..self.setup.burn_in {
            if self.setup.config.step(self.player, &mut path)?.lost {
                path = self.new_game();
            }
        }
        let mut position = self.position(&path);
        for piece in 0..self.setup.pieces {
            if piece % LOOK_EVERY == 0 && self.halted() {
                return Ok(false);
            }
            let step = self.step(&mut path, position.level)?;
            self.found.main_pieces += 1;
            self.found.lines += u64::from(step.lines);
            *entry(&mut self.found.main_heights, usize::from(step.stack)) += 1;
            if step.lost {
                self.found.main_deaths += 1;
                self.end_excursion();
                path = self.new_game();
                position = BEFORE;
            }
            // An excursion ends when the path is below the first level again.
            if position.level == 0 {
                self.end_excursion();
            }
            position = self.follow(&path, position);
            if !self.play_pending()? {
                return Ok(false);
            }
            if self.left == 0 {
                break;
            }
        }
        self.end_excursion();
        self.found.pieces = self.found.pieces_at.iter().sum();
        Ok(true)
    }

    fn halted(&mut self) -> bool {
        (self.look)(std::mem::take(&mut self.placed))
    }

    fn new_game(&mut self) -> G::Path {
        self.games += 1;
        self.setup.config.begin(self.seed, self.games - 1)
    }

    fn position(&self, path: &G::Path) -> PathPosition {
        let ReplicationSetup { config, importance, .. } = *self.setup;
        let importance = config.importance(importance, self.player, path);
        PathPosition { importance, level: self.setup.levels.of(importance) }
    }

    /// Places one piece of a path in `level` and counts it there.
    fn step(&mut self, path: &mut G::Path, level: usize) -> Result<Step> {
        let step = self.setup.config.step(self.player, path)?;
        self.placed += 1;
        self.left = self.left.saturating_sub(1);
        self.found.pieces_at[level] += 1;
        *entry(&mut self.found.heights, usize::from(step.stack)) += self.weights[level];
        if step.lost {
            self.found.deaths[level] += 1;
            self.excursion += self.weights[level];
        }
        Ok(step)
    }

    /// Returns the position of a path that was at `before`, and splits branches off at each level
    /// that it rose to.
    fn follow(&mut self, path: &G::Path, before: PathPosition) -> PathPosition {
        let position = self.position(path);
        // A placement may rise by several steps, and each of them counts as reached.
        for importance in before.importance + 1..=position.importance {
            *entry(&mut self.found.rises, importance) += self.weights[before.level];
            *entry(&mut self.found.rises_seen, importance) += 1;
        }
        // A path that skips a level splits for it, too: at level i it is R_1 x ... x R_i paths in
        // any case.
        let mut paths = 1;
        for floor in before.level + 1..=position.level {
            let factor = u64::from(self.setup.levels.factors[floor - 1]);
            let copies = paths * (factor - 1);
            paths *= factor;
            if copies > 0 {
                self.pending.push(Pending { from: path.clone(), position, floor, copies });
            }
        }
        position
    }

    /// Plays the waiting branches and the branches of those; returns false if stopped.
    fn play_pending(&mut self) -> Result<bool> {
        // Playing the last branch first keeps the list short: the branches of a path are played
        // before the path's siblings.
        while let Some(mut pending) = self.pending.pop() {
            let Pending { mut position, floor, copies, .. } = pending;
            if self.left == 0 {
                self.found.dropped += self.weights[position.level] * copies as f64;
                continue;
            }
            let mut path = G::fork(&pending.from, self.seed, self.branches);
            self.branches += 1;
            pending.copies -= 1;
            if pending.copies > 0 {
                self.pending.push(pending);
            }
            if self.branches.is_multiple_of(LOOK_EVERY) && self.halted() {
                return Ok(false);
            }
            // A branch ends where it falls below the level at which it was split off, because there
            // it counts as one path again.
            while position.level >= floor {
                if self.left == 0 {
                    self.found.dropped += self.weights[position.level];
                    break;
                }
                if self.step(&mut path, position.level)?.lost {
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

/// Returns an entry of a list, which grows if needed.
fn entry<T: Copy + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if index >= list.len() {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}
