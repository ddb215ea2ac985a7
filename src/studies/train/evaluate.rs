//! The games of a generation: every candidate plays the same ones, on all cores.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::estimates::Placed;
use super::games::{CandidateGames, PlayedGame, Rows, TrainingGames};
use super::{Objective, config};
use crate::controller::Controller;
use crate::engine::Totals;
use crate::error::setting::{GAMES, POPULATION};
use crate::error::{Error, Result};
use crate::record::{EndReason, GameRow, GuidelineGameRow};
use crate::search::Player;
use crate::sim::guideline::{GuidelineConfig, GuidelinePlayer};
use crate::sim::{ClassicConfig, Snapshot, Unrecorded, play_game};
use crate::threads::{caught, thread_pool};

/// Where candidates play.
///
/// One queue of (candidate, game) pairs, candidate by candidate: a worker takes the next pair as soon as
/// its game has ended, however long others' games last, and makes a new player only when the candidate
/// changes (50 microseconds for bcts, as long as 400 pieces last).
#[derive(Debug)]
pub struct Arena {
    pool: ThreadPool,
    pub(super) games: TrainingGames,
    objective: Objective,
    /// The levels of the last bout, where candidates are estimated.
    pub(super) placed: Mutex<Option<Placed>>,
    /// Nanoseconds that workers spent on games.
    busy: AtomicU64,
    /// Nanoseconds from the first to the last game of each batch.
    wall: AtomicU64,
}

/// Games that are to be played: each candidate, given by its weights, plays so many games from a first one on, under a
/// seed.
///
/// A pair is a candidate and a game of it; pairs are numbered from 0, candidate by candidate. They may be played
/// apart, some here and some on another machine: what a pair comes to depends on nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Bout {
    /// Weights of each candidate.
    pub candidates: Vec<Vec<f64>>,
    /// The seed of the games.
    pub seed: u64,
    /// The first game of each, usually 0.
    pub first: u64,
    /// Games of each.
    pub games: u64,
    /// Weights of the player by whom levels are placed where candidates are estimated; without, the mean of the candidates.
    pub pilot: Option<Vec<f64>>,
}

impl Bout {
    /// Games 0, 1, ... of candidates.
    #[must_use]
    pub fn new(candidates: Vec<Vec<f64>>, seed: u64, games: u64) -> Bout {
        Bout { candidates, seed, first: 0, games, pilot: None }
    }

    /// The same games, levels being placed by a player.
    #[must_use]
    pub fn piloted(self, pilot: Vec<f64>) -> Bout {
        Bout { pilot: Some(pilot), ..self }
    }

    /// Weights of the player by whom levels are placed.
    #[must_use]
    pub fn pilot(&self) -> Vec<f64> {
        if let Some(pilot) = &self.pilot {
            return pilot.clone();
        }
        let n = self.candidates.first().map_or(0, Vec::len);
        let count = self.candidates.len().max(1) as f64;
        let mean = |i: usize| self.candidates.iter().map(|weights| weights[i]).sum::<f64>() / count;
        (0..n).map(mean).collect()
    }

    /// Number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        (self.candidates.len() as u64).saturating_mul(self.games)
    }

    /// What all pairs came to, in order, by candidate.
    ///
    /// # Errors
    /// [`Error::Config`] when there are more or fewer.
    pub fn batch(&self, played: Vec<PlayedGame>) -> Result<GenerationGames> {
        let (pairs, given) = (self.pairs(), played.len());
        if pairs != given as u64 {
            return config(format!("{given} games of {pairs} pairs: give one for each, in order"));
        }
        let mut played = played.into_iter();
        let mut take = || CandidateGames(played.by_ref().take(self.games as usize).collect());
        Ok(self.candidates.iter().map(|_| take()).collect())
    }
}

/// The games of some candidates: one list for each, in the order of the games.
pub type GenerationGames = Vec<CandidateGames>;

