//! `tetrastat compare --contrast` on the real binary: ratios and ratios of ratios are those of the
//! games and of the replications, and every mistake is one line.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{folder, rows, tetrastat, text};

const STUDY: &str = "
controllers = ['bcts', 'lee']
boards = ['6x8', '6x10']
searches = ['greedy', 'next']
games = 30
max_pieces = 400
placements = 'none'
";

fn succeed(folder: &Path, args: &[&str]) -> String {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn contrasts(folder: &Path, args: &[&str]) -> Value {
    let args = [&["compare", "--format", "json"], args].concat();
    serde_json::from_str(&succeed(folder, &args)).unwrap()
}

/// Returns the folder of a played study.
fn study() -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("s.toml"), STUDY).unwrap();
    succeed(folder.path(), &["study", "s.toml", "--out", "s"]);
    folder
}

/// The mean lines of a condition: all lines divided by the games that ended.
fn mean(folder: &Path, name: &str) -> f64 {
    let found = fs::read_dir(folder.join("s")).unwrap().map(|entry| entry.unwrap().path());
    let mut found = found.filter(|path| path.to_string_lossy().contains(name));
    let games = rows(&found.next().unwrap().join("games.csv"));
    let lines: f64 = games.iter().map(|game| game["lines"].parse::<f64>().unwrap()).sum();
    lines / games.iter().filter(|game| game["censored"] == "FALSE").count() as f64
}

#[test]
fn ratios_of_ratios_are_those_of_the_games() {
    let folder = study();
    let args = ["--from", "s", "--contrast", "search:board", "--contrast", "board"];
    let found = contrasts(folder.path(), &args);
    assert_eq!(found["conditions"].as_array().unwrap().len(), 8);
    let found = found["contrasts"].as_array().unwrap();
    // The interaction for each controller, and the ratio of boards for each controller and search.
    assert_eq!(found.len(), 2 + 4);
    for (row, player) in found.iter().zip(["bcts", "lee"]) {
        assert_eq!(row["levels"], "next / greedy, 6x10 / 6x8");
        assert_eq!(row["within"], format!("controller {player}"));
        let mean =
            |board, search| mean(folder.path(), &format!("{player}-{board}-uniform-{search}"));
        let expected = mean("6x10", "next") / mean("6x10", "greedy")
            * (mean("6x8", "greedy") / mean("6x8", "next"));
        let ratio = row["ratio"].as_f64().unwrap();
        assert!((ratio / expected - 1.0).abs() < 1e-9, "{row}");
        let [low, high] = ["low", "high"].map(|end| row["interval"][end].as_f64().unwrap());
        assert!(low < ratio && ratio < high);
        // The interval is symmetric on the logarithmic scale.
        assert!((low * high / (ratio * ratio) - 1.0).abs() < 1e-9, "{row}");
        assert!(row["p_adjusted"].as_f64() >= row["p"].as_f64());
    }
    let csv = succeed(folder.path(), &[&["compare", "--format", "csv"][..], &args].concat());
    assert!(csv.starts_with("contrast,levels,within,ratio,low,high,log_error,df,p,p_adjusted\n"));
    assert_eq!(csv.lines().count(), 7);
    let shown = succeed(folder.path(), &[&["compare"][..], &args].concat());
    assert!(shown.contains("search:board next / greedy, 6x10 / 6x8 controller lee"), "{shown}");
}

/// Estimates are conditions of a contrast, too, beside the games of a study.
#[test]
fn estimates_are_contrasted_with_games() {
    let folder = folder();
    for board in ["8x8", "8x9"] {
        let out = format!("estimates/{board}");
        let lengths = ["--pieces", "2000", "--burn-in", "100", "--pilot-pieces", "2000"];
        let more = ["--budget", "40000", "--method", "splitting", "--out", &out];
        succeed(folder.path(), &[&["estimate", "--board", board], &lengths[..], &more].concat());
    }
    fs::write(folder.path().join("estimates/notes.txt"), "other files are ignored").unwrap();
    let found = contrasts(folder.path(), &["--from", "estimates", "--contrast", "board"]);
    let row = &found["contrasts"][0];
    assert_eq!(row["levels"], "8x9 / 8x8");
    let mean = |board: &str| {
        let path = folder.path().join("estimates").join(board).join("estimate.json");
        let found: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        found["splitting"]["mean"].as_f64().unwrap()
    };
    let ratio = row["ratio"].as_f64().unwrap();
    assert!((ratio / (mean("8x9") / mean("8x8")) - 1.0).abs() < 1e-9, "{row}");
    // Without a contrast, pairs of conditions are compared.
    let pairs = contrasts(folder.path(), &["--from", "estimates/8x9", "estimates/8x8"]);
    assert_eq!(pairs["contrasts"][0]["levels"], "8x9 / 8x8");
    assert_eq!(pairs["contrasts"][0]["ratio"], row["ratio"]);
    // A study of games on the larger board has the third condition.
    let games = ["simulate", "--board", "8x10", "--games", "5", "--max-pieces", "500"];
    succeed(folder.path(), &[&games[..], &["--placements", "none", "--out", "run"]].concat());
    let mixed = ["--from", "estimates", "run", "--contrast", "board"];
    let mixed = contrasts(folder.path(), &mixed);
    let methods = mixed["conditions"].as_array().unwrap().iter().map(|row| &row["method"]);
    assert_eq!(methods.collect::<Vec<_>>(), ["play", "estimate", "estimate"]);
}

