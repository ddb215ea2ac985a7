//! Tables read back from any format, and copied to another.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::setting::{COLUMNS, WHERE};
use crate::error::{Error, Result};
use crate::record::folder::data_package::resources;
use crate::record::folder::verify::sound;
use crate::record::formats::blocks::sha256_of;
use crate::record::formats::old_names::current_names;
use crate::record::formats::{csv, parquet};
use crate::record::{
    BlockFile, Column, ColumnType, Copying, EncoderPool, Extract, FileEntry, Finished, LogFormat,
    ResumePoint, RowSlice, Rows, RunFolder, TableFile, read_manifest, write_manifest,
};
use crate::threads::all_cores;

/// Reads a table of a run in any format, in pieces; its file is named as runs name them.
///
/// # Errors
/// [`Error::Unknown`] or [`Error::Config`] when it is no such table, [`Error::Io`] when it can't be
/// read, and what `take` returns.
pub fn read_table(path: &Path, take: impl FnMut(&[Column], Rows) -> Result<()>) -> Result<()> {
    TableFile::finished(path).read(take)
}

/// Reads what is meant of a table, in pieces; its columns are those that are kept.
///
/// # Errors
/// As [`read_table`]; [`Error::Unknown`] or [`Error::Config`] when the table lacks what is named.
pub fn read_extract(
    path: &Path,
    extract: &Extract,
    take: impl FnMut(&[Column], Rows) -> Result<()>,
) -> Result<()> {
    TableFile::finished(path).extract(extract, take)
}

/// Copies tables of the same columns, end to end, to a file in any format; the bytes are those
/// that a run would have written.
///
/// # Errors
/// [`Error::Config`] when there are none or their columns differ, and as [`read_table`].
pub fn copy_tables(from: &[PathBuf], to: &Path, format: LogFormat) -> Result<Finished> {
    extract_tables(from, to, format, &Extract::default())
}

/// Copies what is meant of a table to a file in any format. A Parquet file that is `described` says itself what its
/// columns mean.
///
/// # Errors
/// As [`copy_tables`]; [`Error::Unknown`] or [`Error::Config`] when the table lacks what is named.
pub fn extract_table(
    from: &Path,
    to: &Path,
    format: LogFormat,
    extract: &Extract,
    described: bool,
) -> Result<Finished> {
    let mut finished = extract_tables(&[from.to_owned()], to, format, extract)?;
    if described && format == LogFormat::Parquet {
        parquet::describe(to, &finished.columns)?;
        finished.bytes = std::fs::metadata(to).map_err(|e| Error::io("reading", to, e))?.len();
        finished.sha256 = sha256_of(to)?;
    }
    Ok(finished)
}

