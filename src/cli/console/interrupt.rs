//! Ctrl-C and time budgets. Both stop the work and keep finished results. A second Ctrl-C ends the program, or skips
//! the work that remains after a stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::cli::call;
use crate::cli::console::complaint::{clear, complain};
use crate::cli::console::progress::while_told;

/// Interval at which the stop flag is polled.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What to do when there is no thread for the signal.
const NO_THREAD: &str = "starting the thread that waits for Ctrl-C (end other programs)";

/// Lets Ctrl-C (or SIGTERM) end the program with this word: for work that keeps nothing. One that called is never ended.
pub(crate) fn end_with(word: &'static str) -> anyhow::Result<()> {
    if call::current().is_some() {
        return Ok(());
    }
    ctrlc::set_handler(move || {
        complain(word);
        clear();
        std::process::exit(130);
    })
    .context(NO_THREAD)
}

/// A flag that Ctrl-C (or SIGTERM) raises, or the program that called.
pub(crate) fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flags = StopFlags::default();
    // With `cut` already set, the second Ctrl-C ends the program at once; the last checkpoint is complete.
    flags.cut.store(true, Ordering::SeqCst);
    Ok(flags.listen("stopping: keeping what is done (again to end at once)")?.stop)
}

/// Stop flags of work that has something left to do after a stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlags {
    /// Flag that ends the work.
    pub(crate) stop: Arc<AtomicBool>,
    /// Flag that skips the work after a stop.
    pub(crate) cut: Arc<AtomicBool>,
}

impl StopFlags {
    /// Creates flags that successive Ctrl-C (or SIGTERM) signals raise one after the other, or returns those of the
    /// calling program. The first signal prints `word`; one after both flags ends the program.
    pub(crate) fn new(word: &'static str) -> anyhow::Result<StopFlags> {
        StopFlags::default().listen(word)
    }

    fn listen(self, word: &'static str) -> anyhow::Result<StopFlags> {
        if let Some(call) = call::current() {
            return Ok(call.stop_flags());
        }
        let flags = self.clone();
        ctrlc::set_handler(move || {
            if !flags.stop.swap(true, Ordering::SeqCst) {
                complain(word);
            } else if flags.cut.swap(true, Ordering::SeqCst) {
                clear();
                std::process::exit(130);
            }
        })
        .context(NO_THREAD)?;
        Ok(self)
    }
}

/// Parses the minutes of a time budget.
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

    /// Calls `work` and raises `stop` when the time is over.
    pub(crate) fn spend<T>(&self, stop: &AtomicBool, work: impl FnOnce() -> T) -> T {
        let Some(limit) = self.limit else { return work() };
        let wait = |done: &Receiver<()>| {
            if done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout)
                && !stop.swap(true, Ordering::SeqCst)
            {
                self.is_over.store(true, Ordering::SeqCst);
            }
        };
        while_told(wait, work)
    }
}

/// Calls `work`. Raises `cut` when `work` continues for longer after `stop` than a tenth of the time before, and than
/// `least`.
pub(crate) fn cut_late<T>(flags: &StopFlags, least: Duration, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let wait = |done: &Receiver<()>| {
        let mut end = None;
        while done.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            let elapsed = began.elapsed();
            if flags.stop.load(Ordering::SeqCst) {
                let end = *end.get_or_insert(elapsed + least.max(elapsed / 10));
                if elapsed >= end {
                    return flags.cut.store(true, Ordering::SeqCst);
                }
            }
        }
    };
    while_told(wait, work)
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
