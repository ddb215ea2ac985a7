//! Options of a run: what is played and what is logged. `simulate` has them as flags, a study's file as
//! keys.

use std::str::FromStr;
use std::thread::available_parallelism;
use std::time::Duration;

use super::options::{BoardOptions, GameOptions, Limit, QueueOptions, count, limit, seed};
use crate::controller::Controller;
use crate::error::Error;
use crate::kernels::Level;
use crate::record::Shard;
use crate::record::{CandidateEncoder, Columns, LogFormat, Logs, PlacementEncoder, Selection};
use crate::search::Search;
use crate::sim::{CHECKPOINT_EVERY, Job, Limits, RunConfig};

/// Pieces at which a game is cut off unless the user says otherwise.
const DEFAULT_MAX_PIECES: u64 = 50_000;
/// Placements up to which a run logs them unless the user says otherwise.
const DEFAULT_LOG_UP_TO: u64 = 1_000_000;

/// How games are dealt, searched and cut off, and by which threads they are played.
#[derive(Debug, clap::Args)]
pub(super) struct PlayOptions {
    #[command(flatten)]
    queue: QueueOptions,

    /// How far to look ahead: `greedy`, `next` (known next piece) or `expect` (mean over seven)
    #[arg(long, default_value = "greedy")]
    search: Search,

    /// Cut a game off after N pieces (it is then censored), or `none` [default: 50000, or none with --max-lines]
    #[arg(long, value_name = "N", value_parser = limit)]
    max_pieces: Option<Limit>,

    /// Cut a game off at N lines, or `none`
    #[arg(long, value_name = "N", value_parser = limit, default_value = "none")]
    max_lines: Limit,

    /// Seed of the run, decimal or 0x hexadecimal; the same seed gives the same bytes
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    pub(super) seed: u64,

    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,

    /// Instruction level of the kernels: `auto`, or a slower one: `scalar`, `portable`, `avx2`, `avx512`, `avx512-vbmi`
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    simd: Level,
}

impl PlayOptions {
    /// So many games of a controller.
    pub(super) fn config(
        &self,
        controller: Controller,
        board: &BoardOptions,
        games: u64,
    ) -> anyhow::Result<RunConfig> {
        let start = board.start()?;
        let default_pieces = self.max_lines.0.is_none().then_some(DEFAULT_MAX_PIECES);
        let cores = || available_parallelism().map_or(1, usize::from);
        Ok(RunConfig {
            controller,
            rules: board.rules()?,
            size: board.size(start.as_ref())?,
            start,
            queue: self.queue.queue()?,
            search: self.search,
            games,
            shard: None,
            limits: Limits {
                pieces: self.max_pieces.map_or(default_pieces, |limit| limit.0),
                lines: self.max_lines.0,
            },
            seed: self.seed,
            checkpoint_every: CHECKPOINT_EVERY,
            threads: self.threads.map_or_else(cores, usize::from),
            level: self.simd,
        })
    }
}

/// What a run plays and logs.
#[derive(Debug, clap::Args)]
pub(super) struct RunOptions {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    play: PlayOptions,

    /// Games to play
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = count::<u64>(1..))]
    games: u64,

    /// Log placements: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet` [default: csv when games x max-pieces
    /// <= 1,000,000, else none]
    #[arg(long, value_name = "FORMAT")]
    placements: Option<Placements>,

    /// Columns of the log: `minimal`, `controller` (all but features that the controller does not
    /// use), `all` (every feature), or names joined by commas, among them the sets `minimal`,
    /// `features` (the controller's) and `heights`
    #[arg(long, default_value = "controller", value_name = "SET|NAMES")]
    columns: Columns,

    /// Log each K-th placement of a game
    #[arg(long, default_value_t = 1, value_name = "K", value_parser = count::<u64>(1..))]
    every: u64,

    /// Log from this placement of a game on
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = count::<u64>(1..))]
    from: u64,

    /// Log up to this placement of a game
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    to: Option<u64>,

    /// Log only the last N placements of a game: how games end
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    only_last: Option<u64>,

    /// Log this share of the games, drawn by the seed
    #[arg(long, default_value_t = 1.0, value_name = "SHARE")]
    sample_games: f64,

    /// Log every candidate of the placements kept, too, with features, score and whether it was
    /// chosen: the table that models of choice need
    #[arg(long)]
    candidates: bool,

    /// Time between two checkpoints, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = CHECKPOINT_EVERY.as_millis() as u64, value_parser = count::<u64>(..))]
    checkpoint_ms: u64,
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

impl RunOptions {
    /// The run, or a shard of it, checked; `sample` placements of its first game are kept to be seen.
    pub(super) fn job(&self, shard: Option<Shard>, sample: usize) -> anyhow::Result<Job> {
        let config = self.config(shard)?;
        // The encoders take a controller that fits the board.
        config.validate()?;
        let logs = self.logs(&config)?;
        Ok(Job::new(config, logs, sample)?)
    }

    fn config(&self, shard: Option<Shard>) -> anyhow::Result<RunConfig> {
        let config = self.play.config(self.game.controller()?, &self.game.board, self.games)?;
        let checkpoint_every = Duration::from_millis(self.checkpoint_ms);
        Ok(RunConfig { shard, checkpoint_every, ..config })
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
}
