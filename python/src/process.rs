//! Guards threads and open files, which a forked child process must not use, and waits for long
//! work without the GIL.

use std::mem::forget;
use std::process;
use std::sync::MutexGuard;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use tetrastat::threads::catch_panic;

use crate::conversion::{TetrastatError, engine_error};
use crate::prelude::*;

/// Value, such as threads or open files, that a forked child process may replace, but must not
/// drop.
pub(crate) struct ProcessLocal<T> {
    process: u32,
    value: Option<T>,
}

impl<T> ProcessLocal<T> {
    pub fn new(value: T) -> ProcessLocal<T> {
        ProcessLocal { process: process::id(), value: Some(value) }
    }

    pub fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// Returns the value of the current process, which a forked child creates anew by `make`.
    pub fn get_or_recreate(&mut self, make: impl FnOnce() -> PyResult<T>) -> PyResult<&mut T> {
        if !self.is_here() {
            *self = ProcessLocal::new(make()?);
        }
        self.value.as_mut().ok_or_else(|| PyRuntimeError::new_err("the value is gone"))
    }

    /// Returns the value of the current process. A forked child gets an error that names `what`.
    pub fn get_or_refuse(&mut self, what: &str) -> PyResult<&mut T> {
        let made_by = self.process;
        self.get_or_recreate(|| {
            Err(PyRuntimeError::new_err(format!(
                "this {what} belongs to process {made_by}, from which this one was forked: open it \
                 again in this process"
            )))
        })
    }

    /// Returns the stored value for reading, even if another process created it.
    pub fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }
}

impl<T> Drop for ProcessLocal<T> {
    fn drop(&mut self) {
        if !self.is_here() {
            forget(self.value.take());
        }
    }
}

/// Value of one process, not of its forked children, that several Python threads may share.
pub(crate) struct SharedProcessLocal<T>(Mutex<ProcessLocal<Arc<T>>>);

impl<T> SharedProcessLocal<T> {
    pub fn new(value: T) -> SharedProcessLocal<T> {
        SharedProcessLocal(Mutex::new(ProcessLocal::new(Arc::new(value))))
    }

    /// Returns the value of the current process, which a forked child creates anew by `make`. The
    /// caller must hold Python's lock.
    pub fn get(&self, make: impl FnOnce() -> PyResult<T>) -> PyResult<Arc<T>> {
        let mut value = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        value.get_or_recreate(|| make().map(Arc::new)).cloned()
    }
}

/// Interval at which a thread that waits for long work checks for Ctrl-C.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Runs `work` on another thread without the GIL, and calls `check` every [`CHECK_INTERVAL`]. After
/// Ctrl-C or an exception of `check`, calls `halt` and waits for `work`.
pub(crate) fn run_interruptibly<T: Send>(
    py: Python<'_>,
    halt: impl Fn(),
    mut check: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        // A `Receiver` is not `Sync`, but a `Mutex` of it is.
        let receiver = Mutex::new(receiver);
        let task = move || sender.send(catch_panic(work).and_then(|done| done));
        thread::Builder::new().spawn_scoped(scope, task).map_err(|error| no_thread(&error))?;
        let mut exception = None;
        loop {
            let waiting = || {
                receiver
                    .lock()
                    .map(|receiver| receiver.recv_timeout(CHECK_INTERVAL))
                    .map_err(|_| ())
            };
            match py.detach(waiting) {
                Ok(Ok(done)) => return ended(exception, done),
                Ok(Err(RecvTimeoutError::Timeout)) => {
                    if let Err(error) = py.check_signals().and_then(|()| check()) {
                        halt();
                        exception.get_or_insert(error);
                    }
                }
                Ok(Err(RecvTimeoutError::Disconnected)) | Err(_) => return Err(broken()),
            }
        }
    })
}

pub(crate) fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<JoinHandle<T>> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map_err(|error| no_thread(&error))
}

fn no_thread(error: &std::io::Error) -> PyErr {
    TetrastatError::new_err(format!("starting a thread: {error}: end other programs"))
}

/// Locks `mutex`, even after another thread panicked with the lock held.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ended<T>(exception: Option<PyErr>, done: Result<T>) -> PyResult<T> {
    match (exception, done) {
        (Some(error), _) => Err(error),
        (None, done) => done.map_err(|error| engine_error(&error)),
    }
}

fn broken() -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err("the work ended without a result")
}
