//! The ten columns of a guideline matrix in one value: sets of cells or of positions.
//!
//! A set holds a `u32` per column, row r at bit 31 - r. Algorithms are written once over
//! [`Columns`]; a [`Job`] runs them at an instruction level.

#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
use super::arrays::{Array, lane_by_lane};
#[cfg(target_arch = "x86_64")]
use super::level::Kind;
use super::level::Level;

#[cfg(target_arch = "aarch64")]
mod neon;

/// Columns of a matrix.
pub(crate) const WIDTH: usize = 10;

/// A set of cells or positions of a matrix.
pub(crate) trait Columns: Copy {
    /// A set from its columns.
    fn load(columns: &[u32; WIDTH]) -> Self;
    /// Its columns.
    #[cfg(test)]
    fn store(self) -> [u32; WIDTH];
    /// The same rows in every column.
    fn rows(rows: u32) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Those not in the other.
    fn without(self, other: Self) -> Self;
    /// Column by column, with carry toward the floor.
    fn plus(self, other: Self) -> Self;
    /// All moved by -2..=2 columns to the right and any rows up; what leaves the matrix is lost.
    /// May leave members right of the last column: intersect with a set of positions.
    fn moved(self, dx: i32, dy: i32) -> Self;
    fn is_empty(self) -> bool;
    /// Members.
    fn count(self) -> u32;

    /// Adds `base | column | row << 8` for each member: first the highest of every column, from
    /// the left, then the next of every column, and so on. `out` must have room for 16 more than
    /// there are members.
    fn list(self, base: u32, out: &mut Vec<u32>);

    /// Nothing.
    #[inline(always)]
    fn none() -> Self {
        Self::rows(0)
    }

    /// All that these reach by falling within `free`, themselves included.
    #[inline(always)]
    fn fallen(self, free: Self) -> Self {
        // In a run of free cells the sum carries from a member through all free cells below it.
        free.without(self.plus(free)).or(self)
    }
}

/// Work that can run at any level.
pub(crate) trait Job {
    type Output;
    fn run<C: Columns>(self) -> Self::Output;
}

/// Runs a job with the registers of a level.
#[inline]
pub(crate) fn run<J: Job>(level: Level, job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    if level.kind() == Kind::Avx512Vbmi {
        // SAFETY: whoever owns this level proved that the CPU has it.
        return unsafe { wide::run(job) };
    }
    let _ = level;
    run_portable(job)
}

/// Not inlined: a job is much code, and would be compiled again wherever one is run.
#[inline(never)]
fn run_portable<J: Job>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    return job.run::<narrow::Narrow>();
    #[cfg(target_arch = "aarch64")]
    return job.run::<neon::Neon>();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    job.run::<Portable>()
}

/// Plain arrays, for targets without vectors of ours.
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
type Portable = Array<u32, WIDTH>;

#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
impl Columns for Portable {
    lane_by_lane! {
        and: |a, b| a & b,
        or: |a, b| a | b,
        without: |a, b| a & !b,
        plus: u32::wrapping_add,
    }

    #[inline]
    fn load(columns: &[u32; WIDTH]) -> Portable {
        Array(*columns)
    }

    #[cfg(test)]
    fn store(self) -> [u32; WIDTH] {
        self.0
    }

    #[inline]
    fn rows(rows: u32) -> Portable {
        Array([rows; WIDTH])
    }

    #[inline]
    fn moved(self, dx: i32, dy: i32) -> Portable {
        let mut to = [0; WIDTH];
        for (k, column) in to.iter_mut().enumerate() {
            let from = k as i32 - dx;
            if (0..WIDTH as i32).contains(&from) {
                let cells = self.0[from as usize];
                *column = if dy < 0 { cells << -dy } else { cells >> dy };
            }
        }
        Array(to)
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, column| any | column) == 0
    }

    #[inline]
    fn count(self) -> u32 {
        self.0.iter().map(|column| column.count_ones()).sum()
    }

    #[inline]
    fn list(mut self, base: u32, out: &mut Vec<u32>) {
        list(&mut self.0, base, out);
    }
}

