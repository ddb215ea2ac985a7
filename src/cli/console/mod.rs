//! Connects a command to its terminal or host program: output, progress, messages and interruption.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::ValueEnum;
use indicatif::ProgressBar;
use progress::Every;
use serde::Serialize;

use crate::cli::console::progress::{ProgressStatus, REFRESH, with_watcher};
use crate::error::{Result, printable, printable_lines};
use crate::files;
use crate::record::{LogFormat, RowSink, Written};
use crate::report::{Report, json_text};

pub(crate) mod progress;
pub(crate) mod run_folder;

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

/// Output format of a command that can print its result as text or as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Text,
    /// A JSON object.
    Json,
}

/// Output format of a command that can print its result as text, as JSON or as a CSV table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Text for people.
    Text,
    /// A JSON object.
    Json,
    /// A table.
    Csv,
}

/// Outcome of a command, which sets the exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The command reached its target.
    #[default]
    Done,
    /// The command printed a result that misses its target.
    Missed,
    /// The command was interrupted.
    Interrupted,
}

/// A result of a command that is not printed yet, and how the command ended.
#[derive(Debug)]
pub(crate) struct Printout {
    pub(crate) report: Report,
    pub(crate) format: TableFormat,
    pub(crate) end: anyhow::Result<Outcome>,
}

impl Printout {
    /// Creates the result of a command that reached its target.
    pub(crate) fn new(report: Report, format: TableFormat) -> Printout {
        Printout { report, format, end: Ok(Outcome::Done) }
    }

    /// Prints the report and returns how the command ended.
    pub(crate) fn print(self, console: &Console) -> anyhow::Result<Outcome> {
        if !self.report.is_empty() {
            console.report(&self.report, self.format)?;
        }
        self.end
    }
}

impl Console {
    /// Prints a report, and gives it to a host program.
    pub(crate) fn report(
        &self,
        report: &Report,
        format: impl Into<TableFormat>,
    ) -> anyhow::Result<()> {
        if let Some(host) = &self.host {
            *locked(&host.report) = Some(report.clone());
        }
        match format.into() {
            TableFormat::Text => self.print(&report.to_text())?,
            TableFormat::Json => self.print_data(&json_text(&report.to_json()))?,
            TableFormat::Csv => {
                let csv = report.to_csv();
                let csv = csv.context("the result has no table: give --format text or json")?;
                self.print_data(&csv?)?;
            }
        }
        Ok(())
    }
}

/// The result of a command that has printed what there is to print.
impl From<Outcome> for Printout {
    fn from(outcome: Outcome) -> Printout {
        Printout { end: Ok(outcome), ..Printout::new(Report::default(), TableFormat::Text) }
    }
}

impl From<()> for Printout {
    fn from((): ()) -> Printout {
        Outcome::Done.into()
    }
}

impl From<Format> for TableFormat {
    fn from(format: Format) -> TableFormat {
        match format {
            Format::Text => TableFormat::Text,
            Format::Json => TableFormat::Json,
        }
    }
}

/// Input, stop flags and reports of a command that a host program runs.
#[derive(Debug, Default)]
pub(crate) struct Host {
    /// The text that the command reads as standard input.
    pub(crate) input: String,
    /// Flags raised by the host program, which owns the signals.
    pub(crate) flags: StopFlags,
    /// Text printed so far.
    pub(crate) printed: Mutex<String>,
    /// The last report that was printed.
    pub(crate) report: Mutex<Option<Report>>,
    /// Lines that a command line would write to stderr.
    pub(crate) messages: Mutex<Vec<String>>,
    /// Format of logs that no option asks for; without it, they are CSV.
    pub(crate) log_format: Option<LogFormat>,
    /// Receiver of the rows of logs; without it, logs are files.
    pub(crate) sink: Option<RowSink>,
    /// The latest progress.
    pub(crate) progress: Mutex<Option<Progress>>,
}

/// Progress of a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Finished share of the work, 0 to 1; `None` if unknown.
    pub share: Option<f64>,
    /// Description of the finished work.
    pub text: String,
}

impl Host {
    /// Stores the progress that `show` returns, again and again until the channel `work`
    /// disconnects at the end of the work.
    pub(crate) fn follow(&self, work: &Receiver<()>, show: &dyn Fn() -> ProgressStatus) {
        while work.recv_timeout(REFRESH) == Err(RecvTimeoutError::Timeout) {
            let ProgressStatus { share, text, .. } = show();
            *locked(&self.progress) = Some(Progress { share, text });
        }
    }
}

/// Locks `mutex`, also after a panic of another thread.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Interval at which the stop flag is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Error message if the thread that waits for Ctrl-C can't be started, with a remedy.
const NO_THREAD: &str = "starting the thread that waits for Ctrl-C (end other programs)";

