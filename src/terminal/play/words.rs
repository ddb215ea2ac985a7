//! What screens say of a game.

use super::app::Kind;
use super::placed::Placement;
use super::session::Session;
use crate::record::GuidelineEnd;
use crate::rules::guideline::Spin;

/// How long a clear is named.
const NAMED_MS: u64 = 2000;

/// `MM:SS.t`; tenths are cut off.
#[must_use]
pub fn clock(ms: u64) -> String {
    format!("{:02}:{:02}.{}", ms / 60_000, ms / 1000 % 60, ms / 100 % 10)
}

/// The time that a game's clock shows: what is left of a Blitz, else what is played.
#[must_use]
pub fn shown_time(session: &Session) -> u64 {
    match session.setup().mode.time_us() {
        u64::MAX => session.now(),
        // Rounded up, so that 0 is the end.
        limit => (limit / 1000).saturating_sub(session.now()).div_ceil(100) * 100,
    }
}

/// The rows that a game's counter shows: what is left of a Sprint, else what is done.
#[must_use]
pub fn shown_lines(session: &Session) -> (&'static str, u32) {
    let done = session.row().lines;
    match session.setup().mode.goal() {
        Some(goal) => ("lines left", goal.saturating_sub(done)),
        None => ("lines", done),
    }
}

/// Pieces a second.
#[must_use]
pub fn rate(session: &Session) -> String {
    let seconds = session.now() as f64 / 1000.0;
    if seconds == 0.0 {
        return "-".to_owned();
    }
    format!("{:.2}", f64::from(session.row().pieces) / seconds)
}

/// The last clear, for two seconds: its words, and whether it was back-to-back.
#[must_use]
pub fn clear_text(session: &Session) -> Option<(Vec<String>, bool)> {
    let last = session.placements().last()?;
    let age = session.now().saturating_sub(last.time_us / 1000);
    let lines = words(last);
    (age < NAMED_MS && !lines.is_empty())
        .then_some((lines, last.placed.act.back_to_back && last.placed.clear.is_difficult()))
}

fn words(placed: &Placement) -> Vec<String> {
    let clear = placed.placed.clear;
    let rows = ["", "single", "double", "triple", "tetris"][usize::from(clear.lines.min(4))];
    let name = match clear.spin {
        Spin::None => rows.to_owned(),
        Spin::Mini => format!("mini T-spin {rows}").trim().to_owned(),
        Spin::Full => format!("T-spin {rows}").trim().to_owned(),
    };
    let mut words = Vec::new();
    if !name.is_empty() {
        words.push(name.to_uppercase());
    }
    if placed.before.back_to_back && clear.is_difficult() {
        words.push("back-to-back".to_owned());
    }
    if placed.before.combo > 0 && clear.lines > 0 {
        words.push(format!("combo {}", placed.before.combo));
    }
    if clear.perfect {
        words.push("PERFECT CLEAR".to_owned());
    }
    let points = placed.placed.points.total();
    if points > 0 {
        words.push(format!("+{points}"));
    }
    words
}

/// How a game ended.
#[must_use]
pub fn ending(session: &Session, kind: Kind) -> String {
    let how = match session.end() {
        Some(GuidelineEnd::Won) => format!("{} lines done", session.row().lines),
        Some(GuidelineEnd::TimeLimit) => "time is up".to_owned(),
        Some(GuidelineEnd::LockOut) => "topped out: locked above the board".to_owned(),
        Some(GuidelineEnd::TopOut) => "topped out: the next piece cannot enter".to_owned(),
        Some(GuidelineEnd::Left | GuidelineEnd::PieceLimit) | None => "left".to_owned(),
    };
    format!("{}: {how}", kind.name())
}
