//! State that every optimiser keeps: the candidates to be scored and the best one so far.

use serde::{Deserialize, Serialize};

use super::{Problem, Stop, config};
use crate::error::Result;
use crate::rng::{Purpose, Stream};

/// Best candidate scored so far. Its score is inflated by selection (the winner's curse), so score
/// it again on other games before you report it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestCandidate {
    /// Weights of the candidate.
    pub candidate: Vec<f64>,
    /// Score of the candidate, as told to the search.
    pub score: f64,
    /// Generation of the candidate, from 0.
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

/// Population of a search, and its history. Each generation draws from its own random stream, so a
/// checkpoint needs only the seed and the generation, and no state of the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    pub(super) problem: Problem,
    pub(super) seed: u64,
    pub(super) generation: u64,
    pub(super) population: Vec<Vec<f64>>,
    pub(super) best: Option<BestCandidate>,
    /// Number of consecutive last generations in each of which all candidates had equal scores.
    pub(super) flat: u64,
    /// Number of consecutive last generations without a new best score.
    pub(super) stale: u64,
}

impl Progress {
    /// Creates the state of a search before its first generation, without candidates.
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

    /// Returns the random stream from which the candidates of the current generation are drawn.
    pub(super) fn stream(&self) -> Stream {
        Stream::new(self.seed, Purpose::Candidates, self.generation)
    }

    /// Returns the random stream for draws before the first generation.
    pub(super) fn first_stream(&self) -> Stream {
        // No generation has this number.
        Stream::new(self.seed, Purpose::Candidates, u64::MAX)
    }

    /// Returns the random stream for the start of the run that follows `restarts` restarts.
    pub(super) fn stream_of_restart(&self, restarts: u64) -> Stream {
        Stream::new(self.seed, Purpose::Candidates, u64::MAX - 1 - restarts)
    }

    /// Returns the indices of the candidates ordered by `scores`, best first. Among equal scores
    /// the lower index comes first.
    pub(super) fn rank(&self, scores: &[f64]) -> Result<Vec<usize>> {
        self.check_scores(scores)?;
        let mut ranking: Vec<usize> = (0..scores.len()).collect();
        // A stable sort keeps the lower index first among equal scores.
        ranking.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        Ok(ranking)
    }

    /// Records the scores of the current candidates and moves to the next generation. `ranking`
    /// lists the indices of the candidates, best first; `tie` decides between equal best scores.
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

    /// Returns [`Stop::Flat`] if, in enough consecutive generations, all candidates had equal
    /// scores.
    pub(super) fn flatness(&self, population: usize) -> Option<Stop> {
        Stop::by_flatness(self.flat, self.problem.dimension, population)
    }

    /// Returns true if progress read from a checkpoint is consistent: `population` candidates with
    /// a finite weight in each dimension of the problem.
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

/// Returns an error if `numbers`, the parameters of a distribution, are too large to draw finite
/// candidates.
pub(super) fn check_finite<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Result<()> {
    /// Limit far below the largest number, so that no draw overflows.
    const LARGEST: f64 = 1e300;
    if numbers.into_iter().all(|x| x.abs() < LARGEST) {
        return Ok(());
    }
    config(
        "the search exceeds the range of numbers: stop when it reports that the candidates \
         diverge, or start with a larger sd"
            .to_owned(),
    )
}

/// Computes the mean and variance of each coordinate of `points`, each of which has a weight. With
/// equal weights, this is the population variance (divisor: the number of points).
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

    /// 1, 2, 6: mean 3, variance (4 + 1 + 9)/3. Weighted 2:1:1 the mean is 2.5, the variance (2 x
    /// 2.25 + 0.25 + 12.25)/4.
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
}
