//! Runs games of any kind: workers, order, checkpoints, tables and `run.json`.
//!
//! A type implements [`Job`] to define a run, which consists of numbered work items. [`play`] plays
//! them on all cores into a folder, whose bytes are identical for any number of threads and any
//! interruptions. [`each`] plays them without a folder. [`Comparable`] is what studies and
//! comparisons need beyond that.
//!
//! Errors: every function that reads a folder fails on a missing or damaged file, and every check
//! names the setting to change.

mod folder_writer;
mod run;

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::quoted;
use crate::prelude::*;
use crate::record::{
    Provenance, invalid_content_error, package, read_manifest, read_run, read_values,
};
use crate::stats::{Better, Observed, Scale};
use crate::threads::all_cores;

pub use folder_writer::{FinishedTables, FolderWriter, RunState};
pub use run::{Played, Totals, WorkerContext, Writer, each, play, play_or_resume};

/// Work that `run.json` and `datapackage.json` describe: simulated games, an estimate, a training.
pub trait Described: Sized {
    /// Kind of work (run, estimate or training), as stored in `run.json` and `checkpoint.json`.
    const KIND: Kind = Kind::Run;

    /// Configuration of the games, estimate or training, as stored in `run.json`.
    type Entry: Clone + Serialize + DeserializeOwned + Debug + Send + 'static;
    /// Totals of the run, such as its number of pieces, as stored in `run.json`.
    type Totals: Clone + Serialize + DeserializeOwned + Debug;
    /// Summary of the games, estimate or training, such as means, as stored in `run.json`.
    type Summary: Clone + Serialize + DeserializeOwned + Debug;

    /// Checks the configuration of a run, read from the run's `run.json`.
    fn check_entry(_: &Self::Entry) -> Result<()> {
        Ok(())
    }

    /// Returns name, title and description for the run's `datapackage.json`.
    fn describe(manifest: &Manifest<Self>) -> [String; 3];

    /// Returns the summary of a run that was merged from its separately played parts (shards).
    fn merged(_: &Self::Entry, _: &Path, _: Vec<Self::Summary>) -> Result<Option<Self::Summary>> {
        Ok(None)
    }

    /// Returns sources as JSON for `datapackage.json`, for example the controller's origin.
    fn sources(_: &Self::Entry) -> Vec<Value> {
        Vec::new()
    }
}

/// Default time between two checkpoints of a run.
pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(3);

/// Returns the default time between two checkpoints, for configurations that state none.
#[must_use]
pub fn checkpoint_every() -> Duration {
    CHECKPOINT_EVERY
}

/// Returns 1, the number of worker threads if a configuration states none.
#[must_use]
pub fn one_thread() -> usize {
    1
}

