//! The tables of a run, written as its events arrive.

use std::collections::BTreeMap;

use super::field::{Field, header};
use super::games::games_fields;
use super::{
    EndReason, FileEntry, GameRow, Lifetime, LogTable, Logs, Manifest, OrderedLog, RunFolder,
};
use crate::error::Result;
use crate::sim::Event;

const GAMES: &str = "games.csv";

/// Open tables.
pub struct RunTables {
    games: OrderedLog,
    fields: Vec<Field<GameRow>>,
    /// With their file names.
    logs: BTreeMap<LogTable, (String, OrderedLog)>,
    lifetimes: Vec<(u64, Lifetime)>,
    ended: u64,
    pieces: u64,
    lines: u64,
}

/// What a run left.
#[derive(Debug)]
pub struct FinishedRun {
    /// `run.json` as written.
    pub manifest: Manifest,
    /// Lines of each game that ended, in order of the games.
    pub lifetimes: Vec<Lifetime>,
}

impl RunTables {
    /// Opens the tables of a run, whose first game is `first`, under their partial names.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when a file can't be written.
    pub fn open(folder: &RunFolder, logs: &Logs, first: u64) -> Result<RunTables> {
        let games = OrderedLog::create(&folder.partial(GAMES), &header(&games_fields()), first)?;
        let mut open = BTreeMap::new();
        for table in LogTable::ALL {
            if let Some(header) = logs.header(table) {
                let name = format!("{}.{}", table.name(), logs.format);
                let header = logs.format.pack(header);
                let log = OrderedLog::create(&folder.partial(&name), &header, first)?;
                open.insert(table, (name, log));
            }
        }
        Ok(RunTables {
            games,
            fields: games_fields(),
            logs: open,
            lifetimes: Vec::new(),
            ended: 0,
            pieces: 0,
            lines: 0,
        })
    }

    /// Games that came to their end or limit, so that there is something to keep.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// Writes an event; the sample is for eyes, not for a table.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when a row can't be written.
    pub fn write(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Sample(_) => {}
            Event::Rows { table, game, bytes, rows } => {
                if let Some((_, log)) = self.logs.get_mut(&table) {
                    log.rows(game, bytes, rows)?;
                }
            }
            Event::Ended(row) => {
                let mut line = Vec::new();
                super::field::row(&self.fields, &*row, &mut line);
                self.games.rows(row.game, line, 1)?;
                self.games.end(row.game)?;
                for (_, log) in self.logs.values_mut() {
                    log.end(row.game)?;
                }
                self.ended += u64::from(row.end_reason != EndReason::Interrupted);
                self.pieces += row.pieces;
                self.lines += row.lines;
                self.lifetimes.push((row.game, row.lifetime()));
            }
        }
        Ok(())
    }

    /// Finishes the tables and writes `run.json`, completed with what they hold.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when a file can't be finished.
    pub fn finish(mut self, folder: &RunFolder, mut manifest: Manifest) -> Result<FinishedRun> {
        let games = (GAMES.to_owned(), self.games);
        for (name, log) in [games].into_iter().chain(self.logs.into_values()) {
            let header_bytes = log.header_bytes();
            let rows = log.finish()?;
            manifest.files.push(FileEntry::of(&folder.finish(&name)?, rows, header_bytes)?);
        }
        self.lifetimes.sort_by_key(|(game, _)| *game);
        manifest.games = self.lifetimes.len() as u64;
        manifest.pieces = self.pieces;
        manifest.lines = self.lines;
        manifest.write(&folder.partial("run.json"))?;
        folder.finish("run.json")?;
        let kept = manifest.files.iter().map(|file| file.name.clone());
        folder.remove_others(&kept.chain(["run.json".to_owned()]).collect::<Vec<_>>());
        let lifetimes = self.lifetimes.into_iter().map(|(_, lifetime)| lifetime).collect();
        Ok(FinishedRun { manifest, lifetimes })
    }
}
