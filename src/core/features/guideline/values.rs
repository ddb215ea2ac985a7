//! Computes all terms of a matrix at once. Terms share heights, holes and the well column, because
//! a search computes them thousands of times per placement; `scalar` defines each term separately.

use std::ops::Range;

use super::registry::{MATRIX_TERMS, matrix_index};
use super::scalar::{MAX_WELL_DEPTH, PERFECT_ROWS, each_t_slot, each_triple};
use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};

const AGGREGATE_HEIGHT: usize = matrix_index("aggregate_height");
pub(crate) const MAX_HEIGHT: usize = matrix_index("max_height");
const HOLES: usize = matrix_index("holes");
const BUMPINESS: usize = matrix_index("bumpiness");
const BUMPINESS_OPEN: usize = matrix_index("bumpiness_open");
const BUMPINESS_OPEN_SQUARED: usize = matrix_index("bumpiness_open_squared");
const ROW_TRANSITIONS: usize = matrix_index("row_transitions");
pub(crate) const COLUMN_TRANSITIONS: usize = matrix_index("column_transitions");
const ROWS_WITH_HOLES: usize = matrix_index("rows_with_holes");
const CAVITIES: usize = matrix_index("cavities");
const CAVITIES_SQUARED: usize = matrix_index("cavities_squared");
const OVERHANGS: usize = matrix_index("overhangs");
const OVERHANGS_SQUARED: usize = matrix_index("overhangs_squared");
pub(crate) const COVERED: usize = matrix_index("covered");
pub(crate) const COVERED_SQUARED: usize = matrix_index("covered_squared");
const TOP_HALF: usize = matrix_index("top_half");
const TOP_QUARTER: usize = matrix_index("top_quarter");
pub(crate) const WELL_DEPTH: usize = matrix_index("well_depth");
const WELLS_BY_HEIGHT: usize = matrix_index("wells_by_height");
pub(crate) const CELLS_OVER_GOAL: usize = matrix_index("cells_over_goal");
pub(crate) const OCCUPIED_CELLS: usize = matrix_index("occupied_cells");
pub(crate) const COMPLETE_ROWS: usize = matrix_index("complete_rows");
pub(crate) const T_TRIPLES_2: usize = matrix_index("t_triples_2");
pub(crate) const T_TRIPLES_3: usize = matrix_index("t_triples_3");
pub(crate) const PERFECT_CHANCE: usize = matrix_index("perfect_chance");
pub(crate) const WELL_TERMS: Range<usize> =
    matrix_index("well_column_0")..matrix_index("well_column_9") + 1;
/// Indices of the terms (features) that count T-slots (places for a T-spin) among a matrix's terms.
pub(crate) const SLOT_TERMS: Range<usize> =
    matrix_index("t_slots_0")..matrix_index("t_slots_3") + 1;

/// Values of a matrix's terms (features), by [`Term::matrix_index`](super::Term::matrix_index).
pub type TermValues = [i32; MATRIX_TERMS];

/// Values of all terms (features) of `N` matrices, by term and then by matrix.
pub(crate) type Values<const N: usize> = [[i32; N]; MATRIX_TERMS];

/// Returns the values of all terms (features) of `matrix` with `goal` rows still to remove. Terms
/// of T-slots are 0 unless `slots` is true.
#[must_use]
pub fn values(matrix: &Matrix, goal: Option<u32>, slots: bool) -> TermValues {
    let mut v = [[0]; MATRIX_TERMS];
    let well = measure(matrix.columns(), &mut v, 0);
    count_cells(matrix.columns(), rows_over(goal), &mut v, 0);
    let mut v = v.map(|[value]| value);
    if v[WELL_DEPTH] > 0 {
        v[WELL_TERMS.start + well as usize] = 1;
    }
    for column in matrix.columns() {
        let mut holes = (column | column.wrapping_neg()) & !column;
        while holes != 0 {
            // The highest hole is the lowest bit, so cells above it are the bits below.
            let above = (column & (holes - 1) & !holes).count_ones().min(6) as i32;
            v[COVERED] += above;
            v[COVERED_SQUARED] += above * above;
            holes &= holes - 1;
        }
    }
    for (_, _, lines) in each_triple(matrix) {
        v[T_TRIPLES_2] += i32::from(lines == 2);
        v[T_TRIPLES_3] += i32::from(lines == 3);
    }
    if slots {
        for slot in each_t_slot(matrix) {
            v[SLOT_TERMS.start + slot.lines as usize] += 1;
        }
    }
    v
}

/// Returns a mask (bits as in a matrix column) of the rows above the lowest `goal`; 0 for `None`.
pub(crate) fn rows_over(goal: Option<u32>) -> u32 {
    goal.map_or(0, |goal| u32::MAX.checked_shr(goal).unwrap_or(0))
}

/// Runs an expression for each of the ten columns, with the column as a constant.
// A loop over columns would keep the compiler from vectorising the loop over matrices.
macro_rules! each_column {
    ($c:ident => $do:expr) => {{
        each_column!(@ $c $do, 0 1 2 3 4 5 6 7 8 9);
    }};
    (@ $c:ident $do:expr, $($at:literal)*) => {
        $({
            const $c: usize = $at;
            $do
        })*
    };
}

pub(crate) use each_column;

