//! The tables of a run, written as its events arrive.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Checkpoint, Event, Snapshot};
use crate::error::{Error, Result, quoted};
use crate::record::{
    Column, ConfigEntry, EndReason, FinishedTables, GameEncoder, GameRow, Lifetime, LogFormat,
    LogTable, Logs, Manifest, OrderedLog, Packers, ResumePoint, RunFolder, Settled, Standings,
    Status, TableMark, VERSION, finish_tables, settings,
};
use crate::threads::{Beside, beside};

/// The file of the games.
const GAMES: &str = "games.csv";

/// Open tables.
pub struct RunTables {
    folder: PathBuf,
    games: OrderedLog,
    encoder: GameEncoder,
    /// With their file names.
    logs: BTreeMap<LogTable, (String, OrderedLog)>,
    lifetimes: Vec<(u64, Lifetime)>,
    ended: u64,
    pieces: u64,
    lines: u64,
    /// The games in play, as last seen.
    playing: BTreeMap<u64, Snapshot>,
    checkpoint: Checkpoint,
    checkpointed: Instant,
    /// A checkpoint that another thread writes.
    writing: Option<Beside<Result<()>>>,
    every: Duration,
    /// A game was interrupted: the checkpoint before it is the last.
    stopped: bool,
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
    /// Opens the tables of a run under their partial names, from its beginning or, after the
    /// checkpoint `from`, from there. `first` is the first game to play; a checkpoint is written
    /// `every` so often; `threads` pack the rows.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when a file can't be written, [`crate::error::Error::Config`]
    /// when a table is not what the checkpoint left.
    pub fn open(
        folder: &RunFolder,
        logs: &Logs,
        config: ConfigEntry,
        first: u64,
        from: Option<&Checkpoint>,
        every: Duration,
        threads: usize,
    ) -> Result<RunTables> {
        let packers = Packers::new(threads)?;
        let standings = from.map(|from| Standings::of(folder, &from.tables)).transpose()?;
        let open = |name: &str, format: LogFormat, columns: &[Column]| {
            let from = standings.as_ref().map(|from| from.table(name)).transpose()?;
            OrderedLog::open(folder, name, (format, columns), &packers, from, first)
        };
        let encoder = GameEncoder::default();
        let games = open(GAMES, LogFormat::Csv, &encoder.columns())?;
        let mut opened = BTreeMap::new();
        for table in LogTable::ALL {
            if let Some(columns) = logs.columns(table) {
                let name = format!("{}.{}", table.name(), logs.format);
                let log = open(&name, logs.format, &columns)?;
                opened.insert(table, (name, log));
            }
        }
        let mut tables = RunTables {
            folder: folder.path().to_owned(),
            games,
            encoder,
            logs: opened,
            lifetimes: Vec::new(),
            ended: 0,
            pieces: 0,
            lines: 0,
            playing: BTreeMap::new(),
            checkpoint: Checkpoint {
                version: VERSION.to_owned(),
                settings: settings(),
                config,
                first,
                tables: Vec::new(),
                games: Vec::new(),
            },
            checkpointed: Instant::now(),
            writing: None,
            every,
            stopped: false,
        };
        if from.is_some() {
            tables.recall(&folder.partial(GAMES))?;
        }
        tables.write_checkpoint(true)?;
        Ok(tables)
    }

