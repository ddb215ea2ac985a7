//! Tests that need what nobody sees from outside stand in their files. These files are compiled here once more, alone,
//! so that the core is not (see `unit/main.rs`).

#![allow(dead_code, unused_imports, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]
// Of what is public in its crate, clippy does not ask it.
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

// What they import from the crate that they are of.
use tetrastat_core::{error, names, piece, queue};
