//! Defines the additional requirements for a game in studies and comparisons.

use std::path::Path;

use serde_json::{Value, json};

use super::Game;
use crate::error::{Error, Result};
use crate::record::{Column, ColumnType, read_values};
use crate::stats::{Better, Observed, Scale};

/// A number that every work item of a run has, and its interpretation.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Name of the column in the results ([`Game::results`]).
    pub column: String,
    /// Scale of the number: a total that grows during a work item, or a value per game.
    pub scale: Scale,
    /// Direction in which a mean is better.
    pub better: Better,
    /// Column and its values that mark a finished work item; `None` if all finished. An unfinished
    /// item is censored.
    pub ended: Option<(&'static str, &'static [&'static str])>,
}

/// A game whose runs can be conditions of a study, over common seeds.
pub trait Comparable: Game {
    /// Name of the games in a study's description.
    const PLAYED: &'static str = "falling-block games";

    /// Returns a copy of the run with `games` games.
    #[must_use]
    fn of_games(&self, games: u64) -> Self;

    /// Returns the number of games of all shards of a recorded run.
    fn games(entry: &Self::Entry) -> u64;

    /// Returns the seed from which all random streams derive.
    fn seed(&self) -> u64;

    /// Returns true if games differ by chance.
    fn is_random(&self) -> bool {
        true
    }

    /// Returns the name of the player of the run, for example of its controller.
    fn who(&self) -> String;

    /// Returns a JSON value that identifies the player of the run. Two players with one name, such
    /// as two files of one controller with other weights, have different values.
    fn who_is(&self) -> Value {
        json!(self.who())
    }

    /// Returns a short label that distinguishes the run from the study's other conditions; it names
    /// the folder.
    fn label(&self) -> String {
        self.who()
    }

    /// Returns the name of the default measure of comparisons.
    fn main_measure(&self) -> &'static str;

    /// Returns the interpretation of a numeric column of the results.
    fn measure(&self, column: &Column) -> Measure;

    /// Returns true if a run with the second entry can extend a complete run with the first: the
    /// same run with more games, without logs.
    fn begins(_: &Self::Entry, _: &Self::Entry) -> bool {
        false
    }

    /// Returns the position at which a run of `games` games ends and a longer one continues: a work
    /// item, and its number of rows in the results.
    #[must_use]
    fn end_of(games: u64) -> (u64, u64) {
        (games, 0)
    }

    /// Adapts the logs of all runs of a study, so that equal tables of different runs have equal
    /// columns and can be read as one table. Each run comes with the number of its condition.
    fn join(_: &mut [(u64, &mut Self)])
    where
        Self: Sized,
    {
    }

    /// Returns the measure of a column, given its name.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the names of the numeric columns.
    fn measure_named(&self, name: &str) -> Result<Measure> {
        let columns = self.result_table().map(|table| table.columns);
        let mut columns = columns.unwrap_or_default();
        // The first column is the number of the work item.
        columns.drain(..columns.len().min(1));
        columns.retain(|column| column.kind.is_number());
        let found = columns.iter().find(|column| column.name == name);
        let found = found.map(|column| self.measure(column));
        let names = columns.iter().map(|column| &*column.name);
        found.ok_or_else(|| Error::unknown("column of games", name, names))
    }

    /// Returns true if a column of the results holds whole numbers.
    fn is_whole(&self, column: &str) -> bool {
        let mut columns = self.result_table().into_iter().flat_map(|table| table.columns);
        columns.any(|one| one.name == column && one.kind != ColumnType::Real)
    }

    /// Reads the measured value of each work item from a run folder, in order. Returns an empty
    /// list if the game has no results.
    ///
    /// # Errors
    /// The errors of [`read_values`].
    fn observed(&self, folder: &Path, measure: &Measure) -> Result<Vec<Observed>> {
        let Some(table) = self.result_table() else { return Ok(Vec::new()) };
        let values = read_values(&folder.join(table.file), &measure.column, measure.ended)?;
        // A missing value, such as a mean height without a piece, counts as 0.
        let plain = |value: f64| if value.is_nan() { 0.0 } else { value };
        let observed =
            values.into_iter().map(|(value, censored)| Observed { value: plain(value), censored });
        Ok(observed.collect())
    }
}
