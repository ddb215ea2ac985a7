//! `tetrastat controllers`: the published presets and their sources.

use std::fmt::Write;

use super::Outcome;
use super::output::print;
use crate::controller::{Controller, PRESETS};

/// List the presets, or show one with its source
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Preset or TOML file to show
    name: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        print(&match &self.name {
            Some(name) => show(&Controller::load(name)?),
            None => list()?,
        })?;
        Ok(Outcome::Done)
    }
}

fn list() -> anyhow::Result<String> {
    let mut text = String::new();
    for preset in PRESETS {
        let controller = preset.controller()?;
        writeln!(
            text,
            "{:18} {:2} features  {}",
            controller.name,
            controller.weights.len(),
            controller.title
        )?;
    }
    text.push_str("\n`tetrastat controllers NAME` shows one; a TOML file of your own works wherever a name does.\n");
    Ok(text)
}

fn show(controller: &Controller) -> String {
    let mut text = format!("{}: {}\n", controller.name, controller.title);
    let mut line = |label: &str, value: &str| {
        let _ = writeln!(text, "{label:10} {value}");
    };
    line("source", &controller.source);
    for (label, value) in [("published", &controller.published), ("note", &controller.note)] {
        if let Some(value) = value {
            line(label, value);
        }
    }
    line("measured", &controller.measured.to_string());
    line("tie", &controller.tie.to_string());
    let _ = writeln!(text, "\n{:>14}  feature", "weight");
    for (feature, weight) in &controller.weights {
        let _ = writeln!(text, "{weight:>14}  {feature}: {}", feature.definition().definition);
    }
    text
}
