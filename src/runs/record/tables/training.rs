//! The tables of a training: one row per generation, and on request one per candidate.

use crate::error::Result;
use crate::record::FileEntry;
use crate::record::LogFormat;
use crate::record::PartialTables;
use crate::record::RowSlice;
use crate::record::Rows;
use crate::record::RunFolder;
use crate::record::TableCursor;
use crate::record::formats::blocks::{BlockFile, Packers};
use crate::record::tables::field::{Field, columns, fill};

/// One generation of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryRow {
    /// Its number, from 0.
    pub generation: u64,
    /// The objective of each candidate, in order.
    pub values: Vec<f64>,
    /// The best of them.
    pub best: f64,
    /// The objective on held-out games, if this generation was checked.
    pub held_out: Option<f64>,
    /// Games played by all candidates.
    pub games: u64,
    /// Of them, games cut off by a limit.
    pub censored: u64,
    /// Their pieces.
    pub pieces: u64,
    /// Mean of each weight.
    pub weight_mean: Vec<f64>,
    /// Standard deviation of each weight.
    pub weight_sd: Vec<f64>,
    /// Root of the mean square of the candidates' standard errors, where these are known.
    pub error: Option<f64>,
    /// Standard error of `held_out`.
    pub held_out_error: Option<f64>,
    /// Games that racing left out.
    pub saved: u64,
    /// Restarts of the optimiser before this generation.
    pub restarts: u64,
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

/// One candidate of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct PopulationRow {
    /// Its generation, from 0.
    pub generation: u64,
    /// Its place there, from 0.
    pub candidate: u64,
    /// Its objective.
    pub value: f64,
    /// Its games cut off by a limit.
    pub censored: u64,
    /// Pieces of its games.
    pub pieces: u64,
    /// Its weights.
    pub weights: Vec<f64>,
}

/// The meaning of `censored`.
const CENSORED: &str = "games cut off by a limit; guideline games that were not lost";

/// The columns of `history`, of a training of these features.
pub(crate) fn history_fields(features: &[String]) -> Vec<Field<HistoryRow>> {
    type Row = HistoryRow;
    let mut fields = vec![
        Field::count("generation", "-", "number of the generation, from 0", |row: &Row| {
            row.generation
        }),
        Field::real("mean", "objective", "mean of the candidates", HistoryRow::mean),
        Field::real("best", "objective", "best candidate, flattered by having won", |row: &Row| {
            row.best
        }),
        Field::real(
            "spread",
            "objective",
            "standard deviation of the candidates (n - 1)",
            HistoryRow::spread,
        ),
        Field::real(
            "held_out",
            "objective",
            "after the generation, the mean of the distribution (of a genetic search, the best candidate) on the games of the checks, the same for all checks",
            |row: &Row| row.held_out,
        )
        .missing("the generation was not checked"),
        Field::count("games", "games", "games of all candidates", |row: &Row| row.games),
        Field::count("censored", "games", CENSORED, |row: &Row| row.censored),
        Field::count("pieces", "pieces", "pieces of the games", |row: &Row| row.pieces),
    ];
    for (i, feature) in features.iter().enumerate() {
        let mean = move |row: &Row| row.weight_mean[i];
        fields.push(Field::real(format!("mean_{feature}"), "weight", "mean of the weight", mean));
    }
    for (i, feature) in features.iter().enumerate() {
        let sd = move |row: &Row| row.weight_sd[i];
        fields.push(Field::real(format!("sd_{feature}"), "weight", "its deviation", sd));
    }
    fields.extend(fields_behind_the_weights());
    fields
}

/// The columns of `history` that came later than those of its weights.
fn fields_behind_the_weights() -> [Field<HistoryRow>; 4] {
    type Row = HistoryRow;
    [
        Field::real(
            "error",
            "objective",
            "standard error of a candidate: the root of the mean square of all",
            |row: &Row| row.error,
        )
        .missing("of a median, and where too few games ended"),
        Field::real("held_out_error", "objective", "standard error of held_out", |row: &Row| {
            row.held_out_error
        })
        .missing("the generation was not checked, or as error"),
        Field::count("saved", "games", "games that racing left out", |row: &Row| row.saved),
        Field::count("restarts", "-", "restarts of the optimiser so far", |row: &Row| row.restarts),
    ]
}

/// The columns of `population`, of a training of these features.
pub(crate) fn population_fields(features: &[String]) -> Vec<Field<PopulationRow>> {
    type Row = PopulationRow;
    let mut fields = vec![
        Field::count("generation", "-", "number of the generation, from 0", |row: &Row| {
            row.generation
        }),
        Field::count("candidate", "-", "place of the candidate in it, from 0", |row: &Row| {
            row.candidate
        }),
        Field::real("value", "objective", "its objective", |row: &Row| row.value),
        Field::count("censored", "games", CENSORED, |row: &Row| row.censored),
        Field::count("pieces", "pieces", "pieces of its games", |row: &Row| row.pieces),
    ];
    for (i, feature) in features.iter().enumerate() {
        let weight = move |row: &Row| row.weights[i];
        fields.push(Field::real(feature.clone(), "weight", "the weight", weight));
    }
    fields
}

/// A table of a training on its way to its file.
pub struct TrainingTable<S> {
    name: &'static str,
    fields: Vec<Field<S>>,
    file: BlockFile,
}

impl TrainingTable<HistoryRow> {
    /// Begins `history.csv`, or goes on from where it stands.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when it can't be written, [`crate::error::Error::Config`] when it stands nowhere.
    pub fn history(
        folder: &RunFolder,
        features: &[String],
        from: Option<&PartialTables>,
    ) -> Result<TrainingTable<HistoryRow>> {
        TrainingTable::open(folder, "history.csv", history_fields(features), from)
    }
}

impl TrainingTable<PopulationRow> {
    /// Begins `population.csv`, or goes on from where it stands.
    ///
    /// # Errors
    /// As [`TrainingTable::history`].
    pub fn population(
        folder: &RunFolder,
        features: &[String],
        from: Option<&PartialTables>,
    ) -> Result<TrainingTable<PopulationRow>> {
        TrainingTable::open(folder, "population.csv", population_fields(features), from)
    }
}

impl<S> TrainingTable<S> {
    fn open(
        folder: &RunFolder,
        name: &'static str,
        fields: Vec<Field<S>>,
        from: Option<&PartialTables>,
    ) -> Result<TrainingTable<S>> {
        let (path, columns) = (folder.partial(name), columns(&fields));
        // One is enough: a generation adds a row, or one for each candidate.
        let packers = Packers::new(1)?;
        let format = LogFormat::Csv;
        let file = match from {
            None => BlockFile::create(&path, format, &columns, &packers, 0)?,
            Some(from) => from.table(name)?.resume(folder, name, (format, &columns), &packers)?,
        };
        Ok(TrainingTable { name, fields, file })
    }

    /// Adds the rows of a generation.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when they can't be written.
    pub fn add(&mut self, generation: u64, from: &[S]) -> Result<()> {
        let mut rows = Rows::new(self.fields.iter().map(|field| &field.column));
        fill(&self.fields, from, None, &mut rows);
        self.file.push(generation, RowSlice::new(rows))?;
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
