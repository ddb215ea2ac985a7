//! What is known of a board before any placement.

use super::Delta;
use super::weights::*;
use crate::board::{ROWS, full_row};
use crate::features::Measured;
use crate::simd::{self, Aside, Block, BoardJob, Bytes, Lane, OneLane, Rows, Simd, Words};

/// Rows that are looked at through one word of each column: a piece that lands no higher than this has
/// its four rows in the lowest sixteen.
///
/// ```text
/// row 27 ...    words[1]: rows 12 to 27     landing rows 13 to 24 (as rows 1 to 12 of this word)
/// row 15 ...    words[0]: rows 0 to 15      landing rows 0 to 12: rows r to r + 3 lie within
/// ```
///
/// A good controller's stack is hardly ever higher than 12, so that the second half is mostly left out.
pub(super) const LOW: usize = 12;

/// A board's columns and rows, a byte or a word for each. Walls are filled, and of no height.
///
/// One for each thread, written anew for every board. Columns stand in bytes or words by their number; a table
/// "from one left on" is the same moved by a byte, so that one load puts the left neighbour of each column in
/// its place.
pub(in crate::kernels) struct Tables {
    pub(super) stack: usize,
    /// Whether a piece may land above [`LOW`], so that the second halves of tables count.
    pub(super) tall: bool,
    /// Rows 0 to 15 of the columns, from two left of each on; then rows 12 to 27.
    ///
    /// ```text
    /// words[half], window k of column c  =  column c + k - 2 of rows 0-15 (half 0) or 12-27 (half 1)
    ///
    /// k        0    1    2    3    4    5    6    7      around a piece whose left column is c:
    /// column  c-2  c-1   c   c+1  c+2  c+3  c+4  c+5     two beside it, its own, two beside it again
    /// ```
    pub(super) words: [Aside; 2],
    /// Heights, from one column left on: byte c of `heights[d]` is column c + d - 1.
    pub(super) heights: [Lane; 6],
    /// The same of columns without holes; 127 or more with one, where no piece ever rests.
    pub(super) solid: [Lane; 4],
    /// Heights of as many columns added up, and the least of them; of one to four columns.
    pub(super) sums: [Lane; 4],
    pub(super) lowest: [Lane; 4],
    /// Empty cells of each row, and of the one to three rows above it; rows 0 to 15, then 16 to 31.
    pub(super) empty: [[Lane; 4]; 2],
    /// Rows below each that have no hole, the same way: a difference of two tells of those between them.
    pub(super) clean: [Lane; 2],
    /// The four rows from each on that have a hole: from 0 to 12, then from 12 to 24.
    pub(super) dirty: [Lane; 2],
    /// Four times the well cells four rows and more above a column.
    pub(super) high_wells: Lane,
    /// Of fast wells: how far above a column's height its highest well cell lies that is not covered, from one
    /// left of each on; how many follow on each other from its height on; and 1 + ... + the former of five
    /// columns added up, less than nothing.
    pub(super) depths: [Lane; 6],
    pub(super) firm: [Lane; 3],
    pub(super) triangles: [u16; 16],
    /// Whether some do not follow on each other.
    pub(super) sparse: bool,
    /// Sizes of the steps from the column on the left, 0 at the walls: of as many columns and one after.
    pub(super) steps: [Lane; 4],
    /// Patterns of the steps left of a column, and of those right of one to four columns from it on.
    pub(super) patterns: [Lane; 5],
    /// Rows 0 to 15 of each column, then 16 to 31, walls filled.
    pub(super) columns: [[u16; 16]; 2],
    /// Holes, as the columns, from one left of the first on.
    pub(super) holes: [[u16; 24]; 2],
    /// The board played last whose score was found on the way, by which controller, and the score.
    /// It is the parent of the next decision, which then need not value it again.
    known: Option<(u64, i64)>,
    known_rows: [u16; ROWS],
    /// The counts of the placements of the last piece; of those not asked about only the landing row.
    pub(super) counts: [Block; COUNTS],
}

/// For each row, those below it.
const BELOW: [u16; 16] = {
    let mut below = [0; 16];
    let mut row = 1;
    while row < 16 {
        below[row] = below[row - 1] << 1 | 1;
        row += 1;
    }
    below
};

/// 0 to 15; rows to move words by.
/// Capped at [`LOW`], since windows are made for rows 0 to 12 and the entries beyond are never asked.
const INDEX: Lane = {
    let mut index = [0; 16];
    let mut k = 0;
    while k < 16 {
        index[k] = if k <= LOW { k as u8 } else { LOW as u8 };
        k += 1;
    }
    Lane(index)
};

