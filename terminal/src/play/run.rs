//! Runs the main loop: draw, wait for a key or a deadline, repeat.

use std::time::{Duration, Instant};

use super::app::PlayApp;
use super::draw::{NEED, draw};
use super::options::SessionOptions;
use super::session_folder::SessionFolder;
use crate::error::Result;
use crate::events::{Event, Events, TimedEvent};
use crate::record::Status;
use crate::screen::Screen;
use crate::theme::Theme;

/// Name of the command in messages.
const NAME: &str = "tetrastat play";

/// The outcome of a session of `tetrastat play`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// True if a signal or Ctrl-C ended the session.
    pub interrupted: bool,
    /// Number of games written to the folder.
    pub written: u64,
}

/// Checks that the terminal is suitable, before a folder or the screen is opened.
///
/// # Errors
/// Returns the errors of [`Screen::check`].
pub fn check_terminal() -> Result<()> {
    Screen::check(NAME, NEED)
}

/// Plays until the user quits, and writes the games if there is a folder for them. `folder` is its
/// name on the screen.
///
/// # Errors
/// Returns the errors of [`Screen::open`] and [`Events::catch`], and [`crate::error::Error::Io`] if
/// a game cannot be written. Earlier games stay written.
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

/// Runs the main loop on the terminal. Returns true if a signal, Ctrl-C or a closed terminal ended
/// it.
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

/// Handles an event, or the passing of a deadline if there is none. Returns true if the program
/// must end.
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
