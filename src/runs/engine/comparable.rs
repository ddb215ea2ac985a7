//! What studies and comparisons ask of a game besides playing it.

use std::path::Path;

use serde_json::{Value, json};

use super::Game;
use crate::error::{Error, Result};
use crate::record::{Column, ColumnType, read_values};
use crate::stats::{Better, Observed, Scale};

/// A number that every work item of a run has, and how it is to be understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The column of the results ([`Game::results`]).
    pub column: String,
    /// Whether it adds up while a work item is played.
    pub scale: Scale,
    /// Which of two means is the better one.
    pub better: Better,
    /// The column and its values by which a work item came to its end; all did when `None`. One that did not is censored.
    pub ended: Option<(&'static str, &'static [&'static str])>,
}

/// A game whose runs can be the conditions of a study, over common seeds.
pub trait Comparable: Game {
    /// What is played, in a study's description of itself.
    const PLAYED: &'static str = "falling-block games";

    /// The same run of so many games.
    #[must_use]
    fn of_games(&self, games: u64) -> Self;

    /// Games of all shards of a run that is recorded so.
    fn games(entry: &Self::Entry) -> u64;

    /// The seed that every stream derives from.
    fn seed(&self) -> u64;

    /// Whether games differ by chance.
    fn is_random(&self) -> bool {
        true
    }

    /// Who plays.
    fn who(&self) -> String;

    /// What tells one who plays from others of the same name.
    fn who_is(&self) -> Value {
        json!(self.who())
    }

    /// What tells the run from the other conditions of a study, in a few words: the name of its folder.
    fn label(&self) -> String {
        self.who()
    }

    /// What is compared unless somebody says otherwise.
    fn main_measure(&self) -> &'static str;

    /// How a column of numbers of the results is to be understood; its type is known to be one.
    fn measure(&self, column: &Column) -> Measure;

    /// Whether a run of more games can go on where a complete one ended: the same run, of which nothing is logged.
    fn begins(_: &Self::Entry, _: &Self::Entry) -> bool {
        false
    }

    /// Where a run of so many games ends, from which one of more goes on: a work item, and how many rows of the results it
    /// has.
    #[must_use]
    fn end_of(games: u64) -> (u64, u64) {
        (games, 0)
    }

    /// Lets the tables of all conditions of a study be read as one, where they could not be otherwise.
    fn join(_: &mut [(u64, &mut Self)])
    where
        Self: Sized,
    {
    }

    /// A measure by its column.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the columns of numbers that there are.
    fn measure_named(&self, name: &str) -> Result<Measure> {
        let columns = self.result_table().map(|table| table.columns);
        let mut columns = columns.unwrap_or_default();
        // The first is the number of the work item.
        columns.drain(..columns.len().min(1));
        columns.retain(|column| column.kind.is_number());
        let found = columns.iter().find(|column| column.name == name);
        let found = found.map(|column| self.measure(column));
        let names = columns.iter().map(|column| &*column.name);
        found.ok_or_else(|| Error::unknown("column of games", name, names))
    }

    /// Whether a column of the results holds whole numbers.
    fn is_whole(&self, column: &str) -> bool {
        let mut columns = self.result_table().into_iter().flat_map(|table| table.columns);
        columns.any(|one| one.name == column && one.kind != ColumnType::Real)
    }

    /// What was measured of each work item in the folder of a run, in their order; nothing where there is no table.
    ///
    /// # Errors
    /// As [`read_values`].
    fn observed(&self, folder: &Path, measure: &Measure) -> Result<Vec<Observed>> {
        let Some(table) = self.result_table() else { return Ok(Vec::new()) };
        let values = read_values(&folder.join(table.file), &measure.column, measure.ended)?;
        // One without a value, as a mean height without a piece, counts as 0.
        let plain = |value: f64| if value.is_nan() { 0.0 } else { value };
        let observed =
            values.into_iter().map(|(value, censored)| Observed { value: plain(value), censored });
        Ok(observed.collect())
    }
}
