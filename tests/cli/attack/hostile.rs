//! Hostile strings in every input of a command. Neither stdout nor stderr may contain a terminal
//! escape, a control of the writing direction, or another character that a terminal interprets or
//! hides. Data for programs (CSV, JSON, SVG) stays unchanged, since it is not for terminals.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::folders::{KINDS, Kind, STUDY};
use super::program::binary;
use super::{damage, files, number, room};
use crate::common::{folder, sealed};

/// Text with characters that a terminal interprets or hides: colours, a title, C1 controls,
/// reversed text, zero-width characters.
const HOSTILE: &str =
    "x\u{1b}[31mRED\u{1b}]0;pwn\u{7}\r\u{8}\u{9b}2J\u{85}\u{202e}\u{2066}\u{61c}\u{200b}\u{feff}";
/// Hostile text for the name of a folder, which has at most 255 bytes.
const HOSTILE_PATH: &str = "d\u{1b}[31m\u{9b}\u{202e}\u{2066}\u{200b}\u{7} ;'";
/// Every `SHARE`-th case is tried with each `cargo test`.
const SHARE: u64 = 661;
/// Every `LONG_SHARE`-th case is tried by the long test.
const LONG_SHARE: u64 = 31;

/// Returns true if the program must not print the character for people. This list is independent of
/// the program's own rule, so that a mistake in that rule is found.
fn is_hostile(c: char) -> bool {
    (c < ' ' && c != '\n')
        || ('\u{7f}'..='\u{9f}').contains(&c)
        || ('\u{200b}'..='\u{200f}').contains(&c)
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{206f}').contains(&c)
        || matches!(c, '\u{61c}' | '\u{feff}')
}

/// Runs a command and returns the problem with its output, if there is one.
fn problem(room: &Path, words: &[&str]) -> Option<String> {
    let mut command = Command::new(binary());
    let command = command.current_dir(room).args(words).env("TETRASTAT_PROGRESS", "none");
    let output = command.output().unwrap();
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let printed = String::from_utf8_lossy(bytes);
        if let Some(c) = printed.chars().find(|&c| is_hostile(c)) {
            return Some(format!("{words:?}: {name} has {c:?}: {printed:?}"));
        }
    }
    let is_orderly = matches!(output.status.code(), Some(0 | 2 | 3));
    let error = String::from_utf8_lossy(&output.stderr);
    let panics = error.contains("internal error") || error.contains("panicked");
    (!is_orderly || panics).then(|| format!("{words:?}: {}: {error}", output.status))
}

/// Runs commands, prints their number, and fails if any has a problem.
fn try_all(name: &str, cases: impl Iterator<Item = Option<String>>) {
    let cases: Vec<Option<String>> = cases.collect();
    let problems: Vec<&String> = cases.iter().flatten().collect();
    println!("{name}: {} commands, {} problems", cases.len(), problems.len());
    assert!(!cases.is_empty());
    assert!(problems.is_empty(), "{problems:#?}");
}

/// A place for a hostile string: a file of a folder, and a JSON pointer or a word in it.
type Place<'a> = (&'static Kind, &'a String, String);

