//! Formats the texts on the screens of a game.

use super::options::PlayGame;
use super::session::Session;
use crate::record::{GuidelineEnd, GuidelinePlacement};
use crate::rules::guideline::Spin;

/// Milliseconds for which a clear is named on the screen.
const NAMED_MS: u64 = 2000;

/// Formats a time as `MM:SS.t`, with tenths rounded down.
#[must_use]
pub fn clock(ms: u64) -> String {
    format!("{:02}:{:02}.{}", ms / 60_000, ms / 1000 % 60, ms / 100 % 10)
}

/// Returns the time that the clock shows in milliseconds: the time left in a Blitz, otherwise the
/// time played.
#[must_use]
pub fn shown_time(session: &Session) -> u64 {
    match session.setup().mode.time_us() {
        u64::MAX => session.now(),
        // Rounded up, so that 0 is the end.
        limit => (limit / 1000).saturating_sub(session.now()).div_ceil(100) * 100,
    }
}

/// Returns the label and the number of the row counter: the rows left in a Sprint, otherwise the
/// rows removed.
#[must_use]
pub fn shown_lines(session: &Session) -> (&'static str, u32) {
    let done = session.row().lines;
    match session.setup().mode.goal() {
        Some(goal) => ("lines left", goal.saturating_sub(done)),
        None => ("lines", done),
    }
}

/// Returns the number of pieces per second as text, or `-` at the start.
#[must_use]
pub fn rate(session: &Session) -> String {
    let seconds = session.now() as f64 / 1000.0;
    if seconds == 0.0 {
        return "-".to_owned();
    }
    format!("{:.2}", f64::from(session.row().pieces) / seconds)
}

/// Returns the words for the last clear, and true if it was back-to-back. Returns `None` if there
/// was no clear in the last two seconds.
#[must_use]
pub fn clear_text(session: &Session) -> Option<(Vec<String>, bool)> {
    let is_new = |placed: &&GuidelinePlacement| session.now() < placed.time_us / 1000 + NAMED_MS;
    let lately = session.placements().iter().rev().take_while(is_new);
    let named = |placed: &GuidelinePlacement| Some((words(placed), is_back_to_back(placed)));
    lately.filter_map(named).find(|(words, _)| !words.is_empty())
}

fn is_back_to_back(placed: &GuidelinePlacement) -> bool {
    placed.before.back_to_back() && placed.placed.clear.is_difficult()
}

fn words(placed: &GuidelinePlacement) -> Vec<String> {
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
    if is_back_to_back(placed) {
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

/// Describes how a game ended.
#[must_use]
pub fn ending(session: &Session, kind: PlayGame) -> String {
    let how = match session.end() {
        Some(GuidelineEnd::Won) => format!("{} lines done", session.row().lines),
        Some(GuidelineEnd::TimeLimit) => "time is up".to_owned(),
        Some(GuidelineEnd::LockOut) => "locked above the board".to_owned(),
        Some(GuidelineEnd::TopOut) => "topped out".to_owned(),
        Some(GuidelineEnd::Left | GuidelineEnd::PieceLimit) | None => "left".to_owned(),
    };
    format!("{}: {how}", kind.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::handling::Handling;
    use crate::play::keys::GameKey;
    use crate::play::session::GameSetup;
    use crate::rules::guideline::Guideline;

    fn session(kind: PlayGame) -> Session {
        let (rules, handling) = (Guideline::official(), Handling::USUAL);
        Session::new(GameSetup { rules, mode: kind.mode(40), handling, seed: 1, game: 0 })
    }

    #[test]
    fn times_by_hand() {
        let times = [0, 99, 100, 59_999, 60_000, 754_321].map(clock);
        assert_eq!(times, ["00:00.0", "00:00.0", "00:00.1", "00:59.9", "01:00.0", "12:34.3"]);
    }

    #[test]
    fn a_blitz_counts_down_and_a_sprint_its_rows() {
        let mut blitz = session(PlayGame::Blitz);
        assert_eq!((shown_time(&blitz), shown_lines(&blitz)), (180_000, ("lines", 0)));
        blitz.advance(1);
        assert_eq!(shown_time(&blitz), 180_000);
        blitz.advance(1001);
        assert_eq!(clock(shown_time(&blitz)), "02:59.0");
        let mut sprint = session(PlayGame::Sprint);
        assert_eq!(rate(&sprint), "-");
        sprint.tap(GameKey::HardDrop, 2500);
        assert_eq!((shown_time(&sprint), shown_lines(&sprint)), (2500, ("lines left", 40)));
        assert_eq!((rate(&sprint).as_str(), clear_text(&sprint)), ("0.40", None));
        sprint.leave(2600);
        assert_eq!(ending(&sprint, PlayGame::Sprint), "Sprint: left");
    }

    #[test]
    fn clears_have_names_for_two_seconds() {
        let mut session = session(PlayGame::Practice);
        session.tap(GameKey::HardDrop, 1000);
        let mut placed = session.placements()[0].clone();
        placed.placed.clear.lines = 4;
        placed.placed.points.base = 800;
        assert_eq!(words(&placed), ["TETRIS", "+800"]);
        placed.before.chain = 1;
        placed.before.combo = 2;
        placed.placed.clear.perfect = true;
        let all = ["TETRIS", "back-to-back", "combo 2", "PERFECT CLEAR", "+800"];
        assert_eq!(words(&placed), all);
        assert!(is_back_to_back(&placed));
        placed.placed.clear.lines = 1;
        placed.placed.clear.spin = Spin::Mini;
        assert_eq!(words(&placed)[0], "MINI T-SPIN SINGLE");
        session.show_for_test(placed);
        session.advance(2999);
        assert!(clear_text(&session).is_some_and(|(_, gold)| gold));
        session.advance(3000);
        assert_eq!(clear_text(&session), None);
    }

    #[test]
    fn a_name_outlives_the_next_piece() {
        let mut session = session(PlayGame::Practice);
        session.tap(GameKey::HardDrop, 1000);
        let mut placed = session.placements()[0].clone();
        placed.placed.clear.lines = 4;
        session.show_for_test(placed);
        session.tap(GameKey::HardDrop, 1400);
        session.advance(2999);
        assert_eq!(clear_text(&session).map(|(words, _)| words), Some(vec!["TETRIS".to_owned()]));
        session.advance(3000);
        assert_eq!(clear_text(&session), None);
    }
}
