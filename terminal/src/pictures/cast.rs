//! Records consecutive placements as `watch` shows them, in asciinema's format, version 2. A header
//! is followed by one line of JSON per frame, with its time and output
//! (docs.asciinema.org/manual/asciicast/v2).

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};
use serde_json::json;

use crate::error::{Error, Result};
use crate::explain::Watched;
use crate::screen::fitted;
use crate::theme::Theme;
use crate::watch::app::WatchApp;
use crate::watch::screen::{NEED, draw};

/// A writer that stores its output until the output is taken.
#[derive(Clone, Default)]
struct OutputBuffer(Rc<RefCell<Vec<u8>>>);

impl OutputBuffer {
    fn take(&self) -> String {
        String::from_utf8_lossy(&self.0.take()).into_owned()
    }
}

impl Write for OutputBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Records the placements from the shown one to number `last`, or to the end of the game, at
/// `speed` placements per second.
///
/// # Errors
/// [`Error::Config`] if a frame cannot be drawn; otherwise the errors of [`WatchApp::tick`].
pub fn cast<G: Watched>(
    mut app: WatchApp<G>,
    size: Size,
    theme: Theme,
    last: u64,
    speed: f64,
) -> Result<String> {
    let failed = |error| Error::Config(format!("drawing: {error}: try another size"));
    let written = OutputBuffer::default();
    let area = Rect { x: 0, y: 0, width: size.width, height: size.height };
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    let mut terminal =
        Terminal::with_options(CrosstermBackend::new(written.clone()), options).map_err(failed)?;
    let header = json!({
        "version": 2, "width": size.width, "height": size.height, "title": app.timeline().title(),
    });
    let mut lines = vec![header.to_string()];
    let number = |app: &WatchApp<G>| app.timeline().step().map(|step| step.piece_no);
    loop {
        let seconds = (lines.len() - 1) as f64 / speed;
        terminal
            .draw(|frame| fitted(frame, NEED, |frame| draw(frame, &app, theme)))
            .map_err(failed)?;
        lines.push(json!([seconds, "o", written.take()]).to_string());
        let shown = number(&app);
        if app.timeline().ending().is_some() || shown.is_none_or(|number| number >= last) {
            break;
        }
        app.tick(app.clock().due())?;
    }
    Ok(lines.join("\n") + "\n")
}
