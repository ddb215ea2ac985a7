//! Implements [`Lanes`] with vectors of x86-64: 128 bits of SSE2, which every processor has, 256
//! bits of AVX2, and 512 bits of AVX-512 (BW, BITALG).
//!
//! The arrays of `lanes/portable.rs` compile to nearly the same SSE2 instructions. Compiling them
//! takes minutes, since each operation is a loop that is unrolled at every use.

use std::arch::x86_64::*;

use super::super::bytes_x86::{w128, w256, w512, x86};
use super::super::words_x86::popcount;
use super::{LANES, Lanes, Lanes16};

/// Defines a vector type and implements [`Lanes`] with the intrinsics of its width. Operations that
/// differ between the widths are arguments.
macro_rules! lanes {
    ($(#[$doc:meta])* $Vector:ident of $w:ident, $count:literal lanes; $($own:tt)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Vector($w::Register);

        impl Lanes for $Vector {
            const COUNT: usize = $count;
            /// Sums of the lower lanes of each 128 bits, then of the upper ones, in the order of
            /// unpacking.
            type Sums = [$w::Register; 2];

            #[inline(always)]
            fn splat(value: u16) -> Self {
                x86!(Self($w::set16(value as i16)))
            }

            #[inline(always)]
            fn load(from: &Lanes16, at: usize) -> Self {
                let from = &from.0[at..at + $count];
                x86!(Self($w::load_unaligned(from.as_ptr().cast())))
            }

            #[inline(always)]
            fn store(self, to: &mut Lanes16, at: usize) {
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
                    // `a` and `b` alternate: one multiply-add computes both products of a lane and
                    // their sum in 32 bits.
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
    Sse2 of w128, 8 lanes;

    /// Returns the larger number as `other` plus the saturating difference, since SSE2 cannot
    /// compare unsigned words.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        x86!(Self(_mm_add_epi16(_mm_subs_epu16(self.0, other.0), other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        x86!(Self(_mm_cmpeq_epi16(self.0, other.0)))
    }

    /// Counts bits in pairs, then in fours, bytes and words.
    #[inline(always)]
    fn popcount(self) -> Self {
        x86!({
            // SSE2 has no byte shuffle, so there is no table of nibbles as for AVX2.
            let (twos, fours) = (_mm_set1_epi8(0x55), _mm_set1_epi8(0x33));
            let odd = _mm_and_si128(_mm_srli_epi16::<1>(self.0), twos);
            let pairs = _mm_sub_epi8(self.0, odd);
            let high = _mm_and_si128(_mm_srli_epi16::<2>(pairs), fours);
            let nibbles = _mm_add_epi8(_mm_and_si128(pairs, fours), high);
            let both = _mm_add_epi8(nibbles, _mm_srli_epi16::<4>(nibbles));
            let bytes = _mm_and_si128(both, _mm_set1_epi8(15));
            // Both counts of a word are added in its high byte, which is then shifted down.
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
        // The bits of each byte, then of both bytes of a word: AVX2 has no instruction that counts
        // bits.
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
            // Unpacking works on halves: lanes 0-3 and 8-11 are in one sum, 4-7 and 12-15 in the
            // other.
            let low = _mm256_permute2x128_si256::<0x20>(sums[0], sums[1]);
            let high = _mm256_permute2x128_si256::<0x31>(sums[0], sums[1]);
            _mm256_storeu_si256(first.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(second.as_mut_ptr().cast(), high);
        });
    }
}

lanes! {
    Avx512 of w512, 32 lanes;

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        x86!(Self(_mm512_max_epu16(self.0, other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // A comparison gives a mask, but lanes need words of 0 and 0xffff.
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
            // Restores the order of the unpacked quarters; indices from 8 on select the second
            // register. Each number is a pair of sums.
            let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            let low = _mm512_permutex2var_epi64(sums[0], low, sums[1]);
            let high = _mm512_permutex2var_epi64(sums[0], high, sums[1]);
            _mm512_storeu_si512(first.as_mut_ptr().cast(), low);
            _mm512_storeu_si512(second.as_mut_ptr().cast(), high);
        });
    }
}

/// Packs two 16-bit weights into the 32-bit lane of multiply-add, the first weight low.
fn pair(weights: [i16; 2]) -> i32 {
    // The low weight without its sign, which would otherwise fill the high one.
    i32::from(weights[1]) << 16 | i32::from(weights[0] as u16)
}
