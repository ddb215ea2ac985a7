//! The differences that each placement makes.

use super::Delta;
use super::board::{LOW, Tables, pattern_of};
use super::fast;
use super::shape::Shape;
use super::weights::*;
use crate::simd::{Block, Bytes, Lane, Windows};

/// The placements of one piece.
/// Bytes that are no placements hold numbers too; `sound`, `full`, `lost` and `unsettled` leave them out.
#[derive(Clone, Copy)]
pub(super) struct Placed<V> {
    pub(super) counts: [V; COUNTS],
    /// 1 for placements that neither fill a row nor end above the top, 0 elsewhere.
    pub(super) sound: V,
    /// Placements that fill a row, and those that end above the top, one bit each.
    pub(super) full: u64,
    pub(super) lost: u64,
    /// Placements whose wells may be more than was counted, one bit each.
    pub(super) unsettled: u64,
    /// Whether fast wells become too much less for a byte.
    pub(super) wild: bool,
}

/// The set bits of four.
const COUNT: Lane = Lane([0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]);

/// Sum of k - 2 over the rows k of four; and of k + 1.
const FROM_THIRD: Lane = over_rows(-2);
/// The second of both.
const FROM_FIRST: Lane = over_rows(1);

/// For each four bits, k + `add` added up over the bits k that are set, as signed bytes.
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

/// What the rows where it lands say.
struct Seen<V> {
    /// 0 where a row is filled.
    missing: V,
    /// Rows without holes between the lowest column under the piece and the piece.
    clean: V,
    /// Rows of the piece that have a hole.
    dirty: V,
    /// Four rows of seven columns, from two left of the piece on; of the I: two, one left, one, two, four
    /// and five right.
    ///
    /// ```text
    /// window  0   1   2   3   4   5   6        I:  0   1   2   3   4   5
    /// column c-2 c-1  c  c+1 c+2 c+3 c+4           c-2 c-1 c+1 c+2 c+4 c+5
    ///
    /// a byte is 0000 dcba: row r + 0 is a, the lowest bit, row r + 3 is d
    /// ```
    windows: [V; 7],
}

/// The columns of each window.
const OF_OTHERS: [usize; 7] = [0, 1, 2, 3, 4, 5, 6];
/// Of the I only what is beside it is asked, upright or lying; its last window is not read.
const OF_I: [usize; 7] = [0, 1, 3, 4, 6, 7, 7];

