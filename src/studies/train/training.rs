//! A training in progress: generation after generation, then the finals.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::evaluate::{Arena, Batch};
use super::finalists::{Finalist, Finalists, Origin};
use super::games::Played;
use super::robust::{Samples, Veteran};
use super::{Optimiser, Plan, RobustElite, Search, Stop, Watch};
use crate::error::Result;
use crate::record::{HistoryRow, PopulationRow};
use crate::rng::{Purpose, Stream, stream_seed};

/// Validation games of the checks, the finals and robust elites: streams of their own.
const CHECKS: u64 = 0;
const FINALS: u64 = 1;
const ELITES: u64 = 2;

/// All that changes in a training: what is stored between two generations goes on to the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The optimiser's.
    pub search: Search,
    /// Who competes at the end.
    pub finalists: Finalists,
    /// Earlier elites, for robust elite selection.
    pub pool: Vec<Veteran>,
    /// Games of all generations, checks and validation games included.
    pub games: u64,
    /// Their pieces.
    pub pieces: u64,
}

impl State {
    /// Before the first generation.
    #[must_use]
    pub fn new(search: Search) -> State {
        State { search, finalists: Finalists::default(), pool: Vec::new(), games: 0, pieces: 0 }
    }
}

/// A finalist after the finals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contender {
    /// Who it is.
    #[serde(flatten)]
    pub finalist: Finalist,
    /// Its objective on the games of the finals.
    pub validation: f64,
}

/// What the finals bring.
#[derive(Clone, Debug)]
pub struct Finals {
    /// All that competed, the winner first.
    pub contenders: Vec<Contender>,
    /// The winner's held-out games, by which nothing was chosen.
    pub held_out: Played,
}

/// A training at work.
pub struct Training<'a> {
    plan: &'a Plan,
    arena: &'a Arena,
    watch: &'a Watch,
    stop: &'a AtomicBool,
    /// What it has come to.
    pub state: State,
    /// The last generation, for those who look on.
    last: Option<Last>,
}

/// How long the games of a generation were.
#[derive(Clone, Copy)]
struct Last {
    /// All its pieces.
    pieces: f64,
    /// Pieces per game of its candidates.
    per_game: f64,
    /// Those of its best candidate.
    of_best: f64,
}

