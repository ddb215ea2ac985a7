//! Evaluates a generation of a training: all candidates play the same games on all threads, in one
//! round or as a race. Also defines the value of a lost game.
//!
//! A race plays more games with candidates that may be the best: **successive halving** (Karnin,
//! Koren & Somekh 2013, *Almost optimal exploration in multi-armed bandits*, ICML; Jamieson &
//! Talwalkar 2016). In round 1 every candidate plays the first share of its games. The better half
//! continues to twice as many games, and so on until the remaining candidates have played all
//! games.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::ThreadPool;

use super::objective::{EstimateOptions, UNSEEN_DEATHS};
use super::{Objective, config};
use crate::error::setting::{GAMES, POPULATION};
use crate::estimate::{Levels, PilotOptions, place_levels, replicate};
use crate::prelude::*;
use crate::rng::stream_seed;
use crate::sim::guideline::GuidelineConfig;
use crate::sim::{ClassicConfig, Game, Unrecorded, play_game};
use crate::threads::{catch_panic, thread_pool};

/// Worker threads that play and score the games of the candidates in a training.
///
/// The threads share one queue of games, so that no thread waits for a long game.
#[derive(Debug)]
pub struct Evaluation {
    pool: ThreadPool,
    games: TrainingGames,
    objective: Objective,
    placed: Mutex<Option<PlacedLevels>>,
    busy: AtomicU64,
    wall: AtomicU64,
}

/// Batch of games: each candidate plays `games` games under one seed, from number `first` on.
///
/// Pairs of candidate and game are numbered from 0 by candidate; several machines may play them.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationBatch {
    /// Weights of each candidate controller.
    pub candidates: Vec<Vec<f64>>,
    /// Seed that determines the pieces of the games.
    pub seed: u64,
    /// Index of the first game that each candidate plays, usually 0.
    pub first: u64,
    /// Number of games that each candidate plays.
    pub games: u64,
    /// Weights of the player whose trial games prepare a splitting estimate; `None` for the
    /// candidates' mean weights.
    pub pilot: Option<Vec<f64>>,
}

impl EvaluationBatch {
    /// Creates a batch in which each candidate plays the games 0 to `games` - 1 under `seed`.
    #[must_use]
    pub fn new(candidates: Vec<Vec<f64>>, seed: u64, games: u64) -> EvaluationBatch {
        EvaluationBatch { candidates, seed, first: 0, games, pilot: None }
    }

    /// Sets the weights of the player whose trial games prepare a splitting estimate.
    #[must_use]
    pub fn piloted(self, pilot: Vec<f64>) -> EvaluationBatch {
        EvaluationBatch { pilot: Some(pilot), ..self }
    }

    /// Returns the weights of the player whose trial games prepare a splitting estimate.
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

    /// Returns the number of games that all candidates of the batch play together.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        (self.candidates.len() as u64).saturating_mul(self.games)
    }

    /// Groups a batch's results, given in the order of the games' numbers, by candidate.
    pub fn by_candidate(&self, played: Vec<PlayedGame>) -> Result<GenerationGames> {
        let (pairs, given) = (self.pairs(), played.len());
        if pairs != given as u64 {
            return config(format!("{given} games of {pairs} pairs: give one for each, in order"));
        }
        let mut played = played.into_iter();
        let mut take = || CandidateGames(played.by_ref().take(self.games as usize).collect());
        Ok(self.candidates.iter().map(|_| take()).collect())
    }
}

/// Results of the games of several candidates in a training, one element per candidate.
pub type GenerationGames = Vec<CandidateGames>;

#[derive(Debug)]
struct PlacedLevels {
    by: Vec<f64>,
    seed: u64,
    levels: Levels,
}

