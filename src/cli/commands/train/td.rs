//! Runs `tetrastat train td`: learns cell patterns by temporal differences.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{anyhow, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::cli::commands::train::layers::Layered;
use crate::cli::commands::train::method::OPTIMISER;
use crate::cli::commands::train::options::Options;
use crate::cli::commands::train::{FINALS_TIME, NAME, OPTIONS_WITHOUT_EFFECT, windows, words};
use crate::cli::console::Console;
use crate::cli::console::interrupt::{StopFlags, TimeBudget, cut_late};
use crate::cli::console::opening::{OutputRequest, RESUME, RESUMED, RecordedCommand, open_run};
use crate::cli::console::output::{Format, Outcome};
use crate::cli::console::progress::ProgressStatus;
use crate::cli::options::settings::{ParsedArgs, name, options};
use crate::cli::reports::train::describe_layout;
use crate::controller::Controller;
use crate::error::name_problem;
use crate::learn::LearningSettings;
use crate::record::{
    ResumePoint, RunFolder, Status, checkpoint_state, command_line, plain_name, shell_path,
};
use crate::text::numbers::{counted, number, thousands};
use crate::text::parse::count;
use crate::train::{
    CONTROLLER_FILE, LearningCheckpoint, LearningEnds, LearningManifest, LearningPlan,
    LearningWatch, TABLES_FILE, TEMPORAL_DIFFERENCES, TrainingInvocation, learn,
};

/// Help heading of the options of learning.
const LEARNING: &str = "Temporal differences (method td)";

/// Options of learning by temporal differences.
#[derive(Debug, Args)]
#[command(next_help_heading = LEARNING)]
pub(crate) struct LearningOptions {
    /// Learning rate: fraction of an error by which the value of a board moves (up to twice as much
    /// if mirrored windows select the same entry)
    #[arg(long, default_value_t = 1.0)]
    alpha: f64,

    /// Number of placements before the learning rate decays
    #[arg(long, default_value_t = 0, value_name = "PLACEMENTS", value_parser = count::<u64>(..))]
    hold: u64,

    /// Number of placements in which the learning rate halves [default: none, a constant rate]
    #[arg(long, value_name = "PLACEMENTS", value_parser = count::<u64>(1..))]
    half_life: Option<u64>,

    /// Discount of the value after a placement
    #[arg(long, default_value_t = 1.0)]
    gamma: f64,

    /// Decay of the traces of past boards: 0 for TD(0), at most 0.99
    #[arg(long, default_value_t = 0.0)]
    lambda: f64,

    /// Value of every board before learning, in lines
    #[arg(long, default_value_t = 10.0, value_name = "LINES", allow_negative_numbers = true)]
    initial_value: f64,

    /// Probability of a random placement, which shows the learner boards that it avoids
    #[arg(long, default_value_t = 0.0, value_name = "PROBABILITY")]
    explore: f64,

    /// Number of placements after which the probability of --explore is half as large [default:
    /// none, a constant probability]
    #[arg(long, value_name = "PLACEMENTS", value_parser = count::<u64>(1..))]
    explore_half_life: Option<u64>,

    /// Give each table entry its own learning rate (temporal coherence)
    #[arg(long)]
    coherence: bool,

    /// Return an average of the tables, in which late tables weigh most, instead of the last tables
    #[arg(long)]
    average: bool,

    /// Number of streams of games. More streams use more threads and memory; each has a copy of the
    /// tables
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = count::<usize>(1..))]
    streams: usize,

    /// Placements of each stream in a round, after which the tables become the mean of the streams
    #[arg(long, default_value_t = 4096, value_name = "N", value_parser = count::<u64>(1..))]
    round: u64,

    /// Number of placements of all streams after which learning ends, rounded up to whole rounds
    /// [default: none]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    placements: Option<u64>,

    /// Placements of all streams between two rows of history.csv
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = count::<u64>(1..))]
    report_every: u64,
}

