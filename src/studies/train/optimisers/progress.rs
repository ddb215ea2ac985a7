//! State that every optimiser keeps (the candidates to be scored and the best one so far), reasons
//! to stop, and the noise of a cross-entropy search.

use clap::ValueEnum;

use super::{Problem, config};
use crate::prelude::*;

/// Candidate with the best score of a search so far; this score tends to be too high.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestCandidate {
    /// Weights of the best candidate.
    pub candidate: Vec<f64>,
    /// Score of the best candidate in its generation.
    pub score: f64,
    /// Number of the best candidate's generation, from 0.
    pub generation: u64,
}

/// Rule for which candidate counts as the best so far if scores are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum BestTie {
    /// The candidate of the earlier generation.
    Earlier,
    /// The candidate of the later generation, as by `>=` in EmilieChen/tetris_ia.
    Later,
}

/// Population of an optimiser's search, and its history. Each generation has its own random stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    pub(super) problem: Problem,
    pub(super) seed: u64,
    pub(super) generation: u64,
    pub(super) population: Vec<Vec<f64>>,
    pub(super) best: Option<BestCandidate>,
    /// Number of last generations in a row whose candidates all had equal scores.
    pub(super) flat: u64,
    /// Number of last generations in a row without a new best score.
    pub(super) stale: u64,
}

impl Progress {
    pub(super) fn new(problem: &Problem, seed: u64) -> Result<Progress> {
        problem.check()?;
        Ok(Progress {
            problem: problem.clone(),
            seed,
            generation: 0,
            population: Vec::new(),
            best: None,
            flat: 0,
            stale: 0,
        })
    }

    pub(super) fn stream(&self) -> Stream {
        Stream::new(self.seed, Purpose::Candidates, self.generation)
    }

    pub(super) fn first_stream(&self) -> Stream {
        // No generation has this number.
        Stream::new(self.seed, Purpose::Candidates, u64::MAX)
    }

    pub(super) fn stream_of_restart(&self, restarts: u64) -> Stream {
        Stream::new(self.seed, Purpose::Candidates, u64::MAX - 1 - restarts)
    }

    /// Returns the candidates' indices, best first; among equal scores the lower comes first.
    pub(super) fn rank(&self, scores: &[f64]) -> Result<Vec<usize>> {
        self.check_scores(scores)?;
        let mut ranking: Vec<usize> = (0..scores.len()).collect();
        // A stable sort keeps the lower index first among equal scores.
        ranking.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        Ok(ranking)
    }

    pub(super) fn advance(&mut self, ranking: &[usize], scores: &[f64], tie: BestTie) {
        let all_equal = scores.iter().all(|&score| score == scores[0]);
        self.flat = if all_equal { self.flat + 1 } else { 0 };
        self.offer(ranking[0], scores[ranking[0]], tie);
        self.generation += 1;
    }

    fn offer(&mut self, index: usize, score: f64, tie: BestTie) {
        let old = self.best.as_ref().map_or(f64::NEG_INFINITY, |best| best.score);
        self.stale = if score > old { 0 } else { self.stale + 1 };
        if score > old || (tie == BestTie::Later && score == old) {
            let candidate = self.population[index].clone();
            self.best = Some(BestCandidate { candidate, score, generation: self.generation });
        }
    }

    fn check_scores(&self, scores: &[f64]) -> Result<()> {
        let (given, expected) = (scores.len(), self.population.len());
        if given != expected {
            return config(format!(
                "{given} scores for {expected} candidates: tell one score per candidate, in order"
            ));
        }
        if let Some(i) = scores.iter().position(|score| !score.is_finite()) {
            return config(format!(
                "score {} of candidate {}: an objective must give a finite number",
                scores[i],
                i + 1
            ));
        }
        Ok(())
    }

    pub(super) fn flatness(&self, population: usize) -> Option<Stop> {
        Stop::by_flatness(self.flat, self.problem.dimension, population)
    }

    pub(super) fn fits(&self, population: usize) -> bool {
        let whole = |point: &[f64]| {
            point.len() == self.problem.dimension && point.iter().all(|x| x.is_finite())
        };
        self.problem.check().is_ok()
            && self.population.len() == population
            && self.population.iter().all(|candidate| whole(candidate))
            && self.best.as_ref().is_none_or(|best| whole(&best.candidate))
    }
}

