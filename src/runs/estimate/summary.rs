//! Summary of an estimate: the results of each method, and the method whose result to trust.

use serde::{Deserialize, Serialize};

use super::{Estimate, EstimateResults, Exposure, Extrapolation, Replication};
use super::{extrapolation, level_rows};
use crate::record::LevelRow;
use crate::sim::Game;
use crate::stats::Mean;

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
    /// Returns true if a report with this setting shows the result of the method `other`.
    #[must_use]
    pub fn shows(self, other: EstimateMethod) -> bool {
        self == EstimateMethod::All || self == other
    }
}

/// Effective number of deadly excursions below which the interval of splitting is unreliable. A
/// deadly excursion is a stretch of a game at level 1 or above in which the game or a copy died.
pub const FEW_EXCURSIONS: f64 = 20.0;
/// Number of deaths below which the result of direct play counts as unreliable.
const FEW_DEATHS: u64 = 20;

/// Mean lines per game by Fahey's extrapolation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtrapolatedMean {
    /// Mean lines per game.
    pub mean: f64,
    /// Fitted line, and the mean pieces per game.
    #[serde(flatten)]
    pub line: Extrapolation,
}

/// Summary of an estimate. It contains no time and no path, so that it is identical for any number
/// of threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EstimateSummary {
    /// Methods that a report shows.
    pub method: EstimateMethod,
    /// Counts, and the means by splitting and by direct play.
    #[serde(flatten)]
    pub results: EstimateResults,
    /// Mean by Fahey's extrapolation; `None` if too few heights were seen.
    pub histogram: Option<ExtrapolatedMean>,
    /// Method whose result to trust: splitting, or direct play if splitting had too few deadly
    /// excursions ([`FEW_EXCURSIONS`]). `None` if direct play had too few deaths, too.
    pub believe: Option<EstimateMethod>,
    /// Methods that disagree with the most reliable one: direct play if the two intervals do not
    /// overlap, the histogram if its mean lies outside the interval.
    pub disagree: Vec<EstimateMethod>,
    /// Rows of the table of levels.
    pub levels: Vec<LevelRow>,
}

impl EstimateSummary {
    /// Summarises the `replications` of `estimate`.
    #[must_use]
    pub fn of<G: Game>(estimate: &Estimate<G>, replications: &[Replication]) -> EstimateSummary {
        let Estimate { config, method, levels, .. } = estimate;
        let results = EstimateResults::of(replications, levels, config.splits);
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
    /// Returns the most reliable method with its mean and interval: splitting, or direct play if
    /// splitting is unreliable. Splitting needs enough deadly excursions ([`FEW_EXCURSIONS`]), and
    /// direct play enough deaths. Returns `None` if both have too few.
    #[must_use]
    pub fn most_reliable(&self) -> Option<(EstimateMethod, &Mean)> {
        let splitting = self.splitting.as_ref();
        let splitting = splitting
            .filter(|splitting| splitting.effective_excursions >= FEW_EXCURSIONS)
            .map(|found| (EstimateMethod::Splitting, &found.ratio.mean));
        let Exposure { mean, deaths, .. } = &self.direct;
        splitting.or((*deaths >= FEW_DEATHS).then_some((EstimateMethod::Direct, mean)))
    }
}
