//! Covariance matrix adaptation in linear time and memory (VD-CMA-ES), for many weights.
//!
//! Akimoto, Auger & Hansen 2014, *Comparison-based natural gradient optimization in high
//! dimension*, GECCO. The covariance is C = D (I + v v^T) D, with a diagonal D and a vector v. It
//! has one scale for each weight, and one direction in which weights change together. D and v
//! follow the natural gradient of the expected score. The step size follows its path as in CMA-ES.

use super::cmaes::{Strategy, dot, norm};
use super::progress::{BestTie, Progress, check_finite};
use super::{Optimiser, Problem, Stop, check_first, population_for};
use crate::prelude::*;
use crate::settings;
use crate::text::parse::count;

settings! {
    /// Settings of VD-CMA-ES, with the paper's defaults.
    pub struct VdCmaEsOptions {
        /// Candidates per generation [default: 4 + 3 ln N, rounded down, for N weights]
        #[arg(value_name = "N", value_parser = count::<usize>(..))]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub population: Option<usize>,
        /// Initial mean of every weight and table entry, unless --start is given
        pub mean: f64 = 0.0,
        /// Initial standard deviation of every weight and table entry: about a third of the range
        /// in which the best weights are expected
        pub sd: f64 = 0.5,
    }
}

impl VdCmaEsOptions {
    /// Checks the settings of VD-CMA-ES that types can't express.
    pub fn check(&self) -> Result<()> {
        check_first(self.population, self.sd, self.mean)
    }
}

/// Largest relative change of the covariance's parameters D and v in one generation.
const LARGEST_CHANGE: f64 = 0.7;

/// VD-CMA-ES search, which draws candidates from a normal distribution. The covariance is sigma^2 D
/// (I + v v^T) D, with a diagonal matrix D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VdCmaEs {
    pub(super) options: VdCmaEsOptions,
    pub(super) progress: Progress,
    m: Vec<f64>,
    sigma: f64,
    d: Vec<f64>,
    v: Vec<f64>,
    p_sigma: Vec<f64>,
    p_c: Vec<f64>,
}

struct LearningRates {
    usual: Strategy,
    c_sigma: f64,
    d_sigma: f64,
    c_1: f64,
    c_mu: f64,
}