pub(super) fn check_finite<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Result<()> {
    const MAX_ABSOLUTE_VALUE: f64 = 1e300;
    if numbers.into_iter().all(|x| x.abs() < MAX_ABSOLUTE_VALUE) {
        return Ok(());
    }
    config(
        "the search exceeds the range of numbers: stop when it reports that the candidates \
         diverge, or start with a larger sd"
            .to_owned(),
    )
}

/// Returns mean and variance of each coordinate of `points`, which are vectors with weights.
pub(super) fn moments(points: &[(&[f64], f64)], dimension: usize) -> (Vec<f64>, Vec<f64>) {
    let total: f64 = points.iter().map(|(_, weight)| weight).sum();
    let average = |f: &dyn Fn(&[f64]) -> f64| {
        points.iter().map(|(point, weight)| weight * f(point)).sum::<f64>() / total
    };
    (0..dimension)
        .map(|i| {
            let mean = average(&|point| point[i]);
            (mean, average(&|point| (point[i] - mean) * (point[i] - mean)))
        })
        .unzip()
}

/// Reason for an optimiser's search to stop; the caller decides whether to continue.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stop {
    /// The candidates hardly differ any more (TolX of Hansen 2016, B.3).
    Collapsed {
        /// Largest standard deviation of a weight in the candidates' distribution.
        sd: f64,
    },
    /// The candidates spread over 10,000 times wider than at first (TolXUp of Hansen 2016, B.3).
    Diverged {
        /// Largest standard deviation of a weight in the candidates' distribution.
        sd: f64,
    },
    /// All candidates had equal scores in each of the last generations.
    Flat {
        /// Number of consecutive generations with equal scores.
        generations: u64,
    },
    /// The search's covariance is numerically singular (ConditionCov of Hansen 2016, B.3).
    IllConditioned {
        /// Ratio of the largest to the smallest eigenvalue of the covariance.
        condition: f64,
    },
    /// A step along an axis is too small to change the mean (NoEffectAxis, NoEffectCoord).
    NoEffect,
    /// A restarting search has reached its maximum number of doublings of the population.
    Exhausted {
        /// Number of restarts that were made.
        restarts: u64,
    },
    /// A restarting search has used its budget of candidates.
    Spent {
        /// Number of candidates that were scored.
        candidates: u64,
    },
}

/// Share of the initial standard deviation below which a search stops as collapsed.
pub(super) const TOL_X: f64 = 1e-12;
/// Multiple of the initial standard deviation above which a search stops as diverged.
pub(super) const TOL_X_UP: f64 = 1e4;

impl Stop {
    pub(super) fn by_spread(sd: &[f64], initial: f64) -> Option<Stop> {
        let sd = sd.iter().copied().fold(0.0, f64::max);
        if sd <= TOL_X * initial {
            return Some(Stop::Collapsed { sd });
        }
        (sd > TOL_X_UP * initial).then_some(Stop::Diverged { sd })
    }

    /// Returns a reason to stop after many generations with equal scores (Hansen 2016, B.3).
    pub(super) fn by_flatness(flat: u64, dimension: usize, population: usize) -> Option<Stop> {
        let window = 10 + (30 * dimension).div_ceil(population.max(1)) as u64;
        (flat >= window).then_some(Stop::Flat { generations: flat })
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Collapsed { sd } => {
                write!(f, "the candidates are nearly equal (largest sd {sd:.3e})")
            }
            Stop::Diverged { sd } => {
                write!(f, "the candidates diverge (largest sd {sd:.3e}): start with a larger sd")
            }
            Stop::Flat { generations } => write!(
                f,
                "all candidates of {generations} generations scored the same: choose an objective \
                 that distinguishes them, or a larger sd"
            ),
            Stop::IllConditioned { condition } => write!(
                f,
                "the covariance is nearly singular (condition {condition:.1e}): scale the features"
            ),
            Stop::NoEffect => f.write_str("the steps are too small to change the mean"),
            Stop::Exhausted { restarts } => {
                write!(
                    f,
                    "the population was doubled the maximum number of times ({restarts} restarts)"
                )
            }
            Stop::Spent { candidates } => write!(f, "{candidates} candidates were scored"),
        }
    }
}