impl Evaluation {
    /// Starts worker threads that play games with the settings `games`, and score results by
    /// `objective`. Seed and number of games come from each batch.
    pub fn new(games: TrainingGames, objective: Objective) -> Result<Evaluation> {
        let pool = thread_pool(games.plan().threads)?;
        let (busy, wall) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Evaluation { pool, games, objective, placed: Mutex::new(None), busy, wall })
    }

    /// Returns the elapsed seconds of play, and the mean seconds that a thread spent on games.
    #[must_use]
    pub fn seconds(&self) -> (f64, f64) {
        let seconds = |nanoseconds: &AtomicU64| nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        (seconds(&self.wall), seconds(&self.busy) / self.games.plan().threads as f64)
    }

    /// Plays the batch's `pairs` of candidate and game; returns `None` if `stop` becomes true.
    pub fn play(
        &self,
        batch: &EvaluationBatch,
        pairs: Range<u64>,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<PlayedGame>>> {
        let (seed, games) = (batch.seed, batch.first + batch.games);
        let queue = Queue { evaluation: self, batch, pairs, totals, stop };
        match &self.games {
            TrainingGames::Classic(config, template) => queue.play(|weights| {
                let controller = template.controller(weights)?;
                Ok(ClassicConfig { controller, seed, games, ..config.clone() })
            }),
            TrainingGames::Guideline(config, template) => queue.play(|weights| {
                let controller = template.controller(weights);
                Ok(GuidelineConfig { controller, seed, games, ..config.clone() })
            }),
        }
    }
}

struct Queue<'a> {
    evaluation: &'a Evaluation,
    batch: &'a EvaluationBatch,
    pairs: Range<u64>,
    totals: &'a Totals,
    stop: &'a AtomicBool,
}

