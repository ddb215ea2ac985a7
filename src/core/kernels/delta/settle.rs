//! The change of the wells exactly, for the few placements near the best that change well cells in rows
//! that have holes, or wells too deep to be counted.

use super::board::Tables;
use super::shape::Shape;

/// What was counted too little: well cells that come below the height of their column are as deep as the
/// empty cells below them, and not as far as they lie above that height.
///
/// ```text
/// row 3   .#.     P: the piece, landing on row 2. h: empty, covered, and now a well cell between it and the
/// row 2   Ph#     stack. Its depth is 2, down to the next filled cell; counted was how far it lies above the
/// row 1   #.#     height of its column, which is 4: 2 - 4 + 1 = -1, so that 3 are lacking
/// row 0   ###
/// ```
pub(super) fn lacking(tables: &Tables, shape: &Shape, lane: usize, row: usize) -> i64 {
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
    // Columns that a piece of four may touch, and one on either side, from one on as everywhere here.
    for x in column.max(1)..(column + 6).min(17) {
        let holes = tables.holes_in(x) >> row & 15;
        if holes == 0 {
            continue;
        }
        let (left, own, right) = (cells(x - 1), cells(x), cells(x + 1));
        let after = (left | piece(x - 1)) & (right | piece(x + 1)) & !(own | piece(x));
        // Only cells that came or went, and of those only the covered, since the others were counted right.
        let mut covered = (after ^ (left & right & !own)) & holes;
        while covered != 0 {
            let k = covered.trailing_zeros() as usize;
            covered &= covered - 1;
            let below = tables.column_or_wall(x) & ((1 << (row + k)) - 1);
            // From this row down to the highest filled cell below: row + 1 - (32 - leading zeros).
            let depth = (row + k) as i64 + i64::from(below.leading_zeros()) - 31;
            let above = (row + 3).saturating_sub(tables.height(x)) as i64;
            // Less what the kernel counted of it: `above` is cut off at 0 there, too.
            sum += depth - (above + k as i64 - 2);
        }
    }
    sum
}

/// How much the wells change, or the fast ones, by looking at all columns that the piece touches.
pub(super) fn wells_of(tables: &Tables, shape: &Shape, lane: usize, row: usize, fast: bool) -> i64 {
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

/// The depths of a column's well cells, added up; of fast wells those of the cells below them too.
fn depths(own: u32, left: u32, right: u32, fast: bool) -> i64 {
    let mut wells = left & right & !own;
    if fast {
        // 31 times downward reaches the lowest row.
        for _ in 1..32 {
            wells |= wells >> 1 & !own;
        }
    }
    let mut sum = 0;
    while wells != 0 {
        let row = wells.trailing_zeros();
        wells &= wells - 1;
        // As in `lacking`: the empty cells from here down, this one included.
        let below = own & ((1 << row) - 1);
        sum += i64::from(row + below.leading_zeros()) - 31;
    }
    sum
}
