//! `Evaluator`: the games that a training's candidates play, for whatever optimiser.

use std::sync::atomic::{AtomicBool, Ordering};

use numpy::ndarray::{Array2, ArrayView2};
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArray2, PyArrayLike2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::{Map, Value};
use tetrastat::cli::trainings;
use tetrastat::engine::Totals;
use tetrastat::train::{Evaluation, EvaluationBatch, PlayedGame, TrainingPlan};

use crate::errors::{Whole, raised, refused, setting_error};
use crate::process::SharedOfProcess;
use crate::settings::{keywords, settings};
use crate::waiting::waited;

/// Numbers that tell of a game: its value, lines and pieces, and 1 if it was cut off.
pub(crate) const OF_GAME: usize = 4;

/// Weights of some candidates as Python gives them.
pub(crate) type Weights<'py> = PyArrayLike2<'py, f64, AllowTypeChange>;

/// Plays candidates' games on all cores, as a training does, for any optimiser.
///
/// Candidates are vectors of weights, one for each feature; only their direction matters. All candidates play the same
/// games, those of a seed (common random numbers), so that they are compared by how they play and not by what they are
/// dealt. An evaluator can be pickled: it is its settings.
///
/// Parameters
/// ----------
/// **settings
///     Options of ``tetrastat train`` with ``_`` for ``-``; what says how to optimise is not looked at.
///     ``features`` (names, or a controller's), ``board="10x20"``, ``rules``, ``queue``, ``search``, ``max_pieces``,
///     ``objective="lines"`` (``mean-COLUMN``, ``median-COLUMN``, ``sprint``), ``minimise``, ``lost``, ``games=10`` of
///     each candidate, ``seed=1``, ``threads`` [all cores], or a ``preset``.
///
/// Raises
/// ------
/// TetrastatError
///     When the settings make no games.
#[pyclass(frozen, module = "tetrastat")]
struct Evaluator {
    evaluation: SharedOfProcess<Evaluation>,
    plan: TrainingPlan,
    settings: Map<String, Value>,
}

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (**given))]
    fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Evaluator> {
        let settings = settings(given)?;
        let plan = trainings::plan(&settings).map_err(|refusal| refused("Evaluator", refusal))?;
        let evaluation = SharedOfProcess::new(evaluation(&plan)?);
        Ok(Evaluator { evaluation, plan, settings })
    }

    /// Play every candidate's games.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like of float64, shape (n, k)
    ///     A candidate in each row, a weight for each of ``features`` in it.
    /// generation : int
    ///     Which games: those that the candidates of this generation of a training play.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n, games)
    ///     What each game is worth by the objective, in its unit: lines, pieces, points, ...
    #[pyo3(signature = (weights, generation = Whole(0)))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        weights: Weights<'py>,
        generation: Whole<u64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let batch = self.batch(weights.as_array(), generation.0)?;
        let values =
            self.played(py, &batch, 0, batch.pairs())?.iter().map(|game| game.value).collect();
        let shape = (batch.candidates.len(), batch.games as usize);
        Ok(array(shape, values)?.into_pyarray(py))
    }

    /// Play every candidate's games and score them as a training does.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like of float64, shape (n, k)
    ///     A candidate in each row.
    /// generation : int
    ///     Which games, as for `evaluate`.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n,)
    ///     Scores; larger is better, also where the objective is minimised.
    #[pyo3(signature = (weights, generation = Whole(0)))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        weights: Weights<'py>,
        generation: Whole<u64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let batch = self.batch(weights.as_array(), generation.0)?;
        let played = self.played(py, &batch, 0, batch.pairs())?;
        let games = batch.by_candidate(played).map_err(|error| raised(&error))?;
        let objective = &self.plan.objective;
        let score = |games| objective.score(objective.value(games));
        Ok(games.iter().map(score).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Play some pairs of a candidate and a game; what they come to depends on nothing else.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like of float64, shape (n, k)
    ///     A candidate in each row.
    /// seed : int
    ///     Seed of the games, from 0 to 2**64 - 1.
    /// games : int
    ///     Games of each candidate.
    /// first, last : int
    ///     The pairs from ``first`` up to, not including, ``last``; they are numbered candidate by candidate.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (last - first, 4)
    ///     Of each game what it is worth, its lines, its pieces, and 1 if it was cut off, else 0.
    fn play<'py>(
        &self,
        py: Python<'py>,
        weights: Weights<'py>,
        seed: Whole<u64>,
        games: Whole<u64>,
        first: Whole<u64>,
        last: Whole<u64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (Whole(seed), Whole(games)) = (seed, games);
        let (Whole(first), Whole(last)) = (first, last);
        if self.plan.objective.estimates().is_some() {
            let text = "objective estimate places levels by all candidates: call the evaluator, or Training.play";
            return Err(setting_error(text.to_owned()));
        }
        let batch = EvaluationBatch::new(self.candidates(weights.as_array())?, seed, games);
        if first > last || last > batch.pairs() {
            let pairs = batch.pairs();
            let text = format!("pairs {first} to {last}: there are {pairs}, numbered from 0");
            return Err(setting_error(text));
        }
        let played = self.played(py, &batch, first, last)?;
        Ok(rows(&played)?.into_pyarray(py))
    }

    /// Names of the features that are weighed, in order.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.plan.games.names()
    }

    /// Games of each candidate.
    #[getter]
    fn games(&self) -> u64 {
        self.plan.games.games()
    }

    /// Seed of the training whose games these are.
    #[getter]
    fn seed(&self) -> u64 {
        self.plan.games.seed()
    }

    /// What candidates are scored by.
    #[getter]
    fn objective(&self) -> String {
        self.plan.objective.to_string()
    }

    /// Whether less of it is better.
    #[getter]
    fn minimise(&self) -> bool {
        self.plan.objective.minimise()
    }

    /// Threads that play.
    #[getter]
    fn threads(&self) -> usize {
        self.plan.games.threads()
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), keywords(py, &self.settings)?))
    }

    fn __repr__(&self) -> String {
        let (games, objective) = (&self.plan.games, &self.plan.objective);
        let (said, count) = (games.said(", "), games.games());
        format!("<Evaluator: {count} games, {said}, seed {}; {}>", games.seed(), objective.said())
    }
}

