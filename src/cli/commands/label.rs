//! Runs `tetrastat label`: continues games from the boards of a log (rollouts).

use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::cli::command_line::join_paragraphs;
use crate::cli::console::progress::{ProgressStatus, count_status};
use crate::cli::console::run_folder::{OutOptions, ReportedRun, is_or_are};
use crate::cli::options::WorkerOptions;
use crate::cli::prelude::*;
use crate::engine::Job;
use crate::queue::QueueKind;
use crate::record::{Shard, read_boards};
use crate::sim::Limits;
use crate::sim::rollout::{MOST_REPLICATES, RolloutConfig};
use crate::text::numbers::{counted, thousands};
use crate::text::parse::count;

const HELP: &str = "\
The r-th game from every board is dealt the same pieces (common random numbers). Boards therefore \
differ in quality, not in luck. Each board starts with a new bag. The same command with the same \
--out resumes an interrupted job, and `tetrastat data merge` joins shards.";

/// Continue games from logged boards: risks and alternatives
#[derive(Debug, clap::Args)]
#[command(after_long_help = join_paragraphs(HELP))]
pub(crate) struct Args {
    /// Run folder with a placements log that has the column `board`, or the log itself
    #[arg(long, value_name = "LOG")]
    from: PathBuf,

    /// Use the board of every K-th placement of the log
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = count::<u64>(1..))]
    every: u64,

    /// Games to play from each board
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100,
        value_parser = count::<u64>(2..=MOST_REPLICATES)
    )]
    replicates: u64,

    /// Pieces after which a game is censored. The risk of death refers to this number of pieces
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count::<u64>(1..))]
    horizon: u64,

    /// Also play on after each alternative placement of the next piece, and compare it with the
    /// chosen one
    #[arg(long)]
    regret: bool,

    /// Play more games, up to N, after placements that may have the most lines. As many other games
    /// decide which placements these are, and enter no result
    #[arg(
        long,
        value_name = "N",
        requires = "regret",
        value_parser = count::<u64>(2..=MOST_REPLICATES)
    )]
    max_replicates: Option<u64>,

    /// With --max-replicates: play no more games after a placement once the standard error of the
    /// mean lines in the deciding games is at most this share of the mean, for example 0.03
    #[arg(long, value_name = "SHARE", requires = "max_replicates")]
    precision: Option<f64>,

    /// Controller: a preset or TOML file [default: the run's controller]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    /// Look-ahead: greedy, next or expect [default: the run's]
    #[arg(long)]
    search: Option<Search>,

    /// Piece generator: one of those of simulate, such as uniform or bag [default: the run's queue]
    #[arg(long, value_name = "NAME")]
    queue: Option<QueueKind>,

    #[command(flatten)]
    workers: WorkerOptions,

    #[command(flatten)]
    out: OutOptions,

    /// Play only part I of N of the boards. `tetrastat data merge` joins the parts
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        let (config, log) = self.config()?;
        config.validate()?;
        let run = ReportedRun {
            job: &config,
            name: format!("label-{}-{}", config.play.controller.name, config.play.size),
            status: &|totals| rollout_status(&config, totals),
            report: &|run, _, folder| report(run, &log, folder),
            kept_text: &|totals| {
                let boards = totals.boards;
                format!("{} {} done and kept", counted(boards, "board"), is_or_are(boards))
            },
            note: None,
        };
        // A rollout is resumed only by the same command, so its checkpoint needs no settings.
        run.play(console, &self.out, &Value::Null, false)
    }

    fn config(&self) -> anyhow::Result<(RolloutConfig, PathBuf)> {
        let from = &self.from;
        let folder = match from.is_dir() {
            true => from.as_path(),
            false => {
                from.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
            }
        };
        let setup = ClassicConfig::read_entry(folder)?;
        let controller = match &self.controller {
            Some(name) => Controller::load(name)?,
            None => setup.controller,
        };
        let logged = read_boards(from, setup.size, self.every)?;
        let log = logged.file.clone();
        let play = ClassicConfig {
            rules: setup.rules,
            queue: self.queue.clone().unwrap_or(setup.queue),
            search: self.search.unwrap_or(setup.search),
            garbage: setup.garbage,
            games: 0,
            shard: self.shard,
            limits: Limits { pieces: Some(self.horizon), lines: None },
            seed: self.workers.seed,
            threads: self.workers.threads(),
            level: self.workers.simd,
            ..ClassicConfig::new(controller, setup.size)
        };
        let config = RolloutConfig::new(play, logged, self.every, self.replicates);
        let max_replicates = self.max_replicates.unwrap_or(self.replicates);
        Ok((
            RolloutConfig {
                candidates: self.regret,
                max_replicates,
                precision: self.precision,
                ..config
            },
            log,
        ))
    }
}

pub(crate) fn rollout_status(config: &RolloutConfig, totals: &Totals) -> ProgressStatus {
    let work_items = config.work_items();
    let counted = Some((totals.pieces.load(Ordering::Relaxed), "pieces"));
    ProgressStatus {
        counted,
        ..count_status("boards", work_items.end - work_items.start, &totals.played)
    }
}

fn report(run: &Manifest<RolloutConfig>, log: &Path, folder: &Path) -> Report {
    let (totals, entry) = (&run.totals, &run.config);
    let share = 100.0 * totals.deaths as f64 / totals.continuations.max(1) as f64;
    let mut report = Report::default();
    report.fields(run);
    report.text(format!(
        "{} boards of {}: {} games of at most {} pieces from each\n\
         chance of death within {} pieces, mean of the boards: {share:.2} %\n\
         {} pieces played; tables in {}",
        thousands(totals.boards),
        log.display(),
        thousands(entry.replicates),
        thousands(entry.horizon),
        thousands(entry.horizon),
        thousands(totals.pieces),
        folder.display(),
    ));
    report
}
