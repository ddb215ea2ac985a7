//! Computes features of holes (empty cells below a filled one) and of filled cells.
//!
//! ```text
//! ......
//! ##...#     h: the holes, in three rows. One filled cell is above the three holes of
//! #h#..#     column 1, and directly above only the highest of them. In this column
//! #hh#.#     hole_depth counts 1 + 0 + 0, and hole_depth_all 1 + 1 + 1
//! #h##.#
//! ```
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{board::Board, features::Feature};
//! let board: Board = "....../##...#/#.#..#/#..#.#/#.##.#".parse()?;
//! let count = |name: &str| name.parse::<Feature>().map(|f| f.raw(&board, None).unwrap());
//! assert_eq!((count("holes")?, count("rows_with_holes")?), (4, 3));
//! assert_eq!((count("hole_depth")?, count("hole_depth_all")?), (2, 4));
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

use super::columns_of;
use crate::board::Board;

/// Returns the rows of the stack from the top down. Each has a mask of its cells that are below a
/// filled cell.
fn rows_with_cover(board: &Board) -> impl Iterator<Item = (usize, u16)> {
    let mut cover = 0u16;
    (0..board.stack_height()).rev().map(move |row| {
        let covered = cover;
        cover |= board.row(row);
        (row, covered)
    })
}

/// Returns the number of empty cells below a filled one.
pub(super) fn holes(board: &Board) -> i32 {
    let in_row = |(row, cover): (usize, u16)| (cover & !board.row(row)).count_ones() as i32;
    rows_with_cover(board).map(in_row).sum()
}

/// Returns the number of rows with at least one hole.
pub(super) fn rows_with_holes(board: &Board) -> i32 {
    rows_with_cover(board).filter(|&(row, cover)| cover & !board.row(row) != 0).count() as i32
}

/// Returns the sum, over all holes, of the number of consecutive filled cells directly above the
/// hole.
pub(super) fn hole_depth(board: &Board) -> i32 {
    over_holes(board, |column, hole| cover(board, column, hole))
}

/// Returns the number of consecutive filled cells directly above the hole in row `hole` of
/// `column`.
pub(super) fn cover(board: &Board, column: usize, hole: usize) -> usize {
    (hole + 1..board.stack_height()).take_while(|&row| board.is_filled(column, row)).count()
}

/// Returns the sum, over all holes, of the number of all filled cells above the hole.
pub(super) fn hole_depth_all(board: &Board) -> i32 {
    over_holes(board, |column, hole| cover_in_all(board, column, hole))
}

/// Returns the number of all filled cells above the hole in row `hole` of `column`.
pub(super) fn cover_in_all(board: &Board, column: usize, hole: usize) -> usize {
    (hole + 1..board.stack_height()).filter(|&row| board.is_filled(column, row)).count()
}

/// Returns the sum of `value(column, row)` over all holes.
fn over_holes(board: &Board, value: impl Fn(usize, usize) -> usize) -> i32 {
    let mut sum = 0;
    for (row, cover) in rows_with_cover(board) {
        sum += columns_of(cover & !board.row(row)).map(|column| value(column, row)).sum::<usize>();
    }
    sum as i32
}

pub(super) fn complete_rows(board: &Board) -> i32 {
    board.full_rows().count_ones() as i32
}

pub(super) fn occupied_cells(board: &Board) -> i32 {
    board.rows().iter().map(|row| row.count_ones() as i32).sum()
}

/// Returns the sum of (row + 1) over all filled cells.
pub(super) fn weighted_cells(board: &Board) -> i32 {
    (1..).zip(board.rows()).map(|(weight, row)| weight * row.count_ones() as i32).sum()
}
