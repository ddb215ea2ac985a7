//! Represents a board by rows or by columns, one word for each, and adds operations that the
//! vectors of `fearless_simd` lack ([`Blocks`]). Most are one instruction each from AVX2 on;
//! elsewhere they consist of operations of `fearless_simd`.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use fearless_simd::prelude::*;
use fearless_simd::{
    i16x8, i16x16, i16x32, i32x4, i32x8, i32x16, u8x16, u8x32, u8x64, u16x8, u16x16, u16x32, u64x2,
    u64x4,
};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{
    kernel, mask16x32,
    x86::{Avx2, Avx512, Sse4_2},
};

use super::bytes::{Bytes as _, Neighbours, OneLane};
use crate::board::ROWS;

/// All rows of a board: row r is word r, and bit c is column c.
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
    #[inline(always)]
    pub(crate) fn with(self, cells: &[u16; ROWS], columns: u32) -> Self {
        Rows(self.0 | u16x32::from_slice(self.simd(), cells) << columns)
    }
    /// Returns the board rows that equal `row`, one bit each.
    #[inline(always)]
    pub(crate) fn equal(self, row: u16) -> u32 {
        let (low, high) = self.0.split();
        low.simd_eq(row).narrow(high.simd_eq(row)).to_bitmask() as u32
    }
    #[inline(always)]
    pub(crate) fn is_equal(self, other: Self) -> bool {
        let (low, high) = (self.0 ^ other.0).split();
        (low | high).simd_eq(0).all_true()
    }
    #[inline(always)]
    pub(crate) fn occupied(self) -> u32 {
        !self.equal(0)
    }
    /// Removes the board rows in the mask `rows`, moves higher rows down, and adds empty rows.
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
    /// Returns the number of cells in each board row: rows 0 to 15, then 16 to 31.
    #[inline(always)]
    pub(crate) fn counts(self) -> [u8x16<S>; 2] {
        let (low, high) = self.0.split();
        [Words(low).heights(), Words(high).heights()]
    }
    #[inline(always)]
    pub(crate) fn lower(self) -> Words<S> {
        Words(self.simd().transposed(self.0.split().0))
    }
    #[inline(always)]
    pub(crate) fn upper(self) -> Words<S> {
        Words(self.simd().transposed(self.0.split().1))
    }
}

/// The cells of a board by columns: rows 0 to 15 in [`Words`], all 32 rows in [`AllRows`].
pub(crate) trait ColumnCells<S: Blocks>: Copy {
    /// Number of rows of each column that the type stores, including rows above the board.
    const ROWS: usize;
    /// Loads rows 0 to 15 of each column from `low`, and rows 16 to 31, if any, from `high`.
    fn load_both(simd: S, low: &[u16; 16], high: &[u16; 16]) -> Self;
    fn simd(self) -> S;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    fn not(self) -> Self;
    fn up(self, rows: u32) -> Self;
    /// Moves all cells of a board `rows` rows down, 1 to 15; cells that leave row 0 are lost.
    fn down(self, rows: u32) -> Self;
    /// Returns, for each column, the cells of its left neighbour: a filled wall for the first.
    fn left_neighbour(self) -> Self;
    fn right_neighbour(self) -> Self;
    /// Fills each column of a board from its highest cell down to row 0.
    ///
    /// ```text
    /// column       0000 0100 0000 0000     bit 10 set; smeared by 1, 2, 4 and 8 rows toward bit 0
    /// filled down  0000 0111 1111 1111     bit count = height; bits not set in `column` are holes
    /// ```
    fn filled_down(self) -> Self;
    /// Fills each column of a board from its lowest cell up: `x | -x`.
    fn upward(self) -> Self;
    /// Adds two boards column by column as numbers, in which row r is the binary digit 2^r.
    fn plus(self, other: Self) -> Self;
    /// Counts the cells of each column, in one byte for rows 0 to 7 and 16 to 23 and another for
    /// all other rows.
    fn counts(self) -> Counts<S>;
    fn heights(self) -> u8x16<S>;
    fn any_column(self) -> u32;
    fn is_empty(self) -> bool;
}

/// Sixteen rows of sixteen columns of a board, one word for each column: bit r is row r.
#[derive(Clone, Copy)]
pub(crate) struct Words<S: Simd>(u16x16<S>);

/// Counts of cells in a board's columns, one byte for each eight rows; a byte can add up 31 counts
/// of eight rows.
#[derive(Clone, Copy)]
pub(crate) struct Counts<S: Simd>(u8x32<S>);

