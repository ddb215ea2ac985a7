//! `train` where games are too long to play: candidates by multilevel splitting, games to those in
//! doubt, restarts.

use crate::common::{folder, number, rows};
use crate::train::{json, steady, table, trained};

/// Small estimates: four features on 10x8, 3,000 pieces of a replication.
const ESTIMATE: &str = "--features holes,landing_height,row_transitions,column_transitions --board 10x8 --objective estimate --games 4 --estimate-pieces 3000 --estimate-burn-in 200 --estimate-pilot-pieces 3000 --check-every 2 --check-games 4 --finalists 2 --final-games 4 --held-out-games 10 --seed 3";

/// Estimates of every optimiser, with the standard errors in the table.
#[test]
#[ignore = "long: 10 s"]
fn long_estimates_do_not_depend_on_threads_and_go_on() {
    for method in
        ["cem --population 6 --elite 2", "ga --population 6", "snes", "cmaes --start bcts --sd 0.1"]
    {
        let (folder, shown) = steady(&format!("train {method} {ESTIMATE}"), 1, 4);
        assert!(shown.contains("mean lines, 95 % interval"), "{shown}");
        let history = table(&folder, "history.csv");
        assert!(
            history.iter().all(|row| (0.001..3.0).contains(&number(row, "error"))),
            "{history:?}"
        );
        assert_eq!((&*history[0]["held_out_error"], &*history[3]["saved"]), ("NA", "0"));
        assert!(number(&history[1], "held_out_error") > 0.0);
        let plan = &json(&folder.path().join("one/run.json"))["config"];
        assert!(
            plan["estimate"]["estimate_pieces"] == 3000
                && plan["estimate"]["estimate_most"] == 60_000
        );
        assert!(plan["play"]["max_pieces"].is_null(), "{plan}");
    }
}

/// Candidates near bcts on 10x8, by estimate and by 400 games each: the ranks agree (Spearman's rho
/// 0.8 at least of 12, which chance alone exceeds once in 600), and all but a twentieth of the
/// differences lie within the errors.
#[test]
fn estimates_rank_candidates_as_games_do() {
    let folder = folder();
    let common = "train snes --features bcts --start bcts --board 10x8 --population 12 --sd 6 --generations 1 --check-every 0 --finalists 1 --seed 5 --population-log --final-games 2 --held-out-games 10";
    let values = |out: &str, more: &str| -> Vec<f64> {
        trained(folder.path(), &format!("{common} {more} --out {out}"));
        let population = rows(&folder.path().join(out).join("population.csv"));
        population.iter().map(|row| number(row, "value")).collect()
    };
    let played = values("games", "--games 400 --max-pieces none");
    let estimated = values(
        "one",
        "--objective estimate --games 20 --estimate-pieces 4000 --estimate-burn-in 200 --estimate-pilot-pieces 10000",
    );
    let rank = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|x| values.iter().filter(|y| *y < x).count() as f64).collect()
    };
    let (a, b) = (rank(&played), rank(&estimated));
    let squares: f64 = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum();
    let rho = 1.0 - 6.0 * squares / (12.0 * 143.0);
    assert!(rho > 0.8, "rho {rho}: {played:?}, {estimated:?}");
    let error = number(&table(&folder, "history.csv")[0], "error").hypot(1.0 / 400f64.sqrt());
    let far =
        played.iter().zip(&estimated).filter(|(mean, log)| (mean.ln() - **log).abs() > 4.0 * error);
    assert!(far.count() <= 1, "{played:?}, {estimated:?}, error {error}");
}

/// The cost of a candidate is bounded, and who was cut off ranks below: with hardly any room for
/// splitting, replications are cut, which the table tells.
#[test]
fn the_cost_of_a_candidate_is_bounded() {
    let folder = folder();
    let args = format!("train cmaes --start bcts --sd 0.3 {ESTIMATE} --generations 1");
    trained(folder.path(), &format!("{args} --estimate-most 3100 --out one"));
    let first = &table(&folder, "history.csv")[0];
    let count = |column: &str| number(first, column);
    assert!(count("pieces") <= 3100.0 * count("games") && count("censored") > 0.0, "{first:?}");
}

/// Halving plays half of the games and less and says so; the best has played all.
#[test]
fn racing_leaves_games_out() {
    let whole = "train cmaes --population 8 --board 6x8 --games 8 --max-pieces none --check-every 0 --finalists 2 --final-games 5 --held-out-games 10 --seed 2 --population-log";
    let race = format!("{whole} --racing halving:3");
    let (folder, shown) = steady(&race, 1, 3);
    // 8 candidates x 2 games, 4 x 2 more, 2 x 4 more: 32 of 64.
    assert!(shown.contains("racing     left out 96 of 192 games, 50.0 %"), "{shown}");
    assert_eq!(json(&folder.path().join("one/run.json"))["saved"], 96);
    let history = table(&folder, "history.csv");
    for row in &history {
        assert_eq!((&*row["games"], &*row["saved"]), ("32", "32"));
    }
    // What the best played are the games of a training without a race.
    trained(folder.path(), &format!("{whole} --generations 1 --out whole"));
    let [raced, all] = ["one", "whole"].map(|name| -> Vec<String> {
        let population = rows(&folder.path().join(name).join("population.csv"));
        population.iter().take(8).map(|row| row["value"].clone()).collect()
    });
    let same = raced.iter().zip(&all).filter(|(raced, all)| raced == all).count();
    assert!(same >= 2 && all.contains(&history[0]["best"]), "{raced:?}, {all:?}");
    for method in ["cem --elite 2", "ga --bounds=-1,1", "snes"] {
        let line = race.replace("cmaes", method);
        trained(folder.path(), &format!("{line} --generations 3 --out {}", &method[..2]));
    }
}

/// Runs follow one another, and the table counts them.
#[test]
fn cmaes_begins_anew() {
    let train = "train cmaes --population 4 --board 6x8 --games 3 --restarts bipop --stagnation 4 --check-every 0 --finalists 2 --final-games 5 --held-out-games 10 --seed 2";
    let (folder, _) = steady(train, 13, 30);
    let history = table(&folder, "history.csv");
    let restarts: Vec<f64> = history.iter().map(|row| number(row, "restarts")).collect();
    assert!(restarts.is_sorted() && restarts[29] > 0.0, "{restarts:?}");
    assert!(history[0]["games"] == "12" && history.iter().any(|row| row["games"] == "24"));
    let bounded = format!("{train} --generations 30 --max-candidates 20 --out bounded");
    let shown = trained(folder.path(), &bounded);
    assert!(shown.contains("stopped    20 candidates were scored"), "{shown}");
}