/// Places a piece. `I` has up to four rows or columns, all others have three.
#[inline(always)]
pub(super) fn place<V: Windows, const I: bool>(
    delta: &Delta,
    tables: &Tables,
    shape: &Shape,
) -> Placed<V> {
    let set = delta.set;
    let columns = if I { 4 } else { 3 };
    let zero = V::splat(0);
    let heights = &tables.heights;
    // The row where it comes to rest: the highest of what each column asks, height less bottom, 0 at least.
    let mut landing = V::repeat(&heights[1]).above(V::load(&shape.bottom[0]));
    for j in 1..columns {
        landing = landing.max(V::repeat(&heights[j + 1]).above(V::load(&shape.bottom[j])));
    }
    let mut counts = [zero; COUNTS];
    counts[LANDING] = landing;
    let wider = V::load(&shape.wider);
    let (narrow, wide) = if I { (0, 3) } else { (1, 2) };
    if set & (HOLES | HEIGHTS) != 0 {
        let sums = &tables.sums;
        counts[COVERED] = either(wider, &sums[narrow], &sums[wide]);
    }
    for j in 0..columns {
        let rest = landing.add(V::load(&shape.bottom[j]));
        if set & COLUMN_TRANSITIONS != 0 {
            counts[FLUSH] = counts[FLUSH].plus_equal(rest, V::repeat(&heights[j + 1]));
        }
        if set & HOLE_DEPTH != 0 {
            let (cells, solid) = (V::load(&shape.thickness[j]), V::repeat(&tables.solid[j]));
            counts[SOLID] = counts[SOLID].plus_where_equal(cells, rest, solid);
        }
    }
    let lowest = &tables.lowest;
    let lowest = either(wider, &lowest[narrow], &lowest[wide]);
    // Two instances, since low boards would otherwise look everything up twice.
    let seen = match tables.tall {
        false => see::<V, I, false>(set, tables, shape, landing, lowest),
        true => see::<V, I, true>(set, tables, shape, landing, lowest),
    };
    let w = &seen.windows;
    let (mut changed, mut unsure, mut wild) = (zero, zero, false);
    if set & WELLS != 0 {
        (counts[CHANGE], changed) = if I {
            wells_of_i(tables, shape, w, landing)
        } else {
            wells(tables, shape, w, landing)
        };
    }
    if set & WELLS_FAST != 0 {
        // Through memory into a function of its own, since kept here it took registers from sets without fast
        // wells: bcts took 1.13 of its time at `avx2` where it takes 1.05 (see `kernels`).
        let (mut windows, mut rows) = ([Block::ZERO; 7], Block::ZERO);
        for k in 0..7 {
            w[k].store(&mut windows[k]);
        }
        landing.store(&mut rows);
        let (is_i, lanes) = (I, V::LANES);
        let place = fast::Place { delta, tables, shape, windows, landing: rows, is_i, lanes };
        let found = place.placed();
        counts[CHANGE] = V::load(&found.change);
        (changed, unsure) = (V::load(&found.changed), V::load(&found.unsure));
        wild = found.wild;
    }
    if set & ROW_TRANSITIONS != 0 {
        counts[OPEN] = if I { open_of_i(shape, w) } else { open(shape, w) };
    }
    if set & ROWS_WITH_HOLES != 0 {
        // No more for the I, since it has no overhang and below it lies only what is between the columns and
        // its row.
        counts[DIRTY] = seen.clean;
        if !I {
            let mut under = V::load(&shape.under[0]).without(w[2]);
            under = under.or(V::load(&shape.under[1]).without(w[3]));
            under = under.or(V::load(&shape.under[2]).without(w[4]));
            let new = V::repeat(&COUNT).lookup(under.without(seen.dirty));
            counts[DIRTY] = seen.clean.add(new);
        }
    }
    if set & MAX_HEIGHT != 0 {
        let top = landing.add(V::load(&shape.height));
        counts[RISE] = top.above(V::splat(tables.stack as u8));
    }
    if set & (BUMPINESS | DIVERSITY) != 0 {
        steps::<V, I>(set, tables, shape, landing, &mut counts);
    }
    // Conditions become bits where they are made: kept over a branch, the compiler takes them apart.
    let open =
        changed.and(seen.dirty).or(unsure).or(counts[CHANGE].above(V::splat(WELLS_MOST - 1)));
    let over = landing.above(V::load(&shape.highest)).min(V::splat(1));
    let inside = V::load(&shape.inside);
    Placed {
        counts,
        // 1 where inside and not over the top, but 0 where some row of the piece is full: `missing` is 0 there.
        sound: seen.missing.min(inside.above(over)),
        full: seen.missing.equal(zero).bits() & shape.valid,
        lost: !over.equal(zero).bits() & shape.valid,
        unsettled: !open.equal(zero).bits() & shape.valid,
        wild,
    }
}

/// Looks up what the landing rows say: rows that would be full, holes, and the windows of the columns beside.
#[inline(always)]
fn see<V: Windows, const I: bool, const TALL: bool>(
    set: u32,
    tables: &Tables,
    shape: &Shape,
    landing: V,
    lowest: V,
) -> Seen<V> {
    let zero = V::splat(0);
    let rows = if I { 4 } else { 3 };
    let mut seen =
        Seen { missing: V::splat(u8::MAX), clean: zero, dirty: zero, windows: [zero; 7] };
    for k in 0..rows {
        let empty = of_row::<V, TALL>(&tables.empty[0][k], &tables.empty[1][k], landing);
        // Empty cells equal to the piece's cells: the row is full with it. The least over rows is 0 if any is.
        seen.missing = seen.missing.min(empty.xor(V::load(&shape.in_row[k])));
    }
    if set & ROWS_WITH_HOLES != 0 {
        let [low, high] = &tables.clean;
        let below = of_row::<V, TALL>(low, high, lowest);
        seen.clean = of_row::<V, TALL>(low, high, landing).sub(below);
    }
    let low = V::splat(LOW as u8);
    // A landing row as a row of the first word and as one of the second; 0 in the second means "the first has
    // it".
    let (first, second) = (landing.min(low), landing.above(low));
    let here = second.equal(zero);
    if set & (ANY_WELLS | ROWS_WITH_HOLES) != 0 {
        seen.dirty = V::repeat(&tables.dirty[0]).lookup(if TALL { first } else { landing });
        if TALL {
            let high = V::repeat(&tables.dirty[1]).lookup(second);
            seen.dirty = here.select(seen.dirty, high);
        }
    }
    if set & (ANY_WELLS | ROW_TRANSITIONS | ROWS_WITH_HOLES) != 0 {
        let columns = if I { OF_I } else { OF_OTHERS };
        let from = V::shift(if TALL { first } else { landing });
        for k in 0..if I { 6 } else { 7 } {
            seen.windows[k] = V::window(&tables.words[0], columns[k], from);
        }
        if TALL {
            let from = V::shift(second);
            for k in 0..if I { 6 } else { 7 } {
                let high = V::window(&tables.words[1], columns[k], from);
                seen.windows[k] = here.select(seen.windows[k], high);
            }
        }
    }
    seen
}

