//! Finds places of T-spin triples, where the fifth kick turns a T upright with its tip under an
//! overhang.
//!
//! ```text
//! #........    row y + 3: the filled cell that makes the kicks before the fifth fail
//! .........    row y + 2: the T before the turn, with its centre in the second column
//! .########    row y + 1: after the turn the T has three cells in the first column
//! ..#######    row y:     and its tip in the second, which clears these three rows
//! .########    row y - 1
//! ```

use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};

/// Returns each place where the fifth kick can turn in a T: column and row of the T's centre, and
/// the number of rows that the T completes.
///
/// The T has its centre at (x, y), cells above and below it, and its tip in a neighbour column;
/// these four cells are free. The neighbour column has height y + 2, so its highest cell is above
/// the tip. The column beyond it is no higher. The first four kicks fail because (x, y + 2) is free
/// and (x, y + 3) is filled.
pub(super) fn each_triple(matrix: &Matrix) -> impl Iterator<Item = (usize, usize, u32)> + '_ {
    let both =
        (0..WIDTH).flat_map(|x| [(x, x + 1, x + 2), (x, x.wrapping_sub(1), x.wrapping_sub(2))]);
    both.filter_map(|(x, beside, beyond)| {
        if beside >= WIDTH || beyond >= WIDTH {
            return None;
        }
        let y = matrix.height(beside).checked_sub(2).filter(|y| (1..VISIBLE).contains(y))?;
        let free = |x: usize, y: usize| !matrix.is_filled(x, y);
        let fits = free(beside, y) && (y - 1..y + 3).all(|row| free(x, row));
        let fails = y + 3 < ROWS && matrix.is_filled(x, y + 3) && matrix.height(beyond) <= y + 2;
        (fits && fails).then(|| {
            let filled = matrix.with(x, y).with(x, y - 1).with(x, y + 1).with(beside, y);
            let rows = (y - 1..y + 2).filter(|&row| filled.row(row) == 1023);
            (x, y, rows.count() as u32)
        })
    })
}

pub(super) fn t_triples<const LINES: u32>(matrix: &Matrix) -> i32 {
    each_triple(matrix).filter(|&(_, _, lines)| lines == LINES).count() as i32
}
