//! Computes features of the column heights.
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{board::Board, features::Feature};
//! let board: Board = "....../##...#/#.#..#/#..#.#/#.##.#".parse()?; // heights 4 4 3 2 0 4
//! let count = |name: &str| name.parse::<Feature>().map(|f| f.raw(&board, None).unwrap());
//! assert_eq!(count("aggregate_height")?, 4 + 4 + 3 + 2 + 0 + 4);
//! assert_eq!(count("bumpiness")?, 0 + 1 + 1 + 2 + 4);
//! assert_eq!(count("pattern_diversity")?, 3); // steps of 0, -1 and -2; 4 is too large
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

use crate::board::Board;

/// Returns the column heights as signed numbers.
fn heights(board: &Board) -> impl Iterator<Item = i32> + Clone {
    board.heights().into_iter().take(board.width()).map(i32::from)
}

/// Returns the height differences of neighbouring columns, right minus left.
fn steps(board: &Board) -> impl Iterator<Item = i32> {
    heights(board).skip(1).zip(heights(board)).map(|(right, left)| right - left)
}

pub(super) fn height(board: &Board, column: usize) -> i32 {
    board.column_height(column) as i32
}

/// Returns the absolute difference of the heights of `column` and the column to its right.
pub(super) fn height_diff(board: &Board, column: usize) -> i32 {
    (height(board, column + 1) - height(board, column)).abs()
}

/// Returns the sum of the column heights, which is also the raw value of the mean height.
pub(super) fn aggregate_height(board: &Board) -> i32 {
    heights(board).sum()
}

/// Returns the sum over columns of the row of the highest filled cell, counted from 0. An empty
/// column adds -1.
pub(super) fn aggregate_top_index(board: &Board) -> i32 {
    aggregate_height(board) - board.width() as i32
}

pub(super) fn max_height(board: &Board) -> i32 {
    board.stack_height() as i32
}

/// Returns the height difference of the highest and the lowest column.
pub(super) fn height_range(board: &Board) -> i32 {
    max_height(board) - heights(board).min().unwrap_or(0)
}

/// Returns the sum of the absolute height differences of neighbouring columns.
pub(super) fn bumpiness(board: &Board) -> i32 {
    steps(board).map(i32::abs).sum()
}

/// Returns the number of distinct height differences from -2 to 2 that occur between neighbouring
/// columns.
pub(super) fn pattern_diversity(board: &Board) -> i32 {
    (-2..=2).filter(|&step| steps(board).any(|other| other == step)).count() as i32
}

pub(super) fn constant(_: &Board) -> i32 {
    1
}

/// Returns the radial basis function `i` of the mean column height: exp(-(mean height - i H/4)^2 /
/// (2 (H/5)^2)), rounded to four decimals, in ten-thousandths. H is the number of rows of the
/// board.
pub(super) fn rbf(board: &Board, i: usize) -> i32 {
    rbf_of(aggregate_height(board), board.width(), board.height(), i)
}

/// Returns the radial basis function `i` for the sum of column heights `aggregate`, in
/// ten-thousandths. `width` and `height` are those of the board.
pub(crate) fn rbf_of(aggregate: i32, width: usize, height: usize, i: usize) -> i32 {
    let mean = f64::from(aggregate) / width as f64;
    let distance = mean - i as f64 * height as f64 / 4.0;
    let spread = height as f64 / 5.0;
    // `libm` gives the same bits on every system, which the platform's function does not guarantee.
    (1e4 * libm::exp(-distance * distance / (2.0 * spread * spread))).round() as i32
}
