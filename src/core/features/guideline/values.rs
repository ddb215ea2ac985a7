//! All terms of a matrix at once.

use super::board::{DEEPEST, PERFECT_ROWS};
use super::slots::each_slot;
use super::triples::each_triple;
use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH, below};

/// Terms of the matrix that are the first of the registry.
pub const BOARD_TERMS: usize = 36;

/// Terms of the matrix that were added to the registry later: they follow those of placements.
const LATER_TERMS: usize = 3;

/// All terms of the matrix.
pub const MATRIX_TERMS: usize = BOARD_TERMS + LATER_TERMS;

/// The places of T-spin triples.
pub(crate) const TRIPLE_TERMS: std::ops::Range<usize> = 36..38;

/// Where terms of the matrix that were added later begin in the registry.
pub(super) const LATER_FROM: usize = 55;

/// The places of the T-slots among them, which cost more than all others together.
pub const SLOT_TERMS: std::ops::Range<usize> = 28..32;

/// The places of the two terms of covered holes.
pub(crate) const COVER_TERMS: std::ops::Range<usize> = 13..15;

/// The places of the well columns, of which at most one is not 0.
pub(crate) const WELL_TERMS: std::ops::Range<usize> = 18..28;

/// The values of the terms of the matrix, in the order of the registry ([`super::Term::place`]):
///
/// ```text
///  0 aggregate_height   7 column_transitions   14 covered_squared    33 cells_over_goal
///  1 max_height         8 rows_with_holes      15 top_half           34 occupied_cells
///  2 holes              9 cavities             16 top_quarter        35 complete_rows
///  3 bumpiness         10 cavities_squared     17 well_depth         36 t_triples_2
///  4 bumpiness_open    11 overhangs            18-27 well_column_*   37 t_triples_3
///  5 .._open_squared   12 overhangs_squared    28-31 t_slots_*       38 perfect_chance
///  6 row_transitions   13 covered              32 wells_by_height
/// ```
pub type TermValues = [i32; MATRIX_TERMS];

/// All terms of a matrix but the T-slots; `left` is how many rows are still to be cleared, if the
/// game has an end.
///
/// Term by term they are defined in `board`; here they share heights, holes and the well, since a search asks
/// for all of them thousands of times for each placement.
#[must_use]
pub fn values(matrix: &Matrix, left: Option<u32>) -> TermValues {
    let mut v = [0; MATRIX_TERMS];
    let h = matrix.heights().map(i32::from);
    let columns = matrix.columns();
    let max = h.iter().copied().max().unwrap_or(0);
    v[0] = h.iter().sum();
    v[1] = max;
    let well = (1..WIDTH).fold(0, |well, c| if h[c] < h[well] { c } else { well });
    let steps = |a: usize, b: usize| (h[a] - h[b]).abs();
    for c in 1..WIDTH {
        v[3] += steps(c, c - 1);
    }
    // The well is left out of the row of columns, so that the step over it is between its neighbours.
    let mut last = usize::from(well == 0);
    for c in last + 1..WIDTH {
        if c != well {
            let step = steps(c, last);
            v[4] += step;
            v[5] += step * step;
            last = c;
        }
    }
    transitions(columns, &mut v);
    holes(columns, &h, &mut v);
    v[15] = (max - 10).max(0);
    v[16] = (max - 15).max(0);
    // Rows that are filled but for the well: the AND of all other columns.
    let others = (0..WIDTH).filter(|&c| c != well).fold(u32::MAX, |all, c| all & columns[c]);
    // Rows from the well's height up are the bits from 31 - height down.
    let from_well = others.checked_shl(h[well] as u32).unwrap_or(0);
    v[17] = (from_well.leading_ones() as i32).min(DEEPEST as i32);
    if v[17] > 0 {
        v[18 + well] = 1;
    }
    for c in 0..WIDTH {
        let before = if c == 0 { 32 } else { h[c - 1] };
        let after = if c + 1 == WIDTH { 32 } else { h[c + 1] };
        let depth = (before.min(after) - h[c]).max(0);
        v[32] += depth * (depth + 1) / 2;
    }
    if let Some(left) = left {
        // Rows from `left` up are the lower bits; no row lies above 32.
        let over = u32::MAX.checked_shr(left).unwrap_or(0);
        v[33] = columns.iter().map(|c| (c & over).count_ones() as i32).sum();
    }
    v[34] = matrix.cells() as i32;
    v[35] = matrix.full_rows().count_ones() as i32;
    for (_, _, lines) in each_triple(matrix).filter(|&(_, _, lines)| lines >= 2) {
        v[TRIPLE_TERMS.start + lines as usize - 2] += 1;
    }
    let is_left = max <= PERFECT_ROWS && v[2] == 0 && v[34] % 4 == 0;
    v[38] = if is_left { v[34] } else { 0 };
    v
}

/// Changes along rows and columns, a column of 32 rows at a time.
///
/// ```text
/// row           3 2 1 0 | floor         highest row first, as bits ascend
/// column        . # . # |               c
/// the one below # . # . -> # at row 0   c >> 1 | 1 << 31: each row has the cell below it, row 0 the floor
/// changes       1 1 1 0                 their xor
/// ```
fn transitions(columns: &[u32; WIDTH], v: &mut TermValues) {
    let any = columns.iter().fold(0, |any, column| any | column);
    // The rows in view, and those above up to the highest filled cell.
    let wall = below(VISIBLE.max(ROWS - any.trailing_zeros() as usize));
    let inner: u32 = (1..WIDTH).map(|c| (columns[c] ^ columns[c - 1]).count_ones()).sum();
    let walls = (!columns[0] & wall).count_ones() + (!columns[WIDTH - 1] & wall).count_ones();
    v[6] = (inner + walls) as i32;
    let along = |c: &u32| (c ^ (c >> 1 | 1 << 31)).count_ones() as i32;
    v[7] = columns.iter().map(along).sum();
}

/// Holes, told apart by whether a piece can slide in from the side, and what lies over them.
fn holes(columns: &[u32; WIDTH], h: &[i32; WIDTH], v: &mut TermValues) {
    let mut rows = 0u32;
    for (c, &column) in columns.iter().enumerate() {
        // All bits below the highest filled cell.
        let under = !(column & column.wrapping_neg()).wrapping_sub(1);
        let mut holes = if column == 0 { 0 } else { under & !column };
        rows |= holes;
        v[2] += holes.count_ones() as i32;
        while holes != 0 {
            let bit = holes & holes.wrapping_neg();
            holes &= holes - 1;
            let y = 31 - bit.trailing_zeros() as i32;
            let open = |a: i32, b: i32| {
                let low = |c: i32| (0..10).contains(&c) && h[c as usize] <= y;
                low(a) && low(b)
            };
            let c = c as i32;
            let overhang = open(c - 1, c - 2) || open(c + 1, c + 2);
            v[if overhang { 11 } else { 9 }] += 1;
            let above = ((column & (bit - 1)).count_ones() as i32).min(6);
            v[13] += above;
            v[14] += above * above;
        }
    }
    v[8] = rows.count_ones() as i32;
    v[10] = v[9] * v[9];
    v[12] = v[11] * v[11];
}

/// Adds the T-slots.
pub fn add_slots(matrix: &Matrix, v: &mut TermValues) {
    for slot in each_slot(matrix) {
        v[SLOT_TERMS.start + slot.lines as usize] += 1;
    }
}
