//! Writer of a table's file. Rows are cut into blocks of a fixed number of rows, which are encoded
//! on all cores and written in order, so that the bytes depend on the rows alone.
//!
//! A finished table has no rows of an unfinished game. If a run stops within a game, the file is
//! truncated before the first block with rows of that game, and the block's rows of finished games
//! are written again.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use rayon::ThreadPool;
use sha2::{Digest, Sha256};

use crate::error::setting::RESUME;
use crate::prelude::*;
use crate::record::folder::open_regular;
use crate::record::formats::parquet;
use crate::threads::{all_cores, catch_panic, thread_pool};

#[derive(Clone, Debug)]
pub struct EncoderPool(Arc<ThreadPool>);

impl EncoderPool {
    /// Creates a pool of `threads` threads, at most one per core, that encode blocks of table rows.
    pub fn new(threads: usize) -> Result<EncoderPool> {
        thread_pool(threads.min(all_cores())).map(|pool| EncoderPool(Arc::new(pool)))
    }
}

/// Position in a table's file from which a run is resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Number of the file's bytes before the position.
    pub bytes: u64,
    /// Number of the table's rows before the position.
    pub rows: u64,
    /// Index of the game whose rows continue or begin at the position.
    pub game: u64,
    /// Number of rows of the game `game` before the position.
    pub of_game: u64,
}

/// Summary of a finished table file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSummary {
    /// Number of rows in the file.
    pub rows: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// SHA-256 of the file's bytes, hexadecimal.
    pub sha256: String,
    /// Descriptions of the file's columns.
    pub columns: Vec<Column>,
    /// Position to which the file was truncated because of an unfinished game, and the SHA-256 of
    /// the bytes before.
    pub truncated_at: Option<(Cursor, String)>,
}

#[derive(Debug)]
pub struct FlushedPosition {
    pub cursor: Cursor,
    pub sha256: String,
    pub file: File,
}

/// Position in a table: index of a game, and number of the game's rows before the position.
type GamePosition = (u64, u64);

struct PendingBlock {
    packed: Receiver<Result<Vec<u8>>>,
    rows: u64,
    end: GamePosition,
}

/// First block with rows of an unfinished game; a stopped run truncates the file before the block.
struct OpenGame {
    rows: u64,
    start: GamePosition,
    /// Number and SHA-256 of the bytes before the block; `None` until all these bytes are written.
    before: Option<(u64, Sha256)>,
    ended_rows: Vec<RowSlice>,
}

pub struct BlockFile {
    path: PathBuf,
    format: LogFormat,
    columns: Arc<[Column]>,
    encoders: EncoderPool,
    file: File,
    hash: Sha256,
    written: Cursor,
    pending: VecDeque<PendingBlock>,
    /// Number of the table's rows that were already divided into blocks.
    cut: u64,
    block: Vec<RowSlice>,
    block_rows: usize,
    /// Number of row slices in `block` that belong to finished games.
    ended: usize,
    open_game: Option<OpenGame>,
    block_start: GamePosition,
    added: GamePosition,
    truncated_at: Option<(Cursor, String)>,
    failed: bool,
}

