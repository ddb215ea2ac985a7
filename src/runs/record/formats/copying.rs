//! Checkpoint of a folder that is a copy; the same command restarts the copy.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::record::{ResumePoint, RunFolder, TableCursor, VERSION};

/// Checkpoint of a copy: its run and its files. A restarted copy keeps nothing from the earlier
/// attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copying {
    version: String,
    config: Value,
    files: Vec<String>,
}

impl Copying {
    /// Starts the copy of a run with this configuration to these files.
    ///
    /// # Errors
    /// The errors of [`ResumePoint::write`].
    pub fn begin(folder: &RunFolder, config: &Value, files: &[String]) -> Result<()> {
        let (config, files) = (config.clone(), files.to_vec());
        Copying { version: VERSION.to_owned(), config, files }.write(folder.path())
    }
}

impl ResumePoint for Copying {
    const OF: &'static str = "a copy of a run";
    const HAS_FORCE: bool = false;

    fn is_of(_: &Value) -> bool {
        true
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
