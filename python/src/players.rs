//! Python functions as players of classic games, which give values to the boards after placements.
//!
//! The threads of a command play many games at once, and another thread calls the function with the
//! boards of all waiting decisions. All calls come from one thread, because numerical libraries
//! start threads of their own for each thread that calls them.

use std::sync::{Condvar, MutexGuard, OnceLock};
use std::{fmt, thread};

use pyo3::exceptions::PyException;
use tetrastat::controller::{
    BoardValues, Connection, Controller, External, ExternalSource, HOST_PREFIX, split_weights,
};
use tetrastat::threads::catch_panic;

use crate::conversion::engine_error;
use crate::prelude::*;
use crate::process::lock;

pub(crate) struct Players(Vec<(Controller, Arc<Service>)>);

impl Players {
    pub(crate) fn new(players: &[Bound<'_, PyAny>]) -> PyResult<Players> {
        players.iter().map(player).collect::<PyResult<_>>().map(Players)
    }

    pub(crate) fn controllers(&self) -> Vec<Controller> {
        self.0.iter().map(|(controller, _)| controller.clone()).collect()
    }

    /// Adds a Python player's exception to `error` as its cause. Returns the exception itself if it
    /// is not an error, such as `KeyboardInterrupt`.
    pub(crate) fn with_cause(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let cause = self.0.iter().find_map(|(_, service)| lock(&service.raised).take());
        match cause {
            Some(cause) if !cause.is_instance_of::<PyException>(py) => return cause,
            Some(cause) => error.set_cause(py, Some(cause)),
            None => {}
        }
        error
    }
}

fn player(given: &Bound<'_, PyAny>) -> PyResult<(Controller, Arc<Service>)> {
    let name: String = given.getattr("name")?.extract()?;
    let weights = given.getattr("weights")?.call_method0("items")?.try_iter()?;
    let weights: Vec<(String, f64)> =
        weights.map(|pair| pair?.extract()).collect::<PyResult<_>>()?;
    let wrong = |problem| engine_error(&Error::Controller { name: name.clone(), problem });
    let (weights, at_height) = split_weights(weights).map_err(wrong)?;
    let service = Arc::new(Service {
        name: name.clone(),
        evaluate: given.getattr("_evaluate")?.unbind(),
        limit: given.getattr("batch")?.extract()?,
        is_packed: given.getattr("format")?.eq("rows")?,
        raised: Mutex::default(),
        state: Mutex::default(),
        asked: Condvar::new(),
        answered: Condvar::new(),
    });
    let controller = Controller {
        title: "Python function".to_owned(),
        source: "a Python program".to_owned(),
        weights,
        at_height,
        external: Some(External::new(Source(Arc::clone(&service)))),
        ..Controller::new(name, Measured::AfterClear)
    };
    Ok((controller, service))
}

/// A Python function that scores boards, and the boards that wait to be scored, shared by threads.
struct Service {
    name: String,
    evaluate: Py<PyAny>,
    /// Largest number of boards passed in one call of the Python function.
    limit: usize,
    /// True if the Python function receives rows as `uint16`, of shape (boards, height), otherwise
    /// cells as `bool`, of shape (boards, height, width).
    is_packed: bool,
    /// Exception of the first failed call of the Python function.
    raised: Mutex<Option<PyErr>>,
    state: Mutex<State>,
    asked: Condvar,
    answered: Condvar,
}

#[derive(Default)]
struct State {
    boards: Vec<Board>,
    /// Values that the Python function returned for `boards`, once the call is done.
    open: Arc<OnceLock<std::result::Result<Vec<f64>, String>>>,
    clients: usize,
    is_served: bool,
}

struct Source(Arc<Service>);

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.0.name).finish()
    }
}

impl ExternalSource for Source {
    fn describe(&self) -> String {
        format!("{HOST_PREFIX}{}", self.0.name)
    }

