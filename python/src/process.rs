//! Wrappers for resources that belong to one process, such as threads and open files. A forked
//! child process has no such threads, and must not write to such files.

use std::mem::forget;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A value that belongs to the process that created it. A forked child can replace the value but
/// never drops it. Dropping it would wait for threads that the child does not have, or write data
/// that the parent writes.
pub(crate) struct ProcessLocal<T> {
    process: u32,
    /// Stored value; `None` only while it is replaced or dropped.
    value: Option<T>,
}

impl<T> ProcessLocal<T> {
    pub fn new(value: T) -> ProcessLocal<T> {
        ProcessLocal { process: process::id(), value: Some(value) }
    }

    /// Returns true if this process created the value.
    pub fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// Returns the value. If another process created it, replaces it first with a new value from
    /// `make`.
    pub fn get_or_recreate(&mut self, make: impl FnOnce() -> PyResult<T>) -> PyResult<&mut T> {
        if !self.is_here() {
            *self = ProcessLocal::new(make()?);
        }
        self.value.as_mut().ok_or_else(|| PyRuntimeError::new_err("the value is gone"))
    }

    /// Returns the value. If another process created it, returns an error that asks the user to
    /// open `what` again.
    pub fn kept(&mut self, what: &str) -> PyResult<&mut T> {
        let made_by = self.process;
        self.get_or_recreate(|| {
            Err(PyRuntimeError::new_err(format!(
                "this {what} belongs to process {made_by}, from which this one was forked: open it \
                 again in this process"
            )))
        })
    }

    /// Returns the value for reading, even if another process created it.
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

/// A value with its own threads. Several Python threads may use it at the same time, because the
/// calls release Python's lock.
pub(crate) struct SharedProcessLocal<T>(Mutex<ProcessLocal<Arc<T>>>);

impl<T> SharedProcessLocal<T> {
    pub fn new(value: T) -> SharedProcessLocal<T> {
        SharedProcessLocal(Mutex::new(ProcessLocal::new(Arc::new(value))))
    }

    /// Returns the value of this process. After a fork, creates a new value with `make`. The caller
    /// must hold Python's lock, so that no fork happens while the lock of this value is held.
    pub fn get(&self, make: impl FnOnce() -> PyResult<T>) -> PyResult<Arc<T>> {
        let mut value = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        value.get_or_recreate(|| make().map(Arc::new)).cloned()
    }
}
