//! Runs `tetrastat train`: optimises the weights of a controller.

pub(crate) mod games;
pub(crate) mod layers;
pub(crate) mod method;
pub(crate) mod options;
pub(crate) mod show;
pub(crate) mod td;
pub mod trainings;
pub(crate) mod windows;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{bail, ensure};
use serde_json::{Value, json};

use crate::cli::commands::train::layers::{Layered, RUN_CONTROL_OPTIONS};
use crate::cli::commands::train::options::Options;
use crate::cli::commands::train::show::show;
use crate::cli::commands::train::td::RequestedLearning;
use crate::cli::console::Console;
use crate::cli::console::interrupt::{StopFlags, TimeBudget, cut_late};
use crate::cli::console::opening::{
    OutputRequest, RESUME, RESUMED, RecordedCommand, VIEW, open_run,
};
use crate::cli::console::output::Outcome;
use crate::cli::console::viewing::{View, with_view};
use crate::cli::options::settings::{ParsedArgs, Settings};
use crate::cli::reports::train::{report, with_training};
use crate::error::name_problem;
use crate::record::{ResumePoint, RunFolder, Status, command_line, plain_name, shell_path};
use crate::train::{
    TrainCheckpoint, TrainManifest, TrainingInvocation, TrainingPlan, TrainingWatch, train,
};

/// Name of the command `train` in checkpoints.
const NAME: &str = "train";

/// Names of `--resume` and of the options that it may be combined with.
const OPTIONS_WITH_RESUME: [&str; 7] =
    [RESUME, VIEW, "generations", "minutes", "threads", "simd", "format"];

/// Minimum time that the finals of an interrupted training may take.
const FINALS_TIME: Duration = Duration::from_secs(60);

/// Message after the first Ctrl-C.
const STOPPING: &str = "stopping: the finals choose the result, for at most a minute or a tenth \
    of the time so far (again to skip them)";

/// A training that was requested, with its plan.
pub(crate) struct RequestedTraining {
    layered: Layered,
    begun: RecordedCommand,
    /// Checkpoint from which the training resumes, if any.
    from: Option<TrainCheckpoint>,
    pub(crate) plan: TrainingPlan,
    name: String,
}

/// Folder of a training, and the checkpoint in the folder, if there is one.
pub(crate) type Opened = (RunFolder, Option<TrainCheckpoint>);

pub(crate) fn run(console: &Console, given: ParsedArgs<Options>) -> anyhow::Result<Outcome> {
    let given = match RequestedLearning::of(given)? {
        Ok(asked) => return asked.run(console),
        Err(given) => given,
    };
    let asked = RequestedTraining::of(given)?;
    if asked.layered.options.course.dry_run {
        show(console, &asked.layered, &asked.plan)?;
        return Ok(Outcome::Done);
    }
    asked.run(console)
}

/// Options that do not affect the course of a training.
const OPTIONS_WITHOUT_EFFECT: [&str; 6] = ["out", VIEW, "minutes", "threads", "simd", "format"];

/// Returns the words of a `train` command with the options `given`, which the controller's file
/// records.
fn words(given: &Settings) -> Vec<String> {
    [NAME.to_owned()].into_iter().chain(given.words::<Options>()).collect()
}

impl RequestedTraining {
    /// Builds the plan of a training and checks it. Conflicting options must be found before a
    /// folder is created.
    pub(crate) fn of(given: ParsedArgs<Options>) -> anyhow::Result<RequestedTraining> {
        let Some(folder) = given.options.course.resume.clone() else {
            let said = given.settings.clone();
            let (layered, below) = Layered::of(given)?;
            return RequestedTraining::checked(
                layered,
                RecordedCommand::new(NAME, &said, below),
                None,
            );
        };
        given.only(&OPTIONS_WITH_RESUME, RESUMED)?;
        let checkpoint = TrainCheckpoint::read(&folder)?;
        let (begun, mut all) =
            RecordedCommand::restore(NAME, &folder, &checkpoint.settings, &given)?;
        all.options.course.out = Some(folder);
        RequestedTraining::checked(Layered::new(all)?, begun, Some(checkpoint))
    }

    fn checked(
        layered: Layered,
        mut begun: RecordedCommand,
        from: Option<TrainCheckpoint>,
    ) -> anyhow::Result<RequestedTraining> {
        // A time budget applies to one command only. A command that resumes the training sets its
        // own budget, or none.
        begun.given.remove("minutes");
        td::refuse_learning_options(&layered)?;
        let plan = layered.options.plan(layered.preset.as_ref())?;
        // This checks the plan before a folder is created.
        plan.start()?;
        let name = layered.name(&plan)?;
        Ok(RequestedTraining { layered, begun, from, plan, name })
    }

    /// Returns the settings of all layers. The plan can be rebuilt from them, but the content of a
    /// controller's file is not included.
    pub(crate) fn settings(&self) -> Settings {
        let mut settings = self.layered.settings.clone();
        RUN_CONTROL_OPTIONS.into_iter().for_each(|option| settings.remove(option));
        settings
    }

