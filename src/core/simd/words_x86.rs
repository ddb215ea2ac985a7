//! Implements [`Rows`] and [`Words`] with registers of AVX2 and AVX-512.

use std::arch::x86_64::*;

use super::bytes::{Neighbours, Rows, Words, store_in_order};
use super::bytes_x86::{Xmm, x86};
use crate::board::ROWS;

/// Sixteen columns of a board, sixteen rows of each, in one register. It uses VBMI2, BITALG and
/// GFNI if `EXTENDED`.
#[derive(Clone, Copy)]
pub(crate) struct Columns16<const EXTENDED: bool>(__m256i);

/// The 32 rows of a board in two registers of AVX2.
#[derive(Clone, Copy)]
pub(crate) struct TwoHalves([__m256i; 2]);

/// Counts the set bits of each byte, by a table of nibbles unless `EXTENDED`.
#[inline(always)]
pub(super) fn popcount<const EXTENDED: bool>(bytes: __m256i) -> __m256i {
    if EXTENDED {
        return x86!(_mm256_popcnt_epi8(bytes));
    }
    x86!({
        let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        ));
        let nibble = _mm256_set1_epi8(15);
        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, nibble));
        // There is no shift of bytes: words are shifted, and the mask removes the neighbour's bits.
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
        _mm256_add_epi8(low, _mm256_shuffle_epi8(table, high))
    })
}

/// Packs words into bytes: those of columns 0 to 7, then of columns 8 to 15.
#[inline(always)]
fn packed(words: __m256i) -> Xmm {
    x86!({
        let high = _mm256_extracti128_si256::<1>(words);
        Xmm(_mm_packs_epi16(_mm256_castsi256_si128(words), high))
    })
}

impl<const EXTENDED: bool> Words for Columns16<EXTENDED> {
    type Lane = Xmm;
    type Counts = __m256i;

