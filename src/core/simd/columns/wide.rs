//! Implements [`Columns`] with one register of AVX-512.

use std::arch::x86_64::*;

use super::{Columns, ColumnsJob, WIDTH};

/// Runs a job with [`Wide`] sets, compiled for AVX-512 without BITALG, which not all of its
/// processors have.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn run<J: ColumnsJob>(job: J) -> J::Output {
    job.run::<Wide>()
}

/// A set in ten of the sixteen lanes of a 512-bit register, one lane for each column. The other
/// lanes are zero unless a set was moved.
#[derive(Clone, Copy)]
struct Wide(__m512i);

macro_rules! avx512 {
    ($body:expr) => {{
        // SAFETY: this type is used only below `run`, whose caller owns the level. Loads and stores
        // are masked to the array's length, or checked against the room of a list.
        unsafe { $body }
    }};
}

/// Mask of the ten lanes that are columns.
const LANES: __mmask16 = (1 << WIDTH) - 1;

impl Wide {
    #[inline(always)]
    fn index() -> __m512i {
        avx512!(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
    }
}

impl Columns for Wide {
    const IS_LOW: bool = false;

    #[inline(always)]
    fn load(columns: &[u32; WIDTH]) -> Wide {
        avx512!(Wide(_mm512_maskz_loadu_epi32(LANES, columns.as_ptr().cast())))
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        let mut columns = [0; WIDTH];
        avx512!(_mm512_mask_storeu_epi32(columns.as_mut_ptr().cast(), LANES, self.0));
        columns
    }

    #[inline(always)]
    fn rows(rows: u32) -> Wide {
        avx512!(Wide(_mm512_maskz_set1_epi32(LANES, rows as i32)))
    }

    #[inline(always)]
    fn and(self, other: Wide) -> Wide {
        avx512!(Wide(_mm512_and_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn or(self, other: Wide) -> Wide {
        avx512!(Wide(_mm512_or_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn without(self, other: Wide) -> Wide {
        avx512!(Wide(_mm512_andnot_si512(other.0, self.0)))
    }

    #[inline(always)]
    fn plus(self, other: Wide) -> Wide {
        avx512!(Wide(_mm512_add_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn moved(self, dx: i32, dy: i32) -> Wide {
        avx512!({
            let zero = _mm512_setzero_si512();
            let shifted = match dx {
                -2 => _mm512_alignr_epi32::<2>(zero, self.0),
                -1 => _mm512_alignr_epi32::<1>(zero, self.0),
                // To the right with zeros from the left: fifteen lanes of zeros are skipped and one
                // stays in front.
                1 => _mm512_alignr_epi32::<15>(self.0, zero),
                2 => _mm512_alignr_epi32::<14>(self.0, zero),
                _ => self.0,
            };
            Wide(match dy {
                0 => shifted,
                1 => _mm512_srli_epi32::<1>(shifted),
                2 => _mm512_srli_epi32::<2>(shifted),
                -1 => _mm512_slli_epi32::<1>(shifted),
                -2 => _mm512_slli_epi32::<2>(shifted),
                // Up to two rows by constants, since other shifts need a register of counts.
                up if up > 0 => _mm512_srlv_epi32(shifted, _mm512_set1_epi32(up)),
                down => _mm512_sllv_epi32(shifted, _mm512_set1_epi32(-down)),
            })
        })
    }

    /// Moves columns by rotating all lanes: the six lanes without a column are zero.
    #[inline(always)]
    fn moved_by(self, (dx, dy): (i32, i32)) -> Wide {
        avx512!({
            let from = _mm512_sub_epi32(Wide::index(), _mm512_set1_epi32(dx));
            let shifted = _mm512_permutexvar_epi32(from, self.0);
            let up = _mm512_srlv_epi32(shifted, _mm512_set1_epi32(dy.max(0)));
            Wide(_mm512_sllv_epi32(up, _mm512_set1_epi32((-dy).max(0))))
        })
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        avx512!(_mm512_test_epi32_mask(self.0, self.0) == 0)
    }

    /// Counts bits by a table of four-bit numbers, since not all processors have VPOPCNTDQ.
    #[inline(always)]
    fn total(sets: &[Wide; 4]) -> u32 {
        avx512!({
            let table = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
            let (table, four) = (_mm512_broadcast_i32x4(table), _mm512_set1_epi8(15));
            let mut sum = _mm512_setzero_si512();
            for set in sets {
                let low = _mm512_shuffle_epi8(table, _mm512_and_si512(set.0, four));
                let high = _mm512_and_si512(_mm512_srli_epi16::<4>(set.0), four);
                let both = _mm512_add_epi8(low, _mm512_shuffle_epi8(table, high));
                sum = _mm512_add_epi8(sum, both);
            }
            let sums = _mm512_sad_epu8(sum, _mm512_setzero_si512());
            _mm512_reduce_add_epi64(sums) as u32
        })
    }

    #[inline(always)]
    fn list(self, base: u32, out: &mut Vec<u32>) {
        let mut len = out.len();
        avx512!({
            let base = _mm512_or_si512(Wide::index(), _mm512_set1_epi32(base as i32));
            let mut set = self.0;
            let mut some = _mm512_test_epi32_mask(set, set);
            while some != 0 {
                // The lowest bit of each column is its highest member, whose leading zeros are its
                // row.
                let first = _mm512_and_si512(set, _mm512_sub_epi32(_mm512_setzero_si512(), set));
                let row = _mm512_slli_epi32::<8>(_mm512_lzcnt_epi32(first));
                let codes = _mm512_maskz_compress_epi32(some, _mm512_or_si512(base, row));
                // A whole register is written, and the next overwrites the excess.
                assert!(len + 16 <= out.capacity(), "room for 16 more");
                _mm512_storeu_si512(out.as_mut_ptr().add(len).cast(), codes);
                len += some.count_ones() as usize;
                set = _mm512_andnot_si512(first, set);
                some = _mm512_test_epi32_mask(set, set);
            }
            out.set_len(len);
        });
    }
}
