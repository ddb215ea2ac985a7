//! Defines the traits over which the difference kernel is written: registers of bytes in lanes of
//! sixteen, and the columns and rows of a board.
//!
//! A lane holds one orientation of a piece, one byte for each column. Look-ups and moves stay
//! inside lanes, which every instruction set supports.

use crate::board::ROWS;

/// One byte for each column or for each of sixteen rows, aligned for fast loads.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Lane(pub(crate) [u8; 16]);

/// One byte for each column of up to four orientations.
///
/// ```text
/// byte    0 .. 15 | 16 .. 31 | 32 .. 47 | 48 .. 63        byte 16 o + c: orientation o in column c
/// lane       0    |    1     |    2     |    3
/// ```
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u8; 64]);

/// One `i32` for each byte of a block: first columns 0 to 3 of all lanes, then 4 to 7, and so on.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct SumBlock(pub(crate) [[i32; 16]; 4]);

/// Eight copies of a board's sixteen columns, each shifted by one column more: from two columns
/// left to five columns right. The order within suits the level's [`Windows`].
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Neighbours(pub(super) [Lane; 16]);

impl Neighbours {
    pub(crate) const ZERO: Neighbours = Neighbours([Lane::ZERO; 16]);

    /// Returns the copy of the columns for window `column`: the words of columns 0 to 7, then of
    /// columns 8 to 15.
    #[inline(always)]
    pub(super) fn beside(&self, column: usize) -> [&Lane; 2] {
        [&self.0[2 * column], &self.0[2 * column + 1]]
    }
    /// Returns the copy of the columns for window `column`: the words of columns 0-3 and 8-11, then
    /// of 4-7 and 12-15. The second part is also the first part of window `column + 4`.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn by_four(&self, column: usize) -> [&Lane; 2] {
        let at = 3 * (column % 4) + column / 4;
        [&self.0[at], &self.0[at + 1]]
    }
}

impl Lane {
    pub(crate) const ZERO: Lane = Lane([0; 16]);
}

impl Block {
    pub(crate) const ZERO: Block = Block([0; 64]);
}

impl SumBlock {
    /// Returns the two indices of the sum of byte `byte`.
    ///
    /// ```text
    /// byte 16 o + c  ->  [c / 4][4 o + c % 4]
    ///
    /// [0]   c 0-3 of o 0 | c 0-3 of o 1 | c 0-3 of o 2 | c 0-3 of o 3
    /// [1]   c 4-7 of o 0 | c 4-7 of o 1 | ...
    /// [2]   c 8-11 ...
    /// [3]   c 12-15 ...
    /// ```
    ///
    /// Unpacking bytes to words and words to sums leaves this order, so no register is reordered.
    pub(crate) fn place(byte: usize) -> (usize, usize) {
        (byte % 16 / 4, byte / 16 * 4 + byte % 4)
    }
}

/// Maximum high word of the sum of a placement that is not eligible; the sum is then far below all
/// others.
///
/// The value is -32,513. With 1 subtracted from its high byte it is 0x7fff, the largest word: a
/// byte of `eligible` selects this bound or none. `kernels::delta::weights` lists the sums of
/// placements.
pub(super) const INELIGIBLE: i16 = 0x80ff_u16 as i16;

/// One or more registers of bytes. Arithmetic wraps; a condition is a byte of 0 (false) or 255
/// (true).
///
/// | instance | lanes | registers | used for |
/// |---|---|---|---|
/// | `Xmm`, `Q` | 1 | one of SSE or NEON | a board: one byte for each column or row |
/// | `Ymm` | 2 | one of AVX2 | I O S Z |
/// | `YmmM` | 2 | one at AVX-512 | I |
/// | `Zmm` | 4 | one of AVX-512 | T J L, and O S Z if joined |
/// | `Pair<Ymm>` | 4 | two of AVX2 | T J L |
/// | `Pair<Q>`, `Pair<Pair<Q>>` | 2, 4 | two or four of NEON | as `Ymm`, `Pair<Ymm>` |
///
/// Methods are called only through [`run`](super::run) and similar
/// functions. `bytes_arrays` defines their meaning, and every instance is tested against it.
pub(crate) trait Bytes: Copy {
    /// Number of lanes of sixteen bytes. A register that is loaded from a block has its first
    /// lanes.
    const LANES: usize;
    /// A 16-bit word for each byte, in two registers: columns 0 to 7 of each lane, then 8 to 15.
    type Words: Copy;
    /// An `i32` for each byte, in four registers ordered as [`SumBlock`].
    type Sums: Copy;

