//! `checkpoint.json`, from which killed or interrupted work resumes.
//!
//! The file has a checksum of itself and of the written bytes of each table. Resumed work writes
//! the same bytes as uninterrupted work, or fails.
//! Frozen: bytes

use std::io::ErrorKind;

use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::files::read_written;
use crate::prelude::*;
use crate::record::folder::manifest::changed_config_error;
use crate::record::folder::{CHECKPOINT, check_listed_names, put, remove_checkpoint};
use crate::record::formats::blocks::hexadecimal;
use crate::record::{TableCursor, VERSION};

/// Progress of unfinished work (a run, training, estimate or copy), stored in a checkpoint file.
pub trait CheckpointState: Serialize + DeserializeOwned {
    /// Name of the kind of unfinished work in error messages, such as "a copy of a run".
    const OF: &'static str;
    /// Kind of the work that the checkpoint resumes: run, estimate or training.
    const KIND: Kind;
    /// True if the command that started the run, training or estimate has the option `--force`.
    const HAS_FORCE: bool = false;

    /// Configuration of the run, training or estimate, as its `run.json` records it.
    type Config: Serialize + DeserializeOwned;
}

/// Content of a checkpoint file, from which a run, training or estimate continues.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Checkpoint<S: CheckpointState> {
    /// Version of the program that wrote the checkpoint; another version may play differently.
    pub version: String,
    /// Kind of the unfinished work: run, estimate or training.
    pub kind: Kind,
    /// Command-line settings with which a run or training is resumed; null if there are none.
    pub settings: Value,
    /// Configuration of the run, training or estimate, as its `run.json` will contain it.
    pub config: S::Config,
    /// Positions in the table files from which a resumed run continues to write.
    pub tables: Vec<TableCursor>,
    /// Progress of the unfinished run, training or estimate, from which the work continues.
    pub state: S,
}

impl<S: CheckpointState> Checkpoint<S> {
    /// Creates a checkpoint that states the version of this program.
    #[must_use]
    pub fn new(settings: Value, config: S::Config, tables: Vec<TableCursor>, state: S) -> Self {
        Checkpoint { version: VERSION.to_owned(), kind: S::KIND, settings, config, tables, state }
    }

    /// Checks that a resumed run has the checkpoint's configuration; errors state differences.
    pub fn check_config(&self, config: &S::Config) -> Result<()> {
        let (begun, asked) = (json!(self.config), json!(config));
        if begun == asked { Ok(()) } else { Err(changed_config_error(&begun, &asked)) }
    }

    /// Reads the checkpoint in `folder`; fails for another program version or another kind of work.
    pub fn read(folder: &Path) -> Result<Checkpoint<S>> {
        let (text, content) = read_checked_state(folder)?;
        let is_ours = content["kind"] == json!(S::KIND);
        serde_json::from_str(&text).ok().filter(|_| is_ours).ok_or_else(|| {
            let (path, of) = (folder.join(CHECKPOINT), S::OF);
            let path = path.display();
            Error::Config(format!("{path} is no checkpoint of {of}: choose another folder"))
        })
    }

    /// Writes the checkpoint's file into `folder` atomically.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string(self);
        let text = text.map_err(|e| Error::io("writing", folder.join(CHECKPOINT), e.into()))?;
        put(folder, CHECKPOINT, write_checksum(&text).as_bytes())
    }

    /// Removes the checkpoint of a complete run; otherwise moves its table positions back to the
    /// positions `truncated`, at which tables were cut off.
    pub fn finish(folder: &Path, complete: bool, truncated: &[TableCursor]) {
        let record_ends = || {
            let mut checkpoint = Self::read(folder)?;
            for table in &mut checkpoint.tables {
                let other = truncated.iter().find(|other| other.name == table.name);
                if let Some(other) = other.filter(|other| other.cursor.bytes < table.cursor.bytes) {
                    table.clone_from(other);
                }
            }
            checkpoint.write(folder)
        };
        if complete || (!truncated.is_empty() && record_ends().is_err()) {
            remove_checkpoint(folder);
        }
    }
}

/// Checkpoint state of an unfinished copy of a run. A copy is never resumed, but made again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CopyState {
    /// Names of the table files that the copy will have.
    pub files: Vec<String>,
}

impl CheckpointState for CopyState {
    const OF: &'static str = "a copy of a run";
    const KIND: Kind = Kind::Run;
    type Config = Value;
}

/// Returns the content of the checkpoint in a folder of a run, training or estimate, as JSON.
pub fn checkpoint_state(folder: &Path) -> Result<Value> {
    read_checked_state(folder).map(|(_, state)| state)
}

fn read_checked_state(folder: &Path) -> Result<(String, Value)> {
    let (path, shown) = (folder.join(CHECKPOINT), folder.display());
    let bytes = read_written(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Error::Config(format!(
            "{shown} has no checkpoint to resume from: only a killed or interrupted run has one"
        )),
        _ => Error::io("reading", &path, error),
    })?;
    let (list, path, remedy) = (&path, path.display(), restart_advice(folder));
    let text = verify_checksum(&bytes).ok_or_else(|| {
        let what = "is damaged: it does not match its checksum";
        Error::Config(format!("{path} {what}; {remedy}"))
    })?;
    let state: Value = serde_json::from_str(text).unwrap_or_default();
    check_listed_names(list, &state)?;
    let (begun, this) = (state["version"].as_str(), VERSION);
    if let Some(begun) = begun.filter(|begun| *begun != this) {
        return Err(Error::Config(format!(
            "{shown} was started by version {begun}, this is {this}: resume it with that version, \
             or {remedy}"
        )));
    }
    Ok((text.to_owned(), state))
}

/// Returns advice on damaged files in `folder`: restore them, or remove the folder and start again.
pub fn restart_advice(folder: &Path) -> String {
    format!(
        "restore it from a copy, or remove {} and give the command again to start a new run",
        folder.display()
    )
}

pub(crate) const CHECKSUM_START: &str = r#"{"sha256":""#;
const CHECKSUM_MIDDLE: &str = r#"","state":"#;
const CHECKSUM_END: &str = "}\n";

/// Returns a line of JSON that contains the JSON text `state` and the SHA-256 of this text.
pub fn write_checksum(state: &str) -> String {
    format!("{CHECKSUM_START}{}{CHECKSUM_MIDDLE}{state}{CHECKSUM_END}", checksum(&[state]))
}

/// Returns the JSON text that `write_checksum` put into `bytes`; `None` if the checksum is wrong.
pub fn verify_checksum(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let rest = text.strip_prefix(CHECKSUM_START)?.strip_suffix(CHECKSUM_END)?;
    let (sha256, state) = rest.split_once(CHECKSUM_MIDDLE)?;
    (checksum(&[state]) == sha256).then_some(state)
}

/// Returns the SHA-256 of the concatenated texts as hexadecimal digits.
pub fn checksum(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    texts.iter().for_each(|text| hash.update(text));
    hexadecimal(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_changed_byte_is_believed() {
        let sealed = write_checksum(r#"{"first":17,"tables":[]}"#);
        assert_eq!(verify_checksum(sealed.as_bytes()), Some(r#"{"first":17,"tables":[]}"#));
        let whole = serde_json::from_str::<serde_json::Value>(&sealed).unwrap();
        assert_eq!(whole["state"]["first"], 17);
        for place in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[place] ^= 1;
            assert_eq!(verify_checksum(&changed), None, "byte {place}");
            assert_eq!(verify_checksum(&sealed.as_bytes()[..place]), None, "cut at {place}");
        }
    }
}
