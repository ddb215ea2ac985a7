//! Vector kernels: every placement of a piece scored at once, equal to the scalar features.
//!
//! Lanes are placements. A [`Plan`] is a controller made ready for one board size and one
//! instruction [`Level`]; it is built once and shared, each thread brings its [`Workspace`].
//!
//! | file | what it holds |
//! |---|---|
//! | `level` | the token that proves what the CPU has |
//! | `lanes`, `portable`, `avx2`, `avx512` | a vector of `u16` lanes, and its instances |
//! | `shapes` | a piece's placements laid out by lane |
//! | `sheet` | up to 64 boards side by side with one placement played on each |
//! | `sweep`, `groups` | the features as shifts, xors and popcounts over the rows of a sheet |
//! | `passes`, `slots`, `weights` | what a controller uses, where values are kept, their exact sum |
//! | `quick`, `quick512` | the difference that a placement makes, from the rows and columns it touches |
//! | `ticks` | the time-stamp counter, for benchmarks |
//! | `contact` | placements that clear nothing, by where they touch (`portable`, `avx2`) |
//! | `scalar` | the specification behind the same interface |
//!
//! Every raw value and every score equals the scalar function's exactly: all are integers.

// The intrinsics of an instruction level are unsafe to run on a CPU without it. Owning the
// `Level` is the proof; the notes beside each block say how it gets there.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod contact;
mod groups;
mod lanes;
mod level;
mod passes;
mod plan;
mod portable;
mod quick;
#[cfg(target_arch = "x86_64")]
mod quick512;
mod scalar;
mod shapes;
mod sheet;
mod slots;
mod sweep;
mod ticks;
mod weights;

pub use level::{LEVEL_NAMES, Level};
pub use plan::{Best, Plan, Workspace};
pub use ticks::ticks;
