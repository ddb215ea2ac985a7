//! Finalists: the candidates from which a training's result is chosen.

use std::collections::VecDeque;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::evaluation::normalised;

/// Kind of candidates that compete to become the result of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ResultSource {
    /// The best candidates scored during the search.
    Best,
    /// The mean after the last generation, and the means with the best scores in checks.
    Mean,
    /// The average of the last 50 means, without finals. No score is inflated by a choice, and
    /// averaging reduces the noise of single means.
    Average,
    /// The best candidates and the means; the best candidates of ga, which has no means.
    Any,
}

/// Maximum number of generations whose means are averaged.
pub const AVERAGED: usize = 50;

/// Origin of a finalist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The best candidate of the generation with this number, counted from 0.
    Best(u64),
    /// The mean of the search distribution after this number of generations.
    Mean(u64),
    /// The average of the means of the last generations. The value is the number of these
    /// generations.
    Average(u64),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Best(generation) => write!(f, "best candidate of generation {generation}"),
            Origin::Mean(generations) => write!(f, "mean after {generations} generations"),
            Origin::Average(1) => write!(f, "the only mean"),
            Origin::Average(of) => write!(f, "average of the last {of} means"),
        }
    }
}

/// Candidate that competes to become the result of a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finalist {
    /// Origin of the candidate.
    pub origin: Origin,
    /// Score of the candidate in its generation or check; larger is better. `None` for a mean that
    /// was not checked and for an average.
    pub score: Option<f64>,
    /// Weights of the candidate, before they are scaled and rounded for a controller file.
    pub weights: Vec<f64>,
}

/// Best candidates and means so far in a training. In the finals they play new games, because the
/// scores that selected them are inflated (the winner's curse).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finalists {
    best: Vec<Finalist>,
    means: Vec<Finalist>,
    /// Means of the last generations, scaled to length 1; kept only for [`ResultSource::Average`].
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    recent: VecDeque<Vec<f64>>,
}

impl Finalists {
    /// Adds `finalist` to the finalists of its kind and keeps the `most` best of them. Among equal
    /// scores, the earlier finalist ranks first. A candidate that is already listed (an unchanged
    /// elite) keeps its first score.
    pub fn offer(&mut self, finalist: Finalist, most: usize) {
        let list = match finalist.origin {
            Origin::Best(_) => &mut self.best,
            Origin::Mean(_) => &mut self.means,
            // The average is computed when it is needed.
            Origin::Average(_) => return,
        };
        // Otherwise an unchanged elite would fill all places, each time with another lucky score.
        if list.iter().any(|known| known.weights == finalist.weights) {
            return;
        }
        list.push(finalist);
        let score = |one: &Finalist| one.score.unwrap_or(f64::NEG_INFINITY);
        list.sort_by(|a, b| score(b).total_cmp(&score(a)));
        list.truncate(most);
    }

    /// Stores the mean of the latest generation, for the average of the means of the last
    /// generations.
    pub fn remember(&mut self, mean: &[f64]) {
        self.recent.push_back(normalised(mean));
        if self.recent.len() > AVERAGED {
            self.recent.pop_front();
        }
    }

    fn average(&self) -> Option<Finalist> {
        let count = self.recent.len();
        let weights = self.recent.front()?.len();
        let mean = |i: usize| self.recent.iter().map(|mean| mean[i]).sum::<f64>() / count as f64;
        Some(Finalist {
            origin: Origin::Average(count as u64),
            score: None,
            weights: (0..weights).map(mean).collect(),
        })
    }

    /// Returns the finalists: the candidates that compete in the finals of a training. `answer`
    /// chooses their kinds. `mean` is the mean of the search after the last generation, or `None`
    /// for a genetic search.
    #[must_use]
    pub fn competing(&self, answer: ResultSource, mean: Option<Finalist>) -> Vec<Finalist> {
        let means = || {
            // The last mean may already be listed with the score of a check.
            let known = |mean: &Finalist| self.means.iter().any(|m| m.weights == mean.weights);
            self.means.iter().cloned().chain(mean.clone().filter(|mean| !known(mean)))
        };
        match (answer, &mean) {
            (ResultSource::Any, Some(_)) => self.best.iter().cloned().chain(means()).collect(),
            (ResultSource::Mean, Some(_)) => means().collect(),
            (ResultSource::Average, _) => self.average().into_iter().collect(),
            (ResultSource::Best, _) | (_, None) => self.best.clone(),
        }
    }

