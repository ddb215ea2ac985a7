//! Checks of the sources' prose: a doc comment begins with the noun of a type or the verb of a
//! function, and lines fit 100 columns.

use std::fs;
use std::path::{Path, PathBuf};

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
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                files(&path, found);
            }
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// Returns the text of a doc comment's line, or `None` if `line` is not one.
fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    Some(text.trim_start())
}

/// Returns the numbers of the lines, from 1, on which a doc comment begins with a banned word.
fn without_subject(source: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut inside = false;
    for (index, line) in source.lines().enumerate() {
        let text = doc_text(line);
        let is_banned = |text: &str| {
            BANNED.iter().any(|words| {
                text.strip_prefix(words)
                    .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            })
        };
        if !inside && text.is_some_and(is_banned) {
            lines.push(index + 1);
        }
        inside = text.is_some();
    }
    lines
}

/// Returns the numbers of the lines, from 1, that are wider than [`COLUMNS`].
fn too_wide(source: &str) -> Vec<usize> {
    (1..)
        .zip(source.lines())
        .filter(|(_, line)| line.chars().count() > COLUMNS)
        .map(|(number, _)| number)
        .collect()
}

/// Returns "path:line" for each line that `check` reports in the files of [`SOURCES`].
fn reports(check: fn(&str) -> Vec<usize>) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in SOURCES {
        let before = paths.len();
        files(&root.join(folder), &mut paths);
        assert!(paths.len() > before, "{folder} has no Rust files");
    }
    paths.sort();
    let mut reports = Vec::new();
    for path in paths {
        let source = fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(root).unwrap().display();
        reports.extend(check(&source).iter().map(|line| format!("{shown}:{line}")));
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
