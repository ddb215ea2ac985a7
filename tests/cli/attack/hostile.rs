//! Hostile strings in every input of a command. Neither stdout nor stderr may contain a terminal escape, a control of
//! the writing direction, or another character that a terminal interprets or hides. Data for programs (CSV, JSON, SVG)
//! stays unchanged, since it is not for terminals.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::number;
use super::program::binary;
use crate::common::{folder, refused, tetrastat, text};

/// Text with characters that a terminal interprets or hides: colours, a title, C1 controls, reversed text, zero-width
/// characters.
const HOSTILE: &str =
    "x\u{1b}[31mRED\u{1b}]0;pwn\u{7}\r\u{8}\u{9b}2J\u{85}\u{202e}\u{2066}\u{61c}\u{200b}\u{feff}";
/// Hostile text for the name of a folder, which has at most 255 bytes.
const HOSTILE_PATH: &str = "d\u{1b}[31m\u{9b}\u{202e}\u{2066}\u{200b}\u{7} ;'";
/// Every `SHARE`-th case is tried with each `cargo test`.
const SHARE: u64 = 661;
/// Every `LONG_SHARE`-th case is tried by the long test.
const LONG_SHARE: usize = 31;

/// Returns true if the program must not print the character for people. This list is independent of the program's own
/// rule, so that a mistake in that rule is found.
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

/// Creates, once, the original folders: a run, a study, a comparison, a training, an estimate, and two shards.
fn originals() -> &'static Path {
    static MADE: OnceLock<TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let made = folder();
        let run = "--board 6x8 --games 2 --max-pieces 25 --placements csv";
        fs::write(
            made.path().join("study.toml"),
            "controllers = [\"bcts\", \"dt20\"]\nboard = \"6x8\"\ngames = 2\nmax_pieces = 25\nplacements = \"csv\"\n",
        )
        .unwrap();
        for command in [
            format!("simulate {run} --out run"),
            format!("simulate {run} --shard 1/2 --out shard-1"),
            format!("simulate {run} --shard 2/2 --out shard-2"),
            "simulate --rules guideline --mode blitz --pieces 12 --games 2 --placements csv --out blitz".to_owned(),
            "simulate --rules liap --games 1 --out liap".to_owned(),
            "study study.toml --out study".to_owned(),
            "train cem --board 6x8 --generations 2 --population 6 --elite 2 --games 1 --max-pieces 20 --out training".to_owned(),
            "estimate --board 6x8 --budget 3000 --out estimate".to_owned(),
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            let output = tetrastat(made.path(), &words);
            assert!(matches!(output.status.code(), Some(0 | 3)), "{command}: {}", text(&output.stderr));
        }
        made
    });
    made.path()
}

/// Returns the commands that read a folder of this kind, except those that print only data.
fn readers(kind: &str) -> &'static [&'static str] {
    match kind {
        "run" => &[
            "verify D",
            "view D -o p.html",
            "compare --from D",
            "watch --replay D --text=80x24",
            "convert D c --format csv.gz",
            "convert D/placements.csv t.csv",
            "simulate --board 6x8 --games 2 --max-pieces 25 --placements csv --out D",
            "plan --pilot D shard-1",
            "rollout --from D --every 5 --replicates 2 --out r",
        ],
        "shard-1" => &["merge D shard-2 --out m", "verify D"],
        "blitz" => &[
            "verify D",
            "view D -o p.html",
            "watch --replay D --text=80x24",
            "convert D c --format parquet",
        ],
        "liap" => &["verify D", "view D -o p.html", "watch --replay D --text=80x24"],
        "study" => &[
            "verify D",
            "view D -o p.html",
            "compare --from D",
            "plan --pilot D",
            "study study.toml --out D",
            "convert D c --format csv.gz",
        ],
        "training" => &["verify D", "view D -o p.html", "train --resume D"],
        _ => &["view D -o p.html", "estimate --board 6x8 --budget 3000 --out D"],
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

/// Collects the files below a folder whose names end with `ending`, with their relative paths.
fn files(root: &Path, below: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(root.join(below)).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = below.join(path.file_name().unwrap());
        if path.is_dir() {
            files(root, &name, ending, found);
        } else if name.to_string_lossy().ends_with(ending) {
            found.push(name);
        }
    }
}

/// Collects the JSON pointers to all strings of a value.
fn strings(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(k, value)| strings(value, &format!("{at}/{k}"), found));
        }
        Value::Object(values) => {
            for (key, value) in values {
                let key = key.replace('~', "~0").replace('/', "~1");
                strings(value, &format!("{at}/{key}"), found);
            }
        }
        _ => {}
    }
}

