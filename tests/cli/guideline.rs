//! Guideline games through the real binary: golden games, threads, tables, perft, mistakes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{command, folder, manifest, refused, rows, tetrastat, text, unsealed_manifest};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn stdout(folder: &Path, args: &[&str]) -> String {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// `simulate` with these rules into `out`.
fn run(folder: &Path, rules: &str, out: &str, more: &[&str]) -> String {
    stdout(folder, &[&["simulate", "--rules", rules, "--out", out], more].concat())
}

type Row = BTreeMap<String, String>;

fn number(row: &Row, column: &str) -> i64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: {}", row[column]))
}

/// Whole games under both presets, every placement, point and state; `TETRASTAT_WRITE=1 cargo test
/// --test guideline` writes them anew.
#[test]
fn golden_games() {
    let sprint = ["--controller", "capstone-sprint"];
    let beam = ["--search", "beam", "--beam-width", "6", "--beam-depth", "3", "--pieces", "90"];
    let blitz = [&["--mode", "blitz"], &beam[..]].concat();
    for rules in ["guideline", "capstone"] {
        for (mode, options) in [("sprint", &sprint[..]), ("blitz", &blitz)] {
            let folder = folder();
            run(folder.path(), rules, "run", &[options, &["--games", "1", "--seed", "7"]].concat());
            let text = fs::read_to_string(folder.path().join("run/placements.csv")).unwrap();
            let golden = format!("{ROOT}/tests/golden/{rules}_{mode}.csv");
            if std::env::var_os("TETRASTAT_WRITE").is_some() {
                fs::write(&golden, &text).unwrap();
            }
            let known = fs::read_to_string(&golden).unwrap();
            let differs = text.lines().zip(known.lines()).find(|(played, known)| played != known);
            assert_eq!(differs, None, "{rules} {mode}");
            assert_eq!(text.len(), known.len(), "{rules} {mode}");
        }
    }
}

/// The same bytes for any number of threads, at any level.
#[test]
fn threads_and_levels_leave_every_byte_alone() {
    let folder = folder();
    let play = |out: &str, more: &[&str]| {
        let options = ["--mode", "blitz", "--pieces", "40", "--games", "12", "--seed", "3"];
        run(folder.path(), "guideline", out, &[&options, more].concat());
        ["games.csv", "placements.csv"]
            .map(|name| fs::read(folder.path().join(out).join(name)).unwrap())
    };
    let one = play("one", &["--threads", "1"]);
    assert_eq!(one, play("four", &["--threads", "4"]));
    assert_eq!(one, play("portable", &["--threads", "2", "--simd", "portable"]));
    let verified = stdout(folder.path(), &["verify", "four"]);
    assert!(verified.contains("placements.csv"), "{verified}");
}

/// Kills a run without warning, interrupts the rest, and lets it go on: the bytes are those of a run
/// that was left alone, and so is the summary.
#[test]
#[ignore = "long: 6 s"]
fn long_a_killed_and_interrupted_run_goes_on_to_the_same_bytes() {
    for format in ["csv", "parquet"] {
        let folder = folder();
        let options = "simulate --rules guideline --mode blitz --pieces 60 --games 150 --seed 5 --threads 2 --checkpoint-ms 1 --format json --placements";
        let mut options: Vec<&str> = options.split(' ').collect();
        options.push(format);
        let whole = stdout(folder.path(), &[&options[..], &["--out", "whole"]].concat());
        let parts = folder.path().join("parts");
        let mut begun = [&options[..], &["--out", "parts"]].concat();
        let mut stops = 0;
        for signal in ["-KILL", "-INT"] {
            let mut child = command(folder.path(), &begun).stdout(Stdio::null()).spawn().unwrap();
            let before = kept(&parts);
            while kept(&parts) < before + 8_000 && child.try_wait().unwrap().is_none() {
                sleep(Duration::from_millis(1));
            }
            let pid = child.id().to_string();
            let _ = Command::new("kill").args([signal, &pid]).stderr(Stdio::null()).status();
            stops += usize::from(!child.wait().unwrap().success());
            begun = vec!["simulate", "--resume", "parts"];
        }
        let mut went_on = whole.clone();
        if parts.join("checkpoint.json").exists() {
            went_on = stdout(folder.path(), &begun);
        }
        assert!(stops > 0, "{format}: nothing was stopped");
        for name in ["games.csv".to_owned(), format!("placements.{format}")] {
            let read = |run: &str| fs::read(folder.path().join(run).join(&name)).unwrap();
            assert!(read("whole") == read("parts"), "{name}");
        }
        let results = |text: &str| {
            let mut summary: serde_json::Value = serde_json::from_str(text).unwrap();
            // Folder and times are the run's own.
            summary["out"] = serde_json::Value::Null;
            summary["run"] = serde_json::Value::Null;
            summary["elapsed_s"] = serde_json::Value::Null;
            summary
        };
        assert_eq!(results(&whole), results(&went_on));
        stdout(folder.path(), &["verify", "parts"]);
        assert!(!parts.join("checkpoint.json").exists());
    }
}

