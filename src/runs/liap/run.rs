//! Rounds on all cores, into a folder: the same bytes for any number of threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Instant, SystemTime};

use serde_json::json;

use super::batch::Batch;
use super::config::LiapConfig;
use super::journal::{LiapCheckpoint, LiapManifest};
use super::tally::Tally;
use crate::error::Result;
use crate::record::{
    FinishedTables, LiapEncoder, LiapSheets, LiapTables, ResumePoint, RunFolder, Standings, Status,
    VERSION, command_line, have_changed, publish,
};
use crate::threads::share;

/// Batches that may wait for the writer before workers wait in turn.
const WAITING: usize = 64;

/// What a run came to.
#[derive(Debug)]
pub struct LiapRun {
    /// Its counts.
    pub tally: Tally,
    /// `run.json` as written.
    pub manifest: LiapManifest,
    /// Whether all rounds were played.
    pub status: Status,
}

/// Plays the rounds of a configuration into a folder, or goes on with them from a checkpoint there.
/// `played` counts rounds for eyes; when `stop` is raised, what is played is kept.
///
/// # Errors
/// [`Error::Config`] when the configuration makes no sense or the checkpoint is of another run;
/// otherwise the error that ended the run before anything was kept.
pub fn simulate(
    config: &LiapConfig,
    folder: RunFolder,
    from: Option<&LiapCheckpoint>,
    played: &AtomicU64,
    stop: &AtomicBool,
) -> Result<LiapRun> {
    let started = (SystemTime::now(), Instant::now());
    let begun = Writer::begin(config, &folder, from);
    let mut writer = match begun {
        Ok(writer) => writer,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    let ended = play(config, writer.next, played, stop, |number, batch, sheets| {
        writer.take(number, batch, sheets)
    });
    let status = match ended {
        Err(error) if writer.tally.rounds == 0 => {
            drop(writer);
            folder.discard();
            return Err(error);
        }
        Err(error) => Status::Failed(error.to_string()),
        Ok(()) if writer.tally.rounds < config.rounds => Status::Interrupted,
        Ok(()) => Status::Complete,
    };
    writer.finish(started, status)
}

/// Hands the batches from one on to `take`, in order, until it has enough.
fn play(
    config: &LiapConfig,
    first: u64,
    played: &AtomicU64,
    stop: &AtomicBool,
    mut take: impl FnMut(u64, Batch, LiapSheets) -> Result<bool>,
) -> Result<()> {
    config.validate()?;
    let (next, enough) = (AtomicU64::new(first), AtomicBool::new(false));
    let halted = || stop.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed);
    let halt = || enough.store(true, Ordering::Relaxed);
    let work = |sender: &SyncSender<(u64, Batch, LiapSheets)>| {
        let encoder = LiapEncoder::default();
        while !halted() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let batch = Batch::play(config, number, config.rounds);
            played.fetch_add(batch.tally.rounds, Ordering::Relaxed);
            let sheets = encoder.sheets(&batch.rows);
            // A writer that has enough has gone away.
            let _ = sender.send((number, batch, sheets));
        }
        Ok(())
    };
    let (mut waiting, mut expected, mut more) = (BTreeMap::new(), first, true);
    share(config.threads, WAITING, halt, work, |(number, batch, sheets)| {
        waiting.insert(number, (batch, sheets));
        while more && let Some((batch, sheets)) = waiting.remove(&expected) {
            more = take(expected, batch, sheets)?;
            expected += 1;
        }
        if !more {
            halt();
            waiting.clear();
        }
        Ok(())
    })
}

/// The tables of a run on their way to their files.
struct Writer<'a> {
    config: &'a LiapConfig,
    folder: &'a RunFolder,
    command: Vec<String>,
    tables: LiapTables,
    encoder: LiapEncoder,
    /// The batch that comes next.
    next: u64,
    /// Batches that the tally has.
    counted: u64,
    tally: Tally,
    checkpointed: Instant,
    resumed: bool,
}

