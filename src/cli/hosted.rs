//! Trainings and estimates whose games a host program plays on its own processes or machines.
//!
//! Settings are those of `tetrastat train` and `tetrastat estimate`, as in
//! [calls](crate::cli::call). A replication is an independent run of multilevel splitting, an
//! estimator of mean lines; it depends only on its number, the settings and the splitting levels.

use clap::Args;
use serde_json::{Map, Value};

use crate::cli::call::{Refusal, refusal, refusal_of_clap_error};
use crate::cli::commands::estimate;
use crate::cli::commands::train::{RUN_CONTROL_OPTIONS, Request, Train};
use crate::cli::options::settings::{options, texts};
use crate::cli::prelude::*;
use crate::engine::Writer;
use crate::error;
use crate::estimate::{Estimate, Levels};
use crate::record::checkpoint_state;
use crate::sim::Game;
use crate::text::parse::seed;
use crate::train::{
    CmaEsOptions, CrossEntropyOptions, GeneticOptions, METHOD_NAMES, Method, OptimiserSettings,
    OptimiserState, ProblemOptions, SnesOptions, Trainer, TrainingPlan, TrainingPreset,
    TrainingWatch, VdCmaEsOptions,
};

/// Training of a controller that was begun or resumed in a folder.
pub struct OpenTraining {
    /// Path of the folder in which the training is kept.
    pub folder: PathBuf,
    /// Handle that runs the training, or `None` if the training in the folder is already complete.
    pub trainer: Option<Trainer>,
    /// Merged settings of the training, from which another machine builds the same training plan.
    pub settings: Map<String, Value>,
}

macro_rules! for_method {
    ($method:expr, $function:ident($($argument:expr),*)) => {
        match $method {
            CrossEntropyOptions::NAME => $function::<CrossEntropyOptions>($($argument),*),
            GeneticOptions::NAME => $function::<GeneticOptions>($($argument),*),
            SnesOptions::NAME => $function::<SnesOptions>($($argument),*),
            CmaEsOptions::NAME => $function::<CmaEsOptions>($($argument),*),
            VdCmaEsOptions::NAME => $function::<VdCmaEsOptions>($($argument),*),
            other => Err(Refusal::Wrong(format!(
                "method '{}': use one of {}",
                crate::error::quoted(other),
                METHOD_NAMES.join(", ")
            ))),
        }
    };
}

/// Begins or resumes a training in the folder that the setting `out` names.
///
/// Without the setting `method`, the folder or the preset names the optimiser.
pub fn begin_training(
    settings: &Map<String, Value>,
    watch: &Arc<TrainingWatch>,
) -> Result<OpenTraining, Refusal> {
    let missing = || Refusal::Wrong(format!("method: give one of {}", METHOD_NAMES.join(", ")));
    let (method, settings) = with_method(settings)?;
    for_method!(&*method.ok_or_else(missing)?, begin_training_by(&settings, watch))
}

fn begin_training_by<M: Method>(
    settings: &Map<String, Value>,
    watch: &Arc<TrainingWatch>,
) -> Result<OpenTraining, Refusal> {
    with_setting_names::<Train<M>, _>(|| {
        ensure!(
            settings.get("minutes").is_none_or(Value::is_null),
            "minutes is a time budget of the command `tetrastat train`: leave it out, and stop \
                the training when its time is over"
        );
        let (mut request, _) = Request::new(given::<Train<M>>(settings)?)?;
        let mut settings: Map<String, Value> = request.settings.clone().into();
        settings.retain(|name, _| !RUN_CONTROL_OPTIONS.contains(&&**name));
        settings.insert("method".to_owned(), M::NAME.into());
        let Some((folder, from)) = request.open(&Console::terminal(None)?)? else {
            let folder = request.out.unwrap_or_default();
            return Ok(OpenTraining { folder, trainer: None, settings });
        };
        let (out, invocation) =
            (folder.path().to_owned(), request.invocation("tetrastat".to_owned()));
        let trainer =
            Trainer::begin(&request.plan, invocation, folder, from.as_ref(), Arc::clone(watch));
        Ok(OpenTraining { folder: out, trainer: Some(trainer?), settings })
    })
}

/// Returns the plan of a training with `settings`, in which the optimiser's name may be missing.
pub fn plan_training(settings: &Map<String, Value>) -> Result<TrainingPlan, Refusal> {
    let (method, settings) = with_method(settings)?;
    for_method!(method.as_deref().unwrap_or(METHOD_NAMES[0]), plan_training_by(&settings))
}

