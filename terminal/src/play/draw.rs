//! Draws the screens of `tetrastat play`.
//!
//! Frozen: bytes

use ratatui::Frame;
use ratatui::layout::Alignment;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::PlayGame;
use super::app::{MenuEntry, PlayApp, PlayScreen};
use super::keys::{GameKey, Handling};
use super::session::Session;
use crate::board_view::BoardView;
use crate::matrix::{VISIBLE, WIDTH};
use crate::prelude::*;
use crate::record::{GuidelineEnd, GuidelinePlacement};
use crate::rules::guideline::{RotationState, Spin};
use crate::screen::centred_area;

/// Size of the terminal in characters that every screen for human players needs.
pub(super) const NEED: Size = Size { width: 66, height: 24 };

pub(super) fn draw(app: &PlayApp, frame: &mut Frame) {
    let area = centred_area(frame.area(), NEED);
    match (app.view(), app.session()) {
        (PlayScreen::Controls, _) => draw_controls(app, frame, area),
        (PlayScreen::Playing, Some(session)) => draw_game(app, session, frame, area),
        (PlayScreen::Paused, Some(session)) => {
            draw_game(app, session, frame, area);
            let lines = vec![Line::from(""), centred("the clock is stopped"), Line::from("")];
            draw_box(app, frame, area, (" paused ", 22), lines);
        }
        (PlayScreen::Ended, Some(session)) => {
            draw_game(app, session, frame, area);
            let title = format!(" {} ", describe_end(session, app.kind()));
            draw_box(app, frame, area, (&title, 44), statistics(app, session));
        }
        _ => draw_menu(app, frame, area),
    }
}

fn centred(text: impl Into<String>) -> Line<'static> {
    Line::from(text.into()).alignment(Alignment::Center)
}

fn faint(app: &PlayApp, text: impl Into<String>) -> Line<'static> {
    centred(text).style(app.theme.faint())
}

fn draw_menu(app: &PlayApp, frame: &mut Frame, area: Rect) {
    let title = Style::new().add_modifier(Modifier::BOLD);
    let mut lines = vec![Line::from(""), centred("T E T R A S T A T").style(title)];
    lines.extend([Line::from(""), Line::from("")]);
    lines.extend(entries(app));
    lines.extend([Line::from(""), Line::from("")]);
    let Handling { das_ms, arr_ms, .. } = Handling::new(app.options.advanced);
    lines.push(faint(app, format!("keys repeat after {das_ms} ms, then every {arr_ms} ms")));
    let (rules, seed) = (&app.options.rules, app.options.seed);
    lines.push(faint(app, format!("rules {rules} · seed {seed}")));
    if let Some(folder) = &app.folder {
        lines.push(faint(app, format!("games are written to {folder}")));
    }
    lines.push(Line::from(""));
    lines.push(faint(app, "↑ ↓ choose · Enter takes it · Esc or Q quits"));
    frame.render_widget(Paragraph::new(lines), area);
}

fn entries(app: &PlayApp) -> Vec<Line<'static>> {
    let (entries, chosen) = app.menu();
    let line = |(place, entry): (usize, &MenuEntry)| {
        let text = label(app, *entry);
        match (place == chosen, app.is_open(*entry)) {
            (true, _) => centred(format!("> {text} <")).style(app.theme.chosen()),
            (false, true) => centred(text),
            (false, false) => faint(app, format!("{text} (not in this folder)")),
        }
    };
    entries.iter().enumerate().map(line).collect()
}

fn label(app: &PlayApp, entry: MenuEntry) -> String {
    let lines = app.options.sprint_lines;
    match entry {
        MenuEntry::Play(kind) => match kind {
            PlayGame::Sprint => format!("Sprint: {lines} lines"),
            PlayGame::Blitz => "Blitz: 3 minutes".to_owned(),
            PlayGame::Practice => "Practice: no end".to_owned(),
        },
        MenuEntry::Advanced if app.options.advanced => "Advanced controls: on".to_owned(),
        MenuEntry::Advanced => "Advanced controls: off".to_owned(),
        MenuEntry::Controls => "Controls".to_owned(),
        MenuEntry::Resume => "Resume".to_owned(),
        MenuEntry::Again => "Again".to_owned(),
        MenuEntry::Menu => "Menu".to_owned(),
        MenuEntry::Quit => "Quit".to_owned(),
    }
}

