//! Functions that the tests of the real binary share.

// No test file uses all of it.
#![allow(dead_code, unreachable_pub)]

pub mod pictures;
pub mod pty;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use serde_json::Value;
use tempfile::TempDir;

pub fn tetrastat(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tetrastat"));
    // A slow machine tells its progress after half a minute, which is no part of what a test looks
    // for.
    command.current_dir(folder).args(args).env("TETRASTAT_PROGRESS", "none");
    command
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The rows of a CSV table, each by the names of its columns.
pub fn rows(table: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(table).unwrap().deserialize().map(Result::unwrap).collect()
}

/// The number in a column of a row.
pub fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} is {}", row[column]))
}

pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Bytes of files by their paths in a folder.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Every file below a path, or a file alone by an empty name. Those that a run at work takes away
/// meanwhile are left out.
pub fn files(below: &Path) -> Files {
    let (mut found, mut paths) = (Files::new(), vec![below.to_owned()]);
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            paths.extend(entries.map(|entry| entry.path()));
        } else if let Ok(bytes) = fs::read(&path) {
            found.insert(path.strip_prefix(below).unwrap().to_str().unwrap().to_owned(), bytes);
        }
    }
    found
}

/// Contents of every file below a folder, to compare runs. Two files hold times: `run.json` is
/// reduced to its status, configuration and tables, and `datapackage.json` to its existence.
pub fn lasting_files(folder: &Path) -> Files {
    let mut found = files(folder);
    for (name, bytes) in &mut found {
        if name.ends_with("run.json") {
            let run: Value = serde_json::from_slice(bytes).unwrap();
            *bytes = format!("{} {} {}", run["status"], run["config"], run["files"]).into();
        } else if name.ends_with("datapackage.json") {
            bytes.clear();
        }
    }
    found
}

pub fn assert_same(one: &Files, other: &Files) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in one {
        assert!(bytes == &other[name], "{name}");
    }
}

/// Runs a command line that must succeed, and returns what it prints.
pub fn done(folder: &Path, line: &str) -> String {
    run(folder, &line.split_whitespace().collect::<Vec<_>>())
}

/// Runs a command that must succeed, and returns what it prints.
pub fn run(folder: &Path, args: &[&str]) -> String {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Runs a command line with `--format json`, which must succeed, and returns what it prints.
pub fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&done(folder, &format!("{line} --format json"))).unwrap()
}

/// Interrupts a command as Ctrl-C does.
pub fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
}

/// Runs a command that must end with code 2 and one line on stderr, which holds every word of
/// `remedy`. Returns what it prints on stdout.
pub fn fails(folder: &Path, args: &[&str], remedy: &[&str]) -> String {
    let output = tetrastat(folder, args);
    let message = text(&output.stderr);
    assert_eq!(
        (output.status.code(), message.lines().count()),
        (Some(2), 1),
        "{args:?}: {message}"
    );
    assert!(message.starts_with("tetrastat: "), "{message}");
    for word in remedy {
        assert!(message.contains(word), "{args:?}: {message} lacks {word}");
    }
    text(&output.stdout).to_owned()
}

/// Runs a mistake in an empty folder: it fails, prints no answer, and leaves nothing.
pub fn refused(args: &[&str], remedy: &[&str]) {
    let folder = folder();
    assert_eq!(fails(folder.path(), args, remedy), "", "{args:?}");
    assert_eq!(entries(folder.path()), Vec::<PathBuf>::new(), "{args:?} left something");
}

/// Reads a file of a folder as text.
pub fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Reads a page of the repository.
pub fn document(path: &str) -> String {
    read(Path::new(env!("CARGO_MANIFEST_DIR")), path)
}

pub const SMALL: [&str; 8] =
    ["simulate", "--board", "10x10", "--games", "6", "--max-pieces", "2000", "--seed"];

pub fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.into_iter().chain(more.iter().copied()).collect()
}

/// Returns the text of a manifest with a valid checksum of its content, as a forger would write it.
pub fn sealed(mut manifest: Value) -> String {
    if manifest.as_object_mut().unwrap().shift_remove("checksum").is_some() {
        let text = serde_json::to_string_pretty(&manifest).unwrap();
        manifest["checksum"] = tetrastat::record::checksum(&[&text]).into();
    }
    serde_json::to_string_pretty(&manifest).unwrap() + "\n"
}

/// The manifest of a run without the checksums that its file adds.
pub fn unsealed_manifest(run: &Path) -> Value {
    let mut manifest = manifest(run);
    for key in ["datapackage", "checksum"] {
        assert!(manifest.as_object_mut().unwrap().shift_remove(key).is_some(), "{key}");
    }
    manifest
}

pub fn manifest(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("run.json")).unwrap()).unwrap()
}
