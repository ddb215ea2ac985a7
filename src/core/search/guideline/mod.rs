//! Searches in guideline games: greedy, beam over known pieces and hold, and perfect finishes.

mod beam;
mod evaluation;
mod layer;
mod matrix_batch;
mod perfect_clears;
mod two_best;

pub use beam::DrawnLanding;
pub use beam::{Beam, BeamDecision, BeamPlayer, Outlook, RankedLanding, SearchResult};
pub use evaluation::Weights;
pub use evaluation::{Terms, of_state, steps};
pub use layer::SCALE;
pub use perfect_clears::Finisher;
