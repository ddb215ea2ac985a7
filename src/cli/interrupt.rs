//! Ctrl-C: the first asks the work to stop and keep what is done, the second ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use super::complain;

/// A flag that Ctrl-C (or SIGTERM) raises.
pub(super) fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        complain("stopping: keeping what is done (again to end at once)");
    })
    .context("starting the thread that waits for Ctrl-C (end other programs)")?;
    Ok(flag)
}
