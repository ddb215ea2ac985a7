//! Represents a board by rows or by columns, one word for each.

use fearless_simd::prelude::*;
use fearless_simd::{i16x16, u8x16, u8x32, u16x16, u16x32, u64x2, u64x4};

use super::blocks::Blocks;
use super::bytes::{Bytes as _, Neighbours, OneLane};
use crate::board::ROWS;

/// All rows of a board: row r is word r, and bit c is column c, as in `board`.
#[derive(Clone, Copy)]
pub(crate) struct Rows<S: Simd>(u16x32<S>);

impl<S: Blocks> Rows<S> {
    #[inline(always)]
    pub(crate) fn load(simd: S, from: &[u16; ROWS]) -> Self {
        Rows(u16x32::from_slice(simd, from))
    }
    #[inline(always)]
    pub(crate) fn store(self, to: &mut [u16; ROWS]) {
        self.0.store_slice(to);
    }
    #[inline(always)]
    pub(crate) fn simd(self) -> S {
        self.0.token()
    }
    /// Adds the filled cells of `cells`, moved to the right by `columns`.
    #[inline(always)]
    pub(crate) fn with(self, cells: &[u16; ROWS], columns: u32) -> Self {
        Rows(self.0 | u16x32::from_slice(self.simd(), cells) << columns)
    }
    /// Returns the rows that equal `row`, one bit each.
    #[inline(always)]
    pub(crate) fn equal(self, row: u16) -> u32 {
        let (low, high) = self.0.split();
        low.simd_eq(row).narrow(high.simd_eq(row)).to_bitmask() as u32
    }
    /// Returns true if all rows are equal.
    #[inline(always)]
    pub(crate) fn same(self, other: Self) -> bool {
        let (low, high) = (self.0 ^ other.0).split();
        (low | high).simd_eq(0).all_true()
    }
    /// Returns the rows that have cells, one bit each.
    #[inline(always)]
    pub(crate) fn occupied(self) -> u32 {
        !self.equal(0)
    }
    /// Removes the rows in `rows`, moves those above down, and adds empty rows at the top.
    ///
    /// ```text
    /// rows     a b c d e ...     row 0 first
    /// removed  0b00110           rows 1 and 2
    /// result   a d e ... . .
    /// ```
    #[inline(always)]
    pub(crate) fn removed(self, rows: u32) -> Self {
        Rows(self.simd().without_rows(self.0, rows))
    }
    /// Returns the number of cells in each row: rows 0 to 15, then 16 to 31.
    #[inline(always)]
    pub(crate) fn counts(self) -> [u8x16<S>; 2] {
        let (low, high) = self.0.split();
        [Words(low).heights(), Words(high).heights()]
    }
    /// Returns the columns of rows 0 to 15: bit r of word c is bit c of row r.
    #[inline(always)]
    pub(crate) fn lower(self) -> Words<S> {
        Words(self.simd().transposed(self.0.split().0))
    }
    /// Returns the columns of rows 16 to 31, as `lower` does.
    #[inline(always)]
    pub(crate) fn upper(self) -> Words<S> {
        Words(self.simd().transposed(self.0.split().1))
    }
}

