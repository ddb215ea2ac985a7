//! The checkpoint of a folder that is copied from others: the same command begins the copy again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::record::{ResumePoint, RunFolder, TableCursor, VERSION};

/// Which run of any game is copied, to which files. Nothing that was copied is kept by a copy that is begun again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copying {
    version: String,
    config: Value,
    files: Vec<String>,
}

impl Copying {
    /// Begins the copy of a run with this configuration, to these files.
    ///
    /// # Errors
    /// As [`ResumePoint::write`].
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
