//! Logs of a run: their settings, the selection of placements, and their files or receivers. A log
//! is a table that grows in game order while games are played: placements or candidates.
//! Frozen: bytes

pub(crate) mod ordered;

use std::fmt;

use serde_json::Value;
use sha2::Sha256;

use crate::error::setting::{FROM, SAMPLE_GAMES, TO};
use crate::prelude::*;
use crate::record::folder::checkpoint::restart_advice;
use crate::record::folder::exists;
use crate::record::formats::blocks::{BlockFile, hash_of, hexadecimal};
use crate::record::{Cursor, EncoderPool, read_manifest};

use self::ordered::OrderedLog;

/// Settings of a run's logs: tables of chosen placements and of all possible placements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogSettings {
    /// File format of the logged tables.
    pub format: LogFormat,
    /// True if the selected placements are logged.
    pub placements: bool,
    /// True if all possible placements (candidates) at each selected decision are logged too.
    pub candidates: bool,
    /// Columns that are logged of each placement. Board features among these columns are also
    /// logged of possible placements.
    pub columns: Columns,
    /// Selection of the placements to be logged.
    pub selection: Selection,
    /// Condition number and common columns of a study's Parquet logs; `None` outside a study.
    #[serde(skip)]
    pub study: Option<Box<StudyTables>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StudyTables {
    pub condition: u64,
    pub columns: [Vec<Column>; 2],
}

impl LogSettings {
    /// Creates settings that log `columns` of all placements, and no candidates.
    #[must_use]
    pub fn new(format: LogFormat, columns: Columns) -> LogSettings {
        let selection = Selection::default();
        LogSettings { format, placements: true, candidates: false, columns, selection, study: None }
    }

    /// Returns the file names of the logged tables, in the order of `LogTable::ALL`.
    pub fn files(&self) -> impl Iterator<Item = String> {
        let tables = LogTable::ALL.into_iter().zip([self.placements, self.candidates]);
        tables
            .filter(|(_, is_logged)| *is_logged)
            .map(|(table, _)| TableSpec::name(table.name(), self.format))
    }
}

tetrastat_core::names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum LogTable {
        Placements = "placements",
        Candidates = "candidates",
    }
}

pub(crate) fn all_columns(tables: impl IntoIterator<Item = Vec<Column>>) -> Vec<Column> {
    let mut all: Vec<Column> = Vec::new();
    for column in tables.into_iter().flatten() {
        if all.iter().all(|known| known.name != column.name) {
            all.push(column);
        }
    }
    all
}

#[derive(Clone, Debug)]
pub struct PartialTable {
    pub(super) cursor: TableCursor,
    hash: Sha256,
}

/// Position in a table's file at which a run resumed from a checkpoint continues to write.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableCursor {
    /// File name of the table, without the suffix of unfinished files.
    pub name: String,
    /// Position in the table's file, in bytes, rows and games.
    #[serde(flatten)]
    pub cursor: Cursor,
    /// SHA-256 of the file's bytes before the position, hexadecimal.
    pub sha256: String,
}

impl PartialTable {
    pub fn check(folder: &RunFolder, cursor: &TableCursor) -> Result<PartialTable> {
        let path = folder.current(&cursor.name)?;
        let damaged = |what: &str| {
            let (path, remedy) = (path.display(), restart_advice(folder.path()));
            Err(Error::Config(format!("{path} {what}: {remedy}")))
        };
        if !exists(&path)? {
            return damaged("is missing, but the checkpoint needs it");
        }
        let (read, hash) = hash_of(&path, cursor.cursor.bytes)?;
        if read < cursor.cursor.bytes || hexadecimal(hash.clone()) != cursor.sha256 {
            return damaged("does not match its checksum in the checkpoint");
        }
        Ok(PartialTable { cursor: cursor.clone(), hash })
    }

    pub(crate) fn resume(
        &self,
        folder: &RunFolder,
        name: &str,
        (format, columns): (LogFormat, &[Column]),
        encoders: &EncoderPool,
    ) -> Result<BlockFile> {
        folder.reopen(name)?;
        let from = (self.cursor.cursor, self.hash.clone());
        BlockFile::resume(&folder.partial(name), format, columns, encoders, from)
    }
}

/// Number of a log's rows passed to a receiver in one call; the last call may have fewer.
const ROWS_AT_ONCE: usize = 1 << 16;

