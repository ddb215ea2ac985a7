//! Draws the screen of `tetrastat watch`: board, counters, terms, candidates and keys, as far as
//! they fit.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect, Size};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use super::app::WatchApp;
use super::panels;
use crate::board_view::{BoardView, CellFace, Cells};
use crate::explain::StepView;
use crate::explain::Watched;
use crate::theme::Theme;

/// Size of the smallest supported terminal, in characters.
pub const NEED: Size = Size { width: 40, height: 12 };

/// Width in characters that the panels need beside the board.
const PANELS: u16 = 44;
/// Width in characters beside the board from which the candidates are drawn to the right of the
/// terms.
const TWO_PANELS: u16 = 114;
/// Width in characters of the terms when the candidates are to the right of the terms.
const TERMS: u16 = 66;

/// Draws the current state of `app` to `frame`.
pub fn draw<G: Watched>(frame: &mut Frame, app: &WatchApp<G>, theme: Theme) {
    let rows = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)];
    let [top, middle, bottom] = Layout::vertical(rows).areas(frame.area());
    let bold = Style::new().add_modifier(Modifier::BOLD);
    frame.render_widget(Line::styled(app.timeline().title(), bold), top);
    frame.render_widget(panels::status(app, theme), bottom);
    let Some(step) = app.timeline().viewed() else {
        let text = app.timeline().ending().unwrap_or("nothing was played");
        return frame.render_widget(text, middle);
    };
    let view = &step.scene;
    let board_width = 2 * view.before.width() as u16 + 2;
    let columns = [Constraint::Length(board_width), Constraint::Length(1), Constraint::Min(0)];
    let [board, _, rest] = Layout::horizontal(columns).areas(middle);
    draw_board(frame, app, view, theme, board);
    if rest.width < PANELS {
        return;
    }
    let [head, rest] = Layout::vertical([Constraint::Length(2), Constraint::Min(0)]).areas(rest);
    frame.render_widget(panels::counters(&step, theme), head);
    let Some(analysis) = app.analysis() else {
        return frame.render_widget("no controller is known here: no scores", rest);
    };
    let [terms, candidates] = split(rest, analysis.terms.len() as u16);
    frame.render_widget(panels::terms(analysis, terms, theme), terms);
    frame.render_widget(panels::candidates(analysis, candidates, theme), candidates);
}

/// Returns the areas of the terms and the candidates. The areas are side by side if `rest` is wide
/// enough. Otherwise the candidates are below the terms, with at least five rows.
fn split(rest: Rect, terms: u16) -> [Rect; 2] {
    if rest.width >= TWO_PANELS {
        return Layout::horizontal([Constraint::Length(TERMS), Constraint::Min(0)]).areas(rest);
    }
    // Four lines besides the terms: a heading, the sum, and two for the verdict.
    let wanted = (terms + 4).min(rest.height.saturating_sub(5));
    Layout::vertical([Constraint::Length(wanted), Constraint::Min(0)]).areas(rest)
}

/// Draws the board before the shown placement, with the cells of the placed piece marked. While
/// playback is paused, also marks the cells of the other placement with which the panels compare
/// the shown one.
fn draw_board<G: Watched>(
    frame: &mut Frame,
    app: &WatchApp<G>,
    view: &StepView,
    theme: Theme,
    area: Rect,
) {
    let (width, height) = (view.before.width(), view.height);
    let top = view.cells.iter().map(|&(_, row)| row + 1).max().unwrap_or(0);
    let total = height.max(top);
    let shown = total.min(usize::from(area.height.saturating_sub(2)));
    // A board that is too high for the screen is shown around the placement.
    let base = (top + 2).saturating_sub(shown).min(total - shown);
    let mut cells = Cells::from_fn((width, shown), |column, row| {
        CellFace::settled(view.before.is_filled(column, base + row))
    });
    let mut mark = |placed: [(usize, usize); 4], cell| {
        for (column, row) in placed.into_iter().filter(|&(_, row)| row >= base) {
            cells.set(column, row - base, cell);
        }
    };
    // A compared placement that changes with every frame would flicker, so it is drawn only while
    // paused.
    let analysis = app.analysis().filter(|_| app.is_paused());
    let other = analysis.and_then(|analysis| analysis.candidates.get(analysis.other?));
    if let Some(other) = other {
        mark(other.cells, CellFace::Ghost(view.piece));
    }
    mark(view.cells, CellFace::Piece(view.piece));
    let title = if base > 0 { format!("from row {base}") } else { String::new() };
    frame.render_widget(BoardView::new(&cells, theme).framed(title), area);
}
