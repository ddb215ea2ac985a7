//! Noisy cross-entropy method: samples candidates, selects the best (the elite), fits a normal
//! distribution to the elite, and adds variance (noise).
//!
//! Szita & Lorincz 2006, *Learning Tetris using the noisy cross-entropy method*, Neural Computation
//! 18(12); Thiery & Scherrer 2009, *Improvements on learning Tetris with cross entropy*, ICGA
//! Journal 32(1), and their program MDPTetris (`cross_entropy.c`).

use super::progress::{BestTie, Noise, NoiseTiming, Progress, check_finite, moments};
use super::{Optimiser, Problem, Stop, check_first, config};
use crate::prelude::*;
use crate::settings;
use crate::text::parse::count;

/// Size of the elite: number of the best candidates, `10`, or share of the population, `0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Elite {
    /// Number of candidates in the elite, the best of a generation.
    Count(usize),
    /// Share rho of the population, rounded down as in the sources: `(int) (n * rho)`.
    Share(f64),
}

impl FromStr for Elite {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Elite, &'static str> {
        // Integers come first: 1 is one candidate, and 1.0 all candidates.
        let number = count::<usize>(..)(text).map(Elite::Count);
        number
            .or_else(|_| text.parse().map(Elite::Share))
            .map_err(|_| "write a number, or a share such as 0.1")
    }
}

impl fmt::Display for Elite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Elite::Count(count) => write!(f, "{count}"),
            Elite::Share(share) => write!(f, "{share:?}"),
        }
    }
}

impl Elite {
    /// Returns the number of candidates in the elite (the best ones) of `population` candidates.
    #[must_use]
    pub fn size_in(self, population: usize) -> usize {
        match self {
            Elite::Count(count) => count,
            Elite::Share(rho) => (population as f64 * rho) as usize,
        }
    }
}

settings! {
    /// Settings of the cross-entropy method, with the defaults of MDPTetris and the constant noise
    /// of its record runs (`ce_*.dat`).
    pub struct CrossEntropyOptions {
        /// Candidates per generation
        #[arg(value_name = "N", value_parser = count::<usize>(..))]
        pub population: usize = 100,
        /// Candidates that are kept: a number, or a share of the population
        #[arg(value_name = "N|SHARE")]
        pub elite: Elite = Elite::Share(0.1),
        /// Initial mean of every weight and table entry, unless --start is given
        pub mean: f64 = 0.0,
        /// Initial standard deviation of every weight and table entry
        pub sd: f64 = 10.0,
        /// Variance added to each weight in generation t: `none`, `constant:A`, `linear:A:B` =
        /// max(A - t/B, 0), `hyperbolic:A` = A/(t + 1). Default numbers: 4, 5:10, 20
        pub noise: Noise = Noise::CONSTANT,
        /// Step of a generation at which the noise is added to the variance
        #[arg(value_enum)]
        pub timing: NoiseTiming = NoiseTiming::Update,
        /// Minimum variance of the elite, before the noise is added (RV-CE: 1e-8)
        pub variance_floor: f64 = 0.0,
        /// Candidate that counts as the best so far if scores are equal
        #[arg(value_enum)]
        pub best_tie: BestTie = BestTie::Earlier,
    }
}

impl CrossEntropyOptions {
    /// Checks the settings of the cross-entropy method that types can't express.
    pub fn check(&self) -> Result<()> {
        check_first(Some(self.population), self.sd, self.mean)?;
        self.noise.check()?;
        let (population, elite) = (self.population, self.elite.size_in(self.population));
        if !(1..=population).contains(&elite) {
            return config(format!(
                "elite {elite} of population {population}: keep at least 1 and at most all, \
                 for example elite = 0.1"
            ));
        }
        if !(self.variance_floor.is_finite() && self.variance_floor >= 0.0) {
            let floor = self.variance_floor;
            return config(format!("variance-floor {floor}: give a finite number of at least 0"));
        }
        Ok(())
    }
}