type TakeRows = dyn Fn(&str, &Arc<[Column]>, Rows) -> Result<()> + Send + Sync;

/// Function that receives the rows of a run's logs, which are then not written to files. A slow
/// function delays the run.
#[derive(Clone)]
pub struct RowSink(Arc<TakeRows>);

impl fmt::Debug for RowSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowSink")
    }
}

impl RowSink {
    /// Creates a receiver that calls `take` with the name of a log, its columns and its next rows.
    pub fn new(
        take: impl Fn(&str, &Arc<[Column]>, Rows) -> Result<()> + Send + Sync + 'static,
    ) -> RowSink {
        RowSink(Arc::new(take))
    }
}

pub(super) struct SinkLog {
    sink: RowSink,
    name: String,
    columns: Arc<[Column]>,
    rows: Rows,
}

impl SinkLog {
    pub(super) fn new(sink: RowSink, name: &str, columns: &[Column]) -> SinkLog {
        SinkLog { sink, name: name.to_owned(), columns: columns.into(), rows: Rows::new(columns) }
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(super) fn push(&mut self, mut slice: RowSlice) -> Result<()> {
        while !slice.is_empty() {
            let next = slice.take(ROWS_AT_ONCE - self.rows.len());
            self.rows.extend(&next.rows, next.range);
            if self.rows.len() == ROWS_AT_ONCE {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Passes the collected rows, possibly none, and their columns to the receiver.
    pub(super) fn flush(&mut self) -> Result<()> {
        let empty = Rows::with_room(&*self.columns, ROWS_AT_ONCE);
        let rows = std::mem::replace(&mut self.rows, empty);
        (self.sink.0)(&self.name, &self.columns, rows)
    }
}

/// Log file of one run of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyLog {
    /// Path of the log file.
    pub path: PathBuf,
    /// Name of the logged table: `placements` or `candidates`.
    pub table: &'static str,
    /// Name of the controller that played the logged games.
    pub controller: String,
    /// Name of the run's folder inside the study's folder.
    pub condition: String,
}

/// Returns the log files in the run folders of the study `study`, sorted by folder.
pub fn study_logs(study: &Path) -> Result<Vec<StudyLog>> {
    let failed = |e| Error::io("reading", study, e);
    let entries = std::fs::read_dir(study).map_err(failed)?;
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(failed))
        .collect::<Result<_>>()?;
    folders.retain(|folder| folder.join("run.json").is_file());
    folders.sort();
    let mut logs = Vec::new();
    for folder in folders {
        let manifest: Value = read_manifest(&folder.join("run.json"))?;
        let controller = manifest["config"]["controller"]["name"].as_str().unwrap_or("unnamed");
        for table in LogTable::ALL.map(LogTable::name) {
            let paths = LogFormat::ALL.map(|format| folder.join(format!("{table}.{format}")));
            logs.extend(paths.into_iter().find(|path| path.is_file()).map(|path| StudyLog {
                path,
                table,
                controller: controller.to_owned(),
                condition: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            }));
        }
    }
    Ok(logs)
}

/// Specification of a table's file that a run writes.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// Name of the table's file.
    pub file: String,
    /// Format of the table's file.
    pub format: LogFormat,
    /// Columns of the table.
    pub columns: Vec<Column>,
}

impl TableSpec {
    /// Creates the specification of a file for the table named `table`.
    #[must_use]
    pub fn new(table: &str, format: LogFormat, columns: Vec<Column>) -> TableSpec {
        TableSpec { file: TableSpec::name(table, format), format, columns }
    }

