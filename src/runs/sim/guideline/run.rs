//! Guideline games on all cores, into a folder: the same bytes for any number of threads.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Instant, SystemTime};

use serde_json::json;

use super::config::{GuidelineConfig, Mode};
use super::game::{Game, Outcome};
use super::journal::{GuidelineCheckpoint, GuidelineManifest};
use crate::error::Result;
use crate::record::{
    FinishedTables, GuidelineEncoder, GuidelineTables, ResumePoint, Rows, RunFolder, Standings,
    Status, VERSION, command_line, have_changed, publish, read_guideline_games, read_manifest,
};
use crate::threads::share;

/// Games that may wait for the writer before workers wait in turn.
const WAITING: usize = 64;

/// What a run came to.
#[derive(Debug)]
pub struct GuidelineRun {
    /// The games that ended, by index.
    pub games: Vec<Outcome>,
    /// `run.json` as written.
    pub manifest: GuidelineManifest,
}

impl GuidelineRun {
    /// A complete run, read back from its folder.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] when it can't be read.
    pub fn read(folder: &Path) -> Result<GuidelineRun> {
        let games = read_guideline_games(&folder.join("games.csv"))?;
        Ok(GuidelineRun { games, manifest: read_manifest(&folder.join("run.json"))? })
    }
}

/// Plays the games of a configuration into a folder, or goes on with them from a checkpoint there.
/// `played` counts them for eyes; when `stop` is raised, the games that have ended are kept.
///
/// # Errors
/// [`Error::Config`] when the configuration makes no sense or the checkpoint is of another run;
/// otherwise the error that ended the run before any game was kept.
pub fn simulate_guideline(
    config: &GuidelineConfig,
    folder: RunFolder,
    from: Option<&GuidelineCheckpoint>,
    played: &AtomicU64,
    stop: &AtomicBool,
) -> Result<GuidelineRun> {
    let started = (SystemTime::now(), Instant::now());
    let mut writer = match Writer::begin(config, &folder, from) {
        Ok(writer) => writer,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    played.store(writer.first, Ordering::Relaxed);
    let ended =
        play(config, writer.first, played, stop, |outcome, rows| writer.take(outcome, rows));
    let status = match ended {
        Err(error) if writer.games.is_empty() => {
            drop(writer);
            folder.discard();
            return Err(error);
        }
        Err(error) => Status::Failed(error.to_string()),
        Ok(()) if (writer.games.len() as u64) < config.games => Status::Interrupted,
        Ok(()) => Status::Complete,
    };
    writer.finish(started, status)
}

/// The tables of a run on their way to their files.
struct Writer<'a> {
    config: &'a GuidelineConfig,
    folder: &'a RunFolder,
    command: Vec<String>,
    tables: GuidelineTables,
    /// The first game to play.
    first: u64,
    /// Games that were kept before.
    recalled: u64,
    games: Vec<Outcome>,
    checkpointed: Instant,
}

