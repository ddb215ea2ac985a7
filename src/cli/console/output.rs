//! Defines the output formats and the outcome of a command.

use clap::ValueEnum;
use serde::Serialize;

use crate::cli::console::Console;

/// Output format of a command that can print its result as text or as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Text,
    /// A JSON object.
    Json,
}

/// Output format of a command that can print its result as text, as JSON or as a CSV table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Text for people.
    Text,
    /// A JSON object.
    Json,
    /// A table.
    Csv,
}

/// Outcome of a command, which sets the exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The command reached its target.
    #[default]
    Done,
    /// The command printed a result that misses its target.
    Missed,
    /// The command was interrupted.
    Interrupted,
}

impl Format {
    /// Prints the result of a command: `text` for people, or `json` as one object.
    pub(crate) fn print(
        self,
        console: &Console,
        text: impl FnOnce() -> String,
        json: impl Serialize,
    ) -> anyhow::Result<()> {
        match self {
            Format::Text => Ok(console.print(&text())?),
            Format::Json => console.print_json(&json),
        }
    }
}

impl TableFormat {
    /// Prints the result of a command: `text` for people, `json` as one object, or `csv` as one
    /// table.
    pub(crate) fn print(
        self,
        console: &Console,
        text: impl FnOnce() -> String,
        json: impl Serialize,
        csv: impl FnOnce() -> csv::Result<String>,
    ) -> anyhow::Result<()> {
        match self {
            TableFormat::Text => Format::Text.print(console, text, json),
            TableFormat::Json => Format::Json.print(console, text, json),
            TableFormat::Csv => Ok(console.print_data(&csv()?)?),
        }
    }
}
