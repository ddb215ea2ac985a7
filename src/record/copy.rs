//! Tables read back from any format, and copied to another.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::verify::sound;
use super::{
    BlockFile, Column, FileEntry, Finished, LogFormat, LogTable, Manifest, Packers, Piece, Rows,
    RunFolder, columns_of, csv, parquet,
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

/// Copies a run folder with its logs in another format.
///
/// # Errors
/// [`Error::Config`] when the run is damaged, and as [`copy_tables`].
pub fn convert_run(from: &Path, to: &RunFolder, format: LogFormat) -> Result<Manifest> {
    let mut manifest = sound(from)?;
    for entry in &mut manifest.files {
        let table = entry.name.split('.').next().unwrap_or_default();
        let logged = LogTable::ALL.iter().any(|log| log.name() == table);
        let (format, path) = (if logged { format } else { LogFormat::Csv }, from.join(&entry.name));
        let name = format!("{table}.{format}");
        let finished = copy_tables(&[path], &to.partial(&name), format)?;
        to.finish(&name)?;
        *entry = FileEntry::new(name, finished);
    }
    manifest.publish(to)?;
    Ok(manifest)
}
