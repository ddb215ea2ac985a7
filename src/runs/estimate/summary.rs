//! Summary of an estimate: the mean by each method, and the method whose result to trust.

use std::ops::RangeInclusive;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::job::level_rows;
use super::{DirectEstimate, Estimate, EstimateResults, Replication, extrapolation};
use crate::prelude::*;
use crate::record::LevelRow;
use crate::sim::Game;
use crate::stats::{Interval, Mean, Method};

tetrastat_core::names! {
    /// Method that estimates the mean lines of a game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum EstimateMethod as "method" {
        /// Direct play: lines per death, without splitting.
        Direct = "direct",
        /// Multilevel splitting.
        Splitting = "splitting",
        /// Fahey's extrapolation of the histogram of heights.
        Histogram = "histogram",
        /// All three methods.
        All = "all",
    }
}

impl EstimateMethod {
    /// Returns true if a report for `self`, a method or all methods, shows the method `other`.
    #[must_use]
    pub fn shows(self, other: EstimateMethod) -> bool {
        self == EstimateMethod::All || self == other
    }
}

/// Minimum effective number of game-ending stretches of play for a reliable splitting estimate.
pub const FEW_EXCURSIONS: f64 = 20.0;
const FEW_DEATHS: u64 = 20;

/// Mean lines per game, extrapolated from how often each stack height occurs (Fahey's method).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtrapolatedMean {
    /// Mean lines per game: extrapolated pieces per game times lines per piece.
    pub mean: f64,
    /// Line fitted to the log frequencies of stack heights, with the pieces per game that it gives.
    #[serde(flatten)]
    pub line: Extrapolation,
}

/// Summary of an estimate of mean lines by several methods, equal for any number of threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EstimateSummary {
    /// Estimation methods whose results a report shows.
    pub method: EstimateMethod,
    /// Counts of the independent runs, and the mean lines by splitting and by direct play.
    #[serde(flatten)]
    pub results: EstimateResults,
    /// Mean lines extrapolated from stack heights; `None` if too few heights were seen.
    pub histogram: Option<ExtrapolatedMean>,
    /// Estimation method with the most reliable mean, if there is one.
    pub believe: Option<EstimateMethod>,
    /// Shown estimation methods whose results disagree with the most reliable one.
    pub disagree: Vec<EstimateMethod>,
    /// Rows of a table that describes each splitting level.
    pub levels: Vec<LevelRow>,
}

impl EstimateSummary {
    /// Summarises the `replications` (independent runs) of an estimate by all estimation methods.
    #[must_use]
    pub fn new<G: Game>(estimate: &Estimate<G>, replications: &[Replication]) -> EstimateSummary {
        let Estimate { config, method, levels, .. } = estimate;
        let results = EstimateResults::new(replications, levels, config.splits);
        let line = extrapolation(replications, config.run.heights()[0]);
        let histogram =
            line.map(|line| ExtrapolatedMean { mean: line.pieces * results.lines_per_piece, line });
        let believed = results.most_reliable();
        let mut disagree = Vec::new();
        if let Some((believed, best)) = believed {
            let direct = &results.direct.mean;
            let below =
                |one: &Mean, other: &Mean| one.high.zip(other.low).is_some_and(|(a, b)| a < b);
            let apart = below(direct, best) || below(best, direct);
            if believed != EstimateMethod::Direct && apart {
                disagree.push(EstimateMethod::Direct);
            }
            if histogram.is_some_and(|found| !best.contains(found.mean)) {
                disagree.push(EstimateMethod::Histogram);
            }
        }
        disagree.retain(|other| method.shows(*other));
        let believe = believed.map(|(method, _)| method);
        let (method, levels) = (*method, level_rows(replications, levels));
        EstimateSummary { method, results, histogram, believe, disagree, levels }
    }
}

impl EstimateResults {
    /// Returns the most reliable method with its mean: splitting or else direct play, if enough
    /// games ended. Otherwise returns `None`.
    #[must_use]
    pub fn most_reliable(&self) -> Option<(EstimateMethod, &Mean)> {
        let splitting = self.splitting.as_ref();
        let splitting = splitting
            .filter(|splitting| splitting.effective_excursions >= FEW_EXCURSIONS)
            .map(|found| (EstimateMethod::Splitting, &found.ratio.mean));
        let DirectEstimate { mean, deaths, .. } = &self.direct;
        splitting.or((*deaths >= FEW_DEATHS).then_some((EstimateMethod::Direct, mean)))
    }
}

/// Estimate of the mean lines per game: lines of all independent runs / number of ended games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Estimated mean lines per game, with its interval.
    #[serde(flatten)]
    pub mean: Mean,
    /// Standard error of the estimated mean lines, divided by that mean.
    pub relative_error: f64,
}

impl Ratio {
    /// Computes the mean lines per game from pairs `(lines, deaths)`, one per independent run.
    /// Returns `None` with fewer than two runs, without lines or without deaths.
    ///
    /// The interval is Student's on a logarithmic scale, with the standard error of the delta
    /// method (Cochran 1977, *Sampling Techniques*, section 6.4). It needs many similar runs.
    #[must_use]
    pub fn new(replications: &[(f64, f64)], level: f64) -> Option<Ratio> {
        let n = replications.len() as f64;
        let lines: f64 = replications.iter().map(|r| r.0).sum();
        let deaths: f64 = replications.iter().map(|r| r.1).sum();
        if replications.len() < 2 || lines <= 0.0 || deaths <= 0.0 {
            return None;
        }
        let residual = |&(x, y): &(f64, f64)| (y / deaths - x / lines) * n;
        let squares: f64 = replications.iter().map(|r| residual(r).powi(2)).sum();
        let relative_error = (squares / (n - 1.0) / n).sqrt();
        let t = StudentsT::new(0.0, 1.0, n - 1.0).ok()?.inverse_cdf((1.0 + level) / 2.0);
        let mean = lines / deaths;
        let (low, high) = (mean * (-t * relative_error).exp(), mean * (t * relative_error).exp());
        let interval = Interval { low, high: Some(high) };
        let n = replications.len() as u64;
        let mean = Mean { level, ..Mean::new(Some(mean), Some(interval), Method::Splitting, n) };
        Some(Ratio { mean, relative_error })
    }
}

