//! Optimisers: ask/tell searches for the vector of weights with the largest score.
//!
//! Frozen: the course of every method, to the last bit (`train/tests.rs`).

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
use crate::prelude::*;

pub use cem::{CrossEntropy, CrossEntropyOptions, Elite};
pub(crate) use cem::{RVCE_ELITE, RatedCandidate, RobustElite};
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

/// Search for the vector of weights with the largest score, by any optimisation method.
///
/// Generations usually play different games, so their scores are not comparable.
pub trait Optimiser {
    /// Returns the population, best candidate and counters that all optimisation methods keep.
    #[doc(hidden)]
    fn progress(&self) -> &Progress;

    /// Returns true if the contents of a search read from a checkpoint are consistent.
    #[doc(hidden)]
    fn fits(&self) -> bool;

    /// Takes one finite score per candidate (larger is better), and draws the next generation. On
    /// an error, such as a search that exceeds the range of numbers, changes nothing.
    fn tell(&mut self, scores: &[f64]) -> Result<()>;

    /// Returns the mean of the candidates' distribution, or of a genetic search's population.
    fn mean(&self) -> Vec<f64>;

    /// Returns the standard deviation of each weight in the candidates' distribution or population.
    fn sd(&self) -> Vec<f64>;

    /// Returns the search's own reason to stop, if any; the caller checks budgets and targets.
    fn stop(&self) -> Option<Stop>;

    /// Returns the number of the search's restarts so far; 0 for a method without restarts.
    fn restarts(&self) -> u64 {
        0
    }

    /// Returns the candidates in the order in which [`Optimiser::tell`] takes their scores.
    fn ask(&self) -> &[Vec<f64>] {
        &self.progress().population
    }

    /// Returns the number of generations whose candidates were scored.
    fn generation(&self) -> u64 {
        self.progress().generation
    }

    /// Returns the best candidate scored so far; `None` before the first scores.
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

/// Returns `given` or, by default, 4 + floor(3 ln n) as the number of candidates per generation.
fn population_for(given: Option<usize>, n: usize) -> usize {
    given.unwrap_or_else(|| 4 + (3.0 * libm::log(n as f64)) as usize)
}
