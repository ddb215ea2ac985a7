//! Native module of the Python package. It is a thin layer over the engine, like the command line.
//!
//! Each file contains one part of the package, and its function `register` adds the classes and
//! functions to the module. The engine plays games, trains controllers and computes statistics.
//! This crate converts arguments and results.

mod afterstates;
mod aligned;
mod arrow;
mod boards;
mod cluster;
mod command_line;
mod env;
mod errors;
mod evaluator;
mod features;
mod optimisers;
mod players;
mod process;
mod runs;
mod settings;
mod statistics;
mod tables;
mod training;
mod waiting;

use pyo3::prelude::*;

/// Native half of `tetrastat`. The package's `.py` files are the other half.
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
    statistics::register(module)?;
    command_line::register(module)?;
    Ok(())
}
