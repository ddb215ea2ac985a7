//! Scores every placement of a piece at once with vector kernels, equal to the scalar features.
//!
//! An [`Evaluator`] is a controller prepared for one board size and one instruction [`Level`]. It
//! is built once and shared; each thread brings its own [`Scratch`]. All kernels use the vectors of
//! `simd`.
//!
//! | file | contents |
//! |---|---|
//! | `delta` | change of the score by each placement, from the rows and columns it touches |
//! | `top_two` | placements that may be best or second, for decisions that are logged |
//! | `bits` | set bits of masks |
//! | `shapes` | a piece's placements laid out by lane |
//! | `board_batch` | up to 64 boards side by side, with one placement played on each |
//! | `sweep`, `groups` | features as shifts, xors and popcounts over the rows of a batch |
//! | `passes`, `slots`, `weights` | sweeps of a controller, slots of raw values, exact sums |
//! | `batch_features` | features of many boards at once, for logs |
//! | `scalar` | the specification behind the same interface |
//!
//! Every raw value and every score equals the scalar function's exactly: all are integers.
//!
//! # Levels
//!
//! | level | kernels |
//! |---|---|
//! | `scalar` | scalar functions, one candidate after another |
//! | `portable` | sweep over SSE2 on x86-64, NEON on ARM, and plain arrays elsewhere |
//! | `neon` | on ARM: `delta` over two or four registers of one lane; the sweep of `portable` |
//! | `avx2` | `delta` over two lanes of sixteen bytes; the sweep over 16 words |
//! | `avx512` | `delta` over four lanes (BW, VL); the sweep of `avx2` |
//! | `avx512-vbmi` | as `avx512`, with GFNI and BITALG in `delta`; the sweep over 32 words |
//!
//! The compiler vectorises plain arrays with the target's baseline. GFNI turns bits from rows to
//! columns, and BITALG counts them.
//!
//! `delta` computes any set of: one landing feature, features of complete rows, transitions, holes
//! and their depth, rows with holes, Dellacherie's wells or MDPTetris' fast wells, heights and
//! bumpiness (also by column), maximum height, pattern diversity and a constant. These cover
//! Dellacherie's, BCTS', Lee's, DT-10's, DT-20's and BDU's features. All other sets, and boards
//! with full rows or a stack above 24 rows, use the sweep. A logged decision computes only the
//! placements that may be best or second (`top_two`). Features of its row are swept for many boards
//! at once (`batch_features`).
//!
//! Measurements of speed, with their commands, are in `docs/lab/performance.md`.
//!
//! # Decisions about speed
//!
//! Short runs on a shared machine showed these gains while `delta` was written:
//!
//! - One lane holds one orientation.
//! - Conditions become bits before the next branch. Across it the compiler splits their registers.
//! - The board is read before it is copied. Loading data stored in other sizes has to wait.
//! - AVX-512 holds all rows in one register. Products avoid the compiler's slow vector product.
//! - Covered well cells are searched only in columns with holes.
//! - A board's score is kept for the next piece if the decision computed it.
//! - Look-ahead scores only boards exactly that can be best ([`Evaluator::answers`]).
//!
//! Rejected: two registers of AVX2 compiled for AVX-512 instead of one of 64 bytes; separate code
//! for pieces of two orientations at AVX-512. Also rejected: an instance for BCTS' features alone,
//! which doubles the code for a gain of 2 %. Feature sets are therefore distinguished at run time.
//!
//! Not tried: two interleaved games in one thread; differences over plain arrays at `portable`.

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