fn plan_training_by<M: Method>(settings: &Map<String, Value>) -> Result<TrainingPlan, Refusal> {
    let of = || Ok(Request::new(given::<Train<M>>(settings)?)?.0.plan);
    with_setting_names::<Train<M>, _>(of)
}

/// Splits off the setting `method`, or takes the optimiser's name from a resumed folder or preset.
fn with_method(
    settings: &Map<String, Value>,
) -> Result<(Option<String>, Map<String, Value>), Refusal> {
    let mut settings = settings.clone();
    let text = |value: &Value| texts(value).join(",");
    let method = settings.shift_remove("method").filter(|method| !method.is_null());
    let given = |key: &str| settings.get(key).filter(|value| !value.is_null()).map(&text);
    let refused = |error: Error| Refusal::Wrong(error.to_string());
    let method = match (method, given("resume"), given("preset")) {
        (Some(method), ..) => Some(text(&method)),
        (None, Some(folder), _) => {
            let state = checkpoint_state(folder.as_ref()).map_err(refused)?;
            let command = state["settings"]["command"].as_str().unwrap_or_default();
            command.strip_prefix("train ").map(str::to_owned)
        }
        (None, None, Some(name)) => {
            let preset = TrainingPreset::named(&name).map_err(refused)?;
            preset.options["method"].as_str().map(str::to_owned)
        }
        (None, None, None) => None,
    };
    Ok((method, settings))
}

#[derive(Debug, Args)]
struct OptimiserOptions<M: Method> {
    /// Seed of the optimiser's random numbers
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    #[command(flatten)]
    method: M,

    #[command(flatten)]
    problem: ProblemOptions,
}

/// Creates an optimiser of `dimension` weights at the weights `start`, before its first generation.
pub fn start_optimiser(
    dimension: usize,
    start: Option<Vec<f64>>,
    settings: &Map<String, Value>,
) -> Result<OptimiserState, Refusal> {
    let (method, settings) = with_method(settings)?;
    for_method!(&*method.unwrap_or_default(), start_optimiser_by(dimension, start, &settings))
}

fn start_optimiser_by<M: Method>(
    dimension: usize,
    start: Option<Vec<f64>>,
    settings: &Map<String, Value>,
) -> Result<OptimiserState, Refusal> {
    with_setting_names::<OptimiserOptions<M>, _>(|| {
        let OptimiserOptions::<M> { seed, method, problem } = given(settings)?.options;
        let method: OptimiserSettings = method.into();
        Ok(method.start(&problem.problem(&method, dimension, start)?, seed)?)
    })
}

pub(crate) fn given<A: Args>(settings: &Map<String, Value>) -> anyhow::Result<ParsedArgs<A>> {
    let command = options::<A>();
    let settings = Settings::from_object(&command, Path::new(""), settings, &[])?;
    Ok(ParsedArgs::read(&settings).map_err(|error| refusal_of_clap_error(&command, &error))?)
}

/// Calls `work`, and rewrites options in the error message as settings: `--seed` as `seed`.
fn with_setting_names<A: Args, T>(work: impl FnOnce() -> anyhow::Result<T>) -> Result<T, Refusal> {
    work().map_err(|error| refusal(&options::<A>(), error))
}

/// Unfinished estimate by multilevel splitting. A host program plays its replications (independent
/// runs of the estimator) and adds them in order.
pub trait Estimation: Send {
    /// Returns, as JSON, the levels at which multilevel splitting copies simulated games.
    fn levels(&self) -> error::Result<String>;

    /// Returns the number, from 0, of the next replication (run of the estimator) to add.
    fn next(&self) -> u64;

    /// Returns true if the estimate has enough replications (independent runs) by its stop rule.
    fn is_enough(&self) -> bool;

    /// Adds the next replication (independent run of the splitting estimator), given as JSON.
    fn add(&mut self, replication: &str) -> error::Result<()>;

    /// Writes the estimate's tables and `run.json`, and returns the estimate's summary as JSON.
    fn finish(&mut self) -> error::Result<String>;
}

pub(crate) struct HostedEstimate<G: Game> {
    pub(crate) job: Estimate<G>,
    /// Writer of the estimate's tables; `None` after the end of the estimate.
    pub(crate) writer: Option<Writer<Estimate<G>>>,
}

