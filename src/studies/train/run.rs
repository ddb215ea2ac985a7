//! A training in its folder: start, resume, finish.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

use serde_json::Value;

use super::checkpoint::{Tables, TrainCheckpoint, earlier_seconds, tables};
use super::outcome::{TrainManifest, Winner};
use super::training::{Generation, Training, TrainingState};
use super::{Evaluation, EvaluationBatch, PlayedGame, Stop, TrainingPlan, TrainingWatch, config};
use crate::engine::Totals;
use crate::error::Result;
use crate::record::{
    COMMIT, FileEntry, PROGRAM, ResumePoint, RunFolder, Status, TrainingTable, VERSION, cpu_name,
    utc_time, write_manifest,
};

/// Name of the controller's file.
pub const CONTROLLER: &str = "controller.toml";

/// Invocation of a training: the controller's name and the command.
#[derive(Clone, Debug)]
pub struct TrainingInvocation {
    /// Controller's name in `controller.toml`.
    pub name: String,
    /// Command line.
    pub command: Vec<String>,
    /// Words of the command line that affect the course of the training, for the `source` in the
    /// controller's file.
    pub course: Vec<String>,
    /// Options that checkpoints store, in the command's own form.
    pub settings: Value,
}

/// A training in its folder, which writes its tables and checkpoints. The caller plays the
/// requested games, on any machine, and returns their results.
pub struct Trainer {
    invocation: TrainingInvocation,
    training: Training,
    folder: RunFolder,
    tables: Tables,
    started: (SystemTime, Instant),
    /// Seconds of the earlier parts, if they are known.
    earlier: Option<f64>,
    resumed: bool,
    is_early: bool,
}

impl Trainer {
    /// Starts a training in a folder or resumes it from the checkpoint there. If that fails in a
    /// new folder, the folder is deleted.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the plan is invalid or the checkpoint belongs to another
    /// plan. [`crate::error::Error::Io`] if the folder can't be written.
    pub fn begin(
        plan: &TrainingPlan,
        invocation: TrainingInvocation,
        folder: RunFolder,
        from: Option<&TrainCheckpoint>,
        watch: Arc<TrainingWatch>,
    ) -> Result<Trainer> {
        let started = (SystemTime::now(), Instant::now());
        let prepare = || {
            let state = match from {
                Some(checkpoint) => checkpoint.state_of(plan)?,
                None => TrainingState::new(plan.start()?),
            };
            Ok((state, tables(&folder, plan, from)?))
        };
        let (state, tables) = match prepare() {
            Ok(prepared) => prepared,
            Err(error) => {
                folder.discard();
                return Err(error);
            }
        };
        let earlier = from.map_or(Some(0.0), |_| earlier_seconds(folder.path(), &state));
        let training = Training::new(plan.clone(), watch, state);
        let (resumed, is_early) = (from.is_some(), false);
        let mut trainer =
            Trainer { invocation, training, folder, tables, started, earlier, resumed, is_early };
        match trainer.write_checkpoint() {
            Ok(()) => Ok(trainer),
            Err(error) => {
                trainer.discard();
                Err(error)
            }
        }
    }

    /// Writes the tables before the checkpoint, so that the checkpoint never refers to rows that
    /// are not on disk.
    fn write_checkpoint(&mut self) -> Result<()> {
        let (history, population) = &mut self.tables;
        let history = history.sync()?;
        let population = population.as_mut().map(TrainingTable::sync).transpose()?;
        let checkpoint = TrainCheckpoint {
            version: VERSION.to_owned(),
            settings: self.invocation.settings.clone(),
            plan: self.training.plan().entry(),
            state: self.training.state.clone(),
            tables: [history].into_iter().chain(population).collect(),
        };
        checkpoint.write(self.folder.path())
    }

    /// Deletes a new folder with nothing to keep.
    fn discard(self) {
        // Tables are closed first, since some systems can't delete open files.
        drop(self.tables);
        self.folder.discard();
    }

    /// Returns the training in progress.
    #[must_use]
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// Returns the games to play now; `None` if all games were played.
    #[must_use]
    pub fn batch(&self) -> Option<&EvaluationBatch> {
        self.training.batch()
    }

