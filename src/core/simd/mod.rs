//! Vectors: what the kernels are written over, and the only `unsafe` of this crate.
//!
//! Operations are named by what they mean, and every instruction set has an instance of them. A kernel is
//! written once over the traits, as a [`BoardJob`] that is compiled for each level; [`run`] and its like
//! choose the instance by the [`Level`], whose owner proves that the processor has it.
//!
//! | file | what it holds |
//! |---|---|
//! | `level` | the token that proves what the CPU has |
//! | `lanes` | `u16` lanes, for whole boards side by side: SSE2, AVX2, AVX-512, NEON |
//! | `bytes` | bytes in lanes of sixteen, rows and columns of one board, for what a placement changes |
//! | `bytes_x86`, `words_x86`; `bytes_neon`, `words_neon` | their instances: AVX2, AVX-512; NEON |
//! | `bytes_pair` | registers side by side |
//! | `arrays`, `bytes_arrays` | what lanes, columns and bytes mean: plain arrays, the specification in tests |
//! | `columns` | sets of cells or positions of a guideline matrix, a word per column: SSE2, AVX2, AVX-512, NEON |
//! | `loops` | plain loops over arrays, compiled for each level |
//! | `brand` | the processor's own name |
//! | `ticks` | the time-stamp counter, for benchmarks |

// The intrinsics of an instruction level are unsafe to run on a CPU without it. Owning the
// `Level` is the proof; the notes beside each block say how it gets there.
#![allow(unsafe_code)]

#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod arrays;
mod brand;
// Other targets have no instance of it.
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
pub(crate) use bytes::{Aside, Block, Bytes, Lane, OneLane, Rows, SumBlock, Windows, Words};
pub(crate) use lanes::{LANES, Lanes, Line};
pub use level::{LEVEL_NAMES, Level};
pub(crate) use loops::{LoopsJob, run_loops};
pub use ticks::ticks;

use level::Kind;

/// Registers of one level for what a placement changes.
pub(crate) trait Simd {
    /// Whether pieces of two orientations go with those of four: a branch less.
    const JOINED: bool;
    /// For pieces of one or two orientations.
    type Narrow: Windows;
    /// For those of four.
    type Wide: Windows;
    /// All 32 rows of a board.
    type Rows: Rows<Words = Self::Words>;
    /// All sixteen columns of sixteen rows.
    type Words: Words<Lane = Self::Lane>;
    /// Sixteen bytes, a byte for each column or row.
    type Lane: OneLane;
}

/// Work on one board.
pub(crate) trait BoardJob {
    /// What it comes to.
    type Output;
    /// Must be inlined, as all that it calls.
    fn run<S: Simd>(self) -> Self::Output;
}

/// Work on many boards side by side.
pub(crate) trait LanesJob {
    /// Must be inlined, as all that it calls.
    fn run<V: Lanes>(self);
}

impl Level {
    /// Whether it has byte shuffles, which [`run`] needs.
    pub(crate) fn has_bytes(self) -> bool {
        // By comparison, since levels are ordered by what they can: from `neon` on all look up sixteen bytes.
        self.kind() >= Kind::Neon
    }
}

/// Runs a job at a level that has bytes; None at others.
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
        // `scalar` and `portable` look up no bytes: their callers sweep whole boards.
        _ => None,
    }
}

/// Runs a job on many boards at any level.
#[inline(always)]
pub(crate) fn run_lanes(level: Level, job: impl LanesJob) {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is given out only by a CPU that has it.
        Kind::Avx512Vbmi => unsafe { x86::lanes_avx512(job) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        // Without BITALG the longer registers cannot count the bits of words, which the sweep does for every
        // row.
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

    /// Not inlined: a job is much code, and would be compiled again wherever one is run.
    #[inline(never)]
    pub(super) fn neon<J: BoardJob>(job: J) -> J::Output {
        job.run::<Neon>()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::bytes_pair::Pair;
    use super::bytes_x86::{Xmm, Ymm, YmmM, YmmV, Zmm, ZmmM};
    use super::words_x86::{AtOnce, Sixteen, TwoHalves};
    use super::{BoardJob, LanesJob, Simd, lanes};

    /// Registers of 32 bytes; a piece of four orientations takes two.
    struct Avx2;
    /// Registers of 64 bytes, without VBMI and what came with it.
    struct Avx512;
    /// The same with VBMI2, BITALG and GFNI, which move rows, count bits and turn rows into columns at once.
    struct Avx512Vbmi;

    impl Simd for Avx2 {
        const JOINED: bool = false;
        type Narrow = Ymm;
        type Wide = Pair<Ymm>;
        type Rows = TwoHalves;
        type Words = Sixteen<false>;
        type Lane = Xmm;
    }

    impl Simd for Avx512 {
        const JOINED: bool = true;
        type Narrow = YmmV;
        type Wide = Zmm;
        type Rows = AtOnce<false>;
        type Words = Sixteen<false>;
        type Lane = Xmm;
    }

    impl Simd for Avx512Vbmi {
        const JOINED: bool = true;
        type Narrow = YmmM;
        type Wide = ZmmM;
        type Rows = AtOnce<true>;
        type Words = Sixteen<true>;
        type Lane = Xmm;
    }

    // What these functions inline is compiled for the features named here, and only that: a helper that is not
    // inlined would be compiled for the baseline, and each intrinsic in it would become a call.
    /// A job compiled for `avx2`.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx2<J: BoardJob>(job: J) -> J::Output {
        job.run::<Avx2>()
    }

    /// A job compiled for `avx512`, which has no VBMI.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx2")]
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx512<J: BoardJob>(job: J) -> J::Output {
        job.run::<Avx512>()
    }

    /// A job compiled for `avx512-vbmi`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vbmi,avx512vbmi2")]
    #[target_feature(enable = "avx512bitalg,avx512vpopcntdq,gfni,avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx512_vbmi<J: BoardJob>(job: J) -> J::Output {
        job.run::<Avx512Vbmi>()
    }

    /// Work on boards side by side in sixteen lanes: at `avx2` and at `avx512`.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn lanes_avx2(job: impl LanesJob) {
        job.run::<lanes::Avx2>();
    }

    /// The same in 32 lanes: at `avx512-vbmi`, whose BITALG counts the bits of words.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512bitalg")]
    #[target_feature(enable = "avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn lanes_avx512(job: impl LanesJob) {
        job.run::<lanes::Avx512>();
    }
}