    fn connect(&self) -> Result<Connection> {
        let mut state = lock(&self.0.state);
        if !state.is_served {
            let service = Arc::clone(&self.0);
            let thread = thread::Builder::new().name("values".to_owned());
            let started = thread.spawn(move || service.serve());
            started.map_err(|error| {
                self.0.error(format!("starting a thread: {error}: end other programs"))
            })?;
            state.is_served = true;
        }
        state.clients += 1;
        drop(state);
        Ok(Connection::Values(Box::new(Client(Arc::clone(&self.0)))))
    }
}

struct Client(Arc<Service>);

impl Drop for Client {
    fn drop(&mut self) {
        lock(&self.0.state).clients -= 1;
        self.0.asked.notify_one();
    }
}

impl BoardValues for Client {
    fn values(&mut self, boards: &[Board], values: &mut [f64]) -> Result<()> {
        let service = &self.0;
        // All placements lose, so the decision needs no values.
        if boards.is_empty() {
            return Ok(());
        }
        let mut state = lock(&service.state);
        let first = state.boards.len();
        state.boards.extend_from_slice(boards);
        let batch = Arc::clone(&state.open);
        service.asked.notify_one();
        loop {
            if let Some(ended) = batch.get() {
                drop(state);
                let all = ended.as_ref().map_err(|problem| service.error(problem.clone()))?;
                values.copy_from_slice(&all[first..first + boards.len()]);
                return Ok(());
            }
            state = wait(&service.answered, state);
        }
    }
}

impl Service {
    fn serve(&self) {
        let mut state = lock(&self.state);
        loop {
            if !state.boards.is_empty() {
                let boards = std::mem::take(&mut state.boards);
                let batch = std::mem::take(&mut state.open);
                drop(state);
                let ended = catch_panic(|| self.values_of(&boards)).and_then(|values| values);
                _ = batch.set(ended.map_err(|error| match error {
                    Error::Controller { problem, .. } => problem,
                    error => error.to_string(),
                }));
                state = lock(&self.state);
                self.answered.notify_all();
            } else if state.clients == 0 {
                state.is_served = false;
                return;
            } else {
                state = wait(&self.asked, state);
            }
        }
    }

    fn values_of(&self, boards: &[Board]) -> Result<Vec<f64>> {
        let called = Python::try_attach(|py| {
            let mut values = Vec::with_capacity(boards.len());
            for part in boards.chunks(self.limit) {
                let raised = |error: PyErr| {
                    let problem = format!("it raised {}", one_line(py, &error));
                    lock(&self.raised).get_or_insert(error);
                    self.error(problem)
                };
                self.add_values(py, part, &mut values).map_err(raised)?;
            }
            Ok(values)
        });
        let ended = || self.error("the Python program has ended".to_owned());
        called.ok_or_else(ended)?
    }

    fn add_values(&self, py: Python<'_>, boards: &[Board], values: &mut Vec<f64>) -> PyResult<()> {
        let Some(size) = boards.first().map(Board::size) else { return Ok(()) };
        let (count, height, width) = (boards.len(), size.height(), size.width());
        let rows = boards.iter().flat_map(|board| &board.rows()[..height]);
        let array = if self.is_packed {
            PyArray1::from_iter(py, rows.copied()).reshape([count, height])?.into_any()
        } else {
            let mut cells = Vec::with_capacity(count * height * width);
            for row in rows {
                cells.extend((0..width).map(|column| row >> column & 1 != 0));
            }
            PyArray1::from_vec(py, cells).reshape([count, height, width])?.into_any()
        };
        let found = self.evaluate.bind(py).call1((array,))?.cast_into::<PyArray1<f64>>()?;
        values.extend(found.readonly().as_array());
        Ok(())
    }

    fn error(&self, problem: String) -> Error {
        Error::Controller { name: self.name.clone(), problem }
    }
}

fn one_line(py: Python<'_>, error: &PyErr) -> String {
    let kind =
        error.get_type(py).name().map_or_else(|_| "Exception".to_owned(), |name| name.to_string());
    let message = error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string());
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if message.is_empty() { kind } else { format!("{kind}: {message}") }
}

fn wait<'a, T>(signal: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    signal.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
