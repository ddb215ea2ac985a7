//! Checkpoint of an unfinished copy of a run; the same command restarts the copy.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::record::{Kind, ResumePoint, RunFolder, TableCursor, VERSION};

/// Checkpoint of an unfinished copy: its configuration and the names of its files. A restarted copy
/// keeps nothing from the earlier attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CopyCheckpoint {
    version: String,
    config: Value,
    files: Vec<String>,
}

impl CopyCheckpoint {
    /// Writes the checkpoint of a copy into `folder`. `config` is the configuration for the copy's
    /// `run.json`, and `files` are the names of its table files.
    ///
    /// # Errors
    /// The errors of [`ResumePoint::write`].
    pub fn begin(folder: &RunFolder, config: &Value, files: &[String]) -> Result<()> {
        let (config, files) = (config.clone(), files.to_vec());
        CopyCheckpoint { version: VERSION.to_owned(), config, files }.write(folder.path())
    }
}

impl ResumePoint for CopyCheckpoint {
    const OF: &'static str = "a copy of a run";
    const KIND: Kind = Kind::Run;
    const HAS_FORCE: bool = false;

    fn is_of(state: &Value) -> bool {
        state["files"].is_array()
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn config(&self) -> Value {
        self.config.clone()
    }

    fn files(&self) -> Vec<String> {
        self.files.clone()
    }

    fn take_back(&mut self, _: &[TableCursor]) {}
}
