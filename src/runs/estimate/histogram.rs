//! Estimates pieces per game from a histogram of stack heights by Fahey's method, a heuristic
//! provided for comparison.
//!
//! The method follows MDPTetris (`src/estimate_duration.c`, after Fahey 2003). It plays some pieces
//! and counts how often the stack has each height after a placement. It fits a straight line to the
//! logarithm of these shares against height, between heights 7 and 15. The line is extended to the
//! first height that ends the game. Its value there gives the share of placements that end a game.
//! The inverse of that share is the number of pieces per game. The authors note that the result is
//! too low for controllers that avoid placements which end the game. The true relation need not be
//! a straight line, so there is no interval.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// Straight line fitted to the logarithms of the shares in a histogram of stack heights, and the
/// number of pieces per game extrapolated from it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extrapolation {
    /// Smallest height used for the fit, in rows.
    #[serde(rename = "first_height")]
    pub first: usize,
    /// Largest height used for the fit, in rows.
    #[serde(rename = "last_height")]
    pub last: usize,
    /// Slope of the line: change of the logarithm of the share per row of height.
    pub slope: f64,
    /// Intercept of the line: logarithm of the share at height 0.
    pub intercept: f64,
    /// Extrapolated number of pieces per game.
    pub pieces: f64,
}

/// Returns the stack heights used for the fit on a board of `rows` rows: 7 to 15 on 20 rows, in
/// proportion on other boards.
#[must_use]
pub fn fitted_heights(rows: usize) -> RangeInclusive<usize> {
    let scaled = |height: usize| (height * rows + 10) / 20;
    scaled(7)..=scaled(15)
}

impl Extrapolation {
    /// Fits a straight line by least squares, each height with equal weight. Only heights of
    /// `fitted` that occur are used. Returns `None` if there are fewer than three.
    ///
    /// `counts[h]` is the number of placements after which the stack had height h, on a board of
    /// `rows` rows.
    #[must_use]
    pub fn of(counts: &[u64], fitted: RangeInclusive<usize>, rows: usize) -> Option<Extrapolation> {
        let total: u64 = counts.iter().sum();
        let share = |(height, &count): (usize, &u64)| {
            let seen = fitted.contains(&height) && count > 0;
            seen.then(|| (height as f64, (count as f64 / total as f64).ln()))
        };
        let points: Vec<(f64, f64)> = counts.iter().enumerate().filter_map(share).collect();
        let (&(first, _), &(last, _)) = points.first().zip(points.last())?;
        // Two points are not enough: a line through them is always exact.
        if points.len() < 3 {
            return None;
        }
        let (slope, intercept) = line(&points);
        let pieces = (-(slope * (rows + 1) as f64 + intercept)).exp();
        Some(Extrapolation { first: first as usize, last: last as usize, slope, intercept, pieces })
    }
}

/// Returns the slope and the intercept of the least-squares line through `points`.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let products: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let squares: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = products / squares;
    (slope, y - slope * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares fall by a factor of two per row: 2^-h at height h, of 2^10 placements at heights 1 to
    /// 10. On 12 rows the line gives 2^-13 at height 13, times 1024/1023 because the shares must
    /// add up to 1.
    #[test]
    fn a_straight_line_is_read_off() {
        let counts: Vec<u64> = (0..11).map(|h| if h == 0 { 0 } else { 1 << (10 - h) }).collect();
        let found = Extrapolation::of(&counts, 4..=9, 12).unwrap();
        assert!((found.slope + 2f64.ln()).abs() < 1e-12, "{found:?}");
        assert!((found.pieces - 8192.0 * 1023.0 / 1024.0).abs() < 1e-6, "{found:?}");
        assert_eq!((found.first, found.last), (4, 9));
    }

    #[test]
    fn heights_not_seen_are_left_out_and_two_are_too_few() {
        assert_eq!(Extrapolation::of(&[0, 8, 4, 0, 0], 1..=4, 4), None);
        let found = Extrapolation::of(&[0, 8, 4, 2, 0], 1..=4, 4).unwrap();
        assert_eq!((found.first, found.last), (1, 3));
    }

    #[test]
    fn the_heights_of_the_source_are_scaled() {
        assert_eq!(fitted_heights(20), 7..=15);
        assert_eq!(fitted_heights(10), 4..=8);
    }
}
