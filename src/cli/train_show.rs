//! `train --dry-run`: what would be trained, as the file that `train --config` takes.

use anyhow::anyhow;
use clap::parser::ValueSource;
use clap::{Args, Command, CommandFactory};
use toml::{Table, Value};

use super::options::whole;
use super::output::{print, print_json};
use super::train_games::GameOptions;
use super::train_layers::{BESIDES, Layered, Layers};
use super::train_method::{MethodOptions, as_options};
use super::{Format, mistake};
use crate::train::{Bounds, Games, Plan};

/// Prints a plan: TOML, or JSON as `train.json` has it.
pub(super) fn show<G: GameOptions>(layered: &Layered<G>, plan: &Plan) -> anyhow::Result<()> {
    match layered.options.format {
        Format::Text => Ok(print(&text(layered, plan)?)?),
        Format::Json => print_json(&plan.entry()),
    }
}

fn text<G: GameOptions>(layered: &Layered<G>, plan: &Plan) -> anyhow::Result<String> {
    let mut file = Table::new();
    let (settings, others) = as_options(&plan.options)?;
    let mut text = String::new();
    if let Some(preset) = layered.preset {
        file.insert("preset".to_owned(), Value::from(preset.name));
        for (label, said) in [
            ("source", preset.source),
            ("its objective", preset.objective),
            ("its result", preset.reported),
        ] {
            text += &format!("# {label}: {said}\n");
        }
        // What no key says is the preset's.
        text += &others
            .iter()
            .map(|setting| format!("# by the preset: {setting}\n"))
            .collect::<String>();
    }
    file.insert("method".to_owned(), Value::from(plan.options.name()));
    file.extend(settings);
    if let Some(bounds) = &plan.problem.bounds {
        file.insert("bounds".to_owned(), Value::from(said(bounds)));
    }
    file.extend(games::<G>(&layered.words, plan)?);
    text += &toml::to_string(&file)?;
    Ok(text)
}

/// The options of a training in their order, without those of its optimiser: what is given, else the
/// default, else what follows from other options.
fn games<G: GameOptions>(words: &[String], plan: &Plan) -> anyhow::Result<Table> {
    let follows = following(plan);
    let command = Layers::<G>::command();
    let matches = command.clone().try_get_matches_from(words);
    let matches = matches.map_err(|error| anyhow!(mistake(&error)))?;
    let optimiser = MethodOptions::augment_args(Command::new(""));
    let of_optimiser = |id: &str| optimiser.get_arguments().any(|arg| arg.get_id() == id);
    let mut keys = Table::new();
    for arg in command.get_arguments().filter(|arg| arg.get_long().is_some()) {
        let id = arg.get_id().as_str();
        let is_default = matches.value_source(id) != Some(ValueSource::CommandLine);
        let is_left_out = BESIDES.contains(&id)
            || ["preset", "format"].contains(&id)
            || of_optimiser(id)
            || id == "simd" && is_default;
        if is_left_out {
            continue;
        }
        if !arg.get_action().takes_values() {
            if matches.get_flag(id) {
                keys.insert(id.to_owned(), Value::from(true));
            }
        } else if let Some(word) = matches.get_raw(id).and_then(Iterator::last) {
            keys.insert(id.to_owned(), value(&word.to_string_lossy()));
        } else if let Some(value) = follows.get(id) {
            keys.insert(id.to_owned(), value.clone());
        }
    }
    Ok(keys)
}

/// A word as a number, if it is one.
fn value(word: &str) -> Value {
    let real = || word.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Float);
    let whole = whole(word).ok().and_then(|number| i64::try_from(number).ok());
    whole.map(Value::Integer).or_else(real).unwrap_or_else(|| Value::from(word))
}

/// What options without a default come to in this training.
fn following(plan: &Plan) -> Table {
    let mut keys = Table::new();
    let mut add = |key: &str, text: String| keys.insert(key.to_owned(), value(&text));
    add("features", plan.games.names().join(","));
    add("measured", plan.games.measured().to_string());
    add("objective", plan.objective.to_string());
    if let Games::Classic(config, _) = &plan.games {
        let most = config.limits.pieces.map_or("none".to_owned(), |most| most.to_string());
        add("max_pieces", most);
        add("tie", config.controller.tie.to_string());
        if config.start.is_none() {
            add("board", config.size.to_string());
        }
    }
    keys
}

/// Bounds as `--bounds` takes them: one pair if all are alike.
fn said(bounds: &[Bounds]) -> String {
    let pairs: Vec<String> = bounds.iter().map(|b| format!("{},{}", b.low, b.high)).collect();
    match &pairs[..] {
        [first, others @ ..] if others.iter().all(|other| other == first) => first.clone(),
        all => all.join("/"),
    }
}
