//! Why an optimiser should stop.

use std::fmt;

/// A diagnosis: further generations would teach nothing. The optimiser itself goes on when told.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stop {
    /// The candidates hardly differ any more (TolX of Hansen 2016, B.3).
    Collapsed {
        /// Largest standard deviation of a weight.
        sd: f64,
    },
    /// The candidates scatter ever wider: the step was much too small, or only the direction of the
    /// weights matters and nothing holds their length (TolXUp of Hansen 2016, B.3).
    Diverged {
        /// Largest standard deviation of a weight.
        sd: f64,
    },
    /// Every candidate of the last generations scored the same.
    Flat {
        /// How many generations.
        generations: u64,
    },
    /// The search's covariance is numerically singular (ConditionCov of Hansen 2016, B.3).
    IllConditioned {
        /// Ratio of its largest to its smallest eigenvalue.
        condition: f64,
    },
    /// A step along an axis is too small to change the mean (NoEffectAxis, NoEffectCoord).
    NoEffect,
    /// A search that begins anew has doubled its population as often as it may.
    Exhausted {
        /// Restarts.
        restarts: u64,
    },
    /// A search that begins anew has scored as many candidates as it may.
    Spent {
        /// Candidates.
        candidates: u64,
    },
}

/// `Collapsed` below this share of the initial standard deviation.
pub(super) const TOL_X: f64 = 1e-12;
/// `Diverged` above this multiple of it.
pub(super) const TOL_X_UP: f64 = 1e4;

impl Stop {
    /// The verdict on the largest standard deviation of a weight, beside the initial one.
    pub(super) fn by_spread(sd: &[f64], initial: f64) -> Option<Stop> {
        let sd = sd.iter().copied().fold(0.0, f64::max);
        if sd <= TOL_X * initial {
            return Some(Stop::Collapsed { sd });
        }
        (sd > TOL_X_UP * initial).then_some(Stop::Diverged { sd })
    }

    /// The verdict on how many generations were flat: the window 10 + 30 n/lambda is that of TolFun
    /// (Hansen 2016, B.3).
    pub(super) fn by_flatness(flat: u64, dimension: usize, population: usize) -> Option<Stop> {
        let window = 10 + (30 * dimension).div_ceil(population.max(1)) as u64;
        (flat >= window).then_some(Stop::Flat { generations: flat })
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Collapsed { sd } => {
                write!(f, "the candidates are all but equal (largest sd {sd:.3e})")
            }
            Stop::Diverged { sd } => write!(
                f,
                "the candidates scatter ever wider (largest sd {sd:.3e}): begin with a larger sd"
            ),
            Stop::Flat { generations } => write!(
                f,
                "all candidates of {generations} generations scored the same: choose an objective \
                 that tells them apart, or a larger sd"
            ),
            Stop::IllConditioned { condition } => write!(
                f,
                "the covariance is all but singular (condition {condition:.1e}): scale the features"
            ),
            Stop::NoEffect => f.write_str("the steps are too small to change the mean"),
            Stop::Exhausted { restarts } => {
                write!(f, "the population was doubled as often as it may be ({restarts} restarts)")
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
