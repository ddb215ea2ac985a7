//! `tetrastat simulate`: games of one controller, their tables and a summary.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::json;

use super::help::{guideline_help, prose};
use super::interrupt::stop_flag;
use super::opening::{Wanted, open_run};
use super::options::count;
use super::output::{print_json, thousands};
use super::progress::with_games;
use super::report::{First, Report};
use super::run_options::RunOptions;
use super::{Format, Outcome, complain};
use crate::engine::{self, Game, Totals};
use crate::error::Error;
use crate::queue::QueueKind;
use crate::record::{
    Lifetime, ResumePoint, RunFolder, Shard, Status, plain_name, read_lifetimes, shell_words,
};
use crate::sim::{ClassicCheckpoint, ClassicManifest, ClassicRun, Job, RunConfig};

/// What `--help` shows below the options.
const HELP: &str = "\
Without any option that says what is played or logged, a small first run is played, whose games all end within \
seconds: --controller bcts --board 10x10 --games 200 --max-pieces none; of a few games the first 2,000 placements are \
logged. As soon as one is given, the defaults above hold.";

/// What a `simulate` plays that does not say what.
const FIRST_RUN: [&str; 14] = [
    "--controller",
    "bcts",
    "--board",
    "10x10",
    "--games",
    "200",
    "--max-pieces",
    "none",
    "--placements",
    "csv",
    "--sample-games",
    "0.02",
    "--to",
    "2000",
];
/// Placements of its first game that are printed.
const FIRST_SAMPLE: [&str; 2] = ["--sample", "8"];
/// Options that say neither what is played nor what is logged.
const BESIDE_FIRST_RUN: [&str; 9] =
    ["seed", "threads", "simd", "out", "force", "format", "sample", "checkpoint_ms", "dry_run"];

/// The options that a `simulate` lacks to be a first run; none when it says what is played.
pub(super) fn first_run(given: &ArgMatches) -> Vec<&'static str> {
    let is_given = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
    let command = <Args as clap::Args>::augment_args(clap::Command::new("simulate"));
    let mut options = command.get_arguments().map(|option| option.get_id().as_str());
    if options.any(|id| is_given(id) && !BESIDE_FIRST_RUN.contains(&id)) {
        return Vec::new();
    }
    let sample = FIRST_SAMPLE.into_iter().filter(|_| !is_given("sample"));
    FIRST_RUN.into_iter().chain(sample).collect()
}

/// Play games, write one row per game and per placement, and summarise them
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = format!("{}\n\n{}", prose(HELP), guideline_help!("simulate")),
    after_help = guideline_help!("simulate")
)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunOptions,

    /// Play only the I-th of N parts of the games, to be joined by `tetrastat merge`
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,

    /// Show what would be played, as run.json has it, and play nothing
    #[arg(long)]
    dry_run: bool,

    /// Output folder: a new one, or that of the same run, which goes on [default: a fresh one under runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Play anew into an --out that holds another run of one-piece games, or this one, and nothing else
    #[arg(long, requires = "out")]
    force: bool,

    /// Go on with a run that was killed or interrupted, to the bytes it would have had
    #[arg(long, value_name = "DIR", exclusive = true)]
    resume: Option<PathBuf>,

    /// Print up to N placements of the first game, evenly spread; 0 for none
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = count::<usize>(..))]
    sample: usize,

    /// How to print the summary
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// The whole command line, when this is a first run
    #[arg(skip)]
    first: Option<Vec<String>>,
}

impl Args {
    /// Makes this a first run, whose whole command line is `words`.
    pub(super) fn begin_with(&mut self, words: &[OsString]) {
        self.first = Some(words.iter().map(|word| word.to_string_lossy().into_owned()).collect());
    }

    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let Some(folder) = &self.resume else { return self.play(None) };
        let checkpoint = ClassicCheckpoint::read(folder)?;
        let args = Args { out: Some(folder.clone()), ..super::simulate_args(&checkpoint.command)? };
        args.play(Some(&checkpoint))
    }

    /// Plays the run, or goes on with it from a checkpoint in --out.
    fn play(self, from: Option<&ClassicCheckpoint>) -> anyhow::Result<Outcome> {
        // What does not fit together must leave no folder behind.
        let job = self.run.job(self.shard, self.sample)?;
        if self.dry_run {
            print_json(&job.entry())?;
            return Ok(Outcome::Done);
        }
        let stop = stop_flag()?;
        let out = self.out.as_deref();
        let wanted = Wanted { config: json!(job.entry()), tables: job.files(), force: self.force };
        let fresh = || fresh_folder(job.config());
        let opened = open_run(from.is_some(), out, wanted, fresh, |_| true)?;
        let Some((folder, begun)) = opened else {
            return self.report_again(&job, out.unwrap_or(Path::new(".")));
        };
        let from = from.or(begun.as_ref());
        let path = folder.path().to_owned();
        let totals = Totals::default();
        let played = with_games(&path, job.config(), &totals, || {
            engine::play(&job, folder, from, &totals, &stop)
        });
        self.report(&job, &played?, &path)
    }

    /// Prints what was played, and how to go on when it is not all.
    fn report(&self, job: &Job, run: &ClassicRun, folder: &Path) -> anyhow::Result<Outcome> {
        let lifetimes: Vec<Lifetime> = run.count.lifetimes().collect();
        let sample = &run.count.sample;
        let first = self.first(job);
        Report::new(job.config(), &run.manifest, &lifetimes, folder, sample, first)
            .print(self.format)?;
        let ended = run.count.ended;
        let folder = folder.display();
        let kept = format!("{ended} games ended and are kept in {folder}");
        match &run.manifest.status {
            Status::Complete => {
                say_if_equal(&job.config().queue, job.config().games);
                Ok(Outcome::Done)
            }
            Status::Failed(error) => {
                bail!("{error}; {kept}; once that is mended, simulate --resume {folder} goes on")
            }
            Status::Interrupted => {
                complain(&format!("interrupted: {kept}; simulate --resume {folder} goes on"));
                Ok(Outcome::Interrupted)
            }
        }
    }

    /// What a first run says besides.
    fn first(&self, job: &Job) -> Option<First> {
        let words = self.first.as_ref()?;
        let (command, program) = (shell_words(words), shell_words(&words[..1]));
        Some(First { command, program, logged: job.logged_game() })
    }

    /// Prints what a folder holds already, complete.
    fn report_again(&self, job: &Job, folder: &Path) -> anyhow::Result<Outcome> {
        let (manifest, lifetimes) = (ClassicManifest::read(folder)?, read_lifetimes(folder)?);
        let first = self.first(job);
        Report::new(job.config(), &manifest, &lifetimes, folder, &[], first).print(self.format)?;
        Ok(Outcome::Done)
    }
}

fn fresh_folder(config: &RunConfig) -> Result<RunFolder, Error> {
    let RunConfig { controller, size, queue, search, .. } = config;
    let name = format!("{}-{size}-{queue}-{search}", controller.name);
    RunFolder::create_fresh(&PathBuf::from("runs").join(plain_name(&name)))
}

/// Says so when games were dealt the same pieces, one like the other.
pub(super) fn say_if_equal(queue: &QueueKind, games: u64) {
    if games > 1 && !queue.is_random() {
        let games = thousands(games);
        complain(&format!(
            "note: queue {queue} deals every game the same pieces, so that all {games} games are alike: one is enough, or take another queue"
        ));
    }
}
