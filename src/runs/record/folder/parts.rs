//! Tables in parts: a folder with the name of a table's Parquet file, such as `placements.parquet`,
//! which holds Parquet files in the order of their names. Other programs read such a folder as one
//! data set.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::record::folder::entries;
use crate::record::formats::blocks::{hexadecimal, sha256_of};
use crate::record::{FileEntry, LogFormat, PARTIAL};

/// Beginning of the names of parts.
const PREFIX: &str = "part-";

/// Part of a table in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Name of the file in the table's folder.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the file's bytes, hexadecimal.
    pub sha256: String,
}

impl PartEntry {
    /// Creates the entry of part `number` of `count` parts, from the entry of its file in a shard.
    pub(crate) fn new(number: u64, count: u64, file: &FileEntry) -> PartEntry {
        let name = part_name(number, count);
        PartEntry { name, rows: file.rows, bytes: file.bytes, sha256: file.sha256.clone() }
    }
}

/// Returns the name of part `number` (from 1) of `count` parts. The order of the names is that of
/// the numbers.
#[must_use]
pub fn part_name(number: u64, count: u64) -> String {
    let digits = count.to_string().len().max(5);
    format!("{PREFIX}{number:0digits$}.{}", LogFormat::Parquet)
}

/// Returns true if `name` is the name of a part, finished or not.
fn is_part(name: &str) -> bool {
    let whole = name.strip_suffix(PARTIAL).unwrap_or(name);
    whole.starts_with(PREFIX)
        && LogFormat::of_file(whole).is_ok_and(|format| format == LogFormat::Parquet)
}

/// Returns true if `path` is a folder that contains only parts and has the name of a Parquet table:
/// the final name, or the name of a table that is being written.
#[must_use]
pub fn is_in_parts(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let whole = name.strip_suffix(PARTIAL).unwrap_or(&name);
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    LogFormat::of_file(whole).is_ok_and(|format| format == LogFormat::Parquet)
        && is_folder
        && entries(path).is_ok_and(|names| names.iter().all(|name| is_part(name)))
}

/// Returns the files of the table at `path`: `path` itself, or the finished parts in it in their
/// order if it is a folder.
///
/// # Errors
/// [`Error::Config`] if the folder has no parts, [`Error::Io`] if it can't be read.
pub(crate) fn table_files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut names = entries(path)?;
    names.retain(|name| is_part(name) && !name.ends_with(PARTIAL));
    if names.is_empty() {
        let text = format!("{} holds no {PREFIX}*.parquet: restore it", path.display());
        return Err(Error::Config(text));
    }
    Ok(names.iter().map(|name| path.join(name)).collect())
}

/// Returns the SHA-256 of a table: that of the file, or of the text that `sha256sum part-*.parquet`
/// prints in the folder of its parts.
pub(crate) fn sha256_of_table(path: &Path) -> Result<String> {
    if !path.is_dir() {
        return sha256_of(path);
    }
    let sum = |file: PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((sha256_of(&file)?, name))
    };
    let sums = table_files(path)?.into_iter().map(sum).collect::<Result<Vec<_>>>()?;
    Ok(sha256_of_sums(sums.iter().map(|(sum, name)| (&**sum, &**name))))
}

/// Returns the SHA-256 of a table whose parts have these checksums and names.
pub(crate) fn sha256_of_sums<'a>(sums: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut hash = Sha256::new();
    sums.for_each(|(sum, name)| hash.update(format!("{sum}  {name}\n")));
    hexadecimal(hash)
}

/// Removes the file of a table, or its folder of parts. Files in the folder that are no parts stay,
/// and with them the folder.
pub(crate) fn remove_table(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    for name in entries(path).unwrap_or_default().iter().filter(|name| is_part(name)) {
        fs::remove_file(path.join(name))?;
    }
    fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_sort_by_their_numbers() {
        assert_eq!(part_name(7, 12), "part-00007.parquet");
        assert!(part_name(99_999, 100_000) < part_name(100_000, 100_000));
        assert!(is_part("part-00007.parquet.partial") && !is_part("part-1.csv"));
    }

    #[test]
    fn only_parts_are_removed_with_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("placements.parquet");
        fs::create_dir(&table).unwrap();
        for name in ["part-00001.parquet", "part-00002.parquet.partial"] {
            fs::write(table.join(name), "x").unwrap();
        }
        assert!(is_in_parts(&table));
        assert_eq!(table_files(&table).unwrap(), [table.join("part-00001.parquet")]);
        fs::write(table.join("mine.txt"), "kept").unwrap();
        assert!(!is_in_parts(&table) && remove_table(&table).is_err());
        assert_eq!(entries(&table).unwrap(), ["mine.txt"]);
        assert!(table_files(&table).is_err());
        fs::remove_file(table.join("mine.txt")).unwrap();
        remove_table(&table).unwrap();
        assert!(!table.exists());
    }
}
