//! Statistics of the engine that Python needs as numbers.

use pyo3::prelude::*;
use tetrastat::stats::{self, Observed};

/// Returns the 97.5 % quantile of Student's t with `degrees` degrees of freedom; infinite if
/// `degrees` is not positive.
#[pyfunction]
fn t_quantile(degrees: f64) -> f64 {
    stats::t_quantile(degrees)
}

/// Returns the steps of a survival curve: the values at which games ended or were cut off, and the
/// share of games that go on beyond each, as Kaplan and Meier estimate it.
#[pyfunction]
fn survival(values: Vec<f64>, censored: Vec<bool>) -> (Vec<f64>, Vec<f64>) {
    let games = values.into_iter().zip(censored);
    let games = games.map(|(value, censored)| Observed { value, censored }).collect::<Vec<_>>();
    stats::survival(&games).iter().map(|step| (step.value, step.share)).unzip()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(survival, module)?)?;
    module.add_function(wrap_pyfunction!(t_quantile, module)?)
}
