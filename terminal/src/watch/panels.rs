//! Formats the panels beside the board as text.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::app::WatchApp;
use crate::explain::Watched;
use crate::explain::analysis::{Analysis, TermDifference, decimal, fitted};
use crate::explain::{StepView, WatchedStep};
use crate::rules::guideline::Hold;
use crate::theme::Theme;

/// Width in characters of a term's five numbers: weight, value, product, value of the other
/// placement, gain.
const NUMBERS: usize = 40;
/// Maximum width of a term's name in characters.
const NAME: usize = 24;

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

/// Returns two lines: one with the progress of the game, the other with the placed piece, the next
/// pieces and the hold.
pub(super) fn counters(step: &WatchedStep<StepView>, theme: Theme) -> Text<'static> {
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

/// Returns the panel of terms. It shows each term's values for the chosen and the compared
/// placement, and the reason for the choice.
pub(super) fn terms(analysis: &Analysis, area: Rect, theme: Theme) -> Paragraph<'static> {
    let width = usize::from(area.width).saturating_sub(NUMBERS).min(NAME);
    let mut lines = vec![heading(width)];
    let room = usize::from(area.height).saturating_sub(4);
    let (shown, left_out) = largest_differences(analysis, room);
    lines.extend(shown.iter().map(|term| row(analysis, term, width, theme)));
    if left_out > 0 {
        lines.push(Line::styled(format!("and {left_out} more that differ less"), theme.faint()));
    }
    lines.push(sum(analysis, width));
    lines.push(Line::from(format!("why: {}", analysis.why())));
    Paragraph::new(lines).wrap(Wrap { trim: true })
}

fn heading(width: usize) -> Line<'static> {
    let [a, b, c, d, e] = ["weight", "value", "product", "other", "gain"];
    Line::styled(format!("{:width$} {a:>7} {b:>6} {c:>8} {d:>6} {e:>8}", "feature"), bold())
}

/// Returns the terms to show and the number of terms left out. If `room` lines suffice, all terms
/// are shown in order. Otherwise those that differ most between the two placements are shown.
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

fn row(analysis: &Analysis, term: &TermDifference, width: usize, theme: Theme) -> Line<'static> {
    let other = analysis.other.map_or("-".to_owned(), |_| fitted(term.values[1], 6));
    let front = format!(
        "{:width$} {:>7} {:>6} {:>8} {other:>6} ",
        cut(&term.name, width),
        fitted(term.weight, 7),
        fitted(term.values[0], 6),
        fitted(analysis.product(term), 8),
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

/// Formats a gain with its sign in eight characters.
fn signed(gain: f64) -> String {
    let sign = if gain > 0.0 { "+" } else { "" };
    sign.to_owned() + &fitted(gain, 8 - sign.len())
}

fn sum(analysis: &Analysis, width: usize) -> Line<'static> {
    let gains = analysis.other.map(|_| signed(analysis.gains() as f64 / analysis.scale));
    let gains = gains.unwrap_or("-".to_owned());
    let score = fitted(analysis.score(), 8);
    let text = format!("{:width$} {:>7} {:>6} {score:>8} {:>6} {gains:>8}", "sum", "", "", "");
    Line::styled(text, bold())
}

/// Returns the panel with the list of candidates, best first. The compared candidate is always in
/// view.
pub(super) fn candidates(analysis: &Analysis, area: Rect, theme: Theme) -> Text<'static> {
    let count = analysis.candidates.len();
    let title = format!("{count} placements, measured {}", analysis.measured);
    let mut lines = vec![Line::styled(cut(&title, area.width.into()), bold())];
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

/// Returns the status line: the state of the playback, and the keys.
pub(super) fn status<G: Watched>(app: &WatchApp<G>, theme: Theme) -> Line<'static> {
    let timeline = app.timeline();
    let state = match timeline.ending() {
        Some(ending) => Span::styled(ending.to_owned(), theme.red().add_modifier(Modifier::BOLD)),
        None if app.is_paused() => Span::styled("paused", theme.gold()),
        None => Span::styled(app.clock().to_string(), theme.green().patch(bold())),
    };
    let keys = "  q quit  space go/pause  <- -> step  + - speed  up down compare  home end";
    Line::from(vec![state, Span::styled(keys, theme.faint())])
}

/// Shortens a text to at most `width` characters.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}
