//! Runs estimates for a host program that distributes the replications to processes or machines.
//!
//! Settings are those of `tetrastat estimate`. A replication is one independent run of the
//! splitting estimator. Its result depends only on its number, the settings and the splitting
//! levels.

use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};

use crate::cli::call::Refusal;
use crate::cli::commands::estimate::{Args, Estimated};
use crate::cli::commands::train::trainings::{given, with_setting_names};
use crate::cli::console::Console;
use crate::error::{Error, Result};
use crate::estimate::{EstimateConfig, Levels, Replication, replicate_at};
use crate::sim::Game;

/// An estimate in progress. A host program plays its replications and adds them in order.
pub trait Estimation: Send + Sync {
    /// Returns the splitting levels as JSON.
    ///
    /// # Errors
    /// Errors of the JSON encoder.
    fn levels(&self) -> Result<String>;

    /// Returns the number of the next replication to add.
    fn next(&self) -> u64;

    /// Returns true if the stop rule of the estimate is met.
    fn is_enough(&self) -> bool;

    /// Adds the next replication, given as JSON.
    ///
    /// # Errors
    /// [`Error::Config`] if `replication` is not valid JSON of a replication, [`Error::Io`] if it
    /// can't be stored.
    fn tell(&mut self, replication: &str) -> Result<()>;

    /// Writes the tables and `estimate.json`, and returns the text of `estimate.json`.
    ///
    /// # Errors
    /// [`Error::Io`] if writing fails.
    fn finish(&self) -> Result<String>;
}

impl<G: Game + Send + Sync> Estimation for Estimated<G>
where
    EstimateConfig<G>: Send + Sync,
{
    fn levels(&self) -> Result<String> {
        json(&self.levels)
    }

    fn next(&self) -> u64 {
        self.replications.len() as u64
    }

    fn is_enough(&self) -> bool {
        Estimated::is_enough(self)
    }

    fn tell(&mut self, replication: &str) -> Result<()> {
        let found: Replication = parsed(replication)?;
        if let Some(table) = &mut self.table {
            table.add(&found)?;
        }
        self.replications.push(found);
        Ok(())
    }

    fn finish(&self) -> Result<String> {
        let report = with_setting_names::<Args, _>(|| Ok(self.written()?.json()))?;
        json(&report)
    }
}

/// Begins an estimate in the folder that the setting `out` names, or resumes the estimate in that
/// folder. A new estimate first finds its splitting levels on this thread, until `stop` is set.
///
/// # Errors
/// [`Refusal`] with the command's message, which names settings instead of options.
pub fn begin(
    settings: &Map<String, Value>,
    stop: &AtomicBool,
) -> std::result::Result<Box<dyn Estimation>, Refusal> {
    with_setting_names::<Args, _>(|| {
        let given = given::<Args>(settings)?;
        given.options.begun(&Console::terminal(None)?, &given.settings, stop)
    })
}

/// Plays the replication with the number `index` and returns it as JSON. `levels` are the splitting
/// levels as JSON. The replication is halted if `is_halted`, which is polled during play, returns
/// true.
///
/// # Errors
/// The errors of [`begin`], and [`Error::Config`] if the replication was halted.
pub fn replicate(
    settings: &Map<String, Value>,
    levels: &str,
    index: u64,
    is_halted: &dyn Fn() -> bool,
) -> Result<String> {
    let levels: Levels = parsed(levels)?;
    let found = with_setting_names::<Args, _>(|| {
        let given = given::<Args>(settings)?;
        given.options.replicated(&given.settings, &levels, index, is_halted)
    })?;
    match found {
        Some(found) => json(&found),
        None => Err(Error::Config("halted before the replication was done".to_owned())),
    }
}

/// Plays the replication of an estimate with the number `index`. Returns `None` if `is_halted`
/// returned true.
pub(crate) fn replication<G: Game>(
    config: &EstimateConfig<G>,
    levels: &Levels,
    index: u64,
    is_halted: &dyn Fn() -> bool,
) -> Result<Option<Replication>> {
    let mut player = config.run.player()?;
    replicate_at(config, levels, &mut player, index, &|_| is_halted())
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Config(error.to_string()))
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::Config(format!("damaged during transfer: {error}")))
}
