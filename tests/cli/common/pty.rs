//! The real binary in a pseudo-terminal, whose screen is read as text. Nothing depends on how long
//! anything takes: what is waited for comes, or the test fails after a minute.

// No test file uses all of it.
#![allow(dead_code, unreachable_pub)]

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use vt100::{Parser, Screen};

const PATIENCE: Duration = Duration::from_secs(180);
/// Query of a program for the terminal's kind and its reports of key releases.
const QUERY: &[u8] = b"\x1b[?u\x1b[c";

/// Bytes that the program has written, and the screen that they make.
struct Seen {
    parser: Parser,
    bytes: Vec<u8>,
    answered: usize,
    closed: bool,
    /// Whether the reader is to go.
    closing: bool,
}

type Shared = Arc<(Mutex<Seen>, Condvar)>;
type Input = Arc<Mutex<Box<dyn Write + Send>>>;

/// A program in a pseudo-terminal.
pub struct Pty {
    child: Box<dyn Child + Send + Sync>,
    /// None once the terminal is closed.
    master: Option<Box<dyn MasterPty + Send>>,
    input: Input,
    seen: Shared,
    reader: Option<JoinHandle<()>>,
    /// The terminal's settings before the program began, as text.
    before: String,
}

/// Exit code of a program and its last screen.
pub struct Ended {
    pub code: u32,
    /// Text of the main screen.
    pub text: String,
}

fn pty_size((width, height): (u16, u16)) -> PtySize {
    PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 }
}

fn tetrastat(folder: &Path, args: &[&str]) -> CommandBuilder {
    let mut command = CommandBuilder::new(assert_cmd::cargo::cargo_bin!("tetrastat"));
    command.args(args);
    command.cwd(folder);
    command
}

fn settings(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios())
}

impl Pty {
    /// Starts `tetrastat` in a folder, on a terminal of so many columns and rows, which tells of
    /// releases if `keyboard`.
    pub fn start(folder: &Path, args: &[&str], size: (u16, u16), keyboard: bool) -> Pty {
        Pty::open(tetrastat(folder, args), size, Some(keyboard))
    }

    /// The same on a terminal that answers no question.
    pub fn start_mute(folder: &Path, args: &[&str], size: (u16, u16)) -> Pty {
        Pty::open(tetrastat(folder, args), size, None)
    }

    /// Starts any program.
    pub fn spawn(command: CommandBuilder, size: (u16, u16), keyboard: bool) -> Pty {
        Pty::open(command, size, Some(keyboard))
    }