    fn splat(value: u8) -> Self;
    fn load_at(from: &Block, lane: usize) -> Self;
    fn store_at(self, to: &mut Block, lane: usize);
    /// Repeats `lane` in all lanes of the register.
    ///
    /// ```text
    /// lane         a b c d e ...                    one load of the board by column serves every
    /// register     a b c d e ... | a b c d e ...    orientation: each placement has its column
    /// ```
    fn repeat(lane: &Lane) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    /// Returns the sum modulo 256; all counts in this project stay below 256.
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// Returns `self - other` for each byte, or 0 if that is negative.
    fn saturating_sub(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// Returns the mean of `self` and `other` for each byte, rounded up.
    fn mean(self, other: Self) -> Self;
    /// Returns 255 for each byte that is equal in `self` and `other`, and 0 for all others.
    fn equal(self, other: Self) -> Self;
    /// Adds 1 to each byte for which `a` and `b` are equal.
    #[inline(always)]
    fn plus_equal(self, a: Self, b: Self) -> Self {
        self.sub(a.equal(b))
    }
    /// Adds the byte of `what` to each byte for which `a` and `b` are equal.
    #[inline(always)]
    fn plus_where_equal(self, what: Self, a: Self, b: Self) -> Self {
        self.add(a.equal(b).and(what))
    }
    /// Returns the byte of `yes` where the condition `self` is true, and that of `no` elsewhere.
    fn select(self, yes: Self, no: Self) -> Self;
    /// Looks up each byte of `index` in the lane of `self` that has the same position. The result
    /// is 0 for an index from 128 on.
    ///
    /// ```text
    /// self     t0 t1 ... t15 | u0 u1 ... u15     each lane has its own table, for its orientation
    /// index     2  2 ...  0  |  2  7 ...  1
    /// result   t2 t2 ... t0  | u2 u7 ... u1      indices 16 to 127 are not allowed
    /// ```
    fn lookup(self, index: Self) -> Self;
    /// Looks up each byte of `index` in two tables for its lane: `low` for 0 to 15, `high` for 16
    /// to 31.
    fn lookup_in_both(low: Self, high: Self, index: Self) -> Self;
    /// Returns the highest bit of each byte: bit 16 o + c is orientation o in column c. The lowest
    /// set bit is the first placement.
    fn bits(self) -> u64;

    /// Returns `a[0] * b[0] + a[1] * b[1]` for each byte, with `a` from 0 to 127 and `b` signed.
    /// NEON multiplies signed bytes only, hence the limit.
    fn products(a: [Self; 2], b: [Self; 2]) -> Self::Words;
    /// Returns the sums of the words of `a` and `b`, modulo 2^16.
    fn add_words(a: Self::Words, b: Self::Words) -> Self::Words;
    /// Repeats the sixteen words, one for each column, in all lanes.
    fn repeat_words(from: &[u16; 16]) -> Self::Words;
    /// Converts words to signed bytes in the order of columns, saturating at -128 and 127.
    fn narrow(words: Self::Words) -> Self;
    /// Returns `a[0] * weights[0] + a[1] * weights[1]` for each byte, with `a` unsigned and the
    /// weights signed.
    ///
    /// The two weights alternate in `weights` and are equal for all columns of a lane. No result
    /// may exceed a word. `lane` is the position of the register's first lane in the block.
    fn weighed_at(a: [Self; 2], weights: &Block, lane: usize) -> Self::Words;
    /// Returns `high * base + low + start` for each byte. If its byte of `eligible` is 0 instead of
    /// 1, `high` is limited to at most [`INELIGIBLE`]. `lane` is the position of the register's
    /// first lane in the block.
    fn sums_at(
        high: Self::Words,
        low: Self::Words,
        base: i16,
        eligible: Self,
        start: &SumBlock,
        lane: usize,
    ) -> Self::Sums;
    /// Returns the largest of all sums, repeated in every `i32`, so that it can be compared with
    /// all sums.
    fn largest(sums: Self::Sums) -> Self;
    /// Returns the sums that are less than `than`, and `i32::MIN` in place of all others.
    fn only_less(sums: Self::Sums, than: Self) -> Self::Sums;
    /// Returns the first `i32` of the register, which is the number that [`Bytes::largest`] found.
    fn number(self) -> i32;
    /// Subtracts `by` from each `i32`.
    fn lowered(self, by: i32) -> Self;
    /// Returns one byte for each sum. Its highest bit is set if the sum is less than `than`.
    fn less(sums: Self::Sums, than: Self) -> Self;
    fn load_sums_at(from: &SumBlock, lane: usize) -> Self::Sums;
    fn store_sums_at(sums: Self::Sums, to: &mut SumBlock, lane: usize);

    #[inline(always)]
    fn load(from: &Block) -> Self {
        Self::load_at(from, 0)
    }
    #[inline(always)]
    fn store(self, to: &mut Block) {
        self.store_at(to, 0);
    }
    /// Calls [`Bytes::weighed_at`] with the weights of the first lanes.
    #[inline(always)]
    fn weighed(a: [Self; 2], weights: &Block) -> Self::Words {
        Self::weighed_at(a, weights, 0)
    }
    /// Calls [`Bytes::sums_at`] with the elements of `start` for the first lanes.
    #[inline(always)]
    fn sums(
        high: Self::Words,
        low: Self::Words,
        base: i16,
        eligible: Self,
        start: &SumBlock,
    ) -> Self::Sums {
        Self::sums_at(high, low, base, eligible, start, 0)
    }
    /// Returns the bytes whose sum is at least `least`, one bit each. Bytes without a placement may
    /// be among them.
    #[inline(always)]
    fn at_least(sums: Self::Sums, least: Self) -> u64 {
        !Self::less(sums, least).bits() & (u64::MAX >> (64 - 16 * Self::LANES))
    }
    #[inline(always)]
    fn store_sums(sums: Self::Sums, to: &mut SumBlock) {
        Self::store_sums_at(sums, to, 0);
    }
}

/// Registers that read windows: four rows of a column near each placement.
pub(crate) trait Windows: Bytes {
    /// Distances by which words are shifted, computed from rows.
    type Shift: Copy;

