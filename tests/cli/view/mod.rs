//! `tetrastat view`: one file for a browser, of any folder.

mod browser;
mod explained;
mod running;
mod unfinished;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{done, folder, manifest, read, rows, run};

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

/// Writes a study of two controllers with some settings, and plays it into `study`.
fn study(path: &Path, settings: &str) {
    let file = format!("{settings}\nboard = '8x8'\nmax_pieces = 300\n{CONDITIONS}");
    fs::write(path.join("study.toml"), file).unwrap();
    done(path, "study study.toml --out study");
}

const CONDITIONS: &str = "[[condition]]\ncontroller = 'bcts'\n[[condition]]\ncontroller = 'lee'\n";
const TRAIN: &str = "train cem --features lee --board 8x8 --population 20 --games 2 --max-pieces 60 --final-games 4 --held-out-games 4";

/// The data of a page that may be unfinished; null while there is none.
fn data(html: &str) -> Value {
    let data = html.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    data.map(|(data, _)| serde_json::from_str(data).unwrap()).unwrap_or_default()
}

/// The text of a page, and its data.
fn page(folder: &Path, name: &str, words: &[&str]) -> (String, Value) {
    run(folder, &[&["view", name, "--out", "page.html", "--force"][..], words].concat());
    let html = read(folder, "page.html");
    let data = data(&html);
    assert!(data.is_object());
    (html, data)
}

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The cells of a column of a game that is shown.
fn column<'a>(game: &'a Value, name: &str) -> &'a [Value] {
    let place = array(&game["columns"]).iter().position(|column| column["name"] == name);
    array(&game["data"][place.unwrap()])
}

/// The sum of a column of a table.
fn sum(rows: &[BTreeMap<String, String>], name: &str) -> f64 {
    rows.iter().map(|row| row[name].parse::<f64>().unwrap()).sum()
}

#[test]
fn a_run_is_one_file_with_its_numbers_and_games() {
    let folder = folder();
    play(folder.path(), &CLASSIC);
    let said = done(folder.path(), "view run");
    assert!(said.contains("run.html ("), "{said}");
    let (html, data) = page(folder.path(), "run", &[]);
    assert_eq!(read(folder.path(), "run.html"), html);
    // Nothing is asked of a network: no address is loaded, and the page forbids it besides.
    assert!(html.contains("default-src 'none'"));
    for loading in ["src=\"", "href=\"", "@import", "fetch(", "XMLHttpRequest"] {
        assert!(!html.contains(loading), "{loading}");
    }
    let games = rows(&folder.path().join("run/games.csv"));
    let ended = games.iter().filter(|game| game["censored"] == "FALSE").count();
    let found = &data["outcome"]["comparison"]["controllers"][0];
    assert_eq!(number(&found["mean"]), sum(&games, "lines") / ended as f64);
    assert_eq!(found["n"], 12);
    let last = array(&data["outcome"]["conditions"][0]["survival"]).last().unwrap();
    assert!(number(&last["share"]) < 1.0, "{last}");
    // Every placement of the games shown, as the log has it.
    let log = rows(&folder.path().join("run/placements.csv"));
    for game in array(&data["games"]) {
        let number = game["game"].to_string();
        let rows = log.iter().filter(|row| row["game"] == number);
        let logged: Vec<&str> = rows.map(|row| &*row["board"]).collect();
        assert_eq!(column(game, "board"), logged);
        let cells = &array(&game["data"]).last().unwrap()[0];
        assert_eq!(cells.as_str().unwrap().split(';').count(), 4, "{cells}");
    }
    assert!(array(&data["games"]).len() >= 3);
}

#[test]
fn every_kind_of_folder_has_a_page() {
    let folder = folder();
    let path = folder.path();
    play(path, &SPRINT);
    let (_, sprint) = page(path, "run", &[]);
    assert_eq!(sprint["outcome"]["measure"]["name"], "pieces");
    assert!(!array(&sprint["games"]).is_empty());
    done(path, "simulate --rules liap --games 8 --out liap");
    let (_, liap) = page(path, "liap", &[]);
    assert_eq!(liap["outcome"]["measure"]["name"], "hit_rate");
    study(path, "games = 5\nplacements = 'csv'");
    let (_, study) = page(path, "study", &[]);
    assert_eq!(study["kind"], "study");
    assert_eq!(array(&study["outcome"]["comparison"]["pairs"]).len(), 1);
    assert_eq!(array(&study["games"]).len(), 4, "two of each condition");
    let checks = "--generations 2 --check-every 1 --check-games 4 --out training";
    done(path, &format!("{TRAIN} {checks}"));
    let (_, training) = page(path, "training", &[]);
    assert_eq!(training["kind"], "training");
    assert!(array(&training["tables"]).iter().any(|table| table["name"] == "history"));
    done(path, "estimate --board 8x8 --controller lee --budget 300000 --out estimate");
    let (_, estimate) = page(path, "estimate", &[]);
    assert!(number(&estimate["report"]["summary"]["splitting"]["mean"]) > 1.0);
}