fn extract_tables(
    from: &[PathBuf],
    to: &Path,
    format: LogFormat,
    extract: &Extract,
) -> Result<Finished> {
    let threads = all_cores();
    let encoders = EncoderPool::new(threads)?;
    let mut file: Option<BlockFile> = None;
    for path in from {
        read_extract(path, extract, |columns, rows| {
            let file = match &mut file {
                Some(file) => file,
                None => file.insert(BlockFile::create(to, format, columns, &encoders, 0)?),
            };
            if file.columns() != columns {
                let path = path.display();
                let text = format!("{path} has other columns: copy it to a file of its own");
                return Err(Error::Config(text));
            }
            // All as rows of one game: where games end makes no difference to a table that is written from
            // front to back.
            file.push(0, RowSlice::new(rows))
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

/// Writes what is meant of a table as CSV lines to anything.
///
/// # Errors
/// As [`read_table`]; [`Error::Io`] when it can't be written.
pub fn print_table(from: &Path, extract: &Extract, mut to: impl Write) -> Result<()> {
    let mut begun = false;
    read_extract(from, extract, |columns, rows| {
        let mut lines = if begun { Vec::new() } else { csv::header(columns) };
        begun = true;
        csv::write(columns, &RowSlice::new(rows), &mut lines);
        to.write_all(&lines).map_err(|e| Error::io("writing", "stdout", e))
    })
}

/// The tables that are CSV in every run, whatever the format of its logs.
const ALWAYS_CSV: [&str; 2] = ["games", "matches"];

/// A run folder of any game that is to be copied with its logs in another format.
#[derive(Debug)]
pub struct Conversion {
    /// The files of the run, in the order of the copy's.
    originals: Vec<PathBuf>,
    /// Those of the copy, which are not written yet.
    files: Vec<String>,
    /// What of the logs is copied.
    extract: Extract,
    /// `run.json` and `datapackage.json` of the run.
    manifest: Value,
    package: Value,
}

impl Conversion {
    /// Looks at the run, of whose logs `extract` is copied. Logs without a column that it names, and the table of games,
    /// are copied whole.
    ///
    /// # Errors
    /// [`Error::Config`] when it is damaged, the folder holds something else, or no log has the columns.
    pub fn new(from: &Path, format: LogFormat, extract: Extract) -> Result<Conversion> {
        let mut manifest: Value = sound(from)?;
        let recorded: Vec<FileEntry> = read_entries(from, &manifest)?;
        if let Some(file) = recorded.iter().find(|file| file.table() == "placements")
            && let Ok(names) =
                serde_json::from_value::<Vec<String>>(manifest["config"]["columns"].clone())
        {
            let path = from.join(&file.name);
            manifest["config"]["columns"] = json!(current_names(&path, file.table(), &names)?);
        }
        let originals = recorded.iter().map(|file| from.join(&file.name)).collect();
        let name = |file: &FileEntry| match ALWAYS_CSV.contains(&file.table()) {
            true => format!("{}.{}", file.table(), LogFormat::Csv),
            false => format!("{}.{format}", file.table()),
        };
        let files = recorded.iter().map(name).collect();
        // Where a configuration says the format, it says that of the copy.
        if let Some(log) = manifest["config"].get_mut("log").filter(|log| log.is_string()) {
            *log = json!(format.to_string());
        }
        if !extract.is_all() {
            let fits = |file: &&FileEntry| is_log(file.table()) && extract.fits(&named(file));
            if recorded.iter().find(fits).is_none() {
                let text = format!(
                    "no log of the run has all the columns of {COLUMNS} and {WHERE}: see the header of each"
                );
                return Err(Error::Config(text));
            }
            manifest["config"]["extract"] = extract.entry();
        }
        let package = read_manifest(&from.join("datapackage.json"))?;
        Ok(Conversion { originals, files, extract, manifest, package })
    }

    /// What the copy's `run.json` says is played.
    #[must_use]
    pub fn config(&self) -> &Value {
        &self.manifest["config"]
    }

    /// The files of the copy.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// What is copied of a table: all of one that is no log, or lacks a column that is named.
    fn extract_of(&self, path: &Path) -> Result<Extract> {
        let entries = read_entries(path.parent().unwrap_or(path), &self.manifest)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let entry = entries.iter().find(|file| file.name == name);
        let fits =
            entry.is_some_and(|file| is_log(file.table()) && self.extract.fits(&named(file)));
        Ok(if fits { self.extract.clone() } else { Extract::default() })
    }

    /// Writes the copy.
    ///
    /// # Errors
    /// As [`copy_tables`].
    pub fn write(mut self, to: &RunFolder) -> Result<()> {
        Copying::begin(to, self.config(), &self.files)?;
        let mut entries = Vec::new();
        for (name, path) in self.files.iter().zip(&self.originals) {
            let format = LogFormat::of_file(name)?;
            let extract = self.extract_of(path)?;
            let finished = extract_table(path, &to.partial(name), format, &extract, false)?;
            to.finish(name)?;
            entries.push(FileEntry::new(name.clone(), finished));
        }
        self.package["resources"] = resources(&entries);
        self.manifest["files"] = json!(entries);
        write_manifest(to, "run.json", &self.manifest, Some(&self.package))?;
        Copying::settle(to.path(), true, &[]);
        Ok(())
    }
}

/// Whether a table is one of the logs, which may be in any format.
fn is_log(table: &str) -> bool {
    !ALWAYS_CSV.contains(&table)
}

/// The columns of a file by their names alone.
fn named(file: &FileEntry) -> Vec<Column> {
    file.columns.iter().map(|name| Column::new(name, ColumnType::Text, "-", "")).collect()
}

fn read_entries(folder: &Path, manifest: &Value) -> Result<Vec<FileEntry>> {
    let damaged = |error| {
        let path = folder.join("run.json");
        Error::Config(format!("{}: {error}: restore it from a copy", path.display()))
    };
    let mut entries: Vec<FileEntry> =
        serde_json::from_value(manifest["files"].clone()).map_err(damaged)?;
    for entry in &mut entries {
        entry.columns = current_names(&folder.join(&entry.name), entry.table(), &entry.columns)?;
    }
    Ok(entries)
}