/// Computes a matrix's terms (features) of heights, transitions and holes; returns the well column
/// (the lowest column).
#[inline(always)]
pub(crate) fn measure<const N: usize>(k: &[u32; WIDTH], v: &mut Values<N>, l: usize) -> u32 {
    // The values are written to index `l` of `v`. No branches, so that the loop over matrices
    // becomes vector code.
    let mut h = [0i32; WIDTH];
    each_column!(C => h[C] = 32 - k[C].trailing_zeros() as i32);
    heights(&h, v, l);
    let (mut well, mut low) = (0u32, h[0]);
    each_column!(C => {
        well = if h[C] < low { C as u32 } else { well };
        low = low.min(h[C]);
    });
    let mut last = if well == 0 { h[1] } else { h[0] };
    let (mut steps, mut squares, mut others) = (0, 0, u32::MAX);
    each_column!(C => {
        let is_well = well == C as u32;
        let step = if is_well { 0 } else { h[C] - last };
        last += step;
        steps += step.abs();
        squares += step * step;
        others &= k[C] | if is_well { u32::MAX } else { 0 };
    });
    let _ = last;
    v[BUMPINESS_OPEN][l] = steps;
    v[BUMPINESS_OPEN_SQUARED][l] = squares;
    let from_well = if low < 32 { others << (low & 31) } else { 0 };
    let depth = ((!from_well).leading_zeros() as i32).min(MAX_WELL_DEPTH as i32);
    v[WELL_DEPTH][l] = depth;
    transitions(k, v, l);
    holes(k, v, l);
    well
}

/// Computes the terms (features) that count a matrix's cells; [`measure`] must run before. `over`
/// is the mask from [`rows_over`].
#[inline(always)]
pub(crate) fn count_cells<const N: usize>(
    k: &[u32; WIDTH],
    over: u32,
    v: &mut Values<N>,
    l: usize,
) {
    let mut along = 0;
    each_column!(C => along += (k[C] ^ (k[C] >> 1 | 1 << 31)).count_ones());
    v[COLUMN_TRANSITIONS][l] = along as i32;
    let (mut beyond, mut cells, mut full) = (0, 0, u32::MAX);
    each_column!(C => {
        beyond += (k[C] & over).count_ones();
        cells += k[C].count_ones();
        full &= k[C];
    });
    v[CELLS_OVER_GOAL][l] = beyond as i32;
    v[OCCUPIED_CELLS][l] = cells as i32;
    v[COMPLETE_ROWS][l] = full.count_ones() as i32;
    let is_left = (v[MAX_HEIGHT][l] <= PERFECT_ROWS) & (v[HOLES][l] == 0) & (cells % 4 == 0);
    v[PERFECT_CHANCE][l] = if is_left { cells as i32 } else { 0 };
}

/// Computes a matrix's terms (features) of column heights. Walls are as high as the matrix.
#[inline(always)]
fn heights<const N: usize>(h: &[i32; WIDTH], v: &mut Values<N>, l: usize) {
    let (mut sum, mut max, mut bumps, mut wells) = (0, 0, 0, 0);
    each_column!(C => {
        let before = if C == 0 { ROWS as i32 } else { h[C.saturating_sub(1)] };
        let after = if C + 1 == WIDTH { ROWS as i32 } else { h[(C + 1) % WIDTH] };
        sum += h[C];
        max = max.max(h[C]);
        bumps += if C == 0 { 0 } else { (h[C] - before).abs() };
        let depth = (before.min(after) - h[C]).max(0);
        wells += depth * (depth + 1) / 2;
    });
    v[AGGREGATE_HEIGHT][l] = sum;
    v[MAX_HEIGHT][l] = max;
    v[BUMPINESS][l] = bumps;
    v[TOP_HALF][l] = (max - 10).max(0);
    v[TOP_QUARTER][l] = (max - 15).max(0);
    v[WELLS_BY_HEIGHT][l] = wells;
}

/// Counts changes between filled and empty cells along the rows of a matrix. Walls count as filled.
#[inline(always)]
fn transitions<const N: usize>(k: &[u32; WIDTH], v: &mut Values<N>, l: usize) {
    let (mut any, mut across) = (0, 0);
    each_column!(C => {
        any |= k[C];
        across += if C == 0 { 0 } else { (k[C] ^ k[C.saturating_sub(1)]).count_ones() };
    });
    let rows = (ROWS as u32 - any.trailing_zeros()).max(VISIBLE as u32);
    let wall = u32::MAX << ((ROWS as u32 - rows) & 31);
    let walls = (!k[0] & wall).count_ones() + (!k[WIDTH - 1] & wall).count_ones();
    v[ROW_TRANSITIONS][l] = (across + walls) as i32;
}

#[inline(always)]
fn holes<const N: usize>(k: &[u32; WIDTH], v: &mut Values<N>, l: usize) {
    let (mut rows, mut all, mut hanging) = (0, 0, 0);
    each_column!(C => {
        let holes = (k[C] | k[C].wrapping_neg()) & !k[C];
        rows |= holes;
        all += holes.count_ones();
        // Holes above two columns on one side are overhangs. Walls are as high as the matrix.
        let left = if C < 2 { 1 } else { k[C.saturating_sub(1)] | k[C.saturating_sub(2)] };
        let right = if C + 2 >= WIDTH { 1 } else { k[(C + 1) % WIDTH] | k[(C + 2) % WIDTH] };
        let open = !left & left.wrapping_sub(1) | !right & right.wrapping_sub(1);
        hanging += (holes & open).count_ones();
    });
    let (all, hanging) = (all as i32, hanging as i32);
    v[HOLES][l] = all;
    v[ROWS_WITH_HOLES][l] = rows.count_ones() as i32;
    v[CAVITIES][l] = all - hanging;
    v[CAVITIES_SQUARED][l] = (all - hanging) * (all - hanging);
    v[OVERHANGS][l] = hanging;
    v[OVERHANGS_SQUARED][l] = hanging * hanging;
}
