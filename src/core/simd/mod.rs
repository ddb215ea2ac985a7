//! Provides the vectors of the crate `fearless_simd` to the kernels, which are written once over
//! them, as a [`BoardJob`] or a [`VectorJob`], and compiled for each [`Level`]: `bytes` for the
//! placements of a piece, `words` for a board's rows and columns, `columns` for sets of cells of a
//! guideline matrix. The functions that a job calls must be inlined.

mod bytes;
pub(crate) mod columns;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;
use std::str::FromStr;

use fearless_simd::Simd;

use crate::error::setting::SIMD;
use crate::error::{Error, Result};

pub(crate) use bytes::{Block, Bytes, Lane, Neighbours, OneLane, SumBlock};
pub(crate) use fearless_simd::{u8x16, u8x32, u8x64};
pub(crate) use words::{AllRows, Blocks, ColumnCells, Counts, Rows, Words};

/// Level of vector instructions that this processor is known to have, so that code compiled for the
/// level is safe to call.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    kind: Kind,
    /// Proof, from a query of the processor, that it has the instructions of the level.
    cpu: fearless_simd::Level,
}

impl PartialEq for Level {
    fn eq(&self, other: &Level) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Level {}

crate::names! {
    /// Instruction levels in ascending order of ability.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Kind {
        Scalar = "scalar",
        Neon = "neon",
        Simd128 = "simd128",
        /// SSE4.2 and POPCNT: x86-64-v2.
        Sse42 = "sse4.2",
        /// AVX2, FMA, BMI, LZCNT and POPCNT: x86-64-v3.
        Avx2 = "avx2",
        /// AVX-512 with VBMI2, BITALG, VPOPCNTDQ and GFNI: Ice Lake and Zen 4, and later ones.
        Avx512 = "avx512",
    }
}

/// Names of all instruction levels from slow to fast: `scalar`, then `neon` on ARM, `simd128` in
/// web pages, the others on x86-64.
pub const LEVEL_NAMES: [&str; Kind::NAMES.len()] = Kind::NAMES;

const FORCE: &str = "TETRASTAT_SIMD";

impl Level {
    /// Instruction level without vectors, whose results every other level must reproduce.
    pub const SCALAR: Level = Level { kind: Kind::Scalar, cpu: fearless_simd::Level::baseline() };

    /// Returns the processor's best instruction level, or the level that the environment variable
    /// `TETRASTAT_SIMD` names, if available.
    #[must_use]
    pub fn detect() -> Level {
        // A wrong name is ignored, since a library call cannot fail for it; `auto` on a command
        // line reports it.
        let forced = std::env::var(FORCE).ok().and_then(|name| Level::named(&name).ok());
        forced.or(Level::available().last()).unwrap_or(Level::SCALAR)
    }

    /// Returns every instruction level that this processor can run, slowest first.
    pub fn available() -> impl Iterator<Item = Level> {
        Kind::ALL.into_iter().filter_map(Level::from_kind)
    }

