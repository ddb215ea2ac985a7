//! Environments for reinforcement learning. One call steps many games on several threads and writes
//! observations to arrays that Python shares.
//!
//! | file | content |
//! |---|---|
//! | `game` | the interface of a game |
//! | `placing`, `keys`, `guideline`, `falling` | the games, which call the engine |
//! | `batch` | batches of games, illegal actions, ends and automatic resets |
//! | `cells`, `meter` | planes, masks and features |
//! | `state` | states of games as bytes |
//! | `single` | one game, whose steps return new arrays |
//! | `arrays`, `options` | observation arrays and options |

mod arrays;
mod batch;
mod cells;
mod falling;
mod game;
mod guideline;
mod keys;
mod meter;
mod options;
mod placing;
mod single;
mod state;

use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::ThreadPool;
use tetrastat::board::Board;
use tetrastat::error::{Error, Result};
use tetrastat::threads::thread_pool;

use self::arrays::{Arrays, Field, ObservationKinds};
use self::batch::{AnyBatch, StepRows};
pub(crate) use self::cells::RowOrder;
use self::game::{Shape, Start};
use self::options::{Classic, GuidelineGame, Shared};
use self::single::SingleGame;
use crate::boards::PyBoard;
use crate::errors::{Whole, argument_error, setting_error};
use crate::process::ProcessLocal;

/// Converts an error of the engine to an exception. Command-line options in the message become the
/// names of the Python arguments.
fn option_error(error: &Error) -> PyErr {
    let text = error.to_string();
    if text.contains("--") {
        argument_error(&Error::Config(arguments(&text)))
    } else {
        argument_error(error)
    }
}

/// Replaces the command-line options in `text`, such as `--max-pieces`, by the names of Python
/// arguments, such as `max_pieces`.
fn arguments(text: &str) -> String {
    let mut parts = text.split("--");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        plain += &part[..end].replace('-', "_");
        plain += &part[end..];
    }
    plain
}

/// Number of flags that a step sets for each game: terminated, truncated, illegal action, and new
/// game.
const FLAGS: usize = 4;

/// Seed and game number of a game to start; `None` keeps the seed, or takes the next game.
type SeedAndGame = (Option<Whole<u64>>, Option<Whole<u64>>);

/// Games of one kind that are stepped together. `placing`, `keys` and `stacking` create them.
///
/// The flat arrays in `arrays` hold the observations, which every step overwrites. The arrays in
/// `last` hold the last observations of games that ended in a step that also started their next
/// game.
#[pyclass(module = "tetrastat._tetrastat")]
struct Games {
    batch: Box<dyn AnyBatch>,
    /// Threads that step games in addition to the calling thread; `None` for no other thread.
    pool: ProcessLocal<Option<ThreadPool>>,
    num_envs: usize,
    asked: ObservationKinds,
    /// Number of games whose last observations are kept: all or none.
    kept: usize,
    shown: Arrays,
    last: Arrays,
    reward: Field<f64>,
    flags: Field<u8>,
}

/// Starts `parts - 1` threads. The calling thread steps a part of the games, too.
fn started(parts: usize) -> PyResult<Option<ThreadPool>> {
    match parts {
        1 => Ok(None),
        parts => thread_pool(parts - 1).map(Some).map_err(|error| option_error(&error)),
    }
}

impl Games {
    fn new(py: Python<'_>, shared: &Shared, batch: Result<Box<dyn AnyBatch>>) -> PyResult<Games> {
        let batch = batch.map_err(|error| option_error(&error))?;
        let asked = shared.asked().map_err(|error| option_error(&error))?;
        let (num_envs, shape) = (shared.num_envs, batch.shape());
        let pool = ProcessLocal::new(started(batch.parts())?);
        // The NumPy arrays are created only after a check that there is enough memory for them.
        let shown = |is_asked: bool, values: usize| if is_asked { values } else { 0 };
        let floats = shown(asked.features, shape.observed())
            + shown(asked.afterstates, shape.actions * shape.features);
        let is_kept_twice = 1 + usize::from(shared.keeps_last());
        let bytes = num_envs.checked_mul(is_kept_twice * (4 * floats + 8 * shape.actions));
        if bytes.is_none_or(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_err()) {
            let text = format!("making {num_envs} games: out of memory (give a smaller num_envs)");
            return Err(PyMemoryError::new_err(text));
        }
        let kept = if shared.keeps_last() { num_envs } else { 0 };
        Ok(Games {
            pool,
            num_envs,
            asked,
            kept,
            shown: Arrays::new(py, num_envs, shape, asked),
            last: Arrays::new(py, kept, shape, asked),
            reward: Field::new(py, num_envs, 1),
            flags: Field::new(py, num_envs, FLAGS),
            batch,
        })
    }

