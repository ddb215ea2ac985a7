//! Lanes as 256-bit vectors of AVX2.

use std::arch::x86_64::*;

use super::super::words_x86::popcount;
use super::{LANES, Lanes, Line};

/// Sixteen lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256i);

/// Runs intrinsics of AVX2.
macro_rules! avx2 {
    ($body:expr) => {{
        // SAFETY: this type is used only below entry points that own a `Level` of AVX2, so the
        // CPU has it. Loads and stores go through slices of exactly the vector's length.
        unsafe { $body }
    }};
}

impl Lanes for Avx2 {
    const COUNT: usize = 16;
    /// Lanes 0-3 and 8-11, then 4-7 and 12-15: as unpacking leaves them.
    type Sums = [__m256i; 2];

    #[inline(always)]
    fn splat(value: u16) -> Avx2 {
        avx2!(Avx2(_mm256_set1_epi16(value as i16)))
    }

    #[inline(always)]
    fn load(from: &Line, at: usize) -> Avx2 {
        let from = &from.0[at..at + 16];
        avx2!(Avx2(_mm256_loadu_si256(from.as_ptr().cast())))
    }

    #[inline(always)]
    fn store(self, to: &mut Line, at: usize) {
        let to = &mut to.0[at..at + 16];
        avx2!(_mm256_storeu_si256(to.as_mut_ptr().cast(), self.0));
    }

    #[inline(always)]
    fn and(self, other: Avx2) -> Avx2 {
        avx2!(Avx2(_mm256_and_si256(self.0, other.0)))
    }

    #[inline(always)]
    fn or(self, other: Avx2) -> Avx2 {
        avx2!(Avx2(_mm256_or_si256(self.0, other.0)))
    }

    #[inline(always)]
    fn xor(self, other: Avx2) -> Avx2 {
        avx2!(Avx2(_mm256_xor_si256(self.0, other.0)))
    }

    #[inline(always)]
    fn without(self, other: Avx2) -> Avx2 {
        avx2!(Avx2(_mm256_andnot_si256(other.0, self.0)))
    }

    #[inline(always)]
    fn add(self, other: Avx2) -> Avx2 {
        avx2!(Avx2(_mm256_add_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Avx2) -> Avx2 {
        avx2!(Avx2(_mm256_sub_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Avx2) -> Avx2 {
        avx2!(Avx2(_mm256_max_epu16(self.0, other.0)))
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Avx2 {
        avx2!(Avx2(_mm256_sll_epi16(self.0, _mm_cvtsi32_si128(bits as i32))))
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Avx2 {
        avx2!(Avx2(_mm256_srl_epi16(self.0, _mm_cvtsi32_si128(bits as i32))))
    }

    #[inline(always)]
    fn equal(self, other: Avx2) -> Avx2 {
        avx2!(Avx2(_mm256_cmpeq_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn popcount(self) -> Avx2 {
        // Bits of each byte, then both bytes of a word added up: AVX2 counts none itself.
        avx2!(Avx2(_mm256_maddubs_epi16(popcount::<false>(self.0), _mm256_set1_epi8(1))))
    }

    #[inline(always)]
    fn any(self) -> bool {
        avx2!(_mm256_testz_si256(self.0, self.0) == 0)
    }

    #[inline(always)]
    fn no_sums() -> [__m256i; 2] {
        avx2!([_mm256_setzero_si256(); 2])
    }

    #[inline(always)]
    fn dot(sums: [__m256i; 2], a: Avx2, b: Avx2, weights: [i16; 2]) -> [__m256i; 2] {
        avx2!({
            // a and b in turn, so that one multiply-add has both products of a lane and their sum in 32 bits.
            let weights = _mm256_set1_epi32(pair(weights));
            let low = _mm256_madd_epi16(_mm256_unpacklo_epi16(a.0, b.0), weights);
            let high = _mm256_madd_epi16(_mm256_unpackhi_epi16(a.0, b.0), weights);
            [_mm256_add_epi32(sums[0], low), _mm256_add_epi32(sums[1], high)]
        })
    }

    #[inline(always)]
    fn store_sums(sums: [__m256i; 2], to: &mut [i32; LANES], at: usize) {
        let (first, second) = to[at..at + 16].split_at_mut(8);
        avx2!({
            // Put in order, since unpacking goes by halves of the register: lanes 0-3 and 8-11 stand in one
            // sum, 4-7 and 12-15 in the other.
            let low = _mm256_permute2x128_si256::<0x20>(sums[0], sums[1]);
            let high = _mm256_permute2x128_si256::<0x31>(sums[0], sums[1]);
            _mm256_storeu_si256(first.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(second.as_mut_ptr().cast(), high);
        });
    }
}

/// Two 16-bit weights as the 32-bit lane that multiply-add expects, first weight low.
pub(crate) fn pair(weights: [i16; 2]) -> i32 {
    // The low weight without its sign, which would otherwise fill the high one.
    i32::from(weights[1]) << 16 | i32::from(weights[0] as u16)
}
