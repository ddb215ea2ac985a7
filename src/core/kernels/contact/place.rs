//! The differences that one orientation makes in each column.

use super::form::{Form, Interval};
use super::tables::{COLUMNS, EMPTY, EMPTY_BITS, Tables, WELLS};
use super::{CELLS, Contact, HEIGHTS, Parts};
use crate::board::{Board, full_row};
use crate::kernels::lanes::Lanes;

/// Keeps sums of depths positive: a piece fills at most four well cells of depth 28, and no
/// sum of intervals reaches 512 less this.
const BIAS: u16 = 128;

/// By column: where the piece rests and what it covers.
struct Rest<V> {
    landing: V,
    /// Empty cells covered, and columns that have some.
    gaps: V,
    hanging: V,
    /// Cells of the piece above empty cells.
    above: V,
    /// The rows that it covers below its own and that had no hole.
    whole: V,
    /// 0xffff where it covers cells of its own row 0, row 1.
    inside: [V; 2],
}

#[inline(always)]
fn min<V: Lanes>(a: V, b: V) -> V {
    a.add(b).sub(a.max(b))
}

impl<V: Lanes> Rest<V> {
    #[inline(always)]
    fn new<const W: usize>(form: &Form, tables: &Tables, x: usize) -> Rest<V> {
        // Loops, not `array::from_fn`: of that the compiler makes calls.
        let zero = V::zero();
        let (mut heights, mut bottoms) = ([zero; W], [zero; W]);
        for j in 0..W {
            heights[j] = V::load(&tables.heights, x + 1 + j);
            bottoms[j] = V::splat(form.bottom[j]);
        }
        let mut landing = zero;
        for (height, bottom) in heights.into_iter().zip(bottoms) {
            landing = landing.max(height.max(bottom).sub(bottom));
        }
        let mut rest = Rest {
            landing,
            gaps: zero,
            hanging: V::splat(W as u16),
            above: zero,
            whole: V::load(&tables.whole_below, x),
            inside: [zero; 2],
        };
        for j in 0..W {
            let gap = landing.add(bottoms[j]).sub(heights[j]);
            let flush = gap.equal(zero);
            rest.gaps = rest.gaps.add(gap);
            rest.hanging = rest.hanging.add(flush);
            let holed = V::load(&tables.holed, x + j);
            let cells = V::splat(form.thickness[j]);
            rest.above = rest.above.add(cells.without(flush.without(holed)));
            rest.whole = min(rest.whole, V::load(&tables.whole_below, x + j));
            if form.bottom[j] > 0 {
                let low = heights[j].max(landing).equal(landing);
                rest.inside[0] = rest.inside[0].or(low);
            }
            if form.bottom[j] > 1 {
                rest.inside[1] = rest.inside[1].or(V::splat(u16::MAX).without(flush));
            }
        }
        rest
    }
}

/// What the rows where it lands say, in each column.
struct Seen<V, const H: usize> {
    /// The rows that the piece comes into.
    rows: [V; H],
    /// Rows without holes below each of these.
    whole: [V; H],
}

/// Looks up by comparing with each row where pieces may land: there are few.
#[inline(always)]
fn see<V: Lanes, const SET: u32, const H: usize>(
    board: &Board,
    tables: &Tables,
    landing: V,
) -> Seen<V, H> {
    let mut seen = Seen { rows: [V::zero(); H], whole: [V::zero(); H] };
    for row in tables.lowest..=tables.stack.min(28) {
        let here = landing.equal(V::splat(row as u16));
        for k in 0..H {
            seen.rows[k] = seen.rows[k].or(here.and(V::splat(board.row((row + k) & 31))));
            // The pieces of four rows, and of one, have all their lowest cells in row 0.
            if SET & CELLS != 0 && (k == 0 || H < 4) {
                let whole = V::splat(tables.whole[(row + k) & 63]);
                seen.whole[k] = seen.whole[k].or(here.and(whole));
            }
        }
    }
    seen
}

/// Sums over the intervals of an orientation.
#[inline(always)]
fn touched<V: Lanes>(form: &Form, tables: &Tables, x: usize, landing: V) -> V {
    let mut sums = V::zero();
    for &Interval { from, to, at } in &form.intervals {
        for row in tables.lowest..=tables.stack.min(28) {
            let here = landing.equal(V::splat(row as u16));
            let below = tables.sums::<V>(2 * row + from, x + at);
            sums = sums.add(tables.sums::<V>(2 * row + to, x + at).sub(below).and(here));
        }
    }
    sums
}

