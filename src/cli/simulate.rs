//! `tetrastat simulate`: games of one controller, their tables and a summary.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{bail, ensure};

use super::interrupt::stop_flag;
use super::options::{GameOptions, Limit, QueueOptions, limit, seed};
use super::output::print;
use super::progress::with_progress;
use super::report::Report;
use super::{Format, Outcome, complain};
use crate::error::Error;
use crate::kernels::Level;
use crate::record::{
    CandidateEncoder, Checkpoint, Columns, ConfigEntry, Finding, LogFormat, Logs, Manifest,
    PlacementEncoder, RunFolder, RunTables, Selection, Status, verify,
};
use crate::search::Search;
use crate::sim::{CHECKPOINT_EVERY, Event, Limits, RunConfig, Shard, Shown, Start, Totals, run};

/// Pieces at which a game is cut off unless the user says otherwise.
const DEFAULT_MAX_PIECES: u64 = 50_000;
/// Placements up to which a run logs them unless the user says otherwise.
const DEFAULT_LOG_UP_TO: u64 = 1_000_000;

/// Play games, write one row per game and per placement, and summarise them
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    queue: QueueOptions,

    /// How far to look ahead: `greedy`, `next` (known next piece) or `expect` (mean over seven)
    #[arg(long, default_value = "greedy")]
    search: Search,

    /// Games to play
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,

    /// Play only the I-th of N parts of the games, to be joined by `tetrastat merge`; a part that
    /// its --out holds already is not played again
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,

    /// Cut a game off after N pieces (it is then censored), or `none` [default: 50000, or none with --max-lines]
    #[arg(long, value_name = "N", value_parser = limit)]
    max_pieces: Option<Limit>,

    /// Cut a game off at N lines, or `none`
    #[arg(long, value_name = "N", value_parser = limit, default_value = "none")]
    max_lines: Limit,

    /// Seed of the run, decimal or 0x hexadecimal; the same seed gives the same bytes
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Instruction level of the kernels: `auto`, or a slower one: `scalar`, `portable`, `avx2`, `avx512`
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    simd: Level,

    /// Output folder, which must not exist [default: a fresh one under runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace the files of a run in an existing --out
    #[arg(long, requires = "out")]
    force: bool,

    /// Log placements: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet` [default: csv when games x max-pieces
    /// <= 1,000,000, else none]
    #[arg(long, value_name = "FORMAT")]
    placements: Option<Placements>,

    /// Columns of the log: `minimal`, `controller` (all but features that the controller does not
    /// use), `all` (every feature), or names joined by commas
    #[arg(long, default_value = "controller", value_name = "SET|NAMES")]
    columns: Columns,

    /// Log each K-th placement of a game
    #[arg(long, default_value_t = 1, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,

    /// Log from this placement of a game on
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    from: u64,

    /// Log up to this placement of a game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    to: Option<u64>,

    /// Log only the last N placements of a game: how games end
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    only_last: Option<u64>,

    /// Log this share of the games, drawn by the seed
    #[arg(long, default_value_t = 1.0, value_name = "SHARE")]
    sample_games: f64,

    /// Log every candidate of the placements kept, too, with features, score and whether it was
    /// chosen: the table that models of choice need
    #[arg(long)]
    candidates: bool,

    /// Go on with a run that was killed or interrupted, to the bytes it would have had
    #[arg(long, value_name = "DIR", exclusive = true)]
    resume: Option<PathBuf>,

    /// Time between two checkpoints, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = CHECKPOINT_EVERY.as_millis() as u64)]
    checkpoint_ms: u64,

    /// Print up to N placements of the first game, evenly spread; 0 for none
    #[arg(long, default_value_t = 50, value_name = "N")]
    sample: usize,

    /// How to print the summary
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// The format of the placements table, or none.
#[derive(Clone, Copy, Debug)]
struct Placements(Option<LogFormat>);

impl FromStr for Placements {
    type Err = Error;

