//! Provides the vectors that the kernels are written over, and holds the only `unsafe` of this
//! crate.
//!
//! Operations are named by their meaning, and each instruction set implements them. A kernel is
//! written once over the traits, as a [`BoardJob`], and compiled for each level. [`run`] and
//! similar functions select the instance by [`Level`]. A value of that type proves that the
//! processor has the level's instructions.
//!
//! | file | contents |
//! |---|---|
//! | `level` | the instruction level: a token that proves which instructions the CPU has |
//! | `lanes` | `u16` lanes, for whole boards side by side: SSE2, AVX2, AVX-512, NEON |
//! | `bytes` | lanes of sixteen bytes: rows and columns of one board, and its placements |
//! | `bytes_x86`, `words_x86` | implementations of `bytes` for AVX2 and AVX-512 |
//! | `bytes_neon`, `words_neon` | implementations of `bytes` for NEON |
//! | `bytes_pair` | two registers side by side |
//! | `arrays`, `bytes_arrays` | the same operations over plain arrays, the specification in tests |
//! | `columns` | sets of cells or positions of a guideline matrix, one word for each column |
//! | `loops` | plain loops over arrays, compiled for each level |
//! | `brand` | the processor's name |
//! | `ticks` | the time-stamp counter, for benchmarks |

// Intrinsics of an instruction level are unsafe on a CPU without it. Owning the `Level` is the
// proof; the note beside each block states how the level gets there.
#![allow(unsafe_code)]

#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod arrays;
mod brand;
// Other targets have no implementation of `bytes`.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
mod bytes;
#[cfg(test)]
mod bytes_arrays;
#[cfg(target_arch = "aarch64")]
mod bytes_neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod bytes_pair;
#[cfg(target_arch = "x86_64")]
mod bytes_x86;
pub(crate) mod columns;
mod lanes;
mod level;
mod loops;
mod ticks;
#[cfg(target_arch = "aarch64")]
mod words_neon;
#[cfg(target_arch = "x86_64")]
mod words_x86;

pub use brand::cpu_brand;
pub(crate) use bytes::{Block, Bytes, Lane, Neighbours, OneLane, Rows, SumBlock, Windows, Words};
pub(crate) use lanes::{LANES, Lanes, Lanes16};
pub use level::{LEVEL_NAMES, Level};
pub(crate) use loops::{LoopsJob, run_loops};
pub use ticks::ticks;

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

/// A computation on many boards side by side, written over the vectors of any level.
pub(crate) trait LanesJob {
    /// Runs the job with the vector type `V`. Implementations and all functions they call must be
    /// inlined.
    fn run<V: Lanes>(self);
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
        Kind::Neon => Some(arm::neon(job)),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is given out only by a CPU that has it.
        Kind::Avx2 => Some(unsafe { x86::avx2(job) }),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kind::Avx512 => Some(unsafe { x86::avx512(job) }),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kind::Avx512Vbmi => Some(unsafe { x86::avx512_vbmi(job) }),
        // `scalar` and `portable` have no byte shuffles: their callers sweep whole boards.
        _ => None,
    }
}

/// Runs `job`, a computation on many boards, with the vectors of `level`. Every level can run it.
#[inline(always)]
pub(crate) fn run_lanes(level: Level, job: impl LanesJob) {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is given out only by a CPU that has it.
        Kind::Avx512Vbmi => unsafe { x86::lanes_avx512(job) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above. Without BITALG, longer registers cannot count the bits of words, which
        // the sweep does in every row.
        Kind::Avx512 | Kind::Avx2 => unsafe { x86::lanes_avx2(job) },
        _ => job.run::<lanes::Baseline>(),
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::bytes_neon::Q;
    use super::bytes_pair::Pair;
    use super::words_neon::{FourQuarters, TwoHalves};
    use super::{BoardJob, Simd};

    struct Neon;

    impl Simd for Neon {
        const JOINED: bool = false;
        type Narrow = Pair<Q>;
        type Wide = Pair<Pair<Q>>;
        type Rows = FourQuarters;
        type Words = TwoHalves;
        type Lane = Q;
    }

    /// Runs a job compiled for `neon`. Not inlined: a job is much code, which would be compiled
    /// again at each call.
    #[inline(never)]
    pub(super) fn neon<J: BoardJob>(job: J) -> J::Output {
        job.run::<Neon>()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::bytes_pair::Pair;
    use super::bytes_x86::{Xmm, Ymm, YmmM, YmmV, Zmm, ZmmM};
    use super::words_x86::{AllRows, Columns16, TwoHalves};
    use super::{BoardJob, LanesJob, Simd, lanes};

    /// Registers of AVX2, 32 bytes each; pieces of four orientations use two.
    struct Avx2;
    /// Registers of AVX-512, 64 bytes each, without VBMI and later extensions.
    struct Avx512;
    /// Registers of AVX-512, 64 bytes each, with VBMI2, BITALG and GFNI. These remove rows, count
    /// bits and turn rows into columns in single instructions.
    struct Avx512Vbmi;

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
        type Narrow = YmmV;
        type Wide = Zmm;
        type Rows = AllRows<false>;
        type Words = Columns16<false>;
        type Lane = Xmm;
    }

    impl Simd for Avx512Vbmi {
        const JOINED: bool = true;
        type Narrow = YmmM;
        type Wide = ZmmM;
        type Rows = AllRows<true>;
        type Words = Columns16<true>;
        type Lane = Xmm;
    }

    // Only code that these functions inline is compiled for their CPU features. Any other helper
    // would be compiled for the baseline, and each intrinsic in it would become a call.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx2<J: BoardJob>(job: J) -> J::Output {
        job.run::<Avx2>()
    }

    /// Runs a job compiled for `avx512`, which has no VBMI.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx2")]
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx512<J: BoardJob>(job: J) -> J::Output {
        job.run::<Avx512>()
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vbmi,avx512vbmi2")]
    #[target_feature(enable = "avx512bitalg,avx512vpopcntdq,gfni,avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx512_vbmi<J: BoardJob>(job: J) -> J::Output {
        job.run::<Avx512Vbmi>()
    }

    /// Runs a job on sixteen boards side by side, at `avx2` and `avx512`.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn lanes_avx2(job: impl LanesJob) {
        job.run::<lanes::Avx2>();
    }

    /// Runs a job on 32 boards side by side, at `avx512-vbmi`, whose BITALG counts the bits of
    /// words.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512bitalg")]
    #[target_feature(enable = "avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn lanes_avx512(job: impl LanesJob) {
        job.run::<lanes::Avx512>();
    }
}
