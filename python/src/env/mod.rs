//! Environments for reinforcement learning. One call steps many games on several threads and writes
//! observations to arrays that Python shares.
//!
//! | file | content |
//! |---|---|
//! | `game` | the interface of a game |
//! | `placing`, `keys`, `guideline` | the games, which call the engine |
//! | `batch` | sessions of games: illegal actions, rewards, ends, automatic resets, observations |
//! | `cells` | planes and masks |
//! | `state` | states of games as bytes |
//! | `single` | one game, whose steps return new arrays |
//! | `observed`, `options` | arrays of observations, and options |

mod batch;
mod cells;
mod game;
mod guideline;
mod keys;
mod observed;
mod options;
mod placing;
mod single;
mod state;

use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::ThreadPool;
use tetrastat::board::Board;
use tetrastat::error::{Error, Result};
use tetrastat::threads::thread_pool;

use self::batch::{AnyBatch, Request};
pub(crate) use self::cells::RowOrder;
use self::game::Shape;
use self::observed::{Arrays, ObservedRows};
use self::options::{Games, create};
use self::single::SingleGame;
use crate::boards::PyBoard;
use crate::errors::{Whole, argument_error, setting_error};
use crate::process::ProcessLocal;

/// Seed and game number of a game to start; `None` keeps the seed, or takes the next game.
type SeedAndGame = (Option<Whole<u64>>, Option<Whole<u64>>);

impl Games {
    /// Returns the sizes of a game's observations and actions with their names as keys.
    fn shape_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = self.shape.into_pyobject(py)?;
        dict.set_item("features", self.features)?;
        dict.set_item("observed", self.features + 7 * self.shape.dealt + self.shape.status)?;
        Ok(dict)
    }

    /// Converts a start board from Python: a `Board`, or its picture as text. It must have the size
    /// of the games, or as many rows as a plane, which in guideline games includes hidden rows.
    fn board(&self, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Board>> {
        let Some(given) = given else { return Ok(None) };
        let board = match given.cast::<PyBoard>() {
            Ok(board) => board.get().0,
            Err(_) => {
                given.extract::<String>()?.parse().map_err(|error: Error| argument_error(&error))?
            }
        };
        let Shape { width, height: plane_height, start_height: height, .. } = self.shape;
        if board.width() != width || ![height, plane_height].contains(&board.height()) {
            return Err(setting_error(format!(
                "the start board is {}, but the games' is {width}x{height}",
                board.size()
            )));
        }
        Ok(Some(board))
    }
}

fn request((seed, game): SeedAndGame, board: Option<Board>) -> Request {
    let number = |given: Option<Whole<u64>>| given.map(|Whole(number)| number);
    Request { seed: number(seed), game: number(game), board }
}

/// Games of one kind that are stepped together.
///
/// The flat arrays in `arrays` hold the observations, which every step overwrites. The arrays in
/// `last` hold the last observations of games that ended in a step that also started their next
/// game.
#[pyclass(module = "tetrastat._tetrastat", name = "Games")]
struct VectorGames {
    games: Games,
    /// Threads that step games in addition to the calling thread; `None` for no other thread.
    pool: ProcessLocal<Option<ThreadPool>>,
    shown: Arrays,
    last: Arrays,
}

/// Starts `parts - 1` threads. The calling thread steps a part of the games, too.
fn started(parts: usize) -> PyResult<Option<ThreadPool>> {
    match parts {
        1 => Ok(None),
        parts => thread_pool(parts - 1).map(Some).map_err(|error| argument_error(&error)),
    }
}

impl VectorGames {
    fn of(py: Python<'_>, games: Games) -> PyResult<VectorGames> {
        let (pool, widths) = (started(games.batch.parts())?, games.widths(games.kinds));
        let kept = if games.keeps_last { games.num_envs } else { 0 };
        Ok(VectorGames {
            pool: ProcessLocal::new(pool),
            shown: Arrays::new(py, games.num_envs, widths.clone()),
            last: Arrays::new(py, kept, widths),
            games,
        })
    }

    /// Calls `work` with the games and the rows of their arrays.
    fn with_rows(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AnyBatch, ObservedRows<'_>) -> Result<()> + Send,
    ) -> PyResult<()> {
        let mut shown = self.shown.lock(py)?;
        let rows = shown.rows(self.games.num_envs)?;
        let batch = &mut *self.games.batch;
        py.detach(|| work(batch, rows)).map_err(|error| argument_error(&error))
    }

