//! The vector of 16-bit lanes that all kernels are written over.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Lanes that every processor of the target has.
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon as Baseline;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use portable::Portable as Baseline;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512, Sse2 as Baseline};

/// Lanes of a batch; every vector length divides it.
pub(crate) const LANES: usize = 64;

/// One `u16` for every lane of a batch.
///
/// ```text
/// lane      0  1  2  3 ...... 15 16 ...... 31 32 ................ 63
/// SSE2, NEON [ 8 ][ 8 ]...       load(line, at) takes COUNT lanes from `at` on, and `at` counts up
/// AVX2       [    16    ]...     in steps of COUNT: 8, 4 or 2 registers for the 64 lanes of a board batch
/// AVX-512    [         32         ]
/// ```
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u16; LANES]);

impl Line {
    /// A line whose lanes are all 0.
    pub(crate) const ZERO: Line = Line([0; LANES]);
}

/// A vector of `u16` lanes. Arithmetic wraps; a condition is a vector of 0 and 0xffff.
///
/// Methods of the x86 types run instructions of their level. They are reached only through
/// entry points that take a [`Level`](super::Level) as proof.
pub(crate) trait Lanes: Copy {
    /// How many lanes.
    const COUNT: usize;
    /// One `i32` per lane.
    type Sums: Copy;

    /// The same word in all lanes.
    fn splat(value: u16) -> Self;
    /// Lanes `at..at + COUNT` of a line.
    fn load(from: &Line, at: usize) -> Self;
    /// Writes lanes `at..at + COUNT` of a line.
    fn store(self, to: &mut Line, at: usize);
    /// Bits of both.
    fn and(self, other: Self) -> Self;
    /// Bits of either.
    fn or(self, other: Self) -> Self;
    /// Bits of one of them alone.
    fn xor(self, other: Self) -> Self;
    /// `self & !other`
    fn without(self, other: Self) -> Self;
    /// Sums modulo 2^16.
    fn add(self, other: Self) -> Self;
    /// Differences modulo 2^16.
    fn sub(self, other: Self) -> Self;
    /// The larger as unsigned numbers.
    fn max(self, other: Self) -> Self;
    /// Each lane moved toward its higher bits: a row one column to the right, since bit 0 is the leftmost.
    fn shl(self, bits: u32) -> Self;
    /// Each lane moved toward its lower bits.
    fn shr(self, bits: u32) -> Self;
    /// 0xffff where both are equal, else 0.
    fn equal(self, other: Self) -> Self;
    /// The set bits of each lane.
    fn popcount(self) -> Self;
    /// Whether any lane is other than 0.
    fn any(self) -> bool;

    /// All sums 0. They lie in whatever order suits the registers, and only `store_sums` puts them in that of
    /// lanes.
    fn no_sums() -> Self::Sums;
    /// `sums + weights[0] * a + weights[1] * b`, all signed.
    fn dot(sums: Self::Sums, a: Self, b: Self, weights: [i16; 2]) -> Self::Sums;
    /// Writes the sums of lanes `at..at + COUNT`, in their order.
    fn store_sums(sums: Self::Sums, to: &mut [i32; LANES], at: usize);

    /// 0 in all lanes.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0)
    }

    /// 1 in the place of 0xffff.
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        self.and(yes).or(no.without(self))
    }
}