    /// Returns the name of the instruction level, such as `avx2`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.kind.name()
    }

    fn from_kind(kind: Kind) -> Option<Level> {
        let cpu = fearless_simd::Level::new();
        let is_there = match kind {
            Kind::Scalar => true,
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => cpu.as_neon().is_some(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kind::Simd128 => cpu.as_wasm_simd128().is_some(),
            #[cfg(target_arch = "x86_64")]
            Kind::Sse42 => cpu.as_sse4_2().is_some(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => cpu.as_avx2().is_some(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => cpu.as_avx512().is_some(),
            // Other targets have none of these levels.
            _ => false,
        };
        is_there.then_some(Level { kind, cpu })
    }

    fn named(name: &str) -> Result<Level> {
        let unknown = || Error::unknown("level", name, ["auto"].into_iter().chain(LEVEL_NAMES));
        let kind = Kind::named(name).ok_or_else(unknown)?;
        let absent = || Error::Config(format!("this CPU has no {name}: use {SIMD} auto"));
        Level::from_kind(kind).ok_or_else(absent)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = Error;

    /// Parses the name of an instruction level; `auto` gives the result of [`Level::detect`].
    /// Returns an error if the environment forces a level that is unknown or absent.
    fn from_str(name: &str) -> Result<Level> {
        match std::env::var(FORCE) {
            Ok(forced) if name == "auto" => {
                Level::named(&forced).map_err(|error| Error::Config(format!("{FORCE}: {error}")))
            }
            _ if name == "auto" => Ok(Level::detect()),
            _ => Level::named(name),
        }
    }
}

/// Number of boards that are measured side by side; every vector length divides 64.
pub(crate) const LANES: usize = 64;

/// A `u16` for each of 64 boards measured side by side: 8, 4 or 2 vectors of 8, 16 or 32 lanes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes16(pub(crate) [u16; LANES]);

impl Lanes16 {
    pub(crate) const ZERO: Lanes16 = Lanes16([0; LANES]);
}

/// A computation on one board, written over the vectors of any instruction level above `scalar`.
pub(crate) trait BoardJob {
    type Output;
    fn run<S: Blocks>(self, simd: S) -> Self::Output;
}

/// Runs `job` with the vectors of instruction `level`. Returns `None` at the level `scalar`.
#[inline(always)]
pub(crate) fn run<J: BoardJob>(level: Level, job: J) -> Option<J::Output> {
    let cpu = level.cpu;
    match level.kind {
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

#[inline(always)]
fn vectorized<S: Blocks, J: BoardJob>(simd: S, job: J) -> J::Output {
    simd.vectorize(
        #[inline(always)]
        || job.run(simd),
    )
}

/// A computation over vectors of any length, which runs at every instruction level.
pub(crate) trait VectorJob {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

#[inline(always)]
pub(crate) fn run_vectors<J: VectorJob>(level: Level, job: J) -> J::Output {
    let cpu = level.cpu;
    #[cfg(target_arch = "x86_64")]
    match level.kind {
        Kind::Avx512 if let Some(simd) = cpu.as_avx512() => run_out_of_line(simd, job),
        Kind::Avx2 if let Some(simd) = cpu.as_avx2() => run_out_of_line(simd, job),
        Kind::Sse42 if let Some(simd) = cpu.as_sse4_2() => run_out_of_line(simd, job),
        _ => match cpu.as_sse2() {
            Some(simd) => run_out_of_line(simd, job),
            None => unreachable!("every x86-64 processor has SSE2"),
        },
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        fearless_simd::dispatch!(cpu, simd => run_out_of_line(simd, job))
    }
}

// Not inlined, because a job is large and each call site would get its own copy.
#[inline(never)]
fn run_out_of_line<S: Simd, J: VectorJob>(simd: S, job: J) -> J::Output {
    simd.vectorize(
        #[inline(always)]
        || job.run(simd),
    )
}

/// Returns the processor's name from its `cpuid` instruction, or `None` if there is none (always
/// outside x86-64).
#[must_use]
pub fn cpu_brand() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    return x86();
    #[cfg(not(target_arch = "x86_64"))]
    None
}

#[cfg(target_arch = "x86_64")]
fn x86() -> Option<String> {
    use std::arch::x86_64::__cpuid;

    const MOST: u32 = 0x8000_0000;
    // The highest function: the name takes 0x8000_0002 to 0x8000_0004, sixteen bytes each.
    if __cpuid(MOST).eax < MOST + 4 {
        return None;
    }
    let mut name = Vec::new();
    for part in 2..=4 {
        let text = __cpuid(MOST + part);
        name.extend([text.eax, text.ebx, text.ecx, text.edx].map(u32::to_le_bytes).as_flattened());
    }
    let name = String::from_utf8_lossy(&name);
    // Padded with zeros or, on some processors, with leading blanks.
    let name = name.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    (!name.is_empty()).then(|| name.to_owned())
}