/// Of each step of -2, ... 2, plus 2, its bit.
/// Any other step is index 15, which has none.
const PATTERN: Lane = Lane([1, 2, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/// One bit for each step of -2, ... 2.
#[inline(always)]
pub(super) fn pattern_of<V: Bytes>(step: V) -> V {
    // Steps below -2 wrap to large bytes, steps above 2 are 5 and more: both end at an entry of 0.
    let index = step.add(V::splat(2)).min(V::splat(15));
    V::repeat(&PATTERN).lookup(index)
}

impl Tables {
    /// Of no board.
    pub(in crate::kernels) const NONE: Tables = Tables {
        stack: 0,
        tall: false,
        words: [Aside::ZERO; 2],
        heights: [Lane::ZERO; 6],
        solid: [Lane::ZERO; 4],
        sums: [Lane::ZERO; 4],
        lowest: [Lane::ZERO; 4],
        empty: [[Lane::ZERO; 4]; 2],
        clean: [Lane::ZERO; 2],
        dirty: [Lane::ZERO; 2],
        high_wells: Lane::ZERO,
        depths: [Lane::ZERO; 6],
        firm: [Lane::ZERO; 3],
        triangles: [0; 16],
        sparse: false,
        steps: [Lane::ZERO; 4],
        patterns: [Lane::ZERO; 5],
        columns: [[0; 16]; 2],
        holes: [[0; 24]; 2],
        known: None,
        known_rows: [0; ROWS],
        counts: [Block::ZERO; COUNTS],
    };

    /// The score of a board, if it is the one that was played last.
    #[inline(always)]
    pub(super) fn known_value<R: Rows>(&self, delta: &Delta, rows: R) -> Option<i64> {
        let (of, value) = self.known?;
        // Compared row by row, since whoever steps a game may have put another board in its place.
        let same = of == delta.id && R::load(&self.known_rows).same(rows);
        same.then_some(value)
    }

    /// Keeps the score of a board that was played. Those measured before rows are removed, and those that
    /// count patterns, are not of the board alone.
    #[inline(always)]
    pub(super) fn keep_value<R: Rows>(&mut self, delta: &Delta, rows: R, value: Option<i64>) {
        self.known = None;
        if let Some(value) = value
            && delta.play.measured == Measured::AfterClear
            && delta.set & DIVERSITY == 0
        {
            self.known = Some((delta.id, value));
            rows.store(&mut self.known_rows);
        }
    }

    /// Reads a board.
    #[inline(always)]
    pub(super) fn read<S: Simd>(&mut self, delta: &Delta, set: u32, rows: S::Rows, stack: usize) {
        let zero = S::Lane::splat(0);
        self.stack = stack;
        self.tall = stack > LOW;
        let walls = S::Words::load(&delta.masks.walls);
        let low = rows.lower();
        let mut below = filled_down(low);
        let mut heights = zero;
        let mut dirty_high = 0;
        let mut holed_high = S::Words::splat(0);
        low.or(walls).store(&mut self.columns[0]);
        // Only where something may land above row 12. Otherwise second halves keep what an earlier board left
        // there, and nobody reads them.
        if self.tall {
            let high = rows.upper();
            let below_high = filled_down(high);
            // A column with a cell in rows 16 and up is covered in all of rows 0 to 15.
            below = below.or(S::Words::splat(u16::MAX).without(high.whole_if_empty()));
            heights = below_high.heights();
            let holes = below_high.without(high);
            store_beside_wall(holes, &mut self.holes[1]);
            holed_high = holes;
            dirty_high = holes.any_column();
            high.or(walls).store(&mut self.columns[1]);
            low.or(walls).down::<12>().or(high.or(walls).up::<4>()).aside(&mut self.words[1]);
        }
        let walled = low.or(walls);
        walled.aside(&mut self.words[0]);
        let holes = below.without(low);
        store_beside_wall(holes, &mut self.holes[0]);
        heights = heights.add(below.heights());
        self.heights::<S>(heights, holes.or(holed_high));
        if set & (ANY_WELLS | ROWS_WITH_HOLES) != 0 {
            self.dirty::<S>(holes.any_column(), dirty_high);
        }
        if set & (BUMPINESS | DIVERSITY) != 0 {
            self.steps::<S>(delta, set, heights);
        }
        self.rows::<S>(delta, rows);
        if set & WELLS_FAST != 0 {
            read_fast_wells(delta, self);
        }
    }

    /// Writes what depends on heights: moved by columns, of columns without holes, added up, and the least of
    /// some.
    #[inline(always)]
    fn heights<S: Simd>(&mut self, h0: S::Lane, holes: S::Words) {
        let zero = S::Lane::splat(0);
        let (h1, h2, h3) = (h0.next::<1>(zero), h0.next::<2>(zero), h0.next::<3>(zero));
        // The last byte of 0 and the first fifteen heights: each column's left neighbour, a wall of height 0.
        zero.next::<15>(h0).store_lane(&mut self.heights[0]);
        h0.store_lane(&mut self.heights[1]);
        h1.store_lane(&mut self.heights[2]);
        h2.store_lane(&mut self.heights[3]);
        h3.store_lane(&mut self.heights[4]);
        h0.next::<4>(zero).store_lane(&mut self.heights[5]);
        let whole = holes.whole_if_empty().condition();
        let solid = h0.or(S::Lane::splat(127).without(whole));
        solid.store_lane(&mut self.solid[0]);
        solid.next::<1>(zero).store_lane(&mut self.solid[1]);
        solid.next::<2>(zero).store_lane(&mut self.solid[2]);
        solid.next::<3>(zero).store_lane(&mut self.solid[3]);
        let (two, low) = (h0.add(h1), h0.min(h1));
        h0.store_lane(&mut self.sums[0]);
        two.store_lane(&mut self.sums[1]);
        two.add(h2).store_lane(&mut self.sums[2]);
        two.add(h2).add(h3).store_lane(&mut self.sums[3]);
        h0.store_lane(&mut self.lowest[0]);
        low.store_lane(&mut self.lowest[1]);
        low.min(h2).store_lane(&mut self.lowest[2]);
        low.min(h2).min(h3).store_lane(&mut self.lowest[3]);
    }

    /// Writes what depends on rows with holes, of which there is a bit each for rows 0 to 15 and 16 to 31.
    #[inline(always)]
    fn dirty<S: Simd>(&mut self, low: u16, high: u16) {
        let below = S::Words::load(&BELOW);
        // Word r masks the rows below r, so that counting its bits gives the clean rows below each row at once.
        let clean = S::Words::splat(!low).and(below).heights();
        clean.store_lane(&mut self.clean[0]);
        four_of_each::<S>(low).store_lane(&mut self.dirty[0]);
        if self.tall {
            let clean = S::Words::splat(!high).and(below).heights();
            let lower = S::Lane::splat(low.count_zeros() as u8);
            clean.add(lower).store_lane(&mut self.clean[1]);
            four_of_each::<S>(low >> 12 | high << 4).store_lane(&mut self.dirty[1]);
        }
    }

    /// Writes the empty cells of each row, by which rows are found that a piece would fill.
    #[inline(always)]
    fn rows<S: Simd>(&mut self, delta: &Delta, rows: S::Rows) {
        let zero = S::Lane::splat(0);
        let width = S::Lane::splat(delta.size.width() as u8);
        let [low, high] = rows.counts();
        let (low, high) = (width.sub(low), width.sub(high));
        low.store_lane(&mut self.empty[0][0]);
        // Row 15 is followed by row 16: of a low stack `high` is the width, as rows without cells have it.
        low.next::<1>(high).store_lane(&mut self.empty[0][1]);
        low.next::<2>(high).store_lane(&mut self.empty[0][2]);
        low.next::<3>(high).store_lane(&mut self.empty[0][3]);
        if self.tall {
            high.store_lane(&mut self.empty[1][0]);
            high.next::<1>(zero).store_lane(&mut self.empty[1][1]);
            high.next::<2>(zero).store_lane(&mut self.empty[1][2]);
            high.next::<3>(zero).store_lane(&mut self.empty[1][3]);
        }
    }

    /// Writes sizes and patterns of the steps between columns, added up over as many as a piece is wide.
    #[inline(always)]
    fn steps<S: Simd>(&mut self, delta: &Delta, set: u32, heights: S::Lane) {
        let zero = S::Lane::splat(0);
        let inner = S::Lane::load_lane(&delta.masks.steps);
        let left = zero.next::<15>(heights);
        if set & BUMPINESS != 0 {
            let step = heights.abs_difference(left).and(inner);
            let two = step.add(step.next::<1>(zero));
            let three = two.add(step.next::<2>(zero));
            let four = three.add(step.next::<3>(zero));
            two.store_lane(&mut self.steps[0]);
            three.store_lane(&mut self.steps[1]);
            four.store_lane(&mut self.steps[2]);
            four.add(step.next::<4>(zero)).store_lane(&mut self.steps[3]);
        }
        if set & DIVERSITY != 0 {
            let own = pattern_of(heights.sub(left)).and(inner);
            // The or of all bytes on the left of each, by doubling: 1, 2, 4, 8 and 16 bytes; likewise on the
            // right.
            let mut before = zero.next::<15>(own);
            before = before.or(zero.next::<15>(before));
            before = before.or(zero.next::<14>(before));
            before = before.or(zero.next::<12>(before));
            before = before.or(zero.next::<8>(before));
            let mut after = own.next::<1>(zero);
            after = after.or(after.next::<1>(zero));
            after = after.or(after.next::<2>(zero));
            after = after.or(after.next::<4>(zero));
            after = after.or(after.next::<8>(zero));
            before.store_lane(&mut self.patterns[0]);
            after.next::<1>(zero).store_lane(&mut self.patterns[1]);
            after.next::<2>(zero).store_lane(&mut self.patterns[2]);
            after.next::<3>(zero).store_lane(&mut self.patterns[3]);
            after.next::<4>(zero).store_lane(&mut self.patterns[4]);
        }
    }

    /// What fast wells ask about.
    #[inline(always)]
    fn fast_wells<S: Simd>(&mut self, walls: S::Words) {
        let zero = S::Lane::splat(0);
        let heights = S::Lane::load_lane(&self.heights[1]);
        let all = S::Words::splat(u16::MAX);
        let walled = S::Words::load(&self.columns[0]);
        let mut below = filled_down(walled.without(walls));
        let mut high = S::Words::splat(0);
        if self.tall {
            high = S::Words::load(&self.columns[1]);
            below = below.or(all.without(high.without(walls).whole_if_empty()));
        }
        let open = open_wells::<S>(walled, below);
        let mut highest = filled_down(open);
        // Rows above a column's height that are no well cells: the first of them ends what follows on each
        // other.
        let gap = all.without(open.or(below));
        let mut firm = all.without(gap.upward()).heights();
        let mut higher = zero;
        if self.tall {
            let below = filled_down(high.without(walls));
            let open = open_wells::<S>(high, below);
            highest = highest.or(all.without(open.whole_if_empty()));
            higher = filled_down(open).heights();
            let without_gap = all.without(all.without(open.or(below)).upward());
            firm = firm.add(without_gap.and(gap.whole_if_empty()).heights());
        }
        let depth = highest.heights().add(higher).above(heights);
        let firm = firm.sub(heights);
        // The highest is as high as there are well cells without a gap: then all of them follow on each other.
        self.sparse = depth.equal(firm).bits() != 0xffff;
        zero.next::<15>(depth).store_lane(&mut self.depths[0]);
        depth.store_lane(&mut self.depths[1]);
        depth.next::<1>(zero).store_lane(&mut self.depths[2]);
        depth.next::<2>(zero).store_lane(&mut self.depths[3]);
        depth.next::<3>(zero).store_lane(&mut self.depths[4]);
        depth.next::<4>(zero).store_lane(&mut self.depths[5]);
        firm.store_lane(&mut self.firm[0]);
        firm.next::<1>(zero).store_lane(&mut self.firm[1]);
        firm.next::<2>(zero).store_lane(&mut self.firm[2]);
        let mut triangles = [0u16; 24];
        for c in 0..16 {
            let n = u16::from(self.depths[1].0[c]);
            // 1 + ... + n without a division, since of n and n + 1 one is even, and that one is halved.
            triangles[c + 1] = n.div_ceil(2) * (n | 1);
        }
        self.triangles = [0; 16];
        for d in 0..5 {
            for c in 0..16 {
                self.triangles[c] = self.triangles[c].wrapping_sub(triangles[c + d]);
            }
        }
    }

    /// What only the upright I asks about.
    #[inline(always)]
    pub(super) fn high_wells<S: Simd>(&mut self) {
        let low = S::Words::load(&self.columns[0]);
        let (mut filled, mut higher) = (filled_down(low), S::Lane::splat(0));
        if self.tall {
            let high = S::Words::load(&self.columns[1]);
            let more = filled_down(high);
            filled = filled.or(S::Words::splat(u16::MAX).without(high.whole_if_empty()));
            higher = wells_but::<S>(high, more.up::<4>().or(filled.down::<12>()));
        }
        let four = wells_but::<S>(low, filled.up::<4>().or(S::Words::splat(15))).add(higher);
        // Each of them becomes four less deep when the I fills the four cells below it.
        let two = four.add(four);
        two.add(two).store_lane(&mut self.high_wells);
    }

    /// Whether there are holes in the four rows where a piece lands, in its columns or beside it.
    #[inline(always)]
    pub(super) fn has_holes(&self, column: usize, row: usize) -> bool {
        let any = |half: &[u16; 24]| {
            // Four columns of the widest piece and one on either side; holes begin one left of the first
            // column.
            let six = &half[column & 15..][..6];
            u32::from(six[0] | six[1] | six[2] | six[3] | six[4] | six[5])
        };
        let high = if self.tall { any(&self.holes[1]) } else { 0 };
        (any(&self.holes[0]) | high << 16) >> row & 15 != 0
    }

    /// The height of a column that is there, counted from one.
    pub(super) fn height(&self, column: usize) -> usize {
        self.heights[1].0[column - 1] as usize
    }

    /// The holes of a column that is there, counted from one.
    pub(super) fn holes_in(&self, column: usize) -> u32 {
        let high = if self.tall { u32::from(self.holes[1][column]) } else { 0 };
        u32::from(self.holes[0][column]) | high << 16
    }

    /// A column of the board as one number, counted from one; walls outside.
    pub(super) fn column_or_wall(&self, column: usize) -> u32 {
        match column {
            1..=16 => {
                let high = if self.tall { u32::from(self.columns[1][column - 1]) } else { 0 };
                u32::from(self.columns[0][column - 1]) | high << 16
            }
            _ => u32::MAX,
        }
    }
}

/// Reads what fast wells ask about a board, apart: within the rest it would take registers from sets without them,
/// see `kernels` for what that cost BCTS.
#[cold]
#[inline(never)]
fn read_fast_wells(delta: &Delta, tables: &mut Tables) {
    simd::run(delta.level, ReadFastWells { delta, tables });
}

/// The work of [`read_fast_wells`].
struct ReadFastWells<'a> {
    delta: &'a Delta,
    tables: &'a mut Tables,
}

impl BoardJob for ReadFastWells<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        self.tables.fast_wells::<S>(S::Words::load(&self.delta.masks.walls));
    }
}