/// Bytes of the games that a run has kept.
fn kept(run: &Path) -> u64 {
    let length = |name: &str| fs::metadata(run.join(name)).map_or(0, |found| found.len());
    length("games.csv.partial") + length("games.csv")
}

#[test]
fn what_cannot_go_on_is_refused() {
    let folder = folder();
    run(folder.path(), "guideline", "run", &["--games", "2"]);
    let output = tetrastat(folder.path(), &["simulate", "--resume", "run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("only a killed or interrupted run has one"));
}

/// The columns of the choice and the surface, on games that are logged.
#[test]
fn bags_values_and_wells_of_placements() {
    let folder = folder();
    let options = ["--mode", "blitz", "--pieces", "70", "--games", "3", "--seed", "11"];
    run(folder.path(), "guideline", "run", &options);
    let placements = rows(&folder.path().join("run/placements.csv"));
    for row in &placements {
        let real = |column: &str| row[column].parse::<f64>().unwrap();
        assert!(row["rank2_score"] == "NA" || real("rank2_score") <= real("score"), "{row:?}");
        let high = real("landing_height");
        assert!((0.0..=1.5).contains(&(high - real("landing_row"))), "{row:?}");
        assert!((0..=7).contains(&number(row, "ok_pieces")));
        assert_eq!(number(row, "hole_depth") > 0, number(row, "holes") > 0, "{row:?}");
        assert!(["TRUE", "FALSE", "NA"].contains(&&*row["covered_well"]));
    }
    assert!(placements.iter().any(|row| row["rank2_score"] != "NA"));
    assert!(placements.iter().any(|row| row["covered_well"] == "FALSE"));
    // Each bag deals every kind once, so a place in it is placed once at most.
    for game in ["0", "1", "2"] {
        let own: Vec<&Row> = placements.iter().filter(|row| row["game"] == game).collect();
        let places: Vec<(i64, i64)> =
            own.iter().map(|row| (number(row, "bag_no"), number(row, "bag_pos"))).collect();
        let kinds: std::collections::BTreeSet<(i64, &String)> =
            own.iter().map(|row| (number(row, "bag_no"), &row["piece"])).collect();
        let distinct: std::collections::BTreeSet<(i64, i64)> = places.iter().copied().collect();
        assert_eq!((distinct.len(), kinds.len()), (own.len(), own.len()));
        assert!(places.iter().all(|(_, place)| (1..=7).contains(place)));
        assert!(own.iter().any(|row| row["used_hold"] == "TRUE"));
    }
}

/// Cells, rows and points of every game add up from its placements.
#[test]
fn tables_add_up() {
    let folder = folder();
    let options = ["--mode", "blitz", "--pieces", "120", "--games", "3", "--search", "beam"];
    run(folder.path(), "capstone", "run", &[&options[..], &["--beam-width", "4"]].concat());
    let at = |name: &str| folder.path().join("run").join(name);
    let (games, placements) = (rows(&at("games.csv")), rows(&at("placements.csv")));
    assert_eq!(manifest(&folder.path().join("run"))["games"], 3);
    for game in &games {
        let own: Vec<&Row> = placements.iter().filter(|row| row["game"] == game["game"]).collect();
        let sum = |column: &str| own.iter().map(|row| number(row, column)).sum::<i64>();
        assert_eq!(own.len() as i64, number(game, "pieces"));
        assert_eq!(sum("lines"), number(game, "lines"));
        for kind in ["base", "b2b", "combo", "perfect", "drop"] {
            assert_eq!(sum(&format!("points_{kind}")), number(game, &format!("points_{kind}")));
        }
        let last = own.last().unwrap();
        assert_eq!(last["points_total"], game["points"]);
        let cells: u32 = last["board"]
            .split(':')
            .map(|row| u16::from_str_radix(row, 16).unwrap().count_ones())
            .sum();
        assert_eq!(i64::from(cells), 4 * number(game, "pieces") - 10 * number(game, "lines"));

        let holds = own.iter().filter(|row| row["used_hold"] == "TRUE").count() as i64;
        assert_eq!(holds, number(game, "holds"));
        assert_eq!(sum("n_inputs") + holds, number(game, "inputs"));
    }
}

/// A Sprint of few rows with a perfect finish: 4 rows are 40 cells, 10 pieces.
#[test]
fn a_short_sprint_is_finished_perfectly() {
    let folder = folder();
    let options = ["--sprint-lines", "4", "--games", "6", "--search", "beam", "--movement", "full"];
    run(folder.path(), "guideline", "run", &[&options[..], &["--previews", "12"]].concat());
    let games = rows(&folder.path().join("run/games.csv"));
    assert!(games.iter().all(|game| game["end_reason"] == "won"), "{games:?}");
    assert!(games.iter().any(|game| number(game, "pieces") == 10), "{games:?}");
    assert!(games.iter().all(|game| number(game, "sprint_reward") == -number(game, "pieces")));
}

/// Where a finish is looked for in futures of the queue, more games of 8 rows end in 20 pieces, the same ones whatever
/// the threads, and a run says how many futures it looked into.
#[test]
fn a_finish_is_looked_for_in_futures_of_the_queue() {
    let folder = folder();
    let play = |out: &str, more: &[&str]| {
        let options = ["--sprint-lines", "8", "--games", "24", "--search", "beam"];
        let options = [&options[..], &["--beam-width", "4", "--movement", "full"], more].concat();
        run(folder.path(), "guideline", out, &options);
        let games = rows(&folder.path().join(out).join("games.csv"));
        games.iter().map(|game| number(game, "pieces")).collect::<Vec<_>>()
    };
    let perfect = |pieces: &[i64]| pieces.iter().filter(|&&pieces| pieces == 20).count();
    let without = play("without", &[]);
    let with = play("with", &["--finish-futures", "16", "--threads", "2"]);
    assert!(perfect(&with) > perfect(&without), "{with:?}, {without:?}");
    assert_eq!(with, play("one", &["--finish-futures", "16", "--threads", "1"]));
    let config = |out: &str| {
        let text = fs::read_to_string(folder.path().join(out).join("run.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["config"]["futures"].clone()
    };
    assert_eq!((config("with"), config("without")), (16.into(), serde_json::Value::Null));
}

/// A beam that goes on in futures of the queue makes more points, the same ones whatever the threads; what it looked
/// at stands in the run's description, and what it valued in the candidates.
#[test]
#[ignore = "long: 5 s"]
fn long_a_beam_goes_on_in_futures_of_the_queue() {
    let folder = folder();
    let play = |out: &str, more: &[&str]| {
        let options = ["--mode", "blitz", "--pieces", "120", "--games", "12", "--search", "beam"];
        let options = [&options[..], &["--beam-width", "4"], more].concat();
        run(folder.path(), "guideline", out, &options);
        fs::read_to_string(folder.path().join(out).join("games.csv")).unwrap()
    };
    let futures = ["--beam-futures", "4"];
    let points = |out: &str| -> i64 {
        rows(&folder.path().join(out).join("games.csv"))
            .iter()
            .map(|game| number(game, "points"))
            .sum()
    };
    let without = play("without", &[]);
    let with = play("with", &[&futures[..], &["--threads", "2"]].concat());
    assert_ne!(with, without);
    // 26,951 and 28,144 points a game: these games are the same every time.
    assert!(points("with") > points("without"), "{} {}", points("with"), points("without"));
    assert_eq!(
        with,
        play("one", &[&futures[..], &["--threads", "1", "--beam-future-pieces", "3"]].concat())
    );
    // Where no values are logged, the search stops once the choice is made: the same games.
    assert_eq!(with, play("alone", &[&futures[..], &["--placements", "none"]].concat()));
    let states = ["--columns", "game,piece_no,board"];
    play("states", &[&futures[..], &states].concat());
    play("values", &[&futures[..], &["--columns", "game,piece_no,board,score"]].concat());
    let played = |out: &str| -> Vec<String> {
        let placements = rows(&folder.path().join(out).join("placements.csv"));
        placements.iter().map(|row| row["board"].clone()).collect()
    };
    assert_eq!(played("states"), played("values"));
    assert_ne!(with, play("shorter", &[&futures[..], &["--beam-future-pieces", "1"]].concat()));
    let config = |out: &str| {
        let text = fs::read_to_string(folder.path().join(out).join("run.json")).unwrap();
        let config = &serde_json::from_str::<serde_json::Value>(&text).unwrap()["config"];
        (config["beam_futures"].as_u64(), config["beam_future_pieces"].as_u64())
    };
    assert_eq!((config("with"), config("without")), ((Some(4), Some(3)), (None, None)));
    // The best value among the candidates is the one that is played.
    let logged = [&futures[..], &["--candidates", "--placements", "csv", "--every", "40"]].concat();
    play("logged", &logged);
    let chosen = rows(&folder.path().join("logged/placements.csv"));
    let all = rows(&folder.path().join("logged/candidates.csv"));
    for placement in &chosen {
        let of_it =
            |row: &&Row| ["game", "piece_no"].iter().all(|key| row[*key] == placement[*key]);
        let values = all.iter().filter(of_it).filter_map(|row| row["score"].parse::<f64>().ok());
        let best = values.fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(placement["score"].parse::<f64>().ok(), Some(best));
    }
}

/// A beam that keeps the ways to perfect clears makes more of them and more points, the same ones whatever the threads.
#[test]
fn a_beam_finds_perfect_clears() {
    let folder = folder();
    let play = |out: &str, more: &[&str]| {
        let options = ["--mode", "blitz", "--pieces", "120", "--games", "12", "--search", "beam"];
        let options = [&options[..], &["--beam-width", "4", "--beam-futures", "2"], more].concat();
        run(folder.path(), "guideline", out, &options);
        fs::read_to_string(folder.path().join(out).join("games.csv")).unwrap()
    };
    let sum = |out: &str, column: &str| -> i64 {
        let games = rows(&folder.path().join(out).join("games.csv"));
        games.iter().map(|game| number(game, column)).sum()
    };
    let states = ["--beam-perfect-clears", "20000"];
    play("without", &[]);
    let with = play("with", &[&states[..], &["--threads", "2"]].concat());
    assert_eq!(with, play("one", &[&states[..], &["--threads", "1"]].concat()));
    for column in ["perfect_clears", "points"] {
        let (with, without) = (sum("with", column), sum("without", column));
        assert!(with > without, "{column}: {with} and {without}");
    }
    // So few states that most ways are not found.
    let few = play("few", &["--beam-perfect-clears", "20"]);
    assert_ne!(few, with);
    let states = |out: &str| {
        let text = fs::read_to_string(folder.path().join(out).join("run.json")).unwrap();
        let config = &serde_json::from_str::<serde_json::Value>(&text).unwrap()["config"];
        config["beam_perfect_clears"].as_u64()
    };
    assert_eq!((states("with"), states("without")), (Some(20_000), None));
}

/// A controller with a network plays the same games for any threads and at any level, more points than by its weights alone,
/// and its run writes all of it down. Where a network has no say it is refused.
#[test]
fn a_network_has_its_say() {
    let folder = folder();
    let play = |out: &str, controller: &str, more: &[&str]| {
        let options = ["--mode", "blitz", "--pieces", "120", "--games", "12", "--search", "beam"];
        let options =
            [&options[..], &["--beam-width", "8", "--controller", controller], more].concat();
        run(folder.path(), "guideline", out, &options);
        fs::read(folder.path().join(out).join("placements.csv")).unwrap()
    };
    let points = |out: &str| -> i64 {
        let games = rows(&folder.path().join(out).join("games.csv"));
        games.iter().map(|game| number(game, "points")).sum()
    };
    let with = play("with", "tetrastat-blitz-network", &["--threads", "2"]);
    assert_eq!(
        with,
        play("one", "tetrastat-blitz-network", &["--threads", "1", "--simd", "portable"])
    );
    play("without", "tetrastat-blitz-hold", &[]);
    // These games are the same every time.
    assert!(points("with") > points("without"), "{} {}", points("with"), points("without"));
    let network = &manifest(&folder.path().join("with"))["config"]["network"];
    assert_eq!(network["first"].as_array().map(Vec::len), Some(578));
    let shown = stdout(folder.path(), &["controllers", "tetrastat-blitz-network"]);
    assert!(shown.contains("network"), "{shown}");

    let preset = format!("{ROOT}/data/controllers/guideline/tetrastat-blitz-network.toml");
    let train = ["train", "cem", "--rules", "guideline", "--features", &preset];
    refused(&train, &["has a network", "name a controller without one"]);
    refused(&["simulate", "--controller", &preset, "--games", "1"], &["network"]);
}

/// Three minutes by the inputs' times end where the next placement would be late.
#[test]
fn a_blitz_by_inputs_ends_in_time() {
    let folder = folder();
    let options = ["--mode", "blitz", "--seconds", "10", "--key-ms", "60", "--games", "2"];
    run(folder.path(), "capstone", "run", &options);
    for game in rows(&folder.path().join("run/games.csv")) {
        assert_eq!(game["end_reason"], "time_limit");
        assert!((9_000..=10_000).contains(&number(&game, "time_ms")), "{game:?}");
        assert!(number(&game, "inputs") * 60 <= 10_000 + 60 * number(&game, "pieces"), "{game:?}");
    }
}

/// Perft totals on which two independent programs agree.
#[test]
fn perft_counts() {
    let folder = folder();
    let counts = stdout(folder.path(), &["perft", "IOLJ"]);
    let totals: Vec<&str> =
        counts.lines().map(|line| line.split_whitespace().nth(2).unwrap()).collect();
    assert_eq!(totals, ["17", "153", "5,266", "188,374"]);
    fs::write(folder.path().join("dt.txt"), ".....#....\n..##.##...\n...####..#\n##.#######\n#..#######\n#...######\n##.#######\n##.#######\n").unwrap();
    let dt = stdout(folder.path(), &["perft", "T", "--board", "dt.txt"]);
    assert!(dt.contains(" 39 "), "{dt}");
}

#[test]
fn mistakes_are_named() {
    let simulate = |more: &[&str], remedy: &[&str]| {
        refused(&[&["simulate", "--rules", "guideline"], more].concat(), remedy);
    };
    simulate(&["--controller", "bcts"], &["'bcts'", "capstone-blitz"]);
    simulate(&["--controller", "none.toml"], &["none.toml", "check the path"]);
    simulate(&["--mode", "ultra"], &["ultra", "blitz"]);
    simulate(&["--games", "0"], &["--games", "of at least 1"]);
    simulate(&["--pieces", "5"], &["Sprint", "--mode blitz"]);
    simulate(&["--mode", "blitz", "--sprint-lines", "5"], &["--mode sprint"]);
    simulate(&["--mode", "blitz", "--pps", "0"], &["--pps 0", "0.001"]);
    simulate(&["--mode", "blitz", "--pps", "2", "--key-ms", "50"], &["--pps", "--key-ms"]);
    simulate(&["--das-ms", "50"], &["--key-ms"]);
    simulate(&["--beam-width", "5"], &["--search beam"]);
    simulate(&["--previews", "16"], &["--previews", "15"]);
    simulate(&["--movement", "tucks"], &["'tucks'", "hard-drop"]);
    simulate(&["--kicks", "ars"], &["'ars'", "srs+"]);
    simulate(&["--placements", "xlsx"], &["'xlsx'", "parquet"]);
    simulate(&["--sprint-lines", "0"], &["--sprint-lines"]);
    simulate(&["--finish-futures", "4", "--finisher", "0"], &["--finisher 0"]);
    simulate(&["--finish-futures", "4", "--mode", "blitz"], &["--mode sprint"]);
    simulate(&["--beam-futures", "4"], &["--search beam"]);
    simulate(&["--beam-future-pieces", "4", "--search", "beam"], &["--beam-futures N"]);
    simulate(&["--mode", "blitz", "--beam-perfect-clears", "9"], &["--search beam"]);
    simulate(&["--search", "beam", "--beam-perfect-clears", "9"], &["give --finisher in a Sprint"]);
    let deep = ["--search", "beam", "--beam-futures", "2", "--beam-depth", "3"];
    simulate(&deep, &["leave out --beam-depth"]);
    let estimate = ["estimate", "--rules", "guideline", "--mode", "endless", "--search", "beam"];
    refused(&[&estimate[..], &["--beam-futures", "2"]].concat(), &["leave out beam-futures"]);
}

fn json(folder: &Path, args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(folder, &[args, &["--format", "json"]].concat())).unwrap()
}

/// Means, medians and the share of lost games have intervals that hold them, for eyes and for programs, and the
/// latter find them under the keys that classic games have.
#[test]
fn summaries_have_intervals_and_one_schema() {
    let folder = folder();
    let small = ["simulate", "--board", "6x8", "--games", "2", "--sample", "0", "--out", "small"];
    let other = json(folder.path(), &small);
    let keys: Vec<&String> = other.as_object().unwrap().keys().collect();
    for (mode, options) in [
        ("sprint", vec!["--sprint-lines", "10"]),
        ("blitz", vec!["--mode", "blitz", "--pieces", "40"]),
        ("endless", vec!["--mode", "endless", "--pieces", "40"]),
    ] {
        let run = ["simulate", "--rules", "guideline", "--games", "12", "--out", mode];
        let found = json(folder.path(), &[&run[..], &options].concat());
        assert!(keys.iter().all(|key| found.get(key.as_str()).is_some()), "{mode} {keys:?}");
        assert_eq!((&found["out"], &found["summary"]["games"]), (&mode.into(), &12.into()));
        assert_eq!(found["run"], unsealed_manifest(&folder.path().join(mode)));
        let summary = &found["summary"];
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let games = rows(&folder.path().join(mode).join("games.csv"));
        let won: Vec<&Row> =
            games.iter().filter(|row| mode != "sprint" || row["end_reason"] == "won").collect();
        for (name, column) in
            [("pieces", "pieces"), ("lines", "lines"), ("points", "points"), ("inputs", "inputs")]
        {
            let measured = &summary[name];
            let values = won.iter().map(|row| self::number(row, column) as f64);
            let mean = values.sum::<f64>() / won.len() as f64;
            if name != "points" || won.len() == games.len() {
                assert!((number(&measured["mean"]) - mean).abs() < 1e-9, "{mode} {name}");
            }
            for (value, interval) in [("mean", "interval"), ("median", "median_interval")] {
                let [low, high] = ["low", "high"].map(|end| number(&measured[interval][end]));
                let value = number(&measured[value]);
                assert!(low <= value && value <= high, "{mode} {name}: {measured}");
            }
            assert_eq!(measured["quartiles"].as_array().unwrap().len(), 5);
        }
        let [low, high] = ["low", "high"].map(|end| number(&summary["lost_interval"][end]));
        let share = number(&summary["lost"]) / 12.0;
        assert!(low <= share && share <= high && high - low > 0.1, "{summary}");
        let text = stdout(folder.path(), &[&run[..5], &["--out", "text"], &options].concat());
        fs::remove_dir_all(folder.path().join("text")).unwrap();
        let lines = |label: &str| text.lines().filter(|line| line.starts_with(label)).count();
        assert_eq!((lines("lost "), lines("points "), lines("keys ")), (1, 1, 2), "{text}");
        assert!(text.matches("95 % interval").count() >= 7, "{text}");
    }
}

/// Shards of guideline games, one of them with another number of threads, become the run that one command plays.
#[test]
fn shards_are_merged_to_the_bytes_of_one_run() {
    let folder = folder();
    let play = |more: &[&str]| {
        let args = "simulate --rules guideline --games 7 --sprint-lines 8 --placements parquet";
        let args: Vec<&str> = args.split(' ').chain(more.iter().copied()).collect();
        let played = tetrastat(folder.path(), &args);
        assert!(played.status.success(), "{}", text(&played.stderr));
    };
    play(&["--out", "whole"]);
    play(&["--shard", "1/3", "--out", "one"]);
    let lacking = tetrastat(folder.path(), &["merge", "one", "--out", "joined"]);
    let message = text(&lacking.stderr);
    assert!(
        message.contains("shard 2/3 is missing") && message.contains("--shard 2/3"),
        "{message}"
    );
    play(&["--shard", "2/3", "--threads", "1", "--out", "two"]);
    play(&["--shard", "3/3", "--out", "three"]);
    let merge = ["merge", "three", "one", "two", "--out", "joined"];
    let merged = tetrastat(folder.path(), &merge);
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    assert!(text(&merged.stdout).starts_with("3 shards, 7 games, "), "{}", text(&merged.stdout));
    let of = |run: &str| manifest(&folder.path().join(run));
    for key in ["config", "files", "games", "pieces", "lines"] {
        assert_eq!(of("joined")[key], of("whole")[key], "{key}");
    }
    assert_ne!(of("one")["files"], of("whole")["files"]);
    // A data package says when it was made; all else of it is the same.
    let described = |run: &str| {
        let text = fs::read(folder.path().join(run).join("datapackage.json")).unwrap();
        let mut package: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert!(package["created"].take().is_string());
        package
    };
    assert_eq!(described("joined"), described("whole"));
    assert!(tetrastat(folder.path(), &["verify", "joined"]).status.success());
    assert!(tetrastat(folder.path(), &merge).status.success(), "the same merge again");
}

/// What is logged of a game is a part of the whole log, row by row and column by column.
#[test]
fn selections_of_guideline_logs_keep_what_they_say() {
    let folder = folder();
    let play = |out: &str, more: &[&str]| {
        let options = ["--mode", "blitz", "--pieces", "40", "--games", "6", "--seed", "8"];
        run(folder.path(), "guideline", out, &[&options, more].concat());
        rows(&folder.path().join(out).join("placements.csv"))
    };
    let all = play("all", &[]);
    let part = |keeps: &dyn Fn(i64) -> bool| -> Vec<Row> {
        all.iter().filter(|row| keeps(number(row, "piece_no"))).cloned().collect()
    };
    assert_eq!(play("every", &["--every", "7"]), part(&|piece| piece % 7 == 0));
    let between = play("between", &["--from", "11", "--to", "20"]);
    assert_eq!(between, part(&|piece| (11..=20).contains(&piece)));
    assert_eq!(play("last", &["--only-last", "3"]), part(&|piece| piece > 37));
    let some = play("some", &["--sample-games", "0.5"]);
    let games: Vec<i64> = some.iter().map(|row| number(row, "game")).collect();
    assert!(!some.is_empty() && some.len() < all.len());
    assert!(some.iter().all(|row| all.contains(row)), "{games:?}");
    let few = play("few", &["--columns", "piece,score,heights", "--every", "9"]);
    assert_eq!(few.len(), 24);
    for (row, whole) in few.iter().zip(part(&|piece| piece % 9 == 0)) {
        assert_eq!(row.len(), 14);
        assert!(row.iter().all(|(name, value)| whole[name] == *value), "{row:?}");
    }
    assert_eq!(play("minimal", &["--columns", "minimal", "--every", "9"])[0].len(), 13);
    let unknown = ["simulate", "--rules", "guideline", "--columns", "heigts"];
    refused(&unknown, &["'heigts'", "did you mean 'heights'?"]);
    let unknown = ["simulate", "--rules", "guideline", "--columns", "xyzzy"];
    refused(&unknown, &["'xyzzy'", "minimal", "points_total"]);
    assert_eq!(manifest(&folder.path().join("every"))["config"]["logged"]["every"], 7);
    assert!(manifest(&folder.path().join("all"))["config"].get("logged").is_none());
}

/// A game so long that it is killed before it ends goes on where its last checkpoint left it.
#[test]
fn a_long_game_goes_on_in_the_middle() {
    let endless =
        "--mode endless --games 2 --seed 4 --threads 2 --placements none --checkpoint-ms 5";
    // What futures a beam looks at does not depend on where a game goes on.
    for more in ["--pieces 15000", "--pieces 3000 --search beam --beam-width 2 --beam-futures 2"] {
        let folder = folder();
        let options = format!("simulate --rules guideline {endless} {more}");
        let options: Vec<&str> = options.split(' ').collect();
        let begun = [&options[..], &["--out", "parts"]].concat();
        let mut child = command(folder.path(), &begun).stdout(Stdio::null()).spawn().unwrap();
        let point = folder.path().join("parts/checkpoint.json");
        let is_open = || {
            let point = fs::read(&point).unwrap_or_default();
            let point: serde_json::Value = serde_json::from_slice(&point).unwrap_or_default();
            point["state"]["open"].as_array().is_some_and(|open| open.len() == 2)
        };
        while !is_open() {
            assert!(child.try_wait().unwrap().is_none(), "no game was left open");
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_open());
        stdout(folder.path(), &["simulate", "--resume", "parts"]);
        stdout(folder.path(), &[&options[..], &["--out", "whole"]].concat());
        let read = |run: &str| fs::read(folder.path().join(run).join("games.csv")).unwrap();
        assert!(read("parts") == read("whole"), "{more}");
    }
}

/// The summary must label points by source and clears as means per game, and show clears that never happened as 0.
#[test]
fn a_summary_says_what_is_per_game_and_what_never_happened() {
    let folder = folder();
    let args =
        ["simulate", "--rules", "guideline", "--mode", "blitz", "--pieces", "30", "--games", "2"];
    let output = tetrastat(folder.path(), &[&args[..], &["--movement", "hard-drop"]].concat());
    let shown = text(&output.stdout);
    assert!(shown.contains("\nmeans per game\n  points of clears "), "{shown}");
    let values: Vec<&str> = shown.lines().filter(|line| line.starts_with("  ")).collect();
    for label in ["singles", "T-spin singles", "T-spin doubles", "T-spin triples", "perfect clears"]
    {
        let row = values.iter().find(|line| line.trim_start().starts_with(&format!("{label} ")));
        let row = row.unwrap_or_else(|| panic!("no {label}: {shown}")).trim_start();
        let value = row[label.len()..].split_whitespace().next();
        assert!(value.unwrap().parse::<f64>().is_ok(), "{label}: {shown}");
    }
    // No spins by hard drops: `poisson.test(0, 2)` of R ends at 1.844.
    let doubles = values.iter().find(|line| line.contains("T-spin doubles")).unwrap();
    assert!(doubles.ends_with(" 0.00 (0.00 to 1.84) *"), "{shown}");
    assert!(shown.contains("*: gamma (rare events)"), "{shown}");
}
