//! Implements [`Bytes`] on x86-64, with registers of one, two and four lanes of AVX2 and AVX-512.
//! Each operation is written once. A module for each width gives that width's intrinsics common
//! names.

use std::arch::x86_64::*;

use super::bytes::{Block, Bytes, Half, INELIGIBLE, Lane, Neighbours, OneLane, SumBlock, Windows};

/// Wraps intrinsics in `unsafe`; the caller's level proves that the CPU has them.
macro_rules! x86 {
    ($body:expr) => {{
        // SAFETY: these types are used only below entry points that own a level with these
        // instructions, so the CPU has them. Loads and stores go through arrays of at least the
        // register's length.
        unsafe { $body }
    }};
}
pub(super) use x86;

/// Intrinsics of registers of 16 bytes.
pub(super) mod w128 {
    pub(in crate::simd) use std::arch::x86_64::{
        __m128i as Register, _mm_add_epi8 as add8, _mm_add_epi16 as add16, _mm_add_epi32 as add32,
        _mm_and_si128 as and, _mm_andnot_si128 as andnot, _mm_avg_epu8 as mean8,
        _mm_blendv_epi8 as blend8, _mm_cmpeq_epi8 as equal8, _mm_cmpgt_epi32 as greater32,
        _mm_cvtsi128_si32 as first32, _mm_load_si128 as load, _mm_loadu_si128 as load_unaligned,
        _mm_madd_epi16 as madd16, _mm_maddubs_epi16 as madd8, _mm_max_epi32 as max32,
        _mm_max_epu8 as max8, _mm_min_epi16 as min16, _mm_min_epu8 as min8,
        _mm_movemask_epi8 as signs8, _mm_mullo_epi16 as mul16, _mm_or_si128 as or,
        _mm_packs_epi16 as pack16, _mm_packs_epi32 as pack32, _mm_packus_epi16 as pack_unsigned16,
        _mm_set1_epi8 as set8, _mm_set1_epi32 as set32, _mm_shuffle_epi8 as shuffle8,
        _mm_shuffle_epi32 as shuffle32, _mm_srli_epi16 as right16, _mm_store_si128 as store,
        _mm_storeu_si128 as store_unaligned, _mm_sub_epi8 as sub8, _mm_sub_epi32 as sub32,
        _mm_subs_epu8 as above8, _mm_unpackhi_epi8 as high8, _mm_unpackhi_epi16 as high16,
        _mm_unpacklo_epi8 as low8, _mm_unpacklo_epi16 as low16, _mm_xor_si128 as xor,
    };

    /// Repeats `lane` in all lanes of a register; this width has only one.
    #[inline(always)]
    pub(super) fn lane(lane: Register) -> Register {
        lane
    }
    #[inline(always)]
    pub(super) fn largest_lane(sums: Register) -> Register {
        sums
    }
}

/// Intrinsics of registers of 32 bytes.
pub(super) mod w256 {
    use std::arch::x86_64::_mm256_permute2x128_si256 as permute;
    pub(in crate::simd) use std::arch::x86_64::{
        __m256i as Register, _mm256_add_epi8 as add8, _mm256_add_epi16 as add16,
        _mm256_add_epi32 as add32, _mm256_and_si256 as and, _mm256_andnot_si256 as andnot,
        _mm256_avg_epu8 as mean8, _mm256_blendv_epi8 as blend8,
        _mm256_broadcastsi128_si256 as lane, _mm256_cmpeq_epi8 as equal8,
        _mm256_cmpgt_epi32 as greater32, _mm256_cvtsi256_si32 as first32,
        _mm256_load_si256 as load, _mm256_loadu_si256 as load_unaligned,
        _mm256_madd_epi16 as madd16, _mm256_maddubs_epi16 as madd8,
        _mm256_mask_multishift_epi64_epi8 as multishift_merged, _mm256_max_epi32 as max32,
        _mm256_max_epu8 as max8, _mm256_min_epi16 as min16, _mm256_min_epu8 as min8,
        _mm256_movemask_epi8 as signs8, _mm256_mullo_epi16 as mul16,
        _mm256_multishift_epi64_epi8 as multishift, _mm256_or_si256 as or,
        _mm256_packs_epi16 as pack16, _mm256_packs_epi32 as pack32,
        _mm256_packus_epi16 as pack_unsigned16, _mm256_set1_epi8 as set8,
        _mm256_set1_epi32 as set32, _mm256_shuffle_epi8 as shuffle8,
        _mm256_shuffle_epi32 as shuffle32, _mm256_srli_epi16 as right16,
        _mm256_store_si256 as store, _mm256_storeu_si256 as store_unaligned,
        _mm256_sub_epi8 as sub8, _mm256_sub_epi32 as sub32, _mm256_subs_epu8 as above8,
        _mm256_unpackhi_epi8 as high8, _mm256_unpackhi_epi16 as high16,
        _mm256_unpacklo_epi8 as low8, _mm256_unpacklo_epi16 as low16, _mm256_xor_si256 as xor,
    };

