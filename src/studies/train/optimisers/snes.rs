//! Separable natural evolution strategies (SNES).
//!
//! Schaul, Glasmachers & Schmidhuber 2011, *High dimensions and heavy tails for natural evolution
//! strategies*, GECCO, algorithm 2; Wierstra et al. 2014, *Natural evolution strategies*, JMLR 15,
//! table 1 for the defaults. EvoTorch, which Camden-Bergquist/Capstone used, implements the same
//! algorithm.

use super::progress::{BestTie, Progress, check_finite};
use super::{Bounds, Optimiser, Problem, Stop, check_first, config, population_for};
use crate::prelude::*;
use crate::settings;
use crate::text::parse::count;

settings! {
    /// Settings of SNES, with the papers' defaults.
    pub struct SnesOptions {
        /// Candidates per generation [default: 4 + 3 ln N, rounded down, for N weights]
        #[arg(value_name = "N", value_parser = count::<usize>(..))]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub population: Option<usize>,
        /// Initial mean of every weight and table entry, unless --start is given
        pub mean: f64 = 0.0,
        /// Range from which the initial mean of each weight is drawn [default: --mean]
        #[arg(value_name = "LOW,HIGH", allow_hyphen_values = true)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub initial: Option<Bounds>,
        /// Initial standard deviation of every weight and table entry
        pub sd: f64 = 1.0,
        /// Learning rate of the mean
        pub eta_mu: f64 = 1.0,
        /// Learning rate of the standard deviations [default: (3 + ln N) / (5 sqrt N) for N
        /// weights]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub eta_sigma: Option<f64>,
    }
}

impl SnesOptions {
    /// Checks the settings of SNES that types can't express.
    pub fn check(&self) -> Result<()> {
        check_first(self.population, self.sd, self.mean)?;
        if let Some(initial) = self.initial {
            initial.check("initial")?;
        }
        for (name, rate) in [("eta-mu", Some(self.eta_mu)), ("eta-sigma", self.eta_sigma)] {
            if let Some(rate) = rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
                return config(format!("{name} {rate}: give a finite number above 0"));
            }
        }
        Ok(())
    }

    fn eta_sigma_for(&self, d: usize) -> f64 {
        let d = d as f64;
        self.eta_sigma.unwrap_or_else(|| (3.0 + libm::log(d)) / (5.0 * d.sqrt()))
    }
}

/// SNES search: each weight has its own mean and standard deviation, which follow the natural
/// gradient of the expected utility. Means are clamped to their bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snes {
    pub(super) options: SnesOptions,
    pub(super) progress: Progress,
    mu: Vec<f64>,
    sigma: Vec<f64>,
}

impl Snes {
    /// Creates a SNES search before its first generation.
    pub fn new(options: SnesOptions, problem: &Problem, seed: u64) -> Result<Self> {
        options.check()?;
        let progress = Progress::new(problem, seed)?;
        let mut stream = progress.first_stream();
        let mut first = || options.initial.map_or(options.mean, |range| range.draw(&mut stream));
        let mu = match &problem.start {
            Some(start) => start.clone(),
            None => (0..problem.dimension).map(|_| first()).collect(),
        };
        let sigma = problem.first_sd(options.sd);
        let mut search = Snes { options, progress, mu, sigma };
        search.draw();
        Ok(search)
    }

    fn draw(&mut self) {
        let mut stream = self.progress.stream();
        let mut candidate = || self.progress.problem.near(&self.mu, &self.sigma, &mut stream);
        let population = population_for(self.options.population, self.mu.len());
        self.progress.population = (0..population).map(|_| candidate()).collect();
    }

    /// Estimates the gradients of the expected utility by the mean and by the standard deviation of
    /// weight `i`.
    fn gradients(&self, i: usize, ranking: &[usize], utilities: &[f64]) -> (f64, f64) {
        let (mut by_mu, mut by_sigma) = (0.0, 0.0);
        for (&k, u) in ranking.iter().zip(utilities) {
            let s = (self.progress.population[k][i] - self.mu[i]) / self.sigma[i];
            by_mu += u * s;
            by_sigma += u * (s * s - 1.0);
        }
        (by_mu, by_sigma)
    }
}

/// Returns by rank the utility of a candidate: its pull on the search, greatest for the best.
fn utilities(lambda: usize) -> Vec<f64> {
    let lambda_f = lambda as f64;
    let most = libm::log(lambda_f / 2.0 + 1.0);
    let raw: Vec<f64> = (1..=lambda).map(|k| (most - libm::log(k as f64)).max(0.0)).collect();
    let total: f64 = raw.iter().sum();
    raw.iter().map(|u| u / total - 1.0 / lambda_f).collect()
}

impl Optimiser for Snes {
    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn fits(&self) -> bool {
        let d = self.progress.problem.dimension;
        self.options.check().is_ok()
            && self.progress.fits(population_for(self.options.population, d))
            && (self.mu.len(), self.sigma.len()) == (d, d)
    }

    fn tell(&mut self, scores: &[f64]) -> Result<()> {
        let ranking = self.progress.rank(scores)?;
        let utilities = utilities(ranking.len());
        let d = self.mu.len();
        let (eta_mu, eta_sigma) = (self.options.eta_mu, self.options.eta_sigma_for(d));
        let moved = |i: usize| {
            let (by_mu, by_sigma) = self.gradients(i, &ranking, &utilities);
            let mu = self.mu[i] + eta_mu * self.sigma[i] * by_mu;
            let bounds = self.progress.problem.bounds.as_ref();
            (
                bounds.map_or(mu, |bounds| bounds[i].clamp(mu)),
                // An exponential step keeps a standard deviation above 0 for any gradient.
                self.sigma[i] * libm::exp(eta_sigma / 2.0 * by_sigma),
            )
        };
        let (mu, sigma): (Vec<f64>, Vec<f64>) = (0..d).map(moved).unzip();
        // The check precedes every change, as in every optimiser.
        check_finite(mu.iter().chain(&sigma))?;
        (self.mu, self.sigma) = (mu, sigma);
        self.progress.advance(&ranking, scores, BestTie::Earlier);
        self.draw();
        Ok(())
    }

