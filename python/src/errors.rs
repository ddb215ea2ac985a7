//! Errors of the engine as Python's exceptions, with the engine's message.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tetrastat::error::Error;

create_exception!(
    tetrastat,
    TetrastatError,
    PyException,
    "What the engine could not do: its message names the remedy."
);

/// The engine's error as an exception.
pub(crate) fn raised(error: &Error) -> PyErr {
    TetrastatError::new_err(error.to_string())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TetrastatError", module.py().get_type::<TetrastatError>())
}
