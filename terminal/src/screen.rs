//! Takes over the terminal (raw mode, alternate screen, hidden cursor), restores it on every exit,
//! and merges keys, resizes and signals into one sequence of events.

#![expect(
    clippy::disallowed_methods,
    reason = "screens draw on stdout; ratatui drops controls from texts"
)]

use std::io::{self, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Once, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    self, KeyEvent, KeyEventKind, KeyModifiers, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
    supports_keyboard_enhancement,
};
use ratatui::crossterm::{cursor, execute};
use ratatui::widgets::Paragraph;
use ratatui::{Frame, Terminal};

use crate::prelude::*;
use crate::threads::catch_panic;

pub use ratatui::layout::Size;

static TAKEN_OVER: AtomicBool = AtomicBool::new(false);
static REPORTS_RELEASES: AtomicBool = AtomicBool::new(false);

/// Returns true if stdin and stdout are both terminals.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// A terminal switched to raw mode and the alternate screen. Dropping the value, a panic and
/// `restore` all restore the terminal.
pub struct Screen {
    /// Terminal that is never dropped, since dropping it panics if the terminal is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    need: Size,
}

impl Screen {
    /// Checks that stdin and stdout are terminals of at least `need` columns and rows. `name` is
    /// the command in error messages.
    pub(crate) fn check(name: &str, need: Size) -> Result<()> {
        for (stream, is_terminal) in
            [("stdin", io::stdin().is_terminal()), ("stdout", io::stdout().is_terminal())]
        {
            if !is_terminal {
                return Err(Error::Config(format!(
                    "{stream} is no terminal: start `{name}` in one, without a pipe or a file"
                )));
            }
        }
        let (width, height) = size().map_err(terminal_error)?;
        if fits(Size { width, height }, need) {
            return Ok(());
        }
        Err(Error::Config(format!(
            "the terminal has {width}x{height} characters, and `{name}` needs {}x{}: \
             make it larger or its letters smaller",
            need.width, need.height
        )))
    }

    /// Switches the terminal to raw mode and the alternate screen for the command `name`, which
    /// needs `need` columns and rows.
    pub fn open(name: &str, need: Size) -> Result<Screen> {
        Screen::check(name, need)?;
        restore_on_panic();
        TAKEN_OVER.store(true, Ordering::SeqCst);
        let opened = take_over().and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match opened {
            Ok(terminal) => Ok(Screen { terminal: ManuallyDrop::new(terminal), need }),
            Err(error) => {
                restore();
                Err(terminal_error(error))
            }
        }
    }

    /// Returns true if the terminal reports key releases, and presses of shift alone.
    pub(crate) fn reports_releases(&self) -> bool {
        REPORTS_RELEASES.load(Ordering::SeqCst)
    }

    pub(crate) fn fits(&self) -> bool {
        self.terminal.size().is_ok_and(|size| fits(size, self.need))
    }

