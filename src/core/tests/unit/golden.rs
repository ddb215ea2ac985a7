//! Compares game over, rows, features and the board with every row that the C program of Thiery &
//! Scherrer printed (`tests/golden/mdptetris_features.csv`, values only).

use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::features::{Feature, Move};
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::{Candidate, Placement};
use tetrastat_core::rules::Rules;

/// Golden columns with the features that they correspond to.
const FEATURES: [(&str, &str); 13] = [
    ("f1_landing", "landing_height"),
    ("f2_eroded", "eroded_cells"),
    ("f3_rowtr", "row_transitions"),
    ("f4_coltr", "column_transitions"),
    ("f5_holes", "holes"),
    ("f6_wells_dell", "wells"),
    ("fm6_wells_fast", "wells_fast"),
    ("fm1_holedepth", "hole_depth"),
    ("fm2_rowsholes", "rows_with_holes"),
    ("fm14_div", "pattern_diversity"),
    ("f7_wallh", "max_height"),
    ("f17_bump", "bumpiness"),
    ("f12_wells", "well_cells"),
];

fn board(size: BoardSize, rows: &str) -> Board {
    let rows: Vec<u16> = rows
        .split(':')
        .filter(|row| !row.is_empty())
        .map(|row| u16::from_str_radix(row, 16).unwrap())
        .collect();
    Board::from_rows(size, &rows).unwrap()
}

#[test]
fn every_golden_row_is_reproduced() {
    let mut reader = csv::Reader::from_path("../../tests/golden/mdptetris_features.csv").unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let rules = Rules::simplified();
    let (mut rows, mut lost) = (0, 0);
    for record in reader.records() {
        let record = record.unwrap();
        let number = |index: usize| record[index].parse::<usize>().unwrap();
        let size = BoardSize::new(10, number(0)).unwrap();
        let before = board(size, &record[1]);
        let piece: Piece = "IOTZSJL"[number(2)..=number(2)].parse().unwrap();
        let placement = Placement { orientation: number(3) as u8, column: number(4) as u8 };
        let candidate = Candidate::dropped(&before.heights(), piece, placement);
        assert_eq!(candidate.row as usize, number(column("landing_bottom")));

        let outcome = rules.play(&before, piece, candidate);
        assert_eq!(outcome.lost, number(column("game_over")) == 1, "{before:?}{piece}");
        assert_eq!(outcome.played.lines as usize, number(column("lines")));
        let removed: u8 = outcome.played.removed_cells.iter().sum();
        assert_eq!(removed as usize, number(column("piece_cells_removed")));
        rows += 1;
        if outcome.lost {
            lost += 1;
            continue;
        }
        assert_eq!(outcome.after, board(size, &record[column("after_rows")]));
        check_features(&outcome.after, &outcome.played, |name| record[column(name)].to_owned());
    }
    assert_eq!((rows, lost), (6000, 404));
}

fn check_features(after: &Board, played: &Move, golden: impl Fn(&str) -> String) {
    for (column, name) in FEATURES {
        let feature: Feature = name.parse().unwrap();
        let raw = feature.raw(after, Some(played)).unwrap();
        let value = feature.in_units(raw, after.width());
        assert_eq!(value, golden(column).parse::<f64>().unwrap(), "{name} of {after:?}");
    }
}
