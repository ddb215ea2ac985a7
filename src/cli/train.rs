//! `tetrastat train`: from an optimiser to a controller.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::ensure;
use serde_json::{Value, json};

use super::complaint::complain;
use super::given::{Given, Settings};
use super::interrupt::stop_flag;
use super::opening::{Begun, RESUME, RESUMED, Wanted, open_run};
use super::output::Outcome;
use super::train_layers::Layered;
use super::train_options::Options;
use super::train_report::{report, with_training};
use super::train_show::show;
use crate::record::{ResumePoint, RunFolder, Status, command_line, plain_name};
use crate::train::{Called, Plan, TrainCheckpoint, Watch, train};

/// The command's name, as its checkpoints have it.
const NAME: &str = "train";

/// Options that may be given beside `--resume`, and that one.
const BESIDE_RESUME: [&str; 5] = [RESUME, "generations", "threads", "simd", "format"];

/// Runs the command.
pub(super) fn run(given: Given<Options>) -> anyhow::Result<Outcome> {
    let Some(folder) = given.options.course.resume.clone() else {
        let said = given.settings.clone();
        let (layered, below) = Layered::of(given)?;
        return layered.run(&Begun::new(NAME, &said, below), None);
    };
    given.only(&BESIDE_RESUME, RESUMED)?;
    let checkpoint = TrainCheckpoint::read(&folder)?;
    let (begun, mut all) = Begun::again(NAME, &folder, &checkpoint.settings, &given)?;
    all.options.course.out = Some(folder);
    Layered::new(all)?.run(&begun, Some(&checkpoint))
}

/// Options that do not decide the course of a training.
const BESIDE_COURSE: [&str; 4] = ["out", "threads", "simd", "format"];

/// How a training is called that a command began.
fn called(name: String, begun: &Begun) -> Called {
    let mut course = begun.given.clone();
    BESIDE_COURSE.into_iter().for_each(|option| course.remove(option));
    let command = words(&begun.given);
    let course = words(&course).split_off(1);
    Called { name, command, course, settings: begun.kept() }
}

/// The command line that says so, as the controller's file has it.
fn words(given: &Settings) -> Vec<String> {
    let program = command_line().into_iter().take(1);
    program.chain([NAME.to_owned()]).chain(given.words::<Options>()).collect()
}

impl Layered {
    fn run(&self, begun: &Begun, from: Option<&TrainCheckpoint>) -> anyhow::Result<Outcome> {
        let plan = self.options.plan(self.preset)?;
        let course = &self.options.course;
        // What does not fit together must leave no folder behind.
        plan.start()?;
        let name = self.name(&plan)?;
        if course.dry_run {
            show(self, &plan)?;
            return Ok(Outcome::Done);
        }
        from.map_or(Ok(()), |from| from.state_of(&plan).map(|_| ()))?;
        let stop = stop_flag()?;
        let fresh = || RunFolder::create_fresh(&PathBuf::from("runs").join(plain_name(&name)));
        let is_enough = |manifest: &Value| {
            !manifest["stopped"].is_null()
                || manifest["generations"][1].as_u64() >= Some(plan.generations)
        };
        let (config, tables) = (json!(plan.entry()), plan.tables());
        let wanted = Wanted { config, tables, force: false };
        let out = course.out.as_deref();
        let opened = open_run::<TrainCheckpoint>(from.is_some(), out, wanted, fresh, is_enough)?;
        let Some((folder, there)) = opened else { return Ok(Outcome::Done) };
        let from = from.or(there.as_ref());
        let path = folder.path().to_owned();
        let called = called(name, begun);
        let watch = Watch::default();
        let trained = with_training(&path, &plan, &watch, || {
            train(&plan, &called, folder, from, &watch, &stop)
        });
        let manifest = match trained {
            Err(error) if stop.load(Ordering::Relaxed) => {
                complain(&error.to_string());
                return Ok(Outcome::Interrupted);
            }
            trained => trained?,
        };
        let folder = path.display().to_string();
        report(&plan, &manifest, &folder, course.format)?;
        if manifest.status == Status::Complete {
            return Ok(Outcome::Done);
        }
        complain(&format!(
            "interrupted: the best so far is kept in {folder}; train --resume {folder} goes on"
        ));
        Ok(Outcome::Interrupted)
    }

    /// The name of the controller, which tables and its file can hold.
    fn name(&self, plan: &Plan) -> anyhow::Result<String> {
        let own = || format!("{}-{}", plan.options.name(), plan.games.place());
        let name = self.options.course.name.clone().unwrap_or_else(own);
        let is_odd = |c: char| c.is_control() || c == ',' || c == '"';
        ensure!(
            (1..=64).contains(&name.len()) && !name.contains(is_odd),
            "--name: give 1 to 64 characters on one line, without commas and quotes"
        );
        Ok(name)
    }
}
