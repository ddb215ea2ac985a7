//! Table that is written in game order, in whichever order the games' rows arrive.
//!
//! Rows of the first unfinished game go directly to the file's blocks. Rows of later games wait in
//! memory, and above a limit in a temporary file, so memory use is bounded.

use std::io::{Read, Seek, SeekFrom, Write};

use crate::prelude::*;
use crate::record::formats::blocks::{BlockFile, EncoderPool, FileSummary, FlushedPosition};
use crate::record::logs::{PartialTable, SinkLog};
use crate::record::{RowSink, TableCursor};

const WAITING_BYTES: usize = 32 << 20;

pub struct OrderedLog {
    name: String,
    folder: PathBuf,
    target: Target,
    first: u64,
    /// Number of rows of game `first` that the log file already has after a resume.
    known: u64,
    waiting: BTreeMap<u64, Waiting>,
    waiting_bytes: usize,
    spill: Option<File>,
    spill_end: u64,
}

enum Target {
    File(Box<BlockFile>),
    Sink(SinkLog),
}

#[derive(Default)]
struct Waiting {
    chunks: Vec<Chunk>,
    ended: bool,
}

enum Chunk {
    Memory(Rows),
    Spilled { start: u64, len: usize },
}

impl OrderedLog {
    pub fn new(name: &str, path: &Path, file: BlockFile) -> OrderedLog {
        let cursor = file.cursor();
        let folder = path.parent().unwrap_or(Path::new("."));
        let log = OrderedLog::with_target(Target::File(Box::new(file)), name, folder, cursor.game);
        OrderedLog { known: cursor.of_game, ..log }
    }

    fn with_target(target: Target, name: &str, folder: &Path, first: u64) -> OrderedLog {
        OrderedLog {
            name: name.to_owned(),
            folder: folder.to_owned(),
            target,
            first,
            known: 0,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            spill: None,
            spill_end: 0,
        }
    }

    pub(crate) fn to_sink(
        folder: &Path,
        table: &TableSpec,
        sink: RowSink,
        first: u64,
    ) -> OrderedLog {
        let name = table.file.split('.').next().unwrap_or_default();
        let target = Target::Sink(SinkLog::new(sink, name, &table.columns));
        OrderedLog::with_target(target, &table.file, folder, first)
    }

    pub fn open(
        folder: &RunFolder,
        name: &str,
        (format, columns): (LogFormat, &[Column]),
        encoders: &EncoderPool,
        from: Option<&PartialTable>,
        first: u64,
    ) -> Result<OrderedLog> {
        let path = folder.partial(name);
        let file = match from {
            None => BlockFile::create(&path, format, columns, encoders, first)?,
            Some(partial) => partial.resume(folder, name, (format, columns), encoders)?,
        };
        Ok(OrderedLog::new(name, &path, file))
    }