/// Returns the text of a manifest with a valid checksum of its current content, as a forger would write it.
fn sealed(mut manifest: Value) -> String {
    let keys = manifest.as_object_mut().unwrap();
    if keys.shift_remove("checksum").is_some() {
        let hash = Sha256::digest(serde_json::to_string_pretty(&manifest).unwrap());
        let hash = hash.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        });
        manifest["checksum"] = hash.into();
    }
    serde_json::to_string_pretty(&manifest).unwrap() + "\n"
}

/// Returns the hostile versions of a folder's files: path and new text of each.
fn hostile_files(kind: &str) -> Vec<(PathBuf, String)> {
    let root = originals().join(kind);
    let mut made = Vec::new();
    let mut names = Vec::new();
    files(&root, Path::new(""), ".json", &mut names);
    for name in names {
        let value: Value =
            serde_json::from_str(&fs::read_to_string(root.join(&name)).unwrap()).unwrap();
        let mut found = Vec::new();
        strings(&value, "", &mut found);
        for pointer in found {
            let mut value = value.clone();
            *value.pointer_mut(&pointer).unwrap() = HOSTILE.into();
            made.push((name.clone(), sealed(value)));
        }
    }
    // Text in tables and in a study's file.
    for ending in [".csv", ".toml"] {
        let mut names = Vec::new();
        files(&root, Path::new(""), ending, &mut names);
        for name in names {
            let whole = fs::read_to_string(root.join(&name)).unwrap();
            let words = whole.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
            let mut words: Vec<&str> =
                words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic())).collect();
            words.sort_unstable();
            words.dedup();
            made.extend(
                words.into_iter().map(|word| (name.clone(), whole.replacen(word, HOSTILE, 1))),
            );
        }
    }
    made
}

/// Tries every `share`-th combination of a string in a folder's file and a command that reads the folder.
fn hostile_folders(share: usize) {
    let mut cases = Vec::new();
    for kind in ["run", "shard-1", "blitz", "liap", "study", "training", "estimate"] {
        for (name, text) in hostile_files(kind) {
            cases.extend(
                readers(kind).iter().map(|command| (kind, name.clone(), text.clone(), *command)),
            );
        }
    }
    let first = number("TETRASTAT_ATTACK_SEED", 1) as usize % share;
    let tried = cases.into_iter().skip(first).step_by(share).map(|(kind, name, text, command)| {
        let room = folder();
        for other in ["shard-1", "shard-2", kind] {
            copy(&originals().join(other), &room.path().join(other));
        }
        fs::copy(originals().join("study.toml"), room.path().join("study.toml")).unwrap();
        fs::write(room.path().join(kind).join(&name), text).unwrap();
        let command = command.replace('D', kind);
        let problem = problem(room.path(), &command.split(' ').collect::<Vec<_>>());
        problem.map(|problem| format!("{kind}/{}: {problem}", name.display()))
    });
    try_all("hostile folders", tried);
}

#[test]
fn strings_of_folders_reach_no_terminal_as_they_are() {
    hostile_folders(number("TETRASTAT_ATTACK_SHARE", SHARE) as usize);
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
        "controllers mine.toml",
        "features --controller mine.toml --piece T",
        "simulate --controller mine.toml --board 6x8 --games 1 --max-pieces 9 --placements none",
        "watch --controller mine.toml --board 6x8 --max-pieces 9 --text=80x24",
        "compare bcts mine.toml --board 6x8 --games 2 --max-pieces 9",
        "exact --controller mine.toml --board 4x4",
    ];
    let keys = CONTROLLER.iter().map(|(key, _)| *key).chain(["weight"]);
    try_all(
        "hostile controllers",
        keys.flat_map(|key| commands.map(|command| (key, command))).map(|(key, command)| {
            fs::write(room.path().join("mine.toml"), controller(key, HOSTILE)).unwrap();
            problem(room.path(), &command.split(' ').collect::<Vec<_>>())
        }),
    );
}

