//! Function that waits for long work of the engine. The work runs without the GIL, and Ctrl-C stops
//! it.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pyo3::prelude::*;
use tetrastat::error::Result;
use tetrastat::threads::catch_panic;

use crate::errors::{TetrastatError, engine_error};

/// Interval at which a waiting thread checks for signals.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Runs `work` on another thread and returns its result. Meanwhile this thread waits without the
/// GIL and calls `look` every [`CHECK_INTERVAL`]. After Ctrl-C or an exception of `look`, it calls
/// `halt` and still waits for `work`, which can then save its results.
pub(crate) fn run_interruptibly<T: Send>(
    py: Python<'_>,
    halt: impl Fn(),
    mut look: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        // A `Receiver` is not `Sync`, but a `Mutex` of it is.
        let receiver = Mutex::new(receiver);
        let task = move || sender.send(catch_panic(work).and_then(|done| done));
        thread::Builder::new().spawn_scoped(scope, task).map_err(|error| no_thread(&error))?;
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

/// Starts a thread.
pub(crate) fn spawned<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<JoinHandle<T>> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map_err(|error| no_thread(&error))
}

fn no_thread(error: &std::io::Error) -> PyErr {
    TetrastatError::new_err(format!("starting a thread: {error}: end other programs"))
}

/// Locks `mutex`, also after a panic of another thread.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ended<T>(raised_here: Option<PyErr>, done: Result<T>) -> PyResult<T> {
    match (raised_here, done) {
        (Some(error), _) => Err(error),
        (None, done) => done.map_err(|error| engine_error(&error)),
    }
}

/// Returns the error for work that ends without a result, which should never happen.
fn broken() -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err("the work ended without a result")
}
