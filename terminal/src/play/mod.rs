//! Implements `tetrastat play`, guideline games for a human player: options, and the loop that
//! draws and waits for keys.

mod app;
mod draw;
mod keys;
mod session;
mod session_folder;

use std::time::{Duration, Instant};

use self::app::PlayApp;
use self::draw::{NEED, draw};
use crate::prelude::*;
use crate::record::Status;
use crate::rules::guideline::RuleSet;
use crate::screen::{Event, Events, Screen, TimedEvent};
use crate::sim::guideline::Mode;

pub use keys::KeyMap;
pub use session_folder::SessionFolder;

#[cfg(test)]
#[path = "tests/screens.rs"]
mod screens;

const BLITZ_US: u64 = 180_000_000;

/// The kinds of games that a human player can choose from the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayGame {
    /// Game to remove a fixed number of rows as fast as possible.
    Sprint,
    /// Game of three minutes for as many points as possible.
    Blitz,
    /// Practice game without an end.
    Practice,
}

impl PlayGame {
    fn name(self) -> &'static str {
        ["Sprint", "Blitz", "Practice"][self as usize]
    }

    fn mode(self, sprint_lines: u32) -> Mode {
        match self {
            PlayGame::Sprint => Mode::Sprint { lines: sprint_lines },
            PlayGame::Blitz => Mode::Blitz { pieces: u32::MAX, time_us: BLITZ_US },
            PlayGame::Practice => Mode::Endless { pieces: u32::MAX },
        }
    }
}

/// The user's options for a session of games by a human player.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// Rules of the human player's games, including points.
    pub rules: RuleSet,
    /// Kind of game to start without the menu, if any.
    pub kind: Option<PlayGame>,
    /// Number of rows to remove in a Sprint.
    pub sprint_lines: u32,
    /// Seed from which the queue of pieces of every game derives.
    pub seed: u64,
    /// True for fast controls: a long-held left or right key moves a piece as far as possible.
    pub advanced: bool,
    /// Keys of the human player and their actions in the game.
    pub keys: KeyMap,
    /// True if only games of the kind `kind` may be played, since a folder stores a single kind.
    pub one_kind: bool,
}

const NAME: &str = "tetrastat play";

/// The outcome of a session of games by a human player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// True if a signal or Ctrl-C ended the session.
    pub interrupted: bool,
    /// Number of the session's games written to the folder.
    pub written: u64,
}

/// Returns an error if the terminal cannot show a human player's game.
pub fn check_terminal() -> Result<()> {
    Screen::check(NAME, NEED)
}

/// Plays a user's games until they quit, and writes the games to the run folder `session_folder`.
/// The screen shows the folder's name `folder`.
pub fn play(
    options: SessionOptions,
    folder: Option<String>,
    session_folder: Option<SessionFolder>,
) -> Result<SessionEnd> {
    let mut session_folder = session_folder;
    let ended = on_screen(options, folder, &mut session_folder);
    let status = match &ended {
        Ok(false) => Status::Complete,
        Ok(true) => Status::Interrupted,
        Err(error) => Status::Failed(error.to_string()),
    };
    // The terminal is restored by now, whatever happens to the files.
    let written = session_folder.map_or(Ok(0), |session_folder| session_folder.finish(status));
    let interrupted = ended?;
    Ok(SessionEnd { interrupted, written: written? })
}

/// Runs a human player's games on the terminal. Returns true if a signal, Ctrl-C or a closed
/// terminal ended the session.
fn on_screen(
    options: SessionOptions,
    folder: Option<String>,
    session_folder: &mut Option<SessionFolder>,
) -> Result<bool> {
    let events = Events::catch()?;
    let mut screen = Screen::open(NAME, NEED)?;
    events.listen()?;
    let releases = screen.reports_releases();
    let mut app = PlayApp::new(options, Theme::detect(), releases, folder);
    let start = Instant::now();
    let mut interrupted = false;
    let mut drawn = Ok(true);
    while !app.has_quit() {
        drawn = screen.draw(|frame| draw(&app, frame));
        if let Ok(true) = drawn {
            let due = app.due().map(|due| start + Duration::from_millis(due));
            interrupted = step(&mut app, &screen, events.next(due), start);
        } else {
            app.quit(millis(start, Instant::now()));
            interrupted = true;
        }
        for session in app.take_finished() {
            if let Some(session_folder) = session_folder {
                session_folder.add(&session, releases)?;
            }
        }
    }
    drawn.map(|_| interrupted)
}

/// Handles one terminal event, or lets the game's time pass. Returns true after a stop signal.
fn step(app: &mut PlayApp, screen: &Screen, happened: Option<TimedEvent>, start: Instant) -> bool {
    let Some(TimedEvent { at, event }) = happened else {
        app.tick(millis(start, Instant::now()));
        return false;
    };
    let now = millis(start, at);
    match event {
        Event::Key(key) => app.key(key, now),
        Event::Resize if !screen.fits() => app.pause(now),
        Event::Resize => {}
        Event::Stop => app.quit(now),
    }
    event == Event::Stop
}

fn millis(start: Instant, at: Instant) -> u64 {
    at.saturating_duration_since(start).as_millis() as u64
}
