//! Runs a training in a folder: starts, resumes and finishes it, with its tables, checkpoints and
//! the status for a progress display.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::outcome::{TrainingTotals, Winner, earlier_seconds};
use super::training::{Generation, Training, TrainingState};
use super::{Evaluation, EvaluationBatch, Stop, TrainingPlan, config};
use crate::controller::{PatternLayout, Patterns};
use crate::engine::FolderWriter;
use crate::prelude::*;
use crate::record::{
    Checkpoint, CheckpointState, Field, FileEntry, HistoryRow, Kind, LogFormat, PopulationRow,
    Provenance, Rows, TableSpec, columns, history_fields, open_tables, population_fields, rows_of,
};

/// Name of the controller file that a training writes.
pub const CONTROLLER_FILE: &str = "controller.toml";
/// Name of the file with the pattern tables of a trained controller, if it has cell patterns.
pub const TABLES_FILE: &str = "controller.bin";

/// Invocation of a training: the controller's name and the command line.
#[derive(Clone, Debug)]
pub struct TrainingInvocation {
    /// Controller's name in `controller.toml`.
    pub name: String,
    /// Words of the command line that runs the training.
    pub command: Vec<String>,
    /// Words of the command line that affect the results, to be noted in the controller file.
    pub course: Vec<String>,
    /// Options of the training command, which checkpoints store.
    pub settings: Value,
}

/// Training in progress that writes its tables and checkpoints to a folder.
pub struct Trainer {
    invocation: TrainingInvocation,
    training: Training,
    files: FolderWriter,
    fields: TrainingFields,
    /// Seconds of the training's earlier processes; `None` if a killed process left them unknown.
    earlier: Option<f64>,
    resumed: bool,
    is_early: bool,
}

impl Trainer {
    /// Starts a training in `folder`, or resumes it from its checkpoint `from`. On failure, deletes
    /// a newly created folder.
    pub fn begin(
        plan: &TrainingPlan,
        invocation: TrainingInvocation,
        folder: RunFolder,
        from: Option<&Checkpoint<TrainingState>>,
        watch: Arc<TrainingWatch>,
    ) -> Result<Trainer> {
        let fields = TrainingFields::new(plan);
        let (files, state) = FolderWriter::begin(folder, |folder| {
            let state = match from {
                Some(checkpoint) => plan.state_in(checkpoint)?,
                None => TrainingState::new(plan.start()?),
            };
            let cursors = from.map(|from| &*from.tables);
            Ok((open_tables(folder, fields.tables(), 1, cursors, 0)?, state))
        })?;
        let earlier = from.map_or(Some(0.0), |_| {
            let counts = [("games", state.games), ("pieces", state.pieces)];
            earlier_seconds(files.folder().path(), &counts)
        });
        let training = Training::new(plan.clone(), watch, state);
        let (resumed, is_early) = (from.is_some(), false);
        let mut trainer =
            Trainer { invocation, training, files, fields, earlier, resumed, is_early };
        match trainer.write_checkpoint() {
            Ok(()) => Ok(trainer),
            Err(error) => {
                trainer.files.discard();
                Err(error)
            }
        }
    }

    fn write_checkpoint(&mut self) -> Result<()> {
        let Trainer { files, training, invocation, .. } = self;
        files.write_checkpoint(true, |tables| {
            let (config, state) = (training.plan().recorded_config(), training.state.clone());
            Checkpoint::new(invocation.settings.clone(), config, tables, state)
        })
    }

    /// Returns the training in progress, which requests the games to play.
    #[must_use]
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// Returns the batch of games to play now; `None` if all games of the training were played.
    #[must_use]
    pub fn batch(&self) -> Option<&EvaluationBatch> {
        self.training.batch()
    }

    /// Takes the results of all games of [`Trainer::batch`], in the batch's order. If a generation
    /// is finished, writes a checkpoint and the generation's rows.
    pub fn take(&mut self, played: Vec<PlayedGame>) -> Result<()> {
        let Some(Generation { row, population }) = self.training.take(played)? else {
            return Ok(());
        };
        self.files.end(row.generation, self.fields.rows(row, &population))?;
        self.write_checkpoint()
    }