/// Line fitted to the log frequencies of stack heights, a rough estimate of pieces per game.
///
/// The method follows MDPTetris (`src/estimate_duration.c`, after Fahey 2003): the line through
/// heights 7 to 15 gives the share of placements at the first height that ends a game, the inverse
/// of the pieces per game. The authors note that the result is too low for controllers that avoid
/// the end. The true relation need not be a straight line, so there is no interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extrapolation {
    /// Smallest stack height, in rows, used to fit a line to the frequencies of heights.
    #[serde(rename = "first_height")]
    pub first: usize,
    /// Largest stack height, in rows, used to fit a line to the frequencies of heights.
    #[serde(rename = "last_height")]
    pub last: usize,
    /// Slope of the fitted line: change of the log frequency of a stack height per row.
    pub slope: f64,
    /// Log frequency of stack height 0 on the fitted line.
    pub intercept: f64,
    /// Number of pieces per game, extrapolated from the frequencies of stack heights.
    pub pieces: f64,
}

/// Returns the stack heights used by Fahey's extrapolation: 7 to 15 on 20 rows, else scaled.
#[must_use]
pub fn fitted_heights(rows: usize) -> RangeInclusive<usize> {
    let scaled = |height: usize| (height * rows + 10) / 20;
    scaled(7)..=scaled(15)
}

impl Extrapolation {
    /// Fits a line to the log frequencies of the stack heights `fitted`, from placements per height
    /// (`counts`); `None` if fewer than three heights occurred.
    #[must_use]
    pub fn fit(
        counts: &[u64],
        fitted: RangeInclusive<usize>,
        rows: usize,
    ) -> Option<Extrapolation> {
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
    use crate::rng::{Purpose, Stream};

    // R: `x <- c(10,20,30,40); y <- c(1,3,2,4); e <- y/mean(y) - x/mean(x);` `s <-
    // sqrt(sum(e^2)/3/4); exp(log(10) + c(-1,1) * qt(.975,3) * s)`. Here e = (0, .4, -.4, 0), s =
    // sqrt(.32/12) = 0.163299, qt = 3.182446.
    #[test]
    fn a_ratio_by_hand() {
        let ratio =
            Ratio::new(&[(10.0, 1.0), (20.0, 3.0), (30.0, 2.0), (40.0, 4.0)], 0.95).unwrap();
        assert!((ratio.mean.mean.unwrap() - 10.0).abs() < 1e-12 && ratio.mean.n == 4);
        assert!((ratio.relative_error - 0.163_299_316).abs() < 1e-8, "{ratio:?}");
        let factor = (3.182_446_305 * 0.163_299_316_f64).exp();
        assert!((ratio.mean.low.unwrap() - 10.0 / factor).abs() < 1e-6, "{ratio:?}");
        assert!((ratio.mean.high.unwrap() - 10.0 * factor).abs() < 1e-6);
        assert!((ratio.mean.half_width() - (factor - 1.0 / factor) / 2.0).abs() < 1e-7);
    }

    #[test]
    fn too_little_gives_none() {
        assert_eq!(Ratio::new(&[(10.0, 1.0)], 0.95), None);
        assert_eq!(Ratio::new(&[(10.0, 0.0), (12.0, 0.0)], 0.95), None);
    }

    // Binomial deaths of 40 draws of 1/10. 4 standard errors are 27, and the delta method loses a
    // little.
    #[test]
    fn the_interval_covers() {
        let mut stream = Stream::new(3, Purpose::Bootstrap, 0);
        let mut replication = || {
            let deaths = (0..40).filter(|_| stream.below(10) == 0).count();
            (100.0 + f64::from(stream.below(21)) - 10.0, deaths as f64)
        };
        let held = (0..1000).filter(|_| {
            let found: Vec<(f64, f64)> = (0..30).map(|_| replication()).collect();
            Ratio::new(&found, 0.95).unwrap().mean.contains(25.0)
        });
        let held = held.count();
        assert!((930..=970).contains(&held), "{held} of 1000");
    }

    // Shares 2^-h at heights 1 to 10 give 2^-13 at height 13, times 1024/1023 because shares must
    // add up to 1.
    #[test]
    fn a_straight_line_is_read_off() {
        let counts: Vec<u64> = (0..11).map(|h| if h == 0 { 0 } else { 1 << (10 - h) }).collect();
        let found = Extrapolation::fit(&counts, 4..=9, 12).unwrap();
        assert!((found.slope + 2f64.ln()).abs() < 1e-12, "{found:?}");
        assert!((found.pieces - 8192.0 * 1023.0 / 1024.0).abs() < 1e-6, "{found:?}");
        assert_eq!((found.first, found.last), (4, 9));
    }

    #[test]
    fn heights_not_seen_are_left_out_and_two_are_too_few() {
        assert_eq!(Extrapolation::fit(&[0, 8, 4, 0, 0], 1..=4, 4), None);
        let found = Extrapolation::fit(&[0, 8, 4, 2, 0], 1..=4, 4).unwrap();
        assert_eq!((found.first, found.last), (1, 3));
    }

    #[test]
    fn the_heights_of_the_source_are_scaled() {
        assert_eq!(fitted_heights(20), 7..=15);
        assert_eq!(fitted_heights(10), 4..=8);
    }
}
