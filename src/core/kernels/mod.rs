//! Vector kernels: every placement of a piece scored at once, equal to the scalar features.
//!
//! An [`Evaluator`] is a controller made ready for one board size and one instruction [`Level`]; it is built
//! once and shared, each thread brings its [`Scratch`]. All is written over the vectors of `simd`.
//!
//! | file | what it holds |
//! |---|---|
//! | `delta` | the difference that a placement makes, one byte each, from the rows and columns it touches |
//! | `top_two` | who can be best or second, for decisions that are logged |
//! | `bits` | the bits of masks |
//! | `shapes` | a piece's placements laid out by lane |
//! | `board_batch` | up to 64 boards side by side with one placement played on each |
//! | `sweep`, `groups` | the features as shifts, xors and popcounts over the rows of a batch |
//! | `passes`, `slots`, `weights` | what a controller uses, where values are kept, their exact sum |
//! | `batch_features` | features of many boards at once, for logs |
//! | `scalar` | the specification behind the same interface |
//!
//! Every raw value and every score equals the scalar function's exactly: all are integers.
//!
//! # Levels
//!
//! | level | what runs |
//! |---|---|
//! | `scalar` | the scalar functions, one candidate after another |
//! | `portable` | the sweep over SSE2 on x86-64, over NEON on ARM; elsewhere over plain arrays, which the compiler vectorises with the target's baseline |
//! | `neon` | on ARM: `delta` over two or four registers of one lane each; the sweep of `portable` |
//! | `avx2` | `delta` over two lanes of sixteen bytes; the sweep over 16 words |
//! | `avx512` | `delta` over four lanes (BW, VL); the sweep of `avx2` |
//! | `avx512-vbmi` | the same, with bits turned by GFNI and counted by BITALG; the sweep over 32 words |
//!
//! Found as differences are any of: one landing feature, what complete rows earn, transitions, holes and their
//! depth, rows with holes, Dellacherie's wells or MDPTetris' fast ones, heights and bumpiness (of each column too),
//! the highest column, pattern diversity and a constant: so Dellacherie's, BCTS', Lee's, DT-10's, DT-20's and BDU's.
//! All other sets, and boards with a stack above 24 rows or with full rows, take the sweep. A decision that is
//! logged asks only who can be best or second (`top_two`); the features of its row are swept many boards at once
//! (`batch_features`).
//!
//! # What was tried
//!
//! Against the kernels of edition one (`contact` at `portable` and `avx2`, `quick512` at AVX-512 with VBMI), whole
//! runs in turn, least CPU time of five, on a shared Intel Xeon with AVX-512 and VBMI (`tetrastat simulate --board
//! 10x20 --games 2 --max-pieces 2000000 --placements none --simd LEVEL`, at `portable` 500000): greedy bcts takes
//! 0.45 of the time at `avx2`, 1.10 at `avx512-vbmi` in one hour and 0.86 in another (one game of 1000000, nine in
//! turn; medians 0.92), 1.44 at `portable`, which has the sweep alone now. The time at VBMI lies in no one place:
//! two thirds of a run's samples are in the step (`perf record -e cpu-clock`), spread over about 850 instructions
//! from the board to the choice, none of which has more than 2.3 in a hundred; windows by multishift would take away
//! 14 of them, and laying out the columns for it would take 16. `portable` is left to x86-64 without AVX2, since ARM
//! has `neon`.
//!
//! Greedy decisions alone, against bcts at the same level (least CPU time of rounds of 80,000 to 300,000 pieces in
//! turn, beside much other work): dt20 takes 1.25 to 1.4 of its time at `avx2`, 1.4 to 1.55 at `avx512`, 1.35 to 1.65
//! at `avx512-vbmi`; bdu 1.6 to 1.7, 1.35 to 1.55 and 1.4 to 1.5 (2.0 to 2.3 at AVX-512 while loops over its columns
//! checked their index, and so stayed loops). By the sweep
//! they took 8 to 12 times as long. Bcts and lee, which have no use for it, take 1.05 and 1.09 of what they took at
//! `avx2`, 1.0 and 1.09 at `avx512-vbmi`; while fast wells stood among the rest in registers, bcts took 1.13 at
//! `avx2`. A log of 28 columns takes 0.28 of what it took with edition one at `avx2` as CSV, 0.26 as Parquet
//! (400,000 rows, least of three).
//!
//! `neon` has not been timed: there was no ARM processor. Instructions of a greedy decision on 10x20, playing and
//! dealing included, counted in an emulator: bcts about 2,450 at `neon` (dellacherie 2,320, lee 1,890) against 8,700
//! at `portable` on ARM, and 1,750 at `avx2` on x86-64. The command counts those of 700 decisions; those of 200 are
//! taken off:
//!
//! ```text
//! cargo build --release --package tetrastat-core --target aarch64-unknown-linux-gnu --example steps
//! qemu-aarch64 -L /usr/aarch64-linux-gnu -singlestep -d exec,nochain -D /dev/stderr \
//!     target/aarch64-unknown-linux-gnu/release/examples/steps bcts neon 700 2>&1 >/dev/null | grep -c ^Trace
//! ```
//!
//! What made `delta` quicker while it was written, by short runs of a shared machine, so that only their order counts: an
//! orientation to a lane; conditions made bits before the next branch, over which the compiler takes registers of them
//! apart byte by byte; no copy of the board before it is read, since what was stored in other pieces than it is loaded
//! in is waited for; all rows in one register of AVX-512, and products that the compiler cannot make a slow vector
//! product of; covered well cells looked for only in columns with holes; the score of a board kept to the next piece
//! where it was found on the way. Look-ahead asks for the best of many boards, and sums up exactly only those that can
//! be it: what a board's answers are at most follows from rounded sums ([`Evaluator::answers`]). Pieces a second on a
//! Zen 4 core, `bench --sections search`, without and with it, in turn: `next` 302 and 347 thousand at `avx2`, 322 and
//! 391 at `avx512-vbmi`; `expect` 60 and 75, 65 and 85.
//!
//! What did not: two registers of AVX2 compiled for AVX-512 in place of one of 64 bytes; pieces of two orientations
//! apart from those of four at AVX-512; an instance compiled for the features of BCTS alone, which is twice the code for
//! two hundredths, so that sets are told apart at run time. Not tried: two games interleaved in one thread; windows by
//! multishift; differences over plain arrays at `portable`.

mod batch_features;
mod bits;
mod board_batch;
mod delta;
mod evaluator;
mod groups;
mod passes;
mod scalar;
mod shapes;
mod slots;
mod sweep;
mod top_two;
mod weights;

pub use crate::simd::{LEVEL_NAMES, Level, cpu_brand, ticks};
pub use batch_features::BatchFeatures;
pub use evaluator::{BestPlacement, Evaluator, ScoringPath, Scratch};
