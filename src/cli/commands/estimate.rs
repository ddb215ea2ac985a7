//! Runs `tetrastat estimate`: mean lines of games that are too long to play.
//!
//! A replication is one independent run of the splitting estimator (multilevel splitting).

use std::sync::atomic::Ordering;

use anyhow::Context;
use serde_json::{Value, json};

use crate::cli::command_line::join_paragraphs;
use crate::cli::console::minutes;
use crate::cli::console::run_folder::{OpenedFolder, OutputRequest};
use crate::cli::hosted::{Estimation, HostedEstimate};
use crate::cli::options::guideline::EndlessOptions;
use crate::cli::options::{CLASSIC, ClassicOptions, FallingRules};
use crate::cli::prelude::*;
use crate::cli::reports::estimate::{EstimateReport, with_estimate};
use crate::engine::{Job, RunState, Writer, each, play};
use crate::estimate::{
    Estimate, EstimateConfig, EstimateMethod, EstimateWatch, Importance, Levels, PilotOptions,
    Replication, Replications, StopRule, find_levels, recorded_levels,
};
use crate::record::{Checkpoint, Progress, exists, read_manifest};
use crate::sim::Game;
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

Guideline games (--rules guideline or another preset) are played until no piece can be placed.
Their mean is also given in pieces, including the piece that finds no place.

An interval is reliable only with many deadly excursions; the report says when there were too few.
The report also names methods that disagree with the most reliable one: splitting, or direct after
20 deaths. If --budget ends before --until-halfwidth is reached, the result is printed, with one
line on stderr and exit code 3. Replications are the same for any number of threads. With --out, the
same command resumes an interrupted estimate. A command that requests more pieces or a narrower
interval plays only the missing replications. The clock and the machine decide when --minutes ends
an estimate. The folder holds run.json, replications.csv, levels.csv, heights.csv,
datapackage.json and checkpoint.json, from which the same command continues.";

/// Estimate mean lines when games are too long to play
// An estimate refuses every policy but the default, and garbage rows.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_long_help = join_paragraphs(HELP),
    mut_arg("policy", |policy| policy.hide(true)),
    mut_arg("garbage", |garbage| garbage.hide(true)),
    mut_arg("garbage_messiness", |messiness| messiness.hide(true)),
    mut_arg("garbage_every", |every| every.hide(true))
)]
pub(crate) struct Args {
    /// Preset (see `tetrastat show controllers`) or TOML file [default: bcts; for guideline games
    /// tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    #[command(flatten)]
    any: AnyGameOptions,

    /// Estimation method, explained in --help
    #[arg(long, value_enum, default_value = "all")]
    method: EstimateMethod,

    /// Quantity that defines the splitting levels: `cells` (filled cells), `height` of the stack,
    /// `holes` or, in classic games only, `value` (the board's score by the controller's features)
    #[arg(long, default_value = "cells")]
    importance: Importance,

    /// Number of pieces, in all games and their copies, after which the estimate stops [default:
    /// 100000000, for guideline games 5000000; none with --until-halfwidth]
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

    /// Pieces of the original games (without copies) in a replication, an independent run [default:
    /// 100000, for guideline games 10000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    pieces: Option<u64>,

    /// Pieces at the start of a replication that are not counted [default: 10000, for guideline
    /// games 1000]
    #[arg(long, value_name = "N", value_parser = count::<u64>(..))]
    burn_in: Option<u64>,

