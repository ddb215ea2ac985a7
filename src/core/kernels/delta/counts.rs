//! Counts the changes that each placement of a piece makes to the board.

use super::Delta;
use super::board::{LOW, Tables, pattern_of};
use super::shape::Shape;
use super::weights::*;
use crate::simd::{self, Block, Blocks, BoardJob, Bytes, Lane, u8x32, u8x64};

/// Counts of the changes that each placement of a piece makes to the board.
#[derive(Clone, Copy)]
pub(super) struct PieceCounts<V> {
    pub(super) counts: [V; COUNTS],
    /// Vector of bytes: 1 for placements that neither fill a row nor end above the top, else 0.
    pub(super) eligible: V,
    pub(super) full: u64,
    pub(super) lost: u64,
    /// Placements whose count of well cells may be too low, one bit each.
    pub(super) inexact: u64,
    pub(super) overflowed: bool,
}

const COUNT: Lane = Lane([0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]);

/// Table indexed by a set of rows 0 to 3: the sum of (row - 2) over the rows of the set.
const SUM_FROM_THIRD_ROW: Lane = over_rows(-2);
/// Table indexed by a set of rows 0 to 3: the sum of (row + 1) over the rows of the set.
const SUM_FROM_FIRST_ROW: Lane = over_rows(1);

const fn over_rows(add: i8) -> Lane {
    let mut table = [0; 16];
    let mut index = 0;
    while index < 16 {
        let (mut sum, mut k) = (0, 0);
        while k < 4 {
            if index >> k & 1 == 1 {
                sum += k as i8 + add;
            }
            k += 1;
        }
        table[index] = sum as u8;
        index += 1;
    }
    Lane(table)
}

/// Properties of the board around each placement, in the four rows from the landing row on.
struct RowFacts<V> {
    missing: V,
    /// Number of rows without holes from the lowest column under the piece up to the landing row.
    clean_between: V,
    /// Set of the rows with a hole on the board, among the four rows from the landing row on.
    holed: V,
    /// Cells of seven columns around each placement, in the four rows from the landing row on; six
    /// columns for the piece I.
    ///
    /// ```text
    /// window  0   1   2   3   4   5   6        I:  0   1   2   3   4   5
    /// column c-2 c-1  c  c+1 c+2 c+3 c+4           c-2 c-1 c+1 c+2 c+4 c+5
    ///
    /// A byte is 0000 dcba: a is row r, the lowest bit, and d is row r + 3.
    /// ```
    windows: [V; 7],
}

/// Columns around a piece whose cells are read, counted from 0 two columns left of the piece.
const WINDOW_COLUMNS: [usize; 7] = [0, 1, 2, 3, 4, 5, 6];
/// Columns beside the piece I whose cells are read, counted from 0 two columns left of the piece;
/// the last is unused.
const WINDOW_COLUMNS_OF_I: [usize; 7] = [0, 1, 3, 4, 6, 7, 7];

