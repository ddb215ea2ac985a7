//! Represents a set of cells or positions of a guideline matrix, ten columns wide, as one value.
//!
//! A set has one word for each column: row r is bit 31 - r of a 32-bit word, or bit 15 - r of a
//! 16-bit word. Algorithms are written once over [`Columns`]: for [`Low`], and for [`High`] if the
//! stack exceeds [`LOW_STACK`].
//!
//! ```text
//! row 2   . .      column 0 = 110..., column 1 = 100... (bit 31 first)
//! row 1   # .
//! row 0   # #      Up is toward bit 0, a right shift. Falling is toward bit 31, as a sum carries.
//! ```

#[cfg(test)]
mod tests;

use fearless_simd::{
    Bytes, ExtractToken, Simd, SimdBase, SimdCombine, SimdFrom, SimdInt, SimdIntWiden, SimdMask,
    SimdNarrow, SimdSplit, SimdWiden, u8x32, u16x16, u32x8, u32x16,
};

use super::{Level, VectorJob, run_vectors};

pub(crate) const WIDTH: usize = 10;

/// Greatest stack height for which columns of 16 bits (rows 0 to 15) suffice.
pub(crate) const LOW_STACK: usize = 12;

/// A set of cells or positions of a guideline matrix, as one word for each of ten columns.
pub(crate) trait Columns: Copy {
    const IS_LOW: bool;
    type Simd: Copy;

    fn load(simd: Self::Simd, columns: &[u32; WIDTH]) -> Self;
    #[cfg(test)]
    fn store(self) -> [u32; WIDTH];
    /// Returns a set of whole rows: row r of every column if bit 31 - r of `rows` is set.
    fn rows(simd: Self::Simd, rows: u32) -> Self;
    fn simd(self) -> Self::Simd;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    /// Adds the words of each column of two sets as numbers; carries move toward the floor.
    fn plus(self, other: Self) -> Self;
    /// Moves all members of a set `dx` columns to the right (-2 to 2) and `dy` rows up. Members
    /// that leave the matrix are lost or end right of the last column.
    fn moved(self, dx: i32, dy: i32) -> Self;
    fn moved_by(self, way: (i32, i32)) -> Self;
    fn is_empty(self) -> bool;
    fn total(sets: &[Self; 4]) -> u32;

    /// Appends `base | column | row << 8` to `out` for each member: the highest of each column from
    /// the left, then the second highest of each, and so on.
    fn list(self, base: u32, out: &mut Vec<u32>);

    #[inline(always)]
    fn none(simd: Self::Simd) -> Self {
        Self::rows(simd, 0)
    }

    /// Returns the positions from which a move by `dx` columns right and `dy` rows up leads into
    /// the set. Sets of 16 rows count as containing all cells above row 15.
    #[inline(always)]
    fn seen(self, dx: i32, dy: i32) -> Self {
        self.moved(-dx, -dy)
    }

    #[inline(always)]
    fn seen_by(self, (dx, dy): (i32, i32)) -> Self {
        self.moved_by((-dx, -dy))
    }

    /// Returns the set's members and all cells that they reach by falling through cells of `free`.
    ///
    /// ```text
    /// row           9  8  7  6  5  4  3  2  1  0      highest row first, as bits ascend
    /// free          1  1  1  1  1  0  1  1  0  1
    /// members       .  .  1  .  .  .  1  .  .  .
    /// sum           1  1  0  0  0  1  0  0  1  1      carries leave 0 and end in a cell not free
    /// free - sum    .  .  1  1  1  .  1  1  .  .      a member and all free cells below it
    /// ```
    ///
    /// A second member of the same run leaves a 1 in the sum: hence the OR.
    #[inline(always)]
    fn fallen(self, free: Self) -> Self {
        // In a run of free cells the sum carries from a member through all free cells below it.
        free.without(self.plus(free)).or(self)
    }
}

pub(crate) trait ColumnsJob {
    type Output;
    fn run<C: Columns>(self, simd: C::Simd) -> Self::Output;
}

/// Runs `job` on sets of matrix cells, of 16 rows if `is_low` (up to [`LOW_STACK`]), else 32.
#[inline]
pub(crate) fn run<J: ColumnsJob>(level: Level, is_low: bool, job: J) -> J::Output {
    if is_low { run_vectors(level, LowJob(job)) } else { run_vectors(level, HighJob(job)) }
}

struct LowJob<J>(J);

impl<J: ColumnsJob> VectorJob for LowJob<J> {
    type Output = J::Output;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> J::Output {
        self.0.run::<Low<S>>(simd)
    }
}

struct HighJob<J>(J);

impl<J: ColumnsJob> VectorJob for HighJob<J> {
    type Output = J::Output;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> J::Output {
        self.0.run::<High<S>>(simd)
    }
}