    /// Pieces of the original games (without copies) in each round of the pilot, the trial games
    /// that place the splitting levels [default: 200000, for guideline games 20000]
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

/// Default numbers of pieces that an estimate of mean lines plays, for one kind of game.
struct PieceDefaults {
    budget: u64,
    pieces: u64,
    burn_in: u64,
    pilot_pieces: u64,
}

const CLASSIC_DEFAULTS: PieceDefaults =
    PieceDefaults { budget: 100_000_000, pieces: 100_000, burn_in: 10_000, pilot_pieces: 200_000 };
const GUIDELINE_DEFAULTS: PieceDefaults =
    PieceDefaults { budget: 5_000_000, pieces: 10_000, burn_in: 1_000, pilot_pieces: 20_000 };

pub(crate) const NAME: &str = "estimate";

struct OpenedEstimate<G: Game> {
    job: Estimate<G>,
    folder: OpenedFolder<RunState<Estimate<G>>>,
}

macro_rules! with_config {
    ($args:expr, $settings:expr, $config:ident => $body:expr) => {
        match $args.checked($settings)? {
            ByGame::Classic(rules) => {
                let $config = $args.config($args.classic(rules)?, &CLASSIC_DEFAULTS);
                $body
            }
            ByGame::Guideline(rules) => {
                let $config = $args.config($args.endless(&rules)?, &GUIDELINE_DEFAULTS);
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
    pub(crate) fn hosted(
        &self,
        console: &Console,
        settings: &Settings,
        stop: &AtomicBool,
    ) -> anyhow::Result<Box<dyn Estimation>> {
        const NO_LEVELS_MESSAGE: &str = "interrupted before levels were placed: nothing is kept";
        const FOLDER: &str = "an estimate on a cluster needs a folder: give out";
        with_config!(self, settings, config => {
            let begun = self.begin(console, config, String::new(), stop)?;
            let OpenedEstimate { job, folder } = begun.context(NO_LEVELS_MESSAGE)?;
            let (folder, from) = folder.context(FOLDER)?;
            let writer = Writer::begin(&job, folder, from.as_ref(), &Value::Null, None)?;
            Ok(Box::new(HostedEstimate { job, writer: Some(writer) }))
        })
    }

    /// Plays one replication (independent run) of a splitting estimate; `None` if interrupted.
    pub(crate) fn replicated(
        &self,
        settings: &Settings,
        levels: Levels,
        index: u64,
        is_halted: &dyn Fn() -> bool,
    ) -> anyhow::Result<Option<Replication>> {
        with_config!(self, settings, config => {
            let job = Estimate { config, method: self.method, levels, watch: Arc::default() };
            Ok(job.replicate(&mut job.player()?, index, &|_| is_halted())?)
        })
    }

    pub(crate) fn validate(&self, settings: &Settings) -> anyhow::Result<()> {
        with_config!(self, settings, config => Ok(config.validate()?))
    }

    /// Runs or resumes the estimate of mean lines in the folder `out`, called `label` in progress
    /// reports. Returns the summary, or `None` for an unfinished estimate.
    pub(crate) fn estimate_in(
        &self,
        console: &Console,
        settings: &Settings,
        (label, out): (String, &Path),
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Value>> {
        let args = Args { out: Some(out.to_owned()), ..self.clone() };
        with_config!(args, settings, config => {
            let Some(begun) = args.begin(console, config, label, stop)? else { return Ok(None) };
            let (job, replications) = begun.run(console, stop)?;
            let is_enough = job.is_enough(&replications);
            Ok(is_enough.then(|| json!(job.summary(&Replications { replications }))))
        })
    }

    pub(crate) fn progress_in(
        &self,
        settings: &Settings,
        out: &Path,
    ) -> anyhow::Result<(Progress, Option<Value>)> {
        with_config!(self, settings, config => self.progress(config, out))
    }

    fn progress<G: Game>(
        &self,
        config: EstimateConfig<G>,
        out: &Path,
    ) -> anyhow::Result<(Progress, Option<Value>)> {
        config.validate()?;
        let Some(levels) = recorded_levels(out)? else { return Ok((Progress::Pending, None)) };
        let job = Estimate { config, method: self.method, levels, watch: Arc::default() };
        let begun = Checkpoint::<RunState<Estimate<G>>>::read(out)?;
        begun.check_config(&job.recorded_config())?;
        let path = out.join("run.json");
        if !exists(&path)? || !job.is_enough(&begun.count()?.replications) {
            return Ok((Progress::Unfinished, None));
        }
        let mut manifest: Value = read_manifest(&path)?;
        Ok((Progress::Complete, Some(manifest["summary"].take())))
    }

    fn checked(&self, settings: &Settings) -> anyhow::Result<FallingRules> {
        self.any.rules.games().refuse_foreign::<Args>(settings)?;
        Ok(self.any.rules.falling("an estimate")?)
    }

    fn estimate<G: Game>(
        &self,
        console: &Console,
        config: EstimateConfig<G>,
    ) -> anyhow::Result<Outcome> {
        let (stop, budget) = (console.stop_flag()?, TimeBudget::new(self.minutes));
        budget.spend(&stop, || match self.begin(console, config, String::new(), &stop)? {
            Some(begun) => self.play(console, begun, &stop, &budget),
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

    /// Opens an estimate's folder and finds the levels of splitting; `None` if interrupted.
    fn begin<G: Game>(
        &self,
        console: &Console,
        config: EstimateConfig<G>,
        label: String,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<OpenedEstimate<G>>> {
        config.validate()?;
        let known = self.out.as_deref().map(recorded_levels).transpose()?.flatten();
        let (is_new, levels) = (known.is_none(), known.unwrap_or_default());
        let watch = Arc::new(EstimateWatch { label, ..EstimateWatch::default() });
        let mut job = Estimate { config, method: self.method, levels, watch };
        let request =
            OutputRequest { config: job.recorded_config(), tables: job.files(), force: false };
        // The folder of a complete estimate is opened, too: its stop rule may be another one.
        let open = |path: &PathBuf| request.open(console, path, |_| false);
        let folder = self.out.as_ref().map(open).transpose()?.flatten();
        if is_new {
            let Estimate { config, watch, .. } = &job;
            let find = || find_levels(config, watch, stop);
            let Some(levels) = with_estimate(console, config, watch, find)? else {
                // Without levels nothing can be resumed, and an empty folder would block the next
                // start.
                folder.into_iter().for_each(|(folder, _)| folder.discard());
                return Ok(None);
            };
            job.levels = levels;
        }
        Ok(Some(OpenedEstimate { job, folder }))
    }

    fn config<G>(&self, run: G, default: &PieceDefaults) -> EstimateConfig<G> {
        // The default budget would end the estimate before a requested half-width is reached.
        let budget = self.budget.or(self.until_halfwidth.is_none().then_some(default.budget));
        EstimateConfig {
            run,
            splits: self.method.shows(EstimateMethod::Splitting),
            importance: self.importance,
            pieces: self.pieces.unwrap_or(default.pieces),
            burn_in: self.burn_in.unwrap_or(default.burn_in),
            pilot: PilotOptions {
                pieces: self.pilot_pieces.unwrap_or(default.pilot_pieces),
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
        begun: OpenedEstimate<G>,
        stop: &AtomicBool,
        budget: &TimeBudget,
    ) -> anyhow::Result<Outcome> {
        let (job, replications) = begun.run(console, stop)?;
        if !replications.is_empty() {
            console.report(&EstimateReport::new(&job, &replications).report(), self.format)?;
        }
        Ok(self.outcome(console, &job, &replications, stop, budget))
    }

    fn outcome<G>(
        &self,
        console: &Console,
        Estimate { config, levels, .. }: &Estimate<G>,
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

impl<G: Game> OpenedEstimate<G> {
    fn run(
        self,
        console: &Console,
        stop: &AtomicBool,
    ) -> anyhow::Result<(Estimate<G>, Vec<Replication>)> {
        let OpenedEstimate { job, folder } = self;
        let totals = Totals::default();
        let replications = with_estimate(console, &job.config, &job.watch, || match folder {
            Some((folder, from)) => {
                let played = play(&job, folder, from.as_ref(), &Value::Null, &totals, stop, None)?;
                Ok(played.count.replications)
            }
            None => {
                let mut done = Replications::default();
                each(&job, &totals, stop, |found| {
                    Ok(job.take(&mut done, 0, found, &mut Vec::new()))
                })?;
                anyhow::Ok(done.replications)
            }
        })?;
        Ok((job, replications))
    }
}
