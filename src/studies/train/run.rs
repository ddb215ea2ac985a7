//! A training in its folder: begun, gone on with, finished.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use serde_json::Value;

use super::evaluate::Arena;
use super::journal::{Journal, TrainCheckpoint};
use super::outcome::{Ending, TrainManifest, Winner};
use super::training::{Finals, State, Training};
use super::{Plan, Stop, Watch, config};
use crate::error::Result;
use crate::record::{FileEntry, RunFolder, Status, write_manifest};

/// The controller's file.
pub const CONTROLLER: &str = "controller.toml";

/// How a training is called: the name of its controller, and the command that began it.
#[derive(Clone, Debug)]
pub struct Called {
    /// Name in `controller.toml`.
    pub name: String,
    /// The command line.
    pub command: Vec<String>,
    /// The words of it that decide the course of the training, as the controller's file tells its source.
    pub course: Vec<String>,
    /// What checkpoints keep of it, in the command's own form.
    pub settings: Value,
}

/// Trains into a folder, or goes on from a checkpoint there. When `stop` is raised, the generation in
/// play is dropped and the best so far is kept; the folder can be gone on with. A new folder in which
/// nothing would be kept is taken back.
///
/// # Errors
/// [`crate::error::Error::Config`] when the plan can't be followed, the checkpoint is of another one, or nothing was
/// done before the stop; [`crate::error::Error::Io`] when the folder can't be written.
pub fn train(
    plan: &Plan,
    called: &Called,
    folder: RunFolder,
    from: Option<&TrainCheckpoint>,
    watch: &Watch,
    stop: &AtomicBool,
) -> Result<TrainManifest> {
    let started = (SystemTime::now(), Instant::now());
    let opened = begin(plan, from).and_then(|(state, arena)| {
        let journal = Journal::open(&folder, &called.settings, plan, from, &state)?;
        Ok((state, arena, journal))
    });
    let (state, arena, mut journal) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    let mut training = Training::new(plan, &arena, watch, stop, state);
    let played = play(plan, &mut training, &mut journal, stop);
    let Some(leader) = training.leader().filter(|_| training.generation() > 0) else {
        drop(journal);
        folder.discard();
        let text = "interrupted before the first generation was done: nothing is kept";
        return played.and_then(|_| config(text.to_owned()));
    };
    let finals = played?;
    let winner = Winner::of(plan, leader, finals.as_ref());
    let text = winner.toml(plan, &called.name, &called.course, training.generation());
    folder.put(CONTROLLER, &text)?;
    let mut files = vec![FileEntry::of_text(folder.path(), CONTROLLER)?];
    files.extend(journal.finish()?);
    let ending = Ending {
        status: if finals.is_some() { Status::Complete } else { Status::Interrupted },
        stopped: training.verdict().as_ref().map(Stop::to_string),
        generations: training.generation(),
        played: (training.state.games, training.state.pieces),
        seconds: arena.seconds(),
        started,
        resumed: from.is_some(),
    };
    let manifest = TrainManifest::new(plan, called.command.clone(), winner, ending, files);
    write_manifest(&folder, "train.json", &manifest, None)?;
    Ok(manifest)
}

fn begin(plan: &Plan, from: Option<&TrainCheckpoint>) -> Result<(State, Arena)> {
    let state = match from {
        Some(checkpoint) => checkpoint.state_of(plan)?,
        None => State::new(plan.start()?),
    };
    Ok((state, Arena::new(plan.games.clone())?))
}

/// Plays what is left of the generations, and the finals; `None` when that was stopped.
fn play(
    plan: &Plan,
    training: &mut Training,
    journal: &mut Journal,
    stop: &AtomicBool,
) -> Result<Option<Finals>> {
    while training.generation() < plan.generations && training.verdict().is_none() {
        let Some((row, population)) = training.step()? else { return Ok(None) };
        journal.add(row, &population, &training.state)?;
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    training.finals()
}
