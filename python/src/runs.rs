//! Commands of the engine, called in this process: games are played on its threads while Python waits, without the GIL,
//! for signals and to tell how far they are.


use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};
use serde_json::{Map, Value};
use tetrastat::cli::call::{self, Answer, Call, CallEnd};

use crate::errors::{refused, setting_error};
use crate::settings::settings;
use crate::tables::Table;
use crate::waiting::waited;

/// What a command found: what it printed, the same as a table where it has one, whether all was reached that was asked
/// for, and the lines that it said besides.
type Found = (String, Option<Table>, bool, Vec<String>);

/// Runs a command of the engine with these settings, which may read `input`; `progress` is called with the part that is
/// done (0 to 1, or None) and words.
#[pyfunction]
#[pyo3(signature = (command, settings, input = String::new(), progress = None))]
fn call_command(
    py: Python<'_>,
    command: &str,
    settings: &Bound<'_, PyDict>,
    input: String,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found> {
    let settings = self::settings(Some(settings))?;
    let call = Call::new(input);
    let mut told = None;
    let tell = || {
        let latest = call.progress().filter(|latest| told.as_ref() != Some(latest));
        if let (Some(progress), Some(latest)) = (&progress, latest) {
            told = Some(latest.clone());
            progress.call1(py, (latest.share, latest.text))?;
        }
        Ok(())
    };
    let answer = waited(py, || call.stop(), tell, || Ok(call.run(command, &settings)))?;
    let Answer { printed, table, ended } = answer.map_err(|refusal| refused(command, refusal))?;
    let table = table.map(|(columns, rows)| Table::of_rows(columns, rows)).transpose()?;
    Ok((printed, table, ended == CallEnd::Done, call.take_messages()))
}

/// A dictionary as data.
fn as_data(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((key.extract::<String>()?, as_value(&value)?))
    };
    given.iter().map(pair).collect()
}

/// A value as data: None, bool, numbers, text and paths, and lists and dictionaries of them.
fn as_value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(value.extract()?));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return as_data(dict).map(Value::Object);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let values: PyResult<Vec<Value>> = value.try_iter()?.map(|one| as_value(&one?)).collect();
        return values.map(Value::Array);
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<u64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(number.into());
    }
    Ok(value.str()?.to_string().into())
}

/// The options of a command: name, what it is with its default, and whether it takes a value.
#[pyfunction]
fn command_options(command: &str) -> PyResult<Vec<(String, String, bool)>> {
    let options = call::options(command).map_err(|refusal| refused(command, refusal))?;
    Ok(options.into_iter().map(|one| (one.name, one.help, one.takes_value)).collect())
}

/// A dictionary as the TOML text of a study's file.
#[pyfunction]
fn study_text(study: &Bound<'_, PyDict>) -> PyResult<String> {
    let without_none = |settings: Map<String, Value>| -> Map<String, Value> {
        settings.into_iter().filter(|(_, value)| !value.is_null()).collect()
    };
    let study = without_none(as_data(study)?);
    toml::to_string(&study).map_err(|error| setting_error(format!("the study: {error}")))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(call_command, module)?)?;
    module.add_function(wrap_pyfunction!(command_options, module)?)?;
    module.add_function(wrap_pyfunction!(study_text, module)?)
}
