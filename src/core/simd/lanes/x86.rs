//! Lanes as vectors of x86-64: 128-bit ones of SSE2, which every processor has, 256-bit ones of AVX2, and 512-bit ones of
//! AVX-512 (BW, BITALG).
//!
//! The compiler makes nearly the instructions of SSE2 of [`super::portable`]'s arrays, but takes minutes to find them: each
//! operation on an array is a loop that has to be unrolled wherever it is used.

use std::arch::x86_64::*;

use super::super::bytes_x86::{w128, w256, w512, x86};
use super::super::words_x86::popcount;
use super::{LANES, Lanes, Line};

/// Writes the lanes of a register, over the intrinsics of its width; what has an instruction of its own at each width is
/// given.
macro_rules! lanes {
    ($(#[$doc:meta])* $Vector:ident of $w:ident, $count:literal lanes; $($own:tt)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Vector($w::Register);

        impl Lanes for $Vector {
            const COUNT: usize = $count;
            /// The lower lanes of each 128 bits, then the upper ones: as unpacking leaves them.
            type Sums = [$w::Register; 2];

            #[inline(always)]
            fn splat(value: u16) -> Self {
                x86!(Self($w::set16(value as i16)))
            }

            #[inline(always)]
            fn load(from: &Line, at: usize) -> Self {
                let from = &from.0[at..at + $count];
                x86!(Self($w::load_unaligned(from.as_ptr().cast())))
            }

            #[inline(always)]
            fn store(self, to: &mut Line, at: usize) {
                let to = &mut to.0[at..at + $count];
                x86!($w::store_unaligned(to.as_mut_ptr().cast(), self.0));
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                x86!(Self($w::and(self.0, other.0)))
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                x86!(Self($w::or(self.0, other.0)))
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                x86!(Self($w::xor(self.0, other.0)))
            }

            #[inline(always)]
            fn without(self, other: Self) -> Self {
                x86!(Self($w::andnot(other.0, self.0)))
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                x86!(Self($w::add16(self.0, other.0)))
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                x86!(Self($w::sub16(self.0, other.0)))
            }

            #[inline(always)]
            fn shl(self, bits: u32) -> Self {
                x86!(Self($w::shl16(self.0, _mm_cvtsi32_si128(bits as i32))))
            }

            #[inline(always)]
            fn shr(self, bits: u32) -> Self {
                x86!(Self($w::shr16(self.0, _mm_cvtsi32_si128(bits as i32))))
            }

            #[inline(always)]
            fn no_sums() -> Self::Sums {
                x86!([$w::zero(); 2])
            }

            #[inline(always)]
            fn dot(sums: Self::Sums, a: Self, b: Self, weights: [i16; 2]) -> Self::Sums {
                x86!({
                    // a and b in turn, so that one multiply-add has both products of a lane and their sum in 32 bits.
                    let weights = $w::set32(pair(weights));
                    let low = $w::madd16($w::low16(a.0, b.0), weights);
                    let high = $w::madd16($w::high16(a.0, b.0), weights);
                    [$w::add32(sums[0], low), $w::add32(sums[1], high)]
                })
            }

            $($own)*
        }
    };
}

lanes! {
    /// Eight lanes.
    Sse2 of w128, 8 lanes;

    /// What one exceeds the other by, added to it: SSE2 compares no unsigned words.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        x86!(Self(_mm_add_epi16(_mm_subs_epu16(self.0, other.0), other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        x86!(Self(_mm_cmpeq_epi16(self.0, other.0)))
    }

    /// By halves: pairs, fours, bytes, words.
    #[inline(always)]
    fn popcount(self) -> Self {
        x86!({
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
            Self(_mm_srli_epi16::<8>(word))
        })
    }

    #[inline(always)]
    fn any(self) -> bool {
        x86!(_mm_movemask_epi8(_mm_cmpeq_epi8(self.0, _mm_setzero_si128())) != 0xffff)
    }

    #[inline(always)]
    fn store_sums(sums: Self::Sums, to: &mut [i32; LANES], at: usize) {
        x86!({
            let (first, second) = to[at..at + 8].split_at_mut(4);
            _mm_storeu_si128(first.as_mut_ptr().cast(), sums[0]);
            _mm_storeu_si128(second.as_mut_ptr().cast(), sums[1]);
        })
    }
}

lanes! {
    /// Sixteen lanes.
    Avx2 of w256, 16 lanes;

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        x86!(Self(_mm256_max_epu16(self.0, other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        x86!(Self(_mm256_cmpeq_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn popcount(self) -> Self {
        // Bits of each byte, then both bytes of a word added up: AVX2 counts none itself.
        x86!(Self(_mm256_maddubs_epi16(popcount::<false>(self.0), _mm256_set1_epi8(1))))
    }

    #[inline(always)]
    fn any(self) -> bool {
        x86!(_mm256_testz_si256(self.0, self.0) == 0)
    }

    #[inline(always)]
    fn store_sums(sums: Self::Sums, to: &mut [i32; LANES], at: usize) {
        let (first, second) = to[at..at + 16].split_at_mut(8);
        x86!({
            // Put in order, since unpacking goes by halves of the register: lanes 0-3 and 8-11 stand in one
            // sum, 4-7 and 12-15 in the other.
            let low = _mm256_permute2x128_si256::<0x20>(sums[0], sums[1]);
            let high = _mm256_permute2x128_si256::<0x31>(sums[0], sums[1]);
            _mm256_storeu_si256(first.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(second.as_mut_ptr().cast(), high);
        });
    }
}

lanes! {
    /// 32 lanes.
    Avx512 of w512, 32 lanes;

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        x86!(Self(_mm512_max_epu16(self.0, other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // Made words again, since a comparison gives a mask and lanes want words of 0 and 0xffff.
        x86!(Self(_mm512_movm_epi16(_mm512_cmpeq_epi16_mask(self.0, other.0))))
    }

    #[inline(always)]
    fn popcount(self) -> Self {
        x86!(Self(_mm512_popcnt_epi16(self.0)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        x86!(_mm512_test_epi16_mask(self.0, self.0) != 0)
    }

    #[inline(always)]
    fn store_sums(sums: Self::Sums, to: &mut [i32; LANES], at: usize) {
        let (first, second) = to[at..at + 32].split_at_mut(16);
        x86!({
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

/// Two 16-bit weights as the 32-bit lane that multiply-add expects, first weight low.
fn pair(weights: [i16; 2]) -> i32 {
    // The low weight without its sign, which would otherwise fill the high one.
    i32::from(weights[1]) << 16 | i32::from(weights[0] as u16)
}