    /// Returns the finalist that is the result of the training if no finals are played. `answer`
    /// and `mean` are as in [`Finalists::competing`]. If means compete, it is the mean with the
    /// best check, or `mean` if none was checked. The best candidate is the result only if no mean
    /// competes, because a few lucky games chose it.
    #[must_use]
    pub fn leader(&self, answer: ResultSource, mean: Option<Finalist>) -> Option<Finalist> {
        match (answer, mean) {
            (ResultSource::Average, _) => self.average(),
            (ResultSource::Mean | ResultSource::Any, Some(mean)) => {
                Some(self.means.first().cloned().unwrap_or(mean))
            }
            (ResultSource::Best, _) | (_, None) => self.best.first().cloned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finalist(origin: Origin, score: f64, weight: f64) -> Finalist {
        Finalist { origin, score: Some(score), weights: vec![weight] }
    }

    #[test]
    fn the_best_of_each_kind_stay() {
        let mut finalists = Finalists::default();
        for (generation, score) in [(0, 3.0), (1, 5.0), (2, 5.0), (3, 4.0)] {
            finalists.offer(finalist(Origin::Best(generation), score, generation as f64), 2);
        }
        finalists.offer(finalist(Origin::Best(4), 9.0, 1.0), 2); // the same weights again
        finalists.offer(finalist(Origin::Mean(2), 1.0, 7.0), 2);
        let origins = |answer, mean| {
            let competing = finalists.competing(answer, mean);
            competing.iter().map(|finalist| finalist.origin).collect::<Vec<_>>()
        };
        let last = || Some(finalist(Origin::Mean(4), 0.0, 8.0));
        let (best, means) =
            ([Origin::Best(1), Origin::Best(2)], [Origin::Mean(2), Origin::Mean(4)]);
        assert_eq!(origins(ResultSource::Best, last()), best);
        assert_eq!(origins(ResultSource::Mean, last()), means);
        assert_eq!(origins(ResultSource::Any, last()), [best, means].concat());
        assert_eq!(origins(ResultSource::Any, None), best, "a genetic search has no mean");
        assert_eq!(finalists.leader(ResultSource::Mean, last()).unwrap().origin, Origin::Mean(2));
    }

    /// A candidate that led its generation after a few games is not the result if means compete.
    #[test]
    fn a_lucky_candidate_does_not_lead_where_there_is_a_mean() {
        let mut finalists = Finalists::default();
        finalists.offer(finalist(Origin::Best(22), 9.0, 1.0), 2);
        let last = || Some(finalist(Origin::Mean(40), 0.0, 8.0));
        let leader = |finalists: &Finalists, answer, mean| {
            finalists.leader(answer, mean).map(|finalist| finalist.origin)
        };
        let any = ResultSource::Any;
        assert_eq!(leader(&finalists, any, last()), Some(Origin::Mean(40)));
        assert_eq!(leader(&finalists, ResultSource::Best, last()), Some(Origin::Best(22)));
        assert_eq!(leader(&finalists, any, None), Some(Origin::Best(22)), "a genetic search");
        finalists.offer(finalist(Origin::Mean(30), 1.0, 7.0), 2);
        assert_eq!(leader(&finalists, any, last()), Some(Origin::Mean(30)), "it was checked");
    }

    /// The average of the means ignores the length of each mean, and uses only the last
    /// [`AVERAGED`] means.
    #[test]
    fn the_average_is_of_the_last_means() {
        let mut finalists = Finalists::default();
        assert!(finalists.competing(ResultSource::Average, None).is_empty());
        for _ in 0..60 {
            finalists.remember(&[0.0, -7.0]);
        }
        for length in 1..=AVERAGED / 2 {
            finalists.remember(&[length as f64, 0.0]);
        }
        let competing = finalists.competing(ResultSource::Average, None);
        assert_eq!(competing.len(), 1);
        assert_eq!(competing[0].origin, Origin::Average(AVERAGED as u64));
        assert_eq!(competing[0].weights, [0.5, -0.5]);
        assert_eq!(finalists.leader(ResultSource::Average, None), Some(competing[0].clone()));
    }
}
