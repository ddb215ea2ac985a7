//! `--out`: the same command into the same folder goes on; `--resume` does without the command, whose options
//! the checkpoint has.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cli::console::Console;
use crate::cli::console::mistake::mistake;
use crate::cli::console::output::Format;
use crate::cli::options::given::{Given, Settings};
use crate::error::Result;
use crate::games::resume_command;
use crate::record::{Asked, Copying, Opening, ResumePoint, RunFolder, TableCursor};

/// Where a run goes, and how its summary shows.
#[derive(Debug, Args)]
pub(crate) struct OutOptions {
    /// Show what would be played, as run.json has it, and play nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Output folder: a new one, or that of the same run, which goes on [default: a fresh one under runs/]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Play anew into an --out that holds another run of the same games, or this one, and nothing else
    #[arg(long, requires = "out")]
    pub(crate) force: bool,

    /// Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as `tetrastat view` does
    #[arg(long)]
    pub(crate) view: bool,

    /// How to print the summary
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// The option that goes on with a run.
pub(crate) const RESUME: &str = "resume";
/// The option that draws a page meanwhile.
pub(crate) const VIEW: &str = "view";
/// Why it stands alone.
pub(crate) const RESUMED: &str = "--resume goes on with the options that the run was begun with";

/// A command and its options, as a checkpoint has them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedCommand {
    command: String,
    /// What its command line said.
    pub(crate) given: Settings,
    /// What lay below: a preset, a file.
    pub(crate) below: Settings,
}

impl RecordedCommand {
    /// A command that begins.
    pub(crate) fn new(command: &str, given: &Settings, below: Settings) -> RecordedCommand {
        RecordedCommand { command: command.to_owned(), given: given.clone(), below }
    }

    /// Its name.
    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    /// What checkpoints keep, so that they say what goes on with them.
    pub(crate) fn kept(&self) -> Value {
        json!(self)
    }

    /// What was begun by this command in a folder whose checkpoint has these settings, and all its options,
    /// over which those lie that are given beside `--resume` now.
    ///
    /// # Errors
    /// What to type instead.
    pub(crate) fn again<A: Args>(
        command: &str,
        folder: &Path,
        settings: &Value,
        now: &Given<A>,
    ) -> anyhow::Result<(RecordedCommand, Given<A>)> {
        let shown = folder.display();
        let begun = RecordedCommand::deserialize(settings).ok();
        let mut begun = match (begun, resume_command(settings, folder)) {
            (Some(begun), _) if begun.command == command => begun,
            (Some(RecordedCommand { command, .. }), Some(resume)) => {
                bail!("{shown} was begun by {command}: {resume} goes on")
            }
            _ => bail!(
                "{shown} was begun by a study or comparison, or by an earlier build: give that command again, and it goes on"
            ),
        };
        for (name, value) in now.settings.iter().filter(|(name, _)| *name != RESUME) {
            begun.given.set(name, value.clone());
        }
        let all = Given::read(&begun.given.clone().over(begun.below.clone()));
        let all = all.map_err(|error| {
            let mistake = mistake(&error);
            anyhow!("the checkpoint's options are not understood ({mistake}): start the run anew")
        })?;
        Ok((begun, all))
    }
}

/// A checkpoint of a run of any game, as far as it tells what goes on with it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnyCheckpoint {
    version: String,
    config: Value,
    #[serde(default)]
    pub(crate) settings: Value,
}

impl ResumePoint for AnyCheckpoint {
    const OF: &'static str = "a run";

    // Of every game: it is only read, to learn which command goes on, and never gone on with itself.
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
        Vec::new()
    }

    fn take_back(&mut self, _: &[TableCursor]) {}
}

/// The folder of a run, with where it goes on if it was begun there; `None` when it is complete. Says on
/// stderr what is replaced, or that nothing is played again.
///
/// # Errors
/// As [`Asked::open`].
pub(crate) fn open_out<P: ResumePoint>(
    console: &Console,
    asked: &Asked,
    is_enough: impl Fn(&Value) -> bool,
) -> Result<Option<(RunFolder, Option<P>)>> {
    let shown = asked.folder.display();
    Ok(match asked.open(is_enough)? {
        Opening::Fresh(folder, replaced) => {
            replaced.iter().for_each(|replaced| console.eprint_line(replaced));
            Some((folder, None))
        }
        Opening::Resumed(folder, point) => Some((folder, Some(point))),
        Opening::Complete => {
            console.eprint_line(&format!(
                "{shown} holds this already, complete: nothing is played again"
            ));
            None
        }
    })
}

/// What a run's folder is to hold, as [`Asked`] has it.
pub(crate) struct Wanted {
    /// What is played, as the manifest will say it.
    pub(crate) config: Value,
    /// Files of the tables.
    pub(crate) tables: Vec<String>,
    /// Whether another run may be replaced.
    pub(crate) force: bool,
}

/// The folder of a run: `out`, where the same command goes on, or else a fresh one. A run that is `resumed`
/// goes on in `out` from the checkpoint that was read there. `None` when the run is complete.
///
/// # Errors
/// As [`Asked::open`] and `fresh`.
pub(crate) fn open_run<P: ResumePoint>(
    console: &Console,
    resumed: bool,
    out: Option<&Path>,
    Wanted { config, tables, force }: Wanted,
    fresh: impl FnOnce() -> Result<RunFolder>,
    is_enough: impl Fn(&Value) -> bool,
) -> Result<Option<(RunFolder, Option<P>)>> {
    match out {
        // Its checkpoint was read by the caller.
        Some(out) if resumed => Ok(Some((RunFolder::existing(out)?, None))),
        Some(folder) => open_out(console, &Asked { folder, config, tables, force }, is_enough),
        None => Ok(Some((fresh()?, None))),
    }
}

/// The folder of a copy of a run, which begins again when it was not finished; `None` when it is there already.
///
/// # Errors
/// As [`Asked::open`].
pub(crate) fn folder_of_copy(
    console: &Console,
    folder: &Path,
    config: Value,
    tables: Vec<String>,
) -> Result<Option<RunFolder>> {
    let asked = Asked { folder, config, tables, force: false };
    let opened = open_out::<Copying>(console, &asked, |_| true)?;
    Ok(opened.map(|(folder, _)| folder))
}