/// Counts the changes that each placement makes to the board; `I` is true for the piece I.
#[inline(always)]
pub(super) fn count_changes<S: Blocks, V: Bytes<S>, const I: bool>(
    simd: S,
    delta: &Delta,
    set: u32,
    tables: &Tables,
    shape: &Shape,
) -> PieceCounts<V> {
    let columns = if I { 4 } else { 3 };
    let zero = V::splat(simd, 0);
    let heights = &tables.heights;
    // The landing row: the maximum over the piece's columns of height minus bottom, at least 0.
    let mut landing = V::repeat(simd, &heights[1]).saturating_sub(V::load(simd, &shape.bottom[0]));
    for j in 1..columns {
        landing = landing
            .max(V::repeat(simd, &heights[j + 1]).saturating_sub(V::load(simd, &shape.bottom[j])));
    }
    let mut counts = [zero; COUNTS];
    counts[LANDING_ROW] = landing;
    let wider = V::load(simd, &shape.wider);
    let (narrow, wide) = if I { (0, 3) } else { (1, 2) };
    if set & (HOLES | HEIGHTS) != 0 {
        let sums = &tables.sums;
        counts[HEIGHT_SUM] = select_by_width(wider, &sums[narrow], &sums[wide]);
    }
    for j in 0..columns {
        let rest = landing.add(V::load(simd, &shape.bottom[j]));
        if set & COLUMN_TRANSITIONS != 0 {
            counts[CONTACTS] = counts[CONTACTS].plus_equal(rest, V::repeat(simd, &heights[j + 1]));
        }
        if set & HOLE_DEPTH != 0 {
            let (cells, solid) =
                (V::load(simd, &shape.thickness[j]), V::repeat(simd, &tables.solid[j]));
            counts[SOLID_CELLS] = counts[SOLID_CELLS].plus_where_equal(cells, rest, solid);
        }
    }
    let lowest = &tables.lowest;
    let lowest = select_by_width(wider, &lowest[narrow], &lowest[wide]);
    // Two instances, since on low boards half of the look-ups are not needed.
    let facts = match tables.tall {
        false => read_rows::<S, V, I, false>(set, tables, shape, landing, lowest),
        true => read_rows::<S, V, I, true>(set, tables, shape, landing, lowest),
    };
    let w = &facts.windows;
    let (mut changed, mut uncertain, mut overflowed) = (zero, zero, false);
    if set & WELLS != 0 {
        (counts[WELL_CHANGE], changed) = if I {
            count_wells_of_i(tables, shape, w, landing)
        } else {
            count_wells(tables, shape, w, landing)
        };
    }
    if set & WELLS_FAST != 0 {
        // In a function of its own, with arguments in memory. Inlined, it took registers from
        // feature sets without fast wells: at `avx2`, BCTS took 1.13 times as long instead of 1.05
        // times.
        let (mut windows, mut rows) = ([Block::ZERO; 7], Block::ZERO);
        for k in 0..7 {
            w[k].store(&mut windows[k]);
        }
        landing.store(&mut rows);
        let (is_i, lanes) = (I, V::LANES);
        let (windows, landing) = (&windows, &rows);
        let job = FastWellsJob { delta, tables, shape, windows, landing, is_i, lanes };
        let found = job.run_not_inlined();
        counts[WELL_CHANGE] = V::load(simd, &found.change);
        (changed, uncertain) = (V::load(simd, &found.changed), V::load(simd, &found.uncertain));
        overflowed = found.overflowed;
    }
    if set & ROW_TRANSITIONS != 0 {
        counts[EMPTY_BESIDE] =
            if I { count_empty_beside_i(shape, w) } else { count_empty_beside(shape, w) };
    }
    if set & ROWS_WITH_HOLES != 0 {
        // The I has no overhang, so only the rows between its columns and its landing row count.
        counts[NEW_HOLE_ROWS] = facts.clean_between;
        if !I {
            let mut under = V::load(simd, &shape.under[0]).without(w[2]);
            under = under.or(V::load(simd, &shape.under[1]).without(w[3]));
            under = under.or(V::load(simd, &shape.under[2]).without(w[4]));
            let new = V::repeat(simd, &COUNT).lookup(under.without(facts.holed));
            counts[NEW_HOLE_ROWS] = facts.clean_between.add(new);
        }
    }
    if set & MAX_HEIGHT != 0 {
        let top = landing.add(V::load(simd, &shape.height));
        counts[RISE] = top.saturating_sub(V::splat(simd, tables.stack as u8));
    }
    if set & (BUMPINESS | DIVERSITY) != 0 {
        count_steps::<S, V, I>(set, tables, shape, landing, &mut counts);
    }
    // Comparison results become bits where they are computed: across a branch the compiler splits
    // them into bytes.
    let doubtful = changed
        .and(facts.holed)
        .or(uncertain)
        .or(counts[WELL_CHANGE].saturating_sub(V::splat(simd, MAX_WELL_COUNT - 1)));
    let over = landing.saturating_sub(V::load(simd, &shape.highest)).min(V::splat(simd, 1));
    let inside = V::load(simd, &shape.inside);
    PieceCounts {
        counts,
        // `missing` is 0 if a row is full, so `eligible` is 0 then, too.
        eligible: facts.missing.min(inside.saturating_sub(over)),
        full: facts.missing.equal(zero).bits() & shape.valid,
        lost: !over.equal(zero).bits() & shape.valid,
        inexact: !doubtful.equal(zero).bits() & shape.valid,
        overflowed,
    }
}

