//! Training: optimisers that look for the weights of a controller.
//!
//! Every optimiser is **ask/tell**: it shows a population, the caller scores it by whatever games it
//! likes, and tells the scores, larger being better. An optimiser plays no game, reads no clock and
//! owns no thread, so its results depend on options, problem, seed and scores alone. Its whole state
//! is serde data: what is written between two generations goes on to the same bits.
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
//! Arithmetic is IEEE 754 in a fixed order; logarithms, exponentials and powers are those of the
//! crate `libm`, so a search takes the same course on every machine.

mod cem;
mod cmaes;
mod eigen;
mod estimates;
mod evaluate;
mod finalists;
mod games;
mod genetic;
mod lost;
mod mutation;
mod noise;
mod objective;
mod options;
mod outcome;
mod plan;
mod precision;
mod presets;
mod problem;
mod progress;
mod racing;
mod restarts;
mod robust;
mod run;
mod selection;
mod snes;
mod stop;
mod strategy;
mod template;
mod training;
mod training_tables;
mod watch;

pub use cem::{CrossEntropy, CrossEntropyOptions, Elite};
pub use cmaes::{CmaEs, CmaEsOptions};
pub use estimates::EstimateOptions;
pub use evaluate::{Evaluation, EvaluationBatch, GenerationGames};
pub use finalists::{ANSWER_NAMES, AVERAGED, Finalist, Finalists, Origin, ResultSource};
pub use games::{CandidateGames, PlayedGame, TrainingGames};
pub use genetic::{Genetic, GeneticOptions};
pub use lost::{LOST, LostGame};
pub use mutation::{Adaptive, Mutation};
pub use noise::{Noise, NoiseTiming};
pub use objective::Objective;
pub use options::{METHOD_NAMES, OptimiserSettings, OptimiserState};
pub use outcome::{Ending, HeldOut, TrainManifest, Winner};
pub use plan::{TrainingIdentity, TrainingPlan};
pub use presets::{PRESETS, TrainingPreset};
pub use problem::{Bounds, Problem};
pub use progress::{BestCandidate, BestTie};
pub use racing::{RACING_NAMES, Racing};
pub use restarts::{RESTART_NAMES, Restarts};
pub use robust::{RVCE_ELITE, RobustElite, Samples, Veteran};
pub use run::{CONTROLLER, Trainer, TrainingInvocation, train};
pub use selection::ParentSelection;
pub use snes::{Snes, SnesOptions};
pub use stop::Stop;
pub use template::{GuidelineTemplate, Template};
pub use training::{Contender, Finals, Generation, Training, TrainingState};
pub use training_tables::{TrainCheckpoint, TrainingTables};
pub use watch::{Stage, TrainingStatus, TrainingWatch};

use crate::error::{Error, Result};
use progress::Progress;

/// A search for the vector of weights with the largest score; [`OptimiserState`] dereferences to it.
///
/// Scores of one generation are of the same games, those of two generations are not: the best of one is not comparable with
/// the best of another but by chance, which is why a training plays finalists again.
pub trait Optimiser {
    /// The candidates, and the best so far.
    #[doc(hidden)]
    fn progress(&self) -> &Progress;

    /// Returns true if the parts of a stored state fit each other.
    #[doc(hidden)]
    fn fits(&self) -> bool;

    /// Takes one score per candidate, larger being better, and draws the next generation.
    ///
    /// # Errors
    /// [`Error::Config`] when the scores are not as many as the candidates, or not finite; the state
    /// is then as before. Also when the new candidates are not finite: see [`Stop::Diverged`].
    fn tell(&mut self, scores: &[f64]) -> Result<()>;

    /// The mean from which the current candidates were drawn; a genetic population's own mean.
    fn mean(&self) -> Vec<f64>;

    /// Their standard deviation, likewise, weight by weight.
    fn sd(&self) -> Vec<f64>;

    /// The reason to stop, if there is one. Budgets and targets are the caller's.
    fn stop(&self) -> Option<Stop>;

    /// Number of times that the search has begun anew.
    fn restarts(&self) -> u64 {
        0
    }

    /// The candidates of the current generation, in the order in which [`Optimiser::tell`] takes their scores.
    /// Asking again returns the same ones.
    fn ask(&self) -> &[Vec<f64>] {
        &self.progress().population
    }

    /// Number of generations whose scores were taken.
    fn generation(&self) -> u64 {
        self.progress().generation
    }

    /// The best candidate so far; `None` before the first scores.
    fn best(&self) -> Option<&BestCandidate> {
        self.progress().best.as_ref()
    }
}

fn config<T>(text: String) -> Result<T> {
    Err(Error::Config(text))
}

/// Candidates of a generation at most.
const MOST_CANDIDATES: usize = 1_000_000;

fn check_population(population: usize) -> Result<()> {
    if population < 2 {
        return config(format!(
            "population {population}: nothing can be compared, give at least 2, for example 100"
        ));
    }
    if population > MOST_CANDIDATES {
        return config(format!("population {population}: give at most {MOST_CANDIDATES}"));
    }
    Ok(())
}

fn check_sd(sd: f64) -> Result<()> {
    if !(sd.is_finite() && sd > 0.0) {
        return config(format!("sd {sd}: give a finite number above 0, for example 0.5"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
