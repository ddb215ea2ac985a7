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
//! | `board_batch` | up to 64 boards side by side |
//! | `sweep`, `groups` | features computed row by row with shifts, xors and popcounts |
//! | `passes` | choice of the sweeps that a set of features needs |
//! | `slots` | index of each feature's raw values |
//! | `batch_features` | features of many boards at once, by sweeps or scalar functions |
//! | `surfaces` | heights, wells and parities of many boards at once, for logs |
//! | `patterns` | pattern values of all placements, from the windows that each one changes |
//!
//! Every raw value and every score equals that of the scalar functions exactly, since all of them
//! are integers.
//!
//! # Levels
//!
//! At `scalar`, scalar functions score one candidate after another: the specification. All other
//! levels run the same code over the vectors of `fearless_simd`: 16 bytes at `sse4.2`, `neon` and
//! `simd128` (in web pages), 32 at `avx2` and 64 at `avx512`. At `avx512`, GFNI transposes rows
//! into columns, and VBMI2 removes rows.
//!
//! `delta` supports every set of features, but not every position. Three kinds are scored from
//! scratch, board by board: boards that already have full rows, stacks above 24 rows, and
//! candidates that do not lie where a drop from above would end.
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

mod batch_features;
mod delta;
mod evaluator;
mod groups;
mod patterns;
mod shapes;

pub use crate::simd::{LEVEL_NAMES, Level, cpu_brand};
pub use batch_features::BatchFeatures;
pub use batch_features::{BatchSurfaces, SurfaceProperty};
pub use evaluator::{BestPlacement, Evaluator, Scratch};
pub use patterns::{PatternKernel, PatternScratch, TableEntry};
