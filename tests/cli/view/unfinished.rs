//! Pages of work that was killed, stopped, damaged, or written by another version.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{array, page};
use crate::common::{command, entries, fails, folder, read};

/// The state in the checkpoint of a folder; null while there is none.
fn state(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("checkpoint.json")).unwrap_or_default();
    serde_json::from_str::<Value>(&text).unwrap_or_default()["state"].clone()
}

/// Rows of a table that a checkpoint knows.
fn marked(state: &Value, table: &str) -> u64 {
    let marks = state["tables"].as_array().into_iter().flatten();
    let mut marks = marks.filter(|mark| mark["name"].as_str().unwrap().starts_with(table));
    marks.next().and_then(|mark| mark["rows"].as_u64()).unwrap_or_default()
}

/// Starts a command that would play for hours.
pub(super) fn begin(folder: &Path, line: &str) -> Child {
    let mut command = command(folder, &line.split(' ').collect::<Vec<_>>());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for something that a command is about to do.
pub(super) fn wait(child: &mut Child, what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without {what}");
        assert!(start.elapsed() < Duration::from_secs(60), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Games that would be played for hours, with checkpoints all the time.
pub(super) const LONG: &str = "simulate --board 10x10 --games 10000000 --max-pieces 300 --checkpoint-ms 1 --threads 1 --out run --placements";

#[test]
fn a_killed_run_shows_the_rows_that_its_checkpoint_knows() {
    for format in ["csv", "csv.zst", "parquet"] {
        let folder = folder();
        let path = folder.path();
        let mut child = begin(path, &format!("{LONG} {format}"));
        let known = || {
            let state = state(&path.join("run"));
            marked(&state, "games") > 5 && marked(&state, "placements") > 0
        };
        wait(&mut child, "a checkpoint with rows", known);
        kill(child);
        let state = state(&path.join("run"));
        let (games, placements) = (marked(&state, "games"), marked(&state, "placements"));
        let (_, data) = page(path, "run", &[]);
        let note = format!(
            "Unfinished: {games} of 10000000 games. To resume: tetrastat simulate --resume run"
        );
        assert_eq!(data["notes"][0], note);
        assert_eq!(data["outcome"]["comparison"]["controllers"][0]["n"], games, "{format}");
        let rows: Vec<&Value> = array(&data["tables"]).iter().map(|table| &table["rows"]).collect();
        assert_eq!(rows, [games, placements], "{format}");
        assert!(!array(&data["games"]).is_empty(), "games to replay");
        // A checkpoint is believed by its checksum.
        let whole = read(path, "run/checkpoint.json").replacen("10000000", "10000001", 1);
        fs::write(path.join("run/checkpoint.json"), whole).unwrap();
        let before = entries(path).len();
        fails(path, &["view", "run", "--force"], &["is damaged"]);
        assert_eq!(entries(path).len(), before, "nothing is left half-written");
    }
}

#[test]
fn a_killed_study_compares_its_complete_conditions() {
    let folder = folder();
    let path = folder.path();
    let counts = [("bcts", 5), ("lee", 5), ("lee", 10_000_000)];
    let conditions = counts
        .map(|(name, games)| format!("[[condition]]\ncontroller = '{name}'\ngames = {games}\n"));
    let study = "board = '8x8'\nplacements = 'none'\nmax_pieces = 300\nthreads = 1\n".to_owned();
    fs::write(path.join("study.toml"), study + &conditions.concat()).unwrap();
    let mut child = begin(path, "study study.toml --out study");
    let third = || {
        let folders = fs::read_dir(path.join("study")).into_iter().flatten().flatten();
        folders.map(|entry| entry.path()).find(|entry| entry.to_string_lossy().contains("/003-"))
    };
    wait(&mut child, "the third condition", || {
        third().is_some_and(|folder| folder.join("checkpoint.json").exists())
    });
    kill(child);
    let (_, data) = page(path, "study", &[]);
    let games = marked(&state(&third().unwrap()), "games");
    let notes = data["notes"].to_string();
    for words in [
        "2 of 3 conditions are complete; only they are compared.".to_owned(),
        format!(": {games} of 10000000 games so far."),
        "The command that started the study resumes it.".to_owned(),
    ] {
        assert!(notes.contains(&words), "{notes} lacks {words}");
    }
    assert_eq!(array(&data["outcome"]["comparison"]["controllers"]).len(), 2);
}

#[test]
fn a_killed_training_shows_its_generations() {
    let folder = folder();
    let path = folder.path();
    let words = "train cem --features lee --board 8x8 --population 10 --games 2 --max-pieces 60 --generations 1000000 --check-every 0 --out training";
    let mut child = begin(path, words);
    wait(&mut child, "some generations", || marked(&state(&path.join("training")), "history") > 3);
    kill(child);
    let generations = marked(&state(&path.join("training")), "history");
    let (_, data) = page(path, "training", &[]);
    assert_eq!(data["kind"], "training");
    let note = format!(
        "Unfinished: {generations} generations. To resume: tetrastat train cem --resume training"
    );
    assert_eq!(data["notes"][0], note);
    assert_eq!(array(&data["tables"][0]["data"][0]).len() as u64, generations);
    assert!(data["report"]["config"]["objective"].is_string(), "{}", data["report"]);
}
