//! Takes over the terminal (raw mode, alternate screen, hidden cursor), and restores it on every
//! exit.

#![expect(
    clippy::disallowed_methods,
    reason = "screens draw on stdout; ratatui drops controls from texts"
)]

use std::io::{self, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
    supports_keyboard_enhancement,
};
use ratatui::crossterm::{cursor, execute};
use ratatui::layout::Rect;
pub use ratatui::layout::Size;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use ratatui::{Frame, Terminal};

use crate::error::{Error, Result};

/// True while the terminal is taken over.
static TAKEN_OVER: AtomicBool = AtomicBool::new(false);
/// True while the terminal reports each press and release of every key.
static REPORTS_RELEASES: AtomicBool = AtomicBool::new(false);

/// Returns true if stdin and stdout are both terminals.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// A terminal that is taken over. Dropping it, a panic and [`restore`] all restore the terminal.
pub struct Screen {
    /// Terminal on which frames are drawn. It is never dropped, because its drop shows the cursor,
    /// as [`restore`] does, and panics if the terminal is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    need: Size,
}

impl Screen {
    /// Checks that stdin and stdout are terminals of at least the size `need`, in characters.
    /// `name` is the command in error messages.
    ///
    /// # Errors
    /// [`Error::Config`] if stdin or stdout is not a terminal, or the terminal is too small.
    pub fn check(name: &str, need: Size) -> Result<()> {
        for (stream, is_terminal) in
            [("stdin", io::stdin().is_terminal()), ("stdout", io::stdout().is_terminal())]
        {
            if !is_terminal {
                return Err(Error::Config(format!(
                    "{stream} is no terminal: start `{name}` in one, without a pipe or a file"
                )));
            }
        }
        let (width, height) = size().map_err(refused)?;
        if fits(Size { width, height }, need) {
            return Ok(());
        }
        Err(Error::Config(format!(
            "the terminal has {width}x{height} characters, and `{name}` needs {}x{}: \
             make it larger or its letters smaller",
            need.width, need.height
        )))
    }

    /// Takes over the terminal for the command `name`, which needs the size `need` in characters.
    ///
    /// # Errors
    /// Returns the errors of [`Screen::check`], and [`Error::Config`] if the terminal rejects a
    /// change.
    pub fn open(name: &str, need: Size) -> Result<Screen> {
        Screen::check(name, need)?;
        restore_on_panic();
        TAKEN_OVER.store(true, Ordering::SeqCst);
        let opened = borrow().and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match opened {
            Ok(terminal) => Ok(Screen { terminal: ManuallyDrop::new(terminal), need }),
            Err(error) => {
                restore();
                Err(refused(error))
            }
        }
    }

    /// Returns true if the terminal reports key releases, and presses of shift alone.
    #[must_use]
    pub fn reports_releases(&self) -> bool {
        REPORTS_RELEASES.load(Ordering::SeqCst)
    }

