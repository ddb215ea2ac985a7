//! A training in progress: one generation after another, then the finals.
//!
//! A training plays no game itself. It requests games and takes their results, so the games may be
//! played here or on other machines.

use std::mem::replace;
use std::sync::Arc;

use super::evaluation::{Race, by_rounds};
use super::outcome::{Finalist, Finalists, Origin, ResultSource};
use super::{
    EvaluationBatch, GenerationGames, OptimiserState, RatedCandidate, RobustElite, Stop,
    TrainingPlan, TrainingWatch, config,
};
use crate::prelude::*;
use crate::record::{HistoryRow, PopulationRow};

/// Index of the random stream for games of checks. Finals and elites use other streams, so luck
/// does not repeat.
const CHECK_STREAM: u64 = 0;
const FINALS_STREAM: u64 = 1;
const ELITE_STREAM: u64 = 2;

/// State of a training, from which it resumes bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingState {
    pub(super) search: OptimiserState,
    pub(super) finalists: Finalists,
    pub(super) pool: Vec<RatedCandidate>,
    /// Number of games played in all generations, including games of checks and elite selection.
    pub(super) games: u64,
    pub(super) pieces: u64,
    /// Number of games saved by racing, which gives worse candidates fewer games.
    pub(super) saved: u64,
}

impl TrainingState {
    /// Creates the state of a training before its first generation.
    #[must_use]
    pub fn new(search: OptimiserState) -> TrainingState {
        TrainingState {
            search,
            finalists: Finalists::default(),
            pool: Vec::new(),
            games: 0,
            pieces: 0,
            saved: 0,
        }
    }

    fn count(&mut self, played: &GenerationGames) {
        self.games += played.iter().map(CandidateGames::games).sum::<u64>();
        self.pieces += played.iter().map(CandidateGames::pieces).sum::<u64>();
    }
}

/// Candidate for the result of a training, with its value in the games that choose the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    #[serde(flatten)]
    pub(super) finalist: Finalist,
    pub(super) validation: f64,
}

/// Result of the finals, the games that choose the result of a training.
#[derive(Clone, Debug)]
pub struct Finals {
    /// Candidates for the result with their values in the final games, the winner first.
    pub(super) contenders: Vec<Contender>,
    pub(super) held_out: CandidateGames,
}

/// Rows that a finished generation adds to the tables of a training.
#[derive(Clone, Debug)]
pub struct Generation {
    pub(super) row: HistoryRow,
    pub(super) population: Vec<PopulationRow>,
}

/// Training in progress; the caller plays the games of [`Training::batch`].
#[derive(Debug)]
pub struct Training {
    plan: TrainingPlan,
    watch: Arc<TrainingWatch>,
    /// State of the training after the last finished generation.
    pub state: TrainingState,
    last: Option<LastGeneration>,
    phase: Phase,
    batch: Option<EvaluationBatch>,
}

#[derive(Debug)]
enum Phase {
    Generation(Race),
    Election(Box<Scored>),
    Check(Box<Scored>),
    Finals(Vec<Finalist>),
    HeldOut(Vec<Contender>),
    Over(Finals),
}

#[derive(Debug)]
struct Scored {
    next: TrainingState,
    rows: Generation,
    scores: Vec<f64>,
    leader: Vec<f64>,
    /// Mean pieces per game of all candidates in the last generation, and of its best candidate.
    per_game: (f64, f64),
}

#[derive(Clone, Copy, Debug)]
struct LastGeneration {
    pieces: f64,
    per_game: f64,
    of_best: f64,
}

impl Training {
    /// Creates a training that starts or continues from `state`, and requests its next games.
    #[must_use]
    pub fn new(plan: TrainingPlan, watch: Arc<TrainingWatch>, state: TrainingState) -> Training {
        let (last, phase, batch) = (None, Phase::Generation(Race::default()), None);
        let mut training = Training { plan, watch, state, last, phase, batch };
        training.watch.update(|status| status.generation = training.state.search.generation());
        training.request_next();
        training
    }

    /// Returns the plan (settings) of the training.
    #[must_use]
    pub fn plan(&self) -> &TrainingPlan {
        &self.plan
    }

    /// Returns the batch of games to play now; `None` if all games of the training were played.
    #[must_use]
    pub fn batch(&self) -> Option<&EvaluationBatch> {
        self.batch.as_ref()
    }

