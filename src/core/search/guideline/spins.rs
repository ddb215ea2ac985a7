//! Finds T-slots and places of T-spin triples without branches, for [`super::matrix_batch`].

use crate::features::guideline::each_column;
use crate::matrix::{ROWS, VISIBLE, WIDTH, below};

/// Returns two lists of masks of rows. The first list has, for each column, the rows that are full
/// in all columns before it. The second has the rows that are full in the column and all after it.
/// Before the first column and after the last, all rows count as full.
#[inline(always)]
pub(super) fn full_beside(columns: &[u32; WIDTH]) -> [[u32; WIDTH + 1]; 2] {
    let (mut before, mut from) = ([u32::MAX; WIDTH + 1], [u32::MAX; WIDTH + 1]);
    each_column!(C => {
        before[C + 1] = before[C] & columns[C];
        from[WIDTH - 1 - C] = from[WIDTH - C] & columns[WIDTH - 1 - C];
    });
    [before, from]
}

/// Returns the better of the T-slot `found` and the slot with its centre in column `x`, if there is
/// one. A slot is the number of rows that it completes plus 1 (0 for no slot), the column of the
/// centre, and the row below the centre as a bit. `centre`, `open` and `roof` are the cells of the
/// three columns, `roof` with the overhang. `others` are the rows that are full in all other
/// columns.
#[inline(always)]
pub(super) fn better(
    found: (u32, u32, u32),
    (x, centre): (u32, u32),
    (open, roof): (u32, u32),
    others: u32,
) -> (u32, u32, u32) {
    // The highest cell of the open column is beside the tip of the T.
    let tip = open & open.wrapping_neg();
    let arms = tip >> 1;
    // Cells that do not fit: in the centre's column from the tip up, and in the column `roof`
    // beside the tip, beside the centre and above the centre.
    let wrong =
        centre & (tip | tip.wrapping_sub(1)) | (roof ^ (tip | tip >> 2)) & (tip | arms | tip >> 2);
    // A single condition avoids branches, which would prevent vector code.
    let is_slot = (wrong == 0) & (tip & below(VISIBLE + 1) != 0);
    let score = 1 + u32::from(others & tip != 0) + u32::from(others & arms != 0);
    let is_better = is_slot & (score > found.0);
    (
        if is_better { score } else { found.0 },
        if is_better { x } else { found.1 },
        if is_better { tip } else { found.2 },
    )
}

/// Returns the number of rows that a T turned in by the fifth kick would clear, or 0 if it has no
/// place. `column` has the cells of the T's column, `beside` those of the column of its tip, and
/// `beyond` those of the next one. `others` are the rows that are full in all columns but the first
/// two.
#[inline(always)]
pub(super) fn triple(column: u32, beside: u32, beyond: u32, others: u32) -> u32 {
    let y = (ROWS as u32 - beside.trailing_zeros()).wrapping_sub(2);
    let highest = ROWS as u32 - beyond.trailing_zeros();
    // The highest bits are rows y - 1 to y + 3 of the T's column; only the last may be filled.
    let stands = column.wrapping_shl(y.wrapping_sub(1)) >> 27 == 0b00001;
    let row = (1u32 << 31).wrapping_shr(y);
    let is_in = (y >= 1) & (y < VISIBLE as u32);
    let fits = is_in & stands & (beside & row == 0) & (highest <= y.wrapping_add(2));
    let rows = row | row << 1 | row >> 1;
    let full = others & (beside | row) & rows;
    if fits { full.count_ones() } else { 0 }
}
