//! Connection of a command to its terminal or host program: output, messages, interruption.
//!
//! [`progress`] reports progress, and [`run_folder`] opens output folders.

use std::fs;
use std::io::{self, BufRead, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use clap::ValueEnum;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::cli::console::progress::{ProgressInterval, ProgressStatus, REFRESH, with_watcher};
use crate::cli::prelude::*;
use crate::error::{printable, printable_lines};
use crate::files;
use crate::record::{RowSink, Written};
use crate::report::json_text;

pub(crate) mod progress;
pub(crate) mod run_folder;

/// Maximum length of a line on stderr, in characters. Quoted user input is cut earlier.
const LONGEST_LINE: usize = 1000;

/// Link from a command to its terminal or host program: output, messages, progress, interrupts.
#[derive(Clone, Debug, Default)]
pub struct Console {
    /// Program inside which the command runs, such as Python; `None` on a command line.
    host: Option<Arc<Host>>,
    /// Time between two lines of progress on stderr; `None` for no progress.
    every: Option<Duration>,
    /// True after the warning about long or large work, which is printed once.
    has_forecast: Arc<AtomicBool>,
    bar: Arc<Mutex<Option<ProgressBar>>>,
}

impl Console {
    /// Creates the console of a command line, which reports progress at the interval `every`.
    pub(crate) fn terminal(every: Option<ProgressInterval>) -> Result<Console> {
        Ok(Console { every: ProgressInterval::resolve(every)?, ..Console::default() })
    }

    pub(crate) fn hosted(host: Arc<Host>) -> Console {
        Console { host: Some(host), ..Console::default() }
    }

    /// Prints text for people, with control characters escaped: file names may hold them.
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        self.print_data(&printable_lines(text))
    }

    /// Prints data for programs, byte for byte.
    pub(crate) fn print_data(&self, text: &str) -> io::Result<()> {
        if let Some(host) = &self.host {
            locked(&host.printed).push_str(text);
            return Ok(());
        }
        let mut stdout = raw_stdout();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }

    pub(crate) fn print_json(&self, value: &impl Serialize) -> anyhow::Result<()> {
        self.print_data(&(serde_json::to_string_pretty(value)? + "\n"))?;
        Ok(())
    }

    /// Prints `line` about an output file, but nothing if the output is a stream, such as stdout.
    pub(crate) fn print_path_line(&self, written: Written, line: &str) -> io::Result<()> {
        match written {
            Written::File => self.print(line),
            Written::Stream => Ok(()),
        }
    }

    pub(crate) fn log_format(&self) -> Option<LogFormat> {
        self.host.as_ref()?.log_format
    }

    /// Returns the host program's receiver of log rows, if rows go there instead of into files.
    pub(crate) fn row_sink(&self) -> Option<&RowSink> {
        self.host.as_ref()?.sink.as_ref()
    }

    /// Reads the host's input, or standard input, called `name` in errors. Fails if standard input
    /// has more than `most` bytes.
    pub(crate) fn input(&self, name: &Path, most: u64) -> Result<String> {
        match &self.host {
            Some(host) => Ok(host.input.clone()),
            None => files::read_limited(name, io::stdin(), most),
        }
    }

    pub(crate) fn input_lines(&self) -> Box<dyn BufRead> {
        match &self.host {
            Some(host) => Box::new(io::Cursor::new(host.input.clone())),
            None => Box::new(io::stdin().lock()),
        }
    }

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

    fn clear(&self) {
        if let Some(bar) = locked(&self.bar).take() {
            bar.finish_and_clear();
        }
    }
}

/// Returns the locked standard output, for data that does not fit into memory.
#[expect(clippy::disallowed_methods, reason = "the one place that writes to it")]
pub(crate) fn raw_stdout() -> io::StdoutLock<'static> {
    io::stdout().lock()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Text,
    /// A JSON object.
    Json,
}

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
    /// Success: the command reached its target.
    #[default]
    Done,
    /// Miss: the command printed a result that misses the requested target, such as a precision.
    Missed,
    /// Interruption, by Ctrl-C or by the host program.
    Interrupted,
}

