//! Compiles again, alone, the files with tests of private items, so that the whole core is not
//! compiled a second time (see `unit/main.rs`).

#![allow(dead_code, unused_imports, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]
// Clippy skips this check for public items, which these are in the core.
#![allow(clippy::wrong_self_convention)]

#[path = "../board.rs"]
mod board;
#[path = "../environment/dealer.rs"]
mod dealer;
#[path = "../simd/mod.rs"]
mod simd;
#[path = "../rules/guideline/srs.rs"]
mod srs;
#[path = "../search/guideline/two_best.rs"]
mod two_best;

// The files import these names from the core.
use tetrastat_core::{by_text, error, names, piece, queue};