impl Arena {
    /// A place for such games, which an objective says the worth of; their number and seed do not matter.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] when the threads can't be started.
    pub fn new(games: TrainingGames, objective: Objective) -> Result<Arena> {
        let pool = thread_pool(games.threads())?;
        let (busy, wall) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Arena { pool, games, objective, placed: Mutex::new(None), busy, wall })
    }

    /// Counts time that one thread played while others waited.
    pub(super) fn spent(&self, time: Duration) {
        self.wall.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        self.busy.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Seconds in which games were played, and seconds that workers spent on them, over threads.
    #[must_use]
    pub fn seconds(&self) -> (f64, f64) {
        let seconds = |nanoseconds: &AtomicU64| nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        (seconds(&self.wall), seconds(&self.busy) / self.games.threads() as f64)
    }

    /// Plays some pairs of a bout; `None` when `stop` was raised before all had ended.
    ///
    /// # Errors
    /// [`crate::error::Error::ScriptEnded`], and [`crate::error::Error::Controller`] for a candidate that can't play.
    pub fn play(
        &self,
        bout: &Bout,
        pairs: Range<u64>,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<PlayedGame>>> {
        if let Some(options) = self.objective.estimates() {
            return self.estimate(options, bout, pairs, totals, stop);
        }
        let (seed, first, games) = (bout.seed, bout.first, bout.games);
        let rows = match &self.games {
            TrainingGames::Classic(config, template) => {
                let config = ClassicConfig { seed, games: first + games, ..config.clone() };
                let of = |weights: &Vec<f64>| template.controller(weights);
                let candidates: Vec<Controller> = bout.candidates.iter().map(of).collect();
                let table = Classic { config: &config, candidates: &candidates, first, stop };
                self.queue(&table, bout, pairs, totals, stop)?.map(Rows::Classic)
            }
            TrainingGames::Guideline(config, template) => {
                let of = |weights: &Vec<f64>| {
                    let controller = template.controller(weights);
                    GuidelineConfig { controller, seed, games: first + games, ..config.clone() }
                };
                let candidates: Vec<GuidelineConfig> = bout.candidates.iter().map(of).collect();
                let table = Guideline { candidates: &candidates, first };
                self.queue(&table, bout, pairs, totals, stop)?.map(Rows::Guideline)
            }
        };
        Ok(rows.map(|rows| self.objective.played(&rows)))
    }

    /// Plays pairs at a table, on all threads; their rows in order.
    pub(super) fn queue<T: Table>(
        &self,
        table: &T,
        bout: &Bout,
        pairs: Range<u64>,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<T::Row>>> {
        let started = Instant::now();
        let end = pairs.end.min(bout.pairs());
        let wanted = end.saturating_sub(pairs.start) as usize;
        let (next, busy) = (AtomicU64::new(pairs.start), AtomicU64::new(0));
        let work = Work { table, games: bout.games, end, totals, stop, next, busy };
        // One loop on each thread instead of a task for each game, so that a worker keeps its player from game
        // to game.
        let played = self.pool.broadcast(|_| work.play());
        let mut all = Vec::new();
        // Memory for millions of results may be refused, which would otherwise end the process.
        all.try_reserve_exact(wanted).map_err(|_| too_many(wanted))?;
        for rows in played {
            all.extend(rows?);
        }
        // In the order of pairs, so that which worker played them makes no difference to what comes after.
        all.sort_by_key(|(pair, _)| *pair);
        self.wall.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.busy.fetch_add(work.busy.into_inner(), Ordering::Relaxed);
        let whole = all.len() == wanted;
        Ok(whole.then(|| all.into_iter().map(|(_, row)| row).collect()))
    }
}

/// Memory was refused for the results of so many games.
fn too_many(count: usize) -> Error {
    let text = format!("memory does not suffice for {count} more results");
    Error::Config(format!("{text}: give fewer {GAMES}, or a smaller {POPULATION}"))
}

/// A kind of games.
pub(super) trait Table: Sync {
    /// Who plays, with its working memory.
    type Player;
    /// A game that has ended.
    type Row: Send;

    /// The player of a candidate.
    fn player(&self, candidate: usize) -> Result<Self::Player>;

    /// Plays a game, counted from the first of the bout, to its end, and says how many pieces it took; `None` when it was stopped.
    fn play(&self, player: &mut Self::Player, game: u64) -> Result<Option<(Self::Row, u64)>>;
}

struct Classic<'a> {
    config: &'a ClassicConfig,
    candidates: &'a [Controller],
    first: u64,
    stop: &'a AtomicBool,
}

impl Table for Classic<'_> {
    type Player = Player;
    type Row = GameRow;

    fn player(&self, candidate: usize) -> Result<Player> {
        let ClassicConfig { rules, search, size, level, .. } = *self.config;
        Player::new(&self.candidates[candidate], rules, search, size, level)
    }

    fn play(&self, player: &mut Player, game: u64) -> Result<Option<(GameRow, u64)>> {
        let first = Snapshot::first(self.config, self.first + game);
        let row = play_game(self.config, player, first, self.stop, &mut Unrecorded)?;
        let pieces = row.pieces;
        Ok((row.end_reason != EndReason::Interrupted).then_some((row, pieces)))
    }
}

