//! Tests every screen as text, reached by keys. `UPDATE_SCREENS=1 cargo test -p tetrastat-terminal
//! screens` rewrites `docs/screens/`.

use ratatui::crossterm::event::{KeyCode, KeyEventKind, ModifierKeyCode};
use ratatui::layout::Size;
use ratatui::style::Color;

use super::app::{MenuEntry, PlayApp, PlayScreen};
use super::draw::{NEED, clear_lines, draw};
use super::keys::KeyMap;
use super::{PlayGame, SessionOptions};
use crate::board_view::Theme;
use crate::record::GuidelineEnd;
use crate::rules::guideline::RuleSet;
use crate::screen::{Key, draw_if_fits, draw_to_buffer};
use crate::screen_text::{picture_of, same_as_file};

const HOLD: KeyCode = KeyCode::Modifier(ModifierKeyCode::LeftShift);

fn options(kind: Option<PlayGame>) -> SessionOptions {
    SessionOptions {
        rules: RuleSet::official(),
        kind,
        sprint_lines: 40,
        seed: 1,
        advanced: false,
        keys: KeyMap::default(),
        one_kind: false,
    }
}

fn app(kind: Option<PlayGame>, releases: bool) -> PlayApp {
    PlayApp::new(options(kind), Theme::Colours, releases, None)
}

fn press(app: &mut PlayApp, codes: &[KeyCode], now: u64) {
    for &code in codes {
        for kind in [KeyEventKind::Press, KeyEventKind::Release] {
            app.key(Key { code, kind }, now);
        }
    }
}

fn letters(app: &mut PlayApp, text: &str, now: u64) {
    text.chars().for_each(|letter| press(app, &[KeyCode::Char(letter)], now));
}

fn picture(app: &PlayApp) -> String {
    picture_of(NEED, |frame| draw(app, frame))
}

/// Returns a Sprint of seed 1 after four pieces, one of them held.
fn sprint() -> PlayApp {
    let mut app = app(Some(PlayGame::Sprint), true);
    letters(&mut app, "aaaw", 800);
    letters(&mut app, "dddw", 1600);
    press(&mut app, &[HOLD], 2000);
    letters(&mut app, "w", 2400);
    press(&mut app, &[KeyCode::Right], 2500);
    letters(&mut app, "aw", 2900);
    press(&mut app, &[HOLD], 3300);
    letters(&mut app, "d", 3456);
    app
}

#[test]
fn menu() {
    let app = app(None, true);
    same_as_file("menu", &picture(&app));
    assert_eq!(app.due(), None, "nothing moves in a menu");
}

#[test]
fn controls() {
    for (name, releases) in [("controls", true), ("controls_without_releases", false)] {
        let mut app = app(None, releases);
        press(&mut app, &[KeyCode::Down; 4], 0);
        press(&mut app, &[KeyCode::Enter], 0);
        assert_eq!(app.view(), PlayScreen::Controls);
        same_as_file(name, &picture(&app));
        press(&mut app, &[KeyCode::Esc], 0);
        assert_eq!(app.menu().0[app.menu().1], MenuEntry::Controls);
    }
}

#[test]
fn game() {
    let app = sprint();
    same_as_file("sprint", &picture(&app));
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/play.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&picture(&app)), "docs/how-to/play.md shows another picture");
    let mut plain = sprint();
    plain.theme = Theme::Plain;
    same_as_file("sprint_no_color", &picture(&plain));
    // A larger terminal shows the screen centred.
    let large = picture_of(Size::new(NEED.width + 10, NEED.height + 6), |frame| draw(&app, frame));
    assert!(large.starts_with("\n\n\n      "), "{large}");
}

#[test]
fn no_color_has_none() {
    let colours = |theme| {
        let mut app = sprint();
        app.theme = theme;
        let buffer = draw_to_buffer(NEED, |frame| draw(&app, frame)).unwrap();
        buffer
            .content
            .iter()
            .filter(|cell| (cell.fg, cell.bg) != (Color::Reset, Color::Reset))
            .count()
    };
    assert_eq!(colours(Theme::Plain), 0);
    assert!(colours(Theme::Colours) > 0);
}

#[test]
fn a_used_hold_is_red() {
    let red = Theme::Colours.red().fg;
    let title = |app: &PlayApp| {
        let buffer = draw_to_buffer(NEED, |frame| draw(app, frame)).unwrap();
        buffer[(12, 0)].style().fg
    };
    assert_eq!(title(&sprint()), red);
    let fresh = app(Some(PlayGame::Sprint), true);
    assert_ne!(title(&fresh), red);
}

#[test]
fn a_back_to_back_clear_is_gold() {
    let mut session = sprint().session().unwrap().clone();
    let mut placed = session.placements().last().unwrap().clone();
    placed.placed.clear.lines = 4;
    placed.placed.points.base = 800;
    let gold = Theme::Colours.gold();
    for back_to_back in [false, true] {
        placed.before.chain = back_to_back.into();
        session.show_for_test(placed.clone());
        let lines = clear_lines(Theme::Colours, &session);
        assert_eq!(lines[0].to_string(), "TETRIS");
        assert_eq!(lines[0].style == gold, back_to_back);
    }
}

