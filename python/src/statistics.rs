//! Statistics of the engine that Python needs as numbers.

use pyo3::prelude::*;
use tetrastat::stats;

/// Returns the 97.5 % quantile of Student's t with `degrees` degrees of freedom; infinite if
/// `degrees` is not positive.
#[pyfunction]
fn t_quantile(degrees: f64) -> f64 {
    stats::t_quantile(degrees)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(t_quantile, module)?)
}