/// What [`Columns::list`] lists, one member after another.
fn list(columns: &mut [u32], base: u32, out: &mut Vec<u32>) {
    while columns.iter().any(|&column| column != 0) {
        for (x, column) in (0..).zip(columns.iter_mut()) {
            if *column != 0 {
                let row = 31 - column.trailing_zeros();
                out.push(base | x | row << 8);
                *column &= *column - 1;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod narrow {
    use super::{Columns, WIDTH};
    use std::arch::x86_64::*;

    /// Ten of the twelve lanes of three registers of SSE2, which every x86-64 processor has. The last
    /// two are zero where columns are loaded, and mean nothing later.
    #[derive(Clone, Copy)]
    pub(super) struct Narrow([__m128i; 3]);

    /// Runs intrinsics of SSE2.
    macro_rules! sse2 {
        ($body:expr) => {{
            // SAFETY: every x86-64 processor has SSE2. Loads and stores go through slices of exactly the
            // vector's length.
            unsafe { $body }
        }};
    }

    impl Narrow {
        #[inline(always)]
        fn zip(self, other: Narrow, f: impl Fn(__m128i, __m128i) -> __m128i) -> Narrow {
            let ([a, b, c], [d, e, g]) = (self.0, other.0);
            Narrow([f(a, d), f(b, e), f(c, g)])
        }

        #[inline(always)]
        fn map(self, f: impl Fn(__m128i) -> __m128i) -> Narrow {
            Narrow([f(self.0[0]), f(self.0[1]), f(self.0[2])])
        }

        /// Its columns, and two that are not of the matrix.
        #[inline(always)]
        fn lanes(self) -> [u32; 12] {
            sse2!({
                let mut lanes = [0; 12];
                for (to, from) in lanes.chunks_exact_mut(4).zip(self.0) {
                    _mm_storeu_si128(to.as_mut_ptr().cast(), from);
                }
                lanes
            })
        }
    }

    impl Columns for Narrow {
        #[inline(always)]
        fn load(columns: &[u32; WIDTH]) -> Narrow {
            sse2!({
                let four = |at: usize| {
                    let four = &columns[at..at + 4];
                    _mm_loadu_si128(four.as_ptr().cast())
                };
                let last = _mm_set_epi32(0, 0, columns[9] as i32, columns[8] as i32);
                Narrow([four(0), four(4), last])
            })
        }

        #[cfg(test)]
        fn store(self) -> [u32; WIDTH] {
            std::array::from_fn(|k| self.lanes()[k])
        }

        #[inline(always)]
        fn rows(rows: u32) -> Narrow {
            sse2!({
                let all = _mm_set1_epi32(rows as i32);
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
            sse2!({
                let [a, b, c] = self.0;
                let aside = match dx {
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
                };
                let aside = Narrow(aside);
                match dy {
                    0 => aside,
                    up if up > 0 => aside.map(|a| _mm_srl_epi32(a, _mm_cvtsi32_si128(up))),
                    down => aside.map(|a| _mm_sll_epi32(a, _mm_cvtsi32_si128(-down))),
                }
            })
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
        fn count(self) -> u32 {
            self.lanes()[..WIDTH].iter().map(|column| column.count_ones()).sum()
        }

        #[inline(always)]
        fn list(self, base: u32, out: &mut Vec<u32>) {
            super::list(&mut self.lanes()[..WIDTH], base, out);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Columns, Job, WIDTH};
    use std::arch::x86_64::*;

    #[target_feature(
        enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt"
    )]
    pub(super) fn run<J: Job>(job: J) -> J::Output {
        job.run::<Wide>()
    }

    /// Ten of the sixteen lanes of a 512-bit register.
    #[derive(Clone, Copy)]
    struct Wide(__m512i);

    /// Runs intrinsics of AVX-512.
    macro_rules! avx512 {
        ($body:expr) => {{
            // SAFETY: this type is used only below `run`, whose caller owns the level. Loads and
            // stores are masked to the array's length, or checked against the room of a list.
            unsafe { $body }
        }};
    }

    const LANES: __mmask16 = (1 << WIDTH) - 1;

    impl Columns for Wide {
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
                let aside = match dx {
                    -2 => _mm512_alignr_epi32::<2>(zero, self.0),
                    -1 => _mm512_alignr_epi32::<1>(zero, self.0),
                    1 => _mm512_alignr_epi32::<15>(self.0, zero),
                    2 => _mm512_alignr_epi32::<14>(self.0, zero),
                    _ => self.0,
                };
                Wide(match dy {
                    0 => aside,
                    1 => _mm512_srli_epi32::<1>(aside),
                    2 => _mm512_srli_epi32::<2>(aside),
                    -1 => _mm512_slli_epi32::<1>(aside),
                    -2 => _mm512_slli_epi32::<2>(aside),
                    up if up > 0 => _mm512_srlv_epi32(aside, _mm512_set1_epi32(up)),
                    down => _mm512_sllv_epi32(aside, _mm512_set1_epi32(-down)),
                })
            })
        }

        #[inline(always)]
        fn is_empty(self) -> bool {
            avx512!(_mm512_test_epi32_mask(self.0, self.0) == 0)
        }

        #[inline(always)]
        fn count(self) -> u32 {
            avx512!(_mm512_reduce_add_epi32(_mm512_popcnt_epi32(self.0)) as u32)
        }

        #[inline(always)]
        fn list(self, base: u32, out: &mut Vec<u32>) {
            let mut len = out.len();
            avx512!({
                let column = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
                let base = _mm512_or_si512(column, _mm512_set1_epi32(base as i32));
                let mut set = self.0;
                let mut some = _mm512_test_epi32_mask(set, set);
                while some != 0 {
                    // The row of a column's highest member is its number of leading zeros.
                    let first =
                        _mm512_and_si512(set, _mm512_sub_epi32(_mm512_setzero_si512(), set));
                    let row = _mm512_slli_epi32::<8>(_mm512_lzcnt_epi32(first));
                    let codes = _mm512_maskz_compress_epi32(some, _mm512_or_si512(base, row));
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every operation on one pair of sets.
    struct All([u32; WIDTH], [u32; WIDTH]);

    impl Job for All {
        type Output = Vec<[u32; WIDTH]>;

        fn run<C: Columns>(self) -> Vec<[u32; WIDTH]> {
            let (a, b) = (C::load(&self.0), C::load(&self.1));
            let mut out = vec![a.and(b), a.or(b), a.without(b), a.plus(b), a.and(b).fallen(b)];
            for dx in -2..=2 {
                out.extend((-3..=3).map(|dy| a.moved(dx, dy).and(C::rows(u32::MAX))));
            }
            let mut out: Vec<[u32; WIDTH]> = out.into_iter().map(C::store).collect();
            let mut list = Vec::with_capacity(10 * 32 + 16);
            a.list(7 << 16, &mut list);
            out.extend(list.chunks_exact(WIDTH).map(|codes| std::array::from_fn(|k| codes[k])));
            out.push([
                a.count(),
                u32::from(a.is_empty()),
                u32::from(a.without(a).is_empty()),
                0,
                0,
                0,
                0,
                0,
                0,
                0,
            ]);
            out
        }
    }

    #[test]
    fn falling_goes_down_each_run_of_free_cells() {
        let mut free = [0u32; WIDTH];
        free[3] = 0b0011_1101;
        let mut start = [0; WIDTH];
        start[3] = 0b0000_1001; // row bits: the highest is the floor
        let want = {
            let mut w = [0; WIDTH];
            w[3] = 0b0011_1001;
            w
        };
        assert_eq!(Array(start).fallen(Array(free)).0, want);
    }

    proptest! {
        #[test]
        fn levels_agree(a in prop::array::uniform10(0..u32::MAX), b in prop::array::uniform10(0..u32::MAX)) {
            let portable = All(a, b).run::<Portable>();
            for level in Level::available() {
                prop_assert_eq!(&run(level, All(a, b)), &portable, "{}", level);
            }
        }
    }
}
