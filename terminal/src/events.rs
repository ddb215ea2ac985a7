//! Key presses, resizes and signals as one stream, waited for until the next thing is due.
//!
//! A thread reads the terminal and sends what happens, with the time at which it was read, over a
//! channel; a signal comes the same way. Waiting takes no processor time.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::screen::restore;
use crate::error::{Error, Result};
use crate::threads::caught;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key was pressed, repeated or released.
    Key(Key),
    /// The terminal has another size; what is shown must be drawn again.
    Resize,
    /// The user or the system ends the program: Ctrl-C, SIGINT, SIGTERM, SIGHUP, or the terminal is
    /// gone.
    Stop,
}

/// A key, and what was done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Which: letters are lower case whatever shift and caps lock are.
    pub code: KeyCode,
    /// Pressed, repeated by the terminal, or released.
    pub kind: KeyEventKind,
}

impl Key {
    /// Whether it is a press, or a repeat: what menus act on.
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.kind != KeyEventKind::Release
    }

    fn of(event: KeyEvent) -> Key {
        let code = match event.code {
            KeyCode::Char(letter) => KeyCode::Char(letter.to_ascii_lowercase()),
            // Shift and tab is a key of its own in some terminals.
            KeyCode::BackTab => KeyCode::Tab,
            code => code,
        };
        Key { code, kind: event.kind }
    }
}

/// An event, and when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// When.
    pub at: Instant,
    /// What.
    pub event: Event,
}

impl Happened {
    fn now(event: Event) -> Happened {
        Happened { at: Instant::now(), event }
    }
}

/// After a signal, others are no haste for so long: a terminal that closes sends several.
const GRACE: Duration = Duration::from_secs(1);

/// The stream of events.
pub struct Events {
    sender: Sender<Happened>,
    receiver: Receiver<Happened>,
}

impl Events {
    /// Begins to catch signals, which is to be done before the terminal is borrowed. One that comes a
    /// second after the first ends the process at once.
    ///
    /// # Errors
    /// [`Error::Config`] when signals are caught already.
    pub fn catch() -> Result<Events> {
        let (sender, receiver) = channel();
        let signals = sender.clone();
        let first = OnceLock::new();
        ctrlc::set_handler(move || {
            if first.get_or_init(Instant::now).elapsed() > GRACE {
                restore();
                std::process::exit(130);
            }
            let _ = signals.send(Happened::now(Event::Stop));
        })
        .map_err(|error| refused(&error))?;
        Ok(Events { sender, receiver })
    }

    /// Begins to read the terminal, which must be borrowed by now ([`super::screen::Screen`]).
    ///
    /// # Errors
    /// [`Error::Config`] when no thread can be had.
    pub fn listen(&self) -> Result<()> {
        let sender = self.sender.clone();
        let reader = thread::Builder::new().name("keys".to_owned());
        let read = move || {
            if caught(|| read(&sender)).is_err() {
                // Without keys nobody could leave.
                let _ = sender.send(Happened::now(Event::Stop));
            }
        };
        reader.spawn(read).map(|_| ()).map_err(|error| refused(&error))
    }

    /// The next event; `None` when `due` has come without one. Without `due` it waits for as long
    /// as it takes.
    #[must_use]
    pub fn next(&self, due: Option<Instant>) -> Option<Happened> {
        let wait = |due: Instant| due.saturating_duration_since(Instant::now());
        // It holds a sender itself: the channel is never closed.
        match due {
            None => self.receiver.recv().ok(),
            Some(due) => self.receiver.recv_timeout(wait(due)).ok(),
        }
    }
}

fn refused(error: &dyn std::error::Error) -> Error {
    Error::Config(format!(
        "starting a thread: {error}: end other programs, and start this one again"
    ))
}

/// Sends what the terminal reports until it is gone, or nobody listens.
fn read(sender: &Sender<Happened>) {
    loop {
        let event = match event::read() {
            Ok(event) => meaning(&event),
            Err(_) => Some(Event::Stop),
        };
        let Some(event) = event else { continue };
        if sender.send(Happened::now(event)).is_err() || event == Event::Stop {
            return;
        }
    }
}

fn meaning(event: &event::Event) -> Option<Event> {
    match event {
        event::Event::Key(key) if is_interrupt(key) => Some(Event::Stop),
        event::Event::Key(key) => Some(Event::Key(Key::of(*key))),
        event::Event::Resize(..) => Some(Event::Resize),
        _ => None,
    }
}

/// Ctrl-C: in raw mode no signal, but a key.
fn is_interrupt(key: &KeyEvent) -> bool {
    let is_c = matches!(key.code, KeyCode::Char('c' | 'C'));
    is_c && key.modifiers.contains(KeyModifiers::CONTROL) && key.kind != KeyEventKind::Release
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Option<Event> {
        meaning(&event::Event::Key(KeyEvent::new(code, modifiers)))
    }

    #[test]
    fn letters_are_lower_case_and_ctrl_c_stops() {
        let a = Key { code: KeyCode::Char('a'), kind: KeyEventKind::Press };
        assert_eq!(key(KeyCode::Char('A'), KeyModifiers::SHIFT), Some(Event::Key(a)));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Event::Stop));
        assert_eq!(meaning(&event::Event::Resize(80, 24)), Some(Event::Resize));
        assert_eq!(meaning(&event::Event::FocusGained), None);
    }

    #[test]
    fn waiting_ends_when_something_is_due_or_comes() {
        let (sender, receiver) = channel();
        let events = Events { sender: sender.clone(), receiver };
        assert_eq!(events.next(Some(Instant::now())), None);
        sender.send(Happened::now(Event::Resize)).unwrap();
        assert_eq!(events.next(None).map(|happened| happened.event), Some(Event::Resize));
        sender.send(Happened::now(Event::Stop)).unwrap();
        let soon = Instant::now() + Duration::from_secs(60);
        assert_eq!(events.next(Some(soon)).map(|happened| happened.event), Some(Event::Stop));
    }
}
