//! Setup of a classic run, read from its `run.json`.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::board::{Board, BoardSize};
use crate::controller::{Controller, External, Patterns, split_weights};
use crate::error::{Error, Result, quoted};
use crate::record::folder::manifest::{ConfigEntry, not_as_written, read_manifest};
use crate::rules::{Entry, Reach, Rules, garbage_board};
use crate::search::{Policy, Search};

/// Setup of a classic run: controller, search, rules and board.
#[derive(Debug)]
pub struct ReplaySetup {
    /// Rules of the game.
    pub rules: Rules,
    /// Size of the board.
    pub size: BoardSize,
    /// Board from which every game starts; `None` if it is empty or has garbage rows.
    pub start: Option<Board>,
    /// Number of garbage rows at the start, drawn for each game.
    pub garbage: usize,
    /// Seed of the run.
    pub seed: u64,
    /// Search depth of the controller.
    pub search: Search,
    /// Policy that chose the placements.
    pub policy: Policy,
    /// Controller; an error if this version lacks one of its features.
    pub controller: Result<Controller>,
    /// Recorded texts: the name of the controller, the queue and the seed.
    pub words: [String; 3],
}

/// Reads the setup of the run in `folder`.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] if `run.json` is missing or belongs to another game.
pub fn read_setup(folder: &Path) -> Result<ReplaySetup> {
    let path = folder.join("run.json");
    let manifest: Value = read_manifest(&path)?;
    if let Some(game) = manifest["config"]["game"].as_str() {
        return Err(Error::Config(format!(
            "{} holds a run of {} games: give a run of classic games (rules simplified or \
             standard)",
            folder.display(),
            quoted(game)
        )));
    }
    let config = ConfigEntry::deserialize(&manifest["config"]);
    let config = config.map_err(|error| not_as_written(&path, error))?;
    ReplaySetup::of_entry(&config).map_err(|error| not_as_written(&path, error))
}

impl ReplaySetup {
    /// Reads the setup of a run from the `config` of its `run.json` or checkpoint.
    ///
    /// # Errors
    /// [`Error::Config`] if it belongs to another game or names something that this version lacks.
    pub fn of(config: &serde_json::Value) -> Result<ReplaySetup> {
        let unknown = |error: serde_json::Error| Error::Config(format!("config: {error}"));
        ReplaySetup::of_entry(&serde_json::from_value(config.clone()).map_err(unknown)?)
    }

    /// Parses the setup from the texts of a recorded configuration.
    ///
    /// # Errors
    /// [`Error::Config`] if it names something that this version lacks.
    pub fn of_entry(config: &ConfigEntry) -> Result<ReplaySetup> {
        let size: BoardSize = config.board.parse()?;
        let start = config.start.as_ref().map(|text| Board::from_hex(size, text)).transpose()?;
        let entry = &config.controller;
        Ok(ReplaySetup {
            rules: rules(config)?,
            size,
            start,
            garbage: config.garbage,
            seed: recorded_seed(&config.seed)?,
            search: config.search.parse()?,
            policy: Policy::of_recorded(config.policy.as_deref())?,
            // An unknown feature is not an error here: placements can be shown without its values.
            controller: controller(config),
            words: [entry.name.clone(), config.queue.clone(), config.seed.clone()],
        })
    }

    /// Returns the board from which game number `game` starts.
    #[must_use]
    pub fn start_board(&self, game: u64) -> Board {
        self.start.unwrap_or_else(|| garbage_board(self.size, self.garbage, self.seed, game))
    }
}

/// Returns the rules that `config` names, adjusted by the two settings that `run.json` stores
/// separately.
fn rules(config: &ConfigEntry) -> Result<Rules> {
    let mut rules: Rules = config.rules.parse()?;
    rules.clear_on_overflow = config.clear_on_overflow;
    if config.reach.as_deref() == Some("anywhere") {
        rules.entry = Entry::SpawnInside(Reach::Anywhere);
    }
    Ok(rules)
}

/// Returns the recorded controller with its weights. The title and note of a preset are not
/// recorded, so they are empty here.
fn controller(config: &ConfigEntry) -> Result<Controller> {
    let entry = &config.controller;
    let (weights, at_height) =
        split_weights(recorded_weights(&entry.weights)?).map_err(Error::Config)?;
    let patterns = entry.patterns.as_ref().map(|text| Patterns::from_text(text, None));
    let patterns = patterns.transpose().map_err(Error::Config)?;
    Ok(Controller {
        source: entry.source.clone(),
        tie: entry.tie,
        weights,
        at_height,
        patterns,
        external: entry.external.clone().map(External::recorded),
        ..Controller::new(entry.name.clone(), entry.measured)
    })
}

/// Returns the weights of a controller that `run.json` records, each with its name.
///
/// # Errors
/// [`Error::Config`] if a weight is not a number.
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

/// Parses a recorded seed, which is hexadecimal.
///
/// # Errors
/// [`Error::Config`] if it is not a seed.
pub fn recorded_seed(text: &str) -> Result<u64> {
    let digits = text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
    digits
        .and_then(|seed| seed.ok())
        .ok_or_else(|| Error::Config(format!("seed '{}'", quoted(text))))
}