    /// Takes the results of all games of [`Training::batch`], in the batch's order. Returns the
    /// rows of a finished generation, and requests the next games.
    pub fn take(&mut self, played: Vec<PlayedGame>) -> Result<Option<Generation>> {
        let Some(batch) = &self.batch else {
            return config("the training is over: it takes no more results".to_owned());
        };
        let played = batch.by_candidate(played)?;
        match replace(&mut self.phase, Phase::Generation(Race::default())) {
            Phase::Generation(mut race) => {
                let score = |games: &CandidateGames| {
                    self.plan.objective.score(self.plan.objective.value(games))
                };
                if race.take(played, score) {
                    self.request_round(race);
                    return Ok(None);
                }
                self.score(race)
            }
            Phase::Election(scored) => self.elect(*scored, &played),
            Phase::Check(scored) => Ok(Some(self.check(*scored, &played))),
            Phase::Finals(finalists) => {
                self.rank(finalists, &played);
                Ok(None)
            }
            Phase::HeldOut(contenders) => {
                self.finish(contenders, played);
                Ok(None)
            }
            Phase::Over(finals) => {
                self.phase = Phase::Over(finals);
                Ok(None)
            }
        }
    }

    /// Returns the result of the finals and the held-out games; `None` before both are played.
    #[must_use]
    pub fn finals(&self) -> Option<&Finals> {
        match &self.phase {
            Phase::Over(finals) => Some(finals),
            _ => None,
        }
    }

    /// Returns the candidates for the result with their values in the final games, winner first.
    #[must_use]
    pub fn contenders(&self) -> &[Contender] {
        match &self.phase {
            Phase::HeldOut(contenders) => contenders,
            Phase::Over(finals) => &finals.contenders,
            _ => &[],
        }
    }

    /// Returns true from the beginning of the games that choose the training's result.
    #[must_use]
    pub fn is_in_finals(&self) -> bool {
        matches!(self.phase, Phase::Finals(_) | Phase::HeldOut(_) | Phase::Over(_))
    }

    /// Begins the finals and returns true, unless no generation is finished or finals have begun.
    pub fn end_early(&mut self) -> bool {
        if self.generation() == 0 || self.is_in_finals() {
            return false;
        }
        self.begin_finals();
        true
    }

