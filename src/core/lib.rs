//! Contains the core of tetrastat: boards, features, controllers, rules, search and vector kernels.
//!
//! The crate is optimised in every build profile, because it plays the games. Users of the library
//! depend on the crate `tetrastat`, which re-exports these modules and has a map of the code.

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]
// Code that only the vector kernels call is unused on targets without vector instructions.
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_variables))]

pub mod board;
pub mod controller;
pub mod environment;
pub mod error;
pub mod features;
pub mod files;
pub mod kernels;
pub mod matrix;
pub mod names;
pub mod piece;
pub mod placement;
pub mod queue;
pub mod rng;
pub mod rules;
pub mod search;
mod simd;
