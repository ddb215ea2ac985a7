//! Guideline games in columns, and the tables that hold them.

use super::{
    GuidelineGameRow, GuidelinePlacement, GuidelineRow, guideline_game_fields,
    guideline_placement_fields,
};
use crate::record::field::{Field, columns, fill};
use crate::record::{Column, LogFormat, Rows, TableSpec};

/// The columns of a table of guideline runs.
pub(in crate::record) fn guideline_columns(table: &str) -> Option<Vec<Column>> {
    match table {
        "games" => Some(columns(&guideline_game_fields())),
        "placements" => Some(columns(&guideline_placement_fields())),
        _ => None,
    }
}

/// Turns games into columns.
pub struct GuidelineEncoder {
    games: Vec<Field<GuidelineGameRow>>,
    placements: Vec<Field<GuidelineRow>>,
    /// Placements that wait for more.
    waiting: Vec<GuidelineRow>,
    rows: Rows,
}

/// Placements that are turned into columns together.
const TOGETHER: usize = 256;

impl Default for GuidelineEncoder {
    fn default() -> GuidelineEncoder {
        let placements = guideline_placement_fields();
        let rows = empty(&placements);
        GuidelineEncoder { games: guideline_game_fields(), placements, waiting: Vec::new(), rows }
    }
}

fn empty<S>(fields: &[Field<S>]) -> Rows {
    Rows::with_room(fields.iter().map(|field| &field.column), TOGETHER)
}

impl GuidelineEncoder {
    /// Adds a placement.
    pub fn see(&mut self, seen: &GuidelinePlacement) {
        self.waiting.push(GuidelineRow::of(seen));
        if self.waiting.len() >= TOGETHER {
            self.flush();
        }
    }

    fn flush(&mut self) {
        fill(&self.placements, &self.waiting, None, &mut self.rows);
        self.waiting.clear();
    }

    /// The row of a game that ended, and those of its placements.
    #[must_use]
    pub fn end(&mut self, game: &GuidelineGameRow) -> [Rows; 2] {
        self.flush();
        let mut row = empty(&self.games);
        fill(&self.games, std::slice::from_ref(game), None, &mut row);
        [row, std::mem::replace(&mut self.rows, empty(&self.placements))]
    }
}

/// The tables of a run: `games.csv`, and the placements when there is a format.
#[must_use]
pub fn guideline_tables(placements: Option<LogFormat>) -> Vec<TableSpec> {
    let games = TableSpec::new("games", LogFormat::Csv, columns(&guideline_game_fields()));
    let columns =
        |format| TableSpec::new("placements", format, columns(&guideline_placement_fields()));
    [games].into_iter().chain(placements.map(columns)).collect()
}
