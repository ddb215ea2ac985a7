//! Tests the modules of the core, in files named by module or topic.
//!
//! The tests are outside the crate, so that one build of the core serves them and all programs.
//! With tests inside, it would be compiled and optimised a second time, for a sixth of the total
//! cost of tests. Only the private vector layer has its tests inside (`tests/simd.rs`).

// `allow-unwrap-in-tests` does not cover helper functions of tests.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod board;
mod controller;
mod environment;
mod error;
mod features;
mod files;
mod golden;
mod kernels;
mod matrix;
mod patterns;
mod piece;
mod placement;
mod published;
mod queue;
mod rng;
mod rules;
mod search;