impl<G: Game> HostedEstimate<G> {
    fn writer(&mut self) -> error::Result<&mut Writer<Estimate<G>>> {
        const FINISHED_MESSAGE: &str = "the estimate is finished: open it again";
        self.writer.as_mut().ok_or_else(|| Error::Config(FINISHED_MESSAGE.to_owned()))
    }
}

impl<G: Game> Estimation for HostedEstimate<G> {
    fn levels(&self) -> error::Result<String> {
        json(&self.job.levels)
    }

    fn next(&self) -> u64 {
        self.writer.as_ref().map_or(0, |writer| writer.count().replications.len() as u64)
    }

    fn is_enough(&self) -> bool {
        self.writer.as_ref().is_none_or(Writer::is_complete)
    }

    fn add(&mut self, replication: &str) -> error::Result<()> {
        let ended = self.job.ended(self.next(), parsed(replication)?);
        self.writer()?.add(ended)
    }

    fn finish(&mut self) -> error::Result<String> {
        let is_enough = self.is_enough();
        self.writer()?;
        let status = if is_enough { Status::Complete } else { Status::Interrupted };
        let played = self.writer.take().map(|writer| writer.finish(status)).transpose()?;
        json(&played.and_then(|played| played.manifest.summary))
    }
}

/// Begins or resumes a splitting estimate in the folder that the setting `out` names. `stop`
/// interrupts the search for splitting levels.
pub fn begin_estimate(
    settings: &Map<String, Value>,
    stop: &AtomicBool,
) -> Result<Box<dyn Estimation>, Refusal> {
    with_setting_names::<estimate::Args, _>(|| {
        let given = given::<estimate::Args>(settings)?;
        given.options.hosted(&Console::terminal(None)?, &given.settings, stop)
    })
}

/// Plays replication `index` (an independent run) of a splitting estimate, and returns it as JSON.
/// `levels` is the text of [`Estimation::levels`]. Fails once `is_halted` returns true.
pub fn replicate(
    settings: &Map<String, Value>,
    levels: &str,
    index: u64,
    is_halted: &dyn Fn() -> bool,
) -> error::Result<String> {
    let levels: Levels = parsed(levels)?;
    let found = with_setting_names::<estimate::Args, _>(|| {
        let given = given::<estimate::Args>(settings)?;
        given.options.replicated(&given.settings, levels, index, is_halted)
    })?;
    match found {
        Some(found) => json(&found),
        None => Err(Error::Config("halted before the replication was done".to_owned())),
    }
}

fn json(value: &impl serde::Serialize) -> error::Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Config(error.to_string()))
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> error::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::Config(format!("damaged during transfer: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn games_are_those_of_the_command() {
        let features = ["holes", "landing_height"];
        let said = json!({ "features": features, "board": "8x10", "games": 3, "seed": 7 });
        let plan = plan_training(&settings(said)).unwrap();
        assert_eq!(plan.games.names(), ["holes", "landing_height"]);
        assert_eq!(
            (plan.games.plan().games, plan.games.plan().seed, plan.games.plan().threads > 0),
            (3, 7, true)
        );
    }

    #[test]
    fn mistakes_speak_of_settings() {
        let wrong = |said| plan_training(&settings(said)).unwrap_err().to_string();
        let said = wrong(json!({ "max_piece": 3 }));
        assert!(said.contains("'max_piece'"), "{said}");
        let said = wrong(json!({ "rules": "guideline", "board": "10x10" }));
        assert!(said.starts_with("board is an option") && !said.contains("--"), "{said}");
        // Settings that have no effect are errors, never silently ignored.
        let timed = settings(json!({ "method": "cem", "minutes": 1 }));
        let said = begin_training(&timed, &Arc::default()).map(|_| ()).unwrap_err().to_string();
        assert!(said.starts_with("minutes is a time budget"), "{said}");
        let said = start_optimiser(0, None, &settings(json!({ "method": "cem" }))).unwrap_err();
        assert!(said.to_string().contains("dimension 0"), "{said}");
    }

    #[test]
    fn optimisers_are_those_of_the_command() {
        let said =
            json!({ "method": "cem", "population": 7, "elite": 0.3, "noise": "linear:4:7.5" });
        let search = start_optimiser(3, Some(vec![1.0, 0.0, 0.0]), &settings(said)).unwrap();
        let crate::train::OptimiserSettings::Cem(cem) = search.options() else { panic!("not cem") };
        assert_eq!((cem.population, search.problem().dimension), (7, 3));
    }
}
