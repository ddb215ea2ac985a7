//! Explanations in Replay: the terms of every shown placement, compared with the log and the
//! candidates of the same run.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{CLASSIC, array, column, number, page, play, study};
use crate::common::{done, folder, rows};

/// Parses numbers joined by commas; an empty text means 0.
fn numbers(text: &Value) -> Vec<f64> {
    let number = |text: &str| if text.is_empty() { 0.0 } else { text.parse().unwrap() };
    text.as_str().unwrap().split(',').map(number).collect()
}

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-6 * wanted.abs().max(1.0)
}

/// A shown placement: game, number, terms by name, their sum, the sum of the runner-up's terms, and
/// the logged value.
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
    for game in array(&data["games"]) {
        let explained = &game["explained"];
        assert_eq!(explained["missing"], Value::Null);
        let terms = array(&explained["terms"]).iter().map(|term| term.as_str().unwrap().to_owned());
        let terms: Vec<String> = terms.collect();
        let (choices, numbered) = (array(&explained["rows"]), column(game, "piece_no"));
        assert_eq!(choices.len(), numbered.len());
        for (at, choice) in choices.iter().enumerate() {
            assert!(choice.is_array(), "placement {} of {}", numbered[at], game["game"]);
            let weights = array(choice.get(6).unwrap_or(&explained["weights"]));
            let sum = |values: &[f64]| -> f64 {
                assert_eq!([values.len(), weights.len()], [terms.len(); 2], "all terms are there");
                values.iter().zip(weights).map(|(value, weight)| value * number(weight)).sum()
            };
            let mine = numbers(&choice[0]);
            all.push(Shown {
                game: game["game"].to_string(),
                number: numbered[at].to_string(),
                sum: sum(&mine),
                runner_up: choice[1].is_string().then(|| sum(&numbers(&choice[1]))),
                value: column(game, "score")[at].as_f64(),
                terms: terms.iter().cloned().zip(mine).collect(),
                choice: choice.clone(),
            });
        }
    }
    all
}

/// Plays a run and returns the explained placements of its page.
fn explained(path: &Path, words: &str) -> (Value, Vec<Shown>) {
    done(path, &format!("simulate {words} --out run --force"));
    let (_, data) = page(path, "run", &[]);
    let found = shown(&data);
    assert!(found.len() > 60, "{words}: {}", found.len());
    (data, found)
}

#[test]
fn all_terms_of_a_guideline_placement_add_up_to_its_value() {
    let folder = folder();
    for (mode, names) in [("blitz --pieces 90 --games 4", 44), ("sprint --games 3", 9)] {
        let words = format!("--rules guideline --mode {mode} --placements csv --candidates");
        let (_, found) = explained(folder.path(), &words);
        let mut candidates: BTreeMap<_, Vec<BTreeMap<String, String>>> = BTreeMap::new();
        for row in rows(&folder.path().join("run/candidates.csv")) {
            let key = [&row["game"], &row["piece_no"]].map(String::clone);
            candidates.entry(key).or_default().push(row);
        }
        for shown in &found {
            assert_eq!(shown.terms.len(), names);
            assert!(close(shown.sum, shown.value.unwrap()), "{} {:?}", shown.sum, shown.value);
            let all = &candidates[&[&shown.game, &shown.number].map(String::clone)];
            let chosen = all.iter().find(|row| row["chosen"] == "TRUE").unwrap();
            for (term, value) in &shown.terms {
                assert_eq!(value.to_string(), chosen[term], "{term} at {}", shown.number);
            }
            let score = |row: &BTreeMap<String, String>| row["own_score"].parse::<f64>().unwrap();
            // If the chosen placement wins the game, the others have no value, so there is no
            // runner-up.
            let others = all.iter().filter(|row| row["chosen"] != "TRUE" && row["score"] != "NA");
            let best = others.map(score).max_by(f64::total_cmp);
            assert!(best.is_none_or(|best| close(shown.runner_up.unwrap(), best)));
        }
        if names == 44 {
            let spins = found.iter().filter(|shown| shown.terms["t_spin_2"] == 1.0);
            assert!(spins.count() > 3, "the T-spin doubles are explained as such");
        }
    }
}

#[test]
fn all_terms_of_a_classic_placement_add_up_to_its_value() {
    let folder = folder();
    for player in ["greedy bcts", "next dellacherie", "expect lee", "greedy notebook-8"] {
        let player = player.replace(' ', " --controller ");
        let words =
            format!("--search {player} --board 10x10 --games 4 --max-pieces 150 --placements csv");
        let (_, found) = explained(folder.path(), &words);
        let mut valued = 0;
        for shown in &found {
            // A placement that loses the game, or that no piece can follow, has no value.
            let Some(value) = shown.value else { continue };
            assert!(close(shown.sum, value), "{player}: {} {value}", shown.sum);
            valued += 1;
        }
        assert!(valued > 60, "{valued}");
    }
}

/// The page must name the part of a value that comes from a beam or a network, so that no term
/// seems to be missing.
#[test]
fn what_terms_do_not_explain_is_named() {
    let folder = folder();
    for (controller, rest) in [
        ("tetrastat-blitz", "the best placements of the pieces after it"),
        ("tetrastat-blitz-network", "the network and the best placements of the pieces after it"),
    ] {
        let words = format!(
            "--rules guideline --mode blitz --games 2 --pieces 40 --search beam --beam-width 4 --placements csv --controller {controller}"
        );
        let (data, found) = explained(folder.path(), &words);
        assert_eq!(data["games"][0]["explained"]["rest"], rest);
        assert!(found.iter().filter(|shown| shown.value.is_some()).count() > 60);
        // The rank is above 0 if the beam preferred a placement that is not the best by its own
        // terms.
        assert!(found.iter().any(|shown| shown.choice[4].as_u64() > Some(0)));
    }
}

#[test]
fn a_log_with_gaps_and_a_study_are_explained_as_far_as_known() {
    let folder = folder();
    let path = folder.path();
    play(path, &[&CLASSIC[..], &["--every", "10"]].concat());
    let (_, data) = page(path, "run", &[]);
    let rows = array(&data["games"][0]["explained"]["rows"]);
    assert!(rows[0].is_array() || rows.iter().all(Value::is_null), "{rows:?}");
    assert!(rows[1..].iter().all(Value::is_null), "the board before is not in the log");
    // Each condition of a study is explained by its own controller.
    study(path, "games = 3\nplacements = 'csv'");
    let (_, data) = page(path, "study", &[]);
    let counts: Vec<usize> = shown(&data).iter().map(|shown| shown.terms.len()).collect();
    assert!(counts.contains(&8) && counts.contains(&4), "bcts has 8 terms, lee 4");
    for shown in shown(&data) {
        assert!(shown.value.is_none_or(|value| close(shown.sum, value)));
    }
}
