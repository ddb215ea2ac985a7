//! Draws the screen of a watched game: board, counters, terms (weighted features), candidate
//! placements and keys, as far as they fit.
//!
//! Frozen: bytes

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::WatchApp;
use crate::board_view::BoardView;
use crate::explain::{
    Analysis, StepView, TermDifference, Watched, WatchedStep, decimal, decimal_within,
};
use crate::prelude::*;

/// Size of the smallest terminal that can show a watched game, in characters.
pub(crate) const NEED: Size = Size { width: 40, height: 12 };

const PANELS: u16 = 44;
/// Minimum width in characters beside a watched game's board at which two lists stand side by side.
const TWO_PANELS: u16 = 114;
const TERM_WIDTH: u16 = 66;

pub(crate) fn draw<G: Watched>(frame: &mut Frame, app: &WatchApp<G>, theme: Theme) {
    let rows = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)];
    let [top, middle, bottom] = Layout::vertical(rows).areas(frame.area());
    let bold = Style::new().add_modifier(Modifier::BOLD);
    frame.render_widget(Line::styled(app.timeline().title(), bold), top);
    frame.render_widget(status_line(app, theme), bottom);
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
    frame.render_widget(counter_lines(&step, theme), head);
    let Some(analysis) = app.analysis() else {
        return frame.render_widget("no controller is known here: no scores", rest);
    };
    let [terms, candidates] = split(rest, analysis.terms.len() as u16);
    frame.render_widget(terms_panel(analysis, terms, theme), terms);
    frame.render_widget(candidates_panel(analysis, candidates, theme), candidates);
}

/// Splits the screen beside the board into areas for weighted features and candidate placements.
fn split(rest: Rect, terms: u16) -> [Rect; 2] {
    if rest.width >= TWO_PANELS {
        return Layout::horizontal([Constraint::Length(TERM_WIDTH), Constraint::Min(0)])
            .areas(rest);
    }
    // Four lines besides the terms: a heading, the sum, and two for the verdict.
    let wanted = (terms + 4).min(rest.height.saturating_sub(5));
    Layout::vertical([Constraint::Length(wanted), Constraint::Min(0)]).areas(rest)
}

/// Draws a game's board with the placed piece and, while paused, the candidate compared with it.
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

/// Width in characters of the five columns of numbers in the table of weighted features.
const NUMBERS_WIDTH: usize = 40;
const MAX_NAME_WIDTH: usize = 24;

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn counter_lines(step: &WatchedStep<StepView>, theme: Theme) -> Text<'static> {
    let WatchedStep { piece_no, lines_total: lines, scene: view } = step;
    let mut numbers = format!("piece {piece_no}   lines {lines}");
    if let Some(score) = view.score {
        numbers += &format!("   score {score}");
    }
    numbers += match (view.lines, view.lost) {
        (_, true) => "   lost",
        (0, _) => "",
        (1, _) => "   single",
        (2, _) => "   double",
        (3, _) => "   triple",
        _ => "   tetris",
    };
    let piece = view.piece;
    let mut pieces = vec![Span::styled(piece.name(), theme.piece(piece).patch(bold()))];
    if !view.next.is_empty() {
        pieces.push(Span::raw("   next"));
        for &piece in &view.next {
            pieces.push(Span::styled(format!(" {}", piece.name()), theme.piece(piece)));
        }
    }
    if let Some((hold, used)) = view.hold {
        pieces.push(Span::raw("   hold "));
        pieces.push(match hold {
            Hold::Piece(piece) => Span::styled(piece.name(), theme.piece(piece)),
            Hold::Empty | Hold::Unknown => Span::raw("-"),
        });
        pieces.push(Span::raw(if used { " used" } else { "" }));
    }
    Text::from(vec![Line::styled(numbers, bold()), Line::from(pieces)])
}

fn terms_panel(analysis: &Analysis, area: Rect, theme: Theme) -> Paragraph<'static> {
    let width = usize::from(area.width).saturating_sub(NUMBERS_WIDTH).min(MAX_NAME_WIDTH);
    let mut lines = vec![heading(width)];
    let room = usize::from(area.height).saturating_sub(4);
    let (shown, left_out) = largest_differences(analysis, room);
    lines.extend(shown.iter().map(|term| term_line(analysis, term, width, theme)));
    if left_out > 0 {
        lines.push(Line::styled(format!("and {left_out} more that differ less"), theme.faint()));
    }
    lines.push(sum_line(analysis, width));
    lines.push(Line::from(format!("why: {}", analysis.why())));
    Paragraph::new(lines).wrap(Wrap { trim: true })
}

