//! Runs `tetrastat estimate`: mean lines of games that are too long to play, classic or guideline.

pub mod estimates;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use crate::cli::commands::estimate::estimates::{Estimation, replication};
use crate::cli::console::Console;
use crate::cli::console::interrupt::{TimeBudget, minutes};
use crate::cli::console::output::{Format, Outcome};
use crate::cli::options::ClassicOptions;
use crate::cli::options::games::{AnyGame, CLASSIC, FallingRules, OfGame};
use crate::cli::options::guideline::EndlessOptions;
use crate::cli::options::help::prose;
use crate::cli::options::settings::{ParsedArgs, Settings};
use crate::cli::reports::estimate::{EstimateReport, Method, with_estimate};
use crate::estimate::{
    EstimateConfig, EstimateWatch, Importance, Levels, PilotOptions, RecordedEstimate, Replication,
    ReplicationTable, StopRule, find_levels, height_rows, level_rows, replication_rows,
    run_replications,
};
use crate::record::{ESTIMATE, Progress, RunFolder, exists, read_manifest, write_estimate};
use crate::rules::Rules;
use crate::rules::guideline::RuleSet;
use crate::sim::guideline::GuidelineConfig;
use crate::sim::{ClassicConfig, Game};
use crate::text::numbers::thousands;
use crate::text::parse::{count, share};

const HELP: &str =
    "Games follow one another, so mean lines per game = rate of lines / rate of deaths, exactly.

  splitting   multilevel splitting (RESTART) estimates the rate of deaths that are too rare to
              observe: a path that rises to a level of importance becomes several paths, each of
              less weight. The estimate is unbiased for any levels; a pilot places them. The
              interval comes from independent replications.
  direct      plays without splitting: lines per death, with the exact interval for a constant
              risk per line; without any death a lower bound.
  histogram   Fahey's extrapolation of the histogram of heights: a heuristic, without interval.
  all         splitting, and the other two methods on the paths that were not split.

Guideline games (--rules guideline or capstone) are played until no piece can be placed. Their mean
is also given in pieces, including the piece that finds no place.

An interval is reliable only with many deadly excursions; the report says when there were too few.
The report also names methods that disagree with the most reliable one: splitting, or direct after
20 deaths. If --budget ends before --until-halfwidth is reached, the result is printed, with one
line on stderr and exit code 3. Replications are the same for any number of threads. With --out, the
same command resumes an interrupted estimate. A command that requests more pieces or a narrower
interval plays only the missing replications. The clock and the machine decide when --minutes ends
an estimate. The folder holds estimate.json, levels.csv, replications.csv, heights.csv, plan.json
and replications.jsonl.";

/// Estimate mean lines when games are too long to play
// An estimate refuses every policy but the default, and garbage rows.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_long_help = prose(HELP),
    mut_arg("policy", |policy| policy.hide(true)),
    mut_arg("garbage", |garbage| garbage.hide(true))
)]
pub(crate) struct Args {
    /// Preset (see `tetrastat show controllers`) or TOML file [default: bcts; for guideline games
    /// tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    #[command(flatten)]
    any: AnyGame,

    /// Estimation method, explained in --help
    #[arg(long, value_enum, default_value = "all")]
    method: Method,

    /// Quantity that defines the splitting levels: `cells` (filled cells), `height` of the stack,
    /// `holes` or, in classic games only, `value` (the board's score by the controller's features)
    #[arg(long, default_value = "cells")]
    importance: Importance,

    /// Number of pieces, over all paths, after which the estimate stops [default: 100000000, for
    /// guideline games 5000000; none with --until-halfwidth]
    #[arg(long, value_name = "PIECES", value_parser = count::<u64>(1..))]
    budget: Option<u64>,

    /// Stop when half the width of the 95 % confidence interval is at most this share of the mean,
    /// for example 20%
    #[arg(long, value_name = "P%", value_parser = share)]
    until_halfwidth: Option<f64>,

    /// Stop after this many minutes of wall-clock time and print the estimate of the replications
    /// finished by then. With --out, the same command resumes
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    minutes: Option<Duration>,