    fn check_indices(&self, games: &[usize]) -> PyResult<()> {
        let count = self.games.num_envs;
        match games.iter().find(|&&index| index >= count) {
            Some(index) => Err(PyIndexError::new_err(format!("game {index}: there are {count}"))),
            None => Ok(()),
        }
    }

    fn check_actions(&self, actions: &[i64]) -> PyResult<()> {
        let (count, games) = (self.games.shape.actions, self.games.num_envs);
        let text = if actions.len() != games {
            format!("{} actions for {games} games", actions.len())
        } else if let Some(wrong) = actions.iter().find(|it| !(0..count as i64).contains(*it)) {
            format!("action {wrong}: use 0 to {}", count - 1)
        } else if let Some((game, why)) = self.games.batch.find_refusal(actions) {
            format!("action {} of game {game}: {why}", actions[game])
        } else {
            return Ok(());
        };
        Err(PyValueError::new_err(text))
    }
}

#[pymethods]
impl VectorGames {
    /// Creates the games that the dictionary `options` describes.
    #[new]
    fn new(py: Python<'_>, options: &Bound<'_, PyAny>) -> PyResult<VectorGames> {
        VectorGames::of(py, create(options)?)
    }

    /// Sizes of a game's observations and actions: dict of str to int.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.games.shape_dict(py)
    }

    /// Number of threads that share the games.
    #[getter]
    fn threads(&self) -> usize {
        self.games.batch.parts()
    }

    /// Flat arrays: the observations, `reward`, and `flags` (terminated, truncated, illegal action,
    /// new game).
    #[getter]
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.shown.dict(py)
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
        let (parts, mut last) = (self.games.batch.parts(), self.last.lock(py)?);
        let last = &mut last.rows(self.games.num_envs)?;
        let mut shown = self.shown.lock(py)?;
        let shown = &mut shown.rows(self.games.num_envs)?;
        let (batch, pool) =
            (&mut self.games.batch, self.pool.get_or_recreate(|| started(parts))?.as_ref());
        py.detach(|| batch.step(pool, actions, shown, last)).map_err(|error| argument_error(&error))
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
        if starts.len() != self.games.num_envs {
            let text = format!("{} starts for {} games", starts.len(), self.games.num_envs);
            return Err(PyValueError::new_err(text));
        }
        let board = self.games.board(board)?;
        let requests = starts.into_iter().map(|start| start.map(|start| request(start, board)));
        let requests: Vec<_> = requests.collect();
        self.with_rows(py, |batch, rows| batch.begin(&requests, rows))
    }

    /// Returns a copy, whose games continue independently and have arrays of their own.
    fn clone(&self, py: Python<'_>) -> PyResult<VectorGames> {
        let mut games = VectorGames::of(py, self.games.clone())?;
        let all: Vec<usize> = (0..games.games.num_envs).collect();
        games.with_rows(py, |batch, rows| {
            batch.show(&all, rows);
            Ok(())
        })?;
        Ok(games)
    }

    /// Returns the state of the games with the numbers `games` as bytes.
    fn get_state<'py>(&self, py: Python<'py>, games: Vec<usize>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_indices(&games)?;
        let state = py.detach(|| self.games.batch.save(&games));
        Ok(PyBytes::new(py, &state.map_err(|error| argument_error(&error))?))
    }

    /// Replaces the games with the numbers `games` by those of a state: each by its own, or all by
    /// a single one.
    fn set_state(&mut self, py: Python<'_>, state: &[u8], games: Vec<usize>) -> PyResult<()> {
        self.check_indices(&games)?;
        self.with_rows(py, |batch, rows| {
            batch.load(state, &games)?;
            batch.show(&games, rows);
            Ok(())
        })
    }

    /// Returns a picture of a game as text.
    fn picture(&mut self, index: usize) -> PyResult<String> {
        self.check_indices(&[index])?;
        Ok(self.games.batch.picture(index))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("GUIDELINE_KEYS", guideline::key_letters())?;
    module.add_class::<VectorGames>()?;
    module.add_class::<SingleGame>()
}
