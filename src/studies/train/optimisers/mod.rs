//! Optimisers: ask/tell searches for the vector of weights with the largest score.

mod cem;
mod cmaes;
mod genetic;
mod options;
mod progress;
mod restarts;
mod snes;
mod vdcmaes;

use progress::Progress;

use super::config;
use crate::error::Result;

pub use cem::{
    CrossEntropy, CrossEntropyOptions, Elite, RVCE_ELITE, RatedCandidate, RobustElite, Samples,
};
pub use cmaes::{CmaEs, CmaEsOptions};
pub use genetic::{Genetic, GeneticOptions, Mutation, ParentSelection};
pub use options::{
    Bounds, BoundsList, METHOD_NAMES, Method, OptimiserSettings, OptimiserState, Problem,
    ProblemOptions, Scale,
};
pub use progress::{BestCandidate, BestTie, Noise, NoiseTiming, Stop};
pub use restarts::Restarts;
pub use snes::{Snes, SnesOptions};
pub use vdcmaes::{VdCmaEs, VdCmaEsOptions};

/// A search for the vector of weights with the largest score; [`OptimiserState`] dereferences to
/// it.
///
/// Scores within a generation come from the same games; scores of different generations do not. The
/// best scores of two generations are therefore not comparable, so a training plays the finalists
/// again.
pub trait Optimiser {
    /// Returns the state that every optimiser keeps, such as the candidates to be scored and the
    /// best candidate so far.
    #[doc(hidden)]
    fn progress(&self) -> &Progress;

    /// Returns true if the parts of a search read from a checkpoint are consistent, for example the
    /// number of candidates and of their weights.
    #[doc(hidden)]
    fn fits(&self) -> bool;

    /// Takes one score per candidate, larger being better, and draws the next generation.
    ///
    /// # Errors
    /// [`Error::Config`](crate::error::Error::Config) if the number of scores is wrong or a score
    /// is not finite; the state is then unchanged. Also if the new candidates are not finite: see
    /// [`Stop::Diverged`].
    fn tell(&mut self, scores: &[f64]) -> Result<()>;

    /// Returns the mean of the distribution from which the current candidates were drawn. A genetic
    /// search returns the mean of its current population.
    fn mean(&self) -> Vec<f64>;

    /// Returns the standard deviation of each weight in the distribution from which the current
    /// candidates were drawn. A genetic search returns that of its current population.
    fn sd(&self) -> Vec<f64>;

    /// Returns a reason to stop the search, if there is one. The caller checks budgets of time and
    /// target scores itself.
    fn stop(&self) -> Option<Stop>;

    /// Returns the number of restarts so far; 0 for a method without restarts.
    fn restarts(&self) -> u64 {
        0
    }

    /// Returns the candidates of the current generation, in the order in which [`Optimiser::tell`]
    /// takes their scores. Repeated calls return the same candidates.
    fn ask(&self) -> &[Vec<f64>] {
        &self.progress().population
    }

    /// Returns the number of generations whose scores were passed to [`Optimiser::tell`].
    fn generation(&self) -> u64 {
        self.progress().generation
    }

    /// Returns the best candidate so far; `None` before the first scores.
    fn best(&self) -> Option<&BestCandidate> {
        self.progress().best.as_ref()
    }
}

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

/// Checks the first distribution of a search, and its population if it is given.
fn check_first(population: Option<usize>, sd: f64, mean: f64) -> Result<()> {
    population.map_or(Ok(()), check_population)?;
    if !(sd.is_finite() && sd > 0.0) {
        return config(format!("sd {sd}: give a finite number above 0, for example 0.5"));
    }
    if !mean.is_finite() {
        return config(format!("mean {mean}: give a finite number, for example 0"));
    }
    Ok(())
}

/// Returns the number of candidates of SNES, CMA-ES and VD-CMA-ES for `n` weights: `given`, or 4 +
/// floor(3 ln n).
fn population_for(given: Option<usize>, n: usize) -> usize {
    given.unwrap_or_else(|| 4 + (3.0 * libm::log(n as f64)) as usize)
}
