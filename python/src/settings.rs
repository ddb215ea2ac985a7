//! Conversion of Python's keyword arguments to the engine's settings: option names with values,
//! which are text, numbers, `true` or lists.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Value};

/// Converts keyword arguments to settings in the given order.
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

/// Returns true if `given` behaves as a whole number, such as an integer of NumPy.
fn has_index(given: &Bound<'_, PyAny>) -> bool {
    given.hasattr("__index__").unwrap_or(false)
}

/// Converts settings to a dictionary of keyword arguments.
pub(crate) fn keywords<'py>(
    py: Python<'py>,
    settings: &Map<String, Value>,
) -> PyResult<Bound<'py, PyDict>> {
    let text = serde_json::to_string(settings).unwrap_or_default();
    Ok(python(py, &text)?.cast_into::<PyDict>()?)
}

/// Parses the text `json` into Python objects.
pub(crate) fn python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
