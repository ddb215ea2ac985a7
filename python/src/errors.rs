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

/// The engine's error as an exception: where its message names an option of the command, the argument's name.
pub(crate) fn raised(error: &Error) -> PyErr {
    TetrastatError::new_err(arguments(&error.to_string()))
}

/// A text with `--max-pieces` written `max_pieces`.
fn arguments(text: &str) -> String {
    let mut parts = text.split("--");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        plain += &part[..end].replace('-', "_");
        plain += &part[end..];
    }
    plain
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TetrastatError", module.py().get_type::<TetrastatError>())
}
