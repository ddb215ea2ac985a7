//! Tables of a study with estimated conditions: the mean of every condition, and contrasts.

use serde::Serialize;

use crate::error::Result;
use crate::record::RunFolder;
use crate::record::tables::field::put_table;
use crate::record::tables::table::table;
use crate::stats::{Contrast, Interval};

/// Methods that find the mean of a condition: by games or by splitting.
pub const METHODS: [&str; 2] = ["play", "estimate"];

/// Reason for a missing mean or contrast.
const NO_END: &str = "no game of a condition ended";

table! {
    pub(crate) fn mean_fields() of row;

    /// Row of `means`: the mean of one complete condition of a study.
    #[derive(Clone, Debug, Serialize)]
    pub struct MeanRow {
        /// Number of the condition in its study, from 1.
        pub condition: u64 => count;
        /// Folder of the condition, inside the study's folder.
        pub folder: String => text;
        /// Mean of the condition.
        #[serde(flatten)]
        pub found: CellMean;
        /// Values of the settings that differ between the conditions.
        name: text = row.found.condition;
        /// Method that found the mean: games (`play`) or splitting (`estimate`).
        method: factor(&METHODS) = usize::from(row.found.method == METHODS[1]);
        /// Number of games, or of replications of an estimate.
        observations: count = row.found.observations;
        /// Mean lines of a game that is played to its end.
        mean: real, "rows" = row.found.mean, missing NO_END;
        /// Lower bound of the 95 % interval of the mean.
        mean_low: real, "rows" = row.found.interval.map(|found| found.low),
            missing "fewer than two observations, or no end";
        /// Upper bound of the 95 % interval of the mean.
        mean_high: real, "rows" = row.found.interval.and_then(|found| found.high),
            missing "fewer than two observations, or no end";
    }
}

/// Mean of a condition, as contrasts use it.
#[derive(Clone, Debug, Serialize)]
pub struct CellMean {
    /// Values of the factors that differ between the conditions.
    pub condition: String,
    /// Method that found the mean, one of [`METHODS`].
    pub method: &'static str,
    /// Number of games, or of replications of an estimate.
    pub observations: usize,
    /// Mean of the measure; `None` if no game ended.
    pub mean: Option<f64>,
    /// 95 % confidence interval of the mean; `None` with fewer than two observations.
    pub interval: Option<Interval>,
}

table! {
    /// Returns the columns of `contrasts`.
    pub fn contrast_fields() of row;

    /// Row of `contrasts`: a ratio of means, or a ratio of ratios, for one combination of the other
    /// factors.
    #[derive(Clone, Debug, Serialize)]
    pub struct ContrastRow {
        /// Factors, joined by colons, such as `search:board`.
        pub contrast: String => text;
        /// Two compared values of each factor, numerator first, such as `next / greedy`.
        pub levels: String => text;
        /// Values of the other factors.
        pub within: String => text, missing "there are no others";
        /// Result; `None` if the mean of a condition is unknown.
        #[serde(flatten)]
        pub found: Option<Contrast>;
        /// Ratio of means, or ratio of ratios.
        ratio: real = row.found.map(|found| found.ratio), missing NO_END;
        /// Lower end of the 95 % interval of the ratio.
        low: real = row.found.map(|found| found.interval.low), missing NO_END;
        /// Upper end of the 95 % interval of the ratio.
        high: real = row.found.and_then(|found| found.interval.high), missing NO_END;
        /// Standard error of the natural logarithm of the ratio.
        log_error: real = row.found.map(|found| found.log_error), missing NO_END;
        /// Degrees of freedom of Student's distribution.
        df: real = row.found.map(|found| found.df).filter(|df| df.is_finite()), missing NO_END;
        /// P-value of the hypothesis that the ratio is 1.
        p: real = row.found.map(|found| found.p), missing NO_END;
        /// P-value, adjusted by Holm's method for all rows.
        pub p_adjusted: Option<f64> => real, missing NO_END;
        /// P-value of the hypothesis that the first value is worse by more than the margin,
        /// adjusted in the same way; `None` without a margin.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p_not_worse: Option<f64>;
    }
}

/// Writes `means.csv`, and `contrasts.csv` unless there are no contrasts, into a study's folder,
/// each atomically.
///
/// # Errors
/// [`crate::error::Error::Io`] if a table can't be written.
pub fn write_means(folder: &RunFolder, means: &[MeanRow], contrasts: &[ContrastRow]) -> Result<()> {
    put_table(folder, "means.csv", &mean_fields(), means)?;
    if !contrasts.is_empty() {
        put_table(folder, "contrasts.csv", &contrast_fields(), contrasts)?;
    }
    Ok(())
}
