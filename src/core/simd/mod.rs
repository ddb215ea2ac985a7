//! Provides the vectors that the kernels are written over, and holds the only `unsafe` of this
//! crate: the intrinsics of `bytes`, and the read of a counter. An intrinsic is unsafe on a
//! processor without its level, and owning the [`Level`] is the proof.
//!
//! Operations are named by their meaning, and each instruction set implements them. A kernel is
//! written once over the traits, as a [`BoardJob`], and compiled for each level. [`run`] and
//! similar functions select the instance by [`Level`]. A value of that type proves that the
//! processor has the level's instructions.
//!
//! | file | contents |
//! |---|---|
//! | `level` | the instruction level: a token that proves which instructions the CPU has |
//! | `vectors` | computations over the vectors of `fearless_simd` |
//! | `bytes` | lanes of sixteen bytes: rows and columns of one board, and its placements |
//! | `bytes_x86`, `words_x86` | implementations of `bytes` for AVX2 and AVX-512 |
//! | `bytes_neon`, `words_neon` | implementations of `bytes` for NEON |
//! | `bytes_pair` | two registers side by side |
//! | `arrays`, `bytes_arrays` | the same operations over plain arrays, the specification in tests |
//! | `columns` | sets of cells or positions of a guideline matrix, one word for each column |
//! | `brand` | the processor's name |
//! | `ticks` | the time-stamp counter, for benchmarks |

#[cfg(test)]
mod arrays;
mod brand;
// Other targets have no implementation of `bytes`.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
mod bytes;
#[cfg(test)]
mod bytes_arrays;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod bytes_neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod bytes_pair;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod bytes_x86;
pub(crate) mod columns;
mod level;
#[allow(unsafe_code)]
mod ticks;
mod vectors;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod words_neon;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod words_x86;

pub use brand::cpu_brand;
pub(crate) use bytes::{Block, Bytes, Lane, Neighbours, OneLane, Rows, SumBlock, Windows, Words};
pub use level::{LEVEL_NAMES, Level};
pub use ticks::ticks;
pub(crate) use vectors::{LANES, Lanes16, VectorJob, run_vectors};

use level::Kind;

/// Register types that the difference kernel uses at one level.
pub(crate) trait Simd {
    /// True if the pieces O, S and Z use `Wide` registers like T, J and L, which saves a branch.
    const JOINED: bool;
    /// Register for pieces of one or two orientations.
    type Narrow: Windows;
    /// Register for pieces of four orientations.
    type Wide: Windows;
    /// All 32 rows of a board.
    type Rows: Rows<Words = Self::Words>;
    /// Sixteen columns of a board, sixteen rows of each.
    type Words: Words<Lane = Self::Lane>;
    /// Sixteen bytes, one for each column or row.
    type Lane: OneLane;
}

/// A computation on one board, written over the registers of any level.
pub(crate) trait BoardJob {
    type Output;
    /// Runs the job with the registers of `S`. Implementations and all functions they call must be
    /// inlined.
    fn run<S: Simd>(self) -> Self::Output;
}

impl Level {
    /// Returns true if the level has byte shuffles, which [`run`] needs.
    pub(crate) fn has_bytes(self) -> bool {
        // Levels are ordered by ability: from `neon` on, all have table look-ups of sixteen bytes.
        self.kind() >= Kind::Neon
    }
}

/// Runs `job` at `level`. Returns `None` if the level has no byte shuffles.
#[inline(always)]
pub(crate) fn run<J: BoardJob>(level: Level, job: J) -> Option<J::Output> {
    match level.kind() {
        #[cfg(target_arch = "aarch64")]
        Kind::Neon => level.cpu().as_neon().map(|simd| vectorized::<_, arm::Neon, J>(simd, job)),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => level.cpu().as_avx2().map(|simd| vectorized::<_, x86::Avx2, J>(simd, job)),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => {
            level.cpu().as_avx512().map(|simd| vectorized::<_, x86::Avx512, J>(simd, job))
        }
        // `scalar` and `portable` have no byte shuffles: their callers sweep whole boards.
        _ => None,
    }
}

/// Runs a job with the registers of `S`, compiled for the instructions of `simd`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn vectorized<V: fearless_simd::Simd, S: Simd, J: BoardJob>(simd: V, job: J) -> J::Output {
    simd.vectorize(
        #[inline(always)]
        || job.run::<S>(),
    )
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::Simd;
    use super::bytes_neon::Q;
    use super::bytes_pair::Pair;
    use super::words_neon::{FourQuarters, TwoHalves};

    pub(super) struct Neon;

    impl Simd for Neon {
        const JOINED: bool = false;
        type Narrow = Pair<Q>;
        type Wide = Pair<Pair<Q>>;
        type Rows = FourQuarters;
        type Words = TwoHalves;
        type Lane = Q;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Simd;
    use super::bytes_pair::Pair;
    use super::bytes_x86::{Xmm, Ymm, YmmM, Zmm};
    use super::words_x86::{AllRows, Columns16, TwoHalves};

    /// Registers of AVX2, 32 bytes each; pieces of four orientations use two.
    pub(super) struct Avx2;
    /// Registers of AVX-512, 64 bytes each. VBMI2, BITALG and GFNI remove rows, count bits and turn
    /// rows into columns in single instructions.
    pub(super) struct Avx512;

    impl Simd for Avx2 {
        const JOINED: bool = false;
        type Narrow = Ymm;
        type Wide = Pair<Ymm>;
        type Rows = TwoHalves;
        type Words = Columns16<false>;
        type Lane = Xmm;
    }

    impl Simd for Avx512 {
        const JOINED: bool = true;
        type Narrow = YmmM;
        type Wide = Zmm;
        type Rows = AllRows;
        type Words = Columns16<true>;
        type Lane = Xmm;
    }
}