fn draw_controls(app: &PlayApp, frame: &mut Frame, area: Rect) {
    let title = Style::new().add_modifier(Modifier::BOLD);
    let mut lines = vec![centred("Controls").style(title), Line::from("")];
    lines.extend(GameKey::ALL.map(|action| {
        let keys = app.options.keys.key_labels(action, true);
        Line::from(format!("{:>22}   {keys}", action.label()))
    }));
    lines.push(Line::from(""));
    for (name, advanced) in [("usual", false), ("advanced", true)] {
        let Handling { das_ms, arr_ms, soft_das_ms, soft_arr_ms } = Handling::new(advanced);
        lines.push(Line::from(format!("{name:>22}   DAS {das_ms} ms, ARR {arr_ms} ms")));
        let soft = format!("{:>22}   soft drop {soft_das_ms} ms, {soft_arr_ms} ms", "");
        lines.push(Line::from(soft));
    }
    lines.push(Line::from(""));
    let notice: &[&str] = if app.releases {
        &["This terminal reports key releases, and shift alone."]
    } else {
        &[
            "This terminal does not report key releases (kitty, foot,",
            "WezTerm and others do). A key held down repeats as the terminal",
            "repeats it, with its delay and rate in place of DAS and ARR; shift",
            "alone is not read; and faults of finesse are not counted.",
        ]
    };
    lines.extend(notice.iter().map(|line| Line::from(*line)));
    lines.push(Line::from(""));
    lines.push(Line::from("tetrastat play --print-key-map > keys.toml    writes these keys"));
    lines.push(Line::from("tetrastat play --key-map keys.toml            plays with others"));
    lines.push(faint(app, "any key goes back"));
    frame.render_widget(Paragraph::new(lines), area);
}

fn statistics(app: &PlayApp, session: &Session) -> Vec<Line<'static>> {
    let row = session.row();
    let (faults, keys) = session.keys();
    let finesse = if app.releases { format!("{faults} of {keys} keys") } else { "-".to_owned() };
    let clears = row.clears[0][4].to_string();
    let entries = [
        ("time", clock(session.now())),
        ("score", row.points.total().to_string()),
        ("lines", row.lines.to_string()),
        ("pieces", row.pieces.to_string()),
        ("pieces per second", pieces_per_second(session)),
        ("tetrises", clears),
        ("finesse faults", finesse),
    ];
    let line = |(name, value): (&str, String)| Line::from(format!(" {name:<20}{value:>20}"));
    let mut lines = vec![Line::from("")];
    lines.extend(entries.map(line));
    lines.push(Line::from(""));
    lines
}

