//! Computes exact scores: of placements, from their counts; of whole boards; and of placements that
//! fill rows, which are played. A count of wells is approximate if well cells change in rows with
//! holes, or if it exceeds a byte.

use super::Delta;
use super::board::{Tables, pattern_of};
use super::counts::PieceCounts;
use super::nonlinear::nonlinear_score;
use super::shape::Shape;
use super::weights::*;
use crate::board::{ROWS, full_row};
use crate::features::Measured;
use crate::kernels::shapes::SetBits;
use crate::simd::{
    self, AllRows, Blocks, BoardJob, Bytes, ColumnCells, Counts, Lane, OneLane, Rows, Words,
};

/// Counts of board changes by all placements of a piece, from which exact scores are computed.
#[derive(Clone, Copy)]
pub(super) struct StoredCounts<'a> {
    pub(super) delta: &'a Delta,
    pub(super) shape: &'a Shape,
    pub(super) tables: &'a Tables,
    pub(super) inexact: u64,
}

#[inline(always)]
pub(super) fn store_counts<S: Blocks, V: Bytes<S>>(placed: &PieceCounts<V>, tables: &mut Tables) {
    for k in 0..COUNTS {
        placed.counts[k].store(&mut tables.counts[k]);
    }
}

impl StoredCounts<'_> {
    #[inline(always)]
    pub(super) fn row(self, lane: usize) -> usize {
        self.tables.counts[LANDING_ROW].0[lane] as usize
    }

    /// Returns the score change by the placement of byte `lane`; its counts may miss well depths.
    #[inline(always)]
    pub(super) fn sum(self, lane: usize) -> i64 {
        let (weights, counts) = (&self.delta.weights, &self.tables.counts);
        let mut sum = self.shape.exact[lane] + weights.common;
        sum += i64::from(counts[LANDING_ROW].0[lane]) * self.shape.row_weight[lane / 16];
        // From 1, since the landing row's weight depends on the orientation.
        for k in 1..COUNTS {
            sum += i64::from(counts[k].0[lane]) * weights.exact[k];
        }
        if self.delta.set & (BY_COLUMN | NONLINEAR) != 0 {
            sum += self.other_change(lane);
        }
        sum
    }

    /// Returns the first best placement of the nonempty set `some` and its score change. The set's
    /// well depths must be counted exactly.
    #[inline(never)]
    pub(super) fn best(self, some: u64) -> (usize, i64) {
        let mut best = (some.trailing_zeros() as usize, i64::MIN);
        for lane in SetBits(some) {
            let sum = self.sum(lane);
            if sum > best.1 {
                best = (lane, sum);
            }
        }
        best
    }

    // Not inlined: few controllers have such a part, and all others would carry the code.
    #[inline(never)]
    fn other_change(self, lane: usize) -> i64 {
        let StoredCounts { delta, shape, tables, .. } = self;
        let mut sum = delta.nonlinear.exact(tables, lane);
        if delta.set & BY_COLUMN != 0 {
            sum += delta.by_column.exact(tables, shape, lane, self.row(lane));
        }
        sum
    }

    #[inline]
    pub(super) fn exact_sum(self, lane: usize) -> i64 {
        let sum = self.sum(lane);
        if self.is_exact(lane) { sum } else { sum + self.deficit(lane) }
    }

    /// Returns true if the change of well depths is counted exactly for the placement `lane`.
    #[inline(always)]
    pub(super) fn is_exact(self, lane: usize) -> bool {
        let few = self.tables.counts[WELL_CHANGE].0[lane] < MAX_WELL_COUNT;
        self.inexact >> lane & 1 == 0
            // A second, narrower test: `inexact` considers the rows of the whole board, but the
            // piece's own columns may have no hole there.
            || (few && !self.tables.has_gaps && !self.tables.has_holes(lane % 16, self.row(lane)))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn deficit(self, lane: usize) -> i64 {
        let counted = self.tables.counts[WELL_CHANGE].0[lane];
        let row = self.row(lane);
        let fast = self.delta.set & WELLS_FAST != 0;
        // Capped counts and fast wells are recounted; otherwise only the missing cells are added.
        let more = if counted < MAX_WELL_COUNT && !fast {
            deficit(self.tables, self.shape, lane, row)
        } else {
            let counted = i64::from(counted) - i64::from(WELLS_BIAS);
            recount_wells(self.tables, self.shape, lane, row, fast) - counted
        };
        more * self.delta.weights.exact[WELL_CHANGE]
    }

    /// Returns the best placement of the set `some` (64 if empty), its exact score change, and how
    /// much its counts missed.
    #[cold]
    #[inline(never)]
    pub(super) fn exact_best(self, some: u64) -> (usize, i64, i64) {
        let mut best = (64, i64::MIN, 0);
        for lane in SetBits(some) {
            let counted = self.sum(lane);
            let sum = if self.is_exact(lane) { counted } else { counted + self.deficit(lane) };
            if sum > best.1 {
                best = (lane, sum, sum - counted);
            }
        }
        best
    }
}

