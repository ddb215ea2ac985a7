//! Runs a timeline in the terminal, or returns one screen of it as text.

use std::time::Instant;

use ratatui::layout::Size;

use super::app::WatchApp;
use super::screen::{NEED, draw};
use crate::error::Result;
use crate::events::{Event, Events};
use crate::explain::Watched;
use crate::screen::{Screen, fitted, text_of};
use crate::theme::Theme;

/// Shows a timeline until the viewer quits (`true`) or the program is asked to end (`false`). While
/// paused, it waits without using the processor.
///
/// # Errors
/// Returns the errors of [`Screen::open`], [`Events::catch`] and [`WatchApp::tick`].
pub fn run<G: Watched>(mut app: WatchApp<G>, theme: Theme) -> Result<bool> {
    let events = Events::catch()?;
    let mut screen = Screen::open("tetrastat watch", NEED)?;
    events.listen()?;
    while !app.has_quit() {
        // The terminal was closed.
        if !screen.draw(|frame| draw(frame, &app, theme))? {
            return Ok(false);
        }
        match events.next(app.due()).map(|happened| (happened.event, happened.at)) {
            Some((Event::Stop, _)) => return Ok(false),
            Some((Event::Key(key), at)) if key.is_down() => app.press(key.code, at)?,
            _ => {}
        }
        app.tick(Instant::now())?;
    }
    Ok(true)
}

/// Returns the screen that a terminal of this size would show, as text without trailing spaces.
///
/// # Errors
/// [`crate::error::Error::Config`] if the screen cannot be drawn.
pub fn picture<G: Watched>(app: &WatchApp<G>, size: Size) -> Result<String> {
    text_of(size, |frame| fitted(frame, NEED, |frame| draw(frame, app, Theme::Plain)))
}
