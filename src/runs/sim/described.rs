//! The description of a run of either game of falling blocks, from its `run.json`.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::guideline::GuidelineConfig;
use crate::engine;
use crate::error::{Error, Result};
use crate::record::{Manifest, data_package, package};

/// `datapackage.json` of a run whose `run.json` this is, without its tables.
///
/// # Errors
/// [`Error::Config`] when it is of another game, or lacks something.
pub fn described(manifest: &Value) -> Result<Value> {
    match manifest["config"]["game"].as_str() {
        None => Ok(data_package(&read::<Manifest>(manifest)?, &[])),
        Some("guideline") => {
            let [name, title, text] =
                read::<engine::Manifest<GuidelineConfig>>(manifest)?.described();
            Ok(package(&name, &title, &text))
        }
        Some(game) => Err(Error::Config(format!("runs of {game} have no shards"))),
    }
}

fn read<T: DeserializeOwned>(manifest: &Value) -> Result<T> {
    serde_json::from_value(manifest.clone())
        .map_err(|error| Error::Config(format!("run.json: {error}: restore it from a copy")))
}
