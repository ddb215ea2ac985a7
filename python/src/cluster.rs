//! What `tetrastat.cluster` plays apart besides candidates: replications of estimates.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tetrastat::cli::estimates::{self, Estimation};

use crate::errors::{raised, refused};
use crate::process::OfProcess;
use crate::settings::{python, settings};
use crate::waiting::waited;

/// Name of an [`Estimate`] in messages.
const KIND: &str = "estimate";

/// An estimate in its folder, whose replications are told in order.
#[pyclass(module = "tetrastat", name = "_Estimate")]
struct Estimate(OfProcess<Box<dyn Estimation>>);

#[pymethods]
impl Estimate {
    /// Begins an estimate in the folder `out`, or goes on with it; a new one places its levels first.
    #[new]
    #[pyo3(signature = (**given))]
    fn new(py: Python<'_>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Estimate> {
        let (settings, stop) = (settings(given)?, AtomicBool::new(false));
        let halt = || stop.store(true, Ordering::SeqCst);
        let begun = waited(py, halt, || Ok(()), || Ok(estimates::begin(&settings, &stop)))?;
        let begun = begun.map_err(|refusal| refused("estimate", refusal))?;
        Ok(Estimate(OfProcess::new(begun)))
    }

    /// Where paths split, as JSON.
    #[getter]
    fn levels(&mut self) -> PyResult<String> {
        self.0.kept(KIND)?.levels().map_err(|error| raised(&error))
    }

    /// Number of the replication that is to be told next.
    #[getter]
    fn next(&mut self) -> PyResult<u64> {
        Ok(self.0.kept(KIND)?.next())
    }

    /// Whether its stop rule is met.
    #[getter]
    fn is_enough(&mut self) -> PyResult<bool> {
        Ok(self.0.kept(KIND)?.is_enough())
    }

    /// Takes the next replication, as [`replicate`] gave it.
    fn tell(&mut self, replication: &str) -> PyResult<()> {
        self.0.kept(KIND)?.tell(replication).map_err(|error| raised(&error))
    }

    /// Writes its tables and `estimate.json`, which comes back.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, &self.0.kept(KIND)?.finish().map_err(|error| raised(&error))?)
    }
}

/// Plays replication `index` of an estimate of these settings and levels: JSON.
#[pyfunction]
fn replicate(
    py: Python<'_>,
    settings: &Bound<'_, PyDict>,
    levels: &str,
    index: u64,
) -> PyResult<String> {
    let (settings, stop) = (self::settings(Some(settings))?, AtomicBool::new(false));
    let halted = || stop.load(Ordering::Relaxed);
    let play = || estimates::replicate(&settings, levels, index, &halted);
    waited(py, || stop.store(true, Ordering::SeqCst), || Ok(()), play)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Estimate>()?;
    module.add_function(wrap_pyfunction!(replicate, module)?)
}