impl<S: Blocks> Counts<S> {
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        Counts(self.0 + other.0)
    }
    #[inline(always)]
    pub(crate) fn numbers(self) -> Words<S> {
        Words(self.0.pairwise_widening_add())
    }
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
    #[inline(always)]
    pub(crate) fn load(simd: S, from: &[u16; 16]) -> Self {
        Words(u16x16::from_slice(simd, from))
    }
    #[inline(always)]
    pub(crate) fn store(self, to: &mut [u16; 16]) {
        self.0.store_slice(to);
    }
    /// Returns a word for each column: all bits set if the column is empty, otherwise none.
    #[inline(always)]
    pub(crate) fn whole_if_empty(self) -> Self {
        Words(self.0.simd_eq(0).to_vector().bitcast())
    }
    #[inline(always)]
    pub(crate) fn whole_unless_empty(self) -> Self {
        self.whole_if_empty().not()
    }
    /// Converts words of all or no bits to one byte for each column: 255 if set, otherwise 0.
    #[inline(always)]
    pub(crate) fn condition(self) -> u8x16<S> {
        let (low, high) = self.0.bitcast::<i16x16<S>>().split();
        low.saturating_narrow(high).bitcast()
    }
    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Self {
        Words(self.0 * other.0)
    }
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
pub(crate) struct AllRows<S: Blocks>(pub(crate) Words<S>, pub(crate) Words<S>);

