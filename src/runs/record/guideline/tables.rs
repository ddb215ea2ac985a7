//! Guideline games in columns, and the tables that hold them.

use super::placements::MEASURED;
use super::{
    GuidelineGameRow, GuidelinePlacement, GuidelineRow, guideline_game_fields,
    guideline_placement_fields,
};
use crate::error::Result;
use crate::matrix::WIDTH;
use crate::record::field::{Field, columns, fill, named};
use crate::record::{Column, Columns, LogFormat, Rows, Selection, TableSpec};

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
/// Placements that are handed over together.
const FULL: usize = 1024;

/// What a run of guideline games logs of its placements.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidelineLog {
    /// The format of the table.
    pub format: LogFormat,
    /// Its columns; those of the controller are all.
    pub columns: Columns,
    /// Which placements are kept.
    pub selection: Selection,
}

impl GuidelineLog {
    /// All placements with all columns.
    #[must_use]
    pub fn all(format: LogFormat) -> GuidelineLog {
        GuidelineLog { format, columns: Columns::All, selection: Selection::default() }
    }

    /// The names of the columns, unless they are all.
    ///
    /// # Errors
    /// [`crate::error::Error::Unknown`] for a column that there is not.
    pub fn column_names(&self) -> Result<Option<Vec<String>>> {
        if matches!(self.columns, Columns::All | Columns::Controller) {
            return Ok(None);
        }
        let columns = columns(&chosen(&self.columns)?);
        Ok(Some(columns.into_iter().map(|column| column.name).collect()))
    }
}

/// What stands for several columns.
const SETS: [&str; 4] = ["minimal", "all", "features", "heights"];

/// The fields of `placements` that were asked for.
fn chosen(columns: &Columns) -> Result<Vec<Field<GuidelineRow>>> {
    let mut fields = guideline_placement_fields();
    match columns {
        Columns::All | Columns::Controller => {}
        Columns::Minimal => fields.retain(|field| field.minimal),
        Columns::Named(names) => {
            let members = |name: &String| match &**name {
                "minimal" => {
                    let minimal = fields.iter().filter(|field| field.minimal);
                    minimal.map(|field| field.column.name.clone()).collect()
                }
                "features" => MEASURED.map(str::to_owned).to_vec(),
                "heights" => (0..WIDTH).map(|column| format!("h{column}")).collect(),
                _ => vec![name.clone()],
            };
            let names: Vec<String> = names.iter().flat_map(members).collect();
            fields = named(fields, &names, &SETS)?;
        }
    }
    Ok(fields)
}

impl Default for GuidelineEncoder {
    fn default() -> GuidelineEncoder {
        GuidelineEncoder::of(guideline_placement_fields())
    }
}

fn empty<S>(fields: &[Field<S>]) -> Rows {
    Rows::with_room(fields.iter().map(|field| &field.column), TOGETHER)
}

impl GuidelineEncoder {
    /// Encodes what a run logs; nothing without a log.
    ///
    /// # Errors
    /// [`crate::error::Error::Unknown`] for a column that there is not.
    pub fn new(log: Option<&GuidelineLog>) -> Result<GuidelineEncoder> {
        let fields = log.map(|log| chosen(&log.columns)).transpose()?;
        Ok(GuidelineEncoder::of(fields.unwrap_or_default()))
    }

    fn of(placements: Vec<Field<GuidelineRow>>) -> GuidelineEncoder {
        let rows = empty(&placements);
        GuidelineEncoder { games: guideline_game_fields(), placements, waiting: Vec::new(), rows }
    }

    /// Adds a placement.
    pub fn see(&mut self, seen: &GuidelinePlacement) {
        self.waiting.push(GuidelineRow::of(seen));
        if self.waiting.len() >= TOGETHER {
            self.flush();
        }
    }

    /// Whether there are enough placements to hand over.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.rows.len() >= FULL
    }

    /// The placements so far, to begin again.
    #[must_use]
    pub fn take(&mut self) -> Rows {
        self.flush();
        std::mem::replace(&mut self.rows, empty(&self.placements))
    }

    fn flush(&mut self) {
        fill(&self.placements, &self.waiting, None, &mut self.rows);
        self.waiting.clear();
    }

    /// The row of a game that ended, and those of its placements.
    #[must_use]
    pub fn end(&mut self, game: &GuidelineGameRow) -> [Rows; 2] {
        let mut row = empty(&self.games);
        fill(&self.games, std::slice::from_ref(game), None, &mut row);
        [row, self.take()]
    }
}

/// The tables of a run: `games.csv`, and the placements when they are logged. Columns that there are not are left
/// out; [`GuidelineLog::column_names`] refuses them.
#[must_use]
pub fn guideline_tables(log: Option<&GuidelineLog>) -> Vec<TableSpec> {
    let games = TableSpec::new("games", LogFormat::Csv, columns(&guideline_game_fields()));
    let placements = |log: &GuidelineLog| {
        let fields = chosen(&log.columns).unwrap_or_default();
        TableSpec::new("placements", log.format, columns(&fields))
    };
    [games].into_iter().chain(log.map(placements)).collect()
}
