//! What a command has written, and how two of these compare.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Keys of JSON files that tell of time and of the machine, or of how the run came about.
const OF_TIME: [&str; 13] = [
    "cpu",
    // Of the times, too.
    "checksum",
    "datapackage",
    "started",
    "finished",
    "elapsed_s",
    "total_s",
    "created",
    "resumed",
    "command",
    "settings",
    "outside_share",
    "idle_share",
];

pub type Files = BTreeMap<String, Vec<u8>>;

/// Every file below a path by its name; a file alone by an empty one.
pub fn read(path: &Path) -> Files {
    let mut found = Files::new();
    let mut paths = vec![path.to_owned()];
    while let Some(at) = paths.pop() {
        if at.is_dir() {
            paths.extend(fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()));
        } else if at.exists() {
            let name = at.strip_prefix(path).unwrap().to_str().unwrap().to_owned();
            found.insert(name, fs::read(&at).unwrap());
        }
    }
    found
}

/// What counts of a file's bytes.
pub fn lasting(name: &str, bytes: &[u8]) -> Vec<u8> {
    let lasting = match name {
        "reproduced.csv" => without_times(bytes),
        _ if name.ends_with(".json") => {
            serde_json::from_slice(bytes).ok().map(|mut value: Value| {
                if let Some(object) = value.as_object_mut() {
                    OF_TIME.iter().for_each(|key| drop(object.remove(*key)));
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

/// Whether a file has the name that it keeps.
pub fn is_finished(name: &str) -> bool {
    !name.ends_with(".partial") && !name.ends_with("checkpoint.json")
}

/// How files differ from those of the undisturbed run; `leftovers` are files that may lie beside them.
pub fn difference(found: &Files, whole: &Files, leftovers: bool) -> Option<String> {
    for (name, bytes) in whole {
        match found.get(name) {
            None => return Some(format!("{name} is missing")),
            Some(other) if lasting(name, other) != lasting(name, bytes) => {
                return Some(format!("{name} has other bytes"));
            }
            Some(_) => {}
        }
    }
    let more = found.keys().find(|name| !whole.contains_key(*name));
    let more = more.filter(|name| !leftovers || is_finished(name));
    more.map(|name| format!("{name} is left over"))
}

/// What a refused command did to the files that it found: none may be gone, none may have bytes that are
/// neither what they were nor what the undisturbed run wrote.
pub fn harm(found: &Files, before: &Files, whole: &Files) -> Option<String> {
    for (name, bytes) in before.iter().filter(|(name, _)| is_finished(name)) {
        let Some(now) = found.get(name) else {
            // A finished table that goes on being written has its unfinished name again.
            let reopened = found.contains_key(&format!("{name}.partial"));
            if reopened {
                continue;
            }
            return Some(format!("{name} was refused and is gone"));
        };
        let is_whole = whole.get(name).is_some_and(|w| lasting(name, now) == lasting(name, w));
        // Summaries of what is there are written anew.
        let summary = ["conditions.csv", "run.json", "datapackage.json"]
            .iter()
            .any(|own| name.ends_with(own));
        if now != bytes && !is_whole && !summary {
            return Some(format!("{name} was refused and has other bytes"));
        }
    }
    let new = found.iter().find(|(name, bytes)| {
        let same = |w: &Vec<u8>| lasting(name, w) == lasting(name, bytes);
        is_finished(name)
            && !before.contains_key(*name)
            && !whole.get(*name).is_some_and(same)
            && !name.ends_with("conditions.csv")
    });
    new.map(|(name, _)| format!("{name} was refused and is there, with other bytes"))
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
