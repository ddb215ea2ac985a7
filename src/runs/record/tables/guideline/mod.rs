//! Tables of a guideline run: games, placements, and candidates of placements.

mod candidates;
mod fit;
mod games;
mod history;
mod placements;
mod tables;

pub use candidates::GuidelineCandidate;
pub(crate) use candidates::guideline_candidate_fields;
pub(crate) use games::guideline_game_fields;
pub use games::{CLEARS, GuidelineEnd, GuidelineGameRow, logged_end, read_guideline_games};
pub use history::{ChosenPlacement, GuidelineHistory};
pub use placements::{GuidelineDecision, GuidelinePlacement};
pub(crate) use placements::{OF_SEARCH, guideline_placement_fields};
pub(crate) use tables::guideline_columns;