#[inline(always)]
fn read_rows<S: Blocks, V: Bytes<S>, const I: bool, const TALL: bool>(
    set: u32,
    tables: &Tables,
    shape: &Shape,
    landing: V,
    lowest: V,
) -> RowFacts<V> {
    let simd = landing.simd();
    let zero = V::splat(simd, 0);
    let rows = if I { 4 } else { 3 };
    let mut facts = RowFacts {
        missing: V::splat(simd, u8::MAX),
        clean_between: zero,
        holed: zero,
        windows: [zero; 7],
    };
    for k in 0..rows {
        let empty = lookup_by_row::<S, V, TALL>(&tables.empty[0][k], &tables.empty[1][k], landing);
        // The piece fills a row if the row's empty cells are as many as the piece's cells in it.
        // The minimum over the rows is 0 if any row is full.
        facts.missing = facts.missing.min(empty.xor(V::load(simd, &shape.in_row[k])));
    }
    if set & ROWS_WITH_HOLES != 0 {
        let [low, high] = &tables.clean_below;
        let below = lookup_by_row::<S, V, TALL>(low, high, lowest);
        facts.clean_between = lookup_by_row::<S, V, TALL>(low, high, landing).sub(below);
    }
    let low = V::splat(simd, LOW as u8);
    // The landing row within the first word and within the second; 0 in the second selects the
    // first.
    let (first, second) = (landing.min(low), landing.saturating_sub(low));
    let here = second.equal(zero);
    if set & (ANY_WELLS | ROWS_WITH_HOLES) != 0 {
        facts.holed =
            V::repeat(simd, &tables.holed_rows[0]).lookup(if TALL { first } else { landing });
        if TALL {
            let high = V::repeat(simd, &tables.holed_rows[1]).lookup(second);
            facts.holed = here.select(facts.holed, high);
        }
    }
    if set & (ANY_WELLS | ROW_TRANSITIONS | ROWS_WITH_HOLES) != 0 {
        let columns = if I { WINDOW_COLUMNS_OF_I } else { WINDOW_COLUMNS };
        let from = V::window_factors(if TALL { first } else { landing });
        for k in 0..if I { 6 } else { 7 } {
            facts.windows[k] = V::window(simd, &tables.words[0], columns[k], from);
        }
        if TALL {
            let from = V::window_factors(second);
            for k in 0..if I { 6 } else { 7 } {
                let high = V::window(simd, &tables.words[1], columns[k], from);
                facts.windows[k] = here.select(facts.windows[k], high);
            }
        }
    }
    facts
}

#[inline(always)]
fn lookup_by_row<S: Blocks, V: Bytes<S>, const TALL: bool>(low: &Lane, high: &Lane, row: V) -> V {
    let simd = row.simd();
    let low = V::repeat(simd, low);
    if TALL { V::lookup_in_both(low, V::repeat(simd, high), row) } else { low.lookup(row) }
}

#[inline(always)]
pub(super) fn between<S: Blocks, V: Bytes<S>>(own: V, left: V, right: V) -> V {
    left.and(right).without(own)
}

