//! Runs that are killed or interrupted and resumed, with every option that they were begun with.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::common::{command, entries, fails, folder, manifest, run, tetrastat};

const WELL: &str = "####.#####\n####.#####\n####.#####\n####.#####\n";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn printed(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&run(folder, args)).unwrap()
}

/// Begins a run, and stops it by `signal` once it has another checkpoint than before and `is_due`.
fn stopped(folder: &Path, args: &[&str], out: &str, signal: &str, is_due: &dyn Fn(&Path) -> bool) {
    let out = folder.join(out);
    let mut begun = command(folder, args);
    let mut child = begun.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut checkpoints = BTreeSet::new();
    let before = fs::read(out.join("checkpoint.json")).is_ok();
    while checkpoints.len() < 1 + usize::from(before) || !is_due(&out) {
        assert!(child.try_wait().unwrap().is_none(), "{args:?} ended too early to be stopped");
        checkpoints.extend(fs::read(out.join("checkpoint.json")).ok());
        sleep(Duration::from_millis(1));
    }
    let _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(!child.wait().unwrap().success(), "{args:?} ended before it was stopped");
}

/// Plays a run as a whole, and again with stops by `signals`. The results are the same, and the
/// resumed run needs no file of rules.
fn is_resumed(
    files: &[(&str, &str)],
    args: &[&str],
    signals: &[&str],
    is_due: &dyn Fn(&Path) -> bool,
) {
    let folder = folder();
    let path = folder.path();
    for (name, content) in files {
        fs::write(path.join(name), content).unwrap();
    }
    let of_both = ["--format", "json", "--checkpoint-ms", "5", "--out"];
    let args = [&["simulate"], args, &of_both].concat();
    let whole = printed(path, &[&args[..], &["whole"]].concat());
    let mut begun = [&args[..], &["cut"]].concat();
    for signal in signals {
        stopped(path, &begun, "cut", signal, is_due);
        begun = vec!["simulate", "--resume", "cut"];
    }
    for (rules, _) in files.iter().filter(|(name, _)| name.ends_with(".toml")) {
        fs::remove_file(path.join(rules)).unwrap();
    }
    let again = printed(path, &begun);
    assert_eq!(whole["run"]["summary"], again["run"]["summary"], "{args:?}");
    let [of_whole, of_cut] = ["whole", "cut"].map(|run| manifest(&path.join(run)));
    for key in ["config", "files", "threads"] {
        assert_eq!(of_whole[key], of_cut[key], "{args:?}: {key}");
    }
    assert_eq!(of_cut["resumed"], true);
    let own = ["run.json", "datapackage.json"];
    let tables = entries(&path.join("whole")).into_iter();
    let tables = tables.filter(|file| own.iter().all(|name| !file.ends_with(name)));
    for table in tables {
        let other = path.join("cut").join(table.file_name().unwrap());
        assert!(fs::read(&table).unwrap() == fs::read(other).unwrap(), "{args:?}: {table:?}");
    }
    assert!(tetrastat(path, &["data", "verify", "cut"]).status.success());
    assert!(!path.join("cut/checkpoint.json").exists());
}

fn always(_: &Path) -> bool {
    true
}

/// Whether the run has written a hundred thousand bytes of candidates.
fn has_candidates(out: &Path) -> bool {
    fs::metadata(out.join("candidates.csv.partial")).is_ok_and(|file| file.len() > 100_000)
}

/// Whether both games of the run are in progress.
fn has_open_games(out: &Path) -> bool {
    let point = fs::read(out.join("checkpoint.json")).unwrap_or_default();
    let point: Value = serde_json::from_slice(&point).unwrap_or_default();
    point["state"]["state"]["open"].as_array().is_some_and(|open| open.len() == 2)
}

/// Every option is known again, in whatever form it was given.
#[test]
fn a_resumed_run_has_the_options_that_it_was_begun_with() {
    let options = "--columns=minimal,holes --placements=csv.gz --sample-games=0.5 --search=next --seed=0x10 --threads=1 --games=200 --board=6x10 --max-pieces=1k --cycle --progress none";
    let args = [&words(options)[..], &["--script", "two words.txt"]].concat();
    is_resumed(&[("two words.txt", "IOTSZJL")], &args, &["-KILL"], &always);
}

#[test]
fn a_resumed_run_has_its_rules_board_queue_and_candidates() {
    let six = ("six.toml", "name = 'six-no-hold'\npreviews = 6\nhold = false\n");
    let options = "--rules six.toml --games 2000 --sprint-lines 8 --placements none --seed 5";
    is_resumed(&[six], &words(options), &["-KILL"], &always);
    let options = "--rules guideline --mode blitz --pieces 16 --games 60 --queue uniform --board-file b.txt --candidates --threads 2";
    is_resumed(&[("b.txt", WELL)], &words(options), &["-KILL"], &has_candidates);
}

/// A run that is killed in the middle of its games continues them, with their bag or history of
/// pieces and with the futures that a beam looks at.
#[test]
fn a_long_game_is_resumed_in_the_middle() {
    for queue in ["bag:3", "nes", "tgm3"] {
        let options = format!(
            "--games 1 --max-pieces 400000 --seed 5 --sample 0 --placements none --queue {queue}"
        );
        is_resumed(&[], &words(&options), &["-KILL"], &always);
    }
    for more in ["--pieces 60000", "--pieces 9000 --search beam --beam-width 2 --beam-futures 2"] {
        let options = format!(
            "--rules guideline --mode endless --games 2 --seed 4 --threads 2 --placements none {more}"
        );
        is_resumed(&[], &words(&options), &["-KILL"], &has_open_games);
    }
}

#[test]
#[ignore = "long: 6 s"]
fn long_a_killed_and_interrupted_run_is_resumed() {
    for format in ["csv", "parquet"] {
        let options = format!(
            "--rules guideline --mode blitz --pieces 60 --games 150 --seed 5 --threads 2 --placements {format}"
        );
        is_resumed(&[], &words(&options), &["-KILL", "-INT"], &always);
    }
}

/// A command refuses to resume a run that another command began, and names that command.
#[test]
fn what_another_command_has_begun_is_told_apart() {
    let folder = folder();
    let path = folder.path();
    let killed = |args: &str, out: &str| stopped(path, &words(args), out, "-KILL", &always);
    killed("simulate --rules liap --rounds 1000000000 --checkpoint-ms 0 --out liap", "liap");
    killed("simulate --rules guideline --games 1000000 --out sprints", "sprints");
    let study = "controllers = ['bcts']\nseeds = [1]\ngames = 100000\nplacements = 'none'\n";
    fs::write(path.join("s.toml"), study).unwrap();
    let first = "study/001-bcts-10x20-uniform-greedy-s1";
    killed("study s.toml --out study", first);
    for (args, parts) in [
        ("simulate --resume liap --seed 2", ["leave out --seed", ""]),
        ("train cem --resume sprints", ["started by simulate", "simulate --resume sprints"]),
        ("simulate --resume sprints --rules guideline", ["leave out --rules", ""]),
        (&format!("simulate --resume {first}"), ["a study or comparison", "again"]),
    ] {
        fails(path, &words(args), &parts);
    }
}
