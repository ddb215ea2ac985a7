//! One table's file: rows go in, blocks of a fixed number of rows are packed on all cores and
//! written in order, so the bytes depend on the rows alone.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::setting::RESUME;
use crate::error::{Error, Result};
use crate::record::folder::listed::open_regular;
use crate::record::formats::parquet;
use crate::record::{Column, LogFormat, RowSlice, TableCursor};
use crate::threads::{all_cores, caught, thread_pool};

/// The threads that encode blocks of rows.
#[derive(Clone, Debug)]
pub struct EncoderPool(Arc<ThreadPool>);

impl EncoderPool {
    /// Starts `threads` encoders, but at most one per core. Encoding never waits, so that more threads would only take
    /// memory.
    ///
    /// # Errors
    /// [`Error::Config`] when they can't be started.
    pub fn new(threads: usize) -> Result<EncoderPool> {
        thread_pool(threads.min(all_cores())).map(|pool| EncoderPool(Arc::new(pool)))
    }
}

/// How far a table's file has come: where a resumed run goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Bytes of the file.
    pub bytes: u64,
    /// Rows in them.
    pub rows: u64,
    /// The first game that has rows still to come.
    pub game: u64,
    /// Rows of it that are in.
    pub of_game: u64,
}

/// What a finished file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, hexadecimal.
    pub sha256: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Where the file goes on when rows of a game that never ended were taken back: what follows may be of
    /// later games. With the SHA-256 of the bytes before it.
    pub taken_back: Option<(Cursor, String)>,
}

/// How far a table's file has come, to be written in a checkpoint.
#[derive(Debug)]
pub struct Settled {
    /// How far that is.
    pub cursor: Cursor,
    /// SHA-256 of the file's bytes up to there, hexadecimal.
    pub sha256: String,
    /// A handle to put it on disk.
    pub file: File,
}

/// A block on its way to the file.
struct PendingBlock {
    packed: Receiver<Result<Vec<u8>>>,
    rows: u64,
    /// The game after its last row, and how many rows of that are in.
    then: (u64, u64),
}

/// The block in which the rows of a game begin that has not ended.
///
/// A game that never ends leaves nothing in its table: if the run fails while it is played, the file is cut off
/// before this block, and the rows of games that ended, which the block has too, are written again.
struct OpenGame {
    /// Rows before the block.
    rows: u64,
    /// The game after those, and how many rows of it they hold.
    from: (u64, u64),
    /// The file's bytes before it, and their hash, once they are known.
    before: Option<(u64, Sha256)>,
    /// Its rows of games that have ended.
    kept: Vec<RowSlice>,
}

/// A table's file, written block by block.
///
/// ```text
/// rows ->  block (filling)  ->  pending (packed on other threads, in order)  ->  file
///          from ... last        then: where each ends                     written: how far it is
/// ```
pub struct BlockFile {
    path: PathBuf,
    format: LogFormat,
    columns: Arc<[Column]>,
    encoders: EncoderPool,
    file: File,
    /// Of all bytes written.
    hash: Sha256,
    written: Cursor,
    pending: VecDeque<PendingBlock>,
    /// Rows cut into blocks.
    cut: u64,
    /// The block to come, each slice of one game.
    block: Vec<RowSlice>,
    block_rows: usize,
    /// Of `block`, the pieces of games that have ended.
    ended: usize,
    open_game: Option<OpenGame>,
    /// The game after the rows that were cut into blocks, and how many rows of it they hold.
    from: (u64, u64),
    /// The game of the last row, and its number in that.
    last: (u64, u64),
    /// Where the file goes on after rows were taken back.
    taken_back: Option<(Cursor, String)>,
    failed: bool,
}

impl BlockFile {
    /// Creates a file; `first` is the first game of the run.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be written.
    pub fn create(
        path: &Path,
        format: LogFormat,
        columns: &[Column],
        encoders: &EncoderPool,
        first: u64,
    ) -> Result<BlockFile> {
        let file = File::create(path).map_err(|e| Error::io("writing", path, e))?;
        let start = Cursor { game: first, ..Cursor::default() };
        let mut file =
            BlockFile::over(path, file, format, columns, encoders, (start, Sha256::new()));
        file.write(&format.begin(columns)?)?;
        Ok(file)
    }