/// Options of other methods, beside those with the heading [`OPTIMISER`].
const FOREIGN: [&str; 24] = [
    "features",
    "measured",
    "objective",
    "estimate_pieces",
    "estimate_burn_in",
    "estimate_pilot_pieces",
    "estimate_most",
    "estimate_importance",
    "at_heights",
    "tie",
    "minimise",
    "lost",
    "generations",
    "repeat_games",
    "racing",
    "racing_rounds",
    "check_every",
    "check_games",
    "finalists",
    "final_games",
    "answer",
    "robust_elite",
    "population_log",
    "view",
];

/// Options that may be combined with `--resume`.
const OPTIONS_WITH_RESUME: [&str; 6] =
    [RESUME, "placements", "minutes", "threads", "simd", "format"];

/// Message after the first Ctrl-C.
const STOPPING: &str = "stopping: the held-out games measure the result, for at most a minute or a \
    tenth of the time so far (again to skip them)";

/// Checks that no option of learning was given for an optimiser.
pub(crate) fn refuse_learning_options(layered: &Layered) -> anyhow::Result<()> {
    let is_of_learning = |arg: &&clap::Arg| {
        arg.get_help_heading() == Some(LEARNING) && layered.settings.has(&name(arg))
    };
    if let Some(arg) = options::<Options>().get_arguments().find(is_of_learning) {
        let option = arg.get_long().unwrap_or_default();
        bail!("--{option} is an option of td: write `train td`, or leave it out");
    }
    ensure!(
        layered.options.method.as_deref() != Some(TEMPORAL_DIFFERENCES),
        "td is no optimiser of candidates: only the command `tetrastat train td` runs it"
    );
    Ok(())
}

/// A training by temporal differences that was requested, with its plan.
pub(crate) struct RequestedLearning {
    options: Options,
    begun: RecordedCommand,
    from: Option<LearningCheckpoint>,
    plan: LearningPlan,
    name: String,
}

impl RequestedLearning {
    /// Builds the plan of a training if `given` requests the method `td`. Otherwise returns
    /// `given`.
    pub(crate) fn of(
        given: ParsedArgs<Options>,
    ) -> anyhow::Result<Result<RequestedLearning, ParsedArgs<Options>>> {
        if let Some(folder) = given.options.course.resume.clone() {
            let state = checkpoint_state(&folder)?;
            if !LearningCheckpoint::is_of(&state[LearningCheckpoint::CONFIG]) {
                return Ok(Err(given));
            }
            given.only(&OPTIONS_WITH_RESUME, RESUMED)?;
            let checkpoint = LearningCheckpoint::read(&folder)?;
            let (begun, mut all) =
                RecordedCommand::restore(NAME, &folder, &checkpoint.settings, &given)?;
            all.options.course.out = Some(folder);
            let layered = Layered::new(all)?;
            return RequestedLearning::checked(layered, begun, Some(checkpoint)).map(Ok);
        }
        let is_named = given.options.method.as_deref() == Some(TEMPORAL_DIFFERENCES);
        if !is_named && (given.options.method.is_some() || given.options.config.is_none()) {
            return Ok(Err(given));
        }
        let again = ParsedArgs::read(&given.settings)?;
        let settings = given.settings.clone();
        let (layered, below) = Layered::of(given)?;
        if layered.options.method.as_deref() != Some(TEMPORAL_DIFFERENCES) {
            return Ok(Err(again));
        }
        let begun = RecordedCommand::new(NAME, &settings, below);
        RequestedLearning::checked(layered, begun, None).map(Ok)
    }

    fn checked(
        layered: Layered,
        mut begun: RecordedCommand,
        from: Option<LearningCheckpoint>,
    ) -> anyhow::Result<RequestedLearning> {
        begun.given.remove("minutes");
        let is_foreign = |arg: &&clap::Arg| {
            let name = name(arg);
            layered.settings.has(&name)
                && (arg.get_help_heading() == Some(OPTIMISER) || FOREIGN.contains(&&*name))
        };
        if let Some(arg) = options::<Options>().get_arguments().find(is_foreign) {
            bail!("td has no --{}: leave it out", arg.get_long().unwrap_or_default());
        }
        ensure!(layered.preset.is_none(), "presets are for optimisers: leave out --preset with td");
        let games = layered.settings.has("games").then_some(layered.options.course.games);
        let options = layered.options;
        let board = options.game.learning_games(template(String::new(), 1.0)?)?.size;
        let name = options.course.name.clone().unwrap_or_else(|| format!("td-{board}"));
        if let Some(problem) = name_problem(&name) {
            bail!("--name: {problem}");
        }
        ensure!(!name.contains([',', '"']), "--name: write it without commas and quotes");
        let plan = options.learning.plan(&options, games, &name)?;
        let ends = plan.ends;
        ensure!(
            ends.placements.is_some() || ends.games.is_some() || options.course.minutes.is_some(),
            "td needs an end: give --placements, --games or --minutes"
        );
        plan.start()?;
        Ok(RequestedLearning { options, begun, from, plan, name })
    }

