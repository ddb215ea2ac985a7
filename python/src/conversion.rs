//! Converts settings and arrays from Python, and errors of the engine to exceptions.

use std::io::ErrorKind;

use numpy::ndarray::{ArrayView, Dimension};
use numpy::{AllowTypeChange, PyArrayLike, PyUntypedArray};
use pyo3::exceptions::{PyException, PyMemoryError, PyOverflowError, PyTypeError};
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyType};
use pyo3::{Borrowed, create_exception};
use tetrastat::cli::call::{Refusal, is_value_error};

use crate::prelude::*;

create_exception!(
    tetrastat,
    TetrastatError,
    PyException,
    "Error of the engine. The message names the cause and the remedy."
);

/// Python class `SettingError`, a subclass of both `TetrastatError` and `ValueError`.
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

pub(crate) fn setting_error(message: String) -> PyErr {
    Python::attach(|py| match setting_error_type(py) {
        Ok(kind) => PyErr::from_type(kind.clone(), message),
        Err(error) => error,
    })
}

/// Converts an engine error to a Python exception: a `SettingError` for an invalid value, otherwise
/// a `TetrastatError`.
pub(crate) fn engine_error(error: &Error) -> PyErr {
    match is_value_error(error) {
        true => setting_error(error.to_string()),
        false => TetrastatError::new_err(error.to_string()),
    }
}

/// Converts an engine error caused by an argument to a Python exception: a `SettingError`, a
/// `MemoryError` for a lack of memory, otherwise as [`engine_error`].
pub(crate) fn argument_error(error: &Error) -> PyErr {
    match error {
        Error::Io { cause, .. } if cause.kind() == ErrorKind::OutOfMemory => {
            PyMemoryError::new_err(error.to_string())
        }
        Error::Config(text) => setting_error(text.clone()),
        error => engine_error(error),
    }
}

/// Converts a refusal by an engine command to a Python exception: `TypeError` for an unknown
/// option, `SettingError` for an invalid value, else `TetrastatError`.
pub(crate) fn refusal_error(what: &str, refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::Unknown(said) => PyTypeError::new_err(format!("{what}: {said}")),
        Refusal::Wrong(said) => setting_error(said),
        Refusal::Failed(said) => TetrastatError::new_err(said),
    }
}

/// A whole number passed from Python. A number outside the range of `T` raises a `SettingError`.
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

/// Converts Python keyword arguments to settings of a command, in the given order.
pub(crate) fn settings(given: Option<&Bound<'_, PyDict>>) -> PyResult<Map<String, Value>> {
    let pair = |(name, given): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        let value = value(&name, &given)?;
        // A name that is a Python keyword is written with a trailing `_`, such as `from_`.
        Ok((name.trim_end_matches('_').to_owned(), value))
    };
    given.into_iter().flat_map(|given| given.iter()).map(pair).collect()
}

fn value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(known) = given.cast::<PyBool>() {
        return Ok(Value::Bool(known.is_true()));
    }
    // A number becomes the text that Python prints for it. The option checks its range.
    if given.is_instance_of::<PyInt>() || given.is_instance_of::<PyFloat>() || has_index(given) {
        return Ok(Value::String(given.str()?.to_string()));
    }
    if given.is_instance_of::<PyString>() || given.hasattr("__fspath__")? {
        return Ok(Value::String(given.str()?.to_string()));
    }
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        let each = given.try_iter()?.map(|one| value(name, &one?));
        return Ok(Value::Array(each.collect::<PyResult<_>>()?));
    }
    let kind = given.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!("{name}: give text, a number, True, or a list, not {kind}")))
}

fn has_index(given: &Bound<'_, PyAny>) -> bool {
    given.hasattr("__index__").unwrap_or(false)
}

pub(crate) fn keywords<'py>(
    py: Python<'py>,
    settings: &Map<String, Value>,
) -> PyResult<Bound<'py, PyDict>> {
    let text = serde_json::to_string(settings).unwrap_or_default();
    Ok(python(py, &text)?.cast_into::<PyDict>()?)
}

pub(crate) fn python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// A NumPy array of `f64` with dimension `D`, or a list or other value convertible to one.
pub(crate) struct Numbers<'py, D: Dimension>(PyArrayLike<'py, f64, D, AllowTypeChange>);

impl<D: Dimension> Numbers<'_, D> {
    pub fn view(&self) -> ArrayView<'_, f64, D> {
        self.0.as_array()
    }
}

impl<'py, D: Dimension + 'py> FromPyObject<'_, 'py> for Numbers<'py, D> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Numbers<'py, D>> {
        aligned(&given)?.extract().map(Numbers).map_err(|error| {
            let numpy = given.py().import("numpy");
            let found =
                numpy.and_then(|numpy| numpy.call_method1("ndim", (given,))?.extract::<usize>());
            match (found, D::NDIM) {
                (Ok(found), Some(wanted)) if found != wanted => setting_error(format!(
                    "an array of dimension {found}: give one of dimension {wanted}{}",
                    if wanted == 2 { ", with a row for each candidate or result" } else { "" }
                )),
                _ => error,
            }
        })
    }
}

/// Returns the NumPy array `given`, or an aligned copy, since NumPy allows any start address.
pub(crate) fn aligned<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_unaligned = given.cast::<PyUntypedArray>().is_ok()
        && !given.getattr("flags")?.getattr("aligned")?.extract::<bool>()?;
    if is_unaligned { given.call_method0("copy") } else { Ok(given.clone()) }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TetrastatError", py.get_type::<TetrastatError>())?;
    module.add("SettingError", setting_error_type(py)?)
}
