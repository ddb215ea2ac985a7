//! `Training`: a training in its folder, whose games are played here or elsewhere.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use numpy::{AllowTypeChange, IntoPyArray, PyArray2, PyArrayLike2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};
use tetrastat::cli::trainings::{self, OpenTraining};
use tetrastat::train::{
    Evaluation, Racing, Trainer, Training as InPlay, TrainingPlan, TrainingWatch,
};

use crate::errors::{raised, refused, wrong};
use crate::evaluator::{matrix, played_games};
use crate::process::OfProcess;
use crate::settings::{keywords, python, settings};
use crate::waiting::waited;

/// Candidates, seed of their games, and games of each.
type Asked<'py> = (Bound<'py, PyArray2<f64>>, u64, u64);

/// A training in its folder, whose games may be played anywhere.
///
/// It asks for games (`ask`), is told what they came to (`tell`), and keeps tables and checkpoint in its folder; `play`
/// plays all that is left here. The folder has the bytes of ``tetrastat train``, wherever its games are played.
///
/// Parameters
/// ----------
/// **settings
///     Options of ``tetrastat train`` with ``_`` for ``-``, as for `train`.
///
/// Examples
/// --------
/// >>> training = Training(preset="rvce", out="mine")               # doctest: +SKIP
/// >>> evaluator = Evaluator(**training.settings)                   # doctest: +SKIP
/// >>> while (batch := training.ask()) is not None:                  # doctest: +SKIP
/// ...     weights, seed, games = batch
/// ...     training.tell(evaluator.play(weights, seed, games, 0, len(weights) * games))
/// >>> training.finish()["winner"]                                  # doctest: +SKIP
#[pyclass(module = "tetrastat")]
struct Training {
    /// None when it is complete, or finished. Its tables cannot be shared between threads, but a lock of them can.
    trainer: OfProcess<Option<Mutex<Trainer>>>,
    settings: Map<String, Value>,
    folder: PathBuf,
    watch: Arc<TrainingWatch>,
    /// When what is asked for now was first asked for.
    asked: Option<Instant>,
    /// Seconds in which games were played, and that a thread played on average.
    seconds: (f64, f64),
}

#[pymethods]
impl Training {
    #[new]
    #[pyo3(signature = (**given))]
    fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Training> {
        let watch = Arc::new(TrainingWatch::default());
        let begun = trainings::begin(&settings(given)?, &watch);
        let begun = begun.map_err(|refusal| refused("train", refusal))?;
        let OpenTraining { folder, trainer, settings } = begun;
        let trainer = OfProcess::new(trainer.map(Mutex::new));
        Ok(Training { trainer, settings, folder, watch, asked: None, seconds: (0.0, 0.0) })
    }

    /// What is to be played now, candidates of a generation, a check or finals.
    ///
    /// Returns
    /// -------
    /// tuple or None
    ///     Weights (float64, shape (n, k)), seed of the games, and games of each candidate; None when all was played.
    fn ask<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Asked<'py>>> {
        let Some(trainer) = trainer(&mut self.trainer)? else { return Ok(None) };
        let TrainingPlan { objective, racing, .. } = trainer.training().plan();
        if objective.estimates().is_some() || *racing != Racing::None {
            let text = "objective estimate and racing are played on one machine: call play";
            return Err(PyValueError::new_err(text));
        }
        let Some(batch) = trainer.batch() else { return Ok(None) };
        self.asked.get_or_insert_with(Instant::now);
        Ok(Some((matrix(&batch.candidates)?.into_pyarray(py), batch.seed, batch.games)))
    }

    /// Take what the games came to that were asked for. A generation that is done is written.
    ///
    /// Parameters
    /// ----------
    /// results : array_like of float64, shape (n * games, 4)
    ///     What `Evaluator.play` says of all pairs, in their order.
    fn tell(&mut self, results: PyArrayLike2<'_, f64, AllowTypeChange>) -> PyResult<()> {
        let played = played_games(results.as_array())?;
        let Some(trainer) = trainer(&mut self.trainer)? else { return Err(over()) };
        let (games, pieces) = (played.len() as u64, played.iter().map(|game| game.pieces).sum());
        trainer.take(played).map_err(|error| wrong(&error))?;
        self.watch.totals.played.fetch_add(games, Ordering::Relaxed);
        self.watch.totals.pieces.fetch_add(pieces, Ordering::Relaxed);
        let spent = self.asked.take().map_or(0.0, |asked| asked.elapsed().as_secs_f64());
        self.seconds = (self.seconds.0 + spent, self.seconds.1 + spent);
        Ok(())
    }

    /// Play all that is left on the threads of this machine.
    ///
    /// Parameters
    /// ----------
    /// progress : callable, optional
    ///     Called now and then with the part that is done (0 to 1, or None) and words.
    #[pyo3(signature = (progress = None))]
    fn play(&mut self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let Some(trainer) = trainer(&mut self.trainer)? else { return Ok(()) };
        let (watch, stop) = (&*self.watch, AtomicBool::new(false));
        let plan = trainer.training().plan();
        let generations = plan.generations;
        let evaluation = Evaluation::new(plan.games.clone(), plan.objective.clone());
        let evaluation = evaluation.map_err(|error| raised(&error))?;
        let look = || match &progress {
            Some(progress) => {
                let said = said(watch, generations);
                progress.call1(py, (watch.share(), said)).map(|_| ())
            }
            None => Ok(()),
        };
        let halt = || stop.store(true, Ordering::SeqCst);
        let played = waited(py, halt, look, || trainer.play(&evaluation, &watch.totals, &stop));
        let (wall, busy) = evaluation.seconds();
        self.seconds = (self.seconds.0 + wall, self.seconds.1 + busy);
        played
    }

    /// End the training, or leave it for later with the best so far kept.
    ///
    /// Returns
    /// -------
    /// dict
    ///     What ``train.json`` says, which is then in the folder beside ``controller.toml``.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(trainer) = self.trainer.kept("training")?.take() {
            let trainer = trainer.into_inner().unwrap_or_else(PoisonError::into_inner);
            trainer.finish(self.seconds).map_err(|error| raised(&error))?;
        }
        let text = std::fs::read_to_string(self.folder.join("train.json"))?;
        python(py, &text)
    }

    /// The folder.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// What says what is played, in whatever layer it was given: `Evaluator(**training.settings)` plays its games.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        keywords(py, &self.settings)
    }

    /// Generations done; None when it is over.
    #[getter]
    fn generation(&self) -> Option<u64> {
        self.look(InPlay::generation)
    }

    /// Generations at most.
    #[getter]
    fn generations(&self) -> Option<u64> {
        self.look(|training| training.plan().generations)
    }

    /// How it stands, in words.
    #[getter]
    fn said(&self) -> String {
        said(&self.watch, self.generations().unwrap_or_default())
    }
}

impl Training {
    /// Looks at how it stands.
    fn look<T>(&self, look: impl FnOnce(&InPlay) -> T) -> Option<T> {
        let trainer = self.trainer.get()?.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(look(trainer.training()))
    }
}

/// Nobody else has it meanwhile.
fn trainer(trainer: &mut OfProcess<Option<Mutex<Trainer>>>) -> PyResult<Option<&mut Trainer>> {
    let trainer = trainer.kept("training")?.as_mut();
    Ok(trainer.map(|trainer| trainer.get_mut().unwrap_or_else(PoisonError::into_inner)))
}

fn said(watch: &TrainingWatch, generations: u64) -> String {
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

fn over() -> PyErr {
    PyValueError::new_err("the training is over: there is nothing to tell")
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Training>()
}