tetrastat_runs::kinds! {
    /// Noise of a cross-entropy search: a **variance** Z(t) added to every weight in generation t,
    /// as in MDPTetris (`cross_entropy_noise.c`).
    pub enum Noise {
        /// No noise: Z(t) = 0.
        None = "none",
        /// Constant additional variance: Z(t) = a.
        Constant = "constant" {
            /// Additional variance at every generation.
            a: f64 = 4.0,
        },
        /// Additional variance that decreases linearly to 0: Z(t) = max(a - t/b, 0).
        Linear = "linear" {
            /// Additional variance at generation 0.
            a: f64 = 5.0,
            /// Number of generations in which the variance decreases by 1.
            b: f64 = 10.0,
        },
        /// Additional variance that decreases hyperbolically: Z(t) = a/(t + 1).
        Hyperbolic = "hyperbolic" {
            /// Additional variance at generation 0.
            a: f64 = 20.0,
        },
    }
}

impl Noise {
    /// Constant noise as in Szita & Lorincz 2006 and MDPTetris: Z(t) = 4.
    pub const CONSTANT: Noise = Noise::Constant { a: 4.0 };
    /// Decreasing noise as in Szita & Lorincz 2006 and MDPTetris: Z(t) = max(5 - t/10, 0).
    pub const LINEAR: Noise = Noise::Linear { a: 5.0, b: 10.0 };
    /// Hyperbolic noise with the default of MDPTetris: Z(t) = 20/(t + 1).
    pub const HYPERBOLIC: Noise = Noise::Hyperbolic { a: 20.0 };

    /// Returns noise that falls linearly from `a` to 0 in generation `end` (EmilieChen/tetris_ia).
    #[must_use]
    pub const fn falling(a: f64, end: f64) -> Noise {
        Noise::Linear { a, b: end / a }
    }

    /// Computes the noise Z(t), the variance that is added to every weight in generation `t`.
    #[must_use]
    pub fn at(self, t: u64) -> f64 {
        let t = t as f64;
        match self {
            Noise::None => 0.0,
            Noise::Constant { a } => a,
            Noise::Linear { a, b } => (a - t / b).max(0.0),
            Noise::Hyperbolic { a } => a / (t + 1.0),
        }
    }

    pub(super) fn check(self) -> Result<()> {
        let numbers = match self {
            Noise::None => [0.0, 1.0],
            Noise::Constant { a } | Noise::Hyperbolic { a } => [a, 1.0],
            Noise::Linear { a, b } => [a, b],
        };
        if numbers.iter().all(|x| x.is_finite()) && numbers[0] >= 0.0 && numbers[1] > 0.0 {
            return Ok(());
        }
        config(format!("noise {self}: give a finite a of at least 0 and a finite b above 0"))
    }
}

/// Time at which the noise Z(t) is added to the variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseTiming {
    /// After generation t, in the update of the variance; generation 0 has no noise (MDPTetris).
    Update,
    /// Before the draw of generation t, generation 0 included (EmilieChen/tetris_ia).
    Sampling,
}