    /// Draws the screen by `render`, or a notice that the terminal is too small. Returns `false` if
    /// the terminal was closed.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame)) -> Result<bool> {
        let need = self.need;
        match self.terminal.draw(|frame| draw_if_fits(frame, need, render)) {
            Ok(_) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(terminal_error(error)),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Draws by `render` if the screen has at least the size `need`, otherwise a notice.
pub(crate) fn draw_if_fits(frame: &mut Frame, need: Size, render: impl FnOnce(&mut Frame)) {
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

pub(crate) fn draw_to_buffer(size: Size, render: impl FnOnce(&mut Frame)) -> Result<Buffer> {
    let failed = |error| Error::Config(format!("drawing: {error}: try another size"));
    // The test backend stores the cells that a terminal would show.
    let mut terminal = Terminal::new(TestBackend::new(size.width, size.height)).map_err(failed)?;
    terminal.draw(render).map_err(failed)?;
    Ok(terminal.backend().buffer().clone())
}

/// Returns a screen of `size` that `render` draws, as lines of text without trailing spaces.
pub(crate) fn draw_to_text(size: Size, render: impl FnOnce(&mut Frame)) -> Result<String> {
    let buffer = draw_to_buffer(size, render)?;
    let line = |y| (0..size.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    Ok((0..size.height).map(|y| line(y).trim_end().to_owned() + "\n").collect())
}

fn fits(has: Size, need: Size) -> bool {
    has.width >= need.width && has.height >= need.height
}

/// Returns the rectangle of `size` in the centre of `area`, or all of a smaller `area`.
pub(crate) fn centred_area(area: Rect, size: Size) -> Rect {
    let (width, height) = (size.width.min(area.width), size.height.min(area.height));
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    Rect { x, y, width, height }
}

fn take_over() -> io::Result<()> {
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

/// Leaves raw mode and the alternate screen if a [`Screen`] has taken over the terminal.
pub(crate) fn restore() {
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

/// Returns true if `error` means that the terminal was closed.
fn is_gone(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    const ENXIO: i32 = 6;
    let by_number = cfg!(unix) && matches!(error.raw_os_error(), Some(EIO | ENXIO));
    by_number || error.kind() == io::ErrorKind::BrokenPipe
}

fn terminal_error(error: io::Error) -> Error {
    Error::Config(format!("the terminal refuses: {error}: try another terminal"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Key(Key),
    Resize,
    /// Request to end the program: Ctrl-C, SIGINT, SIGTERM, SIGHUP, or a closed terminal.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Code of a pressed or released key. Letters are lower case regardless of shift and caps lock.
    pub(crate) code: KeyCode,
    pub(crate) kind: KeyEventKind,
}

impl Key {
    pub(crate) fn is_down(&self) -> bool {
        self.kind != KeyEventKind::Release
    }

    fn from_event(event: KeyEvent) -> Key {
        let code = match event.code {
            KeyCode::Char(letter) => KeyCode::Char(letter.to_ascii_lowercase()),
            // Some terminals report shift and tab as a key of its own.
            KeyCode::BackTab => KeyCode::Tab,
            code => code,
        };
        Key { code, kind: event.kind }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimedEvent {
    pub(crate) at: Instant,
    pub(crate) event: Event,
}

impl TimedEvent {
    fn now(event: Event) -> TimedEvent {
        TimedEvent { at: Instant::now(), event }
    }
}

/// Time in which further stop signals do not end the process: a closing terminal sends several.
const SIGNAL_GRACE: Duration = Duration::from_secs(1);

pub(crate) struct Events {
    sender: Sender<TimedEvent>,
    receiver: Receiver<TimedEvent>,
}

impl Events {
    /// Starts to catch stop signals. A signal more than a second after the first one ends the
    /// process at once.
    pub(crate) fn catch() -> Result<Events> {
        let (sender, receiver) = channel();
        let signals = sender.clone();
        let first = OnceLock::new();
        ctrlc::set_handler(move || {
            if first.get_or_init(Instant::now).elapsed() > SIGNAL_GRACE {
                restore();
                std::process::exit(130);
            }
            let _ = signals.send(TimedEvent::now(Event::Stop));
        })
        .map_err(|error| thread_error(&error))?;
        Ok(Events { sender, receiver })
    }

    /// Starts the thread that reads keys from the terminal, which [`Screen`] must have taken over.
    pub(crate) fn listen(&self) -> Result<()> {
        let sender = self.sender.clone();
        let reader = thread::Builder::new().name("keys".to_owned());
        let read = move || {
            if catch_panic(|| read(&sender)).is_err() {
                // Without keys the user could not quit.
                let _ = sender.send(TimedEvent::now(Event::Stop));
            }
        };
        reader.spawn(read).map(|_| ()).map_err(|error| thread_error(&error))
    }

    /// Returns the next key, resize or signal, or `None` if the time `due` passes first.
    pub(crate) fn next(&self, due: Option<Instant>) -> Option<TimedEvent> {
        let wait = |due: Instant| due.saturating_duration_since(Instant::now());
        // This struct holds a sender, so the channel is never closed.
        match due {
            None => self.receiver.recv().ok(),
            Some(due) => self.receiver.recv_timeout(wait(due)).ok(),
        }
    }
}

fn thread_error(error: &dyn std::error::Error) -> Error {
    Error::Config(format!(
        "starting a thread: {error}: end other programs, and start this one again"
    ))
}

fn read(sender: &Sender<TimedEvent>) {
    loop {
        let event = match event::read() {
            Ok(event) => translate(&event),
            Err(_) => Some(Event::Stop),
        };
        let Some(event) = event else { continue };
        if sender.send(TimedEvent::now(event)).is_err() || event == Event::Stop {
            return;
        }
    }
}

fn translate(event: &event::Event) -> Option<Event> {
    match event {
        event::Event::Key(key) if is_interrupt(key) => Some(Event::Stop),
        event::Event::Key(key) => Some(Event::Key(Key::from_event(*key))),
        event::Event::Resize(..) => Some(Event::Resize),
        _ => None,
    }
}

/// Returns true if `key` is Ctrl-C, which is a key and not a signal in raw mode.
fn is_interrupt(key: &KeyEvent) -> bool {
    let is_c = matches!(key.code, KeyCode::Char('c' | 'C'));
    is_c && key.modifiers.contains(KeyModifiers::CONTROL) && key.kind != KeyEventKind::Release
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
            draw_if_fits(frame, NEED, |frame| frame.render_widget("here", frame.area()));
        });
        assert_eq!(drawn, "here\n");
    }

    #[test]
    fn a_small_terminal_is_told_its_size() {
        let small = Size { width: 30, height: 5 };
        let drawn = picture_of(small, |frame| {
            draw_if_fits(frame, NEED, |_| panic!("it does not fit"));
        });
        let want =
            "\n          needs 40x10\n       this one has 30x5\n   make the terminal larger\n";
        assert_eq!(drawn, want);
        // Even the smallest terminal can be drawn on.
        picture_of(Size { width: 1, height: 1 }, |frame| draw_if_fits(frame, NEED, |_| ()));
    }

    #[test]
    fn the_middle_of_an_area() {
        let area = Rect::new(2, 1, 11, 6);
        assert_eq!(centred_area(area, Size::new(5, 2)), Rect::new(5, 3, 5, 2));
        assert_eq!(centred_area(area, Size::new(50, 20)), area);
    }

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Option<Event> {
        translate(&event::Event::Key(KeyEvent::new(code, modifiers)))
    }

    #[test]
    fn letters_are_lower_case_and_ctrl_c_stops() {
        let a = Key { code: KeyCode::Char('a'), kind: KeyEventKind::Press };
        assert_eq!(key(KeyCode::Char('A'), KeyModifiers::SHIFT), Some(Event::Key(a)));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Event::Stop));
        assert_eq!(translate(&event::Event::Resize(80, 24)), Some(Event::Resize));
        assert_eq!(translate(&event::Event::FocusGained), None);
    }

    #[test]
    fn waiting_ends_when_something_is_due_or_comes() {
        let (sender, receiver) = channel();
        let events = Events { sender: sender.clone(), receiver };
        assert_eq!(events.next(Some(Instant::now())), None);
        sender.send(TimedEvent::now(Event::Resize)).unwrap();
        assert_eq!(events.next(None).map(|happened| happened.event), Some(Event::Resize));
        sender.send(TimedEvent::now(Event::Stop)).unwrap();
        let soon = Instant::now() + Duration::from_secs(60);
        assert_eq!(events.next(Some(soon)).map(|happened| happened.event), Some(Event::Stop));
    }
}
