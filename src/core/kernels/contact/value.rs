//! The score of a single board: a parent, or what is left when rows are cleared.

use super::form::Form;
use super::tables::spread;
use super::{CELLS, Contact, HEIGHTS};
use crate::board::{Board, ROWS, full_row};
use crate::features::Measured;
use crate::kernels::lanes::{Lanes, Line};

/// Four counts of bits at once: a count of 16-bit fields, kept by byte.
#[inline(always)]
fn bits(fields: [u16; 4]) -> u64 {
    let [a, b, c, d] = fields.map(u64::from);
    let bits = a | b << 16 | c << 32 | d << 48;
    let pairs = bits - (bits >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

/// The counts: no more than 28 rows of 8 columns go into a byte.
#[inline(always)]
fn counts(bytes: u64) -> [i64; 4] {
    let sums = (bytes & 0x00ff_00ff_00ff_00ff) + (bytes >> 8 & 0x00ff_00ff_00ff_00ff);
    let field = |k: u32| (sums >> (16 * k) & 0xffff) as i64;
    [field(0), field(1), field(2), field(3)]
}

/// The weighted sum of a board's own features.
#[inline(always)]
pub(super) fn value<V: Lanes, const SET: u32>(
    contact: &Contact,
    rows: &[u16; ROWS],
    stack: usize,
) -> i64 {
    let weights = &contact.weights;
    let stack = stack.min(ROWS - 1);
    let (width, height) = (contact.size.width(), contact.size.height());
    let full = full_row(width);
    let last = width - 1;
    let (mut cover, mut above) = (0u16, 0u16);
    let (mut bytes, mut more, mut holed, mut complete) = (0u64, 0u64, 0, 0);
    let mut sides = 0;
    for row in (0..stack).rev() {
        let cells = rows[row];
        let holes = cover & !cells;
        cover |= cells;
        holed += i64::from(holes != 0);
        complete += i64::from(cells == full);
        let mut fields = [holes, 0, 0, 0];
        if SET & CELLS != 0 {
            fields[1] = cells ^ above;
            fields[2] = (cells ^ (cells << 1 | 1)) & full;
            sides += i64::from(!cells >> last & 1);
        }
        bytes += bits(fields);
        if SET & HEIGHTS != 0 {
            // A column reaches a row and its neighbour does not: a step.
            more += bits([cover, (cover ^ cover >> 1) & (full >> 1), 0, 0]);
        }
        above = cells;
    }
    let [holes, columns, transitions, _] = counts(bytes);
    let mut sum = weights.holes * holes + weights.complete_rows * complete;
    if SET & CELLS != 0 {
        let floor = i64::from((full & !above).count_ones());
        let sky = 2 * height.saturating_sub(stack) as i64;
        let [wells, buried] = wells::<V>(rows, stack, width);
        sum += weights.column_transitions * (columns + floor);
        sum += weights.row_transitions * (transitions + sides + sky);
        sum += weights.rows_with_holes * holed + weights.wells * wells;
        sum += weights.hole_depth * buried;
    }
    if SET & HEIGHTS != 0 {
        let [heights, steps, _, _] = counts(more);
        sum += weights.aggregate_height * heights + weights.bumpiness * steps;
    }
    sum
}

/// The depths of all well cells, columns side by side, and the filled cells above an empty one.
#[inline(always)]
fn wells<V: Lanes>(rows: &[u16; ROWS], stack: usize, width: usize) -> [i64; 2] {
    let (walls, last) = (!full_row(width), 1 << (width - 1));
    let mut sums = Line::ZERO;
    for x in (0..width).step_by(V::COUNT) {
        let (mut depth, mut wells) = (V::zero(), V::zero());
        for &row in &rows[..stack] {
            let own = row | walls;
            let here = !own & (own << 1 | 1) & (own >> 1 | last);
            depth = depth.add(V::splat(1)).without(spread(own, x));
            wells = wells.add(depth.and(spread(here, x)));
        }
        wells.store(&mut sums, x);
    }
    let (mut open, mut bytes) = (0, 0);
    for &row in &rows[..stack] {
        bytes += bits([row & open, 0, 0, 0]);
        open |= !row;
    }
    let wells: u16 = sums.0[..16].iter().sum();
    [i64::from(wells), counts(bytes)[0]]
}

/// The score of a placement that fills rows, but for its landing; None if it loses.
#[inline(always)]
pub(super) fn after_clear<V: Lanes, const SET: u32>(
    contact: &Contact,
    board: &Board,
    form: &Form,
    column: usize,
    row: usize,
) -> Option<i64> {
    let height = contact.size.height();
    let full_row = full_row(board.width());
    let mut rows = *board.rows();
    let (mut lines, mut own, mut alone) = (0, 0, 0);
    let mut full = 0u32;
    for k in 0..form.height {
        rows[row + k] |= form.rows[k].0[column];
        if rows[row + k] == full_row {
            let cells = i64::from(form.rows[k].0[column].count_ones());
            lines += 1;
            own += cells;
            alone += i64::from(cells == 1);
            full |= 1 << (row + k);
        }
    }
    if row + form.height > height && !contact.play.clear_on_overflow {
        return None;
    }
    let weights = &contact.weights;
    let earned = lines * (weights.eroded * own + weights.eroded_alone * alone + weights.lines);
    let stack = board.stack_height().max(row + form.height);
    let after = without(&rows, full, stack);
    let left = (0..stack).rev().find(|&row| after[row] != 0).map_or(0, |row| row + 1);
    if left > height {
        return None;
    }
    // One call: the code of `value` is long.
    let (rows, stack) = match contact.play.measured {
        Measured::AfterClear => (&after, left),
        Measured::BeforeClear => (&rows, stack),
    };
    Some(earned + value::<V, SET>(contact, rows, stack))
}

#[inline(always)]
fn without(rows: &[u16; ROWS], removed: u32, stack: usize) -> [u16; ROWS] {
    let mut after = [0; ROWS];
    let mut to = 0;
    for (row, &cells) in rows[..stack].iter().enumerate() {
        after[to] = cells;
        to += usize::from(removed >> row & 1 == 0);
    }
    after[to..stack.max(to)].fill(0);
    after
}
