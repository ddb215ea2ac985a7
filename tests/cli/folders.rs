//! Output folders: the same command goes on, a different one is refused, and nothing that was
//! damaged is believed. tests/messages: replaced.md has what `--force` replaces, merged.md what
//! `data merge` joins.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::common::{Files, command, fails, files, folder, run};

const CLASSIC: &str = "simulate --board 6x8 --games 40 --max-pieces 300 --seed 5 --sample 0 --placements csv.gz --checkpoint-ms 1";
const GUIDELINE: &str =
    "simulate --rules guideline --mode blitz --pieces 30 --games 60 --seed 5 --checkpoint-ms 1";
const LIAP: &str = "simulate --rules liap --rounds 20000 --seed 5 --checkpoint-ms 1";
const TRAIN: &str = "train cem --features holes,landing_height --board 6x8 --population 10 --elite 3 --generations 12 --games 4 --max-pieces 200 --check-every 0 --final-games 20 --held-out-games 20 --seed 5";
const ESTIMATE: &str =
    "estimate --board 6x8 --pieces 2000 --burn-in 100 --pilot-pieces 5000 --budget 60000 --seed 5";

fn words<'a>(line: &'a str, out: &'a str) -> Vec<&'a str> {
    line.split_whitespace().chain(["--out", out]).collect()
}

fn done(folder: &Path, line: &str, out: &str) {
    run(folder, &words(line, out));
}

/// Runs what must be refused in one line that has all these words, and must change no file.
fn refuses(folder: &Path, line: &str, has: &[&str]) {
    let before = files(&folder.join("kept"));
    fails(folder, &words(line, "kept"), has);
    assert!(before == files(&folder.join("kept")), "{line} changed something");
}

/// Starts a command, and kills it as soon as `is_begun`, or a while later.
fn kill(folder: &Path, line: &str, is_begun: impl Fn() -> bool, pause: u64) {
    let mut command = command(folder, &words(line, "kept"));
    let mut child: Child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !is_begun() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(pause));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The tables of a folder by name, with those of its runs.
fn tables(folder: &Path) -> Files {
    let mut found = files(folder);
    found.retain(|name, _| {
        let name = name.rsplit('/').next().unwrap_or_default();
        name.contains(".csv") || name.ends_with(".parquet") || name == "controller.toml"
    });
    found
}

/// Every command with --out: killed as soon as there is something to go on from, the same command
/// goes on to the bytes of one that was left alone; given again it plays nothing; a different one
/// is refused, naming what differs.
#[cfg(unix)]
#[test]
fn the_same_command_goes_on_and_another_is_refused() {
    let compare = "compare bcts dellacherie --board 6x8 --games 60 --max-pieces 300 --seed 5";
    let shard =
        "simulate --board 6x8 --games 40 --max-pieces 300 --seed 5 --checkpoint-ms 1 --shard 2/3";
    for (line, differing, named) in [
        (CLASSIC, "--seed 6", "seed is 0x0000000000000005 there, 0x0000000000000006 here"),
        (CLASSIC, "--placements parquet", "log.format is csv.gz there, parquet here"),
        (shard, "--max-pieces 200", "max_pieces is 300 there, 200 here"),
        (GUIDELINE, "--games 61", "games is 60 there, 61 here"),
        (LIAP, "--controller v1", "declarers is"),
        (TRAIN, "--games 5", "play.games is 4 there, 5 here"),
        (ESTIMATE, "--burn-in 101", "burn_in is 100 there, 101 here"),
        (compare, "--max-pieces 200", "max_pieces is 300 there, 200 here"),
    ] {
        let folder = folder();
        let path = folder.path();
        done(path, line, "straight");
        // An empty folder is a fresh one.
        fs::create_dir(path.join("kept")).unwrap();
        for pause in [0, 30] {
            kill(path, line, || !files(&path.join("kept")).is_empty(), pause);
        }
        for _ in 0..2 {
            done(path, line, "kept");
            assert!(tables(&path.join("straight")) == tables(&path.join("kept")), "{line}");
        }
        let (option, value) = differing.split_once(' ').unwrap();
        let mut other: Vec<&str> = line.split_whitespace().collect();
        match other.iter().position(|word| *word == option) {
            Some(place) => other[place + 1] = value,
            None => other.extend([option, value]),
        }
        refuses(path, &other.join(" "), &["kept", named, "another --out"]);
    }
}

