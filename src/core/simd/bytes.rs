//! Defines vectors of bytes for the difference kernel, which scores all placements of a piece at
//! once: sixteen-byte lanes, one for each orientation, with one byte for each column.

use fearless_simd::prelude::{Bytes as _, *};
use fearless_simd::{
    i8x16, i8x32, i8x64, i16x8, i16x16, i16x32, i32x4, i32x8, i32x16, u8x16, u8x32, u8x64, u16x8,
    u16x16, u16x32,
};

use super::words::Blocks;

/// Sixteen bytes, one for each column or for each of sixteen rows, aligned for fast loads.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Lane(pub(crate) [u8; 16]);

/// Bytes for the columns of up to four orientations: byte 16 o + c is orientation o in column c.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u8; 64]);

/// An `i32` for each byte of a [`Block`]: first columns 0 to 3 of all orientations, then 4 to 7.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct SumBlock(pub(crate) [[i32; 16]; 4]);

/// Eight copies of a board's sixteen columns, shifted from two columns left to five columns right.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Neighbours(pub(super) [Lane; 16]);

impl Neighbours {
    pub(crate) const ZERO: Neighbours = Neighbours([Lane::ZERO; 16]);

    /// Returns, for every column c, the cells of column c + `column` - 2, in two halves.
    #[inline(always)]
    pub(super) fn beside(&self, column: usize) -> [&Lane; 2] {
        [&self.0[2 * column], &self.0[2 * column + 1]]
    }
}

impl Lane {
    pub(crate) const ZERO: Lane = Lane([0; 16]);
}

impl Block {
    pub(crate) const ZERO: Block = Block([0; 64]);
}

impl SumBlock {
    /// Returns the two indices in a [`SumBlock`] of the sum for byte number `byte` of a [`Block`].
    /// The sum of byte 16 o + c (orientation o, column c) is at `[c / 4][4 o + c % 4]`:
    ///
    /// ```text
    /// [0]   c 0-3 of o 0 | c 0-3 of o 1 | c 0-3 of o 2 | c 0-3 of o 3
    /// [1]   c 4-7 of o 0 | c 4-7 of o 1 | ...
    /// [2]   c 8-11 ...
    /// [3]   c 12-15 ...
    /// ```
    // Unpacking bytes to words and words to sums leaves this order, so no register is reordered.
    pub(crate) fn index(byte: usize) -> (usize, usize) {
        (byte % 16 / 4, byte / 16 * 4 + byte % 4)
    }
}

/// Upper bound for the high digits of an ineligible placement's score, which puts this score below
/// all eligible ones.
// With 1 subtracted from the high byte, the word is 0x7fff, the largest one: a byte of `eligible`
// selects this bound or none.
pub(super) const INELIGIBLE: i16 = 0x80ff_u16 as i16;

/// Factors 2^(12 - r), by landing row r, that move rows r to r + 3 of a column to the top of a
/// word.
///
/// ```text
/// word      .... .... dcba ....      rows r to r + 3 of a column, here r = 4
/// x 2^8     dcba .... .... ....      row r + 3 is the highest bit; rows above leave at the top
/// >> 12     0000 0000 0000 dcba      rows below leave at the bottom
/// ```
const WINDOW_SHIFT_FACTORS: [Lane; 2] = {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    let mut row = 0;
    while row <= 12 {
        let factor = 1u16 << (12 - row);
        // Two tables of bytes, looked up by landing row and zipped to words.
        (low[row], high[row]) = (factor as u8, (factor >> 8) as u8);
        row += 1;
    }
    [Lane(low), Lane(high)]
};

/// Vectors of bytes in lanes of sixteen, one lane for each orientation. Arithmetic wraps; a
/// comparison gives 255 if true and 0 if false.
///
/// | type | lanes | used for |
/// |---|---|---|
/// | `u8x16` | 1 | a board: one byte for each column or row |
/// | `u8x32` | 2 | I O S Z |
/// | `u8x64` | 4 | T J L |
pub(crate) trait Bytes<S: Blocks>: Copy {
    const LANES: usize;
    /// Vectors with a 16-bit word for each byte: columns 0 to 7 of each lane, then 8 to 15.
    type Words: Copy;
    /// Vectors with an `i32` for each byte of a vector, in the order of [`SumBlock`].
    type Sums: Copy;

