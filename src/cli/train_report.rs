//! How a training shows: a progress bar while it runs, its result at the end.

use std::sync::atomic::Ordering;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Format;
use super::output::{number, print, print_json, thousands};
use crate::threads::watched;
use crate::train::{CONTROLLER, Plan, Standing, TrainManifest, Watch};

const REFRESH: Duration = Duration::from_millis(100);

/// Calls `work` with a progress bar on stderr; none when stderr is no terminal.
pub(super) fn with_progress<T>(
    plan: &Plan,
    games: u64,
    watch: &Watch,
    work: impl FnOnce() -> T,
) -> T {
    let bar = ProgressBar::with_draw_target(Some(plan.generations), ProgressDrawTarget::stderr());
    if bar.is_hidden() {
        return work();
    }
    let template = "{wide_bar} generation {pos}/{len} {msg} ETA {eta}";
    bar.set_style(ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar()));
    let show = || {
        let standing = watch.standing();
        bar.set_position(standing.generation);
        bar.set_message(message(&standing, games, watch));
    };
    let result = watched(REFRESH, show, work);
    bar.finish_and_clear();
    result
}

fn message(standing: &Standing, games: u64, watch: &Watch) -> String {
    let mut text = String::new();
    if let Some((best, mean)) = standing.last {
        text += &format!("· best {} mean {} ", number(best), number(mean));
    }
    if let Some(held_out) = standing.held_out {
        text += &format!("held-out {} ", number(held_out));
    }
    let played = thousands(watch.totals.games.load(Ordering::Relaxed));
    text += &if standing.finals {
        "· finals ".to_owned()
    } else {
        format!("· {played} games, {games} a generation ")
    };
    text
}

pub(super) fn report(
    plan: &Plan,
    manifest: &TrainManifest,
    folder: &str,
    format: Format,
) -> anyhow::Result<()> {
    if format == Format::Json {
        return print_json(manifest);
    }
    let winner = &manifest.winner;
    let mut text = format!(
        "{} · {} · seed {}\n\n",
        plan.options.name(),
        plan.games.said(" · "),
        plan.games.seed()
    );
    for (feature, weight) in plan.games.weights(&winner.finalist.weights) {
        text += &format!("  {weight:>13.9}  {feature}\n");
    }
    text += &format!("\nresult     {}\n", winner.finalist.origin);
    if let Some(held_out) = &winner.held_out {
        text += &format!("held out   {}\n", held_out.said(plan));
        if let (Some(worst), Some(worth)) = (held_out.contradiction, plan.objective.lost()) {
            text += &format!(
                "note       a game that was not lost is worth {worst:.1}, no better than a lost one ({worth}): give another --lost\n"
            );
        }
    }
    if let Some(stopped) = &manifest.stopped {
        text += &format!("stopped    {stopped}\n");
    }
    let (_, done) = manifest.generations;
    text += &format!(
        "trained    {done} generations, {} games, {} pieces in {:.2} s; {:.1} % of it outside of games\n",
        thousands(manifest.games),
        thousands(manifest.pieces),
        manifest.elapsed_s,
        100.0 * manifest.outside_share
    );
    text += &format!("files      {folder}: {CONTROLLER} history.csv train.json checkpoint.json\n");
    Ok(print(&text)?)
}