#[test]
fn pause() {
    let mut app = sprint();
    press(&mut app, &[KeyCode::Esc], 3600);
    assert_eq!((app.view(), app.due()), (PlayScreen::Paused, None));
    same_as_file("paused", &picture(&app));
    // Resumed an hour later, the game is unchanged.
    let now = 3_600_000;
    press(&mut app, &[KeyCode::Esc], now);
    assert_eq!(app.view(), PlayScreen::Playing);
    assert_eq!(app.session().unwrap().now(), 3600);
    app.tick(now + 100);
    assert_eq!(app.session().unwrap().now(), 3700);
}

#[test]
fn end() {
    let mut app = sprint();
    let mut now = 4000;
    while app.view() == PlayScreen::Playing {
        now += 250;
        letters(&mut app, "w", now);
    }
    // The end screen ignores keys that were meant for the game.
    letters(&mut app, "wq", now + 100);
    press(&mut app, &[KeyCode::Enter], now + 499);
    assert_eq!((app.view(), app.due()), (PlayScreen::Ended, Some(now + 500)));
    assert!(!picture(&app).contains("> Again <"));
    app.tick(now + 500);
    assert_eq!(app.due(), None);
    same_as_file("end", &picture(&app));
    let finished = app.take_finished();
    assert_eq!(finished.len(), 1);
    assert_eq!(finished[0].end(), Some(GuidelineEnd::TopOut));

    press(&mut app, &[KeyCode::Enter], 30_000);
    assert_eq!((app.view(), app.session().unwrap().setup().game), (PlayScreen::Playing, 1));
    letters(&mut app, "w", 30_500);
    press(&mut app, &[KeyCode::Esc, KeyCode::Down, KeyCode::Down, KeyCode::Enter], 31_000);
    assert_eq!(
        (app.view(), app.take_finished()[0].end()),
        (PlayScreen::Menu, Some(GuidelineEnd::Left))
    );
    letters(&mut app, "q", 32_000);
    assert!(app.has_quit() && app.take_finished().is_empty());
}

/// A game without placements writes no table row, and the next game gets its number.
#[test]
fn a_game_without_a_piece_is_none() {
    let mut app = sprint();
    let game = |app: &PlayApp| app.session().unwrap().setup().game;
    let begun = game(&app);
    press(&mut app, &[KeyCode::Esc, KeyCode::Down, KeyCode::Enter], 5000);
    assert_eq!((game(&app), app.take_finished().len()), (begun + 1, 1));
    press(&mut app, &[KeyCode::Esc, KeyCode::Down, KeyCode::Enter], 6000);
    assert_eq!((game(&app), app.take_finished().len()), (begun + 1, 0));
    // Two quick pauses, with keys read before the last tick.
    app.tick(6005);
    press(&mut app, &[KeyCode::Esc], 6003);
    press(&mut app, &[KeyCode::Esc], 6004);
    app.tick(6010);
    assert_eq!(app.session().unwrap().now(), 11);
}

#[test]
fn too_small() {
    let app = sprint();
    let small = Size::new(40, 12);
    let drawn = picture_of(small, |frame| draw_if_fits(frame, NEED, |frame| draw(&app, frame)));
    same_as_file("too_small", &drawn);
}

#[test]
fn menus() {
    let mut app = app(None, true);
    press(&mut app, &[KeyCode::Up], 0);
    assert_eq!(app.menu().1, 5);
    press(&mut app, &[KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Down], 0);
    press(&mut app, &[KeyCode::Enter], 0);
    assert!(app.options.advanced && app.view() == PlayScreen::Menu);

    let one = SessionOptions { one_kind: true, ..options(Some(PlayGame::Blitz)) };
    let mut app = PlayApp::new(one, Theme::Plain, true, Some("games".to_owned()));
    press(&mut app, &[KeyCode::Esc, KeyCode::Up, KeyCode::Up, KeyCode::Enter], 0);
    assert_eq!((app.view(), app.menu().1), (PlayScreen::Menu, 1));
    press(&mut app, &[KeyCode::Up], 0);
    assert_eq!(app.menu().0[app.menu().1], MenuEntry::Quit);
    assert!(picture(&app).contains("games are written to games"));
}

/// A terminal that reports no key releases repeats a held key itself. Each reported press shifts
/// the piece by one column, and the game adds no shifts between two reports.
#[test]
fn keys_without_releases() {
    let column = |app: &PlayApp| app.session().unwrap().falling().unwrap().at.x;
    let mut app = app(Some(PlayGame::Practice), false);
    let a = Key { code: KeyCode::Char('a'), kind: KeyEventKind::Press };
    app.key(a, 0);
    app.tick(900);
    assert_eq!(column(&app), 3);
    app.key(a, 910);
    assert_eq!(column(&app), 2);
    assert!(!picture(&app).contains("faults"));
}

/// With reported key releases, the game repeats held keys and ignores the terminal's repeats.
#[test]
fn keys_with_releases() {
    let mut app = app(Some(PlayGame::Practice), true);
    let key = |kind| Key { code: KeyCode::Char('d'), kind };
    app.key(key(KeyEventKind::Press), 0);
    app.key(key(KeyEventKind::Repeat), 140);
    app.tick(149);
    let column = |app: &PlayApp| app.session().unwrap().falling().unwrap().at.x;
    assert_eq!(column(&app), 5);
    app.tick(150);
    assert_eq!(column(&app), 6);
    app.key(key(KeyEventKind::Release), 151);
    app.tick(900);
    assert_eq!(column(&app), 6);
}
