//! Scores all placements of a piece at once with vector instructions.
//!
//! An [`Evaluator`] is a controller prepared for one board size and one instruction [`Level`]. It
//! is built once and shared; each thread brings its own [`Scratch`]. All kernels use the vectors of
//! `simd`.
//!
//! | file | contents |
//! |---|---|
//! | `delta` | change of the score by each placement, from the rows and columns it touches |
//! | `top_two` | placements that may be best or second, for decisions that are logged |
//! | `bits` | iterator over the set bits of a mask |
//! | `shapes` | tables of a piece's placements, one vector lane for each |
//! | `board_batch` | up to 64 boards side by side, with one placement played on each |
//! | `sweep`, `groups` | features computed row by row with shifts, xors and popcounts |
//! | `passes` | choice of the sweeps that a controller needs |
//! | `slots`, `weights` | index of each feature's raw values; exact weighted sums |
//! | `batch_features` | features of many boards at once, for logs |
//! | `surfaces` | heights, wells and parities of many boards at once, for logs |
//! | `patterns` | pattern values of all placements, from the windows that each one changes |
//! | `scalar` | scalar functions behind the interface of `Evaluator`: the specification |
//!
//! Every raw value and every score equals that of the scalar functions exactly, since all of them
//! are integers.
//!
//! # Levels
//!
//! In this table, a lane is a group of sixteen bytes: one orientation of a piece in each column.
//!
//! | level | kernels |
//! |---|---|
//! | `scalar` | scalar functions, one candidate after another |
//! | `portable` | sweep over SSE2 on x86-64, NEON on ARM, SIMD128 in a page, arrays elsewhere |
//! | `neon` | on ARM: `delta` over two or four registers of one lane each; sweep of `portable` |
//! | `avx2` | `delta` over registers of two lanes; the sweep over 16 words of 16 bits |
//! | `avx512` | `delta` over registers of four lanes; the sweep over 32 words |
//!
//! The sweep and the sets of guideline matrices are written over the vectors of `fearless_simd`. At
//! `avx512`, GFNI transposes rows into columns, and BITALG counts bits.
//!
//! `delta` computes any set of features. Boards with full rows or a stack above 24 rows use the
//! sweep.
//!
//! A decision that is logged computes scores only for the placements that may be best or second
//! (`top_two`). The features in its log row are computed for many boards at once
//! (`batch_features`).
//!
//! Measurements of speed, with their commands, are in `docs/lab/performance.md`.
//!
//! # Decisions about speed
//!
//! Short runs on a shared machine showed these gains while `delta` was written:
//!
//! - One lane holds one orientation.
//! - Comparison results are converted to bits before the next branch. Across a branch the compiler
//!   would split their registers into bytes.
//! - The board is read before it is copied. A load of data that was just stored in pieces of
//!   another size stalls.
//! - AVX-512 stores all 32 rows in one register.
//! - Weights are multiplied in groups small enough that the compiler uses no vector product, which
//!   is slower.
//! - Covered well cells are searched only in columns with holes.
//! - The score of the new board is stored for the next piece if the decision computed it.
//! - Look-ahead computes exact scores only for boards that can be best ([`Evaluator::answers`]).
//! - Greedy play with the features of BCTS has its own copy of the code: 7 % fewer cycles.
//! - All pieces share one copy of the code for placements that fill rows, so that more of the code
//!   in use fits the processor's cache of decoded instructions.
//! - The chosen placement is returned in registers. A result in memory delays the next decision.
//! - Sums over the columns that few controllers use are separate jobs, one for each feature.
//!
//! Rejected: two registers of AVX2 compiled for AVX-512 instead of one of 64 bytes; separate code
//! for pieces of two orientations at AVX-512; one code for all pieces except the I at AVX2; two
//! games in turn on one thread; exact scores of all decisions, to know every parent's score; in
//! look-ahead, an order by score and a table of equal boards.
//!
//! Not tried: a difference kernel over plain arrays at `portable`.

mod batch_features;
mod bits;
mod board_batch;
mod delta;
mod evaluator;
mod groups;
mod passes;
mod patterns;
mod scalar;
mod shapes;
mod slots;
mod surfaces;
mod sweep;
mod top_two;
mod weights;

pub use crate::simd::{LEVEL_NAMES, Level, cpu_brand, ticks};
pub use batch_features::BatchFeatures;
pub use evaluator::{BestPlacement, Evaluator, ScoringPath, Scratch};
pub use patterns::{PatternKernel, PatternScratch, TableEntry};
pub use surfaces::{BatchSurfaces, SurfaceProperty};
