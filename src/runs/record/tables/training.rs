//! Tables of a training: one row per generation, and optionally one per candidate. Learning by
//! temporal differences has one row per report.

use crate::record::tables::field::Field;
use crate::record::tables::table::table;

table! {
    /// Returns the columns of `history` for a training of these features.
    pub fn history_fields(features: &[String]) of row;

    /// Row of `history`: one generation of a training.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HistoryRow {
        /// Number of the generation, from 0.
        pub generation: u64 => count;
        /// Objective value of each candidate, in order.
        pub values: Vec<f64>;
        /// Mean objective value of the generation's candidates.
        mean: real, "objective" = row.mean();
        /// Objective value of the generation's best candidate; too good on average, because the
        /// best of many values was selected.
        pub best: f64 => real, "objective";
        /// Standard deviation (n - 1) of the objective values of the generation's candidates.
        spread: real, "objective" = row.spread();
        /// Objective value of the distribution's mean after the generation, on the check games,
        /// which all checks share. In a genetic search, value of the generation's best candidate.
        pub held_out: Option<f64> => real, "objective", missing "the generation was not checked";
        /// Number of games played by all candidates of the generation.
        pub games: u64 => count, "games";
        /// Number of the generation's games that a limit cut off; in guideline games, the number of
        /// games that were not lost.
        pub censored: u64 => count, "games";
        /// Number of pieces in the games of all candidates of the generation.
        pub pieces: u64 => count, "pieces";
        /// Mean of each weight in the distribution from which candidates were drawn, or in a
        /// genetic population.
        pub weight_mean: Vec<f64>;
        ..weight_fields(
            "mean_",
            features,
            "mean of the weight in the distribution or population that candidates came from",
            |row: &HistoryRow, place| row.weight_mean[place],
        );
        /// Standard deviation of each weight in the distribution from which candidates were drawn,
        /// or in a genetic population.
        pub weight_sd: Vec<f64>;
        ..weight_fields(
            "sd_",
            features,
            "standard deviation of the weight in the distribution or population that candidates \
             came from",
            |row: &HistoryRow, place| row.weight_sd[place],
        );
        /// Standard error of a candidate's objective value: root mean square over all candidates of
        /// the generation.
        pub error: Option<f64> => real, "objective",
            missing "of a median, and where too few games ended";
        /// Standard error of `held_out`.
        pub held_out_error: Option<f64> => real, "objective",
            missing "the generation was not checked, or `error` would be missing";
        /// Number of games of the generation that racing left out.
        pub saved: u64 => count, "games";
        /// Number of restarts of the optimiser so far.
        pub restarts: u64 => count;
    }
}

impl HistoryRow {
    /// Computes the mean of the candidates' values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }

    /// Computes the standard deviation of the candidates' values (n - 1).
    #[must_use]
    pub fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.values.iter().map(|value| (value - mean) * (value - mean)).sum();
        // A single candidate gives 0 instead of NaN.
        (squares / self.values.len().saturating_sub(1).max(1) as f64).sqrt()
    }
}

table! {
    /// Returns the columns of `population` for a training of these features.
    pub fn population_fields(features: &[String]) of row;

    /// Row of `population`: one candidate of a training.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PopulationRow {
        /// Number of the generation, from 0.
        pub generation: u64 => count;
        /// Index of the candidate in its generation, from 0.
        pub candidate: u64 => count;
        /// Objective value of the candidate.
        pub value: f64 => real, "objective";
        /// Number of the candidate's games that a limit cut off; in guideline games, the number of
        /// games that were not lost.
        pub censored: u64 => count, "games";
        /// Number of pieces in the candidate's games.
        pub pieces: u64 => count, "pieces";
        /// Weights of the candidate.
        pub weights: Vec<f64>;
        ..weight_fields(
            "",
            features,
            "weight of the feature in the candidate",
            |row: &PopulationRow, place| row.weights[place],
        );
    }
}

table! {
    /// Returns the columns of `history` for learning by temporal differences.
    pub fn learning_fields() of row;

    /// Row of `history` of learning by temporal differences: one report.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LearningRow {
        /// Number of the report, from 0.
        pub report: u64 => count;
        /// Number of placements decided so far, by all streams of games.
        pub placements: u64 => count, "placements";
        /// Number of games ended so far, including games that a limit cut off.
        pub games: u64 => count, "games";
        /// Number of games that ended since the last report and were not cut off.
        pub finished: u64 => count, "games";
        /// Number of games that a limit cut off since the last report.
        pub cut: u64 => count, "games";
        /// Estimated mean lines of a game since the last report: lines of all ended games /
        /// `finished`. The player learns while it plays these games.
        pub mean_lines: Option<f64> => real, "lines",
            missing "no game was finished since the last report";
        /// Mean absolute error of the values since the last report.
        pub mean_error: Option<f64> => real, "lines", missing "nothing was learned";
        /// Learning rate at the report.
        pub alpha: f64 => real;
    }
}

/// Returns one column for each feature, named `prefix` and the feature's name. `value` gets the
/// feature's index.
fn weight_fields<S: 'static>(
    prefix: &str,
    features: &[String],
    meaning: &str,
    value: fn(&S, usize) -> f64,
) -> Vec<Field<S>> {
    let field = |(place, feature): (usize, &String)| {
        Field::real(format!("{prefix}{feature}"), "weight", meaning, move |row: &S| {
            value(row, place)
        })
    };
    features.iter().enumerate().map(field).collect()
}
