//! Defines the instruction level, a token that proves which instructions the CPU has.

use std::fmt;
use std::str::FromStr;

use crate::error::setting::SIMD;
use crate::error::{Error, Result};

/// An instruction level that this CPU can run. Levels above `portable` come only from a query of
/// the CPU, so code compiled for them is safe to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Kind);

crate::names! {
    /// Instruction levels in ascending order of ability, which comparisons rely on. `Neon` exists
    /// on ARM, and the levels after it on x86-64, so no processor has both.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Kind {
        /// No vectors.
        Scalar = "scalar",
        /// SSE2 on x86-64, NEON for the sweep alone on ARM, plain arrays elsewhere.
        Portable = "portable",
        /// NEON for both the sweep and the difference kernel.
        Neon = "neon",
        /// AVX2, BMI, LZCNT and POPCNT: x86-64-v3.
        Avx2 = "avx2",
        /// AVX-512 F, BW, VL, DQ and CD in addition to `Avx2`: x86-64-v4.
        Avx512 = "avx512",
        /// VBMI, VBMI2, BITALG, VPOPCNTDQ, VNNI and GFNI in addition to `Avx512`.
        Avx512Vbmi = "avx512-vbmi",
    }
}

/// Names of all levels, slowest first. `neon` exists on ARM, the levels after it on x86-64.
pub const LEVEL_NAMES: [&str; Kind::NAMES.len()] = Kind::NAMES;

/// Environment variable that forces a level, for tests.
const FORCE: &str = "TETRASTAT_SIMD";

impl Level {
    /// The level without vectors: the scalar functions of `features`, which are the specification.
    pub const SCALAR: Level = Level(Kind::Scalar);
    /// The vectors that every processor of the target has: SSE2 on x86-64, NEON on ARM, arrays
    /// elsewhere.
    pub const PORTABLE: Level = Level(Kind::Portable);

    /// Returns the best level of this CPU, or the level named by the environment variable
    /// `TETRASTAT_SIMD` if the CPU has it. The test suite uses the variable to force a level.
    #[must_use]
    pub fn detect() -> Level {
        // A wrong name is ignored, since a library call cannot fail for it; `auto` on a command
        // line reports it.
        let forced = std::env::var(FORCE).ok().and_then(|name| Level::named(&name).ok());
        forced.or(Level::available().last()).unwrap_or(Level::PORTABLE)
    }

    /// Returns every level that this CPU can run, slowest first.
    pub fn available() -> impl Iterator<Item = Level> {
        Kind::ALL.into_iter().filter(|&kind| cpu_has(kind)).map(Level)
    }

    /// Returns the name of the level.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns the level as an enum, for the selection of code; users of the library need only the
    /// name.
    pub(super) fn kind(self) -> Kind {
        self.0
    }
}

/// Returns true if the processor has the instructions of `kind` and the system saves its registers.
#[cfg(target_arch = "x86_64")]
fn cpu_has(kind: Kind) -> bool {
    use std::arch::is_x86_feature_detected as has;
    // All features of a level, since code compiled for it may use each.
    let v3 = || has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
    let v4 = || {
        v3() && has!("avx512f")
            && has!("avx512bw")
            && has!("avx512vl")
            && has!("avx512dq")
            && has!("avx512cd")
    };
    match kind {
        Kind::Scalar | Kind::Portable => true,
        Kind::Neon => false,
        Kind::Avx2 => v3(),
        Kind::Avx512 => v4(),
        Kind::Avx512Vbmi => {
            v4() && has!("avx512vbmi")
                && has!("avx512vbmi2")
                && has!("gfni")
                && has!("avx512vpopcntdq")
                && has!("avx512bitalg")
                && has!("avx512vnni")
        }
    }
}

#[cfg(target_arch = "aarch64")]
fn cpu_has(kind: Kind) -> bool {
    let neon = || std::arch::is_aarch64_feature_detected!("neon");
    matches!(kind, Kind::Scalar | Kind::Portable) || (kind == Kind::Neon && neon())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn cpu_has(kind: Kind) -> bool {
    matches!(kind, Kind::Scalar | Kind::Portable)
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = Error;

    /// Parses the name of a level; `auto` gives the result of [`Level::detect`]. Returns an error
    /// if the environment forces a level that is unknown or absent.
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

impl Level {
    /// Returns the level called `name`, or an error if it is unknown or this processor lacks it.
    fn named(name: &str) -> Result<Level> {
        let unknown = || Error::unknown("level", name, ["auto"].into_iter().chain(LEVEL_NAMES));
        let kind = Kind::named(name).ok_or_else(unknown)?;
        let absent = || Error::Config(format!("this CPU has no {name}: use {SIMD} auto"));
        cpu_has(kind).then_some(Level(kind)).ok_or_else(absent)
    }
}