    fn simd(self) -> S;
    fn splat(simd: S, value: u8) -> Self;
    fn load(simd: S, from: &Block) -> Self;
    fn store(self, to: &mut Block);
    fn repeat(simd: S, lane: &Lane) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn saturating_sub(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn half(self) -> Self;
    fn equal(self, other: Self) -> Self;
    #[inline(always)]
    fn plus_equal(self, a: Self, b: Self) -> Self {
        self.sub(a.equal(b))
    }
    #[inline(always)]
    fn plus_where_equal(self, what: Self, a: Self, b: Self) -> Self {
        self.add(a.equal(b).and(what))
    }
    fn select(self, yes: Self, no: Self) -> Self;
    /// Looks up each byte of `index` in the same lane of `self`; 0 for an index from 128 on.
    ///
    /// ```text
    /// self     t0 t1 ... t15 | u0 u1 ... u15     each lane has its own table, for its orientation
    /// index     2  2 ...  0  |  2  7 ...  1
    /// result   t2 t2 ... t0  | u2 u7 ... u1      indices 16 to 127 give any byte
    /// ```
    fn lookup(self, index: Self) -> Self;
    /// Looks up each byte of `index` in two tables: `low` for 0 to 15, `high` for 16 to 31.
    #[inline(always)]
    fn lookup_in_both(low: Self, high: Self, index: Self) -> Self {
        let sixteen = Self::splat(index.simd(), 16);
        // Indices below 16 wrap to 240 or more and find 0 in `high`.
        index.max(sixteen).equal(index).select(high.lookup(index.sub(sixteen)), low.lookup(index))
    }
    /// Returns a mask of the highest bits of all bytes, that of byte 0 in the lowest bit.
    fn bits(self) -> u64;

    /// Returns `a[0] * b[0] + a[1] * b[1]` for each byte; `a` is from 0 to 127, `b` is signed.
    fn products(a: [Self; 2], b: [Self; 2]) -> Self::Words;
    fn add_words(a: Self::Words, b: Self::Words) -> Self::Words;
    fn repeat_words(simd: S, from: &[u16; 16]) -> Self::Words;
    fn narrow(words: Self::Words) -> Self;
    /// Returns `a[0] * weights[0] + a[1] * weights[1]` for each byte. In `weights`, the two weights
    /// of a lane alternate; results must fit a word.
    fn weighed(a: [Self; 2], weights: &Block) -> Self::Words;
    /// Returns the score `high * base + low + start` for each byte, below all others where
    /// `eligible` is 0 instead of 1.
    fn sums(
        high: Self::Words,
        low: Self::Words,
        base: i16,
        eligible: Self,
        start: &SumBlock,
    ) -> Self::Sums;
    fn largest(sums: Self::Sums) -> i32;
    fn only_less(sums: Self::Sums, than: i32) -> Self::Sums;
    /// Returns a mask of the bytes with a sum of at least `least`, including bytes that stand for
    /// no placement.
    fn at_least(sums: Self::Sums, least: i32) -> u64;
    fn store_sums(sums: Self::Sums, to: &mut SumBlock);

    /// Converts landing rows 0 to 12 to factors that select four rows in [`Bytes::window`].
    fn window_factors(rows: Self) -> Self::Words;
    /// Returns four rows of one board column for each placement, from the landing row in `from` on.
    /// `column` counts from 0, two columns left of the placement.
    #[inline(always)]
    fn window(simd: S, neighbours: &Neighbours, column: usize, from: Self::Words) -> Self {
        let [low, high] = neighbours.beside(column);
        Self::four_rows([Self::repeat(simd, low), Self::repeat(simd, high)], from)
    }
    fn four_rows(words: [Self; 2], from: Self::Words) -> Self;
}

macro_rules! bytes {
    (
        $bytes:ident, $signed:ident, $words:ident, $unsigned_words:ident, $sums:ident,
        $lanes:literal,
        $dot:ident, $zip_low:ident, $zip_high:ident, $zip_words_low:ident, $zip_words_high:ident,
        $pack:ident, $pack_words:ident, |$lane:ident| $repeated:expr
    ) => {
        impl<S: Blocks> Bytes<S> for $bytes<S> {
            const LANES: usize = $lanes;
            type Words = [$words<S>; 2];
            type Sums = [$sums<S>; 4];

            #[inline(always)]
            fn simd(self) -> S {
                self.token()
            }
            #[inline(always)]
            fn splat(simd: S, value: u8) -> Self {
                SimdBase::splat(simd, value)
            }
            #[inline(always)]
            fn load(simd: S, from: &Block) -> Self {
                Self::from_slice(simd, &from.0[..16 * $lanes])
            }
            #[inline(always)]
            fn store(self, to: &mut Block) {
                self.store_slice(&mut to.0[..16 * $lanes]);
            }
            #[inline(always)]
            fn repeat(simd: S, lane: &Lane) -> Self {
                let $lane: u8x16<S> = u8x16::from_slice(simd, &lane.0);
                $repeated
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn without(self, other: Self) -> Self {
                self & !other
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn saturating_sub(self, other: Self) -> Self {
                SimdInt::saturating_sub(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                SimdBase::max(self, other)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                SimdBase::min(self, other)
            }
            #[inline(always)]
            fn half(self) -> Self {
                self >> 1
            }
            #[inline(always)]
            fn equal(self, other: Self) -> Self {
                self.simd_eq(other).to_vector().bitcast()
            }
            #[inline(always)]
            fn select(self, yes: Self, no: Self) -> Self {
                let mask = <Self as SimdBase<S>>::Mask::from_vector(self.bitcast::<$signed<S>>());
                Select::select(mask, yes, no)
            }
            #[inline(always)]
            fn lookup(self, index: Self) -> Self {
                self.swizzle_dyn_within_blocks(index)
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                self.bitcast::<$signed<S>>().simd_lt(0).to_bitmask()
            }
            #[inline(always)]
            fn products(a: [Self; 2], b: [Self; 2]) -> [$words<S>; 2] {
                let simd = a[0].token();
                // Bytes of both factors in turn: one product makes a word of two.
                [
                    simd.$dot(simd.$zip_low(a[0], a[1]), simd.$zip_low(b[0], b[1])),
                    simd.$dot(simd.$zip_high(a[0], a[1]), simd.$zip_high(b[0], b[1])),
                ]
            }
            #[inline(always)]
            fn add_words(a: [$words<S>; 2], b: [$words<S>; 2]) -> [$words<S>; 2] {
                [a[0] + b[0], a[1] + b[1]]
            }
            #[inline(always)]
            fn repeat_words(simd: S, from: &[u16; 16]) -> [$words<S>; 2] {
                let (low, high) = from.split_at(8);
                [low, high].map(
                    #[inline(always)]
                    |words| {
                        let $lane: u8x16<S> = u16x8::from_slice(simd, words).bitcast();
                        let all: Self = $repeated;
                        all.bitcast()
                    },
                )
            }
            #[inline(always)]
            fn narrow(words: [$words<S>; 2]) -> Self {
                // Packing undoes zipping within lanes and restores the order of columns. Large
                // words saturate.
                words[0].token().$pack(words[0], words[1])
            }
            #[inline(always)]
            fn weighed(a: [Self; 2], weights: &Block) -> [$words<S>; 2] {
                let simd = a[0].token();
                let weights = <Self as Bytes<S>>::load(simd, weights);
                [
                    simd.$dot(simd.$zip_low(a[0], a[1]), weights),
                    simd.$dot(simd.$zip_high(a[0], a[1]), weights),
                ]
            }
            #[inline(always)]
            fn sums(
                high: [$words<S>; 2],
                low: [$words<S>; 2],
                base: i16,
                eligible: Self,
                start: &SumBlock,
            ) -> [$sums<S>; 4] {
                let simd = eligible.token();
                // The high byte of the bound: that of `INELIGIBLE`, or 0x7f, which is above all
                // sums.
                let bound = Bytes::sub(Bytes::splat(simd, (INELIGIBLE >> 8) as u8), eligible);
                let all = Bytes::splat(simd, INELIGIBLE as u8);
                let a = SimdBase::min(high[0], simd.$zip_low(all, bound).bitcast::<$words<S>>());
                let b = SimdBase::min(high[1], simd.$zip_high(all, bound).bitcast::<$words<S>>());
                // Words of the high and low digit in turn, times `base` and 1.
                let digits = $sums::splat(simd, 1 << 16 | i32::from(base)).bitcast::<$words<S>>();
                let [c, d] = low;
                let words = [
                    simd.$zip_words_low(a, c),
                    simd.$zip_words_high(a, c),
                    simd.$zip_words_low(b, d),
                    simd.$zip_words_high(b, d),
                ];
                let mut sums = [$sums::splat(simd, 0); 4];
                for k in 0..4 {
                    let start = $sums::from_slice(simd, &start.0[k][..4 * $lanes]);
                    sums[k] = words[k].pairwise_dot_product(digits) + start;
                }
                sums
            }
            #[inline(always)]
            fn largest([a, b, c, d]: [$sums<S>; 4]) -> i32 {
                SimdBase::max(SimdBase::max(a, b), SimdBase::max(c, d)).reduce_max()
            }
            #[inline(always)]
            fn only_less(mut sums: [$sums<S>; 4], than: i32) -> [$sums<S>; 4] {
                for sum in &mut sums {
                    *sum = sum.simd_lt(than).select(*sum, $sums::splat(sum.token(), i32::MIN));
                }
                sums
            }
            #[inline(always)]
            fn at_least(sums: [$sums<S>; 4], least: i32) -> u64 {
                let simd = sums[0].token();
                // Signs survive saturation.
                let low = simd.$pack_words(sums[0] - least, sums[1] - least);
                let high = simd.$pack_words(sums[2] - least, sums[3] - least);
                !simd.$pack(low, high).bits() & (u64::MAX >> (64 - 16 * $lanes))
            }
            #[inline(always)]
            fn store_sums(sums: [$sums<S>; 4], to: &mut SumBlock) {
                for (sum, four) in sums.into_iter().zip(&mut to.0) {
                    sum.store_slice(&mut four[..4 * $lanes]);
                }
            }
            #[inline(always)]
            fn window_factors(rows: Self) -> [$words<S>; 2] {
                let simd = rows.token();
                let [low, high] = &WINDOW_SHIFT_FACTORS;
                let low = Bytes::lookup(<Self as Bytes<S>>::repeat(simd, low), rows);
                let high = Bytes::lookup(<Self as Bytes<S>>::repeat(simd, high), rows);
                [simd.$zip_low(low, high).bitcast(), simd.$zip_high(low, high).bitcast()]
            }
            #[inline(always)]
            fn four_rows(words: [Self; 2], from: [$words<S>; 2]) -> Self {
                let [low, high] = words.map(Self::bitcast::<$unsigned_words<S>>);
                let low = low * from[0].bitcast::<$unsigned_words<S>>() >> 12;
                let high = high * from[1].bitcast::<$unsigned_words<S>>() >> 12;
                from[0].token().$pack(low.bitcast(), high.bitcast())
            }
        }
    };
}

bytes!(
    u8x16,
    i8x16,
    i16x8,
    u16x8,
    i32x4,
    1,
    dot_16,
    zip_low_16,
    zip_high_16,
    zip_words_low_16,
    zip_words_high_16,
    pack_16,
    pack_words_16,
    |lane| lane
);
bytes!(
    u8x32,
    i8x32,
    i16x16,
    u16x16,
    i32x8,
    2,
    dot_32,
    zip_low_32,
    zip_high_32,
    zip_words_low_32,
    zip_words_high_32,
    pack_32,
    pack_words_32,
    |lane| Self::block_splat(lane)
);
bytes!(
    u8x64,
    i8x64,
    i16x32,
    u16x32,
    i32x16,
    4,
    dot_64,
    zip_low_64,
    zip_high_64,
    zip_words_low_64,
    zip_words_high_64,
    pack_64,
    pack_words_64,
    |lane| Self::block_splat(lane)
);

/// A vector of one lane: a board's values, one byte for each column or row.
pub(crate) trait OneLane<S: Blocks>: Bytes<S> {
    #[inline(always)]
    fn load_lane(simd: S, from: &Lane) -> Self {
        Self::repeat(simd, from)
    }
    fn store_lane(self, to: &mut Lane);
    fn splat_word(simd: S, word: u16) -> Self;
    fn store_words(words: Self::Words, to: &mut [i16; 16]);
    /// Moves all bytes `D` places (0 to 15) toward byte 0; bytes of `beyond` follow the last byte.
    ///
    /// ```text
    /// self        a b c d ... p       next::<1>(beyond)     b c d ... p A    right neighbours
    /// beyond      A B C ...           zero.next::<15>(self) 0 a b c ... o    left neighbours
    /// ```
    fn next<const D: usize>(self, beyond: Self) -> Self;
    #[inline(always)]
    fn abs_difference(self, other: Self) -> Self {
        self.saturating_sub(other).or(other.saturating_sub(self))
    }
}

impl<S: Blocks> OneLane<S> for u8x16<S> {
    #[inline(always)]
    fn store_lane(self, to: &mut Lane) {
        self.store_slice(&mut to.0);
    }
    #[inline(always)]
    fn splat_word(simd: S, word: u16) -> Self {
        u16x8::splat(simd, word).bitcast()
    }
    #[inline(always)]
    fn store_words(words: [i16x8<S>; 2], to: &mut [i16; 16]) {
        let (low, high) = to.split_at_mut(8);
        words[0].store_slice(low);
        words[1].store_slice(high);
    }
    #[inline(always)]
    fn next<const D: usize>(self, beyond: Self) -> Self {
        self.slide::<D>(beyond)
    }
}
