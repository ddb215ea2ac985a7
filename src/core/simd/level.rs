//! Defines the instruction level, a token that proves which instructions the CPU has.

use std::fmt;
use std::str::FromStr;

use crate::error::setting::SIMD;
use crate::error::{Error, Result};

/// An instruction level that this CPU can run. Levels above `scalar` come only from a query of the
/// CPU, so code compiled for them is safe to call.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    kind: Kind,
    /// Proof that the processor has the instructions of `kind`. It is stored because detecting them
    /// again for each placed piece would take time.
    cpu: fearless_simd::Level,
}

impl PartialEq for Level {
    fn eq(&self, other: &Level) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Level {}

crate::names! {
    /// Instruction levels in ascending order of ability. `Neon` exists on ARM, `Simd128` in web
    /// pages, and the others on x86-64.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Kind {
        /// No vectors.
        Scalar = "scalar",
        /// NEON on ARM.
        Neon = "neon",
        /// The vectors of WebAssembly.
        Simd128 = "simd128",
        /// SSE4.2 and POPCNT: x86-64-v2.
        Sse42 = "sse4.2",
        /// AVX2, FMA, BMI, LZCNT and POPCNT: x86-64-v3.
        Avx2 = "avx2",
        /// AVX-512 with VBMI2, BITALG, VPOPCNTDQ and GFNI: Ice Lake and Zen 4, and later ones.
        Avx512 = "avx512",
    }
}

/// Names of all levels, slowest first on each processor. `neon` exists on ARM, `simd128` in web
/// pages, and those after it on x86-64.
pub const LEVEL_NAMES: [&str; Kind::NAMES.len()] = Kind::NAMES;

/// Environment variable that forces a level, for tests.
const FORCE: &str = "TETRASTAT_SIMD";

impl Level {
    /// The level without vectors: the scalar functions of `features`, which are the specification.
    pub const SCALAR: Level = Level { kind: Kind::Scalar, cpu: fearless_simd::Level::baseline() };

    /// Returns the best level of this CPU, or the level named by the environment variable
    /// `TETRASTAT_SIMD` if the CPU has it. The test suite uses the variable to force a level.
    #[must_use]
    pub fn detect() -> Level {
        // A wrong name is ignored, since a library call cannot fail for it; `auto` on a command
        // line reports it.
        let forced = std::env::var(FORCE).ok().and_then(|name| Level::named(&name).ok());
        forced.or(Level::available().last()).unwrap_or(Level::SCALAR)
    }

    /// Returns every level that this CPU can run, slowest first.
    pub fn available() -> impl Iterator<Item = Level> {
        Kind::ALL.into_iter().filter_map(Level::of)
    }

    /// Returns the name of the level.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.kind.name()
    }

    /// Returns the level as an enum, for the selection of code; users of the library need only the
    /// name.
    pub(super) fn kind(self) -> Kind {
        self.kind
    }

    /// Returns the proof that the processor has the level's instructions.
    pub(super) fn cpu(self) -> fearless_simd::Level {
        self.cpu
    }

    /// Returns the level of `kind`, or `None` if the processor lacks its instructions or the system
    /// does not save its registers.
    fn of(kind: Kind) -> Option<Level> {
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
        Level::of(kind).ok_or_else(absent)
    }
}