impl<'a> Writer<'a> {
    fn begin(
        config: &'a LiapConfig,
        folder: &'a RunFolder,
        from: Option<&LiapCheckpoint>,
    ) -> Result<Writer<'a>> {
        config.validate()?;
        if let Some(from) = from.filter(|from| from.config != config.entry()) {
            return Err(have_changed(&from.config(), &json!(config.entry())));
        }
        let standings = from.map(|from| Standings::of(folder, &from.tables)).transpose()?;
        let tables = LiapTables::open(folder, config.log, config.threads, standings.as_ref())?;
        let fresh = || Tally::new(config.kinds().len());
        let mut writer = Writer {
            config,
            folder,
            command: from.map_or_else(command_line, |from| from.command.clone()),
            tables,
            encoder: LiapEncoder::default(),
            next: from.map_or(0, LiapCheckpoint::first),
            counted: from.map_or(0, |from| from.batches),
            tally: from.map_or_else(fresh, |from| from.tally.clone()),
            checkpointed: Instant::now(),
            resumed: from.is_some(),
        };
        writer.write_checkpoint()?;
        Ok(writer)
    }

    /// Takes the next batch; whether there is more to come. Rows of batches that were counted before
    /// the checkpoint are only written again.
    fn take(&mut self, number: u64, batch: Batch, sheets: LiapSheets) -> Result<bool> {
        let (mut batch, mut sheets) = (batch, sheets);
        if number >= self.counted {
            let left = self.config.rounds - self.tally.rounds;
            if batch.tally.rounds > left {
                batch = Batch::play(self.config, number, left);
                sheets = self.encoder.sheets(&batch.rows);
            }
            self.tally.add(&batch.tally);
            self.counted = number + 1;
        }
        self.next = number + 1;
        self.tables.add(number, sheets)?;
        let more = self.tally.rounds < self.config.rounds;
        // A checkpoint never has a match that was cut: what comes before it would not be known.
        if more && self.checkpointed.elapsed() >= self.config.checkpoint_every {
            self.write_checkpoint()?;
        }
        Ok(more)
    }

    fn write_checkpoint(&mut self) -> Result<()> {
        let checkpoint = LiapCheckpoint {
            version: VERSION.to_owned(),
            command: self.command.clone(),
            config: self.config.entry(),
            batches: self.counted,
            tally: self.tally.clone(),
            tables: self.tables.sync()?,
        };
        checkpoint.write(self.folder.path())?;
        self.checkpointed = Instant::now();
        Ok(())
    }

    /// Finishes the tables and writes `run.json`.
    fn finish(mut self, started: (SystemTime, Instant), mut status: Status) -> Result<LiapRun> {
        if status == Status::Interrupted {
            self.write_checkpoint()?;
        }
        let FinishedTables { files, problem, taken_back } = self.tables.finish(self.folder)?;
        if let (Some(problem), Status::Complete | Status::Interrupted) = (problem, &status) {
            status = Status::Failed(problem.to_string());
        }
        let Writer { config, folder, tally, resumed, .. } = self;
        let command = command_line();
        let mut manifest =
            LiapManifest::new(config, command, status.clone(), &tally, started, resumed);
        manifest.files = files;
        let described = described(config, &tally, &status);
        let [name, title, text] = &described;
        publish(folder, &manifest, [name, title, text], &manifest.files)?;
        LiapCheckpoint::settle(folder.path(), status == Status::Complete, &taken_back);
        Ok(LiapRun { tally, manifest, status })
    }
}

/// Name, title and description of a run's data package.
fn described(config: &LiapConfig, tally: &Tally, status: &Status) -> [String; 3] {
    let kinds: Vec<String> =
        config.kinds().iter().map(|seat| format!("{} ({})", seat.declarer, seat.player)).collect();
    let (rounds, seed) = (tally.rounds, config.seed);
    let mut text = format!(
        "Rounds of four players of LIAP, who declare how many of eight piles they will capture: {}. \
         `run.json` has the whole configuration. The match whose `end` is `cut` was not played to its end.",
        kinds.join(", ")
    );
    if *status != Status::Complete {
        text += " The run did not come to its end: rounds are missing.";
    }
    let name = format!("tetrastat-liap-{rounds}-rounds-0x{seed:016x}");
    [name, format!("{rounds} rounds of LIAP: {}", kinds.join(", ")), text]
}
