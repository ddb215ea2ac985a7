//! Computes the change of MDPTetris' fast wells.
//!
//! The fast wells of a run of empty cells in a column are 1 + ... + n if its highest well cell is
//! the n-th cell from below.
//!
//! Above a column's height there is one run. New well cells in a column beside the piece lie above
//! all its old ones, since those end where the piece lands. The run of a column under the piece is
//! cut in two. The covered part keeps its highest well cell below the piece, and above the piece
//! all well cells are new. New well cells in holes only add to the sum. They are counted exactly
//! where it matters, as for Dellacherie's wells.

use super::Delta;
use super::board::Tables;
use super::place::{between, biased, by_width, sides_of_i};
use super::shape::Shape;
use super::weights::WELLS_BIAS;
use crate::simd::{self, Block, Blocks, BoardJob, Bytes, Lane, u8x32, u8x64};

/// Job that computes the change of the fast wells for all placements of a piece.
pub(super) struct FastWellsJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) tables: &'a Tables,
    pub(super) shape: &'a Shape,
    /// Four rows of the columns around each placement.
    pub(super) windows: &'a [Block; 7],
    /// Landing row of each placement.
    pub(super) landing: &'a Block,
    /// True if the piece is the I.
    pub(super) is_i: bool,
    /// Number of lanes, sixteen bytes each, in the register of the piece's placements.
    pub(super) lanes: usize,
}

/// Change of the fast wells by each placement of a piece.
pub(super) struct FastChange {
    /// Change as a biased count.
    pub(super) change: Block,
    /// Rows in which well cells appear or vanish, one bit each.
    pub(super) changed: Block,
    /// Nonzero for placements whose change may be larger, since the highest covered well cell is
    /// unknown.
    pub(super) uncertain: Block,
    /// True if a placement reduces the fast wells by more than a byte can store.
    pub(super) overflowed: bool,
}

impl FastWellsJob<'_> {
    /// Runs the job in a function of its own: inlined, it would take registers from feature sets
    /// without fast wells.
    #[cold]
    #[inline(never)]
    pub(super) fn run_not_inlined(self) -> FastChange {
        simd::run(self.delta.level, self).unwrap_or_else(|| {
            let [change, changed, uncertain] = [Block::ZERO; 3];
            FastChange { change, changed, uncertain, overflowed: true }
        })
    }

    /// Computes the change in registers of type `V`; `I` is true for the I.
    #[inline(always)]
    fn change_in<S: Blocks, V: Bytes<S>, const I: bool>(&self, simd: S) -> FastChange {
        let zero = V::splat(simd, 0);
        let (mut windows, landing) = ([zero; 7], V::load(simd, self.landing));
        for k in 0..7 {
            windows[k] = V::load(simd, &self.windows[k]);
        }
        let wells = match I {
            true => wells_of_i(self.tables, self.shape, &windows, landing),
            false => wells(self.tables, self.shape, &windows, landing),
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

/// A [`FastChange`] in registers; `change` has signed bytes without bias.
struct FastWells<V> {
    change: V,
    changed: V,
    uncertain: V,
}

/// Distance from the highest set row of a four-bit index to the fourth row; 255 if no row is set.
///
/// ```text
/// rows dcba   0000  0001  001x  01xx  1xxx
/// entry        255     3     2     1     0     subtracted with saturation: 255 gives 0
/// ```
const BELOW_LAST: Lane = Lane([255, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);

/// Returns two factors whose product is 1 + ... + n = n (n + 1) / 2.
///
/// The even one of n and n + 1 is halved, rounding up. The other is n with its lowest bit set.
#[inline(always)]
fn factors<S: Blocks, V: Bytes<S>>(n: V) -> (V, V) {
    (n.sub(n.half()), n.or(V::splat(n.simd(), 1)))
}

/// Returns, as words, 1 + ... + n for each byte n of `a`, plus the corresponding sum for `b`.
#[inline(always)]
fn triangles<S: Blocks, V: Bytes<S>>(a: V, b: V) -> V::Words {
    let ((a, c), (b, d)) = (factors(a), factors(b));
    V::products([a, b], [c, d])
}

/// Returns, as words, the negative of [`triangles`] of `a` and `b`.
#[inline(always)]
fn less_triangles<S: Blocks, V: Bytes<S>>(a: V, b: V) -> V::Words {
    let simd = a.simd();
    let ((a, c), (b, d)) = (factors(a), factors(b));
    V::products([a, b], [V::splat(simd, 0).sub(c), V::splat(simd, 0).sub(d)])
}

/// Returns the change of the fast wells by each placement of any piece except the I; `w` has the
/// windows of `RowFacts`.
#[inline(always)]
fn wells<S: Blocks, V: Bytes<S>>(
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

/// Returns the change of the fast wells by each placement of the I. The upright I fills the lowest
/// four cells of a run, and no well cell is above the lying I.
#[inline(always)]
fn wells_of_i<S: Blocks, V: Bytes<S>>(
    tables: &Tables,
    shape: &Shape,
    w: &[V; 7],
    landing: V,
) -> FastWells<V> {
    let simd = landing.simd();
    let wider = V::load(simd, &shape.wider);
    let [on_left, on_right] = sides_of_i(shape, w);
    let right_height = by_width(wider, &tables.heights[2], &tables.heights[5]);
    let reach = landing.add(V::splat(simd, 4));
    let row = V::repeat(simd, &BELOW_LAST);
    let left = V::repeat(simd, &tables.depths[0]);
    let own = V::repeat(simd, &tables.depths[1]);
    let right = by_width(wider, &tables.depths[2], &tables.depths[5]);
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
    let words = V::add_words(triangles(new_left, new_right), less_triangles(left, right));
    FastWells {
        change: V::narrow(V::add_words(words, of_own)),
        changed: on_left.or(on_right),
        uncertain: V::splat(simd, 0),
    }
}
