//! `tetrastat estimate`: mean lines of games too long to play.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use super::complaint::complain;
use super::estimate_report::{Method, Report, with_estimate};
use super::help::prose;
use super::interrupt::stop_flag;
use super::options::{GameOptions, QueueOptions, count, seed, share};
use super::output::{Format, Outcome, thousands};
use crate::estimate::{
    Begun, EstimateConfig, Importance, Journal, Levels, PilotOptions, Replication, StopRule, Watch,
    find_levels, height_rows, level_rows, replication_rows, run_replications,
};
use crate::kernels::Level;
use crate::record::{RunFolder, write_estimate};
use crate::search::Search;
use crate::sim::{CHECKPOINT_EVERY, Limits, RunConfig};

/// Pieces played unless the user says otherwise.
const BUDGET: u64 = 100_000_000;

/// What `--help` shows below the options.
const HELP: &str = "Games follow one another, so that mean lines per game = rate of lines / rate of deaths, exactly.

  splitting   multilevel splitting (RESTART) finds the rate of deaths too rare to be seen: a path that rises to a
              level of importance becomes several, each of less weight. Unbiased whatever the levels, which
              a pilot places; the interval comes from independent replications.
  direct      plays without splitting: lines per death, with the exact interval for a constant risk per line;
              without any death a lower bound.
  histogram   Fahey's extrapolation of the histogram of heights: a heuristic, without interval.
  all         splitting, and what the paths that were not split say by the other two.

An interval counts on many deadly excursions; the report says when there were too few, and names a method that
disagrees with the one to believe: splitting, or direct after 20 deaths. When --budget ends before --until-halfwidth
is reached, the result is printed, one line on stderr says so, and the exit code is 3. Replications are the same
for any number of threads. With --out the same command goes on with what was killed or interrupted, and one
that asks for more pieces or a narrower interval plays only what is missing. The folder holds estimate.json,
levels.csv, replications.csv, heights.csv, plan.json and replications.jsonl.";