impl Queue<'_> {
    fn play<G: Game>(
        &self,
        config: impl Fn(&[f64]) -> Result<G> + Sync,
    ) -> Result<Option<Vec<PlayedGame>>> {
        let objective = &self.evaluation.objective;
        if let Some(options) = objective.estimates() {
            return self.estimate(options, config);
        }
        let rows = self.each(config, |config, player, game| {
            let state = config.begin(config.plan().seed, game);
            let row = play_game(config, player, state, self.stop, &mut Unrecorded)?.ok();
            Ok(row.map(|row| (G::counts(&row).pieces, row)))
        })?;
        Ok(rows.map(|rows| objective.played::<G>(&rows)))
    }

    fn estimate<G: Game>(
        &self,
        options: &EstimateOptions,
        config: impl Fn(&[f64]) -> Result<G> + Sync,
    ) -> Result<Option<Vec<PlayedGame>>> {
        let pilot = self.batch.pilot();
        let placed = self.levels(options, &pilot, &config(&pilot)?)?;
        let Some(levels) = placed else { return Ok(None) };
        // Weight of a death in the last level.
        let last = levels.weights().last().copied().unwrap_or(1.0);
        self.each(config, |config, player, game| {
            let seed = stream_seed(config.plan().seed, Purpose::Replications, game);
            let setup = options.setup(config, &levels);
            let found = replicate(&setup, player, seed, &|_| self.is_stopped())?;
            Ok(found.map(|found| {
                let deaths = found.weighted_deaths(&levels) + found.dropped + UNSEEN_DEATHS * last;
                let (lines, pieces) = (found.lines, found.pieces);
                let censored = found.dropped > 0.0;
                (pieces, PlayedGame { value: deaths, lines, pieces, censored })
            }))
        })
    }

    fn levels<G: Game>(
        &self,
        options: &EstimateOptions,
        by: &[f64],
        config: &G,
    ) -> Result<Option<Levels>> {
        let (evaluation, seed) = (self.evaluation, self.batch.seed);
        let mut placed = evaluation.placed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = placed.as_ref().filter(|known| known.by == by && known.seed == seed) {
            return Ok(Some(known.levels.clone()));
        }
        let began = Instant::now();
        let none = Levels::default();
        let pilot =
            PilotOptions { pieces: options.estimate_pilot_pieces, ..PilotOptions::default() };
        let (setup, mut player) = (options.setup(config, &none), config.player()?);
        let on_pieces = |_: u64| self.is_stopped();
        let found = place_levels(&setup, &pilot, &mut player, &|_| (), &on_pieces)?;
        // One thread plays these games while the others wait.
        evaluation.wall.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        evaluation.busy.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let Some(levels) = found else { return Ok(None) };
        *placed = Some(PlacedLevels { by: by.to_vec(), seed, levels: levels.clone() });
        Ok(Some(levels))
    }

    fn each<G: Game, R: Send>(
        &self,
        config: impl Fn(&[f64]) -> Result<G> + Sync,
        play: impl Fn(&G, &mut G::Player, u64) -> Result<Option<(u64, R)>> + Sync,
    ) -> Result<Option<Vec<R>>> {
        let started = Instant::now();
        let Queue { evaluation, batch, pairs, totals, .. } = self;
        let end = pairs.end.min(batch.pairs());
        let wanted = end.saturating_sub(pairs.start) as usize;
        let next = AtomicU64::new(pairs.start);
        let work = || {
            let mut played = Vec::new();
            let mut current: Option<(usize, G, G::Player)> = None;
            loop {
                let pair = next.fetch_add(1, Ordering::Relaxed);
                if pair >= end || self.is_stopped() {
                    return Ok(played);
                }
                let candidate = (pair / batch.games) as usize;
                let (_, config, player) = match &mut current {
                    Some(current) if current.0 == candidate => current,
                    other => {
                        let config = config(&batch.candidates[candidate])?;
                        let player = config.player()?;
                        other.insert((candidate, config, player))
                    }
                };
                let began = Instant::now();
                let ended = play(config, player, batch.first + pair % batch.games)?;
                evaluation.busy.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
                let Some((pieces, result)) = ended else { return Ok(played) };
                totals.add(1, pieces, 0);
                played.push((pair, result));
            }
        };
        // A loop per thread instead of one task per game lets a worker keep its player. After an
        // error or a panic the queue's counter is set far beyond the last pair, so all workers
        // stop. The value leaves room for further increments.
        let played = evaluation.pool.broadcast(|_| {
            let played: Result<_> = catch_panic(work).and_then(|played| played);
            played.inspect_err(|_| next.store(u64::MAX / 2, Ordering::Relaxed))
        });
        let mut all = Vec::new();
        // The system may refuse memory for millions of results, which would abort the process.
        all.try_reserve_exact(wanted).map_err(|_| too_many(wanted))?;
        for results in played {
            all.extend(results?);
        }
        // Sorting by pair makes the results independent of the worker that played them.
        all.sort_by_key(|(pair, _)| *pair);
        evaluation.wall.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let is_whole = all.len() == wanted;
        Ok(is_whole.then(|| all.into_iter().map(|(_, result)| result).collect()))
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn too_many(count: usize) -> Error {
    let text = format!("not enough memory for {count} more results");
    Error::Config(format!("{text}: give fewer {GAMES}, or a smaller {POPULATION}"))
}

/// Default value of a lost game in trainings that minimise, far above finished games' values.
pub const LOST: f64 = 1e6;

/// Rule for the value that a training gives to a lost game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LostGame {
    /// Value that the objective computes for the game, as if the game had not been lost.
    Observed,
    /// Value of a game lost just before its goal; losses further from the goal have worse values.
    Worth(f64),
}

impl FromStr for LostGame {
    type Err = Error;