    #[inline(always)]
    fn splat(column: u16) -> Self {
        x86!(Self(_mm256_set1_epi16(column as i16)))
    }
    #[inline(always)]
    fn load(from: &[u16; 16]) -> Self {
        x86!(Self(_mm256_loadu_si256(from.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, to: &mut [u16; 16]) {
        x86!(_mm256_storeu_si256(to.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        x86!(Self(_mm256_and_si256(self.0, other.0)))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        x86!(Self(_mm256_or_si256(self.0, other.0)))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        x86!(Self(_mm256_xor_si256(self.0, other.0)))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        x86!(Self(_mm256_andnot_si256(other.0, self.0)))
    }
    #[inline(always)]
    fn up<const N: i32>(self) -> Self {
        x86!(Self(_mm256_slli_epi16::<N>(self.0)))
    }
    #[inline(always)]
    fn down<const N: i32>(self) -> Self {
        x86!(Self(_mm256_srli_epi16::<N>(self.0)))
    }
    #[inline(always)]
    fn right_neighbour(self) -> Self {
        x86!({
            let walls = _mm256_set1_epi8(-1);
            // Columns 8 to 15, then walls: the words after each half, since `alignr` stays inside
            // halves.
            let after = _mm256_permute2x128_si256::<0x21>(self.0, walls);
            Self(_mm256_alignr_epi8::<2>(after, self.0))
        })
    }
    #[inline(always)]
    fn left_neighbour(self) -> Self {
        x86!({
            let walls = _mm256_set1_epi8(-1);
            // Walls, then columns 0 to 7: the words before each half.
            let before = _mm256_permute2x128_si256::<0x03>(self.0, walls);
            Self(_mm256_alignr_epi8::<14>(self.0, before))
        })
    }
    #[inline(always)]
    fn upward(self) -> Self {
        x86!({
            let negative = _mm256_sub_epi16(_mm256_setzero_si256(), self.0);
            Self(_mm256_or_si256(self.0, negative))
        })
    }
    #[inline(always)]
    fn whole_if_empty(self) -> Self {
        x86!(Self(_mm256_cmpeq_epi16(self.0, _mm256_setzero_si256())))
    }
    #[inline(always)]
    fn heights(self) -> Xmm {
        if EXTENDED {
            return packed(x86!(_mm256_popcnt_epi16(self.0)));
        }
        packed(Self::numbers(self.counts()).0)
    }
    #[inline(always)]
    fn condition(self) -> Xmm {
        packed(self.0)
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        x86!(_mm256_testz_si256(self.0, self.0) != 0)
    }
    #[inline(always)]
    fn counts(self) -> __m256i {
        popcount::<EXTENDED>(self.0)
    }
    #[inline(always)]
    fn add_counts(a: __m256i, b: __m256i) -> __m256i {
        x86!(_mm256_add_epi8(a, b))
    }
    #[inline(always)]
    fn numbers(counts: __m256i) -> Self {
        // Adds the counts of both bytes of a word: a product with 1.
        x86!(Self(_mm256_maddubs_epi16(counts, _mm256_set1_epi8(1))))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        x86!(Self(_mm256_add_epi16(self.0, other.0)))
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        x86!(Self(_mm256_mullo_epi16(self.0, other.0)))
    }
    #[inline(always)]
    fn totals(counts: [__m256i; 4]) -> [i64; 4] {
        x86!({
            let zero = _mm256_setzero_si256();
            let [a, b, c, d] = counts;
            // Sums of eight bytes, below 2^16 even after four additions, so four totals fit one
            // register.
            let (a, b) = (_mm256_sad_epu8(a, zero), _mm256_sad_epu8(b, zero));
            let (c, d) = (_mm256_sad_epu8(c, zero), _mm256_sad_epu8(d, zero));
            let two = _mm256_or_si256(a, _mm256_slli_epi64::<16>(b));
            let more = _mm256_or_si256(c, _mm256_slli_epi64::<16>(d));
            let four = _mm256_or_si256(two, _mm256_slli_epi64::<32>(more));
            let high = _mm256_extracti128_si256::<1>(four);
            let sum = _mm_add_epi64(_mm256_castsi256_si128(four), high);
            let sum = _mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum));
            let sum = _mm_cvtsi128_si64(sum);
            [sum & 0xffff, sum >> 16 & 0xffff, sum >> 32 & 0xffff, sum >> 48 & 0xffff]
        })
    }
    #[inline(always)]
    fn any_column(self) -> u16 {
        x86!({
            let high = _mm256_extracti128_si256::<1>(self.0);
            let eight = _mm_or_si128(_mm256_castsi256_si128(self.0), high);
            let four = _mm_or_si128(eight, _mm_unpackhi_epi64(eight, eight));
            let four = _mm_cvtsi128_si64(four) as u64;
            let two = four | four >> 32;
            (two | two >> 16) as u16
        })
    }
    #[inline(always)]
    fn store_neighbours(self, to: &mut Neighbours) {
        if !EXTENDED {
            return store_in_order(self, to);
        }
        x86!({
            let walls = _mm256_set1_epi8(-1);
            for (to, from) in to.0.chunks_exact_mut(3).zip(&BY_FOUR) {
                let both = Self::load(&from[0]).0;
                let both = _mm256_permutex2var_epi16(self.0, both, walls);
                let further = Self::load(&from[1]).0;
                let further = _mm256_permutex2var_epi16(self.0, further, walls);
                _mm256_storeu_si256(to.as_mut_ptr().cast(), both);
                _mm_store_si128(to[2].0.as_mut_ptr().cast(), _mm256_castsi256_si128(further));
            }
        });
    }
    #[inline(always)]
    fn halves(self) -> [Xmm; 2] {
        x86!([Xmm(_mm256_castsi256_si128(self.0)), Xmm(_mm256_extracti128_si256::<1>(self.0))])
    }
}

/// Transposes the four squares of 8 x 8 bits in `rows`, which are 16 rows of 16 columns.
///
/// Each byte of the result is one column of eight rows. The first 16 bytes are columns 0 to 15 of
/// rows 0 to 7, the last 16 bytes those of rows 8 to 15.
///
/// ```text
/// 64 bits, bit 8 r + c: row r, column c      x ^ t ^ (t << 7) with t = (x ^ x >> 7) & mask
/// r 0   a b . .                a c . .       exchanges bits 7 apart, b at 1 and c at 8, in
/// r 1   c d . .      becomes   b d . .       every square of two; then squares of two by 14, then
///                                            squares of four by 28
///
/// masks: the upper right of each square, 0x00aa..., 0x0000cccc..., 0x00000000f0f0f0f0
/// ```
#[inline(always)]
fn transposed_by_steps(rows: __m256i) -> __m256i {
    x86!({
        // For each eight rows, the bytes of columns 0 to 7, then those of 8 to 15.
        let apart = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,
        ));
        let mut x = _mm256_shuffle_epi8(rows, apart);
        // Squares of eight bits: bits change places across the diagonal, by ones, twos and fours.
        let mask = _mm256_set1_epi64x(0x00aa_00aa_00aa_00aa);
        let t = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64::<7>(x)), mask);
        x = _mm256_xor_si256(_mm256_xor_si256(x, t), _mm256_slli_epi64::<7>(t));
        let mask = _mm256_set1_epi64x(0x0000_cccc_0000_cccc);
        let t = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64::<14>(x)), mask);
        x = _mm256_xor_si256(_mm256_xor_si256(x, t), _mm256_slli_epi64::<14>(t));
        let mask = _mm256_set1_epi64x(0x0000_0000_f0f0_f0f0);
        let t = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64::<28>(x)), mask);
        x = _mm256_xor_si256(_mm256_xor_si256(x, t), _mm256_slli_epi64::<28>(t));
        x
    })
}

