//! Tests of [`tetrastat_core::environment::falling`].

use tetrastat_core::board::Board;
use tetrastat_core::environment::*;
use tetrastat_core::piece::Piece;

/// The notebook `tetris_ia` finds T34 J34 L34 Z17 S17 I17 O9 on an empty 10x20: every placement
/// once.
#[test]
fn every_placement_is_found_once_on_an_empty_board() {
    let board = Board::empty("10x20".parse().unwrap());
    for (piece, count) in Piece::ALL.into_iter().zip([17, 9, 34, 17, 17, 34, 34]) {
        let places = Falling::entering(piece, &board).resting_places(&board);
        let mut found: Vec<(u8, u8)> = places
            .iter()
            .map(|falling| falling.candidate().placement)
            .map(|placement| (placement.orientation, placement.column))
            .collect();
        assert!(places.iter().all(|falling| falling.candidate().row == 0));
        assert!(places.iter().all(|falling| {
            falling.on(&board, false) == falling.candidate().lock(&board, piece)
        }));
        found.sort_unstable();
        found.dedup();
        assert_eq!((places.len(), found.len()), (count, count), "{piece}");
    }
}

#[test]
fn four_turns_are_none_and_left_undoes_right() {
    for piece in Piece::ALL {
        let falling = Falling::new(piece, 3, 3);
        assert_eq!(falling.turned_left().turned_right(), falling);
        let over = falling.turned_left().turned_left();
        assert_eq!(over, falling.turned_right().turned_right());
        assert_eq!(over.turned_left().turned_left(), falling);
    }
}

/// The notebook `tetris_ia` prints 14 = 3 + 4 + 4 + 3 moves for board M and T at (0, 0). The first
/// lands at anchor (1, 3), in rows counted downward, which is row 6 of ten.
#[test]
fn the_notebooks_next_moves() {
    let m = ".....\n".repeat(4) + "..#..\n..#..\n#.#..\n#.#.#\n###.#\n###.#";
    let board: Board = m.parse().unwrap();
    let places = Falling::new(Piece::T, 0, 9).resting_places(&board);
    assert_eq!(places.len(), 14);
    assert_eq!((places[0].column, 9 - places[0].row), (1, 3));
    let counts = |turn: &Falling| places.iter().filter(|place| place.is_turned_like(turn)).count();
    let t = Falling::new(Piece::T, 0, 0);
    let turns = [t, t.turned_right(), t.turned_left(), t.turned_left().turned_left()];
    assert_eq!(turns.map(|turn| counts(&turn)), [3, 4, 4, 3]);
}

#[test]
fn what_stands_out_is_cut_off_or_wraps() {
    let board = Board::empty("4x4".parse().unwrap());
    let i = Falling::new(Piece::I, 0, 3);
    assert_eq!(i.on(&board, false).rows()[..4], [0, 0, 0, 1]);
    assert_eq!(i.on(&board, true).rows()[..4], [1, 1, 1, 1]);
}
