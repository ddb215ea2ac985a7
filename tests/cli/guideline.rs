//! Guideline games through the real binary: numbers that are checked against each other or against
//! other programs.
//! `tests/messages/guideline*.md` has the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::common::{done, folder, json, manifest, rows, unsealed_manifest};

/// Four rows with a well in column 4.
const WELL: &str = "####.#####/####.#####/####.#####/####.#####";

type Row = BTreeMap<String, String>;

fn number(row: &Row, column: &str) -> i64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: {}", row[column]))
}

fn real(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: {}", row[column]))
}

/// Whether two rows are of the same placement.
fn is_of(row: &Row, placement: &Row) -> bool {
    ["game", "piece_no"].iter().all(|key| row[*key] == placement[*key])
}

/// Checks the columns of choice, surface and bag. Cells, rows and points of every game add up from
/// its placements.
#[test]
fn placements_add_up_to_their_games() {
    for options in [
        "--rules guideline --pieces 70 --seed 11",
        "--rules capstone --pieces 120 --search beam --beam-width 4",
    ] {
        let folder = folder();
        done(folder.path(), &format!("simulate --mode blitz --games 3 {options} --out run"));
        let at = |name: &str| folder.path().join("run").join(name);
        let (games, placements) = (rows(&at("games.csv")), rows(&at("placements.csv")));
        assert_eq!(manifest(&at(""))["games"], 3);
        for row in &placements {
            assert!(row["rank2_score"] == "NA" || real(row, "rank2_score") <= real(row, "score"));
            let high = real(row, "landing_height") - real(row, "landing_row");
            assert!((0.0..=1.5).contains(&high), "{row:?}");
            assert!((0..=7).contains(&number(row, "ok_pieces")));
            assert_eq!(number(row, "hole_depth") > 0, number(row, "holes") > 0, "{row:?}");
            assert!(["TRUE", "FALSE", "NA"].contains(&&*row["covered_well"]));
        }
        assert!(placements.iter().any(|row| row["rank2_score"] != "NA"));
        assert!(placements.iter().any(|row| row["covered_well"] == "FALSE"));
        for game in &games {
            let own: Vec<&Row> =
                placements.iter().filter(|row| row["game"] == game["game"]).collect();
            let sum = |column: &str| own.iter().map(|row| number(row, column)).sum::<i64>();
            assert_eq!(own.len() as i64, number(game, "pieces"));
            assert_eq!(sum("lines"), number(game, "lines"));
            for kind in
                ["base", "b2b", "combo", "perfect", "drop"].map(|kind| format!("points_{kind}"))
            {
                assert_eq!(sum(&kind), number(game, &kind));
            }
            let last = own.last().unwrap();
            assert_eq!(last["points_total"], game["points"]);
            let cells = last["board"].split(':').map(|row| u16::from_str_radix(row, 16).unwrap());
            let cells: u32 = cells.map(u16::count_ones).sum();
            assert_eq!(i64::from(cells), 4 * number(game, "pieces") - 10 * number(game, "lines"));
            let holds = own.iter().filter(|row| row["used_hold"] == "TRUE").count() as i64;
            assert!(holds > 0);
            assert_eq!(holds, number(game, "holds"));
            assert_eq!(sum("n_inputs") + holds, number(game, "inputs"));
            // Each bag deals every kind once, so a place in it is placed once at most.
            let bag = |row: &Row| (number(row, "bag_no"), number(row, "bag_pos"));
            let places: BTreeSet<(i64, i64)> = own.iter().map(|row| bag(row)).collect();
            let kinds: BTreeSet<(i64, &String)> =
                own.iter().map(|row| (number(row, "bag_no"), &row["piece"])).collect();
            assert_eq!((places.len(), kinds.len()), (own.len(), own.len()));
            assert!(places.iter().all(|(_, place)| (1..=7).contains(place)));
        }
    }
}

/// Perft totals on which two independent programs agree.
#[test]
fn perft_counts() {
    let folder = folder();
    let counts = done(folder.path(), "bench perft IOLJ");
    let totals: Vec<&str> =
        counts.lines().skip(1).map(|line| line.split_whitespace().nth(2).unwrap()).collect();
    assert_eq!(totals, ["17", "153", "5,266", "188,374"]);
    fs::write(folder.path().join("dt.txt"), ".....#....\n..##.##...\n...####..#\n##.#######\n#..#######\n#...######\n##.#######\n##.#######\n").unwrap();
    let dt = done(folder.path(), "bench perft T --board-file dt.txt");
    assert!(dt.contains(" 39 "), "{dt}");
}

