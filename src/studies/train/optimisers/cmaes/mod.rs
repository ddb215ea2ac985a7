//! Covariance matrix adaptation (CMA-ES) with a full covariance.
//!
//! The method is that of Hansen 2016, *The CMA evolution strategy: a tutorial* (arXiv:1604.00772),
//! figure 6 and appendix A, with its symbols: cumulation, rank-one and rank-mu updates, negative
//! weights, step size by path length. One constant comes from the author's program `cma`: 1e-9
//! keeps the length by which a negative weight is divided above 0.

mod eigen;
mod restarts;
mod strategy;

pub use restarts::Restarts;

use clap::ArgAction;
use serde::{Deserialize, Serialize};

use super::progress::{BestTie, Progress, check_finite};
use super::{Optimiser, Problem, Stop, check_first, config, population_for};
use crate::error::Result;
use crate::settings;
use crate::text::parse::count;
use eigen::{Eigen, identity, symmetric};
use restarts::RunHistory;
pub(super) use strategy::Strategy;

settings! {
    /// Settings of CMA-ES, with the defaults of Hansen's tutorial (2016).
    pub struct CmaEsOptions {
        /// Candidates per generation [default: 4 + 3 ln N, rounded down, for N weights]
        #[arg(value_name = "N", value_parser = count::<usize>(..))]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub population: Option<usize>,
        /// Initial mean of every weight and table entry, unless --start is given
        pub mean: f64 = 0.0,
        /// Initial standard deviation of every weight and table entry: about a third of the range
        /// in which the best weights are expected
        pub sd: f64 = 0.5,
        /// Also use the worse half of the candidates for the update
        #[arg(value_name = "true|false", action = ArgAction::Set)]
        pub active: bool = true,
        /// Restarts after convergence
        #[arg(value_enum, value_name = "WAY")]
        #[serde(skip_serializing_if = "Restarts::is_none")]
        pub restarts: Restarts = Restarts::None,
        /// Minimum number of generations without a better score that end a run [default with
        /// --restarts: 120 and 30 for each weight / population]
        #[arg(value_name = "N", value_parser = count::<u64>(..))]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub stagnation: Option<u64>,
        /// Number of candidates, over all runs, after which no generation begins (with --restarts)
        #[arg(value_name = "N", value_parser = count::<u64>(..))]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_candidates: Option<u64>,
    }
}

/// Maximum number of weights n, limited because decomposing the covariance takes n^3 steps.
const DIMENSION: usize = 200;
/// Ratio of the largest to the smallest eigenvalue of the covariance above which a search is
/// `IllConditioned` (Hansen 2016, B.3).
const CONDITION: f64 = 1e14;

impl CmaEsOptions {
    /// Validates the settings that types can't express.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn check(&self) -> Result<()> {
        check_first(self.population, self.sd, self.mean)?;
        let of_restarts =
            [("stagnation", self.stagnation), ("max-candidates", self.max_candidates)];
        for (name, count) in of_restarts {
            if let Some(count) = count.filter(|&count| count == 0 || self.restarts.is_none()) {
                return config(format!(
                    "{name} {count}: give at least 1, and restarts ipop or bipop"
                ));
            }
        }
        Ok(())
    }
}

/// A CMA-ES search. Each generation draws candidates x = m + sigma y: m is the mean, sigma the step
/// size, and y is normal with mean 0 and covariance C.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CmaEs {
    pub(super) options: CmaEsOptions,
    pub(super) progress: Progress,
    strategy: Strategy,
    m: Vec<f64>,
    sigma: f64,
    cov: Vec<Vec<f64>>,
    p_sigma: Vec<f64>,
    p_c: Vec<f64>,
    /// Matrix B, whose columns are the eigenvectors of the covariance C. The tutorial decomposes C
    /// only every max(1, floor(1/(10 n (c_1 + c_mu)))) generations (B.2). With up to 200 weights,
    /// that is every generation.
    basis: Vec<Vec<f64>>,
    /// Square roots of the eigenvalues of the covariance C: the diagonal of the matrix D.
    axes: Vec<f64>,
    /// History of the runs, if the search restarts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    course: Option<Box<RunHistory>>,
}

