//! Reports a training: its progress while it runs, and its result.

use std::path::Path;
use std::sync::atomic::Ordering;

use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::console::progress::ProgressStatus;
use crate::controller::PatternLayout;
use crate::text::numbers::{number, thousands};
use crate::train::{
    CONTROLLER_FILE, Stage, TABLES_FILE, TrainManifest, TrainingPlan, TrainingWatch,
    describe_windows,
};

/// Calls `work` and reports the progress of the training in `folder` on stderr.
pub(crate) fn with_training<T>(
    console: &Console,
    folder: &Path,
    plan: &TrainingPlan,
    watch: &TrainingWatch,
    work: impl FnOnce() -> T,
) -> T {
    let show = || ProgressStatus {
        share: watch.share(),
        text: describe(plan, watch),
        counted: Some((watch.totals.pieces.load(Ordering::Relaxed), "pieces")),
        unknown: None,
    };
    console.with_progress(Some(folder), show, work)
}

fn describe(plan: &TrainingPlan, watch: &TrainingWatch) -> String {
    let status = watch.status();
    let all = watch.totals.played.load(Ordering::Relaxed);
    let mut text = match status.stage {
        Stage { games, begun, .. } if status.finals => {
            let own = all.saturating_sub(begun.0);
            format!("finals: games {}/{}", thousands(own), thousands(games))
        }
        _ => format!("generation {}/{}", status.generation, plan.generations),
    };
    if let Some((best, mean)) = status.last {
        text += &format!(" · best {} mean {}", number(best), number(mean));
    }
    if let Some(held_out) = status.held_out {
        text += &format!(" held-out {}", number(held_out));
    }
    text + &format!(" · {} games", thousands(all))
}

pub(crate) fn report(
    console: &Console,
    plan: &TrainingPlan,
    manifest: &TrainManifest,
    folder: &str,
    format: Format,
) -> anyhow::Result<()> {
    if format == Format::Json {
        return console.print_json(manifest);
    }
    let winner = &manifest.winner;
    let mut text = format!(
        "{} · {} · seed {}\n\n",
        plan.options.name(),
        plan.games.describe(" · "),
        plan.games.seed()
    );
    for (feature, weight) in plan.games.weights(&winner.finalist.weights) {
        text += &format!("  {weight:>13.9}  {feature}\n");
    }
    if !plan.games.names().is_empty() {
        text.push('\n');
    }
    let layout = plan.games.layout();
    text += &layout.map(describe_layout).unwrap_or_default();
    text += &format!("result     {}\n", winner.finalist.origin);
    if let Some(held_out) = &winner.held_out {
        text += &format!("held out   {}\n", held_out.describe(plan));
        if let (Some(worst), Some(worth)) = (held_out.contradiction, plan.objective.lost()) {
            text += &format!(
                "note       a game that was not lost has the value {worst:.1}, no better than a \
                    lost game ({worth}): give another --lost\n"
            );
        }
    }
    if let Some(stopped) = &manifest.stopped {
        text += &format!("stopped    {stopped}\n");
    }
    let (_, done) = manifest.generations;
    text += &format!(
        "trained    {done} generations, {} games, {} pieces in {:.2} s; {:.1} % of it outside of \
            games\n",
        thousands(manifest.games),
        thousands(manifest.pieces),
        manifest.elapsed_s,
        100.0 * manifest.outside_share
    );
    if manifest.saved > 0 {
        let all = manifest.games + manifest.saved;
        text += &format!(
            "racing     left out {} of {} games, {:.1} %\n",
            thousands(manifest.saved),
            thousands(all),
            100.0 * manifest.saved as f64 / all as f64
        );
    }
    let tables = if layout.is_some() { format!(" {TABLES_FILE}") } else { String::new() };
    text += &format!(
        "files      {folder}: {CONTROLLER_FILE}{tables} history.csv train.json checkpoint.json\n"
    );
    Ok(console.print(&text)?)
}

/// Returns a line about the windows of `layout` and their tables.
pub(crate) fn describe_layout(layout: &PatternLayout) -> String {
    format!(
        "windows    {}: {} lookups, {} table entries\n",
        describe_windows(layout),
        layout.lookups().len(),
        thousands(layout.entries() as u64)
    )
}