#[test]
fn what_was_damaged_is_not_believed() {
    for (line, tables) in [
        (CLASSIC, "games.csv placements.csv.gz"),
        (GUIDELINE, "games.csv placements.csv"),
        (LIAP, "matches.csv rounds.csv declarations.csv"),
        (TRAIN, "history.csv"),
    ] {
        let folder = folder();
        let path = folder.path();
        let run = path.join("kept");
        let partial: Vec<String> =
            tables.split(' ').map(|name| format!("{name}.partial")).collect();
        // Rows of each table are on disk, and a checkpoint that knows them.
        let is_begun = || {
            let state = fs::read_to_string(run.join("checkpoint.json")).unwrap_or_default();
            let is_known = |rest: &str| {
                rest.starts_with(|c: char| ('1'..='9').contains(&c)) && rest.find(',') > Some(3)
            };
            state.split("\"bytes\":").skip(1).any(is_known)
                && fs::metadata(run.join(&partial[0])).is_ok_and(|file| file.len() > 1000)
        };
        kill(path, line, is_begun, 0);
        if !run.join("checkpoint.json").exists() || run.join("run.json").exists() {
            continue;
        }
        for name in partial.iter().map(String::as_str).chain(["checkpoint.json"]) {
            let file = run.join(name);
            let whole = fs::read(&file).unwrap();
            let mut changed = whole.clone();
            // Near the beginning: behind what a checkpoint knows of, bytes are written again.
            changed[12] ^= 1;
            for damaged in [changed, Vec::new()] {
                fs::write(&file, damaged).unwrap();
                refuses(path, line, &["kept", name, "restore it from a copy, or remove kept"]);
            }
            fs::remove_file(&file).unwrap();
            if let Some(finished) = name.strip_suffix(".partial") {
                refuses(path, line, &[finished, "is missing"]);
            }
            fs::write(&file, whole).unwrap();
        }
        done(path, line, "kept");
        done(path, line, "straight");
        assert!(self::tables(&run) == self::tables(&path.join("straight")), "{line}");
    }
}

#[test]
fn a_damaged_estimate_is_not_believed() {
    let folder = folder();
    let path = folder.path();
    done(path, ESTIMATE, "kept");
    let before = tables(&path.join("kept"));
    let levels = fs::read_to_string(path.join("kept/levels.csv")).unwrap();
    for name in ["checkpoint.json", "replications.csv"] {
        let file = path.join("kept").join(name);
        let whole = fs::read_to_string(&file).unwrap();
        let place = whole.find(|c: char| ('2'..='8').contains(&c)).unwrap();
        for place in [place, whole.len() / 2] {
            let mut changed = whole.clone().into_bytes();
            changed[place] ^= 1;
            fs::write(&file, changed).unwrap();
            refuses(path, ESTIMATE, &[name, "remove kept"]);
        }
        fs::write(&file, whole).unwrap();
    }
    // The levels are computed from the replications.
    fs::write(path.join("kept/levels.csv"), "level,threshold\n7,8\n").unwrap();
    refuses(path, ESTIMATE, &["levels.csv"]);
    fs::write(path.join("kept/levels.csv"), levels).unwrap();
    done(path, ESTIMATE, "kept");
    assert!(before == tables(&path.join("kept")));
    // Without its checkpoint, an estimate has lost the replications.
    fs::remove_file(path.join("kept/checkpoint.json")).unwrap();
    refuses(path, ESTIMATE, &["no checkpoint to resume from", "choose another"]);
}
