//! `tetrastat compare` on the real binary: the games are those of `simulate`; growing and being
//! stopped change no byte.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::common::{command, folder, interrupt, lasting_files, rows, run, tetrastat, text};

const THREE: [&str; 6] = ["compare", "bcts", "dt20", "dellacherie", "--board", "8x8"];

fn three<'a>(more: &[&'a str]) -> Vec<&'a str> {
    THREE.into_iter().chain(more.iter().copied()).collect()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let args = [args, &["--format", "json"]].concat();
    serde_json::from_str(&run(folder, &args)).unwrap()
}

#[test]
fn it_plays_until_intervals_are_narrow_and_the_games_are_those_of_simulate() {
    let folder = folder();
    let until = three(&["--until-halfwidth", "12%", "--out", "out"]);
    let found = json(folder.path(), &until);
    assert_eq!(found["stopped"], "half_width");
    let looks = found["looks"].as_array().unwrap();
    let games = looks.last().unwrap()["games"].as_u64().unwrap();
    assert!(looks.len() > 1 && looks[0]["games"] == 32 && games >= 200, "{looks:?}");
    for ranked in found["controllers"].as_array().unwrap() {
        let ends = ["low", "high"].map(|end| ranked[end].as_f64().unwrap());
        assert!(ends[1] - ends[0] <= 0.24 * ranked["mean"].as_f64().unwrap(), "{ranked}");
        assert_eq!(ranked["n"], games);
    }
    let played = games.to_string();
    let simulate = ["simulate", "--controller", "dt20", "--board", "8x8", "--placements", "none"];
    run(folder.path(), &[&simulate[..], &["--games", &played, "--out", "one"]].concat());
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    let grown = "out/002-dt20-8x8-uniform-greedy-s1";
    assert_eq!(read(&format!("{grown}/games.csv")), read("one/games.csv"));
    let verified = run(folder.path(), &["data", "verify", "out"]);
    assert!(verified.contains("games.csv"), "{verified}");
    // The same again plays nothing; a narrower interval plays on from there.
    let before = lasting_files(&folder.path().join("out"));
    assert_eq!(json(folder.path(), &until)["controllers"], found["controllers"]);
    assert_eq!(lasting_files(&folder.path().join("out")), before);
}

#[test]
fn threads_and_growing_change_nothing() {
    let folder = folder();
    let fixed = three(&["--games", "60"]);
    let one = json(folder.path(), &[&fixed[..], &["--threads", "1"]].concat());
    assert_eq!(one, json(folder.path(), &[&fixed[..], &["--threads", "3"]].concat()));
    for games in ["10", "25", "60"] {
        json(folder.path(), &three(&["--games", games, "--out", "grown"]));
    }
    let straight = json(folder.path(), &three(&["--games", "60", "--out", "straight"]));
    assert_eq!(straight["controllers"], one["controllers"]);
    let [grown, straight] =
        ["grown", "straight"].map(|out| lasting_files(&folder.path().join(out)));
    assert_eq!(grown, straight);
    // Fewer games than there are: all are compared.
    let fewer = json(folder.path(), &three(&["--games", "5", "--out", "grown"]));
    assert_eq!(fewer["controllers"], one["controllers"]);
    let other = three(&["--games", "60", "--seed", "2", "--out", "grown"]);
    let output = tetrastat(folder.path(), &other);
    assert_eq!(output.status.code(), Some(2), "another seed is another comparison");
}

/// The numbers of the printed JSON by hand, from the games.
#[test]
fn means_pairs_and_tables_agree_with_the_games() {
    let folder = folder();
    let args =
        ["compare", "dellacherie", "bcts", "--board", "8x8", "--games", "50", "--out", "out"];
    let found = json(folder.path(), &args);
    let lines = |run: &str| -> Vec<f64> {
        let games = format!("out/{run}-8x8-uniform-greedy-s1/games.csv");
        let games = rows(&folder.path().join(games));
        games.iter().map(|row| row["lines"].parse().unwrap()).collect()
    };
    let (dellacherie, bcts) = (lines("001-dellacherie"), lines("002-bcts"));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (first, second) = (mean(&bcts), mean(&dellacherie));
    assert!(first > second, "bcts ranks first: {first} {second}");
    assert_eq!(found["controllers"][0]["controller"], "bcts");
    assert_eq!(found["controllers"][0]["mean"], first);
    let pair = &found["pairs"][0];
    assert_eq!(
        (&pair["difference"]["mean"], &pair["ratio"]["mean"]),
        (&(first - second).into(), &(first / second).into())
    );
    let more = bcts.iter().zip(&dellacherie).filter(|(a, b)| a > b).count();
    assert_eq!(pair["wins"], more);
    assert_eq!(pair["p"], pair["p_adjusted"], "one pair needs no adjustment");
}

/// Killed twice and interrupted while it grows, a comparison comes to the bytes of one left alone.
#[cfg(unix)]
#[test]
fn a_comparison_that_was_stopped_goes_on_to_the_same_bytes() {
    let folder = folder();
    let args = |games: &'static str, out: &'static str| {
        ["compare", "bcts", "dt20", "--board", "10x10", "--games", games, "--out", out]
    };
    run(folder.path(), &args("80", "straight"));
    run(folder.path(), &args("8", "stopped"));
    let begin = || {
        let mut command = command(folder.path(), &args("80", "stopped"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for pause in [20, 60] {
        let mut child = begin();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let child = begin();
    std::thread::sleep(Duration::from_millis(80));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    // A machine fast enough to end before the interruption has nothing to go on with; one so slow
    // that the signal came before it was listened to is killed by it.
    if output.status.code() == Some(130) {
        assert!(text(&output.stderr).contains("the same command resumes the comparison"));
        assert!(text(&output.stdout).contains("bcts"), "what is done is printed");
    }
    run(folder.path(), &args("80", "stopped"));
    let [stopped, straight] =
        ["stopped", "straight"].map(|out| lasting_files(&folder.path().join(out)));
    assert_eq!(stopped, straight);
}

/// A comparison that ends by time must have games of all controllers and their intervals. The same
/// command without a time budget must then produce the bytes of an uninterrupted one.
#[test]
fn a_comparison_of_some_minutes_compares_what_was_played() {
    let folder = folder();
    // These games never end, and there are more of them than can be played.
    let args = ["compare", "lee", "dellacherie", "--board", "10x8", "--games", "1000000000"];
    let timed = [&args[..], &["--minutes", "0.05", "--format", "json"]].concat();
    let output = tetrastat(folder.path(), &timed);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(0), 1), "{said}");
    assert!(said.contains("the time of --minutes is over: the games are not kept"), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["stopped"], "minutes");
    let controllers = found["controllers"].as_array().unwrap();
    assert!(controllers.iter().all(|one| one["n"].as_u64() >= Some(8)), "{found}");
    assert!(controllers.iter().all(|one| one["low"].is_number()), "{found}");
    let missed = [&args[..5], &["--until-halfwidth", "0.01%", "--minutes", "0.01"]].concat();
    let output = tetrastat(folder.path(), &missed);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("was not reached: the time of --minutes is over"), "{said}");
}