    /// Returns the output folder, if one is given.
    pub(crate) fn out(&self) -> Option<PathBuf> {
        self.layered.options.course.out.clone()
    }

    /// Describes how the training was started. `program` is the name of the program.
    pub(crate) fn invocation(&self, program: String) -> TrainingInvocation {
        // Options without effect on the result are left out. The controller's file is thus
        // byte-identical wherever and however fast the controller was trained.
        let mut course = self.begun.given.clone();
        OPTIONS_WITHOUT_EFFECT.into_iter().for_each(|option| course.remove(option));
        let command = [vec![program], words(&self.begun.given)].concat();
        let (name, settings) = (self.name.clone(), self.begun.kept());
        TrainingInvocation { name, command, course: words(&course), settings }
    }

    /// Opens the training's folder. Returns `None` if the folder holds the complete training.
    pub(crate) fn open(&mut self, console: &Console) -> anyhow::Result<Option<Opened>> {
        let (plan, name, from) = (&self.plan, &self.name, self.from.take());
        // A checkpoint of another training must be refused before the folder is changed.
        from.as_ref().map_or(Ok(()), |from| from.state_of(plan).map(|_| ()))?;
        let fresh = || RunFolder::create_fresh(&PathBuf::from("runs").join(plain_name(name)));
        // The folder is complete if the training ended by itself, or has enough generations.
        let is_enough = |manifest: &Value| {
            !manifest["stopped"].is_null()
                || manifest["generations"][1].as_u64() >= Some(plan.generations)
        };
        let request =
            OutputRequest { config: json!(plan.entry()), tables: plan.tables(), force: false };
        let out = self.layered.options.course.out.as_deref();
        let is_resumed = from.is_some();
        Ok(open_run::<TrainCheckpoint>(console, is_resumed, out, &request, fresh, is_enough)?)
    }

    fn run(mut self, console: &Console) -> anyhow::Result<Outcome> {
        let flags = console.stop_flags(STOPPING)?;
        let budget = TimeBudget::new(self.layered.options.course.minutes);
        let (out, is_viewed) = (self.out(), self.layered.options.course.view);
        let Some((folder, from)) = self.open(console)? else {
            if let Some(out) = out.filter(|_| is_viewed) {
                View::beside(&out)?.finish(console);
            }
            return Ok(Outcome::Done);
        };
        let (folder, view) = View::of(folder, is_viewed)?;
        let path = folder.path().to_owned();
        let invocation = self.invocation(command_line().into_iter().next().unwrap_or_default());
        let (plan, watch) = (&self.plan, Arc::new(TrainingWatch::default()));
        let trained = with_view(console, view.as_ref(), || {
            with_training(console, &path, plan, &watch, || {
                let StopFlags { stop, cut } = &flags;
                let work = || train(plan, invocation, folder, from.as_ref(), &watch, stop, cut);
                cut_late(&flags, FINALS_TIME, || budget.spend(stop, work))
            })
        });
        let stopped = if budget.is_over() { Outcome::Missed } else { Outcome::Interrupted };
        let manifest = match trained {
            // A user who stops the training before its first result needs no error report.
            Err(error) if flags.stop.load(Ordering::Relaxed) => {
                console.eprint_line(&error.to_string());
                return Ok(stopped);
            }
            trained => trained?,
        };
        let folder = path.display().to_string();
        report(console, plan, &manifest, &folder, self.layered.options.course.format)?;
        if manifest.status == Status::Complete {
            return Ok(Outcome::Done);
        }
        console.eprint_line(&ending(&manifest, &shell_path(&path), budget.is_over()));
        let is_chosen = manifest.winner.held_out.is_some();
        Ok(if budget.is_over() && is_chosen { Outcome::Done } else { stopped })
    }
}

/// Describes an early end of a training: the reason, the source of its result, and the command that
/// resumes it in `folder`.
fn ending(manifest: &TrainManifest, folder: &str, is_out_of_time: bool) -> String {
    let why = if is_out_of_time { "the time of --minutes is over" } else { "interrupted" };
    let (asked, done) = manifest.generations;
    let (winner, origin) = (&manifest.winner, manifest.winner.finalist.origin);
    let chosen = match (winner.contenders.is_empty(), winner.held_out.is_some()) {
        (true, _) => format!("without finals the result is the {origin}"),
        (false, false) => {
            format!("the finals chose the {origin}, and its held-out games were skipped")
        }
        (false, true) => format!("the finals chose the {origin}"),
    };
    format!(
        "{why} after {done} of {asked} generations: {chosen}; tetrastat train --resume {folder} \
            continues"
    )
}

impl Layered {
    /// Returns the name of the controller. It is checked for use in tables and file names.
    fn name(&self, plan: &TrainingPlan) -> anyhow::Result<String> {
        let own = || format!("{}-{}", plan.options.name(), plan.games.place());
        let name = self.options.course.name.clone().unwrap_or_else(own);
        let is_odd = [',', '"'];
        if let Some(problem) = name_problem(&name) {
            bail!("--name: {problem}");
        }
        ensure!(!name.contains(is_odd), "--name: write it without commas and quotes");
        Ok(name)
    }
}