/// Set of cells in rows 0 to 15, one vector lane for each of ten columns. Six spare lanes catch
/// cells that move out sideways.
#[derive(Clone, Copy)]
struct Low<S: Simd>(u16x16<S>);

#[derive(Clone, Copy)]
struct High<S: Simd>(u32x16<S>);

const LANE_INDICES: [u16; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

const COLUMN_LANES: [u16; 16] = {
    let mut lanes = [0; 16];
    let mut column = 0;
    while column < WIDTH {
        lanes[column] = u16::MAX;
        column += 1;
    }
    lanes
};

static ROTATED_LANES: [[u8; 32]; 8] = {
    // Eight entries, so that no index is out of range.
    let mut rotated = [[0; 32]; 8];
    let mut way = 0;
    while way < 5 {
        let mut byte = 0;
        while byte < 32 {
            rotated[way][byte] = ((byte + 32 + 4 - 2 * way) % 32) as u8;
            byte += 1;
        }
        way += 1;
    }
    rotated
};

/// Appends the first `count` elements of `codes` to `out`. Copying all elements and truncating is
/// faster than copying `count` elements.
#[inline(always)]
fn append_compressed<const N: usize>(codes: &[u32; N], count: usize, out: &mut Vec<u32>) {
    let len = out.len() + count;
    out.extend_from_slice(codes);
    out.truncate(len);
}

impl<S: Simd> Low<S> {
    #[inline(always)]
    fn up(self, dy: i32) -> Low<S> {
        Low(match dy {
            0 => self.0,
            up if up > 0 => self.0 >> up as u32,
            down => self.0 << -down as u32,
        })
    }

    #[inline(always)]
    fn up_by(self, dy: i32) -> Low<S> {
        Low((self.0 >> dy.max(0) as u32) << (-dy).max(0) as u32)
    }

    #[inline(always)]
    fn right_by(self, dx: i32) -> Low<S> {
        let selectors = u8x32::simd_from(self.0.token(), ROTATED_LANES[(dx + 2) as usize & 7]);
        Low(self.0.swizzle_dyn(selectors))
    }

    /// Adds the highest `up` rows to a set moved `up` rows down: cells above row 15 are free.
    #[inline(always)]
    fn under_sky(self, up: i32) -> Low<S> {
        let columns = u16x16::simd_from(self.0.token(), COLUMN_LANES);
        Low(self.0 | (columns & ((1 << up.max(0)) - 1)))
    }
}

impl<S: Simd> Columns for Low<S> {
    const IS_LOW: bool = true;
    type Simd = S;

    #[inline(always)]
    fn load(simd: S, columns: &[u32; WIDTH]) -> Low<S> {
        let [a, b, c, d, e, f, g, h, i, j] = *columns;
        let first = u32x8::simd_from(simd, [a, b, c, d, e, f, g, h]);
        let last = u32x8::simd_from(simd, [i, j, 0, 0, 0, 0, 0, 0]);
        // The upper halves of 32 bits are rows 0 to 15.
        Low((first >> 16).narrow(last >> 16))
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        std::array::from_fn(|column| u32::from(self.0[column]) << 16)
    }

    #[inline(always)]
    fn rows(simd: S, rows: u32) -> Low<S> {
        Low(u16x16::simd_from(simd, COLUMN_LANES) & (rows >> 16) as u16)
    }

    #[inline(always)]
    fn simd(self) -> S {
        self.0.token()
    }

    #[inline(always)]
    fn and(self, other: Low<S>) -> Low<S> {
        Low(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: Low<S>) -> Low<S> {
        Low(self.0 | other.0)
    }

    #[inline(always)]
    fn without(self, other: Low<S>) -> Low<S> {
        Low(self.0 & !other.0)
    }

    #[inline(always)]
    fn plus(self, other: Low<S>) -> Low<S> {
        Low(self.0 + other.0)
    }

    #[inline(always)]
    fn moved(self, dx: i32, dy: i32) -> Low<S> {
        let set = self.0;
        Low(match dx {
            -2 => set.slide::<2>(set),
            -1 => set.slide::<1>(set),
            1 => set.slide::<15>(set),
            2 => set.slide::<14>(set),
            _ => set,
        })
        .up(dy)
    }

    #[inline(always)]
    fn moved_by(self, (dx, dy): (i32, i32)) -> Low<S> {
        self.up_by(dy).right_by(dx)
    }

    #[inline(always)]
    fn seen(self, dx: i32, dy: i32) -> Low<S> {
        // Rows first, so that the sky is added where columns are before they move sideways.
        let there = self.moved(0, -dy);
        if dy > 0 { there.under_sky(dy).moved(-dx, 0) } else { there.moved(-dx, 0) }
    }

    #[inline(always)]
    fn seen_by(self, (dx, dy): (i32, i32)) -> Low<S> {
        self.up_by(-dy).under_sky(dy).right_by(-dx)
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.simd_eq(0).all_true()
    }

    #[inline(always)]
    fn total(sets: &[Low<S>; 4]) -> u32 {
        // Bytes suffice: four sets have at most 32 bits in a byte's place.
        let [a, b, c, d] = [sets[0].0, sets[1].0, sets[2].0, sets[3].0];
        let (a, b) = (a.to_bytes().count_ones(), b.to_bytes().count_ones());
        let (c, d) = (c.to_bytes().count_ones(), d.to_bytes().count_ones());
        let sum = a + b + c + d;
        u32::from(sum.pairwise_widening_add().reduce_sum())
    }

    #[inline(always)]
    fn list(self, base: u32, out: &mut Vec<u32>) {
        let simd = self.0.token();
        let index = u16x16::simd_from(simd, LANE_INDICES);
        let mut set = self.0;
        while !Low(set).is_empty() {
            // From the lowest bit up, a column has one bit for each row up to its highest member.
            let upward = set | (u16x16::splat(simd, 0) - set);
            let codes = ((upward.count_ones() - 1) << 8) | index;
            let ((low, high), (low_codes, high_codes)) = (set.split(), codes.split());
            for (half, codes) in [(low, low_codes), (high, high_codes)] {
                let some = half.simd_ne(0);
                let (first, second) = codes.compress(some).widen();
                let codes: u32x8<S> = first.combine(second) + base;
                append_compressed(&codes, some.to_bitmask().count_ones() as usize, out);
            }
            // Clears the lowest bit of each column, which is its highest member.
            set &= set - 1;
        }
    }
}

impl<S: Simd> Columns for High<S> {
    const IS_LOW: bool = false;
    type Simd = S;

    #[inline(always)]
    fn load(simd: S, columns: &[u32; WIDTH]) -> High<S> {
        let mut lanes = [0; 16];
        lanes[..WIDTH].copy_from_slice(columns);
        High(u32x16::simd_from(simd, lanes))
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        std::array::from_fn(|column| self.0[column])
    }

    #[inline(always)]
    fn rows(simd: S, rows: u32) -> High<S> {
        let columns = COLUMN_LANES.map(
            #[inline(always)]
            |lane| i32::from(lane.cast_signed()).cast_unsigned(),
        );
        High(u32x16::simd_from(simd, columns) & rows)
    }

    #[inline(always)]
    fn simd(self) -> S {
        self.0.token()
    }

    #[inline(always)]
    fn and(self, other: High<S>) -> High<S> {
        High(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: High<S>) -> High<S> {
        High(self.0 | other.0)
    }

    #[inline(always)]
    fn without(self, other: High<S>) -> High<S> {
        High(self.0 & !other.0)
    }

    #[inline(always)]
    fn plus(self, other: High<S>) -> High<S> {
        High(self.0 + other.0)
    }

    #[inline(always)]
    fn moved(self, dx: i32, dy: i32) -> High<S> {
        let (set, zero) = (self.0, u32x16::splat(self.0.token(), 0));
        let set = match dx {
            -2 => set.slide::<2>(zero),
            -1 => set.slide::<1>(zero),
            // Fifteen lanes of zeros are skipped and one stays in front.
            1 => zero.slide::<15>(set),
            2 => zero.slide::<14>(set),
            _ => set,
        };
        High(match dy {
            0 => set,
            up if up > 0 => set >> up as u32,
            down => set << -down as u32,
        })
    }

    #[inline(always)]
    fn moved_by(self, (dx, dy): (i32, i32)) -> High<S> {
        self.moved(dx, dy)
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.simd_eq(0).all_true()
    }

    #[inline(always)]
    fn total(sets: &[High<S>; 4]) -> u32 {
        let [a, b, c, d] = [sets[0].0, sets[1].0, sets[2].0, sets[3].0];
        (a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()).reduce_sum()
    }

    #[inline(always)]
    fn list(self, base: u32, out: &mut Vec<u32>) {
        let simd = self.0.token();
        let index = u32x16::simd_from(simd, LANE_INDICES.map(u32::from)) | base;
        let mut set = self.0;
        loop {
            let some = set.simd_ne(0);
            let bits = some.to_bitmask();
            if bits == 0 {
                return;
            }
            // From the lowest bit up, a column has one bit for each row up to its highest member.
            let upward = set | (u32x16::splat(simd, 0) - set);
            let codes = ((upward.count_ones() - 1) << 8) | index;
            append_compressed(&codes.compress(some), bits.count_ones() as usize, out);
            set &= set - 1;
        }
    }
}
