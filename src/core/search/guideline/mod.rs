//! Search in guideline games: greedy and beam over the known pieces and the hold, and perfect finishes.

mod beam;
mod evaluation;
mod finisher;
mod two_best;

pub use beam::{Beam, Decision, Found, Player};
pub use evaluation::{SCALE, Weights};
pub use finisher::Finisher;