/// Cross-entropy search, which draws each weight from a normal distribution fitted to the last
/// elite (best candidates), with additional noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossEntropy {
    pub(super) options: CrossEntropyOptions,
    pub(super) progress: Progress,
    mean: Vec<f64>,
    variance: Vec<f64>,
}

impl CrossEntropy {
    /// Creates a cross-entropy search before its first generation.
    pub fn new(options: CrossEntropyOptions, problem: &Problem, seed: u64) -> Result<Self> {
        options.check()?;
        let progress = Progress::new(problem, seed)?;
        let n = problem.dimension;
        let mean = problem.start.clone().unwrap_or_else(|| vec![options.mean; n]);
        let variance = problem.first_sd(options.sd).iter().map(|sd| sd * sd).collect();
        let mut search = CrossEntropy { options, progress, mean, variance };
        search.draw();
        Ok(search)
    }

    /// Ends a generation with `scores`, and fits the next one to the weighted vectors `elite`.
    pub fn tell_elite(&mut self, scores: &[f64], elite: &[(Vec<f64>, f64)]) -> Result<()> {
        let n = self.mean.len();
        let sound = |(sample, weight): &(Vec<f64>, f64)| {
            sample.len() == n
                && sample.iter().all(|x| x.is_finite())
                && (weight.is_finite() && *weight > 0.0)
        };
        if elite.is_empty() || !elite.iter().all(sound) {
            return config(format!(
                "elite: give at least one vector of {n} finite numbers, each with a positive weight"
            ));
        }
        let ranking = self.progress.rank(scores)?;
        let elite: Vec<_> = elite.iter().map(|(x, weight)| (x.as_slice(), *weight)).collect();
        self.learn(&ranking, scores, moments(&elite, n))
    }

    /// Returns the number of candidates in the elite (the best ones) of each generation.
    #[must_use]
    pub fn elite(&self) -> usize {
        self.options.elite.size_in(self.options.population)
    }

    fn learn(
        &mut self,
        ranking: &[usize],
        scores: &[f64],
        (mean, mut variance): (Vec<f64>, Vec<f64>),
    ) -> Result<()> {
        // The check precedes every change, so that a refused call leaves the search as it was.
        check_finite(mean.iter().chain(&variance))?;
        for v in &mut variance {
            *v = v.max(self.options.variance_floor);
        }
        (self.mean, self.variance) = (mean, variance);
        self.progress.advance(ranking, scores, self.options.best_tie);
        self.draw();
        Ok(())
    }

    fn draw(&mut self) {
        // A stream per generation makes a resumed search draw the same candidates.
        let (mut stream, sd) = (self.progress.stream(), self.sd());
        let mut candidate = || self.progress.problem.near(&self.mean, &sd, &mut stream);
        self.progress.population = (0..self.options.population).map(|_| candidate()).collect();
    }
}

impl Optimiser for CrossEntropy {
    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn fits(&self) -> bool {
        let n = self.progress.problem.dimension;
        self.options.check().is_ok()
            && self.progress.fits(self.options.population)
            && (self.mean.len(), self.variance.len()) == (n, n)
    }

    fn tell(&mut self, scores: &[f64]) -> Result<()> {
        let ranking = self.progress.rank(scores)?;
        let population = &self.progress.population;
        let kept = &ranking[..self.options.elite.size_in(population.len())];
        let elite: Vec<_> = kept.iter().map(|&i| (population[i].as_slice(), 1.0)).collect();
        let fitted = moments(&elite, self.mean.len());
        self.learn(&ranking, scores, fitted)
    }

    fn mean(&self) -> Vec<f64> {
        self.mean.clone()
    }

    /// Returns the standard deviation of each weight, the noise included.
    fn sd(&self) -> Vec<f64> {
        // Noise is added to the drawn variance only; in the stored one it would accumulate.
        let extra = self.options.timing.extra(self.options.noise, self.progress.generation);
        self.variance.iter().map(|v| (v + extra).sqrt()).collect()
    }

