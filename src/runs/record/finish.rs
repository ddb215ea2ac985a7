//! How the tables and the folder of a run end.

use serde::Serialize;
use serde_json::Value;

use super::data_package::resources;
use super::manifest::write_manifest;
use super::{FileEntry, OrderedLog, RunFolder, TableMark};
use crate::error::{Error, Result};

/// What became of the tables of a run.
pub struct FinishedTables {
    /// Their files.
    pub files: Vec<FileEntry>,
    /// What kept them from holding more.
    pub problem: Option<Error>,
    /// Where tables end that had to be shortened, for the checkpoint.
    pub taken_back: Vec<TableMark>,
}

/// Finishes tables with their names.
///
/// # Errors
/// [`Error::Io`] when not even that can be done.
pub(super) fn finish_tables(
    folder: &RunFolder,
    tables: impl IntoIterator<Item = (String, OrderedLog)>,
) -> Result<FinishedTables> {
    let (mut files, mut problem, mut taken_back) = (Vec::new(), None, Vec::new());
    for (name, log) in tables {
        let (finished, failed) = log.finish()?;
        folder.finish(&name)?;
        let mark = finished.taken_back.clone();
        let mark = mark.map(|(mark, sha256)| TableMark { name: name.clone(), mark, sha256 });
        taken_back.extend(mark);
        files.push(FileEntry::new(name, finished));
        problem = problem.or(failed);
    }
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
    write_manifest(folder, "run.json", manifest, Some(&package))?;
    let kept = files.iter().map(|file| file.name.clone());
    let described = ["run.json", "datapackage.json"].map(str::to_owned);
    folder.remove_others(&kept.chain(described).collect::<Vec<_>>());
    Ok(())
}