/// Configured run of some game as a sequence of numbered work items, such as games. An item's
/// result depends only on the configuration and the item's number.
pub trait Job: Described + Clone + Debug + Sync + 'static {
    /// Words for a run of this game in messages to the user, such as "a run".
    const OF: &'static str = "a run";
    /// Name of the game in configuration files.
    const NAME: &'static str;
    /// True if a run adds up its games' results in the order of the games. If false, a resumed run
    /// computes the results from its table of games ([`Job::restore_count`]).
    const IN_ORDER: bool = true;

    /// True if the command that plays such runs has the option `--force`, to play a run again.
    const HAS_FORCE: bool = true;
    /// True if a complete run keeps its checkpoint, so that a larger budget can continue the run.
    /// The tables of such a run must be plain CSV.
    const IS_EXTENDABLE: bool = false;

    /// Player of a worker thread, with the state that it keeps between work items (games).
    type Player;
    /// Result of one work item, such as a game, which is added to the run's results.
    type ItemResult: Send;
    /// State of an unfinished game or other work item, from which it can be resumed.
    type Resumable: Clone + Serialize + DeserializeOwned + Debug + Send + 'static;
    /// Accumulated results of a run's finished games (work items), such as sums or a list.
    type Count: Default + Serialize + DeserializeOwned;

    /// Checks the settings of a run for values that are out of range or do not fit together.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the configuration of the run as stored in `run.json`.
    fn recorded_config(&self) -> Self::Entry;

    /// Parses and checks the configuration of a run from a JSON file.
    fn recorded(config: &Value) -> Result<Self::Entry> {
        let entry = Self::Entry::deserialize(config);
        let entry = entry.map_err(|error| Error::Config(format!("config: {error}")))?;
        Self::check_entry(&entry).map(|()| entry)
    }

    /// Reads the configuration of the run in `folder` from `run.json`.
    fn read_entry(folder: &Path) -> Result<Self::Entry> {
        let manifest = read_run(folder)?;
        match manifest["config"]["game"].as_str() {
            Some(game) if game != Self::NAME => Err(Error::Config(format!(
                "{} holds a run of {} games: give a run of {} games",
                folder.display(),
                quoted(game),
                Self::NAME
            ))),
            _ => Self::recorded(&manifest["config"])
                .map_err(|error| invalid_content_error(&folder.join("run.json"), error)),
        }
    }

    /// Returns the tables that a run writes, in the order in which a game returns their rows.
    fn tables(&self) -> Vec<TableSpec>;

    /// Returns the index of the run's table with one row per game, which is finished last.
    fn results(&self) -> usize {
        0
    }

    /// Returns the table with one row per game ([`Job::results`]), or `None` without tables.
    fn result_table(&self) -> Option<TableSpec> {
        self.tables().into_iter().nth(self.results())
    }

    /// Returns the file names of the run's tables.
    fn files(&self) -> Vec<String> {
        self.tables().into_iter().map(|table| table.file).collect()
    }

    /// Returns the number of worker threads that play the run.
    fn threads(&self) -> usize {
        all_cores()
    }

    /// Returns the time between two checkpoints of the run.
    fn checkpoint_every(&self) -> Duration {
        CHECKPOINT_EVERY
    }

    /// Returns the SIMD instruction level of the scoring kernels, or `None` if the game uses none.
    fn level(&self) -> Option<String> {
        None
    }

    /// Returns the range of numbers of a run's work items (games). A run that has enough results
    /// ends earlier.
    fn work_items(&self) -> Range<u64>;

    /// Creates the player with which one worker thread plays work items (games).
    fn player(&self) -> Result<Self::Player>;

    /// Plays the game (work item) `item`, from the state `from` if given. Returns the result and
    /// the last rows; `None` if stopped without a result.
    fn play(
        &self,
        player: &mut Self::Player,
        item: u64,
        from: Option<Self::Resumable>,
        context: &WorkerContext<Self>,
    ) -> Result<Option<(Self::ItemResult, Vec<Rows>)>>;

    /// Returns true if the game (work item) was stopped early; a resumed run plays it again.
    fn is_cut(_: &Self::ItemResult) -> bool {
        false
    }

    /// Returns the number of the game (work item) that belongs to the unfinished state `open`.
    fn number_of(open: &Self::Resumable) -> u64;

    /// Completes a game's state from a checkpoint with data that only the configuration has.
    fn restore_item(&self, open: Self::Resumable) -> Result<Self::Resumable> {
        Ok(open)
    }

    /// Returns empty accumulated results, to which a new run adds those of its games.
    fn empty_count(&self) -> Self::Count {
        Self::Count::default()
    }

    /// Returns the results with which a run resumes: those from the checkpoint (`stored`), or from
    /// the run's tables if [`Job::IN_ORDER`] is false.
    fn restore_count(&self, stored: Self::Count, _: &RunFolder) -> Result<Self::Count> {
        Ok(stored)
    }

    /// Adds a game's result to `count`, may change its `rows`, and returns true if the run goes on.
    fn take(
        &self,
        count: &mut Self::Count,
        number: u64,
        item: Self::ItemResult,
        rows: &mut Vec<Rows>,
    ) -> bool;

    /// Returns true if the run is complete; `counted` is the number of the first unfinished game.
    fn is_complete(&self, counted: u64, _: &Self::Count) -> bool {
        counted >= self.work_items().end
    }

    /// Returns rows to append to the tables when a run ends. A command that continues the run
    /// removes these rows first.
    fn last_rows(&self, _: &Self::Count) -> Vec<Rows> {
        Vec::new()
    }

    /// Completes a run's accumulated results after the last game, for example by sorting them.
    fn end(_: &mut Self::Count) {}

    /// Returns the totals of a run for `run.json`, computed from its accumulated results.
    fn totals(count: &Self::Count) -> Self::Totals;

    /// Returns the summary of the run for `run.json`, or `None` without games.
    fn summary(&self, _: &Self::Count) -> Option<Self::Summary> {
        None
    }

    /// Returns the number of games already played when a run is resumed, for its progress bar.
    fn played(&self, _: &Self::Count, first: u64) -> u64 {
        first - self.work_items().start
    }
}

/// Type without values, for games that are too short to be stored unfinished and resumed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum NotResumable {}

/// Contents of `run.json`, the description of a run in its folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Manifest<J: Described> {
    /// Program, machine and times with which the run was played.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Kind of work that wrote the folder: run, estimate or training.
    pub kind: Kind,
    /// Final status of the run: complete, interrupted or failed.
    pub status: Status,
    /// Configuration of the run that the folder contains.
    pub config: J::Entry,
    /// Totals of the run's games, such as the numbers of games and pieces.
    #[serde(flatten)]
    pub totals: J::Totals,
    /// Summary of the run's games, such as mean lines; `None` without games.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub summary: Option<J::Summary>,
    /// Files of the run's tables, with their sizes and checksums.
    pub files: Vec<FileEntry>,
}

/// Returns the name of the game in the `run.json` of `folder`, or an empty text without one.
pub fn game_of(folder: &Path) -> Result<String> {
    Ok(read_run(folder)?["config"]["game"].as_str().unwrap_or_default().to_owned())
}

impl<J: Described> Manifest<J> {
    /// Reads and parses the `run.json` in `folder`, which describes a run.
    pub fn read(folder: &Path) -> Result<Manifest<J>> {
        read_manifest(&folder.join("run.json"))
    }