    /// Returns the number of the training's finished generations.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.search.generation()
    }

    /// Returns the optimiser's reason to stop, if there is one.
    #[must_use]
    pub fn stop_reason(&self) -> Option<Stop> {
        self.state.search.stop()
    }

    /// Returns the candidate that would be the training's result now, without another game.
    #[must_use]
    pub fn leader(&self) -> Option<Finalist> {
        self.state.finalists.leader(self.plan.answer, self.mean())
    }

    fn request_next(&mut self) {
        if self.generation() >= self.plan.generations || self.stop_reason().is_some() {
            return self.begin_finals();
        }
        let (candidates, games) = (self.state.search.ask().len(), self.plan.games.plan().games);
        self.announce_generation(self.plan.racing.total(candidates, games));
        self.request_round(Race::new(self.plan.racing, candidates, games));
    }

    fn request_round(&mut self, race: Race) {
        let (going, first, games) = race.round();
        let all = self.state.search.ask();
        let candidates = going.iter().map(|&candidate| all[candidate].clone()).collect();
        let seed = self.plan.games_seed(self.generation());
        self.batch = Some(EvaluationBatch { first, ..self.new_batch(candidates, seed, games) });
        self.phase = Phase::Generation(race);
    }

    fn new_batch(&self, candidates: Vec<Vec<f64>>, seed: u64, games: u64) -> EvaluationBatch {
        let batch = EvaluationBatch::new(candidates, seed, games);
        match self.plan.objective.estimates() {
            Some(_) => batch.piloted(self.state.search.mean()),
            None => batch,
        }
    }

    fn announce_generation(&self, games: u64) {
        let later = self.plan.generations.saturating_sub(self.generation() + 1) as f64;
        let finals = self.plan.most_finals() as f64;
        let after = self.last.map(|last| later * last.pieces + finals * last.of_best);
        self.watch.begin(games, self.last.map(|last| last.per_game), after);
    }

    fn score(&mut self, race: Race) -> Result<Option<Generation>> {
        let generation = self.generation();
        // A copy of the state is changed, and replaces the state when the generation is finished. A
        // check or an election may fail before, and a checkpoint never contains half a generation.
        let mut next = self.state.clone();
        let (played, rounds) = race.end();
        next.count(&played);
        let values: Vec<f64> =
            played.iter().map(|games| self.plan.objective.value(games)).collect();
        let scores: Vec<f64> =
            values.iter().map(|&value| self.plan.objective.score(value)).collect();
        let scores = by_rounds(&scores, &rounds);
        let mut rows = tables(generation, &next.search, &played, values);
        rows.row.error = self.typical_error(&played);
        rows.row.saved =
            (played.len() as u64 * self.plan.games.plan().games).saturating_sub(rows.row.games);
        next.saved += rows.row.saved;
        let best = index_of_best(&scores);
        rows.row.best = rows.row.values[best];
        let leader = next.search.ask()[best].clone();
        self.note(&mut next, Origin::Best(generation), scores[best], &leader);
        let per_game = |games: &CandidateGames| games.pieces() as f64 / games.games().max(1) as f64;
        let mean = played.iter().map(per_game).sum::<f64>() / played.len() as f64;
        let scored =
            Scored { next, rows, scores, leader, per_game: (mean, per_game(&played[best])) };
        self.learn(scored)
    }

    /// Returns the root mean square of the standard errors of the candidates' scores, if known.
    fn typical_error(&self, played: &GenerationGames) -> Option<f64> {
        let errors: Option<Vec<f64>> =
            played.iter().map(|games| self.plan.objective.error(games)).collect();
        let errors = errors.filter(|errors| !errors.is_empty())?;
        let squares: f64 = errors.iter().map(|error| error * error).sum();
        Some((squares / errors.len() as f64).sqrt())
    }

    fn learn(&mut self, mut scored: Scored) -> Result<Option<Generation>> {
        let (Some(robust), OptimiserState::Cem(_)) = (self.plan.robust(), &scored.next.search)
        else {
            scored.next.search.tell(&scored.scores)?;
            return Ok(self.check_or_finish(scored));
        };
        let mut stream =
            Stream::new(self.plan.games.plan().seed, Purpose::EliteDraws, self.generation());
        let (scores, pool) = (&scored.scores, &scored.next.pool);
        let candidates = robust.nominate(scored.next.search.ask(), scores, pool, &mut stream);
        let seed = self.plan.seed(Purpose::ValidationGames, ELITE_STREAM);
        self.phase = Phase::Election(Box::new(scored));
        self.batch = Some(self.new_batch(candidates, seed, robust.games));
        Ok(None)
    }

    fn elect(
        &mut self,
        mut scored: Scored,
        played: &GenerationGames,
    ) -> Result<Option<Generation>> {
        let Scored { next, scores, .. } = &mut scored;
        next.count(played);
        let nominated = self.batch.iter().flat_map(|batch| batch.candidates.clone());
        if let (Some(robust), OptimiserState::Cem(search)) = (self.plan.robust(), &mut next.search)
        {
            let veteran =
                |(weights, games)| RatedCandidate { weights, score: self.rate(robust, games) };
            let nominated = nominated.zip(played).map(veteran).collect();
            let (elite, iteration) = (search.elite(), self.state.search.generation() + 1);
            let elite = robust.elect(nominated, elite, iteration, &mut next.pool);
            search.tell_elite(scores, &elite)?;
        }
        Ok(self.check_or_finish(scored))
    }

    fn rate(&self, robust: &RobustElite, games: &CandidateGames) -> f64 {
        let score = |value: f64| self.plan.objective.score(value);
        robust.rate(&games.values().into_iter().map(score).collect::<Vec<_>>())
    }

    fn check_or_finish(&mut self, mut scored: Scored) -> Option<Generation> {
        let done = scored.next.search.generation();
        if self.plan.answer == ResultSource::Average {
            let mean = scored.next.search.mean();
            scored.next.finalists.remember(&mean);
        }
        if self.plan.check_every == 0 || !done.is_multiple_of(self.plan.check_every) {
            return Some(self.finish_generation(scored));
        }
        let mean = self.plan.options.has_mean().then(|| scored.next.search.mean());
        let candidates = vec![mean.unwrap_or_else(|| scored.leader.clone())];
        let seed = self.plan.seed(Purpose::ValidationGames, CHECK_STREAM);
        self.phase = Phase::Check(Box::new(scored));
        // A batch with a single candidate uses games of that candidate to place the levels.
        self.batch = Some(EvaluationBatch::new(candidates, seed, self.plan.check_games));
        None
    }

    fn check(&mut self, mut scored: Scored, played: &GenerationGames) -> Generation {
        scored.next.count(played);
        let value = self.plan.objective.value(&played[0]);
        scored.rows.row.held_out = Some(value);
        scored.rows.row.held_out_error = self.plan.objective.error(&played[0]);
        if self.plan.options.has_mean() {
            let (done, mean) = (scored.next.search.generation(), scored.next.search.mean());
            let score = self.plan.objective.score(value);
            self.note(&mut scored.next, Origin::Mean(done), score, &mean);
        }
        self.finish_generation(scored)
    }

    fn finish_generation(&mut self, Scored { next, rows, per_game, .. }: Scored) -> Generation {
        let pieces = (next.pieces - self.state.pieces) as f64;
        self.last = Some(LastGeneration { pieces, per_game: per_game.0, of_best: per_game.1 });
        // The state changes last: earlier steps may fail and must leave the old state intact.
        self.state = next;
        let (row, generation) = (&rows.row, self.generation());
        self.watch.update(|status| {
            status.generation = generation;
            status.last = Some((row.best, row.mean()));
            status.held_out = row.held_out.or(status.held_out);
        });
        self.request_next();
        rows
    }

    fn begin_finals(&mut self) {
        let finalists = self.state.finalists.competing(self.plan.answer, self.mean());
        let games = finalists.len() as u64 * self.plan.final_games + self.plan.held_out_games;
        self.watch.update(|status| status.finals = true);
        self.watch.begin(games, self.last.map(|last| last.of_best), Some(0.0));
        let candidates = finalists.iter().map(|finalist| finalist.weights.clone()).collect();
        let seed = self.plan.seed(Purpose::ValidationGames, FINALS_STREAM);
        self.phase = Phase::Finals(finalists);
        self.batch = Some(self.new_batch(candidates, seed, self.plan.final_games));
    }

    fn rank(&mut self, finalists: Vec<Finalist>, played: &GenerationGames) {
        let contender = |(finalist, games): (Finalist, &CandidateGames)| Contender {
            finalist,
            validation: self.plan.objective.value(games),
        };
        let mut contenders: Vec<Contender> =
            finalists.into_iter().zip(played).map(contender).collect();
        let score = |contender: &Contender| self.plan.objective.score(contender.validation);
        contenders.sort_by(|a, b| score(b).total_cmp(&score(a)));
        let candidates =
            contenders.iter().take(1).map(|one| one.finalist.weights.clone()).collect();
        let seed = self.plan.seed(Purpose::HeldOutGames, 0);
        self.phase = Phase::HeldOut(contenders);
        self.batch = Some(EvaluationBatch::new(candidates, seed, self.plan.held_out_games));
    }

    fn finish(&mut self, contenders: Vec<Contender>, played: GenerationGames) {
        self.batch = None;
        if let Some(held_out) = played.into_iter().next() {
            self.phase = Phase::Over(Finals { contenders, held_out });
        }
    }

    fn mean(&self) -> Option<Finalist> {
        let (origin, weights) = (Origin::Mean(self.generation()), self.state.search.mean());
        self.plan.options.has_mean().then_some(Finalist { origin, score: None, weights })
    }

    fn note(&self, state: &mut TrainingState, origin: Origin, score: f64, weights: &[f64]) {
        let finalist = Finalist { origin, score: Some(score), weights: weights.to_vec() };
        state.finalists.offer(finalist, self.plan.finalists);
    }
}

fn tables(
    generation: u64,
    search: &OptimiserState,
    played: &GenerationGames,
    values: Vec<f64>,
) -> Generation {
    let candidate = |(index, played): (usize, &CandidateGames)| PopulationRow {
        generation,
        candidate: index as u64,
        value: values[index],
        censored: played.censored(),
        pieces: played.pieces(),
        weights: search.ask()[index].clone(),
    };
    let population: Vec<PopulationRow> = played.iter().enumerate().map(candidate).collect();
    let row = HistoryRow {
        generation,
        best: f64::NAN,
        held_out: None,
        games: played.iter().map(CandidateGames::games).sum(),
        censored: population.iter().map(|row| row.censored).sum(),
        pieces: population.iter().map(|row| row.pieces).sum(),
        weight_mean: search.mean(),
        weight_sd: search.sd(),
        values,
        error: None,
        held_out_error: None,
        saved: 0,
        restarts: search.restarts(),
    };
    Generation { row, population }
}

fn index_of_best(scores: &[f64]) -> usize {
    let better = |best: usize, i: usize| if scores[i] > scores[best] { i } else { best };
    (0..scores.len()).reduce(better).unwrap_or(0)
}
