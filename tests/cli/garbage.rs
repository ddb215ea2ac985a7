//! Tests of garbage rows, at the start of games and from below: their draws, records and replays.
//! `tests/messages/garbage.md` has studies and refusals.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{done, folder, manifest, rows};

type Row = BTreeMap<String, String>;

/// Returns the board before the first placement of each game, as rows of bits from the floor.
fn starts(run: &Path) -> Vec<Vec<u16>> {
    let placements = rows(&run.join("placements.csv"));
    let first = placements.iter().filter(|row| row["piece_no"] == "1");
    let rows_of = |text: &str| -> Vec<u16> {
        let row = |row| u16::from_str_radix(row, 16).unwrap();
        text.split(':').map(row).filter(|row| *row != 0).collect()
    };
    first.map(|row| rows_of(&row["board_before"])).collect()
}

/// Returns the pieces of each game.
fn pieces(run: &Path) -> BTreeMap<String, String> {
    let mut pieces: BTreeMap<String, String> = BTreeMap::new();
    for row in rows(&run.join("placements.csv")) {
        pieces.entry(row["game"].clone()).or_default().push_str(&row["piece"]);
    }
    pieces
}

const LOG: &str =
    "--games 300 --max-pieces 3 --sample 0 --placements csv --columns minimal,board_before";

/// Each row has one hole, in each of ten columns equally often: 4.5 standard deviations of 180 are
/// 57. The seed is fixed; of 15,000 other seeds, about one would fail.
#[test]
fn every_game_has_its_own_holes_and_the_usual_pieces() {
    for game in
        ["", "--rules standard --board 10x12", "--rules guideline --mode endless --pieces 3"]
    {
        let folder = folder();
        let log = if game.contains("guideline") {
            LOG.replace("--max-pieces 3 --sample 0", "").replace("minimal", "all")
        } else {
            LOG.to_owned()
        };
        for garbage in [0, 4, 6] {
            done(
                folder.path(),
                &format!("simulate {game} --garbage {garbage} {log} --out g{garbage}"),
            );
        }
        let of = |name: &str| folder.path().join(name);
        let (four, six) = (starts(&of("g4")), starts(&of("g6")));
        assert_eq!(six.len(), 300);
        let mut holes = [0; 10];
        for (game, rows) in six.iter().enumerate() {
            assert_eq!((rows.len(), &rows[..4]), (6, &four[game][..]));
            for row in rows {
                let hole = !row & 0x3ff;
                assert_eq!(hole.count_ones(), 1);
                holes[hole.trailing_zeros() as usize] += 1;
            }
        }
        assert!(holes.iter().all(|count: &i32| (count - 180).abs() < 57), "{holes:?}");
        // With a hold, the pieces are placed in another order than they are dealt.
        if !game.contains("guideline") {
            assert_eq!(pieces(&of("g0")), pieces(&of("g6")));
        }
        assert_eq!(manifest(&of("g6"))["config"]["garbage"], 6);
        assert_eq!(manifest(&of("g0"))["config"]["garbage"], 0);
        done(folder.path(), "data verify g6");
        // A replay that did not start from the garbage would find other landing rows.
        done(folder.path(), "watch --text --replay g6 --game 7");
    }
}

/// Returns the rows of a logged board from the floor up, without empty ones at the top.
fn board(row: &Row, column: &str) -> Vec<u16> {
    let rows = row[column].split(':').map(|row| u16::from_str_radix(row, 16).unwrap());
    let mut rows: Vec<u16> = rows.collect();
    while rows.last() == Some(&0) {
        rows.pop();
    }
    rows
}

/// Follows the garbage rows of every game of a run from its logged boards. `due` returns the number
/// of rows that enter after a placement, from its number, the rows it removed, and the numbers of
/// garbage rows on the board and so far.
fn follow(run: &Path, due: impl Fn(u32, usize, u32, u32) -> u32) -> Vec<Row> {
    let number = |row: &Row, column: &str| row[column].parse::<u32>().unwrap();
    let (games, placements) = (rows(&run.join("games.csv")), rows(&run.join("placements.csv")));
    let garbage = manifest(run)["config"]["garbage"].as_u64().unwrap() as u32;
    let mut entered_in_play = 0;
    for game in &games {
        let own: Vec<&Row> = placements.iter().filter(|row| row["game"] == game["game"]).collect();
        assert_eq!(own.len() as u32, number(game, "pieces"));
        let (mut left, mut so_far, mut cleared) = (garbage, garbage, 0);
        for (at, row) in own.iter().enumerate() {
            let removed = row["cleared_rows"].split(';').filter_map(|row| row.parse().ok());
            let removed: Vec<u32> = removed.collect();
            let of_garbage = removed.iter().filter(|row| **row < left).count() as u32;
            assert_eq!(number(row, "garbage_cleared"), of_garbage, "{row:?}");
            (left, cleared) = (left - of_garbage, cleared + of_garbage);
            let mut enter = due(number(row, "piece_no"), removed.len(), left, so_far);
            match own.get(at + 1) {
                Some(next) => {
                    let before = board(next, "board_before");
                    assert_eq!(before[enter as usize..], board(row, "board"), "{next:?}");
                    let lowest = &before[..(left + enter) as usize];
                    assert!(lowest.iter().all(|row| row.count_ones() == 9), "{next:?}");
                }
                // The last placement may win the game or lose it, and a row may end it.
                None => enter = number(game, "garbage_left") - left,
            }
            (left, so_far) = (left + enter, so_far + enter);
            entered_in_play += enter;
        }
        assert_eq!(
            [left, cleared],
            ["left", "cleared"].map(|it| number(game, &format!("garbage_{it}")))
        );
        let is_lost = ["top_out", "lock_out", "spawn_blocked"].contains(&&*game["end_reason"]);
        assert_eq!(game["survived"], if is_lost { "0" } else { "1" });
    }
    assert!(entered_in_play > 30, "{entered_in_play}");
    games
}

const FULL_LOG: &str = "--placements csv --columns all,board_before,garbage_cleared --out r";

/// Rows rise as the options require; the counts of garbage rows follow from the boards, and replays
/// and pages can follow the games.
#[test]
fn rising_rows_are_counted() {
    let every = |number: u32, _, _, _| u32::from(number.is_multiple_of(7));
    let race = |_, removed, left: u32, so_far: u32| {
        if removed == 0 { (6 - left).min(15 - so_far) } else { 0 }
    };
    let classic = "--board 10x12 --garbage 2 --max-pieces 150 --sample 0";
    let guideline = "--rules guideline --mode endless --pieces 60 --garbage 2";
    for (game, is_race) in [
        (format!("{classic} --garbage-every 7 --games 8"), false),
        (format!("{guideline} --garbage-every 7 --games 4"), false),
        ("--rules guideline --mode cheese --cheese-rows 15 --garbage 6 --games 8".to_owned(), true),
    ] {
        let folder = folder();
        done(folder.path(), &format!("simulate {game} {FULL_LOG}"));
        let run = folder.path().join("r");
        if is_race {
            for game in follow(&run, race) {
                assert_eq!((&*game["end_reason"], &*game["garbage_cleared"]), ("won", "15"));
            }
        } else {
            follow(&run, every);
        }
        done(folder.path(), "data verify r");
        done(folder.path(), "watch --text --replay r --game 3");
        done(folder.path(), "view r --out r.html");
        let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
        assert!(page.contains("\"rises\":true") && !page.contains("\"missing\":\""), "{game}");
    }
}
