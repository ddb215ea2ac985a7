//! Defines what a game must provide beyond [`Job`] for studies and comparisons.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::Job;
use crate::error::{Error, Result};
use crate::record::{Column, ColumnType, read_values};
use crate::stats::{Better, Observed, Scale};

/// Column of a run's results with a number for every work item, and the interpretation of that
/// number.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Name of the column in the table of results ([`Job::results`]).
    pub column: String,
    /// Kind of number: a total that grows during a work item, or another value of each game.
    pub scale: Scale,
    /// Direction in which a mean is better.
    pub better: Better,
    /// Name of a column of the results, and the values in it that mark a finished work item. `None`
    /// if every item finished. An unfinished item is censored.
    pub ended: Option<(&'static str, &'static [&'static str])>,
}

/// Names and settings of a run for people: in reports, studies and names of folders.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Name of the player, for example of the controller.
    pub player: String,
    /// JSON value that identifies the player. Two players of one name have different values if, for
    /// example, their files have different weights.
    pub identity: Value,
    /// Short label that distinguishes the run from a study's other conditions. It is the name of
    /// the run's folder there.
    pub label: String,
    /// Name of the run's default folder, without a number.
    pub folder: String,
    /// Settings of the run as texts, without the player.
    pub heading: Vec<String>,
    /// Keys of the configuration that reports show, besides the player.
    pub shown: &'static [&'static str],
    /// Name of the queue if it deals the same pieces in every game, so that the games do not differ
    /// and no interval can be computed; otherwise `None`.
    pub fixed_queue: Option<String>,
    /// Seed from which all random streams derive.
    pub seed: u64,
    /// Number of units that the run plays, by which its progress is shown, and what they are:
    /// games, matches or rounds.
    pub units: (u64, &'static str),
    /// Limits per game at which it is cut off or won: pieces, lines, and time in microseconds.
    pub limits: [Option<u64>; 3],
    /// Advice that is printed if no game ended. It names the options that limit games.
    pub remedy: String,
    /// Name of the column that comparisons use by default.
    pub measure: &'static str,
}

impl About {
    /// Returns true if the games of the run differ by chance.
    #[must_use]
    pub fn is_random(&self) -> bool {
        self.fixed_queue.is_none()
    }
}

/// Returns true if two configurations are equal, apart from what changes no result.
pub fn is_same(one: &impl Serialize, other: &impl Serialize) -> bool {
    json!(one) == json!(other)
}

/// A game whose runs can be the conditions of a study, played on common seeds.
pub trait Comparable: Job {
    /// Phrase for the games in a study's description.
    const PLAYED: &'static str = "falling-block games";

    /// Returns a copy of the run that plays `games` games.
    #[must_use]
    fn of_games(&self, games: u64) -> Self;

    /// Key of the configuration with the number of games, over all shards.
    const GAMES: &'static str = "games";

    /// Returns the number of games in the recorded configuration `entry`, over all shards.
    fn games(entry: &Self::Entry) -> u64 {
        json!(entry)[Self::GAMES].as_u64().unwrap_or_default()
    }

    /// Returns the names and settings of the run for people.
    fn about(&self) -> About;

    /// Returns the interpretation of a numeric column of the results.
    fn measure(&self, column: &Column) -> Measure;

    /// Returns true if a complete run with the first configuration can be extended to the second.
    /// The second must plan more games and be otherwise equal, without logs.
    fn begins(entry: &Self::Entry, longer: &Self::Entry) -> bool {
        let (mut entry, longer) = (json!(entry), json!(longer));
        let whole = entry["shard"].is_null() && entry["log"].is_null();
        let games = |config: &Value| config[Self::GAMES].as_u64();
        let is_shorter = games(&entry) < games(&longer) && games(&entry).is_some();
        entry[Self::GAMES] = longer[Self::GAMES].clone();
        whole && is_shorter && entry == longer
    }

    /// Returns the position at which a complete run of `games` games is extended. It is the first
    /// work item to play, and the number of its rows that the results already have.
    #[must_use]
    fn end_of(games: u64) -> (u64, u64) {
        (games, 0)
    }

    /// Adapts the logs of all runs of a study, so that equal tables of different runs have equal
    /// columns and can be read as one table. Each run is given with the number of its condition.
    fn join(_: &mut [(u64, &mut Self)])
    where
        Self: Sized,
    {
    }

    /// Returns the interpretation of the column `name` of the results.
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

    /// Returns true if a column of the results contains whole numbers.
    fn is_whole(&self, column: &str) -> bool {
        let mut columns = self.result_table().into_iter().flat_map(|table| table.columns);
        columns.any(|one| one.name == column && one.kind != ColumnType::Real)
    }

    /// Reads the value of `measure` for each work item from the results in `folder`, in the order
    /// of the items. Returns an empty list if the game has no results.
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