    /// Writes the training's result; `seconds` has elapsed and mean busy time. Without a finished
    /// generation, fails and deletes a new folder.
    pub fn finish(self, seconds: (f64, f64)) -> Result<Manifest<TrainingPlan>> {
        let Some(leader) = self.training.leader().filter(|_| self.training.generation() > 0) else {
            self.give_up();
            let text = "interrupted before the first generation was done: nothing is kept";
            return config(text.to_owned());
        };
        let Trainer { invocation, training, files, earlier, resumed, is_early, .. } = self;
        let (plan, finals) = (training.plan(), training.finals());
        let held_out = finals.map(|finals| &finals.held_out);
        let winner = Winner::new(plan, leader, training.contenders(), held_out);
        let status = match finals {
            Some(_) if !is_early => Status::Complete,
            _ => Status::Interrupted,
        };
        let done = training.generation();
        let text = winner.toml(plan, &invocation.name, &invocation.course, done, &status);
        let patterns = plan.games.patterns(&winner.finalist.weights)?;
        let controller = put_controller(files.folder(), text, patterns.as_ref())?;
        let mut finished = files.finish(0)?;
        finished.problem.take().map_or(Ok(()), Err)?;
        finished.files.splice(0..0, controller);
        let (wall, busy) = seconds;
        let games = plan.games.plan();
        let level = games.level.map(|level| level.to_string());
        let provenance = finished.provenance((games.threads, level), resumed);
        let elapsed_s = provenance.elapsed_s;
        let totals = TrainingTotals {
            stopped: training.stop_reason().as_ref().map(Stop::to_string),
            generations: (plan.generations, done),
            games: training.state.games,
            pieces: training.state.pieces,
            saved: training.state.saved,
            total_s: earlier.map(|earlier| earlier + elapsed_s),
            outside_share: 1.0 - wall / elapsed_s,
            idle_share: (wall - busy) / elapsed_s,
        };
        let provenance = Provenance { command: invocation.command, ..provenance };
        finished.publish(provenance, status, plan.recorded_config(), totals, Some(winner))
    }

    /// Abandons a failed training; deletes a newly created folder if no generation was finished.
    pub fn give_up(self) {
        if self.training.generation() == 0 {
            self.files.discard();
        }
    }

    /// Plays batches of games until none is left; if `stop` becomes true, drops the current batch.
    pub fn play(
        &mut self,
        evaluation: &Evaluation,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<()> {
        while let Some(batch) = self.batch() {
            let Some(played) = evaluation.play(batch, 0..batch.pairs(), totals, stop)? else {
                break;
            };
            self.take(played)?;
        }
        Ok(())
    }

    /// Plays the games that choose the training's result, until `cut` becomes true.
    pub fn play_finals(
        &mut self,
        evaluation: &Evaluation,
        totals: &Totals,
        cut: &AtomicBool,
    ) -> Result<()> {
        self.is_early |= self.training.end_early();
        match self.training.is_in_finals() {
            true => self.play(evaluation, totals, cut),
            false => Ok(()),
        }
    }
}

pub(super) fn put_controller(
    folder: &RunFolder,
    text: String,
    patterns: Option<&Patterns>,
) -> Result<Vec<FileEntry>> {
    let entry = |name| FileEntry::from_file(folder.path(), name);
    let Some(patterns) = patterns else {
        folder.put(CONTROLLER_FILE, text)?;
        return Ok(vec![entry(CONTROLLER_FILE)?]);
    };
    // The controller refers to its tables, so they are written first.
    folder.put(TABLES_FILE, patterns.bytes())?;
    folder.put(CONTROLLER_FILE, format!("{text}\n{}", patterns.to_toml(Some(TABLES_FILE))))?;
    Ok(vec![entry(CONTROLLER_FILE)?, entry(TABLES_FILE)?])
}

/// Runs a training in `folder`, or resumes it from its checkpoint `from`.
///
/// If `stop` becomes true, the search ends and final games choose the result. If `cut` becomes
/// true, it is chosen without more games. Without a finished generation, a new folder is deleted.
pub fn train(
    plan: &TrainingPlan,
    invocation: TrainingInvocation,
    folder: RunFolder,
    from: Option<&Checkpoint<TrainingState>>,
    watch: &Arc<TrainingWatch>,
    stop: &AtomicBool,
    cut: &AtomicBool,
) -> Result<Manifest<TrainingPlan>> {
    let evaluation = match Evaluation::new(plan.games.clone(), plan.objective.clone()) {
        Ok(evaluation) => evaluation,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    let mut trainer = Trainer::begin(plan, invocation, folder, from, Arc::clone(watch))?;
    let played = trainer.play(&evaluation, &watch.totals, stop);
    match played.and_then(|()| trainer.play_finals(&evaluation, &watch.totals, cut)) {
        Ok(()) => trainer.finish(evaluation.seconds()),
        Err(error) => {
            trainer.give_up();
            Err(error)
        }
    }
}

impl CheckpointState for TrainingState {
    const OF: &'static str = "a training";
    const KIND: Kind = Kind::Training;
    type Config = Value;
}

impl TrainingPlan {
    /// Returns the training state in `checkpoint`, if the checkpoint has the plan's settings.
    pub fn state_in(&self, checkpoint: &Checkpoint<TrainingState>) -> Result<TrainingState> {
        checkpoint.check_config(&self.recorded_config())?;
        let search = self.resume(checkpoint.state.search.clone())?;
        Ok(TrainingState { search, ..checkpoint.state.clone() })
    }
}

pub(super) struct TrainingFields {
    history: Vec<Field<HistoryRow>>,
    population: Option<Vec<Field<PopulationRow>>>,
}

impl TrainingFields {
    pub(super) fn new(plan: &TrainingPlan) -> TrainingFields {
        let mut names = plan.games.names();
        let history = history_fields(&names);
        let population = plan.population_log.then(|| {
            let entries = plan.games.layout().map_or(0, PatternLayout::entries);
            names.extend((0..entries).map(|entry| format!("entry_{entry}")));
            population_fields(&names)
        });
        TrainingFields { history, population }
    }

    pub(super) fn tables(&self) -> Vec<TableSpec> {
        let population = self.population.as_ref().map(|fields| ("population", columns(fields)));
        let all = [("history", columns(&self.history))].into_iter().chain(population);
        all.map(|(name, columns)| TableSpec::new(name, LogFormat::Csv, columns)).collect()
    }

    pub(super) fn rows(&self, row: HistoryRow, population: &[PopulationRow]) -> Vec<Rows> {
        let rows = rows_of(&self.history, &[row]);
        let candidates = self.population.as_ref().map(|fields| rows_of(fields, population));
        [rows].into_iter().chain(candidates).collect()
    }
}

/// Current status of a training, for a progress display.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrainingStatus {
    /// Number of the training's finished generations.
    pub generation: u64,
    /// True once the games that choose the training's result have begun.
    pub finals: bool,
    /// Best and mean value of the objective in the last finished generation of candidates.
    pub last: Option<(f64, f64)>,
    /// Objective's value in the last check of the search's mean (`ga`: best candidate), if any.
    pub held_out: Option<f64>,
    /// Stage of the training: the games played now, and the work after them.
    pub stage: Stage,
}

/// Stage of a training: games played now, such as a generation, and the work expected after them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stage {
    /// Number of games in this stage of the training.
    pub games: u64,
    /// Numbers of games and of pieces played before this stage of the training.
    pub begun: (u64, u64),
    /// Expected pieces per game, used until the first game of this stage ends; `None` if unknown.
    pub guess: Option<f64>,
    /// Expected number of pieces after this stage of the training; `None` if unknown.
    pub after: Option<f64>,
}

