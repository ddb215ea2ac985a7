//! Searches in guideline games: greedy, beam over known pieces and hold, and perfect finishes.

mod beam;
mod draw;
mod evaluation;
mod finisher;
mod layer;
mod matrix_batch;
mod network;
mod node;
mod perfect_clears;
mod spins;
mod terms;
mod two_best;

pub use beam::{Beam, BeamDecision, BeamPlayer, Outlook, RankedLanding, SearchResult};
pub use draw::DrawnLanding;
pub use evaluation::Weights;
pub use finisher::Finisher;
pub use node::SCALE;
pub use terms::{Terms, of_state, steps};
