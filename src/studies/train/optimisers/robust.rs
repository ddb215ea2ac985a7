//! Robust elite selection, as in the program RV-CE (Robust-Validation-Cross-Entropy): validation
//! games select the candidates from which a cross-entropy search learns.

use serde::{Deserialize, Serialize};

use crate::rng::Stream;

/// Settings of robust elite selection, the method of the program RV-CE
/// ([`super::CrossEntropy::tell_elite`]).
///
/// Candidates of several kinds play validation games. They are ranked by the mean of these games
/// minus `sd_penalty` times their standard deviation (`final-ce.properties`). RV-CE's further
/// terms, 0.10 x relative training score and 0.15 x behavioural distance, lie between 0 and 1 line
/// and are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobustElite {
    /// Number of candidates of the generation that are nominated for their training scores, the
    /// best first.
    pub by_training: usize,
    /// Number of candidates that are nominated from the pool of earlier elites, the best first.
    pub by_history: usize,
    /// Number of other candidates of the generation that are nominated at random.
    pub random: usize,
    /// Number of validation games per candidate, equal in all generations.
    pub games: u64,
    /// Factor of the standard deviation of a candidate's games, which is subtracted from their
    /// mean.
    pub sd_penalty: f64,
    /// Maximum number of candidates in the pool of earlier elites.
    pub pool: usize,
    /// Shares of the total sample weight that the pool has: up to iteration `late_after`, and after
    /// it.
    pub pool_share: (f64, f64),
    /// Last iteration with the first `pool_share`; iterations count from 1.
    pub late_after: u64,
}

/// Settings of the published program RV-CE.
pub const RVCE_ELITE: RobustElite = RobustElite {
    by_training: 30,
    by_history: 10,
    random: 10,
    games: 300,
    sd_penalty: 0.35,
    pool: 30,
    pool_share: (0.50, 0.35),
    late_after: 30,
};

/// Candidate with its validation score: a nominated candidate, or one of an earlier elite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatedCandidate {
    /// Weights of the candidate.
    pub weights: Vec<f64>,
    /// Validation score: the mean of the validation games minus a multiple of their standard
    /// deviation.
    pub score: f64,
}

/// Weight vectors to learn from, each with its sample weight.
pub type Samples = Vec<(Vec<f64>, f64)>;

impl RobustElite {
    /// Selects the candidates for validation games: the best of the generation by training score,
    /// random others, and the best of earlier elites.
    #[must_use]
    pub fn nominate(
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

    /// Computes the mean of the validation games `games` minus `sd_penalty` times their standard
    /// deviation (divisor n - 1).
    #[must_use]
    pub fn rate(&self, games: &[f64]) -> f64 {
        let n = games.len() as f64;
        let mean = games.iter().sum::<f64>() / n;
        let squares: f64 = games.iter().map(|value| (value - mean) * (value - mean)).sum();
        // The divisor is at least 1, so that a single game has no infinite spread.
        mean - self.sd_penalty * (squares / (n - 1.0).max(1.0)).sqrt()
    }

    /// Returns the samples to learn from, with sample weights. The `elite` best candidates of
    /// `nominated` share one part of the total weight, and the pool of earlier elites shares the
    /// other. Afterwards the new elite joins the pool. `iteration` counts from 1.
    #[must_use]
    pub fn elect(
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
