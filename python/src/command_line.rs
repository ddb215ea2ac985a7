//! Functions that run the engine's command line in this process, for the console script
//! `tetrastat`, and set the command that manifests of runs record.

use std::ffi::OsString;

use pyo3::prelude::*;
use tetrastat::cli;
use tetrastat::record::set_command_line;

use crate::errors::setting_error;

/// Runs a command line and returns the exit code. The first of `words` is the program's name.
#[pyfunction]
fn run_command_line(py: Python<'_>, words: Vec<OsString>) -> u8 {
    record_command(words.iter().map(|word| word.to_string_lossy().into_owned()).collect());
    py.detach(|| cli::main_with(&words))
}

/// Sets the command that manifests of this process's runs record.
#[pyfunction]
fn record_command(words: Vec<String>) {
    set_command_line(words);
}

/// Raises a `SettingError` if `text` is an address such as `s3://bucket/run` instead of a path.
#[pyfunction]
fn check_path(text: &str) -> PyResult<()> {
    cli::check_path(text).map_err(|error| setting_error(error.to_string()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_command_line, module)?)?;
    module.add_function(wrap_pyfunction!(record_command, module)?)?;
    module.add_function(wrap_pyfunction!(check_path, module)?)
}