/// Returns every string in the files of this kind of folder that a hostile one may replace.
fn places(kind: &'static Kind) -> Vec<Place<'static>> {
    let mut places = Vec::new();
    for (name, bytes) in kind.made().iter().filter(|(name, _)| name.starts_with("d/")) {
        let mut found = Vec::new();
        if name.ends_with(".json") {
            let value: Value = serde_json::from_slice(bytes).unwrap();
            damage::pointers(&value, "", &mut found);
            found.retain(|at| value.pointer(at).unwrap().is_string());
        } else if name.ends_with(".csv") || name.ends_with(".toml") {
            // The first lines have text of every kind.
            let text = String::from_utf8(bytes.clone()).unwrap();
            for line in text.lines().take(30) {
                let words =
                    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
                found.extend(
                    words
                        .filter(|word| word.starts_with(|c: char| c.is_alphabetic()))
                        .map(str::to_owned),
                );
            }
            found.sort_unstable();
            found.dedup();
        }
        places.extend(found.into_iter().map(|at| (kind, name, at)));
    }
    places
}

/// Returns the content of a file with a hostile string at a place, as a forger would write it.
fn forged((kind, name, at): &Place) -> String {
    let text = str::from_utf8(&kind.made()[*name]).unwrap();
    if !name.ends_with(".json") {
        return text.replacen(at, HOSTILE, 1);
    }
    let mut value: Value = serde_json::from_str(text).unwrap();
    *value.pointer_mut(at).unwrap() = HOSTILE.into();
    sealed(value)
}

/// Replaces a string in a file of a folder by a hostile one, and runs a command that reads the
/// folder: one of `share` combinations of string and command.
fn hostile_folders(share: u64) {
    let first = number("TETRASTAT_ATTACK_SEED", 1) % share;
    // The files of these two are those of a study.
    let kinds = KINDS.iter().filter(|kind| !["comparison", "reproduction"].contains(&kind.name));
    let places: Vec<Place> = kinds.flat_map(places).collect();
    let cases = places.iter().flat_map(|at| at.0.readers.iter().map(move |reader| (at, reader)));
    let tried = cases.skip(first as usize).step_by(share as usize).map(|(place, command)| {
        let (kind, name, _) = place;
        let room = room(kind.made());
        files::write(room.path(), name, forged(place).as_bytes());
        let problem = problem(room.path(), &command.split(' ').collect::<Vec<_>>());
        problem.map(|problem| format!("{} {name}: {problem}", kind.name))
    });
    try_all("hostile folders", tried);
}

#[test]
fn strings_of_folders_reach_no_terminal_as_they_are() {
    hostile_folders(number("TETRASTAT_ATTACK_SHARE", SHARE));
}

#[test]
#[ignore = "long: a minute"]
fn long_strings_of_folders_reach_no_terminal_as_they_are() {
    hostile_folders(LONG_SHARE);
}

/// Returns a TOML string in which every character is escaped.
fn toml_string(text: &str) -> String {
    text.chars().fold(String::from("\""), |text, c| text + &format!("\\U{:08x}", u32::from(c)))
        + "\""
}

const CONTROLLER: [(&str, &str); 5] =
    [("name", "mine"), ("title", "t"), ("source", "s"), ("published", "p"), ("note", "n")];

/// Returns the text of a controller in which `key` has the value `value`.
fn controller(key: &str, value: &str) -> String {
    let lines = CONTROLLER.iter().map(|(known, usual)| {
        let value = if *known == key { value } else { usual };
        format!("{known} = {}\n", toml_string(value))
    });
    let weight = if key == "weight" { toml_string(value) } else { "holes".to_owned() };
    lines.collect::<String>() + &format!("measured = \"after-clear\"\n[weights]\n{weight} = -1.0\n")
}

#[test]
fn strings_of_controllers_reach_no_terminal_as_they_are() {
    let room = folder();
    let commands = [
        "show controllers mine.toml",
        "show board --controller mine.toml --piece T",
        "simulate --controller mine.toml --board 6x8 --games 1 --max-pieces 9 --placements none",
        "watch --controller mine.toml --board 6x8 --max-pieces 9 --text=80x24",
        "compare bcts mine.toml --board 6x8 --games 2 --max-pieces 9",
        "exact --controller mine.toml --board 4x4",
    ];
    let keys = CONTROLLER.iter().map(|(key, _)| *key).chain(["weight"]);
    try_all(
        "hostile controllers",
        keys.flat_map(|key| commands.map(|command| (key, command))).map(|(key, command)| {
            files::write(room.path(), "mine.toml", controller(key, HOSTILE).as_bytes());
            problem(room.path(), &command.split(' ').collect::<Vec<_>>())
        }),
    );
}

#[test]
#[ignore = "long: 4 s"]
fn long_paths_reach_no_terminal_as_they_are() {
    let room = folder();
    let folders = "run d run|study d study|training d training|shards d shard-1|shards e shard-2";
    for folder in folders.split('|').map(|words| words.split(' ').collect::<Vec<_>>()) {
        for (name, bytes) in Kind::named(folder[0]).made() {
            if let Some(name) = name.strip_prefix(folder[1]) {
                files::write(room.path(), &format!("{HOSTILE_PATH}/{}{name}", folder[2]), bytes);
            }
        }
    }
    files::write(room.path(), "study.toml", STUDY.as_bytes());
    files::write(room.path(), "mine.toml", controller("name", "mine").as_bytes());
    let commands = "data verify P/run | data verify P/none | view P/run | view P/none | view P/study -o P.html | compare --from P/study | \
        compare --plan --from P/study | data convert P/run P-c --format csv.gz | data convert P/study P-d --format csv.gz | \
        data convert P/run/games.csv P.csv | data convert P/none P.csv | data merge P/shard-1 P/shard-2 --out P-m | \
        simulate --board 6x8 --games 2 --max-pieces 9 --out P-s | simulate --board 6x8 --games 2 --max-pieces 9 --out P-s | \
        simulate --resume P-s | simulate --controller P.toml | simulate --board-file P.txt | simulate --script P | \
        study study.toml --out P-t | study P.toml --out P-u | compare bcts dt20 --board 6x8 --games 2 --max-pieces 9 --out P-v | \
        estimate --board 6x8 --budget 3000 --out P-e | label --from P/run --every 5 --replicates 2 --out P-r | \
        train cem --board 6x8 --generations 1 --population 4 --elite 2 --games 1 --max-pieces 9 --out P-w | \
        train cem --config P.toml | watch --replay P/run --svg P.svg | watch --replay P/run --animate P.svg | \
        watch --replay P/none --text=80x24 | show board --piece T --svg P-f.svg | show board --board-file P | study --new P-i | study --new P-i | \
        man --out P-man | play --key-map P | study reproduce:P --dry-run | show controllers P | P | simulate --P";
    try_all(
        "hostile paths",
        commands.split(" | ").map(|command| {
            let words: Vec<String> =
                command.split(' ').map(|word| word.replace('P', HOSTILE_PATH)).collect();
            problem(room.path(), &words.iter().map(String::as_str).collect::<Vec<_>>())
        }),
    );
}