    /// Parses the description of a run from the JSON of its `run.json`.
    pub fn from_json(manifest: &Value) -> Result<Manifest<J>> {
        serde_json::from_value(manifest.clone())
            .map_err(|error| Error::Config(format!("run.json: {error}: use its game's command")))
    }

    /// Returns the run's description for `datapackage.json`, without the list of tables.
    #[must_use]
    pub fn package(&self) -> Value {
        let [name, title, text] = J::describe(self);
        let mut package = package(&name, &title, &text);
        let Provenance { program, version, finished, .. } = &self.provenance;
        package["version"] = json!(version);
        package["created"] = json!(finished);
        let mut sources = vec![json!({ "title": program, "version": version })];
        sources.extend(J::sources(&self.config));
        package["sources"] = json!(sources);
        package
    }
}

/// Numeric column of a run's table of games, and how to compare runs by it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Name of the column, in the table of games, by which runs are compared.
    pub column: String,
    /// Scale of the compared column: [`Scale::Total`] if its numbers grow during a game.
    pub scale: Scale,
    /// Direction in which a mean of the compared column is better: more or fewer.
    pub better: Better,
    /// Column and values in it that mark a game as finished; `None` if every game is finished.
    pub ended: Option<(&'static str, &'static [&'static str])>,
}

/// Names and settings of a run for people: in reports, studies and names of folders.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Name of the player that plays the run's games, for example of the controller.
    pub player: String,
    /// JSON value that differs between players of the same name, for example by their weights.
    pub identity: Value,
    /// Short label of the run, unique among the settings of a study; it names the run's folder.
    pub label: String,
    /// Name of the run's default folder, before a number is appended.
    pub folder: String,
    /// Settings of the run as texts for headings, without the player.
    pub heading: Vec<String>,
    /// Keys of the run's configuration that reports show, besides the player.
    pub reported_keys: &'static [&'static str],
    /// Name of a queue that deals the same pieces in every game; `None` if the queue is random.
    pub fixed_queue: Option<String>,
    /// Seed from which all random streams of the run derive.
    pub seed: u64,
    /// Number of units that the run plays, and their name: games, matches or rounds.
    pub units: (u64, &'static str),
    /// Limits at which a game is cut off or won: pieces, lines, and time in microseconds.
    pub limits: [Option<u64>; 3],
    /// Advice to the user if no game of the run ended, which names options that limit games.
    pub remedy: String,
    /// Name of the column by which runs are compared by default.
    pub measure: &'static str,
}

impl About {
    /// Returns true if the run's games differ by chance; false if all are dealt the same pieces.
    #[must_use]
    pub fn is_random(&self) -> bool {
        self.fixed_queue.is_none()
    }
}

/// Returns true if two configurations are equal in all settings that can change results.
pub fn is_same(one: &impl Serialize, other: &impl Serialize) -> bool {
    json!(one) == json!(other)
}

/// Kind of game whose runs a study can compare, with several settings and the same seeds.
pub trait Comparable: Job {
    /// Words for the compared games in the description of a study.
    const PLAYED: &'static str = "falling-block games";

    /// Returns a copy of the run's settings for `games` games.
    #[must_use]
    fn of_games(&self, games: u64) -> Self;

    /// Name of the stored setting for a run's number of games, over all its parts (shards).
    const GAMES: &'static str = "games";

    /// Returns the number of games in a run's stored configuration, over all its parts (shards).
    fn games(entry: &Self::Entry) -> u64 {
        json!(entry)[Self::GAMES].as_u64().unwrap_or_default()
    }

    /// Returns the names and settings of the run as people read them in reports.
    fn about(&self) -> About;

    /// Returns how to compare runs by a numeric column of the table of games.
    fn measure(&self, column: &Column) -> Measure;

    /// Returns true if the run `entry` is the run `longer` with fewer games; false for shards and
    /// runs with a log.
    fn is_prefix_of(entry: &Self::Entry, longer: &Self::Entry) -> bool {
        let (mut entry, longer) = (json!(entry), json!(longer));
        let whole = entry["shard"].is_null() && entry["log"].is_null();
        let games = |config: &Value| config[Self::GAMES].as_u64();
        let is_shorter = games(&entry) < games(&longer) && games(&entry).is_some();
        entry[Self::GAMES] = longer[Self::GAMES].clone();
        whole && is_shorter && entry == longer
    }

    /// Returns where a longer run continues a run of `games` games: the next game, and how many of
    /// its rows are stored.
    #[must_use]
    fn extension_point(games: u64) -> (u64, u64) {
        (games, 0)
    }

    /// Gives the logs of all runs of a study the same columns. Each pair is the number of a setting
    /// (condition) and its run.
    fn unify_log_columns(_: &mut [(u64, &mut Self)])
    where
        Self: Sized,
    {
    }

    /// Returns how to compare runs by the column `name` of the table of games.
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

    /// Returns true if the column `column` of the table of games contains whole numbers.
    fn is_whole(&self, column: &str) -> bool {
        let mut columns = self.result_table().into_iter().flat_map(|table| table.columns);
        columns.any(|one| one.name == column && one.kind != ColumnType::Real)
    }

    /// Reads the value of a column for each game of the run in `folder`; empty without a table.
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