impl NoiseTiming {
    /// Returns the variance that noise adds to every weight when generation `t` is drawn.
    #[must_use]
    pub fn extra(self, noise: Noise, t: u64) -> f64 {
        match self {
            NoiseTiming::Sampling => noise.at(t),
            NoiseTiming::Update => t.checked_sub(1).map_or(0.0, |last| noise.at(last)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::tests::refused;

    impl Progress {
        fn take(&mut self, scores: &[f64], tie: BestTie) -> Result<Vec<usize>> {
            let ranking = self.rank(scores)?;
            self.advance(&ranking, scores, tie);
            Ok(ranking)
        }
    }

    fn progress() -> Progress {
        let mut progress = Progress::new(&Problem::new(1), 1).unwrap();
        progress.population = vec![vec![1.0], vec![2.0], vec![3.0]];
        progress
    }

    #[test]
    fn ranks_are_stable_and_the_earlier_best_stays() {
        let mut progress = progress();
        assert_eq!(progress.take(&[5.0, 7.0, 7.0], BestTie::Earlier).unwrap(), [1, 2, 0]);
        assert_eq!(progress.take(&[7.0, 7.0, 7.0], BestTie::Earlier).unwrap(), [0, 1, 2]);
        let best = progress.best.clone().unwrap();
        assert_eq!((best.candidate[0], best.score, best.generation), (2.0, 7.0, 0));
        assert_eq!((progress.flat, progress.stale, progress.generation), (1, 1, 2));
        progress.take(&[7.0, 6.0, 7.0], BestTie::Later).unwrap();
        assert_eq!(progress.best.unwrap().candidate, [1.0]);
    }

    #[test]
    fn bad_scores_are_refused() {
        refused(check_finite(&[1.0, f64::INFINITY]), "the search exceeds the range");
        refused(progress().take(&[1.0], BestTie::Earlier), "1 scores for 3 candidates");
        refused(
            progress().take(&[1.0, f64::NAN, 2.0], BestTie::Earlier),
            "score NaN of candidate 2",
        );
    }

    // 1, 2, 6: mean 3, variance (4 + 1 + 9)/3. Weighted 2:1:1 the mean is 2.5, the variance (2 x
    // 2.25 + 0.25 + 12.25)/4.
    #[test]
    fn moments_by_hand() {
        let points = [[1.0, 0.0], [2.0, 0.0], [6.0, 0.0]];
        let weighted = |weights: [f64; 3]| {
            let points: Vec<_> = points.iter().map(|p| p.as_slice()).zip(weights).collect();
            moments(&points, 2)
        };
        assert_eq!(weighted([1.0; 3]), (vec![3.0, 0.0], vec![14.0 / 3.0, 0.0]));
        assert_eq!(weighted([2.0, 1.0, 1.0]), (vec![2.5, 0.0], vec![4.25, 0.0]));
    }

    #[test]
    fn verdicts_by_hand() {
        assert_eq!(Stop::by_spread(&[0.1, 3.0], 1.0), None);
        assert_eq!(Stop::by_spread(&[1e-13, 0.0], 1.0), Some(Stop::Collapsed { sd: 1e-13 }));
        assert_eq!(Stop::by_spread(&[0.0, 2e4], 1.0), Some(Stop::Diverged { sd: 2e4 }));
        assert_eq!(Stop::by_flatness(15, 4, 20), None); // 10 + 120/20 = 16
        assert_eq!(Stop::by_flatness(16, 4, 20), Some(Stop::Flat { generations: 16 }));
        assert!(!Stop::Flat { generations: 16 }.to_string().contains('\n'));
    }

    #[test]
    fn schedules_by_hand() {
        let values = |noise: Noise| [0, 1, 7, 49, 50, 90].map(|t| noise.at(t));
        assert_eq!(values(Noise::None), [0.0; 6]);
        assert_eq!(values(Noise::CONSTANT), [4.0; 6]);
        let linear = [5.0, 4.9, 4.3, 5.0 - 4.9, 0.0, 0.0];
        assert_eq!(values(Noise::LINEAR), linear);
        assert_eq!(Noise::HYPERBOLIC.at(0), 20.0);
        assert_eq!(Noise::HYPERBOLIC.at(7), 2.5);
    }

    // The notebook `tetris_ia` adds the variance `max(1 - it/30, 0) * 2^2` in epoch `it`.
    #[test]
    fn the_notebooks_noise_ends_at_60_percent() {
        let noise = Noise::falling(4.0, 0.6 * 50.0);
        for (t, want) in [(0, 4.0), (15, 2.0), (29, 4.0 / 30.0), (30, 0.0), (45, 0.0)] {
            assert!((noise.at(t) - want).abs() < 1e-12, "{t}: {}", noise.at(t));
        }
    }

    #[test]
    fn timing_by_hand() {
        let drawn = |timing: NoiseTiming| [0, 1, 2].map(|t| timing.extra(Noise::HYPERBOLIC, t));
        assert_eq!(drawn(NoiseTiming::Update), [0.0, 20.0, 10.0]);
        assert_eq!(drawn(NoiseTiming::Sampling), [20.0, 10.0, 20.0 / 3.0]);
    }

    #[test]
    fn bad_noise_is_refused() {
        refused(Noise::Constant { a: -1.0 }.check(), "noise constant:-1");
        refused(Noise::Linear { a: 5.0, b: 0.0 }.check(), "noise linear:5:0");
        refused(Noise::Hyperbolic { a: f64::NAN }.check(), "noise hyperbolic:NaN");
    }
}
