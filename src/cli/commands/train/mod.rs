//! Runs `tetrastat train`: optimises the weights of a controller, or learns its tables.

use std::sync::atomic::Ordering;

use anyhow::Context;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use serde_json::Value;

use crate::cli::command_line::{OUTPUT, clap_message};
use crate::cli::commands::train::td::Learn;
use crate::cli::commands::view::{View, with_view};
use crate::cli::console::run_folder::{
    OpenedFolder, OutputRequest, RESUME, RESUMED, RecordedCommand, VIEW, open_run,
};
use crate::cli::console::{StopFlags, cut_late, minutes};
use crate::cli::options::settings::{options, setting_name, toml_to_json};
use crate::cli::prelude::*;
use crate::engine::Described;
use crate::error::{name_problem, quoted, toml_problem};
use crate::files;
use crate::record::{
    Checkpoint, CheckpointState, checkpoint_state, command_line, plain_name, shell_path,
};
use crate::text::parse::whole;
use crate::train::{
    CmaEsOptions, CrossEntropyOptions, GeneticOptions, SnesOptions, TrainingInvocation,
    TrainingPreset, VdCmaEsOptions,
};

pub(crate) use weights::Train;

mod candidates;
mod td;
mod weights;

// The commands `train METHOD`. A doc comment would replace the description of `train`.
#[derive(Debug, Subcommand)]
pub(crate) enum TrainCommand {
    /// Train weights by the noisy cross-entropy method
    Cem(Box<ParsedArgs<Train<CrossEntropyOptions>>>),
    /// Train weights by a genetic algorithm
    Ga(Box<ParsedArgs<Train<GeneticOptions>>>),
    /// Train weights by separable natural evolution strategies
    Snes(Box<ParsedArgs<Train<SnesOptions>>>),
    /// Train weights by covariance matrix adaptation
    Cmaes(Box<ParsedArgs<Train<CmaEsOptions>>>),
    /// Train weights by covariance adaptation in linear time and memory
    Vdcmaes(Box<ParsedArgs<Train<VdCmaEsOptions>>>),
    /// Learn tables of cell patterns (n-tuples) by temporal differences
    Td(Box<ParsedArgs<Learn>>),
}

/// Command `train` without options, which are added when the command line is parsed.
#[derive(Debug)]
pub(crate) struct DeferredTrain(pub(crate) TrainCommand);

