//! `tetrastat rollout`: games played on from the boards of a log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tetrastat::board::Board;

use crate::common::{folder, rows, tetrastat, text};

/// Six short games of a weak player, every placement logged.
fn play(folder: &Path) {
    let run = ["simulate", "--controller", "lee", "--board", "8x8", "--games", "6"];
    let more = ["--max-pieces", "none", "--placements", "csv", "--sample", "0", "--out", "run"];
    let output = tetrastat(folder, &[&run[..], &more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

const ROLLOUT: [&str; 9] =
    ["rollout", "--every", "60", "--replicates", "12", "--horizon", "25", "--seed", "3"];

fn rollout(folder: &Path, more: &[&str]) {
    let output = tetrastat(folder, &[&ROLLOUT[..], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// The games from a board are those that `simulate` plays from it by the same seed.
#[test]
fn a_board_is_played_on_from_as_simulate_does() {
    let folder = folder();
    play(folder.path());
    rollout(folder.path(), &["--from", "run", "--out", "roll"]);
    let boards = rows(&folder.path().join("roll/rollouts.csv"));
    let logged = rows(&folder.path().join("run/placements.csv"));
    assert!(boards.len() > 3 && boards.len() <= logged.len() / 60);
    let last = boards.last().unwrap();
    let same = logged
        .iter()
        .filter(|row| ["game", "piece_no", "board"].iter().all(|&key| last[key] == row[key]));
    assert_eq!(same.count(), 1);
    let board = Board::from_hex("8x8".parse().unwrap(), &last["board"]).unwrap();
    fs::write(folder.path().join("board.txt"), board.to_string()).unwrap();
    let again = ["simulate", "--controller", "lee", "--board-file", "board.txt", "--seed", "3"];
    let more = ["--games", "12", "--max-pieces", "25", "--placements", "none", "--out", "again"];
    let output = tetrastat(folder.path(), &[&again[..], &more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let games = rows(&folder.path().join("again/games.csv"));
    let deaths = games.iter().filter(|game| game["censored"] == "FALSE").count();
    let lines: f64 = games.iter().map(|game| game["lines"].parse::<f64>().unwrap()).sum();
    assert_eq!(last["deaths"], deaths.to_string());
    assert!((last["lines_mean"].parse::<f64>().unwrap() - lines / 12.0).abs() < 1e-9);
}

#[test]
fn candidates_are_compared_with_the_chosen_one_and_shards_are_joined() {
    let folder = folder();
    play(folder.path());
    rollout(folder.path(), &["--from", "run", "--regret", "--out", "roll"]);
    for (out, shard, threads) in [("a", "1/2", "1"), ("b", "2/2", "2")] {
        let more = ["--from", "run/placements.csv", "--regret", "--shard", shard, "--out", out];
        rollout(folder.path(), &[&more[..], &["--threads", threads]].concat());
    }
    assert!(tetrastat(folder.path(), &["merge", "b", "a", "--out", "joined"]).status.success());
    assert!(tetrastat(folder.path(), &["verify", "joined"]).status.success());
    for table in ["rollouts.csv", "rollout_candidates.csv"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(table)).unwrap();
        assert!(read("joined") == read("roll"), "{table}");
    }
    let candidates = rows(&folder.path().join("roll/rollout_candidates.csv"));
    let chosen = candidates.iter().filter(|row| row["chosen"] == "TRUE");
    let chosen: Vec<_> = chosen.inspect(|row| assert_eq!(row["death_difference"], "0")).collect();
    assert!(candidates.len() > 5 * chosen.len() && chosen.len() > 3);
    let lost = candidates.iter().filter(|row| row["lost"] == "TRUE");
    lost.for_each(|row| assert_eq!(row["p_death"], "1"));
    let again = tetrastat(
        folder.path(),
        &[&ROLLOUT[..], &["--from", "run", "--regret", "--out", "roll"]].concat(),
    );
    assert!(text(&again.stderr).contains("nothing is played again"));
}

/// Placements that may have the most lines get more games. The reported games of each placement are the first ones of a
/// longer run, so every row equals that of a run which plays its number of games everywhere.
#[test]
fn games_go_to_placements_that_may_be_the_best() {
    let folder = folder();
    play(folder.path());
    let of = |replicates: &str, max: &[&str]| {
        let out = format!("games-{replicates}-{}", max.len());
        let args = ["rollout", "--from", "run", "--every", "60", "--horizon", "40", "--regret"];
        let more = ["--replicates", replicates, "--out", &out];
        let output = tetrastat(folder.path(), &[&args[..], &more, max].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        rows(&folder.path().join(out).join("rollout_candidates.csv"))
    };
    let race = of("20", &["--max-replicates", "70"]);
    let [few, some, all] = ["20", "40", "70"].map(|replicates| of(replicates, &[]));
    let mut seen = BTreeSet::new();
    for (place, row) in race.iter().enumerate() {
        let whole = match &*row["replicates"] {
            "20" => &few[place],
            "40" => &some[place],
            "70" => &all[place],
            other => panic!("{other} games"),
        };
        let columns = [
            "game",
            "piece_no",
            "candidate",
            "lost",
            "score",
            "p_death",
            "lines_mean",
            "lines_se",
            "p_death_se",
        ];
        assert!(columns.iter().all(|&column| row[column] == whole[column]), "{row:?}: {whole:?}");
        seen.insert(row["replicates"].clone());
    }
    assert_eq!(seen.len(), 3);
    // A precise mean ends the games of its placement, too. Other games decided that it is precise,
    // so the standard error of the reported games is only about as small.
    let precise = of("20", &["--max-replicates", "70", "--precision", "0.1"]);
    let games = |row: &BTreeMap<String, String>| row["replicates"].parse::<u64>().unwrap();
    let fewer = race.iter().zip(&precise).filter(|(race, precise)| games(precise) < games(race));
    let fewer: Vec<_> = fewer.collect();
    assert!(fewer.len() > 5, "{}", fewer.len());
    for (_, precise) in fewer {
        let [error, mean] =
            ["lines_se", "lines_mean"].map(|column| precise[column].parse::<f64>().unwrap());
        assert!(error <= 0.2 * mean, "{precise:?}");
    }
    let real = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    // A share of k of n games has the standard error sqrt(p (1 - p) / n).
    for row in &few {
        let p = real(row, "p_death");
        assert!((real(row, "p_death_se") - (p * (1.0 - p) / 20.0).sqrt()).abs() < 1e-12);
    }
}

/// The board before a placement is the board after the one before it, and has the same games.
#[test]
fn boards_before_placements_are_played_on_from() {
    let folder = folder();
    let run = "simulate --controller lee --board 8x8 --games 2 --max-pieces 60 --placements csv --sample 0 --columns";
    for (columns, out) in [("board", "after"), ("board_before", "before")] {
        let run = format!("{run} piece,lost,{columns} --out {out}");
        let output = tetrastat(folder.path(), &run.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let args = ["--from", out, "--every", "1", "--regret", "--out", &format!("roll-{out}")];
        let output = tetrastat(folder.path(), &[&ROLLOUT[..1], &ROLLOUT[3..], &args].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let read = |name: &str| {
        let rows = rows(&folder.path().join(name));
        let key = |row: &BTreeMap<String, String>| {
            (row["game"].clone(), row["piece_no"].clone(), row.get("candidate").cloned())
        };
        rows.into_iter().map(|row| (key(&row), row)).collect::<BTreeMap<_, _>>()
    };
    let [after, before] = ["after", "before"].map(|out| read(&format!("roll-{out}/rollouts.csv")));
    let shared = before.iter().filter(|(key, row)| after.get(*key) == Some(*row));
    // The first board of each of the two games follows no placement, and boards of lost games are skipped.
    assert_eq!((shared.count(), after.len()), (before.len() - 2, before.len() - 2));
    let [after, before] =
        ["after", "before"].map(|out| read(&format!("roll-{out}/rollout_candidates.csv")));
    assert!(after.len() > 500 && after.iter().all(|(key, row)| before[key] == *row));
}

#[test]
fn what_cannot_be_played_on_from_is_refused() {
    let folder = folder();
    play(folder.path());
    let few = ["convert", "run", "few", "--format", "csv", "--columns", "game,piece_no,piece"];
    assert!(tetrastat(folder.path(), &few).status.success());
    for (more, words) in [
        (&["--from", "few"][..], "no column board"),
        (&["--from", "run", "--every", "999999"], "smaller --every"),
        (&["--from", "run", "--regret", "--max-replicates", "9"], "less than --replicates 100"),
        (&["--from", "run", "--max-replicates", "900"], "--regret"),
        (&["--from", "run", "--regret", "--max-replicates", "900", "--precision", "3"], "0.03"),
        (&["--from", "run", "--search", "next", "--regret"], "--search greedy"),
        (&["--from", "run", "--controller", "bdu"], "board"),
    ] {
        let output = tetrastat(folder.path(), &[&["rollout"][..], more].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {message}");
        assert!(message.contains(words) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn a_run_of_guideline_games_is_named() {
    let folder = folder();
    let args = ["simulate", "--rules", "guideline", "--mode", "blitz", "--games", "1"];
    let output = tetrastat(
        folder.path(),
        &[&args[..], &["--pieces", "9", "--placements", "csv", "--out", "blitz"]].concat(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    for args in [
        &["rollout", "--from", "blitz", "--out", "o"][..],
        &["annotate", "blitz/placements.csv", "--out", "o.csv"],
    ] {
        let output = tetrastat(folder.path(), args);
        let expected = "tetrastat: blitz holds a run of guideline games: give a run of classic \
                        games (rules simplified or standard)\n";
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), expected), "{args:?}");
    }
}
