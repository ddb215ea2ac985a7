//! What commands do that play one run, whatever its game: folder, progress, checkpoint, report, and how it goes on.

use std::path::Path;

use anyhow::{anyhow, bail};
use serde_json::{Value, json};

use crate::cli::console::Console;
use crate::cli::console::opening::{OutOptions, OutputRequest, open_run};
use crate::cli::console::output::{Format, Outcome};
use crate::cli::console::progress::ProgressStatus;
use crate::cli::console::viewing::{View, with_view};
use crate::engine::{self, Checkpoint, Game, Played, Totals};
use crate::error::Error;
use crate::games::resume_command;
use crate::record::{ResumePoint, RunFolder, Status, has_checkpoint, plain_name, shell_path};

/// A run as a command tells of it.
pub(crate) trait Run: Sync {
    /// What is played.
    type Game: Game;

    /// What is played.
    fn game(&self) -> &Self::Game;
    /// The name of a folder below `runs/`, without a number.
    fn name(&self) -> String;
    /// How far it is.
    fn status(&self, totals: &Totals) -> ProgressStatus;
    /// Prints what was played.
    fn report(
        &self,
        console: &Console,
        played: &Played<Self::Game>,
        folder: &Path,
        format: Format,
    ) -> anyhow::Result<()>;
    /// Prints what a folder holds already, complete.
    ///
    /// # Errors
    /// When it can't be read, or stdout is closed.
    fn report_again(&self, console: &Console, folder: &Path, format: Format) -> anyhow::Result<()>;
    /// What is kept of a run that did not come to its end, for example `3 games are kept`.
    fn kept(&self, played: &Played<Self::Game>) -> String;
    /// Prints a note about a complete run, if there is one.
    fn remark(&self, _: &Console) {}
}

/// Plays a run, or goes on with it from the checkpoint in its folder, whose checkpoints keep `settings`. One that is
/// `resumed` goes on whatever its command was.
///
/// # Errors
/// What the engine says, with what is kept and how it goes on.
pub(crate) fn play<R: Run>(
    console: &Console,
    run: &R,
    options: &OutOptions,
    settings: &Value,
    resumed: bool,
) -> anyhow::Result<Outcome>
where
    Checkpoint<R::Game>: ResumePoint,
{
    let game = run.game();
    if options.dry_run {
        console.print_json(&game.entry())?;
        return Ok(Outcome::Done);
    }
    let stop = console.stop_flag()?;
    let out = options.out.as_deref();
    let from = out.filter(|_| resumed).map(Checkpoint::<R::Game>::read).transpose()?;
    let request =
        OutputRequest { config: json!(game.entry()), tables: game.files(), force: options.force };
    let fresh = || RunFolder::create_fresh(&Path::new("runs").join(plain_name(&run.name())));
    let Some((folder, there)) = open_run(console, resumed, out, &request, fresh, |_| true)? else {
        let folder = out.unwrap_or(Path::new("."));
        if options.view {
            View::beside(folder)?.finish(console);
        }
        run.report_again(console, folder, options.format)?;
        return Ok(Outcome::Done);
    };
    // Either was found: of `--resume` before the folder was opened, of the same command again with it.
    let (folder, view) = View::of(folder, options.view)?;
    let from = from.or(there);
    let path = folder.path().to_owned();
    let totals = Totals::default();
    let played = with_view(console, view.as_ref(), || {
        console.with_progress(
            Some(&path),
            || run.status(&totals),
            || engine::play(game, folder, from.as_ref(), settings, &totals, &stop),
        )
    })
    .map_err(|error| unfinished(error, &path, settings))?;
    run.report(console, &played, &path, options.format)?;
    ended(console, run, &played, &path, settings)
}

/// Returns the command that resumes the run in `folder`, whose checkpoint keeps `settings`.
fn goes_on(settings: &Value, folder: &Path) -> String {
    resume_command(settings, folder)
        .unwrap_or_else(|| format!("the same command with --out {}", shell_path(folder)))
}

/// The error of a run that could not be finished, as when `datapackage.json` meets a full disk, with how it goes on if
/// its checkpoint was kept.
fn unfinished(error: Error, folder: &Path, settings: &Value) -> anyhow::Error {
    match has_checkpoint(folder) {
        Ok(true) => {
            anyhow!("{error}; once that is mended, {} goes on", goes_on(settings, folder))
        }
        Ok(false) | Err(_) => error.into(),
    }
}

/// Says how to go on with a run that did not come to its end.
fn ended<R: Run>(
    console: &Console,
    run: &R,
    played: &Played<R::Game>,
    folder: &Path,
    settings: &Value,
) -> anyhow::Result<Outcome> {
    let said = || format!("{} in {}", run.kept(played), folder.display());
    let goes_on = || goes_on(settings, folder);
    match &played.manifest.status {
        Status::Complete => {
            run.remark(console);
            Ok(Outcome::Done)
        }
        Status::Failed(error) => {
            bail!("{error}; {}; once that is mended, {} goes on", said(), goes_on())
        }
        Status::Interrupted => {
            console.eprint_line(&format!("interrupted: {}; {} goes on", said(), goes_on()));
            Ok(Outcome::Interrupted)
        }
    }
}
