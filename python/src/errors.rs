//! Conversion of the engine's errors to Python exceptions. The exception has the message of the
//! error.

use std::io::ErrorKind;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use tetrastat::cli::call::{Refusal, is_value_error};
use tetrastat::error::Error;

create_exception!(
    tetrastat,
    TetrastatError,
    PyException,
    "Error of the engine. The message names the cause and the remedy."
);

/// The class `SettingError`, a subclass of both `TetrastatError` and `ValueError`.
static SETTING_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn setting_error_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let made = SETTING_ERROR.get_or_try_init(py, || {
        let bases = (py.get_type::<TetrastatError>(), py.get_type::<PyValueError>());
        let attributes = PyDict::new(py);
        attributes.set_item("__module__", "tetrastat")?;
        attributes.set_item(
            "__doc__",
            "Invalid value of an option or argument. The message names the valid values.",
        )?;
        let made = py.get_type::<PyType>().call1(("SettingError", bases, attributes))?;
        PyResult::Ok(made.cast_into::<PyType>()?.unbind())
    });
    Ok(made?.bind(py))
}

/// Returns a `SettingError` with `message`, the exception for an invalid value.
pub(crate) fn setting_error(message: String) -> PyErr {
    Python::attach(|py| match setting_error_type(py) {
        Ok(kind) => PyErr::from_type(kind.clone(), message),
        Err(error) => error,
    })
}

/// Converts an error of the engine to an exception: `SettingError` for an invalid value, otherwise
/// `TetrastatError`.
pub(crate) fn engine_error(error: &Error) -> PyErr {
    match is_value_error(error) {
        true => setting_error(error.to_string()),
        false => TetrastatError::new_err(error.to_string()),
    }
}

/// Converts an error of the engine to an exception, for calls that fail only because of an
/// argument. Configuration errors become `SettingError`s, and a lack of memory becomes a
/// `MemoryError`.
pub(crate) fn argument_error(error: &Error) -> PyErr {
    match error {
        Error::Io { cause, .. } if cause.kind() == ErrorKind::OutOfMemory => {
            PyMemoryError::new_err(error.to_string())
        }
        Error::Config(text) => setting_error(text.clone()),
        error => engine_error(error),
    }
}

/// Converts a refusal of settings to an exception: `TypeError` for an unknown option,
/// `SettingError` for an invalid value, and `TetrastatError` for every other failure. `what` is the
/// name of the command.
pub(crate) fn refusal_error(what: &str, refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::Unknown(said) => PyTypeError::new_err(format!("{what}: {said}")),
        Refusal::Wrong(said) => setting_error(said),
        Refusal::Failed(said) => TetrastatError::new_err(said),
    }
}

/// A whole number of type `T`, passed from Python. A number outside the range of `T` raises a
/// `SettingError`.
#[derive(Clone, Copy)]
pub(crate) struct Whole<T>(pub T);

impl<'py, T> FromPyObject<'_, 'py> for Whole<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Limits,
{
    type Error = PyErr;

    fn extract(given: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Whole<T>> {
        given.extract::<T>().map(Whole).map_err(|error| {
            match error.is_instance_of::<PyOverflowError>(given.py()) {
                true => setting_error(format!(
                    "{}: give a whole number from {} to {}",
                    given.str().map_or_else(|_| "a number".to_owned(), |text| text.to_string()),
                    T::MIN,
                    T::MAX
                )),
                false => error,
            }
        })
    }
}

/// Smallest and largest value of an integer type.
pub(crate) trait Limits {
    const MIN: u64 = 0;
    const MAX: u64;
}

impl Limits for u8 {
    const MAX: u64 = u8::MAX as u64;
}

impl Limits for u64 {
    const MAX: u64 = u64::MAX;
}

impl Limits for usize {
    const MAX: u64 = usize::MAX as u64;
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TetrastatError", py.get_type::<TetrastatError>())?;
    module.add("SettingError", setting_error_type(py)?)
}
