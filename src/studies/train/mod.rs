//! Training: optimisers that search for the weights of a controller.
//!
//! Every optimiser is **ask/tell**: it returns a population of candidates, the caller scores the
//! candidates and returns their scores, larger being better. An optimiser plays no game, reads no
//! clock and owns no thread. Its results depend only on options, problem, seed and scores. Its
//! whole state is serde data, so a search stored between two generations resumes bit for bit.
//!
//! ```
//! # extern crate tetrastat_studies as tetrastat;
//! use tetrastat::train::{CrossEntropyOptions, OptimiserSettings, Problem};
//!
//! let options = OptimiserSettings::Cem(CrossEntropyOptions { sd: 1.0, ..Default::default() });
//! let mut search = options.start(&Problem::new(2), 7)?;
//! for _ in 0..30 {
//!     let score = |w: &Vec<f64>| -(w[0] - 3.0).powi(2) - (w[1] + 1.0).powi(2);
//!     let scores: Vec<f64> = search.ask().iter().map(score).collect();
//!     search.tell(&scores)?;
//! }
//! assert!(search.best().is_some_and(|best| best.score > -0.5));
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```
//!
//! Arithmetic is IEEE 754 in a fixed order. Logarithms, exponentials and powers come from the crate
//! `libm`, so a search gives the same results on every machine.

mod evaluation;
mod games;
mod learning;
mod objective;
mod optimisers;
mod outcome;
mod plan;
mod run;
#[cfg(test)]
mod tests;
mod training;

pub use evaluation::{Evaluation, EvaluationBatch, GenerationGames, LOST, LostGame, Racing};
pub use games::{CandidateGames, GuidelineTemplate, PlayedGame, Template, TrainingGames};
pub use learning::{
    LearnedResult, LearningEnds, LearningPlan, LearningState, LearningTotals, LearningWatch,
    TEMPORAL_DIFFERENCES, describe_windows, learn,
};
pub use objective::{EstimateOptions, Objective};
pub use optimisers::*;
use optimisers::{RVCE_ELITE, RatedCandidate, RobustElite};

use crate::prelude::*;
pub use outcome::{
    AVERAGED_MEANS, Finalist, Finalists, HeldOut, Origin, ResultSource, TrainingTotals, Winner,
};
pub use plan::{PRESETS, ScheduleOptions, TrainingPlan, TrainingPreset};
pub use run::{
    CONTROLLER_FILE, Stage, TABLES_FILE, Trainer, TrainingInvocation, TrainingStatus,
    TrainingWatch, train,
};
pub use training::{Contender, Finals, Generation, Training, TrainingState};

fn config<T>(text: String) -> Result<T> {
    Err(Error::Config(text))
}
