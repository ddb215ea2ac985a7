//! The real binary on real files: summaries, levels, interruption and benchmarks.
//! tests/messages/simulate.md has what is printed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::common::{
    command, done, entries, folder, interrupt, manifest, refused, rows, run, small, text,
};

/// The bootstrap interval of few games is wider than the middle of resampled means.
#[test]
fn a_bootstrap_interval_of_few_games_is_wide() {
    let line = "simulate --controller lee --board 6x8 --games 12 --max-pieces none --format json";
    let json: Value = serde_json::from_str(&done(folder().path(), line)).unwrap();
    let summary = &json["run"]["summary"];
    let [mean, sd, low, high] =
        ["/lines/mean", "/spread/lines/sd", "/lines_bootstrap/low", "/lines_bootstrap/high"]
            .map(|path| summary.pointer(path).unwrap().as_f64().unwrap());
    let error = sd / 12f64.sqrt();
    assert!(low < mean && mean < high && high - low > 2.0 * 2.2 * 0.9 * error, "{summary}");
    assert!(high - mean > mean - low, "few games of skewed length say less about the upper end");
}

/// A million games take minutes; the run is stopped after a second and a half.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_that_ended() {
    let folder = folder();
    let line =
        "simulate --board 10x10 --games 1000000 --placements csv --every 50 --out run --sample 0";
    let args: Vec<&str> = line.split(' ').collect();
    let mut child = command(folder.path(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    interrupt(&child);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("keeping what is done"));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let run = folder.path().join("run");
    let manifest = manifest(&run);
    assert_eq!(manifest["status"], "interrupted");
    let games = |table: &str| -> Vec<String> {
        rows(&run.join(table)).into_iter().map(|row| row["game"].clone()).collect()
    };
    let ended = games("games.csv");
    assert!(!ended.is_empty(), "a 10x10 game takes a few hundredths of a second");
    assert_eq!(manifest["games"], ended.len());
    assert!(games("placements.csv").iter().all(|game| ended.contains(game)));
    assert_eq!(entries(&run).len(), 5, "tables, descriptions and a checkpoint, no partial file");
}

#[test]
fn every_level_plays_the_same_games_and_a_wrong_one_is_refused() {
    let folder = folder();
    let mut tables = Vec::new();
    for level in tetrastat::kernels::Level::available() {
        let name = level.to_string();
        run(folder.path(), &small(&["9", "--simd", &name, "--out", &name, "--placements", "csv"]));
        let run = folder.path().join(&name);
        assert_eq!(manifest(&run)["simd"], name);
        assert!(manifest(&run)["cpu"].as_str().is_some_and(|cpu| !cpu.is_empty()));
        tables
            .push(["games.csv", "placements.csv"].map(|table| fs::read(run.join(table)).unwrap()));
    }
    assert!(tables.iter().all(|run| *run == tables[0]));
    let other = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
    refused(&["simulate", "--simd", other], &["this CPU has no", other, "use --simd auto"]);
}

/// Facts of `bench` that no machine changes: rows, columns, and relations between the numbers.
#[test]
fn bench_prints_csv_and_json() {
    let folder = folder();
    let bench = |more: &str| {
        done(folder.path(), &format!("bench --board 10x10 --sample-ms 1 --repeats 1 {more}"))
    };
    let table = bench("--sections features --format csv");
    let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    assert_eq!(
        columns[13..],
        ["ns_added_to_bcts", "ns_added_low", "ns_added_high", "decision_ratio"]
    );
    let features: Vec<Vec<&str>> =
        table.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let own: Vec<_> = features.iter().filter(|row| row[1] == "wells_guide").collect();
    assert_eq!(own.len(), 2);
    assert!(own.iter().all(|row| row[13].parse::<f64>().is_ok_and(f64::is_finite)), "{own:?}");
    assert!(!features.iter().any(|row| row[1].contains("bcts")), "a case that is no feature");
    // The features of a controller, each left out. Nobody's features are measured otherwise.
    let own = "name = \"own\"\nmeasured = \"after-clear\"\n[weights]\nholes = -4.0\nheight_3 = -1.0\nwells_guide = -0.5\n";
    fs::write(folder.path().join("own.toml"), own).unwrap();
    for (controller, features) in [("own.toml", 3), ("bcts", 8)] {
        let rows = bench(&format!("--controller {controller} --format csv"));
        let levels = rows.lines().filter(|row| row.starts_with("NA,")).count();
        assert_eq!(rows.lines().count(), 1 + levels * (1 + features), "{rows}");
    }
    // The eight features of bcts have a cost too: they are left out instead of added.
    let best = features.iter().rfind(|row| row[1] == "holes").unwrap();
    assert!(best[13].parse::<f64>().is_ok_and(|ns| ns != 0.0), "{best:?}");
    let json: Value = serde_json::from_str(&bench("--sections threads --format json")).unwrap();
    assert_eq!(json["checksum"].as_str().unwrap().len(), 16);
    assert_eq!(json["rows"][0]["threads"], 1);
}

/// The behaviour of the whole engine over fixed games. A commit that changes it says so and why.
#[test]
fn the_behaviour_checksum_is_frozen() {
    for level in tetrastat::kernels::Level::available() {
        assert_eq!(tetrastat::bench::checksum(level).unwrap(), "4d21bc1feb27cd62", "{level}");
        let guideline = tetrastat::bench::guideline_checksum(level).unwrap();
        assert_eq!(guideline, "cd71d2e353b47131", "{level}");
    }
}

/// Games without a limit that an interrupt cuts off are said to be cut off by it.
#[cfg(unix)]
#[test]
fn an_interrupt_is_named_where_no_limit_cut_a_game_off() {
    let folder = folder();
    let line =
        "simulate --games 1 --max-pieces none --placements none --checkpoint-ms 20 --out run";
    let args: Vec<&str> = line.split(' ').collect();
    let child = command(folder.path(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first checkpoint may stand before the game begins; a second one holds some of it.
    let checkpoint = folder.path().join("run/checkpoint.json");
    let (mut first, mut now) = (None, None);
    while first.is_none() || first == now {
        std::thread::sleep(Duration::from_millis(5));
        now = fs::read(&checkpoint).ok();
        first = first.or_else(|| now.clone());
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let shown = text(&output.stdout);
    assert!(shown.contains("0 ended, 1 censored at the interrupt\n"), "{shown}");
}
