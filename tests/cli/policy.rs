//! Tests of players that do not always play the best placement (`--policy`): their logs and
//! interruptions.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{command, folder, manifest, rows, run};

fn words<'a>(parts: &[&'a str]) -> Vec<&'a str> {
    parts.iter().flat_map(|part| part.split_whitespace()).collect()
}

type Row = BTreeMap<String, String>;

/// The candidates of each placement, in the order of the placements.
fn candidates(run: &Path, placements: &[Row]) -> Vec<Vec<Row>> {
    let mut all = rows(&run.join("candidates.csv")).into_iter().peekable();
    let key = |row: &Row| (row["game"].clone(), row["piece_no"].clone());
    placements
        .iter()
        .map(|placement| {
            std::iter::from_fn(|| all.next_if(|row| key(row) == key(placement))).collect()
        })
        .collect()
}

fn score(row: &Row, column: &str) -> Option<f64> {
    row[column].parse().ok()
}

/// Checks the log in `run`: one candidate is marked as played, the columns `best_...` name the best
/// candidate, and scores and ranks are those of the played one. `place` names the columns that
/// distinguish candidates. Returns the number of placements that are not the best, and of all.
fn check_log(run: &Path, place: &[&str]) -> (usize, usize) {
    let placements = rows(&run.join("placements.csv"));
    let all = candidates(run, &placements);
    let mut others = 0;
    for (placement, own) in placements.iter().zip(&all) {
        let chosen: Vec<&Row> = own.iter().filter(|row| row["chosen"] == "TRUE").collect();
        assert_eq!(chosen.len(), 1, "{placement:?}");
        let of = |row: &Row, prefix: &str| -> Vec<String> {
            place.iter().map(|name| row[&format!("{prefix}{name}")].clone()).collect()
        };
        assert_eq!(of(chosen[0], ""), of(placement, ""));
        assert_eq!(chosen[0]["score"], placement["score"]);
        // Of equal candidates, the first is the best one.
        let most = own.iter().filter_map(|row| score(row, "score")).max_by(f64::total_cmp);
        let best = own.iter().find(|row| score(row, "score") == most).unwrap();
        assert_eq!(of(best, ""), of(placement, "best_"));
        let rest = own.iter().filter(|row| row["chosen"] == "FALSE");
        let second = rest.filter_map(|row| score(row, "score")).max_by(f64::total_cmp);
        assert_eq!(score(placement, "rank2_score"), second);
        others += usize::from(of(placement, "") != of(placement, "best_"));
    }
    (others, placements.len())
}

#[test]
fn a_classic_log_names_the_best_placement() {
    let folder = folder();
    let best =
        "simulate --board 8x10 --games 5 --max-pieces 200 --seed 3 --sample 0 --placements csv";
    let log = "--candidates --columns all,best_orientation,best_column";
    run(folder.path(), &words(&[best, log, "--out best"]));
    let pieces = |run: &str| -> BTreeMap<(String, String), String> {
        let rows = rows(&folder.path().join(run).join("placements.csv")).into_iter();
        rows.map(|row| ((row["game"].clone(), row["piece_no"].clone()), row["piece"].clone()))
            .collect()
    };
    let dealt = pieces("best");
    for (policy, name) in
        [("best", "same"), ("epsilon:0.3", "e"), ("softmax:5", "s"), ("misdrop:0.3", "m")]
    {
        run(folder.path(), &words(&[best, log, "--policy", policy, "--out", name]));
        let at = folder.path().join(name);
        let (others, all) = check_log(&at, &["orientation", "column"]);
        assert_eq!(others > all / 50, policy != "best", "{policy}: {others} of {all}");
        for row in rows(&at.join("placements.csv")) {
            let Some(margin) = score(&row, "margin") else { continue };
            let difference = score(&row, "score").unwrap() - score(&row, "rank2_score").unwrap();
            assert!((margin - difference).abs() < 1e-6, "{row:?}");
            let is_best = (&row["orientation"], &row["column"])
                == (&row["best_orientation"], &row["best_column"]);
            assert!(if is_best { margin >= 0.0 } else { margin <= 0.0 }, "{row:?}");
        }
        let same = pieces(name).into_iter().filter(|(key, _)| dealt.contains_key(key));
        assert!(same.into_iter().all(|(key, piece)| dealt[&key] == piece), "{policy}");
    }
    for file in ["games.csv", "placements.csv", "candidates.csv"] {
        let read = |run: &str| std::fs::read(folder.path().join(run).join(file)).unwrap();
        assert_eq!(read("best"), read("same"));
    }
}