/// A configuration for each candidate.
struct Guideline<'a> {
    candidates: &'a [GuidelineConfig],
    first: u64,
}

impl Table for Guideline<'_> {
    type Player = GuidelinePlayer;
    type Row = GuidelineGameRow;

    fn player(&self, candidate: usize) -> Result<GuidelinePlayer> {
        Ok(GuidelinePlayer::new(&self.candidates[candidate]).stopping_early())
    }

    fn play(
        &self,
        player: &mut GuidelinePlayer,
        game: u64,
    ) -> Result<Option<(GuidelineGameRow, u64)>> {
        let row = player.play(self.first + game, &mut |_| ())?;
        let pieces = u64::from(row.pieces);
        Ok(Some((row, pieces)))
    }
}

/// The queue of a bout's pairs.
struct Work<'a, T> {
    table: &'a T,
    /// Games of each candidate.
    games: u64,
    /// The first pair that is not played.
    end: u64,
    totals: &'a Totals,
    stop: &'a AtomicBool,
    next: AtomicU64,
    /// Nanoseconds that workers spent on games.
    busy: AtomicU64,
}

impl<T: Table> Work<'_, T> {
    /// Takes pairs until there are none; an error or a panic ends the queue for all.
    fn play(&self) -> Result<Vec<(u64, T::Row)>> {
        let played = caught(|| self.play_pairs()).and_then(|played| played);
        // Far beyond the last pair, so that all others end, and far enough below the largest number to count on
        // from.
        played.inspect_err(|_| self.next.store(u64::MAX / 2, Ordering::Relaxed))
    }

    fn play_pairs(&self) -> Result<Vec<(u64, T::Row)>> {
        let mut played = Vec::new();
        let mut player: Option<(usize, T::Player)> = None;
        loop {
            let pair = self.next.fetch_add(1, Ordering::Relaxed);
            if pair >= self.end || self.stop.load(Ordering::Relaxed) {
                return Ok(played);
            }
            let candidate = (pair / self.games) as usize;
            let player = match &mut player {
                Some((of, player)) if *of == candidate => player,
                other => &mut other.insert((candidate, self.table.player(candidate)?)).1,
            };
            let began = Instant::now();
            let ended = self.table.play(player, pair % self.games)?;
            self.busy.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
            let Some((row, pieces)) = ended else { return Ok(played) };
            self.totals.played.fetch_add(1, Ordering::Relaxed);
            self.totals.pieces.fetch_add(pieces, Ordering::Relaxed);
            played.push((pair, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::QueueKind;
    use crate::train::tests::{classic, sprints};

    fn arena(threads: usize, queue: QueueKind) -> Arena {
        let TrainingGames::Classic(config, template) = classic() else { panic!("classic") };
        let games = TrainingGames::Classic(ClassicConfig { queue, threads, ..config }, template);
        Arena::new(games, "lines".parse().unwrap()).unwrap()
    }

    /// Seven games of each, under seed 5.
    fn bout(candidates: &[Vec<f64>]) -> Bout {
        Bout::new(candidates.to_vec(), 5, 7)
    }

    fn play(arena: &Arena, candidates: &[Vec<f64>], stop: bool) -> Result<Option<GenerationGames>> {
        let (bout, stop) = (bout(candidates), AtomicBool::new(stop));
        let played = arena.play(&bout, 0..bout.pairs(), &Totals::default(), &stop)?;
        played.map(|played| bout.batch(played)).transpose()
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
    }

    #[test]
    fn pairs_may_be_played_apart() {
        let bout = bout(&["bcts", "lee"].map(weights));
        let arena = arena(2, QueueKind::Uniform);
        let part = |pairs| {
            let played = arena.play(&bout, pairs, &Totals::default(), &AtomicBool::new(false));
            played.unwrap().unwrap()
        };
        let whole = part(0..14);
        assert_eq!([part(0..5), part(5..6), part(6..14)].concat(), whole);
        assert!(bout.batch(part(0..13)).unwrap_err().to_string().contains("13 games of 14"));
    }

    #[test]
    fn guideline_games_do_not_depend_on_threads_either() {
        let candidates = [vec![-1.0, 0.5, -2.0, -0.5], vec![1.0, 0.0, 0.0, 0.0]];
        let arena = |threads| Arena::new(sprints(2, threads), Objective::sprint()).unwrap();
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
