//! Compares features with the values that their sources publish for test boards.

#[path = "../../../../tests/cli/common/pictures.rs"]
mod pictures;

use pictures::{A, A7, B, C, D, H, M, Q1};
use tetrastat_core::board::Board;
use tetrastat_core::features::{Feature, Move};
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::{Candidate, Placement};
use tetrastat_core::rules::Rules;

fn board(picture: &str) -> Board {
    picture.parse().unwrap()
}

fn value(picture: &str, name: &str) -> i32 {
    let feature: Feature = name.parse().unwrap();
    feature.raw(&board(picture), None).unwrap()
}

#[test]
fn values_of_the_notebook() {
    let heights: Vec<i32> = (0..11).map(|k| value(A, &format!("height_{k}"))).collect();
    assert_eq!(heights, [3, 0, 5, 5, 5, 6, 6, 5, 4, 4, 5]);
    for (picture, name, expected) in [
        (A, "aggregate_height", 48),
        (B, "aggregate_height", 48),
        (A, "complete_rows", 0),
        (B, "complete_rows", 2),
        (A, "holes", 4),
        (A, "bumpiness", 12),
        (B, "bumpiness", 6),
        (C, "row_transitions", 20),
        (C, "column_transitions_ceiling", 22),
        (C, "wells_open", 6),
        (D, "wells_open", 24),
        (C, "hole_depth_all", 4),
        (D, "hole_depth_all", 7),
        (C, "rows_with_holes", 2),
        (D, "rows_with_holes", 4),
    ] {
        assert_eq!(value(picture, name), expected, "{name} of{:?}", board(picture));
    }
    let all_weights_one = |picture| {
        value(picture, "complete_rows")
            - value(picture, "aggregate_height")
            - value(picture, "holes")
            - value(picture, "bumpiness")
    };
    assert_eq!((all_weights_one(B), all_weights_one(A)), (-56, -64));
}

/// Values of the table in section 2.3, one row per board.
#[test]
fn values_of_every_variant() {
    let names = [
        "row_transitions",
        "column_transitions_ceiling",
        "column_transitions",
        "column_transitions_open",
        "wells_open",
        "wells_open_restart",
        "wells_by_height",
        "wells",
        "wells_guide",
        "wells_squared",
        "hole_depth_all",
        "hole_depth",
        "rows_with_holes",
        "row_flips_unity",
        "column_transitions_open",
        "aggregate_top_index",
    ];
    for (label, picture, expected) in [
        ("A", A, [24, 24, 17, 14, 6, 6, 6, 11, 26, 37, 5, 3, 3, 23, 14, 37]),
        ("B", B, [18, 22, 16, 14, 3, 3, 3, 8, 11, 7, 5, 3, 3, 17, 14, 38]),
        ("C", C, [20, 22, 15, 12, 6, 6, 6, 8, 23, 37, 4, 4, 2, 19, 12, 37]),
        ("D", D, [38, 22, 17, 13, 24, 20, 29, 33, 54, 89, 7, 4, 4, 38, 13, 34]),
        ("A7", A7, [26, 28, 17, 16, 6, 6, 6, 11, 33, 37, 5, 3, 3, 23, 16, 37]),
        ("H", H, [22, 24, 17, 14, 6, 6, 6, 9, 24, 37, 6, 5, 3, 21, 14, 37]),
        ("Q1", Q1, [36, 14, 7, 5, 6, 6, 6, 6, 121, 49, 0, 0, 0, 21, 5, 9]),
        ("M", M, [28, 10, 5, 4, 9, 9, 9, 9, 91, 49, 0, 0, 0, 19, 4, 10]),
    ] {
        for (name, expected) in names.iter().zip(expected) {
            assert_eq!(value(picture, name), expected, "{name} of {label}{:?}", board(picture));
        }
    }
}

/// Returns the placement of the T of the notebook `tetris_ia`, turned counter-clockwise once, with
/// its anchor at (column, row from the top).
fn t_left(picture: &str, column: usize, anchor_from_top: usize) -> Move {
    let before = board(picture);
    let nub_left = Placement { orientation: 2, column: column as u8 - 1 };
    let row = before.height() - anchor_from_top - 2;
    play(&before, Piece::T, Candidate { placement: nub_left, row: row as u8 })
}

fn play(before: &Board, piece: Piece, candidate: Candidate) -> Move {
    Rules::simplified().play(before, piece, candidate).played
}

