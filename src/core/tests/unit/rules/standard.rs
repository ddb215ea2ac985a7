//! Tests of [`tetrastat_core::rules::standard`].

use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::{Candidate, Placement, Placements};
use tetrastat_core::rules::{Reach, Rules};

fn of(board: &Board, piece: Piece) -> Vec<Candidate> {
    let mut out = Vec::new();
    Rules::standard().candidates(&Placements::new(board.width()), board, piece, &mut out);
    out
}

#[test]
fn an_empty_board_offers_every_placement_in_tie_order() {
    for width in 4..=16 {
        let board = Board::empty(BoardSize::new(width, 20).unwrap());
        let placements = Placements::new(width);
        for piece in Piece::ALL {
            let found: Vec<Placement> =
                of(&board, piece).iter().map(|candidate| candidate.placement).collect();
            assert_eq!(found, placements.of_piece(piece), "{piece} on width {width}");
        }
    }
}

/// O spawns in columns 4 and 5 of 10, rows 19 and 18, and its placement is chosen one row lower.
#[test]
fn an_obstacle_in_the_top_rows_cuts_off_what_lies_behind_it() {
    let board = Board::empty("10x20".parse().unwrap()).with(7, 17);
    let columns: Vec<u8> = of(&board, Piece::O).iter().map(|c| c.placement.column).collect();
    assert_eq!(columns, [0, 1, 2, 3, 4, 5]);
    let anywhere = Rules {
        entry: tetrastat_core::rules::Entry::SpawnInside(Reach::Anywhere),
        ..Rules::standard()
    };
    let mut out = Vec::new();
    anywhere.candidates(&Placements::new(10), &board, Piece::O, &mut out);
    let columns: Vec<u8> = out.iter().map(|c| c.placement.column).collect();
    assert_eq!(columns, [0, 1, 2, 3, 4, 5, 8]);
}

/// A cell in the top row does not block a piece that slides one row lower. The piece then rests
/// under it, where a straight drop from above cannot place it.
#[test]
fn a_piece_slides_under_a_cell_of_the_top_row() {
    let board = Board::empty("10x20".parse().unwrap()).with(8, 19);
    let o = of(&board, Piece::O);
    assert_eq!(o.len(), 9);
    assert!(o.iter().all(|candidate| candidate.row == 0));
}

#[test]
fn a_blocked_spawn_has_no_candidates() {
    let board = Board::empty("10x20".parse().unwrap()).with(5, 19);
    assert_eq!(of(&board, Piece::O), []);
    let low = Board::empty("10x20".parse().unwrap()).with(5, 18);
    assert_eq!(of(&low, Piece::O), []);
    assert_eq!(of(&low, Piece::I).len(), 1, "the flat I fits above and locks there");
}

#[test]
fn a_piece_that_cannot_fall_locks_at_the_spawn() {
    let board = Board::empty("10x20".parse().unwrap()).with(5, 17);
    let o = of(&board, Piece::O);
    assert_eq!(o.len(), 1);
    assert_eq!((o[0].row, o[0].placement.column), (18, 4));
}
