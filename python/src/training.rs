//! The classes `Training`, whose games any process may play, and `Optimiser`, to ask for candidates
//! and tell their scores.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use numpy::IntoPyArray;
use numpy::ndarray::Ix1;
use tetrastat::cli::hosted::{self, OpenTraining};
use tetrastat::train::{
    Evaluation, OptimiserState, Racing, Trainer, Training as TrainingState, TrainingWatch,
};

use crate::conversion::{
    Numbers, argument_error, engine_error, keywords, python, refusal_error, settings,
};
use crate::evaluator::{Weights, matrix, played_games};
use crate::prelude::*;
use crate::process::{ProcessLocal, run_interruptibly};

/// Games that a training asks to play: candidates' weights, seed, and games per candidate.
type GamesToPlay<'py> = (Bound<'py, PyArray2<f64>>, u64, u64);

/// Training in a folder, whose games any process or machine may play.
///
/// `ask` returns candidates to play, `tell` takes the results, and `play` plays all remaining games
/// in this process. Tables and a checkpoint are kept in the folder, which has the same bytes as a
/// folder of ``tetrastat train``, wherever the games are played.
///
/// Parameters
/// ----------
/// **settings
///     Options of ``tetrastat train`` with ``_`` for ``-``, as for `train`.
///
/// Raises
/// ------
/// TypeError
///     If there is no such option.
/// SettingError
///     If an option has an invalid value.
/// TetrastatError
///     If the folder holds another training or cannot be written.
///
/// Examples
/// --------
/// >>> from tetrastat import Evaluator, Training
/// >>> training = Training(preset="rvce", out="mine")                # doctest: +SKIP
/// >>> evaluator = Evaluator(**training.settings)                    # doctest: +SKIP
/// >>> while (batch := training.ask()) is not None:                  # doctest: +SKIP
/// ...     weights, seed, games = batch
/// ...     training.tell(evaluator.play(weights, seed, games, 0, len(weights) * games))
/// >>> training.finish()["summary"]                                  # doctest: +SKIP
#[pyclass(module = "tetrastat")]
struct Training {
    /// Trainer, until the training is complete or finished. The mutex allows several Python threads
    /// to hold a reference.
    trainer: ProcessLocal<Option<Mutex<Trainer>>>,
    settings: Map<String, Value>,
    folder: PathBuf,
    watch: Arc<TrainingWatch>,
    /// Time of the first call of `ask` since the training last received results.
    asked: Option<Instant>,
    /// Wall-clock seconds in which the training played games, and mean busy seconds per thread.
    seconds: (f64, f64),
}

#[pymethods]
impl Training {
    #[new]
    #[pyo3(signature = (**given), text_signature = "(**settings)")]
    fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Training> {
        let watch = Arc::new(TrainingWatch::default());
        let begun = hosted::begin_training(&settings(given)?, &watch);
        let begun = begun.map_err(|refusal| refusal_error("train", refusal))?;
        let OpenTraining { folder, trainer, settings } = begun;
        let trainer = ProcessLocal::new(trainer.map(Mutex::new));
        Ok(Training { trainer, settings, folder, watch, asked: None, seconds: (0.0, 0.0) })
    }

