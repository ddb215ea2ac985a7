//! Native module of the Python package. It is a thin layer over the engine, like the command line.
//!
//! Each file contains one part of the package, and its function `register` adds the classes and
//! functions to the module. The engine plays games, trains controllers and computes statistics.
//! This crate converts arguments and results.

mod afterstates;
mod boards;
mod conversion;
mod env;
mod evaluator;
mod features;
mod players;
mod prelude;
mod process;
mod runs;
mod tables;
mod training;

use pyo3::prelude::*;
use tetrastat::stats::{self, Observed};

/// Native half of `tetrastat`. The package's `.py` files are the other half.
#[pymodule]
fn _tetrastat(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    tetrastat::games::register();
    env::register(module)?;
    conversion::register(module)?;
    boards::register(module)?;
    features::register(module)?;
    runs::register(module)?;
    tables::register(module)?;
    evaluator::register(module)?;
    training::register(module)?;
    module.add_function(wrap_pyfunction!(survival, module)?)?;
    module.add_function(wrap_pyfunction!(t_quantile, module)?)
}

/// Returns the 97.5 % quantile of Student's t with `degrees` degrees of freedom; infinite if
/// `degrees` is not positive.
#[pyfunction]
fn t_quantile(degrees: f64) -> f64 {
    stats::t_quantile(degrees)
}

/// Returns a Kaplan-Meier survival curve: the values of its steps, and the share of games that go
/// on beyond each value.
#[pyfunction]
fn survival(values: Vec<f64>, censored: Vec<bool>) -> (Vec<f64>, Vec<f64>) {
    let games = values.into_iter().zip(censored);
    let games = games.map(|(value, censored)| Observed { value, censored }).collect::<Vec<_>>();
    stats::survival(&games).iter().map(|step| (step.value, step.share)).unzip()
}
