//! How the tables and the folder of a run end.

use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::record::folder::data_package::resources;
use crate::record::folder::manifest::{read_manifest, tables_of, write_manifest};
use crate::record::{FileEntry, LogFormat, OrderedLog, RunFolder, TableCursor, TableSpec};

/// What became of the tables of a run.
pub struct FinishedTables {
    /// Their files.
    pub files: Vec<FileEntry>,
    /// What kept them from holding more.
    pub problem: Option<Error>,
    /// Where tables end that had to be shortened, for the checkpoint.
    pub taken_back: Vec<TableCursor>,
}

/// Finishes the tables of a run: that at `last` after all others, since what those lose when a disk is full may make
/// room for it.
///
/// # Errors
/// [`Error::Io`] when not even that can be done.
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
        folder.finish(&name)?;
        let cursor = finished.taken_back.clone();
        let cursor =
            cursor.map(|(cursor, sha256)| TableCursor { name: name.clone(), cursor, sha256 });
        taken_back.extend(cursor);
        files.push(FileEntry::new(name, finished));
        problem = problem.or(failed);
    }
    // Files are listed in the order of the tables.
    files.rotate_right(places);
    Ok(FinishedTables { files, problem, taken_back })
}

/// Writes `datapackage.json`, completed with the tables, and a manifest as `run.json`, which completes the
/// folder.
///
/// # Errors
/// [`Error::Io`] when they can't be written.
pub fn publish(
    folder: &RunFolder,
    manifest: &impl Serialize,
    mut package: Value,
    files: &[FileEntry],
) -> Result<()> {
    package["resources"] = resources(files);
    let earlier = earlier_files(folder, files);
    write_manifest(folder, "run.json", manifest, Some(&package))?;
    // Only now that the folder is complete, since until then the earlier run's files are all that there is.
    folder.remove_others(&earlier, &files.iter().map(|file| file.name.clone()).collect::<Vec<_>>());
    Ok(())
}

/// Returns the tables of an earlier run in the folder: those that its manifest lists and, in case the manifest can't be
/// read, the tables of this run in other formats.
fn earlier_files(folder: &RunFolder, files: &[FileEntry]) -> Vec<String> {
    let manifest = read_manifest::<Value>(&folder.path().join("run.json"));
    let of_table =
        |file: &FileEntry| LogFormat::ALL.map(|format| TableSpec::name(file.table(), format));
    let mut names = manifest.map_or_else(|_| Vec::new(), |manifest| tables_of(&manifest));
    // These files are going to be removed, so anything that is not a table stays.
    names.retain(|name| LogFormat::of_file(name).is_ok());
    names.extend(files.iter().flat_map(of_table));
    names
}
