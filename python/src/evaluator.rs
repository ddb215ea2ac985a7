//! The class `Evaluator`, which plays the games of candidates for any optimiser.

use std::sync::atomic::Ordering;

use numpy::IntoPyArray;
use numpy::ndarray::{Array2, ArrayView2, Ix2};
use tetrastat::cli::hosted::plan_training;
use tetrastat::engine::Totals;
use tetrastat::train::{Evaluation, EvaluationBatch, PlayedGame, TrainingPlan};

use crate::conversion::{Numbers, engine_error, keywords, refusal_error, setting_error, settings};
use crate::prelude::*;
use crate::process::{SharedProcessLocal, run_interruptibly};

/// Number of values that describe a played game: objective value, lines, pieces, and 1 if cut off.
pub(crate) const VALUES_PER_GAME: usize = 4;

pub(crate) type Weights<'py> = Numbers<'py, Ix2>;

/// Plays the games of candidates on all cores, as a training does, for any optimiser.
///
/// A candidate is a vector of weights, one for each feature; only its direction matters. All
/// candidates play the games of one seed (common random numbers), so that their scores differ by
/// play and not by the pieces dealt. An evaluator can be pickled; the pickle holds its settings.
///
/// Parameters
/// ----------
/// **settings
///     Options of ``tetrastat train`` with ``_`` for ``-``: ``features`` (names, or the controller
///     that has them), ``board="10x20"``, ``rules``, ``queue``, ``search``, ``max_pieces``,
///     ``objective="lines"`` (or ``mean-COLUMN``, ``median-COLUMN``, ``sprint``), ``minimise``,
///     ``lost``, ``games=10`` per candidate, ``seed=1``, ``threads`` (default: all cores), or a
///     ``preset``. Options of the optimiser have no effect.
///
/// Raises
/// ------
/// TypeError
///     If there is no such option.
/// SettingError
///     If an option has an invalid value.
/// TetrastatError
///     If the settings describe no games.
///
/// Examples
/// --------
/// >>> import tetrastat
/// >>> evaluator = tetrastat.Evaluator(features="bcts", board="10x10", games=3, max_pieces=100)
/// >>> candidates = [[-1.0] * len(evaluator.features), [1.0] * len(evaluator.features)]
/// >>> evaluator.evaluate(candidates).shape
/// (2, 3)
#[pyclass(frozen, module = "tetrastat")]
struct Evaluator {
    evaluation: SharedProcessLocal<Evaluation>,
    plan: TrainingPlan,
    settings: Map<String, Value>,
}

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (**given), text_signature = "(**settings)")]
    fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Evaluator> {
        let settings = settings(given)?;
        let plan =
            plan_training(&settings).map_err(|refusal| refusal_error("Evaluator", refusal))?;
        let evaluation = SharedProcessLocal::new(evaluation(&plan)?);
        Ok(Evaluator { evaluation, plan, settings })
    }

    /// Plays every candidate's games.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like of float64, shape (n, k)
    ///     Candidates, one per row, each with k numbers: a weight for each of the ``features`` and,
    ///     with ``windows``, the entries of all tables in their order.
    /// generation : int
    ///     Generation of a training whose games to play. Each generation has its own games.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n, games)
    ///     Value of each game by the objective, in its unit: lines, pieces, points, ...
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If `weights` does not have k columns, or a weight is not finite.
    #[pyo3(
        signature = (weights, generation = Whole(0)),
        text_signature = "($self, weights, generation=0)"
    )]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        weights: Weights<'py>,
        generation: Whole<u64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let batch = self.batch(weights.view(), generation.0)?;
        let values =
            self.played(py, &batch, 0, batch.pairs())?.iter().map(|game| game.value).collect();
        let shape = (batch.candidates.len(), batch.games as usize);
        Ok(array(shape, values)?.into_pyarray(py))
    }

    /// Plays every candidate's games and scores the candidates as a training does.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like of float64, shape (n, k)
    ///     Candidates, one per row, as for `evaluate`.
    /// generation : int
    ///     Generation of a training whose games to play, as for `evaluate`.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n,)
    ///     Score of each candidate. A larger score is better, even if the objective is minimised.
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If `weights` does not have k columns, or a weight is not finite.
    #[pyo3(
        signature = (weights, generation = Whole(0)),
        text_signature = "($self, weights, generation=0)"
    )]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        weights: Weights<'py>,
        generation: Whole<u64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let batch = self.batch(weights.view(), generation.0)?;
        let played = self.played(py, &batch, 0, batch.pairs())?;
        let games = batch.by_candidate(played).map_err(|error| engine_error(&error))?;
        let objective = &self.plan.objective;
        let score = |games| objective.score(objective.value(games));
        Ok(games.iter().map(score).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Plays a range of the pairs of a candidate and a game.
    ///
    /// The result of a pair does not depend on the other pairs, so that ranges can be played apart.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like of float64, shape (n, k)
    ///     Candidates, one per row, as for `evaluate`.
    /// seed : int
    ///     Seed of the games, from 0 to 2**64 - 1.
    /// games : int
    ///     Number of games of each candidate.
    /// first, last : int
    ///     Range of pairs: ``first`` is included, ``last`` is not. Pairs are numbered from 0,
    ///     candidate by candidate: pair ``i`` is game ``i % games`` of candidate ``i // games``.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (last - first, 4)
    ///     For each pair: the game's value by the objective, its lines, its pieces, and 1 if it was
    ///     cut off, else 0.
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If `weights` or the range is invalid, or if the objective is ``estimate``, which cannot
    ///     be played in parts.
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
            let text = "objective estimate places its levels with all candidates, so a part of the \
                        pairs cannot be played: call evaluate or scores, or Training.play";
            return Err(setting_error(text.to_owned()));
        }
        let batch = EvaluationBatch::new(self.candidates(weights.view())?, seed, games);
        if first > last || last > batch.pairs() {
            let pairs = batch.pairs();
            let text = format!("pairs {first} to {last}: there are {pairs}, numbered from 0");
            return Err(setting_error(text));
        }
        let played = self.played(py, &batch, first, last)?;
        Ok(rows(&played)?.into_pyarray(py))
    }

    /// Names of the weighted features, in the order of the weights: list of str.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.plan.games.names()
    }

    /// Number of games that each candidate (vector of weights) plays.
    #[getter]
    fn games(&self) -> u64 {
        self.plan.games.plan().games
    }

    /// Seed of the training whose games the candidates play.
    #[getter]
    fn seed(&self) -> u64 {
        self.plan.games.plan().seed
    }

    /// Objective by which candidates (vectors of weights) are scored, such as ``lines``.
    #[getter]
    fn objective(&self) -> String {
        self.plan.objective.to_string()
    }

    /// True if a smaller value of the objective is better.
    #[getter]
    fn minimise(&self) -> bool {
        self.plan.objective.minimise()
    }

    /// Number of threads that play.
    #[getter]
    fn threads(&self) -> usize {
        self.plan.games.plan().threads
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), keywords(py, &self.settings)?))
    }

    fn __repr__(&self) -> String {
        let (games, objective) = (&self.plan.games, &self.plan.objective);
        let (description, count) = (games.describe(", "), games.plan().games);
        let (seed, objective) = (games.plan().seed, objective.describe());
        format!("<Evaluator: {count} games, {description}, seed {seed}; {objective}>")
    }
}

