//! Defines the output formats and the outcome of a command.

use anyhow::Context;
use clap::ValueEnum;

use crate::cli::console::Console;
use crate::cli::console::host::locked;
use crate::report::{Report, json_text};

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

/// A result of a command that is not printed yet, and how the command ended.
#[derive(Debug)]
pub(crate) struct Printout {
    pub(crate) report: Report,
    pub(crate) format: TableFormat,
    pub(crate) end: anyhow::Result<Outcome>,
}

impl Printout {
    /// Creates the result of a command that reached its target.
    pub(crate) fn new(report: Report, format: TableFormat) -> Printout {
        Printout { report, format, end: Ok(Outcome::Done) }
    }

    /// Prints the report and returns how the command ended.
    pub(crate) fn print(self, console: &Console) -> anyhow::Result<Outcome> {
        if !self.report.is_empty() {
            console.report(&self.report, self.format)?;
        }
        self.end
    }
}

impl Console {
    /// Prints a report, and gives it to a host program.
    pub(crate) fn report(
        &self,
        report: &Report,
        format: impl Into<TableFormat>,
    ) -> anyhow::Result<()> {
        if let Some(host) = &self.host {
            *locked(&host.report) = Some(report.clone());
        }
        match format.into() {
            TableFormat::Text => self.print(&report.to_text())?,
            TableFormat::Json => self.print_data(&json_text(&report.to_json()))?,
            TableFormat::Csv => {
                let csv = report.to_csv();
                let csv = csv.context("the result has no table: give --format text or json")?;
                self.print_data(&csv?)?;
            }
        }
        Ok(())
    }
}

/// The result of a command that has printed what there is to print.
impl From<Outcome> for Printout {
    fn from(outcome: Outcome) -> Printout {
        Printout { end: Ok(outcome), ..Printout::new(Report::default(), TableFormat::Text) }
    }
}

impl From<()> for Printout {
    fn from((): ()) -> Printout {
        Outcome::Done.into()
    }
}

impl From<Format> for TableFormat {
    fn from(format: Format) -> TableFormat {
        match format {
            Format::Text => TableFormat::Text,
            Format::Json => TableFormat::Json,
        }
    }
}