    /// Opens the training's folder. Returns `None` if the folder holds the complete training.
    fn open(
        &mut self,
        console: &Console,
    ) -> anyhow::Result<Option<(RunFolder, Option<LearningCheckpoint>)>> {
        let (plan, name, from) = (&self.plan, &self.name, self.from.take());
        if let Some(from) = from.as_ref().filter(|from| from.plan != plan.entry()) {
            return Err(crate::record::have_changed(&from.plan, &plan.entry()).into());
        }
        let fresh = || RunFolder::create_fresh(&PathBuf::from("runs").join(plain_name(name)));
        let is_enough = |manifest: &Value| {
            let count = |key: &str| manifest[key].as_u64().unwrap_or_default();
            plan.ends.are_reached(count("placements"), count("games"))
        };
        let tables = vec!["history.csv".to_owned()];
        let request = OutputRequest { config: json!(plan.entry()), tables, force: false };
        let out = self.options.course.out.as_deref();
        let is_resumed = from.is_some();
        Ok(open_run::<LearningCheckpoint>(console, is_resumed, out, &request, fresh, is_enough)?)
    }

    pub(crate) fn run(mut self, console: &Console) -> anyhow::Result<Outcome> {
        if self.options.course.dry_run {
            console.print_json(&self.plan.entry())?;
            return Ok(Outcome::Done);
        }
        let flags = console.stop_flags(STOPPING)?;
        let budget = TimeBudget::new(self.options.course.minutes);
        let Some((folder, from)) = self.open(console)? else { return Ok(Outcome::Done) };
        let path = folder.path().to_owned();
        let mut course = self.begun.given.clone();
        OPTIONS_WITHOUT_EFFECT.into_iter().for_each(|option| course.remove(option));
        let program = command_line().into_iter().next().unwrap_or_default();
        let invocation = TrainingInvocation {
            name: self.name.clone(),
            command: [vec![program], words(&self.begun.given)].concat(),
            course: words(&course),
            settings: self.begun.kept(),
        };
        let (plan, watch) = (&self.plan, LearningWatch::default());
        let show = || progress(plan, &watch);
        let learned = console.with_progress(Some(&path), show, || {
            let StopFlags { stop, cut } = &flags;
            let work = || learn(plan, invocation, folder, from.as_ref(), &watch, stop, cut);
            cut_late(&flags, FINALS_TIME, || budget.spend(stop, work))
        });
        let stopped = if budget.is_over() { Outcome::Missed } else { Outcome::Interrupted };
        let manifest = match learned {
            // A user who stops the training before its first result needs no error report.
            Err(error) if flags.stop.load(Ordering::Relaxed) => {
                console.eprint_line(&error.to_string());
                return Ok(stopped);
            }
            learned => learned?,
        };
        report(console, plan, &manifest, &path, self.options.course.format)?;
        if manifest.status == Status::Complete {
            return Ok(Outcome::Done);
        }
        let why = if budget.is_over() { "the time of --minutes is over" } else { "interrupted" };
        let folder = shell_path(&path);
        console.eprint_line(&format!("{why}; tetrastat train --resume {folder} continues"));
        let is_measured = manifest.held_out.is_some();
        Ok(if budget.is_over() && is_measured { Outcome::Done } else { stopped })
    }
}

/// Text of the template of the result.
const TEMPLATE: &str = r#"
name = "td"
measured = "after-clear"

[weights]
rows_removed = 1.0
"#;

