//! `tetrastat compare --contrast`: ratios of ratios are those of the games.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{done, entries, folder, rows};

const STUDY: &str = "
controllers = ['bcts', 'lee']
boards = ['6x8', '6x10']
searches = ['greedy', 'next']
games = 30
max_pieces = 400
placements = 'none'
";

/// The mean lines of a condition: all lines divided by the games that ended.
fn mean(study: &Path, name: &str) -> f64 {
    let found = entries(study).into_iter().find(|path| path.to_string_lossy().contains(name));
    let games = rows(&found.unwrap().join("games.csv"));
    let lines: f64 = games.iter().map(|game| game["lines"].parse::<f64>().unwrap()).sum();
    lines / games.iter().filter(|game| game["censored"] == "FALSE").count() as f64
}

#[test]
fn ratios_of_ratios_are_those_of_the_games() {
    let folder = folder();
    fs::write(folder.path().join("s.toml"), STUDY).unwrap();
    done(folder.path(), "study s.toml --out s");
    let study = folder.path().join("s");
    let line = "compare --from s --contrast search:board --format json";
    let found: Value = serde_json::from_str(&done(folder.path(), line)).unwrap();
    assert_eq!(found["conditions"].as_array().unwrap().len(), 8);
    let found = found["contrasts"].as_array().unwrap();
    assert_eq!(found.len(), 2);
    for (row, player) in found.iter().zip(["bcts", "lee"]) {
        assert_eq!(row["levels"], "next / greedy, 6x10 / 6x8");
        assert_eq!(row["within"], format!("controller {player}"));
        let mean = |board, search| mean(&study, &format!("{player}-{board}-uniform-{search}"));
        let expected = mean("6x10", "next") / mean("6x10", "greedy")
            * (mean("6x8", "greedy") / mean("6x8", "next"));
        let ratio = row["ratio"]["mean"].as_f64().unwrap();
        assert!((ratio / expected - 1.0).abs() < 1e-9, "{row}");
        let [low, high] = ["low", "high"].map(|end| row["ratio"][end].as_f64().unwrap());
        // The interval is symmetric on the logarithmic scale.
        assert!(low < ratio && (low * high / (ratio * ratio) - 1.0).abs() < 1e-9, "{row}");
        assert!(row["p_adjusted"].as_f64() >= row["p"].as_f64());
    }
    // The next piece makes games longer, so it is shown not to be worse; p counts one direction
    // only.
    let line = "compare --from s --contrast search --not-worse-than 10% --format json";
    let found: Value = serde_json::from_str(&done(folder.path(), line)).unwrap();
    for row in found["contrasts"].as_array().unwrap() {
        let value = |key: &str| row[key].as_f64().unwrap();
        let ratio = row["ratio"]["mean"].as_f64().unwrap();
        assert!(ratio > 1.0 && value("p_not_worse") < value("p_adjusted"), "{row}");
    }
}
