//! Settings of the logs that a run writes in addition to its table of games: placements and
//! candidates.

pub(crate) mod ordered;
pub(crate) mod partial_table;
pub(crate) mod row_sink;
pub(crate) mod study_logs;
pub(crate) mod table_spec;

use serde::{Deserialize, Serialize};

use crate::record::{Column, Columns, LogFormat, Selection, TableSpec};

/// Settings of the logs of a run, of any game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogSettings {
    /// Format of the tables.
    pub format: LogFormat,
    /// True if the selected placements are logged.
    pub placements: bool,
    /// True if the candidates of the selected placements are logged.
    pub candidates: bool,
    /// Columns to log for each placement. Those of them that are features of classic games are also
    /// logged for each candidate.
    pub columns: Columns,
    /// Selection of the placements.
    pub selection: Selection,
    /// Study that the run is a condition of, if its tables are read together.
    #[serde(skip)]
    pub study: Option<Box<StudyTables>>,
}

/// Study of a condition, as far as the condition's tables need it.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyTables {
    /// Number of the condition.
    pub condition: u64,
    /// Columns of all conditions, for each table of [`LogTable::ALL`].
    pub columns: [Vec<Column>; 2],
}

impl LogSettings {
    /// Logs `columns` of all placements, and no candidates.
    #[must_use]
    pub fn new(format: LogFormat, columns: Columns) -> LogSettings {
        let selection = Selection::default();
        LogSettings { format, placements: true, candidates: false, columns, selection, study: None }
    }

    /// Returns the file names of the tables, in the order of [`LogTable::ALL`].
    pub fn files(&self) -> impl Iterator<Item = String> {
        let tables = LogTable::ALL.into_iter().zip([self.placements, self.candidates]);
        tables
            .filter(|(_, is_logged)| *is_logged)
            .map(|(table, _)| TableSpec::name(table.name(), self.format))
    }
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