    /// Writes the observations of the games with the numbers `games` to the arrays.
    fn show(&mut self, py: Python<'_>, games: &[usize]) -> PyResult<()> {
        let mut shown = self.shown.lock(py)?;
        let (batch, shown) = (&mut self.batch, shown.shown()?);
        py.detach(|| batch.show(games, shown));
        Ok(())
    }

    fn check_index(&self, index: usize) -> PyResult<()> {
        if index < self.num_envs {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("game {index}: there are {}", self.num_envs)))
    }

    fn check_actions(&self, actions: &[i64]) -> PyResult<()> {
        let count = self.batch.shape().actions;
        if actions.len() != self.num_envs {
            let text = format!("{} actions for {} games", actions.len(), self.num_envs);
            return Err(PyValueError::new_err(text));
        }
        if let Some(wrong) = actions.iter().find(|action| !(0..count as i64).contains(*action)) {
            return Err(PyValueError::new_err(format!("action {wrong}: use 0 to {}", count - 1)));
        }
        match self.batch.find_refusal(actions) {
            Some((game, why)) => Err(PyValueError::new_err(format!(
                "action {} of game {game}: {why}",
                actions[game]
            ))),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl Games {
    /// Creates classic games that are played by placements.
    #[staticmethod]
    fn placing(py: Python<'_>, shared: Shared, classic: Classic, rules: &str) -> PyResult<Games> {
        Games::new(py, &shared, classic.placing(&shared, rules))
    }

    /// Creates classic games that are played by key presses.
    #[staticmethod]
    fn keys(py: Python<'_>, shared: Shared, classic: Classic, notebook: bool) -> PyResult<Games> {
        Games::new(py, &shared, classic.keys(&shared, notebook))
    }

    /// Creates guideline games.
    #[staticmethod]
    fn stacking(py: Python<'_>, shared: Shared, guideline: GuidelineGame) -> PyResult<Games> {
        Games::new(py, &shared, guideline.stacking(&shared))
    }

    /// Sizes of a game's observations and actions: dict of str to int.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        shape_dict(py, self.batch.shape())
    }

    /// Number of threads that share the games.
    #[getter]
    fn threads(&self) -> usize {
        self.batch.parts()
    }

    /// Flat arrays: the observations, `reward`, and `flags` (terminated, truncated, illegal action,
    /// new game).
    #[getter]
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = self.shown.dict(py)?;
        dict.set_item("reward", self.reward.array(py))?;
        dict.set_item("flags", self.flags.array(py))?;
        Ok(dict)
    }

    /// Flat arrays of the last observations of games that ended in a step that also started their
    /// next game.
    #[getter]
    fn last<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.last.dict(py)
    }

    /// Steps every game by its action: ndarray of int64, shape (num_envs,).
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice()?;
        self.check_actions(actions)?;
        let (mut shown, mut last) = (self.shown.lock(py)?, self.last.lock(py)?);
        let (mut reward, mut flags) = (self.reward.lock(py)?, self.flags.lock(py)?);
        let stepped = StepRows {
            shown: shown.shown()?,
            last: last.shown()?,
            reward: reward.rows()?,
            flags: flags.rows()?,
        };
        let parts = self.batch.parts();
        let (batch, pool) =
            (&mut self.batch, self.pool.get_or_recreate(|| started(parts))?.as_ref());
        py.detach(|| batch.step(pool, actions, stepped)).map_err(|error| option_error(&error))
    }

    /// Starts games. `starts` has an entry for each game: `(seed, game)`, where `None` for either
    /// keeps the seed or takes the next game, or `None` to leave that game running. A start board,
    /// a `Board` or a picture, applies to all games that start.
    fn begin(
        &mut self,
        py: Python<'_>,
        starts: Vec<Option<SeedAndGame>>,
        board: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        if starts.len() != self.num_envs {
            let text = format!("{} starts for {} games", starts.len(), self.num_envs);
            return Err(PyValueError::new_err(text));
        }
        let board = board.map(|given| read_board(given, self.batch.shape())).transpose()?;
        let number = |given: Option<Whole<u64>>| given.map(|Whole(number)| number);
        let start = |(seed, game)| Start { seed: number(seed), game: number(game), board };
        let starts: Vec<_> = starts.into_iter().map(|given| given.map(start)).collect();
        let mut shown = self.shown.lock(py)?;
        let (batch, shown) = (&mut self.batch, shown.shown()?);
        py.detach(|| batch.begin(&starts, shown)).map_err(|error| option_error(&error))
    }

    /// Returns a copy, whose games continue independently and have arrays of their own.
    fn clone(&self, py: Python<'_>) -> PyResult<Games> {
        let batch = self.batch.boxed_clone();
        let (num_envs, shape, asked) = (self.num_envs, batch.shape(), self.asked);
        let mut games = Games {
            pool: ProcessLocal::new(started(batch.parts())?),
            num_envs,
            asked,
            kept: self.kept,
            shown: Arrays::new(py, num_envs, shape, asked),
            last: Arrays::new(py, self.kept, shape, asked),
            reward: Field::new(py, num_envs, 1),
            flags: Field::new(py, num_envs, FLAGS),
            batch,
        };
        let all: Vec<usize> = (0..num_envs).collect();
        games.show(py, &all)?;
        Ok(games)
    }

    /// Returns the state of the games with the numbers `games` as bytes.
    fn get_state<'py>(&self, py: Python<'py>, games: Vec<usize>) -> PyResult<Bound<'py, PyBytes>> {
        games.iter().try_for_each(|&index| self.check_index(index))?;
        let state = py.detach(|| self.batch.save(&games)).map_err(|error| option_error(&error))?;
        Ok(PyBytes::new(py, &state))
    }

    /// Replaces the games with the numbers `games` by those of a state: each by its own, or all by
    /// a single one.
    fn set_state(&mut self, py: Python<'_>, state: &[u8], games: Vec<usize>) -> PyResult<()> {
        games.iter().try_for_each(|&index| self.check_index(index))?;
        let batch = &mut self.batch;
        py.detach(|| batch.load(state, &games)).map_err(|error| option_error(&error))?;
        self.show(py, &games)
    }

    /// Returns a picture of a game as text.
    fn picture(&mut self, index: usize) -> PyResult<String> {
        self.check_index(index)?;
        Ok(self.batch.picture(index))
    }
}

