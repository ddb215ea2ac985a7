//! `tetrastat simulate`: games of one controller, their tables and a summary.

use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::json;

use super::complaint::complain;
use super::games::{AnyRules, EVERY_GAME, ONE_PIECE};
use super::given::{Given, Settings};
use super::guideline;
use super::help::prose;
use super::interrupt::stop_flag;
use super::liap_simulate;
use super::opening::{AnyCheckpoint, Begun, OutOptions, RESUME, RESUMED, Wanted, open_run};
use super::options::count;
use super::output::{Outcome, print_json, thousands};
use super::progress::with_games;
use super::report::{First, Report};
use super::run_options::RunOptions;
use crate::engine::{self, Game, Totals};
use crate::error::Error;
use crate::queue::QueueKind;
use crate::record::{
    Lifetime, ResumePoint, RunFolder, Shard, Status, command_line, plain_name, read_lifetimes,
    shell_words,
};
use crate::sim::{ClassicCheckpoint, ClassicManifest, ClassicRun, Job, RunConfig};

/// What `--help` shows below the options.
const HELP: &str = "\
Without any option that says what is played or logged, a small first run is played, whose games all end within \
seconds: --controller bcts --board 10x10 --games 200 --max-pieces none; of a few games the first 2,000 placements are \
logged. As soon as one is given, the defaults above hold.";

/// What a `simulate` plays that does not say what.
const FIRST_RUN: [(&str, &str); 8] = [
    ("controller", "bcts"),
    ("board", "10x10"),
    ("games", "200"),
    ("max_pieces", "none"),
    ("placements", "csv"),
    ("sample_games", "0.02"),
    ("to", "2000"),
    ("sample", "8"),
];
/// Options that say neither what is played nor what is logged.
const BESIDE_FIRST_RUN: [&str; 9] =
    ["seed", "threads", "simd", "out", "force", "format", "sample", "checkpoint_ms", "dry_run"];

/// Play games, write one row per game and per placement, and summarise them
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(super) struct Args {
    #[command(flatten)]
    run: RunOptions,

    #[command(flatten, next_help_heading = EVERY_GAME)]
    out: OutOptions,

    /// Play only the I-th of N parts of the games, to be joined by `tetrastat merge`
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,

    /// Go on with a run that was killed or interrupted, to the bytes it would have had
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// Print up to N placements of the first game, evenly spread; 0 for none
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = count::<usize>(..), help_heading = ONE_PIECE.heading)]
    sample: usize,
}

/// The command's name, as its checkpoints have it.
pub(super) const NAME: &str = "simulate";

/// Runs the command.
pub(super) fn run(given: Given<Args>) -> anyhow::Result<Outcome> {
    let Some(folder) = given.options.resume.clone() else {
        let is_first = given.settings.names().all(|name| BESIDE_FIRST_RUN.contains(&name));
        let below = if is_first { Settings::of(FIRST_RUN) } else { Settings::default() };
        let read = Given::read(&below)?;
        let begun = Begun::new(NAME, &given.settings, below);
        return play(given.over(read)?, &begun, false);
    };
    given.only(&[RESUME], RESUMED)?;
    let settings = AnyCheckpoint::read(&folder)?.settings;
    let (begun, mut all) = Begun::again(NAME, &folder, &settings, &given)?;
    all.options.out.out = Some(folder);
    play(all, &begun, true)
}

/// Plays a run, or goes on with it from the checkpoint in its folder.
fn play(given: Given<Args>, begun: &Begun, resumed: bool) -> anyhow::Result<Outcome> {
    let Given { options: Args { run, shard, out, sample, .. }, settings, .. } = &given;
    run.game.any.rules.games().check::<Args>(settings)?;
    match run.game.any.rules {
        AnyRules::Guideline(rules) => {
            guideline::play(&run.guideline(rules, *shard)?, out, begun, resumed)
        }
        AnyRules::Liap => liap_simulate::play(&run.liap(*shard)?, out, begun, resumed),
        AnyRules::OnePiece(rules) => {
            // What does not fit together must leave no folder behind.
            let job = run.job(rules, *shard, *sample)?;
            // What lies below a first run is what it plays.
            let first = (!begun.below.is_empty()).then(|| first(settings, &job));
            OnePiece { job, out, first }.play(begun, resumed)
        }
    }
}

/// What a first run says besides.
fn first(settings: &Settings, job: &Job) -> First {
    let program = command_line().into_iter().next().unwrap_or_default();
    let words = [vec![program.clone(), NAME.to_owned()], settings.words::<Args>()].concat();
    First {
        command: shell_words(&words),
        program: shell_words(&[program]),
        logged: job.logged_game(),
    }
}

/// A run of one-piece games.
struct OnePiece<'a> {
    job: Job,
    out: &'a OutOptions,
    first: Option<First>,
}

impl OnePiece<'_> {
    /// Plays the run, or goes on with it from a checkpoint in --out.
    fn play(self, begun: &Begun, resumed: bool) -> anyhow::Result<Outcome> {
        let OnePiece { job, out: OutOptions { dry_run, out, force, .. }, .. } = &self;
        if *dry_run {
            print_json(&job.entry())?;
            return Ok(Outcome::Done);
        }
        let stop = stop_flag()?;
        let out = out.as_deref();
        let from = out.filter(|_| resumed).map(ClassicCheckpoint::read).transpose()?;
        let wanted = Wanted { config: json!(job.entry()), tables: job.files(), force: *force };
        let fresh = || fresh_folder(job.config());
        let opened = open_run(resumed, out, wanted, fresh, |_| true)?;
        let Some((folder, there)) = opened else {
            return self.report_again(out.unwrap_or(Path::new(".")));
        };
        let from = from.or(there);
        let path = folder.path().to_owned();
        let totals = Totals::default();
        let played = with_games(&path, job.config(), &totals, || {
            engine::play(job, folder, from.as_ref(), &begun.kept(), &totals, &stop)
        });
        self.report(&played?, &path)
    }

    /// Prints what was played, and how to go on when it is not all.
    fn report(self, run: &ClassicRun, folder: &Path) -> anyhow::Result<Outcome> {
        let OnePiece { job, out, first } = self;
        let lifetimes: Vec<Lifetime> = run.count.lifetimes().collect();
        let sample = &run.count.sample;
        Report::new(job.config(), &run.manifest, &lifetimes, folder, sample, first)
            .print(out.format)?;
        let (folder, ended) = (folder.display(), run.count.ended);
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

    /// Prints what a folder holds already, complete.
    fn report_again(self, folder: &Path) -> anyhow::Result<Outcome> {
        let (manifest, lifetimes) = (ClassicManifest::read(folder)?, read_lifetimes(folder)?);
        let OnePiece { job, out, first } = self;
        Report::new(job.config(), &manifest, &lifetimes, folder, &[], first).print(out.format)?;
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
        say_equal(&queue.to_string(), games);
    }
}

/// Says that a queue deals all of so many games the same pieces.
pub(super) fn say_equal(queue: &str, games: u64) {
    let games = thousands(games);
    complain(&format!(
        "note: queue {queue} deals every game the same pieces, so that all {games} games are alike: one is enough, or take another queue"
    ));
}
