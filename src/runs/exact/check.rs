//! A simulation held against the exact mean.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use super::moments::{Moments, Solution};

/// How far means of simulated games lie from the exact ones, in standard errors of the mean.
///
/// The standard errors are exact as well, so that z is normal up to the skewness of a game's lines
/// over the root of the games (central limit theorem).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Deviation {
    /// Games played.
    pub games: u64,
    /// Their mean lines.
    pub mean_lines: f64,
    /// Their mean pieces.
    pub mean_pieces: f64,
    /// (mean lines - exact mean) / standard error.
    pub z_lines: f64,
    /// (mean pieces - exact mean) / standard error.
    pub z_pieces: f64,
}

impl Deviation {
    /// Of games that came to so many lines and pieces in all.
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

    /// The larger |z|.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.z_lines.abs().max(self.z_pieces.abs())
    }
}

/// A standard deviation that is rounding alone, relative to the mean.
const NO_SPREAD: f64 = 1e-6;

/// Infinite when games that are all the same differ from the mean.
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

/// The |z| that one of `tests` values exceeds with probability `level` at most (two-sided,
/// Bonferroni: each test at `level / tests`).
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