#[test]
fn mistakes_are_one_line_with_a_remedy() {
    let folder = study();
    let mistake = |args: &[&str], words: &[&str]| {
        let output = tetrastat(folder.path(), &[&["compare"], args].concat());
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    mistake(&["--from", "s", "--contrast", "serach"], &["'serach'", "controller, board, search"]);
    mistake(&["--from", "s", "--contrast", "board:board"], &["board twice"]);
    mistake(&["--from", "s", "nothing"], &["nothing"]);
    mistake(&["--contrast", "board", "bcts", "lee"], &["--from"]);
    // A condition is missing from the combinations.
    let all = fs::read_dir(folder.path().join("s")).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = all.filter(|path| path.is_dir()).collect();
    all.sort();
    let folders: Vec<String> = all[1..].iter().map(|path| path.display().to_string()).collect();
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let missing = [&["--contrast", "search:board", "--from"], &folders[..]].concat();
    mistake(&missing, &["needs the condition bcts, 6x8, greedy", "missing"]);
    let same = ["--from", folders[0], folders[0], "--contrast", "board"];
    mistake(&same, &["the same"]);
    // Equal pieces in all games give no interval.
    let run = ["simulate", "--queue", "sz", "--games", "2", "--placements", "none", "--out", "sz"];
    succeed(folder.path(), &run);
    mistake(&["--from", "sz", folders[0]], &["same pieces"]);
}

/// Hold and previews are no axes of a study, but they distinguish these conditions. The width of the
/// beam is equal in all conditions, so it is no factor.
#[test]
fn other_settings_are_factors_if_they_distinguish_conditions() {
    let folder = folder();
    let shared = "rules = 'guideline'\nmode = 'blitz'\ngames = 12\npieces = 30\nplacements = 'none'\n\
                  search = 'beam'\nbeam_width = 2\n";
    let conditions = ["", "no_hold = true\n", "previews = 1\n", "previews = 1\nno_hold = true\n"];
    let conditions = conditions.map(|own| format!("[[condition]]\n{own}"));
    fs::write(folder.path().join("s.toml"), shared.to_owned() + &conditions.concat()).unwrap();
    succeed(folder.path(), &["study", "s.toml", "--out", "s"]);
    let args = ["--from", "s", "--contrast", "hold", "--contrast", "hold:previews"];
    let found = contrasts(folder.path(), &args);
    let names = |key: &str, list: &str| {
        let rows = found[list].as_array().unwrap().iter();
        rows.map(|row| row[key].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected = ["hold true previews 5", "hold false previews 5", "hold true previews 1"];
    assert_eq!(names("condition", "conditions")[..3], expected);
    assert_eq!(
        names("levels", "contrasts"),
        ["false / true", "false / true", "false / true, 1 / 5"]
    );
    assert_eq!(names("within", "contrasts"), ["previews 5", "previews 1", ""]);
    let ratio = |row: usize| found["contrasts"][row]["ratio"].as_f64().unwrap();
    assert!((ratio(2) - ratio(1) / ratio(0)).abs() < 1e-9);
    let output = tetrastat(folder.path(), &["compare", "--from", "s", "--contrast", "beam_width"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("use one of hold, previews"), "{}", text(&output.stderr));
}

#[test]
fn non_inferiority_is_tested_with_a_margin() {
    let folder = study();
    let args = ["--from", "s", "--contrast", "search", "--not-worse-than", "10%"];
    let found = contrasts(folder.path(), &args);
    // The next piece makes games longer, so it is shown not to be worse; p counts one direction only.
    for row in found["contrasts"].as_array().unwrap() {
        let value = |key: &str| row[key].as_f64().unwrap();
        assert!(value("ratio") > 1.0 && value("p_not_worse") < value("p_adjusted"), "{row}");
    }
    let shown = succeed(folder.path(), &[&["compare"], &args[..]].concat());
    assert!(shown.contains("p not worse") && shown.contains("more than 10.0 %"), "{shown}");
    let table = succeed(folder.path(), &[&["compare", "--format", "csv"], &args[..]].concat());
    assert!(table.lines().next().unwrap().ends_with("p_adjusted,p_not_worse"), "{table}");
    let args = ["compare", "--from", "s", "--not-worse-than", "10%"];
    let output = tetrastat(folder.path(), &args);
    assert!(!output.status.success() && text(&output.stderr).contains("--contrast"));
}
