//! Tables read back from any format, and copied to another.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::verify::sound;
use super::{
    BlockFile, Column, Copying, FileEntry, Finished, LogFormat, LogTable, Manifest, Packers, Piece,
    ResumePoint, Rows, RunFolder, columns_of, csv, parquet,
};
use crate::error::{Error, Result};

/// Rows of a CSV table that are read at once.
const PIECE: usize = 1 << 12;

/// Reads a table of a run in any format, in pieces; its file is named as runs name them.
///
/// # Errors
/// [`Error::Unknown`] or [`Error::Config`] when it is no such table, [`Error::Io`] when it can't be
/// read, and what `take` returns.
pub fn read_table(path: &Path, take: impl FnMut(&[Column], Rows) -> Result<()>) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let format = LogFormat::of_file(&name)?;
    let table = name.split('.').next().unwrap_or_default();
    let columns = |names: &[String]| columns_of(table, names);
    match format {
        LogFormat::Parquet => parquet::read(path, columns, take),
        _ => csv::read(&path.to_string_lossy(), unpacked(path, format)?, columns, PIECE, take),
    }
}

/// The text of a CSV table.
pub(super) fn unpacked(path: &Path, format: LogFormat) -> Result<Box<dyn Read>> {
    let failed = |e| Error::io("reading", path, e);
    let file = File::open(path).map_err(failed)?;
    Ok(match format {
        LogFormat::CsvGz => Box::new(MultiGzDecoder::new(file)),
        LogFormat::CsvZst => Box::new(zstd::stream::Decoder::new(file).map_err(failed)?),
        LogFormat::Csv | LogFormat::Parquet => Box::new(file),
    })
}

/// Copies tables of the same columns, end to end, to a file in any format; the bytes are those
/// that a run would have written.
///
/// # Errors
/// [`Error::Config`] when there are none or their columns differ, and as [`read_table`].
pub fn copy_tables(from: &[PathBuf], to: &Path, format: LogFormat) -> Result<Finished> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let packers = Packers::new(threads)?;
    let mut file: Option<BlockFile> = None;
    for path in from {
        read_table(path, |columns, rows| {
            let file = match &mut file {
                Some(file) => file,
                None => file.insert(BlockFile::create(to, format, columns, &packers, 0)?),
            };
            if file.columns() != columns {
                let path = path.display();
                let text = format!("{path} has other columns: copy it to a file of its own");
                return Err(Error::Config(text));
            }
            file.push(0, Piece::new(rows))
        })?;
    }
    let Some(mut file) = file else {
        return Err(Error::Config("no tables: name their files".to_owned()));
    };
    file.end_games(1);
    match file.finish()? {
        (finished, None) => Ok(finished),
        (_, Some(problem)) => Err(problem),
    }
}

/// Writes a table as CSV lines to anything.
///
/// # Errors
/// As [`read_table`]; [`Error::Io`] when it can't be written.
pub fn print_table(from: &Path, mut to: impl Write) -> Result<()> {
    let mut begun = false;
    read_table(from, |columns, rows| {
        let mut lines = if begun { Vec::new() } else { csv::header(columns) };
        begun = true;
        csv::write(columns, &Piece::new(rows), &mut lines);
        to.write_all(&lines).map_err(|e| Error::io("writing", "stdout", e))
    })
}

/// A run folder that is to be copied with its logs in another format.
#[derive(Debug)]
pub struct Conversion {
    /// The files of the run, in the order of the copy's.
    originals: Vec<PathBuf>,
    /// What the copy will be described by; its files are not written yet.
    copy: Manifest,
}

impl Conversion {
    /// Looks at the run.
    ///
    /// # Errors
    /// [`Error::Config`] when it is damaged, or of a game whose folders are not converted.
    pub fn new(from: &Path, format: LogFormat) -> Result<Conversion> {
        let mut copy = sound(from)?;
        let originals = copy.files.iter().map(|file| from.join(&file.name)).collect();
        for entry in &mut copy.files {
            let logged = LogTable::ALL.iter().any(|log| log.name() == entry.table());
            let format = if logged { format } else { LogFormat::Csv };
            entry.name = format!("{}.{format}", entry.table());
        }
        Ok(Conversion { originals, copy })
    }

    /// What the copy will be described by, as far as that is known before.
    #[must_use]
    pub fn copy(&self) -> &Manifest {
        &self.copy
    }

    /// Writes the copy.
    ///
    /// # Errors
    /// As [`copy_tables`].
    pub fn write(self, to: &RunFolder) -> Result<Manifest> {
        let Conversion { originals, mut copy } = self;
        Copying::of(&copy).write(to.path())?;
        for (entry, path) in copy.files.iter_mut().zip(originals) {
            let format = LogFormat::of_file(&entry.name)?;
            let finished = copy_tables(&[path], &to.partial(&entry.name), format)?;
            to.finish(&entry.name)?;
            *entry = FileEntry::new(entry.name.clone(), finished);
        }
        copy.publish(to)?;
        Copying::settle(to.path(), true, &[]);
        Ok(copy)
    }
}