    fn mean(&self) -> Vec<f64> {
        self.mu.clone()
    }

    fn sd(&self) -> Vec<f64> {
        self.sigma.clone()
    }

    fn stop(&self) -> Option<Stop> {
        Stop::by_spread(&self.sigma, self.progress.problem.largest_sd(self.options.sd))
            .or_else(|| self.progress.flatness(self.progress.population.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::OptimiserSettings;
    use crate::train::tests::{close, functions, hill_climb, refused, straight_equals_resumed};

    // lambda = 4: ln 3 - ln 1, ln 3 - ln 2, 0, 0 (ln 3 - ln 3 and less) over their sum 1.504077.
    #[test]
    fn utilities_by_hand() {
        let u = utilities(4);
        close(&u, &[0.730_422_7 - 0.25, 0.269_577_3 - 0.25, -0.25, -0.25], 1e-7);
        assert!(u.iter().sum::<f64>().abs() < 1e-15);
    }

    #[test]
    fn defaults_by_hand() {
        let options = SnesOptions::default();
        assert_eq!(
            (population_for(options.population, 1), population_for(options.population, 8)),
            (4, 10)
        );
        close(&[options.eta_sigma_for(4)], &[(3.0 + 4f64.ln()) / 10.0], 1e-15);
    }

    // Expected values: `python3 tests/oracles/train.py snes` (NumPy).
    #[test]
    fn one_step_equals_numpys() {
        let problem = Problem::new(2).starting_at(vec![0.5, -1.0]);
        let options = SnesOptions { population: Some(4), sd: 0.5, ..Default::default() };
        let mut search = Snes::new(options, &problem, 1).unwrap();
        search.progress.population =
            vec![vec![0.0, -1.5], vec![1.25, -0.75], vec![0.75, 0.0], vec![0.25, -2.0]];
        search.tell(&[-3.0, 2.5, 7.0, 1.0]).unwrap();
        close(&search.mu, &[0.822_288_644_845_407_5, -0.139_682_967_268_111_14], 1e-14);
        close(&search.sigma, &[0.481_000_563_791_442_07, 0.596_628_649_029_101], 1e-14);
    }

    #[test]
    fn a_random_start_lies_in_its_range() {
        let initial = Some(Bounds { low: -1.0, high: 1.0 });
        let options = SnesOptions { initial, ..Default::default() };
        let mean = |seed| Snes::new(options, &Problem::new(3), seed).unwrap().mean();
        assert!(mean(1).iter().all(|x| (-1.0..1.0).contains(x)));
        assert_eq!(mean(1), mean(1));
        assert_ne!(mean(1), mean(2));
    }

    #[test]
    fn it_climbs_the_known_hills() {
        let options =
            |population| OptimiserSettings::Snes(SnesOptions { population, ..Default::default() });
        let sphere = hill_climb(&options(None), &Problem::new(5), 150, functions::sphere);
        assert!(sphere.error < 1e-6, "{sphere:?}");
        // A separable method must follow the curved valley along its walls.
        let valley = hill_climb(&options(Some(40)), &Problem::new(2), 1500, functions::rosenbrock);
        assert!(valley.error < 1e-3, "{valley:?}");
        let boxed = Problem::new(4).within(vec![Bounds { low: -1.0, high: 1.0 }; 4]);
        let linear = hill_climb(&options(Some(40)), &boxed, 60, functions::noisy_linear);
        assert!(linear.distance < 0.2, "{linear:?}");
    }

    #[test]
    fn without_bounds_a_slope_diverges_and_is_diagnosed() {
        let options = SnesOptions { population: Some(10), ..Default::default() };
        let mut search = Snes::new(options, &Problem::new(1), 1).unwrap();
        let mut tell = || {
            let scores = search.ask().concat();
            search.tell(&scores).map(|()| search.stop())
        };
        let stop = (0..1000).find_map(|_| tell().unwrap()).unwrap();
        assert!(matches!(stop, Stop::Diverged { .. }), "{stop:?}");
        let error = (0..100_000).find_map(|_| tell().err()).unwrap();
        refused::<()>(Err(error), "the search exceeds the range of numbers");
    }

    #[test]
    fn a_checkpoint_resumes_exactly() {
        straight_equals_resumed(&OptimiserSettings::Snes(SnesOptions::default()));
    }

    #[test]
    fn bad_options_are_refused() {
        let bad = |options: SnesOptions, text| {
            refused(Snes::new(options, &Problem::new(2), 1), text);
        };
        let good = SnesOptions::default();
        bad(SnesOptions { population: Some(1), ..good }, "population 1");
        bad(SnesOptions { sd: 0.0, ..good }, "sd 0");
        bad(SnesOptions { mean: f64::NAN, ..good }, "mean NaN");
        bad(SnesOptions { eta_mu: 0.0, ..good }, "eta-mu 0");
        bad(SnesOptions { eta_sigma: Some(f64::NAN), ..good }, "eta-sigma NaN");
        let initial = Some(Bounds { low: f64::NAN, high: 1.0 });
        bad(SnesOptions { initial, ..good }, "initial [NaN, 1]");
        refused(Snes::new(good, &Problem::new(0), 1), "dimension 0");
    }
}
