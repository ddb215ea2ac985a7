//! T-slots and places of T-spin triples, found without a branch: [`super::matrix_batch`] counts them in matrices side by side.

use crate::features::guideline::each_column;
use crate::matrix::{ROWS, VISIBLE, WIDTH};

/// The rows that are full in all columns before each column, and in each column and all after it; before the first, and
/// after the last, all are.
#[inline(always)]
pub(super) fn full_beside(columns: &[u32; WIDTH]) -> [[u32; WIDTH + 1]; 2] {
    let (mut before, mut from) = ([u32::MAX; WIDTH + 1], [u32::MAX; WIDTH + 1]);
    each_column!(C => {
        before[C + 1] = before[C] & columns[C];
        from[WIDTH - 1 - C] = from[WIDTH - C] & columns[WIDTH - 1 - C];
    });
    [before, from]
}

/// The better of a slot that was found and the one of this centre, open column and column with the overhang.
#[inline(always)]
pub(super) fn better(
    found: (u32, u32, u32),
    (x, centre): (u32, u32),
    (open, roof): (u32, u32),
    others: u32,
) -> (u32, u32, u32) {
    let y = ROWS as u32 - open.trailing_zeros();
    let height = ROWS as u32 - centre.trailing_zeros();
    // The roof's cells beside the tip, beside the centre and above that.
    let beside = roof.wrapping_shl(y.wrapping_sub(1)) >> 29;
    // One condition, not one after another: a branch would end the vectors.
    let is_slot = (y >= 1) & (height < y) & (y < VISIBLE as u32 + 2) & (beside == 0b101);
    let row = (1u32 << 31).wrapping_shr(y);
    let full = others & (open | row) & (roof | row) & (centre | row | row << 1);
    let score = if is_slot { 1 + full.count_ones() } else { 0 };
    let is_better = score > found.0;
    (
        if is_better { score } else { found.0 },
        if is_better { x } else { found.1 },
        if is_better { y } else { found.2 },
    )
}

/// The rows that a T would clear, 0 where there is no place for it: the column that it stands in, the one that
/// its tip is in, the one beyond, and the rows that are full but for the first two.
#[inline(always)]
pub(super) fn triple(column: u32, beside: u32, beyond: u32, others: u32) -> u32 {
    let y = (ROWS as u32 - beside.trailing_zeros()).wrapping_sub(2);
    let highest = ROWS as u32 - beyond.trailing_zeros();
    // Rows y - 1 to y + 3 from the highest bit on: of the column that it stands in the last alone is filled.
    let stands = column.wrapping_shl(y.wrapping_sub(1)) >> 27 == 0b00001;
    let row = (1u32 << 31).wrapping_shr(y);
    let is_in = (y >= 1) & (y < VISIBLE as u32);
    let fits = is_in & stands & (beside & row == 0) & (highest <= y.wrapping_add(2));
    let rows = row | row << 1 | row >> 1;
    let full = others & (beside | row) & rows;
    if fits { full.count_ones() } else { 0 }
}
