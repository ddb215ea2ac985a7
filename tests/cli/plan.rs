//! `tetrastat plan --pilot` on the real binary: runs of any game that were played say how many games it takes.

use std::path::Path;

use serde_json::Value;

use crate::common::{folder, rows, tetrastat, text};

fn printed(folder: &Path, line: &str) -> String {
    let output = tetrastat(folder, &line.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&printed(folder, &format!("{line} --format json"))).unwrap()
}

/// The pieces of a run's games.
fn pieces(folder: &Path) -> Vec<f64> {
    rows(&folder.join("games.csv")).iter().map(|game| game["pieces"].parse().unwrap()).collect()
}

fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

/// Two Sprints on common seeds: the plan is the documented formula, of the games of both runs.
#[test]
fn sprints_are_planned_by_what_common_seeds_say() {
    let folder = folder();
    let sprint =
        "simulate --rules guideline --sprint-lines 8 --games 40 --seed 3 --placements none";
    for (controller, out) in [("tetrastat-sprint", "a"), ("tetrastat-blitz-greedy", "b")] {
        printed(folder.path(), &format!("{sprint} --controller {controller} --out {out}"));
    }
    let [one, two] = ["a", "b"].map(|out| pieces(&folder.path().join(out)));
    let differences: Vec<f64> = one.iter().zip(&two).map(|(one, two)| one - two).collect();
    let (mean, sd) = moments(&differences);
    let found = json(folder.path(), "plan --pilot a b");
    assert_eq!((&found["measure"], &found["scale"]), (&"pieces".into(), &"total".into()));
    let pair = &found["pairs"][0];
    assert_eq!(pair["test"], "sign-flip");
    assert!((pair["effect"].as_f64().unwrap() - mean).abs() < 1e-9, "{pair}");
    let (z, power) = (1.959_963_985_f64, 0.841_621_234);
    let games = |effect: f64| (((z + power) * sd / effect).powi(2) + z * z / 2.0).ceil() as u64;
    assert_eq!(pair["games"], games(mean).max(10));
    assert!(pair["correlation"].is_f64() && pair["between"].is_array(), "{pair}");
    let asked = json(folder.path(), "plan --pilot a b --difference 2%");
    assert_eq!(asked["games"], games(0.02 * moments(&two).0).max(10));
    assert!(asked["pairs"][0]["between"].is_null());

    let known = printed(folder.path(), "plan --pilot a --halfwidth 0.5% --measure lines");
    assert!(known.contains("tetrastat-sprint") && known.contains("games of each give"), "{known}");
    // Another seed has no games in common.
    printed(folder.path(), &format!("{} --out c", sprint.replace("--seed 3", "--seed 4")));
    let found = json(folder.path(), "plan --pilot a b c");
    let correlations: Vec<bool> =
        (0..3).map(|pair| found["pairs"][pair]["correlation"].is_null()).collect();
    assert_eq!(correlations, [false, true, true]);
    assert_eq!(found["alpha_of_each"], 0.05 / 3.0);
}

/// A comparison that was kept is a pilot, too; games that were cut off are counted by log-rank.
#[test]
fn a_comparison_is_a_pilot() {
    let folder = folder();
    let line = "compare bcts dt20 --board 6x8 --games 60 --max-pieces 400 --out kept";
    printed(folder.path(), line);
    let found = json(folder.path(), "plan --pilot kept --power 90%");
    let pair = &found["pairs"][0];
    let [one, two] = [0, 1].map(|place| {
        let condition = &found["conditions"][place];
        let of = |name: &str| condition[name].as_f64().unwrap();
        ((of("games") - of("censored")) / of("games"), of("mean"))
    });
    assert!(one.0 < 1.0, "{found}");
    let log = (one.1 / two.1).ln();
    let games = ((1.959_964_f64 + 1.281_552).powi(2) * (1.0 / one.0 + 1.0 / two.0)) / (log * log);
    let planned = pair["games"].as_f64().unwrap();
    assert!(pair["test"] == "log-rank" && (planned / games - 1.0).abs() < 0.01, "{pair}");
    let shown = printed(folder.path(), "plan --pilot kept --power 90%");
    assert!(shown.contains("distinguish every pair, each with power 0.9"), "{shown}");
    assert!(shown.contains("log-rank"), "{shown}");
}

#[test]
fn pilots_that_say_nothing_are_refused_in_one_line() {
    let folder = folder();
    let dir = folder.path();
    printed(dir, "simulate --board 6x8 --games 20 --placements none --out one");
    printed(
        dir,
        "simulate --rules guideline --sprint-lines 2 --games 5 --placements none --out two",
    );
    printed(dir, "simulate --board 6x8 --queue sz --games 2 --placements none --out same");
    for (line, words) in [
        ("plan --pilot one", vec!["one run", "--halfwidth"]),
        ("plan --pilot one two", vec!["runs of different games"]),
        ("plan --pilot two two", vec!["5 games", "longer pilot"]),
        ("plan --pilot one same", vec!["the same pieces"]),
        ("plan --pilot one nothing", vec!["nothing"]),
        ("plan --pilot one one --measure score", vec!["'score'", "lines"]),
        ("plan --pilot one one --power 1%", vec!["more"]),
        ("plan --measure lines --halfwidth 3%", vec!["--pilot"]),
    ] {
        let output = tetrastat(dir, &line.split(' ').collect::<Vec<_>>());
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{line}: {message}");
    }
}