/// Report of a command to print, its format, and how the command ended.
#[derive(Debug)]
pub(crate) struct Printout {
    pub(crate) report: Report,
    pub(crate) format: TableFormat,
    pub(crate) end: anyhow::Result<Outcome>,
}

impl Printout {
    pub(crate) fn new(report: Report, format: TableFormat) -> Printout {
        Printout { report, format, end: Ok(Outcome::Done) }
    }

    pub(crate) fn print(self, console: &Console) -> anyhow::Result<Outcome> {
        if !self.report.is_empty() {
            console.report(&self.report, self.format)?;
        }
        self.end
    }
}

impl Console {
    /// Prints `report` in `format`, and stores the report for the host program, if there is one.
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

#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) input: String,
    /// Flags by which the host program, which owns the signals, stops the command.
    pub(crate) flags: StopFlags,
    pub(crate) printed: Mutex<String>,
    pub(crate) report: Mutex<Option<Report>>,
    pub(crate) messages: Mutex<Vec<String>>,
    pub(crate) log_format: Option<LogFormat>,
    pub(crate) sink: Option<RowSink>,
    pub(crate) progress: Mutex<Option<Progress>>,
}

/// Progress of a running command, for a host program to show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Finished share of the work, 0 to 1; `None` if unknown.
    pub share: Option<f64>,
    /// Description of the work finished so far, such as counts of games.
    pub text: String,
}

impl Host {
    pub(crate) fn follow(&self, work: &Receiver<()>, show: &dyn Fn() -> ProgressStatus) {
        while work.recv_timeout(REFRESH) == Err(RecvTimeoutError::Timeout) {
            let ProgressStatus { share, text, .. } = show();
            *locked(&self.progress) = Some(Progress { share, text });
        }
    }
}

/// Locks `mutex` even if another thread panicked.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

const POLL_INTERVAL: Duration = Duration::from_millis(50);

const NO_THREAD: &str = "starting the thread that waits for Ctrl-C (end other programs)";

impl Console {
    /// Makes Ctrl-C and SIGTERM print `word`, remove the file `unfinished` and exit with code 130.
    /// Does nothing inside a host program.
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

    /// Returns a stop flag that Ctrl-C or the host program sets. A second Ctrl-C ends the program.
    pub(crate) fn stop_flag(&self) -> anyhow::Result<Arc<AtomicBool>> {
        let flags = StopFlags::default();
        // With `cut` already set, the second Ctrl-C ends the program at once; the last checkpoint
        // is complete.
        flags.cut.store(true, Ordering::SeqCst);
        Ok(self.listen(flags, "stopping: keeping what is done (again to end at once)")?.stop)
    }

    /// Returns flags that Ctrl-C sets: the first press prints `word` and sets `stop`, the second
    /// sets `cut`. The third press ends the program.
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

/// Flags that stop work in two steps, such as a training that plays final games after a stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlags {
    pub(crate) stop: Arc<AtomicBool>,
    /// Flag that also skips the work which follows a stop, such as the final games of a training.
    pub(crate) cut: Arc<AtomicBool>,
}

pub(crate) fn minutes(text: &str) -> std::result::Result<Duration, String> {
    let minutes = text.trim().parse::<f64>().ok().filter(|minutes| *minutes > 0.0);
    minutes
        .and_then(|minutes| Duration::try_from_secs_f64(60.0 * minutes).ok())
        .ok_or_else(|| "give a number of minutes above 0, for example 2 or 0.5".to_owned())
}

#[derive(Debug, Default)]
pub(crate) struct TimeBudget {
    limit: Option<Duration>,
    is_over: AtomicBool,
}

impl TimeBudget {
    pub(crate) fn new(limit: Option<Duration>) -> TimeBudget {
        TimeBudget { limit, is_over: AtomicBool::new(false) }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

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

/// Calls `work`, and sets the flag `cut` if `work` runs on for too long after a stop.
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