/// Transposes each square of eight rows and columns by a product of bit matrices.
#[inline(always)]
fn transposed_at_once(rows: __m256i) -> __m256i {
    x86!({
        let apart = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            14, 12, 10, 8, 6, 4, 2, 0, 15, 13, 11, 9, 7, 5, 3, 1,
        ));
        // Byte j of the identity has bit j alone. Its product with a bit matrix is the matrix's
        // column j, with row 7 - i at bit i. Hence `apart` takes the rows from the last on.
        let identity = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        _mm256_gf2p8affine_epi64_epi8::<0>(identity, _mm256_shuffle_epi8(rows, apart))
    })
}

#[inline(always)]
fn transposed<const EXTENDED: bool>(rows: __m256i) -> Columns16<EXTENDED> {
    x86!({
        let x = if EXTENDED { transposed_at_once(rows) } else { transposed_by_steps(rows) };
        // Puts the two bytes of each column side by side. The input has rows 0-7 and then rows
        // 8-15, each with columns 0-7 and then 8-15. The output has columns 0-7 of both, then
        // columns 8-15 of both.
        let x = _mm256_permute4x64_epi64::<0b11_01_10_00>(x);
        let together = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15,
        ));
        Columns16(_mm256_shuffle_epi8(x, together))
    })
}

impl TwoHalves {
    /// Returns one bit for each row of a condition.
    #[inline(always)]
    fn bits(low: __m256i, high: __m256i) -> u32 {
        x86!({
            // Packing works on halves: quarters come out in the order 0, 2, 1, 3.
            let bytes = _mm256_packs_epi16(low, high);
            _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(bytes)) as u32
        })
    }
}

impl Rows for TwoHalves {
    type Words = Columns16<false>;

    #[inline(always)]
    fn load(from: &[u16; ROWS]) -> Self {
        let (low, high) = from.split_at(16);
        x86!(Self([
            _mm256_loadu_si256(low.as_ptr().cast()),
            _mm256_loadu_si256(high.as_ptr().cast())
        ]))
    }
    #[inline(always)]
    fn store(self, to: &mut [u16; ROWS]) {
        let (low, high) = to.split_at_mut(16);
        x86!({
            _mm256_storeu_si256(low.as_mut_ptr().cast(), self.0[0]);
            _mm256_storeu_si256(high.as_mut_ptr().cast(), self.0[1]);
        });
    }
    #[inline(always)]
    fn with(self, cells: &[u16; ROWS], columns: u32) -> Self {
        let cells = Self::load(cells);
        x86!({
            let columns = _mm_cvtsi32_si128(columns as i32);
            Self([
                _mm256_or_si256(self.0[0], _mm256_sll_epi16(cells.0[0], columns)),
                _mm256_or_si256(self.0[1], _mm256_sll_epi16(cells.0[1], columns)),
            ])
        })
    }
    #[inline(always)]
    fn equal(self, row: u16) -> u32 {
        x86!({
            let row = _mm256_set1_epi16(row as i16);
            let (low, high) =
                (_mm256_cmpeq_epi16(self.0[0], row), _mm256_cmpeq_epi16(self.0[1], row));
            Self::bits(low, high)
        })
    }
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        x86!({
            let low = _mm256_xor_si256(self.0[0], other.0[0]);
            let any = _mm256_or_si256(low, _mm256_xor_si256(self.0[1], other.0[1]));
            _mm256_testz_si256(any, any) != 0
        })
    }
    #[inline(always)]
    fn occupied(self) -> u32 {
        !self.equal(0)
    }
    /// Removes one row after another. AVX2 cannot move words by an index, but it can shift a
    /// register by one word and blend.
    #[inline(always)]
    fn removed(self, mut rows: u32) -> Self {
        x86!({
            let [mut low, mut high] = self.0;
            let index = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let sixteen = _mm256_set1_epi16(16);
            while rows != 0 {
                // The highest row first, so that the rows below stay in place.
                let row = 31 - rows.leading_zeros();
                rows ^= 1 << row;
                // The words after each half: rows 8-15 and 16-23 for the lower rows, 24-31 and
                // nothing for the upper.
                let middle = _mm256_permute2x128_si256::<0x21>(low, high);
                let top = _mm256_permute2x128_si256::<0x81>(high, high);
                let below = _mm256_set1_epi16(row as i16);
                // Rows below the removed one stay; all others take the next word.
                let keeps = _mm256_cmpgt_epi16(below, index);
                let keeps_high = _mm256_cmpgt_epi16(_mm256_sub_epi16(below, sixteen), index);
                low = _mm256_blendv_epi8(_mm256_alignr_epi8::<2>(middle, low), low, keeps);
                high = _mm256_blendv_epi8(_mm256_alignr_epi8::<2>(top, high), high, keeps_high);
            }
            Self([low, high])
        })
    }
    #[inline(always)]
    fn counts(self) -> [Xmm; 2] {
        x86!({
            let one = _mm256_set1_epi8(1);
            [
                packed(_mm256_maddubs_epi16(popcount::<false>(self.0[0]), one)),
                packed(_mm256_maddubs_epi16(popcount::<false>(self.0[1]), one)),
            ]
        })
    }
    #[inline(always)]
    fn lower(self) -> Columns16<false> {
        transposed(self.0[0])
    }
    #[inline(always)]
    fn upper(self) -> Columns16<false> {
        transposed(self.0[1])
    }
}