/// Returns the sizes in `shape` with their names as keys.
fn shape_dict(py: Python<'_>, shape: Shape) -> PyResult<Bound<'_, PyDict>> {
    let Shape { planes, height, width, dealt, status, features, actions, start_height } = shape;
    let dict = PyDict::new(py);
    for (name, value) in [
        ("planes", planes),
        ("height", height),
        ("width", width),
        ("dealt", dealt),
        ("status", status),
        ("features", features),
        ("observed", shape.observed()),
        ("actions", actions),
        ("start_height", start_height),
    ] {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

/// Converts a start board from Python: a `Board`, or its picture as text. It must have the size of
/// the games, or as many rows as a plane, which in guideline games includes hidden rows.
fn read_board(given: &Bound<'_, PyAny>, shape: Shape) -> PyResult<Board> {
    let board = match given.cast::<PyBoard>() {
        Ok(board) => board.get().0,
        Err(_) => {
            given.extract::<String>()?.parse().map_err(|error: Error| option_error(&error))?
        }
    };
    let Shape { width, height: plane_height, start_height: height, .. } = shape;
    if board.width() != width || ![height, plane_height].contains(&board.height()) {
        return Err(setting_error(format!(
            "the start board is {}, but the games' is {width}x{height}",
            board.size()
        )));
    }
    Ok(board)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let letters: String = falling::KEYS.iter().map(|&key| falling::letter(key)).collect();
    module.add("GUIDELINE_KEYS", letters)?;
    module.add_class::<Games>()?;
    module.add_class::<SingleGame>()
}