#[test]
fn a_study_shows_the_clock_of_all_conditions_and_a_training_its_file() {
    let folder = folder();
    let path = folder.path();
    study(path, "games = 40\nplacements = 'none'");
    let (_, data) = page(path, "study", &[]);
    let conditions = rows(&path.join("study/conditions.csv"));
    let seconds = conditions.iter().map(|row| manifest(&path.join("study").join(&row["folder"])));
    let seconds: f64 = seconds.map(|manifest| number(&manifest["elapsed_s"])).sum();
    let fact = |data: &Value, name: &str| {
        let mut facts = array(&data["facts"]).iter().flat_map(|group| array(&group[1]));
        facts.find(|fact| fact[0] == name).map(|fact| fact[1].as_str().unwrap().to_owned())
    };
    assert_eq!(fact(&data, "elapsed_s of all conditions"), Some(format!("{seconds:.3}")));
    assert_eq!(fact(&data, "elapsed_s"), None, "that of one condition");
    // A resumed training must show the time of all parts, and the weights on the scale of its file.
    done(path, &format!("{TRAIN} --generations 2 --out training"));
    done(path, "train cem --resume training --generations 4");
    let report: Value = serde_json::from_str(&read(path, "training/run.json")).unwrap();
    let (total, last) = (&report["total_s"], &report["elapsed_s"]);
    assert!(number(total) > number(last), "{total} of all parts, {last} of the last one");
    let (_, data) = page(path, "training", &[]);
    assert_eq!(fact(&data, "elapsed_s"), Some(total.to_string()));
    let file = read(path, "training/controller.toml");
    let weights = array(&data["weights"]["list"]);
    assert_eq!(weights.len(), 4);
    for weight in weights {
        let start = format!("{} = ", weight[0].as_str().unwrap());
        let value = file.lines().find_map(|line| line.strip_prefix(&start)).unwrap();
        assert_eq!(value.parse::<f64>().unwrap(), number(&weight[1]));
    }
    assert!(data["weights"]["note"].as_str().unwrap().contains("Euclidean length 1"));
}

/// The overview of a Blitz must show the results in its games.csv, not only the points.
#[test]
fn a_blitz_shows_lost_games_clears_and_points_by_source() {
    let folder = folder();
    let path = folder.path();
    done(path, "simulate --rules guideline --mode blitz --pieces 60 --games 4 --out run");
    let (_, data) = page(path, "run", &[]);
    let games = rows(&path.join("run/games.csv"));
    let mean = |name: &str| {
        let row = array(&data["outcome"]["per_game"]).iter().find(|row| row["name"] == name);
        number(&row.unwrap_or_else(|| panic!("no {name}"))["means"][0]["mean"])
    };
    for column in ["t_spin_2", "tetrises", "points_base", "points_b2b", "points_drop", "singles"] {
        assert!((mean(column) - sum(&games, column) / 4.0).abs() < 1e-9, "{column}");
    }
    let lost = games.iter().filter(|game| ["top_out", "lock_out"].contains(&&*game["end_reason"]));
    assert_eq!(mean("lost"), lost.count() as f64 / 4.0);
    assert!((mean("pieces_per_second") - 2.0).abs() < 1e-6);
}

#[test]
fn a_page_is_no_larger_than_asked_and_says_what_is_left_out() {
    let folder = folder();
    done(
        folder.path(),
        "simulate --board 10x10 --games 6 --max-pieces 4000 --placements csv.zst --out run",
    );
    let (html, data) = page(folder.path(), "run", &["--limit", "2"]);
    assert!(html.len() <= 2 << 20, "{}", html.len());
    let mut tables = array(&data["tables"]).iter();
    let placements = tables.find(|table| table["name"] == "placements").unwrap();
    let (rows, step) = (placements["rows"].as_u64().unwrap(), placements["step"].as_u64().unwrap());
    let shown = array(&placements["data"][0]).len() as u64;
    assert!(step > 1 && shown == rows.div_ceil(step), "{shown} of {rows}, one of {step}");
}

#[test]
fn a_name_is_never_executed() {
    let folder = folder();
    let name = "<img src=x onerror=alert(1)>";
    let words = TRAIN.split(' ').chain(["--generations", "1", "--out", name]);
    run(folder.path(), &words.collect::<Vec<_>>());
    let (html, data) = page(folder.path(), name, &[]);
    assert!(!html.contains("<img"), "it stands in the page as an element");
    assert!(data["title"].as_str().unwrap().contains(name));
}
