//! Vector kernels: every placement of a piece scored at once, equal to the scalar features.
//!
//! Lanes are placements. A [`Plan`] is a controller made ready for one board size and one
//! instruction [`Level`]; it is built once and shared, each thread brings its [`Workspace`].
//!
//! | file | what it holds |
//! |---|---|
//! | `level` | the token that proves what the CPU has |
//! | `lanes`, `portable`, `sse2`, `avx2`, `avx512` | a vector of `u16` lanes, and its instances |
//! | `shapes` | a piece's placements laid out by lane |
//! | `sheet` | up to 64 boards side by side with one placement played on each |
//! | `sweep`, `groups` | the features as shifts, xors and popcounts over the rows of a sheet |
//! | `passes`, `slots`, `weights` | what a controller uses, where values are kept, their exact sum |
//! | `quick`, `quick512` | the difference that a placement makes, from the rows and columns it touches |
//! | `gauge` | features of many boards at once, for logs |
//! | `columns` | sets of cells or positions of a guideline matrix, a `u32` per column |
//! | `ticks` | the time-stamp counter, for benchmarks |
//! | `contact` | placements that clear nothing, by where they touch (baseline, `avx2`) |
//! | `contenders` | who can be best or second, for decisions that are logged |
//! | `scalar` | the specification behind the same interface |
//!
//! Every raw value and every score equals the scalar function's exactly: all are integers.
//!
//! # Levels
//!
//! | level | what runs |
//! |---|---|
//! | `scalar` | the scalar functions, one candidate after another |
//! | `portable` | SSE2 on x86-64; elsewhere plain arrays, which the compiler vectorises with the target's baseline (NEON on aarch64; not measured) |
//! | `avx2` | the same code over 16 lanes, popcounts by a nibble table |
//! | `avx512` | one byte per placement in one register (`quick512`); other feature sets sweep 32 lanes |
//!
//! A placement that clears nothing differs from its parent only where the piece touches, so
//! Dellacherie's, the BCTS and Lee's features are found as differences (`quick512`, `contact`). All
//! other sets, and boards with a stack above 24 rows or with full rows, take the sweep. A decision that
//! is logged asks only who can be best or second (`contenders`); the features of its row are swept many
//! boards at once (`gauge`).
//!
//! # What was tried (greedy bcts, M pieces/s, one Zen 4 core)
//!
//! Paid: differences instead of the sweep, 1.4 to 4.9 at avx512 and 1.75 to 3.3 at avx2; one byte per
//! placement, so that the 34 placements of T, J and L need no second register, 4.9 to 6.0; a way of its
//! own for the I, which keeps registers registers, to 7.1; finding and playing in one call, to 8.3;
//! placing inlined at each call, to 8.9; covered well cells corrected only near the best (`next` 0.30 to
//! 0.35); slots of features found at compile time, 1.05 to 1.7 at avx2
//! (and found once, not per candidate, 0.13 to 0.26 at scalar).
//!
//! Did not pay: scalar look-ups per candidate (avx2 1.75 to 1.66); eight portable lanes instead of
//! sixteen (1.27 to 1.23 for bcts, kept because dt20 gains 4 %); heights kept or by leading zeros instead
//! of a scan; afterstates aligned to cache lines; instances shared between call sites, which the compiler
//! then passes through memory. At avx2 (3.4, of 3.5 wanted) the time goes to placing 45 %, the parent's
//! tables 20 %, choosing 19 %, boards valued whole 15 %; rows read by byte shuffles brought nothing, and
//! boards valued by 64-bit words of four rows cost a third. Not tried: two games interleaved in one thread.

mod contenders;
mod delta;
mod gauge;
mod groups;
mod passes;
mod plan;
mod scalar;
mod shapes;
mod sheet;
mod slots;
mod sweep;
mod weights;

pub use crate::simd::{LEVEL_NAMES, Level, ticks};
pub use gauge::Gauge;
pub use plan::{Best, Plan, Workspace};