/// Returns each placement's change of the well depths, and the rows in which well cells change, for
/// all pieces except the I. Wells below a column's height get too low a depth, which `exact`
/// corrects.
///
/// ```text
///         c-2 c-1  c  c+1 c+2 c+3 c+4     `changes[d]`, d = 0-4: the rows of column c - 1 + d in
/// r + 2   #   w   P   .   .   .   .       which a well cell (w) appears or vanishes.
/// r + 1   #   w   P   P   .   .   .       Such a cell in row r + k has the depth
/// r       .   .   .   P   .   .   .       r + k + 1 - height  =  (r + 3 - height) + (k - 2)
/// ```
#[inline(always)]
fn count_wells<S: Blocks, V: Bytes<S>>(
    tables: &Tables,
    shape: &Shape,
    w: &[V; 7],
    landing: V,
) -> (V, V) {
    let simd = landing.simd();
    let cells = [
        V::load(simd, &shape.cells[0]),
        V::load(simd, &shape.cells[1]),
        V::load(simd, &shape.cells[2]),
    ];
    let (a2, a3, a4) = (w[2].or(cells[0]), w[3].or(cells[1]), w[4].or(cells[2]));
    let changes = [
        w[0].without(w[1]).and(cells[0]),
        between(w[2], w[1], w[3]).xor(between(a2, w[1], a3)),
        between(w[3], w[2], w[4]).xor(between(a3, a2, a4)),
        between(w[4], w[3], w[5]).xor(between(a4, a3, w[5])),
        w[6].without(w[5]).and(cells[2]),
    ];
    let zero = V::splat(simd, 0);
    let reach = landing.add(V::splat(simd, 3));
    let (mut depth, mut count, mut rows, mut changed) = ([zero; 6], [zero; 6], zero, zero);
    for d in 0..5 {
        depth[d] = reach.saturating_sub(V::repeat(simd, &tables.heights[d]));
        count[d] = V::load(simd, &shape.count_change[d]).lookup(changes[d]);
        rows = rows.add(V::load(simd, &shape.row_change[d]).lookup(changes[d]));
        changed = changed.or(changes[d]);
    }
    // The sum of rows has the factor 1: it becomes the sixth of three pairs of products.
    depth[5] = V::splat(simd, 1);
    count[5] = rows;
    let mut words = V::products([depth[0], depth[1]], [count[0], count[1]]);
    words = V::add_words(words, V::products([depth[2], depth[3]], [count[2], count[3]]));
    words = V::add_words(words, V::products([depth[4], depth[5]], [count[4], count[5]]));
    (biased(V::narrow(words)), changed)
}

#[inline(always)]
pub(super) fn biased<S: Blocks, V: Bytes<S>>(wells: V) -> V {
    let simd = wells.simd();
    wells.add(V::splat(simd, WELLS_BIAS)).min(V::splat(simd, MAX_WELL_COUNT))
}

/// Returns masks of the rows in which the piece I creates a well cell on its left and on its right.
///
/// ```text
/// upright   #wI.      lying   #wIIIIw#     right of it: column c + 1, lying c + 4
/// ```
#[inline(always)]
pub(super) fn new_wells_beside_i<S: Blocks, V: Bytes<S>>(shape: &Shape, w: &[V; 7]) -> [V; 2] {
    let simd = w[0].simd();
    let (wider, cells) = (V::load(simd, &shape.wider), V::load(simd, &shape.cells[0]));
    let right = wider.select(w[4], w[2]);
    let beyond = wider.select(w[5], w[3]);
    [w[0].without(w[1]).and(cells), beyond.without(right).and(cells)]
}

#[inline(always)]
fn count_wells_of_i<S: Blocks, V: Bytes<S>>(
    tables: &Tables,
    shape: &Shape,
    w: &[V; 7],
    landing: V,
) -> (V, V) {
    let simd = landing.simd();
    let wider = V::load(simd, &shape.wider);
    let [on_left, on_right] = new_wells_beside_i(shape, w);
    // Well cells that the upright I fills. The lying I fills none: no column under it reaches its
    // row.
    let own = w[1].and(w[2]).without(wider);
    let heights = &tables.heights;
    let right_height = select_by_width(wider, &heights[2], &heights[5]);
    let reach = landing.add(V::splat(simd, 3));
    let depths =
        [reach.saturating_sub(V::repeat(simd, &heights[0])), reach.saturating_sub(right_height)];
    let count = V::repeat(simd, &COUNT);
    let from_third = V::repeat(simd, &SUM_FROM_THIRD_ROW);
    let appear = from_third.lookup(on_left).add(from_third.lookup(on_right));
    let high = V::repeat(simd, &tables.high_wells).without(wider);
    // The upright I stands on its column: its k-th cell was a well cell k + 1 deep. Each well cell
    // above loses four rows of depth.
    let vanish = V::repeat(simd, &SUM_FROM_FIRST_ROW).lookup(own).add(high);
    let words = V::products(depths, [count.lookup(on_left), count.lookup(on_right)]);
    let rows = V::products(
        [V::splat(simd, 1), V::splat(simd, 0)],
        [appear.sub(vanish), V::splat(simd, 0)],
    );
    (biased(V::narrow(V::add_words(words, rows))), on_left.or(on_right))
}

