//! Restarts of CMA-ES: a converged run is followed by one with more candidates or a smaller step.
//!
//! **IPOP** (Auger & Hansen 2005, *A restart CMA evolution strategy with increasing population
//! size*, CEC): each run has twice as many candidates as the previous one.
//!
//! **BIPOP** (Hansen 2009, *Benchmarking a BI-population CMA-ES on the BBOB-2009 function testbed*,
//! GECCO): the next run is large, as in IPOP, or small, whichever kind has used fewer candidates. A
//! small run has the population lambda (lambda_large / (2 lambda))^(u^2) and 10^(-2 u') of the
//! first step size, with lambda of the first run, lambda_large of the last large one, and u and u'
//! drawn from \[0, 1). It uses at most half the candidates of the last large run.
//!
//! A run ends when [`Stop`](super::Stop) has a reason, or by a criterion of the second paper, with
//! n weights and the population lambda:
//!
//! - `TolHistFun`: the best scores of the last 10 + 30 n/lambda generations differ by at most
//!   1e-12.
//! - `MaxIter`: 100 + 50 (n + 3)^2 / sqrt(lambda) generations.
//! - `Stagnation`: in the last fifth of the generations, at least 120 + 30 n/lambda (a setting),
//!   the median score of the last 30 % is not better than that of the first 30 %, for the best and
//!   for the median scores. Scores of games are noisy, so this ends most runs.
//!
//! The papers draw the first mean of a run uniformly between bounds. Weights have no bounds, so it
//! is drawn from the distribution of the first candidates.

use crate::prelude::*;

/// Maximum number of times that restarts double the population (Hansen 2009).
const MAX_DOUBLINGS: u32 = 9;
/// Largest difference of the best scores at which the criterion `TolHistFun` ends a run.
const TOL_HIST: f64 = 1e-12;
const MIN_STAGNATION_WINDOW: u64 = 120;
const MAX_STAGNATION_WINDOW: usize = 20_000;

/// Rule for restarts of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Restarts {
    /// No restarts.
    None,
    /// Restarts with twice as many candidates each time.
    Ipop,
    /// Restarts that alternate large runs, as in IPOP, with small ones.
    Bipop,
}

impl Restarts {
    /// Returns true if the search does not restart.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Restarts::None
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// First run of a search, before any restart; neither a large nor a small run.
    #[default]
    First,
    Large,
    Small,
}

/// Counts of candidates scored by the runs of a search so far, and the scores of the current run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunHistory {
    pub(super) restarts: u64,
    /// Number of the generation in which the current run (between two restarts) began.
    pub(super) begun: u64,
    pub(super) population: usize,
    pub(super) sd: f64,
    pub(super) candidates: u64,
    pub(super) is_over: bool,
    kind: Kind,
    doublings: u32,
    large: u64,
    small: u64,
    own: u64,
    /// Number of candidates scored by the last large run, or by the first run before any large one.
    last_large: u64,
    best: Vec<f64>,
    median: Vec<f64>,
}