/// Returns the well depth that the fast count of a placement misses: well cells below the height of
/// a column are deeper than it assumes.
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

pub(super) fn recount_wells(
    tables: &Tables,
    shape: &Shape,
    lane: usize,
    row: usize,
    fast: bool,
) -> i64 {
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
        let before = well_depths(walled(x), walled(x - 1), walled(x + 1), fast);
        change += well_depths(placed(x), placed(x - 1), placed(x + 1), fast) - before;
    }
    change
}

fn well_depths(own: u32, left: u32, right: u32, fast: bool) -> i64 {
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

/// Returns the score of a board by the features in `set`; omits pattern diversity for a board
/// before a placement (`parent`).
#[inline(always)]
pub(super) fn sum_features<S: Blocks>(delta: &Delta, set: u32, rows: Rows<S>, parent: bool) -> i64 {
    let stack = ROWS - rows.occupied().leading_zeros() as usize;
    let mut sum = delta.weights.constant;
    // Complete rows exist only on boards measured before clearing.
    if delta.weights.features[DeltaFeature::CompleteRows] != 0 {
        let full = rows.equal(full_row(delta.size.width()));
        sum += i64::from(full.count_ones()) * delta.weights.features[DeltaFeature::CompleteRows];
    }
    if set & MAX_HEIGHT != 0 {
        sum += stack as i64 * delta.weights.features[DeltaFeature::MaxHeight];
    }
    // Below 16 rows, row 15 is empty, so `Words` see an open sky above all cells.
    if stack < 16 {
        sum + sum_column_features(delta, set, rows.lower(), stack, parent)
    } else {
        sum + sum_column_features(delta, set, AllRows(rows.lower(), rows.upper()), stack, parent)
    }
}

#[inline(always)]
fn sum_column_features<S: Blocks, T: ColumnCells<S>>(
    delta: &Delta,
    set: u32,
    cells: T,
    stack: usize,
    parent: bool,
) -> i64 {
    let simd = cells.simd();
    let weights = &delta.weights.features;
    let masks = &delta.masks;
    // Columns beyond the board are filled, so the last column has a wall for a neighbour.
    let walled = cells.or(T::load_both(simd, &masks.walls, &masks.walls));
    let below = cells.filled_down();
    let holes = below.without(cells);
    let none = Words::splat(simd, 0).counts();
    let mut counts = [none; 4];
    let mut sum = 0;
    if set & ROW_TRANSITIONS != 0 {
        counts[0] = walled.xor(walled.left_neighbour()).counts();
        // A board of sixteen columns has no column left for the wall on its right.
        if delta.size.width() == 16 {
            let right = T::load_both(simd, &masks.last, &masks.last).without(walled).counts();
            counts[0] = counts[0].plus(right);
        }
        // Measured rows beyond those of `T` count 2 each; rows of `T` that are not measured lose 2
        // each.
        let measured = stack.max(delta.size.height()) as i64;
        sum += 2 * (measured - T::ROWS as i64) * weights[DeltaFeature::RowTransitions];
    }
    if set & COLUMN_TRANSITIONS != 0 {
        // Compares each cell with the one below. The floor is filled; columns beyond the board have
        // no floor.
        counts[1] = cells.xor(cells.up(1).or(T::load_both(simd, &masks.floor, &[0; 16]))).counts();
    }
    counts[2] = holes.counts();
    // Three products at a time: the compiler would turn four into a vector product, which takes
    // longer.
    let [rows, columns, holed, _] = Counts::totals(counts);
    sum += rows * weights[DeltaFeature::RowTransitions]
        + columns * weights[DeltaFeature::ColumnTransitions]
        + holed * weights[DeltaFeature::Holes];
    if set & ROWS_WITH_HOLES != 0 {
        sum += i64::from(holes.any_column().count_ones()) * weights[DeltaFeature::RowsWithHoles];
    }
    if set & (ANY_WELLS | HOLE_DEPTH) != 0 {
        let wells = if set & ANY_WELLS != 0 { well_counts(set, walled) } else { none };
        // Cells above the lowest hole of their column.
        let depth = cells.and(holes.upward()).counts();
        let [wells, depth, ..] = Counts::totals([wells, depth, none, none]);
        sum += wells * delta.weights.exact[WELL_CHANGE] + depth * weights[DeltaFeature::HoleDepth];
    }
    if set & (HEIGHTS | BUMPINESS) != 0 {
        // A step of one row: a column reaches this row and its neighbour does not.
        let inner = T::load_both(simd, &masks.inner, &masks.inner);
        let steps = below.xor(below.right_neighbour()).and(inner).counts();
        let [heights, steps, ..] = Counts::totals([below.counts(), steps, none, none]);
        sum += heights * weights[DeltaFeature::AggregateHeight]
            + steps * weights[DeltaFeature::Bumpiness];
    }
    if set & BY_COLUMN != 0 {
        let mut lane = Lane::ZERO;
        below.heights().store_lane(&mut lane);
        sum += delta.by_column.board_score(&lane.0);
    }
    if set & DIVERSITY != 0 && !parent {
        let heights = below.heights();
        let steps = heights.next::<1>(heights).sub(heights);
        let mut lane = Lane::ZERO;
        pattern_of(steps).store_lane(&mut lane);
        let inner = &lane.0[..delta.size.width() - 1];
        let patterns = inner.iter().fold(0, |all, one| all | one);
        sum += i64::from(patterns.count_ones()) * weights[DeltaFeature::PatternDiversity];
    }
    sum
}

/// Sums the depths of all well cells of a board: the empty cells from each down to the next filled
/// cell.
// A byte counts eight rows of a column; a well of 28 rows adds 100 + 106 to one, which fits.
/// Adds 1 in round k for each well cell with k - 1 empty cells directly below.
/// ```text
/// round 1  each well cell counts 1
/// round 2  those with an empty cell below count 1 more       a cell is counted once for each empty
/// round 3  those with two empty cells below, and so on       cell from it down: its depth
/// ```
#[inline(always)]
fn well_counts<S: Blocks, T: ColumnCells<S>>(set: u32, walled: T) -> Counts<S> {
    let mut deep = walled.left_neighbour().and(walled.right_neighbour()).without(walled);
    let mut empty = walled.not();
    if set & WELLS_FAST != 0 {
        deep = extend_down(deep, empty);
    }
    let mut sum = deep.counts();
    loop {
        // Five rounds before each check, since few wells are deeper than six rows.
        for _ in 0..5 {
            empty = empty.up(1);
            deep = deep.and(empty);
            sum = sum.plus(deep.counts());
        }
        if deep.is_empty() {
            return sum;
        }
    }
}

#[inline(always)]
pub(super) fn extend_down<S: Blocks, T: ColumnCells<S>>(mut cells: T, empty: T) -> T {
    loop {
        // Several rounds before each check, although usually one is enough: below a well cell lie
        // other well cells.
        for _ in 0..3 {
            cells = cells.or(cells.down(1).and(empty));
        }
        if cells.down(1).and(empty).without(cells).is_empty() {
            return cells;
        }
    }
}

#[inline(always)]
pub(super) fn landing_score(delta: &Delta, shape: &Shape, lane: usize, row: usize) -> i64 {
    shape.landing[lane] + delta.weights.landing_row * row as i64
}

/// Returns the score of the board `rows`. `SET` is the feature set if it is known at compile time,
/// otherwise 0.
#[inline]
pub(super) fn board_value<const SET: u32>(delta: &Delta, rows: &[u16; ROWS], parent: bool) -> i64 {
    simd::run(delta.level, ValueJob::<SET> { delta, rows, parent }).unwrap_or(0)
}

struct ValueJob<'a, const SET: u32> {
    delta: &'a Delta,
    rows: &'a [u16; ROWS],
    parent: bool,
}