    pub fn sync(&mut self) -> Result<()> {
        match &mut self.target {
            Target::File(file) => file.sync(),
            Target::Sink(_) => Ok(()),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes rows as [`BlockFile::flush`] does, and returns the written position with the file to
    /// sync; `None` if there is no file.
    pub fn flush(&mut self) -> Result<Option<(TableCursor, (String, File))>> {
        let Target::File(file) = &mut self.target else { return Ok(None) };
        let FlushedPosition { cursor, sha256, file } = file.flush()?;
        let name = self.name.clone();
        Ok(Some((TableCursor { name, cursor, sha256 }, (self.name.clone(), file))))
    }

    pub fn rows(&mut self, game: u64, rows: Rows) -> Result<()> {
        if game < self.first || rows.is_empty() {
            return Ok(());
        }
        if game == self.first {
            return self.write(rows);
        }
        let size = rows.size();
        let chunk = if self.waiting_bytes + size > WAITING_BYTES {
            self.spill(&rows.to_bytes())?
        } else {
            self.waiting_bytes += size;
            Chunk::Memory(rows)
        };
        self.waiting.entry(game).or_default().chunks.push(chunk);
        Ok(())
    }

    pub fn end(&mut self, game: u64) -> Result<()> {
        if game < self.first {
            return Ok(());
        }
        if game != self.first {
            self.waiting.entry(game).or_default().ended = true;
            return Ok(());
        }
        self.advance(game);
        while let Some(waiting) = self.waiting.remove(&self.first) {
            let ended = waiting.ended;
            self.write_waiting(waiting)?;
            if !ended {
                break;
            }
            self.advance(self.first);
        }
        Ok(())
    }

    fn advance(&mut self, game: u64) {
        self.first = game + 1;
        self.known = 0;
        if let Target::File(file) = &mut self.target {
            file.end_games(self.first);
        }
    }

    /// Completes the log without rows of unfinished games. Returns the file's summary, if there is
    /// a file, and any error that lost rows.
    pub fn finish(mut self) -> Result<(Option<FileSummary>, Option<Error>)> {
        let problem = self.finish_rows().err();
        match self.target {
            Target::File(file) => {
                let (finished, other) = file.finish()?;
                Ok((Some(finished), problem.or(other)))
            }
            Target::Sink(mut log) => Ok((None, problem.or(log.flush().err()))),
        }
    }

    fn finish_rows(&mut self) -> Result<()> {
        if let Target::File(file) = &mut self.target {
            file.drop_open_game()?;
        }
        for (game, waiting) in std::mem::take(&mut self.waiting) {
            if waiting.ended {
                self.first = game;
                self.write_waiting(waiting)?;
                self.advance(game);
            }
        }
        Ok(())
    }

    fn write_waiting(&mut self, waiting: Waiting) -> Result<()> {
        for chunk in waiting.chunks {
            let rows = match chunk {
                Chunk::Memory(rows) => {
                    self.waiting_bytes -= rows.size();
                    rows
                }
                Chunk::Spilled { start, len } => {
                    let bytes = self.read_spilled(start, len)?;
                    let columns = match &self.target {
                        Target::File(file) => file.columns(),
                        Target::Sink(log) => log.columns(),
                    };
                    Rows::from_bytes(columns, &bytes)
                }
            };
            self.write(rows)?;
        }
        Ok(())
    }

    fn write(&mut self, rows: Rows) -> Result<()> {
        let mut slice = RowSlice::new(rows);
        // A resumed run replays rows that the file already has; they are skipped here.
        self.known -= slice.take(self.known as usize).len() as u64;
        match &mut self.target {
            Target::File(file) => file.push(self.first, slice),
            Target::Sink(log) => log.push(slice),
        }
    }

    fn spill(&mut self, bytes: &[u8]) -> Result<Chunk> {
        let start = self.spill_end;
        self.at_spilled(start, |file| file.write_all(bytes))?;
        self.spill_end += bytes.len() as u64;
        Ok(Chunk::Spilled { start, len: bytes.len() })
    }

    fn read_spilled(&mut self, start: u64, len: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.at_spilled(start, |file| file.read_exact(&mut bytes))?;
        Ok(bytes)
    }

    fn at_spilled(
        &mut self,
        start: u64,
        work: impl FnOnce(&mut File) -> std::io::Result<()>,
    ) -> Result<()> {
        let made = match self.spill.take() {
            Some(file) => Ok(file),
            None => tempfile::tempfile_in(&self.folder),
        };
        let done = made.and_then(|mut file| {
            file.seek(SeekFrom::Start(start))?;
            work(&mut file)?;
            Ok(file)
        });
        self.spill = Some(done.map_err(|e| Error::io("writing beside", &self.folder, e))?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::formats::blocks::hash_of;
    use crate::record::{Column, ColumnType, ColumnValues, EncoderPool, LogFormat};

    fn columns() -> Vec<Column> {
        ["game", "row"].map(|name| Column::new(name, ColumnType::Count, "-", "")).to_vec()
    }

    fn rows(game: u64, range: std::ops::Range<u64>) -> Rows {
        let games = range.clone().map(|_| game as i64).collect();
        Rows {
            columns: vec![
                ColumnValues::Count(games),
                ColumnValues::Count(range.map(|n| n as i64).collect()),
            ],
        }
    }

    fn path(folder: &tempfile::TempDir, format: LogFormat) -> PathBuf {
        folder.path().join(format!("log.{format}"))
    }

    fn create(path: &Path, format: LogFormat, threads: usize) -> OrderedLog {
        let encoders = EncoderPool::new(threads).unwrap();
        let file = BlockFile::create(path, format, &columns(), &encoders, 0).unwrap();
        OrderedLog::new("log", path, file)
    }

    fn length(format: LogFormat, game: u64) -> u64 {
        format.block_rows() as u64 * [3, 0, 11, 4, 25][game as usize % 5] / 10 + game
    }

    fn play(log: &mut OrderedLog, format: LogFormat, first: u64, lanes: &[u64]) {
        let piece = format.block_rows() as u64 / 7;
        for round in 0.. {
            let mut playing = false;
            for &game in lanes.iter().filter(|&&game| game >= first) {
                let (from, length) = (round * piece, length(format, game));
                if from <= length {
                    playing = true;
                    log.rows(game, rows(game, from..length.min(from + piece))).unwrap();
                    if from + piece > length {
                        log.end(game).unwrap();
                    }
                }
            }
            if !playing {
                return;
            }
        }
    }

    fn straight(format: LogFormat) -> (Vec<u8>, FileSummary) {
        let folder = tempfile::tempdir().unwrap();
        let path = path(&folder, format);
        let mut log = create(&path, format, 1);
        play(&mut log, format, 0, &[0, 1, 2, 3, 4]);
        let (finished, problem) = log.finish().unwrap();
        assert!(problem.is_none());
        (std::fs::read(path).unwrap(), finished.unwrap())
    }

    #[test]
    fn rows_come_out_in_game_order_whatever_the_order_they_came_in() {
        for format in LogFormat::ALL {
            let (bytes, finished) = straight(format);
            assert_eq!(finished.rows, (0..5).map(|game| length(format, game)).sum::<u64>());
            assert_eq!(finished.bytes, bytes.len() as u64);
            for (threads, lanes) in [(2, [4, 3, 2, 1, 0]), (3, [2, 0, 4, 1, 3])] {
                let folder = tempfile::tempdir().unwrap();
                let path = path(&folder, format);
                let mut log = create(&path, format, threads);
                play(&mut log, format, 0, &lanes);
                assert_eq!(log.finish().unwrap().0.unwrap(), finished, "{format} {lanes:?}");
                assert!(std::fs::read(&path).unwrap() == bytes, "{format} {lanes:?}");
            }
        }
    }

    #[test]
    fn a_table_goes_on_from_any_mark() {
        for format in LogFormat::ALL {
            let (bytes, finished) = straight(format);
            let folder = tempfile::tempdir().unwrap();
            let path = path(&folder, format);
            let mut log = create(&path, format, 2);
            let mut cursors = vec![log.flush().unwrap().unwrap().0.cursor];
            for game in 0..5 {
                play(&mut log, format, game, &[game]);
                cursors.push(log.flush().unwrap().unwrap().0.cursor);
            }
            // After a kill, everything after the cursor is lost or half-written.
            drop(log);
            assert!(cursors.windows(2).any(|pair| pair[0] != pair[1]));
            for cursor in cursors.into_iter().rev() {
                let encoders = EncoderPool::new(2).unwrap();
                let (_, hash) = hash_of(&path, cursor.bytes).unwrap();
                let from = (cursor, hash);
                let file = BlockFile::resume(&path, format, &columns(), &encoders, from).unwrap();
                let mut log = OrderedLog::new("log", &path, file);
                play(&mut log, format, cursor.game, &[0, 1, 2, 3, 4]);
                assert_eq!(log.finish().unwrap().0.unwrap(), finished, "{format} {cursor:?}");
                assert!(std::fs::read(&path).unwrap() == bytes, "{format} {cursor:?}");
            }
        }
    }

    #[test]
    fn games_that_never_ended_leave_nothing() {
        for format in LogFormat::ALL {
            let contents = |unfinished: bool| {
                let folder = tempfile::tempdir().unwrap();
                let path = path(&folder, format);
                let mut log = create(&path, format, 2);
                play(&mut log, format, 0, &[0, 1]);
                if unfinished {
                    let many = 3 * format.block_rows() as u64;
                    log.rows(2, rows(2, 0..many)).unwrap();
                    log.rows(2, rows(2, many..2 * many)).unwrap();
                    log.rows(4, rows(4, 0..10)).unwrap();
                }
                play(&mut log, format, 3, &[3]);
                let (finished, problem) = log.finish().unwrap();
                assert!(problem.is_none());
                assert_eq!(
                    finished.unwrap().rows,
                    [0, 1, 3].map(|game| length(format, game)).iter().sum::<u64>()
                );
                std::fs::read(path).unwrap()
            };
            assert!(contents(true) == contents(false), "{format}");
        }
    }

    #[test]
    fn rows_beyond_the_bound_wait_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(&folder, LogFormat::Csv);
        let mut log = create(&path, LogFormat::Csv, 1);
        let half = WAITING_BYTES as u64 / 32 + 1;
        for game in 1..4 {
            log.rows(game, rows(game, 0..half)).unwrap();
            log.end(game).unwrap();
        }
        assert!(log.spill.is_some() && log.waiting_bytes <= WAITING_BYTES);
        log.rows(0, rows(0, 0..1)).unwrap();
        log.end(0).unwrap();
        assert_eq!(log.finish().unwrap().0.unwrap().rows, 3 * half + 1);
        let text = std::fs::read_to_string(path).unwrap();
        let expected = (0..1)
            .map(|row| (0, row))
            .chain((1..4).flat_map(|game| (0..half).map(move |row| (game, row))));
        assert!(text.lines().skip(1).eq(expected.map(|(game, row)| format!("{game},{row}"))));
    }
}
