//! Searches in guideline games: greedy, beam over known pieces and hold, and perfect finishes.

mod beam;
mod evaluation;
mod layer;
mod matrix_batch;
mod perfect_clears;
mod two_best;

pub use beam::{
    Beam, BeamDecision, BeamPlayer, DrawnLanding, QueueView, RankedLanding, SearchResult,
};
pub use evaluation::{Terms, Weights, state_term, to_steps};
pub use layer::SCALE;
pub use perfect_clears::Finisher;