#[test]
fn a_guideline_log_names_the_best_placement() {
    let folder = folder();
    let blitz = "simulate --rules guideline --mode blitz --pieces 60 --games 4 --seed 3 --placements csv --candidates";
    let log = "--columns all,best_piece,best_orientation,best_column,best_landing_row";
    let place = ["piece", "orientation", "column", "landing_row"];
    for (policy, name) in
        [("best", "b"), ("epsilon:0.3", "e"), ("softmax:20", "s"), ("misdrop:0.3", "m")]
    {
        run(folder.path(), &words(&[blitz, log, "--policy", policy, "--out", name]));
        let (others, all) = check_log(&folder.path().join(name), &place);
        assert_eq!(others > all / 50, policy != "best", "{policy}: {others} of {all}");
        assert!(
            rows(&folder.path().join(name).join("placements.csv"))
                .iter()
                .all(|row| row["lost"] == "FALSE")
        );
    }
    // A beam has no score for a placement with which none of its lines begins.
    let beam = "--search beam --beam-width 4 --policy epsilon:0.3 --out beam";
    run(folder.path(), &words(&[blitz, log, beam]));
    let beam = rows(&folder.path().join("beam/placements.csv"));
    let missing = beam.iter().filter(|row| score(row, "score").is_none()).count();
    assert!(missing > beam.len() / 50, "{missing}");
}

/// A run that is killed in the middle of its only game takes its policy from the checkpoint.
#[test]
fn a_long_game_is_resumed_with_its_draws() {
    for game in [
        "simulate --games 1 --max-pieces 60000 --seed 5 --sample 0 --placements none --policy misdrop:0.003",
        "simulate --rules guideline --mode endless --pieces 6000 --games 1 --placements none --policy epsilon:0.01",
    ] {
        let folder = folder();
        run(folder.path(), &words(&[game, "--out whole"]));
        let args = words(&[game, "--checkpoint-ms 5 --out run"]);
        let mut child = command(folder.path(), &args).stdout(Stdio::null()).spawn().unwrap();
        // The first checkpoint may stand before the game begins; a second one holds some of it.
        let checkpoint = folder.path().join("run/checkpoint.json");
        let (mut first, mut now) = (None, None);
        while (first.is_none() || first == now) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
            now = std::fs::read(&checkpoint).ok();
            first = first.or_else(|| now.clone());
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "the game ended too early to be killed");
        run(folder.path(), &words(&["simulate --resume run"]));
        let table = |run: &str| std::fs::read(folder.path().join(run).join("games.csv")).unwrap();
        assert_eq!(table("whole"), table("run"), "{game}");
        let config = |run: &str| manifest(&folder.path().join(run))["config"].clone();
        assert_eq!(config("whole"), config("run"));
    }
}

/// `expect` prefers fewer deadly next pieces, and compares scores only between equals. The columns
/// of candidates state this order, so the chosen candidate has rank 1 in every decision.
#[test]
fn candidates_state_the_order_of_a_search_with_look_ahead() {
    for (search, most) in [("expect", 7), ("next", 1)] {
        let folder = folder();
        let game = "simulate --controller lee --board 6x8 --games 60 --max-pieces 300 --sample 0 --placements csv";
        let log = "--candidates --columns minimal,rank2_score,deadly_next,rank";
        run(folder.path(), &words(&[game, log, "--search", search, "--out run"]));
        let run = folder.path().join("run");
        let placements = rows(&run.join("placements.csv"));
        let mut not_highest = 0;
        for (placement, own) in placements.iter().zip(candidates(&run, &placements)) {
            // A candidate that loses comes after all others.
            let order = |row: &Row| {
                let deadly = score(row, "deadly_next").unwrap_or(8.0);
                assert!(deadly <= f64::from(most) || row["lost"] == "TRUE", "{row:?}");
                (deadly, score(row, "score"))
            };
            let is_above = |one: &Row, other: &Row| {
                let ((deadly, score), (other_deadly, other_score)) = (order(one), order(other));
                deadly < other_deadly || (deadly == other_deadly && score > other_score)
            };
            let chosen = own.iter().find(|row| row["chosen"] == "TRUE").unwrap();
            assert_eq!([&*chosen["rank"], &*placement["rank"]], ["1", "1"], "{placement:?}");
            assert_eq!(chosen["deadly_next"], placement["deadly_next"]);
            for row in own.iter().filter(|row| score(row, "score").is_some()) {
                let above = own.iter().filter(|other| is_above(other, row)).count();
                assert_eq!(row["rank"], (above + 1).to_string(), "{row:?}");
            }
            let is_higher = |row: &&Row| score(row, "score") > score(chosen, "score");
            not_highest += usize::from(own.iter().any(|row| is_higher(&row)));
        }
        assert!(placements.len() > 2_000, "{}", placements.len());
        assert_eq!(not_highest > 20, search == "expect", "{search}: {not_highest}");
    }
}
