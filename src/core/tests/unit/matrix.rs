//! Tests of [`tetrastat_core::matrix`].

use proptest::prelude::*;
use tetrastat_core::board::Board;
use tetrastat_core::matrix::*;

fn matrix(picture: &str) -> Matrix {
    picture.parse().unwrap()
}

#[test]
fn a_picture_reads_back() {
    let picture = "#.........\n##.#######\n";
    assert_eq!(matrix(picture).to_string(), picture);
    assert_eq!(matrix(picture).heights(), [2, 1, 0, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(matrix(picture).mirrored(), matrix(".........#/#######.##"));
}

#[test]
fn bad_pictures_are_refused() {
    for bad in ["#", "..........\n.........x", "", &"..........\n".repeat(33)] {
        assert!(bad.parse::<Matrix>().is_err(), "{bad}");
    }
}

#[test]
fn rows_between_two_full_ones_stay() {
    let (after, lines) =
        matrix("#......... ########## .#........ ##########".replace(' ', "/").as_str()).clear();
    assert_eq!((after, lines), (matrix("#........./.#........"), 2));
}

#[test]
fn blocked_is_what_lies_outside() {
    let matrix = matrix("#.........");
    assert!(matrix.is_blocked(-1, 0) && matrix.is_blocked(10, 0) && matrix.is_blocked(3, -1));
    assert!(matrix.is_blocked(0, 0) && matrix.is_blocked(0, 32) && !matrix.is_blocked(1, 0));
}

proptest! {
    #[test]
    fn it_agrees_with_the_board_of_rows(
        rows in prop::collection::vec(0..1024u16, 0..24), fill in 0..24usize
    ) {
        let mut rows = rows;
        if let Some(row) = rows.get_mut(fill) { *row = 1023 }
        let board = Board::from_rows("10x20".parse().unwrap(), &rows).unwrap();
        let matrix = Matrix::from_board(&board).unwrap();
        prop_assert_eq!(matrix.to_board(), board);
        prop_assert_eq!(matrix.stack_height(), board.stack_height());
        prop_assert_eq!(&matrix.heights()[..], &board.heights()[..10]);
        prop_assert_eq!(matrix.full_rows().reverse_bits(), board.full_rows());
        prop_assert_eq!(matrix.clear().0.to_board(), board.clear().0);
        prop_assert_eq!(matrix.clear().1, board.clear().1);
    }
}

#[test]
fn rows_lift_the_matrix() {
    let mut lifted = matrix("#.........");
    assert!(lifted.lift(0b11_1111_1011, 3) && lifted.lift(0b01_1111_1111, 3));
    assert_eq!(lifted.to_string(), "#.........\n##.#######\n#########.\n");
    assert!(!lifted.lift(0b11_1111_1110, 3));
}