    fn stop(&self) -> Option<Stop> {
        Stop::by_spread(&self.sd(), self.progress.problem.largest_sd(self.options.sd))
            .or_else(|| self.progress.flatness(self.options.population))
    }
}

/// Settings of the elite selection of the program RV-CE: candidates play validation games and are
/// ranked by mean minus a multiple of the standard deviation.
///
/// RV-CE's terms for training score and behavioural distance are left out, because they are at most
/// 1 line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RobustElite {
    /// Number of candidates, the best in training games, that also play validation games.
    pub(crate) by_training: usize,
    /// Number of the best candidates of earlier elites that play validation games.
    pub(crate) by_history: usize,
    pub(crate) random: usize,
    pub(crate) games: u64,
    /// Factor of the standard deviation of a candidate's games, subtracted from their mean.
    pub(crate) sd_penalty: f64,
    pub(crate) pool: usize,
    /// Share of the total learning weight for earlier elites, in early and in late iterations.
    pub(crate) pool_share: (f64, f64),
    /// Number of initial iterations that count as early for the influence of earlier elites.
    pub(crate) late_after: u64,
}

pub(crate) const RVCE_ELITE: RobustElite = RobustElite {
    by_training: 30,
    by_history: 10,
    random: 10,
    games: 300,
    sd_penalty: 0.35,
    pool: 30,
    pool_share: (0.50, 0.35),
    late_after: 30,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RatedCandidate {
    pub(crate) weights: Vec<f64>,
    pub(crate) score: f64,
}

/// Vectors of weights that a search learns from, each with its share in the learning.
pub(crate) type Samples = Vec<(Vec<f64>, f64)>;

impl RobustElite {
    pub(crate) fn nominate(
        &self,
        population: &[Vec<f64>],
        scores: &[f64],
        pool: &[RatedCandidate],
        stream: &mut Stream,
    ) -> Vec<Vec<f64>> {
        let mut ranking: Vec<usize> = (0..population.len()).collect();
        ranking.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let (first, rest) = ranking.split_at_mut(self.by_training.min(population.len()));
        stream.shuffle(rest);
        let chosen = first.iter().chain(rest.iter().take(self.random));
        let mut nominated: Vec<Vec<f64>> = chosen.map(|&i| population[i].clone()).collect();
        for veteran in pool.iter().take(self.by_history) {
            // A candidate that is nominated already would play twice and count twice.
            if !nominated.contains(&veteran.weights) {
                nominated.push(veteran.weights.clone());
            }
        }
        nominated
    }

    /// Rates a candidate by its games: their mean minus a multiple of their standard deviation.
    pub(crate) fn rate(&self, games: &[f64]) -> f64 {
        let n = games.len() as f64;
        let mean = games.iter().sum::<f64>() / n;
        let squares: f64 = games.iter().map(|value| (value - mean) * (value - mean)).sum();
        // The divisor is at least 1, so that a single game has no infinite spread.
        mean - self.sd_penalty * (squares / (n - 1.0).max(1.0)).sqrt()
    }

    /// Returns weighted vectors to learn from: the `elite` best of `nominated`, which then join
    /// `pool`, and the earlier elites in `pool`. `iteration` counts from 1.
    pub(crate) fn elect(
        &self,
        nominated: Vec<RatedCandidate>,
        elite: usize,
        iteration: u64,
        pool: &mut Vec<RatedCandidate>,
    ) -> Samples {
        let mut elected = nominated;
        elected.sort_by(|a, b| b.score.total_cmp(&a.score));
        elected.truncate(elite);
        let (early, late) = self.pool_share;
        let share = match pool.len() {
            0 => 0.0,
            _ if iteration <= self.late_after => early,
            _ => late,
        };
        let each = |list: &[RatedCandidate], share: f64| {
            let weight = share / list.len().max(1) as f64;
            list.iter().map(|one| (one.weights.clone(), weight)).collect::<Samples>()
        };
        let samples = [each(&elected, 1.0 - share), each(pool, share)].concat();
        for veteran in elected {
            if !pool.iter().any(|known| known.weights == veteran.weights) {
                pool.push(veteran);
            }
        }
        pool.sort_by(|a, b| b.score.total_cmp(&a.score));
        pool.truncate(self.pool);
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;
    use crate::train::tests::{functions, hill_climb, refused, straight_equals_resumed};
    use crate::train::{Bounds, OptimiserSettings};

    fn options(population: usize, elite: usize) -> CrossEntropyOptions {
        let elite = Elite::Count(elite);
        CrossEntropyOptions { population, elite, noise: Noise::None, ..Default::default() }
    }

    // Elite in a test case of the notebook `tetris_ia`: rows 3 and 1 of four are best.
    #[test]
    fn elite_statistics_by_hand() {
        let mut search = CrossEntropy::new(options(4, 2), &Problem::new(2), 1).unwrap();
        search.progress.population =
            vec![vec![9.0, 9.0], vec![1.0, -2.0], vec![8.0, 8.0], vec![4.0, 2.0]];
        search.tell(&[1.0, 6.0, 2.0, 7.0]).unwrap();
        assert_eq!(
            (search.mean.as_slice(), search.variance.as_slice()),
            (&[2.5, 0.0][..], &[2.25, 4.0][..])
        );
        assert_eq!(search.sd(), [1.5, 2.0]);
        let best = search.best().unwrap();
        assert_eq!((best.candidate.as_slice(), best.score), (&[4.0, 2.0][..], 7.0));
    }

    // Variance in generation 0 is only the initial one; then Z(0) = 5 and Z(1) = 4.9 are added to
    // the elite's.
    #[test]
    fn noise_joins_the_variance() {
        let noisy = CrossEntropyOptions { noise: Noise::LINEAR, ..options(3, 1) };
        let mut search = CrossEntropy::new(noisy, &Problem::new(1), 1).unwrap();
        assert_eq!(search.sd(), [10.0]);
        for variance in [5.0f64, 4.9] {
            search.tell(&[0.0, 1.0, 2.0]).unwrap();
            assert_eq!((search.mean[0], search.sd()[0]), (search.mean()[0], variance.sqrt()));
        }
        let floor = CrossEntropyOptions { variance_floor: 1e-8, ..options(3, 1) };
        let mut search = CrossEntropy::new(floor, &Problem::new(1), 1).unwrap();
        search.tell(&[0.0, 1.0, 2.0]).unwrap();
        assert_eq!(search.sd(), [1e-4]);
    }

    #[test]
    fn a_chosen_elite_is_learnt_from() {
        let mut search = CrossEntropy::new(options(2, 1), &Problem::new(1), 1).unwrap();
        let elite = [(vec![1.0], 0.5), (vec![2.0], 0.25), (vec![6.0], 0.25)];
        search.tell_elite(&[3.0, 4.0], &elite).unwrap();
        assert_eq!((search.mean[0], search.variance[0]), (2.5, 4.25));
        assert_eq!(search.best().unwrap().score, 4.0);
        refused(search.tell_elite(&[3.0, 4.0], &[]), "elite: give at least one vector");
        refused(search.tell_elite(&[3.0, 4.0], &[(vec![1.0], 0.0)]), "elite: give at least one");
        assert_eq!(search.generation(), 1);
    }

    #[test]
    fn shares_are_cut_to_whole_numbers() {
        assert_eq!(Elite::Share(0.2).size_in(10), 2);
        assert_eq!(Elite::Share(0.1).size_in(100), 10);
        assert_eq!(Elite::Share(0.1).size_in(19), 1);
    }

    // Rosenbrock's curved valley is hard for a method without covariance, so the bound is wide.
    #[test]
    fn it_climbs_the_known_hills() {
        let search = |sd, noise| {
            let elite = Elite::Share(0.2);
            OptimiserSettings::Cem(CrossEntropyOptions { sd, noise, elite, ..Default::default() })
        };
        let gain = hill_climb(&search(3.0, Noise::None), &Problem::new(5), 50, functions::sphere);
        assert!(gain.error < 1e-6, "{gain:?}");
        let noise = Noise::falling(0.1, 200.0);
        let gain = hill_climb(&search(2.0, noise), &Problem::new(2), 250, functions::rosenbrock);
        assert!(gain.error < 1e-2, "{gain:?}");
        let boxed = Problem::new(4).within(vec![Bounds { low: -1.0, high: 1.0 }; 4]);
        let gain = hill_climb(&search(1.0, Noise::None), &boxed, 40, functions::noisy_linear);
        assert!(gain.distance < 0.2, "{gain:?}");
    }

    #[test]
    fn a_checkpoint_resumes_exactly() {
        straight_equals_resumed(&OptimiserSettings::Cem(CrossEntropyOptions::default()));
    }

    #[test]
    fn bad_options_are_refused() {
        let bad = |options: CrossEntropyOptions, text| {
            refused(CrossEntropy::new(options, &Problem::new(2), 1), text);
        };
        bad(options(1, 1), "population 1");
        bad(options(10, 0), "elite 0 of population 10");
        bad(options(10, 11), "elite 11 of population 10");
        let share = |rho| CrossEntropyOptions { elite: Elite::Share(rho), ..Default::default() };
        bad(share(0.0), "elite 0 of population 100");
        bad(share(f64::NAN), "elite 0 of population 100");
        bad(CrossEntropyOptions { sd: 0.0, ..options(10, 2) }, "sd 0");
        bad(CrossEntropyOptions { sd: f64::NAN, ..options(10, 2) }, "sd NaN");
        bad(CrossEntropyOptions { mean: f64::INFINITY, ..options(10, 2) }, "mean inf");
        bad(CrossEntropyOptions { variance_floor: -1.0, ..options(10, 2) }, "variance-floor -1");
        refused(CrossEntropy::new(options(9, 2), &Problem::new(0), 1), "dimension 0");
    }

    #[test]
    fn election_by_hand() {
        let robust = RobustElite { pool: 2, ..RVCE_ELITE };
        let veteran = |weight: f64, score| RatedCandidate { weights: vec![weight], score };
        let mut pool = Vec::new();
        let first = robust.elect(vec![veteran(1.0, 5.0), veteran(2.0, 7.0)], 1, 1, &mut pool);
        assert_eq!((first, pool.len()), (vec![(vec![2.0], 1.0)], 1));
        let nominated = vec![veteran(3.0, 9.0), veteran(4.0, 8.0), veteran(2.0, 7.0)];
        let second = robust.elect(nominated, 2, 2, &mut pool);
        assert_eq!(second, [(vec![3.0], 0.25), (vec![4.0], 0.25), (vec![2.0], 0.5)]);
        assert_eq!(pool, [veteran(3.0, 9.0), veteran(4.0, 8.0)]);
        let late = robust.elect(vec![veteran(5.0, 1.0)], 1, 31, &mut pool);
        assert_eq!(late[0], (vec![5.0], 0.65));
        // 2, 4, 6: mean 4, standard deviation 2.
        assert_eq!(robust.rate(&[2.0, 4.0, 6.0]), 4.0 - 0.35 * 2.0);
    }

    #[test]
    fn the_best_the_veterans_and_some_others_are_nominated() {
        let population: Vec<Vec<f64>> = (0..100).map(|i| vec![f64::from(i)]).collect();
        let scores: Vec<f64> = (0..100).map(f64::from).collect();
        let pool = [
            RatedCandidate { weights: vec![99.0], score: 1.0 },
            RatedCandidate { weights: vec![-1.0], score: 0.0 },
        ];
        let mut stream = Stream::new(1, Purpose::EliteDraws, 0);
        let nominated = RVCE_ELITE.nominate(&population, &scores, &pool, &mut stream);
        assert_eq!((nominated.len(), nominated[0][0], nominated[29][0]), (41, 99.0, 70.0));
        assert!(nominated[30..40].iter().all(|candidate| candidate[0] < 70.0));
        assert_eq!(nominated[40], [-1.0]);
    }
}
