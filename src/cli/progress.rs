//! The progress bar, on a terminal only.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::thousands;
use crate::sim::{RunConfig, Totals};
use crate::threads::watched;

const REFRESH: Duration = Duration::from_millis(100);

/// Calls `work` with a progress bar on stderr that follows `totals`, behind a word on what is played;
/// no bar when stderr is no terminal.
pub(super) fn with_progress<T>(
    label: &str,
    config: &RunConfig,
    totals: &Totals,
    work: impl FnOnce() -> T,
) -> T {
    with_bar(label, length(config), |bar| update(bar, config, totals), work)
}

/// The same for work of so many of `what`, of which `done` are done.
pub(super) fn with_count<T>(what: &str, of: u64, done: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let show = |bar: &ProgressBar| {
        let done = done.load(Ordering::Relaxed).min(of);
        bar.set_position(done);
        bar.set_message(format!("{what} {}/{}", thousands(done), thousands(of)));
    };
    with_bar("", of, show, work)
}

/// Calls `work` with what it tells of each placement, or now and then; stderr says how far it is when
/// that is a terminal. Signals are not caught yet: Ctrl-C ends the program.
pub(super) fn while_playing<T>(work: impl FnOnce(&dyn Fn(u64)) -> T) -> T {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("playing: placement {human_pos} (Ctrl-C ends)");
    line.set_style(style.unwrap_or(ProgressStyle::default_spinner()));
    let result = work(&|made| line.set_position(made));
    line.finish_and_clear();
    result
}

/// Calls `work` while `show` sets the bar.
fn with_bar<T>(
    label: &str,
    length: u64,
    show: impl Fn(&ProgressBar) + Sync,
    work: impl FnOnce() -> T,
) -> T {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    if bar.is_hidden() {
        return work();
    }
    let template = "{prefix}{wide_bar} {percent}% {msg} ETA {eta}";
    bar.set_style(ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar()));
    bar.set_prefix(label.to_owned());
    let result = watched(REFRESH, || show(&bar), work);
    bar.finish_and_clear();
    result
}

/// Pieces at most when games are limited by pieces, else games.
fn length(config: &RunConfig) -> u64 {
    let games = games(config);
    config.limits.pieces.map_or(games, |pieces| pieces.saturating_mul(games))
}

fn games(config: &RunConfig) -> u64 {
    config.game_range().end - config.game_range().start
}

fn update(bar: &ProgressBar, config: &RunConfig, totals: &Totals) {
    let games = totals.games.load(Ordering::Relaxed);
    let pieces = totals.pieces.load(Ordering::Relaxed);
    let lines = totals.lines.load(Ordering::Relaxed);
    let position = match config.limits.pieces {
        // A game that ended early counts for its limit, so that the bar reaches its end.
        Some(limit) => (games.saturating_mul(limit)).max(pieces).min(length(config)),
        None => games,
    };
    bar.set_position(position);
    let per_second = pieces as f64 / bar.elapsed().as_secs_f64().max(1e-3);
    bar.set_message(format!(
        "games {games}/{} · {} lines · {} pieces/s",
        self::games(config),
        thousands(lines),
        thousands(per_second as u64)
    ));
}
