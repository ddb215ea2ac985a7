//! Runs computations that are written over the vectors of `fearless_simd`.

use fearless_simd::Simd;

use super::Level;
#[cfg(target_arch = "x86_64")]
use super::level::Kind;

/// Number of lanes of a batch of boards; every vector length divides it.
pub(crate) const LANES: usize = 64;

/// One `u16` for every board of a batch.
///
/// ```text
/// lane       0  1  2  3 ...... 15 16 ...... 31 32 ................ 63
/// SSE2, NEON [ 8 ][ 8 ]...
/// AVX2       [    16    ]...     8, 4 or 2 vectors for 64 lanes
/// AVX-512    [         32         ]
/// ```
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes16(pub(crate) [u16; LANES]);

impl Lanes16 {
    pub(crate) const ZERO: Lanes16 = Lanes16([0; LANES]);
}

/// A computation that is generic over the vectors, so that it is compiled for each instruction
/// level.
pub(crate) trait VectorJob {
    type Output;
    /// Runs the job with the vectors of `simd`. Implementations and all functions they call must be
    /// inlined.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Runs `job` with the vectors of `level`. Every level can run it.
#[inline(always)]
pub(crate) fn run_vectors<J: VectorJob>(level: Level, job: J) -> J::Output {
    let cpu = level.cpu();
    #[cfg(target_arch = "x86_64")]
    match level.kind() {
        Kind::Avx512 if let Some(simd) = cpu.as_avx512() => vectorized(simd, job),
        Kind::Avx2 if let Some(simd) = cpu.as_avx2() => vectorized(simd, job),
        Kind::Sse42 if let Some(simd) = cpu.as_sse4_2() => vectorized(simd, job),
        _ => match cpu.as_sse2() {
            Some(simd) => vectorized(simd, job),
            None => unreachable!("every x86-64 processor has SSE2"),
        },
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        fearless_simd::dispatch!(cpu, simd => vectorized(simd, job))
    }
}

/// Runs a job compiled for the instructions of `simd`. Not inlined, because a job is large and each
/// call site would get its own copy.
#[inline(never)]
fn vectorized<S: Simd, J: VectorJob>(simd: S, job: J) -> J::Output {
    simd.vectorize(
        #[inline(always)]
        || job.run(simd),
    )
}
