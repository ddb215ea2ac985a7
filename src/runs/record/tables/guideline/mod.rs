//! Tables of a guideline run: games, placements, and candidates of placements.

mod candidates;
mod fit;
mod games;
mod history;
mod placements;
mod tables;

pub(crate) use candidates::guideline_candidate_fields;
pub(crate) use games::guideline_game_fields;
pub use games::{
    CLEARS, GuidelineEnd, GuidelineGameRow, guideline_game_values, logged_end, read_guideline_games,
};
pub use history::{ChosenPlacement, GuidelineHistory};
pub(crate) use placements::guideline_placement_fields;
pub use placements::{GuidelineDecision, GuidelinePlacement};
pub(crate) use tables::guideline_columns;
pub use tables::{GuidelineEncoder, GuidelineGames, LogSettings, StudyTables, guideline_tables};