/// The well cells outside some rows of each column, such as those below its height.
#[inline(always)]
fn open_wells<S: Simd>(walled: S::Words, rows: S::Words) -> S::Words {
    let wells = walled.left_neighbour().and(walled.right_neighbour()).without(walled);
    wells.without(rows)
}

/// How many they are in each column.
#[inline(always)]
fn wells_but<S: Simd>(walled: S::Words, rows: S::Words) -> S::Lane {
    open_wells::<S>(walled, rows).heights()
}

/// Writes columns from index 1 on, so that the column left of the first is index 0 and has nothing.
#[inline(always)]
fn store_beside_wall<W: Words>(words: W, to: &mut [u16; 24]) {
    if let Some(to) = to[1..].first_chunk_mut() {
        words.store(to);
    }
}

/// For each row from 0 to 12, four rows of a word from it on.
///
/// The same word stands in the place of every column, and byte r takes its own window: a shift by each row at
/// once.
#[inline(always)]
fn four_of_each<S: Simd>(word: u16) -> S::Lane {
    S::Lane::window_of(word, S::Lane::load_lane(&INDEX))
}

/// In each column all rows up to the highest that is filled.
///
/// ```text
/// column       0000 0100 0000 0000     bit 10 set; smeared by 1, 2, 4 and 8 rows toward bit 0:
/// filled down  0000 0111 1111 1111     its count of bits is the height, the rest below a cell are holes
/// ```
#[inline(always)]
pub(super) fn filled_down<W: Words>(columns: W) -> W {
    let two = columns.or(columns.down::<1>());
    let four = two.or(two.down::<2>());
    let eight = four.or(four.down::<4>());
    eight.or(eight.down::<8>())
}

/// The row of a board's highest cell and one, if it can be placed on here: without full rows, no higher
/// than the board, and with four rows to spare.
///
/// 24 rows, since windows end at row 27; full rows, since a placement that clears nothing must leave nothing to
/// clear.
#[inline(always)]
pub(super) fn stack_of<S: Simd>(delta: &Delta, rows: S::Rows) -> Option<usize> {
    let stack = ROWS - rows.occupied().leading_zeros() as usize;
    let full = rows.equal(full_row(delta.size.width()));
    (full == 0 && stack <= delta.size.height().min(24)).then_some(stack)
}
