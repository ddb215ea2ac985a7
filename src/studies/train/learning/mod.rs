//! Trainings by temporal differences: cell patterns that learn the values of boards.
//!
//! [`crate::learn`] plays and learns. This module adds the folder: checkpoints, `history.csv`, the
//! controller, held-out games and `run.json`.

mod plan;
mod run;

pub use plan::{LearningEnds, LearningPlan, LearningState, TEMPORAL_DIFFERENCES, describe_windows};
pub use run::{LearnedResult, LearningTotals, LearningWatch, learn};
