//! Reasons for an optimiser to stop.

use std::fmt;

/// Reason for a search to stop, such as that further generations would not improve it. The caller
/// decides whether to continue.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stop {
    /// The candidates hardly differ any more (TolX of Hansen 2016, B.3).
    Collapsed {
        /// Largest standard deviation of a weight.
        sd: f64,
    },
    /// The candidates spread ever wider (TolXUp of Hansen 2016, B.3). Either the step was much too
    /// small, or only the direction of the weights matters and nothing limits their length.
    Diverged {
        /// Largest standard deviation of a weight.
        sd: f64,
    },
    /// All candidates had equal scores in each of the last generations.
    Flat {
        /// Number of consecutive generations with equal scores.
        generations: u64,
    },
    /// The search's covariance is numerically singular (ConditionCov of Hansen 2016, B.3).
    IllConditioned {
        /// Ratio of the largest to the smallest eigenvalue.
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

/// Share of the initial standard deviation below which a search is `Collapsed`.
pub(super) const TOL_X: f64 = 1e-12;
/// Multiple of the initial standard deviation above which a search is `Diverged`.
pub(super) const TOL_X_UP: f64 = 1e4;

impl Stop {
    /// Returns [`Stop::Collapsed`] or [`Stop::Diverged`] if the largest standard deviation in `sd`
    /// is too small or too large compared with `initial`, the first standard deviation.
    pub(super) fn by_spread(sd: &[f64], initial: f64) -> Option<Stop> {
        let sd = sd.iter().copied().fold(0.0, f64::max);
        if sd <= TOL_X * initial {
            return Some(Stop::Collapsed { sd });
        }
        (sd > TOL_X_UP * initial).then_some(Stop::Diverged { sd })
    }

    /// Returns [`Stop::Flat`] after too many flat generations, in which all candidates had equal
    /// scores. `flat` is the number of consecutive flat generations. The limit is the window 10 +
    /// 30 n/lambda of TolFun (Hansen 2016, B.3), with n the `dimension` and lambda the
    /// `population`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_by_hand() {
        assert_eq!(Stop::by_spread(&[0.1, 3.0], 1.0), None);
        assert_eq!(Stop::by_spread(&[1e-13, 0.0], 1.0), Some(Stop::Collapsed { sd: 1e-13 }));
        assert_eq!(Stop::by_spread(&[0.0, 2e4], 1.0), Some(Stop::Diverged { sd: 2e4 }));
        assert_eq!(Stop::by_flatness(15, 4, 20), None); // 10 + 120/20 = 16
        assert_eq!(Stop::by_flatness(16, 4, 20), Some(Stop::Flat { generations: 16 }));
        assert!(!Stop::Flat { generations: 16 }.to_string().contains('\n'));
    }
}
