//! Checks of the sources' prose: a doc comment begins with the noun of a type or the verb of a
//! function, and lines fit 100 columns.

use std::path::{Path, PathBuf};

use crate::common::entries;

/// Folders whose Rust sources are checked.
const SOURCES: [&str; 7] =
    ["src", "liap", "terminal", "python/src", "wasm/src", "benches", "examples"];

/// Beginnings that leave a doc comment without a subject. Longer words that begin with the same
/// letters ("Official") are allowed.
const BANNED: [&str; 12] = [
    "What", "Whether", "How", "Its", "Who", "Whose", "Of", "So many", "So much", "The same",
    "Those", "Their",
];

/// Widest line allowed, in characters.
const COLUMNS: usize = 100;

/// Adds the paths of the Rust sources in `folder` and below to `found`.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() && !path.ends_with("target") {
            files(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// Returns the text of a doc comment's line, or `None` if `line` is not one.
fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    Some(line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?.trim_start())
}

/// Returns the numbers of the lines, from 1, on which a doc comment begins with a banned word.
fn without_subject(source: &str) -> Vec<usize> {
    let is_banned = |text: &str| {
        let mut rests = BANNED.iter().filter_map(|words| text.strip_prefix(words));
        rests.any(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let texts: Vec<_> = [None].into_iter().chain(source.lines().map(doc_text)).collect();
    let begins = |line: &usize| texts[line - 1].is_none() && texts[*line].is_some_and(is_banned);
    (1..texts.len()).filter(begins).collect()
}

/// Returns the numbers of the lines, from 1, that are wider than [`COLUMNS`].
fn too_wide(source: &str) -> Vec<usize> {
    let lines = (1..).zip(source.lines());
    lines.filter(|(_, line)| line.chars().count() > COLUMNS).map(|(number, _)| number).collect()
}

/// Returns "path:line" for each line that `check` reports in the files of [`SOURCES`].
fn reports(check: fn(&str) -> Vec<usize>) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut reports = Vec::new();
    for folder in SOURCES {
        let mut paths = Vec::new();
        files(&root.join(folder), &mut paths);
        assert!(!paths.is_empty(), "{folder} has no Rust files");
        for path in paths {
            let lines = check(&std::fs::read_to_string(&path).unwrap());
            reports.extend(lines.iter().map(|line| format!("{}:{line}", path.display())));
        }
    }
    reports
}

#[test]
fn the_checks_find_what_they_look_for() {
    let source = "//! Of rows.\n\n/// Official rules.\n/// Whether the second line counts.\n\
        struct A {\n    /// Whether it is full.\n    full: bool,\n}\n\n/// So many.\nfn b() {}\n";
    assert_eq!(without_subject(source), [1, 6, 10]);
    let wide = format!("{}\n{}\n{}", "é".repeat(100), "x".repeat(101), "");
    assert_eq!(too_wide(&wide), [2]);
}

#[test]
fn doc_comments_begin_with_a_noun_or_a_verb() {
    assert_eq!(reports(without_subject), [""; 0], "begin with a noun or a verb");
}

#[test]
fn lines_of_code_fit_100_columns() {
    assert_eq!(reports(too_wide), [""; 0], "wrap these lines");
}
