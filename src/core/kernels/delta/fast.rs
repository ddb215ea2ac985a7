//! The change of MDPTetris' fast wells: of each column, 1 + ... + n for an empty run of which the highest well
//! cell is the n-th from below.
//!
//! Above a column's height all is one run. A neighbour of the piece gets well cells there that lie above all it
//! had, since those end where the piece comes to rest. A column under the piece is cut in two: what is covered
//! keeps its highest well cell below the piece, and above the piece there are only new ones. New well cells in
//! holes only add; which they are is found exactly where it matters, as with Dellacherie's wells.

use super::Delta;
use super::board::Tables;
use super::place::{between, biased, either, sides_of_i};
use super::shape::Shape;
use super::weights::WELLS_BIAS;
use crate::simd::{self, Block, BoardJob, Bytes, Lane, Simd};

/// What the rows where placements land say of the wells.
pub(super) struct Place<'a> {
    pub(super) delta: &'a Delta,
    pub(super) tables: &'a Tables,
    pub(super) shape: &'a Shape,
    pub(super) windows: [Block; 7],
    pub(super) landing: Block,
    /// Whether the piece is the I, and how many lanes its placements take.
    pub(super) is_i: bool,
    pub(super) lanes: usize,
}

/// What placements do to the wells, as counts, and what is not sure of it.
pub(super) struct FastChange {
    pub(super) change: Block,
    /// Where well cells come or go.
    pub(super) changed: Block,
    /// Other than 0 where the change may be more: the highest well cell that is covered is not known.
    pub(super) unsure: Block,
    /// Whether some become too much less for a byte.
    pub(super) wild: bool,
}

impl Place<'_> {
    /// The change of the wells, apart: within the rest it would take registers from sets without them.
    #[cold]
    #[inline(never)]
    pub(super) fn placed(self) -> FastChange {
        let nothing = [Block::ZERO; 3];
        let [change, changed, unsure] = nothing;
        let none = FastChange { change, changed, unsure, wild: true };
        simd::run(self.delta.level, self).unwrap_or(none)
    }

    /// The change of the wells in registers of the right width.
    #[inline(always)]
    fn found<V: Bytes, const I: bool>(&self) -> FastChange {
        let zero = V::splat(0);
        let (mut windows, landing) = ([zero; 7], V::load(&self.landing));
        for k in 0..7 {
            windows[k] = V::load(&self.windows[k]);
        }
        let wells = match I {
            true => wells_of_i(self.tables, self.shape, &windows, landing),
            false => wells(self.tables, self.shape, &windows, landing),
        };
        // Less than the bias takes: signed bytes from -128 on.
        let far = wells.change.xor(V::splat(128)).above(V::splat(127 - WELLS_BIAS));
        let wild = far.equal(zero).bits() & self.shape.valid != 0;
        let [mut change, mut changed, mut unsure] = [Block::ZERO; 3];
        biased(wells.change).store(&mut change);
        wells.changed.store(&mut changed);
        wells.unsure.store(&mut unsure);
        FastChange { change, changed, unsure, wild }
    }
}

impl BoardJob for Place<'_> {
    type Output = FastChange;

    #[inline(always)]
    fn run<S: Simd>(self) -> FastChange {
        if self.is_i {
            self.found::<S::Narrow, true>()
        } else if self.lanes == S::Narrow::LANES {
            self.found::<S::Narrow, false>()
        } else {
            self.found::<S::Wide, false>()
        }
    }
}

/// The same in registers, the change as signed bytes.
struct FastWells<V> {
    change: V,
    changed: V,
    unsure: V,
}

