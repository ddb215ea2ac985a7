//! One file written in game order, whatever order the games' rows arrive in.
//!
//! The first game that has not ended writes straight to the file. Rows of later games wait in
//! memory up to a bound and beyond it in one temporary file, so memory stays flat.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Bytes of later games' rows kept in memory.
const WAITING_BYTES: usize = 16 << 20;

/// A log in game order.
#[derive(Debug)]
pub struct OrderedLog {
    path: PathBuf,
    file: BufWriter<File>,
    /// Bytes and rows of header and complete games.
    complete: (u64, u64),
    /// Bytes and rows with those of the first game still in play.
    written: (u64, u64),
    first: u64,
    header_bytes: u64,
    waiting: BTreeMap<u64, Waiting>,
    waiting_bytes: usize,
    spill: Option<File>,
    spill_end: u64,
}

#[derive(Debug, Default)]
struct Waiting {
    chunks: Vec<Chunk>,
    rows: u64,
    ended: bool,
}

#[derive(Debug)]
enum Chunk {
    Memory(Vec<u8>),
    Spilled { start: u64, len: usize },
}

impl OrderedLog {
    /// Creates the file with its header; `first` is the first game of the run.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be written.
    pub fn create(path: &Path, header: &[u8], first: u64) -> Result<OrderedLog> {
        let file = File::create(path).map_err(|e| Error::io("writing", path, e))?;
        let mut log = OrderedLog::over(path, file, header, first, (0, 0));
        log.write(header)?;
        log.complete = log.written;
        Ok(log)
    }

    /// Opens a file to go on after its first `bytes`, which hold `rows` of the games before `first`.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be opened, [`Error::Config`] when it is shorter.
    pub fn resume(
        path: &Path,
        header: &[u8],
        first: u64,
        (bytes, rows): (u64, u64),
    ) -> Result<OrderedLog> {
        let failed = |e| Error::io("opening", path, e);
        let mut file = File::options().read(true).write(true).open(path).map_err(failed)?;
        let mut found = vec![0; header.len()];
        let length = file.metadata().map_err(failed)?.len();
        if length < bytes || file.read_exact(&mut found).is_err() || found != header {
            let path = path.display();
            let text = format!("{path} is not what the checkpoint left: start the run anew");
            return Err(Error::Config(text));
        }
        file.set_len(bytes).map_err(failed)?;
        file.seek(SeekFrom::Start(bytes)).map_err(failed)?;
        Ok(OrderedLog::over(path, file, header, first, (bytes, rows)))
    }

