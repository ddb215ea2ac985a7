//! Computes the exact change of the wells for the few placements whose counts are approximate.
//!
//! These placements are candidates for the best. They change well cells in rows with holes, or
//! wells too deep for a count.

use super::board::Tables;
use super::shape::Shape;

/// Returns the sum of well depths that the count of a placement misses. The placement is that in
/// byte `lane`, landing on `row`.
///
/// A well cell that appears below the height of its column is as deep as the run of empty cells
/// from it down. The count used its distance to that height instead.
///
/// ```text
/// row 3   .#.     P: the piece, landing on row 2. h: a hole that becomes a well cell between P
/// row 2   Ph#     and the stack. Its depth is 2, down to the next filled cell. The count used the
/// row 1   #.#     column's height, 4: 2 - 4 + 1 = -1. The deficit is therefore 3.
/// row 0   ###
/// ```
pub(super) fn deficit(tables: &Tables, shape: &Shape, lane: usize, row: usize) -> i64 {
    let column = lane % 16;
    let rows = &shape.rows_at(lane, row)[row..][..4];
    // Columns count from one, so that there is a wall on the left.
    let piece = |x: usize| {
        let at = x.wrapping_sub(column + 1);
        let own = |k: usize| u32::from(rows[k] >> at & 1) << k;
        if at < 4 { own(0) | own(1) | own(2) | own(3) } else { 0 }
    };
    let cells = |x: usize| tables.column_or_wall(x) >> row & 15;
    let mut sum = 0;
    // The columns of a piece four columns wide and one on either side, counted from one.
    for x in column.max(1)..(column + 6).min(17) {
        let holes = tables.holes_in(x) >> row & 15;
        if holes == 0 {
            continue;
        }
        let (left, own, right) = (cells(x - 1), cells(x), cells(x + 1));
        let after = (left | piece(x - 1)) & (right | piece(x + 1)) & !(own | piece(x));
        // Only well cells that appeared or vanished in holes: all others were counted correctly.
        let mut covered = (after ^ (left & right & !own)) & holes;
        while covered != 0 {
            let k = covered.trailing_zeros() as usize;
            covered &= covered - 1;
            let below = tables.column_or_wall(x) & ((1 << (row + k)) - 1);
            // From this row down to the highest filled cell below: row + 1 - (32 - leading zeros).
            let depth = (row + k) as i64 + i64::from(below.leading_zeros()) - 31;
            let above = (row + 3).saturating_sub(tables.height(x)) as i64;
            // Minus the kernel's count, in which `above` is cut off at 0, too.
            sum += depth - (above + k as i64 - 2);
        }
    }
    sum
}

/// Returns the exact change of the wells, or of the fast wells if `fast`, by the placement in byte
/// `lane`, landing on `row`. It reads the piece's columns and those beside it.
pub(super) fn recount(tables: &Tables, shape: &Shape, lane: usize, row: usize, fast: bool) -> i64 {
    let column = lane % 16;
    let cells = shape.rows_at(lane, row);
    let walled = |x: usize| tables.column_or_wall(x);
    let placed = |x: usize| {
        // Columns count from one, so that there is a wall on the left.
        let own = |k: usize| u32::from(cells[(row + k) & 31] >> (x - 1 - column) & 1) << (row + k);
        let piece = if (column + 1..column + 5).contains(&x) {
            own(0) | own(1) | own(2) | own(3)
        } else {
            0
        };
        walled(x) | piece
    };
    let mut change = 0;
    for x in column.max(1)..(column + 6).min(17) {
        let before = depths(walled(x), walled(x - 1), walled(x + 1), fast);
        change += depths(placed(x), placed(x - 1), placed(x + 1), fast) - before;
    }
    change
}

/// Returns the sum of the depths of the well cells of column `own` between its neighbours. If
/// `fast`, all empty cells below a well cell are treated as well cells.
fn depths(own: u32, left: u32, right: u32, fast: bool) -> i64 {
    let mut wells = left & right & !own;
    if fast {
        // 31 steps down reach the lowest row.
        for _ in 1..32 {
            wells |= wells >> 1 & !own;
        }
    }
    let mut sum = 0;
    while wells != 0 {
        let row = wells.trailing_zeros();
        wells &= wells - 1;
        // As in `deficit`: the number of empty cells from here down.
        let below = own & ((1 << row) - 1);
        sum += i64::from(row + below.leading_zeros()) - 31;
    }
    sum
}
