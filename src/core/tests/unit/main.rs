//! The tests of the core's rooms, under the names of the rooms.
//!
//! They stand outside of the crate, so that it is compiled once for them and for all that plays with it: as a library
//! with its tests inside it would be compiled a second time, optimised again, for a sixth of all that the tests cost.
//! The vector layer, which nobody sees from outside, has its tests inside (`tests/simd.rs`).

// Helpers of tests are not seen as tests by `allow-unwrap-in-tests`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod board;
mod controller;
mod environment;
mod error;
mod features;
mod golden;
mod kernels;
mod matrix;
mod piece;
mod placement;
mod published;
mod queue;
mod rng;
mod rules;
mod search;
