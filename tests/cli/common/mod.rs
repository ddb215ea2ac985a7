//! What the tests of the real binary share.

// No test file uses all of it.
#![allow(dead_code, unreachable_pub)]

pub mod pictures;
pub mod pty;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub fn tetrastat(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tetrastat"));
    // A slow machine tells its progress after half a minute, which is no part of what a test looks for.
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

pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Runs a mistake: one line on stderr that holds every word of `remedy`, exit code 2, nothing left.
pub fn refused(args: &[&str], remedy: &[&str]) {
    let folder = folder();
    let output = tetrastat(folder.path(), args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
    assert!(message.starts_with("tetrastat: "), "{message}");
    for word in remedy {
        assert!(message.contains(word), "{args:?}: {message} lacks {word}");
    }
    assert!(output.stdout.is_empty(), "{args:?}");
    assert_eq!(entries(folder.path()), Vec::<PathBuf>::new(), "{args:?} left something");
}

pub const SMALL: [&str; 8] =
    ["simulate", "--board", "10x10", "--games", "6", "--max-pieces", "2000", "--seed"];

pub fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.into_iter().chain(more.iter().copied()).collect()
}

/// The manifest of a run without the checksums that its file adds.
pub fn unsealed_manifest(run: &Path) -> serde_json::Value {
    let mut manifest = manifest(run);
    for key in ["datapackage", "checksum"] {
        assert!(manifest.as_object_mut().unwrap().shift_remove(key).is_some(), "{key}");
    }
    manifest
}

pub fn manifest(run: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(run.join("run.json")).unwrap()).unwrap()
}
