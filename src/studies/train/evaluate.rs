//! The games of a generation: every candidate plays the same ones, on all cores.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use rayon::ThreadPool;

use super::games::{Games, Played};
use crate::controller::Controller;
use crate::engine::Totals;
use crate::error::setting::{GAMES, POPULATION};
use crate::error::{Error, Result};
use crate::record::{EndReason, GameRow, GuidelineGameRow};
use crate::search::Player;
use crate::sim::guideline::{Game, GuidelineConfig};
use crate::sim::{RunConfig, Snapshot, Unrecorded, play_game};
use crate::threads::{caught, thread_pool};

/// Where candidates play.
///
/// One queue of (candidate, game) pairs, candidate by candidate: a worker takes the next pair as soon as
/// its game has ended, however long others' games last, and makes a new player only when the candidate
/// changes (50 microseconds for bcts, as long as 400 pieces last).
#[derive(Debug)]
pub struct Arena {
    pool: ThreadPool,
    games: Games,
    /// Nanoseconds that workers spent on games.
    busy: AtomicU64,
    /// Nanoseconds from the first to the last game of each batch.
    wall: AtomicU64,
}

/// The games of some candidates: one list for each, in the order of the games.
pub type Batch = Vec<Played>;

impl Arena {
    /// A place for such games; their number and seed do not matter.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] when the threads can't be started.
    pub fn new(games: Games) -> Result<Arena> {
        let pool = thread_pool(games.threads())?;
        Ok(Arena { pool, games, busy: AtomicU64::new(0), wall: AtomicU64::new(0) })
    }

    /// Seconds in which games were played, and seconds that workers spent on them, over threads.
    #[must_use]
    pub fn seconds(&self) -> (f64, f64) {
        let seconds = |nanoseconds: &AtomicU64| nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        (seconds(&self.wall), seconds(&self.busy) / self.games.threads() as f64)
    }

    /// Plays games 0, 1, ... under a seed with each candidate, given by its weights; `None` when
    /// `stop` was raised before all had ended.
    ///
    /// # Errors
    /// [`crate::error::Error::ScriptEnded`], and [`crate::error::Error::Controller`] for a candidate that can't play.
    pub fn play(
        &self,
        candidates: &[Vec<f64>],
        seed: u64,
        games: u64,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<Option<Batch>> {
        match &self.games {
            Games::Classic(config, template) => {
                let config = RunConfig { seed, games, ..config.clone() };
                let candidates: Vec<Controller> =
                    candidates.iter().map(|weights| template.controller(weights)).collect();
                let table = Classic { config: &config, candidates: &candidates, stop };
                let rows = self.queue(&table, candidates.len(), games, totals, stop)?;
                Ok(rows.map(|rows| rows.into_iter().map(Played::Classic).collect()))
            }
            Games::Guideline(config, template) => {
                let of = |weights: &Vec<f64>| {
                    let controller = template.controller(weights);
                    GuidelineConfig { controller, seed, games, ..config.clone() }
                };
                let candidates: Vec<GuidelineConfig> = candidates.iter().map(of).collect();
                let rows =
                    self.queue(&Guideline(&candidates), candidates.len(), games, totals, stop)?;
                Ok(rows.map(|rows| rows.into_iter().map(Played::Guideline).collect()))
            }
        }
    }

    /// Plays `games` games at a table with each of so many candidates.
    fn queue<T: Table>(
        &self,
        table: &T,
        candidates: usize,
        games: u64,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<T::Row>>>> {
        let started = Instant::now();
        let (next, busy) = (AtomicUsize::new(0), AtomicU64::new(0));
        let work = Work { table, candidates, games: games as usize, totals, stop, next, busy };
        let played = self.pool.broadcast(|_| work.play());
        let mut all = Vec::new();
        for rows in played {
            let rows = rows?;
            all.try_reserve(rows.len()).map_err(|_| too_many(rows.len()))?;
            all.extend(rows);
        }
        all.sort_by_key(|(task, _)| *task);
        let mut batch: Vec<Vec<T::Row>> = Vec::new();
        batch.resize_with(candidates, Vec::new);
        for rows in &mut batch {
            rows.try_reserve_exact(games as usize).map_err(|_| too_many(games as usize))?;
        }
        for (task, row) in all {
            batch[task / games as usize].push(row);
        }
        self.wall.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.busy.fetch_add(work.busy.into_inner(), Ordering::Relaxed);
        let whole = batch.iter().all(|rows| rows.len() == games as usize);
        Ok(whole.then_some(batch))
    }
}

/// Memory was refused for the results of so many games.
fn too_many(count: usize) -> Error {
    let text = format!("memory does not suffice for {count} more results");
    Error::Config(format!("{text}: give fewer {GAMES}, or a smaller {POPULATION}"))
}

/// A kind of games.
trait Table: Sync {
    /// Who plays, with its working memory.
    type Player;
    /// A game that has ended.
    type Row: Send;

    /// The player of a candidate.
    fn player(&self, candidate: usize) -> Result<Self::Player>;

    /// Plays a game to its end, and says how many pieces it took; `None` when it was stopped.
    fn play(&self, player: &mut Self::Player, game: u64) -> Result<Option<(Self::Row, u64)>>;
}

struct Classic<'a> {
    config: &'a RunConfig,
    candidates: &'a [Controller],
    stop: &'a AtomicBool,
}

impl Table for Classic<'_> {
    type Player = Player;
    type Row = GameRow;

    fn player(&self, candidate: usize) -> Result<Player> {
        let RunConfig { rules, search, size, level, .. } = *self.config;
        Player::new(&self.candidates[candidate], rules, search, size, level)
    }

