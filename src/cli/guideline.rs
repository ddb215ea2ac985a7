//! `tetrastat simulate --rules guideline|capstone`: Sprint, Blitz and endless games.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use serde_json::json;

use super::guideline_options::GuidelineOptions;
use super::guideline_report::{report_json, report_text};
use super::interrupt::stop_flag;
use super::opening::{Wanted, open_run};
use super::options::count;
use super::output::{print, print_json};
use super::progress::with_count;
use super::{Format, Outcome, complain, train, watch};
use crate::engine::{self, Game, Totals};
use crate::record::{LogFormat, ResumePoint, RunFolder, Shard, Status, plain_name};
use crate::rules::guideline::GUIDELINE_NAMES;
use crate::sim::CHECKPOINT_EVERY;
use crate::sim::guideline::{
    GuidelineCheckpoint, GuidelineConfig, GuidelineRun, read_guideline_run,
};

/// The name under which `simulate` with guideline rules is read.
pub(super) const COMMAND: &str = "simulate-guideline";

/// The command line, `simulate`, `train` and `watch` renamed when their games are guideline games: the
/// options are others.
pub(super) fn redirected(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    let words: Vec<String> =
        args.iter().skip(2).map(|word| word.to_string_lossy().into_owned()).collect();
    match args.get(1).and_then(|command| command.to_str()) {
        Some("simulate") if plays_guideline(&words) => args[1] = COMMAND.into(),
        Some("watch") if given(&words, "--rules").is_some_and(is_guideline) => {
            args[1] = watch::GUIDELINE_COMMAND.into();
        }
        Some("train") if train::plays_guideline(&words) => args[1] = train::COMMAND.into(),
        _ => {}
    }
    args
}

/// Whether `simulate` plays guideline games, or goes on with them.
fn plays_guideline(words: &[String]) -> bool {
    let begun = || GuidelineCheckpoint::read(Path::new(given(words, "--resume")?)).ok();
    given(words, "--rules").is_some_and(is_guideline) || begun().is_some()
}

/// Whether rules of this name are those of a guideline game.
pub(super) fn is_guideline(rules: &str) -> bool {
    GUIDELINE_NAMES.contains(&rules)
}

/// What an option is given last, among words.
pub(super) fn given<'a>(words: &'a [String], option: &str) -> Option<&'a str> {
    words.iter().enumerate().rev().find_map(|(place, word)| {
        let value = match word.strip_prefix(option)? {
            "" => words.get(place + 1)?,
            joined => joined.strip_prefix('=')?,
        };
        Some(value)
    })
}

/// Games up to which placements are logged unless the user says otherwise.
const DEFAULT_LOG_UP_TO: u64 = 1_000;

/// Play guideline games (simulate --rules guideline or capstone): write one row per game and per
/// placement, and summarise them
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Preset (see `tetrastat controllers`) or TOML file [default: tetrastat-sprint in a Sprint, else
    /// tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    #[command(flatten)]
    play: GuidelineOptions,

    /// Games to play
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = count::<u64>(1..))]
    games: u64,

    /// Play only the I-th of N parts of the games, to be joined by `tetrastat merge`
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,

    /// Log placements: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet` [default: csv up to 1,000 games,
    /// else none]
    #[arg(long, value_name = "FORMAT")]
    placements: Option<String>,

    /// Time between two checkpoints, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = CHECKPOINT_EVERY.as_millis() as u64, value_parser = count::<u64>(..))]
    checkpoint_ms: u64,

    /// Show what would be played, as run.json has it, and play nothing
    #[arg(long)]
    dry_run: bool,

    /// Output folder: a new one, or that of the same run, which goes on [default: a fresh one under runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Play anew into an --out that holds another run of guideline games, or this one, and nothing else
    #[arg(long, requires = "out")]
    force: bool,

    /// Go on with a run that was killed or interrupted, to the bytes it would have had
    #[arg(long, value_name = "DIR", exclusive = true)]
    resume: Option<PathBuf>,

    /// How to print the summary
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    fn config(&self) -> anyhow::Result<GuidelineConfig> {
        let controller = self.play.controller(self.controller.as_deref())?;
        let log = match self.placements.as_deref() {
            None => (self.games <= DEFAULT_LOG_UP_TO).then_some(LogFormat::Csv),
            Some("none") => None,
            Some(name) => Some(name.parse()?),
        };
        let config = self.play.config(controller, self.games, log)?;
        let checkpoint_every = Duration::from_millis(self.checkpoint_ms);
        let config = GuidelineConfig { checkpoint_every, shard: self.shard, ..config };
        config.validate()?;
        Ok(config)
    }

    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let Some(folder) = &self.resume else { return self.play(None) };
        let checkpoint = GuidelineCheckpoint::read(folder)?;
        let args =
            Args { out: Some(folder.clone()), ..super::guideline_args(&checkpoint.command)? };
        args.play(Some(&checkpoint))
    }

    fn report(
        &self,
        config: &GuidelineConfig,
        run: &GuidelineRun,
        path: &Path,
    ) -> anyhow::Result<()> {
        match self.format {
            Format::Json => print_json(&report_json(config, run, path)),
            Format::Text => Ok(print(&report_text(config, run, path))?),
        }
    }

    /// Prints what a folder holds already, complete.
    fn report_again(&self, config: &GuidelineConfig, folder: &Path) -> anyhow::Result<Outcome> {
        self.report(config, &read_guideline_run(folder)?, folder)?;
        Ok(Outcome::Done)
    }

    /// Plays the run, or goes on with it from a checkpoint in --out.
    fn play(self, from: Option<&GuidelineCheckpoint>) -> anyhow::Result<Outcome> {
        let config = self.config()?;
        if self.dry_run {
            print_json(&config.entry())?;
            return Ok(Outcome::Done);
        }
        let stop = stop_flag()?;
        let out = self.out.as_deref();
        let (entry, tables) = (json!(config.entry()), config.files());
        let wanted = Wanted { config: entry, tables, force: self.force };
        let fresh = || {
            let name = format!("{}-{}", config.controller.name, config.mode.name());
            RunFolder::create_fresh(&Path::new("runs").join(plain_name(&name)))
        };
        let opened = open_run(from.is_some(), out, wanted, fresh, |_| true)?;
        let Some((folder, begun)) = opened else {
            return self.report_again(&config, out.unwrap_or(Path::new(".")));
        };
        let from = from.or(begun.as_ref());
        let path = folder.path().to_owned();
        let totals = Totals::default();
        let range = config.units();
        let games = range.end - range.start;
        let run = with_count(Some(&path), "games", games, &totals.played, || {
            engine::play(&config, folder, from, &totals, &stop)
        })?;
        self.report(&config, &run, &path)?;
        let folder = path.display();
        let kept = format!("{} games are kept in {folder}", run.count.len());
        match run.manifest.status {
            Status::Complete => Ok(Outcome::Done),
            Status::Failed(error) => {
                bail!("{error}; {kept}; once that is mended, simulate --resume {folder} goes on")
            }
            Status::Interrupted => {
                complain(&format!("interrupted: {kept}; simulate --resume {folder} goes on"));
                Ok(Outcome::Interrupted)
            }
        }
    }
}