    /// Takes the results of the pairs of [`Trainer::batch`], in order. Writes the rows of a
    /// generation that is then complete.
    ///
    /// # Errors
    /// The errors of [`Training::take`]; [`crate::error::Error::Io`] if the folder can't be
    /// written.
    pub fn take(&mut self, played: Vec<PlayedGame>) -> Result<()> {
        let Some(Generation { row, population }) = self.training.take(played)? else {
            return Ok(());
        };
        let (generation, (history, candidates)) = (row.generation, &mut self.tables);
        history.add(generation, &[row])?;
        if let Some(candidates) = candidates {
            candidates.add(generation, &population)?;
        }
        self.write_checkpoint()
    }

    /// Finishes the training, or stops it so that it can be resumed, and writes the controller and
    /// `train.json`. `seconds` holds the seconds in which games were played, and the mean seconds
    /// of play per thread.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if no generation is complete; nothing is kept then.
    /// [`crate::error::Error::Io`] if the folder can't be written.
    pub fn finish(self, seconds: (f64, f64)) -> Result<TrainManifest> {
        let Some(leader) = self.training.leader().filter(|_| self.training.generation() > 0) else {
            self.give_up();
            let text = "interrupted before the first generation was done: nothing is kept";
            return config(text.to_owned());
        };
        let Trainer { invocation, training, folder, tables, started, earlier, resumed, is_early } =
            self;
        let (plan, finals) = (training.plan(), training.finals());
        let held_out = finals.map(|finals| &finals.held_out);
        let winner = Winner::of(plan, leader, training.contenders(), held_out);
        let status = match finals {
            Some(_) if !is_early => Status::Complete,
            _ => Status::Interrupted,
        };
        let done = training.generation();
        let text = winner.toml(plan, &invocation.name, &invocation.course, done, &status);
        folder.put(CONTROLLER, &text)?;
        let controller = FileEntry::of_text(folder.path(), CONTROLLER)?;
        let history = tables.0.finish(&folder)?;
        let population = tables.1.map(|table| table.finish(&folder)).transpose()?;
        let ((began, clock), (wall, busy)) = (started, seconds);
        let elapsed_s = clock.elapsed().as_secs_f64();
        let manifest = TrainManifest {
            program: PROGRAM,
            version: VERSION,
            commit: COMMIT,
            status,
            stopped: training.verdict().as_ref().map(Stop::to_string),
            command: invocation.command,
            plan: plan.entry(),
            generations: (plan.generations, done),
            games: training.state.games,
            pieces: training.state.pieces,
            saved: training.state.saved,
            winner,
            threads: plan.games.threads(),
            simd: plan.games.level().to_string(),
            cpu: cpu_name(),
            started: utc_time(began),
            finished: utc_time(SystemTime::now()),
            elapsed_s,
            total_s: earlier.map(|earlier| earlier + elapsed_s),
            outside_share: 1.0 - wall / elapsed_s,
            idle_share: (wall - busy) / elapsed_s,
            resumed,
            files: [controller, history].into_iter().chain(population).collect(),
        };
        write_manifest(&folder, "train.json", &manifest, None)?;
        Ok(manifest)
    }

    /// Abandons a failed training. A new folder with nothing to keep is deleted.
    pub fn give_up(self) {
        if self.training.generation() == 0 {
            self.discard();
        }
    }

    /// Plays batches of games until no more are needed or `stop` is raised. Games in play are
    /// dropped after a stop.
    ///
    /// # Errors
    /// The errors of [`Evaluation::play`] and [`Trainer::take`].
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

    /// Plays the finals of the finished generations, unless `cut` is raised. Does nothing before
    /// the first generation or after the finals.
    ///
    /// # Errors
    /// The errors of [`Trainer::play`].
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

/// Trains into a folder or resumes from a checkpoint there.
///
/// If `stop` is raised, the generation in play is dropped and the finals of the earlier ones choose
/// the result. If `cut` is raised, the result is chosen without more games. The folder can be
/// resumed in both cases. A new folder with nothing to keep is deleted.
///
/// # Errors
/// [`crate::error::Error::Config`] if the plan is invalid, the checkpoint belongs to another plan,
/// or nothing was finished before the stop. [`crate::error::Error::Io`] if the folder can't be
/// written.
pub fn train(
    plan: &TrainingPlan,
    invocation: TrainingInvocation,
    folder: RunFolder,
    from: Option<&TrainCheckpoint>,
    watch: &Arc<TrainingWatch>,
    stop: &AtomicBool,
    cut: &AtomicBool,
) -> Result<TrainManifest> {
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
