//! An estimate's folder: `plan.json`, `replications.jsonl` as it grows, and the tables at the end.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{EstimateConfig, Levels, PilotOptions, Replication};
use crate::error::{Error, Result};
use crate::record::{ConfigEntry, Logs, PARTIAL, RunFolder};

/// What was decided before the first replication.
const PLAN: &str = "plan.json";
/// One object per replication, in order.
const REPLICATIONS: &str = "replications.jsonl";

/// What an estimate is of: all that its replications depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanEntry {
    /// Version of the program; another may play differently.
    pub version: String,
    /// Who plays what. Its games and limits say nothing here.
    pub config: ConfigEntry,
    /// Whether paths split.
    pub splits: bool,
    /// What levels are levels of.
    pub importance: super::Importance,
    /// Pieces of a replication's main path.
    pub pieces: u64,
    /// Pieces that it plays before it counts.
    pub burn_in: u64,
    /// How levels were placed.
    pub pilot: PilotOptions,
}

/// The plan with the levels that the pilot found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Plan {
    #[serde(flatten)]
    entry: PlanEntry,
    levels: Levels,
}

impl PlanEntry {
    /// The entry of a configuration.
    #[must_use]
    pub fn of(config: &EstimateConfig) -> PlanEntry {
        PlanEntry {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config: ConfigEntry::of(&config.run, &Logs::default()),
            splits: config.splits,
            importance: config.importance,
            pieces: config.pieces,
            burn_in: config.burn_in,
            pilot: config.pilot,
        }
    }
}

/// What a folder holds of an estimate.
#[derive(Clone, Debug)]
pub struct Begun {
    /// Its levels.
    pub levels: Levels,
    /// Its replications.
    pub replications: Vec<Replication>,
}

impl Begun {
    /// Reads what a folder holds of this estimate; `None` when there is no such folder, or it is empty
    /// because the work was killed before levels were placed.
    ///
    /// # Errors
    /// [`Error::Exists`] when the folder holds something else, [`Error::Config`] when it holds another
    /// estimate, [`Error::Io`] when it can't be read.
    pub fn read(folder: &Path, config: &EstimateConfig) -> Result<Option<Begun>> {
        let path = folder.join(PLAN);
        if folder.symlink_metadata().is_err() || is_empty(folder) {
            return Ok(None);
        }
        if !path.exists() {
            return Err(Error::Exists { path: folder.to_owned() });
        }
        let plan: Plan = parse(&path, &read(&path)?)?;
        if plan.entry != PlanEntry::of(config) {
            let text = format!(
                "{} holds another estimate: give the options that it was begun with (its {PLAN} has them), or another --out",
                folder.display()
            );
            return Err(Error::Config(text));
        }
        let path = folder.join(REPLICATIONS);
        let text = if path.exists() { read(&path)? } else { String::new() };
        let replications = whole_lines(&text).lines().map(|line| parse(&path, line));
        Ok(Some(Begun { levels: plan.levels, replications: replications.collect::<Result<_>>()? }))
    }
}

fn is_empty(folder: &Path) -> bool {
    let partial = format!("{PLAN}{PARTIAL}");
    fs::read_dir(folder).is_ok_and(|mut entries| {
        entries.all(|entry| entry.is_ok_and(|e| e.file_name() == *partial))
    })
}

/// The text without a last line that was not finished.
fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|e| Error::io("reading", path, e))
}

fn parse<'a, T: Deserialize<'a>>(path: &Path, text: &'a str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        let path = path.display();
        Error::Config(format!("{path} is damaged ({error}): restore it, or give another --out"))
    })
}

/// Writes replications as they come.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: std::path::PathBuf,
}

impl Journal {
    /// Opens the journal of an estimate: a new one with its plan, or the one there is after so many whole
    /// replications.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be written.
    pub fn open(folder: &RunFolder, config: &EstimateConfig, levels: &Levels) -> Result<Journal> {
        let path = folder.path().join(REPLICATIONS);
        let failed = |e| Error::io("writing", &path, e);
        if !folder.path().join(PLAN).exists() {
            let plan = Plan { entry: PlanEntry::of(config), levels: levels.clone() };
            folder.put(PLAN, &(json(&path, &plan)? + "\n"))?;
        }
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        let whole = whole_lines(&read(&path)?).len() as u64;
        file.set_len(whole).map_err(failed)?;
        Ok(Journal { file, path })
    }

    /// Adds a replication.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be written.
    pub fn add(&mut self, found: &Replication) -> Result<()> {
        let line = json(&self.path, found)? + "\n";
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|e| Error::io("writing", &self.path, e))
    }
}

fn json(path: &Path, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::io("writing", path, e.into()))
}
