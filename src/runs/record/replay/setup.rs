//! What a run of the classic rules played, from its `run.json`.

use std::path::Path;

use crate::board::{Board, BoardSize};
use crate::controller::{Controller, split_weights};
use crate::error::{Error, Result, quoted};
use crate::record::folder::manifest::{ConfigEntry, read_manifest};
use crate::rules::{Entry, Reach, Rules};
use crate::search::Search;

/// Who played, and under which rules.
#[derive(Debug)]
pub struct ReplaySetup {
    /// The rules.
    pub rules: Rules,
    /// The board's size.
    pub size: BoardSize,
    /// The board that every game starts from.
    pub start: Board,
    /// How far the controller looked ahead.
    pub search: Search,
    /// Who played; an error when this program has no such features.
    pub controller: Result<Controller>,
    /// Its name, the queue and the seed as recorded.
    pub words: [String; 3],
}

#[derive(serde::Deserialize)]
struct Recorded {
    config: ConfigEntry,
}

/// Reads what a run played.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] when `run.json` is missing, or of another game.
pub fn read_setup(folder: &Path) -> Result<ReplaySetup> {
    let path = folder.join("run.json");
    let Recorded { config } = read_manifest(&path)?;
    ReplaySetup::of_entry(&config).map_err(|error| not_as_written(&path, &error))
}

impl ReplaySetup {
    /// Reads the setup of a run from the `config` of its `run.json` or checkpoint.
    ///
    /// # Errors
    /// [`Error::Config`] if it is of another game or names something that this program lacks.
    pub fn of(config: &serde_json::Value) -> Result<ReplaySetup> {
        let unknown = |error: serde_json::Error| Error::Config(format!("config: {error}"));
        ReplaySetup::of_entry(&serde_json::from_value(config.clone()).map_err(unknown)?)
    }

    /// Parses the texts of a configuration.
    ///
    /// # Errors
    /// [`Error::Config`] if it names something that this program lacks.
    pub fn of_entry(config: &ConfigEntry) -> Result<ReplaySetup> {
        let size: BoardSize = config.board.parse()?;
        let start = config.start.as_ref().map(|text| Board::from_hex(size, text)).transpose()?;
        let entry = &config.controller;
        Ok(ReplaySetup {
            rules: rules(config)?,
            size,
            start: start.unwrap_or_else(|| Board::empty(size)),
            search: config.search.parse()?,
            // Not an error here: placements can be shown without the values of an unknown feature.
            controller: controller(config),
            words: [entry.name.clone(), config.queue.clone(), config.seed.clone()],
        })
    }
}

/// The named rules, with the two settings that `run.json` has of its own.
fn rules(config: &ConfigEntry) -> Result<Rules> {
    let mut rules: Rules = config.rules.parse()?;
    rules.clear_on_overflow = config.clear_on_overflow;
    if config.reach.as_deref() == Some("anywhere") {
        rules.entry = Entry::SpawnInside(Reach::Anywhere);
    }
    Ok(rules)
}

/// The player with its weights; what only presets tell (title, note) is not recorded.
fn controller(config: &ConfigEntry) -> Result<Controller> {
    let entry = &config.controller;
    let (weights, at_height) =
        split_weights(recorded_weights(&entry.weights)?).map_err(Error::Config)?;
    Ok(Controller {
        name: entry.name.clone(),
        title: String::new(),
        source: entry.source.clone(),
        published: None,
        note: None,
        measured: entry.measured,
        tie: entry.tie,
        board_width: None,
        weights,
        at_height,
    })
}

/// The weights of a controller by name, as `run.json` has them.
///
/// # Errors
/// [`Error::Config`] for a weight that is no number.
pub fn recorded_weights(
    weights: &serde_json::Map<String, serde_json::Value>,
) -> Result<Vec<(&str, f64)>> {
    let mut named = Vec::with_capacity(weights.len());
    for (name, weight) in weights {
        let wrong = || Error::Config(format!("the weight of {name} is {weight}, no number"));
        named.push((name.as_str(), weight.as_f64().ok_or_else(wrong)?));
    }
    Ok(named)
}

/// The seed as `run.json` has it: hexadecimal.
///
/// # Errors
/// [`Error::Config`] when it is none.
pub fn recorded_seed(text: &str) -> Result<u64> {
    let digits = text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
    digits
        .and_then(|seed| seed.ok())
        .ok_or_else(|| Error::Config(format!("seed '{}'", quoted(text))))
}

/// The error of a file that has what no run writes.
pub fn not_as_written(path: &Path, problem: &Error) -> Error {
    Error::Config(format!("{}: {problem}: restore it from a copy", path.display()))
}