#[inline(always)]
fn count_empty_beside<S: Blocks, V: Bytes<S>>(shape: &Shape, w: &[V; 7]) -> V {
    let simd = w[0].simd();
    let mut sum = V::load(simd, &shape.empty_beside[0]).lookup(w[1]);
    for d in 1..5 {
        sum = sum.add(V::load(simd, &shape.empty_beside[d]).lookup(w[d + 1]));
    }
    sum
}

#[inline(always)]
fn count_empty_beside_i<S: Blocks, V: Bytes<S>>(shape: &Shape, w: &[V; 7]) -> V {
    let simd = w[0].simd();
    let cells = V::load(simd, &shape.cells[0]);
    let right = V::load(simd, &shape.wider).select(w[4], w[2]);
    let count = V::repeat(simd, &COUNT);
    count.lookup(cells.without(w[1])).add(count.lookup(cells.without(right)))
}

#[inline(always)]
fn count_steps<S: Blocks, V: Bytes<S>, const I: bool>(
    set: u32,
    tables: &Tables,
    shape: &Shape,
    landing: V,
    counts: &mut [V; COUNTS],
) {
    let simd = landing.simd();
    let wider = V::load(simd, &shape.wider);
    let (narrow, wide) = if I { (1, 4) } else { (2, 3) };
    let left = V::repeat(simd, &tables.heights[0]);
    let right = select_by_width(wider, &tables.heights[narrow + 1], &tables.heights[wide + 1]);
    let ends =
        [landing.add(V::load(simd, &shape.ends[0])), landing.add(V::load(simd, &shape.ends[1]))];
    let sides = [V::load(simd, &shape.has_side[0]), V::load(simd, &shape.has_side[1])];
    if set & BUMPINESS != 0 {
        // One saturating difference of bytes is 0, the other is |a - b|. Walls have no step.
        let into = ends[0].saturating_sub(left).or(left.saturating_sub(ends[0])).and(sides[0]);
        let out = ends[1].saturating_sub(right).or(right.saturating_sub(ends[1])).and(sides[1]);
        let before = select_by_width(wider, &tables.steps[narrow - 1], &tables.steps[wide - 1]);
        counts[STEP_CHANGE] = into.add(out).sub(before).add(V::splat(simd, STEPS_BIAS));
    }
    if set & DIVERSITY != 0 {
        let into = pattern_of(ends[0].sub(left)).and(sides[0]);
        let out = pattern_of(right.sub(ends[1])).and(sides[1]);
        let [before, after @ ..] = &tables.patterns;
        let kept = select_by_width(wider, &after[narrow - 1], &after[wide - 1]);
        // All steps afterwards: left of the piece, right of it, within it, into it and out of it.
        let all =
            V::repeat(simd, before).or(kept).or(V::load(simd, &shape.patterns)).or(into).or(out);
        // Five bits: the low four by table, then the fifth.
        let low = V::repeat(simd, &COUNT).lookup(all.and(V::splat(simd, 15)));
        counts[PATTERNS] = low.add(all.saturating_sub(V::splat(simd, 15)).min(V::splat(simd, 1)));
    }
}

#[inline(always)]
pub(super) fn select_by_width<S: Blocks, V: Bytes<S>>(wider: V, narrow: &Lane, wide: &Lane) -> V {
    let simd = wider.simd();
    wider.select(V::repeat(simd, wide), V::repeat(simd, narrow))
}

pub(super) struct FastWellsJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) tables: &'a Tables,
    pub(super) shape: &'a Shape,
    pub(super) windows: &'a [Block; 7],
    pub(super) landing: &'a Block,
    pub(super) is_i: bool,
    pub(super) lanes: usize,
}

