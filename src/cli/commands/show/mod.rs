//! Runs `tetrastat show`: boards, features and controllers.

use serde_json::{Value as Json, json};

use crate::cli::prelude::*;
use crate::controller::{
    ControllerPreset, GUIDELINE_PRESETS, GuidelineController, HIDDEN, INPUTS, Lookup, Network,
    NetworkText, PRESETS, PatternLayout, SECOND, Scorer, WindowPlaces,
};
use crate::features::guideline::{TERMS, TermDefinition, TermFunction};
use crate::features::{Feature, FeatureDefinition, FeatureFunction, Measured, REGISTRY};
use crate::report::Value;
use crate::search::guideline::SCALE;

pub(crate) mod board;
mod guideline;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum ShowCommand {
    Board(Box<ParsedArgs<board::Args>>),
    Features(FeaturesArgs),
    Controllers(ControllersArgs),
}

impl ShowCommand {
    pub(crate) fn run(self) -> anyhow::Result<Printout> {
        match self {
            ShowCommand::Board(given) => board::run(*given),
            ShowCommand::Features(args) => Ok(args.run()),
            ShowCommand::Controllers(args) => args.run(),
        }
    }
}

/// List every feature and every guideline term, with definition and source
#[derive(Debug, clap::Args)]
pub(crate) struct FeaturesArgs {
    /// Board width 4-16 and height 4-28. The features of single columns depend on the width
    #[arg(long, value_name = "WxH", default_value = "10x20")]
    board: BoardSize,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

impl FeaturesArgs {
    pub(crate) fn run(self) -> Printout {
        let size = self.board;
        let names = |entry: &FeatureDefinition| -> Vec<String> {
            let all = Feature::all(size).filter(|feature| feature.definition().name == entry.name);
            all.map(|feature| feature.to_string()).collect()
        };
        let of_feature = |entry: &FeatureDefinition| match entry.measure {
            FeatureFunction::Move(_) => "move",
            _ => "board",
        };
        let of_term = |entry: &TermDefinition| match entry.measure {
            TermFunction::ClearEvent(_) => "placement",
            _ => "matrix",
        };
        let mut report = Report::default();
        report.data("board", size.to_string());
        let features = TableOf::new("features", REGISTRY)
            .title(format!("Features of classic games, on a board of {size}"))
            .with(("name", "feature"), |entry| match &names(entry)[..] {
                [first, .., last] => Value::new(entry.name, format!("{first} to {last}")),
                _ => entry.name.into(),
            })
            .data("names", |entry| Value::json(names(entry)))
            .with("of", of_feature)
            .with(("good", "direction"), |entry| entry.direction.name())
            .with("step", |entry| entry.unit.step())
            .below("definition", |entry| entry.definition)
            .below("source", |entry| entry.source);
        let terms = TableOf::new("guideline_terms", TERMS)
            .title("Terms of guideline games (--rules guideline or another preset)")
            .with(("name", "term"), |entry| entry.name)
            .with("of", of_term)
            .below("definition", |entry| entry.definition)
            .below("source", |entry| entry.source);
        report.table(features);
        report.table(terms);
        report.text(
            "\nA gain is better if it is more, a cost if it is less. Each controller defines the \
             board on which features are measured: after-clear (full rows removed) or before-clear \
             (full rows still present); features of the move are the same on both.\n`tetrastat \
             show board --explain NAME` marks what a feature counts; `tetrastat bench --sections \
             features` measures the cost of each feature.",
        );
        Printout::new(report, self.format)
    }
}

/// List the published controllers, or show one with its source
#[derive(Debug, clap::Args)]
pub(crate) struct ControllersArgs {
    /// Preset or TOML file to show
    name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

enum AnyController {
    Classic(Controller),
    Guideline(GuidelineController),
}

struct Weight {
    name: String,
    weight: f64,
    definition: String,
}

struct Origin<'a> {
    game: &'static str,
    name: &'a String,
    title: &'a String,
    source: &'a String,
    published: &'a Option<String>,
    note: &'a Option<String>,
    measured: Measured,
}

macro_rules! origin {
    ($controller:expr, $game:literal) => {{
        let controller = $controller;
        Origin {
            game: $game,
            name: &controller.name,
            title: &controller.title,
            source: &controller.source,
            published: &controller.published,
            note: &controller.note,
            measured: controller.measured,
        }
    }};
}

impl ControllersArgs {
    pub(crate) fn run(self) -> anyhow::Result<Printout> {
        let report = match &self.name {
            Some(name) => load(name)?.report(self.format == TableFormat::Json)?,
            None => list()?,
        };
        Ok(Printout::new(report, self.format))
    }
}

fn list() -> anyhow::Result<Report> {
    let all = PRESETS.iter().chain(GUIDELINE_PRESETS).map(|preset| load(preset.name));
    let all = all.collect::<anyhow::Result<Vec<_>>>()?;
    let has = |find: fn(&AnyController) -> bool| move |one: &AnyController| find(one);
    let mut report = Report::default();
    let table = TableOf::new("controllers", &all)
        .with(("name", "controller"), |one| one.origin().name)
        .with("game", |one| one.origin().game)
        .with("features", |one| match one {
            AnyController::Classic(controller) => controller.weights.len(),
            AnyController::Guideline(controller) => controller.weights.len(),
        })
        .data(
            "patterns",
            has(|one| matches!(one, AnyController::Classic(c) if c.patterns.is_some())),
        )
        .data(
            "network",
            has(|one| matches!(one, AnyController::Guideline(c) if c.network.is_some())),
        )
        .with("title", |one| one.origin().title)
        .data("source", |one| one.origin().source)
        .data("published", |one| one.origin().published.as_ref())
        .data("note", |one| one.origin().note.as_ref())
        .data("measured", |one| Value::text(one.origin().measured));
    report.table(table);
    report.text(
        "\n`tetrastat show controllers NAME` shows one; a TOML file of your own works wherever a \
         name does.",
    );
    Ok(report)
}

impl AnyController {
    fn origin(&self) -> Origin<'_> {
        match self {
            AnyController::Classic(controller) => origin!(controller, "classic"),
            AnyController::Guideline(controller) => origin!(controller, "guideline"),
        }
    }

