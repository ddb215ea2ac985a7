//! Explanations in Replay: the terms of every shown placement, compared with the log and the candidates of the same
//! run.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{CLASSIC, page, play};
use crate::common::{folder, rows};

/// Parses numbers joined by commas; an empty text means 0.
fn numbers(text: &Value) -> Vec<f64> {
    let number = |text: &str| if text.is_empty() { 0.0 } else { text.parse().unwrap() };
    text.as_str().unwrap().split(',').map(number).collect()
}

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-6 * wanted.abs().max(1.0)
}

/// A shown placement: game, number, terms by name, their sum, the sum of the runner-up's terms, and the logged value.
struct Shown {
    game: String,
    number: String,
    terms: BTreeMap<String, f64>,
    sum: f64,
    runner_up: Option<f64>,
    value: Option<f64>,
    choice: Value,
}

/// Returns every explained placement of a page. Fails if a shown placement has no explanation.
fn shown(data: &Value) -> Vec<Shown> {
    let mut all = Vec::new();
    for game in data["games"].as_array().unwrap() {
        let names: Vec<&str> = game["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| column["name"].as_str().unwrap())
            .collect();
        let column = |name: &str| &game["data"][names.iter().position(|n| *n == name).unwrap()];
        let explained = &game["explained"];
        assert_eq!(explained["missing"], Value::Null);
        let terms: Vec<&str> =
            explained["terms"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
        let choices = explained["rows"].as_array().unwrap();
        let numbered = column("piece_no").as_array().unwrap();
        assert_eq!(choices.len(), numbered.len());
        for (at, choice) in choices.iter().enumerate() {
            assert!(choice.is_array(), "placement {} of {}", numbered[at], game["game"]);
            let weights = choice.get(6).unwrap_or(&explained["weights"]).as_array().unwrap();
            assert_eq!(weights.len(), terms.len());
            let sum = |values: &[f64]| -> f64 {
                assert_eq!(values.len(), terms.len(), "all terms are there");
                values.iter().zip(weights).map(|(value, w)| value * w.as_f64().unwrap()).sum()
            };
            let mine = numbers(&choice[0]);
            all.push(Shown {
                game: game["game"].to_string(),
                number: numbered[at].to_string(),
                sum: sum(&mine),
                runner_up: choice[1].is_string().then(|| sum(&numbers(&choice[1]))),
                value: column("score")[at].as_f64(),
                terms: terms.iter().map(|name| (*name).to_owned()).zip(mine).collect(),
                choice: choice.clone(),
            });
        }
    }
    all
}

/// Plays a run and returns the explained placements of its page.
fn explained(path: &Path, words: &[&str]) -> (Value, Vec<Shown>) {
    play(path, &[words, &["--force"]].concat());
    let (_, data) = page(path, "run", &[]);
    let found = shown(&data);
    assert!(found.len() > 60, "{words:?}: {}", found.len());
    (data, found)
}

#[test]
fn all_terms_of_a_guideline_placement_add_up_to_its_value() {
    let folder = folder();
    for sprint in [false, true] {
        let blitz = ["--rules", "guideline", "--mode", "blitz", "--pieces", "90", "--games", "4"];
        let sprints = ["--rules", "guideline", "--mode", "sprint", "--games", "3"];
        let words = if sprint { &sprints[..] } else { &blitz[..] };
        let logs = ["--placements", "csv", "--candidates"];
        let (_, found) = explained(folder.path(), &[words, &logs].concat());
        let mut candidates: BTreeMap<(String, String), Vec<BTreeMap<String, String>>> =
            BTreeMap::new();
        for row in rows(&folder.path().join("run/candidates.csv")) {
            let row: BTreeMap<String, String> = row.into_iter().collect();
            let key = (row["game"].clone(), row["piece_no"].clone());
            candidates.entry(key).or_default().push(row);
        }
        let names = if sprint { 9 } else { 44 };
        for shown in &found {
            assert_eq!(shown.terms.len(), names);
            assert!(close(shown.sum, shown.value.unwrap()), "{} {:?}", shown.sum, shown.value);
            let all = &candidates[&(shown.game.clone(), shown.number.clone())];
            let chosen = all.iter().find(|row| row["chosen"] == "TRUE").unwrap();
            for (term, value) in &shown.terms {
                assert_eq!(value.to_string(), chosen[term], "{term} at {}", shown.number);
            }
            let score = |row: &BTreeMap<String, String>| row["own_score"].parse::<f64>().unwrap();
            // If the chosen placement wins the game, the others have no value, so there is no runner-up.
            let others = all.iter().filter(|row| row["chosen"] != "TRUE" && row["score"] != "NA");
            let best = others.map(score).max_by(f64::total_cmp);
            assert!(best.is_none_or(|best| close(shown.runner_up.unwrap(), best)));
        }
        if !sprint {
            let spins = found.iter().filter(|shown| shown.terms["t_spin_2"] == 1.0);
            assert!(spins.count() > 3, "the T-spin doubles are explained as such");
        }
    }
}

#[test]
fn all_terms_of_a_classic_placement_add_up_to_its_value() {
    let folder = folder();
    for (search, controller) in
        [("greedy", "bcts"), ("next", "dellacherie"), ("expect", "lee"), ("greedy", "notebook-8")]
    {
        let words = ["--search", search, "--controller", controller, "--board", "10x10"];
        let rest = ["--games", "4", "--max-pieces", "150", "--placements", "csv"];
        let (_, found) = explained(folder.path(), &[words, rest].concat());
        let mut valued = 0;
        for shown in &found {
            // A placement that loses the game, or that no piece can follow, has no value.
            let Some(value) = shown.value else { continue };
            assert!(close(shown.sum, value), "{search} {controller}: {} {value}", shown.sum);
            valued += 1;
        }
        assert!(valued > 60, "{valued}");
    }
}

/// The page must name the part of a value that comes from a beam or a network, so that no term seems to be missing.
#[test]
fn what_terms_do_not_explain_is_named() {
    let folder = folder();
    let blitz = ["--rules", "guideline", "--mode", "blitz", "--games", "2", "--pieces", "40"];
    let beam = ["--search", "beam", "--beam-width", "4", "--placements", "csv"];
    for (controller, rest) in [
        ("tetrastat-blitz", "the best placements of the pieces after it"),
        ("tetrastat-blitz-network", "the network and the best placements of the pieces after it"),
    ] {
        let (data, found) =
            explained(folder.path(), &[&blitz[..], &beam, &["--controller", controller]].concat());
        assert_eq!(data["games"][0]["explained"]["rest"], rest);
        let candidates: Vec<&Shown> = found.iter().filter(|shown| shown.value.is_some()).collect();
        assert!(candidates.len() > 60);
        // The rank is above 0 if the beam preferred a placement that is not the best by its own terms.
        assert!(found.iter().any(|shown| shown.choice[4].as_u64() > Some(0)));
    }
}

#[test]
fn a_log_with_gaps_and_a_study_are_explained_as_far_as_known() {
    let folder = folder();
    let path = folder.path();
    play(path, &[&CLASSIC[..], &["--every", "10"]].concat());
    let (_, data) = page(path, "run", &[]);
    let rows = data["games"][0]["explained"]["rows"].as_array().unwrap();
    assert!(rows[0].is_array() || rows.iter().all(Value::is_null), "{rows:?}");
    assert!(rows[1..].iter().all(Value::is_null), "the board before is not in the log");
    // Each condition of a study is explained by its own controller.
    let study = "games = 3\nboard = \"8x8\"\nplacements = \"csv\"\nmax_pieces = 60\n[[condition]]\ncontroller = \"bcts\"\n[[condition]]\ncontroller = \"lee\"\n";
    std::fs::write(path.join("study.toml"), study).unwrap();
    super::run(path, &["study", "study.toml", "--out", "study"]);
    let (_, data) = page(path, "study", &[]);
    let counts: Vec<usize> = shown(&data).iter().map(|shown| shown.terms.len()).collect();
    assert!(counts.contains(&8) && counts.contains(&4), "bcts has 8 terms, lee 4");
    for shown in shown(&data) {
        assert!(shown.value.is_none_or(|value| close(shown.sum, value)));
    }
}