impl<const SET: u32> BoardJob for ValueJob<'_, SET> {
    type Output = i64;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> i64 {
        let ValueJob { delta, rows, parent } = self;
        let set = delta.set_or::<SET>();
        let mut sum = sum_features(delta, set, Rows::load(simd, rows), parent);
        if set & CELLS != 0 {
            sum += delta.weights.cells.board_score(rows, delta.size);
        }
        if set & NONLINEAR != 0 {
            sum += nonlinear_score(delta, rows);
        }
        sum
    }
}

#[inline(always)]
pub(super) fn with_piece<S: Blocks>(
    rows: Rows<S>,
    shape: &Shape,
    lane: usize,
    row: usize,
) -> Rows<S> {
    rows.with(shape.rows_at(lane, row), lane as u32 % 16)
}

pub(super) struct Cleared<S: Blocks> {
    pub(super) of_move: i64,
    pub(super) board: i64,
    pub(super) rows: Rows<S>,
}

/// Places a piece, removes full rows and returns the board's score; `None` if the game is lost.
#[inline(always)]
pub(super) fn clear_rows<S: Blocks, const SET: u32>(
    delta: &Delta,
    rows: Rows<S>,
    shape: &Shape,
    lane: usize,
    row: usize,
) -> Option<Cleared<S>> {
    let (weights, height) = (&delta.weights, delta.size.height());
    // The piece ends above the top and removes nothing: the game is lost. If the rules clear first,
    // the rows left decide.
    if row + shape.heights[lane / 16] as usize > height && !delta.play.clear_on_overflow {
        return None;
    }
    let rows = with_piece(rows, shape, lane, row);
    let full = rows.equal(full_row(delta.size.width()));
    let cleared = rows.removed(full);
    if cleared.occupied().checked_shr(height as u32).unwrap_or(0) != 0 {
        return None;
    }
    // Eroded cells are cells of the piece in removed rows; `alone` counts those that completed a
    // row by themselves. Both are multiplied by the number of removed rows.
    let (mut own, mut alone) = (0, 0);
    for k in 0..4 {
        let removed = full >> (row + k) & 1 == 1;
        let cells = if removed { shape.row_cells[lane / 16][k] } else { 0 };
        own += i64::from(cells);
        alone += i64::from(cells == 1);
    }
    let lines = i64::from(full.count_ones());
    let landing = landing_score(delta, shape, lane, row);
    let reward = lines * (weights.eroded * own + weights.eroded_alone * alone + weights.lines);
    let mut measured = [0; ROWS];
    let of_move = match delta.play.measured {
        Measured::AfterClear => {
            cleared.store(&mut measured);
            landing + reward
        }
        Measured::BeforeClear => {
            rows.store(&mut measured);
            // Complete rows belong to the move: look-ahead must not count them again on the next
            // board.
            landing + reward + weights.features[DeltaFeature::CompleteRows] * lines
        }
    };
    let mut board = board_value::<SET>(delta, &measured, false);
    if delta.play.measured == Measured::BeforeClear {
        // Complete rows are part of the move's score.
        board -= weights.features[DeltaFeature::CompleteRows] * lines;
    }
    Some(Cleared { of_move, board, rows: cleared })
}
