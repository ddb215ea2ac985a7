//! Draws the screens of `tetrastat play`.

use ratatui::Frame;
use ratatui::layout::{Alignment, Rect, Size};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};

use super::app::{MenuEntry, PlayApp, PlayScreen};
use super::draw_game::draw_game;
use super::handling::Handling;
use super::keys::GameKey;
use super::options::PlayGame;
use super::session::Session;
use super::words::{clock, ending, rate};
use crate::screen::middle;

/// Size in characters that every screen needs.
pub const NEED: Size = Size { width: 66, height: 24 };

/// Draws the current screen.
pub fn draw(app: &PlayApp, frame: &mut Frame) {
    let area = middle(frame.area(), NEED);
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
            let title = format!(" {} ", ending(session, app.kind()));
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

/// Returns the menu entries of the shown screen as lines.
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
        let keys = app.options.keys.shown(action, true);
        Line::from(format!("{:>22}   {keys}", action.words()))
    }));
    lines.push(Line::from(""));
    for (name, advanced) in [("usual", false), ("advanced", true)] {
        let Handling { das_ms, arr_ms, soft_das_ms, soft_arr_ms } = Handling::new(advanced);
        lines.push(Line::from(format!("{name:>22}   DAS {das_ms} ms, ARR {arr_ms} ms")));
        let soft = format!("{:>22}   soft drop {soft_das_ms} ms, {soft_arr_ms} ms", "");
        lines.push(Line::from(soft));
    }
    lines.push(Line::from(""));
    let told: &[&str] = if app.releases {
        &["This terminal reports key releases, and shift alone."]
    } else {
        &[
            "This terminal does not report key releases (kitty, foot,",
            "WezTerm and others do). A key held down repeats as the terminal",
            "repeats it, with its delay and rate in place of DAS and ARR; shift",
            "alone is not read; and faults of finesse are not counted.",
        ]
    };
    lines.extend(told.iter().map(|line| Line::from(*line)));
    lines.push(Line::from(""));
    lines.push(Line::from("tetrastat play --print-key-map > keys.toml    writes these keys"));
    lines.push(Line::from("tetrastat play --key-map keys.toml            plays with others"));
    lines.push(faint(app, "any key goes back"));
    frame.render_widget(Paragraph::new(lines), area);
}

/// Returns the results of a game as lines.
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
        ("pieces per second", rate(session)),
        ("tetrises", clears),
        ("finesse faults", finesse),
    ];
    let line = |(name, value): (&str, String)| Line::from(format!(" {name:<20}{value:>20}"));
    let mut lines = vec![Line::from("")];
    lines.extend(entries.map(line));
    lines.push(Line::from(""));
    lines
}

/// Draws a centred box with a title and lines, followed by the menu of the shown screen.
fn draw_box(
    app: &PlayApp,
    frame: &mut Frame,
    area: Rect,
    (title, width): (&str, u16),
    mut lines: Vec<Line<'static>>,
) {
    lines.extend(entries(app));
    let area = middle(area, Size::new(width, lines.len() as u16 + 2));
    let block = Block::bordered().title(title);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}