    /// Returns true if the terminal has at least the size that the command needs.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.terminal.size().is_ok_and(|size| fits(size, self.need))
    }

    /// Draws a frame, or a notice that the terminal is too small. Returns `false` if the terminal
    /// was closed. Drawing may notice this before the signal or the last key arrives.
    ///
    /// # Errors
    /// [`Error::Config`] if a terminal that is still open rejects the output.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame)) -> Result<bool> {
        let need = self.need;
        match self.terminal.draw(|frame| fitted(frame, need, render)) {
            Ok(_) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(refused(error)),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Calls `render` if the frame has at least the size `need`. Otherwise draws a notice with the
/// needed and the actual size.
pub fn fitted(frame: &mut Frame, need: Size, render: impl FnOnce(&mut Frame)) {
    let area = frame.area();
    if fits(area.as_size(), need) {
        return render(frame);
    }
    let lines = [
        format!("needs {}x{}", need.width, need.height),
        format!("this one has {}x{}", area.width, area.height),
        "make the terminal larger".to_owned(),
    ];
    let height = area.height.min(lines.len() as u16);
    let row = area.y + (area.height - height) / 2;
    let text = Paragraph::new(lines.map(Line::from).to_vec()).centered();
    frame.render_widget(text, Rect { y: row, height, ..area });
}

/// Returns what `render` draws on a terminal of this size.
///
/// # Errors
/// [`Error::Config`] if nothing can be drawn.
pub(crate) fn drawn(size: Size, render: impl FnOnce(&mut Frame)) -> Result<Buffer> {
    let failed = |error| Error::Config(format!("drawing: {error}: try another size"));
    // The test backend stores the cells that a terminal would show.
    let mut terminal = Terminal::new(TestBackend::new(size.width, size.height)).map_err(failed)?;
    terminal.draw(render).map_err(failed)?;
    Ok(terminal.backend().buffer().clone())
}

/// Returns the lines that `render` draws on a terminal of this size, without trailing spaces.
///
/// # Errors
/// The errors of [`drawn`].
pub(crate) fn text_of(size: Size, render: impl FnOnce(&mut Frame)) -> Result<String> {
    let buffer = drawn(size, render)?;
    let line = |y| (0..size.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    Ok((0..size.height).map(|y| line(y).trim_end().to_owned() + "\n").collect())
}

fn fits(has: Size, need: Size) -> bool {
    has.width >= need.width && has.height >= need.height
}

/// Returns the centred part of `area` that has the given size, or all of `area` where it is
/// smaller.
#[must_use]
pub fn middle(area: Rect, size: Size) -> Rect {
    let (width, height) = (size.width.min(area.width), size.height.min(area.height));
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    Rect { x, y, width, height }
}

fn borrow() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, cursor::Hide)?;
    // A terminal that does not answer is treated as one that does not report key releases.
    if supports_keyboard_enhancement().unwrap_or(false) {
        let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES
            | KeyboardEnhancementFlags::REPORT_EVENT_TYPES
            | KeyboardEnhancementFlags::REPORT_ALL_KEYS_AS_ESCAPE_CODES;
        execute!(io::stdout(), PushKeyboardEnhancementFlags(flags))?;
        REPORTS_RELEASES.store(true, Ordering::SeqCst);
    }
    Ok(())
}

/// Restores the terminal if it is taken over. Call this function before ending the process by
/// force.
pub fn restore() {
    if !TAKEN_OVER.swap(false, Ordering::SeqCst) {
        return;
    }
    // A terminal that is gone needs no restoring.
    if REPORTS_RELEASES.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), PopKeyboardEnhancementFlags);
    }
    let _ = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
    let _ = io::stdout().flush();
}

/// Installs a panic hook that restores the terminal first, so that the panic message is readable.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
    });
}

/// Returns true if `error` means that the terminal was closed. A pseudo-terminal without its other
/// end gives EIO, and a removed device gives ENXIO. Each of these errors has the same number on
/// Linux, macOS and the BSDs.
fn is_gone(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    const ENXIO: i32 = 6;
    let by_number = cfg!(unix) && matches!(error.raw_os_error(), Some(EIO | ENXIO));
    by_number || error.kind() == io::ErrorKind::BrokenPipe
}

fn refused(error: io::Error) -> Error {
    Error::Config(format!("the terminal refuses: {error}: try another terminal"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen_text::picture_of;

    const NEED: Size = Size { width: 40, height: 10 };

    #[cfg(unix)]
    #[test]
    fn a_closed_terminal_is_gone_and_a_refusal_is_none() {
        assert!(is_gone(&io::Error::from_raw_os_error(5)));
        assert!(is_gone(&io::ErrorKind::BrokenPipe.into()));
        assert!(!is_gone(&io::ErrorKind::PermissionDenied.into()));
    }

    #[test]
    fn a_picture_is_drawn_where_it_fits() {
        let drawn = picture_of(NEED, |frame| {
            fitted(frame, NEED, |frame| frame.render_widget("here", frame.area()));
        });
        assert_eq!(drawn, "here\n");
    }

    #[test]
    fn a_small_terminal_is_told_its_size() {
        let small = Size { width: 30, height: 5 };
        let drawn = picture_of(small, |frame| {
            fitted(frame, NEED, |_| panic!("it does not fit"));
        });
        let want =
            "\n          needs 40x10\n       this one has 30x5\n   make the terminal larger\n";
        assert_eq!(drawn, want);
        // Even the smallest terminal can be drawn on.
        picture_of(Size { width: 1, height: 1 }, |frame| fitted(frame, NEED, |_| ()));
    }

    #[test]
    fn the_middle_of_an_area() {
        let area = Rect::new(2, 1, 11, 6);
        assert_eq!(middle(area, Size::new(5, 2)), Rect::new(5, 3, 5, 2));
        assert_eq!(middle(area, Size::new(50, 20)), area);
    }
}