impl<'a> Writer<'a> {
    fn begin(
        config: &'a GuidelineConfig,
        folder: &'a RunFolder,
        from: Option<&GuidelineCheckpoint>,
    ) -> Result<Writer<'a>> {
        config.validate()?;
        if let Some(from) = from.filter(|from| from.config != config.entry()) {
            return Err(have_changed(&from.config(), &json!(config.entry())));
        }
        let standings = from.map(|from| Standings::of(folder, &from.tables)).transpose()?;
        let tables = GuidelineTables::open(folder, config.log, config.threads, standings.as_ref())?;
        let (games, first) = match from {
            Some(_) => tables.recall(folder)?,
            None => (Vec::new(), 0),
        };
        let mut writer = Writer {
            config,
            folder,
            command: from.map_or_else(command_line, |from| from.command.clone()),
            tables,
            first,
            recalled: games.len() as u64,
            games,
            checkpointed: Instant::now(),
        };
        writer.write_checkpoint()?;
        Ok(writer)
    }

    /// Takes a game that has ended. Of one whose row was kept before, only placements are missing.
    fn take(&mut self, outcome: Outcome, rows: [Rows; 2]) -> Result<()> {
        self.tables.add(outcome.game, rows)?;
        if outcome.game >= self.recalled {
            self.games.push(outcome);
        }
        if self.checkpointed.elapsed() >= self.config.checkpoint_every {
            self.write_checkpoint()?;
        }
        Ok(())
    }

    fn write_checkpoint(&mut self) -> Result<()> {
        let checkpoint = GuidelineCheckpoint {
            version: VERSION.to_owned(),
            command: self.command.clone(),
            config: self.config.entry(),
            tables: self.tables.sync()?,
        };
        checkpoint.write(self.folder.path())?;
        self.checkpointed = Instant::now();
        Ok(())
    }

    /// Finishes the tables and writes `run.json`.
    fn finish(mut self, started: (SystemTime, Instant), status: Status) -> Result<GuidelineRun> {
        if status == Status::Interrupted {
            self.write_checkpoint()?;
        }
        let Writer { config, folder, tables, mut games, recalled, .. } = self;
        games.sort_unstable_by_key(|outcome| outcome.game);
        let FinishedTables { files, problem, taken_back } = tables.finish(folder)?;
        let status = problem.map_or(status, |problem| Status::Failed(problem.to_string()));
        let mut manifest = GuidelineManifest::new(config, status, started, recalled > 0);
        manifest.games = games.len() as u64;
        manifest.pieces = games.iter().map(|game| u64::from(game.pieces)).sum();
        manifest.lines = games.iter().map(|game| u64::from(game.lines)).sum();
        manifest.files = files;
        let described = described(config, &manifest);
        let described = described.each_ref().map(|text| &**text);
        publish(folder, &manifest, described, &manifest.files)?;
        let complete = manifest.status == Status::Complete;
        GuidelineCheckpoint::settle(folder.path(), complete, &taken_back);
        Ok(GuidelineRun { games, manifest })
    }
}

/// Plays the games from one on, and hands each that has ended on to `take`, in the order of ending.
fn play(
    config: &GuidelineConfig,
    first: u64,
    played: &AtomicU64,
    stop: &AtomicBool,
    mut take: impl FnMut(Outcome, [Rows; 2]) -> Result<()>,
) -> Result<()> {
    let (next, enough) = (AtomicU64::new(first), AtomicBool::new(false));
    let halted = || stop.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed);
    let work = |sender: &SyncSender<(Outcome, [Rows; 2])>| {
        let mut game = Game::new(config);
        let mut encoder = GuidelineEncoder::default();
        while !halted() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= config.games {
                break;
            }
            let outcome = game.play_unless(halted, index, &mut |seen| {
                if config.log.is_some() {
                    encoder.see(seen);
                }
            });
            let Some(outcome) = outcome else { break };
            let rows = encoder.end(&outcome);
            played.fetch_add(1, Ordering::Relaxed);
            // A writer that has failed has gone away.
            let _ = sender.send((outcome, rows));
        }
        Ok(())
    };
    let halt = || enough.store(true, Ordering::Relaxed);
    share(config.threads, WAITING, halt, work, |(outcome, rows)| take(outcome, rows))
}

/// Name, title and description of a run's data package.
fn described(config: &GuidelineConfig, manifest: &GuidelineManifest) -> [String; 3] {
    let (mode, controller) = (config.mode.name(), &config.controller.name);
    let goal = match config.mode {
        Mode::Sprint { lines } => format!("won by {lines} rows"),
        _ => "of as many points as possible".to_owned(),
    };
    let mut text = format!(
        "Games {goal} under {} rules, played by {controller} ({}). `run.json` has the whole configuration.",
        config.rules,
        config.search()
    );
    if manifest.status != Status::Complete {
        text += " The run did not come to its end: games are missing.";
    }
    let games = manifest.games;
    [
        format!("tetrastat-{mode}-{games}-games-0x{:016x}", config.seed),
        format!("{games} games of {mode}: {controller}"),
        text,
    ]
}