fn raw(name: &str, played: &Move, board: &Board) -> i32 {
    name.parse::<Feature>().unwrap().raw(board, Some(played)).unwrap()
}

#[test]
fn landing_and_erosion_of_the_notebook() {
    for (picture, anchor, landing, erosion) in
        [(A, (1, 2), 4, 1), (C, (1, 2), 4, 6), (H, (1, 2), 4, 2), (Q1, (1, 7), 5, 0)]
    {
        let played = t_left(picture, anchor.0, anchor.1);
        let dropped =
            Candidate::dropped(&board(picture).heights(), Piece::T, played.candidate.placement);
        assert_eq!(dropped, played.candidate);
        assert_eq!(raw("landing_height_anchor", &played, &board(picture)), landing);
        assert_eq!(raw("eroded_cells", &played, &board(picture)), erosion, "{picture}");
    }
    let on_b = t_left(B, 1, 2);
    assert_eq!(raw("landing_height_anchor", &on_b, &board(B)), 4);
}

/// Tests landing heights (anchor, mean, MDPTetris) on an empty 10x20 board.
#[test]
fn landing_heights_on_an_empty_board() {
    let empty = Board::empty("10x20".parse().unwrap());
    for (piece, orientation, anchor, mean, mdp) in [
        (Piece::I, 0, 1, 2.5, 1.5),
        (Piece::I, 1, 1, 1.0, 0.0),
        (Piece::T, 1, 1, 1.25, 0.5),
        (Piece::T, 2, 2, 2.0, 1.0),
        (Piece::O, 0, 1, 1.5, 0.5),
        (Piece::S, 1, 1, 1.5, 0.5),
        (Piece::J, 1, 1, 1.75, 1.0),
    ] {
        let placement = Placement { orientation, column: 3 };
        let played = play(&empty, piece, Candidate { placement, row: 0 });
        let value = |name: &str| {
            let feature: Feature = name.parse().unwrap();
            feature.in_units(feature.raw(&empty, Some(&played)).unwrap(), 10)
        };
        assert_eq!(value("landing_height_anchor"), f64::from(anchor), "{piece}");
        assert_eq!(value("landing_height_mean"), mean, "{piece}");
        assert_eq!(value("landing_height"), mdp, "{piece}");
    }
}

/// Tests eroded cells in two versions: the guide's idea and its printed code.
#[test]
fn eroded_cells_two_ways() {
    let case = |picture: &str, piece: Piece, orientation, column| {
        let before = board(picture);
        let placement = Placement { orientation, column };
        let played = play(&before, piece, Candidate::dropped(&before.heights(), piece, placement));
        (raw("eroded_cells", &played, &before), raw("eroded_cells_guide", &played, &before))
    };
    assert_eq!(case("......../......../......../####....", Piece::I, 1, 4), (4, 0));
    assert_eq!(case("..../..../..../..../###./###./###./###.", Piece::I, 0, 3), (16, 16));
    let t_double = "........../........../........../........../###.######/##...#####";
    let before = board(t_double);
    let under = Candidate { placement: Placement { orientation: 1, column: 2 }, row: 0 };
    let played = play(&before, Piece::T, under);
    assert_eq!(raw("eroded_cells", &played, &before), 8);
    assert_eq!(raw("eroded_cells_guide", &played, &before), 2);
}

/// Tests Unity's pieceHeight constants by orientation.
#[test]
fn unity_piece_heights() {
    let empty = Board::empty("10x20".parse().unwrap());
    let k = |piece: Piece| -> Vec<i32> {
        (0..piece.orientations().len())
            .map(|orientation| {
                let placement = Placement { orientation: orientation as u8, column: 0 };
                let played = play(&empty, piece, Candidate { placement, row: 0 });
                -raw("piece_height_unity", &played, &empty)
            })
            .collect()
    };
    assert_eq!(k(Piece::I), [3, 0]);
    assert_eq!(k(Piece::O), [1]);
    assert_eq!(k(Piece::T), [2, 0, 1, 1]); // Unity T2 T1 T0 T3
    assert_eq!(k(Piece::J), [1, 0, 1, 2]); // Unity J2 J1 J0 J3
    assert_eq!(k(Piece::L), [1, 2, 0, 2]); // Unity L2 L1 L0 L3
    assert_eq!(k(Piece::S), [2, 0]); // Unity S0 S1
    assert_eq!(k(Piece::Z), [1, 1]); // Unity Z0 Z1
}
