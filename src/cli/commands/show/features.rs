//! Runs `tetrastat show features`: prints every feature and term with its definition. The code book
//! is generated from the same registries.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::board::BoardSize;
use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::features::guideline::{TERMS, TermFunction as TermMeasure};
use crate::features::{Direction, Feature, FeatureFunction, Measured, REGISTRY, Unit};

/// List every feature and every guideline term, with definition and source
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Board width 4-16 and height 4-28. The features of single columns depend on the width
    #[arg(long, value_name = "WxH", default_value = "10x20")]
    board: BoardSize,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        self.format.print(console, || text(self.board), as_json(self.board))
    }
}

fn text(size: BoardSize) -> String {
    let mut text = format!(
        "{} features of classic games (simplified and standard rules), on a board of {size}\n",
        REGISTRY.len()
    );
    for entry in REGISTRY {
        let names = match names(entry.name, size) {
            names if names.len() > 1 => {
                format!("{} to {}", names[0], names[names.len() - 1])
            }
            _ => entry.name.to_owned(),
        };
        let of = if matches!(entry.measure, FeatureFunction::Move(_)) {
            "of the move"
        } else {
            "of the board"
        };
        let good = match entry.direction {
            Direction::Gain => "more is better",
            Direction::Cost => "less is better",
            Direction::Neutral => "good or bad depending on the controller",
        };
        let step = match entry.unit {
            Unit::One => String::new(),
            unit => format!(", in steps of {}", unit.step()),
        };
        let _ = writeln!(text, "\n{names}: {of}, {good}{step}");
        let _ = writeln!(text, "    {}\n    source: {}", entry.definition, entry.source);
    }
    let _ = writeln!(
        text,
        "\n{} terms of guideline games (--rules guideline or capstone)",
        TERMS.len()
    );
    for entry in TERMS {
        let of = if is_event(entry.measure) { "of the placement" } else { "of the matrix" };
        let _ = writeln!(text, "\n{}: {of}", entry.name);
        let _ = writeln!(text, "    {}\n    source: {}", entry.definition, entry.source);
    }
    text.push_str(
        "\nEach controller defines the board on which features are measured: after-clear (full \
         rows removed) or before-clear (full rows still present); features of the move are the \
         same on both.\n`tetrastat show board --explain NAME` marks what a feature counts; \
         `tetrastat bench --sections features` measures the cost of each feature.\n",
    );
    text
}

fn as_json(size: BoardSize) -> Value {
    let feature = |entry: &crate::features::FeatureDefinition| {
        let of_move = matches!(entry.measure, FeatureFunction::Move(_));
        json!({
            "name": entry.name,
            "names": names(entry.name, size),
            "definition": entry.definition,
            "source": entry.source,
            "step": entry.unit.step(),
            "good": entry.direction.name(),
            "of": if of_move { "move" } else { "board" },
            "measured": if of_move { &[][..] } else { &Measured::NAMES[..] },
        })
    };
    let term = |entry: &crate::features::guideline::TermDefinition| {
        let event = is_event(entry.measure);
        json!({
            "name": entry.name,
            "definition": entry.definition,
            "source": entry.source,
            "step": Unit::One.step(),
            "of": if event { "placement" } else { "matrix" },
            "measured": if event { &[][..] } else { &Measured::NAMES[..] },
        })
    };
    json!({
        "board": size.to_string(),
        "features": REGISTRY.iter().map(feature).collect::<Vec<_>>(),
        "guideline_terms": TERMS.iter().map(term).collect::<Vec<_>>(),
    })
}

/// Returns the feature names of the registry entry `entry` on a board of `size`: one name, or one
/// for each index.
fn names(entry: &str, size: BoardSize) -> Vec<String> {
    let all = Feature::all(size).filter(|feature| feature.definition().name == entry);
    all.map(|feature| feature.to_string()).collect()
}

fn is_event(measure: TermMeasure) -> bool {
    matches!(measure, TermMeasure::ClearEvent(_))
}
