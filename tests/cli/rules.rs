//! Guideline games under the rules of a user's own file, through the real binary.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::common::{command, folder, rows, tetrastat, text};

/// A set of rules is one file.
const SIX: &str = "name = 'six-no-hold'\npreviews = 6\nhold = false\n";
const PLAY: &str = "simulate --rules six.toml --sprint-lines 4 --games 3 --seed 5 --format json";

fn stdout(folder: &Path, line: &str) -> String {
    let args: Vec<&str> = line.split_whitespace().collect();
    let output = tetrastat(folder, &args);
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn config(folder: &Path, run: &str) -> Value {
    let text = fs::read_to_string(folder.join(run).join("run.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["config"].clone()
}

#[test]
fn six_previews_and_no_hold_are_a_file() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("six.toml"), SIX).unwrap();
    stdout(at, &format!("{PLAY} --out run"));
    stdout(at, &format!("{PLAY} --out one --shard 1/2"));
    stdout(at, &format!("{PLAY} --out two --shard 2/2"));
    let config = config(at, "run");
    assert_eq!(config["rules"], "six-no-hold");
    assert_eq!((&config["previews"], &config["hold"]), (&6.into(), &false.into()));
    assert_eq!(config["rule_set"]["lock_out"], true);
    // The run says its rules, so nothing below needs the file.
    fs::remove_file(at.join("six.toml")).unwrap();
    let table = fs::read_to_string(at.join("run/placements.csv")).unwrap();
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let seen = header.iter().filter(|name| name.starts_with("next")).count();
    assert_eq!(seen, 6, "{header:?}");
    let last = header.iter().rposition(|name| name.starts_with("next")).unwrap();
    let placements = rows(&at.join("run/placements.csv"));
    assert!(placements.iter().all(|row| row[header[last]] != "NA" && row["used_hold"] == "FALSE"));
    stdout(at, "verify run");
    stdout(at, "merge one two --out merged");
    let read = |run: &str| fs::read(at.join(run).join("placements.csv")).unwrap();
    assert!(read("merged") == read("run"));
    stdout(at, "convert run copy --format parquet");
    stdout(at, "convert copy back --format csv");
    assert!(read("back") == read("run"));
    let watched = stdout(at, "watch --replay run --text");
    assert!(watched.contains("six-no-hold"), "{watched}");
    stdout(at, "view run");
    assert!(fs::read_to_string(at.join("run.html")).unwrap().contains("six-no-hold"));
}

#[test]
fn a_run_goes_on_without_the_file_of_its_rules() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("six.toml"), SIX).unwrap();
    let line = "simulate --rules six.toml --games 4000 --sprint-lines 8 --placements none --seed 5";
    stdout(at, &format!("{line} --out whole"));
    let begun = format!("{line} --checkpoint-ms 0 --out parts");
    let args: Vec<&str> = begun.split_whitespace().collect();
    let mut child = command(at, &args).stdout(Stdio::null()).spawn().unwrap();
    while !at.join("parts/checkpoint.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "nothing was stopped");
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(at.join("six.toml")).unwrap();
    stdout(at, "simulate --resume parts");
    let read = |run: &str| fs::read(at.join(run).join("games.csv")).unwrap();
    assert!(read("parts") == read("whole"));
    assert_eq!(config(at, "parts")["rule_set"], config(at, "whole")["rule_set"]);
}

#[test]
fn studies_and_comparisons_play_under_a_file() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("plans")).unwrap();
    fs::write(at.join("plans/six.toml"), SIX).unwrap();
    let study = "rules = ['six.toml', 'capstone']\ngames = 2\nsprint_lines = 4\n";
    fs::write(at.join("plans/study.toml"), study).unwrap();
    stdout(at, "study plans/study.toml --out study");
    let conditions = fs::read_to_string(at.join("study/conditions.csv")).unwrap();
    assert!(conditions.contains("six-no-hold") && conditions.contains("capstone"), "{conditions}");
    let players = "tetrastat-sprint capstone-sprint:previews=2";
    stdout(at, &format!("compare {players} --rules plans/six.toml --games 2 --sprint-lines 4"));
}

#[test]
fn options_lie_over_a_file_and_presets_keep_their_values() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("own.toml"), "preset = 'capstone'\nhalf_turns = true\nprevious = 1").unwrap();
    let output = tetrastat(at, &["perft", "--rules", "own.toml"]);
    assert!(text(&output.stderr).contains("unknown key 'previous'"), "{output:?}");
    fs::write(at.join("own.toml"), "preset = 'capstone'\nhalf_turns = true").unwrap();
    let dry = |more: &str| -> Value {
        serde_json::from_str(&stdout(at, &format!("simulate --dry-run {more}"))).unwrap()
    };
    let own = dry("--rules own.toml --previews 3 --kicks srs+");
    assert_eq!((&own["rules"], &own["previews"]), (&"own (changed)".into(), &3.into()));
    assert_eq!((&own["half_turns"], &own["hold"]), (&true.into(), &true.into()));
    assert_eq!(own["rule_set"]["kicks"], "srs");
    let capstone = dry("--rules capstone --half-turns");
    assert_eq!(
        (&capstone["rules"], &capstone["preset"]),
        (&"guideline (changed)".into(), &"capstone".into())
    );
    assert_eq!((&capstone["previews"], &capstone["rule_set"]), (&5.into(), &Value::Null));
}