/// Scores an orientation in a vector of columns from `x` on where it fills no row, as differences
/// from the parent. Adds the placements that fill rows, or lose, to the masks of `parts`.
#[inline(always)]
pub(super) fn place<V: Lanes, const SET: u32, const W: usize, const H: usize>(
    contact: &Contact,
    board: &Board,
    tables: &Tables,
    form: &Form,
    x: usize,
    parts: &mut Parts,
) {
    let rest = Rest::<V>::new::<W>(form, tables, x);
    let seen = see::<V, SET, H>(board, tables, rest.landing);
    let mut values = [V::zero(); 8];
    (values[0], values[1]) = (rest.landing, rest.gaps);
    if SET & CELLS != 0 {
        let packed = touched::<V>(form, tables, x, rest.landing).add(V::splat(BIAS));
        let mut wells = packed.and(V::splat(EMPTY - 1)).sub(V::splat(BIAS));
        if W == 1 {
            wells = wells.sub(deep_wells(tables, x, rest.landing));
        }
        let mut holed = seen.whole[0].sub(min(seen.whole[0], rest.whole));
        for k in 1..if H < 4 { H } else { 1 } {
            let row = seen.whole[k].sub(seen.whole[k - 1]);
            holed = holed.add(row.and(rest.inside[k - 1]));
        }
        (values[2], values[3]) = (rest.hanging, holed);
        (values[4], values[5]) = (wells, packed.shr(EMPTY_BITS));
        values[6] = rest.above;
    }
    if SET & HEIGHTS != 0 {
        values[7] = steps::<V, W>(tables, form, x, rest.landing);
    }
    let full = V::splat(full_row(contact.size.width()));
    let mut fills = V::zero();
    for k in 0..H {
        fills = fills.or(seen.rows[k].or(V::load(&form.rows[k], x)).equal(full));
    }
    let highest = contact.size.height() - H;
    let highest = V::splat(highest as u16);
    let sound = rest.landing.max(highest).equal(highest);
    let here = (1u64 << (form.count - x)) - 1;
    let first = form.first + x;
    parts.fills |= (u64::from(fills.bits()) & here) << first;
    parts.sound |= (u64::from(sound.without(fills).bits()) & here) << first;
    rest.landing.store(&mut parts.rows, first);
    for (digits, part) in contact.digits.iter().zip(&mut parts.sums) {
        let mut sums = V::no_sums();
        for (pair, &weights) in digits.iter().enumerate() {
            if pair == 0 || SET & CELLS != 0 || pair == 3 {
                sums = V::dot(sums, values[2 * pair], values[2 * pair + 1], weights);
            }
        }
        V::store_sums(sums, part, first);
    }
}

/// What the well cells above an upright I lose: four of the depth of each.
#[inline(always)]
fn deep_wells<V: Lanes>(tables: &Tables, x: usize, landing: V) -> V {
    let wells = |row: usize| tables.sums::<V>(2 * row + WELLS.line, x + WELLS.at + 1);
    let top = wells(tables.stack + 4);
    let mut lost = V::zero();
    for row in tables.lowest..=tables.stack.min(28) {
        let here = landing.equal(V::splat(row as u16));
        lost = lost.or(here.and(top.sub(wells(row + 4))));
    }
    if !lost.any() {
        return lost;
    }
    let mut counted = V::zero();
    for row in 4..tables.stack.min(28) {
        let none = wells(row + 1).equal(wells(row));
        let above = landing.add(V::splat(4)).max(V::splat(row as u16));
        let above = above.equal(V::splat(row as u16));
        counted = counted.add(V::splat(4).and(above.without(none)));
    }
    counted
}

/// What the bumpiness gains.
#[inline(always)]
fn steps<V: Lanes, const W: usize>(tables: &Tables, form: &Form, x: usize, landing: V) -> V {
    let mut gained = V::splat(form.own_steps);
    let columns = V::load(&COLUMNS, x);
    let walls = [V::splat(1), V::splat(1u16.wrapping_shl(form.count as u32 - 1))];
    for (side, lane) in [0, W + 1].into_iter().enumerate() {
        let end = landing.add(V::splat(form.ends[side]));
        let beside = V::load(&tables.heights, x + lane);
        let most = end.max(beside);
        let step = most.add(most).sub(end).sub(beside);
        gained = gained.add(step.without(columns.equal(walls[side])));
    }
    for j in 0..=W {
        gained = gained.sub(V::load(&tables.steps, x + j));
    }
    gained
}
