//! Completion of a run: its tables and its folder.

use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::record::folder::data_package::resources;
use crate::record::folder::manifest::{read_manifest, tables_of, write_manifest};
use crate::record::{FileEntry, LogFormat, OrderedLog, RunFolder, TableCursor, TableSpec};

/// Finished tables of a run.
pub struct FinishedTables {
    /// Manifest entries of the tables' files.
    pub files: Vec<FileEntry>,
    /// First error that prevented rows from being written; `None` if all rows were written.
    pub problem: Option<Error>,
    /// New end positions of tables that had to be shortened after an error, for the checkpoint.
    pub taken_back: Vec<TableCursor>,
}

/// Finishes the tables of a run. The table at index `last` is finished after the other tables: if
/// the disk is full, shortening these may free space for it.
///
/// # Errors
/// [`Error::Io`] if a table can't be finished even when it is shortened.
pub fn finish_tables(
    folder: &RunFolder,
    mut tables: Vec<OrderedLog>,
    last: usize,
) -> Result<FinishedTables> {
    let (mut files, mut problem, mut taken_back) = (Vec::new(), None, Vec::new());
    let places = tables.len().min(last + 1);
    tables.rotate_left(places);
    for log in tables {
        let name = log.name().to_owned();
        let (finished, failed) = log.finish()?;
        problem = problem.or(failed);
        let Some(finished) = finished else { continue };
        folder.finish(&name)?;
        let cursor = finished.taken_back.clone();
        let cursor =
            cursor.map(|(cursor, sha256)| TableCursor { name: name.clone(), cursor, sha256 });
        taken_back.extend(cursor);
        files.push(FileEntry::new(name, finished));
    }
    // Files are listed in the order of the tables. Without files of logs there are fewer of them.
    let places = places.min(files.len());
    files.rotate_right(places);
    Ok(FinishedTables { files, problem, taken_back })
}

/// Writes `datapackage.json`, completed with the tables `files`, and then the manifest as
/// `run.json`, which completes the folder. Finally removes the tables that an earlier run left in
/// the folder.
///
/// # Errors
/// [`Error::Io`] if a file can't be written.
pub fn publish(
    folder: &RunFolder,
    manifest: &impl Serialize,
    mut package: Value,
    files: &[FileEntry],
) -> Result<()> {
    // A training also lists its controller's files, which are no tables.
    let tables: Vec<_> = files.iter().filter(|file| !file.columns.is_empty()).cloned().collect();
    package["resources"] = resources(&tables);
    let earlier = earlier_files(folder, &tables);
    write_manifest(folder, "run.json", manifest, Some(&package))?;
    // Files of an earlier run are removed only now: before, they are the only complete ones.
    folder.remove_others(&earlier, &files.iter().map(|file| file.name.clone()).collect::<Vec<_>>());
    Ok(())
}

/// Returns the names of tables that an earlier run may have left in the folder. These are the
/// tables that its manifest lists and, in case the manifest can't be read, the tables `files` in
/// every format.
fn earlier_files(folder: &RunFolder, files: &[FileEntry]) -> Vec<String> {
    let manifest = read_manifest::<Value>(&folder.path().join("run.json"));
    let of_table =
        |file: &FileEntry| LogFormat::ALL.map(|format| TableSpec::name(file.table(), format));
    let mut names = manifest.map_or_else(|_| Vec::new(), |manifest| tables_of(&manifest));
    // Only tables are listed, since the listed files will be removed.
    names.retain(|name| LogFormat::of_file(name).is_ok());
    names.extend(files.iter().flat_map(of_table));
    names
}
