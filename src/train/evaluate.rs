//! The games of a generation: every candidate plays the same ones, on all cores.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use rayon::ThreadPool;

use crate::controller::Controller;
use crate::error::Result;
use crate::record::{EndReason, GameRow};
use crate::search::Player;
use crate::sim::{RunConfig, Snapshot, Totals, Unrecorded, play_game};
use crate::threads::thread_pool;

/// Where candidates play.
///
/// One queue of (candidate, game) pairs, candidate by candidate: a worker takes the next pair as soon as
/// its game has ended, however long others' games last, and makes a new player only when the candidate
/// changes (50 microseconds for bcts, as long as 400 pieces last).
#[derive(Debug)]
pub struct Arena {
    pool: ThreadPool,
    config: RunConfig,
    /// Nanoseconds that workers spent on games.
    busy: AtomicU64,
    /// Nanoseconds from the first to the last game of each batch.
    wall: AtomicU64,
}

/// The games of some candidates: one list for each, in the order of the games.
pub type Batch = Vec<Vec<GameRow>>;

impl Arena {
    /// A place for games of this configuration; its controller, games and seed do not matter.
    ///
    /// # Errors
    /// [`Error::Config`] when the threads can't be started.
    pub fn new(config: RunConfig) -> Result<Arena> {
        let pool = thread_pool(config.threads)?;
        Ok(Arena { pool, config, busy: AtomicU64::new(0), wall: AtomicU64::new(0) })
    }

    /// What is played.
    #[must_use]
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// Seconds in which games were played, and seconds that workers spent on them, over threads.
    #[must_use]
    pub fn seconds(&self) -> (f64, f64) {
        let seconds = |nanoseconds: &AtomicU64| nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        (seconds(&self.wall), seconds(&self.busy) / self.config.threads as f64)
    }

    /// Plays games 0, 1, ... under a seed with each candidate; `None` when `stop` was raised before
    /// all had ended.
    ///
    /// # Errors
    /// [`Error::ScriptEnded`], and [`Error::Controller`] for a candidate that can't play.
    pub fn play(
        &self,
        candidates: &[Controller],
        seed: u64,
        games: u64,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<Option<Batch>> {
        let started = Instant::now();
        let config = RunConfig { seed, games, ..self.config.clone() };
        let work = Work {
            config,
            candidates,
            totals,
            stop,
            next: AtomicUsize::new(0),
            busy: AtomicU64::new(0),
        };
        let played = self.pool.broadcast(|_| work.play());
        let mut batch = vec![Vec::with_capacity(games as usize); candidates.len()];
        let mut all = played.into_iter().collect::<Result<Vec<_>>>()?.concat();
        all.sort_by_key(|(task, _)| *task);
        for (task, row) in all {
            batch[task / games as usize].push(row);
        }
        self.wall.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.busy.fetch_add(work.busy.into_inner(), Ordering::Relaxed);
        let whole = batch.iter().all(|rows| rows.len() == games as usize);
        Ok(whole.then_some(batch))
    }
}

/// The queue of a batch.
struct Work<'a> {
    config: RunConfig,
    candidates: &'a [Controller],
    totals: &'a Totals,
    stop: &'a AtomicBool,
    next: AtomicUsize,
    /// Nanoseconds that workers spent on games.
    busy: AtomicU64,
}

impl Work<'_> {
    /// Takes pairs until there are none; an error ends the queue for all.
    fn play(&self) -> Result<Vec<(usize, GameRow)>> {
        self.play_pairs().inspect_err(|_| self.next.store(usize::MAX / 2, Ordering::Relaxed))
    }

    fn play_pairs(&self) -> Result<Vec<(usize, GameRow)>> {
        let games = self.config.games as usize;
        let mut played = Vec::new();
        let mut player: Option<(usize, Player)> = None;
        loop {
            let task = self.next.fetch_add(1, Ordering::Relaxed);
            let candidate = task / games;
            if candidate >= self.candidates.len() || self.stop.load(Ordering::Relaxed) {
                return Ok(played);
            }
            let player = match &mut player {
                Some((of, player)) if *of == candidate => player,
                other => &mut other.insert((candidate, self.player(candidate)?)).1,
            };
            let began = Instant::now();
            let first = Snapshot::first(&self.config, (task % games) as u64);
            let row = play_game(&self.config, player, first, self.stop, &mut Unrecorded)?;
            self.busy.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
            if row.end_reason == EndReason::Interrupted {
                return Ok(played);
            }
            self.totals.games.fetch_add(1, Ordering::Relaxed);
            self.totals.pieces.fetch_add(row.pieces, Ordering::Relaxed);
            played.push((task, row));
        }
    }

    fn player(&self, candidate: usize) -> Result<Player> {
        let RunConfig { rules, search, size, level, .. } = self.config;
        Player::new(&self.candidates[candidate], rules, search, size, level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::kernels::Level;
    use crate::queue::QueueKind;
    use crate::rules::Rules;
    use crate::search::Search;
    use crate::sim::{CHECKPOINT_EVERY, Limits};

    fn arena(threads: usize, queue: QueueKind) -> Arena {
        let config = RunConfig {
            controller: Controller::load("bcts").unwrap(),
            rules: Rules::simplified(),
            size: "8x10".parse().unwrap(),
            start: None,
            queue,
            search: Search::Greedy,
            games: 1,
            shard: None,
            limits: Limits { pieces: Some(1000), lines: None },
            seed: 0,
            checkpoint_every: CHECKPOINT_EVERY,
            threads,
            level: Level::detect(),
        };
        Arena::new(config).unwrap()
    }

    fn play(arena: &Arena, names: &[&str], stop: bool) -> Result<Option<Batch>> {
        let players: Vec<_> = names.iter().map(|name| Controller::load(name).unwrap()).collect();
        arena.play(&players, 5, 7, &Totals::default(), &AtomicBool::new(stop))
    }

    #[test]
    fn candidates_play_the_same_games_whatever_the_threads() {
        let names = ["bcts", "dellacherie", "bcts", "lee"];
        let one = play(&arena(1, QueueKind::Uniform), &names, false).unwrap().unwrap();
        let three = play(&arena(3, QueueKind::Uniform), &names, false).unwrap().unwrap();
        assert_eq!(one, three);
        assert_eq!((one.len(), one[3].len()), (4, 7));
        assert_eq!(one[0], one[2], "the same controller, the same games");
        assert_ne!(one[0], one[1]);
        let seeds = |rows: &[GameRow]| rows.iter().map(|row| row.stream_seed).collect::<Vec<_>>();
        assert_eq!(seeds(&one[0]), seeds(&one[1]), "common random numbers");
    }

    #[test]
    fn a_stop_and_an_error_end_the_queue() {
        assert_eq!(play(&arena(2, QueueKind::Uniform), &["bcts"], true).unwrap(), None);
        let short = arena(2, QueueKind::script("IOT", false).unwrap());
        let error = play(&short, &["bcts"; 50], false).unwrap_err();
        assert!(matches!(error, Error::ScriptEnded { .. }), "{error}");
    }
}
