//! Connects a command to its terminal or host program: output, progress, messages and interruption.

pub(crate) mod host;
pub(crate) mod interrupt;
pub(crate) mod mistake;
pub(crate) mod opening;
pub(crate) mod output;
pub(crate) mod playing;
pub(crate) mod progress;
pub(crate) mod viewing;

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::ProgressBar;
use serde::Serialize;

use crate::cli::console::host::{Host, locked};
use crate::error::{Result, printable, printable_lines};
use crate::files;
use crate::record::{LogFormat, RowSink, Written};
use progress::Every;

/// Longest line on stderr, in characters. Quoted user input is cut earlier; paths are not quoted
/// and may have some 300 characters.
const LONGEST_LINE: usize = 1000;

/// The terminal or the host program of one command. It receives results, messages and progress, and
/// interrupts the command.
#[derive(Clone, Debug, Default)]
pub struct Console {
    /// The program that runs the command; `None` on a command line.
    host: Option<Arc<Host>>,
    /// Time between two lines of progress; `None` to show no progress.
    every: Option<Duration>,
    /// True after the expected duration of the command was announced. It is announced only once.
    is_foreseen: Arc<AtomicBool>,
    /// Progress bar that the terminal shows now; `None` without a bar.
    bar: Arc<Mutex<Option<ProgressBar>>>,
}

impl Console {
    /// Creates the console of a command line. Progress is reported at the interval `every`. If that
    /// is `None`, the environment variable `TETRASTAT_PROGRESS` sets the interval.
    ///
    /// # Errors
    /// [`Error::Config`](crate::error::Error::Config) if the environment variable is not a time.
    pub(crate) fn terminal(every: Option<Every>) -> Result<Console> {
        Ok(Console { every: Every::chosen(every)?, ..Console::default() })
    }

    /// Creates the console of a command that `host` runs.
    pub(crate) fn hosted(host: Arc<Host>) -> Console {
        Console { host: Some(host), ..Console::default() }
    }

    /// Prints text for people, with hidden characters escaped: names of files, folders and users
    /// may hold terminal escapes.
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        self.print_data(&printable_lines(text))
    }

    /// Prints data for programs, byte for byte.
    ///
    /// # Errors
    /// An error for a closed pipe, which ends the program quietly. A host program causes no error.
    pub(crate) fn print_data(&self, text: &str) -> io::Result<()> {
        if let Some(host) = &self.host {
            locked(&host.printed).push_str(text);
            return Ok(());
        }
        let mut stdout = data_out();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }

    /// Prints one JSON object.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> anyhow::Result<()> {
        self.print_data(&(serde_json::to_string_pretty(value)? + "\n"))?;
        Ok(())
    }

    /// Prints `line`, which contains the path of an output file. Prints nothing if the output was
    /// written to a stream, because that may be stdout, where no other text belongs.
    pub(crate) fn print_where(&self, written: Written, line: &str) -> io::Result<()> {
        match written {
            Written::File => self.print(line),
            Written::Stream => Ok(()),
        }
    }

    /// Returns the format of logs that no option asks for, if a host program chooses it.
    pub(crate) fn log_format(&self) -> Option<LogFormat> {
        self.host.as_ref()?.log_format
    }

    /// Returns the receiver of the rows of logs, if a host program wants them instead of files.
    pub(crate) fn row_sink(&self) -> Option<&RowSink> {
        self.host.as_ref()?.sink.as_ref()
    }

    /// Reads standard input up to `most` bytes, or returns the host program's text. Errors refer to
    /// the input as `name`.
    pub(crate) fn input(&self, name: &Path, most: u64) -> Result<String> {
        match &self.host {
            Some(host) => Ok(host.input.clone()),
            None => files::read_limited(name, io::stdin(), most),
        }
    }

    /// Returns a reader of standard input, or of the host program's text.
    pub(crate) fn input_lines(&self) -> Box<dyn BufRead> {
        match &self.host {
            Some(host) => Box::new(io::Cursor::new(host.input.clone())),
            None => Box::new(io::stdin().lock()),
        }
    }

    /// Writes one line to stderr, above the progress bar, or stores it for the host program.
    /// Ignores a closed stderr.
    pub(crate) fn eprint_line(&self, message: &str) {
        let line = printable(message, LONGEST_LINE);
        if let Some(host) = &self.host {
            return locked(&host.messages).push(line);
        }
        let write = || _ = writeln!(io::stderr(), "{line}");
        let bar = locked(&self.bar).clone();
        match bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Removes the progress bar before the program exits.
    fn clear(&self) {
        if let Some(bar) = locked(&self.bar).take() {
            bar.finish_and_clear();
        }
    }
}

/// Returns stdout for data that does not fit into memory. Text for people must be printed with
/// [`Console::print`].
#[expect(clippy::disallowed_methods, reason = "the one place that writes to it")]
pub(crate) fn data_out() -> io::StdoutLock<'static> {
    io::stdout().lock()
}
