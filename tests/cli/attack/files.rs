//! Files that commands write, and comparisons of them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common;
pub use crate::common::Files;

/// Keys of JSON files that tell of time and of the machine, or of how the run came about; checksums
/// are of the times, too.
const OF_TIME: &str = "cpu checksum datapackage started finished elapsed_s total_s learning_s created resumed command settings outside_share idle_share";

/// Every file below a path by its name, or a file alone by an empty name; without `said.*`, what
/// programs printed.
pub fn read(path: &Path) -> Files {
    let mut found = common::files(path);
    found.retain(|name, _| !name.starts_with("said."));
    found
}

/// Returns a file's bytes without times and facts of the machine.
fn lasting(name: &str, bytes: &[u8]) -> Vec<u8> {
    let lasting = match name {
        "reproduced.csv" => without_times(bytes),
        _ if name.ends_with(".json") => {
            serde_json::from_slice(bytes).ok().map(|mut value: Value| {
                if let Some(object) = value.as_object_mut() {
                    OF_TIME.split(' ').for_each(|key| drop(object.remove(key)));
                }
                value.to_string().into()
            })
        }
        _ => None,
    };
    lasting.unwrap_or_else(|| bytes.to_owned())
}

/// A table without the columns that tell of time.
fn without_times(table: &[u8]) -> Option<Vec<u8>> {
    let mut reader = csv::Reader::from_reader(table);
    let head = reader.headers().ok()?.clone();
    let keeps = |place: &usize| !["core_hours", "finished"].contains(&&head[*place]);
    let mut kept = format!("{:?}", head.iter().collect::<Vec<_>>());
    for row in reader.records() {
        let row = row.ok()?;
        let cells = (0..row.len()).filter(keeps).map(|place| &row[place]);
        kept += &format!("{:?}", cells.collect::<Vec<_>>());
    }
    Some(kept.into())
}

/// Whether two versions of a file have the same content.
pub fn are_same(name: &str, one: &[u8], other: &[u8]) -> bool {
    lasting(name, one) == lasting(name, other)
}

/// Whether a file has the name that it keeps.
pub fn is_finished(name: &str) -> bool {
    !name.ends_with(".partial") && !name.ends_with("checkpoint.json")
}

/// Fails where files differ from those of the undisturbed run; `leftovers` are files that may lie
/// beside them.
pub fn difference(found: &Files, whole: &Files, leftovers: bool) -> Result<(), String> {
    for (name, bytes) in whole {
        let other = found.get(name).ok_or(format!("{name} is missing"))?;
        super::holds(are_same(name, other, bytes), &format!("{name} has other bytes"))?;
    }
    let more = found.keys().filter(|name| !whole.contains_key(*name));
    let more = more.filter(|name| !leftovers || is_finished(name));
    more.map(|name| Err(format!("{name} is left over"))).next().unwrap_or(Ok(()))
}

/// Fails if a refused command harmed the files that it found: none may be gone, none may have bytes
/// that are neither what they were nor what the undisturbed run wrote.
pub fn harm(found: &Files, before: &Files, whole: &Files) -> Result<(), String> {
    let is_whole = |name: &str, now: &[u8]| whole.get(name).is_some_and(|w| are_same(name, now, w));
    for (name, bytes) in before.iter().filter(|(name, _)| is_finished(name)) {
        let Some(now) = found.get(name) else {
            // A finished table that goes on being written has its unfinished name again.
            let reopened = found.contains_key(&format!("{name}.partial"));
            super::holds(reopened, &format!("{name} was refused and is gone"))?;
            continue;
        };
        // Summaries of what is there are written anew.
        let mut summaries = ["conditions.csv", "run.json", "datapackage.json"].into_iter();
        let is_summary = summaries.any(|own| name.ends_with(own));
        let unharmed = now == bytes || is_whole(name, now) || is_summary;
        super::holds(unharmed, &format!("{name} was refused and has other bytes"))?;
    }
    for (name, bytes) in found.iter().filter(|(name, _)| !before.contains_key(*name)) {
        let unharmed =
            !is_finished(name) || is_whole(name, bytes) || name.ends_with("conditions.csv");
        let harm = format!("{name} was refused and is there, with other bytes");
        super::holds(unharmed, &harm)?;
    }
    Ok(())
}

/// Writes the files that damage changed back as they were.
pub fn restore(folder: &Path, files: &Files, changed: &Files) {
    for (name, bytes) in files {
        if changed.get(name) != Some(bytes) {
            write(folder, name, bytes);
        }
    }
}

/// Writes a file of [`read`].
pub fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = at(folder, name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The path of a file of [`read`].
pub fn at(folder: &Path, name: &str) -> PathBuf {
    if name.is_empty() { folder.to_owned() } else { folder.join(name) }
}