impl BlockFile {
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
            BlockFile::with_file(path, file, format, columns, encoders, (start, Sha256::new()));
        file.write(&format.begin(columns)?)?;
        Ok(file)
    }

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
        // The beginning depends on the columns. A checkpoint beside a table with other columns
        // would mix two runs.
        if file.read_exact(&mut found).is_err() || found != begin {
            let path = path.display();
            let text = format!(
                "{path} has other columns than this run: resume it with the version that started \
                 it, or start a new run"
            );
            return Err(Error::Config(text));
        }
        // Bytes after the cursor were written after the checkpoint, perhaps in part. Their games
        // are played again.
        file.set_len(cursor.bytes).map_err(failed)?;
        file.seek(SeekFrom::Start(cursor.bytes)).map_err(failed)?;
        Ok(BlockFile::with_file(path, file, format, columns, encoders, (cursor, hash)))
    }

    fn with_file(
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
            block_start: (written.game, written.of_game),
            added: (written.game, written.of_game),
            truncated_at: None,
            failed: false,
        }
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub fn cursor(&self) -> Cursor {
        self.written
    }

    pub fn push(&mut self, game: u64, mut slice: RowSlice) -> Result<()> {
        if game != self.added.0 {
            self.added = (game, 0);
        }
        while self.block_rows + slice.len() >= self.format.block_rows() {
            let room = self.format.block_rows() - self.block_rows;
            // CSV blocks only limit memory: their boundaries do not affect the bytes, unlike those
            // of other formats.
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
            self.added.1 += slice.len() as u64;
            self.block_rows += slice.len();
            self.block.push(slice);
        }
    }

    pub fn end_games(&mut self, next: u64) {
        self.open_game = None;
        self.ended = self.block.len();
        self.added = (next, 0);
        if self.block.is_empty() {
            self.block_start = self.added;
            match self.pending.back_mut() {
                Some(block) => block.end = self.added,
                None => (self.written.game, self.written.of_game) = self.added,
            }
        }
    }

    fn cut_block(&mut self) -> Result<()> {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return Ok(());
        }
        // First block with rows of an unfinished game: the file is truncated here if that game
        // never ends.
        if self.ended < block.len() && self.open_game.is_none() {
            let ended_rows = block[..self.ended].to_vec();
            let before = self.pending.is_empty().then(|| self.so_far());
            self.open_game =
                Some(OpenGame { rows: self.cut, start: self.block_start, before, ended_rows });
        }
        self.block_start = self.added;
        let rows = std::mem::take(&mut self.block_rows) as u64;
        self.cut += rows;
        self.ended = 0;
        let (sender, packed) = sync_channel(1);
        let (format, columns) = (self.format, self.columns.clone());
        self.encoders.0.spawn_fifo(move || {
            // A panic on an encoder thread would end the process.
            let packed = catch_panic(|| format.pack(&columns, &block)).and_then(|packed| packed);
            drop(block);
            // The receiver is gone if the run has failed.
            let _ = sender.send(packed);
        });
        self.pending.push_back(PendingBlock { packed, rows, end: self.added });
        // One block per thread and one more may be pending: further blocks would only wait and take
        // memory.
        let most = self.encoders.0.current_num_threads() + 1;
        while self.pending.len() > most {
            self.write_next(true)?;
        }
        Ok(())
    }

    /// Writes encoded blocks to the file. If `all` is true, waits for blocks not yet encoded.
    fn write_packed(&mut self, all: bool) -> Result<()> {
        while self.write_next(all)? {}
        Ok(())
    }

    fn write_next(&mut self, wait: bool) -> Result<bool> {
        let Some(next) = self.pending.front() else { return Ok(false) };
        // Blocks are written in order, so that bytes do not depend on which thread finishes first.
        let packed = match next.packed.try_recv() {
            Err(TryRecvError::Empty) if !wait => return Ok(false),
            Err(TryRecvError::Empty) => next.packed.recv().ok(),
            received => received.ok(),
        };
        let lost =
            || Error::Config(format!("a thread that encodes rows was lost: resume with {RESUME}"));
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
            (self.written.game, self.written.of_game) = done.end;
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

    fn so_far(&self) -> (u64, Sha256) {
        (self.written.bytes, self.hash.clone())
    }

    /// Writes all added rows if the format is plain CSV. Returns the position from which the file
    /// can be continued.
    pub fn flush(&mut self) -> Result<FlushedPosition> {
        if self.format == LogFormat::Csv {
            self.cut_block()?;
            self.write_packed(true)?;
        }
        let file = self.file.try_clone().map_err(|e| Error::io("writing", &self.path, e))?;
        Ok(FlushedPosition { cursor: self.written, sha256: hexadecimal(self.hash.clone()), file })
    }

    pub fn sync(&mut self) -> Result<()> {
        let synced = self.flush()?.file.sync_data();
        synced.map_err(|e| Error::io("writing", &self.path, e))
    }

    pub fn drop_open_game(&mut self) -> Result<()> {
        self.write_packed(true)?;
        match self.open_game.take() {
            Some(OpenGame { rows, start, before: Some(before), ended_rows }) => {
                self.truncate_to_block(rows, start, before)?;
                self.block = ended_rows;
            }
            _ => self.block.truncate(self.ended),
        }
        self.ended = self.block.len();
        self.block_rows = self.block.iter().map(RowSlice::len).sum();
        Ok(())
    }

    /// Completes the file; after an error, without rows of unfinished games. Returns the file's
    /// summary, and any error that no earlier call returned.
    pub fn finish(mut self) -> Result<(FileSummary, Option<Error>)> {
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
        let truncated_at = self.truncated_at;
        Ok((FileSummary { rows, bytes, sha256, columns, truncated_at }, problem))
    }

    fn keep_ended(&mut self) -> Result<()> {
        self.pending.clear();
        self.block.clear();
        let open_game =
            self.open_game.take().filter(|open_game| open_game.rows < self.written.rows);
        let Some(OpenGame { rows, start, before: Some(before), ended_rows }) = open_game else {
            return self.truncate_to(self.written.rows, self.so_far());
        };
        self.truncate_to_block(rows, start, before)?;
        self.block_rows = ended_rows.iter().map(RowSlice::len).sum();
        self.block = ended_rows;
        self.ended = self.block.len();
        if self.finish_blocks().is_err() {
            self.pending.clear();
            self.truncate_to(self.written.rows, self.so_far())?;
        }
        Ok(())
    }

    fn finish_blocks(&mut self) -> Result<()> {
        self.cut_block()?;
        self.write_packed(true)
    }

    fn truncate_to_block(
        &mut self,
        rows: u64,
        start: GamePosition,
        before: (u64, Sha256),
    ) -> Result<()> {
        let cursor = Cursor { bytes: before.0, rows, game: start.0, of_game: start.1 };
        let sha256 = hexadecimal(before.1.clone());
        self.truncate_to(rows, before)?;
        (self.cut, self.block_start, self.added) = (rows, start, start);
        self.truncated_at = Some((cursor, sha256));
        Ok(())
    }

    fn truncate_to(&mut self, rows: u64, (bytes, hash): (u64, Sha256)) -> Result<()> {
        let file = &mut self.file;
        let done = file.set_len(bytes).and_then(|()| file.seek(SeekFrom::Start(bytes)));
        done.map_err(|e| Error::io("writing", &self.path, e))?;
        (self.written.bytes, self.written.rows, self.hash) = (bytes, rows, hash);
        Ok(())
    }
}

pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn sha256_of(path: &Path) -> Result<String> {
    hash_of(path, u64::MAX).map(|(_, hash)| hexadecimal(hash))
}

/// Returns the number and SHA-256 of the file's first `bytes` bytes, or of all if it is shorter.
pub(crate) fn hash_of(path: &Path, bytes: u64) -> Result<(u64, Sha256)> {
    let failed = |e| Error::io("reading", path, e);
    let mut hash = Sha256::new();
    let read = io::copy(&mut open_regular(path)?.take(bytes), &mut hash).map_err(failed)?;
    Ok((read, hash))
}