#[test]
fn a_name_that_hides_or_computes_is_refused() {
    for (name, words) in [
        ("a\u{202e}b", &["hidden character", "U+202E"][..]),
        ("a\u{200b}b", &["hidden character", "U+200B"]),
        ("a\u{9b}b", &["hidden character", "U+009B"]),
        ("\tmine", &["hidden character", "U+0009"]),
        ("=1+1", &["formula"]),
        ("@SUM(1+1)", &["formula"]),
        ("+1", &["formula"]),
        ("-1", &["formula"]),
        ("=cmd|/C calc!A0", &["formula"]),
    ] {
        let file = folder();
        let file = file.path().join("mine.toml");
        fs::write(&file, controller("name", name)).unwrap();
        let file = file.to_str().unwrap();
        refused(&["simulate", "--controller", file, "--out", "o"], words);
        refused(&["controllers", file], words);
    }
    for name in ["=1+1", "-0.5", "a\u{202e}b"] {
        refused(&["train", "cem", &format!("--name={name}")], &["--name"]);
    }
}

#[test]
#[ignore = "long: 4 s"]
fn long_paths_reach_no_terminal_as_they_are() {
    let room = folder();
    for kind in ["run", "study", "training", "shard-1", "shard-2"] {
        copy(&originals().join(kind), &room.path().join(HOSTILE_PATH).join(kind));
    }
    fs::copy(originals().join("study.toml"), room.path().join("study.toml")).unwrap();
    fs::write(room.path().join("mine.toml"), controller("name", "mine")).unwrap();
    let commands = [
        "verify P/run",
        "verify P/none",
        "view P/run",
        "view P/none",
        "view P/study -o P.html",
        "compare --from P/study",
        "plan --pilot P/study",
        "convert P/run P-c --format csv.gz",
        "convert P/study P-d --format csv.gz",
        "convert P/run/games.csv P.csv",
        "convert P/none P.csv",
        "merge P/shard-1 P/shard-2 --out P-m",
        "simulate --board 6x8 --games 2 --max-pieces 9 --out P-s",
        "simulate --board 6x8 --games 2 --max-pieces 9 --out P-s",
        "simulate --resume P-s",
        "simulate --controller P.toml",
        "simulate --board-file P.txt",
        "simulate --script P",
        "study study.toml --out P-t",
        "study P.toml --out P-u",
        "compare bcts dt20 --board 6x8 --games 2 --max-pieces 9 --out P-v",
        "estimate --board 6x8 --budget 3000 --out P-e",
        "rollout --from P/run --every 5 --replicates 2 --out P-r",
        "train cem --board 6x8 --generations 1 --population 4 --elite 2 --games 1 --max-pieces 9 --out P-w",
        "train --config P.toml",
        "watch --replay P/run --svg P.svg",
        "watch --replay P/run --animate P.svg",
        "watch --replay P/none --text=80x24",
        "features --piece T --svg P-f.svg",
        "features --board-file P",
        "init P-i",
        "init P-i",
        "man --out P-man",
        "play --keys P",
        "reproduce P",
        "controllers P",
        "P",
        "simulate --P",
    ];
    try_all(
        "hostile paths",
        commands.into_iter().map(|command| {
            let words: Vec<String> =
                command.split(' ').map(|word| word.replace('P', HOSTILE_PATH)).collect();
            problem(room.path(), &words.iter().map(String::as_str).collect::<Vec<_>>())
        }),
    );
}

#[test]
fn suggested_commands_can_be_pasted() {
    let room = folder();
    let output = tetrastat(room.path(), &["init", "i j;k"]);
    assert!(text(&output.stdout).contains("make -C 'i j;k' plays study.toml"));
    // The run is stopped at its first checkpoint.
    let script = "\"$0\" simulate --board 10x20 --games 100000 --placements none --checkpoint-ms 1 --out 'a b' & \
                  p=$!; while [ ! -s 'a b/checkpoint.json' ]; do sleep 0.05; done; kill -TERM $p; wait $p";
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(binary())
        .current_dir(room.path())
        .env("TETRASTAT_PROGRESS", "none")
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert!(message.contains("simulate --resume 'a b' resumes the run"), "{message}");
}
