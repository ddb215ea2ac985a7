//! Lanes as 512-bit vectors of AVX-512 (BW, BITALG).

use std::arch::x86_64::*;

use super::avx2::pair;
use super::{LANES, Lanes, Line};

/// 32 lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

/// Runs intrinsics of AVX-512.
macro_rules! avx512 {
    ($body:expr) => {{
        // SAFETY: this type is used only below entry points that own a `Level` of AVX-512, so
        // the CPU has it. Loads and stores go through slices of exactly the vector's length.
        unsafe { $body }
    }};
}

impl Lanes for Avx512 {
    const COUNT: usize = 32;
    /// The two halves as unpacking leaves them: four lanes of each eight.
    type Sums = [__m512i; 2];

    #[inline(always)]
    fn splat(value: u16) -> Avx512 {
        avx512!(Avx512(_mm512_set1_epi16(value as i16)))
    }

    #[inline(always)]
    fn load(from: &Line, at: usize) -> Avx512 {
        let from = &from.0[at..at + 32];
        avx512!(Avx512(_mm512_loadu_si512(from.as_ptr().cast())))
    }

    #[inline(always)]
    fn store(self, to: &mut Line, at: usize) {
        let to = &mut to.0[at..at + 32];
        avx512!(_mm512_storeu_si512(to.as_mut_ptr().cast(), self.0));
    }

    #[inline(always)]
    fn and(self, other: Avx512) -> Avx512 {
        avx512!(Avx512(_mm512_and_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn or(self, other: Avx512) -> Avx512 {
        avx512!(Avx512(_mm512_or_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn xor(self, other: Avx512) -> Avx512 {
        avx512!(Avx512(_mm512_xor_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn without(self, other: Avx512) -> Avx512 {
        avx512!(Avx512(_mm512_andnot_si512(other.0, self.0)))
    }

    #[inline(always)]
    fn add(self, other: Avx512) -> Avx512 {
        avx512!(Avx512(_mm512_add_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Avx512) -> Avx512 {
        avx512!(Avx512(_mm512_sub_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Avx512) -> Avx512 {
        avx512!(Avx512(_mm512_max_epu16(self.0, other.0)))
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Avx512 {
        avx512!(Avx512(_mm512_sll_epi16(self.0, _mm_cvtsi32_si128(bits as i32))))
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Avx512 {
        avx512!(Avx512(_mm512_srl_epi16(self.0, _mm_cvtsi32_si128(bits as i32))))
    }

    #[inline(always)]
    fn equal(self, other: Avx512) -> Avx512 {
        // Made words again, since a comparison gives a mask and lanes want words of 0 and 0xffff.
        avx512!(Avx512(_mm512_movm_epi16(_mm512_cmpeq_epi16_mask(self.0, other.0))))
    }

    #[inline(always)]
    fn popcount(self) -> Avx512 {
        avx512!(Avx512(_mm512_popcnt_epi16(self.0)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        avx512!(_mm512_test_epi16_mask(self.0, self.0) != 0)
    }

    #[inline(always)]
    fn no_sums() -> [__m512i; 2] {
        avx512!([_mm512_setzero_si512(); 2])
    }

    #[inline(always)]
    fn dot(sums: [__m512i; 2], a: Avx512, b: Avx512, weights: [i16; 2]) -> [__m512i; 2] {
        avx512!({
            let weights = _mm512_set1_epi32(pair(weights));
            let low = _mm512_madd_epi16(_mm512_unpacklo_epi16(a.0, b.0), weights);
            let high = _mm512_madd_epi16(_mm512_unpackhi_epi16(a.0, b.0), weights);
            [_mm512_add_epi32(sums[0], low), _mm512_add_epi32(sums[1], high)]
        })
    }

    #[inline(always)]
    fn store_sums(sums: [__m512i; 2], to: &mut [i32; LANES], at: usize) {
        let (first, second) = to[at..at + 32].split_at_mut(16);
        avx512!({
            // Quarters of unpacking in their order again; 8 and up are of the second register. Numbers are
            // pairs of sums.
            let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            let low = _mm512_permutex2var_epi64(sums[0], low, sums[1]);
            let high = _mm512_permutex2var_epi64(sums[0], high, sums[1]);
            _mm512_storeu_si512(first.as_mut_ptr().cast(), low);
            _mm512_storeu_si512(second.as_mut_ptr().cast(), high);
        });
    }
}
