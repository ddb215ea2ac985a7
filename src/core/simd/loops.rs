//! Work that is written as plain loops over arrays, which the compiler makes vectors of: compiled for each level.
//!
//! For arithmetic on whole words of 32 and 64 bits, which every compiler turns into vectors, so that no
//! instruction needs to be named. [`super::lanes`] and [`super::bytes`] are for what it does not see.

#[cfg(target_arch = "x86_64")]
use super::level::Kind;
use super::level::Level;

/// Work in loops.
pub(crate) trait LoopsJob {
    /// Must be inlined, as all that it calls, and call nothing through a closure.
    fn run(self);
}

/// Runs a job, compiled for a level.
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

/// With what every processor of the target has.
#[inline(never)]
fn baseline(job: impl LoopsJob) {
    job.run();
}

/// With registers of 32 bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx2(job: impl LoopsJob) {
    job.run();
}

/// With registers of 64 bytes, as processors before Ice Lake have them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx2")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn avx512(job: impl LoopsJob) {
    job.run();
}

/// With VBMI, BITALG and their kin, too, which count bits of a vector in one instruction.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "avx512bitalg,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn avx512_vbmi(job: impl LoopsJob) {
    job.run();
}