    fn weights(&self) -> Vec<Weight> {
        let of = |name: String, weight: f64, definition: &str| Weight {
            name,
            weight,
            definition: definition.to_owned(),
        };
        match self {
            AnyController::Classic(controller) => {
                let weights = controller.weights.iter().map(|(feature, weight)| {
                    of(feature.to_string(), *weight, feature.definition().definition)
                });
                weights
                    .chain(controller.at_height.iter().map(|at| {
                        let height =
                            format!("{} where the stack is {} high", at.feature, at.height);
                        of(at.to_string(), at.weight, &height)
                    }))
                    .collect()
            }
            AnyController::Guideline(controller) => {
                let weights = controller.weights.iter();
                let weights = weights.map(|(term, weight)| {
                    of(term.to_string(), *weight, term.definition().definition)
                });
                weights.collect()
            }
        }
    }

    /// Reports a controller; if `is_whole`, with all numbers that define its scores.
    fn report(&self, is_whole: bool) -> anyhow::Result<Report> {
        let Origin { game, name, title, source, published, note, measured } = self.origin();
        let mut report = Report::default();
        for (key, value) in [
            ("name", Some(name)),
            ("title", Some(title)),
            ("source", Some(source)),
            ("published", published.as_ref()),
            ("note", note.as_ref()),
        ] {
            match value.filter(|value| !value.is_empty()) {
                Some(value) => report.fact(key, value),
                None => report.data(key, value),
            }
        }
        report.data("game", game);
        report.fact("measured", Value::text(measured));
        match self {
            AnyController::Classic(controller) => {
                report.fact("tie", Value::text(controller.tie));
                report_classic(&mut report, controller, is_whole)?;
            }
            AnyController::Guideline(controller) => {
                let network = controller.network.as_deref();
                if let Some(network) = network {
                    let share = network.text().share;
                    let units = format!("{INPUTS} inputs, {HIDDEN} and {SECOND} units");
                    let words = format!("of {units}; its share of a value is {share}");
                    report.fact("network", Value::new(true, words));
                }
                report.data("scale", SCALE);
                if is_whole {
                    report.data("layers", network.map(network_layers).map(Value::json));
                    report.data("examples", Value::json(guideline::examples(controller)?));
                }
            }
        }
        let weights = self.weights();
        report.table(
            TableOf::new("weights", &weights)
                .with("weight", |one| one.weight)
                .with("feature", |one| &one.name)
                .with("definition", |one| &one.definition),
        );
        Ok(report)
    }
}

