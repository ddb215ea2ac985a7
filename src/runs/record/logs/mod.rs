//! Logs of a run besides its games: tables, selected placements, format.

pub(crate) mod ordered;
pub(crate) mod partial_table;
pub(crate) mod study_logs;
pub(crate) mod table_spec;

use crate::record::{CandidateEncoder, Column, LogFormat, PlacementEncoder, Selection};

/// Logs of a run.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    /// Encoder of the placements table, with one row per selected placement.
    pub placements: Option<PlacementEncoder>,
    /// Encoder of the candidates table, with one row per candidate of a selected placement.
    pub candidates: Option<CandidateEncoder>,
    /// Selection of placements.
    pub selection: Selection,
    /// Format of both tables.
    pub format: LogFormat,
}

/// Table of the logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogTable {
    /// Table of the selected placements.
    Placements,
    /// Table of the candidates of each selected placement.
    Candidates,
}

impl LogTable {
    /// Both tables, in the order of their files.
    pub const ALL: [LogTable; 2] = [LogTable::Placements, LogTable::Candidates];

    /// Returns the table's name, without ending.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LogTable::Placements => "placements",
            LogTable::Candidates => "candidates",
        }
    }
}

/// Returns the columns of several tables, each once, in the order of first occurrence.
#[must_use]
pub fn all_columns(tables: impl IntoIterator<Item = Vec<Column>>) -> Vec<Column> {
    let mut all: Vec<Column> = Vec::new();
    for column in tables.into_iter().flatten() {
        if all.iter().all(|known| known.name != column.name) {
            all.push(column);
        }
    }
    all
}

impl Logs {
    /// Returns the columns of a table, if the run has it.
    #[must_use]
    pub fn columns(&self, table: LogTable) -> Option<Vec<Column>> {
        match table {
            LogTable::Placements => self.placements.as_ref().map(PlacementEncoder::columns),
            LogTable::Candidates => self.candidates.as_ref().map(CandidateEncoder::columns),
        }
    }

    /// Returns the files of a run with these logs.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let logged = LogTable::ALL.into_iter().filter(|table| match table {
            LogTable::Placements => self.placements.is_some(),
            LogTable::Candidates => self.candidates.is_some(),
        });
        let logs = logged.map(|table| format!("{}.{}", table.name(), self.format));
        ["games.csv".to_owned()].into_iter().chain(logs).collect()
    }

    /// Returns the columns of a table that can be read together with those of the study's other
    /// conditions. Only Parquet names and types its columns; CSV tables stay as in a single run, so
    /// `None` is returned.
    #[must_use]
    pub fn shared_columns(&self, table: LogTable) -> Option<Vec<Column>> {
        if self.format == LogFormat::Parquet { self.columns(table) } else { None }
    }

    /// Gives a Parquet log the columns `all` that the runs of a study have together, and the number
    /// of its own run, the `condition`. Does nothing for CSV.
    pub fn join_study(&mut self, table: LogTable, condition: u64, all: &[Column]) {
        if self.format != LogFormat::Parquet {
            return;
        }
        match (table, &mut self.placements, &mut self.candidates) {
            (LogTable::Placements, Some(placements), _) => placements.join_study(condition, all),
            (LogTable::Candidates, _, Some(candidates)) => candidates.join_study(condition, all),
            _ => {}
        }
    }

    /// Returns true if anything is logged.
    #[must_use]
    pub fn any(&self) -> bool {
        self.placements.is_some() || self.candidates.is_some()
    }
}