    fn from_str(text: &str) -> Result<LostGame> {
        if text == "observed" {
            return Ok(LostGame::Observed);
        }
        let worth = text.parse().ok().filter(|worth: &f64| worth.is_finite());
        let wrong = || Error::Config("write a number, for example 1000000, or observed".to_owned());
        worth.map(LostGame::Worth).ok_or_else(wrong)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LostGameValue {
    pub(super) worth: f64,
    lines: Option<u64>,
    pieces: Option<u64>,
    time_us: Option<u64>,
}

impl LostGameValue {
    /// Creates the rule for the value of lost games, or `None` if every game ends by a loss.
    pub(super) fn new(worth: f64, games: &TrainingGames) -> Option<LostGameValue> {
        let [pieces, lines, time_us] = games.limits();
        let has_goal = lines.is_some() || pieces.is_some() || time_us.is_some();
        has_goal.then_some(LostGameValue { worth, lines, pieces, time_us })
    }

    /// Returns a lost game's value: `worth`, worsened by |`worth`| x the missing share of the goal.
    pub(super) fn value(&self, minimise: bool, [lines, pieces, time_us]: [u64; 3]) -> f64 {
        let share =
            |done: u64, goal: Option<u64>| goal.map(|goal| done as f64 / goal.max(1) as f64);
        let shares =
            [share(lines, self.lines), share(pieces, self.pieces), share(time_us, self.time_us)];
        // If there are several limits, the nearest one counts. A game that was lost just before its
        // time limit missed little, whatever its lines.
        let reached = shares.into_iter().flatten().fold(0.0, f64::max).min(1.0);
        let missed = self.worth.abs() * (1.0 - reached);
        if minimise { self.worth + missed } else { self.worth - missed }
    }
}

const MOST_ROUNDS: u32 = 10;
const FEWEST: usize = 2;

tetrastat_runs::kinds! {
    /// Rule that shares games among the candidates of a generation.
    pub enum Racing {
        /// Each candidate plays all games.
        None = "none",
        /// Successive halving.
        Halving = "halving" {
            /// Number of rounds. In the first round, a candidate plays the fraction 1/2^(rounds -
            /// 1) of its games.
            rounds: u32 = 3,
        },
    }
}

impl Racing {
    /// Checks that the rounds of a race fit `games` games per candidate.
    pub fn check(self, games: u64) -> Result<()> {
        let Racing::Halving { rounds } = self else { return Ok(()) };
        if !(2..=MOST_ROUNDS).contains(&rounds) {
            return config(format!("racing halving:{rounds}: give 2 to {MOST_ROUNDS} rounds"));
        }
        let parts = 1u64 << (rounds - 1);
        if games < parts {
            return config(format!(
                "games {games}: racing in {rounds} rounds needs at least {parts} games, give as \
                 many or fewer rounds"
            ));
        }
        Ok(())
    }

    fn marks(self, games: u64) -> Vec<u64> {
        match self {
            Racing::None => vec![games],
            Racing::Halving { rounds } => {
                (0..rounds).rev().map(|halvings| games.div_ceil(1 << halvings)).collect()
            }
        }
    }

    pub(super) fn total(self, candidates: usize, games: u64) -> u64 {
        let (mut before, mut left, mut total) = (0, candidates, 0u64);
        for mark in self.marks(games) {
            total = total.saturating_add((left as u64).saturating_mul(mark - before));
            (before, left) = (mark, half(left));
        }
        total
    }
}

fn half(candidates: usize) -> usize {
    candidates.div_ceil(2).max(FEWEST.min(candidates))
}

#[derive(Clone, Debug, Default)]
pub(super) struct Race {
    /// Total number of games that a surviving candidate has played after each round of a race.
    marks: Vec<u64>,
    round: usize,
    going: Vec<usize>,
    last: Vec<usize>,
    played: Vec<Vec<PlayedGame>>,
}

impl Race {
    pub(super) fn new(racing: Racing, candidates: usize, games: u64) -> Race {
        Race {
            marks: racing.marks(games),
            round: 0,
            going: (0..candidates).collect(),
            last: vec![0; candidates],
            played: vec![Vec::new(); candidates],
        }
    }

    pub(super) fn round(&self) -> (&[usize], u64, u64) {
        let first = if self.round == 0 { 0 } else { self.marks[self.round - 1] };
        (&self.going, first, self.marks[self.round] - first)
    }

    /// Takes the results of a round of a race; returns true if the better half plays another round.
    pub(super) fn take(
        &mut self,
        batch: Vec<CandidateGames>,
        score: impl Fn(&CandidateGames) -> f64,
    ) -> bool {
        for (&candidate, games) in self.going.iter().zip(batch) {
            self.played[candidate].extend(games.0);
            self.last[candidate] = self.round;
        }
        if self.round + 1 == self.marks.len() {
            return false;
        }
        let scored = |&candidate: &usize| score(&CandidateGames(self.played[candidate].clone()));
        let mut ranked: Vec<(usize, f64)> =
            self.going.iter().map(|candidate| (*candidate, scored(candidate))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.truncate(half(ranked.len()));
        self.going = ranked.into_iter().map(|(candidate, _)| candidate).collect();
        self.going.sort_unstable();
        self.round += 1;
        true
    }

    pub(super) fn end(self) -> (Vec<CandidateGames>, Vec<usize>) {
        (self.played.into_iter().map(CandidateGames).collect(), self.last)
    }
}

/// Returns `scores`, lowered so that each candidate of a race ranks below the candidates that
/// played more rounds.
pub(super) fn by_rounds(scores: &[f64], last: &[usize]) -> Vec<f64> {
    let mut adjusted = scores.to_vec();
    let mut ceiling = f64::INFINITY;
    for round in (0..=last.iter().copied().max().unwrap_or(0)).rev() {
        let of_round = || (0..adjusted.len()).filter(|&i| last[i] == round);
        let mut least = ceiling;
        for i in of_round().collect::<Vec<_>>() {
            adjusted[i] = adjusted[i].min(ceiling);
            least = least.min(adjusted[i]);
        }
        ceiling = least.next_down();
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::queue::QueueKind;
    use crate::train::tests::{classic, refused, sprints};

    fn evaluation(threads: usize, queue: QueueKind) -> Evaluation {
        let TrainingGames::Classic(config, template) = classic() else { panic!("classic") };
        let games = TrainingGames::Classic(ClassicConfig { queue, threads, ..config }, template);
        Evaluation::new(games, "lines".parse().unwrap()).unwrap()
    }

    fn batch(candidates: &[Vec<f64>]) -> EvaluationBatch {
        EvaluationBatch::new(candidates.to_vec(), 5, 7)
    }

    fn play(
        evaluation: &Evaluation,
        candidates: &[Vec<f64>],
        stop: bool,
    ) -> Result<Option<GenerationGames>> {
        let (batch, stop) = (batch(candidates), AtomicBool::new(stop));
        let played = evaluation.play(&batch, 0..batch.pairs(), &Totals::default(), &stop)?;
        played.map(|played| batch.by_candidate(played)).transpose()
    }

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
        let one = play(&evaluation(1, QueueKind::Uniform), &names, false).unwrap().unwrap();
        let three = play(&evaluation(3, QueueKind::Uniform), &names, false).unwrap().unwrap();
        assert_eq!(one, three);
        assert_eq!((one.len(), one[3].games()), (4, 7));
        assert_eq!(one[0], one[2], "the same controller, the same games");
        assert_ne!(one[0], one[1]);
    }

    #[test]
    fn pairs_may_be_played_apart() {
        let batch = batch(&["bcts", "lee"].map(weights));
        let evaluation = evaluation(2, QueueKind::Uniform);
        let part = |pairs| {
            let played =
                evaluation.play(&batch, pairs, &Totals::default(), &AtomicBool::new(false));
            played.unwrap().unwrap()
        };
        let whole = part(0..14);
        assert_eq!([part(0..5), part(5..6), part(6..14)].concat(), whole);
        assert!(
            batch.by_candidate(part(0..13)).unwrap_err().to_string().contains("13 games of 14")
        );
    }

    #[test]
    fn guideline_games_do_not_depend_on_threads_either() {
        let candidates = [vec![-1.0, 0.5, -2.0, -0.5], vec![1.0, 0.0, 0.0, 0.0]];
        let evaluation =
            |threads| Evaluation::new(sprints(2, threads), Objective::sprint()).unwrap();
        let one = play(&evaluation(1), &candidates, false).unwrap().unwrap();
        assert_eq!(one, play(&evaluation(3), &candidates, false).unwrap().unwrap());
        assert_eq!((one[0].games(), one[0].censored()), (7, 7), "all won");
        assert_eq!(one[1].censored(), 0, "a tower loses");
        assert_eq!(play(&evaluation(2), &candidates, true).unwrap(), None);
    }

    #[test]
    fn a_stop_and_an_error_end_the_queue() {
        assert_eq!(
            play(&evaluation(2, QueueKind::Uniform), &[weights("bcts")], true).unwrap(),
            None
        );
        let short = evaluation(2, QueueKind::script("IOT", false).unwrap());
        let error = play(&short, &vec![weights("bcts"); 50], false).unwrap_err();
        assert!(matches!(error, Error::ScriptEnded { .. }), "{error}");
    }

    fn games(value: f64, count: u64) -> CandidateGames {
        let game = PlayedGame { value, lines: 0, pieces: 1, censored: false };
        CandidateGames(vec![game; count as usize])
    }

    fn mean(games: &CandidateGames) -> f64 {
        games.values().iter().sum::<f64>() / games.games() as f64
    }

    // Race by hand: 5 games for all 8 candidates, 5 more for 4, 10 more for 2.
    #[test]
    fn halving_by_hand() {
        let racing = Racing::Halving { rounds: 3 };
        let mut race = Race::new(racing, 8, 20);
        assert_eq!(race.round(), (&[0, 1, 2, 3, 4, 5, 6, 7][..], 0, 5));
        let worth = [3.0, 9.0, 1.0, 8.0, 7.0, 2.0, 4.0, 6.0];
        assert!(race.take(worth.iter().map(|&value| games(value, 5)).collect(), mean));
        assert_eq!(race.round(), (&[1, 3, 4, 7][..], 5, 5));
        // Candidate 1 falls to 4.5, so candidates 3 and 4 continue.
        assert!(
            race.take([0.0, 8.0, 7.0, 6.0].iter().map(|&value| games(value, 5)).collect(), mean)
        );
        assert_eq!(race.round(), (&[3, 4][..], 10, 10));
        assert!(!race.take([0.0, 7.0].iter().map(|&value| games(value, 10)).collect(), mean));
        let (played, last) = race.end();
        let counts: Vec<u64> = played.iter().map(CandidateGames::games).collect();
        assert_eq!(
            (counts.clone(), last.clone()),
            (vec![5, 10, 5, 20, 20, 5, 5, 10], vec![0, 1, 0, 2, 2, 0, 0, 1])
        );
        assert_eq!((counts.iter().sum::<u64>(), racing.total(8, 20)), (80, 80));
        assert_eq!(Racing::None.total(8, 20), 160);
        // Candidate 3 ended with 4, yet no eliminated candidate ranks above it.
        let scores: Vec<f64> = played.iter().map(mean).collect();
        let told = by_rounds(&scores, &last);
        let mut ranking: Vec<usize> = (0..8).collect();
        ranking.sort_by(|&a, &b| told[b].total_cmp(&told[a]));
        assert_eq!((scores[3], &ranking[..4], ranking[7]), (4.0, &[4, 3, 1, 7][..], 2));
        assert!(told[3] == 4.0 && told[1] < 4.0 && told[1] > 3.999 && told[2] == 1.0, "{told:?}");
    }

    #[test]
    fn everybody_plays_all_without_a_race() {
        let mut race = Race::new(Racing::None, 3, 4);
        assert_eq!(race.round(), (&[0, 1, 2][..], 0, 4));
        assert!(!race.take(vec![games(1.0, 4); 3], mean));
        assert_eq!(by_rounds(&[1.0, 3.0, 2.0], &race.end().1), [1.0, 3.0, 2.0]);
    }

    #[test]
    fn bad_rounds_are_refused() {
        refused(Racing::Halving { rounds: 1 }.check(10), "racing halving:1:");
        refused(Racing::Halving { rounds: 11 }.check(10), "racing halving:11:");
        refused(Racing::Halving { rounds: 4 }.check(7), "games 7");
        assert!(Racing::Halving { rounds: 4 }.check(8).is_ok() && Racing::None.check(1).is_ok());
    }
}