    /// Opens a file to go on from a cursor; `hash` is that of the bytes before it.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be opened, [`Error::Config`] when its columns are not these.
    pub fn resume(
        path: &Path,
        format: LogFormat,
        columns: &[Column],
        encoders: &EncoderPool,
        (cursor, hash): (Cursor, Sha256),
    ) -> Result<BlockFile> {
        let failed = |e| Error::io("opening", path, e);
        let mut file = File::options().read(true).write(true).open(path).map_err(failed)?;
        let begin = format.begin(columns)?;
        let mut found = vec![0; begin.len()];
        // What a table of these columns begins with: a checkpoint that lies beside a table of other columns
        // would mix two runs.
        if file.read_exact(&mut found).is_err() || found != begin {
            let path = path.display();
            let text = format!(
                "{path} has other columns than this run: continue it with the version that began it, or start the run anew"
            );
            return Err(Error::Config(text));
        }
        // What follows the cursor was written after the checkpoint, perhaps in part, and its games are played
        // again.
        file.set_len(cursor.bytes).map_err(failed)?;
        file.seek(SeekFrom::Start(cursor.bytes)).map_err(failed)?;
        Ok(BlockFile::over(path, file, format, columns, encoders, (cursor, hash)))
    }

    fn over(
        path: &Path,
        file: File,
        format: LogFormat,
        columns: &[Column],
        encoders: &EncoderPool,
        (written, hash): (Cursor, Sha256),
    ) -> BlockFile {
        BlockFile {
            path: path.to_owned(),
            format,
            columns: columns.into(),
            encoders: encoders.clone(),
            file,
            hash,
            written,
            pending: VecDeque::new(),
            cut: written.rows,
            block: Vec::new(),
            block_rows: 0,
            ended: 0,
            open_game: None,
            from: (written.game, written.of_game),
            last: (written.game, written.of_game),
            taken_back: None,
            failed: false,
        }
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How far the file has come.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        self.written
    }

    /// Adds rows of one game; games come in order.
    ///
    /// # Errors
    /// [`Error::Io`] when a block can't be written.
    pub fn push(&mut self, game: u64, mut slice: RowSlice) -> Result<()> {
        if game != self.last.0 {
            self.last = (game, 0);
        }
        while self.block_rows + slice.len() >= self.format.block_rows() {
            let room = self.format.block_rows() - self.block_rows;
            // Blocks of CSV only bound memory: joined, their bytes do not depend on where they are cut, as
            // those of others do.
            let whole = self.format == LogFormat::Csv;
            let part = slice.take(if whole { slice.len() } else { room });
            self.add(part);
            self.cut_block()?;
        }
        self.add(slice);
        self.write_packed(false)
    }

    fn add(&mut self, slice: RowSlice) {
        if !slice.is_empty() {
            self.last.1 += slice.len() as u64;
            self.block_rows += slice.len();
            self.block.push(slice);
        }
    }

    /// Says that all rows so far are of games that have ended, `next` being the next game.
    pub fn end_games(&mut self, next: u64) {
        self.open_game = None;
        self.ended = self.block.len();
        self.last = (next, 0);
        if self.block.is_empty() {
            self.from = self.last;
            match self.pending.back_mut() {
                Some(block) => block.then = self.last,
                None => (self.written.game, self.written.of_game) = self.last,
            }
        }
    }