impl LearningRates {
    fn new(n: usize, lambda: usize) -> LearningRates {
        let usual = Strategy::new(n, lambda, false);
        let (n, mu_eff) = (n as f64, usual.mu_eff);
        // D and v have 2 n numbers to learn, and a full covariance has about n^2 / 2.
        let faster = ((n - 5.0) / 6.0).max(0.5);
        let c_1 = faster * usual.c_1;
        let c_mu = (faster * usual.c_mu).min(1.0 - c_1);
        let c_sigma = mu_eff.sqrt() / (2.0 * (n.sqrt() + mu_eff.sqrt()));
        let crowd = ((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0;
        LearningRates { c_sigma, d_sigma: 1.0 + 2.0 * crowd.max(0.0) + c_sigma, c_1, c_mu, usual }
    }
}

/// Direction v of the covariance D (I + v v^T) D, with numbers for computing the natural gradient.
struct Direction {
    square: f64,
    unit: Vec<f64>,
    /// Factor up to 1 of the coupling of D and v, to keep the information positive definite.
    alpha: f64,
    /// Factor of the rank-one term in the Fisher information of the scales D.
    rank_one: f64,
    /// Diagonal term of the Fisher information of the scales D, given the direction v.
    diagonal: Vec<f64>,
}

impl Direction {
    fn new(v: &[f64]) -> Direction {
        let square = dot(v, v);
        let length = square.sqrt();
        let unit: Vec<f64> = v.iter().map(|v| v / length).collect();
        let largest = unit.iter().map(|u| u * u).fold(0.0, f64::max);
        let gamma = 1.0 / (1.0 + square).sqrt();
        let alpha =
            (square * square + (1.0 + square) / largest * (2.0 - gamma)).sqrt() / (2.0 + square);
        let (alpha, beta) = if alpha < 1.0 {
            let ratio = 1.0 + 2.0 / square;
            (alpha, (4.0 - (2.0 - gamma) / largest) / (ratio * ratio))
        } else {
            (1.0, 0.0)
        };
        let rank_one = 2.0 * alpha * alpha - beta;
        let diagonal =
            unit.iter().map(|u| 2.0 - (rank_one + 2.0 * alpha * alpha) * u * u).collect();
        Direction { square, unit, alpha, rank_one, diagonal }
    }

    /// Adds `weight` times the log-likelihood gradient of the step `y` to `of_d` (by ln D) and
    /// `of_v` (by v).
    fn add_gradient(&self, weight: f64, y: &[f64], of_d: &mut [f64], of_v: &mut [f64]) {
        let along = dot(y, &self.unit);
        let share = self.square / (1.0 + self.square) * along;
        let half = (along * along + 1.0 + self.square) / 2.0;
        for (i, (&y, &u)) in y.iter().zip(&self.unit).enumerate() {
            of_d[i] += weight * (y * y - share * y * u - 1.0);
            of_v[i] += weight * (along * y - half * u);
        }
    }

    /// Converts summed gradients of the log-likelihood to natural gradients by ln D and v.
    fn natural(&self, of_d: &[f64], of_v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let Direction { square, unit, alpha, rank_one, diagonal } = self;
        let more = 2.0 + square;
        let along = dot(unit, of_v);
        let rest = |i: usize| {
            let u = unit[i];
            of_d[i] - alpha / (1.0 + square) * (more * of_v[i] * u - square * along * u * u)
        };
        let rest: Vec<f64> = (0..unit.len()).map(rest).collect();
        // Sherman-Morrison: the information is a diagonal and a part of rank one.
        let inverse: Vec<f64> = unit.iter().zip(diagonal).map(|(u, a)| u * u / a).collect();
        let squares: Vec<f64> = unit.iter().map(|u| u * u).collect();
        let common = rank_one * dot(&rest, &inverse) / (1.0 + rank_one * dot(&squares, &inverse));
        let by_d: Vec<f64> =
            (0..unit.len()).map(|i| rest[i] / diagonal[i] - common * inverse[i]).collect();
        let length = square.sqrt();
        let mean = dot(&by_d, &squares);
        let by_v =
            |i: usize| (of_v[i] - alpha * (more * unit[i] * by_d[i] - mean * unit[i])) / length;
        let by_v = (0..unit.len()).map(by_v).collect();
        (by_d, by_v)
    }

    /// Multiplies `z` by the square root of I + v v^T, or by its inverse if `is_inverse`.
    fn multiply_by_root(&self, z: &[f64], is_inverse: bool) -> Vec<f64> {
        let root = (1.0 + self.square).sqrt();
        let factor = if is_inverse { 1.0 / root } else { root } - 1.0;
        let along = factor * dot(z, &self.unit);
        z.iter().zip(&self.unit).map(|(z, u)| z + along * u).collect()
    }
}

impl VdCmaEs {
    /// Creates a VD-CMA-ES search before its first generation.
    pub fn new(options: VdCmaEsOptions, problem: &Problem, seed: u64) -> Result<Self> {
        options.check()?;
        let progress = Progress::new(problem, seed)?;
        let n = problem.dimension;
        let mut stream = progress.first_stream();
        let v = (0..n).map(|_| stream.normal() / (n as f64).sqrt()).collect();
        let mut search = VdCmaEs {
            m: problem.start.clone().unwrap_or_else(|| vec![options.mean; n]),
            sigma: options.sd,
            d: problem.first_sd(1.0),
            v,
            p_sigma: vec![0.0; n],
            p_c: vec![0.0; n],
            options,
            progress,
        };
        search.draw();
        Ok(search)
    }

    fn draw(&mut self) {
        let direction = Direction::new(&self.v);
        let mut stream = self.progress.stream();
        let mut candidate = || {
            self.progress.problem.feasible(|| {
                let z: Vec<f64> = self.m.iter().map(|_| stream.normal()).collect();
                let y = direction.multiply_by_root(&z, false);
                let step = self.d.iter().zip(y).map(|(d, y)| self.sigma * d * y);
                self.m.iter().zip(step).map(|(m, step)| m + step).collect()
            })
        };
        let lambda = population_for(self.options.population, self.progress.problem.dimension);
        self.progress.population = (0..lambda).map(|_| candidate()).collect();
    }

    fn update(&mut self, steps: &[Vec<f64>]) {
        let n = self.m.len();
        let LearningRates { usual, c_sigma, d_sigma, c_1, c_mu } =
            LearningRates::new(n, steps.len());
        let Strategy { mu_eff, c_c, chi, weights, .. } = usual;
        let better = || weights.iter().zip(steps).take(steps.len() / 2);
        let direction = Direction::new(&self.v);
        let mean = |i: usize| better().map(|(w, y)| w * y[i]).sum::<f64>();
        let mean: Vec<f64> = (0..n).map(mean).collect();
        for (i, y) in mean.iter().enumerate() {
            self.m[i] += self.sigma * self.d[i] * y;
        }
        let normal = (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt();
        for (p, z) in self.p_sigma.iter_mut().zip(direction.multiply_by_root(&mean, true)) {
            *p = (1.0 - c_sigma) * *p + normal * z;
        }
        let length = norm(&self.p_sigma);
        // The path starts at 0, so early paths are compared with the length possible by then.
        let generations = 2.0 * (self.progress.generation as f64 + 1.0);
        let grown = (1.0 - libm::pow(1.0 - c_sigma, generations)).sqrt();
        let is_taken = length / grown < (1.4 + 2.0 / (n as f64 + 1.0)) * chi;
        let taken = if is_taken { (c_c * (2.0 - c_c) * mu_eff).sqrt() } else { 0.0 };
        for (i, y) in mean.iter().enumerate() {
            self.p_c[i] = (1.0 - c_c) * self.p_c[i] + taken * self.d[i] * y;
        }
        let (mut of_d, mut of_v) = (vec![0.0; n], vec![0.0; n]);
        better().for_each(|(w, y)| direction.add_gradient(c_mu * w, y, &mut of_d, &mut of_v));
        if is_taken {
            let path: Vec<f64> = self.p_c.iter().zip(&self.d).map(|(p, d)| p / d).collect();
            direction.add_gradient(c_1, &path, &mut of_d, &mut of_v);
        }
        let (by_d, by_v) = direction.natural(&of_d, &of_v);
        let relative = by_d.iter().map(|change| change.abs()).fold(0.0, f64::max);
        let relative = relative.max(norm(&by_v) / direction.square.sqrt());
        let share = (LARGEST_CHANGE / relative).min(1.0);
        for i in 0..n {
            self.d[i] *= 1.0 + share * by_d[i];
            self.v[i] += share * by_v[i];
        }
        self.sigma *= libm::exp(c_sigma / d_sigma * (length / chi - 1.0));
    }
}

impl Optimiser for VdCmaEs {
    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn fits(&self) -> bool {
        let n = self.progress.problem.dimension;
        self.options.check().is_ok()
            && self.progress.fits(population_for(self.options.population, n))
            && [&self.m, &self.d, &self.v, &self.p_sigma, &self.p_c].iter().all(|x| x.len() == n)
    }

    fn tell(&mut self, scores: &[f64]) -> Result<()> {
        let ranking = self.progress.rank(scores)?;
        let step = |&k: &usize| {
            let x = &self.progress.population[k];
            (0..x.len()).map(|i| (x[i] - self.m[i]) / (self.sigma * self.d[i])).collect()
        };
        let steps: Vec<Vec<f64>> = ranking.iter().map(step).collect();
        let mut next = self.clone();
        next.update(&steps);
        check_finite(next.m.iter().chain(&next.sd()).chain([&next.sigma]))?;
        next.progress.advance(&ranking, scores, BestTie::Earlier);
        next.draw();
        *self = next;
        Ok(())
    }

    fn mean(&self) -> Vec<f64> {
        self.m.clone()
    }

    fn sd(&self) -> Vec<f64> {
        let sd = |(d, v): (&f64, &f64)| self.sigma * d * (1.0 + v * v).sqrt();
        self.d.iter().zip(&self.v).map(sd).collect()
    }

    fn stop(&self) -> Option<Stop> {
        let sd = self.sd();
        let is_still = self.m.iter().zip(&sd).any(|(m, sd)| m + 0.2 * sd == *m);
        Stop::by_spread(&sd, self.progress.problem.largest_sd(self.options.sd))
            .or_else(|| is_still.then_some(Stop::NoEffect))
            .or_else(|| self.progress.flatness(self.progress.population.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use crate::train::tests::{close, functions, hill_climb, step, straight_equals_resumed};
    use crate::train::{Bounds, OptimiserSettings, SnesOptions};

    fn settings() -> OptimiserSettings {
        OptimiserSettings::VdCmaEs(VdCmaEsOptions::default())
    }

    /// Returns the score of an ellipsoid with scales from 1 to 1,000, best where all weights are 1.
    fn ellipsoid(x: &[f64], _: &mut Stream) -> (f64, Vec<f64>) {
        let last = (x.len() - 1) as f64;
        let part = |(i, x): (usize, &f64)| libm::pow(1e6, i as f64 / last) * (x - 1.0) * (x - 1.0);
        (-x.iter().enumerate().map(part).sum::<f64>(), vec![1.0; x.len()])
    }

    /// Returns the score of a narrow valley along the diagonal, best where all weights are 1.
    fn cigar(x: &[f64], _: &mut Stream) -> (f64, Vec<f64>) {
        let n = x.len() as f64;
        let along = x.iter().map(|x| x - 1.0).sum::<f64>() / n.sqrt();
        let all = x.iter().map(|x| (x - 1.0) * (x - 1.0)).sum::<f64>();
        (-(1e4 * (all - along * along) + along * along), vec![1.0; x.len()])
    }

    // The expected gradient of the log-likelihood is 0.
    #[test]
    fn gradients_have_mean_zero() {
        let direction = Direction::new(&[0.5, -0.8, 0.2]);
        let mut stream = Stream::new(1, Purpose::Bootstrap, 0);
        let (mut of_d, mut of_v) = (vec![0.0; 3], vec![0.0; 3]);
        let count = 200_000;
        for _ in 0..count {
            let z: Vec<f64> = (0..3).map(|_| stream.normal()).collect();
            let y = direction.multiply_by_root(&z, false);
            close(&direction.multiply_by_root(&y, true), &z, 1e-12);
            direction.add_gradient(1.0 / f64::from(count), &y, &mut of_d, &mut of_v);
        }
        close(&of_d, &[0.0; 3], 0.02);
        close(&of_v, &[0.0; 3], 0.02);
    }

    #[test]
    fn it_climbs_plain_functions() {
        let sphere = hill_climb(&settings(), &Problem::new(30), 350, functions::sphere);
        assert!(sphere.error < 1e-8, "{sphere:?}");
        let ellipsoid = hill_climb(&settings(), &Problem::new(20), 3_000, ellipsoid);
        assert!(ellipsoid.error < 1e-8, "{ellipsoid:?}");
        let boxed = Problem::new(4).within(vec![Bounds { low: -1.0, high: 1.0 }; 4]);
        let options = VdCmaEsOptions { population: Some(40), ..Default::default() };
        let noisy = OptimiserSettings::VdCmaEs(options);
        let linear = hill_climb(&noisy, &boxed, 60, functions::noisy_linear);
        assert!(linear.distance < 0.2, "{linear:?}");
    }

    // A separable search needs steps as short as the valley is narrow.
    #[test]
    fn it_learns_a_direction_that_separable_searches_miss() {
        let problem = Problem::new(20);
        let own = hill_climb(&settings(), &problem, 1_500, cigar);
        let separable = OptimiserSettings::Snes(SnesOptions { sd: 0.5, ..Default::default() });
        let separable = hill_climb(&separable, &problem, 1_500, cigar);
        assert!(own.error < 1e-8 && separable.error > 1e-3, "{own:?} {separable:?}");
    }

    #[test]
    fn a_checkpoint_resumes_exactly() {
        straight_equals_resumed(&settings());
    }

    #[test]
    fn ends_are_diagnosed() {
        let mut search = VdCmaEs::new(VdCmaEsOptions::default(), &Problem::new(2), 1).unwrap();
        assert_eq!(search.stop(), None);
        search.m = vec![1e20, 0.0];
        assert_eq!(search.stop(), Some(Stop::NoEffect));
        search.sigma = 1e-14;
        assert!(matches!(search.stop(), Some(Stop::Collapsed { .. })));
        let mut settings = settings().start(&Problem::new(1), 1).unwrap();
        step(&mut settings, functions::sphere, &mut Stream::new(1, Purpose::Bootstrap, 0));
    }
}
