//! Vector kernels: every placement of a piece scored at once, equal to the scalar features.
//!
//! A [`Plan`] is a controller made ready for one board size and one instruction [`Level`]; it is built
//! once and shared, each thread brings its [`Workspace`]. All is written over the vectors of `simd`.
//!
//! | file | what it holds |
//! |---|---|
//! | `delta` | the difference that a placement makes, one byte each, from the rows and columns it touches |
//! | `contenders` | who can be best or second, for decisions that are logged |
//! | `shapes` | a piece's placements laid out by lane |
//! | `sheet` | up to 64 boards side by side with one placement played on each |
//! | `sweep`, `groups` | the features as shifts, xors and popcounts over the rows of a sheet |
//! | `passes`, `slots`, `weights` | what a controller uses, where values are kept, their exact sum |
//! | `gauge` | features of many boards at once, for logs |
//! | `scalar` | the specification behind the same interface |
//!
//! Every raw value and every score equals the scalar function's exactly: all are integers.
//!
//! # Levels
//!
//! | level | what runs |
//! |---|---|
//! | `scalar` | the scalar functions, one candidate after another |
//! | `portable` | the sweep over SSE2 on x86-64; elsewhere over plain arrays, which the compiler vectorises with the target's baseline (NEON on aarch64; not measured) |
//! | `avx2` | `delta` over two lanes of sixteen bytes; the sweep over 16 words |
//! | `avx512` | `delta` over four lanes (BW, VL); the sweep of `avx2` |
//! | `avx512-vbmi` | the same, with bits turned by GFNI and counted by BITALG; the sweep over 32 words |
//!
//! Dellacherie's features, those of BCTS with pattern diversity, heights, bumpiness and the highest column, and
//! Lee's are found as differences. All other sets, and boards with a stack above 24 rows or with full
//! rows, take the sweep. A decision that is logged asks only who can be best or second (`contenders`);
//! the features of its row are swept many boards at once (`gauge`).
//!
//! # What was tried
//!
//! `Player::step`, greedy bcts on 10x20, on an Intel Xeon of the Sapphire Rapids family, one thread, CPU time,
//! in turn with 910b254's kernels (`contact` at `avx2`, `quick512` at `avx512`), both with fat link-time
//! optimisation; ratios, as that machine's clock swings by two.
//!
//! Paid, as the ratio to 910b254 at `avx2` (and at `avx512` for the instance with VBMI): an orientation to
//! a lane, 2.0 (0.65); conditions made bits before the next branch, over which the compiler takes registers
//! of them apart byte by byte, 2.4; no copy of the board before it is read, since what was stored in other
//! pieces than it is loaded in is waited for, from 0.69 to 0.83; all rows in one register of AVX-512, and
//! products that the compiler cannot make a slow vector product of, to 0.9; covered well cells looked for
//! only in columns with holes, and others than those near the best only if the best is one of them, `next`
//! from 2.0 to 2.7 (0.55 to 0.86); the score of a board kept to the next piece where it was found on the way,
//! 0.93 to 0.95.
//!
//! Did not pay: two registers of AVX2 compiled for AVX-512 in place of one of 64 bytes (0.63 against 0.65);
//! pieces of two orientations apart from those of four at AVX-512 (0.82 to 0.96 against 0.87 to 0.92: a
//! branch more, and a third of the code); an instance compiled for the features of BCTS alone (2 % at `avx2`,
//! nothing at AVX-512, and twice the code: sets are told apart at run time). Of the kernels before: scalar look-ups per candidate, heights by
//! leading zeros, afterstates aligned to cache lines. Not tried: two games interleaved in one thread;
//! windows by multishift.

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