fn draw_box(
    app: &PlayApp,
    frame: &mut Frame,
    area: Rect,
    (title, width): (&str, u16),
    mut lines: Vec<Line<'static>>,
) {
    lines.extend(entries(app));
    let area = centred_area(area, Size::new(width, lines.len() as u16 + 2));
    let block = Block::bordered().title(title);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// Number of board rows drawn above the 20 visible rows. Pieces enter there.
const ROWS_ABOVE: usize = 2;
const SIDE_WIDTH: u16 = 22;

pub(super) fn draw_game(app: &PlayApp, session: &Session, frame: &mut Frame, area: Rect) {
    let cells = board(session, app.view() == PlayScreen::Paused);
    let view = BoardView::new(&cells, app.theme).framed("");
    let size = view.size();
    let board = Rect { x: area.x + SIDE_WIDTH, width: size.width, height: size.height, ..area };
    frame.render_widget(view, board);
    let left = Rect { width: SIDE_WIDTH - 1, ..area };
    draw_hold(app, session, frame, left);
    draw_counters(app, session, frame, left);
    let right = Rect { x: board.right() + 1, width: SIDE_WIDTH - 1, ..area };
    draw_previews(app, session, frame, right);
    draw_keys(app, frame, right);
}

/// Returns the board to draw: settled cells, falling piece and ghost (its landing), or an empty
/// board while paused (`hidden`).
fn board(session: &Session, hidden: bool) -> Cells {
    let mut cells = Cells::from_fn((WIDTH, VISIBLE + ROWS_ABOVE), |column, row| {
        let empty = if row < VISIBLE { CellFace::Empty } else { CellFace::Outside };
        match session.colours().get(column, row) {
            CellFace::Piece(piece) if !hidden => CellFace::Piece(piece),
            _ => empty,
        }
    });
    let Some(falling) = session.falling().filter(|_| !hidden) else { return cells };
    let piece = falling.piece;
    cells.set_piece(falling.ghost(&session.state().matrix).cells(), CellFace::Ghost(piece));
    let here = falling.at.landing(piece, Spin::None);
    cells.set_piece(here.cells(), CellFace::Piece(piece));
    cells
}

/// Draws a piece in its spawn state with the appearance `cell`, from row `low` up.
fn set_piece(cells: &mut Cells, piece: Piece, low: usize, cell: CellFace) {
    let state = Landing::new(piece, RotationState::Spawn, 1, low as u8);
    cells.set_piece(state.cells(), cell);
}

fn draw_hold(app: &PlayApp, session: &Session, frame: &mut Frame, left: Rect) {
    let (held, used) = session.held();
    let mut cells = Cells::new(4, 2);
    if let Some(piece) = held.filter(|_| app.view() != PlayScreen::Paused) {
        let locked = used && app.theme == Theme::Colours;
        let cell = if locked { CellFace::Locked } else { CellFace::Piece(piece) };
        set_piece(&mut cells, piece, 0, cell);
    }
    let style = if used { app.theme.red() } else { Style::new() };
    let title = Line::from(if used { "used" } else { "hold" }).style(style);
    let view = BoardView::new(&cells, app.theme).framed(title).without_dots().frame_style(style);
    let size = view.size();
    let area =
        Rect { x: left.right() - size.width, width: size.width, height: size.height, ..left };
    frame.render_widget(view, area);
}

/// Minimum number of next pieces for which the frame on the screen has room.
const FRAMED_PREVIEWS: usize = 5;

fn draw_previews(app: &PlayApp, session: &Session, frame: &mut Frame, right: Rect) {
    // Every piece takes three rows except the last, which takes two; the frame takes two. Pieces
    // for which there is no room are not shown.
    let fitting = (usize::from(right.height) - 1) / 3;
    let previews = usize::from(app.options.rules.previews).clamp(FRAMED_PREVIEWS, fitting);
    let rows = 3 * previews - 1;
    let mut cells = Cells::new(4, rows);
    let shown = app.view() != PlayScreen::Paused;
    for (place, piece) in session.previews().into_iter().take(previews).enumerate() {
        if let Some(piece) = piece.filter(|_| shown) {
            set_piece(&mut cells, piece, rows - 2 - 3 * place, CellFace::Piece(piece));
        }
    }
    let view = BoardView::new(&cells, app.theme).framed("next").without_dots();
    frame.render_widget(view, right);
}

fn draw_counters(app: &PlayApp, session: &Session, frame: &mut Frame, left: Rect) {
    let row = session.row();
    let (lines, count) = line_counter(session);
    let (faults, _) = session.keys();
    let counter = |name: &str, value: String| Line::from(format!("{name:<11}{value:>10}"));
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut text = vec![
        Line::from(app.kind().name()).style(bold),
        counter("time", clock(clock_ms(session))).style(bold),
        counter(lines, count.to_string()),
        counter("pieces", row.pieces.to_string()),
        counter("score", row.points.total().to_string()),
        counter("pieces/s", pieces_per_second(session)),
    ];
    if app.releases {
        text.push(counter("faults", faults.to_string()));
    }
    text.push(Line::from(""));
    text.extend(clear_lines(app.theme, session));
    let area = Rect { y: left.y + 6, height: left.height - 6, ..left };
    frame.render_widget(Paragraph::new(text), area);
}

pub(super) fn clear_lines(theme: Theme, session: &Session) -> Vec<Line<'static>> {
    let Some((words, back_to_back)) = clear_text(session) else { return Vec::new() };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let style = if back_to_back { theme.gold() } else { bold };
    words.into_iter().map(|word| Line::from(word).style(style)).collect()
}

fn draw_keys(app: &PlayApp, frame: &mut Frame, right: Rect) {
    let line = |action: GameKey| {
        let keys = app.options.keys.key_labels(action, app.releases);
        Line::from(format!("{:<11}{keys}", action.label())).style(app.theme.faint())
    };
    let lines = GameKey::ALL.map(line).to_vec();
    let size = Size::new(right.width, lines.len() as u16);
    let area = Rect { y: right.bottom() - size.height, height: size.height, ..right };
    frame.render_widget(Paragraph::new(lines), area);
}

