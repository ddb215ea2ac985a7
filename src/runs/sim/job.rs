//! A run in its folder: begun, gone on with, and recognised when it is done.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use serde_json::json;

use super::{Checkpoint, Event, FinishedRun, RunConfig, RunTables, Shown, Start, Totals, run};
use crate::error::{Error, Result};
use crate::record::{
    Column, ConfigEntry, LogTable, Logs, Manifest, ResumePoint, RunFolder, Status, have_changed,
};

/// A run, checked, with what it logs.
#[derive(Debug)]
pub struct Job {
    config: RunConfig,
    logs: Logs,
    /// Placements of the first game to keep for a person to see.
    sample: usize,
    entry: ConfigEntry,
}

/// What a job left in its folder.
#[derive(Debug)]
pub struct Played {
    /// The run as recorded; its status says how it ended.
    pub run: FinishedRun,
    /// Some placements of the first game.
    pub sample: Vec<Shown>,
    /// Games that came to their end or limit.
    pub ended: u64,
}

impl Job {
    /// A job whose parts fit together.
    ///
    /// # Errors
    /// As [`RunConfig::validate`] and [`crate::record::Selection::validate`].
    pub fn new(config: RunConfig, logs: Logs, sample: usize) -> Result<Job> {
        config.validate()?;
        logs.selection.validate()?;
        let entry = ConfigEntry::of(&config, &logs);
        Ok(Job { config, logs, sample, entry })
    }

    /// What is played.
    #[must_use]
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// What it logs.
    #[must_use]
    pub fn logs(&self) -> &Logs {
        &self.logs
    }

    /// Makes a table one of its study's: as [`Logs::join_study`].
    pub fn join_study(&mut self, table: LogTable, condition: u64, all: &[Column]) {
        self.logs.join_study(table, condition, all);
        self.entry = ConfigEntry::of(&self.config, &self.logs);
    }

    /// What `run.json` says is played.
    #[must_use]
    pub fn entry(&self) -> &ConfigEntry {
        &self.entry
    }

    /// The first game whose placements are logged, if any is.
    #[must_use]
    pub fn logged_game(&self) -> Option<u64> {
        let keeps = |game: &u64| self.logs.selection.keeps_game(self.config.seed, *game);
        self.logs.placements.as_ref().and_then(|_| self.config.game_range().find(keeps))
    }

    /// The files of its tables.
    #[must_use]
    pub fn tables(&self) -> Vec<String> {
        self.logs.files()
    }

    /// Plays the run into a folder, or goes on with it from a checkpoint there. When `stop` is
    /// raised, the games that have ended are kept, and so they are after an error. A new folder in
    /// which nothing would be kept is taken back.
    ///
    /// # Errors
    /// [`Error::Config`] when the checkpoint is of another run; otherwise the error that ended the
    /// run before any game did, or that kept its tables from being written.
    pub fn play(
        &self,
        folder: RunFolder,
        from: Option<&Checkpoint>,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> Result<Played> {
        let started = (SystemTime::now(), Instant::now());
        let opened = self.start(from).and_then(|start| {
            let RunConfig { checkpoint_every, threads, .. } = self.config;
            let entry = self.entry.clone();
            let first = start.first;
            let tables = RunTables::open(
                &folder,
                &self.logs,
                entry,
                first,
                from,
                checkpoint_every,
                threads,
            )?;
            Ok((start, tables))
        });
        let (start, mut tables) = match opened {
            Ok(opened) => opened,
            Err(error) => return Err(discard(folder, error)),
        };
        // Games that a checkpoint holds are played.
        let before = start.first - self.config.game_range().start;
        totals.games.store(before, Ordering::Relaxed);
        let (sample, played) = self.write(start, &mut tables, totals, stop);
        let ended = tables.ended();
        let games = self.config.game_range();
        let status = match played {
            Err(error) if ended == 0 => {
                drop(tables);
                return Err(discard(folder, error));
            }
            Err(error) => Status::Failed(error.to_string()),
            Ok(()) if ended < games.end - games.start => Status::Interrupted,
            Ok(()) => Status::Complete,
        };
        let entry = self.entry.clone();
        let manifest = Manifest::new(status, entry, &self.config, started, from.is_some());
        Ok(Played { run: tables.finish(&folder, manifest)?, sample, ended })
    }

    /// Where the run begins: with its first game, or where the checkpoint left it.
    fn start(&self, from: Option<&Checkpoint>) -> Result<Start> {
        let Some(checkpoint) = from else { return Ok(Start::of(&self.config)) };
        if checkpoint.config != self.entry {
            return Err(have_changed(&checkpoint.config(), &json!(self.entry)));
        }
        let games = checkpoint.games.iter().cloned();
        let games = games.map(|game| game.restored(&self.config.queue, &self.config));
        let games = games.collect::<Result<Vec<_>>>()?;
        let games = games.into_iter().map(|game| (game.row.game, game)).collect();
        Ok(Start { first: checkpoint.first, games })
    }

    /// Plays all games into the tables; the sample comes back.
    fn write(
        &self,
        start: Start,
        tables: &mut RunTables,
        totals: &Totals,
        stop: &AtomicBool,
    ) -> (Vec<Shown>, Result<()>) {
        let mut sample = Vec::new();
        let played =
            run(&self.config, &self.logs, self.sample, start, totals, stop, |event| match event {
                Event::Sample(shown) => {
                    sample = shown;
                    Ok(())
                }
                event => tables.write(event),
            });
        (sample, played)
    }
}

/// Takes back an output folder that has nothing to keep.
fn discard(folder: RunFolder, error: Error) -> Error {
    folder.discard();
    error
}
