//! Conversion of tables and run folders to other formats, completely or as an extract.

use std::io::Write;
use std::slice::from_ref;

use serde_json::Value;

use crate::error::setting::{COLUMNS, WHERE};
use crate::prelude::*;
use crate::record::folder::data_package::resources;
use crate::record::folder::verify::read_verified_manifest;
use crate::record::formats::csv;
use crate::record::{
    BlockFile, Checkpoint, CopyState, EncoderPool, Extract, FileSummary, TableFile, read_manifest,
    write_manifest,
};
use crate::threads::all_cores;

/// Passes the columns and all rows of a run's table, in any format, to `take` in chunks.
pub fn read_table(path: &Path, take: impl FnMut(&[Column], Rows) -> Result<()>) -> Result<()> {
    TableFile::finished(path).read(take)
}

/// Passes the rows and columns of a run's table that `extract` selects to `take`, in chunks.
pub fn read_extract(
    path: &Path,
    extract: &Extract,
    take: impl FnMut(&[Column], Rows) -> Result<()>,
) -> Result<()> {
    TableFile::finished(path).extract(extract, take)
}

/// Joins the selected rows of several tables with equal columns into one table, the file `to`.
pub fn copy_tables(
    from: &[PathBuf],
    to: &Path,
    format: LogFormat,
    extract: &Extract,
) -> Result<FileSummary> {
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
            // All rows count as one game: the ends of games do not matter for a table written from
            // start to end.
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

/// Writes the rows and columns of a table that `extract` selects to `to`, as CSV with a header.
pub fn print_table(from: &Path, extract: &Extract, mut to: impl Write) -> Result<()> {
    let mut begun = false;
    read_extract(from, extract, |columns, rows| {
        let mut lines = if begun { Vec::new() } else { csv::header(columns) };
        begun = true;
        csv::write(columns, &RowSlice::new(rows), &mut lines);
        to.write_all(&lines).map_err(|e| Error::io("writing", "stdout", e))
    })
}

const ALWAYS_CSV: [&str; 2] = ["games", "matches"];

/// Conversion of a run's folder into a copy whose logs have another format.
#[derive(Debug)]
pub struct Conversion {
    originals: Vec<PathBuf>,
    files: Vec<String>,
    extract: Extract,
    manifest: Value,
    package: Value,
}

impl Conversion {
    /// Checks the run in `from` and prepares a copy with logs in `format`, reduced to the rows and
    /// columns of `extract`.
    pub fn new(from: &Path, format: LogFormat, extract: Extract) -> Result<Conversion> {
        let mut manifest: Value = read_verified_manifest(from, &|_| true)?;
        let recorded: Vec<FileEntry> = read_entries(from, &manifest)?;
        let originals = recorded.iter().map(|file| from.join(&file.name)).collect();
        let name = |file: &FileEntry| match ALWAYS_CSV.contains(&file.table()) {
            true => format!("{}.{}", file.table(), LogFormat::Csv),
            false => format!("{}.{format}", file.table()),
        };
        let files = recorded.iter().map(name).collect();
        // A format in the configuration must be that of the copy.
        if let Some(log) = manifest["config"]["log"].as_object_mut() {
            log["format"] = json!(format);
        }
        if !extract.is_all() {
            let fits = |file: &&FileEntry| is_log(file.table()) && extract.fits(&named(file));
            if recorded.iter().find(fits).is_none() {
                let text = format!(
                    "no log of the run has all the columns of {COLUMNS} and {WHERE}: see the \
                     header of each"
                );
                return Err(Error::Config(text));
            }
            manifest["config"]["extract"] = extract.recorded_config();
        }
        let package = read_manifest(&from.join("datapackage.json"))?;
        Ok(Conversion { originals, files, extract, manifest, package })
    }

    /// Returns the run's configuration, as the copy's `run.json` will record it.
    #[must_use]
    pub fn config(&self) -> &Value {
        &self.manifest["config"]
    }

    /// Returns the names of the table files that the run's copy will have.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    fn extract_of(&self, path: &Path) -> Result<Extract> {
        let entries = read_entries(path.parent().unwrap_or(path), &self.manifest)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let entry = entries.iter().find(|file| file.name == name);
        let fits =
            entry.is_some_and(|file| is_log(file.table()) && self.extract.fits(&named(file)));
        Ok(if fits { self.extract.clone() } else { Extract::default() })
    }

    /// Writes the copy of the run into the folder `to`.
    pub fn write(mut self, to: &RunFolder) -> Result<()> {
        let state = CopyState { files: self.files.clone() };
        Checkpoint::new(Value::Null, self.config().clone(), Vec::new(), state).write(to.path())?;
        let mut entries = Vec::new();
        for (name, path) in self.files.iter().zip(&self.originals) {
            let format = LogFormat::of_file(name)?;
            let extract = self.extract_of(path)?;
            let finished = copy_tables(from_ref(path), &to.partial(name), format, &extract)?;
            to.finish(name)?;
            entries.push(FileEntry::new(name.clone(), finished));
        }
        self.package["resources"] = resources(&entries);
        self.manifest["files"] = json!(entries);
        write_manifest(to, "run.json", &self.manifest, Some(&self.package))?;
        Checkpoint::<CopyState>::finish(to.path(), true, &[]);
        Ok(())
    }
}

fn is_log(table: &str) -> bool {
    !ALWAYS_CSV.contains(&table)
}

/// Returns the table's columns with correct names only; the type is always text.
fn named(file: &FileEntry) -> Vec<Column> {
    file.columns.iter().map(|name| Column::new(name, ColumnType::Text, "-", "")).collect()
}

fn read_entries(folder: &Path, manifest: &Value) -> Result<Vec<FileEntry>> {
    let damaged = |error| {
        let path = folder.join("run.json");
        let remedy = "name the folder of a run as a command wrote it";
        Error::Config(format!("{}: {error}: {remedy}", path.display()))
    };
    serde_json::from_value(manifest["files"].clone()).map_err(damaged)
}
