//! Plays one run of any game: folder, progress, checkpoint, report and resumption.

use std::path::Path;

use anyhow::{anyhow, bail};
use serde_json::{Value, json};

use crate::cli::console::Console;
use crate::cli::console::opening::{OutOptions, OutputRequest, open_run};
use crate::cli::console::output::Outcome;
use crate::cli::console::progress::ProgressStatus;
use crate::cli::console::viewing::{View, with_view};
use crate::engine::{self, Checkpoint, Game, Manifest, Played, Totals};
use crate::error::Error;
use crate::games::resume_command;
use crate::record::{ResumePoint, RunFolder, Status, has_checkpoint, plain_name, shell_path};
use crate::report::Report;
use crate::text::numbers::counted;

/// A run together with its texts for the user.
pub(crate) trait Run: Sync {
    type Game: Game;

    fn game(&self) -> &Self::Game;
    /// Returns the name of the run's default folder below `runs/`, without the number that is
    /// appended.
    fn name(&self) -> String;
    /// Returns the progress of the run, given the running `totals` of its workers.
    fn status(&self, totals: &Totals) -> ProgressStatus;
    /// Reports a run, whose `run.json` in `folder` holds `manifest`. `count` is `None` unless the
    /// run was just played.
    fn report(
        &self,
        manifest: &Manifest<Self::Game>,
        count: Option<&<Self::Game as Game>::Count>,
        folder: &Path,
    ) -> Report;
    /// Describes the kept part of an interrupted run, for example `3 games are kept`.
    fn kept(&self, played: &Played<Self::Game>) -> String;
    /// Prints a note about a complete run, if there is one.
    fn remark(&self, _: &Console) {}
}

/// Plays a run, or continues it from the checkpoint in its folder. New checkpoints store
/// `settings`. If `resumed` is true (`--resume`), the run continues even if its command differs
/// from that of the checkpoint.
///
/// # Errors
/// Errors of the engine, with the kept part and the command that resumes the run.
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
    let request =
        OutputRequest { config: json!(game.entry()), tables: game.files(), force: options.force };
    let fresh = || RunFolder::create_fresh(&Path::new("runs").join(plain_name(&run.name())));
    let Some((folder, from)) =
        open_run::<Checkpoint<R::Game>>(console, resumed, out, &request, fresh, |_| true)?
    else {
        let folder = out.unwrap_or(Path::new("."));
        if options.view {
            View::beside(folder)?.finish(console);
        }
        console.report(&run.report(&Manifest::read(folder)?, None, folder), options.format)?;
        return Ok(Outcome::Done);
    };
    let (folder, view) = View::of(folder, options.view)?;
    let path = folder.path().to_owned();
    let (totals, sink) = (Totals::default(), console.row_sink());
    let played = with_view(console, view.as_ref(), || {
        console.with_progress(
            Some(&path),
            || run.status(&totals),
            || engine::play_to(game, folder, from.as_ref(), settings, &totals, &stop, sink),
        )
    })
    .map_err(|error| unfinished(error, &path, settings))?;
    let report = run.report(&played.manifest, Some(&played.count), &path);
    console.report(&report, options.format)?;
    ended(console, run, &played, &path, settings)
}

/// Describes the kept part of an interrupted run: `count` of what `noun` names.
pub(crate) fn kept(count: u64, noun: &str) -> String {
    format!("{} {} kept", counted(count, noun), is_or_are(count))
}

/// Returns the verb for `count` things.
pub(crate) fn is_or_are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Returns the command that resumes the run in `folder`, whose checkpoint keeps `settings`.
fn resume_hint(settings: &Value, folder: &Path) -> String {
    resume_command(settings, folder)
        .map(|command| format!("tetrastat {command}"))
        .unwrap_or_else(|| format!("the same command with --out {}", shell_path(folder)))
}

/// Returns `error` with the command that resumes the run, if its checkpoint was kept. A full disk
/// can cause this error while `datapackage.json` is written.
fn unfinished(error: Error, folder: &Path, settings: &Value) -> anyhow::Error {
    match has_checkpoint(folder) {
        Ok(true) => {
            anyhow!(
                "{error}; once this is fixed, {} resumes the run",
                resume_hint(settings, folder)
            )
        }
        Ok(false) | Err(_) => error.into(),
    }
}

/// Returns the outcome of a run that has ended. Prints on stderr how to resume an interrupted run;
/// returns an error if the run failed.
fn ended<R: Run>(
    console: &Console,
    run: &R,
    played: &Played<R::Game>,
    folder: &Path,
    settings: &Value,
) -> anyhow::Result<Outcome> {
    let said = || format!("{} in {}", run.kept(played), folder.display());
    let goes_on = || resume_hint(settings, folder);
    match &played.manifest.status {
        Status::Complete => {
            run.remark(console);
            Ok(Outcome::Done)
        }
        Status::Failed(error) => {
            bail!("{error}; {}; once this is fixed, {} resumes the run", said(), goes_on())
        }
        Status::Interrupted => {
            console.eprint_line(&format!("interrupted: {}; {} resumes the run", said(), goes_on()));
            Ok(Outcome::Interrupted)
        }
    }
}