impl Console {
    /// Makes Ctrl-C and SIGTERM print the message `word`, remove the file `unfinished` and exit
    /// with code 130. This suits commands that discard unfinished results. Does nothing if the
    /// command runs inside another program, such as Python, which handles the signals.
    pub(crate) fn exit_on_interrupt(
        &self,
        word: &'static str,
        unfinished: Option<PathBuf>,
    ) -> anyhow::Result<()> {
        if self.host.is_some() {
            return Ok(());
        }
        let console = self.clone();
        ctrlc::set_handler(move || {
            console.eprint_line(word);
            console.clear();
            // A file that is finished already has another name.
            let _ = unfinished.as_ref().map(fs::remove_file);
            std::process::exit(130);
        })
        .context(NO_THREAD)
    }

    /// Returns a flag that Ctrl-C, SIGTERM or the host program raises. A second Ctrl-C ends the
    /// program.
    pub(crate) fn stop_flag(&self) -> anyhow::Result<Arc<AtomicBool>> {
        let flags = StopFlags::default();
        // With `cut` already set, the second Ctrl-C ends the program at once; the last checkpoint
        // is complete.
        flags.cut.store(true, Ordering::SeqCst);
        Ok(self.listen(flags, "stopping: keeping what is done (again to end at once)")?.stop)
    }

    /// Returns two flags. The first Ctrl-C or SIGTERM prints the message `word` and raises `stop`,
    /// the second raises `cut`, and the third ends the program. In a host program, the host raises
    /// the flags.
    pub(crate) fn stop_flags(&self, word: &'static str) -> anyhow::Result<StopFlags> {
        self.listen(StopFlags::default(), word)
    }

    fn listen(&self, flags: StopFlags, word: &'static str) -> anyhow::Result<StopFlags> {
        if let Some(host) = &self.host {
            return Ok(host.flags.clone());
        }
        let (console, raised) = (self.clone(), flags.clone());
        ctrlc::set_handler(move || {
            if !raised.stop.swap(true, Ordering::SeqCst) {
                console.eprint_line(word);
            } else if raised.cut.swap(true, Ordering::SeqCst) {
                console.clear();
                std::process::exit(130);
            }
        })
        .context(NO_THREAD)?;
        Ok(flags)
    }
}

/// Stop flags of work that has something left to do after a stop, such as the finals of a training.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlags {
    /// Flag that ends the work.
    pub(crate) stop: Arc<AtomicBool>,
    /// Flag that skips the work that is left after a stop.
    pub(crate) cut: Arc<AtomicBool>,
}

/// Parses a time budget, given in minutes as a number above 0.
pub(crate) fn minutes(text: &str) -> std::result::Result<Duration, String> {
    let minutes = text.trim().parse::<f64>().ok().filter(|minutes| *minutes > 0.0);
    minutes
        .and_then(|minutes| Duration::try_from_secs_f64(60.0 * minutes).ok())
        .ok_or_else(|| "give a number of minutes above 0, for example 2 or 0.5".to_owned())
}

/// A time budget, with a flag that records whether it ended the work.
#[derive(Debug, Default)]
pub(crate) struct TimeBudget {
    limit: Option<Duration>,
    is_over: AtomicBool,
}

impl TimeBudget {
    /// Creates the budget of `--minutes`; `None` means no limit.
    pub(crate) fn new(limit: Option<Duration>) -> TimeBudget {
        TimeBudget { limit, is_over: AtomicBool::new(false) }
    }

    /// Returns true if the time budget was the first to stop the work.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// Calls `work` and raises `stop` when the budget is used up.
    pub(crate) fn spend<T>(&self, stop: &AtomicBool, work: impl FnOnce() -> T) -> T {
        let Some(limit) = self.limit else { return work() };
        let wait = |done: &Receiver<()>| {
            if done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout)
                && !stop.swap(true, Ordering::SeqCst)
            {
                self.is_over.store(true, Ordering::SeqCst);
            }
        };
        with_watcher(wait, work)
    }
}

/// Calls `work` and raises `cut` if `work` continues too long after `stop`: longer than `least`,
/// and longer than a tenth of the time before `stop`.
pub(crate) fn cut_late<T>(flags: &StopFlags, least: Duration, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let wait = |done: &Receiver<()>| {
        let mut end = None;
        while done.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            let elapsed = began.elapsed();
            if flags.stop.load(Ordering::SeqCst) {
                let end = *end.get_or_insert(elapsed + least.max(elapsed / 10));
                if elapsed >= end {
                    return flags.cut.store(true, Ordering::SeqCst);
                }
            }
        }
    };
    with_watcher(wait, work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_budget_is_a_number_of_minutes() {
        assert_eq!(minutes("0.5"), Ok(Duration::from_secs(30)));
        for wrong in ["0", "-1", "NaN", "inf", "1e300", "", "soon"] {
            assert!(minutes(wrong).is_err(), "{wrong}");
        }
    }
}