/// The 32 rows of a board in one register of AVX-512.
#[derive(Clone, Copy)]
pub(crate) struct AllRows(__m512i);

impl Rows for AllRows {
    type Words = Columns16<true>;

    #[inline(always)]
    fn load(from: &[u16; ROWS]) -> Self {
        x86!(Self(_mm512_loadu_si512(from.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, to: &mut [u16; ROWS]) {
        x86!(_mm512_storeu_si512(to.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn with(self, cells: &[u16; ROWS], columns: u32) -> Self {
        let cells = Self::load(cells);
        x86!({
            let columns = _mm_cvtsi32_si128(columns as i32);
            Self(_mm512_or_si512(self.0, _mm512_sll_epi16(cells.0, columns)))
        })
    }
    #[inline(always)]
    fn equal(self, row: u16) -> u32 {
        x86!(_mm512_cmpeq_epi16_mask(self.0, _mm512_set1_epi16(row as i16)))
    }
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        x86!(_mm512_cmpneq_epi16_mask(self.0, other.0) == 0)
    }
    #[inline(always)]
    fn occupied(self) -> u32 {
        x86!(_mm512_test_epi16_mask(self.0, self.0))
    }
    /// Removes all rows at once: VBMI2 packs the words selected by a mask.
    #[inline(always)]
    fn removed(self, rows: u32) -> Self {
        x86!(Self(_mm512_maskz_compress_epi16(!rows, self.0)))
    }
    #[inline(always)]
    fn counts(self) -> [Xmm; 2] {
        x86!({
            let (low, high) =
                (_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0));
            [Columns16::<true>(low).heights(), Columns16::<true>(high).heights()]
        })
    }
    #[inline(always)]
    fn lower(self) -> Columns16<true> {
        transposed(x86!(_mm512_castsi512_si256(self.0)))
    }
    #[inline(always)]
    fn upper(self) -> Columns16<true> {
        transposed(x86!(_mm512_extracti64x4_epi64::<1>(self.0)))
    }
}

/// Column from which each word of the windows is taken; 16 is a wall. Entry k has all words of
/// window k: columns 0-3 and 8-11, then 4-7 and 12-15, each plus k - 2. Its second list has the
/// words of columns 4-7 and 12-15 of window k + 4.
const BY_FOUR: [[[u16; 16]; 2]; 4] = {
    let mut all = [[[16; 16]; 2]; 4];
    let mut k = 0;
    while k < 4 {
        let mut at = 0;
        while at < 16 {
            let column = [0, 8, 4, 12][at / 4] + at % 4;
            let moved = [column + k, [4, 12, 16, 16][at / 4] + at % 4 + k + 4];
            let mut which = 0;
            while which < 2 {
                // 2 is subtracted last, since there is nothing below 0.
                if 2 <= moved[which] && moved[which] < 18 {
                    all[k][which][at] = moved[which] as u16 - 2;
                }
                which += 1;
            }
            at += 1;
        }
        k += 1;
    }
    all
};