    fn open(mut command: CommandBuilder, size: (u16, u16), keyboard: Option<bool>) -> Pty {
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        let pair = native_pty_system().openpty(pty_size(size)).unwrap();
        let before = settings(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let number = |side| NonZeroU16::new(side).unwrap();
        let parser = Parser::new(number(size.1), number(size.0), 0);
        let seen = Seen { parser, bytes: Vec::new(), answered: 0, closed: false, closing: false };
        let seen: Shared = Arc::new((Mutex::new(seen), Condvar::new()));
        let input: Input = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let output = pair.master.try_clone_reader().unwrap();
        let (shared, answers) = (Arc::clone(&seen), Arc::clone(&input));
        let reader = std::thread::spawn(move || read(output, &shared, &answers, keyboard));
        Pty { child, master: Some(pair.master), input, seen, reader: Some(reader), before }
    }

    /// Types.
    pub fn send(&self, text: &str) {
        let mut input = self.input.lock().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Waits until the screen holds what is asked for; its text.
    pub fn wait(&self, what: &str, holds: impl Fn(&Screen) -> bool) -> String {
        let (seen, changed) = &*self.seen;
        let start = Instant::now();
        let mut seen = seen.lock().unwrap();
        loop {
            let text = seen.parser.screen().contents();
            if holds(seen.parser.screen()) {
                return text;
            }
            let gone = seen.closed;
            assert!(!gone && start.elapsed() < PATIENCE, "no {what} (gone: {gone}) in\n{text}");
            seen = changed.wait_timeout(seen, Duration::from_millis(200)).unwrap().0;
        }
    }

    /// Waits for words on the screen.
    pub fn wait_for(&self, words: &str) -> String {
        self.wait(words, |screen| screen.contents().contains(words))
    }

    /// Measures the time from typing a text, with an idle terminal, to the first byte of the
    /// answer.
    pub fn answer(&self, text: &str) -> Duration {
        let (seen, changed) = &*self.seen;
        let mut known = 0;
        while known != seen.lock().unwrap().bytes.len() {
            known = seen.lock().unwrap().bytes.len();
            std::thread::sleep(Duration::from_millis(3));
        }
        let start = Instant::now();
        self.send(text);
        let mut seen = seen.lock().unwrap();
        while seen.bytes.len() == known {
            assert!(!seen.closed && start.elapsed() < PATIENCE, "no answer to {text:?}");
            seen = changed.wait_timeout(seen, Duration::from_millis(200)).unwrap().0;
        }
        start.elapsed()
    }

    /// Whether at some time nothing wakes any of its threads for half a second.
    #[cfg(target_os = "linux")]
    pub fn rests(&self) -> bool {
        (0..20).any(|_| {
            let before = self.sleeps();
            std::thread::sleep(Duration::from_millis(500));
            self.sleeps() == before
        })
    }

    /// Counts how often the program's threads went to sleep so far.
    #[cfg(target_os = "linux")]
    fn sleeps(&self) -> u64 {
        let tasks = format!("/proc/{}/task", self.child.process_id().unwrap());
        let of_thread = |thread: std::io::Result<std::fs::DirEntry>| -> u64 {
            let status = std::fs::read_to_string(thread.unwrap().path().join("status")).unwrap();
            let count =
                status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            count.unwrap().trim().parse().unwrap()
        };
        std::fs::read_dir(tasks).unwrap().map(of_thread).sum()
    }

    /// Another size.
    pub fn resize(&self, size: (u16, u16)) {
        let number = |side| NonZeroU16::new(side).unwrap();
        self.seen.0.lock().unwrap().parser.screen_mut().set_size(number(size.1), number(size.0));
        self.master.as_ref().unwrap().resize(pty_size(size)).unwrap();
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Closes the terminal under the program, and waits for its end.
    pub fn close(mut self) {
        self.seen.0.lock().unwrap().closing = true;
        // What is drawn for a key lets the reader go.
        self.send("p");
        self.reader.take().unwrap().join().unwrap();
        *self.input.lock().unwrap() = Box::new(std::io::sink());
        self.master = None;
        self.ended();
    }

    /// Waits for the program's end.
    fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the program's end, and holds it to giving the terminal back: the main screen, the
    /// cursor, every setting.
    pub fn finish(mut self) -> Ended {
        let status = self.ended();
        let after = settings(self.master.as_deref().unwrap());
        assert_eq!(after, self.before, "the settings are not restored");
        self.reader.take().unwrap().join().unwrap();
        let seen = self.seen.0.lock().unwrap();
        let screen = seen.parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left");
        assert!(!screen.hide_cursor(), "the cursor is shown");
        let count = |what: &[u8]| seen.bytes.windows(what.len()).filter(|w| *w == what).count();
        assert_eq!(count(b"\x1b[>11u"), count(b"\x1b[<1u"), "the keyboard is given back");
        Ended { code: status.exit_code(), text: screen.contents() }
    }
}

impl Drop for Pty {
    /// A test that failed leaves no program behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// Reads until the program is gone, and answers its questions.
fn read(mut output: Box<dyn Read + Send>, shared: &Shared, input: &Input, keyboard: Option<bool>) {
    let (seen, changed) = &**shared;
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        let mut seen = seen.lock().unwrap();
        seen.parser.process(&buffer[..count]);
        seen.bytes.extend_from_slice(&buffer[..count]);
        let asked = seen.bytes.windows(QUERY.len()).filter(|bytes| *bytes == QUERY).count();
        if asked > seen.answered {
            seen.answered = asked;
            let answer: &[u8] = match keyboard {
                Some(true) => b"\x1b[?0u\x1b[?62c",
                Some(false) => b"\x1b[?62c",
                None => b"",
            };
            input.lock().unwrap().write_all(answer).unwrap();
        }
        changed.notify_all();
        if seen.closing {
            return;
        }
    }
    seen.lock().unwrap().closed = true;
    changed.notify_all();
}
