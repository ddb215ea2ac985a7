//! The program behind the screens: which one is shown, and what keys do there. It has a clock in
//! milliseconds and no terminal.

use ratatui::crossterm::event::{KeyCode, KeyEventKind};

use super::handling::Handling;
use super::keys::GameKey;
use super::options::{PlayGame, SessionOptions};
use super::session::{GameSetup, Session};
use crate::events::Key;
use crate::theme::Theme;

/// How often the clock on the screen changes, in milliseconds.
const CLOCK_MS: u64 = 100;
/// For how long the end screen takes no keys, in milliseconds: they were meant for the game.
const REST_MS: u64 = 500;

/// An entry of a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuEntry {
    /// A game.
    Play(PlayGame),
    /// Advanced controls, on or off.
    Advanced,
    /// The screen of keys.
    Controls,
    /// Back to the game.
    Resume,
    /// Another game of the same kind.
    Again,
    /// Back to the menu.
    Menu,
    /// Out.
    Quit,
}

const MENU: [MenuEntry; 6] = [
    MenuEntry::Play(PlayGame::Sprint),
    MenuEntry::Play(PlayGame::Blitz),
    MenuEntry::Play(PlayGame::Practice),
    MenuEntry::Advanced,
    MenuEntry::Controls,
    MenuEntry::Quit,
];
const PAUSED: [MenuEntry; 4] =
    [MenuEntry::Resume, MenuEntry::Again, MenuEntry::Menu, MenuEntry::Quit];
const ENDED: [MenuEntry; 3] = [MenuEntry::Again, MenuEntry::Menu, MenuEntry::Quit];

/// Which screen is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayScreen {
    /// The menu.
    Menu,
    /// The keys.
    Controls,
    /// The game.
    Playing,
    /// The game, stopped.
    Paused,
    /// What the game came to.
    Ended,
}

/// The program.
pub struct PlayApp {
    pub(super) options: SessionOptions,
    pub(super) theme: Theme,
    /// Whether the terminal tells of releases.
    pub(super) releases: bool,
    /// Where games are written to.
    pub(super) folder: Option<String>,
    view: PlayScreen,
    /// The entry chosen in the menu of the screen.
    chosen: usize,
    kind: PlayGame,
    session: Option<Session>,
    /// The program's time at which the game's was 0.
    begun: u64,
    /// When the end screen begins to take keys.
    rested: Option<u64>,
    games: u64,
    finished: Vec<Session>,
    has_quit: bool,
}

impl PlayApp {
    /// The program at its menu, or in the game that was asked for.
    #[must_use]
    pub fn new(
        options: SessionOptions,
        theme: Theme,
        releases: bool,
        folder: Option<String>,
    ) -> PlayApp {
        let kind = options.kind;
        let mut app = PlayApp {
            options,
            theme,
            releases,
            folder,
            view: PlayScreen::Menu,
            chosen: 0,
            kind: kind.unwrap_or(PlayGame::Sprint),
            session: None,
            begun: 0,
            rested: None,
            games: 0,
            finished: Vec::new(),
            has_quit: false,
        };
        if let Some(kind) = kind {
            app.start(kind, 0);
        }
        app
    }

    /// The screen that is shown.
    #[must_use]
    pub fn view(&self) -> PlayScreen {
        self.view
    }

    /// The game that is played, stopped or has ended last.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Which of the three games it is.
    #[must_use]
    pub fn kind(&self) -> PlayGame {
        self.kind
    }

    /// Whether the user wants out.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// The games that ended since the last call, in order.
    pub fn take_finished(&mut self) -> Vec<Session> {
        std::mem::take(&mut self.finished)
    }

    /// The entries of the screen's menu, and the one that is chosen; none of them while no key is taken.
    #[must_use]
    pub fn menu(&self) -> (&'static [MenuEntry], usize) {
        let entries: &[MenuEntry] = match self.view {
            PlayScreen::Menu => &MENU,
            PlayScreen::Paused => &PAUSED,
            PlayScreen::Ended => &ENDED,
            PlayScreen::Controls | PlayScreen::Playing => &[],
        };
        (entries, if self.rested.is_some() { entries.len() } else { self.chosen })
    }

    /// Whether an entry can be chosen.
    #[must_use]
    pub fn is_open(&self, entry: MenuEntry) -> bool {
        let other = |kind| self.options.one_kind && Some(kind) != self.options.kind;
        !matches!(entry, MenuEntry::Play(kind) if other(kind))
    }

