//! The class `Optimiser`, which gives Python the engine's optimisers with an ask-and-tell
//! interface.

use numpy::ndarray::Ix1;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tetrastat::cli::hosted;
use tetrastat::train::OptimiserState;

use crate::aligned::Numbers;
use crate::errors::{Whole, argument_error, refusal_error};
use crate::evaluator::matrix;
use crate::settings::settings;

type Scores<'py> = Numbers<'py, Ix1>;
/// Best candidate of an optimiser: weights, score and generation.
type Best<'py> = (Bound<'py, PyArray1<f64>>, f64, u64);

/// Optimiser with an ask-and-tell interface that searches for the weights with the largest score.
///
/// The methods are those of ``tetrastat train``: noisy cross-entropy, a genetic algorithm,
/// separable natural evolution strategies, and CMA-ES. The candidates depend only on the settings,
/// the seed and the scores.
///
/// Parameters
/// ----------
/// method : {"cem", "ga", "snes", "cmaes"}
///     Optimiser to use.
/// dimension : int
///     Number of weights, k.
/// start : array_like of float64, shape (k,), optional
///     Starting point. Default: the one that the settings describe.
/// **settings
///     Options of the optimiser as for ``tetrastat train``, with ``_`` for ``-``: ``seed=1``,
///     ``population``, ``elite``, ``sd``, ``noise``, ``bounds="-1,1"``, ...
///
/// Raises
/// ------
/// TypeError
///     If there is no such option.
/// SettingError
///     If an option has an invalid value.
///
/// Examples
/// --------
/// The optimiser finds the maximum of a function, here at (1, -2, 0.5).
///
/// >>> import tetrastat
/// >>> search = tetrastat.Optimiser("cmaes", 3, population=40, seed=1)
/// >>> for _ in range(30):
/// ...     candidates = search.ask()
/// ...     search.tell(-((candidates - [1, -2, 0.5]) ** 2).sum(axis=1))
/// >>> candidates.shape, search.generation, search.mean.round(1).tolist()
/// ((40, 3), 30, [1.0, -2.0, 0.5])
#[pyclass(module = "tetrastat")]
struct Optimiser(OptimiserState);

#[pymethods]
impl Optimiser {
    #[new]
    #[pyo3(
        signature = (method, dimension, *, start = None, **given),
        text_signature = "(method, dimension, *, start=None, **settings)"
    )]
    fn new(
        method: &str,
        dimension: Whole<usize>,
        start: Option<Scores<'_>>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Optimiser> {
        let mut settings = settings(given)?;
        settings.insert("method".to_owned(), method.into());
        let start = start.map(|start| start.view().to_vec());
        let search = hosted::start_optimiser(dimension.0, start, &settings);
        search.map(Optimiser).map_err(|refusal| refusal_error("Optimiser", refusal))
    }

    /// Returns the candidates to score.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n, k)
    ///     Candidates, one per row. The array does not change until the next `tell`.
    fn ask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(matrix(self.0.ask())?.into_pyarray(py))
    }

    /// Takes the candidates' scores and draws the next generation.
    ///
    /// Parameters
    /// ----------
    /// scores : array_like of float64, shape (n,)
    ///     Score of each candidate, in the order of `ask`. A larger score is better.
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If there is not one score for each candidate.
    fn tell(&mut self, py: Python<'_>, scores: Scores<'_>) -> PyResult<()> {
        let scores = scores.view().to_vec();
        let search = &mut self.0;
        py.detach(|| search.tell(&scores)).map_err(|error| argument_error(&error))
    }

    /// Name of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.options().name()
    }

    /// Number of generations whose scores `tell` has received.
    #[getter]
    fn generation(&self) -> u64 {
        self.0.generation()
    }

    /// Mean of the distribution of the candidates: ndarray of float64, shape (k,).
    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.mean().into_pyarray(py)
    }

    /// Standard deviation of each weight of the candidates: ndarray of float64, shape (k,).
    #[getter]
    fn sd<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.sd().into_pyarray(py)
    }

    /// Weights, score and generation of the best candidate so far; None before the first scores.
    /// The score is biased upwards, because it is the largest of many noisy scores. Score the
    /// candidate again on other games.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> Option<Best<'py>> {
        let best = self.0.best()?;
        Some((best.candidate.clone().into_pyarray(py), best.score, best.generation))
    }

    /// Reason to stop, or None while there is no reason.
    #[getter]
    fn stop(&self) -> Option<String> {
        self.0.stop().map(|stop| stop.to_string())
    }

    /// Returns the state as JSON text. `from_json` restores it, and the restored optimiser
    /// continues with bit-identical candidates.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// Returns the optimiser whose state `to_json` wrote.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If `text` is not such a state.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Optimiser> {
        let damaged = |e: serde_json::Error| {
            PyValueError::new_err(format!(
                "not an optimiser's state: {e}: give the text of to_json"
            ))
        };
        let search: OptimiserState = serde_json::from_str(text).map_err(damaged)?;
        let whole = search.checked().map_err(|error| argument_error(&error))?;
        Ok(Optimiser(whole))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Optimiser>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.borrow().to_json()?,)))
    }

    fn __repr__(&self) -> String {
        let (method, generation) = (self.method(), self.0.generation());
        let (candidates, weights) = (self.0.ask().len(), self.0.problem().dimension);
        format!("<Optimiser {method}: generation {generation}, {candidates} x {weights} weights>")
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Optimiser>()
}
