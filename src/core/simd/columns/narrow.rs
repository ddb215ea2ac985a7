//! Implements [`Columns`] with three registers of SSE2, which every x86-64 processor has.

use std::arch::x86_64::*;

use super::{Columns, ColumnsJob, WIDTH, list};

/// Runs `job` on sets of the type [`Narrow`]. This copy of the code is compiled for processors with
/// AVX2 and with the instructions that count bits (popcnt, lzcnt, BMI).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run_avx2<J: ColumnsJob>(job: J) -> J::Output {
    job.run::<Narrow>()
}

/// A set in ten of the twelve lanes of three registers, one lane for each column. The last two
/// lanes are zero after a load, and meaningless after other operations.
#[derive(Clone, Copy)]
pub(super) struct Narrow([__m128i; 3]);

macro_rules! sse2 {
    ($body:expr) => {{
        // SAFETY: every x86-64 processor has SSE2. Loads and stores go through slices of exactly
        // the vector's length.
        unsafe { $body }
    }};
}

impl Narrow {
    /// Applies `f` to each pair of registers. A closure works here, unlike in the kernels: SSE2 is
    /// in the baseline, so its intrinsics are inlined into closures.
    #[inline(always)]
    fn zip(self, other: Narrow, f: impl Fn(__m128i, __m128i) -> __m128i) -> Narrow {
        let ([a, b, c], [d, e, g]) = (self.0, other.0);
        Narrow([f(a, d), f(b, e), f(c, g)])
    }

    #[inline(always)]
    fn map(self, f: impl Fn(__m128i) -> __m128i) -> Narrow {
        Narrow([f(self.0[0]), f(self.0[1]), f(self.0[2])])
    }

    /// Moves all members up by `rows`, or down if it is negative.
    #[inline(always)]
    fn up(self, rows: i32) -> Narrow {
        sse2!(match rows {
            0 => self,
            up if up > 0 => self.map(|a| _mm_srl_epi32(a, _mm_cvtsi32_si128(up))),
            down => self.map(|a| _mm_sll_epi32(a, _mm_cvtsi32_si128(-down))),
        })
    }

    /// Returns the ten columns, followed by the two lanes that are no columns.
    #[inline(always)]
    fn lanes(self) -> [u32; 12] {
        let mut lanes = [0; 12];
        self.put(&mut lanes);
        lanes
    }

    #[inline(always)]
    fn put(self, lanes: &mut [u32]) {
        sse2!({
            for (to, from) in lanes.chunks_exact_mut(4).zip(self.0) {
                _mm_storeu_si128(to.as_mut_ptr().cast(), from);
            }
        });
    }

    #[inline(always)]
    fn get(lanes: &[u32; 12]) -> Narrow {
        sse2!({
            let four = |at: usize| {
                let four = &lanes[at..at + 4];
                _mm_loadu_si128(four.as_ptr().cast())
            };
            Narrow([four(0), four(4), four(8)])
        })
    }
}

impl Columns for Narrow {
    const IS_LOW: bool = false;

    #[inline(always)]
    fn load(columns: &[u32; WIDTH]) -> Narrow {
        let mut lanes = [0; 12];
        // Through twelve lanes, since a load of the last four would read past ten columns.
        lanes[..WIDTH].copy_from_slice(columns);
        Narrow::get(&lanes)
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        std::array::from_fn(|k| self.lanes()[k])
    }

    #[inline(always)]
    fn rows(rows: u32) -> Narrow {
        sse2!({
            let all = _mm_set1_epi32(rows as i32);
            // The last two lanes are no columns: a set of all rows must not have members there.
            Narrow([all, all, _mm_set_epi32(0, 0, rows as i32, rows as i32)])
        })
    }

    #[inline(always)]
    fn and(self, other: Narrow) -> Narrow {
        sse2!(self.zip(other, |a, b| _mm_and_si128(a, b)))
    }

    #[inline(always)]
    fn or(self, other: Narrow) -> Narrow {
        sse2!(self.zip(other, |a, b| _mm_or_si128(a, b)))
    }

    #[inline(always)]
    fn without(self, other: Narrow) -> Narrow {
        sse2!(self.zip(other, |a, b| _mm_andnot_si128(b, a)))
    }

    #[inline(always)]
    fn plus(self, other: Narrow) -> Narrow {
        sse2!(self.zip(other, |a, b| _mm_add_epi32(a, b)))
    }

    #[inline(always)]
    fn moved(self, dx: i32, dy: i32) -> Narrow {
        let [a, b, c] = self.0;
        // Lanes of 4 bytes: those that leave one register enter the next.
        let shifted = sse2!(match dx {
            -2 => [
                _mm_or_si128(_mm_bsrli_si128::<8>(a), _mm_bslli_si128::<8>(b)),
                _mm_or_si128(_mm_bsrli_si128::<8>(b), _mm_bslli_si128::<8>(c)),
                _mm_bsrli_si128::<8>(c),
            ],
            -1 => [
                _mm_or_si128(_mm_bsrli_si128::<4>(a), _mm_bslli_si128::<12>(b)),
                _mm_or_si128(_mm_bsrli_si128::<4>(b), _mm_bslli_si128::<12>(c)),
                _mm_bsrli_si128::<4>(c),
            ],
            1 => [
                _mm_bslli_si128::<4>(a),
                _mm_or_si128(_mm_bslli_si128::<4>(b), _mm_bsrli_si128::<12>(a)),
                _mm_or_si128(_mm_bslli_si128::<4>(c), _mm_bsrli_si128::<12>(b)),
            ],
            2 => [
                _mm_bslli_si128::<8>(a),
                _mm_or_si128(_mm_bslli_si128::<8>(b), _mm_bsrli_si128::<8>(a)),
                _mm_or_si128(_mm_bslli_si128::<8>(c), _mm_bsrli_si128::<8>(b)),
            ],
            _ => [a, b, c],
        });
        Narrow(shifted).up(dy)
    }

    /// Calls `moved`, which branches on the move. A shifted load from memory would be slower, since
    /// it would wait for three stores.
    #[inline(always)]
    fn moved_by(self, (dx, dy): (i32, i32)) -> Narrow {
        self.moved(dx, dy)
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        sse2!({
            let [a, b, c] = self.0;
            let any = _mm_or_si128(_mm_or_si128(a, b), c);
            _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) == 0xffff
        })
    }

    #[inline(always)]
    fn total(sets: &[Narrow; 4]) -> u32 {
        let mut sum = 0;
        for set in sets {
            // Through memory: SSE2 counts no bits, and the two lanes behind the columns must not
            // count.
            sum += set.lanes()[..WIDTH].iter().map(|column| column.count_ones()).sum::<u32>();
        }
        sum
    }

    #[inline(always)]
    fn list(self, base: u32, out: &mut Vec<u32>) {
        list(&mut self.lanes()[..WIDTH], base, out);
    }
}