    /// Returns a register whose lanes both have the larger of the two sums at each position in a
    /// lane.
    #[inline(always)]
    pub(super) fn largest_lane(sums: Register) -> Register {
        x86!(max32(sums, permute::<1>(sums, sums)))
    }
}

/// Intrinsics of registers of 64 bytes.
pub(super) mod w512 {
    use std::arch::x86_64::_mm512_shuffle_i64x2 as permute;
    pub(in crate::simd) use std::arch::x86_64::{
        __m512i as Register, _mm512_add_epi8 as add8, _mm512_add_epi16 as add16,
        _mm512_add_epi32 as add32, _mm512_and_si512 as and, _mm512_andnot_si512 as andnot,
        _mm512_avg_epu8 as mean8, _mm512_broadcast_i32x4 as lane, _mm512_cvtsi512_si32 as first32,
        _mm512_load_si512 as load, _mm512_loadu_si512 as load_unaligned,
        _mm512_madd_epi16 as madd16, _mm512_maddubs_epi16 as madd8,
        _mm512_mask_multishift_epi64_epi8 as multishift_merged, _mm512_max_epi32 as max32,
        _mm512_max_epu8 as max8, _mm512_min_epi16 as min16, _mm512_min_epu8 as min8,
        _mm512_multishift_epi64_epi8 as multishift, _mm512_or_si512 as or,
        _mm512_packs_epi16 as pack16, _mm512_packs_epi32 as pack32, _mm512_set1_epi8 as set8,
        _mm512_set1_epi32 as set32, _mm512_shuffle_epi8 as shuffle8,
        _mm512_shuffle_epi32 as shuffle32, _mm512_store_si512 as store,
        _mm512_storeu_si512 as store_unaligned, _mm512_sub_epi8 as sub8, _mm512_sub_epi32 as sub32,
        _mm512_subs_epu8 as above8, _mm512_unpackhi_epi8 as high8, _mm512_unpackhi_epi16 as high16,
        _mm512_unpacklo_epi8 as low8, _mm512_unpacklo_epi16 as low16, _mm512_xor_si512 as xor,
    };

    /// Returns a register whose lanes all have the largest of the four sums at each position in a
    /// lane.
    #[inline(always)]
    pub(super) fn largest_lane(sums: Register) -> Register {
        x86!({
            let two = max32(sums, permute::<0b01_00_11_10>(sums, sums));
            max32(two, permute::<0b10_11_00_01>(two, two))
        })
    }
}

/// Factors 2^(12 - r) for each row r, as two tables of low and high bytes. The product of a
/// column's word and its factor has row r at bit 12.
///
/// ```text
/// word      .... .... dcba ....      rows r to r + 3 of a column, here r = 4
/// x 2^8     dcba .... .... ....      row r + 3 is the highest bit; rows above leave at the top
/// >> 12     0000 0000 0000 dcba      rows below leave at the bottom
/// ```
const FACTORS: [Lane; 2] = {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    let mut row = 0;
    while row <= 12 {
        let factor = 1u16 << (12 - row);
        // Two tables of bytes, looked up by landing row and interleaved to words.
        (low[row], high[row]) = (factor as u8, (factor >> 8) as u8);
        row += 1;
    }
    [Lane(low), Lane(high)]
};

/// Implements [`Windows`] by products, for registers that shift all words by the same number.
///
/// AVX2 shifts all words of a register by one number, but it can multiply each word by its own
/// factor.
macro_rules! windows_by_factors {
    ($name:ident, $w:ident) => {
        impl $name {
            /// Multiplies each word by its factor in `from` and returns the highest four bits of
            /// each product, as bytes.
            #[inline(always)]
            fn moved(low: Self, high: Self, from: [Self; 2]) -> Self {
                x86!(Self($w::pack_unsigned16(
                    $w::right16::<12>($w::mul16(low.0, from[0].0)),
                    $w::right16::<12>($w::mul16(high.0, from[1].0))
                )))
            }
        }

        impl Windows for $name {
            type Shift = [Self; 2];

            #[inline(always)]
            fn shift(rows: Self) -> [Self; 2] {
                let low = Self::repeat(&FACTORS[0]).lookup(rows);
                let high = Self::repeat(&FACTORS[1]).lookup(rows);
                x86!([Self($w::low8(low.0, high.0)), Self($w::high8(low.0, high.0))])
            }
            #[inline(always)]
            fn window(neighbours: &Neighbours, column: usize, from: [Self; 2]) -> Self {
                let [low, high] = neighbours.beside(column);
                Self::moved(Self::repeat(low), Self::repeat(high), from)
            }
        }
    };
}

