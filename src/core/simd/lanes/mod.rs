//! Defines the vectors of 16-bit lanes that sweeps are written over.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Vector type that every processor of the target has.
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon as Baseline;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use portable::Portable as Baseline;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512, Sse2 as Baseline};

/// Number of lanes of a batch; every vector length divides it.
pub(crate) const LANES: usize = 64;

/// One `u16` for every lane of a batch.
///
/// ```text
/// lane      0  1  2  3 ...... 15 16 ...... 31 32 ................ 63
/// SSE2, NEON [ 8 ][ 8 ]...       load(line, at) takes COUNT lanes from `at` on, and `at` counts up
/// AVX2       [    16    ]...     in steps of COUNT: 8, 4 or 2 registers for 64 lanes
/// AVX-512    [         32         ]
/// ```
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes16(pub(crate) [u16; LANES]);

impl Lanes16 {
    pub(crate) const ZERO: Lanes16 = Lanes16([0; LANES]);
}

/// A vector of `u16` lanes. Arithmetic wraps; a condition is a lane of 0 (false) or 0xffff (true).
///
/// Methods of the x86 types run instructions of their level. They are called only through entry
/// points that take a [`Level`](super::Level) as proof.
pub(crate) trait Lanes: Copy {
    /// Number of lanes.
    const COUNT: usize;
    /// One `i32` for each lane.
    type Sums: Copy;

    fn splat(value: u16) -> Self;
    /// Loads elements `at..at + COUNT` of `from`.
    fn load(from: &Lanes16, at: usize) -> Self;
    fn store(self, to: &mut Lanes16, at: usize);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// Returns the larger unsigned number of each lane.
    fn max(self, other: Self) -> Self;
    /// Shifts each lane by `bits` toward higher bits. This moves a row to the right, since bit 0 is
    /// the leftmost column.
    fn shl(self, bits: u32) -> Self;
    fn shr(self, bits: u32) -> Self;
    /// Returns 0xffff for each lane that is equal in `self` and `other`, and 0 for all others.
    fn equal(self, other: Self) -> Self;
    /// Returns the number of set bits of each lane.
    fn popcount(self) -> Self;
    /// Returns true if any bit of any lane is set.
    fn any(self) -> bool;

    /// Returns sums that are all 0. The order of sums depends on the type; `store_sums` restores
    /// the order of lanes.
    fn no_sums() -> Self::Sums;
    /// Returns `sums + weights[0] * a + weights[1] * b` for each lane, all signed.
    fn dot(sums: Self::Sums, a: Self, b: Self, weights: [i16; 2]) -> Self::Sums;
    /// Stores the sums in elements `at..at + COUNT` of `to`, in the order of lanes.
    fn store_sums(sums: Self::Sums, to: &mut [i32; LANES], at: usize);

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0)
    }

    /// Returns the lane of `yes` where the condition `self` is true, and that of `no` elsewhere.
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        self.and(yes).or(no.without(self))
    }
}