/// Returns the covariance C, its eigenvectors B and the square roots D of its eigenvalues for the
/// first generation. D has the unit of each weight (1 if the problem has no scale). C is diagonal
/// with the squares of these units.
fn first_shape(problem: &Problem) -> (Vec<Vec<f64>>, Vec<Vec<f64>>, Vec<f64>) {
    let axes = problem.first_sd(1.0);
    let mut cov = identity(axes.len());
    for (i, unit) in axes.iter().enumerate() {
        cov[i][i] = unit * unit;
    }
    (cov, identity(axes.len()), axes)
}

impl CmaEs {
    /// Creates a search before its first generation.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn new(options: CmaEsOptions, problem: &Problem, seed: u64) -> Result<Self> {
        options.check()?;
        let progress = Progress::new(problem, seed)?;
        let n = problem.dimension;
        if n > DIMENSION {
            return config(format!(
                "dimension {n}: cmaes keeps an n x n matrix, take at most {DIMENSION} weights and \
                 table entries, or vdcmaes"
            ));
        }
        let lambda = population_for(options.population, n);
        let (cov, basis, axes) = first_shape(problem);
        let mut search = CmaEs {
            options,
            progress,
            strategy: Strategy::new(n, lambda, options.active),
            m: problem.start.clone().unwrap_or_else(|| vec![options.mean; n]),
            sigma: options.sd,
            cov,
            p_sigma: vec![0.0; n],
            p_c: vec![0.0; n],
            basis,
            axes,
            course: (!options.restarts.is_none())
                .then(|| Box::new(RunHistory::new(lambda, options.sd))),
        };
        search.draw();
        Ok(search)
    }

    fn draw(&mut self) {
        let mut stream = self.progress.stream();
        let mut candidate = || {
            self.progress.problem.feasible(|| {
                // x = m + sigma B D z, with z from N(0, I): B D D B^T is C.
                let z: Vec<f64> = self.axes.iter().map(|d| d * stream.normal()).collect();
                let along = |row: &Vec<f64>| dot(row, &z);
                self.m.iter().zip(&self.basis).map(|(m, row)| m + self.sigma * along(row)).collect()
            })
        };
        let lambda = self.strategy.weights.len();
        self.progress.population = (0..lambda).map(|_| candidate()).collect();
    }

    /// Computes C^(-1/2) `y`, where C is the covariance.
    fn whitened(&self, y: &[f64]) -> Vec<f64> {
        let n = y.len();
        let along = |j: usize| (0..n).map(|i| self.basis[i][j] * y[i]).sum::<f64>() / self.axes[j];
        let z: Vec<f64> = (0..n).map(along).collect();
        self.basis.iter().map(|row| dot(row, &z)).collect()
    }

    /// Returns the steps y = (x - m)/sigma of the candidates x from the mean m, best candidate
    /// first.
    fn steps(&self, ranking: &[usize]) -> Vec<Vec<f64>> {
        let step =
            |x: &Vec<f64>| x.iter().zip(&self.m).map(|(x, m)| (x - m) / self.sigma).collect();
        ranking.iter().map(|&k| step(&self.progress.population[k])).collect()
    }

    /// Updates the mean, the evolution path of the step size, and the step size (Hansen 2016,
    /// equations 41 to 44). `steps` are ordered, best candidate first. Returns their weighted mean,
    /// y_w.
    fn move_mean(&mut self, steps: &[Vec<f64>]) -> Vec<f64> {
        let Strategy { mu_eff, c_sigma, d_sigma, chi, .. } = self.strategy;
        let better = steps.len() / 2;
        let weighted = |i: usize| {
            self.strategy.weights.iter().zip(&steps[..better]).map(|(w, y)| w * y[i]).sum::<f64>()
        };
        let y_w: Vec<f64> = (0..self.m.len()).map(weighted).collect();
        let normal = (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt();
        let white = self.whitened(&y_w);
        for (p, y) in self.p_sigma.iter_mut().zip(white) {
            *p = (1.0 - c_sigma) * *p + normal * y;
        }
        for (m, y) in self.m.iter_mut().zip(&y_w) {
            *m += self.sigma * y;
        }
        self.sigma *= libm::exp(c_sigma / d_sigma * (norm(&self.p_sigma) / chi - 1.0));
        y_w
    }

    /// Returns true if the evolution path of the step size is very long. The path of the covariance
    /// must then not be lengthened in this generation (h_sigma = 0).
    fn path_is_too_long(&self) -> bool {
        let Strategy { c_sigma, chi, .. } = self.strategy;
        let (n, g) = (self.m.len() as f64, self.age() as f64);
        // The path starts at 0 and grows to its full length, so early paths are compared with the
        // length possible by then.
        let grown = 1.0 - libm::pow(1.0 - c_sigma, 2.0 * (g + 1.0));
        norm(&self.p_sigma) / grown.sqrt() >= (1.4 + 2.0 / (n + 1.0)) * chi
    }

    /// Updates the evolution path of the covariance, and the covariance (Hansen 2016, equations 45
    /// to 47). `steps` are ordered, best candidate first; `y_w` is their weighted mean.
    fn update_covariance(&mut self, steps: &[Vec<f64>], y_w: &[f64]) {
        let Strategy { mu_eff, c_c, c_1, c_mu, .. } = self.strategy;
        let n = self.m.len();
        // If the step size grows fast, the path is not lengthened, and its missing variance is
        // added back.
        let (taken, missing) =
            if self.path_is_too_long() { (0.0, c_c * (2.0 - c_c)) } else { (1.0, 0.0) };
        let normal = taken * (c_c * (2.0 - c_c) * mu_eff).sqrt();
        for (p, y) in self.p_c.iter_mut().zip(y_w) {
            *p = (1.0 - c_c) * *p + normal * y;
        }
        let weights = self.signed_weights(steps);
        let kept = 1.0 + c_1 * missing - c_1 - c_mu * self.strategy.weights.iter().sum::<f64>();
        for i in 0..n {
            for j in 0..=i {
                let rank_mu: f64 = weights.iter().zip(steps).map(|(w, y)| w * y[i] * y[j]).sum();
                let new = kept * self.cov[i][j] + c_1 * self.p_c[i] * self.p_c[j] + c_mu * rank_mu;
                (self.cov[i][j], self.cov[j][i]) = (new, new);
            }
        }
    }

    /// Returns the recombination weights of `steps`, with the negative ones scaled so that the
    /// covariance stays positive definite (Hansen 2016, equation 46).
    fn signed_weights(&self, steps: &[Vec<f64>]) -> Vec<f64> {
        let n = self.m.len() as f64;
        let scaled = |(&w, y): (&f64, &Vec<f64>)| {
            if w >= 0.0 {
                return w;
            }
            let length = norm(&self.whitened(y)) + 1e-9;
            w * n / (length * length)
        };
        self.strategy.weights.iter().zip(steps).map(scaled).collect()
    }

    fn decompose(&mut self) {
        let Eigen { values, vectors } = symmetric(self.cov.clone());
        // Rounding can leave an eigenvalue at or below 0; `stop` reports that.
        let least = values.iter().copied().fold(0.0, f64::max) * 1e-20;
        self.axes = values.iter().map(|value| value.max(least).sqrt()).collect();
        self.basis = vectors;
    }

    /// Returns the number of generations in the current run.
    fn age(&self) -> u64 {
        self.progress.generation - self.course.as_ref().map_or(0, |course| course.begun)
    }

    /// Starts the next run if the search restarts and the current run has converged. `scores` are
    /// the scores of the last generation.
    fn restart_if_converged(&mut self, scores: &[f64]) {
        let n = self.m.len();
        let CmaEsOptions { restarts, stagnation, sd, .. } = self.options;
        let reason = self.reason();
        let Some(course) = &mut self.course else { return };
        course.note(scores);
        if reason.is_none() && !course.rests(n, stagnation) {
            return;
        }
        let mut stream = self.progress.stream_of_restart(course.restarts);
        let first = (population_for(self.options.population, n), sd);
        course.restart(restarts, self.progress.generation, first, &mut stream);
        let first_sd = self.progress.problem.first_sd(sd);
        let start = self.progress.problem.start.clone();
        let start = start.unwrap_or_else(|| vec![self.options.mean; n]);
        self.m = self.progress.problem.near(&start, &first_sd, &mut stream);
        self.sigma = course.sd;
        self.strategy = Strategy::new(n, course.population, self.options.active);
        (self.cov, self.basis, self.axes) = first_shape(&self.progress.problem);
        (self.p_sigma, self.p_c) = (vec![0.0; n], vec![0.0; n]);
        (self.progress.flat, self.progress.stale) = (0, 0);
    }

    /// Returns a reason to end the current run, if there is one. The criteria that need the scores
    /// of earlier generations are not checked here.
    fn reason(&self) -> Option<Stop> {
        let condition = self.condition();
        let sd = self.course.as_ref().map_or(self.options.sd, |course| course.sd);
        Stop::by_spread(&self.sd(), self.progress.problem.largest_sd(sd))
            .or_else(|| (condition > CONDITION).then_some(Stop::IllConditioned { condition }))
            .or_else(|| self.is_without_effect().then_some(Stop::NoEffect))
            .or_else(|| self.progress.flatness(self.progress.population.len()))
    }

    /// Returns true if a step along an axis or a coordinate is too small to change the mean
    /// (NoEffectAxis and NoEffectCoord of Hansen 2016, B.3).
    fn is_without_effect(&self) -> bool {
        let n = self.m.len();
        let axis = (self.age() % n as u64) as usize;
        let still = |i: usize, step: f64| self.m[i] + step == self.m[i];
        let length = 0.1 * self.sigma * self.axes[axis];
        (0..n).all(|i| still(i, length * self.basis[i][axis]))
            || (0..n).any(|i| still(i, 0.2 * self.sigma * self.cov[i][i].sqrt()))
    }

    fn condition(&self) -> f64 {
        let ratio = self.axes.iter().copied().fold(0.0, f64::max)
            / self.axes.iter().copied().fold(f64::INFINITY, f64::min);
        ratio * ratio
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

impl Optimiser for CmaEs {
    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn fits(&self) -> bool {
        let n = self.progress.problem.dimension;
        let course = self.course.as_ref();
        let lambda =
            course.map_or(population_for(self.options.population, n), |course| course.population);
        let square = |a: &[Vec<f64>]| a.len() == n && a.iter().all(|row| row.len() == n);
        self.options.check().is_ok()
            && course.is_none() == self.options.restarts.is_none()
            && course.is_none_or(|course| course.fits(self.progress.generation))
            && self.progress.fits(lambda)
            && self.strategy == Strategy::new(n, lambda, self.options.active)
            && [&self.m, &self.p_sigma, &self.p_c, &self.axes].iter().all(|x| x.len() == n)
            && square(&self.cov)
            && square(&self.basis)
    }

    fn tell(&mut self, scores: &[f64]) -> Result<()> {
        let ranking = self.progress.rank(scores)?;
        let steps = self.steps(&ranking);
        let mut next = self.clone();
        let y_w = next.move_mean(&steps);
        next.update_covariance(&steps, &y_w);
        check_finite(next.m.iter().chain(&next.sd()).chain([&next.sigma]))?;
        next.progress.advance(&ranking, scores, BestTie::Earlier);
        next.decompose();
        next.restart_if_converged(scores);
        next.draw();
        *self = next;
        Ok(())
    }

    fn mean(&self) -> Vec<f64> {
        self.m.clone()
    }

    /// Computes the standard deviation sigma sqrt(C_ii) of each weight i, with step size sigma and
    /// covariance C.
    fn sd(&self) -> Vec<f64> {
        self.cov.iter().enumerate().map(|(i, row)| self.sigma * row[i].sqrt()).collect()
    }

    fn stop(&self) -> Option<Stop> {
        let Some(course) = &self.course else { return self.reason() };
        let (restarts, candidates) = (course.restarts, course.candidates);
        let spent = self.options.max_candidates.is_some_and(|most| candidates >= most);
        course
            .is_over
            .then_some(Stop::Exhausted { restarts })
            .or_else(|| spent.then_some(Stop::Spent { candidates }))
    }

    fn restarts(&self) -> u64 {
        self.course.as_ref().map_or(0, |course| course.restarts)
    }
}

#[cfg(test)]
mod tests;
