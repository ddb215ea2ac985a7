//! Prints the plan of `train --dry-run` as a file for `train --config`.

use toml::{Table, Value};

use crate::cli::commands::train::layers::{Layered, RUN_CONTROL_OPTIONS};
use crate::cli::commands::train::method::{SCALE_NAMES, as_options};
use crate::cli::commands::train::options::Options;
use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::options::USUAL;
use crate::cli::options::settings::{name, options};
use crate::text::parse::whole;
use crate::train::{Bounds, EstimateOptions, Racing, TrainingGames, TrainingPlan};

/// Prints a plan as a TOML file for `--config`, or as the JSON of `train.json`.
pub(crate) fn show(
    console: &Console,
    layered: &Layered,
    plan: &TrainingPlan,
) -> anyhow::Result<()> {
    match layered.options.course.format {
        Format::Text => Ok(console.print(&text(layered, plan)?)?),
        Format::Json => console.print_json(&plan.entry()),
    }
}

fn text(layered: &Layered, plan: &TrainingPlan) -> anyhow::Result<String> {
    let mut file = Table::new();
    let (settings, others) = as_options(&plan.options)?;
    let mut text = String::new();
    if let Some(preset) = &layered.preset {
        file.insert("preset".to_owned(), Value::from(preset.name));
        for (label, said) in [
            ("source", &preset.source),
            ("its objective", &preset.objective),
            ("its result", &preset.reported),
        ] {
            text += &format!("# {label}: {said}\n");
        }
        // Settings that no key can express are comments here, because the preset supplies them.
        text += &others
            .iter()
            .map(|setting| format!("# by the preset: {setting}\n"))
            .collect::<String>();
    }
    file.insert("method".to_owned(), Value::from(plan.options.name()));
    file.extend(settings);
    if let Some(bounds) = &plan.problem.bounds {
        file.insert("bounds".to_owned(), Value::from(describe(bounds)));
    }
    if plan.problem.scale.is_some() {
        file.insert("scale".to_owned(), Value::from(SCALE_NAMES[1]));
    }
    file.extend(games(layered, plan));
    text += &toml::to_string(&file)?;
    Ok(text)
}

/// Returns the options of a training with their values in this order of preference: given, default,
/// taken from the plan. Options of the optimiser are left out.
fn games(layered: &Layered, plan: &TrainingPlan) -> Table {
    let Layered { options: training, settings, .. } = layered;
    let follows = derived_values(plan);
    let heading = training.game.any.rules.games().heading;
    let command = options::<Options>();
    let mut keys = Table::new();
    for option in command.get_opts() {
        let key = name(option);
        let given = settings.get(&key);
        let is_left_out = RUN_CONTROL_OPTIONS.contains(&&*key)
            || ["preset", "format"].contains(&&*key)
            || option.get_help_heading().is_some_and(|other| other != heading)
            || key == "simd" && given.is_none();
        if is_left_out {
            continue;
        }
        if !option.get_action().takes_values() {
            if given.is_some() {
                keys.insert(key, Value::from(true));
            }
            continue;
        }
        let default = || option.get_default_values().last()?.to_str();
        if let Some(word) = given.and_then(|given| given.as_str()).or_else(default) {
            keys.insert(key, value(word));
        } else if let Some(value) = follows.get(&key) {
            keys.insert(key, value.clone());
        }
    }
    keys
}

/// Converts a word to a TOML number if it is one and TOML can represent it. Other words stay text.
fn value(word: &str) -> Value {
    let real = word.parse().ok().filter(|number: &f64| number.is_finite());
    match (whole(word), real) {
        (Ok(number), _) => i64::try_from(number).map_or(Value::from(word), Value::Integer),
        (Err(_), Some(real)) => Value::Float(real),
        _ => Value::from(word),
    }
}

/// Returns the values that `plan` gives to the options without a fixed default.
fn derived_values(plan: &TrainingPlan) -> Table {
    let mut keys = Table::new();
    let mut add = |key: &str, text: String| keys.insert(key.to_owned(), value(&text));
    add(
        "features",
        match plan.games {
            TrainingGames::Classic(..) => USUAL.to_owned(),
            TrainingGames::Guideline(..) => plan.games.names().join(","),
        },
    );
    add("measured", plan.games.measured().to_string());
    add("objective", plan.objective.to_string());
    if let Some(worth) = plan.objective.lost() {
        add("lost", worth.to_string());
    }
    if let Some(estimate) = plan.objective.estimates() {
        let EstimateOptions { importance, pieces, burn_in, pilot_pieces, most } = estimate;
        add("estimate_pieces", pieces.to_string());
        add("estimate_burn_in", burn_in.to_string());
        add("estimate_pilot_pieces", pilot_pieces.to_string());
        add("estimate_most", most.to_string());
        add("estimate_importance", importance.to_string());
    }
    if let Racing::Halving { rounds } = plan.racing {
        add("racing_rounds", rounds.to_string());
    }
    if let TrainingGames::Classic(config, _) = &plan.games {
        let most = config.limits.pieces.map_or("none".to_owned(), |most| most.to_string());
        add("max_pieces", most);
        add("tie", config.controller.tie.to_string());
        if config.start.is_none() {
            add("board", config.size.to_string());
        }
    }
    keys
}

/// Formats bounds as `--bounds` takes them: one pair for all weights if the pairs are equal.
fn describe(bounds: &[Bounds]) -> String {
    let pairs: Vec<String> = bounds.iter().map(|b| format!("{},{}", b.low, b.high)).collect();
    match &pairs[..] {
        [first, others @ ..] if others.iter().all(|other| other == first) => first.clone(),
        all => all.join("/"),
    }
}