    /// A log over a file that holds so many bytes and rows of the games before `first`.
    fn over(path: &Path, file: File, header: &[u8], first: u64, done: (u64, u64)) -> OrderedLog {
        OrderedLog {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 18, file),
            complete: done,
            written: done,
            first,
            header_bytes: header.len() as u64,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            spill: None,
            spill_end: 0,
        }
    }

    /// Puts on disk what belongs to complete games; returns its bytes and rows.
    ///
    /// # Errors
    /// [`Error::Io`] when that fails.
    pub fn mark(&mut self) -> Result<(u64, u64)> {
        self.flush()?;
        self.file.get_ref().sync_data().map_err(|e| Error::io("writing", &self.path, e))?;
        Ok(self.complete)
    }

    /// The first game whose rows are not all in.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Size of the header.
    #[must_use]
    pub fn header_bytes(&self) -> u64 {
        self.header_bytes
    }

    /// Adds rows of a game.
    ///
    /// # Errors
    /// [`Error::Io`] when they can't be written.
    pub fn rows(&mut self, game: u64, mut bytes: Vec<u8>, rows: u64) -> Result<()> {
        if game == self.first {
            self.written.1 += rows;
            return self.write(&bytes);
        }
        let chunk = if self.waiting_bytes + bytes.len() > WAITING_BYTES {
            self.spill(&bytes)?
        } else {
            self.waiting_bytes += bytes.len();
            // A compressor's buffer is several times larger than what it holds.
            bytes.shrink_to_fit();
            Chunk::Memory(bytes)
        };
        let waiting = self.waiting.entry(game).or_default();
        waiting.chunks.push(chunk);
        waiting.rows += rows;
        Ok(())
    }

    /// Marks a game as ended.
    ///
    /// # Errors
    /// [`Error::Io`] when rows that waited for it can't be written.
    pub fn end(&mut self, game: u64) -> Result<()> {
        if game != self.first {
            self.waiting.entry(game).or_default().ended = true;
            return Ok(());
        }
        self.complete = self.written;
        self.first += 1;
        while let Some(waiting) = self.waiting.remove(&self.first) {
            let ended = waiting.ended;
            self.copy(waiting)?;
            if !ended {
                return Ok(());
            }
            self.complete = self.written;
            self.first += 1;
        }
        Ok(())
    }

    /// Writes what waits of ended games, drops rows of games that never ended, and puts the file
    /// on disk. Returns the number of rows.
    ///
    /// # Errors
    /// [`Error::Io`] when that fails.
    pub fn finish(mut self) -> Result<u64> {
        if self.written != self.complete {
            let (bytes, _) = self.complete;
            self.flush()?;
            let file = self.file.get_mut();
            file.set_len(bytes)
                .and_then(|()| file.seek(SeekFrom::Start(bytes)))
                .map_err(|e| Error::io("writing", &self.path, e))?;
            self.written = self.complete;
        }
        for (_, waiting) in std::mem::take(&mut self.waiting) {
            if waiting.ended {
                self.copy(waiting)?;
            }
        }
        self.flush()?;
        self.file.get_ref().sync_all().map_err(|e| Error::io("writing", &self.path, e))?;
        Ok(self.written.1)
    }

    fn copy(&mut self, waiting: Waiting) -> Result<()> {
        for chunk in waiting.chunks {
            match chunk {
                Chunk::Memory(bytes) => {
                    self.waiting_bytes -= bytes.len();
                    self.write(&bytes)?;
                }
                Chunk::Spilled { start, len } => {
                    let bytes = self.read_spilled(start, len)?;
                    self.write(&bytes)?;
                }
            }
        }
        self.written.1 += waiting.rows;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written.0 += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|e| Error::io("writing", &self.path, e))
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(|e| Error::io("writing", &self.path, e))
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

    /// Works at a place of the temporary file. That is made on first use in the log's own folder;
    /// it has no name and vanishes with the process.
    fn at_spilled(
        &mut self,
        start: u64,
        work: impl FnOnce(&mut File) -> std::io::Result<()>,
    ) -> Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let made = match self.spill.take() {
            Some(file) => Ok(file),
            None => tempfile::tempfile_in(folder),
        };
        let done = made.and_then(|mut file| {
            file.seek(SeekFrom::Start(start))?;
            work(&mut file)?;
            Ok(file)
        });
        self.spill = Some(done.map_err(|e| Error::io("writing beside", &self.path, e))?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(folder: &Path) -> OrderedLog {
        OrderedLog::create(&folder.join("log.csv"), b"head\n", 0).unwrap()
    }

    fn text(folder: &Path) -> String {
        std::fs::read_to_string(folder.join("log.csv")).unwrap()
    }

    #[test]
    fn rows_come_out_in_game_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path());
        log.rows(2, b"2a\n".to_vec(), 1).unwrap();
        log.rows(0, b"0a\n".to_vec(), 1).unwrap();
        log.rows(1, b"1a\n".to_vec(), 1).unwrap();
        log.end(2).unwrap();
        log.rows(0, b"0b\n".to_vec(), 1).unwrap();
        log.end(0).unwrap();
        log.rows(1, b"1b\n".to_vec(), 1).unwrap();
        log.end(1).unwrap();
        assert_eq!(log.finish().unwrap(), 5);
        assert_eq!(text(folder.path()), "head\n0a\n0b\n1a\n1b\n2a\n");
    }

    #[test]
    fn games_that_never_ended_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path());
        log.rows(0, b"0a\n".to_vec(), 1).unwrap();
        log.rows(1, b"1a\n".to_vec(), 1).unwrap();
        log.rows(2, b"2a\n".to_vec(), 1).unwrap();
        log.end(1).unwrap();
        assert_eq!(log.finish().unwrap(), 1);
        assert_eq!(text(folder.path()), "head\n1a\n");
    }

    #[test]
    fn rows_beyond_the_bound_wait_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = log(folder.path());
        let mut expected = b"head\nfirst\n".to_vec();
        for game in 1..4u8 {
            let bytes = vec![b'0' + game; WAITING_BYTES / 2 + 1];
            expected.extend(&bytes);
            log.rows(u64::from(game), bytes, 1).unwrap();
            log.end(u64::from(game)).unwrap();
        }
        assert!(log.spill.is_some() && log.waiting_bytes <= WAITING_BYTES);
        log.rows(0, b"first\n".to_vec(), 1).unwrap();
        log.end(0).unwrap();
        assert_eq!(log.finish().unwrap(), 4);
        assert!(std::fs::read(folder.path().join("log.csv")).unwrap() == expected);
    }
}