/// What a table of all rows says of some.
#[inline(always)]
fn of_row<V: Bytes, const TALL: bool>(low: &Lane, high: &Lane, row: V) -> V {
    let low = V::repeat(low);
    if TALL { V::lookup_in_both(low, V::repeat(high), row) } else { low.lookup(row) }
}

/// Cells empty in `own` and filled in both others.
#[inline(always)]
pub(super) fn between<V: Bytes>(own: V, left: V, right: V) -> V {
    left.and(right).without(own)
}

/// The change of the wells, and where well cells come or go.
///
/// A cell is a well cell by its two neighbours, so that only the piece's columns and one on either side change:
///
/// ```text
///        c-2 c-1  c  c+1 c+2 c+3 c+4      d = 0 .. 4: columns c-1 .. c+3. Where their well cells before and after
/// r + 2   #   w   P   .   .   .   .       differ, the bits of `changes[d]` say in which rows; each comes (or goes)
/// r + 1   #   w   P   P   .   .   .       with the depth  r + k + 1 - height = (r + 3 - height) + (k - 2),
/// r       .   .   .   P   .   .   .       a product of depth and number, and a sum of rows.
/// ```
///
/// That is the depth of cells above the height of their column, where all is empty. A well cell that comes
/// below it, in a hole, is counted too low, and `settle` adds what it lacks where it matters.
#[inline(always)]
fn wells<V: Bytes>(tables: &Tables, shape: &Shape, w: &[V; 7], landing: V) -> (V, V) {
    let cells = [V::load(&shape.cells[0]), V::load(&shape.cells[1]), V::load(&shape.cells[2])];
    let (a2, a3, a4) = (w[2].or(cells[0]), w[3].or(cells[1]), w[4].or(cells[2]));
    let changes = [
        w[0].without(w[1]).and(cells[0]),
        between(w[2], w[1], w[3]).xor(between(a2, w[1], a3)),
        between(w[3], w[2], w[4]).xor(between(a3, a2, a4)),
        between(w[4], w[3], w[5]).xor(between(a4, a3, w[5])),
        w[6].without(w[5]).and(cells[2]),
    ];
    let zero = V::splat(0);
    let reach = landing.add(V::splat(3));
    let (mut depth, mut come, mut rows, mut changed) = ([zero; 6], [zero; 6], zero, zero);
    for d in 0..5 {
        depth[d] = reach.above(V::repeat(&tables.heights[d]));
        come[d] = V::load(&shape.come[d]).lookup(changes[d]);
        rows = rows.add(V::load(&shape.rows_add[d]).lookup(changes[d]));
        changed = changed.or(changes[d]);
    }
    // The sixth of six factors: rows that count as they are, so that there are three pairs to multiply.
    depth[5] = V::splat(1);
    come[5] = rows;
    let mut words = V::products([depth[0], depth[1]], [come[0], come[1]]);
    words = V::add_words(words, V::products([depth[2], depth[3]], [come[2], come[3]]));
    words = V::add_words(words, V::products([depth[4], depth[5]], [come[4], come[5]]));
    (biased(V::narrow(words)), changed)
}

/// Signed bytes as counts.
/// Cut off at [`WELLS_MOST`], beyond which `lacking` counts the wells anew.
#[inline(always)]
pub(super) fn biased<V: Bytes>(wells: V) -> V {
    wells.add(V::splat(WELLS_BIAS)).min(V::splat(WELLS_MOST))
}

/// New well cells left and right of the I.
///
/// ```text
/// upright   #wI.      lying   #wIIIIw#     its column on the right is c + 1, or c + 4 where it lies
/// ```
#[inline(always)]
pub(super) fn sides_of_i<V: Bytes>(shape: &Shape, w: &[V; 7]) -> [V; 2] {
    let (wider, cells) = (V::load(&shape.wider), V::load(&shape.cells[0]));
    let right = wider.select(w[4], w[2]);
    let beyond = wider.select(w[5], w[3]);
    [w[0].without(w[1]).and(cells), beyond.without(right).and(cells)]
}

