//! `train` where games are too long to play: candidates by multilevel splitting, games to those in doubt, restarts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{folder, refused, rows, tetrastat, text};

/// Small estimates: four features on 10x8, 3,000 pieces of a replication.
const ESTIMATE: &str = "--features holes,landing_height,row_transitions,column_transitions --board 10x8 --objective estimate --games 4 --estimate-pieces 3000 --estimate-burn-in 200 --estimate-pilot-pieces 3000 --check-every 2 --check-games 4 --finalists 2 --final-games 4 --held-out-games 10 --generations 4 --seed 3";

fn trained(folder: &Path, args: &str) -> String {
    let output = tetrastat(folder, &args.split_whitespace().collect::<Vec<_>>());
    assert!(output.status.success(), "{args}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// What must be the same however a training was played: its tables, its controller, its state.
fn played(training: &Path) -> BTreeMap<&'static str, String> {
    let read = |name: &str| fs::read_to_string(training.join(name)).unwrap();
    let state = json(&training.join("checkpoint.json"))["state"]["state"].to_string();
    let winner = json(&training.join("train.json"))["winner"].to_string();
    let controller = read("controller.toml");
    let weights = controller.split("[weights]").nth(1).unwrap().to_owned();
    BTreeMap::from([
        ("history", read("history.csv")),
        ("state", state),
        ("winner", winner),
        ("weights", weights),
    ])
}

/// Every optimiser: one and two threads, and a training that goes on, come to the same; the standard errors are in the
/// table.
#[test]
#[ignore = "long: 10 s"]
fn long_estimates_do_not_depend_on_threads_and_go_on() {
    let folder = folder();
    for method in
        ["cem --population 6 --elite 2", "ga --population 6", "snes", "cmaes --start bcts --sd 0.1"]
    {
        let name = method.split(' ').next().unwrap();
        let begun = format!("train {method} {ESTIMATE}");
        let shown = trained(folder.path(), &format!("{begun} --threads 1 --out {name}-1"));
        assert!(shown.contains("mean lines, 95 % interval"), "{shown}");
        trained(folder.path(), &format!("{begun} --threads 2 --out {name}-2"));
        let short = begun.replace("--generations 4", "--generations 1");
        trained(folder.path(), &format!("{short} --out {name}-h"));
        trained(folder.path(), &format!("train --resume {name}-h --generations 4"));
        let at = |which: &str| played(&folder.path().join(format!("{name}-{which}")));
        assert_eq!(at("1"), at("2"), "{method}");
        assert_eq!(at("1"), at("h"), "{method}");
        let history = rows(&folder.path().join(format!("{name}-1/history.csv")));
        let number = |row: usize, column: &str| history[row][column].parse::<f64>();
        assert!(
            (0..4).all(|row| (0.001..3.0).contains(&number(row, "error").unwrap())),
            "{history:?}"
        );
        assert!(number(0, "held_out_error").is_err() && number(1, "held_out_error").unwrap() > 0.0);
        assert_eq!(history[3]["saved"], "0");
    }
    let plan = json(&folder.path().join("cmaes-1/train.json"))["plan"].clone();
    assert_eq!(
        (&plan["estimate"]["pieces"], &plan["estimate"]["most"]),
        (&3000.into(), &60_000.into())
    );
    assert!(plan["play"]["max_pieces"].is_null(), "{plan}");
}

/// Candidates near bcts on 10x8, by estimate and by 400 games each: the ranks agree (Spearman's rho 0.8 at least of 12, which
/// chance alone exceeds once in 600), and all but a twentieth of the differences lie within the errors.
#[test]
fn estimates_rank_candidates_as_games_do() {
    let folder = folder();
    let common = "train snes --features bcts --start bcts --board 10x8 --population 12 --sd 6 --generations 1 --check-every 0 --finalists 1 --seed 5 --population-log";
    let games = "--games 400 --max-pieces none --final-games 2 --held-out-games 10";
    trained(folder.path(), &format!("{common} {games} --out games"));
    let estimate = "--objective estimate --games 20 --estimate-pieces 4000 --estimate-burn-in 200 --estimate-pilot-pieces 10000 --final-games 2 --held-out-games 10";
    trained(folder.path(), &format!("{common} {estimate} --out estimate"));
    let values = |name: &str| -> Vec<f64> {
        let population = rows(&folder.path().join(name).join("population.csv"));
        population.iter().map(|row| row["value"].parse().unwrap()).collect()
    };
    let (played, estimated) = (values("games"), values("estimate"));
    let rank = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|x| values.iter().filter(|y| *y < x).count() as f64).collect()
    };
    let (a, b) = (rank(&played), rank(&estimated));
    let squares: f64 = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum();
    let rho = 1.0 - 6.0 * squares / (12.0 * 143.0);
    assert!(rho > 0.8, "rho {rho}: {played:?}, {estimated:?}");
    let error =
        rows(&folder.path().join("estimate/history.csv"))[0]["error"].parse::<f64>().unwrap();
    let error = error.hypot(1.0 / 400f64.sqrt());
    let far =
        played.iter().zip(&estimated).filter(|(mean, log)| (mean.ln() - **log).abs() > 4.0 * error);
    assert!(far.count() <= 1, "{played:?}, {estimated:?}, error {error}");
}

