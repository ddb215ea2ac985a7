//! Single decisions of guideline games: terms and landings by `features`, boards, queues and
//! candidates of `simulate`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::common::{command, folder, manifest, refused, rows, tetrastat, text};

/// Four rows with a well in column 4.
const WELL: &str = "####.#####/####.#####/####.#####/####.#####";

type Row = BTreeMap<String, String>;

fn stdout_of(folder: &Path, line: &str) -> String {
    let args: Vec<&str> = line.split_whitespace().collect();
    let output = tetrastat(folder, &args);
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&stdout_of(folder, &format!("{line} --format json"))).unwrap()
}

/// Every product is weight x value, and the score of every landing is their sum.
#[test]
fn landings_are_shown_with_terms_and_score() {
    let folder = folder();
    let line = format!("features --rules guideline --controller capstone-sprint --picture {WELL}");
    let alone = json(folder.path(), &line);
    let weight = |entry: &Value| {
        (entry["term"].as_str().unwrap().to_owned(), entry["weight"].as_f64().unwrap())
    };
    let weights: Vec<(String, f64)> =
        alone["terms"].as_array().unwrap().iter().map(weight).collect();
    let heights = &alone["terms"][0];
    assert_eq!((&heights["term"], &heights["value"]), (&"aggregate_height".into(), &36.into()));
    let product = heights["weight"].as_f64().unwrap() * 36.0;
    assert!((heights["product"].as_f64().unwrap() - product).abs() < 1e-6);
    let shown = json(folder.path(), &format!("{line} --piece S --hold I"));
    let placements = shown["placements"].as_array().unwrap();
    assert_eq!(placements.len(), 17 + 17, "S and I have 17 hard drops each");
    for entry in placements {
        let sum: f64 = weights
            .iter()
            .map(|(term, weight)| weight * entry["terms"][term].as_f64().unwrap())
            .sum();
        assert!((entry["score"].as_f64().unwrap() - sum).abs() < 1e-5, "{entry}");
        assert_eq!(entry["score"], entry["own_score"]);
    }
    let best = &placements[0];
    assert_eq!(
        (&best["piece"], &best["used_hold"], &best["lines"]),
        (&"I".into(), &true.into(), &4.into())
    );
    assert_eq!((&best["column"], &best["landing_row"]), (&4.into(), &0.into()));
    let table = stdout_of(folder.path(), &format!("{line} --piece S --hold I"));
    assert!(table.contains("34 landings by capstone-sprint (greedy), best first:"), "{table}");
    let none = stdout_of(folder.path(), &format!("{line} --piece S --hold I --no-hold"));
    assert!(none.contains("17 landings"), "{none}");
}

/// What `features` shows first is what `simulate` plays from the same board and pieces, at the same value.
#[test]
fn the_first_landing_shown_is_the_one_played() {
    let folder = folder();
    fs::write(folder.path().join("b.txt"), WELL.replace('/', "\n")).unwrap();
    let who = "--rules guideline --mode endless --board-file b.txt";
    for search in ["greedy", "beam --beam-width 4 --beam-depth 3"] {
        let asked = format!("features {who} --search {search} --piece S --next ITOZ");
        let shown = json(folder.path(), &asked);
        let best = &shown["placements"][0];
        let run = format!(
            "simulate {who} --search {search} --script SITOZ --cycle --previews 4 --pieces 9 --games 1 --out run --force"
        );
        stdout_of(folder.path(), &run);
        let first = &rows(&folder.path().join("run/placements.csv"))[0];
        let number = |name: &str| first[name].parse::<f64>().unwrap();
        assert!((best["score"].as_f64().unwrap() - number("score")).abs() < 1e-6, "{first:?}");
        assert_eq!(best["orientation"], first["orientation"]);
        assert_eq!(best["column"].as_f64(), Some(number("column")));
        assert_eq!(best["landing_row"].as_f64(), Some(number("landing_row")));
        assert_eq!(shown["placements"].as_array().unwrap().len() as f64, number("candidates"));
    }
    let beam = stdout_of(
        folder.path(),
        &format!("features {who} --search beam --beam-width 1 --piece S --next ITOZ"),
    );
    assert!(beam.contains("no line kept") && beam.contains("alone"), "{beam}");
    // A place is measured whether the piece can get there or not.
    let place = format!("features {who} --piece I --place");
    let place = |at: &str| json(folder.path(), &format!("{place} {at}"));
    let tetris = place("R,4,0");
    assert_eq!((&tetris["lines"], &tetris["reached"]), (&4.into(), &true.into()));
    assert_eq!(place("1,4,0"), tetris);
    assert_eq!(place("0,0,9")["reached"], false);
}