    /// Returns the file name of a table in a format, such as `games.csv`.
    #[must_use]
    pub fn name(table: &str, format: LogFormat) -> String {
        format!("{table}.{format}")
    }
}

/// Creates the files of `tables`, or continues existing files at the positions `from` of a
/// checkpoint. `first` is the first game's index.
pub fn open_tables(
    folder: &RunFolder,
    tables: Vec<TableSpec>,
    threads: usize,
    from: Option<&[TableCursor]>,
    first: u64,
) -> Result<Vec<OrderedLog>> {
    let encoders = EncoderPool::new(threads)?;
    // All tables are checked before one is changed.
    let check = |cursor: &TableCursor| PartialTable::check(folder, cursor);
    let checked: Result<Vec<_>> = from.unwrap_or_default().iter().map(check).collect();
    let checked = checked?;
    let partial_table = |file: &str| {
        let found = checked.iter().find(|table| table.cursor.name == file);
        found.ok_or_else(|| {
            Error::Config(format!("the checkpoint has no table {file}: start a new run"))
        })
    };
    let open = |TableSpec { file, format, columns }: TableSpec| {
        folder.refuse_folder(&file)?;
        let from = from.map(|_| partial_table(&file)).transpose()?;
        OrderedLog::open(folder, &file, (format, &columns), &encoders, from, first)
    };
    tables.into_iter().map(open).collect()
}

/// Selection of the placements that a run logs; a placement must satisfy every field.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Selection {
    /// Interval between logged placements of a game: one in `every` is logged.
    pub every: u64,
    /// Number of the first placement of a game that may be logged, from 1.
    pub from: u64,
    /// Number of the last placement of a game that may be logged; `None` for no limit.
    pub to: Option<u64>,
    /// Number of placements at the end of a game that may be logged; `None` for all.
    pub only_last: Option<u64>,
    /// Share of games, drawn at random, with logged placements, 0 to 1.
    pub sample_games: f64,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection { every: 1, from: 1, to: None, only_last: None, sample_games: 1.0 }
    }
}

impl Selection {
    /// Checks that the values of the selection lie in their ranges.
    pub fn validate(&self) -> Result<()> {
        let fail = |text: String| Err(Error::Config(text));
        if !(0.0..=1.0).contains(&self.sample_games) {
            return fail(format!("{SAMPLE_GAMES} {}: give a share from 0 to 1", self.sample_games));
        }
        match self.to {
            Some(to) if to < self.from => {
                fail(format!("{FROM} {} is greater than {TO} {to}: exchange them", self.from))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if `every`, `from` and `to` select the placement number `piece_no` of a game.
    #[must_use]
    pub fn keeps(&self, piece_no: u64) -> bool {
        piece_no >= self.from
            && self.to.is_none_or(|to| piece_no <= to)
            // Most runs keep all placements, and a division per piece would cost time.
            && (self.every == 1 || piece_no.is_multiple_of(self.every))
    }

    /// Returns true if placements of game `game` in the run with seed `run_seed` are logged.
    #[must_use]
    pub fn keeps_game(&self, run_seed: u64, game: u64) -> bool {
        // The draw depends only on the game's number, not on the player or on other games.
        let draw = || Stream::new(run_seed, Purpose::SampleGames, game).below(u32::MAX);
        self.sample_games >= 1.0 || f64::from(draw()) < self.sample_games * f64::from(u32::MAX)
    }

    /// Returns the selection for a finished game of `pieces` placements, with `from` set as
    /// `only_last` requires.
    #[must_use]
    pub fn for_length(&self, pieces: u64) -> Selection {
        let first = self.only_last.map_or(1, |last| pieces.saturating_sub(last) + 1);
        Selection { from: self.from.max(first), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_combine() {
        let selection = Selection { every: 2, from: 3, to: Some(9), ..Selection::default() };
        let kept: Vec<u64> = (1..=12).filter(|&n| selection.keeps(n)).collect();
        assert_eq!(kept, [4, 6, 8]);
        let last = Selection { only_last: Some(3), ..Selection::default() }.for_length(10);
        assert_eq!((1..=10).filter(|&n| last.keeps(n)).collect::<Vec<u64>>(), [8, 9, 10]);
        assert!(Selection { from: 5, to: Some(4), ..selection }.validate().is_err());
        assert!(Selection { sample_games: f64::NAN, ..selection }.validate().is_err());
    }

    /// Tests the share 1/4 of 2,000 games: mean 500, standard deviation 19.4, bounds at 5 standard
    /// deviations.
    #[test]
    fn a_share_of_the_games_is_kept() {
        let quarter = Selection { sample_games: 0.25, ..Selection::default() };
        let kept = (0..2000).filter(|&game| quarter.keeps_game(7, game)).count();
        assert!((403..=597).contains(&kept), "{kept}");
        assert!((0..2000).all(|game| Selection::default().keeps_game(7, game)));
        let none = Selection { sample_games: 0.0, ..Selection::default() };
        assert!((0..2000).all(|game| !none.keeps_game(7, game)));
    }
}
