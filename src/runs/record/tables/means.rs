//! Tables of a study with estimated conditions: the mean of every condition, and contrasts.

use serde::Serialize;

use crate::error::Result;
use crate::record::RunFolder;
use crate::record::tables::field::{Field, put_table};
use crate::record::tables::table::table;
use crate::stats::{Contrast, Mean, Method};

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
        ..mean_columns("lines of a game that is played to its end", "rows", |row: &MeanRow| {
            Some(&row.found.mean)
        });
    }
}

/// Mean of a condition, as contrasts use it.
#[derive(Clone, Debug, Serialize)]
pub struct CellMean {
    /// Values of the factors that differ between the conditions.
    pub condition: String,
    /// Mean of the measure: over games, or over the replications of an estimate.
    #[serde(flatten)]
    pub mean: Mean,
}

/// Returns the columns of a mean and its interval; `what` is the quantity, measured in `unit`.
pub fn mean_columns<S: 'static>(
    what: &str,
    unit: &'static str,
    mean: fn(&S) -> Option<&Mean>,
) -> Vec<Field<S>> {
    let none = "there is no mean, or no interval";
    let real = |name: &str, meaning: String, value: fn(&Mean) -> Option<f64>| {
        let value = move |row: &S| mean(row).and_then(value).filter(|value| value.is_finite());
        Field::real(name, unit, meaning, value).missing(none)
    };
    let count = |name: &str, meaning: &str, value: fn(&Mean) -> u64| {
        Field::count(name, "-", meaning, move |row: &S| mean(row).map(value)).missing(none)
    };
    vec![
        count("n", "number of games, or of replications of an estimate", |mean| mean.n),
        count("censored", "number of games cut off by a limit", |mean| mean.censored),
        real("mean", format!("estimated mean: {what}"), |mean| mean.mean),
        real("low", "lower end of the 95 % interval of the mean".to_owned(), |mean| mean.low),
        real("high", "upper end of the 95 % interval of the mean".to_owned(), |mean| mean.high),
        Field::factor("method", "method of the interval", Method::NAMES, move |row: &S| {
            mean(row)?.method.map(|method| method as usize)
        })
        .missing(none),
        Field::text("warnings", "warnings about the mean", move |row: &S, text| {
            let names = mean(row).into_iter().flat_map(|mean| &mean.warnings);
            text.extend(names.map(|it| it.name()).collect::<Vec<_>>().join(" ").into_bytes());
        })
        .missing("there are none"),
    ]
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
        ratio: real = row.found.as_ref().map(|found| found.ratio.mean), missing NO_END;
        /// Lower end of the 95 % interval of the ratio.
        low: real = row.found.as_ref().map(|found| found.ratio.low), missing NO_END;
        /// Upper end of the 95 % interval of the ratio.
        high: real = row.found.as_ref().map(|found| found.ratio.high), missing NO_END;
        /// Standard error of the natural logarithm of the ratio.
        log_error: real = row.found.as_ref().map(|found| found.log_error), missing NO_END;
        /// Degrees of freedom of Student's distribution.
        df: real = row.found.as_ref().map(|found| found.df).filter(|df| df.is_finite()),
            missing NO_END;
        /// P-value of the hypothesis that the ratio is 1.
        p: real = row.found.as_ref().map(|found| found.p), missing NO_END;
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
