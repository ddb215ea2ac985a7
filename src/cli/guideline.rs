//! `tetrastat simulate --rules guideline|capstone`: Sprint, Blitz and endless games.

use std::path::Path;

use anyhow::bail;
use serde_json::json;

use super::complaint::complain;
use super::guideline_report::{report_json, report_text};
use super::interrupt::stop_flag;
use super::opening::{Begun, OutOptions, Wanted, open_run};
use super::output::{Format, Outcome, print, print_json};
use super::progress::with_count;
use super::simulate::say_if_equal;
use crate::engine::{self, Game, Totals};
use crate::record::{ResumePoint, RunFolder, Status, plain_name};
use crate::sim::guideline::{
    GuidelineCheckpoint, GuidelineConfig, GuidelineRun, read_guideline_run,
};

/// Plays a run, or goes on with it from the checkpoint in its folder.
pub(super) fn play(
    config: &GuidelineConfig,
    options: &OutOptions,
    begun: &Begun,
    resumed: bool,
) -> anyhow::Result<Outcome> {
    if options.dry_run {
        print_json(&config.entry())?;
        return Ok(Outcome::Done);
    }
    let stop = stop_flag()?;
    let out = options.out.as_deref();
    let from = out.filter(|_| resumed).map(GuidelineCheckpoint::read).transpose()?;
    let (entry, tables) = (json!(config.entry()), config.files());
    let wanted = Wanted { config: entry, tables, force: options.force };
    let fresh = || {
        let name = format!("{}-{}", config.controller.name, config.mode.name());
        RunFolder::create_fresh(&Path::new("runs").join(plain_name(&name)))
    };
    let opened = open_run(resumed, out, wanted, fresh, |_| true)?;
    let Some((folder, there)) = opened else {
        let folder = out.unwrap_or(Path::new("."));
        report(options.format, config, &read_guideline_run(folder)?, folder)?;
        return Ok(Outcome::Done);
    };
    let from = from.or(there);
    let path = folder.path().to_owned();
    let totals = Totals::default();
    let range = config.units();
    let games = range.end - range.start;
    let run = with_count(Some(&path), "games", games, &totals.played, || {
        engine::play(config, folder, from.as_ref(), &begun.kept(), &totals, &stop)
    })?;
    report(options.format, config, &run, &path)?;
    let folder = path.display();
    let kept = format!("{} games are kept in {folder}", run.count.len());
    match run.manifest.status {
        Status::Complete => {
            say_if_equal(&config.queue, config.games);
            Ok(Outcome::Done)
        }
        Status::Failed(error) => {
            bail!("{error}; {kept}; once that is mended, simulate --resume {folder} goes on")
        }
        Status::Interrupted => {
            complain(&format!("interrupted: {kept}; simulate --resume {folder} goes on"));
            Ok(Outcome::Interrupted)
        }
    }
}

fn report(
    format: Format,
    config: &GuidelineConfig,
    run: &GuidelineRun,
    path: &Path,
) -> anyhow::Result<()> {
    match format {
        Format::Json => print_json(&report_json(config, run, path)),
        Format::Text => Ok(print(&report_text(config, run, path))?),
    }
}
