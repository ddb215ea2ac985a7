//! Reads and writes an estimate's folder: `plan.json`, `replications.jsonl` during the run, and the
//! tables at the end.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{EstimateConfig, Levels, Replication};
use crate::error::setting::OUT;
use crate::error::{Error, Result};
use crate::record::{
    PARTIAL, RunFolder, VERSION, checksum, differences, exists, start_anew, verify_checksum,
    write_checksum,
};
use crate::sim::Game;

/// File of an estimate's configuration and levels, written before the first replication.
const PLAN: &str = "plan.json";
/// File of the replications (independent runs of the splitting estimator): one JSON object per
/// line, in the order of their indices.
const REPLICATIONS: &str = "replications.jsonl";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Plan {
    #[serde(flatten)]
    entry: Value,
    levels: Levels,
}

impl<G: Game> EstimateConfig<G> {
    /// Returns all settings on which the replications depend, as `plan.json` records them.
    #[must_use]
    pub fn entry(&self) -> Value {
        json!({
            // The version is part of the entry, because another version may play differently.
            "version": VERSION,
            "config": self.run,
            "splits": self.splits,
            "importance": self.importance,
            "pieces": self.pieces,
            "burn_in": self.burn_in,
            "pilot": self.pilot,
        })
    }
}

/// Estimate as read from its folder.
#[derive(Clone, Debug)]
pub struct RecordedEstimate {
    /// Levels of importance at which games split into copies.
    pub levels: Levels,
    /// Completed replications, in the order of their indices.
    pub replications: Vec<Replication>,
}

/// Line of `replications.jsonl`: a replication with its number, from 0, and the checksum of the
/// line before it. The first line has the checksum of the plan instead. The checksums detect lines
/// that were changed, removed or moved. The number detects a replication that was appended twice.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    before: String,
    number: u64,
    #[serde(flatten)]
    replication: Replication,
}

impl RecordedEstimate {
    /// Reads the estimate with the configuration `config` from `folder`. Returns `None` if the
    /// folder does not exist or has no complete file, because an earlier run was interrupted before
    /// it placed levels.
    ///
    /// # Errors
    /// [`Error::Config`] if the folder contains other files, another estimate, or a damaged one.
    /// [`Error::Io`] if it can't be read.
    pub fn read<G: Game>(
        folder: &Path,
        config: &EstimateConfig<G>,
    ) -> Result<Option<RecordedEstimate>> {
        let path = folder.join(PLAN);
        let shown = folder.display();
        if !exists(folder)? || is_empty(folder) {
            return Ok(None);
        }
        if !exists(&path)? {
            let text = format!("{shown} exists and holds no estimate: choose another {OUT}");
            return Err(Error::Config(text));
        }
        let sealed = read(&path)?;
        let plan: Plan = parse(folder, &path, verify_checksum(&sealed))?;
        let (begun, asked) = (plan.entry, config.entry());
        if begun != asked {
            let differing = differences(&begun, &asked);
            let text = format!("{shown} holds another estimate: {differing}; choose another {OUT}");
            return Err(Error::Config(text));
        }
        let path = folder.join(REPLICATIONS);
        let bytes = if exists(&path)? { read(&path)? } else { Vec::new() };
        let mut before = line_checksum(&sealed);
        let mut replications = Vec::new();
        // A last line without its end was cut off by a kill, so that replication is played again.
        for line in whole_lines(&bytes).split_inclusive(|&byte| byte == b'\n') {
            let entry: Entry = parse(folder, &path, verify_checksum(line))?;
            if entry.before != before {
                return Err(damaged(folder, &path));
            }
            let number = replications.len() as u64;
            if entry.number != number {
                return Err(Error::Config(format!(
                    "{} has replication {} in the place of replication {number}: {}",
                    path.display(),
                    entry.number,
                    start_anew(folder)
                )));
            }
            before = line_checksum(line);
            replications.push(entry.replication);
        }
        Ok(Some(RecordedEstimate { levels: plan.levels, replications }))
    }
}

fn is_empty(folder: &Path) -> bool {
    let partial = format!("{PLAN}{PARTIAL}");
    fs::read_dir(folder).is_ok_and(|mut entries| {
        entries.all(|entry| entry.is_ok_and(|e| e.file_name() == *partial))
    })
}

/// Returns the bytes up to the end of the last complete line.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)]
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|e| Error::io("reading", path, e))
}

fn parse<'a, T: Deserialize<'a>>(folder: &Path, path: &Path, state: Option<&'a str>) -> Result<T> {
    state.and_then(|state| serde_json::from_str(state).ok()).ok_or_else(|| damaged(folder, path))
}

/// Returns the checksum of `line` that the next line stores.
fn line_checksum(line: &[u8]) -> String {
    checksum(&[&String::from_utf8_lossy(line)])
}

fn damaged(folder: &Path, path: &Path) -> Error {
    let (path, remedy) = (path.display(), start_anew(folder));
    Error::Config(format!("{path} is damaged: it does not match its checksums; {remedy}"))
}

/// Writer that appends replications to `replications.jsonl`.
#[derive(Debug)]
pub struct ReplicationTable {
    file: File,
    path: std::path::PathBuf,
    last: String,
    /// Number of the next replication.
    next: u64,
}

impl ReplicationTable {
    /// Opens `replications.jsonl` in the folder of an estimate, of which the caller has the first
    /// `known` replications. If the folder has no plan, `plan.json` is written first. An existing
    /// file is continued after its complete lines.
    ///
    /// # Errors
    /// [`Error::Io`] if a file can't be written.
    pub fn open<G: Game>(
        folder: &RunFolder,
        config: &EstimateConfig<G>,
        levels: &Levels,
        known: usize,
    ) -> Result<ReplicationTable> {
        let path = folder.path().join(REPLICATIONS);
        let failed = |e| Error::io("writing", &path, e);
        if !exists(&folder.path().join(PLAN))? {
            let plan = Plan { entry: config.entry(), levels: levels.clone() };
            folder.put(PLAN, write_checksum(&text_of(&path, &plan)?))?;
        }
        let plan = folder.path().join(PLAN);
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        let written = read(&path)?;
        let whole = whole_lines(&written);
        // An incomplete last line must be cut off, or the next line would be appended to it.
        file.set_len(whole.len() as u64).map_err(failed)?;
        let last = match whole.split_inclusive(|&byte| byte == b'\n').next_back() {
            Some(line) => line_checksum(line),
            None => line_checksum(&read(&plan)?),
        };
        Ok(ReplicationTable { file, path, last, next: known as u64 })
    }

    /// Appends the replication `found` as a line with checksums.
    ///
    /// # Errors
    /// [`Error::Io`] if the line can't be written.
    pub fn add(&mut self, found: &Replication) -> Result<()> {
        let entry =
            Entry { before: self.last.clone(), number: self.next, replication: found.clone() };
        let line = write_checksum(&text_of(&self.path, &entry)?);
        // A single call writes the whole line, so a kill leaves a complete or an incomplete last
        // line.
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|e| Error::io("writing", &self.path, e))?;
        self.last = line_checksum(line.as_bytes());
        self.next += 1;
        Ok(())
    }
}

fn text_of(path: &Path, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::io("writing", path, e.into()))
}
