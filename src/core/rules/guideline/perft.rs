//! Counts the ways to place a sequence of pieces (perft).

use super::{Landing, Landings, Matrix, MoveGenerator};
use crate::piece::Piece;

/// Returns the number of ways to place `pieces` on `matrix` in their order, with full rows removed
/// in between. Spins are not counted separately, and landings that end a game by lock out are
/// included. A placement generator with an error rarely finds the right totals.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{kernels::Level, matrix::Matrix, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, Moves, MoveGenerator, perft};
/// let movegen = MoveGenerator::new(Guideline::official(), Moves::HardDrops, Level::detect());
/// assert_eq!(perft(&movegen, &Matrix::EMPTY, &[Piece::O, Piece::O]), 9 * 9);
/// ```
#[must_use]
pub fn perft(movegen: &MoveGenerator, matrix: &Matrix, pieces: &[Piece]) -> u64 {
    let mut lists = vec![Landings::default(); pieces.len()];
    descend(movegen, matrix, pieces, &mut lists)
}

/// Returns the number of ways to place `pieces`, recursively. `lists` has one reused list of
/// landings for each depth.
fn descend(
    movegen: &MoveGenerator,
    matrix: &Matrix,
    pieces: &[Piece],
    lists: &mut [Landings],
) -> u64 {
    match (pieces, lists) {
        ([], _) => 1,
        // The last piece is counted without placing it, like bulk counting in chess programs.
        ([last], _) => u64::from(movegen.count(matrix, *last)),
        ([first, rest @ ..], [list, lists @ ..]) => {
            movegen.landings(matrix, *first, list);
            let after = |landing: Landing| landing.lock(matrix).clear().0;
            list.iter().map(|landing| descend(movegen, &after(landing), rest, lists)).sum()
        }
        _ => 0,
    }
}