fn report_classic(
    report: &mut Report,
    controller: &Controller,
    is_whole: bool,
) -> anyhow::Result<()> {
    let size = match &controller.patterns {
        Some(patterns) => patterns.size(),
        None => BoardSize::new(controller.board_width.unwrap_or(10), 20)?,
    };
    if is_whole {
        let scorer = Scorer::new(controller, size)?;
        let steps = (0..=scorer.last_height()).map(|stack| weight_steps(&scorer, stack, size));
        report.data("board_width", controller.board_width);
        report.data("scale", scorer.scale());
        report.data("steps", Value::new(steps.collect::<Json>(), ""));
        report.data("examples", Value::new(board::examples(controller, size)?, ""));
        if let Some((patterns, steps)) = scorer.patterns() {
            report.data("patterns.steps", Value::json(steps));
            report.data("patterns.lookups", Value::new(window_lookups(patterns.layout()), ""));
            report.data("patterns.tables", Value::new(patterns.tables(), ""));
        }
    }
    let Some(patterns) = &controller.patterns else {
        report.data("patterns", Value::default());
        return Ok(());
    };
    let layout = patterns.layout();
    report.fact(("patterns.board", "patterns on"), Value::text(patterns.size()));
    report.fact(("patterns.places", "windows"), layout.lookups().len());
    report.fact(("patterns.entries", "table entries"), layout.entries());
    report.fact(("patterns.step", "in steps of"), patterns.step());
    let windows: Vec<_> = patterns.windows().iter().enumerate().collect();
    let places = |at: &WindowPlaces| match at {
        WindowPlaces::Everywhere => "every place",
        WindowPlaces::Listed(_) => "listed places",
    };
    report.table(
        TableOf::new("patterns.windows", &windows)
            .with("cells", |(_, window)| Value::text(&window.cells))
            .shown("places", |(index, _)| layout.lookups_of(*index).count())
            .with("at", |(_, window)| Value::from_data(&window.at, places(&window.at)))
            .with("rows", |(_, window)| Value::text(window.rows))
            .with(("mirror", "mirrored columns share"), |(_, window)| window.mirror),
    );
    Ok(())
}

/// Returns the score of one unit of each feature at the stack height `stack`, as exact integers.
fn weight_steps(scorer: &Scorer, stack: usize, size: BoardSize) -> Json {
    let of_unit = |(feature, weight): &(Feature, i64)| {
        let parts = feature.definition().unit.denominator(size.width());
        (feature.to_string(), Json::from(weight * i64::from(parts)))
    };
    scorer.terms(stack).iter().map(of_unit).collect::<serde_json::Map<_, _>>().into()
}

/// Returns, as JSON, the cells of each n-tuple on the board and the first index of its weights.
fn window_lookups(layout: &PatternLayout) -> Json {
    // The first cell is bit 0 of the index in the window's table.
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

fn network_layers(network: &Network) -> Json {
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
