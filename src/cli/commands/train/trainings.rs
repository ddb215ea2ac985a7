//! Runs trainings for a host program, and builds their plans and optimisers.
//!
//! Names, defaults and checks are those of `tetrastat train`. Settings have the form that
//! [calls](crate::cli::call) use.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use serde_json::{Map, Value};

use crate::cli::call::{Refusal, refusal, refusal_of_clap_error};
use crate::cli::commands::train::RequestedTraining;
use crate::cli::commands::train::method::{self, MethodOptions};
use crate::cli::commands::train::options::Options;
use crate::cli::console::Console;
use crate::cli::options::settings::{ParsedArgs, Settings, options};
use crate::text::parse::seed;
use crate::train::{METHOD_NAMES, OptimiserState, Problem, Trainer, TrainingPlan, TrainingWatch};

/// A training that was begun or resumed in a folder.
pub struct OpenTraining {
    /// Path of the folder.
    pub folder: PathBuf,
    /// Training to play, or `None` if the training in the folder is already complete.
    pub trainer: Option<Trainer>,
    /// Settings of all layers, from which another machine builds the same [`plan`].
    pub settings: Map<String, Value>,
}

/// Begins a training in the folder that the setting `out` names, or resumes the training in that
/// folder. `watch` receives the progress.
///
/// # Errors
/// [`Refusal`] with the command's message, which names settings instead of options.
pub fn begin(
    settings: &Map<String, Value>,
    watch: &Arc<TrainingWatch>,
) -> Result<OpenTraining, Refusal> {
    with_setting_names::<Options, _>(|| {
        ensure!(
            settings.get("minutes").is_none_or(Value::is_null),
            "minutes is a time budget of the command `tetrastat train`: leave it out, and stop \
                the training when its time is over"
        );
        let mut asked = RequestedTraining::of(given(settings)?)?;
        let (out, settings) = (asked.out().unwrap_or_default(), asked.settings().into());
        let Some((folder, from)) = asked.open(&Console::terminal(None)?)? else {
            return Ok(OpenTraining { folder: out, trainer: None, settings });
        };
        let (out, invocation) =
            (folder.path().to_owned(), asked.invocation("tetrastat".to_owned()));
        let trainer =
            Trainer::begin(&asked.plan, invocation, folder, from.as_ref(), Arc::clone(watch));
        Ok(OpenTraining { folder: out, trainer: Some(trainer?), settings })
    })
}

/// Returns the plan of a training with these settings. They need not name an optimiser, because
/// callers may use only the games and the objective.
///
/// # Errors
/// The errors of [`begin`].
pub fn plan(settings: &Map<String, Value>) -> Result<TrainingPlan, Refusal> {
    let names = ["method", "preset", "config"];
    let mut settings = settings.clone();
    if names.iter().all(|name| settings.get(*name).is_none_or(Value::is_null)) {
        settings.insert("method".to_owned(), Value::from(METHOD_NAMES[0]));
    }
    with_setting_names::<Options, _>(|| Ok(RequestedTraining::of(given(&settings)?)?.plan))
}

/// Method, seed and settings of an optimiser without games.
#[derive(Debug, Args)]
struct OptimiserOptions {
    /// Optimiser to use
    #[arg(value_parser = method::method)]
    method: String,

    /// Seed of its random numbers
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    #[command(flatten)]
    its: MethodOptions,
}

/// Creates an optimiser of `dimension` weights before its first generation. `settings` contain its
/// method, its seed and its options. `start` is the starting point.
///
/// # Errors
/// The errors of [`begin`].
pub fn search(
    dimension: usize,
    start: Option<Vec<f64>>,
    settings: &Map<String, Value>,
) -> Result<OptimiserState, Refusal> {
    with_setting_names::<OptimiserOptions, _>(|| {
        let OptimiserOptions { method, seed, its } = given(settings)?.options;
        let bounds = its.bounds(dimension, method == "ga")?;
        let problem = Problem { start, bounds, ..Problem::new(dimension) };
        Ok(its.options(&method, None)?.start(&problem, seed)?)
    })
}

/// Parses settings into the options `A` of a command.
pub(crate) fn given<A: Args>(settings: &Map<String, Value>) -> anyhow::Result<ParsedArgs<A>> {
    let command = options::<A>();
    let settings = Settings::of_object(&command, Path::new(""), settings, &[])?;
    Ok(ParsedArgs::read(&settings).map_err(|error| refusal_of_clap_error(&command, &error))?)
}

/// Calls `work` and returns its result. Converts an error to a [`Refusal`] that names settings
/// instead of the options `A`.
pub(crate) fn with_setting_names<A: Args, T>(
    work: impl FnOnce() -> anyhow::Result<T>,
) -> Result<T, Refusal> {
    work().map_err(|error| refusal(&options::<A>(), error))
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
        let plan = plan(&settings(said)).unwrap();
        assert_eq!(plan.games.names(), ["holes", "landing_height"]);
        assert_eq!((plan.games.games(), plan.games.seed(), plan.games.threads() > 0), (3, 7, true));
    }

    #[test]
    fn mistakes_speak_of_settings() {
        let wrong = |said| plan(&settings(said)).unwrap_err().to_string();
        let said = wrong(json!({ "max_piece": 3 }));
        assert!(said.contains("'max_piece'"), "{said}");
        let said = wrong(json!({ "rules": "guideline", "board": "10x10" }));
        assert!(said.starts_with("board is an option") && !said.contains("--"), "{said}");
        // Settings that have no effect are errors, never silently ignored.
        let timed = settings(json!({ "method": "cem", "minutes": 1 }));
        let said = begin(&timed, &Arc::default()).map(|_| ()).unwrap_err().to_string();
        assert!(said.starts_with("minutes is a time budget"), "{said}");
        let said = search(0, None, &settings(json!({ "method": "cem" }))).unwrap_err();
        assert!(said.to_string().contains("dimension 0"), "{said}");
    }

    #[test]
    fn optimisers_are_those_of_the_command() {
        let said =
            json!({ "method": "cem", "population": 7, "elite": 0.3, "noise": "linear:4:7.5" });
        let search = search(3, Some(vec![1.0, 0.0, 0.0]), &settings(said)).unwrap();
        let crate::train::OptimiserSettings::Cem(cem) = search.options() else { panic!("not cem") };
        assert_eq!((cem.population, search.problem().dimension), (7, 3));
    }
}
