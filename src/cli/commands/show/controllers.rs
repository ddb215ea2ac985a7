//! Runs `tetrastat show controllers`: lists the published presets and their sources.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::board::BoardSize;
use crate::cli::commands::show::{board, board::by_name, guideline};
use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::controller::{
    Controller, ControllerPreset, GUIDELINE_PRESETS, GuidelineController, HIDDEN, INPUTS, Lookup,
    Network, NetworkText, PRESETS, PatternLayout, PatternWindow, Patterns, SECOND, Scorer,
    WindowPlaces,
};
use crate::error::Error;
use crate::features::{Feature, Measured};
use crate::search::guideline::SCALE;

/// List the published controllers, or show one with its source
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Preset or TOML file to show
    name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// A controller of classic or of guideline games.
enum AnyController {
    Classic(Controller),
    Guideline(GuidelineController),
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        match &self.name {
            Some(name) => {
                let controller = load(name)?;
                let json = match self.format {
                    Format::Json => controller.whole_json()?,
                    _ => Json::Null,
                };
                self.format.print(console, || controller.text(), json)
            }
            None => {
                let text = list()?;
                let all = PRESETS.iter().chain(GUIDELINE_PRESETS).map(|preset| load(preset.name));
                let all = all.map(|controller| Ok(controller?.json()));
                self.format.print(console, || text, all.collect::<anyhow::Result<Json>>()?)
            }
        }
    }
}

impl AnyController {
    /// Formats the controller, with the definitions of its features or terms.
    fn text(&self) -> String {
        let mut text = self.head();
        match self {
            AnyController::Classic(controller) => push_classic(&mut text, controller),
            AnyController::Guideline(controller) => push_guideline(&mut text, controller),
        }
        text
    }

    /// Returns name, title and source, then remarks, and the board that the controller measures.
    fn origin(&self) -> ([&String; 3], [&Option<String>; 2], Measured) {
        match self {
            AnyController::Classic(c) => {
                ([&c.name, &c.title, &c.source], [&c.published, &c.note], c.measured)
            }
            AnyController::Guideline(c) => {
                ([&c.name, &c.title, &c.source], [&c.published, &c.note], c.measured)
            }
        }
    }

    /// Formats the first lines: name, title, source, remarks and the measured board.
    fn head(&self) -> String {
        let ([name, title, source], [published, note], measured) = self.origin();
        let mut text = match title.is_empty() {
            true => format!("{name}\n"),
            false => format!("{name}: {title}\n"),
        };
        let mut line = |label: &str, value: &str| {
            let _ = writeln!(text, "{label:10} {value}");
        };
        if !source.is_empty() {
            line("source", source);
        }
        for (label, value) in [("published", published), ("note", note)] {
            if let Some(value) = value {
                line(label, value);
            }
        }
        line("measured", &measured.to_string());
        text
    }

    fn json(&self) -> Json {
        let ([name, title, source], [published, note], measured) = self.origin();
        let mut json = json!({
            "name": name,
            "game": if matches!(self, AnyController::Classic(_)) { "classic" } else { "guideline" },
            "title": title,
            "source": source,
            "published": published,
            "note": note,
            "measured": measured.to_string(),
        });
        match self {
            AnyController::Classic(controller) => {
                let weights = controller.weights.iter();
                let weights = weights.map(|(feature, weight)| (feature.to_string(), *weight));
                let higher = controller.at_height.iter();
                let higher = higher.map(|at| (at.to_string(), at.weight));
                json["tie"] = controller.tie.to_string().into();
                json["patterns"] = controller.patterns.as_ref().map_or(Json::Null, |patterns| {
                    json!({
                        "board": patterns.size().to_string(),
                        "step": patterns.step(),
                        "windows": patterns.windows(),
                        "places": patterns.layout().lookups().len(),
                        "entries": patterns.layout().entries(),
                    })
                });
                json["weights"] = by_name(weights.chain(higher));
            }
            AnyController::Guideline(controller) => {
                let weights = controller.weights.iter();
                json["network"] = controller.network.is_some().into();
                json["weights"] =
                    by_name(weights.map(|(term, weight)| (term.to_string(), *weight)));
            }
        }
        json
    }

