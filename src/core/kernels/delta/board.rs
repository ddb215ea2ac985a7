//! Reads a board into lookup tables of its columns, rows, heights and holes, for all placements.

use super::Delta;
use super::nonlinear::MAX_NONLINEAR;
use super::weights::*;
use crate::board::{ROWS, full_row};
use crate::features::Measured;
use crate::simd::{
    self, Block, Blocks, BoardJob, Bytes, ColumnCells, Lane, Neighbours, OneLane, Rows, SumBlock,
    Words, u8x16,
};

/// Highest landing row from which four rows lie within rows 0 to 15; few stacks are higher.
///
/// ```text
/// row 27 ...    words[1]: rows 12 to 27     landing rows 13 to 24 (as rows 1 to 12 of this word)
/// row 15 ...    words[0]: rows 0 to 15      landing rows 0 to 12: rows r to r + 3 lie within
/// ```
pub(super) const LOW: usize = 12;

/// Lookup tables of a board's columns and rows, for all placements of a piece; overwritten for
/// every board.
// Byte or word c of most tables is column c, in copies shifted by columns. Walls have height 0.
pub(in crate::kernels) struct Tables {
    pub(super) stack: usize,
    /// True if a piece may land above row [`LOW`], so that the tables of higher rows are in use.
    pub(super) tall: bool,
    /// Cells of the columns around a possible piece: rows 0 to 15 in `[0]`, 12 to 27 in `[1]`.
    ///
    /// ```text
    /// k        0    1    2    3    4    5    6    7      around a piece whose left column is c:
    /// column  c-2  c-1   c   c+1  c+2  c+3  c+4  c+5     two beside it, its own, two beside
    /// ```
    pub(super) words: [Neighbours; 2],
    /// Column heights: byte c of copy d is the height of column c + d - 1.
    pub(super) heights: [Lane; 6],
    /// Column heights, but 127 for a column with a hole: byte c of copy d is column c + d.
    pub(super) solid: [Lane; 4],
    /// Sums of column heights: byte c of `sums[n - 1]` sums n adjacent columns from column c on.
    pub(super) sums: [Lane; 4],
    pub(super) lowest: [Lane; 4],
    /// Number of empty cells by board row: byte r of `empty[h][k]` is row 16 h + r + k.
    pub(super) empty: [[Lane; 4]; 2],
    /// Number of rows without holes below each board row: rows 0 to 15, then rows 16 to 31.
    pub(super) clean_below: [Lane; 2],
    /// Mask, for each landing row, of the rows with a hole among the four rows from the landing row
    /// on.
    pub(super) holed_rows: [Lane; 2],
    pub(super) high_wells: Lane,
    /// Number of rows from the height of column c + d - 1 to its highest well cell, in byte c of
    /// copy d.
    pub(super) depths: [Lane; 6],
    /// Number of adjacent well cells directly above the height of column c + d, in byte c of copy
    /// d.
    pub(super) gapless: [Lane; 3],
    /// Negated sum of n (n + 1) / 2 over columns c - 1 to c + 3; n is a column's entry in `depths`.
    pub(super) triangles: [u16; 16],
    /// True if a cell between a column's height and its highest well cell is no well cell.
    pub(super) has_gaps: bool,
    /// Sums of the n + 1 absolute height differences at n columns from column c on: byte c of
    /// `steps[n - 1]`. A wall adds 0.
    pub(super) steps: [Lane; 4],
    /// Set of the height differences from -2 to 2, one bit each: left of column c in `[0]`, right
    /// of columns c to c + n - 1 in `[n]`.
    pub(super) patterns: [Lane; 5],
    pub(super) columns: [WalledColumns; 2],
    /// Holes of each column: rows 0 to 15, then rows 16 to 31. Word c + 1 is column c.
    pub(super) holes: [[u16; 24]; 2],
    /// Score of the board `cached_rows`, with the identifier of the kernel that computed it.
    cached: Option<(u64, i64)>,
    cached_rows: [u16; ROWS],
    pub(super) next_value: Option<i64>,
    /// Counts of board changes by each placement of the last piece. Decisions that need no exact
    /// scores store only the landing rows.
    pub(super) counts: [Block; COUNTS],
    pub(super) nonlinear: [[i16; 64]; MAX_NONLINEAR],
    pub(super) start: SumBlock,
}