const NAMED_MS: u64 = 2000;

/// Formats milliseconds as `MM:SS.t`, with tenths rounded down.
pub(super) fn clock(ms: u64) -> String {
    format!("{:02}:{:02}.{}", ms / 60_000, ms / 1000 % 60, ms / 100 % 10)
}

/// Returns the game clock's time in ms: the time left in a Blitz, otherwise the time played.
pub(super) fn clock_ms(session: &Session) -> u64 {
    match session.setup().mode.time_us() {
        u64::MAX => session.now(),
        // Rounded up, so that 0 is the end.
        limit => (limit / 1000).saturating_sub(session.now()).div_ceil(100) * 100,
    }
}

pub(super) fn line_counter(session: &Session) -> (&'static str, u32) {
    let done = session.row().lines;
    match session.setup().mode.goal() {
        Some(goal) => ("lines left", goal.saturating_sub(done)),
        None => ("lines", done),
    }
}

pub(super) fn pieces_per_second(session: &Session) -> String {
    let seconds = session.now() as f64 / 1000.0;
    if seconds == 0.0 {
        return "-".to_owned();
    }
    format!("{:.2}", f64::from(session.row().pieces) / seconds)
}

/// Returns words for the latest clear or T-spin, such as `TETRIS`, for two seconds afterwards. The
/// flag is true if the clear was back-to-back.
pub(super) fn clear_text(session: &Session) -> Option<(Vec<String>, bool)> {
    let is_new = |placed: &&GuidelinePlacement| session.now() < placed.time_us / 1000 + NAMED_MS;
    let lately = session.placements().iter().rev().take_while(is_new);
    let named = |placed: &GuidelinePlacement| Some((clear_words(placed), is_back_to_back(placed)));
    lately.filter_map(named).find(|(words, _)| !words.is_empty())
}

fn is_back_to_back(placed: &GuidelinePlacement) -> bool {
    placed.before.back_to_back() && placed.placed.clear.is_difficult()
}

fn clear_words(placed: &GuidelinePlacement) -> Vec<String> {
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

pub(super) fn describe_end(session: &Session, kind: PlayGame) -> String {
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
    use crate::play::keys::{GameKey, Handling};
    use crate::play::session::GameSetup;
    use crate::rules::guideline::Guideline;

    fn session(kind: PlayGame) -> Session {
        let (rules, handling) = (Guideline::official(), Handling::DEFAULT);
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
        assert_eq!((clock_ms(&blitz), line_counter(&blitz)), (180_000, ("lines", 0)));
        blitz.advance(1);
        assert_eq!(clock_ms(&blitz), 180_000);
        blitz.advance(1001);
        assert_eq!(clock(clock_ms(&blitz)), "02:59.0");
        let mut sprint = session(PlayGame::Sprint);
        assert_eq!(pieces_per_second(&sprint), "-");
        sprint.tap(GameKey::HardDrop, 2500);
        assert_eq!((clock_ms(&sprint), line_counter(&sprint)), (2500, ("lines left", 40)));
        assert_eq!((pieces_per_second(&sprint).as_str(), clear_text(&sprint)), ("0.40", None));
        sprint.leave(2600);
        assert_eq!(describe_end(&sprint, PlayGame::Sprint), "Sprint: left");
    }

    #[test]
    fn clears_have_names_for_two_seconds() {
        let mut session = session(PlayGame::Practice);
        session.tap(GameKey::HardDrop, 1000);
        let mut placed = session.placements()[0].clone();
        placed.placed.clear.lines = 4;
        placed.placed.points.base = 800;
        assert_eq!(clear_words(&placed), ["TETRIS", "+800"]);
        placed.before.chain = 1;
        placed.before.combo = 2;
        placed.placed.clear.perfect = true;
        let all = ["TETRIS", "back-to-back", "combo 2", "PERFECT CLEAR", "+800"];
        assert_eq!(clear_words(&placed), all);
        assert!(is_back_to_back(&placed));
        placed.placed.clear.lines = 1;
        placed.placed.clear.spin = Spin::Mini;
        assert_eq!(clear_words(&placed)[0], "MINI T-SPIN SINGLE");
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
