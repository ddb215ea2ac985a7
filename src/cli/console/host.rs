//! Stores what a command reports to a host program, such as the Python package.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cli::console::interrupt::StopFlags;
use crate::cli::console::progress::{ProgressStatus, REFRESH};
use crate::record::{LogFormat, RowSink};
use crate::report::Report;

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
