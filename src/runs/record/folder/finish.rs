//! Completion of a folder: its manifest and its data package.

use serde::Serialize;
use serde_json::Value;

use crate::error::Result;
use crate::record::folder::data_package::resources;
use crate::record::folder::manifest::{read_manifest, tables_of, write_manifest};
use crate::record::{FileEntry, LogFormat, RunFolder, TableSpec};

/// Writes `datapackage.json`, completed with the tables `files`, and then the manifest as
/// `run.json`, which completes the folder. Finally removes the tables that an earlier run left in
/// the folder.
///
/// # Errors
/// [`crate::error::Error::Io`] if a file can't be written.
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
