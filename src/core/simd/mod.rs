//! Provides the vectors that the kernels are written over: those of the crate `fearless_simd`, with
//! names for what they mean here.
//!
//! A kernel is written once over them, as a [`BoardJob`] or a [`VectorJob`], and compiled for each
//! level. [`run`] and [`run_vectors`] select the instance by [`Level`], which holds the proof that
//! the processor has the level's instructions.
//!
//! | file | contents |
//! |---|---|
//! | `level` | the instruction level: a token that proves which instructions the CPU has |
//! | `vectors` | computations over the vectors of `fearless_simd` |
//! | `blocks` | what `fearless_simd` lacks: operations within blocks of sixteen bytes |
//! | `bytes` | lanes of sixteen bytes: the placements of a piece |
//! | `words` | the rows and columns of a board |
//! | `columns` | sets of cells or positions of a guideline matrix, one word for each column |
//! | `brand` | the processor's name |

mod blocks;
mod brand;
mod bytes;
pub(crate) mod columns;
mod level;
#[cfg(test)]
mod tests;
mod vectors;
mod words;

pub(crate) use blocks::Blocks;
pub use brand::cpu_brand;
pub(crate) use bytes::{Block, Bytes, Lane, Neighbours, OneLane, SumBlock};
pub(crate) use fearless_simd::{u8x16, u8x32, u8x64};
pub use level::{LEVEL_NAMES, Level};
pub(crate) use vectors::{LANES, Lanes16, VectorJob, run_vectors};
pub(crate) use words::{All, ColumnCells, Counts, Rows, Words};

use level::Kind;

/// A computation on one board, written over the vectors of any level above `scalar`.
pub(crate) trait BoardJob {
    type Output;
    /// Runs the job with the vectors of `simd`. Implementations and all functions they call must be
    /// inlined.
    fn run<S: Blocks>(self, simd: S) -> Self::Output;
}

/// Runs `job` at `level`. Returns `None` at the level `scalar`.
#[inline(always)]
pub(crate) fn run<J: BoardJob>(level: Level, job: J) -> Option<J::Output> {
    let cpu = level.cpu();
    match level.kind() {
        Kind::Scalar => None,
        #[cfg(target_arch = "aarch64")]
        Kind::Neon => cpu.as_neon().map(|simd| vectorized(simd, job)),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Kind::Simd128 => cpu.as_wasm_simd128().map(|simd| vectorized(simd, job)),
        #[cfg(target_arch = "x86_64")]
        Kind::Sse42 => cpu.as_sse4_2().map(|simd| vectorized(simd, job)),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => cpu.as_avx2().map(|simd| vectorized(simd, job)),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => cpu.as_avx512().map(|simd| vectorized(simd, job)),
        _ => None,
    }
}

/// Runs a job compiled for the instructions of `simd`.
#[inline(always)]
fn vectorized<S: Blocks, J: BoardJob>(simd: S, job: J) -> J::Output {
    simd.vectorize(
        #[inline(always)]
        || job.run(simd),
    )
}