impl<S: Blocks> ColumnCells<S> for AllRows<S> {
    const ROWS: usize = ROWS;
    #[inline(always)]
    fn load_both(simd: S, low: &[u16; 16], high: &[u16; 16]) -> Self {
        AllRows(Words::load(simd, low), Words::load(simd, high))
    }
    #[inline(always)]
    fn simd(self) -> S {
        self.0.simd()
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        AllRows(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        AllRows(self.0.or(other.0), self.1.or(other.1))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        AllRows(self.0.xor(other.0), self.1.xor(other.1))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        AllRows(self.0.without(other.0), self.1.without(other.1))
    }
    #[inline(always)]
    fn not(self) -> Self {
        AllRows(self.0.not(), self.1.not())
    }
    #[inline(always)]
    fn up(self, rows: u32) -> Self {
        // The highest rows of the lower word become the lowest of the upper one.
        AllRows(self.0.up(rows), self.1.up(rows).or(self.0.down(16 - rows)))
    }
    #[inline(always)]
    fn down(self, rows: u32) -> Self {
        AllRows(self.0.down(rows).or(self.1.up(16 - rows)), self.1.down(rows))
    }
    #[inline(always)]
    fn left_neighbour(self) -> Self {
        AllRows(self.0.left_neighbour(), self.1.left_neighbour())
    }
    #[inline(always)]
    fn right_neighbour(self) -> Self {
        AllRows(self.0.right_neighbour(), self.1.right_neighbour())
    }
    #[inline(always)]
    fn filled_down(self) -> Self {
        // A column with a cell above row 15 is filled in all sixteen rows below.
        let under = self.1.whole_unless_empty();
        AllRows(self.0.filled_down().or(under), self.1.filled_down())
    }
    #[inline(always)]
    fn upward(self) -> Self {
        // A column with a cell below row 16 is filled in all rows above.
        let over = self.0.whole_unless_empty();
        AllRows(self.0.upward(), self.1.upward().or(over))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let low = self.0.plus(other.0);
        // The lower word carries if both highest bits are set, or if one is and the sum's is not.
        let carry = self.0.and(other.0).or(self.0.or(other.0).without(low)).down(15);
        AllRows(low, self.1.plus(other.1).plus(carry))
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

macro_rules! on_halves {
    ($($name:ident = $half:ident: $argument:ident -> $result:ident;)*) => {
        $(
            #[inline(always)]
            fn $name(self, a: $argument<Self>, b: $argument<Self>) -> $result<Self> {
                let ((a, c), (b, d)) = (a.split(), b.split());
                self.$half(a, b).combine(self.$half(c, d))
            }
        )*
    };
}

/// Vector operations on blocks of sixteen bytes; the number in a name is the argument's size in
/// bytes. `swizzle_dyn_within_blocks` looks up 0 for an index from 128 on.
///
/// ```text
/// zip_low    a0 b0 a1 b1 ... a7 b7      of each block; words and bytes alike
/// zip_high   a8 b8 ... a15 b15
/// pack       the low halves of a, then those of b, of each block: undoes both zips
/// ```
pub(crate) trait Blocks: Simd {
    /// Multiplies unsigned bytes of `a` by signed bytes of `b` and adds neighbouring products,
    /// which must fit a signed word.
    #[inline(always)]
    fn dot_16(self, a: u8x16<Self>, b: u8x16<Self>) -> i16x8<Self> {
        let (a, b): (u16x8<Self>, i16x8<Self>) = (a.bitcast(), b.bitcast());
        let (even, odd): (i16x8<Self>, i16x8<Self>) = ((a & 255).bitcast(), (a >> 8).bitcast());
        even * (b << 8 >> 8) + odd * (b >> 8)
    }
    #[inline(always)]
    fn zip_low_16(self, a: u8x16<Self>, b: u8x16<Self>) -> u8x16<Self> {
        a.zip_low(b)
    }
    #[inline(always)]
    fn zip_high_16(self, a: u8x16<Self>, b: u8x16<Self>) -> u8x16<Self> {
        a.zip_high(b)
    }
    #[inline(always)]
    fn zip_words_low_16(self, a: i16x8<Self>, b: i16x8<Self>) -> i16x8<Self> {
        a.zip_low(b)
    }
    #[inline(always)]
    fn zip_words_high_16(self, a: i16x8<Self>, b: i16x8<Self>) -> i16x8<Self> {
        a.zip_high(b)
    }
    /// Converts the words of `a`, then those of `b`, to signed bytes, with saturation.
    #[inline(always)]
    fn pack_16(self, a: i16x8<Self>, b: i16x8<Self>) -> u8x16<Self> {
        a.saturating_narrow(b).bitcast()
    }
    /// Converts the 32-bit numbers of `a`, then those of `b`, to words, with saturation.
    #[inline(always)]
    fn pack_words_16(self, a: i32x4<Self>, b: i32x4<Self>) -> i16x8<Self> {
        a.saturating_narrow(b)
    }

    on_halves! {
        dot_32 = dot_16: u8x32 -> i16x16;
        zip_low_32 = zip_low_16: u8x32 -> u8x32;
        zip_high_32 = zip_high_16: u8x32 -> u8x32;
        zip_words_low_32 = zip_words_low_16: i16x16 -> i16x16;
        zip_words_high_32 = zip_words_high_16: i16x16 -> i16x16;
        pack_32 = pack_16: i16x16 -> u8x32;
        pack_words_32 = pack_words_16: i32x8 -> i16x16;
        dot_64 = dot_32: u8x64 -> i16x32;
        zip_low_64 = zip_low_32: u8x64 -> u8x64;
        zip_high_64 = zip_high_32: u8x64 -> u8x64;
        zip_words_low_64 = zip_words_low_32: i16x32 -> i16x32;
        zip_words_high_64 = zip_words_high_32: i16x32 -> i16x32;
        pack_64 = pack_32: i16x32 -> u8x64;
        pack_words_64 = pack_words_32: i32x16 -> i16x32;
    }

    #[inline(always)]
    fn sums_of_eight(self, bytes: u8x32<Self>) -> u64x4<Self> {
        bytes.pairwise_widening_add().pairwise_widening_add().pairwise_widening_add()
    }

    /// Removes the board rows in the mask `full`, one bit each, and moves those above down.
    #[inline(always)]
    fn without_rows(self, mut rows: u16x32<Self>, mut full: u32) -> u16x32<Self> {
        let index = u16x32::from_slice(self, &INDEX);
        while full != 0 {
            // The highest row first, so that the rows below stay in place.
            let row = 31 - full.leading_zeros();
            full ^= 1 << row;
            let moved = rows.slide::<1>(u16x32::splat(self, 0));
            rows = index.simd_lt(row as u16).select(rows, moved);
        }
        rows
    }

    /// Converts sixteen board rows into columns: bit c of word r becomes bit r of word c.
    ///
    /// Squares of eight bits by eight change places across the diagonal, by ones, twos and fours.
    ///
    /// ```text
    /// 64 bits, bit 8 r + c: row r, column c      x ^ t ^ (t << 7) with t = (x ^ x >> 7) & mask
    /// r 0   a b . .                a c . .       exchanges bits 7 apart, b at 1 and c at 8, in
    /// r 1   c d . .      becomes   b d . .       every square of two; then squares of two by 14,
    ///                                            then squares of four by 28
    /// ```
    #[inline(always)]
    fn transposed(self, rows: u16x16<Self>) -> u16x16<Self> {
        // For each eight rows, the bytes of columns 0 to 7, then those of 8 to 15.
        let apart = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];
        let apart = u8x32::block_splat(u8x16::load_array(self, apart));
        let mut x: u64x4<Self> =
            rows.bitcast::<u8x32<Self>>().swizzle_dyn_within_blocks(apart).bitcast();
        let t = (x ^ x >> 7) & 0x00aa_00aa_00aa_00aa;
        x = x ^ t ^ t << 7;
        let t = (x ^ x >> 14) & 0x0000_cccc_0000_cccc;
        x = x ^ t ^ t << 14;
        let t = (x ^ x >> 28) & 0x0000_0000_f0f0_f0f0;
        x = x ^ t ^ t << 28;
        side_by_side(x)
    }
}

const INDEX: [u16; 32] = {
    let mut index = [0; 32];
    let mut row = 0;
    while row < 32 {
        index[row] = row as u16;
        row += 1;
    }
    index
};

/// Joins rows 0 to 7 of each column with rows 8 to 15 into one word for each column.
#[inline(always)]
fn side_by_side<S: Blocks>(bytes: u64x4<S>) -> u16x16<S> {
    let (low, high) = bytes.split();
    let (low, high): (u8x16<S>, u8x16<S>) = (low.bitcast(), high.bitcast());
    low.zip_low(high).combine(low.zip_high(high)).bitcast()
}

#[cfg(target_arch = "aarch64")]
impl Blocks for fearless_simd::aarch64::Neon {}
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Blocks for fearless_simd::wasm32::WasmSimd128 {}

#[cfg(target_arch = "x86_64")]
macro_rules! instructions {
    ($level:ident: $($name:ident = $instruction:ident: $argument:ident -> $result:ident;)*) => {
        $(
            #[inline(always)]
            fn $name(self, a: $argument<Self>, b: $argument<Self>) -> $result<Self> {
                kernel!(
                    #[inline(always)]
                    fn kernel(
                        level: $level,
                        a: $argument<$level>,
                        b: $argument<$level>,
                    ) -> $result<$level> {
                        $instruction(a.into(), b.into()).simd_into(level)
                    }
                );
                kernel(self, a, b)
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! two_blocks {
    ($level:ident) => {
        instructions! {
            $level:
            dot_16 = _mm_maddubs_epi16: u8x16 -> i16x8;
            dot_32 = _mm256_maddubs_epi16: u8x32 -> i16x16;
            zip_low_32 = _mm256_unpacklo_epi8: u8x32 -> u8x32;
            zip_high_32 = _mm256_unpackhi_epi8: u8x32 -> u8x32;
            zip_words_low_32 = _mm256_unpacklo_epi16: i16x16 -> i16x16;
            zip_words_high_32 = _mm256_unpackhi_epi16: i16x16 -> i16x16;
            pack_32 = _mm256_packs_epi16: i16x16 -> u8x32;
            pack_words_32 = _mm256_packs_epi32: i32x8 -> i16x16;
        }

        #[inline(always)]
        fn sums_of_eight(self, bytes: u8x32<Self>) -> u64x4<Self> {
            kernel!(
                #[inline(always)]
                fn kernel(level: $level, bytes: u8x32<$level>) -> u64x4<$level> {
                    _mm256_sad_epu8(bytes.into(), _mm256_setzero_si256()).simd_into(level)
                }
            );
            kernel(self, bytes)
        }
    };
}

#[cfg(target_arch = "x86_64")]
impl Blocks for Sse4_2 {
    instructions! { Sse4_2: dot_16 = _mm_maddubs_epi16: u8x16 -> i16x8; }
}

#[cfg(target_arch = "x86_64")]
impl Blocks for Avx2 {
    two_blocks!(Avx2);
}

#[cfg(target_arch = "x86_64")]
impl Blocks for Avx512 {
    two_blocks!(Avx512);
    instructions! {
        Avx512:
        dot_64 = _mm512_maddubs_epi16: u8x64 -> i16x32;
        zip_low_64 = _mm512_unpacklo_epi8: u8x64 -> u8x64;
        zip_high_64 = _mm512_unpackhi_epi8: u8x64 -> u8x64;
        zip_words_low_64 = _mm512_unpacklo_epi16: i16x32 -> i16x32;
        zip_words_high_64 = _mm512_unpackhi_epi16: i16x32 -> i16x32;
        pack_64 = _mm512_packs_epi16: i16x32 -> u8x64;
        pack_words_64 = _mm512_packs_epi32: i32x16 -> i16x32;
    }

    #[inline(always)]
    fn without_rows(self, rows: u16x32<Self>, full: u32) -> u16x32<Self> {
        rows.compress(mask16x32::from_bitmask(self, u64::from(!full)))
    }

    /// Transposes sixteen board rows by products of bit matrices, which reverse the rows: `apart`
    /// therefore starts with the last row.
    #[inline(always)]
    fn transposed(self, rows: u16x16<Self>) -> u16x16<Self> {
        kernel!(
            #[inline(always)]
            fn product(avx512: Avx512, a: u64x4<Avx512>, b: u8x32<Avx512>) -> u64x4<Avx512> {
                _mm256_gf2p8affine_epi64_epi8::<0>(a.into(), b.into()).simd_into(avx512)
            }
        );
        let apart = [14, 12, 10, 8, 6, 4, 2, 0, 15, 13, 11, 9, 7, 5, 3, 1];
        let apart = u8x32::block_splat(u8x16::load_array(self, apart));
        let rows = rows.bitcast::<u8x32<Self>>().swizzle_dyn_within_blocks(apart);
        side_by_side(product(self, u64x4::splat(self, 0x8040_2010_0804_0201), rows))
    }
}
