//! Draws the screen of a game: hold and counters, the board, the next pieces and the keys.

use ratatui::Frame;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::app::{PlayApp, PlayScreen};
use super::keys::GameKey;
use super::session::Session;
use super::words::{clear_text, clock, rate, shown_lines, shown_time};
use crate::board_view::{BoardView, CellFace, Cells};
use crate::matrix::{VISIBLE, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{Landing, RotationState, Spin};
use crate::theme::Theme;

/// Number of rows drawn above the rows in play. Pieces enter there.
const ROWS_ABOVE: usize = 2;
/// Width in characters on each side of the board.
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

/// Returns the settled cells, the falling piece, and its ghost where it would land. Returns an
/// empty board if `hidden` is true, as during a pause.
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

/// Sets the cells of a piece in its spawn state, from row `low` up. They need four columns and two
/// rows.
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

/// Minimum number of next pieces for which the frame has room.
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
    let (lines, count) = shown_lines(session);
    let (faults, _) = session.keys();
    let counter = |name: &str, value: String| Line::from(format!("{name:<11}{value:>10}"));
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut text = vec![
        Line::from(app.kind().name()).style(bold),
        counter("time", clock(shown_time(session))).style(bold),
        counter(lines, count.to_string()),
        counter("pieces", row.pieces.to_string()),
        counter("score", row.points.total().to_string()),
        counter("pieces/s", rate(session)),
    ];
    if app.releases {
        text.push(counter("faults", faults.to_string()));
    }
    text.push(Line::from(""));
    text.extend(clear_lines(app.theme, session));
    let area = Rect { y: left.y + 6, height: left.height - 6, ..left };
    frame.render_widget(Paragraph::new(text), area);
}

/// Returns the lines that name the last clear, in gold if it was back-to-back.
pub(super) fn clear_lines(theme: Theme, session: &Session) -> Vec<Line<'static>> {
    let Some((words, back_to_back)) = clear_text(session) else { return Vec::new() };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let style = if back_to_back { theme.gold() } else { bold };
    words.into_iter().map(|word| Line::from(word).style(style)).collect()
}

fn draw_keys(app: &PlayApp, frame: &mut Frame, right: Rect) {
    let line = |action: GameKey| {
        let keys = app.options.keys.shown(action, app.releases);
        Line::from(format!("{:<11}{keys}", action.words())).style(app.theme.faint())
    };
    let lines = GameKey::ALL.map(line).to_vec();
    let size = Size::new(right.width, lines.len() as u16);
    let area = Rect { y: right.bottom() - size.height, height: size.height, ..right };
    frame.render_widget(Paragraph::new(lines), area);
}
