//! Implements the state of `tetrastat play`: the shown screen and the reaction to keys. Times are
//! parameters in milliseconds, so no real clock is needed.

use ratatui::crossterm::event::KeyEventKind;

use super::keys::{GameKey, Handling};
use super::session::{GameSetup, Session};
use super::{PlayGame, SessionOptions};
use crate::prelude::*;
use crate::screen::Key;

/// Interval between changes of the game clock on the screen, in milliseconds.
const CLOCK_MS: u64 = 100;
/// Milliseconds for which the screen after a game ignores keys, since they were meant for the game.
const IGNORE_KEYS_MS: u64 = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MenuEntry {
    Play(PlayGame),
    Advanced,
    Controls,
    Resume,
    Again,
    Menu,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlayScreen {
    Menu,
    Controls,
    Playing,
    Paused,
    Ended,
}

pub(super) struct PlayApp {
    pub(super) options: SessionOptions,
    pub(super) theme: Theme,
    /// True if the terminal reports key releases.
    pub(super) releases: bool,
    /// Name of the folder to which the human player's games are written, if any.
    pub(super) folder: Option<String>,
    view: PlayScreen,
    /// Index of the selected entry in the shown screen's menu.
    chosen: usize,
    kind: PlayGame,
    session: Option<Session>,
    /// Program time in ms at which the game's clock showed 0. Pauses move this time forward.
    begun: u64,
    /// Program time in ms until which the screen after a game ignores keys, if it ignores any.
    keys_from: Option<u64>,
    games: u64,
    finished: Vec<Session>,
    has_quit: bool,
}

impl PlayApp {
    pub(super) fn new(
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
            keys_from: None,
            games: 0,
            finished: Vec::new(),
            has_quit: false,
        };
        if let Some(kind) = kind {
            app.start(kind, 0);
        }
        app
    }

    pub(super) fn view(&self) -> PlayScreen {
        self.view
    }

    /// Returns the human player's game that is in progress, paused, or shown with its result.
    pub(super) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    pub(super) fn kind(&self) -> PlayGame {
        self.kind
    }

    pub(super) fn has_quit(&self) -> bool {
        self.has_quit
    }

    pub(super) fn take_finished(&mut self) -> Vec<Session> {
        std::mem::take(&mut self.finished)
    }

    /// Returns the shown screen's menu, and the selected index, which matches no entry while keys
    /// are ignored.
    pub(super) fn menu(&self) -> (&'static [MenuEntry], usize) {
        let entries: &[MenuEntry] = match self.view {
            PlayScreen::Menu => &MENU,
            PlayScreen::Paused => &PAUSED,
            PlayScreen::Ended => &ENDED,
            PlayScreen::Controls | PlayScreen::Playing => &[],
        };
        (entries, if self.keys_from.is_some() { entries.len() } else { self.chosen })
    }

    pub(super) fn is_open(&self, entry: MenuEntry) -> bool {
        let other = |kind| self.options.one_kind && Some(kind) != self.options.kind;
        !matches!(entry, MenuEntry::Play(kind) if other(kind))
    }

    pub(super) fn due(&self) -> Option<u64> {
        if self.keys_from.is_some() {
            return self.keys_from;
        }
        let session = self.session.as_ref().filter(|_| self.view == PlayScreen::Playing)?;
        let clock = (session.now() / CLOCK_MS + 1) * CLOCK_MS;
        Some(self.begun + session.due()?.min(clock))
    }

    pub(super) fn tick(&mut self, now: u64) {
        if let (PlayScreen::Playing, Some(session)) = (self.view, &mut self.session) {
            session.advance(now.saturating_sub(self.begun));
        }
        self.keys_from = self.keys_from.filter(|&at| now < at);
        self.show_end(now);
    }

    pub(super) fn key(&mut self, key: Key, now: u64) {
        self.keys_from = self.keys_from.filter(|&at| now < at);
        match self.view {
            PlayScreen::Playing => self.game_key(key, now),
            _ if self.keys_from.is_some() => {}
            _ if key.kind == KeyEventKind::Release => self.release_key(key),
            PlayScreen::Controls => self.show(PlayScreen::Menu, 4),
            PlayScreen::Menu | PlayScreen::Paused | PlayScreen::Ended => {
                self.menu_key(key.code, now)
            }
        }
        self.show_end(now);
    }

    pub(super) fn pause(&mut self, now: u64) {
        self.tick(now);
        if self.view == PlayScreen::Playing {
            self.show(PlayScreen::Paused, 0);
        }
    }

    pub(super) fn quit(&mut self, now: u64) {
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
        (self.view, self.chosen, self.keys_from) = (view, chosen, None);
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

    /// Ends the human player's unfinished game, if any. A game without placements is discarded.
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

    fn show_end(&mut self, now: u64) {
        if self.view != PlayScreen::Playing {
            return;
        }
        if let Some(session) = self.session.as_ref().filter(|session| session.end().is_some()) {
            self.finished.push(session.clone());
            self.show(PlayScreen::Ended, 0);
            self.keys_from = Some(now + IGNORE_KEYS_MS);
        }
    }
}