/// The cells of a board, one word for each column.
///
/// Features are written once over this trait, for [`Words`] and [`All`]. [`Words`] cost half as
/// much, and most boards are lower than 16 rows.
pub(crate) trait ColumnCells<S: Blocks>: Copy {
    /// Number of rows that the type stores, including rows above the board: 16 or 32. Features that
    /// count rows correct their counts for these rows.
    const ROWS: usize;
    /// Loads rows 0 to 15 of each column from `low`, and rows 16 to 31, if any, from `high`.
    fn load_both(simd: S, low: &[u16; 16], high: &[u16; 16]) -> Self;
    /// Returns the token with which the cells were loaded.
    fn simd(self) -> S;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Returns the cells that are set in exactly one of `self` and `other`. Between neighbouring
    /// columns these are transitions.
    fn xor(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// Moves all cells `rows` rows up, 1 to 15; empty ones enter at row 0.
    fn up(self, rows: u32) -> Self;
    /// Moves all cells `rows` rows down, 1 to 15; cells that leave row 0 are lost.
    fn down(self, rows: u32) -> Self;
    /// Returns, for each column, the cells of its left neighbour: a filled wall for the first
    /// column.
    fn left_neighbour(self) -> Self;
    /// Returns, for each column, the cells of its right neighbour: a filled wall for the last
    /// column.
    fn right_neighbour(self) -> Self;
    /// Fills each column from its highest cell down.
    ///
    /// ```text
    /// column       0000 0100 0000 0000     bit 10 set; smeared by 1, 2, 4 and 8 rows toward bit 0
    /// filled down  0000 0111 1111 1111     bit count = height; bits not set in `column` are holes
    /// ```
    fn filled_down(self) -> Self;
    /// Fills each column from its lowest cell up.
    ///
    /// `x | -x`: the negative of a number has its lowest bit and, above it, the opposite of all its
    /// bits.
    fn upward(self) -> Self;
    /// Adds the columns as numbers, in which row r is the binary digit 2^r.
    fn plus(self, other: Self) -> Self;
    /// Counts the cells of each column, one byte for each eight rows. [`All`] adds the counts of
    /// rows 16 to 31 to those of rows 0 to 15.
    fn counts(self) -> Counts<S>;
    /// Returns the number of cells of each column. This is its height if the column is filled down.
    fn heights(self) -> u8x16<S>;
    /// Returns the rows that have a cell in any column.
    fn any_column(self) -> u32;
    fn is_empty(self) -> bool;
}

/// Sixteen rows of sixteen columns, one word for each column: bit r is row r.
#[derive(Clone, Copy)]
pub(crate) struct Words<S: Simd>(u16x16<S>);

/// Counts of set bits, one byte for each eight rows of a column. They are bytes, so a sum may have
/// at most 31 terms.
#[derive(Clone, Copy)]
pub(crate) struct Counts<S: Simd>(u8x32<S>);

impl<S: Blocks> Counts<S> {
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        Counts(self.0 + other.0)
    }
    /// Returns the number of cells of each column.
    #[inline(always)]
    pub(crate) fn numbers(self) -> Words<S> {
        Words(self.0.pairwise_widening_add())
    }
    /// Returns the total of each of four counts over all columns and rows. Four cost little more
    /// than one.
    #[inline(always)]
    pub(crate) fn totals(counts: [Self; 4]) -> [i64; 4] {
        let simd = counts[0].0.token();
        // Sums of eight bytes, below 2^16 even after four additions, so four totals fit one word of
        // 64 bits.
        let sums = |k: usize| simd.sums_of_eight(counts[k].0);
        let four: u64x4<S> = sums(0) | sums(1) << 16 | (sums(2) | sums(3) << 16) << 32;
        let (low, high) = four.split();
        let two: u64x2<S> = low + high;
        let sum = two[0].wrapping_add(two[1]) as i64;
        [sum & 0xffff, sum >> 16 & 0xffff, sum >> 32 & 0xffff, sum >> 48 & 0xffff]
    }
}

impl<S: Blocks> ColumnCells<S> for Words<S> {
    const ROWS: usize = 16;
    #[inline(always)]
    fn load_both(simd: S, low: &[u16; 16], _: &[u16; 16]) -> Self {
        Words::load(simd, low)
    }
    #[inline(always)]
    fn simd(self) -> S {
        self.0.token()
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Words(self.0 & other.0)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Words(self.0 | other.0)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Words(self.0 ^ other.0)
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Words(self.0 & !other.0)
    }
    #[inline(always)]
    fn not(self) -> Self {
        Words(!self.0)
    }
    #[inline(always)]
    fn up(self, rows: u32) -> Self {
        Words(self.0 << rows)
    }
    #[inline(always)]
    fn down(self, rows: u32) -> Self {
        Words(self.0 >> rows)
    }
    #[inline(always)]
    fn left_neighbour(self) -> Self {
        Words(u16x16::splat(self.simd(), u16::MAX).slide::<15>(self.0))
    }
    #[inline(always)]
    fn right_neighbour(self) -> Self {
        Words(self.0.slide::<1>(u16::MAX))
    }
    #[inline(always)]
    fn filled_down(self) -> Self {
        let two = self.or(self.down(1));
        let four = two.or(two.down(2));
        let eight = four.or(four.down(4));
        eight.or(eight.down(8))
    }
    #[inline(always)]
    fn upward(self) -> Self {
        Words(self.0 | (u16x16::splat(self.simd(), 0) - self.0))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Words(self.0 + other.0)
    }
    #[inline(always)]
    fn counts(self) -> Counts<S> {
        Counts(self.0.bitcast::<u8x32<S>>().count_ones())
    }
    #[inline(always)]
    fn heights(self) -> u8x16<S> {
        Words(self.0.count_ones()).condition()
    }
    #[inline(always)]
    fn any_column(self) -> u32 {
        let (low, high) = self.0.split();
        let eight: u64x2<S> = (low | high).bitcast();
        let four = eight[0] | eight[1];
        let two = four | four >> 32;
        u32::from((two | two >> 16) as u16)
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.simd_eq(0).all_true()
    }
}

