//! `Optimiser`: the engine's own searches by ask and tell.

use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArray2, PyArrayLike1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tetrastat::cli::trainings;
use tetrastat::train::OptimiserState;

use crate::errors::{Whole, refused, setting_error, wrong};
use crate::evaluator::{Weights, matrix, vectors};
use crate::settings::settings;

type Numbers<'py> = PyArrayLike1<'py, f64, AllowTypeChange>;
/// Weights, score and generation of the best candidate.
type Best<'py> = (Bound<'py, PyArray1<f64>>, f64, u64);

/// A search for the vector of weights with the largest score, by ask and tell.
///
/// The methods are those of ``tetrastat train``: noisy cross-entropy, a genetic algorithm, separable natural evolution
/// and CMA-ES. The course depends on settings, seed and scores alone.
///
/// Parameters
/// ----------
/// method : {"cem", "ga", "snes", "cmaes"}
///     Which optimiser.
/// dimension : int
///     Number of weights, k.
/// start : array_like of float64, shape (k,), optional
///     Where to begin, instead of where the settings say.
/// **settings
///     ``seed=1``, ``population``, ``elite``, ``sd``, ``noise``, ``bounds="-1,1"``, ...: the optimiser's options of
///     ``tetrastat train`` with ``_`` for ``-``.
#[pyclass(module = "tetrastat")]
struct Optimiser(OptimiserState);

#[pymethods]
impl Optimiser {
    #[new]
    #[pyo3(signature = (method, dimension, *, start = None, **given))]
    fn new(
        method: &str,
        dimension: Whole<usize>,
        start: Option<Numbers<'_>>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Optimiser> {
        let mut said = settings(given)?;
        said.insert("method".to_owned(), method.into());
        let start = start.map(|start| start.as_array().to_vec());
        let search = trainings::search(dimension.0, start, &said);
        search.map(Optimiser).map_err(|refusal| refused("Optimiser", refusal))
    }

    /// The candidates to score now.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n, k)
    ///     Asking again gives the same ones.
    fn ask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(matrix(self.0.ask())?.into_pyarray(py))
    }

    /// Take the candidates' scores and draw the next generation.
    ///
    /// Parameters
    /// ----------
    /// scores : array_like of float64, shape (n,)
    ///     One for each candidate, in their order; larger is better.
    fn tell(&mut self, py: Python<'_>, scores: Numbers<'_>) -> PyResult<()> {
        let scores = scores.as_array().to_vec();
        let search = &mut self.0;
        py.detach(|| search.tell(&scores)).map_err(|error| wrong(&error))
    }

    /// Take the candidates' scores, but learn from other vectors (robust elite selection); ``cem`` alone has this.
    ///
    /// Parameters
    /// ----------
    /// scores : array_like of float64, shape (n,)
    ///     As for `tell`.
    /// elite : array_like of float64, shape (m, k)
    ///     The vectors to learn from.
    /// shares : array_like of float64, shape (m,)
    ///     How much each counts, above 0.
    fn tell_elite(
        &mut self,
        scores: Numbers<'_>,
        elite: Weights<'_>,
        shares: Numbers<'_>,
    ) -> PyResult<()> {
        let OptimiserState::Cem(search) = &mut self.0 else {
            return Err(setting_error("an elite is told to cem alone: use tell".to_owned()));
        };
        let (elite, shares) = (vectors(elite.as_array()), shares.as_array().to_vec());
        if elite.len() != shares.len() {
            let text = format!("elite: {} vectors, {} shares", elite.len(), shares.len());
            return Err(setting_error(text));
        }
        let elite: Vec<_> = elite.into_iter().zip(shares).collect();
        let told = search.tell_elite(&scores.as_array().to_vec(), &elite);
        told.map_err(|error| wrong(&error))
    }

    /// Which optimiser.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.options().name()
    }

    /// Generations told.
    #[getter]
    fn generation(&self) -> u64 {
        self.0.generation()
    }

    /// The mean from which the candidates were drawn: float64, shape (k,).
    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.mean().into_pyarray(py)
    }

    /// Their standard deviation, weight by weight: float64, shape (k,).
    #[getter]
    fn sd<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.sd().into_pyarray(py)
    }

    /// Weights, score and generation of the best candidate so far; None before the first scores. Its score is flattered
    /// by having won: score it again on other games.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> Option<Best<'py>> {
        let best = self.0.best()?;
        Some((best.candidate.clone().into_pyarray(py), best.score, best.generation))
    }

    /// Why to stop, if there is a reason.
    #[getter]
    fn stop(&self) -> Option<String> {
        self.0.stop().map(|stop| stop.to_string())
    }

    /// The whole state as text, from which `from_json` goes on to the same bits.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// The optimiser whose state `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Optimiser> {
        let damaged = |e: serde_json::Error| {
            PyValueError::new_err(format!("no state of an optimiser: {e}: give what to_json wrote"))
        };
        let search: OptimiserState = serde_json::from_str(text).map_err(damaged)?;
        let whole = search.checked().map_err(|error| wrong(&error))?;
        Ok(Optimiser(whole))
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