    /// Returns all that a program needs to compute the controller's scores without the engine: the
    /// JSON of the list, definitions, the layers of a network, and examples with their scores.
    fn whole_json(&self) -> anyhow::Result<Json> {
        let mut json = self.json();
        match self {
            AnyController::Classic(controller) => {
                let size = match &controller.patterns {
                    Some(patterns) => patterns.size(),
                    None => BoardSize::new(controller.board_width.unwrap_or(10), 20)?,
                };
                let features = controller.features();
                let features =
                    features.map(|feature| (feature.to_string(), feature.definition().definition));
                json["board_width"] = controller.board_width.into();
                let scorer = Scorer::new(controller, size)?;
                json["scale"] = scorer.scale().into();
                let steps = (0..=scorer.last_height()).map(|stack| steps(&scorer, stack, size));
                json["steps"] = steps.collect();
                json["features"] = by_name(features);
                if let Some((patterns, steps)) = scorer.patterns() {
                    json["patterns"]["steps"] = steps.into();
                    json["patterns"]["lookups"] = lookups(patterns.layout());
                    json["patterns"]["tables"] = patterns.tables().into();
                }
                json["examples"] = board::examples(controller, size)?;
            }
            AnyController::Guideline(controller) => {
                let terms = controller.weights.iter();
                let terms = terms.map(|(term, _)| (term.to_string(), term.definition().definition));
                json["scale"] = SCALE.into();
                json["features"] = by_name(terms);
                json["layers"] = controller.network.as_deref().map(layers).into();
                json["examples"] = guideline::examples(controller)?;
            }
        }
        Ok(json)
    }
}

/// Returns the exact weights at a height of the stack: score steps per whole unit of each feature.
fn steps(scorer: &Scorer, stack: usize, size: BoardSize) -> Json {
    let of_unit = |(feature, weight): &(Feature, i64)| {
        let parts = feature.definition().unit.denominator(size.width());
        (feature.to_string(), weight * i64::from(parts))
    };
    by_name(scorer.terms(stack).iter().map(of_unit))
}

/// Returns, for each window at each of its positions, the index of its table's first entry and its
/// cells as `[column, row]` of the board. The first cell is bit 0 of the index in the table.
fn lookups(layout: &PatternLayout) -> Json {
    let last_column = layout.size().width() - 1;
    let lookup = |lookup: &Lookup| {
        let cells = layout.shapes()[lookup.window].cells.iter();
        let cells = cells.map(|[column, row]| match lookup.column + column {
            column if lookup.is_mirrored => [last_column - column, lookup.row + row],
            column => [column, lookup.row + row],
        });
        json!({ "first": lookup.table, "cells": cells.collect::<Vec<_>>() })
    };
    layout.lookups().iter().map(lookup).collect()
}

/// Returns the layers of `network` as lists of whole numbers. `docs/reference/network.md` defines
/// them.
fn layers(network: &Network) -> Json {
    let NetworkText { share, point, first, second, second_bias, third, third_bias } =
        network.text();
    let row = |text: &String| {
        text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<i64>>()
    };
    json!({
        "share": share,
        "point": point,
        "first": first.iter().map(row).collect::<Vec<_>>(),
        "second": second.iter().map(row).collect::<Vec<_>>(),
        "second_bias": row(second_bias),
        "third": row(third),
        "third_bias": third_bias,
    })
}

