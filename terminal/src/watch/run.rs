//! Runs a timeline in the terminal, or returns one screen of it as text.

use std::time::Instant;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

use super::app::WatchApp;
use super::screen::{NEED, draw};
use crate::error::{Error, Result};
use crate::events::{Event, Events};
use crate::explain::Watched;
use crate::screen::{Screen, fitted};
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
/// [`Error::Config`] if the screen cannot be drawn.
pub fn picture<G: Watched>(app: &WatchApp<G>, size: Size) -> Result<String> {
    let failed = |error| Error::Config(format!("drawing: {error}: try another size"));
    // The test backend stores the cells that a terminal would show.
    let backend = TestBackend::new(size.width, size.height);
    let mut terminal = Terminal::new(backend).map_err(failed)?;
    let picture = |frame: &mut ratatui::Frame| {
        fitted(frame, NEED, |frame| draw(frame, app, Theme::Plain));
    };
    terminal.draw(picture).map_err(failed)?;
    let buffer = terminal.backend().buffer();
    let line = |y| (0..size.width).map(move |x| buffer[(x, y)].symbol()).collect::<String>();
    let lines = (0..size.height).map(|y| line(y).trim_end().to_owned() + "\n");
    Ok(lines.collect())
}