    /// Sends the block to be packed.
    fn cut_block(&mut self) -> Result<()> {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return Ok(());
        }
        // The first block with rows of a game that has not ended: where the file is cut off if it never does.
        if self.ended < block.len() && self.open_game.is_none() {
            let kept = block[..self.ended].to_vec();
            let before = self.pending.is_empty().then(|| self.so_far());
            self.open_game = Some(OpenGame { rows: self.cut, from: self.from, before, kept });
        }
        self.from = self.last;
        let rows = std::mem::take(&mut self.block_rows) as u64;
        self.cut += rows;
        self.ended = 0;
        let (sender, packed) = sync_channel(1);
        let (format, columns) = (self.format, self.columns.clone());
        self.encoders.0.spawn_fifo(move || {
            // A panic would end the process there.
            let packed = caught(|| format.pack(&columns, &block)).and_then(|packed| packed);
            drop(block);
            // Nobody waits for it when the run has failed.
            let _ = sender.send(packed);
        });
        self.pending.push_back(PendingBlock { packed, rows, then: self.last });
        // One for each thread and one to come, since more blocks would only wait and take memory.
        let most = self.encoders.0.current_num_threads() + 1;
        while self.pending.len() > most {
            self.write_next(true)?;
        }
        Ok(())
    }

    /// Writes the blocks that are packed, or all.
    fn write_packed(&mut self, all: bool) -> Result<()> {
        while self.write_next(all)? {}
        Ok(())
    }

    /// Writes the next block, if it is packed or `wait` is set; whether it did.
    fn write_next(&mut self, wait: bool) -> Result<bool> {
        let Some(next) = self.pending.front() else { return Ok(false) };
        // In order, so that bytes do not depend on which thread is done first: a later block waits for this
        // one.
        let packed = match next.packed.try_recv() {
            Err(TryRecvError::Empty) if !wait => return Ok(false),
            Err(TryRecvError::Empty) => next.packed.recv().ok(),
            received => received.ok(),
        };
        let lost =
            || Error::Config(format!("a thread that packs rows was lost: go on with {RESUME}"));
        let packed = packed
            .ok_or_else(lost)
            .and_then(|packed| packed)
            .inspect_err(|_| self.failed = true)?;
        let so_far = self.so_far();
        if let Some(open_game) = &mut self.open_game
            && open_game.rows == self.written.rows
        {
            open_game.before = Some(so_far);
        }
        self.write(&packed)?;
        if let Some(done) = self.pending.pop_front() {
            self.written.rows += done.rows;
            (self.written.game, self.written.of_game) = done.then;
        }
        Ok(true)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| {
            self.failed = true;
            Error::io("writing", &self.path, e)
        })?;
        self.written.bytes += bytes.len() as u64;
        self.hash.update(bytes);
        Ok(())
    }

    /// The bytes that are written, and their hash.
    fn so_far(&self) -> (u64, Sha256) {
        (self.written.bytes, self.hash.clone())
    }

    /// Writes what there is, as far as blocks need not be whole. Says how far the file has come
    /// once it is on disk, and gives a handle to put it there.
    ///
    /// # Errors
    /// [`Error::Io`] when that fails.
    pub fn settle(&mut self) -> Result<Settled> {
        if self.format == LogFormat::Csv {
            self.cut_block()?;
            self.write_packed(true)?;
        }
        let file = self.file.try_clone().map_err(|e| Error::io("writing", &self.path, e))?;
        Ok(Settled { cursor: self.written, sha256: hexadecimal(self.hash.clone()), file })
    }

    /// Puts on disk what there is, as far as blocks need not be whole; says how far that is, for a
    /// table of this name.
    ///
    /// # Errors
    /// [`Error::Io`] when that fails.
    pub fn sync(&mut self, name: &str) -> Result<TableCursor> {
        let Settled { cursor, sha256, file } = self.settle()?;
        file.sync_data().map_err(|e| Error::io("writing", &self.path, e))?;
        Ok(TableCursor { name: name.to_owned(), cursor, sha256 })
    }

    /// Drops the rows of the last game, which never ended.
    ///
    /// # Errors
    /// [`Error::Io`] when that fails.
    pub fn drop_open_game(&mut self) -> Result<()> {
        self.write_packed(true)?;
        match self.open_game.take() {
            Some(OpenGame { rows, from, before: Some(before), kept }) => {
                self.take_back_to(rows, from, before)?;
                self.block = kept;
            }
            _ => self.block.truncate(self.ended),
        }
        self.ended = self.block.len();
        self.block_rows = self.block.iter().map(RowSlice::len).sum();
        Ok(())
    }

    /// Writes the rest and puts the file on disk. After an error the file keeps the rows of games that
    /// ended, as far as they were written. Says what it holds, and what kept it from holding more.
    ///
    /// # Errors
    /// [`Error::Io`] when not even that can be done.
    pub fn finish(mut self) -> Result<(Finished, Option<Error>)> {
        let problem = if self.failed { None } else { self.finish_blocks().err() };
        if self.failed {
            self.keep_ended()?;
        }
        if self.format == LogFormat::Parquet {
            let reader = File::open(&self.path).map_err(|e| Error::io("reading", &self.path, e))?;
            let bytes = self.written.bytes;
            let footer = parquet::footer(&self.path, &reader, &self.columns, bytes)?;
            self.write(&footer)?;
        }
        self.file.sync_all().map_err(|e| Error::io("writing", &self.path, e))?;
        let sha256 = hexadecimal(self.hash);
        let columns = self.columns.to_vec();
        let Cursor { bytes, rows, .. } = self.written;
        let taken_back = self.taken_back;
        Ok((Finished { rows, bytes, sha256, columns, taken_back }, problem))
    }

    /// After an error: takes back the rows of a game that never ended, and puts those of games that ended
    /// where they were.
    fn keep_ended(&mut self) -> Result<()> {
        self.pending.clear();
        self.block.clear();
        let open_game =
            self.open_game.take().filter(|open_game| open_game.rows < self.written.rows);
        let Some(OpenGame { rows, from, before: Some(before), kept }) = open_game else {
            return self.take_back(self.written.rows, self.so_far());
        };
        self.take_back_to(rows, from, before)?;
        self.block_rows = kept.iter().map(RowSlice::len).sum();
        self.block = kept;
        self.ended = self.block.len();
        if self.finish_blocks().is_err() {
            self.pending.clear();
            self.take_back(self.written.rows, self.so_far())?;
        }
        Ok(())
    }

    fn finish_blocks(&mut self) -> Result<()> {
        self.cut_block()?;
        self.write_packed(true)
    }

    /// Shortens the file to what it was at the beginning of a block, from where it can go on: after so
    /// many rows, with a game of which so many rows were in.
    fn take_back_to(&mut self, rows: u64, from: (u64, u64), before: (u64, Sha256)) -> Result<()> {
        let cursor = Cursor { bytes: before.0, rows, game: from.0, of_game: from.1 };
        let sha256 = hexadecimal(before.1.clone());
        self.take_back(rows, before)?;
        (self.cut, self.from, self.last) = (rows, from, from);
        self.taken_back = Some((cursor, sha256));
        Ok(())
    }

    /// Shortens the file to what it was.
    fn take_back(&mut self, rows: u64, (bytes, hash): (u64, Sha256)) -> Result<()> {
        let file = &mut self.file;
        let done = file.set_len(bytes).and_then(|()| file.seek(SeekFrom::Start(bytes)));
        done.map_err(|e| Error::io("writing", &self.path, e))?;
        (self.written.bytes, self.written.rows, self.hash) = (bytes, rows, hash);
        Ok(())
    }
}

/// The digits of a finished hash.
pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of a file's bytes, hexadecimal.
pub(crate) fn sha256_of(path: &Path) -> Result<String> {
    hash_of(path, u64::MAX).map(|(_, hash)| hexadecimal(hash))
}

/// The first so many bytes of a file, or all if there are fewer: how many there are, and their hash.
pub(crate) fn hash_of(path: &Path, bytes: u64) -> Result<(u64, Sha256)> {
    let failed = |e| Error::io("reading", path, e);
    let mut hash = Sha256::new();
    let read = io::copy(&mut open_regular(path)?.take(bytes), &mut hash).map_err(failed)?;
    Ok((read, hash))
}
