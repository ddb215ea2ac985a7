//! Resources of one process, such as threads and open files, which a forked child does not have or
//! must not touch.

use std::mem::forget;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A value that belongs to the process that created it. A forked child can replace it but never
/// drops it: dropping would wait for threads that do not exist there, or write data that the parent
/// writes.
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

    /// Returns the value, recreated with `make` if another process created the present one.
    pub fn remade(&mut self, make: impl FnOnce() -> PyResult<T>) -> PyResult<&mut T> {
        if !self.is_here() {
            *self = ProcessLocal::new(make()?);
        }
        self.value.as_mut().ok_or_else(|| PyRuntimeError::new_err("the value is gone"))
    }

    /// Returns the value, or an error that tells the user to open `what` again if another process
    /// created it.
    pub fn kept(&mut self, what: &str) -> PyResult<&mut T> {
        let made_by = self.process;
        self.remade(|| {
            Err(PyRuntimeError::new_err(format!(
                "this {what} belongs to process {made_by}, from which this one was forked: open it \
                 again here"
            )))
        })
    }

    /// Returns the value for reading, whichever process created it.
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

/// A value with its own threads, shared by calls that release Python's lock.
pub(crate) struct SharedProcessLocal<T>(Mutex<ProcessLocal<Arc<T>>>);

impl<T> SharedProcessLocal<T> {
    pub fn new(value: T) -> SharedProcessLocal<T> {
        SharedProcessLocal(Mutex::new(ProcessLocal::new(Arc::new(value))))
    }

    /// Returns the value of this process, recreated with `make` after a fork. The caller must hold
    /// Python's lock, so that no fork happens while this lock is held.
    pub fn get(&self, make: impl FnOnce() -> PyResult<T>) -> PyResult<Arc<T>> {
        let mut value = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        value.remade(|| make().map(Arc::new)).cloned()
    }
}