    /// Pieces of the main path of a replication [default: 100000, for guideline games 10000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    pieces: Option<u64>,

    /// Pieces at the start of a replication that are not counted [default: 10000, for guideline
    /// games 1000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(..))]
    burn_in: Option<u64>,

    /// Pieces of the main path in each round of the pilot that places the levels [default: 200000,
    /// for guideline games 20000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    pilot_pieces: Option<u64>,

    /// Folder for replications and tables: a new one, or that of the same estimate, which is
    /// resumed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    #[command(flatten, next_help_heading = CLASSIC.heading)]
    classic: ClassicOptions,

    #[command(flatten)]
    guideline: EndlessOptions,
}

/// Default values of the options that count pieces. They are smaller for guideline games, which
/// offer at least ten times as many placements per piece.
struct Usual {
    budget: u64,
    pieces: u64,
    burn_in: u64,
    pilot_pieces: u64,
}

const USUAL_CLASSIC: Usual =
    Usual { budget: 100_000_000, pieces: 100_000, burn_in: 10_000, pilot_pieces: 200_000 };
const USUAL_GUIDELINE: Usual =
    Usual { budget: 5_000_000, pieces: 10_000, burn_in: 1_000, pilot_pieces: 20_000 };

pub(crate) const NAME: &str = "estimate";

/// An estimate in progress, with its folder if it is stored in one.
pub(crate) struct Estimated<G> {
    pub(crate) config: EstimateConfig<G>,
    method: Method,
    pub(crate) levels: Levels,
    pub(crate) replications: Vec<Replication>,
    folder: Option<RunFolder>,
    pub(crate) table: Option<ReplicationTable>,
}

/// Evaluates the expression `$body` with the configuration of the estimate. Its type depends on the
/// game that the options choose.
macro_rules! with_config {
    ($args:expr, $settings:expr, $config:ident => $body:expr) => {
        match $args.checked($settings)? {
            OfGame::Classic(rules) => {
                let $config = $args.config($args.classic(rules)?, &USUAL_CLASSIC);
                $body
            }
            OfGame::Guideline(rules) => {
                let $config = $args.config($args.endless(&rules)?, &USUAL_GUIDELINE);
                $body
            }
        }
    };
}

pub(crate) fn run(console: &Console, given: &ParsedArgs<Args>) -> anyhow::Result<Outcome> {
    let args = &given.options;
    with_config!(args, &given.settings, config => args.estimate(console, config))
}

impl Args {
    /// Begins an estimate in its folder or resumes the one there. A host program then plays the
    /// replications.
    pub(crate) fn begun(
        &self,
        console: &Console,
        settings: &Settings,
        stop: &AtomicBool,
    ) -> anyhow::Result<Box<dyn Estimation>> {
        const STOPPED: &str = "interrupted before levels were placed: nothing is kept";
        let watch = EstimateWatch::default();
        with_config!(self, settings, config => {
            Ok(Box::new(self.begin(console, config, &watch, stop)?.context(STOPPED)?))
        })
    }

    /// Plays the replication with the number `index`. Returns `None` if `is_halted` returned true.
    pub(crate) fn replicated(
        &self,
        settings: &Settings,
        levels: &Levels,
        index: u64,
        is_halted: &dyn Fn() -> bool,
    ) -> anyhow::Result<Option<Replication>> {
        with_config!(self, settings, config => Ok(replication(&config, levels, index, is_halted)?))
    }

    /// Checks the settings without playing.
    pub(crate) fn validate(&self, settings: &Settings) -> anyhow::Result<()> {
        with_config!(self, settings, config => Ok(config.validate()?))
    }