/// Estimate the mean lines of games too long to play, with an interval
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(super) struct Args {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    queue: QueueOptions,

    /// How far to look ahead: `greedy`, `next` (known next piece) or `expect` (mean over seven)
    #[arg(long, default_value = "greedy")]
    search: Search,

    /// What to find: see below
    #[arg(long, value_enum, default_value = "all")]
    method: Method,

    /// What levels are levels of: `cells` (filled), `height` of the stack, `value` (what the controller's
    /// features of the board cost)
    #[arg(long, default_value = "cells")]
    importance: Importance,

    /// Stop after about so many pieces of all paths [default: 100000000, or none with --until-halfwidth]
    #[arg(long, value_name = "PIECES", value_parser = count::<u64>(1..))]
    budget: Option<u64>,

    /// Stop when half the width of the 95 % interval is at most this share of the mean, for example 20%
    #[arg(long, value_name = "P%", value_parser = share)]
    until_halfwidth: Option<f64>,

    /// Pieces of the main path of a replication
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = count::<u64>(1..))]
    pieces: u64,

    /// Pieces that a replication plays before it counts
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = count::<u64>(..))]
    burn_in: u64,

    /// Pieces of the main path in each round of the pilot that places the levels
    #[arg(long, value_name = "N", default_value_t = PilotOptions::default().pieces, value_parser = count::<u64>(1..))]
    pilot_pieces: u64,

    /// Seed, decimal or 0x hexadecimal; the same seed gives the same bytes
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,

    /// Instruction level of the kernels: `auto`, or a slower one: `scalar`, `portable`, `neon` (ARM), `avx2`, `avx512`, `avx512-vbmi`
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    simd: Level,

    /// Keep the replications and write tables: a new folder, or that of the same estimate, which goes on
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// How to print the estimate
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let config = self.config()?;
        config.validate()?;
        let begun = self.out.as_deref().map(|out| Begun::read(out, &config)).transpose()?.flatten();
        let stop = stop_flag()?;
        let folder = match (&self.out, &begun) {
            (None, _) => None,
            (Some(out), Some(_)) => Some(RunFolder::existing(out)?),
            // What is there has been looked at: nothing, or an empty folder.
            (Some(out), None) => Some(RunFolder::replace(out)?),
        };
        self.play(&config, begun, folder, &stop)
    }

    fn config(&self) -> anyhow::Result<EstimateConfig> {
        let board = &self.game.board;
        let start = board.start()?;
        let cores = || available_parallelism().map_or(1, usize::from);
        let run = RunConfig {
            controller: self.game.controller()?,
            rules: board.rules()?,
            size: board.size(start.as_ref())?,
            start,
            queue: self.queue.queue()?,
            search: self.search,
            games: 1,
            shard: None,
            limits: Limits::default(),
            seed: self.seed,
            checkpoint_every: CHECKPOINT_EVERY,
            threads: self.threads.map_or_else(cores, usize::from),
            level: self.simd,
        };
        let budget = self.budget.or(self.until_halfwidth.is_none().then_some(BUDGET));
        Ok(EstimateConfig {
            run,
            splits: matches!(self.method, Method::Splitting | Method::All),
            importance: self.importance,
            pieces: self.pieces,
            burn_in: self.burn_in,
            pilot: PilotOptions { pieces: self.pilot_pieces, ..PilotOptions::default() },
            stop: StopRule { budget, half_width: self.until_halfwidth },
        })
    }

    /// Places levels or takes those there are, plays replications, and reports.
    fn play(
        &self,
        config: &EstimateConfig,
        begun: Option<Begun>,
        folder: Option<RunFolder>,
        stop: &AtomicBool,
    ) -> anyhow::Result<Outcome> {
        let watch = Watch::default();
        let (levels, mut replications) = match begun {
            Some(begun) => (begun.levels, begun.replications),
            None => match with_estimate(config, &watch, || find_levels(config, &watch, stop))? {
                Some(levels) => (levels, Vec::new()),
                None => {
                    if let Some(folder) = folder {
                        folder.discard(&[]);
                    }
                    complain("interrupted before a replication was done: nothing is kept");
                    return Ok(Outcome::Interrupted);
                }
            },
        };
        let journal = folder.as_ref().map(|folder| Journal::open(folder, config, &levels));
        let mut journal = journal.transpose()?;
        let played = with_estimate(config, &watch, || {
            run_replications(config, &levels, &mut replications, &watch, stop, |found| {
                journal.as_mut().map_or(Ok(()), |journal| journal.add(found))
            })
        });
        played?;
        if replications.is_empty() {
            return Ok(self.outcome(config, &levels, &replications, stop));
        }
        let report = Report::new(config, self.method, &levels, &replications);
        if let Some(folder) = &folder {
            let heights = height_rows(&replications, config.run.size);
            let by_level = level_rows(&replications, &levels);
            write_estimate(folder, &by_level, &replication_rows(&replications, &levels), &heights)?;
            let text = serde_json::to_string_pretty(&report.json())? + "\n";
            folder.put("estimate.json", &text)?;
        }
        report.print(self.format)?;
        Ok(self.outcome(config, &levels, &replications, stop))
    }

    /// Says on stderr when what was asked for was not reached.
    fn outcome(
        &self,
        config: &EstimateConfig,
        levels: &Levels,
        replications: &[Replication],
        stop: &AtomicBool,
    ) -> Outcome {
        if !stop.load(Ordering::Relaxed) {
            if config.stop.is_narrow(replications, levels, config.splits) != Some(false) {
                return Outcome::Done;
            }
            let wanted = 100.0 * config.stop.half_width.unwrap_or_default();
            let budget = thousands(config.stop.budget.unwrap_or_default());
            complain(&format!(
                "the half-width of {wanted} % was not reached: raise --budget ({budget}), or ask for a wider one"
            ));
            return Outcome::Missed;
        }
        let replications = replications.len();
        complain(&match &self.out {
            Some(out) => format!(
                "interrupted: {replications} replications are kept in {}; the same command goes on",
                out.display()
            ),
            None => {
                format!("interrupted after {replications} replications; give --out to keep them")
            }
        });
        Outcome::Interrupted
    }
}