impl RunHistory {
    pub(super) fn new(population: usize, sd: f64) -> RunHistory {
        RunHistory {
            restarts: 0,
            begun: 0,
            population,
            sd,
            candidates: 0,
            is_over: false,
            kind: Kind::First,
            doublings: 0,
            large: 0,
            small: 0,
            own: 0,
            last_large: 0,
            best: Vec::new(),
            median: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, scores: &[f64]) {
        let mut sorted = scores.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        self.best.push(sorted[0]);
        self.median.push(sorted[sorted.len() / 2]);
        self.candidates += scores.len() as u64;
        self.own += scores.len() as u64;
    }

    /// Returns true if the current run ends and a restart follows, for example by stagnation.
    pub(super) fn rests(&self, n: usize, window: Option<u64>) -> bool {
        let (n, lambda) = (n as f64, self.population as f64);
        let spread = 30.0 * n / lambda;
        let most = 100.0 + 50.0 * (n + 3.0) * (n + 3.0) / lambda.sqrt();
        self.is_flat((10.0 + spread.ceil()) as usize)
            || self.best.len() as f64 >= most
            || self.stagnates(window.unwrap_or(MIN_STAGNATION_WINDOW + spread as u64))
            || self.kind == Kind::Small && self.own > self.last_large / 2
    }

    fn is_flat(&self, window: usize) -> bool {
        let Some(first) = self.best.len().checked_sub(window) else { return false };
        let last = &self.best[first..];
        let high = last.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        high - last.iter().copied().fold(f64::INFINITY, f64::min) <= TOL_HIST
    }

    fn stagnates(&self, least: u64) -> bool {
        let all = self.best.len();
        let window = (all / 5).max(least as usize).min(MAX_STAGNATION_WINDOW);
        if window == 0 || all < window {
            return false;
        }
        let part = (window * 3 / 10).max(1);
        let rests = |history: &[f64]| {
            let last = &history[all - window..];
            median(&last[window - part..]) <= median(&last[..part])
        };
        rests(&self.best) && rests(&self.median)
    }

    /// Begins the next run; `lambda` and `sd` are the population and step size of the first run.
    pub(super) fn restart(
        &mut self,
        restarts: Restarts,
        generation: u64,
        (lambda, sd): (usize, f64),
        stream: &mut Stream,
    ) {
        match self.kind {
            Kind::First => self.last_large = self.own,
            Kind::Large => {
                self.large += self.own;
                self.last_large = self.own;
            }
            Kind::Small => self.small += self.own,
        }
        let (u, step) = (stream.unit(), stream.unit());
        if restarts == Restarts::Bipop && self.small < self.large {
            let large = (lambda << self.doublings) as f64;
            let ratio = 0.5 * large / lambda as f64;
            self.kind = Kind::Small;
            self.population = ((lambda as f64 * libm::pow(ratio, u * u)) as usize).max(2);
            self.sd = sd * libm::pow(10.0, -2.0 * step);
        } else {
            self.doublings += 1;
            self.is_over = self.doublings > MAX_DOUBLINGS;
            self.kind = Kind::Large;
            self.population = lambda << self.doublings.min(MAX_DOUBLINGS);
            self.sd = sd;
        }
        self.restarts += 1;
        self.begun = generation;
        self.own = 0;
        self.best.clear();
        self.median.clear();
    }

    pub(super) fn fits(&self, generation: u64) -> bool {
        let run = generation.checked_sub(self.begun);
        self.population >= 2
            && self.sd.is_finite()
            && self.sd > 0.0
            && run == Some(self.best.len() as u64)
            && self.best.len() == self.median.len()
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(sorted.len() - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    fn stream() -> Stream {
        Stream::new(3, Purpose::Candidates, 0)
    }

    fn after(course: &mut RunHistory, means: impl Iterator<Item = f64>) {
        for mean in means {
            let scores: Vec<f64> = (0..course.population).map(|i| mean + i as f64).collect();
            course.note(&scores);
        }
    }

    #[test]
    fn populations_double() {
        let mut course = RunHistory::new(6, 0.5);
        let mut sizes = Vec::new();
        while !course.is_over {
            course.restart(Restarts::Ipop, 0, (6, 0.5), &mut stream());
            sizes.push(course.population);
        }
        assert_eq!(&sizes[..3], [12, 24, 48]);
        assert_eq!((sizes.len(), sizes[8], course.restarts, course.sd), (10, 6 << 9, 10, 0.5));
    }

    #[test]
    fn small_runs_take_turns_with_large_ones() {
        let mut course = RunHistory::new(6, 0.5);
        let next = |course: &mut RunHistory, generations: usize| {
            after(course, (0..generations).map(|g| g as f64));
            course.restart(Restarts::Bipop, 0, (6, 0.5), &mut stream());
            course.kind
        };
        assert_eq!(next(&mut course, 10), Kind::Large);
        assert_eq!((course.population, course.sd), (12, 0.5));
        assert_eq!(next(&mut course, 10), Kind::Small, "120 candidates against none");
        assert!(course.population == 6 && (0.005..0.5).contains(&course.sd), "{course:?}");
        assert_eq!(next(&mut course, 10), Kind::Small, "120 against 60");
        assert_eq!(next(&mut course, 10), Kind::Large, "120 against 120");
        assert_eq!((course.population, course.candidates, course.restarts), (24, 300, 4));
    }

    #[test]
    fn rest_by_hand() {
        // Scores that always improve end only by MaxIter, 100 + 50 x 25 / sqrt(4) = 725.
        let mut course = RunHistory::new(4, 0.5);
        after(&mut course, (0..724).map(f64::from));
        assert!(!course.rests(2, None));
        after(&mut course, [724.0].into_iter());
        assert!(course.rests(2, None));
        // Scores that never improve end after the window of 120 + 15 generations, or a given one.
        let noise = |count: u32| (0..count).map(|g| f64::from(g * 7 % 5));
        let mut course = RunHistory::new(4, 0.5);
        after(&mut course, noise(134));
        assert!(!course.rests(2, None) && course.rests(2, Some(20)));
        after(&mut course, noise(1));
        assert!(course.rests(2, None));
        // Equal scores end after 10 + 15 generations.
        let mut course = RunHistory::new(4, 0.5);
        after(&mut course, [1.0; 24].into_iter());
        assert!(!course.rests(2, None));
        after(&mut course, [1.0].into_iter());
        assert!(course.rests(2, None) && course.fits(25) && !course.fits(24));
    }
}