    fn play(&self, player: &mut Player, game: u64) -> Result<Option<(GameRow, u64)>> {
        let first = Snapshot::first(self.config, game);
        let row = play_game(self.config, player, first, self.stop, &mut Unrecorded)?;
        let pieces = row.pieces;
        Ok((row.end_reason != EndReason::Interrupted).then_some((row, pieces)))
    }
}

/// A configuration for each candidate.
struct Guideline<'a>(&'a [GuidelineConfig]);

impl Table for Guideline<'_> {
    type Player = Game;
    type Row = GuidelineGameRow;

    fn player(&self, candidate: usize) -> Result<Game> {
        Ok(Game::new(&self.0[candidate]))
    }

    fn play(&self, player: &mut Game, game: u64) -> Result<Option<(GuidelineGameRow, u64)>> {
        let row = player.play(game, &mut |_| ())?;
        let pieces = u64::from(row.pieces);
        Ok(Some((row, pieces)))
    }
}

/// The queue of a batch.
struct Work<'a, T> {
    table: &'a T,
    candidates: usize,
    games: usize,
    totals: &'a Totals,
    stop: &'a AtomicBool,
    next: AtomicUsize,
    /// Nanoseconds that workers spent on games.
    busy: AtomicU64,
}

impl<T: Table> Work<'_, T> {
    /// Takes pairs until there are none; an error or a panic ends the queue for all.
    fn play(&self) -> Result<Vec<(usize, T::Row)>> {
        let played = caught(|| self.play_pairs()).and_then(|played| played);
        played.inspect_err(|_| self.next.store(usize::MAX / 2, Ordering::Relaxed))
    }

    fn play_pairs(&self) -> Result<Vec<(usize, T::Row)>> {
        let mut played = Vec::new();
        let mut player: Option<(usize, T::Player)> = None;
        loop {
            let task = self.next.fetch_add(1, Ordering::Relaxed);
            let candidate = task / self.games;
            if candidate >= self.candidates || self.stop.load(Ordering::Relaxed) {
                return Ok(played);
            }
            let player = match &mut player {
                Some((of, player)) if *of == candidate => player,
                other => &mut other.insert((candidate, self.table.player(candidate)?)).1,
            };
            let began = Instant::now();
            let ended = self.table.play(player, (task % self.games) as u64)?;
            self.busy.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
            let Some((row, pieces)) = ended else { return Ok(played) };
            self.totals.played.fetch_add(1, Ordering::Relaxed);
            self.totals.pieces.fetch_add(pieces, Ordering::Relaxed);
            played.push((task, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::QueueKind;
    use crate::train::tests::{classic, sprints};

    fn arena(threads: usize, queue: QueueKind) -> Arena {
        let Games::Classic(config, template) = classic() else { panic!("classic") };
        Arena::new(Games::Classic(RunConfig { queue, threads, ..config }, template)).unwrap()
    }

    /// Seven games of each, under seed 5.
    fn play(arena: &Arena, candidates: &[Vec<f64>], stop: bool) -> Result<Option<Batch>> {
        arena.play(candidates, 5, 7, &Totals::default(), &AtomicBool::new(stop))
    }

    /// Weights of bcts' features.
    fn weights(name: &str) -> Vec<f64> {
        let of = Controller::load(name).unwrap().weights;
        let features = Controller::load("bcts").unwrap();
        let weight =
            |feature| of.iter().find(|(other, _)| *other == feature).map_or(0.0, |of| of.1);
        features.features().map(weight).collect()
    }

    #[test]
    fn candidates_play_the_same_games_whatever_the_threads() {
        let names = ["bcts", "dellacherie", "bcts", "lee"].map(weights);
        let one = play(&arena(1, QueueKind::Uniform), &names, false).unwrap().unwrap();
        let three = play(&arena(3, QueueKind::Uniform), &names, false).unwrap().unwrap();
        assert_eq!(one, three);
        assert_eq!((one.len(), one[3].games()), (4, 7));
        assert_eq!(one[0], one[2], "the same controller, the same games");
        assert_ne!(one[0], one[1]);
        let Played::Classic(rows) = &one[0] else { panic!("{one:?}") };
        let Played::Classic(others) = &one[1] else { panic!("{one:?}") };
        let seeds = |rows: &[GameRow]| rows.iter().map(|row| row.stream_seed).collect::<Vec<_>>();
        assert_eq!(seeds(rows), seeds(others), "common random numbers");
    }

    #[test]
    fn guideline_games_do_not_depend_on_threads_either() {
        let candidates = [vec![-1.0, 0.5, -2.0, -0.5], vec![1.0, 0.0, 0.0, 0.0]];
        let arena = |threads| Arena::new(sprints(2, threads)).unwrap();
        let one = play(&arena(1), &candidates, false).unwrap().unwrap();
        assert_eq!(one, play(&arena(3), &candidates, false).unwrap().unwrap());
        assert_eq!((one[0].games(), one[0].censored()), (7, 7), "all won");
        assert_eq!(one[1].censored(), 0, "a tower loses");
        assert_eq!(play(&arena(2), &candidates, true).unwrap(), None);
    }

    #[test]
    fn a_stop_and_an_error_end_the_queue() {
        assert_eq!(play(&arena(2, QueueKind::Uniform), &[weights("bcts")], true).unwrap(), None);
        let short = arena(2, QueueKind::script("IOT", false).unwrap());
        let error = play(&short, &vec![weights("bcts"); 50], false).unwrap_err();
        assert!(matches!(error, Error::ScriptEnded { .. }), "{error}");
    }
}
