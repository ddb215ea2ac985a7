//! The tables of a training: one row per generation, and on request one per candidate.

use crate::error::Result;
use crate::record::formats::blocks::{BlockFile, EncoderPool};
use crate::record::tables::field::{Field, columns, rows_of};
use crate::record::tables::table::table;
use crate::record::{FileEntry, LogFormat, PartialTables, RowSlice, RunFolder, TableCursor};

table! {
    /// Returns the columns of `history`, of a training of these features.
    pub fn history_fields(features: &[String]) of row;

    /// One generation of a training.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HistoryRow {
        /// Number of the generation, from 0.
        pub generation: u64 => count;
        /// The objective of each candidate, in order.
        pub values: Vec<f64>;
        /// Mean of the candidates.
        mean: real, "objective" = row.mean();
        /// Best candidate, flattered by having won.
        pub best: f64 => real, "objective";
        /// Standard deviation of the candidates (n - 1).
        spread: real, "objective" = row.spread();
        /// After the generation, the mean of the distribution (of a genetic search, the best candidate) on the games
        /// of the checks, the same for all checks.
        pub held_out: Option<f64> => real, "objective", missing "the generation was not checked";
        /// Games of all candidates.
        pub games: u64 => count, "games";
        /// Games cut off by a limit; guideline games that were not lost.
        pub censored: u64 => count, "games";
        /// Pieces of the games.
        pub pieces: u64 => count, "pieces";
        /// Mean of each weight.
        pub weight_mean: Vec<f64>;
        ..weight_fields("mean_", features, "mean of the weight", |row: &HistoryRow, place| {
            row.weight_mean[place]
        });
        /// Standard deviation of each weight.
        pub weight_sd: Vec<f64>;
        ..weight_fields("sd_", features, "its deviation", |row: &HistoryRow, place| {
            row.weight_sd[place]
        });
        /// Standard error of a candidate: the root of the mean square of all.
        pub error: Option<f64> => real, "objective", missing "of a median, and where too few games ended";
        /// Standard error of held_out.
        pub held_out_error: Option<f64> => real, "objective",
            missing "the generation was not checked, or as error";
        /// Games that racing left out.
        pub saved: u64 => count, "games";
        /// Restarts of the optimiser so far.
        pub restarts: u64 => count;
    }
}

impl HistoryRow {
    /// Mean of the candidates' values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }

    /// Their standard deviation (n - 1).
    #[must_use]
    pub fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.values.iter().map(|value| (value - mean) * (value - mean)).sum();
        // Of one candidate 0 instead of no number.
        (squares / self.values.len().saturating_sub(1).max(1) as f64).sqrt()
    }
}

table! {
    /// Returns the columns of `population`, of a training of these features.
    pub fn population_fields(features: &[String]) of row;

    /// One candidate of a training.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PopulationRow {
        /// Number of the generation, from 0.
        pub generation: u64 => count;
        /// Place of the candidate in it, from 0.
        pub candidate: u64 => count;
        /// Its objective.
        pub value: f64 => real, "objective";
        /// Games cut off by a limit; guideline games that were not lost.
        pub censored: u64 => count, "games";
        /// Pieces of its games.
        pub pieces: u64 => count, "pieces";
        /// Its weights.
        pub weights: Vec<f64>;
        ..weight_fields("", features, "the weight", |row: &PopulationRow, place| row.weights[place]);
    }
}

/// Returns one column for each feature, called `prefix` and the feature's name; `value` is given the feature's place.
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

/// A table of a training on its way to its file.
pub struct TrainingTable<S> {
    name: &'static str,
    fields: Vec<Field<S>>,
    file: BlockFile,
}

impl<S> TrainingTable<S> {
    /// Begins the table called `name`, or resumes it from where it stands.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when it can't be written, [`crate::error::Error::Config`] when it stands nowhere.
    pub fn open(
        folder: &RunFolder,
        name: &'static str,
        fields: Vec<Field<S>>,
        from: Option<&PartialTables>,
    ) -> Result<TrainingTable<S>> {
        let (path, columns) = (folder.partial(name), columns(&fields));
        // One is enough: a generation adds a row, or one for each candidate.
        let encoders = EncoderPool::new(1)?;
        let format = LogFormat::Csv;
        let file = match from {
            None => BlockFile::create(&path, format, &columns, &encoders, 0)?,
            Some(from) => from.table(name)?.resume(folder, name, (format, &columns), &encoders)?,
        };
        Ok(TrainingTable { name, fields, file })
    }

    /// Adds the rows of a generation.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when they can't be written.
    pub fn add(&mut self, generation: u64, from: &[S]) -> Result<()> {
        self.file.push(generation, RowSlice::new(rows_of(&self.fields, from)))?;
        // A generation stands here for a game: what is cut back after an error is whole generations.
        self.file.end_games(generation + 1);
        Ok(())
    }

    /// Puts on disk what there is, and says how far that is.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when that fails.
    pub fn sync(&mut self) -> Result<TableCursor> {
        self.file.sync(self.name)
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when that fails.
    pub fn finish(self, folder: &RunFolder) -> Result<FileEntry> {
        let (finished, problem) = self.file.finish()?;
        // Named even where its last rows could not be packed: what was written before can be read.
        folder.finish(self.name)?;
        match problem {
            None => Ok(FileEntry::new(self.name.to_owned(), finished)),
            Some(problem) => Err(problem),
        }
    }
}
