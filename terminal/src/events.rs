//! Merges key presses, resizes and signals into one stream. A reader can wait for the next event up
//! to a deadline.
//!
//! A thread reads the terminal and sends each event with its time over a channel; signals use the
//! same channel. Waiting takes no processor time.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::screen::restore;
use crate::error::{Error, Result};
use crate::threads::catch_panic;

/// An event of the terminal or the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Press, repeat or release of a key.
    Key(Key),
    /// Change of the terminal's size, after which the screen must be drawn again.
    Resize,
    /// Request to end the program: Ctrl-C, SIGINT, SIGTERM, SIGHUP, or a closed terminal.
    Stop,
}

/// A key event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Code of the key. Letters are lower case regardless of shift and caps lock.
    pub code: KeyCode,
    /// Kind of event: press, repeat by the terminal, or release.
    pub kind: KeyEventKind,
}

impl Key {
    /// Returns true for a press or a repeat, which menus react to.
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.kind != KeyEventKind::Release
    }

    fn of(event: KeyEvent) -> Key {
        let code = match event.code {
            KeyCode::Char(letter) => KeyCode::Char(letter.to_ascii_lowercase()),
            // Some terminals report shift and tab as a key of its own.
            KeyCode::BackTab => KeyCode::Tab,
            code => code,
        };
        Key { code, kind: event.kind }
    }
}

/// An event with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedEvent {
    /// Time at which the event was read.
    pub at: Instant,
    /// The event.
    pub event: Event,
}

impl TimedEvent {
    fn now(event: Event) -> TimedEvent {
        TimedEvent { at: Instant::now(), event }
    }
}

/// Time after the first signal in which further signals do not end the process. A closing terminal
/// sends several signals.
const SIGNAL_GRACE: Duration = Duration::from_secs(1);

/// The stream of events from the terminal and the system.
pub struct Events {
    sender: Sender<TimedEvent>,
    receiver: Receiver<TimedEvent>,
}

impl Events {
    /// Starts to catch signals; must run before [`super::screen::Screen`] takes over the terminal.
    /// A signal that comes more than a second after the first ends the process at once.
    ///
    /// # Errors
    /// [`Error::Config`] if signals are caught already.
    pub fn catch() -> Result<Events> {
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
        .map_err(|error| refused(&error))?;
        Ok(Events { sender, receiver })
    }

    /// Starts to read the terminal, which [`super::screen::Screen`] must have taken over before.
    ///
    /// # Errors
    /// [`Error::Config`] if the thread cannot be started.
    pub fn listen(&self) -> Result<()> {
        let sender = self.sender.clone();
        let reader = thread::Builder::new().name("keys".to_owned());
        let read = move || {
            if catch_panic(|| read(&sender)).is_err() {
                // Without keys the user could not quit.
                let _ = sender.send(TimedEvent::now(Event::Stop));
            }
        };
        reader.spawn(read).map(|_| ()).map_err(|error| refused(&error))
    }

    /// Returns the next event, or `None` if `due` passes first. Waits without limit if `due` is
    /// `None`.
    #[must_use]
    pub fn next(&self, due: Option<Instant>) -> Option<TimedEvent> {
        let wait = |due: Instant| due.saturating_duration_since(Instant::now());
        // This struct holds a sender, so the channel is never closed.
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

/// Sends terminal events until the terminal or the receiver is gone.
fn read(sender: &Sender<TimedEvent>) {
    loop {
        let event = match event::read() {
            Ok(event) => meaning(&event),
            Err(_) => Some(Event::Stop),
        };
        let Some(event) = event else { continue };
        if sender.send(TimedEvent::now(event)).is_err() || event == Event::Stop {
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

/// Returns true for Ctrl-C, which is a key and not a signal in raw mode.
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
        sender.send(TimedEvent::now(Event::Resize)).unwrap();
        assert_eq!(events.next(None).map(|happened| happened.event), Some(Event::Resize));
        sender.send(TimedEvent::now(Event::Stop)).unwrap();
        let soon = Instant::now() + Duration::from_secs(60);
        assert_eq!(events.next(Some(soon)).map(|happened| happened.event), Some(Event::Stop));
    }
}