    /// Converts rows, 0 to 12, into the shift distances that [`Windows::window`] takes.
    fn shift(rows: Self) -> Self::Shift;
    /// Returns four rows of a column near each placement, from the row that `from` was computed
    /// from. `column` is 2 for the placement's own column, 0 for the second on its left, and 7 for
    /// the fifth on its right.
    ///
    /// ```text
    /// word of column c    .... .... ...d cba. ....      rows r to r + 3 at bits r to r + 3
    /// byte of column c                   0000 dcba      for each orientation's own r
    /// ```
    fn window(neighbours: &Neighbours, column: usize, from: Self::Shift) -> Self;
}

/// Registers that can be one half of a pair.
///
/// A pair's largest sum and the bits of its conditions depend on both registers.
pub(crate) trait Half: Bytes {
    /// Returns the larger of the two sums at each position.
    fn larger(a: Self::Sums, b: Self::Sums) -> Self::Sums;
    /// Returns the highest bits of both registers, those of `b` above those of `a`.
    #[inline(always)]
    fn bits_of_both(a: Self, b: Self) -> u64 {
        a.bits() | b.bits() << (16 * Self::LANES)
    }
}

/// One lane: a board's values, one byte for each column or row.
pub(crate) trait OneLane: Bytes {
    #[inline(always)]
    fn load_lane(from: &Lane) -> Self {
        Self::repeat(from)
    }
    fn store_lane(self, to: &mut Lane);
    /// Stores the words of all columns in order.
    fn store_words(words: Self::Words, to: &mut [i16; 16]);
    /// Shifts the lane to the left by `D` bytes, 0 to 15; bytes of `beyond` follow the last one.
    ///
    /// ```text
    /// self        a b c d ... p       next::<1>(beyond)     b c d ... p A    right neighbours
    /// beyond      A B C ...           zero.next::<15>(self) 0 a b c ... o    left neighbours
    /// ```
    fn next<const D: i32>(self, beyond: Self) -> Self;
    /// Returns the absolute difference of two unsigned bytes: one of the saturating differences is
    /// 0.
    #[inline(always)]
    fn abs_difference(self, other: Self) -> Self {
        self.saturating_sub(other).or(other.saturating_sub(self))
    }
    /// Returns, for each byte r of `rows` (0 to 12), the rows r to r + 3 of `word`.
    fn window_of(word: u16, rows: Self) -> Self;
}

/// All rows of a board: row r is word r, and bit c is column c, as in `board`.
pub(crate) trait Rows: Copy {
    /// Columns of the board, sixteen rows at a time.
    type Words: Words;
    fn load(from: &[u16; ROWS]) -> Self;
    fn store(self, to: &mut [u16; ROWS]);
    /// Adds the filled cells of `cells`, moved to the right by `columns`.
    fn with(self, cells: &[u16; ROWS], columns: u32) -> Self;
    /// Returns the rows that equal `row`, one bit each.
    fn equal(self, row: u16) -> u32;
    /// Returns true if all rows are equal.
    fn same(self, other: Self) -> bool;
    /// Returns the rows that have cells, one bit each.
    fn occupied(self) -> u32;
    /// Removes the rows in `rows`, moves those above down, and adds empty rows at the top.
    ///
    /// ```text
    /// rows     a b c d e ...     row 0 first
    /// removed  0b00110           rows 1 and 2
    /// result   a d e ... . .
    /// ```
    fn removed(self, rows: u32) -> Self;
    /// Returns the number of cells in each row: rows 0 to 15, then 16 to 31.
    fn counts(self) -> [<Self::Words as Words>::Lane; 2];
    /// Returns the columns of rows 0 to 15: bit r of word c is bit c of row r.
    fn lower(self) -> Self::Words;
    /// Returns the columns of rows 16 to 31, as `lower` does.
    fn upper(self) -> Self::Words;
}

/// Sixteen rows of sixteen columns, one word for each column: bit r is row r.
pub(crate) trait Words: Copy {
    /// One byte for each column: heights and conditions.
    type Lane: OneLane;
    /// Counts of set bits, one byte for each eight rows of a column.
    type Counts: Copy;
    fn splat(column: u16) -> Self;
    /// Loads sixteen columns, the leftmost first.
    fn load(from: &[u16; 16]) -> Self;
    fn store(self, to: &mut [u16; 16]);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Returns the cells that are set in exactly one of `self` and `other`. Between neighbouring
    /// columns these are transitions.
    fn xor(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    /// Moves all cells `N` rows up; cells that leave row 15 are lost, and empty ones enter at row
    /// 0.
    fn up<const N: i32>(self) -> Self;
    /// Moves all cells `N` rows down; cells that leave row 0 are lost.
    fn down<const N: i32>(self) -> Self;
    /// Returns, for each column, the cells of its right neighbour: a filled wall for the last
    /// column.
    fn right_neighbour(self) -> Self;
    /// Returns, for each column, the cells of its left neighbour: a filled wall for the first
    /// column.
    fn left_neighbour(self) -> Self;
    /// Fills each column from its lowest set bit up.
    ///
    /// `x | -x`: the negative of a number has its lowest bit and, above it, the opposite of all its
    /// bits.
    fn upward(self) -> Self;
    /// Returns all rows of each empty column and no row of the others, as a condition.
    fn whole_if_empty(self) -> Self;
    /// Returns the number of bits of each column: the height, if columns are filled down.
    fn heights(self) -> Self::Lane;
    /// Converts a condition to one byte for each column: 255 if true (all rows set), 0 if false.
    fn condition(self) -> Self::Lane;
    /// Returns the rows that have a bit in any column.
    fn any_column(self) -> u16;
    fn is_empty(self) -> bool;
    /// Returns the number of cells in each eight rows of each column.
    fn counts(self) -> Self::Counts;
    /// Adds the counts of `a` and `b`. They are bytes, so a sum may have at most 31 terms.
    fn add_counts(a: Self::Counts, b: Self::Counts) -> Self::Counts;
    /// Returns the number of cells of each column, from its counts.
    fn numbers(counts: Self::Counts) -> Self;
    /// Returns the sum of the numbers of each column, modulo 2^16.
    fn plus(self, other: Self) -> Self;
    /// Returns the product of the numbers of each column, modulo 2^16.
    fn times(self, other: Self) -> Self;
    /// Returns the total of each of four counts over all columns and rows. Four cost little more
    /// than one.
    fn totals(counts: [Self::Counts; 4]) -> [i64; 4];
    /// Returns the words as bytes: columns 0 to 7, then columns 8 to 15.
    fn halves(self) -> [Self::Lane; 2];
    /// Stores eight copies of the columns in `to`, shifted from two columns left to five columns
    /// right. Columns outside the board are walls.
    #[inline(always)]
    fn store_neighbours(self, to: &mut Neighbours) {
        store_in_order(self, to);
    }
}

/// Implements [`Words::store_neighbours`] for levels that read a window as columns 0 to 7 and 8 to
/// 15.
#[inline(always)]
pub(super) fn store_in_order<W: Words>(words: W, to: &mut Neighbours) {
    let [low, high] = words.halves();
    let wall = W::Lane::splat(u8::MAX);
    let to = &mut to.0;
    // Words have two bytes. Byte 12 of walls followed by columns is thus two columns left of the
    // first.
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
