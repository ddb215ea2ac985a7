//! Ctrl-C: the first asks the work to stop and keep what is done, the second ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use super::call;
use super::complaint::{clear, complain};

/// What to do when there is no thread for the signal.
const NO_THREAD: &str = "starting the thread that waits for Ctrl-C (end other programs)";

/// Lets Ctrl-C (or SIGTERM) end the program with this word: for work that keeps nothing. One that called is never ended.
pub(super) fn end_with(word: &'static str) -> anyhow::Result<()> {
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
pub(super) fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    if let Some(call) = call::current() {
        return Ok(call.stop_flag());
    }
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        // At once the second time, since whoever asks twice does not want to wait; the last checkpoint is
        // whole.
        if raised.swap(true, Ordering::SeqCst) {
            clear();
            std::process::exit(130);
        }
        complain("stopping: keeping what is done (again to end at once)");
    })
    .context(NO_THREAD)?;
    Ok(flag)
}