/// A T-slot is marked at the T's centre; what is of a placement is not on the matrix.
#[test]
fn a_term_shows_what_it_counts() {
    let folder = folder();
    let picture = ".....##.../###...####/####.#####";
    let line = format!("features --rules capstone --picture {picture} --explain t_slots_2,covered");
    let shown = stdout_of(folder.path(), &line);
    assert!(shown.starts_with("t_slots_2 1: ") && shown.contains("\ncovered 1: "), "{shown}");
    assert!(shown.contains("  #  #  #  .  1  .  #  #  #  # | 1\n"), "{shown}");
    let parts = json(folder.path(), &line);
    assert_eq!(parts[0]["parts"][0]["place"]["cell"], serde_json::json!([4, 1]));
}

#[test]
fn options_of_other_games_are_refused() {
    let guideline = |more: &[&'static str]| [&["features", "--rules", "guideline"], more].concat();
    refused(&guideline(&["--tie", "first"]), &["--tie is an option of classic games"]);
    refused(&guideline(&["--board", "10x20"]), &["--board is an option of classic games"]);
    refused(&guideline(&["--piece", "T", "--search", "next"]), &["'next'", "beam"]);
    refused(&guideline(&["--piece", "T", "--beam-width", "3"]), &["--search beam"]);
    refused(&guideline(&["--picture", "####"]), &["10 columns"]);
    refused(&guideline(&["--piece", "T", "--place", "4,0,0"]), &["states 0, R, 2 and L"]);
    let simulate = |more: &[&'static str]| [&["simulate", "--rules", "guideline"], more].concat();
    refused(&simulate(&["--queue", "deck"]), &["'deck'", "uniform, bag"]);
    refused(&simulate(&["--queue", "bags"]), &["'bags'", "did you mean 'bag'?"]);
    refused(&simulate(&["--queue", "bag", "--script", "I"]), &["give one"]);
    refused(&simulate(&["--board-file", "none.txt"]), &["none.txt"]);
    refused(&simulate(&["--queue", "uniform", "--columns", "bag_no"]), &["bag_no", "--queue bag"]);
}

/// The pieces of a script, one after the other, on a board; what deals no bags has no columns of them.
#[test]
fn games_have_the_queue_and_board_asked_for() {
    let folder = folder();
    fs::write(folder.path().join("b.txt"), WELL.replace('/', "\n")).unwrap();
    let run = "simulate --rules guideline --mode endless --pieces 7 --games 2 --no-hold --board-file b.txt";
    stdout_of(folder.path(), &format!("{run} --script IOT --cycle --out script"));
    let placements = rows(&folder.path().join("script/placements.csv"));
    let pieces: String = placements.iter().map(|row| &*row["piece"]).collect();
    assert_eq!(pieces, "IOTIOTIIOTIOTI");
    assert_eq!((&*placements[0]["lines"], &*placements[0]["perfect"]), ("4", "TRUE"));
    assert!(
        placements.iter().all(|row| !row.contains_key("bag_no") && !row.contains_key("bag_pos"))
    );
    let config = &manifest(&folder.path().join("script"))["config"];
    assert_eq!(config["queue"], "script (cycle) IOT");
    assert_eq!(config["start"], "3ef:3ef:3ef:3ef");
    stdout_of(folder.path(), "verify script");
    let told = stdout_of(folder.path(), "watch --replay script --game 1 --from 7 --text");
    assert!(told.contains("script"), "{told}");
    stdout_of(folder.path(), "watch --rules guideline --board-file b.txt --queue uniform --text");
    // A script that ends is said, with what to do.
    let short = tetrastat(folder.path(), &["simulate", "--rules", "guideline", "--script", "IOT"]);
    assert_eq!(short.status.code(), Some(2));
    assert!(text(&short.stderr).contains("ended after 3 pieces"), "{}", text(&short.stderr));
    fs::write(
        folder.path().join("high.txt"),
        format!("{}#", "#.........\n".repeat(20)) + ".........",
    )
    .unwrap();
    let high =
        tetrastat(folder.path(), &["simulate", "--rules", "guideline", "--board-file", "high.txt"]);
    assert!(text(&high.stderr).contains("above the 20 rows"), "{}", text(&high.stderr));
}

/// Shards of such games are the whole run, and conditions of a study differ by queue.
#[test]
fn queues_and_boards_go_through_shards_and_studies() {
    let folder = folder();
    fs::write(folder.path().join("b.txt"), WELL.replace('/', "\n")).unwrap();
    let run = "simulate --rules guideline --mode blitz --pieces 15 --games 4 --queue uniform --board-file b.txt --out";
    stdout_of(folder.path(), &format!("{run} whole"));
    for part in 1..=2 {
        stdout_of(folder.path(), &format!("{run} part{part} --shard {part}/2"));
    }
    stdout_of(folder.path(), "merge part1 part2 --out merged");
    for name in ["games.csv", "placements.csv"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(name)).unwrap();
        assert!(read("whole") == read("merged"), "{name}");
    }
    let compared = json(
        folder.path(),
        "compare tetrastat-blitz-greedy tetrastat-blitz-greedy:queue=uniform --rules guideline --mode blitz --pieces 15 --games 4 --out compared",
    );
    assert!(compared.to_string().contains("uniform"), "{compared}");
    let conditions = rows(&folder.path().join("compared/conditions.csv"));
    assert!(
        conditions.iter().any(|row| row.values().any(|cell| cell.contains("uniform"))),
        "{conditions:?}"
    );
}

/// One row for each landing there was, with terms that add up to what it is worth; the chosen one has the value of
/// the placement.
#[test]
fn candidates_hold_every_landing_of_a_decision() {
    let folder = folder();
    let run = "simulate --rules guideline --mode blitz --pieces 12 --games 3 --seed 4 --candidates --every 3";
    for search in ["greedy", "beam --beam-width 6 --beam-depth 3"] {
        stdout_of(folder.path(), &format!("{run} --search {search} --out run --force"));
        let table = |name: &str| rows(&folder.path().join("run").join(name));
        let (placements, candidates) = (table("placements.csv"), table("candidates.csv"));
        let config = manifest(&folder.path().join("run"))["config"].clone();
        assert_eq!(config["candidates"], "csv");
        for placement in &placements {
            let same =
                |row: &&Row| ["game", "piece_no"].iter().all(|key| row[*key] == placement[*key]);
            let own: Vec<&Row> = candidates.iter().filter(same).collect();
            let listed = own.iter().filter(|row| row["lost"] == "FALSE").count();
            assert_eq!(listed.to_string(), placement["candidates"]);
            let chosen: Vec<&&Row> = own.iter().filter(|row| row["chosen"] == "TRUE").collect();
            assert_eq!(chosen.len(), 1, "{placement:?}");
            let keys = [
                ("piece", "piece"),
                ("used_hold", "used_hold"),
                ("orientation", "orientation"),
                ("column", "column"),
                ("landing_row", "landing_row"),
                ("t_spin", "t_spin"),
                ("lines", "lines"),
                ("score", "score"),
            ];
            for (here, there) in keys {
                assert_eq!(chosen[0][here], placement[there], "{here}");
            }
            let best = own.iter().filter_map(|row| row["score"].parse::<f64>().ok());
            assert_eq!(best.fold(f64::MIN, f64::max), chosen[0]["score"].parse::<f64>().unwrap());
        }
        let greedy = search == "greedy";
        assert_eq!(candidates.iter().all(|row| row["score"] == row["own_score"]), greedy);
        let weights = config["weights"].as_object().unwrap();
        for row in &candidates {
            let sum: f64 = weights
                .iter()
                .map(|(term, weight)| weight.as_f64().unwrap() * row[term].parse::<f64>().unwrap())
                .sum();
            assert!((sum - row["own_score"].parse::<f64>().unwrap()).abs() < 1e-4, "{row:?}");
        }
    }
}

/// Candidates alone, of some games, go through shards, threads, formats and `verify` as other tables do.
#[test]
fn candidates_are_a_table_like_others() {
    let folder = folder();
    let run =
        "simulate --rules guideline --mode blitz --pieces 8 --games 8 --candidates --placements";
    stdout_of(folder.path(), &format!("{run} parquet --sample-games 0.5 --threads 2 --out whole"));
    let sampled = stdout_of(folder.path(), "convert whole text --format csv");
    assert!(!sampled.is_empty());
    let games: std::collections::BTreeSet<String> =
        rows(&folder.path().join("text/candidates.csv"))
            .iter()
            .map(|row| row["game"].clone())
            .collect();
    assert!(!games.is_empty() && games.len() < 8, "{games:?}");
    for part in 1..=2 {
        let shard = format!("--threads 1 --shard {part}/2 --out part{part}");
        stdout_of(folder.path(), &format!("{run} parquet --sample-games 0.5 {shard}"));
    }
    stdout_of(folder.path(), "merge part1 part2 --out merged");
    for name in ["games.csv", "placements.parquet", "candidates.parquet"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(name)).unwrap();
        assert!(read("whole") == read("merged"), "{name}");
    }
    let verified = stdout_of(folder.path(), "verify merged");
    assert!(verified.contains("candidates.parquet"), "{verified}");
    stdout_of(folder.path(), &format!("{run} none --only-last 2 --out alone"));
    assert!(!folder.path().join("alone/placements.csv").exists());
    let last = rows(&folder.path().join("alone/candidates.csv"));
    assert!(last.iter().all(|row| ["7", "8"].contains(&&*row["piece_no"])), "{last:?}");
    assert!(manifest(&folder.path().join("alone"))["config"]["log"].is_null());
}

/// A run that is killed goes on to the bytes of one that was left alone, with its queue, board and candidates.
#[test]
fn a_killed_run_goes_on_with_queue_board_and_candidates() {
    let folder = folder();
    fs::write(folder.path().join("b.txt"), WELL.replace('/', "\n")).unwrap();
    let run = "simulate --rules guideline --mode blitz --pieces 16 --games 60 --queue uniform --board-file b.txt --candidates --threads 2 --checkpoint-ms 1 --out";
    stdout_of(folder.path(), &format!("{run} whole"));
    let args = format!("{run} parts");
    let args: Vec<&str> = args.split(' ').collect();
    let parts = folder.path().join("parts");
    let written =
        || fs::metadata(parts.join("candidates.csv.partial")).map_or(0, |file| file.len());
    let mut child = command(folder.path(), &args).stdout(Stdio::null()).spawn().unwrap();
    while written() < 100_000 && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if parts.join("checkpoint.json").exists() {
        stdout_of(folder.path(), "simulate --resume parts");
    } else {
        stdout_of(folder.path(), &args.join(" "));
    }
    for name in ["games.csv", "placements.csv", "candidates.csv"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(name)).unwrap();
        assert!(read("whole") == read("parts"), "{name}");
    }
}