/// Bit at which the word of each column begins in its quadword, 64 bits.
const WORD: Lane = Lane([0, 16, 32, 48, 0, 16, 32, 48, 0, 16, 32, 48, 0, 16, 32, 48]);

/// Implements [`Windows`] by one instruction for four of each eight columns. VBMI takes the eight
/// bits of a byte from any position in its quadword, 64 bits.
///
/// ```text
/// bytes of columns    0 1 2 3 4 5 6 7 | 8 ...    byte c: bits from 16 (c % 4) + r on
/// first quadwords     words 0-3       | 8-11     for bytes 0 to 3 of each
/// second              words 4-7       | 12-15    for bytes 4 to 7, merged into the first
/// ```
macro_rules! windows_by_multishift {
    ($name:ident, $w:ident) => {
        impl Windows for $name {
            type Shift = Self;

            #[inline(always)]
            fn shift(rows: Self) -> Self {
                rows.add(Self::repeat(&WORD))
            }
            #[inline(always)]
            fn window(neighbours: &Neighbours, column: usize, from: Self) -> Self {
                let [first, second] = neighbours.by_four(column);
                let (first, second) = (Self::repeat(first), Self::repeat(second));
                let windows = x86!(Self($w::multishift_merged(
                    $w::multishift(from.0, first.0),
                    0xf0f0_f0f0_f0f0_f0f0_u64 as _,
                    from.0,
                    second.0
                )));
                // Keeps the lowest four of eight rows.
                windows.and(Self::splat(15))
            }
        }
    };
}

/// Implements conditions as bytes of 0 or 255.
macro_rules! conditions_in_bytes {
    ($w:ident) => {
        #[inline(always)]
        fn equal(self, other: Self) -> Self {
            x86!(Self($w::equal8(self.0, other.0)))
        }
        #[inline(always)]
        fn select(self, yes: Self, no: Self) -> Self {
            x86!(Self($w::blend8(no.0, yes.0, self.0)))
        }
        #[inline(always)]
        fn bits(self) -> u64 {
            x86!(u64::from($w::signs8(self.0) as u32))
        }
        #[inline(always)]
        fn only_less(mut sums: [Self; 4], than: Self) -> [Self; 4] {
            let least = x86!($w::set32(i32::MIN));
            for one in &mut sums {
                one.0 = x86!($w::blend8(least, one.0, $w::greater32(than.0, one.0)));
            }
            sums
        }
    };
}

/// Implements conditions as mask registers, as AVX-512 does for registers of 64 bytes.
///
/// `equal` converts the mask to bytes; sums use it directly.
macro_rules! conditions_in_masks {
    ($w:ident) => {
        #[inline(always)]
        fn equal(self, other: Self) -> Self {
            x86!(Self(_mm512_movm_epi8(_mm512_cmpeq_epi8_mask(self.0, other.0))))
        }
        #[inline(always)]
        fn plus_equal(self, a: Self, b: Self) -> Self {
            self.plus_where_equal(Self::splat(1), a, b)
        }
        #[inline(always)]
        fn plus_where_equal(self, what: Self, a: Self, b: Self) -> Self {
            x86!({
                let equal = _mm512_cmpeq_epi8_mask(a.0, b.0);
                Self(_mm512_mask_add_epi8(self.0, equal, self.0, what.0))
            })
        }
        #[inline(always)]
        fn select(self, yes: Self, no: Self) -> Self {
            x86!(Self(_mm512_ternarylogic_epi32::<0xca>(self.0, yes.0, no.0)))
        }
        #[inline(always)]
        fn bits(self) -> u64 {
            x86!(_mm512_movepi8_mask(self.0))
        }
        #[inline(always)]
        fn only_less(mut sums: [Self; 4], than: Self) -> [Self; 4] {
            let least = x86!(_mm512_set1_epi32(i32::MIN));
            for one in &mut sums {
                let less = x86!(_mm512_cmplt_epi32_mask(one.0, than.0));
                one.0 = x86!(_mm512_mask_mov_epi32(least, less, one.0));
            }
            sums
        }
    };
}

