//! `tetrastat train`: from an optimiser to a controller.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::help::prose;
use super::interrupt::stop_flag;
use super::opening::{Wanted, open_run};
use super::train_games::{ClassicGames, GameOptions, GuidelineGames};
pub(super) use super::train_layers::plays_guideline;
use super::train_layers::{Layered, layered};
use super::train_options::Options;
use super::train_report::{report, with_training};
use super::train_show::show;
use super::{Outcome, complain};
use crate::record::{ResumePoint, RunFolder, Status, command_line, plain_name};
use crate::train::{Called, Plan, TrainCheckpoint, Watch, train};

/// The name under which `train` with guideline rules is read.
pub(super) const COMMAND: &str = "train-guideline";

/// What `--help` shows below the options.
const HELP: &str = r#"Objectives (larger is better, or less with --minimise):
  lines           estimated mean lines of a finished game: all lines / games that ended; a game cut off by
                  a limit counts as exposure (if all are, as if half a game had ended)
  mean-COLUMN     mean of a column of games.csv as observed: lines, pieces, height_max, clears_4, ...
  median-COLUMN   its median
  sprint          -pieces for a game that reaches --max-lines, pieces + 5 lines - 550 for another

Where less is better a game lost early would be best, so that with --minimise a lost game of mean-COLUMN and
median-COLUMN is worth 1000000, and up to as much again by the share of its goal (lines, pieces or time) that it
missed: `--rules guideline --objective mean-inputs --minimise` looks for the Sprint with the fewest keys. --lost
VALUE sets another worth, for more-is-better too (there less by what was missed); --lost observed takes lost games as
they are. Without any limit every game is lost in the end, and counts as it is.

Guideline games are trained with --rules guideline or capstone, or by a preset of theirs: --mode sprint
(objective sprint) or blitz (mean-score). `tetrastat train --rules guideline --help` lists their options.

Options come in layers: --preset, over it --config, over it the command line. --dry-run shows what they
come to, as such a file. The file is TOML; its keys are the options with _ for -, and method:

    method = "cem"
    features = "bcts"        # or ["holes", "landing_height"]
    board = "10x10"
    population = 100
    elite = 10
    noise = "linear"
    games = 10

All candidates of a generation play the same games; the next generation plays others. The best candidates
and means play again at the end, and the best of them is reported by held-out games, by which nothing was
chosen. The folder holds controller.toml (for --controller), history.csv, train.json and checkpoint.json,
from which --resume goes on to the same bytes, or further with more --generations."#;

/// Look for the weights of a controller: cross-entropy, genetic, natural evolution or CMA-ES
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(super) struct Args<G: GameOptions> {
    #[command(flatten)]
    options: Options<G>,
}

impl<G: GameOptions> Args<G> {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let words: Vec<String> = command_line().into_iter().skip(2).collect();
        let Some(folder) = self.options.resume.clone() else {
            return layered::<G>(&words)?.run(command_line(), None);
        };
        let checkpoint = TrainCheckpoint::read(&folder)?;
        let command = gone_on_with(&checkpoint.command, &words)?;
        match plays_guideline(command.get(2..).unwrap_or_default()) {
            true => go_on::<GuidelineGames>(folder, command, &checkpoint),
            false => go_on::<ClassicGames>(folder, command, &checkpoint),
        }
    }
}

fn go_on<G: GameOptions>(
    folder: PathBuf,
    command: Vec<String>,
    from: &TrainCheckpoint,
) -> anyhow::Result<Outcome> {
    let mut layered = layered::<G>(command.get(2..).unwrap_or_default())?;
    layered.options.out = Some(folder);
    layered.run(command, Some(from))
}

/// Options that may be given beside `--resume`; all take a value.
const BESIDE_RESUME: [&str; 4] = ["--generations", "--threads", "--simd", "--format"];

/// The command that a training was begun with, with what is given beside `--resume` in its place.
fn gone_on_with(begun: &[String], given: &[String]) -> anyhow::Result<Vec<String>> {
    let mut command = begun.to_vec();
    let mut given = given.iter();
    while let Some(word) = given.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None if word.starts_with("--") => (word.as_str(), given.next().cloned()),
            None => (word.as_str(), None),
        };
        if name == "--resume" {
            continue;
        }
        let value = value.filter(|_| BESIDE_RESUME.contains(&name)).with_context(|| {
            format!("--resume goes on with the options that the training was begun with: leave out {name}")
        })?;
        replace(&mut command, name, value);
    }
    Ok(command)
}

/// Gives an option of a command another value.
fn replace(command: &mut Vec<String>, name: &str, value: String) {
    let joined = format!("{name}=");
    if let Some(place) = command.iter().position(|word| word == name) {
        command.splice(place + 1..command.len().min(place + 2), [value]);
    } else if let Some(word) = command.iter_mut().find(|word| word.starts_with(&joined)) {
        *word = joined + &value;
    } else {
        command.extend([name.to_owned(), value]);
    }
}

impl<G: GameOptions> Layered<G> {
    fn run(&self, command: Vec<String>, from: Option<&TrainCheckpoint>) -> anyhow::Result<Outcome> {
        let plan = self.plan()?;
        // What does not fit together must leave no folder behind.
        plan.start()?;
        let name = self.name(&plan)?;
        if self.options.dry_run {
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
        let out = self.options.out.as_deref();
        let opened = open_run::<TrainCheckpoint>(from.is_some(), out, wanted, fresh, is_enough)?;
        let Some((folder, begun)) = opened else { return Ok(Outcome::Done) };
        let from = from.or(begun.as_ref());
        let path = folder.path().to_owned();
        let called = Called { name, command };
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
        report(&plan, &manifest, &folder, self.options.format)?;
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
        let name = self.options.name.clone().unwrap_or_else(own);
        let is_odd = |c: char| c.is_control() || c == ',' || c == '"';
        ensure!(
            (1..=64).contains(&name.len()) && !name.contains(is_odd),
            "--name: give 1 to 64 characters on one line, without commas and quotes"
        );
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn what_stands_beside_resume_takes_its_place() {
        let begun = words("tetrastat train cem --generations 5 --threads=2 --seed 1");
        let go_on = |given: &str| gone_on_with(&begun, &words(given)).map(|w| w.join(" "));
        let plain = go_on("--resume dir").unwrap();
        assert_eq!(plain, begun.join(" "));
        let more = go_on("--generations=9 --resume dir --threads 1 --format json").unwrap();
        let expected = "tetrastat train cem --generations 9 --threads=1 --seed 1 --format json";
        assert_eq!(more, expected);
        for wrong in ["--resume=dir --seed 2", "cem --resume dir", "--resume dir --minimise"] {
            assert!(go_on(wrong).unwrap_err().to_string().contains("leave out"), "{wrong}");
        }
    }
}
