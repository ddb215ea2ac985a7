//! Selection of parents in a genetic search.

use super::config;
use crate::error::Result;
use crate::rng::Stream;

tetrastat_runs::kinds! {
    /// Method of parent selection.
    pub enum ParentSelection {
        /// The best of `size` distinct individuals drawn at random; among individuals with equal
        /// scores, the first drawn (`train_ga.py`: size 5; newer Unity version: size 4).
        Tournament = "tournament" {
            /// Number of individuals that compete in a tournament.
            size: usize = 5,
        },
        /// A uniform draw from the best individuals. Their number is the population times
        /// `survival_rate`, rounded down (Unity).
        Truncation = "truncation" {
            /// Share of the population that survives, Unity's `SurvivalRate`.
            survival_rate: f64 = 0.25,
        },
        /// A draw with a probability proportional to the score (newer Unity version). Scores below
        /// zero count as zero. If no score is above zero, all individuals are equally likely.
        FitnessProportionate = "fitness-proportionate",
    }
}

impl ParentSelection {
    /// Draws the index of a parent. `ranking` holds the indices of the population from best to
    /// worst.
    pub(super) fn pick(self, ranking: &[usize], scores: &[f64], stream: &mut Stream) -> usize {
        match self {
            ParentSelection::Tournament { size } => tournament(size, scores, stream),
            ParentSelection::Truncation { survival_rate } => {
                ranking[stream.below(survivors(ranking.len(), survival_rate) as u32) as usize]
            }
            ParentSelection::FitnessProportionate => proportionate(scores, stream),
        }
    }

    /// Returns an error if a `population` of this size leaves no individual to select.
    pub(super) fn check(self, population: usize) -> Result<()> {
        match self {
            ParentSelection::Tournament { size } if !(1..=population).contains(&size) => {
                config(format!(
                    "selection size {size}: a tournament of population {population} has 1 to \
                 {population} competitors"
                ))
            }
            ParentSelection::Truncation { survival_rate: rate }
                if !(rate <= 1.0 && survivors(population, rate) > 0) =>
            {
                config(format!(
                    "selection survival-rate {rate} of population {population}: at least one \
                     must survive, give a share up to 1, for example 0.25"
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the number of best individuals from which truncation selects: `population` x `rate`,
/// rounded down as in Unity.
fn survivors(population: usize, rate: f64) -> usize {
    (population as f64 * rate) as usize
}

/// Returns the index of the best of `size` distinct individuals, which are drawn by a partial
/// shuffle.
fn tournament(size: usize, scores: &[f64], stream: &mut Stream) -> usize {
    let mut pool: Vec<usize> = (0..scores.len()).collect();
    let mut draw = |drawn: usize| {
        let other = drawn + stream.below((pool.len() - drawn) as u32) as usize;
        pool.swap(drawn, other);
        pool[drawn]
    };
    // Each individual is drawn from those that were not drawn before.
    let first = draw(0);
    let better = |best: usize, next: usize| if scores[next] > scores[best] { next } else { best };
    (1..size).fold(first, |best, drawn| better(best, draw(drawn)))
}

/// Draws the index of an individual with a probability proportional to its score: subtracts the
/// scores one by one from a random share of their sum.
fn proportionate(scores: &[f64], stream: &mut Stream) -> usize {
    let total: f64 = scores.iter().map(|score| score.max(0.0)).sum();
    if total <= 0.0 {
        return stream.below(scores.len() as u32) as usize;
    }
    let mut left = stream.unit() * total;
    for (i, score) in scores.iter().enumerate() {
        left -= score.max(0.0);
        if left < 0.0 {
            return i;
        }
    }
    // Rounding may leave a small remainder, which falls to the last individual.
    scores.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;
    use crate::train::tests::refused;

    const SCORES: [f64; 4] = [1.0, 4.0, 2.0, 3.0];
    const RANKING: [usize; 4] = [1, 3, 2, 0];

    /// Counts the picks of each of four individuals in 12,000 draws.
    fn counts(selection: ParentSelection, scores: &[f64]) -> [f64; 4] {
        let mut stream = Stream::new(2, Purpose::Candidates, 0);
        let mut counts = [0.0; 4];
        for _ in 0..12_000 {
            counts[selection.pick(&RANKING, scores, &mut stream)] += 1.0;
        }
        counts
    }

    /// Asserts counts within 4 standard deviations (at most 55) of the expected ones.
    fn near(got: [f64; 4], want: [f64; 4]) {
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 220.0), "{got:?}, not {want:?}");
    }

    /// In the 6 pairs, individual 1 wins 3, 3 wins 2, 2 wins 1. A tournament of all has one winner.
    #[test]
    fn tournaments_by_hand() {
        let pairs = counts(ParentSelection::Tournament { size: 2 }, &SCORES);
        near(pairs, [0.0, 6000.0, 2000.0, 4000.0]);
        assert_eq!(pairs[0], 0.0);
        assert_eq!(counts(ParentSelection::Tournament { size: 4 }, &SCORES)[1], 12_000.0);
        near(counts(ParentSelection::Tournament { size: 1 }, &SCORES), [3000.0; 4]);
    }

    #[test]
    fn truncation_by_hand() {
        let half = counts(ParentSelection::Truncation { survival_rate: 0.5 }, &SCORES);
        near(half, [0.0, 6000.0, 0.0, 6000.0]);
        assert_eq!((half[0], half[2]), (0.0, 0.0));
        assert_eq!(survivors(50, 0.25), 12);
    }

    #[test]
    fn proportions_by_hand() {
        let proportionate = |scores| counts(ParentSelection::FitnessProportionate, scores);
        near(proportionate(&SCORES), [1200.0, 4800.0, 2400.0, 3600.0]);
        near(proportionate(&[-5.0, 1.0, 0.0, 1.0]), [0.0, 6000.0, 0.0, 6000.0]);
        near(proportionate(&[0.0, -1.0, 0.0, 0.0]), [3000.0; 4]);
    }

    #[test]
    fn bad_selections_are_refused() {
        refused(ParentSelection::Tournament { size: 0 }.check(10), "selection size 0");
        refused(ParentSelection::Tournament { size: 11 }.check(10), "selection size 11");
        for survival_rate in [0.0, 0.09, 1.5, f64::NAN] {
            refused(
                ParentSelection::Truncation { survival_rate }.check(10),
                &format!("selection survival-rate {survival_rate}"),
            );
        }
    }
}