const ROWS_BELOW: [u16; 16] = {
    let mut below = [0; 16];
    let mut row = 1;
    while row < 16 {
        below[row] = below[row - 1] << 1 | 1;
        row += 1;
    }
    below
};

/// First of the four rows to look up, by landing row 0 to 15: the landing row, at most [`LOW`].
const WINDOW_LANDING_ROWS: Lane = {
    let mut index = [0; 16];
    let mut k = 0;
    while k < 16 {
        index[k] = if k <= LOW { k as u8 } else { LOW as u8 };
        k += 1;
    }
    Lane(index)
};

const STEP_BITS: Lane = Lane([1, 2, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

#[inline(always)]
pub(super) fn pattern_of<S: Blocks, V: Bytes<S>>(step: V) -> V {
    let simd = step.simd();
    // Steps below -2 wrap to large bytes and steps above 2 become 5 or more: both find an entry of
    // 0.
    let index = step.add(V::splat(simd, 2)).min(V::splat(simd, 15));
    V::repeat(simd, &STEP_BITS).lookup(index)
}

#[repr(align(32))]
#[derive(Clone, Copy)]
pub(super) struct WalledColumns([u16; 48]);

impl WalledColumns {
    #[inline(always)]
    pub(super) fn from(&self, first: isize) -> &[u16; 16] {
        // Always in range; the alternative is for the compiler.
        let from = self.0.get(16usize.wrapping_add_signed(first)..);
        from.and_then(<[u16]>::first_chunk).unwrap_or(&[0; 16])
    }

    #[inline(always)]
    fn inner(&mut self) -> &mut [u16; 16] {
        let [_, inner, _] = self.0.as_chunks_mut::<16>().0 else { unreachable!("three chunks") };
        inner
    }
}

impl Tables {
    pub(in crate::kernels) const NONE: Tables = Tables {
        stack: 0,
        tall: false,
        words: [Neighbours::ZERO; 2],
        heights: [Lane::ZERO; 6],
        solid: [Lane::ZERO; 4],
        sums: [Lane::ZERO; 4],
        lowest: [Lane::ZERO; 4],
        empty: [[Lane::ZERO; 4]; 2],
        clean_below: [Lane::ZERO; 2],
        holed_rows: [Lane::ZERO; 2],
        high_wells: Lane::ZERO,
        depths: [Lane::ZERO; 6],
        gapless: [Lane::ZERO; 3],
        triangles: [0; 16],
        has_gaps: false,
        steps: [Lane::ZERO; 4],
        patterns: [Lane::ZERO; 5],
        columns: [WalledColumns([u16::MAX; 48]); 2],
        holes: [[0; 24]; 2],
        cached: None,
        cached_rows: [0; ROWS],
        next_value: None,
        nonlinear: [[0; 64]; MAX_NONLINEAR],
        start: SumBlock([[0; 16]; 4]),
        counts: [Block::ZERO; COUNTS],
    };

    #[inline(always)]
    pub(super) fn cached_value<S: Blocks>(&self, delta: &Delta, rows: Rows<S>) -> Option<i64> {
        let (of, value) = self.cached?;
        // Compared row by row: the caller may have replaced the board since.
        let same = of == delta.id && Rows::load(rows.simd(), &self.cached_rows).is_equal(rows);
        same.then_some(value)
    }

    /// Stores a board's score for the next decision, if the score depends on this board alone.
    #[inline(always)]
    pub(super) fn cache_value<S: Blocks>(
        &mut self,
        delta: &Delta,
        rows: Rows<S>,
        value: Option<i64>,
    ) {
        self.cached = None;
        if let Some(value) = value
            && delta.play.measured == Measured::AfterClear
            && delta.set & DIVERSITY == 0
        {
            self.cached = Some((delta.id, value));
            rows.store(&mut self.cached_rows);
        }
    }

    #[inline(always)]
    pub(super) fn read<S: Blocks>(&mut self, delta: &Delta, set: u32, rows: Rows<S>, stack: usize) {
        let simd = rows.simd();
        let zero = u8x16::splat(simd, 0);
        self.stack = stack;
        self.tall = stack > LOW;
        let walls = Words::load(simd, &delta.masks.walls);
        let low = rows.lower();
        let mut below = low.filled_down();
        let mut heights = zero;
        let mut holed_rows_high = 0;
        let mut holed_high = Words::splat(simd, 0);
        low.or(walls).store(self.columns[0].inner());
        // Skipped for low boards: their upper halves keep stale values that nothing reads.
        if self.tall {
            let high = rows.upper();
            let below_high = high.filled_down();
            // A column with a cell in row 16 or above is covered in all of rows 0 to 15.
            below = below.or(high.whole_unless_empty());
            heights = below_high.heights();
            let holes = below_high.without(high);
            store_beside_wall(holes, &mut self.holes[1]);
            holed_high = holes;
            holed_rows_high = holes.any_column() as u16;
            high.or(walls).store(self.columns[1].inner());
            low.or(walls).down(12).or(high.or(walls).up(4)).store_neighbours(&mut self.words[1]);
        }
        let walled = low.or(walls);
        walled.store_neighbours(&mut self.words[0]);
        let holes = below.without(low);
        store_beside_wall(holes, &mut self.holes[0]);
        heights = heights.add(below.heights());
        self.read_heights(heights, holes.or(holed_high));
        if set & (ANY_WELLS | ROWS_WITH_HOLES) != 0 {
            self.read_holed_rows(simd, holes.any_column() as u16, holed_rows_high);
        }
        if set & (BUMPINESS | DIVERSITY) != 0 {
            self.read_steps(delta, set, heights);
        }
        self.read_rows(delta, rows);
        if set & WELLS_FAST != 0 {
            read_fast_wells(delta, self);
        }
    }

    #[inline(always)]
    fn read_heights<S: Blocks>(&mut self, h0: u8x16<S>, holes: Words<S>) {
        let simd = h0.simd();
        let zero = u8x16::splat(simd, 0);
        let (h1, h2, h3) = (h0.next::<1>(zero), h0.next::<2>(zero), h0.next::<3>(zero));
        // The last byte of `zero`, then fifteen heights: the height of each column's left
        // neighbour, 0 at the wall.
        zero.next::<15>(h0).store_lane(&mut self.heights[0]);
        h0.store_lane(&mut self.heights[1]);
        h1.store_lane(&mut self.heights[2]);
        h2.store_lane(&mut self.heights[3]);
        h3.store_lane(&mut self.heights[4]);
        h0.next::<4>(zero).store_lane(&mut self.heights[5]);
        let whole = holes.whole_if_empty().condition();
        let solid = h0.or(u8x16::splat(simd, 127).without(whole));
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

    #[inline(always)]
    fn read_holed_rows<S: Blocks>(&mut self, simd: S, low: u16, high: u16) {
        let below = Words::load(simd, &ROWS_BELOW);
        // Word r masks the rows below r, so its bit count is the number of rows without holes below
        // r.
        let clean = Words::splat(simd, !low).and(below).heights();
        clean.store_lane(&mut self.clean_below[0]);
        four_rows_of_each(simd, low).store_lane(&mut self.holed_rows[0]);
        if self.tall {
            let clean = Words::splat(simd, !high).and(below).heights();
            let lower = u8x16::splat(simd, low.count_zeros() as u8);
            clean.add(lower).store_lane(&mut self.clean_below[1]);
            four_rows_of_each(simd, low >> 12 | high << 4).store_lane(&mut self.holed_rows[1]);
        }
    }

    #[inline(always)]
    fn read_rows<S: Blocks>(&mut self, delta: &Delta, rows: Rows<S>) {
        let simd = rows.simd();
        let zero = u8x16::splat(simd, 0);
        let width = u8x16::splat(simd, delta.size.width() as u8);
        let [low, high] = rows.counts();
        let (low, high) = (width.sub(low), width.sub(high));
        low.store_lane(&mut self.empty[0][0]);
        // Row 16 follows row 15. On a low stack `high` is the width, the value of rows without
        // cells.
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

    #[inline(always)]
    fn read_steps<S: Blocks>(&mut self, delta: &Delta, set: u32, heights: u8x16<S>) {
        let simd = heights.simd();
        let zero = u8x16::splat(simd, 0);
        let inner = u8x16::load_lane(simd, &delta.masks.steps);
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
            // The OR of all bytes left of each byte, by doubling: 1, 2, 4, 8 and 16 bytes. Then
            // likewise for the right side.
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

    #[inline(always)]
    fn read_fast_wells<S: Blocks>(&mut self, walls: Words<S>) {
        let simd = walls.simd();
        let zero = u8x16::splat(simd, 0);
        let heights = u8x16::load_lane(simd, &self.heights[1]);
        let all = Words::splat(simd, u16::MAX);
        let walled = Words::load(simd, self.columns[0].from(0));
        let mut below = walled.without(walls).filled_down();
        let mut high = Words::splat(simd, 0);
        if self.tall {
            high = Words::load(simd, self.columns[1].from(0));
            below = below.or(high.without(walls).whole_unless_empty());
        }
        let open = wells_outside(walled, below);
        let mut highest = open.filled_down();
        // Rows above a column's height that are no well cells: the lowest ends the gapless run.
        let gap = all.without(open.or(below));
        let mut gapless = all.without(gap.upward()).heights();
        let mut higher = zero;
        if self.tall {
            let below = high.without(walls).filled_down();
            let open = wells_outside(high, below);
            highest = highest.or(open.whole_unless_empty());
            higher = open.filled_down().heights();
            let without_gap = all.without(all.without(open.or(below)).upward());
            gapless = gapless.add(without_gap.and(gap.whole_if_empty()).heights());
        }
        let depth = highest.heights().add(higher).saturating_sub(heights);
        let gapless = gapless.sub(heights);
        // Without gaps the highest well cell is as high as there are well cells.
        self.has_gaps = depth.equal(gapless).bits() != 0xffff;
        zero.next::<15>(depth).store_lane(&mut self.depths[0]);
        depth.store_lane(&mut self.depths[1]);
        depth.next::<1>(zero).store_lane(&mut self.depths[2]);
        depth.next::<2>(zero).store_lane(&mut self.depths[3]);
        depth.next::<3>(zero).store_lane(&mut self.depths[4]);
        depth.next::<4>(zero).store_lane(&mut self.depths[5]);
        gapless.store_lane(&mut self.gapless[0]);
        gapless.next::<1>(zero).store_lane(&mut self.gapless[1]);
        gapless.next::<2>(zero).store_lane(&mut self.gapless[2]);
        let mut triangles = [0u16; 24];
        for c in 0..16 {
            let n = u16::from(self.depths[1].0[c]);
            // 1 + ... + n without a division: one of n and n + 1 is even, and that one is halved.
            triangles[c + 1] = n.div_ceil(2) * (n | 1);
        }
        self.triangles = [0; 16];
        for d in 0..5 {
            for c in 0..16 {
                self.triangles[c] = self.triangles[c].wrapping_sub(triangles[c + d]);
            }
        }
    }

    #[inline(always)]
    pub(super) fn read_high_wells<S: Blocks>(&mut self, simd: S) {
        let low = Words::load(simd, self.columns[0].from(0));
        let (mut filled, mut higher) = (low.filled_down(), u8x16::splat(simd, 0));
        if self.tall {
            let high = Words::load(simd, self.columns[1].from(0));
            let more = high.filled_down();
            filled = filled.or(high.whole_unless_empty());
            higher = count_wells_outside(high, more.up(4).or(filled.down(12)));
        }
        let four = count_wells_outside(low, filled.up(4).or(Words::splat(simd, 15))).add(higher);
        // Each of these cells loses four rows of depth when the I fills the four cells below.
        let two = four.add(four);
        two.add(two).store_lane(&mut self.high_wells);
    }

    /// Returns true if the four rows from `row` on have a hole in the columns from `column` - 1 to
    /// `column` + 4.
    #[inline(always)]
    pub(super) fn has_holes(&self, column: usize, row: usize) -> bool {
        let any = |half: &[u16; 24]| {
            // The widest piece has four columns, plus one on either side. `holes` begins one left
            // of column 0.
            let six = &half[column & 15..][..6];
            u32::from(six[0] | six[1] | six[2] | six[3] | six[4] | six[5])
        };
        let high = if self.tall { any(&self.holes[1]) } else { 0 };
        (any(&self.holes[0]) | high << 16) >> row & 15 != 0
    }

    /// Returns the height of a board column; the first column has number 1.
    pub(super) fn height(&self, column: usize) -> usize {
        self.heights[1].0[column - 1] as usize
    }

    /// Returns the holes of a board column, one bit for each row; the first column has number 1.
    pub(super) fn holes_in(&self, column: usize) -> u32 {
        let high = if self.tall { u32::from(self.holes[1][column]) } else { 0 };
        u32::from(self.holes[0][column]) | high << 16
    }

    /// Returns the cells of a board column, one bit for each row; the first column has number 1.
    /// Columns outside the board are filled.
    pub(super) fn column_or_wall(&self, column: usize) -> u32 {
        match column {
            1..=16 => {
                let [low, high] = &self.columns;
                let high = if self.tall { u32::from(high.from(0)[column - 1]) } else { 0 };
                u32::from(low.from(0)[column - 1]) | high << 16
            }
            _ => u32::MAX,
        }
    }
}

// Not inlined: it would take registers from feature sets without fast wells (BCTS: 1.13 times as
// long).
#[cold]
#[inline(never)]
fn read_fast_wells(delta: &Delta, tables: &mut Tables) {
    simd::run(delta.level, ReadFastWellsJob { delta, tables });
}

struct ReadFastWellsJob<'a> {
    delta: &'a Delta,
    tables: &'a mut Tables,
}

impl BoardJob for ReadFastWellsJob<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) {
        self.tables.read_fast_wells(Words::load(simd, &self.delta.masks.walls));
    }
}

#[inline(always)]
fn wells_outside<S: Blocks>(walled: Words<S>, rows: Words<S>) -> Words<S> {
    let wells = walled.left_neighbour().and(walled.right_neighbour()).without(walled);
    wells.without(rows)
}

#[inline(always)]
fn count_wells_outside<S: Blocks>(walled: Words<S>, rows: Words<S>) -> u8x16<S> {
    wells_outside(walled, rows).heights()
}

#[inline(always)]
fn store_beside_wall<S: Blocks>(words: Words<S>, to: &mut [u16; 24]) {
    if let Some(to) = to[1..].first_chunk_mut() {
        words.store(to);
    }
}

/// Returns, for each row r up to 12, the four bits r to r + 3 of `word`, as one byte.
#[inline(always)]
fn four_rows_of_each<S: Blocks>(simd: S, word: u16) -> u8x16<S> {
    let from = u8x16::window_factors(u8x16::load_lane(simd, &WINDOW_LANDING_ROWS));
    u8x16::four_rows([u8x16::splat_word(simd, word); 2], from)
}

/// Returns the stack height, or `None` if score changes cannot be computed on this board: it is too
/// high or has a full row.
#[inline(always)]
pub(super) fn playable_stack<S: Blocks>(delta: &Delta, rows: Rows<S>) -> Option<usize> {
    let stack = ROWS - rows.occupied().leading_zeros() as usize;
    let full = rows.equal(full_row(delta.size.width()));
    (full == 0 && stack <= delta.size.height().min(24)).then_some(stack)
}