/// Defines methods of two operands that are one instruction each.
macro_rules! on_two {
    ($w:ident: $($name:ident = $instruction:ident,)*) => {
        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                x86!(Self($w::$instruction(self.0, other.0)))
            }
        )*
    };
}

/// Defines a register type by its name, the intrinsics of its width, its number of lanes, and its
/// form of conditions.
macro_rules! register {
    ($(#[$doc:meta])* $name:ident, $w:ident, $lanes:literal, $conditions:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(super) $w::Register);

        impl Bytes for $name {
            const LANES: usize = $lanes;
            type Words = [Self; 2];
            type Sums = [Self; 4];

            $conditions!($w);
            on_two!($w: and = and, or = or, xor = xor, add = add8, sub = sub8,
                saturating_sub = above8, max = max8, min = min8, mean = mean8, lookup = shuffle8,);

            #[inline(always)]
            fn splat(value: u8) -> Self {
                x86!(Self($w::set8(value as i8)))
            }
            #[inline(always)]
            fn load_at(from: &Block, lane: usize) -> Self {
                let from: &[u8] = &from.0[16 * lane..][..16 * $lanes];
                x86!(Self($w::load(from.as_ptr().cast())))
            }
            #[inline(always)]
            fn store_at(self, to: &mut Block, lane: usize) {
                let to: &mut [u8] = &mut to.0[16 * lane..][..16 * $lanes];
                x86!($w::store(to.as_mut_ptr().cast(), self.0));
            }
            #[inline(always)]
            fn repeat(lane: &Lane) -> Self {
                x86!(Self($w::lane(_mm_load_si128(lane.0.as_ptr().cast()))))
            }
            #[inline(always)]
            fn without(self, other: Self) -> Self {
                x86!(Self($w::andnot(other.0, self.0)))
            }
            #[inline(always)]
            fn lookup_in_both(low: Self, high: Self, index: Self) -> Self {
                // Rows outside a table become indices from 128 on; below, four bits count.
                let low = low.lookup(index.add(Self::splat(0x70)));
                low.or(high.lookup(index.sub(Self::splat(16))))
            }
            #[inline(always)]
            fn products(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
                x86!([
                    // Bytes of both factors in turn: one multiply-add makes a word of two products.
                    // Its first factor is unsigned and its second signed.
                    Self($w::madd8($w::low8(a[0].0, a[1].0), $w::low8(b[0].0, b[1].0))),
                    Self($w::madd8($w::high8(a[0].0, a[1].0), $w::high8(b[0].0, b[1].0))),
                ])
            }
            #[inline(always)]
            fn add_words(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
                x86!([Self($w::add16(a[0].0, b[0].0)), Self($w::add16(a[1].0, b[1].0))])
            }
            #[inline(always)]
            fn repeat_words(from: &[u16; 16]) -> [Self; 2] {
                let (low, high) = from.split_at(8);
                x86!([
                    Self($w::lane(_mm_loadu_si128(low.as_ptr().cast()))),
                    Self($w::lane(_mm_loadu_si128(high.as_ptr().cast()))),
                ])
            }
            #[inline(always)]
            fn narrow(words: [Self; 2]) -> Self {
                // Packing undoes unpacking within lanes and restores the order of columns. Large
                // words saturate.
                x86!(Self($w::pack16(words[0].0, words[1].0)))
            }
            #[inline(always)]
            fn weighed_at(a: [Self; 2], weights: &Block, lane: usize) -> [Self; 2] {
                let weights = Self::load_at(weights, lane);
                x86!([
                    Self($w::madd8($w::low8(a[0].0, a[1].0), weights.0)),
                    Self($w::madd8($w::high8(a[0].0, a[1].0), weights.0)),
                ])
            }
            #[inline(always)]
            fn sums_at(
                high: [Self; 2],
                low: [Self; 2],
                base: i16,
                eligible: Self,
                start: &SumBlock,
                lane: usize,
            ) -> [Self; 4] {
                // The high byte of the bound: that of `INELIGIBLE`, or 0x7f, which is above all
                // sums.
                let bound = Self::splat((INELIGIBLE >> 8) as u8).sub(eligible);
                let all = Self::splat(INELIGIBLE as u8);
                let start = Self::load_sums_at(start, lane);
                x86!({
                    let a = $w::min16(high[0].0, $w::low8(all.0, bound.0));
                    let b = $w::min16(high[1].0, $w::high8(all.0, bound.0));
                    // Words of the high and low digit in turn, times `base` and 1: a multiply-add
                    // is `high x base + low`.
                    let digits = $w::set32(1 << 16 | i32::from(base));
                    let [c, d] = [low[0].0, low[1].0];
                    let words =
                        [$w::low16(a, c), $w::high16(a, c), $w::low16(b, d), $w::high16(b, d)];
                    // A loop: closures around intrinsics are not compiled for the level.
                    let mut sums = start;
                    for k in 0..4 {
                        sums[k] = Self($w::add32($w::madd16(words[k], digits), start[k].0));
                    }
                    sums
                })
            }
            #[inline(always)]
            fn largest(sums: [Self; 4]) -> Self {
                x86!({
                    // Between registers, then between lanes, then within one: the largest ends in
                    // every place.
                    let two = [$w::max32(sums[0].0, sums[1].0), $w::max32(sums[2].0, sums[3].0)];
                    let four = $w::largest_lane($w::max32(two[0], two[1]));
                    let two = $w::max32(four, $w::shuffle32::<0b01_00_11_10>(four));
                    Self($w::max32(two, $w::shuffle32::<0b10_11_00_01>(two)))
                })
            }
            #[inline(always)]
            fn number(self) -> i32 {
                x86!($w::first32(self.0))
            }
            #[inline(always)]
            fn lowered(self, by: i32) -> Self {
                x86!(Self($w::sub32(self.0, $w::set32(by))))
            }
            #[inline(always)]
            fn less(mut sums: [Self; 4], than: Self) -> Self {
                for one in &mut sums {
                    one.0 = x86!($w::sub32(one.0, than.0));
                }
                // Signs survive saturation.
                x86!({
                    let low = $w::pack32(sums[0].0, sums[1].0);
                    Self($w::pack16(low, $w::pack32(sums[2].0, sums[3].0)))
                })
            }
            #[inline(always)]
            fn load_sums_at(from: &SumBlock, lane: usize) -> [Self; 4] {
                let mut sums = [Self::splat(0); 4];
                for (sum, four) in sums.iter_mut().zip(&from.0) {
                    let four: &[i32] = &four[4 * lane..][..4 * $lanes];
                    *sum = x86!(Self($w::load_unaligned(four.as_ptr().cast())));
                }
                sums
            }
            #[inline(always)]
            fn store_sums_at(sums: [Self; 4], to: &mut SumBlock, lane: usize) {
                for (sum, four) in sums.into_iter().zip(&mut to.0) {
                    let four: &mut [i32] = &mut four[4 * lane..][..4 * $lanes];
                    x86!($w::store_unaligned(four.as_mut_ptr().cast(), sum.0));
                }
            }
        }
    };
}

register!(
    /// Register of one lane, 16 bytes.
    Xmm, w128, 1, conditions_in_bytes
);
register!(
    /// Register of two lanes at AVX2, 32 bytes.
    Ymm, w256, 2, conditions_in_bytes
);
register!(
    /// Register of two lanes at AVX-512.
    YmmM, w256, 2, conditions_in_bytes
);
register!(
    /// Register of four lanes at AVX-512, 64 bytes.
    Zmm, w512, 4, conditions_in_masks
);
windows_by_factors!(Xmm, w128);
windows_by_factors!(Ymm, w256);
windows_by_multishift!(YmmM, w256);
windows_by_multishift!(Zmm, w512);

impl Half for Ymm {
    #[inline(always)]
    fn larger(mut a: [Ymm; 4], b: [Ymm; 4]) -> [Ymm; 4] {
        for (a, b) in a.iter_mut().zip(b) {
            a.0 = x86!(_mm256_max_epi32(a.0, b.0));
        }
        a
    }
}

impl OneLane for Xmm {
    #[inline(always)]
    fn store_lane(self, to: &mut Lane) {
        x86!(_mm_store_si128(to.0.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn store_words(words: [Xmm; 2], to: &mut [i16; 16]) {
        let (low, high) = to.split_at_mut(8);
        x86!({
            _mm_storeu_si128(low.as_mut_ptr().cast(), words[0].0);
            _mm_storeu_si128(high.as_mut_ptr().cast(), words[1].0);
        });
    }
    #[inline(always)]
    fn next<const D: i32>(self, beyond: Xmm) -> Xmm {
        x86!(Xmm(_mm_alignr_epi8::<D>(beyond.0, self.0)))
    }
    #[inline(always)]
    fn window_of(word: u16, rows: Xmm) -> Xmm {
        let word = x86!(Xmm(_mm_set1_epi16(word as i16)));
        Xmm::moved(word, word, Xmm::shift(rows))
    }
}