    /// When something changes by itself, in milliseconds; never while nothing moves.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        if self.rested.is_some() {
            return self.rested;
        }
        let session = self.session.as_ref().filter(|_| self.view == PlayScreen::Playing)?;
        let clock = (session.now() / CLOCK_MS + 1) * CLOCK_MS;
        Some(self.begun + session.due()?.min(clock))
    }

    /// Time has passed.
    pub fn tick(&mut self, now: u64) {
        if let (PlayScreen::Playing, Some(session)) = (self.view, &mut self.session) {
            session.advance(now.saturating_sub(self.begun));
        }
        self.rested = self.rested.filter(|&at| now < at);
        self.see_end(now);
    }

    /// A key was pressed or released.
    pub fn key(&mut self, key: Key, now: u64) {
        self.rested = self.rested.filter(|&at| now < at);
        match self.view {
            PlayScreen::Playing => self.game_key(key, now),
            _ if self.rested.is_some() => {}
            _ if key.kind == KeyEventKind::Release => self.release_key(key),
            PlayScreen::Controls => self.show(PlayScreen::Menu, 4),
            PlayScreen::Menu | PlayScreen::Paused | PlayScreen::Ended => {
                self.menu_key(key.code, now)
            }
        }
        self.see_end(now);
    }

    /// Stops the game, if one is played.
    pub fn pause(&mut self, now: u64) {
        self.tick(now);
        if self.view == PlayScreen::Playing {
            self.show(PlayScreen::Paused, 0);
        }
    }

    /// Leaves the game, if one is played, and the program.
    pub fn quit(&mut self, now: u64) {
        self.tick(now);
        self.leave();
        self.has_quit = true;
    }

    fn game_key(&mut self, key: Key, now: u64) {
        let Some(action) = self.options.keys.action(key.code) else { return self.tick(now) };
        if action == GameKey::Pause {
            if key.is_down() {
                self.pause(now);
            }
            return;
        }
        let Some(session) = &mut self.session else { return };
        let at = now.saturating_sub(self.begun);
        match key.kind {
            _ if !self.releases => session.tap(action, at),
            KeyEventKind::Press => session.press(action, at),
            KeyEventKind::Release => session.release(action, at),
            KeyEventKind::Repeat => session.advance(at),
        }
    }

    /// A key that was held down as the game stopped is no longer.
    fn release_key(&mut self, key: Key) {
        let action = self.options.keys.action(key.code);
        if let (Some(action), Some(session)) = (action, &mut self.session) {
            session.release(action, session.now());
        }
    }

    fn menu_key(&mut self, code: KeyCode, now: u64) {
        let (entries, chosen) = self.menu();
        let step = |by: usize| {
            let places = (1..=entries.len()).map(|k| (chosen + k * by) % entries.len());
            places.into_iter().find(|&at| self.is_open(entries[at])).unwrap_or(chosen)
        };
        match code {
            KeyCode::Up | KeyCode::Char('w') => self.chosen = step(entries.len() - 1),
            KeyCode::Down | KeyCode::Char('s') | KeyCode::Tab => self.chosen = step(1),
            KeyCode::Enter => self.enter(entries[chosen], now),
            KeyCode::Char('q') => self.quit(now),
            KeyCode::Esc => match self.view {
                PlayScreen::Menu => self.quit(now),
                PlayScreen::Paused => self.enter(MenuEntry::Resume, now),
                _ => self.enter(MenuEntry::Menu, now),
            },
            code if self.view == PlayScreen::Paused && self.pauses(code) => {
                self.enter(MenuEntry::Resume, now);
            }
            _ => {}
        }
    }

    fn pauses(&self, code: KeyCode) -> bool {
        self.options.keys.action(code) == Some(GameKey::Pause)
    }

    fn enter(&mut self, entry: MenuEntry, now: u64) {
        match entry {
            MenuEntry::Play(kind) if self.is_open(entry) => self.start(kind, now),
            MenuEntry::Play(_) => {}
            MenuEntry::Advanced => self.options.advanced = !self.options.advanced,
            MenuEntry::Controls => self.show(PlayScreen::Controls, 0),
            MenuEntry::Resume => {
                if let Some(session) = &self.session {
                    self.begun = now.saturating_sub(session.now());
                }
                self.show(PlayScreen::Playing, 0);
            }
            MenuEntry::Again => self.start(self.kind, now),
            MenuEntry::Menu => {
                self.leave();
                self.show(PlayScreen::Menu, self.kind as usize);
            }
            MenuEntry::Quit => self.quit(now),
        }
    }

    fn show(&mut self, view: PlayScreen, chosen: usize) {
        (self.view, self.chosen, self.rested) = (view, chosen, None);
        if view == PlayScreen::Paused && !self.releases {
            self.session.iter_mut().for_each(Session::release_all);
        }
    }

    fn start(&mut self, kind: PlayGame, now: u64) {
        self.leave();
        let SessionOptions { ref rules, sprint_lines, seed, advanced, .. } = self.options;
        let (mode, handling) = (kind.mode(sprint_lines), Handling::new(advanced));
        let setup = GameSetup { rules: **rules, mode, handling, seed, game: self.games };
        self.games += 1;
        self.kind = kind;
        self.session = Some(Session::new(setup));
        self.begun = now;
        self.show(PlayScreen::Playing, 0);
    }

    /// Leaves a game that has not ended. One in which nothing was placed was none: the next has its number.
    fn leave(&mut self) {
        if let Some(mut session) = self.session.take().filter(|session| session.end().is_none()) {
            if session.placements().is_empty() {
                self.games -= 1;
                return;
            }
            session.leave(session.now());
            self.finished.push(session);
        }
    }

    /// Goes on to the end screen when the game has ended.
    fn see_end(&mut self, now: u64) {
        if self.view != PlayScreen::Playing {
            return;
        }
        if let Some(session) = self.session.as_ref().filter(|session| session.end().is_some()) {
            self.finished.push(session.clone());
            self.show(PlayScreen::Ended, 0);
            self.rested = Some(now + REST_MS);
        }
    }
}
