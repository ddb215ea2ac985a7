//! Compares the means of a simulation with the exact means.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use super::moments::{Moments, Solution};

/// Distances of the means of simulated games from the exact means, in standard errors (z).
///
/// The standard errors are exact as well. A z therefore is normal except for the skewness of a
/// game's lines divided by the root of the number of games (central limit theorem).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Deviation {
    /// Number of simulated games.
    pub games: u64,
    /// Mean lines of the simulated games.
    pub mean_lines: f64,
    /// Mean pieces of the simulated games.
    pub mean_pieces: f64,
    /// Distance of `mean_lines` from the exact mean lines, divided by the exact standard error.
    pub z_lines: f64,
    /// Distance of `mean_pieces` from the exact mean pieces, divided by the exact standard error.
    pub z_pieces: f64,
}

impl Deviation {
    /// Computes the deviation of `games` simulated games, which have `lines` lines and `pieces`
    /// pieces in total, from `exact`.
    #[must_use]
    pub fn of(exact: &Solution, games: u64, lines: u64, pieces: u64) -> Deviation {
        let n = games as f64;
        let (mean_lines, mean_pieces) = (lines as f64 / n, pieces as f64 / n);
        Deviation {
            games,
            mean_lines,
            mean_pieces,
            z_lines: z(mean_lines, exact.lines, n),
            z_pieces: z(mean_pieces, exact.pieces, n),
        }
    }

    /// Returns the larger of the absolute values of `z_lines` and `z_pieces`.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.z_lines.abs().max(self.z_pieces.abs())
    }
}

/// Largest standard deviation, relative to the mean, that counts as rounding error, so that games
/// count as identical.
const NO_SPREAD: f64 = 1e-6;

/// Returns the distance of `observed` from the exact mean in standard errors. It is infinite if all
/// games are identical but differ from the exact mean.
fn z(observed: f64, exact: Moments, games: f64) -> f64 {
    let difference = observed - exact.mean;
    let rounding = NO_SPREAD * exact.mean.max(1.0);
    if exact.sd > rounding {
        difference / (exact.sd / games.sqrt())
    } else if difference.abs() <= rounding {
        0.0
    } else {
        difference.signum() * f64::INFINITY
    }
}

/// Returns the critical value of |z| for `tests` two-sided tests. The probability that any of their
/// values exceeds it by chance is at most `level` (Bonferroni: each test at `level / tests`).
#[must_use]
pub fn critical_z(tests: usize, level: f64) -> f64 {
    Normal::standard().inverse_cdf(1.0 - level / (2.0 * tests.max(1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R: qnorm(1 - 0.01 / (2 * 50)).
    #[test]
    fn critical_values_are_those_of_r() {
        assert!((critical_z(50, 0.01) - 3.719016).abs() < 1e-6);
        assert!((critical_z(1, 0.05) - 1.959964).abs() < 1e-6);
    }

    #[test]
    fn deviations_by_hand() {
        let exact = Solution {
            lines: Moments { mean: 5.0, sd: 4.0 },
            pieces: Moments { mean: 8.0, sd: 0.0 },
            residual: 0.0,
            error_lines: 0.0,
        };
        let found = Deviation::of(&exact, 100, 540, 800);
        assert!((found.z_lines - 1.0).abs() < 1e-12);
        assert_eq!((found.z_pieces, found.largest()), (0.0, found.z_lines));
        assert_eq!(Deviation::of(&exact, 100, 500, 801).z_pieces, f64::INFINITY);
    }
}
