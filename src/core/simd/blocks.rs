//! Adds operations that the vectors of `fearless_simd` lack: interleaving and packing within blocks
//! of sixteen bytes, and sums of products of unsigned with signed bytes. Each is one instruction on
//! x86-64. Elsewhere it is made of operations of `fearless_simd`.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use fearless_simd::prelude::*;
use fearless_simd::{
    i16x8, i16x16, i16x32, i32x4, i32x8, i32x16, u8x16, u8x32, u8x64, u16x8, u16x16, u16x32, u64x4,
};
#[cfg(target_arch = "x86_64")]
use fearless_simd::{
    kernel, mask16x32,
    x86::{Avx2, Avx512, Sse4_2},
};

/// Defines operations on two or four blocks by the operation on both halves.
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

/// A level with operations on blocks of sixteen bytes. Names end in the number of bytes of the
/// arguments.
///
/// Look-ups within blocks (`swizzle_dyn_within_blocks`) give 0 for an index from 128 on, at every
/// level that implements this trait.
///
/// ```text
/// zip_low    a0 b0 a1 b1 ... a7 b7      of each block; words and bytes alike
/// zip_high   a8 b8 ... a15 b15
/// pack       the low halves of a, then those of b, of each block: undoes both zips
/// ```
pub(crate) trait Blocks: Simd {
    /// Returns a0 b0 + a1 b1, a2 b2 + a3 b3 and so on, where `a` has unsigned and `b` signed bytes.
    /// No sum may exceed a word: x86-64 saturates it, others wrap it.
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
    /// Converts words to signed bytes, which saturate.
    #[inline(always)]
    fn pack_16(self, a: i16x8<Self>, b: i16x8<Self>) -> u8x16<Self> {
        a.saturating_narrow(b).bitcast()
    }
    /// Converts 32-bit numbers to words, which saturate.
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

    /// Returns the sum of each eight bytes.
    #[inline(always)]
    fn sums_of_eight(self, bytes: u8x32<Self>) -> u64x4<Self> {
        bytes.pairwise_widening_add().pairwise_widening_add().pairwise_widening_add()
    }

    /// Removes the rows whose bits are set in `full` (bit r is row r), moves those above down, and
    /// adds empty rows at the top.
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

    /// Turns sixteen rows of sixteen columns into columns: bit c of word r becomes bit r of word c.
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

/// Number of each row.
const INDEX: [u16; 32] = {
    let mut index = [0; 32];
    let mut row = 0;
    while row < 32 {
        index[row] = row as u16;
        row += 1;
    }
    index
};

/// Puts the two bytes of each column side by side: `bytes` has rows 0 to 7 of all columns, then
/// rows 8 to 15.
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

/// Defines operations that are one instruction each.
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

/// Defines the operations on two blocks that AVX2 has.
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

    /// Multiplies bit matrices: byte j of the identity has bit j alone. Its product with a matrix
    /// is the matrix's column j, with row 7 - i at bit i. Hence `apart` takes the rows from the
    /// last on.
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
