//! Places of T-spin triples: where a T is turned in by the fifth kick and stands, its tip under an overhang.
//!
//! ```text
//! #........    row y + 3: what a T that is turned where it lies hits, so that the kicks before the fifth fail
//! .........    row y + 2: the T lies here before it is turned, its centre in the second column
//! .########    row y + 1: a T of three cells in the first column
//! ..#######    row y:     and its tip in the second clears these three rows
//! .########    row y - 1
//! ```

use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};

/// Rows that a T would fill, of those that it stands in, for each place that there is. A place has the centre of
/// its T at column x and row y; the T has a cell above it and below it and its tip beside, toward `side`. Those four
/// cells are free. The column beside is y + 2 high, so that its highest cell is over the tip, and the one beyond it no
/// higher; (x, y + 2) is free and (x, y + 3) filled, by which the first four kicks fail.
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
