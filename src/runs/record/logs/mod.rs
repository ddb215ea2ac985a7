//! What a run logs besides its games: which tables, which placements, in which format.

pub(crate) mod ordered;
pub(crate) mod partial_table;
pub(crate) mod study_logs;
pub(crate) mod table_spec;

use crate::record::{CandidateEncoder, Column, LogFormat, PlacementEncoder, Selection};

/// The logs of a run.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    /// One row per placement kept.
    pub placements: Option<PlacementEncoder>,
    /// One row per candidate of a placement kept.
    pub candidates: Option<CandidateEncoder>,
    /// Which placements are kept.
    pub selection: Selection,
    /// The format of both tables.
    pub format: LogFormat,
}

/// A table of the logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogTable {
    /// One row per placement kept.
    Placements,
    /// One row per candidate of a placement kept.
    Candidates,
}

impl LogTable {
    /// Both, in the order of their files.
    pub const ALL: [LogTable; 2] = [LogTable::Placements, LogTable::Candidates];

    /// Its name, without ending.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LogTable::Placements => "placements",
            LogTable::Candidates => "candidates",
        }
    }
}

/// The columns of several tables, each once, in the order in which they are met.
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
    /// The columns of a table, if the run has it.
    #[must_use]
    pub fn columns(&self, table: LogTable) -> Option<Vec<Column>> {
        match table {
            LogTable::Placements => self.placements.as_ref().map(PlacementEncoder::columns),
            LogTable::Candidates => self.candidates.as_ref().map(CandidateEncoder::columns),
        }
    }

    /// The files of a run with these logs.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let logged = LogTable::ALL.into_iter().filter(|table| match table {
            LogTable::Placements => self.placements.is_some(),
            LogTable::Candidates => self.candidates.is_some(),
        });
        let logs = logged.map(|table| format!("{}.{}", table.name(), self.format));
        ["games.csv".to_owned()].into_iter().chain(logs).collect()
    }

    /// The columns of a table that can be read together with those of a study's other conditions: Parquet names and
    /// types its columns, CSV stays as a run of its own writes it.
    #[must_use]
    pub fn shared_columns(&self, table: LogTable) -> Option<Vec<Column>> {
        if self.format == LogFormat::Parquet { self.columns(table) } else { None }
    }

    /// Gives such a table the columns of all conditions, and the number of its own.
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

    /// Whether anything is logged.
    #[must_use]
    pub fn any(&self) -> bool {
        self.placements.is_some() || self.candidates.is_some()
    }
}