/// By how many rows the highest of four lies below the last; 255 if there is none.
///
/// ```text
/// rows dcba   0000  0001  001x  01xx  1xxx
/// entry        255     3     2     1     0     subtracted with saturation: 255 leaves nothing
/// ```
const BELOW_LAST: Lane = Lane([255, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);

/// The same below the third.
pub(super) const BELOW_THIRD: [u8; 8] = [255, 2, 1, 1, 0, 0, 0, 0];

/// The factors of 1 + ... + n.
///
/// n (n + 1) / 2: of n and n + 1 the even one is halved, rounding up, and the other is n with its lowest bit
/// set.
#[inline(always)]
fn factors<V: Bytes>(n: V) -> (V, V) {
    (n.mean(V::splat(0)), n.or(V::splat(1)))
}

/// The words of 1 + ... + n of two.
#[inline(always)]
fn triangles<V: Bytes>(a: V, b: V) -> V::Words {
    let ((a, c), (b, d)) = (factors(a), factors(b));
    V::products([a, b], [c, d])
}

/// The same, less than nothing.
#[inline(always)]
fn less_triangles<V: Bytes>(a: V, b: V) -> V::Words {
    let ((a, c), (b, d)) = (factors(a), factors(b));
    V::products([a, b], [V::splat(0).sub(c), V::splat(0).sub(d)])
}

/// The change of the wells.
#[inline(always)]
fn wells<V: Bytes>(tables: &Tables, shape: &Shape, w: &[V; 7], landing: V) -> FastWells<V> {
    let zero = V::splat(0);
    let cells = [V::load(&shape.cells[0]), V::load(&shape.cells[1]), V::load(&shape.cells[2])];
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
    let reach = landing.add(V::splat(3));
    // "255 below the piece" keeps the column at d = 3 as it was, since a piece two columns wide has none there.
    let others = V::splat(255).without(V::load(&shape.wider));
    let (mut depth, mut above, mut unsure) = ([zero; 5], zero, zero);
    for d in 0..5 {
        let height = V::repeat(&tables.heights[d]);
        let before = V::repeat(&tables.depths[d]);
        let mut kept = before;
        if (1..4).contains(&d) {
            let mut below = landing.above(height);
            if d == 3 {
                below = below.or(others);
            }
            let firm = V::repeat(&tables.firm[d - 1]);
            let over = before.above(below);
            unsure = unsure.or(over.min(below.above(firm)));
            // What is covered keeps what follows on each other up to the piece; where its wells have gaps it
            // may be more.
            kept = over.equal(zero).select(before, firm.min(below));
            above = above.add(V::load(&shape.fast_above[d - 1]).lookup(after[d]));
        }
        let row = V::load(&shape.fast_row[d]).lookup(after[d]);
        depth[d] = kept.max(reach.above(height).above(row));
    }
    // The fifth column has no partner, so that what new well cells above the piece count stands beside it.
    let (last, odd) = factors(depth[4]);
    let mut words = V::add_words(triangles(depth[0], depth[1]), triangles(depth[2], depth[3]));
    words = V::add_words(words, V::products([last, V::splat(1)], [odd, above]));
    // Less what the five columns had before.
    words = V::add_words(words, V::repeat_words(&tables.triangles));
    FastWells { change: V::narrow(words), changed, unsure }
}

/// The same of the I, whose column or row covers no well cell of another run.
#[inline(always)]
fn wells_of_i<V: Bytes>(tables: &Tables, shape: &Shape, w: &[V; 7], landing: V) -> FastWells<V> {
    let wider = V::load(&shape.wider);
    let [on_left, on_right] = sides_of_i(shape, w);
    let right_height = either(wider, &tables.heights[2], &tables.heights[5]);
    let reach = landing.add(V::splat(4));
    let row = V::repeat(&BELOW_LAST);
    let left = V::repeat(&tables.depths[0]);
    let own = V::repeat(&tables.depths[1]);
    let right = either(wider, &tables.depths[2], &tables.depths[5]);
    let new_left = left.max(reach.above(V::repeat(&tables.heights[0])).above(row.lookup(on_left)));
    let new_right = right.max(reach.above(right_height).above(row.lookup(on_right)));
    // The upright I fills four rows of its column's run; what is left of it stands on the I.
    let new_own = own.above(V::splat(4).without(wider));
    let (half, odd) = factors(new_own);
    let (own_half, own_odd) = factors(own);
    let of_own = V::products([half, own_half], [odd, V::splat(0).sub(own_odd)]);
    let words = V::add_words(triangles(new_left, new_right), less_triangles(left, right));
    FastWells {
        change: V::narrow(V::add_words(words, of_own)),
        changed: on_left.or(on_right),
        unsure: V::splat(0),
    }
}