/// Returns the template of the result: a controller called `name` that counts removed rows, with a
/// weight for values that are discounted by `gamma`.
fn template(name: String, gamma: f64) -> anyhow::Result<Controller> {
    let mut controller = Controller::parse("td", TEMPLATE)?;
    for (_, weight) in &mut controller.weights {
        *weight = (1e6 / gamma).round() / 1e6;
    }
    Ok(Controller { name, ..controller })
}

impl LearningOptions {
    fn settings(&self) -> LearningSettings {
        LearningSettings {
            alpha: self.alpha,
            hold: self.hold,
            half_life: self.half_life,
            gamma: self.gamma,
            lambda: self.lambda,
            initial: self.initial_value,
            explore: self.explore,
            explore_half_life: self.explore_half_life,
            coherence: self.coherence,
            average: self.average,
            streams: self.streams,
            round: self.round,
        }
    }

    /// Builds the plan. `games` is the number of games after which learning ends.
    fn plan(
        &self,
        options: &Options,
        games: Option<u64>,
        name: &str,
    ) -> anyhow::Result<LearningPlan> {
        let settings = self.settings();
        settings.check()?;
        let template = template(name.to_owned(), settings.gamma)?;
        let config = options.game.learning_games(template)?;
        let start = match options.game.start_name() {
            None => None,
            Some(name) => {
                let start = Controller::load(name)?;
                start.check(config.size)?;
                let patterns = start.patterns.ok_or_else(|| {
                    anyhow!("--start {name} has no patterns: name a controller with [patterns]")
                })?;
                Some(patterns)
            }
        };
        let windows = match (options.game.windows()?, &start) {
            (Some(windows), _) => windows,
            (None, Some(start)) => start.windows().to_vec(),
            (None, None) => windows::windows(DEFAULT_WINDOWS)?,
        };
        let layout = windows::layout(&windows, config.size)?;
        ensure!(
            start.as_ref().is_none_or(|start| *start.layout() == layout),
            "--start has other windows than --windows: leave one of them out"
        );
        Ok(LearningPlan {
            settings,
            layout,
            start,
            config,
            ends: LearningEnds { placements: self.placements, games },
            report_every: self.report_every,
            held_out_games: options.course.held_out_games,
        })
    }
}

/// Windows that learn unless others are given.
const DEFAULT_WINDOWS: &str = "4x4";

fn progress(plan: &LearningPlan, watch: &LearningWatch) -> ProgressStatus {
    let placements = watch.totals.pieces.load(Ordering::Relaxed);
    let games = watch.totals.played.load(Ordering::Relaxed);
    let mean = watch.mean_lines().map(|mean| format!(" · mean lines {}", number(mean)));
    let text = match watch.is_held_out.load(Ordering::Relaxed) {
        true => "held-out games".to_owned(),
        false => format!("{} games{}", thousands(games), mean.unwrap_or_default()),
    };
    ProgressStatus {
        share: plan.ends.share(placements, games),
        text,
        counted: Some((placements, "placements")),
        unknown: None,
    }
}

fn report(
    console: &Console,
    plan: &LearningPlan,
    manifest: &LearningManifest,
    folder: &Path,
    format: Format,
) -> anyhow::Result<()> {
    if format == Format::Json {
        return console.print_json(manifest);
    }
    let (layout, settings) = (&plan.layout, &plan.settings);
    let mut text = format!(
        "td · {} · seed {}\n\n{}",
        plan.describe(" · "),
        plan.config.seed,
        describe_layout(layout)
    );
    text += &match &manifest.held_out {
        Some(held_out) => format!("held out   {}\n", held_out.describe()),
        None => "held out   not measured\n".to_owned(),
    };
    text += &format!(
        "trained    {}, {}; the last part took {:.2} s of learning with {}\n",
        counted(manifest.games, "game"),
        counted(manifest.placements, "placement"),
        manifest.learning_s,
        counted(settings.streams as u64, "stream")
    );
    text += &format!(
        "files      {}: {CONTROLLER_FILE} {TABLES_FILE} history.csv train.json checkpoint.json\n",
        folder.display()
    );
    Ok(console.print(&text)?)
}