impl<S: Blocks> Words<S> {
    #[inline(always)]
    pub(crate) fn splat(simd: S, column: u16) -> Self {
        Words(u16x16::splat(simd, column))
    }
    /// Loads sixteen columns, the leftmost first.
    #[inline(always)]
    pub(crate) fn load(simd: S, from: &[u16; 16]) -> Self {
        Words(u16x16::from_slice(simd, from))
    }
    #[inline(always)]
    pub(crate) fn store(self, to: &mut [u16; 16]) {
        self.0.store_slice(to);
    }
    /// Returns all rows of each empty column and no row of the others, as a condition.
    #[inline(always)]
    pub(crate) fn whole_if_empty(self) -> Self {
        Words(self.0.simd_eq(0).to_vector().bitcast())
    }
    /// Returns all rows of each column that has a cell and no row of the others.
    #[inline(always)]
    pub(crate) fn whole_unless_empty(self) -> Self {
        self.whole_if_empty().not()
    }
    /// Converts a condition to one byte for each column: 255 if true (all rows set), 0 if false.
    #[inline(always)]
    pub(crate) fn condition(self) -> u8x16<S> {
        let (low, high) = self.0.bitcast::<i16x16<S>>().split();
        low.saturating_narrow(high).bitcast()
    }
    /// Returns the product of the numbers of each column, modulo 2^16.
    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Self {
        Words(self.0 * other.0)
    }
    /// Stores eight copies of the columns in `to`, shifted from two columns left to five columns
    /// right. Columns outside the board are walls.
    #[inline(always)]
    pub(crate) fn store_neighbours(self, to: &mut Neighbours) {
        let (low, high) = self.0.split();
        let (low, high): (u8x16<S>, u8x16<S>) = (low.bitcast(), high.bitcast());
        let wall: u8x16<S> = SimdBase::splat(self.simd(), u8::MAX);
        let to = &mut to.0;
        // Words have two bytes. Byte 12 of walls followed by columns is thus two columns left of
        // the first.
        wall.next::<12>(low).store_lane(&mut to[0]);
        low.next::<12>(high).store_lane(&mut to[1]);
        wall.next::<14>(low).store_lane(&mut to[2]);
        low.next::<14>(high).store_lane(&mut to[3]);
        low.store_lane(&mut to[4]);
        high.store_lane(&mut to[5]);
        low.next::<2>(high).store_lane(&mut to[6]);
        high.next::<2>(wall).store_lane(&mut to[7]);
        low.next::<4>(high).store_lane(&mut to[8]);
        high.next::<4>(wall).store_lane(&mut to[9]);
        low.next::<6>(high).store_lane(&mut to[10]);
        high.next::<6>(wall).store_lane(&mut to[11]);
        low.next::<8>(high).store_lane(&mut to[12]);
        high.next::<8>(wall).store_lane(&mut to[13]);
        low.next::<10>(high).store_lane(&mut to[14]);
        high.next::<10>(wall).store_lane(&mut to[15]);
    }
}

/// All 32 rows of a board, two words for each column: rows 0 to 15, then rows 16 to 31.
#[derive(Clone, Copy)]
pub(crate) struct All<S: Blocks>(pub(crate) Words<S>, pub(crate) Words<S>);

impl<S: Blocks> ColumnCells<S> for All<S> {
    const ROWS: usize = ROWS;
    #[inline(always)]
    fn load_both(simd: S, low: &[u16; 16], high: &[u16; 16]) -> Self {
        All(Words::load(simd, low), Words::load(simd, high))
    }
    #[inline(always)]
    fn simd(self) -> S {
        self.0.simd()
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        All(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        All(self.0.or(other.0), self.1.or(other.1))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        All(self.0.xor(other.0), self.1.xor(other.1))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        All(self.0.without(other.0), self.1.without(other.1))
    }
    #[inline(always)]
    fn not(self) -> Self {
        All(self.0.not(), self.1.not())
    }
    #[inline(always)]
    fn up(self, rows: u32) -> Self {
        // The highest rows of the lower word become the lowest of the upper one.
        All(self.0.up(rows), self.1.up(rows).or(self.0.down(16 - rows)))
    }
    #[inline(always)]
    fn down(self, rows: u32) -> Self {
        All(self.0.down(rows).or(self.1.up(16 - rows)), self.1.down(rows))
    }
    #[inline(always)]
    fn left_neighbour(self) -> Self {
        All(self.0.left_neighbour(), self.1.left_neighbour())
    }
    #[inline(always)]
    fn right_neighbour(self) -> Self {
        All(self.0.right_neighbour(), self.1.right_neighbour())
    }
    #[inline(always)]
    fn filled_down(self) -> Self {
        // A column with a cell above row 15 is filled in all sixteen rows below.
        let under = self.1.whole_unless_empty();
        All(self.0.filled_down().or(under), self.1.filled_down())
    }
    #[inline(always)]
    fn upward(self) -> Self {
        // A column with a cell below row 16 is filled in all rows above.
        let over = self.0.whole_unless_empty();
        All(self.0.upward(), self.1.upward().or(over))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let low = self.0.plus(other.0);
        // The lower word carries if both highest bits are set, or if one is and the sum's is not.
        let carry = self.0.and(other.0).or(self.0.or(other.0).without(low)).down(15);
        All(low, self.1.plus(other.1).plus(carry))
    }
    #[inline(always)]
    fn counts(self) -> Counts<S> {
        self.0.counts().plus(self.1.counts())
    }
    #[inline(always)]
    fn heights(self) -> u8x16<S> {
        self.0.heights().add(self.1.heights())
    }
    #[inline(always)]
    fn any_column(self) -> u32 {
        self.0.any_column() | self.1.any_column() << 16
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.or(self.1).is_empty()
    }
}