/// Change of the feature `wells_fast` (well depths as MDPTetris counts them) by each placement.
pub(super) struct FastChange {
    pub(super) change: Block,
    pub(super) changed: Block,
    /// Nonzero for placements whose change may be too small, since they cover wells with gaps.
    pub(super) uncertain: Block,
    pub(super) overflowed: bool,
}

impl FastWellsJob<'_> {
    // Not inlined: it would take registers from feature sets without fast wells.
    #[cold]
    #[inline(never)]
    pub(super) fn run_not_inlined(self) -> FastChange {
        simd::run(self.delta.level, self).unwrap_or_else(|| {
            let [change, changed, uncertain] = [Block::ZERO; 3];
            FastChange { change, changed, uncertain, overflowed: true }
        })
    }

    #[inline(always)]
    fn change_in<S: Blocks, V: Bytes<S>, const I: bool>(&self, simd: S) -> FastChange {
        let zero = V::splat(simd, 0);
        let (mut windows, landing) = ([zero; 7], V::load(simd, self.landing));
        for k in 0..7 {
            windows[k] = V::load(simd, &self.windows[k]);
        }
        let wells = match I {
            true => count_fast_wells_of_i(self.tables, self.shape, &windows, landing),
            false => count_fast_wells(self.tables, self.shape, &windows, landing),
        };
        // Nonzero for changes below minus the bias, as signed bytes from -128 on.
        let far =
            wells.change.xor(V::splat(simd, 128)).saturating_sub(V::splat(simd, 127 - WELLS_BIAS));
        let overflowed = far.equal(zero).bits() & self.shape.valid != 0;
        let [mut change, mut changed, mut uncertain] = [Block::ZERO; 3];
        biased(wells.change).store(&mut change);
        wells.changed.store(&mut changed);
        wells.uncertain.store(&mut uncertain);
        FastChange { change, changed, uncertain, overflowed }
    }
}

impl BoardJob for FastWellsJob<'_> {
    type Output = FastChange;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> FastChange {
        if self.is_i {
            self.change_in::<S, u8x32<S>, true>(simd)
        } else if self.lanes == <u8x32<S> as Bytes<S>>::LANES {
            self.change_in::<S, u8x32<S>, false>(simd)
        } else {
            self.change_in::<S, u8x64<S>, false>(simd)
        }
    }
}

struct FastWells<V> {
    change: V,
    changed: V,
    uncertain: V,
}

