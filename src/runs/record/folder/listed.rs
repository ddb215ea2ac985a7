//! Files that another file of the same folder lists by name.
//!
//! A manifest, a checkpoint, a data package or `conditions.csv` may come from an untrusted source.
//! Every reader of such a file checks the listed names here. A name must be a single path
//! component, so that it cannot lead out of the folder.

use std::fs::File;
use std::iter;
use std::path::Path;

use serde_json::Value;

use crate::error::{Error, Result, quoted};
use crate::files;

/// Returns true if `name` is one path component on every system: not empty, not `.` or `..`, and
/// without separators, drive colons and control characters.
#[must_use]
pub fn is_plain_file_name(name: &str) -> bool {
    let is_barred = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
    !matches!(name, "" | "." | "..") && !name.contains(is_barred)
}

/// Checks that `name` is a plain file name ([`is_plain_file_name`]). The file `list` refers by this
/// name to a file or folder beside it.
///
/// # Errors
/// [`Error::Config`] if the name is not a plain file name.
pub fn check_listed_name(list: &Path, name: &str) -> Result<()> {
    if is_plain_file_name(name) { Ok(()) } else { Err(refused(list, &quoted(name))) }
}

fn refused(list: &Path, name: &str) -> Error {
    Error::Config(format!(
        "{} lists '{name}', which is no plain file name: restore it from a copy",
        list.display()
    ))
}

/// Checks every file name in `content`, the parsed JSON file `list`. Names occur under `files`
/// (manifest, or state of a copy), `tables` (checkpoint) and `resources` (data package). Files may
/// have parts, and resources have paths.
///
/// # Errors
/// [`Error::Config`] if the name of a file, or a component of a path, is not a plain file name.
pub fn check_listed_names(list: &Path, content: &Value) -> Result<()> {
    for (entries, key) in [("files", "name"), ("tables", "name"), ("resources", "path")] {
        let lists = [&content[entries], &content["state"][entries]].map(Value::as_array);
        for entry in lists.into_iter().flatten().flatten() {
            // The checkpoint of a copy lists only names.
            let name = if entry.is_object() { &entry[key] } else { entry };
            let parts = entry["parts"].as_array().into_iter().flatten();
            let names: Vec<&Value> = match name {
                // A table in parts has a list of paths.
                Value::Array(paths) if entries == "resources" => paths.iter().collect(),
                name => iter::once(name).chain(parts.map(|part| &part["name"])).collect(),
            };
            for name in names {
                match name.as_str() {
                    // Parts of a table, and tables of a data set, lie in folders within its folder.
                    Some(path)
                        if entries == "resources" && path.split('/').all(is_plain_file_name) => {}
                    Some(name) => check_listed_name(list, name)?,
                    None => return Err(refused(list, &quoted(&name.to_string()))),
                }
            }
        }
    }
    Ok(())
}

/// Opens a regular file for reading.
///
/// # Errors
/// [`Error::Io`] if the file can't be opened, or if it is a device, a fifo or a folder.
pub(crate) fn open_regular(path: &Path) -> Result<File> {
    files::open_regular(path).map_err(|e| Error::io("reading", path, e))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_listed_name_cannot_lead_out_of_its_folder() {
        for name in
            ["games.csv", "placements.csv.zst", "001-bcts-10x10-uniform-greedy-s1", "...", "é"]
        {
            assert!(is_plain_file_name(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "/",
            "../x",
            "a/b",
            "/etc/passwd",
            "a\\b",
            "..\\x",
            "C:x",
            "C:\\x",
            "x:stream",
            "a\0b",
            "a\nb",
            "\u{1b}[31m",
            "\u{7f}",
            "\u{85}",
        ] {
            assert!(!is_plain_file_name(name), "{name:?}");
        }
    }

    #[test]
    fn names_are_checked_in_every_list() {
        let check = |content: Value| check_listed_names(Path::new("d/run.json"), &content);
        let plain = json!({
            "files": [{ "name": "games.csv" }], "tables": [{ "name": "games.csv" }],
            "resources": [{ "path": "games.csv" }],
        });
        check(plain).unwrap();
        check(json!({ "state": { "files": ["games.csv"] } })).unwrap();
        check(json!({ "resources": [{ "path": "placements/queue=bag/part-1.parquet" }] })).unwrap();
        check(json!({ "resources": [{ "path": ["p.parquet/part-1.parquet"] }] })).unwrap();
        check(json!([1])).unwrap();
        for content in [
            json!({ "files": [{ "name": "games.csv" }, { "name": "../x" }] }),
            json!({ "state": { "files": ["../x"] } }),
            json!({ "files": [{ "rows": 1 }] }),
            json!({ "tables": [{ "name": "/x" }] }),
            json!({ "files": [{ "name": ["games.csv"] }] }),
            json!({ "files": [{ "name": "p.parquet", "parts": [{ "name": "../x" }] }] }),
            json!({ "files": [{ "name": "p.parquet", "parts": [{ "rows": 1 }] }] }),
            json!({ "resources": [{ "path": ["p.parquet/part-1.parquet", "../x"] }] }),
            json!({ "resources": [{ "path": [["games.csv"]] }] }),
            json!({ "resources": [{ "path": "placements/../../x" }] }),
            json!({ "resources": [{ "path": "/etc/passwd" }] }),
        ] {
            let message = check(content.clone()).unwrap_err().to_string();
            assert!(
                message.starts_with("d/run.json lists '") && message.contains("restore"),
                "{message}"
            );
        }
    }
}
