//! `tetrastat view`: one file for a browser, of any folder.

mod browser;
mod explained;
mod running;
mod unfinished;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{entries, folder, manifest, rows, tetrastat, text};

fn run(folder: &Path, args: &[&str]) -> String {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Plays `simulate` with these words into `run`.
fn play(folder: &Path, words: &[&str]) {
    run(folder, &[&["simulate", "--out", "run"][..], words].concat());
}

const CLASSIC: [&str; 8] =
    ["--board", "10x10", "--games", "12", "--max-pieces", "400", "--placements", "csv"];
const SPRINT: [&str; 10] = [
    "--rules",
    "guideline",
    "--mode",
    "sprint",
    "--controller",
    "capstone-sprint",
    "--games",
    "3",
    "--placements",
    "csv.gz",
];

/// The text of a page, and its data.
fn page(folder: &Path, name: &str, words: &[&str]) -> (String, Value) {
    run(folder, &[&["view", name, "--out", "page.html", "--force"][..], words].concat());
    let html = fs::read_to_string(folder.join("page.html")).unwrap();
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let data = rest.split_once("</script>").unwrap().0;
    let data = serde_json::from_str(data).unwrap();
    (html, data)
}

#[test]
fn a_run_is_one_file_with_its_numbers_and_games() {
    let folder = folder();
    play(folder.path(), &CLASSIC);
    let said = run(folder.path(), &["view", "run"]);
    assert!(said.contains("run.html ("), "{said}");
    let (html, data) = page(folder.path(), "run", &[]);
    assert_eq!(fs::read_to_string(folder.path().join("run.html")).unwrap(), html);
    // Nothing is asked of a network: no address is loaded, and the page forbids it besides.
    assert!(html.contains("default-src 'none'"));
    for loading in ["src=\"", "href=\"", "@import", "fetch(", "XMLHttpRequest"] {
        assert!(!html.contains(loading), "{loading}");
    }
    let games = rows(&folder.path().join("run/games.csv"));
    let lines: f64 = games.iter().map(|game| game["lines"].parse::<f64>().unwrap()).sum();
    let ended = games.iter().filter(|game| game["censored"] == "FALSE").count();
    let found = &data["outcome"]["comparison"]["controllers"][0];
    assert_eq!(found["mean"].as_f64().unwrap(), lines / ended as f64);
    assert_eq!(found["games"], 12);
    let last = data["outcome"]["conditions"][0]["survival"].as_array().unwrap().last().unwrap();
    assert!(last["share"].as_f64().unwrap() < 1.0, "{last}");
    // Every placement of the games shown, as the log has it.
    let log = rows(&folder.path().join("run/placements.csv"));
    for game in data["games"].as_array().unwrap() {
        let number = game["game"].to_string();
        let logged: Vec<&str> =
            log.iter().filter(|row| row["game"] == number).map(|row| &*row["board"]).collect();
        let names: Vec<&str> = game["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c["name"].as_str().unwrap())
            .collect();
        let boards = &game["data"][names.iter().position(|name| *name == "board").unwrap()];
        let boards: Vec<&str> =
            boards.as_array().unwrap().iter().map(|board| board.as_str().unwrap()).collect();
        assert_eq!(boards, logged);
        let cells = game["data"].as_array().unwrap().last().unwrap();
        assert!(cells[0].as_str().unwrap().split(';').count() == 4, "{}", cells[0]);
    }
    assert!(data["games"].as_array().unwrap().len() >= 3);
}

#[test]
fn every_kind_of_folder_has_a_page() {
    let folder = folder();
    let path = folder.path();
    play(path, &SPRINT);
    let (_, sprint) = page(path, "run", &[]);
    assert_eq!(sprint["outcome"]["measure"]["name"], "pieces");
    assert!(!sprint["games"].as_array().unwrap().is_empty());
    run(path, &["liap", "simulate", "--matches", "8", "--out", "liap"]);
    let (_, liap) = page(path, "liap", &[]);
    assert_eq!(liap["outcome"]["measure"]["name"], "hit_rate");
    let study = "games = 5\nboard = \"8x8\"\nplacements = \"csv\"\nmax_pieces = 300\n[[condition]]\ncontroller = \"bcts\"\n[[condition]]\ncontroller = \"lee\"\n";
    fs::write(path.join("study.toml"), study).unwrap();
    run(path, &["study", "study.toml", "--out", "study"]);
    let (_, study) = page(path, "study", &[]);
    assert_eq!(study["kind"], "study");
    assert_eq!(study["outcome"]["comparison"]["pairs"].as_array().unwrap().len(), 1);
    assert_eq!(study["games"].as_array().unwrap().len(), 4, "two of each condition");
    let train = [
        "train",
        "cem",
        "--features",
        "lee",
        "--board",
        "8x8",
        "--population",
        "20",
        "--generations",
        "2",
        "--games",
        "2",
        "--max-pieces",
        "60",
        "--final-games",
        "4",
        "--held-out-games",
        "4",
        "--check-every",
        "1",
        "--check-games",
        "4",
        "--out",
        "training",
    ];
    run(path, &train);
    let (_, training) = page(path, "training", &[]);
    assert_eq!(training["kind"], "training");
    assert!(training["tables"].as_array().unwrap().iter().any(|table| table["name"] == "history"));
    run(
        path,
        &[
            "estimate",
            "--board",
            "8x8",
            "--controller",
            "lee",
            "--budget",
            "300000",
            "--out",
            "estimate",
        ],
    );
    let (_, estimate) = page(path, "estimate", &[]);
    assert!(estimate["report"]["splitting"]["mean"].as_f64().unwrap() > 1.0);
}

#[test]
fn a_study_shows_the_clock_of_all_conditions_and_a_training_its_file() {
    let folder = folder();
    let path = folder.path();
    let study = "games = 40\nboard = \"8x8\"\nplacements = \"none\"\nmax_pieces = 300\n[[condition]]\ncontroller = \"bcts\"\n[[condition]]\ncontroller = \"lee\"\n";
    fs::write(path.join("study.toml"), study).unwrap();
    run(path, &["study", "study.toml", "--out", "study"]);
    let (_, data) = page(path, "study", &[]);
    let seconds: f64 = rows(&path.join("study/conditions.csv"))
        .iter()
        .map(|row| manifest(&path.join("study").join(&row["folder"]))["elapsed_s"].clone())
        .map(|seconds| seconds.as_f64().unwrap())
        .sum();
    let fact = |data: &Value, name: &str| {
        let groups = data["facts"].as_array().unwrap().iter();
        let mut facts = groups.flat_map(|group| group[1].as_array().unwrap().clone());
        facts.find(|fact| fact[0] == name).map(|fact| fact[1].as_str().unwrap().to_owned())
    };
    let shown = fact(&data, "elapsed_s of all conditions").expect("the study's seconds");
    assert_eq!(shown, format!("{seconds:.3}"));
    assert_eq!(fact(&data, "elapsed_s"), None, "that of one condition");
    // A resumed training must show the time of all parts, and the weights on the scale of its file.
    let words = "train cem --features lee --board 8x8 --population 20 --games 2 --max-pieces 60 --final-games 4 --held-out-games 4 --out training";
    let words: Vec<&str> = words.split(' ').collect();
    run(path, &[&words[..], &["--generations", "2"]].concat());
    let report = |path: &Path| -> Value {
        serde_json::from_str(&fs::read_to_string(path.join("training/train.json")).unwrap())
            .unwrap()
    };
    let first = report(path)["total_s"].as_f64().unwrap();
    run(path, &["train", "--resume", "training", "--generations", "4"]);
    let report = report(path);
    let (total, last) =
        (report["total_s"].as_f64().unwrap(), report["elapsed_s"].as_f64().unwrap());
    assert!(total > last, "{total} of all parts, {last} of the last one, {first} of the first");
    let (_, data) = page(path, "training", &[]);
    assert_eq!(fact(&data, "elapsed_s"), Some(report["total_s"].to_string()));
    let file = fs::read_to_string(path.join("training/controller.toml")).unwrap();
    let weights = data["weights"]["list"].as_array().unwrap();
    assert_eq!(weights.len(), 4);
    for weight in weights {
        let (name, value) = (weight[0].as_str().unwrap(), weight[1].as_f64().unwrap());
        let line = file.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap();
        assert_eq!(line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap(), value);
    }
    assert!(data["weights"]["note"].as_str().unwrap().contains("Euclidean length 1"));
}

/// The overview of a Blitz must show the results in its games.csv, not only the points.
#[test]
fn a_blitz_shows_lost_games_clears_and_points_by_source() {
    let folder = folder();
    let path = folder.path();
    play(path, &["--rules", "guideline", "--mode", "blitz", "--pieces", "60", "--games", "4"]);
    let (_, data) = page(path, "run", &[]);
    let games = rows(&path.join("run/games.csv"));
    let means = data["outcome"]["per_game"].as_array().unwrap();
    let mean = |name: &str| {
        let row = means.iter().find(|row| row["name"] == name);
        row.unwrap_or_else(|| panic!("no {name}"))["means"][0].as_f64().unwrap()
    };
    for column in ["t_spin_2", "tetrises", "points_base", "points_b2b", "points_drop", "singles"] {
        let sum: f64 = games.iter().map(|game| game[column].parse::<f64>().unwrap()).sum();
        assert!((mean(column) - sum / 4.0).abs() < 1e-9, "{column}");
    }
    let lost = games.iter().filter(|game| ["top_out", "lock_out"].contains(&&*game["end_reason"]));
    assert_eq!(mean("lost"), lost.count() as f64 / 4.0);
    assert!((mean("pieces_per_second") - 2.0).abs() < 1e-9);
}

#[test]
fn a_page_is_no_larger_than_asked_and_says_what_is_left_out() {
    let folder = folder();
    play(
        folder.path(),
        &["--board", "10x10", "--games", "6", "--max-pieces", "4000", "--placements", "csv.zst"],
    );
    let (html, data) = page(folder.path(), "run", &["--limit", "2"]);
    assert!(html.len() <= 2 << 20, "{}", html.len());
    let placements = data["tables"]
        .as_array()
        .unwrap()
        .iter()
        .find(|table| table["name"] == "placements")
        .unwrap();
    let (rows, step) = (placements["rows"].as_u64().unwrap(), placements["step"].as_u64().unwrap());
    let shown = placements["data"][0].as_array().unwrap().len() as u64;
    assert!(step > 1 && shown == rows.div_ceil(step), "{shown} of {rows}, one of {step}");
}

#[test]
fn a_name_is_never_executed() {
    let folder = folder();
    let name = "<img src=x onerror=alert(1)>";
    run(
        folder.path(),
        &[
            "train",
            "cem",
            "--features",
            "lee",
            "--board",
            "8x8",
            "--population",
            "20",
            "--generations",
            "1",
            "--games",
            "2",
            "--max-pieces",
            "40",
            "--final-games",
            "2",
            "--held-out-games",
            "2",
            "--out",
            name,
        ],
    );
    let (html, data) = page(folder.path(), name, &[]);
    assert!(!html.contains("<img"), "it stands in the page as an element");
    assert!(data["title"].as_str().unwrap().contains(name));
}

#[test]
fn mistakes_are_one_line() {
    let folder = folder();
    let complains = |args: &[&str], remedy: &str| {
        let output = tetrastat(folder.path(), args);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(message.contains(remedy), "{message} lacks {remedy}");
    };
    play(folder.path(), &CLASSIC);
    run(folder.path(), &["view", "run"]);
    complains(&["view", "run"], "--force");
    complains(&["view", "run", "--out", "no/such/page.html"], "no/such");
    let before = entries(folder.path()).len();
    let log = folder.path().join("run/placements.csv");
    let whole = fs::read_to_string(&log).unwrap();
    fs::write(&log, whole.replacen("none", "nine", 1)).unwrap();
    complains(&["view", "run", "--force"], "placements.csv");
    fs::write(&log, whole).unwrap();
    fs::remove_file(folder.path().join("run/run.json")).unwrap();
    fs::write(folder.path().join("run/checkpoint.json"), "{}").unwrap();
    complains(&["view", "run", "--force"], "is damaged");
    assert_eq!(entries(folder.path()).len(), before, "nothing is left half-written");
}