/// Loads the controller `name` (a preset or a file) of classic or guideline games.
fn load(name: &str) -> anyhow::Result<AnyController> {
    let is = |presets: &[ControllerPreset]| presets.iter().any(|preset| preset.name == name);
    if is(PRESETS) {
        return Ok(AnyController::Classic(Controller::load(name)?));
    }
    if is(GUIDELINE_PRESETS) {
        return Ok(AnyController::Guideline(GuidelineController::load(name)?));
    }
    match (Controller::load(name), GuidelineController::load(name)) {
        (Ok(controller), _) => Ok(AnyController::Classic(controller)),
        (Err(_), Ok(controller)) => Ok(AnyController::Guideline(controller)),
        (Err(Error::Unknown { .. }), _) => {
            let presets = PRESETS.iter().chain(GUIDELINE_PRESETS).map(|preset| preset.name);
            let known = presets.chain(["a .toml file"]);
            Err(Error::unknown_or_file("controller", name, known).into())
        }
        (Err(error), _) => Err(error.into()),
    }
}

fn list() -> anyhow::Result<String> {
    let mut text = String::new();
    for preset in PRESETS {
        let controller = preset.controller()?;
        writeln!(
            text,
            "{:18} {:2} features{}  {}",
            controller.name,
            controller.weights.len(),
            if controller.patterns.is_some() { ", patterns" } else { "" },
            controller.title
        )?;
    }
    text.push_str("\nfor simulate --rules guideline or capstone:\n");
    for name in GuidelineController::names() {
        let controller = GuidelineController::load(name)?;
        writeln!(text, "{name:22} {:2} terms  {}", controller.weights.len(), controller.title)?;
    }
    text.push_str(
        "\n`tetrastat show controllers NAME` shows one; a TOML file of your own works \
        wherever a name does.\n",
    );
    Ok(text)
}

/// Appends the tie rule, the cell patterns and the weights of a controller of classic games.
fn push_classic(text: &mut String, controller: &Controller) {
    let _ = writeln!(text, "{:10} {}", "tie", controller.tie);
    if let Some(patterns) = &controller.patterns {
        *text += &describe(patterns);
    }
    if controller.weights.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{:>14}  feature", "weight");
    for (feature, weight) in &controller.weights {
        let _ = writeln!(text, "{weight:>14}  {feature}: {}", feature.definition().definition);
    }
    for at in &controller.at_height {
        let _ = writeln!(
            text,
            "{:>14}  {at}: {} where the stack is {} high",
            at.weight, at.feature, at.height
        );
    }
}

/// Describes the windows of `patterns` and the number of their table entries.
fn describe(patterns: &Patterns) -> String {
    let layout = patterns.layout();
    let mut text = format!(
        "{:10} on {}: {} windows, {} table entries in steps of {}\n",
        "patterns",
        patterns.size(),
        layout.lookups().len(),
        layout.entries(),
        patterns.step()
    );
    for (index, PatternWindow { cells, at, mirror, rows }) in patterns.windows().iter().enumerate()
    {
        let count = layout.lookups_of(index).count();
        let places = match at {
            WindowPlaces::Everywhere => "every place".to_owned(),
            WindowPlaces::Listed(_) => "listed places".to_owned(),
        };
        let mirrored = if *mirror { ", mirrored columns share" } else { "" };
        let _ = writeln!(
            text,
            "{:10} {cells} at {count} ({places}); tables: {rows} rows{mirrored}",
            ""
        );
    }
    text
}

/// Appends the network and the weights of a controller of guideline games.
fn push_guideline(text: &mut String, controller: &GuidelineController) {
    if let Some(network) = &controller.network {
        let share = network.text().share;
        let _ = writeln!(
            text,
            "{:10} of {INPUTS} inputs, {HIDDEN} and {SECOND} units; its share of a value is \
                {share}",
            "network"
        );
    }
    let _ = writeln!(text, "\n{:>14}  term", "weight");
    for (term, weight) in &controller.weights {
        let _ = writeln!(text, "{weight:>14}  {term}: {}", term.definition().definition);
    }
}
