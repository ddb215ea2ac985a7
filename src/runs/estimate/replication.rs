//! One replication: games one after another, whose paths split at levels (RESTART).

use serde::{Deserialize, Serialize};

use super::{EstimateConfig, Importance, Levels, Splittable};
use crate::error::Result;
use crate::placement::Step;

/// Pieces of one path between two looks at whether to stop.
const LOOK_EVERY: u64 = 256;

/// What a replication plays.
#[derive(Debug)]
pub struct ReplicationSetup<'a, G> {
    /// Who plays what.
    pub config: &'a G,
    /// What levels are levels of.
    pub importance: Importance,
    /// Where paths split.
    pub levels: &'a Levels,
    /// Pieces that the main path plays before anything counts.
    pub burn_in: u64,
    /// Pieces of the main path that count.
    pub pieces: u64,
    /// Pieces of all paths at most, burn-in left out: who dies far more often than those for whom levels were placed
    /// splits without end. Then the main path is cut short, and what is left of its excursion is [`Replication::dropped`].
    pub most: u64,
}

// Derived, these would ask for a game that can be copied.
impl<G> Clone for ReplicationSetup<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for ReplicationSetup<'_, G> {}

impl<'a, G: Splittable> ReplicationSetup<'a, G> {
    /// The setup of an estimate's replications.
    #[must_use]
    pub fn of(config: &'a EstimateConfig<G>, levels: &'a Levels) -> ReplicationSetup<'a, G> {
        let EstimateConfig { run, importance, burn_in, pieces, .. } = config;
        let (importance, burn_in, pieces) = (*importance, *burn_in, *pieces);
        ReplicationSetup { config: run, importance, levels, burn_in, pieces, most: u64::MAX }
    }
}

/// What a replication counted. Lists by level begin with level 0, lists by importance or height with 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Replication {
    /// Pieces of the main path.
    pub main_pieces: u64,
    /// Its lines.
    pub lines: u64,
    /// Its deaths.
    pub main_deaths: u64,
    /// Pieces of all paths.
    pub pieces: u64,
    /// Deaths of all paths, by level.
    pub deaths: Vec<u64>,
    /// Pieces placed by all paths, by level.
    pub pieces_at: Vec<u64>,
    /// Excursions of the main path above the first level in which a path died.
    pub deadly_excursions: u64,
    /// Sum of the squares of such excursions' weighted deaths.
    pub squares: f64,
    /// Rises to each importance or above it, as simulated.
    pub rises_seen: Vec<u64>,
    /// The same by weight.
    pub rises: Vec<f64>,
    /// Placements of the main path by the height of stack that they left.
    pub main_heights: Vec<u64>,
    /// Placements of all paths, by weight.
    pub heights: Vec<f64>,
    /// Paths by weight that were given up because [`ReplicationSetup::most`] pieces had been placed: as many deaths at most are
    /// missing. 0 where all were played.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: f64,
}

/// Whether nothing was dropped, as in every estimate: its replications are written without it.
fn is_zero(dropped: &f64) -> bool {
    *dropped == 0.0
}

impl Replication {
    /// Deaths of all paths, by weight: their mean is the main path's deaths'.
    #[must_use]
    pub fn weighted_deaths(&self, levels: &Levels) -> f64 {
        self.deaths.iter().zip(levels.weights()).map(|(&deaths, w)| deaths as f64 * w).sum()
    }
}

/// Plays a replication. Now and then `look` is told of the pieces placed since it was told last; `None` when
/// it says to stop.
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

/// Where a game comes from: a start board above the first level is a rise like any other.
const BEFORE: PathPosition = PathPosition { importance: 0, level: 0 };

/// Paths to be played from where another rose.
struct Pending<P> {
    from: P,
    position: PathPosition,
    /// The level that each ends below.
    floor: usize,
    copies: u64,
}

struct Play<'a, G: Splittable> {
    setup: &'a ReplicationSetup<'a, G>,
    player: &'a mut G::Player,
    look: &'a dyn Fn(u64) -> bool,
    /// Pieces that it was not told of.
    placed: u64,
    /// Pieces that may still be placed.
    left: u64,
    weights: Vec<f64>,
    seed: u64,
    games: u64,
    branches: u64,
    /// Empty between two pieces of the main path.
    pending: Vec<Pending<G::Path>>,
    /// Weighted deaths of the main path's excursion.
    excursion: f64,
    found: Replication,
}

impl<G: Splittable> Play<'_, G> {
    /// Plays the main path and all that splits off it; false when halted.
    fn main_path(&mut self) -> Result<bool> {
        let mut path = self.new_game();
        // Nothing splits and nothing counts here, since it only brings the path away from the board that games
        // begin with.
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
            // An excursion ends where the path is below the first level again.
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

    /// Places a piece of a path that stands in `level`, and counts it there.
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

    /// Where a path stands that stood elsewhere `before`. At each level that it rose to, paths split off.
    fn follow(&mut self, path: &G::Path, before: PathPosition) -> PathPosition {
        let position = self.position(path);
        // One placement may rise by several steps: each of them was risen to.
        for importance in before.importance + 1..=position.importance {
            *entry(&mut self.found.rises, importance) += self.weights[before.level];
            *entry(&mut self.found.rises_seen, importance) += 1;
        }
        // A path that skips a level splits for it all the same: at level i it is R_1 x ... x R_i paths, however
        // it came.
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

    /// Plays the paths that split off, and those that split off them; false when halted.
    fn play_pending(&mut self) -> Result<bool> {
        // The last first, so that few wait at a time: what splits off a path is played before the path's own
        // siblings.
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
            // It ends where it falls below the level at which it was split off: there it is one path again.
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

/// An entry of a list that grows as needed.
fn entry<T: Copy + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if index >= list.len() {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}
