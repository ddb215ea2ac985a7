//! Computes all terms of a matrix at once.

use std::ops::Range;

use super::board::{DEEPEST, PERFECT_ROWS};
use super::registry::{MATRIX_TERMS, place};
use super::slots::each_slot;
use super::triples::each_triple;
use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};

const AGGREGATE_HEIGHT: usize = place("aggregate_height");
pub(crate) const MAX_HEIGHT: usize = place("max_height");
const HOLES: usize = place("holes");
const BUMPINESS: usize = place("bumpiness");
const BUMPINESS_OPEN: usize = place("bumpiness_open");
const BUMPINESS_OPEN_SQUARED: usize = place("bumpiness_open_squared");
const ROW_TRANSITIONS: usize = place("row_transitions");
const COLUMN_TRANSITIONS: usize = place("column_transitions");
const ROWS_WITH_HOLES: usize = place("rows_with_holes");
const CAVITIES: usize = place("cavities");
const CAVITIES_SQUARED: usize = place("cavities_squared");
const OVERHANGS: usize = place("overhangs");
const OVERHANGS_SQUARED: usize = place("overhangs_squared");
pub(crate) const COVERED: usize = place("covered");
pub(crate) const COVERED_SQUARED: usize = place("covered_squared");
const TOP_HALF: usize = place("top_half");
const TOP_QUARTER: usize = place("top_quarter");
pub(crate) const WELL_DEPTH: usize = place("well_depth");
const WELLS_BY_HEIGHT: usize = place("wells_by_height");
const CELLS_OVER_GOAL: usize = place("cells_over_goal");
const OCCUPIED_CELLS: usize = place("occupied_cells");
pub(crate) const COMPLETE_ROWS: usize = place("complete_rows");
pub(crate) const T_TRIPLES_2: usize = place("t_triples_2");
pub(crate) const T_TRIPLES_3: usize = place("t_triples_3");
const PERFECT_CHANCE: usize = place("perfect_chance");
/// Terms of the well column; at most one of them is not 0.
pub(crate) const WELL_TERMS: Range<usize> = place("well_column_0")..place("well_column_9") + 1;
/// Terms of T-slots, which take more time than all others together.
pub(crate) const SLOT_TERMS: Range<usize> = place("t_slots_0")..place("t_slots_3") + 1;

/// Values of the matrix terms, each at its [`super::Term::place`].
pub type TermValues = [i32; MATRIX_TERMS];

/// Values of `N` matrices side by side, by term.
pub(crate) type Values<const N: usize> = [[i32; N]; MATRIX_TERMS];

/// Returns all terms of a matrix; the terms of T-slots are 0 without `slots`. `left` is the number
/// of rows still to remove, if the game has an end.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::features::guideline::{Term, values};
/// use tetrastat::matrix::Matrix;
/// let matrix: Matrix = "#.........\n.#########".parse()?;
/// let holes: Term = "holes".parse()?;
/// let terms = values(&matrix, None, false);
/// assert_eq!(terms[holes.place().unwrap()], 1);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[must_use]
pub fn values(matrix: &Matrix, left: Option<u32>, slots: bool) -> TermValues {
    let mut v = [[0]; MATRIX_TERMS];
    let well = measure(matrix.columns(), rows_over(left), &mut v, 0);
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
        for slot in each_slot(matrix) {
            v[SLOT_TERMS.start + slot.lines as usize] += 1;
        }
    }
    v
}

/// Returns the rows above the `left` rows still to remove, as bits of a column.
pub(crate) fn rows_over(left: Option<u32>) -> u32 {
    left.map_or(0, |left| u32::MAX.checked_shr(left).unwrap_or(0))
}

/// Runs an expression for each column, with the column as a constant. A loop would prevent the loop
/// over matrices from becoming vector code.
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

/// Measures matrix `l` of `N` and returns its well column. `over` has the rows above the goal. The
/// terms of well columns, covered holes, T-slots and T-spin triples are left out.
///
/// Each term is defined in `board`. Here they share heights, holes and the well, because a search
/// computes them thousands of times per placement. No branches: the loop over matrices becomes
/// vector code.
#[inline(always)]
pub(crate) fn measure<const N: usize>(
    k: &[u32; WIDTH],
    over: u32,
    v: &mut Values<N>,
    l: usize,
) -> u32 {
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
    let depth = ((!from_well).leading_zeros() as i32).min(DEEPEST as i32);
    v[WELL_DEPTH][l] = depth;
    transitions(k, v, l);
    holes(k, &h, v, l);
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
    well
}

/// Computes the terms of heights: sum, maximum, steps, wells, and rows above 10 and 15.
///
/// A wall is as high as the matrix, so the outer columns can be wells like the others.
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

/// Computes the changes between filled and empty cells: along columns, and along rows with walls.
///
/// Rows count up to the stack height or the visible rows; an empty row has two changes.
#[inline(always)]
fn transitions<const N: usize>(k: &[u32; WIDTH], v: &mut Values<N>, l: usize) {
    let (mut any, mut along, mut across) = (0, 0, 0);
    each_column!(C => {
        any |= k[C];
        along += (k[C] ^ (k[C] >> 1 | 1 << 31)).count_ones();
        across += if C == 0 { 0 } else { (k[C] ^ k[C.saturating_sub(1)]).count_ones() };
    });
    let rows = (ROWS as u32 - any.trailing_zeros()).max(VISIBLE as u32);
    let wall = u32::MAX << ((ROWS as u32 - rows) & 31);
    let walls = (!k[0] & wall).count_ones() + (!k[WIDTH - 1] & wall).count_ones();
    v[ROW_TRANSITIONS][l] = (across + walls) as i32;
    v[COLUMN_TRANSITIONS][l] = along as i32;
}

/// Computes holes and overhangs, which have two columns at most as high on one side.
#[inline(always)]
fn holes<const N: usize>(k: &[u32; WIDTH], h: &[i32; WIDTH], v: &mut Values<N>, l: usize) {
    let (mut rows, mut all, mut hanging) = (0, 0, 0);
    each_column!(C => {
        let holes = (k[C] | k[C].wrapping_neg()) & !k[C];
        rows |= holes;
        all += holes.count_ones();
        // From row `from` up, two columns on one side are low enough.
        let left = if C < 2 { 32 } else { h[C.saturating_sub(1)].max(h[C.saturating_sub(2)]) };
        let right = if C + 2 >= WIDTH { 32 } else { h[(C + 1) % WIDTH].max(h[(C + 2) % WIDTH]) };
        let from = left.min(right);
        let open = if from < 32 { u32::MAX >> (from & 31) } else { 0 };
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
