pub mod board;
pub mod error;
pub mod features;
pub mod piece;
pub mod placement;
pub mod queue;
pub mod rng;
pub mod rules;
