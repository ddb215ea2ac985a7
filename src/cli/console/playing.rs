//! Plays one run of any game: folder, progress, checkpoint, report and resumption.

use std::path::Path;

use anyhow::{anyhow, bail};
use serde_json::{Value, json};

use crate::cli::console::Console;
use crate::cli::console::opening::{OutOptions, OutputRequest, open_run};
use crate::cli::console::output::Outcome;
use crate::cli::console::progress::ProgressStatus;
use crate::cli::console::viewing::{View, with_view};
use crate::engine::{self, Job, Manifest, Played, RunState, Totals};
use crate::error::Error;
use crate::games::resume_command;
use crate::record::{RunFolder, Status, has_checkpoint, plain_name, shell_path};
use crate::report::Report;

/// Function that reports a run, given its `run.json` and its folder. The count is `None` unless the
/// run was just played.
pub(crate) type RunReport<'a, J> =
    dyn Fn(&Manifest<J>, Option<&<J as Job>::Count>, &Path) -> Report + 'a;

/// A run together with its texts for the user.
pub(crate) struct Playing<'a, J: Job> {
    pub(crate) job: &'a J,
    /// Name of the run's default folder below `runs/`, without the number that is appended.
    pub(crate) name: String,
    /// Returns the progress of the run, given the running totals of its workers.
    pub(crate) status: &'a (dyn Fn(&Totals) -> ProgressStatus + Sync),
    pub(crate) report: &'a RunReport<'a, J>,
    /// Describes the kept part of an interrupted run, for example `3 games ended and are kept`.
    pub(crate) kept: &'a dyn Fn(&J::Count) -> String,
    /// Note about a complete run, if there is one.
    pub(crate) note: Option<String>,
}

/// Plays a run, or continues it from the checkpoint in its folder. New checkpoints store
/// `settings`. If `resumed` is true (`--resume`), the run continues even if its command differs
/// from that of the checkpoint.
///
/// # Errors
/// Errors of the engine, with the kept part and the command that resumes the run.
pub(crate) fn play<J: Job>(
    console: &Console,
    run: &Playing<'_, J>,
    options: &OutOptions,
    settings: &Value,
    resumed: bool,
) -> anyhow::Result<Outcome> {
    let game = run.job;
    if options.dry_run {
        console.print_json(&game.entry())?;
        return Ok(Outcome::Done);
    }
    let stop = console.stop_flag()?;
    let out = options.out.as_deref();
    let request =
        OutputRequest { config: json!(game.entry()), tables: game.files(), force: options.force };
    let fresh = || RunFolder::create_fresh(&Path::new("runs").join(plain_name(&run.name)));
    let Some((folder, from)) =
        open_run::<RunState<J>>(console, resumed, out, &request, fresh, |_| true)?
    else {
        let folder = out.unwrap_or(Path::new("."));
        if options.view {
            View::beside(folder)?.finish(console);
        }
        console.report(&(run.report)(&Manifest::read(folder)?, None, folder), options.format)?;
        return Ok(Outcome::Done);
    };
    let (folder, view) = View::of(folder, options.view)?;
    let path = folder.path().to_owned();
    let (totals, sink) = (Totals::default(), console.row_sink());
    let played = with_view(console, view.as_ref(), || {
        console.with_progress(
            Some(&path),
            || (run.status)(&totals),
            || engine::play(game, folder, from.as_ref(), settings, &totals, &stop, sink),
        )
    })
    .map_err(|error| unfinished(error, &path, settings))?;
    let report = (run.report)(&played.manifest, Some(&played.count), &path);
    console.report(&report, options.format)?;
    ended(console, run, &played, &path, settings)
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
fn ended<J: Job>(
    console: &Console,
    run: &Playing<'_, J>,
    played: &Played<J>,
    folder: &Path,
    settings: &Value,
) -> anyhow::Result<Outcome> {
    let said = || format!("{} in {}", (run.kept)(&played.count), folder.display());
    let goes_on = || resume_hint(settings, folder);
    match &played.manifest.status {
        Status::Complete => {
            run.note.iter().for_each(|note| console.eprint_line(note));
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