fn heading(width: usize) -> Line<'static> {
    let [a, b, c, d, e] = ["weight", "value", "product", "other", "gain"];
    Line::styled(format!("{:width$} {a:>7} {b:>6} {c:>8} {d:>6} {e:>8}", "feature"), bold())
}

/// Returns the features that differ most between the two compared placements, as many as fit into
/// `room` lines, and the number left out.
fn largest_differences(analysis: &Analysis, room: usize) -> (Vec<&TermDifference>, usize) {
    let mut terms: Vec<&TermDifference> = analysis.terms.iter().collect();
    if terms.len() <= room {
        return (terms, 0);
    }
    let telling = |term: &&TermDifference| {
        ((term.steps[0] - term.steps[1]).unsigned_abs(), term.steps[0].unsigned_abs())
    };
    terms.sort_by_key(|term| std::cmp::Reverse(telling(term)));
    let left_out = terms.len() - room.saturating_sub(1);
    terms.truncate(room.saturating_sub(1));
    (terms, left_out)
}

fn term_line(
    analysis: &Analysis,
    term: &TermDifference,
    width: usize,
    theme: Theme,
) -> Line<'static> {
    let other = analysis.other.map_or("-".to_owned(), |_| decimal_within(term.values[1], 6));
    let front = format!(
        "{:width$} {:>7} {:>6} {:>8} {other:>6} ",
        truncate_text(&term.name, width),
        decimal_within(term.weight, 7),
        decimal_within(term.values[0], 6),
        decimal_within(analysis.product(term), 8),
    );
    let gain = analysis.gain(term);
    let style = match analysis.other {
        Some(_) if gain > 0.0 => theme.green(),
        Some(_) if gain < 0.0 => theme.red(),
        _ => theme.faint(),
    };
    let text = analysis.other.map_or("-".to_owned(), |_| signed(gain));
    Line::from(vec![Span::raw(front), Span::styled(format!("{text:>8}"), style)])
}

fn signed(gain: f64) -> String {
    let sign = if gain > 0.0 { "+" } else { "" };
    sign.to_owned() + &decimal_within(gain, 8 - sign.len())
}

fn sum_line(analysis: &Analysis, width: usize) -> Line<'static> {
    let gains = analysis.other.map(|_| signed(analysis.gains() as f64 / analysis.scale));
    let gains = gains.unwrap_or("-".to_owned());
    let score = decimal_within(analysis.score(), 8);
    let text = format!("{:width$} {:>7} {:>6} {score:>8} {:>6} {gains:>8}", "sum", "", "", "");
    Line::styled(text, bold())
}

fn candidates_panel(analysis: &Analysis, area: Rect, theme: Theme) -> Text<'static> {
    let count = analysis.candidates.len();
    let title = format!("{count} placements, measured {}", analysis.measured);
    let mut lines = vec![Line::styled(truncate_text(&title, area.width.into()), bold())];
    let room = usize::from(area.height).saturating_sub(1);
    // The compared candidate stays in view.
    let looked_at = analysis.other.unwrap_or(0);
    let first = (looked_at + 1).saturating_sub(room.max(1));
    for (rank, candidate) in analysis.candidates.iter().enumerate().skip(first).take(room) {
        let (mark, style) = match rank {
            _ if analysis.chosen == Some(rank) => (">", bold()),
            _ if analysis.other == Some(rank) => (":", Style::new()),
            _ => (" ", theme.faint()),
        };
        let score = match candidate.score {
            _ if candidate.lost => "loses".to_owned(),
            Some(score) => decimal(score),
            None => "no answer".to_owned(),
        };
        let lines_text =
            if candidate.lines > 0 { format!("+{}", candidate.lines) } else { String::new() };
        let text =
            format!("{:>3} {mark} {:<28} {lines_text:<2} {score:>10}", rank + 1, candidate.place());
        lines.push(Line::styled(text, style));
    }
    Text::from(lines)
}

fn status_line<G: Watched>(app: &WatchApp<G>, theme: Theme) -> Line<'static> {
    let timeline = app.timeline();
    let state = match timeline.ending() {
        Some(ending) => Span::styled(ending.to_owned(), theme.red().add_modifier(Modifier::BOLD)),
        None if app.is_paused() => Span::styled("paused", theme.gold()),
        None => Span::styled(app.clock().to_string(), theme.green().patch(bold())),
    };
    let keys = "  q quit  space go/pause  <- -> step  + - speed  up down compare  home end";
    Line::from(vec![state, Span::styled(keys, theme.faint())])
}

fn truncate_text(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}
