//! Runs `tetrastat liap`: LIAP, a card game. The crate of the game defines the options and reports.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use crate::cli::console::Console;
use crate::cli::console::opening::{OutOptions, RecordedCommand};
use crate::cli::console::output::{Format, Outcome};
use crate::cli::console::playing::{Run, kept, play};
use crate::cli::console::progress::ProgressStatus;
use crate::cli::options::Threads;
use crate::cli::options::given::{ParsedArgs, Settings};
use crate::cli::options::help::{LOGS, OUTPUT};
use crate::cli::options::logs::{LogOptions, LogOrNone};
use crate::cli::options::playable::Playable;
use crate::engine::{Manifest, Totals};
use crate::liap::options::{CompareOptions, DeclareOptions, DistributionOptions, RunOptions};
use crate::liap::reports::{Report, of_comparison, of_run};
use crate::liap::{LiapConfig, LiapRun, Tally};
use crate::sim::CHECKPOINT_EVERY;
use crate::text::numbers::thousands;
use crate::text::parse::count;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum LiapCommand {
    /// Declare with one hand, and explain the declaration
    Declare(Printed<DeclareOptions>),
    Simulate(Box<ParsedArgs<SimulateArgs>>),
    Compare(CompareArgs),
    /// Compute the exact distribution of declarations over all 10,518,300 hands
    Distribution(Printed<DistributionOptions>),
}

impl LiapCommand {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        let (Report { text, json }, format) = match self {
            LiapCommand::Simulate(given) => return simulate(console, *given),
            LiapCommand::Compare(args) => return args.run(console),
            LiapCommand::Declare(args) => (args.options.report()?, args.format),
            LiapCommand::Distribution(args) => (args.options.report()?, args.format),
        };
        format.print(console, || text, json)?;
        Ok(Outcome::Done)
    }
}

/// Options of a command that only prints, and the format.
#[derive(Debug, clap::Args)]
pub(crate) struct Printed<O: clap::Args> {
    #[command(flatten)]
    options: O,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Compare two declarers on the same single deals, position by position. `compare --rules liap`
/// compares whole matches of any number of declarers
#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    compare: CompareOptions,

    #[command(flatten)]
    threads: Threads,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl CompareArgs {
    fn run(&self, console: &Console) -> anyhow::Result<Outcome> {
        let comparison = self.compare.comparison(self.threads.count());
        let (played, stop) = (AtomicU64::new(0), console.stop_flag()?);
        let compared = console
            .with_count("deals", comparison.rounds, &played, || comparison.play(&played, &stop))?;
        let [begun, asked] = [compared.rounds, comparison.rounds].map(thousands);
        if compared.rounds == 0 {
            console.eprint_line("interrupted before a deal was played");
            return Ok(Outcome::Interrupted);
        }
        let Report { text, json } = of_comparison(&comparison, &compared);
        self.format.print(console, || text, json)?;
        if compared.rounds == comparison.rounds {
            return Ok(Outcome::Done);
        }
        console.eprint_line(&format!(
            "interrupted: {begun} of {asked} deals were played and are compared; nothing is kept, \
                so the same command starts again"
        ));
        Ok(Outcome::Interrupted)
    }
}

/// Play matches of four players
#[derive(Debug, clap::Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    run: RunOptions,

    /// Log declarations and rounds: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet` [default: csv
    /// up to 100,000 rounds or 5,000 matches, else none]
    #[arg(long, value_name = "FORMAT", help_heading = LOGS)]
    log: Option<LogOrNone>,

    #[command(flatten)]
    logged: LogOptions,

    #[command(flatten)]
    threads: Threads,

    /// Time between two checkpoints, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        default_value_t = CHECKPOINT_EVERY.as_millis() as u64,
        value_parser = count::<u64>(..),
        help_heading = OUTPUT
    )]
    checkpoint_ms: u64,

    #[command(flatten)]
    out: OutOptions,

    /// Resume an interrupted run; the output is byte-identical to an uninterrupted one
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    resume: Option<PathBuf>,
}

impl SimulateArgs {
    fn config(&self) -> anyhow::Result<LiapConfig> {
        let config = LiapConfig {
            log: self.logged.liap(self.log, self.run.is_short()),
            checkpoint_every: Duration::from_millis(self.checkpoint_ms),
            ..self.run.config(self.threads.count())?
        };
        config.validate()?;
        Ok(config)
    }
}

/// Name of the command `liap simulate` in checkpoints.
pub(crate) const SIMULATE: &str = "liap simulate";

/// Plays a run of LIAP matches, or resumes one.
fn simulate(console: &Console, given: ParsedArgs<SimulateArgs>) -> anyhow::Result<Outcome> {
    let resume = given.options.resume.clone();
    let below = Settings::default();
    let (begun, all) = RecordedCommand::of(SIMULATE, given, below, resume.as_deref())?;
    let (config, is_resumed) = (all.options.config()?, resume.is_some());
    let out = OutOptions { out: resume.or(all.options.out.out), ..all.options.out };
    play(console, &config, &out, &begun.kept(), is_resumed)
}

impl Run for LiapConfig {
    type Game = LiapConfig;

    fn game(&self) -> &LiapConfig {
        self
    }

    fn name(&self) -> String {
        "liap".to_owned()
    }

    fn status(&self, totals: &Totals) -> ProgressStatus {
        Playable::status(self, totals)
    }

    fn report(
        &self,
        console: &Console,
        run: &Manifest<LiapConfig>,
        _: Option<&Tally>,
        folder: &Path,
        format: Format,
    ) -> anyhow::Result<()> {
        let Report { text, json } = of_run(self, run, folder);
        format.print(console, || text, json)
    }

    fn kept(&self, run: &LiapRun) -> String {
        kept(run.count.rounds, "round")
    }
}