/// The same of the I, which has one column or one row.
#[inline(always)]
fn wells_of_i<V: Bytes>(tables: &Tables, shape: &Shape, w: &[V; 7], landing: V) -> (V, V) {
    let wider = V::load(&shape.wider);
    let [on_left, on_right] = sides_of_i(shape, w);
    // Well cells that the upright I fills itself. The lying one fills none: no column under it reaches its row.
    let own = w[1].and(w[2]).without(wider);
    let heights = &tables.heights;
    let right_height = either(wider, &heights[2], &heights[5]);
    let reach = landing.add(V::splat(3));
    let depths = [reach.above(V::repeat(&heights[0])), reach.above(right_height)];
    let count = V::repeat(&COUNT);
    let from_third = V::repeat(&FROM_THIRD);
    let come = from_third.lookup(on_left).add(from_third.lookup(on_right));
    let high = V::repeat(&tables.high_wells).without(wider);
    // It stands on the column, so that its k-th cell was a well cell k + 1 deep; those above it lose four each.
    let go = V::repeat(&FROM_FIRST).lookup(own).add(high);
    let words = V::products(depths, [count.lookup(on_left), count.lookup(on_right)]);
    let rows = V::products([V::splat(1), V::splat(0)], [come.sub(go), V::splat(0)]);
    (biased(V::narrow(V::add_words(words, rows))), on_left.or(on_right))
}

/// Empty cells beside the piece.
#[inline(always)]
fn open<V: Bytes>(shape: &Shape, w: &[V; 7]) -> V {
    let mut sum = V::load(&shape.open[0]).lookup(w[1]);
    for d in 1..5 {
        sum = sum.add(V::load(&shape.open[d]).lookup(w[d + 1]));
    }
    sum
}

/// The same of the I: the windows on both sides, in the rows that it has.
#[inline(always)]
fn open_of_i<V: Bytes>(shape: &Shape, w: &[V; 7]) -> V {
    let cells = V::load(&shape.cells[0]);
    let right = V::load(&shape.wider).select(w[4], w[2]);
    let count = V::repeat(&COUNT);
    count.lookup(cells.without(w[1])).add(count.lookup(cells.without(right)))
}

/// The change of the steps between columns; the patterns there are afterwards.
#[inline(always)]
fn steps<V: Bytes, const I: bool>(
    set: u32,
    tables: &Tables,
    shape: &Shape,
    landing: V,
    counts: &mut [V; COUNTS],
) {
    let wider = V::load(&shape.wider);
    let (narrow, wide) = if I { (1, 4) } else { (2, 3) };
    let left = V::repeat(&tables.heights[0]);
    let right = either(wider, &tables.heights[narrow + 1], &tables.heights[wide + 1]);
    let ends = [landing.add(V::load(&shape.ends[0])), landing.add(V::load(&shape.ends[1]))];
    let sides = [V::load(&shape.has_side[0]), V::load(&shape.has_side[1])];
    if set & BUMPINESS != 0 {
        // |a - b| of unsigned bytes: one of both saturating differences is 0, and the other is it. No step at a wall.
        let into = ends[0].above(left).or(left.above(ends[0])).and(sides[0]);
        let out = ends[1].above(right).or(right.above(ends[1])).and(sides[1]);
        let before = either(wider, &tables.steps[narrow - 1], &tables.steps[wide - 1]);
        counts[STEPS] = into.add(out).sub(before).add(V::splat(STEPS_BIAS));
    }
    if set & DIVERSITY != 0 {
        let into = pattern_of(ends[0].sub(left)).and(sides[0]);
        let out = pattern_of(right.sub(ends[1])).and(sides[1]);
        let [before, after @ ..] = &tables.patterns;
        let kept = either(wider, &after[narrow - 1], &after[wide - 1]);
        // All steps there are afterwards: left of the piece, right of it, within it, into it and out of it.
        let all = V::repeat(before).or(kept).or(V::load(&shape.patterns)).or(into).or(out);
        // Five bits: the low four, and the fifth.
        let low = V::repeat(&COUNT).lookup(all.and(V::splat(15)));
        counts[PATTERNS] = low.add(all.above(V::splat(15)).min(V::splat(1)));
    }
}

/// One lane for narrow placements, another for wide ones.
#[inline(always)]
pub(super) fn either<V: Bytes>(wider: V, narrow: &Lane, wide: &Lane) -> V {
    wider.select(V::repeat(wide), V::repeat(narrow))
}