impl Evaluator {
    fn batch(&self, weights: ArrayView2<'_, f64>, generation: u64) -> PyResult<EvaluationBatch> {
        let (seed, games) = (self.plan.games_seed(generation), self.plan.games.games());
        Ok(EvaluationBatch::new(self.candidates(weights)?, seed, games))
    }

    fn candidates(&self, weights: ArrayView2<'_, f64>) -> PyResult<Vec<Vec<f64>>> {
        let (given, wanted) = (weights.ncols(), self.plan.games.names().len());
        if given != wanted {
            let text = format!("weights: {given} columns, give {wanted}, one for each feature");
            return Err(setting_error(text));
        }
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err(setting_error("weights: give finite numbers".to_owned()));
        }
        Ok(vectors(weights))
    }

    fn played(
        &self,
        py: Python,
        batch: &EvaluationBatch,
        first: u64,
        last: u64,
    ) -> PyResult<Vec<PlayedGame>> {
        let (totals, stop) = (Totals::default(), AtomicBool::new(false));
        let evaluation = self.evaluation.get(|| evaluation(&self.plan))?;
        let play = || evaluation.play(batch, first..last, &totals, &stop);
        // What is stopped has an exception to tell.
        Ok(waited(py, || stop.store(true, Ordering::SeqCst), || Ok(()), play)?.unwrap_or_default())
    }
}

/// Starts the threads that play the games of a plan.
fn evaluation(plan: &TrainingPlan) -> PyResult<Evaluation> {
    Evaluation::new(plan.games.clone(), plan.objective.clone()).map_err(|error| raised(&error))
}

/// The rows of an array.
pub(crate) fn vectors(array: ArrayView2<'_, f64>) -> Vec<Vec<f64>> {
    array.rows().into_iter().map(|row| row.to_vec()).collect()
}

/// Vectors of one length as the rows of an array.
pub(crate) fn matrix(vectors: &[Vec<f64>]) -> PyResult<Array2<f64>> {
    let width = vectors.first().map_or(0, Vec::len);
    array((vectors.len(), width), vectors.concat())
}

fn array(shape: (usize, usize), values: Vec<f64>) -> PyResult<Array2<f64>> {
    Array2::from_shape_vec(shape, values).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Games as numbers: whole ones are exact below 2^53, further than any game comes.
fn rows(played: &[PlayedGame]) -> PyResult<Array2<f64>> {
    let of = |game: &PlayedGame| {
        let PlayedGame { value, lines, pieces, censored } = *game;
        [value, lines as f64, pieces as f64, f64::from(u8::from(censored))]
    };
    array((played.len(), OF_GAME), played.iter().flat_map(of).collect())
}

/// The games that such numbers tell of.
pub(crate) fn played_games(rows: ArrayView2<'_, f64>) -> PyResult<Vec<PlayedGame>> {
    if rows.ncols() != OF_GAME {
        let text = format!("results: {} columns, give {OF_GAME} as play does", rows.ncols());
        return Err(setting_error(text));
    }
    let game = |row: numpy::ndarray::ArrayView1<'_, f64>| PlayedGame {
        value: row[0],
        lines: row[1] as u64,
        pieces: row[2] as u64,
        censored: row[3] != 0.0,
    };
    Ok(rows.rows().into_iter().map(game).collect())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Evaluator>()
}
