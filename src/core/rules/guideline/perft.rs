//! Counts the ways to place a sequence of pieces (perft).

use super::batch::BatchCounter;
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
    let Some(&last) = pieces.last() else { return 1 };
    let mut batch = BatchCounter::new(movegen, last);
    let rest = descend(movegen, matrix, pieces, &mut lists, &mut batch);
    rest + batch.map_or(0, BatchCounter::finish)
}

/// Returns the number of ways to place `pieces`, recursively. `lists` has one reused list of
/// landings for each depth.
fn descend(
    movegen: &MoveGenerator,
    matrix: &Matrix,
    pieces: &[Piece],
    lists: &mut [Landings],
    batch: &mut Option<BatchCounter>,
) -> u64 {
    match (pieces, lists) {
        ([], _) => 1,
        // The last piece is counted without placing it, like bulk counting in chess programs.
        ([last], _) => u64::from(movegen.count(matrix, *last)),
        ([first, rest @ ..], [list, lists @ ..]) => {
            movegen.landings(matrix, *first, list);
            if let ([_], Some(batch)) = (rest, &mut *batch) {
                batch.add(matrix, list);
                return 0;
            }
            let after = |landing: Landing| landing.lock(matrix).clear().0;
            list.iter().map(|landing| descend(movegen, &after(landing), rest, lists, batch)).sum()
        }
        _ => 0,
    }
}