    /// Reads back the results of the games before the checkpoint.
    fn recall(&mut self, games: &Path) -> Result<()> {
        let text = std::fs::read_to_string(games).map_err(|e| Error::io("reading", games, e))?;
        let columns = self.encoder.columns();
        let place = |name: &str| columns.iter().position(|other| other.name == name).unwrap_or(0);
        let (game, pieces, lines) = (place("game"), place("pieces"), place("lines"));
        let censored = place("censored");
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |place: usize| cells.get(place).and_then(|cell| cell.parse::<u64>().ok());
            let read = (number(game), number(pieces), number(lines), cells.get(censored));
            let (Some(game), Some(pieces), Some(lines), Some(censored)) = read else {
                let (path, line) = (games.display(), quoted(line));
                let text = format!("{path}: '{line}' is no game: start the run anew");
                return Err(Error::Config(text));
            };
            let lifetime = Lifetime { lines, censored: *censored == "TRUE" };
            self.lifetimes.push((game, lifetime));
            self.ended += 1;
            self.pieces = self.pieces.saturating_add(pieces);
            self.lines = self.lines.saturating_add(lines);
        }
        Ok(())
    }

    /// Writes a checkpoint on another thread, once the files are on disk as far as it says; playing
    /// does not wait for the disk. The one before is waited for, or, if `wait` is not set, kept
    /// instead while it is not done.
    fn write_checkpoint(&mut self, wait: bool) -> Result<()> {
        if !wait && self.writing.as_ref().is_some_and(|writing| !writing.is_done()) {
            return Ok(());
        }
        self.wait_for_checkpoint()?;
        let games = [(GAMES, &mut self.games)];
        let logs = self.logs.values_mut().map(|(name, log)| (&**name, log));
        let mut files = Vec::new();
        self.checkpoint.tables.clear();
        for (name, log) in games.into_iter().chain(logs) {
            let Settled { mark, sha256, file } = log.settle()?;
            self.checkpoint.tables.push(TableMark { name: name.to_owned(), mark, sha256 });
            files.push((self.folder.join(name), file));
        }
        let first = self.checkpoint.tables.iter().map(|table| table.mark.game).min();
        self.checkpoint.first = first.unwrap_or(self.checkpoint.first);
        self.checkpoint.games = self.playing.values().cloned().collect();
        self.checkpointed = Instant::now();
        let (checkpoint, folder) = (self.checkpoint.clone(), self.folder.clone());
        self.writing = Some(beside(move || {
            for (path, file) in files {
                file.sync_data().map_err(|e| Error::io("writing", path, e))?;
            }
            checkpoint.write(&folder)
        }));
        if wait { self.wait_for_checkpoint() } else { Ok(()) }
    }

    fn wait_for_checkpoint(&mut self) -> Result<()> {
        self.writing.take().map_or(Ok(()), |writing| writing.join().and_then(|written| written))
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
        let interrupts = |row: &GameRow| row.end_reason == EndReason::Interrupted;
        let stops = matches!(&event, Event::Ended(row) if interrupts(row));
        if !self.stopped && (stops || self.checkpointed.elapsed() >= self.every) {
            self.write_checkpoint(stops)?;
            self.stopped = stops;
        }
        match event {
            Event::Sample(_) => {}
            Event::Snapshot(game) => {
                self.playing.insert(game.row.game, *game);
            }
            Event::Rows { table, game, rows } => {
                if let Some((_, log)) = self.logs.get_mut(&table) {
                    log.rows(game, rows)?;
                }
            }
            Event::Ended(row) => {
                self.playing.remove(&row.game);
                self.count(&row)?;
                for (_, log) in self.logs.values_mut() {
                    log.end(row.game)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a game that ended, unless it is there already and was played again for its placements.
    fn count(&mut self, row: &GameRow) -> Result<()> {
        if row.game < self.games.first() {
            return Ok(());
        }
        self.games.rows(row.game, self.encoder.rows(row))?;
        self.games.end(row.game)?;
        self.ended += u64::from(row.end_reason != EndReason::Interrupted);
        self.pieces += row.pieces;
        self.lines += row.lines;
        self.lifetimes.push((row.game, row.lifetime()));
        Ok(())
    }

    /// Finishes the tables and writes `run.json`, completed with what they hold.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when a file can't be finished.
    pub fn finish(mut self, folder: &RunFolder, mut manifest: Manifest) -> Result<FinishedRun> {
        // What failed is said by the tables, or there was no room for a newer checkpoint.
        let _ = self.wait_for_checkpoint();
        let games = (GAMES.to_owned(), self.games);
        let FinishedTables { files, problem, taken_back } =
            finish_tables(folder, self.logs.into_values().chain([games]))?;
        manifest.files = files;
        if let (Some(problem), false) = (problem, matches!(manifest.status, Status::Failed(_))) {
            manifest.status = Status::Failed(problem.to_string());
        }
        // What failed first was shortened first, which may have made room for the games.
        manifest.files.rotate_right(1);
        self.lifetimes.sort_by_key(|(game, _)| *game);
        manifest.games = self.lifetimes.len() as u64;
        manifest.pieces = self.pieces;
        manifest.lines = self.lines;
        manifest.publish(folder)?;
        Checkpoint::settle(folder.path(), manifest.status == Status::Complete, &taken_back);
        let kept = manifest.files.iter().map(|file| file.name.clone());
        let described = ["run.json", "datapackage.json"].map(str::to_owned);
        folder.remove_others(&kept.chain(described).collect::<Vec<_>>());
        let lifetimes = self.lifetimes.into_iter().map(|(_, lifetime)| lifetime).collect();
        Ok(FinishedRun { manifest, lifetimes })
    }
}
