//! Conversion of keyword arguments to the engine's settings: options by name, with text, numbers,
//! `true` and lists as values.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Value};

/// Converts keyword arguments to settings, in their order.
pub(crate) fn settings(given: Option<&Bound<'_, PyDict>>) -> PyResult<Map<String, Value>> {
    let pair = |(name, given): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        let value = value(&name, &given)?;
        // A name that is a keyword of Python has a trailing `_`, such as `from_`.
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
    // A number is passed on as Python prints it; the option checks its range.
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

/// Returns true if `given` is a whole number of another library, such as NumPy.
fn has_index(given: &Bound<'_, PyAny>) -> bool {
    given.hasattr("__index__").unwrap_or(false)
}

/// Converts settings back to keyword arguments.
pub(crate) fn keywords<'py>(
    py: Python<'py>,
    settings: &Map<String, Value>,
) -> PyResult<Bound<'py, PyDict>> {
    let text = serde_json::to_string(settings).unwrap_or_default();
    Ok(python(py, &text)?.cast_into::<PyDict>()?)
}

/// Parses JSON into Python values.
pub(crate) fn python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
