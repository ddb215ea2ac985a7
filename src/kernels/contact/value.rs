//! The score of a single board: a parent, or what is left when rows are cleared.

use super::form::Form;
use super::{CELLS, Contact, HEIGHTS};
use crate::board::{Board, ROWS, full_row};
use crate::features::Measured;

/// The weighted sum of a board's own features.
#[inline(always)]
pub(super) fn value<const SET: u32>(contact: &Contact, rows: &[u16; ROWS], stack: usize) -> i64 {
    let weights = &contact.weights;
    let width = contact.size.width();
    let mut sum = 0;
    let mut count = |weight: i64, count: u32| sum += weight * i64::from(count);
    let cover = from_above(rows, stack);
    let covered = |row: usize| if row + 1 < ROWS { cover[row + 1] } else { 0 };
    let holes = |row: usize| covered(row) & !rows[row];
    count(weights.holes, (0..stack).map(|row| holes(row).count_ones()).sum());
    let full = full_row(width);
    let below = |row: usize| if row == 0 { full } else { rows[row - 1] };
    let changes = |row: usize| (rows[row] ^ below(row)).count_ones();
    // Up to the sky, which is empty.
    count(weights.column_transitions, (0..=stack.min(ROWS - 1)).map(changes).sum());
    if SET & CELLS != 0 {
        let wall = 1u32 << (width + 1);
        let changes = |row: usize| {
            let walled = u32::from(rows[row]) << 1 | 1 | wall;
            ((walled ^ walled >> 1) & (wall - 1)).count_ones()
        };
        let empty = contact.size.height().saturating_sub(stack) as u32;
        count(weights.row_transitions, 2 * empty + (0..stack).map(changes).sum::<u32>());
        let holed = (0..stack).map(|row| u32::from(holes(row) != 0)).sum();
        count(weights.rows_with_holes, holed);
        count(weights.hole_depth, above_empty(rows, stack, full));
        count(weights.wells, wells(rows, stack, width));
    }
    if SET & HEIGHTS != 0 {
        let heights = cover[..stack].iter().map(|row| row.count_ones()).sum();
        count(weights.aggregate_height, heights);
        // A column reaches a row and its neighbour does not: a step.
        let inner = full >> 1;
        let uneven = |&row: &u16| ((row ^ row >> 1) & inner).count_ones();
        count(weights.bumpiness, cover[..stack].iter().map(uneven).sum());
    }
    let complete = rows[..stack].iter().filter(|&&row| row == full).count();
    count(weights.complete_rows, complete as u32);
    sum
}

#[inline(always)]
fn from_above(rows: &[u16; ROWS], stack: usize) -> [u16; ROWS] {
    let mut cover = [0; ROWS];
    let mut all = 0;
    for row in (0..stack).rev() {
        all |= rows[row];
        cover[row] = all;
    }
    cover
}

/// Filled cells with an empty one somewhere below.
#[inline(always)]
fn above_empty(rows: &[u16; ROWS], stack: usize, full: u16) -> u32 {
    let (mut open, mut sum) = (0, 0);
    for &row in &rows[..stack] {
        sum += (row & open).count_ones();
        open |= full & !row;
    }
    sum
}

/// The depths of all well cells, in columns side by side.
#[inline(always)]
fn wells(rows: &[u16; ROWS], stack: usize, width: usize) -> u32 {
    let (walls, last) = (!full_row(width), 1 << (width - 1));
    let (mut depth, mut sums) = ([0u16; 16], [0u16; 16]);
    for &row in &rows[..stack] {
        let own = row | walls;
        let wells = !own & (own << 1 | 1) & (own >> 1 | last);
        for x in 0..16 {
            let empty = if own & 1 << x == 0 { u16::MAX } else { 0 };
            let well = if wells & 1 << x != 0 { u16::MAX } else { 0 };
            depth[x] = (depth[x] + 1) & empty;
            sums[x] += depth[x] & well;
        }
    }
    sums.into_iter().map(u32::from).sum()
}

/// The score of a placement that fills rows, but for its landing; None if it loses.
#[inline(always)]
pub(super) fn after_clear<const SET: u32>(
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
    let measured = match contact.play.measured {
        Measured::AfterClear => value::<SET>(contact, &after, left),
        Measured::BeforeClear => value::<SET>(contact, &rows, stack),
    };
    Some(earned + measured)
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