/// Means, medians and the share of lost games have intervals that hold them, under the keys that
/// classic games have.
#[test]
fn summaries_have_intervals_and_one_schema() {
    let folder = folder();
    let other = json(folder.path(), "simulate --board 6x8 --games 2 --sample 0 --out small");
    for (mode, options) in
        [("sprint", "--sprint-lines 10"), ("blitz", "--pieces 40"), ("endless", "--pieces 40")]
    {
        let found = json(
            folder.path(),
            &format!("simulate --rules guideline --games 12 --mode {mode} {options} --out {mode}"),
        );
        assert!(other.as_object().unwrap().keys().all(|key| found.get(key).is_some()), "{mode}");
        assert_eq!((&found["out"], &found["run"]["games"]), (&mode.into(), &12.into()));
        assert_eq!(found["run"], unsealed_manifest(&folder.path().join(mode)));
        let summary = &found["run"]["summary"];
        let width = |mean: &Value| {
            let [low, value, high] = ["low", "mean", "high"].map(|key| mean[key].as_f64().unwrap());
            assert!(low <= value && value <= high, "{mode}: {summary}");
            high - low
        };
        let games = rows(&folder.path().join(mode).join("games.csv"));
        let is_won = |row: &&Row| mode != "sprint" || row["end_reason"] == "won";
        let won: Vec<&Row> = games.iter().filter(is_won).collect();
        for name in ["pieces", "lines", "points", "inputs"] {
            let measured = &summary[name];
            let mean = won.iter().map(|row| real(row, name)).sum::<f64>() / won.len() as f64;
            if name != "points" || won.len() == games.len() {
                assert!((measured["mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{mode} {name}");
            }
            width(measured);
            width(&summary["median"][name]);
            assert!(summary["spread"][name]["q3"].is_number());
        }
        assert!(width(&summary["lost"]) > 0.1 && width(&summary["clears"]["singles"]) > 0.0);
    }
}

/// Every product is weight x value, and the score of every landing is their sum.
#[test]
fn landings_are_shown_with_terms_and_score() {
    let folder = folder();
    let line =
        format!("show board --rules guideline --controller capstone-sprint --picture {WELL}");
    let alone = json(folder.path(), &line);
    let terms = alone["terms"].as_array().unwrap();
    assert_eq!((&terms[0]["term"], &terms[0]["value"]), (&"aggregate_height".into(), &36.into()));
    let value = |value: &Value| value.as_f64().unwrap();
    let product = value(&terms[0]["weight"]) * 36.0;
    assert!((value(&terms[0]["product"]) - product).abs() < 1e-6);
    let shown = json(folder.path(), &format!("{line} --piece S --hold I"));
    for entry in shown["placements"].as_array().unwrap() {
        let product = |term: &Value| {
            value(&term["weight"]) * value(&entry["terms"][term["term"].as_str().unwrap()])
        };
        let sum: f64 = terms.iter().map(product).sum();
        assert!((value(&entry["score"]) - sum).abs() < 1e-5, "{entry}");
        assert_eq!(entry["score"], entry["own_score"]);
    }
}

/// The first landing that `features` shows is the placement that `simulate` plays, with the same
/// value.
#[test]
fn the_first_landing_shown_is_the_one_played() {
    let folder = folder();
    fs::write(folder.path().join("b.txt"), WELL.replace('/', "\n")).unwrap();
    for search in ["greedy", "beam --beam-width 4 --beam-depth 3"] {
        let who = format!("--rules guideline --mode endless --board-file b.txt --search {search}");
        let shown = json(folder.path(), &format!("show board {who} --piece S --next ITOZ"));
        let best = &shown["placements"][0];
        done(
            folder.path(),
            &format!(
                "simulate {who} --script SITOZ --cycle --previews 4 --pieces 9 --games 1 --out run --force"
            ),
        );
        let first = &rows(&folder.path().join("run/placements.csv"))[0];
        assert!((best["score"].as_f64().unwrap() - real(first, "score")).abs() < 1e-6, "{first:?}");
        assert_eq!(best["orientation"], first["orientation"]);
        for column in ["column", "landing_row"] {
            assert_eq!(best[column].as_i64(), Some(number(first, column)));
        }
        assert_eq!(
            shown["placements"].as_array().unwrap().len() as i64,
            number(first, "candidates")
        );
    }
}

/// One row for each landing there was, with terms that add up to what it is worth; the chosen one
/// has the best value, which is that of the placement.
#[test]
fn candidates_hold_every_landing_of_a_decision() {
    let folder = folder();
    for search in
        ["greedy", "beam --beam-width 6 --beam-depth 3", "beam --beam-width 4 --beam-futures 4"]
    {
        done(
            folder.path(),
            &format!(
                "simulate --rules guideline --mode blitz --pieces 12 --games 3 --seed 4 --candidates --every 3 --search {search} --out run --force"
            ),
        );
        let table = |name: &str| rows(&folder.path().join("run").join(name));
        let (placements, candidates) = (table("placements.csv"), table("candidates.csv"));
        let config = manifest(&folder.path().join("run"))["config"].clone();
        assert_eq!(config["log"]["candidates"], true);
        for placement in &placements {
            let own: Vec<&Row> = candidates.iter().filter(|row| is_of(row, placement)).collect();
            let listed = own.iter().filter(|row| row["lost"] == "FALSE").count();
            assert_eq!(listed as i64, number(placement, "candidates"));
            let chosen: Vec<&&Row> = own.iter().filter(|row| row["chosen"] == "TRUE").collect();
            assert_eq!(chosen.len(), 1, "{placement:?}");
            for key in [
                "piece",
                "used_hold",
                "orientation",
                "column",
                "landing_row",
                "t_spin",
                "lines",
                "score",
            ] {
                assert_eq!(chosen[0][key], placement[key], "{key}");
            }
            let values = own.iter().filter_map(|row| row["score"].parse::<f64>().ok());
            assert_eq!(values.fold(f64::MIN, f64::max), real(chosen[0], "score"));
        }
        let greedy = search == "greedy";
        assert_eq!(candidates.iter().all(|row| row["score"] == row["own_score"]), greedy);
        for row in &candidates {
            let product =
                |(term, weight): (&String, &Value)| weight.as_f64().unwrap() * real(row, term);
            let sum: f64 =
                config["controller"]["weights"].as_object().unwrap().iter().map(product).sum();
            assert!((sum - real(row, "own_score")).abs() < 1e-4, "{row:?}");
        }
    }
}
