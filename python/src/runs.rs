//! Commands of the engine, called in this process: games are played on its threads while Python waits, without the GIL,
//! for signals and to tell how far they are.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};
use serde_json::{Map, Value};
use tetrastat::cli::call::{self, Answer, Call, Ended, Refusal};

use crate::errors::{TetrastatError, setting_error};
use crate::tables::Table;

/// Time between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(50);

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
    let settings = as_settings(settings)?;
    let call = Arc::new(Call::new(input));
    let (answer, stopped) = py.detach(|| {
        let (done, ended) = channel::<()>();
        thread::scope(|scope| {
            let (call, settings) = (&call, &settings);
            // The sender goes with the thread, whatever ends it.
            let work = move || {
                let answer = call.run(command, settings);
                drop(done);
                answer
            };
            let working = thread::Builder::new().name("tetrastat".to_owned());
            let working = working.spawn_scoped(scope, work).map_err(|error| {
                PyRuntimeError::new_err(format!("starting a thread: {error}: end other programs"))
            })?;
            let stopped = wait(call, &ended, progress.as_ref());
            let answer = working.join();
            let lost =
                |_| TetrastatError::new_err("internal error: the command ended without a word");
            PyResult::Ok((answer.map_err(lost)?, stopped))
        })
    })?;
    // Ctrl-C, or an error of `progress`, goes before what the command says of being stopped.
    stopped?;
    let Answer { printed, table, ended } = answer.map_err(|refusal| raised(command, refusal))?;
    let table = table.map(|(columns, rows)| Table::of_rows(columns, rows)).transpose()?;
    Ok((printed, table, ended == Ended::Done, call.take_said()))
}

/// Waits for the end of a command. After Ctrl-C, or when `progress` fails, the command is asked to stop, and ends soon.
fn wait(call: &Call, ended: &Receiver<()>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    let mut told = None;
    while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        let looked = Python::attach(|py| {
            py.check_signals()?;
            let course = call.course();
            if let (Some(progress), Some(course)) =
                (progress, course.clone().filter(|_| course != told))
            {
                progress.call1(py, (course.share, course.said))?;
            }
            told = course;
            Ok(())
        });
        if looked.is_err() {
            call.stop();
            // A second Ctrl-C would not end it sooner.
            let _ = ended.recv();
            return looked;
        }
    }
    Ok(())
}

fn raised(command: &str, refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::Unknown(said) => PyTypeError::new_err(format!("{command}: {said}")),
        Refusal::Wrong(said) => setting_error(said),
        Refusal::Failed(said) => TetrastatError::new_err(said),
    }
}

/// Keyword arguments as settings: a name that Python reserves has `_` behind it.
fn as_settings(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((key.extract::<String>()?.trim_end_matches('_').to_owned(), as_value(&value)?))
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
        return as_settings(dict).map(Value::Object);
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
    let options = call::options(command).map_err(|refusal| raised(command, refusal))?;
    Ok(options.into_iter().map(|one| (one.name, one.help, one.takes_value)).collect())
}

/// A dictionary as the TOML text of a study's file.
#[pyfunction]
fn study_text(study: &Bound<'_, PyDict>) -> PyResult<String> {
    let without_none = |settings: Map<String, Value>| -> Map<String, Value> {
        settings.into_iter().filter(|(_, value)| !value.is_null()).collect()
    };
    let study = without_none(as_settings(study)?);
    toml::to_string(&study).map_err(|error| setting_error(format!("the study: {error}")))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(call_command, module)?)?;
    module.add_function(wrap_pyfunction!(command_options, module)?)?;
    module.add_function(wrap_pyfunction!(study_text, module)?)
}
