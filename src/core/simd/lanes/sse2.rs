//! Lanes as 128-bit vectors of SSE2, which every x86-64 processor has.
//!
//! The compiler makes nearly the same instructions of [`super::portable`]'s arrays, but takes minutes
//! to find them: each operation on an array is a loop that has to be unrolled wherever it is used.

use std::arch::x86_64::*;

use super::avx2::pair;
use super::{LANES, Lanes, Line};

/// Eight lanes.
#[derive(Clone, Copy)]
pub(crate) struct Sse2(__m128i);

/// Runs intrinsics of SSE2.
macro_rules! sse2 {
    ($body:expr) => {{
        // SAFETY: every x86-64 processor has SSE2. Loads and stores go through slices of exactly the
        // vector's length.
        unsafe { $body }
    }};
}

impl Lanes for Sse2 {
    const COUNT: usize = 8;
    /// Lanes 0-3, then 4-7.
    type Sums = [__m128i; 2];

    #[inline(always)]
    fn splat(value: u16) -> Sse2 {
        sse2!(Sse2(_mm_set1_epi16(value as i16)))
    }

    #[inline(always)]
    fn load(from: &Line, at: usize) -> Sse2 {
        sse2!({
            let from = &from.0[at..at + 8];
            Sse2(_mm_loadu_si128(from.as_ptr().cast()))
        })
    }

    #[inline(always)]
    fn store(self, to: &mut Line, at: usize) {
        sse2!({
            let to = &mut to.0[at..at + 8];
            _mm_storeu_si128(to.as_mut_ptr().cast(), self.0);
        })
    }

    #[inline(always)]
    fn and(self, other: Sse2) -> Sse2 {
        sse2!(Sse2(_mm_and_si128(self.0, other.0)))
    }

    #[inline(always)]
    fn or(self, other: Sse2) -> Sse2 {
        sse2!(Sse2(_mm_or_si128(self.0, other.0)))
    }

    #[inline(always)]
    fn xor(self, other: Sse2) -> Sse2 {
        sse2!(Sse2(_mm_xor_si128(self.0, other.0)))
    }

    #[inline(always)]
    fn without(self, other: Sse2) -> Sse2 {
        sse2!(Sse2(_mm_andnot_si128(other.0, self.0)))
    }

    #[inline(always)]
    fn add(self, other: Sse2) -> Sse2 {
        sse2!(Sse2(_mm_add_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Sse2) -> Sse2 {
        sse2!(Sse2(_mm_sub_epi16(self.0, other.0)))
    }

    /// What one exceeds the other by, added to it: SSE2 compares no unsigned words.
    #[inline(always)]
    fn max(self, other: Sse2) -> Sse2 {
        sse2!(Sse2(_mm_add_epi16(_mm_subs_epu16(self.0, other.0), other.0)))
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Sse2 {
        sse2!(Sse2(_mm_sll_epi16(self.0, _mm_cvtsi32_si128(bits as i32))))
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Sse2 {
        sse2!(Sse2(_mm_srl_epi16(self.0, _mm_cvtsi32_si128(bits as i32))))
    }

    #[inline(always)]
    fn equal(self, other: Sse2) -> Sse2 {
        sse2!(Sse2(_mm_cmpeq_epi16(self.0, other.0)))
    }

    /// By halves: pairs, fours, bytes, words.
    #[inline(always)]
    fn popcount(self) -> Sse2 {
        sse2!({
            // SSE2 has no byte shuffle, so that there is no table of nibbles as for AVX2.
            let (twos, fours) = (_mm_set1_epi8(0x55), _mm_set1_epi8(0x33));
            let odd = _mm_and_si128(_mm_srli_epi16::<1>(self.0), twos);
            let pairs = _mm_sub_epi8(self.0, odd);
            let high = _mm_and_si128(_mm_srli_epi16::<2>(pairs), fours);
            let nibbles = _mm_add_epi8(_mm_and_si128(pairs, fours), high);
            let both = _mm_add_epi8(nibbles, _mm_srli_epi16::<4>(nibbles));
            let bytes = _mm_and_si128(both, _mm_set1_epi8(15));
            // Both counts of a word in its high byte, which is then moved down.
            let word = _mm_add_epi8(bytes, _mm_slli_epi16::<8>(bytes));
            Sse2(_mm_srli_epi16::<8>(word))
        })
    }

    #[inline(always)]
    fn any(self) -> bool {
        sse2!(_mm_movemask_epi8(_mm_cmpeq_epi8(self.0, _mm_setzero_si128())) != 0xffff)
    }

    #[inline(always)]
    fn no_sums() -> [__m128i; 2] {
        sse2!([_mm_setzero_si128(); 2])
    }

    #[inline(always)]
    fn dot(sums: [__m128i; 2], a: Sse2, b: Sse2, weights: [i16; 2]) -> [__m128i; 2] {
        sse2!({
            let weights = _mm_set1_epi32(pair(weights));
            let low = _mm_madd_epi16(_mm_unpacklo_epi16(a.0, b.0), weights);
            let high = _mm_madd_epi16(_mm_unpackhi_epi16(a.0, b.0), weights);
            [_mm_add_epi32(sums[0], low), _mm_add_epi32(sums[1], high)]
        })
    }

    #[inline(always)]
    fn store_sums(sums: [__m128i; 2], to: &mut [i32; LANES], at: usize) {
        sse2!({
            let (first, second) = to[at..at + 8].split_at_mut(4);
            _mm_storeu_si128(first.as_mut_ptr().cast(), sums[0]);
            _mm_storeu_si128(second.as_mut_ptr().cast(), sums[1]);
        })
    }
}
