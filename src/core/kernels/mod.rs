//! Scores all placements of a piece at once with vector instructions.
//!
//! An [`Evaluator`] is a controller prepared for one board size and one instruction [`Level`]. An
//! evaluator is built once and shared; each thread brings its own [`Scratch`].
//!
//! | file | contents |
//! |---|---|
//! | `delta` | change of the score by each placement, from the rows and columns it touches |
//! | `shapes` | tables of a piece's placements, one vector lane each |
//! | `patterns` | pattern values of all placements, from the windows that each one changes |
//! | `batch_features`, `groups` | features of up to 64 boards side by side, row by row |
//!
//! Raw values and scores are integers and equal those of the scalar functions exactly. At the level
//! `scalar`, scalar functions score one candidate after another: the specification. All other
//! levels run the same code over the vectors of `fearless_simd`: 16 bytes at `sse4.2`, `neon` and
//! `simd128` (in web pages), 32 at `avx2` and 64 at `avx512`.
//!
//! `delta` supports every set of features. It does not support boards that already have full rows,
//! stacks above 24 rows, and candidates that do not lie where a drop from above would end: these
//! are scored from scratch, board by board.
//!
//! # Decisions about speed
//!
//! Measurements are in `docs/lab/performance.md`. What helped:
//!
//! - Comparison results are converted to bits before the next branch. Across a branch the compiler
//!   would split their registers into bytes.
//! - The board is read before it is copied. A load of data that was just stored in pieces of
//!   another size stalls.
//! - Weights are multiplied in groups so small that the compiler uses no vector product.
//! - Look-ahead computes exact scores only for boards that can be best ([`Evaluator::answers`]).
//! - Greedy play with the features of BCTS has its own copy of the code: 7 % fewer cycles.
//! - All pieces share one copy of the code for placements that fill rows, so that more of the code
//!   in use fits the processor's cache of decoded instructions.
//! - Sums over the columns that few controllers use are separate jobs, one for each feature.
//!
//! What did not: two registers of AVX2 compiled for AVX-512 instead of one of 64 bytes; separate
//! code for pieces of two orientations at AVX-512; one code for all pieces except the I at AVX2;
//! two games in turn on one thread; exact scores of all decisions, to know every parent's score; in
//! look-ahead, an order by score and a table of equal boards.

mod batch_features;
mod delta;
mod evaluator;
mod groups;
mod patterns;
mod shapes;

pub use crate::simd::{LEVEL_NAMES, Level, cpu_brand};
pub use batch_features::{BatchFeatures, BatchSurfaces, SurfaceProperty};
pub use evaluator::{BestPlacement, Evaluator, Scratch};
pub use patterns::{PatternKernel, PatternScratch, TableEntry};
pub(crate) use shapes::SetBits;
