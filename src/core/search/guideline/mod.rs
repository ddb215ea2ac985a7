//! Search in guideline games: greedy and beam over the known pieces and the hold, and perfect finishes.

mod beam;
mod evaluation;
mod finisher;
mod layer;
mod matrix_batch;
mod network;
mod perfect_clears;
mod spins;
mod terms;
mod two_best;

pub use beam::{Beam, BeamDecision, BeamPlayer, Found, Outlook, RankedLanding};
pub use evaluation::{SCALE, Weights};
pub use finisher::Finisher;
pub use terms::{Terms, of_state, steps};
