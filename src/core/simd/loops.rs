//! Compiles plain loops over arrays for each level, so that the compiler vectorises them.
//!
//! This suits arithmetic on words of 32 and 64 bits, which every compiler vectorises. Other
//! operations use [`super::lanes`] and [`super::bytes`].

#[cfg(target_arch = "x86_64")]
use super::level::Kind;
use super::level::Level;

/// A computation in plain loops over arrays.
pub(crate) trait LoopsJob {
    /// Runs the job. Implementations and all functions they call must be inlined, and must not call
    /// through a closure.
    fn run(self);
}

/// Runs `job` compiled for the instructions of `level`.
#[inline(always)]
pub(crate) fn run_loops(level: Level, job: impl LoopsJob) {
    #[cfg(target_arch = "x86_64")]
    match level.kind() {
        // SAFETY: a level is given out only by a CPU that has it.
        Kind::Avx512Vbmi => return unsafe { avx512_vbmi(job) },
        // SAFETY: as above.
        Kind::Avx512 => return unsafe { avx512(job) },
        // SAFETY: as above.
        Kind::Avx2 => return unsafe { avx2(job) },
        _ => {}
    }
    let _ = level;
    baseline(job);
}

/// Runs a job compiled for the instructions that every processor of the target has.
#[inline(never)]
fn baseline(job: impl LoopsJob) {
    job.run();
}

/// Runs a job compiled for AVX2, with registers of 32 bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx2(job: impl LoopsJob) {
    job.run();
}

/// Runs a job compiled for AVX-512, with registers of 64 bytes, as on processors before Ice Lake.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn avx512(job: impl LoopsJob) {
    job.run();
}

/// Runs a job compiled for AVX-512 with VBMI, BITALG and VPOPCNTDQ. The last two count the bits of
/// a vector.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "avx512bitalg,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx512_vbmi(job: impl LoopsJob) {
    job.run();
}
