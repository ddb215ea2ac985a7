//! The core of tetrastat: boards, features, controllers, rules, search and vector kernels.
//!
//! This crate is optimised in every profile, since games are played with it. Whoever uses the library
//! depends on `tetrastat`, which has its rooms under the same names; the code map stands there.

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]
// What only vectors call is not called where there are none.
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_variables))]

pub mod board;
pub mod controller;
pub mod environment;
pub mod error;
pub mod features;
pub mod files;
pub mod kernels;
pub mod matrix;
mod names;
pub mod piece;
pub mod placement;
pub mod queue;
pub mod rng;
pub mod rules;
pub mod search;
mod simd;
