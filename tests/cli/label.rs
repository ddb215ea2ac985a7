//! `tetrastat label`: games played on from the boards of a log. tests/messages/label.md has
//! what is refused and the shards.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tetrastat::board::Board;

use crate::common::{done, folder, rows};

type Row = BTreeMap<String, String>;

fn real(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// Six short games of a weak player, every placement logged.
fn play(folder: &Path) {
    let run = "simulate --controller lee --board 8x8 --games 6 --max-pieces none --placements csv --sample 0";
    done(folder, &format!("{run} --out run"));
}

/// The games from a board are those that `simulate` plays from it by the same seed, and candidates
/// are compared with the chosen one.
#[test]
fn a_board_is_played_on_from_as_simulate_does() {
    let folder = folder();
    play(folder.path());
    let rollout = "label --from run --every 60 --replicates 12 --horizon 25 --seed 3 --regret";
    done(folder.path(), &format!("{rollout} --out roll"));
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
    let again =
        "simulate --controller lee --board-file board.txt --seed 3 --games 12 --max-pieces 25";
    done(folder.path(), &format!("{again} --placements none --out again"));
    let games = rows(&folder.path().join("again/games.csv"));
    let deaths = games.iter().filter(|game| game["censored"] == "FALSE").count();
    let lines: f64 = games.iter().map(|game| real(game, "lines")).sum();
    assert_eq!(last["deaths"], deaths.to_string());
    assert!((real(last, "lines_mean") - lines / 12.0).abs() < 1e-9);

    let candidates = rows(&folder.path().join("roll/rollout_candidates.csv"));
    let chosen = candidates.iter().filter(|row| row["chosen"] == "TRUE");
    let chosen: Vec<_> = chosen.inspect(|row| assert_eq!(row["death_difference"], "0")).collect();
    assert!(candidates.len() > 5 * chosen.len() && chosen.len() > 3);
    let lost = candidates.iter().filter(|row| row["lost"] == "TRUE");
    lost.for_each(|row| assert_eq!(row["p_death"], "1"));
}

/// Placements that may have the most lines get more games. The reported games of each placement are
/// the first ones of a longer run, so every row equals that of a run which plays its number of
/// games everywhere.
#[test]
fn games_go_to_placements_that_may_be_the_best() {
    let folder = folder();
    play(folder.path());
    let of = |replicates: &str| {
        let options = "label --from run --every 60 --horizon 40 --regret --out";
        let out = replicates.replace(' ', "-");
        done(folder.path(), &format!("{options} {out} --replicates {replicates}"));
        rows(&folder.path().join(out).join("rollout_candidates.csv"))
    };
    let race = of("20 --max-replicates 70");
    let [few, some, all] = ["20", "40", "70"].map(of);
    let mut seen = BTreeSet::new();
    for (place, row) in race.iter().enumerate() {
        let whole = match &*row["replicates"] {
            "20" => &few[place],
            "40" => &some[place],
            "70" => &all[place],
            other => panic!("{other} games"),
        };
        let columns =
            "game piece_no candidate lost score p_death lines_mean lines_se p_death_se".split(' ');
        columns.for_each(|column| assert_eq!(row[column], whole[column], "{row:?}: {whole:?}"));
        seen.insert(&*row["replicates"]);
    }
    assert_eq!(seen.len(), 3);
    // A precise mean ends the games of its placement, too. Other games decided that it is precise,
    // so the standard error of the reported games is only about as small.
    let precise = of("20 --max-replicates 70 --precision 0.1");
    let pairs = race.iter().zip(&precise);
    let fewer: Vec<_> =
        pairs.filter(|(race, row)| real(row, "replicates") < real(race, "replicates")).collect();
    assert!(fewer.len() > 5, "{}", fewer.len());
    for (_, row) in fewer {
        assert!(real(row, "lines_se") <= 0.2 * real(row, "lines_mean"), "{row:?}");
    }
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
    let run = "simulate --controller lee --board 8x8 --games 2 --max-pieces 60 --placements csv --sample 0";
    let rollout = "label --every 1 --replicates 12 --horizon 25 --seed 3 --regret";
    for (columns, out) in [("board", "after"), ("board_before", "before")] {
        done(folder.path(), &format!("{run} --columns piece,lost,{columns} --out {out}"));
        done(folder.path(), &format!("{rollout} --from {out} --out roll-{out}"));
    }
    let both = |name: &str| {
        ["after", "before"].map(|out| {
            let rows = rows(&folder.path().join(format!("roll-{out}/{name}")));
            let key =
                |row: &Row| ["game", "piece_no", "candidate"].map(|key| row.get(key).cloned());
            rows.into_iter().map(|row| (key(&row), row)).collect::<BTreeMap<_, _>>()
        })
    };
    let [after, before] = both("rollouts.csv");
    let shared = before.iter().filter(|(key, row)| after.get(*key) == Some(*row));
    // The first board of each of the two games follows no placement, and boards of lost games are
    // skipped.
    assert_eq!((shared.count(), after.len()), (before.len() - 2, before.len() - 2));
    let [after, before] = both("rollout_candidates.csv");
    assert!(after.len() > 500 && after.iter().all(|(key, row)| before[key] == *row));
}