    /// Returns the games to play next: those of a generation, a check of the mean, or the finals.
    ///
    /// Returns
    /// -------
    /// tuple or None
    ///     Weights of the candidates (ndarray of float64, shape (n, k)), seed of the games, and
    ///     number of games of each candidate. None if all games have been played.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the objective is ``estimate``, or with racing: only `play` supports these.
    fn ask<'py>(&mut self, py: Python<'py>) -> PyResult<Option<GamesToPlay<'py>>> {
        let Some(trainer) = trainer(&mut self.trainer)? else { return Ok(None) };
        let plan = trainer.training().plan();
        if plan.objective.estimates().is_some() || plan.racing != Racing::None {
            let text = "objective estimate and racing need one machine: call play";
            return Err(PyValueError::new_err(text));
        }
        let Some(batch) = trainer.batch() else { return Ok(None) };
        self.asked.get_or_insert_with(Instant::now);
        Ok(Some((matrix(&batch.candidates)?.into_pyarray(py), batch.seed, batch.games)))
    }

    /// Takes the results of the games that `ask` returned, and writes the completed generation.
    ///
    /// Parameters
    /// ----------
    /// results : array_like of float64, shape (n * games, 4)
    ///     Results of all pairs of a candidate and a game, as `Evaluator.play` returns the results.
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If there is not one result of 4 values for each pair.
    /// ValueError
    ///     If the training is over.
    fn tell(&mut self, results: Weights<'_>) -> PyResult<()> {
        let played = played_games(results.view())?;
        let Some(trainer) = trainer(&mut self.trainer)? else { return Err(training_over_error()) };
        let (games, pieces) = (played.len() as u64, played.iter().map(|game| game.pieces).sum());
        trainer.take(played).map_err(|error| argument_error(&error))?;
        self.watch.totals.played.fetch_add(games, Ordering::Relaxed);
        self.watch.totals.pieces.fetch_add(pieces, Ordering::Relaxed);
        let spent = self.asked.take().map_or(0.0, |asked| asked.elapsed().as_secs_f64());
        self.seconds = (self.seconds.0 + spent, self.seconds.1 + spent);
        Ok(())
    }

    /// Plays all remaining games on the threads of this machine.
    ///
    /// Parameters
    /// ----------
    /// progress : callable, optional
    ///     Function that is called about ten times a second with the share of the work done (0 to
    ///     1, or None) and a text.
    ///
    /// Raises
    /// ------
    /// KeyboardInterrupt
    ///     After Ctrl-C. Completed generations are kept.
    #[pyo3(signature = (progress = None))]
    fn play(&mut self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let Some(trainer) = trainer(&mut self.trainer)? else { return Ok(()) };
        let (watch, stop) = (&*self.watch, AtomicBool::new(false));
        let plan = trainer.training().plan();
        let generations = plan.generations;
        let evaluation = Evaluation::new(plan.games.clone(), plan.objective.clone());
        let evaluation = evaluation.map_err(|error| engine_error(&error))?;
        let look = || match &progress {
            Some(progress) => {
                let text = describe(watch, generations);
                progress.call1(py, (watch.share(), text)).map(|_| ())
            }
            None => Ok(()),
        };
        let halt = || stop.store(true, Ordering::SeqCst);
        let played =
            run_interruptibly(py, halt, look, || trainer.play(&evaluation, &watch.totals, &stop));
        let (wall, busy) = evaluation.seconds();
        self.seconds = (self.seconds.0 + wall, self.seconds.1 + busy);
        played
    }

    /// Ends the training. If games remain, the best result so far is kept and the training can
    /// resume.
    ///
    /// Returns
    /// -------
    /// dict
    ///     Content of ``run.json``, which this method writes next to ``controller.toml``.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(trainer) = self.trainer.get_or_refuse("training")?.take() {
            let trainer = trainer.into_inner().unwrap_or_else(PoisonError::into_inner);
            trainer.finish(self.seconds).map_err(|error| engine_error(&error))?;
        }
        let text = std::fs::read_to_string(self.folder.join("run.json"))?;
        python(py, &text)
    }

    /// Folder of the training.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Settings of the games, from the arguments, the preset and the configuration:
    /// `Evaluator(**training.settings)` plays the same games.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        keywords(py, &self.settings)
    }

    /// Number of generations completed; None if the training is over.
    #[getter]
    fn generation(&self) -> Option<u64> {
        self.inspect(TrainingState::generation)
    }

    /// Maximum number of generations; None if the training is over.
    #[getter]
    fn generations(&self) -> Option<u64> {
        self.inspect(|training| training.plan().generations)
    }

    /// Progress as text, such as `generation 3/50 · best 120.5 mean 80.1`.
    #[getter]
    fn text(&self) -> String {
        describe(&self.watch, self.generations().unwrap_or_default())
    }
}

impl Training {
    fn inspect<T>(&self, inspect: impl FnOnce(&TrainingState) -> T) -> Option<T> {
        let trainer = self.trainer.get()?.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(inspect(trainer.training()))
    }
}

/// Returns the trainer of a training, or `None` once the training is over. The exclusive reference
/// makes locking unnecessary.
fn trainer(trainer: &mut ProcessLocal<Option<Mutex<Trainer>>>) -> PyResult<Option<&mut Trainer>> {
    let trainer = trainer.get_or_refuse("training")?.as_mut();
    Ok(trainer.map(|trainer| trainer.get_mut().unwrap_or_else(PoisonError::into_inner)))
}

fn describe(watch: &TrainingWatch, generations: u64) -> String {
    let status = watch.status();
    let stage = match status.finals {
        true => "finals".to_owned(),
        false => format!("generation {}/{generations}", status.generation),
    };
    match status.last {
        Some((best, mean)) => format!("{stage} · best {best:.1} mean {mean:.1}"),
        None => stage,
    }
}

fn training_over_error() -> PyErr {
    PyValueError::new_err("the training is over: it takes no more results")
}

type Scores<'py> = Numbers<'py, Ix1>;
/// Best candidate of an optimiser: its weights, score and generation.
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

    /// Name of the optimiser's method, such as `cmaes`.
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
    /// The score is biased upwards: score the candidate again on other games.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> Option<Best<'py>> {
        let best = self.0.best()?;
        Some((best.candidate.clone().into_pyarray(py), best.score, best.generation))
    }

    /// Reason for the optimiser to stop, or None while the search can continue.
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
    module.add_class::<Training>()?;
    module.add_class::<Optimiser>()
}
