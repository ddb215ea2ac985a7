//! Long work for a Python thread: without the GIL, and stopped by Ctrl-C.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use tetrastat::error::Result;
use tetrastat::threads::caught;

use crate::errors::raised;

/// Time between two looks at signals.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Does work on a thread of its own while this one waits without the GIL and calls `look` now and then. Ctrl-C, or an
/// exception of `look`, calls `halt`; the work's own end is waited for, so that it can keep what is done.
pub(crate) fn waited<T: Send>(
    py: Python<'_>,
    halt: impl Fn(),
    mut look: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        // A receiver cannot be shared, but a lock of it can.
        let receiver = Mutex::new(receiver);
        scope.spawn(move || sender.send(caught(work).and_then(|done| done)));
        let mut raised_here = None;
        loop {
            let waiting = || {
                receiver.lock().map(|receiver| receiver.recv_timeout(LOOK_EVERY)).map_err(|_| ())
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
        (None, done) => done.map_err(|error| raised(&error)),
    }
}

/// What cannot be: work that ends without a word.
fn broken() -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err("the work ended without a result")
}
