//! Long work that a Python thread waits for: it runs without the GIL, and Ctrl-C stops it.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use tetrastat::error::Result;
use tetrastat::threads::caught;

use crate::errors::engine_error;

/// Interval between two checks of signals.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Runs `work` on another thread. Meanwhile this thread waits without the GIL and calls `look`
/// every [`CHECK_INTERVAL`]. Ctrl-C or an exception of `look` calls `halt`. The function then still
/// waits for `work` to end, so that the work can save what is done.
pub(crate) fn run_interruptibly<T: Send>(
    py: Python<'_>,
    halt: impl Fn(),
    mut look: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        // A receiver is not `Sync`, but a mutex of it is.
        let receiver = Mutex::new(receiver);
        scope.spawn(move || sender.send(caught(work).and_then(|done| done)));
        let mut raised_here = None;
        loop {
            let waiting = || {
                receiver
                    .lock()
                    .map(|receiver| receiver.recv_timeout(CHECK_INTERVAL))
                    .map_err(|_| ())
            };
            match py.detach(waiting) {
                Ok(Ok(done)) => return ended(raised_here, done),
                Ok(Err(RecvTimeoutError::Timeout)) => {
                    if let Err(error) = py.check_signals().and_then(|()| look()) {
                        halt();
                        raised_here.get_or_insert(error);
                    }
                }
                Ok(Err(RecvTimeoutError::Disconnected)) | Err(_) => return Err(broken()),
            }
        }
    })
}

fn ended<T>(raised_here: Option<PyErr>, done: Result<T>) -> PyResult<T> {
    match (raised_here, done) {
        (Some(error), _) => Err(error),
        (None, done) => done.map_err(|error| engine_error(&error)),
    }
}

/// Returns the error for work that ends without a result, which does not happen.
fn broken() -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err("the work ended without a result")
}
