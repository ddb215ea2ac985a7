//! Registers of bytes in lanes of sixteen, the columns of boards, and their rows: what the difference
//! kernel is written over.
//!
//! A lane holds one orientation of a piece and a byte of it one column, so that looking up and moving
//! stay inside lanes, which every instruction set can do.

use crate::board::ROWS;

/// One byte for each column.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Lane(pub(crate) [u8; 16]);

/// One byte for each column of up to four orientations.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u8; 64]);

/// One `i32` for each byte of a block: those of columns 0 to 3 of all lanes, of columns 4 to 7, and so on.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct SumBlock(pub(crate) [[i32; 16]; 4]);

impl Lane {
    pub(crate) const ZERO: Lane = Lane([0; 16]);
}

impl Block {
    pub(crate) const ZERO: Block = Block([0; 64]);
}

impl SumBlock {
    /// Where a byte of a block has its sum.
    pub(crate) fn place(byte: usize) -> (usize, usize) {
        (byte % 16 / 4, byte / 16 * 4 + byte % 4)
    }
}

/// A register of bytes, or several. Arithmetic wraps; a condition is a byte of 0 or 255.
///
/// As with [`Lanes`](super::Lanes), methods are reached only through [`run`](super::run) and its like.
pub(crate) trait Bytes: Copy {
    /// A 16-bit word for each byte.
    type Words: Copy;
    /// Made of rows, to move words by.
    type Shift: Copy;
    /// An `i32` for each byte.
    type Sums: Copy;

    fn splat(value: u8) -> Self;
    /// The first lanes of a block.
    fn load(from: &Block) -> Self;
    fn store(self, to: &mut Block);
    /// The same lane in all.
    fn repeat(lane: &Lane) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self & !other`
    fn without(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The difference, or 0 where that is negative.
    fn above(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn equal(self, other: Self) -> Self;
    /// One more where both others are equal.
    fn plus_equal(self, a: Self, b: Self) -> Self;
    /// More by `what` where both others are equal.
    fn plus_where_equal(self, what: Self, a: Self, b: Self) -> Self;
    /// Where the condition holds `yes`, elsewhere `no`.
    fn select(self, yes: Self, no: Self) -> Self;
    /// Each index below 16 replaced by the byte of its lane of `self`, those from 128 on by 0.
    fn lookup(self, index: Self) -> Self;
    /// The highest bit of each byte.
    fn bits(self) -> u64;

    /// Makes rows of 0 to 12 ready to move words by.
    fn shift(rows: Self) -> Self::Shift;
    /// Four rows of each column from a row on: words of columns 0 to 7 and 8 to 15.
    fn window(words: &[Lane; 2], from: Self::Shift) -> Self;

    /// `a[0] * b[0] + a[1] * b[1]`, `a` unsigned and `b` signed.
    fn products(a: [Self; 2], b: [Self; 2]) -> Self::Words;
    fn add_words(a: Self::Words, b: Self::Words) -> Self::Words;
    /// Words as signed bytes, the nearest where they are none.
    fn narrow(words: Self::Words) -> Self;
    /// As [`Bytes::products`] with weights from memory, of columns 0 to 7 and 8 to 15, in turn.
    fn weighed(a: [Self; 2], weights: &[Block; 2]) -> Self::Words;
    /// `high * base + low + start`; far below all others where a byte of `sound` is
    /// 0 and not 1.
    fn sums(
        high: Self::Words,
        low: Self::Words,
        base: i16,
        sound: Self,
        start: &SumBlock,
    ) -> Self::Sums;
    /// The largest sum in the place of each.
    fn largest(sums: Self::Sums) -> Self;
    /// The first `i32`.
    fn number(self) -> i32;
    /// Each `i32` less by some.
    fn lowered(self, by: i32) -> Self;
    /// One bit for each sum that is no less, of bytes that are no placements maybe too.
    fn at_least(sums: Self::Sums, least: Self) -> u64;
    fn load_sums(from: &SumBlock) -> Self::Sums;
    fn store_sums(sums: Self::Sums, to: &mut SumBlock);
}

/// One lane: what is known of a board, a byte for each column or row.
pub(crate) trait OneLane: Bytes {
    fn load_lane(from: &Lane) -> Self;
    fn store_lane(self, to: &mut Lane);
    /// What lies `D` bytes further on, from `beyond` past the last; `D` up to 15.
    fn next<const D: i32>(self, beyond: Self) -> Self;
    fn abs_difference(self, other: Self) -> Self;
    /// The same word eight times.
    fn splat_word(word: u16) -> Self;
}

/// All rows of a board.
pub(crate) trait Rows: Copy {
    type Words: Words;
    fn load(from: &[u16; ROWS]) -> Self;
    fn store(self, to: &mut [u16; ROWS]);
    /// With cells that are given as rows, moved right by some columns.
    fn with(self, cells: &[u16; ROWS], columns: u32) -> Self;
    /// The rows that are equal to one, a bit for each.
    fn equal(self, row: u16) -> u32;
    /// Whether all rows are the same.
    fn same(self, other: Self) -> bool;
    /// The rows that have cells.
    fn occupied(self) -> u32;
    /// Without some rows, those above moved down.
    fn removed(self, rows: u32) -> Self;
    /// The cells in each row.
    fn counts(self) -> [<Self::Words as Words>::Lane; 2];
    /// The columns of rows 0 to 15.
    fn lower(self) -> Self::Words;
    /// The columns of rows 16 to 31.
    fn upper(self) -> Self::Words;
}

/// Sixteen rows of sixteen columns, a word for each column: bit r is row r.
pub(crate) trait Words: Copy {
    type Lane: OneLane;
    /// Numbers of bits, a byte for each eight rows.
    type Counts: Copy;
    fn splat(column: u16) -> Self;
    fn load(from: &[u16; 16]) -> Self;
    fn store(self, to: &mut [u16; 16]);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self & !other`
    fn without(self, other: Self) -> Self;
    /// Everything `N` rows up, or down.
    fn up<const N: i32>(self) -> Self;
    fn down<const N: i32>(self) -> Self;
    /// Each column in the place of the one on its left, a wall in the last.
    fn right_neighbour(self) -> Self;
    /// Each column in the place of the one on its right, a wall in the first.
    fn left_neighbour(self) -> Self;
    /// In each column the bits from the lowest that is set on.
    fn upward(self) -> Self;
    /// All rows of the columns that have none.
    fn whole_if_empty(self) -> Self;
    /// The bits of each column.
    fn heights(self) -> Self::Lane;
    /// 255 for the columns of which a condition holds.
    fn condition(self) -> Self::Lane;
    /// Rows that have a bit in any column.
    fn any_column(self) -> u16;
    fn is_empty(self) -> bool;
    fn counts(self) -> Self::Counts;
    fn add_counts(a: Self::Counts, b: Self::Counts) -> Self::Counts;
    /// Four totals.
    fn totals(counts: [Self::Counts; 4]) -> [i64; 4];
    /// Columns moved: those of columns 0 to 7 and 8 to 15 from two left of each to five right, walls
    /// outside.
    fn aside(self, to: &mut [[Lane; 2]; 8]);
}

/// Two registers side by side.
#[derive(Clone, Copy)]
pub(crate) struct Pair<V>(pub(crate) V, pub(crate) V);
