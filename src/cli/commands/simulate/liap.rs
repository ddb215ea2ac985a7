//! LIAP runs: `tetrastat liap simulate`, and `simulate --rules liap`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::console::Console;
use crate::cli::console::opening::{OutOptions, RESUME, RESUMED, RecordedCommand, VIEW};
use crate::cli::console::output::{Format, Outcome, thousands};
use crate::cli::console::playing::{Run, play};
use crate::cli::console::progress::{ProgressStatus, of_count};
use crate::cli::options::given::{Given, Settings};
use crate::cli::options::liap::{LiapOptions, per_seat};
use crate::cli::options::logs::{LogOptions, LogOrNone};
use crate::cli::options::{Threads, count, seed};
use crate::cli::reports::liap::{run_json, run_text};
use crate::engine::Totals;
use crate::liap::{Declarer, Length, LiapCheckpoint, LiapConfig, LiapRun};
use crate::record::{ResumePoint, Shard, shell_path};
use crate::sim::CHECKPOINT_EVERY;

/// Rounds up to which a run logs declarations and rounds unless the user says otherwise.
const DEFAULT_LOG_UP_TO: u64 = 100_000;
/// Matches up to which it does: of at most 20 rounds each, unless the user says otherwise.
const DEFAULT_LOG_UP_TO_MATCHES: u64 = 5_000;

/// Play rounds of four players, in matches
#[derive(Debug, clap::Args)]
pub(crate) struct SimulateArgs {
    /// Rounds to play; the last match is cut when they are played
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = count::<u64>(1..))]
    rounds: u64,

    /// Matches to play, each to its end, instead of --rounds
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), conflicts_with = "rounds")]
    matches: Option<u64>,

    /// Play only the I-th of N parts of the --matches, to be joined by `tetrastat merge`
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,

    /// Declarer of all seats, or of each, joined by commas: v1, v1-rich, v2, v2-literal,
    /// v2-literal-singles, v2-upstream, v2-late
    #[arg(long, default_value = "v2", value_name = "NAMES", value_delimiter = ',')]
    declarers: Vec<Declarer>,

    #[command(flatten)]
    liap: LiapOptions,

    /// Seed of the run, decimal or 0x hexadecimal; the same seed gives the same bytes
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Log declarations and rounds: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet` [default: csv up
    /// to 100,000 rounds or 5,000 matches, else none]
    #[arg(long, value_name = "FORMAT")]
    log: Option<LogOrNone>,

    #[command(flatten)]
    logged: LogOptions,

    #[command(flatten)]
    threads: Threads,

    /// Time between two checkpoints, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = CHECKPOINT_EVERY.as_millis() as u64, value_parser = count::<u64>(..))]
    checkpoint_ms: u64,

    #[command(flatten)]
    out: OutOptions,

    /// Go on with a run that was killed or interrupted, to the bytes it would have had
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
}

/// The command's name, as its checkpoints have it.
pub(crate) const NAME: &str = "liap simulate";

/// Plays a run, or goes on with one.
pub(crate) fn run(console: &Console, given: Given<SimulateArgs>) -> anyhow::Result<Outcome> {
    let Some(folder) = given.options.resume.clone() else {
        let begun = RecordedCommand::new(NAME, &given.settings, Settings::default());
        let options = given.options;
        let (config, begun) = (&options.config()?, &begun);
        return play(console, &LiapPlay { config, begun }, &options.out, &begun.kept(), false);
    };
    given.only(&[RESUME, VIEW], RESUMED)?;
    let checkpoint = LiapCheckpoint::read(&folder)?;
    let (begun, all) = RecordedCommand::again(NAME, &folder, &checkpoint.settings, &given)?;
    let (config, begun) = (&all.options.config()?, &begun);
    let out = OutOptions { out: Some(folder), ..all.options.out };
    play(console, &LiapPlay { config, begun }, &out, &begun.kept(), true)
}

impl SimulateArgs {
    fn config(&self) -> anyhow::Result<LiapConfig> {
        let declarers = per_seat(&self.declarers, "--declarers")?;
        let length = self.matches.map_or(Length::Rounds(self.rounds), Length::Matches);
        let few = match length {
            Length::Rounds(rounds) => rounds <= DEFAULT_LOG_UP_TO,
            Length::Matches(matches) => matches <= DEFAULT_LOG_UP_TO_MATCHES,
        };
        let config = LiapConfig {
            shard: self.shard,
            log: self.logged.liap(self.log, few),
            checkpoint_every: Duration::from_millis(self.checkpoint_ms),
            ..self.liap.config(declarers, length, self.seed, self.threads.count())?
        };
        config.validate()?;
        Ok(config)
    }
}

/// A run of LIAP, of the command that began it.
pub(crate) struct LiapPlay<'a> {
    pub(crate) config: &'a LiapConfig,
    pub(crate) begun: &'a RecordedCommand,
}

impl Run for LiapPlay<'_> {
    type Game = LiapConfig;

    fn game(&self) -> &LiapConfig {
        self.config
    }

    fn name(&self) -> String {
        "liap".to_owned()
    }

    fn status(&self, totals: &Totals) -> ProgressStatus {
        let (what, all) = self.config.asked();
        of_count(what, all, &totals.played)
    }

    fn report(
        &self,
        console: &Console,
        run: &LiapRun,
        folder: &Path,
        format: Format,
    ) -> anyhow::Result<()> {
        match format {
            Format::Json => console.print_json(&run_json(self.config, run, folder)),
            Format::Text => Ok(console.print(&run_text(self.config, run, folder))?),
        }
    }

    /// The tally of the rounds is in no table: there is nothing to print but that it is complete, which is said.
    fn report_again(&self, _: &Console, _: &Path, _: Format) -> anyhow::Result<()> {
        Ok(())
    }

    fn kept(&self, run: &LiapRun) -> String {
        format!("{} rounds are kept", thousands(run.count.rounds))
    }

    fn goes_on(&self, folder: &Path) -> String {
        format!("{} --resume {}", self.begun.command(), shell_path(folder))
    }
}