/// The cost of a candidate is bounded, and who was cut off ranks below: with hardly any room for splitting, replications
/// are cut, which the table tells.
#[test]
fn the_cost_of_a_candidate_is_bounded() {
    let folder = folder();
    let one = ESTIMATE.replace("--generations 4", "--generations 1");
    let args = format!("train cmaes --start bcts --sd 0.3 {one} --estimate-most 3100 --out t");
    trained(folder.path(), &args);
    let history = rows(&folder.path().join("t/history.csv"));
    let count = |column: &str| history[0][column].parse::<u64>().unwrap();
    assert!(count("pieces") <= 3100 * count("games") && count("censored") > 0, "{history:?}");
}

/// Halving plays half of the games and less, says so, and is the same for any number of threads; the best has played all.
#[test]
fn racing_leaves_games_out() {
    let folder = folder();
    let race = "train cmaes --population 8 --board 6x8 --games 8 --max-pieces none --generations 3 --check-every 0 --finalists 2 --final-games 5 --held-out-games 10 --racing halving --racing-rounds 3 --seed 2 --population-log";
    let shown = trained(folder.path(), &format!("{race} --threads 1 --out 1"));
    // 8 candidates x 2 games, 4 x 2 more, 2 x 4 more: 32 of 64.
    assert!(shown.contains("racing     left out 96 of 192 games, 50.0 %"), "{shown}");
    trained(folder.path(), &format!("{race} --threads 2 --out 2"));
    assert_eq!(played(&folder.path().join("1")), played(&folder.path().join("2")));
    let begun = race.replace("--generations 3", "--generations 1");
    trained(folder.path(), &format!("{begun} --out h"));
    trained(folder.path(), "train --resume h --generations 3");
    assert_eq!(played(&folder.path().join("1")), played(&folder.path().join("h")));
    let history = rows(&folder.path().join("1/history.csv"));
    assert!(
        history.iter().all(|row| (&*row["games"], &*row["saved"]) == ("32", "32")),
        "{history:?}"
    );
    // What the best played are the games of a training without a race.
    let whole = race
        .replace(" --racing halving --racing-rounds 3", "")
        .replace("--generations 3", "--generations 1");
    trained(folder.path(), &format!("{whole} --out whole"));
    let values = |name: &str| -> Vec<String> {
        let population = rows(&folder.path().join(name).join("population.csv"));
        population.iter().take(8).map(|row| row["value"].clone()).collect()
    };
    let (raced, all) = (values("1"), values("whole"));
    let same = raced.iter().zip(&all).filter(|(raced, all)| raced == all).count();
    assert!(same >= 2 && all.contains(&history[0]["best"]), "{raced:?}, {all:?}");
    assert_eq!(json(&folder.path().join("1/train.json"))["saved"], 96);
    for method in ["cem --elite 2", "ga --bounds=-1,1", "snes"] {
        let name = &method[..2];
        trained(folder.path(), &format!("{} --out {name}", race.replace("cmaes", method)));
    }
}

/// Runs follow one another, the table counts them, and a training that goes on is the same.
#[test]
fn cmaes_begins_anew() {
    let folder = folder();
    let args = "train cmaes --population 4 --board 6x8 --games 3 --generations 30 --restarts bipop --stagnation 4 --check-every 0 --finalists 2 --final-games 5 --held-out-games 10 --seed 2";
    trained(folder.path(), &format!("{args} --out straight"));
    let short = args.replace("--generations 30", "--generations 13");
    trained(folder.path(), &format!("{short} --out half"));
    trained(folder.path(), "train --resume half --generations 30");
    assert_eq!(played(&folder.path().join("straight")), played(&folder.path().join("half")));
    let history = rows(&folder.path().join("straight/history.csv"));
    let restarts: Vec<u64> = history.iter().map(|row| row["restarts"].parse().unwrap()).collect();
    assert!(restarts.is_sorted() && restarts[29] > 0, "{restarts:?}");
    let games: Vec<&str> = history.iter().map(|row| &*row["games"]).collect();
    assert!(games[0] == "12" && games.contains(&"24"), "{games:?}");
    let bounded = format!("{args} --max-candidates 20 --out bounded");
    let shown = trained(folder.path(), &bounded);
    assert!(shown.contains("stopped    20 candidates were scored"), "{shown}");
}

#[test]
fn mistakes_take_one_line() {
    let wrong = |args: &str, words: &[&str]| {
        let args: Vec<&str> = ["train"].into_iter().chain(args.split(' ')).collect();
        refused(&[&args[..], &["--out", "x"]].concat(), words);
    };
    wrong("cem --estimate-pieces 9", &["--objective estimate"]);
    wrong("cem --objective estimate --max-pieces 9", &["--max-pieces", "leave them out"]);
    wrong("cem --objective estimate --games 1", &["games 1", "two replications"]);
    wrong("cem --objective estimate --estimate-most 9", &["estimate-most 9"]);
    wrong("cem --objective estimate --estimate-importance hat", &["hat", "cells, height"]);
    wrong("cem --objective estimate --lost 7", &["its own rule"]);
    wrong("cem --objective estimate --queue sz", &["queue uniform"]);
    wrong("cem --objective estimate --robust-elite", &["robust-elite", "leave it out"]);
    wrong("cem --racing-rounds 3", &["--racing halving"]);
    wrong("cem --racing halving --games 3", &["games 3", "racing-rounds"]);
    wrong("cem --racing ocba", &["ocba", "halving"]);
    wrong("cem --restarts ipop", &["restarts"]);
    wrong("cmaes --restarts often", &["often", "bipop"]);
    wrong("cmaes --stagnation 9", &["stagnation 9", "restarts"]);
    wrong("snes --rules guideline --mode blitz --objective estimate", &["endless"]);
}