/// Number of rows from the highest row of a set to row 3, by set of rows 0 to 3; 255 if empty.
const DISTANCE_TO_FOURTH_ROW: Lane = Lane([255, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);

/// Returns two factors with the product n (n + 1) / 2.
#[inline(always)]
fn factors<S: Blocks, V: Bytes<S>>(n: V) -> (V, V) {
    (n.sub(n.half()), n.or(V::splat(n.simd(), 1)))
}

/// Returns the sum 1 + ... + n for each byte n of `a`, plus the same for `b`, as words.
#[inline(always)]
fn triangles<S: Blocks, V: Bytes<S>>(a: V, b: V) -> V::Words {
    let ((a, c), (b, d)) = (factors(a), factors(b));
    V::products([a, b], [c, d])
}

#[inline(always)]
fn negative_triangles<S: Blocks, V: Bytes<S>>(a: V, b: V) -> V::Words {
    let simd = a.simd();
    let ((a, c), (b, d)) = (factors(a), factors(b));
    V::products([a, b], [V::splat(simd, 0).sub(c), V::splat(simd, 0).sub(d)])
}

#[inline(always)]
fn count_fast_wells<S: Blocks, V: Bytes<S>>(
    tables: &Tables,
    shape: &Shape,
    w: &[V; 7],
    landing: V,
) -> FastWells<V> {
    let simd = landing.simd();
    let zero = V::splat(simd, 0);
    let cells = [
        V::load(simd, &shape.cells[0]),
        V::load(simd, &shape.cells[1]),
        V::load(simd, &shape.cells[2]),
    ];
    let (a2, a3, a4) = (w[2].or(cells[0]), w[3].or(cells[1]), w[4].or(cells[2]));
    let after = [
        between(w[1], w[0], a2),
        between(a2, w[1], a3),
        between(a3, a2, a4),
        between(a4, a3, w[5]),
        between(w[5], a4, w[6]),
    ];
    let mut changed = after[0].xor(between(w[1], w[0], w[2]));
    changed = changed.or(after[1].xor(between(w[2], w[1], w[3])));
    changed = changed.or(after[2].xor(between(w[3], w[2], w[4])));
    changed = changed.or(after[3].xor(between(w[4], w[3], w[5])));
    changed = changed.or(after[4].xor(between(w[5], w[4], w[6])));
    let reach = landing.add(V::splat(simd, 3));
    // 255 keeps the column at d = 3 as it was: a piece two columns wide has no cell there.
    let others = V::splat(simd, 255).without(V::load(simd, &shape.wider));
    let (mut depth, mut above, mut uncertain) = ([zero; 5], zero, zero);
    for d in 0..5 {
        let height = V::repeat(simd, &tables.heights[d]);
        let before = V::repeat(simd, &tables.depths[d]);
        let mut kept = before;
        if (1..4).contains(&d) {
            let mut below = landing.saturating_sub(height);
            if d == 3 {
                below = below.or(others);
            }
            let gapless = V::repeat(simd, &tables.gapless[d - 1]);
            let over = before.saturating_sub(below);
            uncertain = uncertain.or(over.min(below.saturating_sub(gapless)));
            // A covered column keeps its gapless well cells up to the piece. Its sum may be larger
            // if the wells have gaps.
            kept = over.equal(zero).select(before, gapless.min(below));
            above = above.add(V::load(simd, &shape.fast_above[d - 1]).lookup(after[d]));
        }
        let row = V::load(simd, &shape.fast_row[d]).lookup(after[d]);
        depth[d] = kept.max(reach.saturating_sub(height).saturating_sub(row));
    }
    // The fifth column has no partner, so it is paired with the sum of the new well cells above the
    // piece.
    let (last, odd) = factors(depth[4]);
    let mut words = V::add_words(triangles(depth[0], depth[1]), triangles(depth[2], depth[3]));
    words = V::add_words(words, V::products([last, V::splat(simd, 1)], [odd, above]));
    // Minus the wells that the five columns had before.
    words = V::add_words(words, V::repeat_words(simd, &tables.triangles));
    FastWells { change: V::narrow(words), changed, uncertain }
}

// The upright I fills the lowest four cells of a run, and no well cell is above the lying I.
#[inline(always)]
fn count_fast_wells_of_i<S: Blocks, V: Bytes<S>>(
    tables: &Tables,
    shape: &Shape,
    w: &[V; 7],
    landing: V,
) -> FastWells<V> {
    let simd = landing.simd();
    let wider = V::load(simd, &shape.wider);
    let [on_left, on_right] = new_wells_beside_i(shape, w);
    let right_height = select_by_width(wider, &tables.heights[2], &tables.heights[5]);
    let reach = landing.add(V::splat(simd, 4));
    let row = V::repeat(simd, &DISTANCE_TO_FOURTH_ROW);
    let left = V::repeat(simd, &tables.depths[0]);
    let own = V::repeat(simd, &tables.depths[1]);
    let right = select_by_width(wider, &tables.depths[2], &tables.depths[5]);
    let new_left = left.max(
        reach
            .saturating_sub(V::repeat(simd, &tables.heights[0]))
            .saturating_sub(row.lookup(on_left)),
    );
    let new_right =
        right.max(reach.saturating_sub(right_height).saturating_sub(row.lookup(on_right)));
    // The upright I fills four rows of its column's run; the rest of the run stands on the I.
    let new_own = own.saturating_sub(V::splat(simd, 4).without(wider));
    let (half, odd) = factors(new_own);
    let (own_half, own_odd) = factors(own);
    let of_own = V::products([half, own_half], [odd, V::splat(simd, 0).sub(own_odd)]);
    let words = V::add_words(triangles(new_left, new_right), negative_triangles(left, right));
    FastWells {
        change: V::narrow(V::add_words(words, of_own)),
        changed: on_left.or(on_right),
        uncertain: V::splat(simd, 0),
    }
}
