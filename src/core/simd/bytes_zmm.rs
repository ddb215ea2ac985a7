//! Four lanes in a register of AVX-512.

use std::arch::x86_64::*;

use super::bytes::{Block, Bytes, Lane, SumBlock};
use super::bytes_x86::{by_shifts, common, sums, x86};

/// Four lanes.
#[derive(Clone, Copy)]
pub(crate) struct Zmm(__m512i);

impl Bytes for Zmm {
    common!(
        _mm512_set1_epi8,
        _mm512_and_si512,
        _mm512_or_si512,
        _mm512_xor_si512,
        _mm512_andnot_si512,
        _mm512_add_epi8,
        _mm512_sub_epi8,
        _mm512_subs_epu8,
        _mm512_max_epu8,
        _mm512_min_epu8,
        _mm512_shuffle_epi8,
        _mm512_unpacklo_epi8,
        _mm512_unpackhi_epi8,
        _mm512_maddubs_epi16,
        _mm512_add_epi16,
        _mm512_packs_epi16
    );
    by_shifts!();
    sums!(
        _mm512_loadu_si512,
        _mm512_unpacklo_epi8,
        _mm512_unpackhi_epi8,
        _mm512_unpacklo_epi16,
        _mm512_unpackhi_epi16,
        _mm512_min_epi16,
        _mm512_madd_epi16,
        _mm512_set1_epi32,
        _mm512_add_epi32,
        16,
        _mm512_sub_epi32,
        _mm512_max_epi32,
        _mm512_packs_epi32,
        _mm512_packs_epi16,
        u64,
        _mm512_cvtsi512_si32
    );

    #[inline(always)]
    fn load(from: &Block) -> Zmm {
        x86!(Zmm(_mm512_load_si512(from.0.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, to: &mut Block) {
        x86!(_mm512_store_si512(to.0.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn repeat(lane: &Lane) -> Zmm {
        x86!(Zmm(_mm512_broadcast_i32x4(_mm_load_si128(lane.0.as_ptr().cast()))))
    }
    #[inline(always)]
    fn equal(self, other: Zmm) -> Zmm {
        x86!(Zmm(_mm512_movm_epi8(_mm512_cmpeq_epi8_mask(self.0, other.0))))
    }
    #[inline(always)]
    fn plus_equal(self, a: Zmm, b: Zmm) -> Zmm {
        self.plus_where_equal(Zmm::splat(1), a, b)
    }
    #[inline(always)]
    fn plus_where_equal(self, what: Zmm, a: Zmm, b: Zmm) -> Zmm {
        x86!({
            let equal = _mm512_cmpeq_epi8_mask(a.0, b.0);
            Zmm(_mm512_mask_add_epi8(self.0, equal, self.0, what.0))
        })
    }
    #[inline(always)]
    fn select(self, yes: Zmm, no: Zmm) -> Zmm {
        x86!(Zmm(_mm512_ternarylogic_epi32::<0xca>(self.0, yes.0, no.0)))
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        x86!(_mm512_movepi8_mask(self.0))
    }
    #[inline(always)]
    fn store_sums(sums: [Zmm; 4], to: &mut SumBlock) {
        for (sum, four) in sums.into_iter().zip(&mut to.0) {
            x86!(_mm512_storeu_si512(four.as_mut_ptr().cast(), sum.0));
        }
    }
}

impl Zmm {
    /// The largest `i32` in the place of each.
    #[inline(always)]
    fn largest_in_all(self) -> Zmm {
        x86!({
            let other = _mm512_shuffle_i64x2::<0b01_00_11_10>(self.0, self.0);
            let eight = _mm512_max_epi32(self.0, other);
            let other = _mm512_shuffle_i64x2::<0b10_11_00_01>(eight, eight);
            let four = _mm512_max_epi32(eight, other);
            let two = _mm512_max_epi32(four, _mm512_shuffle_epi32::<0b01_00_11_10>(four));
            Zmm(_mm512_max_epi32(two, _mm512_shuffle_epi32::<0b10_11_00_01>(two)))
        })
    }
    #[inline(always)]
    fn unpacked(self, other: Zmm) -> [Zmm; 2] {
        x86!([
            Zmm(_mm512_unpacklo_epi8(self.0, other.0)),
            Zmm(_mm512_unpackhi_epi8(self.0, other.0)),
        ])
    }
    #[inline(always)]
    fn moved_up(self, by: Zmm) -> Zmm {
        x86!(Zmm(_mm512_sllv_epi16(self.0, by.0)))
    }
    #[inline(always)]
    fn top_four(low: Zmm, high: Zmm) -> Zmm {
        x86!(Zmm(_mm512_packus_epi16(
            _mm512_srli_epi16::<12>(low.0),
            _mm512_srli_epi16::<12>(high.0)
        )))
    }
}
