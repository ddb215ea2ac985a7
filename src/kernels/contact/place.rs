//! The differences that one orientation makes in each column.

use super::form::Form;
use super::tables::{COLUMNS, EMPTY, EMPTY_BITS, Tables, WELLS};
use super::{CELLS, Contact, HEIGHTS, Parts};
use crate::board::full_row;
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
    fn new<const W: usize>(form: &Form, tables: &Tables) -> Rest<V> {
        let heights: [V; W] = std::array::from_fn(|j| V::load(&tables.heights, 1 + j));
        let bottoms: [V; W] = std::array::from_fn(|j| V::splat(form.bottom[j]));
        let zero = V::zero();
        let mut landing = zero;
        for (height, bottom) in heights.into_iter().zip(bottoms) {
            landing = landing.max(height.max(bottom).sub(bottom));
        }
        let mut rest = Rest {
            landing,
            gaps: zero,
            hanging: V::splat(W as u16),
            above: zero,
            whole: V::load(&tables.whole_below, 0),
            inside: [zero; 2],
        };
        for j in 0..W {
            let gap = landing.add(bottoms[j]).sub(heights[j]);
            let flush = gap.equal(zero);
            rest.gaps = rest.gaps.add(gap);
            rest.hanging = rest.hanging.add(flush);
            let holed = V::load(&tables.holed, j);
            let cells = V::splat(form.thickness[j]);
            rest.above = rest.above.add(cells.without(flush.without(holed)));
            rest.whole = min(rest.whole, V::load(&tables.whole_below, j));
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

/// What the tables say about the landing rows of all columns.
struct Seen<V> {
    /// Sums over the intervals.
    touched: V,
    /// The rows that the piece comes into.
    rows: [V; 4],
    /// Rows without holes below its own row 0, 1, 2.
    whole: [V; 3],
}

/// Looks up by comparing with each row where pieces may land: there are few.
#[inline(always)]
fn see<V: Lanes, const SET: u32>(form: &Form, tables: &Tables, landing: V) -> Seen<V> {
    let zero = V::zero();
    let mut seen = Seen { touched: zero, rows: [zero; 4], whole: [zero; 3] };
    for row in tables.lowest..=tables.stack.min(28) {
        let here = landing.equal(V::splat(row as u16));
        for (k, rows) in seen.rows[..form.height.min(4)].iter_mut().enumerate() {
            *rows = rows.or(here.and(V::splat(tables.rows[(row + k) & 63])));
        }
        if SET & CELLS == 0 {
            continue;
        }
        let mut sum = zero;
        for interval in &form.intervals {
            let (from, to) = (row + (interval.from & 7), row + (interval.to & 7));
            sum = sum.add(tables.below::<V>(to, interval.place));
            sum = sum.sub(tables.below::<V>(from, interval.place));
        }
        seen.touched = seen.touched.or(here.and(sum));
        for (k, whole) in seen.whole[..=form.raised.min(2)].iter_mut().enumerate() {
            *whole = whole.or(here.and(V::splat(tables.whole[(row + k) & 63])));
        }
    }
    seen
}

/// Scores an orientation in every column where it fills no row, as differences from the parent.
/// Adds the placements that fill rows, or lose, to the masks of `parts`.
#[inline(always)]
pub(super) fn place<V: Lanes, const SET: u32, const W: usize>(
    contact: &Contact,
    tables: &Tables,
    form: &Form,
    parts: &mut Parts,
) {
    let rest = Rest::<V>::new::<W>(form, tables);
    let seen = see::<V, SET>(form, tables, rest.landing);
    let mut values = [V::zero(); 8];
    (values[0], values[1]) = (rest.landing, rest.gaps);
    if SET & CELLS != 0 {
        let packed = seen.touched.add(V::splat(BIAS));
        let mut wells = packed.and(V::splat(EMPTY - 1)).sub(V::splat(BIAS));
        if W == 1 {
            wells = wells.sub(deep_wells(tables, rest.landing));
        }
        let [whole, first, second] = seen.whole;
        let under = whole.sub(min(whole, rest.whole));
        let first = first.sub(whole).and(rest.inside[0]);
        let second = second.sub(seen.whole[1]).and(rest.inside[1]);
        (values[2], values[3]) = (rest.hanging, under.add(first).add(second));
        (values[4], values[5]) = (wells, packed.shr(EMPTY_BITS));
        values[6] = rest.above;
    }
    if SET & HEIGHTS != 0 {
        values[7] = steps::<V, W>(tables, form, rest.landing);
    }
    let full = V::splat(full_row(contact.size.width()));
    let mut fills = V::zero();
    for k in 0..form.height.min(4) {
        fills = fills.or(seen.rows[k].or(V::load(&form.rows[k], 0)).equal(full));
    }
    let highest = contact.size.height() - form.height.min(contact.size.height());
    let highest = V::splat(highest as u16);
    let sound = rest.landing.max(highest).equal(highest);
    let here = (1u64 << form.count) - 1;
    parts.fills |= (u64::from(fills.bits()) & here) << form.first;
    parts.sound |= (u64::from(sound.without(fills).bits()) & here) << form.first;
    rest.landing.store(&mut parts.rows, form.first);
    for (digits, part) in contact.digits.iter().zip(&mut parts.sums) {
        let mut sums = V::no_sums();
        for (pair, &weights) in digits.iter().enumerate() {
            if pair == 0 || SET & CELLS != 0 || pair == 3 {
                sums = V::dot(sums, values[2 * pair], values[2 * pair + 1], weights);
            }
        }
        V::store_sums(sums, part, form.first);
    }
}

/// What the well cells above an upright I lose: four of the depth of each.
#[inline(always)]
fn deep_wells<V: Lanes>(tables: &Tables, landing: V) -> V {
    let place = super::tables::Place { at: WELLS.at + 1, ..WELLS };
    let top = tables.below::<V>(tables.stack + 4, place);
    let mut lost = V::zero();
    for row in tables.lowest..=tables.stack.min(28) {
        let here = landing.equal(V::splat(row as u16));
        lost = lost.or(here.and(top.sub(tables.below::<V>(row + 4, place))));
    }
    if !lost.any() {
        return lost;
    }
    let mut counted = V::zero();
    for row in 4..tables.stack.min(28) {
        let wells = tables.below::<V>(row + 1, place).equal(tables.below::<V>(row, place));
        let above = landing.add(V::splat(4)).max(V::splat(row as u16));
        let above = above.equal(V::splat(row as u16));
        counted = counted.add(V::splat(4).and(above.without(wells)));
    }
    counted
}

/// What the bumpiness gains.
#[inline(always)]
fn steps<V: Lanes, const W: usize>(tables: &Tables, form: &Form, landing: V) -> V {
    let mut gained = V::splat(form.own_steps);
    let columns = V::load(&COLUMNS, 0);
    let walls = [V::splat(1), V::splat(1u16.wrapping_shl(form.count as u32 - 1))];
    for (side, lane) in [0, W + 1].into_iter().enumerate() {
        let end = landing.add(V::splat(form.ends[side]));
        let beside = V::load(&tables.heights, lane);
        let most = end.max(beside);
        let step = most.add(most).sub(end).sub(beside);
        gained = gained.add(step.without(columns.equal(walls[side])));
    }
    for j in 0..=W {
        gained = gained.sub(V::load(&tables.steps, j));
    }
    gained
}
