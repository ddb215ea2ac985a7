//! Runs estimates for a host program that distributes the replications to processes or machines.
//!
//! Settings are those of `tetrastat estimate`. A replication is one independent run of the
//! splitting estimator. Its result depends only on its number, the settings and the splitting
//! levels.

use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};

use crate::cli::call::Refusal;
use crate::cli::commands::estimate::Args;
use crate::cli::commands::train::trainings::{given, with_setting_names};
use crate::cli::console::Console;
use crate::engine::Writer;
use crate::error::{Error, Result};
use crate::estimate::{Estimate, Levels};
use crate::record::Status;
use crate::sim::Game;

/// An estimate in progress. A host program plays its replications and adds them in order.
pub trait Estimation: Send {
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

    /// Writes the tables and `run.json`, and returns the summary in `run.json` as JSON.
    ///
    /// # Errors
    /// [`Error::Io`] if writing fails.
    fn finish(&mut self) -> Result<String>;
}

/// An estimate that a host program plays, with the writer of its folder.
pub(crate) struct Hosted<G: Game> {
    pub(crate) job: Estimate<G>,
    /// `None` after the end of the estimate.
    pub(crate) writer: Option<Writer<Estimate<G>>>,
}

impl<G: Game> Hosted<G> {
    fn writer(&mut self) -> Result<&mut Writer<Estimate<G>>> {
        const FINISHED: &str = "the estimate is finished: open it again";
        self.writer.as_mut().ok_or_else(|| Error::Config(FINISHED.to_owned()))
    }
}

impl<G: Game> Estimation for Hosted<G> {
    fn levels(&self) -> Result<String> {
        json(&self.job.levels)
    }

    fn next(&self) -> u64 {
        self.writer.as_ref().map_or(0, |writer| writer.count().replications.len() as u64)
    }

    fn is_enough(&self) -> bool {
        self.writer.as_ref().is_none_or(Writer::is_complete)
    }

    fn tell(&mut self, replication: &str) -> Result<()> {
        let ended = self.job.ended(self.next(), parsed(replication)?);
        self.writer()?.add(ended)
    }

    fn finish(&mut self) -> Result<String> {
        let is_enough = self.is_enough();
        self.writer()?;
        let status = if is_enough { Status::Complete } else { Status::Interrupted };
        let played = self.writer.take().map(|writer| writer.finish(status)).transpose()?;
        json(&played.and_then(|played| played.manifest.summary))
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
        given.options.hosted(&Console::terminal(None)?, &given.settings, stop)
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
        given.options.replicated(&given.settings, levels, index, is_halted)
    })?;
    match found {
        Some(found) => json(&found),
        None => Err(Error::Config("halted before the replication was done".to_owned())),
    }
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Config(error.to_string()))
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::Config(format!("damaged during transfer: {error}")))
}
