//! Commands of the engine, called in this process.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tetrastat::cli::call::{Answer, Call, Ended, Refusal};

use crate::errors::TetrastatError;
use crate::settings::settings;
use crate::waiting::waited;

/// What a command found: what it printed, its table (none here), whether all was reached that was asked for, and the
/// lines that it said besides.
type Found = (String, Option<()>, bool, Vec<String>);

/// Runs a command of the engine with these settings, which may read `input`.
#[pyfunction]
#[pyo3(signature = (command, settings, input = String::new()))]
fn call_command(
    py: Python<'_>,
    command: &str,
    settings: &Bound<'_, PyDict>,
    input: String,
) -> PyResult<Found> {
    let settings = self::settings(Some(settings))?;
    let call = Arc::new(Call::new(input));
    let answer = waited(py, || call.stop(), || Ok(()), || Ok(call.run(command, &settings)))?;
    let Answer { printed, ended, .. } = answer.map_err(raised)?;
    Ok((printed, None, ended == Ended::Done, call.take_said()))
}

fn raised(refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::Unknown(said) => PyTypeError::new_err(said),
        Refusal::Wrong(said) | Refusal::Failed(said) => TetrastatError::new_err(said),
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(call_command, module)?)
}