impl<'a> Training<'a> {
    /// A training that goes on from a state.
    #[must_use]
    pub fn new(
        plan: &'a Plan,
        arena: &'a Arena,
        watch: &'a Watch,
        stop: &'a AtomicBool,
        state: State,
    ) -> Training<'a> {
        let training = Training { plan, arena, watch, stop, state, last: None };
        watch.tell(|standing| standing.generation = training.generation());
        training
    }

    /// Generations done.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.search.generation()
    }

    /// Why it is over, apart from its number of generations.
    #[must_use]
    pub fn verdict(&self) -> Option<Stop> {
        self.state.search.stop()
    }

    /// Plays a generation and learns from it; `None` when it was stopped, which changes nothing.
    ///
    /// # Errors
    /// As [`Arena::play`] and [`Optimiser::tell`].
    pub fn step(&mut self) -> Result<Option<(HistoryRow, Vec<PopulationRow>)>> {
        let generation = self.generation();
        let mut next = self.state.clone();
        let seed = self.training_seed(generation);
        let (weights, games) = (next.search.ask().to_vec(), self.plan.games.games());
        self.tell_of_generation(weights.len() as u64 * games);
        let Some(batch) = self.play(&mut next, weights, seed, games)? else { return Ok(None) };
        let values: Vec<f64> = batch.iter().map(|rows| self.plan.objective.value(rows)).collect();
        let scores: Vec<f64> =
            values.iter().map(|&value| self.plan.objective.score(value)).collect();
        let (population, mut row) = tables(generation, &next.search, &batch, values);
        let best = first_best(&scores);
        row.best = row.values[best];
        let leader = next.search.ask()[best].clone();
        self.note(&mut next, Origin::Best(generation), scores[best], &leader);
        if !self.learn(&mut next, &scores)? || !self.check(&mut next, &leader, &mut row)? {
            return Ok(None);
        }
        let per_game = |rows: &Played| rows.pieces() as f64 / rows.games().max(1) as f64;
        self.last = Some(Last {
            pieces: (next.pieces - self.state.pieces) as f64,
            per_game: batch.iter().map(per_game).sum::<f64>() / batch.len() as f64,
            of_best: per_game(&batch[best]),
        });
        self.state = next;
        self.watch.tell(|standing| {
            standing.generation = generation + 1;
            standing.last = Some((row.best, row.mean()));
            standing.held_out = row.held_out.or(standing.held_out);
        });
        Ok(Some((row, population)))
    }

    /// Tells those who look on of the games of a generation, and what comes after them: generations
    /// like the last one, and finals whose games are as long as those of its best candidate.
    fn tell_of_generation(&self, games: u64) {
        let later = self.plan.generations.saturating_sub(self.generation() + 1) as f64;
        let finals = self.plan.most_finals() as f64;
        let after = self.last.map(|last| later * last.pieces + finals * last.of_best);
        self.watch.begin(games, self.last.map(|last| last.per_game), after);
    }

    /// The candidate that would be the answer now, without another game.
    #[must_use]
    pub fn leader(&self) -> Option<Finalist> {
        self.state.finalists.leader(self.plan.answer, self.mean())
    }

    /// The finalists play, then the winner plays held-out games; `None` when that was stopped.
    ///
    /// # Errors
    /// As [`Arena::play`].
    pub fn finals(&mut self) -> Result<Option<Finals>> {
        self.watch.tell(|standing| standing.finals = true);
        let mut state = self.state.clone();
        let finalists = state.finalists.competing(self.plan.answer, self.mean());
        let weights: Vec<_> = finalists.iter().map(|finalist| finalist.weights.clone()).collect();
        let games = weights.len() as u64 * self.plan.final_games + self.plan.held_out_games;
        self.watch.begin(games, self.last.map(|last| last.of_best), Some(0.0));
        let seed = self.seed(Purpose::ValidationGames, FINALS);
        let Some(batch) = self.play(&mut state, weights, seed, self.plan.final_games)? else {
            return Ok(None);
        };
        let contender = |(finalist, rows): (Finalist, &Played)| Contender {
            finalist,
            validation: self.plan.objective.value(rows),
        };
        let mut contenders: Vec<Contender> =
            finalists.into_iter().zip(&batch).map(contender).collect();
        let score = |contender: &Contender| self.plan.objective.score(contender.validation);
        contenders.sort_by(|a, b| score(b).total_cmp(&score(a)));
        let winner = contenders.iter().take(1).map(|one| one.finalist.weights.clone()).collect();
        let seed = self.seed(Purpose::HeldOutGames, 0);
        let held_out = self.play(&mut state, winner, seed, self.plan.held_out_games)?;
        let held_out = held_out.and_then(|batch| batch.into_iter().next());
        Ok(held_out.map(|held_out| Finals { contenders, held_out }))
    }

    /// The mean after the last generation, if the optimiser has one.
    fn mean(&self) -> Option<Finalist> {
        let (origin, weights) = (Origin::Mean(self.generation()), self.state.search.mean());
        self.plan.has_mean().then_some(Finalist { origin, score: None, weights })
    }

    fn seed(&self, purpose: Purpose, index: u64) -> u64 {
        stream_seed(self.plan.games.seed(), purpose, index)
    }

    fn training_seed(&self, generation: u64) -> u64 {
        let index = if self.plan.repeat_games { 0 } else { generation };
        self.seed(Purpose::TrainingGames, index)
    }

    fn play(
        &self,
        state: &mut State,
        weights: Vec<Vec<f64>>,
        seed: u64,
        games: u64,
    ) -> Result<Option<Batch>> {
        let batch = self.arena.play(&weights, seed, games, &self.watch.totals, self.stop)?;
        for played in batch.iter().flatten() {
            state.games += played.games();
            state.pieces += played.pieces();
        }
        Ok(batch)
    }

    fn note(&self, state: &mut State, origin: Origin, score: f64, weights: &[f64]) {
        let finalist = Finalist { origin, score: Some(score), weights: weights.to_vec() };
        state.finalists.offer(finalist, self.plan.finalists);
    }

    /// Tells the optimiser; whether it was not stopped.
    fn learn(&self, state: &mut State, scores: &[f64]) -> Result<bool> {
        let Some(robust) = self.plan.robust() else {
            return state.search.tell(scores).map(|()| true);
        };
        let Some(elite) = self.elect(robust, state, scores)? else { return Ok(false) };
        if let Search::Cem(search) = &mut state.search {
            search.tell_elite(scores, &elite)?;
        }
        Ok(true)
    }

    fn elect(
        &self,
        robust: &RobustElite,
        state: &mut State,
        scores: &[f64],
    ) -> Result<Option<Samples>> {
        let generation = self.generation();
        let Search::Cem(search) = &state.search else { return Ok(None) };
        let elite = search.elite();
        let mut stream = Stream::new(self.plan.games.seed(), Purpose::EliteDraws, generation);
        let nominated = robust.nominate(search.ask(), scores, &state.pool, &mut stream);
        let seed = self.seed(Purpose::ValidationGames, ELITES);
        let Some(batch) = self.play(state, nominated.clone(), seed, robust.games)? else {
            return Ok(None);
        };
        let rate = |rows: &Played| {
            let each = self.plan.objective.each(rows).into_iter();
            robust.rate(&each.map(|value| self.plan.objective.score(value)).collect::<Vec<_>>())
        };
        let veteran = |(weights, rows)| Veteran { weights, score: rate(rows) };
        let nominated = nominated.into_iter().zip(&batch).map(veteran).collect();
        Ok(Some(robust.elect(nominated, elite, generation + 1, &mut state.pool)))
    }

    /// Plays the check that is due, if one is; whether it was not stopped.
    fn check(&self, state: &mut State, leader: &[f64], row: &mut HistoryRow) -> Result<bool> {
        let done = state.search.generation();
        if self.plan.check_every == 0 || !done.is_multiple_of(self.plan.check_every) {
            return Ok(true);
        }
        let mean = self.plan.has_mean().then(|| state.search.mean());
        let weights = mean.clone().unwrap_or_else(|| leader.to_vec());
        let seed = self.seed(Purpose::ValidationGames, CHECKS);
        let Some(batch) = self.play(state, vec![weights], seed, self.plan.check_games)? else {
            return Ok(false);
        };
        let value = self.plan.objective.value(&batch[0]);
        row.held_out = Some(value);
        if let Some(mean) = mean {
            self.note(state, Origin::Mean(done), self.plan.objective.score(value), &mean);
        }
        Ok(true)
    }
}

/// The rows of a generation that has been played.
fn tables(
    generation: u64,
    search: &Search,
    batch: &Batch,
    values: Vec<f64>,
) -> (Vec<PopulationRow>, HistoryRow) {
    let candidate = |(place, played): (usize, &Played)| PopulationRow {
        generation,
        candidate: place as u64,
        value: values[place],
        censored: played.censored(),
        pieces: played.pieces(),
        weights: search.ask()[place].clone(),
    };
    let population: Vec<PopulationRow> = batch.iter().enumerate().map(candidate).collect();
    let row = HistoryRow {
        generation,
        best: f64::NAN,
        held_out: None,
        games: batch.iter().map(Played::games).sum(),
        censored: population.iter().map(|row| row.censored).sum(),
        pieces: population.iter().map(|row| row.pieces).sum(),
        weight_mean: search.mean(),
        weight_sd: search.sd(),
        values,
    };
    (population, row)
}

/// The place of the first of the largest scores.
fn first_best(scores: &[f64]) -> usize {
    let better = |best: usize, i: usize| if scores[i] > scores[best] { i } else { best };
    (0..scores.len()).reduce(better).unwrap_or(0)
}
