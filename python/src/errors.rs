//! Errors of the engine as Python's exceptions, with the engine's message.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use tetrastat::error::Error;

create_exception!(
    tetrastat,
    TetrastatError,
    PyException,
    "What the engine could not do: its message names the remedy."
);

/// [`setting_error`]'s type: a `TetrastatError` that is a `ValueError`, too.
static SETTING_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn setting_error_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let made = SETTING_ERROR.get_or_try_init(py, || {
        let bases = (py.get_type::<TetrastatError>(), py.get_type::<PyValueError>());
        let said = PyDict::new(py);
        said.set_item("__module__", "tetrastat")?;
        said.set_item(
            "__doc__",
            "A value that the engine does not take: its message says what it takes.",
        )?;
        let made = py.get_type::<PyType>().call1(("SettingError", bases, said))?;
        PyResult::Ok(made.cast_into::<PyType>()?.unbind())
    });
    Ok(made?.bind(py))
}

/// The exception for a value that is none the engine takes.
pub(crate) fn setting_error(message: String) -> PyErr {
    Python::attach(|py| match setting_error_type(py) {
        Ok(kind) => PyErr::from_type(kind.clone(), message),
        Err(error) => error,
    })
}

/// The engine's error as an exception.
pub(crate) fn raised(error: &Error) -> PyErr {
    match error {
        Error::BoardSize { .. }
        | Error::Picture { .. }
        | Error::Piece { .. }
        | Error::Unknown { .. } => setting_error(error.to_string()),
        _ => TetrastatError::new_err(error.to_string()),
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TetrastatError", py.get_type::<TetrastatError>())?;
    module.add("SettingError", setting_error_type(py)?)
}
