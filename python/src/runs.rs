//! Functions that run the engine's commands in this process. The engine's threads play the games.
//! Meanwhile the calling Python thread releases the GIL, checks for signals and reports progress.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};
use serde_json::{Map, Value};
use tetrastat::cli::NAMED_DATASETS;
use tetrastat::cli::call::{self, Answer, Call, CallEnd, OptionHelp};

use crate::errors::{refusal_error, setting_error};
use crate::settings::settings;
use crate::tables::Table;
use crate::waiting::run_interruptibly;

/// Result of a command: the printed text, the result as a table if the command has one, a flag, and
/// the messages. The flag is true if the command reached its target.
type CommandResult = (String, Option<Table>, bool, Vec<String>);

/// Runs a command of the engine, which may read `input` as its standard input. Calls `progress`
/// with the share of the work done (0 to 1, or None) and a text.
#[pyfunction]
#[pyo3(signature = (command, settings, input = "", progress = None))]
fn call_command(
    py: Python<'_>,
    command: &str,
    settings: &Bound<'_, PyDict>,
    input: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<CommandResult> {
    let settings = self::settings(Some(settings))?;
    let call = Call::new(input.to_owned());
    let mut told = None;
    let tell = || {
        let latest = call.progress().filter(|latest| told.as_ref() != Some(latest));
        if let (Some(progress), Some(latest)) = (&progress, latest) {
            told = Some(latest.clone());
            progress.call1(py, (latest.share, latest.text))?;
        }
        Ok(())
    };
    let answer = run_interruptibly(py, || call.stop(), tell, || Ok(call.run(command, &settings)))?;
    let Answer { printed, table, ended } =
        answer.map_err(|refusal| refusal_error(command, refusal))?;
    let table = table.map(|(columns, rows)| Table::of_rows(columns, rows)).transpose()?;
    Ok((printed, table, ended == CallEnd::Done, call.take_messages()))
}

/// Converts a Python dictionary with text keys to a JSON object.
fn as_data(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((key.extract::<String>()?, as_value(&value)?))
    };
    given.iter().map(pair).collect()
}

/// Converts a Python value to JSON: None, bools, numbers, text, and lists and dictionaries of such
/// values. Paths and other values become text.
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

/// Returns the options of a command. Each is a dictionary of `name`, `help` (with the default),
/// `kind` (`flag`, `optional`, `whole`, `number`, `path`, `text` or `number or text`), `choices`,
/// `is_list`, `is_positional` and `is_required`.
#[pyfunction]
fn command_options<'py>(py: Python<'py>, command: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let options = call::options(command).map_err(|refusal| refusal_error(command, refusal))?;
    let described = |option: OptionHelp| {
        let entry = PyDict::new(py);
        entry.set_item("name", option.name)?;
        entry.set_item("help", option.help)?;
        entry.set_item("kind", option.kind.name())?;
        entry.set_item("choices", option.choices)?;
        entry.set_item("is_list", option.is_list)?;
        entry.set_item("is_positional", option.is_positional)?;
        entry.set_item("is_required", option.is_required)?;
        Ok(entry)
    };
    options.into_iter().map(described).collect()
}

/// Returns the names of all commands, each with its description.
#[pyfunction]
fn command_names() -> Vec<(String, String)> {
    call::commands()
}

/// Converts a dictionary to the TOML text of a study's file.
#[pyfunction]
fn study_text(study: &Bound<'_, PyDict>) -> PyResult<String> {
    let without_none = |settings: Map<String, Value>| -> Map<String, Value> {
        settings.into_iter().filter(|(_, value)| !value.is_null()).collect()
    };
    let study = without_none(as_data(study)?);
    toml::to_string(&study).map_err(|error| setting_error(format!("the study: {error}")))
}

/// Returns the data sets with a name: the name, the file, and the checksums of the tables.
#[pyfunction]
fn named_datasets() -> Vec<(&'static str, &'static str, &'static str)> {
    NAMED_DATASETS.to_vec()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(call_command, module)?)?;
    module.add_function(wrap_pyfunction!(command_options, module)?)?;
    module.add_function(wrap_pyfunction!(command_names, module)?)?;
    module.add_function(wrap_pyfunction!(named_datasets, module)?)?;
    module.add_function(wrap_pyfunction!(study_text, module)?)
}
