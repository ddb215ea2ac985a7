//! The differences that one orientation makes in each column.

use super::form::{Columns, Form};
use super::tables::{EMPTY, STRIDE, Tables, WELL_CELLS, from_column, place_of};
use super::{CELLS, Contact, HEIGHTS};
use crate::board::{Board, full_row};
use crate::kernels::quick::Found;

/// Keeps sums of depths positive: a piece fills at most four well cells of depth 28, and no
/// sum of intervals reaches 512 less this.
const BIAS: u16 = 128;

/// By column: where the piece rests and what it covers.
struct Rest {
    landing: Columns,
    /// Empty cells covered, and columns that have some.
    gaps: Columns,
    hanging: Columns,
    /// Cells of the piece above empty cells.
    above: Columns,
    /// The lowest row that it covers.
    lowest: Columns,
    /// 0xff where it covers cells of its own row 0, row 1.
    inside: [Columns; 2],
}

#[inline(always)]
fn columns(of: impl Fn(usize) -> u8) -> Columns {
    std::array::from_fn(of)
}

impl Rest {
    #[inline(always)]
    fn new<const W: usize>(form: &Form, tables: &Tables) -> Rest {
        let heights: [Columns; W] = std::array::from_fn(|j| from_column(&tables.heights, j));
        let zero = [0; 16];
        let mut rest = Rest {
            landing: zero,
            gaps: zero,
            hanging: zero,
            above: zero,
            lowest: [0xff; 16],
            inside: [zero; 2],
        };
        for j in 0..W {
            for x in 0..16usize {
                let y = heights[j][x].saturating_sub(form.bottoms[j][x]);
                rest.landing[x] = rest.landing[x].max(y);
            }
        }
        for j in 0..W {
            let holed = from_column(&tables.holed, j);
            for x in 0..16usize {
                let gap = rest.landing[x] + form.bottoms[j][x] - heights[j][x];
                let hangs = if gap != 0 { 0xff } else { 0 };
                rest.gaps[x] += gap;
                rest.hanging[x] += hangs & 1;
                rest.above[x] += form.thickness[j][x] & (hangs | holed[x]);
                rest.lowest[x] = rest.lowest[x].min(heights[j][x]);
                let low = if heights[j][x] <= rest.landing[x] { 0xff } else { 0 };
                rest.inside[0][x] |= low & form.raised[0][j][x];
                rest.inside[1][x] |= hangs & form.raised[1][j][x];
            }
        }
        rest.lowest = columns(|x| rest.lowest[x].min(rest.landing[x]));
        rest
    }
}

/// Scores an orientation in every column where it fills no row, as differences from the parent,
/// and finds the first best; returns the placements that fill rows.
#[inline(always)]
pub(super) fn place<const SET: u32, const W: usize>(
    contact: &Contact,
    board: &Board,
    tables: &Tables,
    form: &Form,
    landing: &[i64],
    found: &mut Found,
) -> u64 {
    let rest = Rest::new::<W>(form, tables);
    let count = form.count.min(16);
    let touched = if SET & CELLS != 0 { touched(tables, form, &rest) } else { [0; 16] };
    let rough = if SET & HEIGHTS != 0 { steps::<W>(tables, form, &rest) } else { [0; 16] };
    let fills = filled(board, form, &rest);
    let highest = contact.size.height() - form.height.min(contact.size.height());
    let weights = &contact.weights;
    let landing = &landing[form.first..form.first + count];
    let rows = &mut found.rows[form.first..form.first + count];
    rows.copy_from_slice(&rest.landing[..count]);
    for x in 0..count {
        let row = rest.landing[x] as usize;
        if row > highest || fills >> x & 1 == 1 {
            continue;
        }
        let times = |weight: i64, count: u8| weight * i64::from(count);
        let mut score = landing[x] + contact.landing_steps * row as i64;
        score += times(weights.holes, rest.gaps[x]);
        score += times(2 * weights.column_transitions, rest.hanging[x]);
        if SET & CELLS != 0 {
            let packed = touched[x].wrapping_add(BIAS);
            let empty = packed / EMPTY + form.shoulders;
            let mut wells = i64::from(packed % EMPTY) - i64::from(BIAS);
            if W == 1 {
                wells -= 4 * deep_wells(tables, row, x);
            }
            score += weights.wells * wells;
            let transitions = 2 * (i64::from(empty) - form.height as i64);
            score += weights.row_transitions * transitions;
            score += times(weights.hole_depth, rest.above[x]);
            score += times(weights.rows_with_holes, newly_holed(tables, &rest, x));
        }
        if SET & HEIGHTS != 0 {
            score += times(weights.aggregate_height, rest.gaps[x] + 4);
            score += weights.bumpiness * i64::from(rough[x]);
        }
        if score > found.score {
            (found.score, found.best) = (score, form.first + x);
        }
    }
    fills << form.first
}

/// Sums over the intervals of an orientation: [`EMPTY`] for each empty cell beside it, and the
/// difference of the wells.
#[inline(always)]
fn touched(tables: &Tables, form: &Form, rest: &Rest) -> [u16; 16] {
    let mut sums = [0u16; 16];
    for interval in &form.intervals {
        for (x, sum) in sums.iter_mut().enumerate() {
            let base = STRIDE * rest.landing[x] as usize + x;
            let (from, to) = (base + interval.from, base + interval.to);
            *sum = sum.wrapping_add(tables.sum(to)).wrapping_sub(tables.sum(from));
        }
    }
    sums
}

/// Well cells above an upright I, whose depth it takes four from.
#[inline(always)]
fn deep_wells(tables: &Tables, row: usize, column: usize) -> i64 {
    let at = |row| i64::from(tables.sum(place_of(WELL_CELLS, row, column + 1)));
    at(tables.stack + 4) - at(row + 4)
}

/// Rows without a hole that get one.
#[inline(always)]
fn newly_holed(tables: &Tables, rest: &Rest, x: usize) -> u8 {
    let row = rest.landing[x] as usize & 31;
    let whole = |row: usize| tables.whole[row];
    let under = whole(row) - whole(rest.lowest[x] as usize & 31);
    let first = (whole(row + 1) - whole(row)) & rest.inside[0][x];
    let second = (whole(row + 2) - whole(row + 1)) & rest.inside[1][x];
    under + first + second
}

/// The columns where it fills a row.
#[inline(always)]
fn filled(board: &Board, form: &Form, rest: &Rest) -> u64 {
    let full = full_row(board.width());
    let mut fills = 0;
    for k in 0..form.height.min(4) {
        for x in 0..form.count.min(16) {
            let row = board.row((rest.landing[x] as usize + k) & 31);
            fills |= u64::from(row | form.rows[k] << x == full) << x;
        }
    }
    fills
}

/// What the bumpiness gains.
#[inline(always)]
fn steps<const W: usize>(tables: &Tables, form: &Form, rest: &Rest) -> [i8; 16] {
    let right = from_column(&tables.heights, W);
    let mut gained = [form.own_steps as i8; 16];
    for x in 0..16usize {
        let left = tables.heights[x.saturating_sub(1)];
        let ends = form.ends.map(|end| rest.landing[x] + end);
        let inside = [x > 0, x + 1 < form.count];
        let steps = [ends[0].abs_diff(left), ends[1].abs_diff(right[x])];
        for (step, inside) in steps.into_iter().zip(inside) {
            gained[x] = gained[x].wrapping_add(if inside { step as i8 } else { 0 });
        }
        for j in 0..=W {
            gained[x] = gained[x].wrapping_sub(tables.steps[x + j] as i8);
        }
    }
    gained
}
