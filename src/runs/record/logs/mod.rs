//! Logs that a run writes in addition to its table of games: placements and candidates.

pub(crate) mod ordered;
pub(crate) mod partial_table;
pub(crate) mod row_sink;
pub(crate) mod study_logs;
pub(crate) mod table_spec;

use crate::record::{
    CandidateEncoder, Column, Columns, LogFormat, LogSettings, PlacementEncoder, Selection,
};

/// Logs of a run: the encoder of each table, the selection of placements and the file format.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    /// Encoder of the placements table, with one row per selected placement.
    pub placements: Option<PlacementEncoder>,
    /// Encoder of the candidates table, with one row per candidate of a selected placement.
    pub candidates: Option<CandidateEncoder>,
    /// Selection of the logged placements.
    pub selection: Selection,
    /// Format of both tables.
    pub format: LogFormat,
}

/// Table that a run may log.
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
    pub const fn name(self) -> &'static str {
        match self {
            LogTable::Placements => "placements",
            LogTable::Candidates => "candidates",
        }
    }
}

/// Returns the columns of several tables, each name once, in the order of first occurrence.
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
    /// Returns the columns of a table, or `None` if the run does not log it.
    #[must_use]
    pub fn columns(&self, table: LogTable) -> Option<Vec<Column>> {
        match table {
            LogTable::Placements => self.placements.as_ref().map(PlacementEncoder::columns),
            LogTable::Candidates => self.candidates.as_ref().map(CandidateEncoder::columns),
        }
    }

    /// Returns the file names of a run with these logs, including the table of games.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let logged = LogTable::ALL.into_iter().filter(|table| match table {
            LogTable::Placements => self.placements.is_some(),
            LogTable::Candidates => self.candidates.is_some(),
        });
        let logs = logged.map(|table| format!("{}.{}", table.name(), self.format));
        ["games.csv".to_owned()].into_iter().chain(logs).collect()
    }

    /// Returns the columns of a Parquet log, for reading it together with the logs of the study's
    /// other conditions. Returns `None` for CSV: it does not state names and types of columns, so
    /// its logs stay as in a single run.
    #[must_use]
    pub fn shared_columns(&self, table: LogTable) -> Option<Vec<Column>> {
        if self.format == LogFormat::Parquet { self.columns(table) } else { None }
    }

    /// Prepares the Parquet log of `table` for its study. Adds the columns of `all` that the log
    /// lacks, with missing values, so that all runs of the study have equal columns. Adds a column
    /// with `condition`, the number of this run in the study. Does nothing for CSV.
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

    /// Returns the settings for `run.json`, which name all columns; `None` without logs.
    #[must_use]
    pub fn settings(&self) -> Option<LogSettings> {
        let columns = self.columns(LogTable::Placements);
        let names = |columns: Vec<Column>| columns.into_iter().map(|column| column.name).collect();
        self.any().then(|| LogSettings {
            format: self.format,
            columns: columns.map(|columns| Columns::Named(names(columns))),
            candidates: self.candidates.is_some(),
            selection: self.selection,
            study: None,
        })
    }

    /// Returns true if at least one table is logged.
    #[must_use]
    pub fn any(&self) -> bool {
        self.placements.is_some() || self.candidates.is_some()
    }
}
