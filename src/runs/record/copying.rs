//! The checkpoint of a folder that is copied from others: the same command begins the copy again.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ConfigEntry, Manifest, ResumePoint, TableMark, VERSION};

/// Which run is copied, to which files. Nothing that was copied is kept by a copy that is begun again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copying {
    version: String,
    config: ConfigEntry,
    files: Vec<String>,
}

impl Copying {
    /// A copy that will be described by this manifest.
    #[must_use]
    pub fn of(copy: &Manifest) -> Copying {
        Copying {
            version: VERSION.to_owned(),
            config: copy.config.clone(),
            files: copy.files.iter().map(|file| file.name.clone()).collect(),
        }
    }
}

impl ResumePoint for Copying {
    const OF: &'static str = "a copy of a run";
    const HAS_FORCE: bool = false;

    fn version(&self) -> &str {
        &self.version
    }

    fn config(&self) -> Value {
        json!(self.config)
    }

    fn files(&self) -> Vec<String> {
        self.files.clone()
    }

    fn take_back(&mut self, _: &[TableMark]) {}
}