impl Evaluator {
    fn batch(&self, weights: ArrayView2<'_, f64>, generation: u64) -> PyResult<EvaluationBatch> {
        let (seed, games) = (self.plan.games_seed(generation), self.plan.games.plan().games);
        Ok(EvaluationBatch::new(self.candidates(weights)?, seed, games))
    }

    fn candidates(&self, weights: ArrayView2<'_, f64>) -> PyResult<Vec<Vec<f64>>> {
        let (given, wanted) = (weights.ncols(), self.plan.games.dimension());
        if given != wanted {
            let entries = self.plan.games.layout().map_or("", |_| " and table entry");
            let text =
                format!("weights: {given} columns, give {wanted}, one for each feature{entries}");
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
        // A call returns no games only if it was stopped, and `run_interruptibly` then returns an
        // error.
        Ok(run_interruptibly(py, || stop.store(true, Ordering::SeqCst), || Ok(()), play)?
            .unwrap_or_default())
    }
}

/// Creates the evaluation that plays the games of `plan` for candidates, and starts its threads.
fn evaluation(plan: &TrainingPlan) -> PyResult<Evaluation> {
    Evaluation::new(plan.games.clone(), plan.objective.clone())
        .map_err(|error| engine_error(&error))
}

pub(crate) fn vectors(array: ArrayView2<'_, f64>) -> Vec<Vec<f64>> {
    array.rows().into_iter().map(|row| row.to_vec()).collect()
}

pub(crate) fn matrix(vectors: &[Vec<f64>]) -> PyResult<Array2<f64>> {
    let width = vectors.first().map_or(0, Vec::len);
    array((vectors.len(), width), vectors.concat())
}

fn array(shape: (usize, usize), values: Vec<f64>) -> PyResult<Array2<f64>> {
    Array2::from_shape_vec(shape, values).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Converts played games to rows of [`VALUES_PER_GAME`] numbers. Counts are exact below 2^53.
fn rows(played: &[PlayedGame]) -> PyResult<Array2<f64>> {
    let of = |game: &PlayedGame| {
        let PlayedGame { value, lines, pieces, censored } = *game;
        [value, lines as f64, pieces as f64, f64::from(u8::from(censored))]
    };
    array((played.len(), VALUES_PER_GAME), played.iter().flat_map(of).collect())
}

pub(crate) fn played_games(rows: ArrayView2<'_, f64>) -> PyResult<Vec<PlayedGame>> {
    if rows.ncols() != VALUES_PER_GAME {
        let text =
            format!("results: {} columns, give {VALUES_PER_GAME} as play does", rows.ncols());
        return Err(setting_error(text));
    }
    if !rows.iter().all(|value| value.is_finite()) {
        return Err(setting_error("results: give finite numbers, as play does".to_owned()));
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