    /// Runs the estimation in the folder `out`, or resumes it, and returns its report. Returns
    /// `None` if the user interrupts it (`stop` is set) before it reaches its budget or precision.
    /// The finished replications stay in `out`. Reports of progress name the estimate `label`.
    pub(crate) fn estimate_in(
        &self,
        console: &Console,
        settings: &Settings,
        (label, out): (String, &Path),
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Value>> {
        let args = Args { out: Some(out.to_owned()), ..self.clone() };
        let watch = EstimateWatch { label, ..EstimateWatch::default() };
        with_config!(args, settings, config => {
            let Some(mut estimated) = args.begin(console, config, &watch, stop)? else {
                return Ok(None);
            };
            estimated.run(console, &watch, stop)?;
            let report = (!estimated.replications.is_empty())
                .then(|| anyhow::Ok(estimated.written()?.json()))
                .transpose()?;
            Ok(report.filter(|_| estimated.is_enough()))
        })
    }

    /// Returns the progress of the estimate in the folder `out`, and its report if it is complete.
    pub(crate) fn progress_in(
        &self,
        settings: &Settings,
        out: &Path,
    ) -> anyhow::Result<(Progress, Option<Value>)> {
        with_config!(self, settings, config => {
            config.validate()?;
            let Some(RecordedEstimate { levels, replications }) =
                RecordedEstimate::read(out, &config)?
            else {
                return Ok((Progress::Pending, None));
            };
            let path = out.join(ESTIMATE);
            if !exists(&path)? || !config.stop.is_met(&replications, &levels, config.splits) {
                return Ok((Progress::Unfinished, None));
            }
            Ok((Progress::Complete, Some(read_manifest(&path)?)))
        })
    }

    fn checked(&self, settings: &Settings) -> anyhow::Result<FallingRules> {
        self.any.rules.games().check::<Args>(settings)?;
        Ok(self.any.rules.falling("an estimate")?)
    }

    fn estimate<G: Game>(
        &self,
        console: &Console,
        config: EstimateConfig<G>,
    ) -> anyhow::Result<Outcome> {
        let (stop, watch) = (console.stop_flag()?, EstimateWatch::default());
        let budget = TimeBudget::new(self.minutes);
        budget.spend(&stop, || match self.begin(console, config, &watch, &stop)? {
            Some(estimated) => self.play(console, estimated, &watch, &stop, &budget),
            None if budget.is_over() => {
                console.eprint_line(
                    "the time of --minutes is over before levels were placed: \
                    nothing is kept; give more, or fewer --pilot-pieces",
                );
                Ok(Outcome::Missed)
            }
            None => {
                console.eprint_line("interrupted before a replication was done: nothing is kept");
                Ok(Outcome::Interrupted)
            }
        })
    }

    /// Opens the folder of an estimate, and finds the splitting levels of a new estimate. Returns
    /// `None` if `stop` was set before the levels were found.
    fn begin<G: Game>(
        &self,
        console: &Console,
        config: EstimateConfig<G>,
        watch: &EstimateWatch,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Estimated<G>>> {
        config.validate()?;
        let folder = self.out.as_deref().map(RunFolder::lock).transpose()?;
        let begun = match &folder {
            Some(folder) => RecordedEstimate::read(folder.path(), &config)?,
            None => None,
        };
        let (levels, replications) = match begun {
            Some(begun) => (begun.levels, begun.replications),
            None => {
                match with_estimate(console, &config, watch, || find_levels(&config, watch, stop))?
                {
                    Some(levels) => (levels, Vec::new()),
                    None => {
                        // Without levels nothing can be resumed, and an empty folder would block
                        // the next start.
                        folder.into_iter().for_each(RunFolder::discard);
                        return Ok(None);
                    }
                }
            }
        };
        let known = replications.len();
        let open = |folder| ReplicationTable::open(folder, &config, &levels, known);
        let table = folder.as_ref().map(open);
        let table = table.transpose()?;
        Ok(Some(Estimated { config, method: self.method, levels, replications, folder, table }))
    }

    fn config<G>(&self, run: G, usual: &Usual) -> EstimateConfig<G> {
        // The default budget would end the estimate before a requested half-width is reached.
        let budget = self.budget.or(self.until_halfwidth.is_none().then_some(usual.budget));
        EstimateConfig {
            run,
            splits: matches!(self.method, Method::Splitting | Method::All),
            importance: self.importance,
            pieces: self.pieces.unwrap_or(usual.pieces),
            burn_in: self.burn_in.unwrap_or(usual.burn_in),
            pilot: PilotOptions {
                pieces: self.pilot_pieces.unwrap_or(usual.pilot_pieces),
                ..PilotOptions::default()
            },
            stop: StopRule { budget, half_width: self.until_halfwidth },
        }
    }

    fn classic(&self, rules: Rules) -> anyhow::Result<ClassicConfig> {
        let controller = self.classic.controller(self.controller.as_deref())?;
        self.any.classic(controller, &self.classic.board, rules)
    }

    fn endless(&self, rules: &RuleSet) -> anyhow::Result<GuidelineConfig> {
        let options = self.guideline.without_end();
        let controller = options.controller(self.controller.as_deref(), &self.any)?;
        options.config(rules, &self.any, controller, 1)
    }

    fn play<G: Game>(
        &self,
        console: &Console,
        mut estimated: Estimated<G>,
        watch: &EstimateWatch,
        stop: &AtomicBool,
        budget: &TimeBudget,
    ) -> anyhow::Result<Outcome> {
        estimated.run(console, watch, stop)?;
        if !estimated.replications.is_empty() {
            console.report(&estimated.written()?.report(), self.format)?;
        }
        let Estimated { config, levels, replications, .. } = &estimated;
        Ok(self.outcome(console, config, levels, replications, stop, budget))
    }

    /// Returns the outcome of the command. Prints on stderr if the target was not reached or the
    /// command was interrupted.
    fn outcome<G>(
        &self,
        console: &Console,
        config: &EstimateConfig<G>,
        levels: &Levels,
        replications: &[Replication],
        stop: &AtomicBool,
        budget: &TimeBudget,
    ) -> Outcome {
        let is_narrow = config.stop.is_narrow(replications, levels, config.splits);
        if !stop.load(Ordering::Relaxed) {
            if is_narrow != Some(false) {
                return Outcome::Done;
            }
            let wanted = 100.0 * config.stop.half_width.unwrap_or_default();
            let budget = thousands(config.stop.budget.unwrap_or_default());
            console.eprint_line(&format!(
                "the half-width of {wanted} % was not reached: raise --budget ({budget}), or \
                    --until-halfwidth"
            ));
            return Outcome::Missed;
        }
        let replications = replications.len();
        let why = if budget.is_over() { "the time of --minutes is over" } else { "interrupted" };
        console.eprint_line(&match &self.out {
            Some(out) => format!(
                "{why}: {replications} replications are kept in {}; the same command resumes the \
                    estimate",
                out.display()
            ),
            None => format!("{why} after {replications} replications; give --out to keep them"),
        });
        match budget.is_over() {
            true if replications > 0 && is_narrow != Some(false) => Outcome::Done,
            true => Outcome::Missed,
            false => Outcome::Interrupted,
        }
    }
}

impl<G: Game> Estimated<G> {
    /// Plays replications until the stop rule is met or `stop` is set.
    fn run(
        &mut self,
        console: &Console,
        watch: &EstimateWatch,
        stop: &AtomicBool,
    ) -> anyhow::Result<()> {
        let Estimated { config, levels, replications, table, .. } = self;
        with_estimate(console, config, watch, || {
            run_replications(config, levels, replications, watch, stop, |found| {
                table.as_mut().map_or(Ok(()), |table| table.add(found))
            })
        })?;
        Ok(())
    }

    /// Returns true if the stop rule is met.
    fn is_enough(&self) -> bool {
        self.config.stop.is_met(&self.replications, &self.levels, self.config.splits)
    }

    /// Returns the report of all replications. Writes it into the folder first, if there is a
    /// folder.
    pub(crate) fn written(&self) -> anyhow::Result<EstimateReport<'_, G>> {
        let Estimated { config, levels, replications, .. } = self;
        let report = EstimateReport::new(config, self.method, levels, replications);
        if let Some(folder) = &self.folder {
            let [rows, highest] = config.run.heights();
            let heights = height_rows(replications, rows, highest);
            let by_level = level_rows(replications, levels);
            let by_replication = replication_rows(replications, levels);
            write_estimate(folder, &by_level, &by_replication, &heights, report.json())?;
        }
        Ok(report)
    }
}
