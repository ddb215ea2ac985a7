//! The native module of the Python package: a thin shell over the engine, as the command is.
//!
//! One file per part of the package; each adds its own classes and functions in `register`. Games, training and
//! statistics are the engine's: nothing is computed here that it has not.

mod arrow;
mod boards;
mod cluster;
mod command_line;
mod env;
mod errors;
mod evaluator;
mod features;

mod optimisers;
mod process;
mod runs;
mod settings;
mod tables;
mod training;
mod waiting;

use pyo3::prelude::*;

/// The native half of `tetrastat`: what is written in Python stands beside it.
#[pymodule]
fn _tetrastat(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    tetrastat::games::register();
    env::register(module)?;
    errors::register(module)?;
    boards::register(module)?;
    features::register(module)?;
    runs::register(module)?;
    tables::register(module)?;
    evaluator::register(module)?;
    optimisers::register(module)?;
    training::register(module)?;
    cluster::register(module)?;
    command_line::register(module)?;
    Ok(())
}
