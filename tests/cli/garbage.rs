//! Tests of garbage rows at the start of games (`--garbage`): their draws, records and replays.
//! `tests/messages/garbage.md` has studies and refusals.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{done, folder, manifest, rows};

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