    fn from_str(name: &str) -> Result<Placements, Error> {
        if name == "none" { Ok(Placements(None)) } else { name.parse().map(Some).map(Placements) }
    }
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let Some(folder) = &self.resume else { return self.play(None) };
        let checkpoint = Checkpoint::read(folder)?;
        let version = env!("CARGO_PKG_VERSION");
        ensure!(
            checkpoint.version == version,
            "{} was begun by version {}, this is {version}: go on with that one, or start anew",
            folder.display(),
            checkpoint.version
        );
        let args = Args { out: Some(folder.clone()), ..super::simulate_args(&checkpoint.command)? };
        args.play(Some(checkpoint))
    }

    /// Plays the run, or goes on with it from a checkpoint in --out.
    fn play(self, from: Option<Checkpoint>) -> anyhow::Result<Outcome> {
        let config = self.config()?;
        // What does not fit together must leave no folder behind.
        config.validate()?;
        let logs = self.logs(&config)?;
        let entry = ConfigEntry::of(&config, &logs);
        if from.is_none() && self.shard.is_some() && self.is_played(&entry) {
            print("this shard is played already\n")?;
            return Ok(Outcome::Done);
        }
        let start = start(&config, &entry, from.as_ref())?;
        let stop = stop_flag()?;
        let started = (SystemTime::now(), Instant::now());
        let folder = match (&from, &self.out) {
            (Some(_), Some(out)) => RunFolder::existing(out),
            _ => self.folder(&config)?,
        };
        let opened = RunTables::open(
            &folder,
            &logs,
            entry.clone(),
            start.first,
            from.as_ref(),
            config.checkpoint_every,
            config.threads,
        );
        let mut tables = match opened {
            Ok(tables) => tables,
            Err(error) => return Err(discard(folder, error)),
        };
        let write = |event| tables.write(event);
        let (sample, played) = play(&config, &logs, self.sample, start, &stop, write);
        let games = config.game_range();
        let status = match played {
            Err(error) if tables.ended() == 0 => {
                drop(tables);
                return Err(discard(folder, error));
            }
            Err(error) => Status::Failed(error.to_string()),
            Ok(()) if tables.ended() < games.end - games.start => Status::Interrupted,
            Ok(()) => Status::Complete,
        };
        let ended = tables.ended();
        let manifest = Manifest::new(status, entry, &config, started, from.is_some());
        let finished = tables.finish(&folder, manifest)?;
        Report::new(&config, &finished, folder.path(), sample).print(self.format)?;
        let folder = folder.path().display();
        let kept = format!("{ended} games ended and are kept in {folder}");
        match finished.manifest.status {
            Status::Complete => Ok(Outcome::Done),
            Status::Failed(error) => bail!("{error}; {kept}"),
            Status::Interrupted => {
                complain(&format!("interrupted: {kept}; simulate --resume {folder} goes on"));
                Ok(Outcome::Interrupted)
            }
        }
    }

    /// Whether --out holds the same, complete and unharmed.
    fn is_played(&self, entry: &ConfigEntry) -> bool {
        let Some(folder) = &self.out else { return false };
        let same = Manifest::read(folder).is_ok_and(|manifest| manifest.config == *entry);
        let sound = |findings: Vec<Finding>| findings.iter().all(|found| found.problem.is_none());
        same && verify(folder).is_ok_and(sound)
    }

    fn config(&self) -> anyhow::Result<RunConfig> {
        let start = self.game.start()?;
        let default_pieces = self.max_lines.0.is_none().then_some(DEFAULT_MAX_PIECES);
        let cores = || available_parallelism().map_or(1, usize::from);
        let config = RunConfig {
            controller: self.game.controller()?,
            rules: self.game.rules()?,
            size: self.game.size(start.as_ref())?,
            start,
            queue: self.queue.queue()?,
            search: self.search,
            games: self.games,
            shard: self.shard,
            limits: Limits {
                pieces: self.max_pieces.map_or(default_pieces, |limit| limit.0),
                lines: self.max_lines.0,
            },
            seed: self.seed,
            checkpoint_every: Duration::from_millis(self.checkpoint_ms),
            threads: self.threads.map_or_else(cores, usize::from),
            level: self.simd,
        };
        Ok(config)
    }

    fn log_format(&self, config: &RunConfig) -> Option<LogFormat> {
        let most = config.limits.pieces.and_then(|pieces| pieces.checked_mul(config.games));
        let few = most.is_some_and(|most| most <= DEFAULT_LOG_UP_TO);
        self.placements.map_or(few.then_some(LogFormat::Csv), |placements| placements.0)
    }

    fn logs(&self, config: &RunConfig) -> Result<Logs, Error> {
        let selection = Selection {
            every: self.every,
            from: self.from,
            to: self.to,
            only_last: self.only_last,
            sample_games: self.sample_games,
        };
        selection.validate()?;
        let RunConfig { controller, size, .. } = config;
        let format = self.log_format(config);
        let placements = || PlacementEncoder::new(controller, *size, &self.columns);
        Ok(Logs {
            placements: format.map(|_| placements()).transpose()?,
            candidates: self.candidates.then(|| CandidateEncoder::new(controller, *size)),
            selection,
            format: format.unwrap_or_default(),
        })
    }

    fn folder(&self, config: &RunConfig) -> Result<RunFolder, Error> {
        match &self.out {
            Some(path) => RunFolder::create(path, self.force),
            None => {
                let RunConfig { controller, size, queue, search, .. } = config;
                let name = format!("{}-{size}-{queue}-{search}", controller.name);
                let plain = name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
                RunFolder::create_fresh(&PathBuf::from("runs").join(plain))
            }
        }
    }
}

/// Plays the run with a progress bar; the sample comes back, all other events go to `write`.
fn play(
    config: &RunConfig,
    logs: &Logs,
    sample: usize,
    start: Start,
    stop: &AtomicBool,
    mut write: impl FnMut(Event) -> Result<(), Error>,
) -> (Vec<Shown>, Result<(), Error>) {
    let totals = Totals::default();
    let mut kept = Vec::new();
    let played = with_progress(config, &totals, || {
        run(config, logs, sample, start, &totals, stop, |event| match event {
            Event::Sample(shown) => {
                kept = shown;
                Ok(())
            }
            event => write(event),
        })
    });
    (kept, played)
}

/// Where the run begins: with its first game, or where the checkpoint left it.
fn start(
    config: &RunConfig,
    entry: &ConfigEntry,
    from: Option<&Checkpoint>,
) -> anyhow::Result<Start> {
    let Some(checkpoint) = from else { return Ok(Start::of(config)) };
    ensure!(
        checkpoint.config == *entry,
        "the files or options that the run was begun with have changed: restore them, or start anew"
    );
    let games = checkpoint.games.iter().cloned();
    let games = games.map(|game| game.restored(&config.queue, config));
    let games = games.collect::<Result<Vec<_>, Error>>()?;
    let games = games.into_iter().map(|game| (game.row.game, game)).collect();
    Ok(Start { first: checkpoint.first, games })
}

/// Takes back an output folder that has nothing to keep.
fn discard(folder: RunFolder, error: Error) -> anyhow::Error {
    folder.discard();
    error.into()
}
