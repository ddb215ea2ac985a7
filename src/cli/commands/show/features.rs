//! Runs `tetrastat show features`: prints every feature and term with its definition. The code book
//! is generated from the same registries.

use crate::board::BoardSize;
use crate::cli::console::output::{Printout, TableFormat};
use crate::features::guideline::{TERMS, TermDefinition, TermFunction};
use crate::features::{Feature, FeatureDefinition, FeatureFunction, REGISTRY};
use crate::report::{Report, TableOf, Value};

/// List every feature and every guideline term, with definition and source
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Board width 4-16 and height 4-28. The features of single columns depend on the width
    #[arg(long, value_name = "WxH", default_value = "10x20")]
    board: BoardSize,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

impl Args {
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
            .title("Terms of guideline games (--rules guideline or capstone)")
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
