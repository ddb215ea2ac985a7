//! Native half of `tetrastat.cluster`: estimates whose replications (independent runs of the
//! splitting estimator) any machine may play, and runs whose parts workers have written.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tetrastat::cli::hosted::{self, Estimation, begin_estimate};

use crate::errors::{engine_error, refusal_error};
use crate::process::ProcessLocal;
use crate::settings::{python, settings};
use crate::waiting::run_interruptibly;

/// Name of an [`Estimate`] in error messages.
const KIND: &str = "estimate";

/// Estimate in a folder that receives its replications in order. The mutex allows several Python
/// threads to share it.
#[pyclass(module = "tetrastat", name = "_Estimate")]
struct Estimate(ProcessLocal<Mutex<Box<dyn Estimation>>>);

impl Estimate {
    fn kept(&mut self) -> PyResult<&mut dyn Estimation> {
        let estimate = self.0.kept(KIND)?.get_mut();
        Ok(&mut **estimate.unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Estimate {
    /// Starts an estimate in the folder `out`, or resumes the one there. A new estimate first
    /// places its levels.
    #[new]
    #[pyo3(signature = (**given))]
    fn new(py: Python<'_>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Estimate> {
        let (settings, stop) = (settings(given)?, AtomicBool::new(false));
        let halt = || stop.store(true, Ordering::SeqCst);
        let begun =
            run_interruptibly(py, halt, || Ok(()), || Ok(begin_estimate(&settings, &stop)))?;
        let begun = begun.map_err(|refusal| refusal_error("estimate", refusal))?;
        Ok(Estimate(ProcessLocal::new(Mutex::new(begun))))
    }

    /// Levels at which paths split, as JSON.
    #[getter]
    fn levels(&mut self) -> PyResult<String> {
        self.kept()?.levels().map_err(|error| engine_error(&error))
    }

    /// Number of the next replication that `tell` accepts.
    #[getter]
    fn next(&mut self) -> PyResult<u64> {
        Ok(self.kept()?.next())
    }

    /// True if the stop rule is met.
    #[getter]
    fn is_enough(&mut self) -> PyResult<bool> {
        Ok(self.kept()?.is_enough())
    }

    /// Adds the next replication, a text that `replicate` returned.
    fn tell(&mut self, replication: &str) -> PyResult<()> {
        self.kept()?.add(replication).map_err(|error| engine_error(&error))
    }

    /// Writes the tables and `run.json`, and returns the summary of the estimate as a dict.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, &self.kept()?.finish().map_err(|error| engine_error(&error))?)
    }
}

/// Plays replication `index` of an estimate with these settings and levels, and returns it as JSON.
#[pyfunction]
fn replicate(
    py: Python<'_>,
    settings: &Bound<'_, PyDict>,
    levels: &str,
    index: u64,
) -> PyResult<String> {
    let (settings, stop) = (self::settings(Some(settings))?, AtomicBool::new(false));
    let halted = || stop.load(Ordering::Relaxed);
    let play = || hosted::replicate(&settings, levels, index, &halted);
    run_interruptibly(py, || stop.store(true, Ordering::SeqCst), || Ok(()), play)
}

/// Joins the shards in the folders `shards` into the new run `out`, whose Parquet tables are parts
/// that the players of the shards have written elsewhere.
#[pyfunction]
fn merge_written_parts(py: Python<'_>, shards: Vec<PathBuf>, out: PathBuf) -> PyResult<()> {
    let merged = py.detach(|| tetrastat::cli::merge_written_parts(&shards, &out));
    merged.map_err(|error| engine_error(&error))
}

/// Returns the name of part `number` (from 1) of a table in `count` parts.
#[pyfunction]
fn part_name(number: u64, count: u64) -> String {
    tetrastat::record::part_name(number, count)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Estimate>()?;
    module.add_function(wrap_pyfunction!(merge_written_parts, module)?)?;
    module.add_function(wrap_pyfunction!(part_name, module)?)?;
    module.add_function(wrap_pyfunction!(replicate, module)?)
}