impl FromArgMatches for DeferredTrain {
    fn from_arg_matches(matches: &ArgMatches) -> Result<DeferredTrain, clap::Error> {
        TrainCommand::from_arg_matches(matches).map(DeferredTrain)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Subcommand for DeferredTrain {
    fn augment_subcommands(command: Command) -> Command {
        command
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        command
    }

    fn has_subcommand(name: &str) -> bool {
        TrainCommand::has_subcommand(name)
    }
}

impl TrainCommand {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        match self {
            TrainCommand::Cem(given) => run(console, *given),
            TrainCommand::Ga(given) => run(console, *given),
            TrainCommand::Snes(given) => run(console, *given),
            TrainCommand::Cmaes(given) => run(console, *given),
            TrainCommand::Vdcmaes(given) => run(console, *given),
            TrainCommand::Td(given) => run(console, *given),
        }
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub(crate) struct OutputOptions {
    /// TOML file with settings: the options with _ for -, as --dry-run prints them
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Name of the controller [default: METHOD-BOARD]
    #[arg(long)]
    name: Option<String>,

    /// Output folder: a new one, or that of the same training, which is resumed or extended
    /// [default: a new one under runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Resume an interrupted training; the output is byte-identical to an uninterrupted one. A
    /// later end, such as a larger --generations, extends it
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// Stop after this many minutes of wall-clock time and measure the result so far. The last
    /// games take at most a tenth of that time, or a minute if that is longer. --resume continues
    /// the training
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    minutes: Option<Duration>,

    /// Print the settings as a TOML file for --config (with --format json in the form of
    /// run.json), and train nothing
    #[arg(long)]
    dry_run: bool,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Options of `train` that a settings file cannot set, because they do not affect the result.
pub(crate) const RUN_CONTROL_OPTIONS: [&str; 6] =
    ["config", "resume", "out", "dry_run", VIEW, "minutes"];
/// Options of `train` without effect on the result, which the controller's file omits.
const OPTIONS_WITHOUT_EFFECT: [&str; 6] = ["out", VIEW, "minutes", "threads", "simd", "format"];

impl OutputOptions {
    fn name(&self, method: &str, place: &str) -> anyhow::Result<String> {
        let name = self.name.clone().unwrap_or_else(|| format!("{method}-{place}"));
        if let Some(problem) = name_problem(&name) {
            bail!("--name: {problem}");
        }
        ensure!(!name.contains([',', '"']), "--name: write it without commas and quotes");
        Ok(name)
    }
}

pub(crate) trait TrainOptions: Args {
    const METHOD: &'static str;
    /// Name of the option for a training's length, such as `generations`. A resumed training may be
    /// longer.
    const LENGTH_OPTION: &'static str;
    type Plan: Plan;

    fn output(&self) -> &OutputOptions;

    fn is_viewed(&self) -> bool;

    fn plan(&self, settings: &Settings) -> anyhow::Result<(Self::Plan, String)>;

    fn is_foreign(&self, option: &Arg) -> bool;
}

/// Plan of a controller's training, by an optimiser or by learning with temporal differences.
pub(crate) trait Plan: Described {
    type State: CheckpointState;
    const STOPPING_MESSAGE: &'static str;

    fn recorded_config(&self) -> Value;

    fn tables(&self) -> Vec<String>;

    fn check(&self, checkpoint: &Checkpoint<Self::State>) -> crate::error::Result<()>;

    fn is_enough(&self, manifest: &Value) -> bool;

    /// Runs or resumes the training in `folder`, within the time of `budget`.
    fn play(
        &self,
        console: &Console,
        invocation: TrainingInvocation,
        folder: RunFolder,
        from: Option<&Checkpoint<Self::State>>,
        flags: &StopFlags,
        budget: &TimeBudget,
    ) -> crate::error::Result<Manifest<Self>>;

    fn report(&self, manifest: &Manifest<Self>, folder: &str) -> String;

    /// Returns how far a training that ended early came, as text, and true if the result was
    /// measured. Otherwise returns `None`.
    fn early_end(manifest: &Manifest<Self>) -> Option<(String, bool)>;
}

const FINALS_TIME: Duration = Duration::from_secs(60);

/// Calls `work` within a time budget. After a stop, cuts off final games that take too long.
fn run_within_budget<T>(flags: &StopFlags, budget: &TimeBudget, work: impl FnOnce() -> T) -> T {
    cut_late(flags, FINALS_TIME, || budget.spend(&flags.stop, work))
}

pub(crate) struct Request<P: Plan> {
    command: String,
    begun: RecordedCommand,
    /// Settings of the training, merged from preset, settings file and command line.
    pub(crate) settings: Settings,
    /// Function that converts settings to words of a command line, without the program's name.
    words: fn(&Settings) -> Vec<String>,
    pub(crate) out: Option<PathBuf>,
    from: Option<Checkpoint<P::State>>,
    pub(crate) plan: P,
    name: String,
}

impl<P: Plan> Request<P> {
    /// Builds and checks the plan of a training, before an output folder is created.
    pub(crate) fn new<O: TrainOptions<Plan = P>>(
        given: ParsedArgs<O>,
    ) -> anyhow::Result<(Request<P>, O)> {
        let command = format!("train {}", O::METHOD);
        let resume = given.options.output().resume.clone();
        let (mut begun, all, from) = match &resume {
            Some(folder) => {
                let known =
                    [RESUME, VIEW, O::LENGTH_OPTION, "minutes", "threads", "simd", "format"];
                given.check_only(&known, RESUMED)?;
                let settings = &checkpoint_state(folder)?["settings"];
                let (begun, all) = RecordedCommand::restore(&command, folder, settings, &given)?;
                (begun, all, Some(Checkpoint::read(folder)?))
            }
            None => {
                let below = lower_layers::<O>(&given.settings)?;
                let (begun, all) = RecordedCommand::begin_or_resume(&command, given, below, None)?;
                (begun, all, None)
            }
        };
        // A time budget applies to one command only. A command that resumes the training sets its
        // own budget, or none.
        begun.given.remove("minutes");
        let ParsedArgs { options, settings, .. } = all;
        let (plan, name) = options.plan(&settings)?;
        let out = resume.or_else(|| options.output().out.clone());
        let words = Settings::words::<O>;
        let request = Request { command, begun, settings, words, out, from, plan, name };
        Ok((request, options))
    }

    pub(crate) fn invocation(&self, program: String) -> TrainingInvocation {
        // Options without effect on the result are left out. The controller's file is thus
        // byte-identical wherever and however fast the controller was trained.
        let mut course = self.begun.given.clone();
        OPTIONS_WITHOUT_EFFECT.into_iter().for_each(|option| course.remove(option));
        let words = |given: &Settings| {
            let command = self.command.split(' ').map(str::to_owned);
            command.chain((self.words)(given)).collect::<Vec<_>>()
        };
        TrainingInvocation {
            name: self.name.clone(),
            command: [vec![program], words(&self.begun.given)].concat(),
            course: words(&course),
            settings: self.begun.to_json(),
        }
    }

    /// Opens the output folder of the training; `None` if it holds the complete training.
    pub(crate) fn open(&mut self, console: &Console) -> anyhow::Result<OpenedFolder<P::State>> {
        let (plan, name, from) = (&self.plan, &self.name, self.from.take());
        // A checkpoint of another training must be refused before the folder is changed.
        from.as_ref().map_or(Ok(()), |from| plan.check(from))?;
        let fresh = || RunFolder::create_fresh(&PathBuf::from("runs").join(plain_name(name)));
        let request =
            OutputRequest { config: plan.recorded_config(), tables: plan.tables(), force: false };
        let (out, is_enough) = (self.out.as_deref(), |manifest: &Value| plan.is_enough(manifest));
        Ok(open_run(console, from.is_some(), out, &request, fresh, is_enough)?)
    }
}

fn run<O: TrainOptions>(console: &Console, given: ParsedArgs<O>) -> anyhow::Result<Outcome> {
    let (mut request, options) = Request::new(given)?;
    let OutputOptions { dry_run, minutes, format, .. } = *options.output();
    match format {
        Format::Json if dry_run => console.print_json(&request.plan.recorded_config())?,
        Format::Text if dry_run => {
            console.print(&settings_file_text(&options, &request.settings)?)?
        }
        _ => return play(console, &mut request, options.is_viewed(), minutes, format),
    }
    Ok(Outcome::Done)
}

fn play<P: Plan>(
    console: &Console,
    request: &mut Request<P>,
    is_viewed: bool,
    minutes: Option<Duration>,
    format: Format,
) -> anyhow::Result<Outcome> {
    let (flags, budget) = (console.stop_flags(P::STOPPING_MESSAGE)?, TimeBudget::new(minutes));
    let Some((folder, from)) = request.open(console)? else {
        if let Some(out) = request.out.as_ref().filter(|_| is_viewed) {
            View::beside(out)?.finish(console);
        }
        return Ok(Outcome::Done);
    };
    let (folder, view) = View::if_asked(folder, is_viewed)?;
    let (path, plan) = (folder.path().to_owned(), &request.plan);
    let invocation = request.invocation(command_line().into_iter().next().unwrap_or_default());
    let trained = with_view(console, view.as_ref(), || {
        plan.play(console, invocation, folder, from.as_ref(), &flags, &budget)
    });
    let stopped = if budget.is_over() { Outcome::Missed } else { Outcome::Interrupted };
    let manifest = match trained {
        // A user who stops the training before its first result needs no error report.
        Err(error) if flags.stop.load(Ordering::Relaxed) => {
            console.eprint_line(&error.to_string());
            return Ok(stopped);
        }
        trained => trained?,
    };
    match format {
        Format::Json => console.print_json(&manifest)?,
        Format::Text => console.print(&plan.report(&manifest, &path.display().to_string()))?,
    }
    let Some((end, is_measured)) = P::early_end(&manifest) else { return Ok(Outcome::Done) };
    let why = if budget.is_over() { "the time of --minutes is over" } else { "interrupted" };
    let (command, folder) = (&request.command, shell_path(&path));
    console.eprint_line(&format!("{why}{end}; tetrastat {command} --resume {folder} continues"));
    Ok(if budget.is_over() && is_measured { Outcome::Done } else { stopped })
}

fn read<A: Args>(settings: &Settings) -> anyhow::Result<ParsedArgs<A>> {
    ParsedArgs::read(settings).map_err(|error| anyhow!(clap_message(&error)))
}

fn lower_layers<O: TrainOptions>(given: &Settings) -> anyhow::Result<Settings> {
    let text = |of: &Settings, key| of.get(key).and_then(Value::as_str).map(str::to_owned);
    let file = text(given, "config")
        .map_or(Ok(Settings::default()), |path| from_file::<O>(Path::new(&path)))?;
    let preset = text(given, "preset").or_else(|| text(&file, "preset"));
    let preset = preset.map_or(Ok(Settings::default()), |name| {
        let preset = TrainingPreset::named(&name)?;
        from_table::<O>(Path::new(""), preset.options).with_context(|| format!("preset {name}"))
    })?;
    Ok(file.merge_over(preset))
}

fn from_file<O: TrainOptions>(path: &Path) -> anyhow::Result<Settings> {
    let text = files::read_text(path, files::SETTINGS)?;
    let table = text.parse().map_err(|e| anyhow!(toml_problem(&text, &e)));
    let table = table.with_context(|| path.display().to_string())?;
    let base = path.parent().unwrap_or(Path::new(""));
    from_table::<O>(base, table).with_context(|| path.display().to_string())
}

fn from_table<O: TrainOptions>(base: &Path, mut table: toml::Table) -> anyhow::Result<Settings> {
    if let Some(method) = table.remove("method") {
        let method = method.as_str().map_or_else(|| method.to_string(), str::to_owned);
        ensure!(
            method == O::METHOD,
            "these settings are for the method '{}', not {}",
            quoted(&method),
            O::METHOD
        );
    }
    if let Some(key) = table.keys().find(|key| RUN_CONTROL_OPTIONS.contains(&&***key)) {
        bail!("{key} belongs on the command line, as --{}", key.replace('_', "-"));
    }
    let settings = Settings::from_object(&options::<O>(), base, &toml_to_json(&table)?, &[])?;
    // The values are checked here, where a message can name the file.
    read::<O>(&settings)?;
    Ok(settings)
}

fn settings_file_text<O: TrainOptions>(these: &O, settings: &Settings) -> anyhow::Result<String> {
    let mut text = String::new();
    if let Some(name) = settings.get("preset").and_then(Value::as_str) {
        let preset = TrainingPreset::named(name)?;
        let facts = [
            ("source", preset.source),
            ("its objective", preset.objective),
            ("its result", preset.reported),
        ];
        text.extend(facts.map(|(label, fact)| format!("# {label}: {fact}\n")));
    }
    let mut file = toml::Table::new();
    file.insert("method".to_owned(), O::METHOD.into());
    for option in options::<O>().get_opts() {
        let (key, given) = (setting_name(option), settings.get(&setting_name(option)));
        let is_left_out = RUN_CONTROL_OPTIONS.contains(&&*key)
            || key == "format"
            || given.is_none() && (key == "simd" || these.is_foreign(option));
        if is_left_out {
            continue;
        }
        if !option.get_action().takes_values() {
            given.and_then(|_| file.insert(key, true.into()));
            continue;
        }
        let default = || option.get_default_values().last()?.to_str();
        if let Some(word) = given.and_then(Value::as_str).or_else(default) {
            file.insert(key, toml_value(word));
        }
    }
    Ok(text + &toml::to_string(&file)?)
}

/// Converts the text of a setting to a TOML number if it is one, else to a TOML string.
fn toml_value(word: &str) -> toml::Value {
    let real = word.parse().ok().filter(|number: &f64| number.is_finite());
    match (whole(word), real) {
        (Ok(number), _) => i64::try_from(number).map_or(word.into(), toml::Value::Integer),
        (Err(_), Some(real)) => real.into(),
        _ => word.into(),
    }
}
