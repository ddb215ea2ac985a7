//! Robust elite selection (RV-CE): validation games select the samples to learn from.

use serde::{Deserialize, Serialize};

use crate::rng::Stream;

/// Settings of robust elite selection in RV-CE ([`super::CrossEntropy::tell_elite`]).
///
/// Candidates of several kinds play validation games and are ranked by mean - `sd_penalty` x SD
/// (`final-ce.properties`). RV-CE's further terms, 0.10 x relative training score and 0.15 x
/// behavioural distance, lie between 0 and 1 line and are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobustElite {
    /// Number of candidates chosen by training score.
    pub by_training: usize,
    /// Number of candidates from the pool of earlier elites.
    pub by_history: usize,
    /// Number of random candidates of the generation.
    pub random: usize,
    /// Number of validation games per candidate, equal in all generations.
    pub games: u64,
    /// Weight of the standard deviation of a candidate's games.
    pub sd_penalty: f64,
    /// Size of the pool of earlier elites.
    pub pool: usize,
    /// Share of the pool in the fit up to iteration `late_after`, and after it.
    pub pool_share: (f64, f64),
    /// Last iteration with the first `pool_share`; iterations count from 1.
    pub late_after: u64,
    /// Number of iterations between two deep validations of the best candidates.
    pub deep_every: u64,
    /// Number of additional games in a deep validation.
    pub deep_games: u64,
}

/// Settings of RV-CE itself.
pub const RVCE_ELITE: RobustElite = RobustElite {
    by_training: 30,
    by_history: 10,
    random: 10,
    games: 300,
    sd_penalty: 0.35,
    pool: 30,
    pool_share: (0.50, 0.35),
    late_after: 30,
    deep_every: 10,
    deep_games: 1000,
};

/// Candidate from an earlier elite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Veteran {
    /// Weights of the candidate.
    pub weights: Vec<f64>,
    /// Validation score: mean minus a multiple of the standard deviation.
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
        pool: &[Veteran],
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

    /// Computes the mean minus `sd_penalty` standard deviations (n - 1) of validation games.
    #[must_use]
    pub fn rate(&self, games: &[f64]) -> f64 {
        let n = games.len() as f64;
        let mean = games.iter().sum::<f64>() / n;
        let squares: f64 = games.iter().map(|value| (value - mean) * (value - mean)).sum();
        // The divisor is at least 1, so that a single game has no infinite spread.
        mean - self.sd_penalty * (squares / (n - 1.0).max(1.0)).sqrt()
    }

    /// Returns the weighted samples to learn from. One part is shared by the `elite` best nominated
    /// candidates, the other by the pool of earlier elites. The elite joins the pool afterwards.
    #[must_use]
    pub fn elect(
        &self,
        nominated: Vec<Veteran>,
        elite: usize,
        iteration: u64,
        pool: &mut Vec<Veteran>,
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
        let each = |list: &[Veteran], share: f64| {
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
        let veteran = |weight: f64, score| Veteran { weights: vec![weight], score };
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
            Veteran { weights: vec![99.0], score: 1.0 },
            Veteran { weights: vec![-1.0], score: 0.0 },
        ];
        let mut stream = Stream::new(1, Purpose::EliteDraws, 0);
        let nominated = RVCE_ELITE.nominate(&population, &scores, &pool, &mut stream);
        assert_eq!((nominated.len(), nominated[0][0], nominated[29][0]), (41, 99.0, 70.0));
        assert!(nominated[30..40].iter().all(|candidate| candidate[0] < 70.0));
        assert_eq!(nominated[40], [-1.0]);
    }
}