/// Counters of a training, shared with a progress display.
#[derive(Debug, Default)]
pub struct TrainingWatch {
    /// Numbers of games and of pieces played so far in the training.
    pub totals: Totals,
    status: Mutex<TrainingStatus>,
}

impl TrainingWatch {
    /// Returns the current status of the training.
    #[must_use]
    pub fn status(&self) -> TrainingStatus {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Estimates the share of the training's pieces that are already placed, from 0 to 1; `None` if
    /// game lengths are unknown.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let Stage { games, begun, guess, after } = self.status().stage;
        let count = |total: &AtomicU64| total.load(Ordering::Relaxed);
        let (ended, pieces) = (count(&self.totals.played), count(&self.totals.pieces));
        let own = ended.saturating_sub(begun.0);
        let per_game = match own {
            0 => guess?,
            _ => pieces.saturating_sub(begun.1) as f64 / own as f64,
        };
        let left = games.saturating_sub(own) as f64 * per_game + after?;
        Some(pieces as f64 / (pieces as f64 + left).max(1.0))
    }

    pub(super) fn begin(&self, games: u64, guess: Option<f64>, after: Option<f64>) {
        let count = |total: &AtomicU64| total.load(Ordering::Relaxed);
        let begun = (count(&self.totals.played), count(&self.totals.pieces));
        self.update(|status| status.stage = Stage { games, begun, guess, after });
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut TrainingStatus)) {
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(watch: &TrainingWatch, games: u64, pieces: u64) {
        watch.totals.played.fetch_add(games, Ordering::Relaxed);
        watch.totals.pieces.fetch_add(pieces, Ordering::Relaxed);
    }

    #[test]
    fn the_finals_are_part_of_the_whole() {
        let watch = TrainingWatch::default();
        assert_eq!(watch.share(), None);
        watch.begin(20, None, None);
        ended(&watch, 20, 200);
        assert_eq!(watch.share(), None, "nobody knows how long a finalist lives");
        watch.begin(20, Some(10.0), Some(1000.0));
        assert_eq!(watch.share(), Some(200.0 / 1400.0));
        ended(&watch, 10, 200);
        assert_eq!(watch.share(), Some(400.0 / 1600.0), "these games are twice as long");
        ended(&watch, 10, 200);
        watch.begin(10, Some(100.0), Some(0.0));
        assert_eq!(watch.share(), Some(600.0 / 1600.0));
        ended(&watch, 9, 1800);
        assert_eq!(watch.share(), Some(2400.0 / 2600.0));
        ended(&watch, 1, 200);
        assert_eq!(watch.share(), Some(1.0));
    }
}
