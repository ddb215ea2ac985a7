//! Ctrl-C and time budgets. Both stop the work and keep finished results. A second Ctrl-C ends the
//! program, or skips the work that remains after a stop.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::cli::console::Console;
use crate::cli::console::progress::with_watcher;

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
pub(crate) fn minutes(text: &str) -> Result<Duration, String> {
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
