//! The tables of a run of guideline games in their files.

use super::games::read_guideline_games;
use super::{
    GuidelineGameRow, GuidelinePlacement, GuidelineRow, guideline_game_fields,
    guideline_placement_fields,
};
use crate::error::Result;
use crate::record::blocks::Packers;
use crate::record::field::{Field, columns, fill};
use crate::record::finish::{FinishedTables, finish_tables};
use crate::record::{Column, LogFormat, OrderedLog, Rows, RunFolder, Standings, TableMark};

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

/// The open tables of a run: `games.csv`, and the placements when there is a format.
pub struct GuidelineTables {
    /// With their files' names.
    tables: Vec<(String, OrderedLog)>,
}

impl GuidelineTables {
    /// Opens the tables, or goes on with them from their marks.
    ///
    /// # Errors
    /// [`Error::Io`] when a file can't be written, [`Error::Config`] when it is not what was marked.
    pub fn open(
        folder: &RunFolder,
        format: Option<LogFormat>,
        threads: usize,
        from: Option<&Standings>,
    ) -> Result<GuidelineTables> {
        let packers = Packers::new(threads)?;
        let mut tables = Vec::new();
        for (table, format) in [("games", Some(LogFormat::Csv)), ("placements", format)] {
            let (Some(format), Some(columns)) = (format, guideline_columns(table)) else {
                continue;
            };
            let name = format!("{table}.{format}");
            let from = from.map(|from| from.table(&name)).transpose()?;
            let log = OrderedLog::open(folder, &name, (format, &columns), &packers, from, 0)?;
            tables.push((name, log));
        }
        Ok(GuidelineTables { tables })
    }

    /// Adds the rows of a game, in any order of games.
    ///
    /// # Errors
    /// [`Error::Io`] when they can't be written.
    pub fn add(&mut self, game: u64, rows: [Rows; 2]) -> Result<()> {
        for ((_, log), rows) in self.tables.iter_mut().zip(rows) {
            log.rows(game, rows)?;
            log.end(game)?;
        }
        Ok(())
    }

    /// The games that are in their table already, and the first game that is not in every table.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Config`] when the table can't be read back.
    pub fn recall(&self, folder: &RunFolder) -> Result<(Vec<GuidelineGameRow>, u64)> {
        let firsts = self.tables.iter().map(|(_, log)| log.first());
        let first = firsts.min().unwrap_or(0);
        let Some((name, _)) = self.tables.first() else { return Ok((Vec::new(), first)) };
        Ok((read_guideline_games(&folder.partial(name))?, first))
    }

    /// Puts on disk what there is, as far as blocks need not be whole; says how far that is.
    ///
    /// # Errors
    /// [`Error::Io`] when that fails.
    pub fn sync(&mut self) -> Result<Vec<TableMark>> {
        self.tables.iter_mut().map(|(name, log)| log.sync(name)).collect()
    }

    /// Finishes the files.
    ///
    /// # Errors
    /// [`Error::Io`] when not even that can be done.
    pub fn finish(self, folder: &RunFolder) -> Result<FinishedTables> {
        finish_tables(folder, self.tables)
    }
}
