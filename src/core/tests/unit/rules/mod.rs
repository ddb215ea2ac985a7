//! Tests of [`tetrastat_core::rules`].

mod garbage;
mod guideline;
mod standard;

use tetrastat_core::board::Board;
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::{Candidate, Placement};
use tetrastat_core::rules::*;

fn candidate(board: &Board, piece: Piece, orientation: u8, column: u8) -> Candidate {
    Candidate::dropped(&board.heights(), piece, Placement { orientation, column })
}

#[test]
fn an_overflowing_piece_clears_nothing_and_loses() {
    let board: Board = ".###/#.../#.../#...".parse().unwrap();
    let upright = candidate(&board, Piece::I, 0, 0);
    let outcome = Rules::simplified().play(&board, Piece::I, upright);
    assert_eq!((outcome.lost, outcome.played.lines, upright.row), (true, 0, 3));
    assert_eq!(outcome.after, outcome.before);
    assert_eq!(outcome.before.full_rows(), 1 << 3);
}

#[test]
fn clearing_on_overflow_is_an_option() {
    let rules = Rules { clear_on_overflow: true, ..Rules::simplified() };
    let board: Board = "..../.###/#.../#.../#...".parse().unwrap();
    let l = candidate(&board, Piece::L, 3, 0); // ##/.#/.# hangs over nothing: rests on row 4
    assert!(rules.play(&board, Piece::L, l).lost);
    let j = candidate(&board, Piece::J, 3, 0); // ##/#./#. fills row 3 and reaches row 5
    let outcome = rules.play(&board, Piece::J, j);
    assert_eq!((outcome.lost, outcome.played.lines), (false, 1));
    assert_eq!(outcome.played.removed_cells, [1, 0, 0, 0]);
    assert!(Rules::simplified().play(&board, Piece::J, j).lost);
}

#[test]
fn a_piece_that_fills_the_top_row_does_not_overflow() {
    let board: Board = "..../##../##../##..".parse().unwrap();
    let o = candidate(&board, Piece::O, 0, 2);
    let outcome = Rules::simplified().play(&board, Piece::O, o);
    assert_eq!((outcome.lost, outcome.played.lines), (false, 2));
    let on_top = candidate(&board, Piece::I, 1, 0);
    let outcome = Rules::simplified().play(&board, Piece::I, on_top);
    assert_eq!((outcome.lost, outcome.played.lines, on_top.row), (false, 1, 3));
}

/// On a board with a well of two rows, S, T, J, L and I remove rows. O and Z rest on the stack of
/// two rows, which makes four, and Z precedes O.
#[test]
fn an_adversary_deals_the_piece_with_the_highest_lowest_stack() {
    let rules = Rules::simplified();
    let worst = |picture: &str| rules.worst_piece(&picture.parse().unwrap());
    assert_eq!(worst("..../..../..../..../###./###."), Piece::Z);
    assert_eq!(worst("......./......./......./......."), Piece::S);
}

/// An adversary that finds a piece without a placement that survives deals the first such piece.
#[test]
fn an_adversary_ends_the_game_if_it_can() {
    let rules = Rules::simplified();
    // I fills the well and leaves one row. S and O rest above the third row, where they overflow.
    let board: Board = "..../.###/.###/.###".parse().unwrap();
    let survives = |piece: Piece| {
        let mut candidates = Vec::new();
        let placements = tetrastat_core::placement::Placements::new(4);
        rules.candidates(&placements, &board, piece, &mut candidates);
        candidates.iter().any(|candidate| !rules.play(&board, piece, *candidate).lost)
    };
    assert!(survives(Piece::I) && !survives(Piece::S) && !survives(Piece::O));
    assert_eq!(rules.worst_piece(&board), Piece::S);
    assert!(Rules::standard().worst_piece(&board) != Piece::I);
}
