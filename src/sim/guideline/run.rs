//! Guideline games on all cores, into a folder: the same bytes for any number of threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Instant, SystemTime};

use super::config::{GuidelineConfig, Mode};
use super::game::{Game, Outcome};
use super::journal::GuidelineManifest;
use crate::error::Result;
use crate::record::{GuidelineEncoder, GuidelineTables, Rows, RunFolder, Status, publish};
use crate::threads::thread_pool;

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

/// Plays the games of a configuration into a folder. `played` counts them for eyes; when `stop` is
/// raised, the games that have ended are kept.
///
/// # Errors
/// [`crate::error::Error::Config`] when the configuration makes no sense; otherwise the error that
/// ended the run before any game was kept.
pub fn simulate_guideline(
    config: &GuidelineConfig,
    folder: RunFolder,
    played: &AtomicU64,
    stop: &AtomicBool,
) -> Result<GuidelineRun> {
    let started = (SystemTime::now(), Instant::now());
    let opened =
        config.validate().and_then(|()| GuidelineTables::open(&folder, config.log, config.threads));
    let mut tables = match opened {
        Ok(tables) => tables,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    let mut games: Vec<Outcome> = Vec::new();
    let ended = play(config, played, stop, |outcome, rows| {
        tables.add(outcome.game, rows)?;
        games.push(outcome);
        Ok(())
    });
    let status = match ended {
        Err(error) if games.is_empty() => {
            drop(tables);
            folder.discard();
            return Err(error);
        }
        Err(error) => Status::Failed(error.to_string()),
        Ok(()) if (games.len() as u64) < config.games => Status::Interrupted,
        Ok(()) => Status::Complete,
    };
    games.sort_unstable_by_key(|outcome| outcome.game);
    let (files, problem) = tables.finish(&folder)?;
    let status = problem.map_or(status, |problem| Status::Failed(problem.to_string()));
    let mut manifest = GuidelineManifest::new(config, status, started);
    manifest.games = games.len() as u64;
    manifest.pieces = games.iter().map(|game| u64::from(game.pieces)).sum();
    manifest.lines = games.iter().map(|game| u64::from(game.lines)).sum();
    manifest.files = files;
    let described = described(config, &manifest);
    publish(&folder, &manifest, described.each_ref().map(|text| &**text), &manifest.files)?;
    Ok(GuidelineRun { games, manifest })
}

/// Hands each game that has ended on to `take`, in the order of ending.
fn play(
    config: &GuidelineConfig,
    played: &AtomicU64,
    stop: &AtomicBool,
    mut take: impl FnMut(Outcome, [Rows; 2]) -> Result<()>,
) -> Result<()> {
    let pool = thread_pool(config.threads)?;
    let (next, enough) = (AtomicU64::new(0), AtomicBool::new(false));
    let (sender, receiver) = sync_channel(WAITING);
    let halted = || stop.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let workers = scope.spawn(|| {
            let sender = sender;
            pool.broadcast(|_| {
                let mut game = Game::new(config);
                let mut encoder = GuidelineEncoder::default();
                while !halted() {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= config.games {
                        break;
                    }
                    let outcome = game.play(index, &mut |seen| {
                        if config.log.is_some() {
                            encoder.see(seen);
                        }
                    });
                    let rows = encoder.end(&outcome);
                    played.fetch_add(1, Ordering::Relaxed);
                    // A writer that has failed has gone away.
                    let _ = sender.send((outcome, rows));
                }
            });
        });
        let mut result = Ok(());
        for (outcome, rows) in receiver {
            if result.is_ok() {
                result = take(outcome, rows);
            }
            if result.is_err() {
                enough.store(true, Ordering::Relaxed);
            }
        }
        workers.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        result
    })
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
