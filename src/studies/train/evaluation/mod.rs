//! Evaluation of candidates: their games and the values measured from them.

mod batch;
mod estimates;
mod games;
mod lost;
mod objective;
mod precision;
mod racing;
mod template;

pub use batch::{Evaluation, EvaluationBatch, GenerationGames};
pub use estimates::EstimateOptions;
pub use games::{CandidateGames, PlayedGame, TrainingGames};
pub use lost::{LOST, LostGame};
pub use objective::Objective;
pub use racing::Racing;
pub use template::{GuidelineTemplate, Template};

use super::config;
pub(super) use racing::{Race, by_rounds};
pub(super) use template::normalised;
