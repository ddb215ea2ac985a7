//! Environments for reinforcement learning. One call steps many games on several threads and writes
//! observations to arrays that Python shares. A single game returns new arrays, which costs less
//! than sharing them.
//!
//! | file | content |
//! |---|---|
//! | `batch` | the interface of a game; illegal actions, rewards, ends, resets, observations |
//! | `classic`, `guideline` | the games, which call the engine |
//! | `observed` | arrays of observations, and states of games as bytes |
//! | `options` | options |

mod batch;
mod classic;
mod guideline;
mod observed;
mod options;

use numpy::ndarray::ArrayView;
use numpy::{Element, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::intern;
use pyo3::types::{PyBool, PyBytes};
use rayon::ThreadPool;
use tetrastat::threads::thread_pool;

use self::batch::{AnyBatch, Request, Shape};
use self::observed::{Arrays, ObservationKinds, ObservedRows, PLACEMENT, Values};
use self::options::{Games, create};
use crate::boards::PyBoard;
use crate::conversion::{argument_error, setting_error};
use crate::prelude::*;
use crate::process::ProcessLocal;

pub(crate) use self::observed::RowOrder;

/// Seed and number of a game to start. `None` keeps the seed, or takes the next number.
type SeedAndGame = (Option<Whole<u64>>, Option<Whole<u64>>);

impl Games {
    fn shape_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = self.shape.into_pyobject(py)?;
        dict.set_item("features", self.features)?;
        dict.set_item("observed", self.features + 7 * self.shape.dealt + self.shape.status)?;
        Ok(dict)
    }

    /// Converts a start board from Python, a `Board` or a picture. Fails if the size differs from
    /// the games' boards and planes.
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
/// Every step overwrites the observations in `arrays`. For games that restart in a step, `last`
/// holds the final observations.
#[pyclass(module = "tetrastat._tetrastat", name = "Games")]
struct VectorGames {
    games: Games,
    /// Threads that step games beside the calling thread.
    pool: ProcessLocal<Option<ThreadPool>>,
    shown: Arrays,
    last: Arrays,
}

/// Starts `parts` - 1 threads, which step games together with the calling thread.
fn started(parts: usize) -> PyResult<Option<ThreadPool>> {
    match parts {
        1 => Ok(None),
        parts => thread_pool(parts - 1).map(Some).map_err(|error| argument_error(&error)),
    }
}

impl VectorGames {
    fn from_games(py: Python<'_>, games: Games) -> PyResult<VectorGames> {
        let (pool, widths) = (started(games.batch.parts())?, games.widths(games.kinds));
        let kept = if games.keeps_last { games.num_envs } else { 0 };
        Ok(VectorGames {
            pool: ProcessLocal::new(pool),
            shown: Arrays::new(py, games.num_envs, widths.clone()),
            last: Arrays::new(py, kept, widths),
            games,
        })
    }

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
        VectorGames::from_games(py, create(options)?)
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

    /// Starts games on `board`, by an entry `(seed, game)` for each game. An entry `None` leaves
    /// the game running; `None` in a pair keeps the seed or takes the next game.
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
        let mut games = VectorGames::from_games(py, self.games.clone())?;
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

    /// Replaces the games with the numbers `games` by the saved games in `state`, in order. A
    /// single saved game replaces all of these games.
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

/// Observation and info (dictionary of details) that an environment's reset returns.
type ObservationAndInfo<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);
/// Result of an environment's step: observation, reward, terminated, truncated and info.
type Stepped<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

fn array<'py, T: Element, const N: usize>(
    py: Python<'py>,
    values: &[T],
    shape: [usize; N],
) -> PyResult<Bound<'py, PyAny>>
where
    [usize; N]: numpy::ndarray::IntoDimension,
{
    let wrong = |error: numpy::ndarray::ShapeError| PyValueError::new_err(error.to_string());
    Ok(ArrayView::from_shape(shape, values).map_err(wrong)?.to_pyarray(py).into_any())
}

/// One game.
#[pyclass(module = "tetrastat._tetrastat")]
pub(super) struct SingleGame {
    games: Games,
    values: Values,
    mask: Vec<i8>,
}

impl SingleGame {
    fn from_games(games: Games) -> SingleGame {
        let values = Values::new(games.widths(games.kinds));
        SingleGame { mask: vec![0; games.shape.actions], games, values }
    }

    fn show(&mut self, kinds: ObservationKinds) -> Values {
        let mut values = Values::new(self.games.widths(kinds));
        self.games.batch.show(&[0], values.rows());
        values
    }

    fn observed<'py>(&mut self, py: Python<'py>) -> PyResult<ObservationAndInfo<'py>> {
        let Games { kinds, features, informs_afterstates, .. } = self.games;
        let Shape { planes, height, width, actions, .. } = self.games.shape;
        for (signed, &legal) in self.mask.iter_mut().zip(&self.values.mask) {
            *signed = legal as i8;
        }
        let Values { cells, dealt, status, counts, .. } = &self.values;
        let afterstates = || array(py, &self.values.afterstates, [actions, features]);
        let observation = if kinds.planes {
            let parts = PyDict::new(py);
            parts.set_item(intern!(py, "board"), array(py, cells, [planes, height, width])?)?;
            parts.set_item(intern!(py, "pieces"), PyArray1::from_slice(py, dealt))?;
            if !status.is_empty() {
                parts.set_item(intern!(py, "status"), PyArray1::from_slice(py, status))?;
            }
            parts.into_any()
        } else if kinds.features {
            PyArray1::from_slice(py, &self.values.features).into_any()
        } else {
            afterstates()?
        };
        let info = PyDict::new(py);
        info.set_item(intern!(py, "action_mask"), PyArray1::from_slice(py, &self.mask))?;
        info.set_item(intern!(py, "lines"), counts[0])?;
        info.set_item(intern!(py, "pieces"), counts[1])?;
        info.set_item(intern!(py, "score"), counts[2])?;
        if informs_afterstates {
            info.set_item(intern!(py, "afterstates"), afterstates()?)?;
        }
        Ok((observation, info))
    }

    fn read_action(&self, action: &Bound<'_, PyAny>) -> PyResult<i64> {
        let most = self.games.shape.actions as i64 - 1;
        let unknown = || PyValueError::new_err(format!("action {action}: use 0 to {most}"));
        let number: i64 = action.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(action.py()) { unknown() } else { error }
        })?;
        if !(0..=most).contains(&number) {
            return Err(unknown());
        }
        match self.games.batch.find_refusal(&[number]) {
            Some((_, why)) => Err(PyValueError::new_err(format!("action {number}: {why}"))),
            None => Ok(number),
        }
    }
}

#[pymethods]
impl SingleGame {
    /// Creates the game that the dictionary `options` describes.
    #[new]
    fn new(options: &Bound<'_, PyAny>) -> PyResult<SingleGame> {
        create(options).map(SingleGame::from_games)
    }

    /// Sizes of the game's observations and actions: dict of str to int.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.games.shape_dict(py)
    }

    /// Returns a copy of the game, which continues independently. With a `seed`, the pieces
    /// that are not visible yet are chosen again at random.
    #[pyo3(signature = (seed = None))]
    fn clone(&self, seed: Option<Whole<u64>>) -> SingleGame {
        let mut games = self.games.clone();
        if let Some(Whole(seed)) = seed {
            games.batch.branch(seed);
        }
        SingleGame::from_games(games)
    }

    /// Returns the state of the game as bytes.
    fn get_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let state = self.games.batch.save(&[0]).map_err(|error| argument_error(&error))?;
        Ok(PyBytes::new(py, &state))
    }

    /// Restores a state. Returns the observation and the info.
    fn set_state<'py>(
        &mut self,
        py: Python<'py>,
        state: &[u8],
    ) -> PyResult<ObservationAndInfo<'py>> {
        self.games.batch.load(state, &[0]).map_err(|error| argument_error(&error))?;
        self.games.batch.show(&[0], self.values.rows());
        self.observed(py)
    }

    /// Starts the game `start`, a pair `(seed, game)`, and returns the observation and the info.
    /// `None` keeps the seed or takes the next game.
    fn begin<'py>(
        &mut self,
        py: Python<'py>,
        start: SeedAndGame,
        board: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<ObservationAndInfo<'py>> {
        let request = request(start, self.games.board(board)?);
        self.games
            .batch
            .begin(&[Some(request)], self.values.rows())
            .map_err(|error| argument_error(&error))?;
        self.observed(py)
    }

    /// Performs an action. Returns the observation, the reward, two flags (terminated, truncated)
    /// and the info.
    fn step<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let action = self.read_action(action)?;
        let (shown, last) = (&mut self.values.rows(), &mut ObservedRows::default());
        let stepped = self.games.batch.step(None, &[action], shown, last);
        stepped.map_err(|error| argument_error(&error))?;
        let (observation, info) = self.observed(py)?;
        let flag = |k: usize| self.values.flags[k] != 0;
        info.set_item(intern!(py, "illegal"), PyBool::new(py, flag(2)))?;
        Ok((observation, self.values.reward[0], flag(0), flag(1), info))
    }

    /// Returns a picture of the game as text.
    fn picture(&mut self) -> String {
        self.games.batch.picture(0)
    }

    /// Returns the action mask: ndarray of bool, shape (actions,).
    fn mask<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mask = self.show(ObservationKinds::default()).mask;
        PyArray1::from_iter(py, mask.into_iter().map(|legal| legal != 0))
    }

    /// Returns the planes: ndarray of uint8, shape (planes, height, width).
    fn cells<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Shape { planes, height, width, .. } = self.games.shape;
        let kinds = ObservationKinds { planes: true, ..Default::default() };
        array(py, &self.show(kinds).cells, [planes, height, width])
    }

    /// Returns the features of every action's placement and of the board it leads to: ndarray of
    /// float32, shape (actions, features).
    fn afterstates<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kinds = ObservationKinds { afterstates: true, ..Default::default() };
        let shape = [self.games.shape.actions, self.games.features];
        array(py, &self.show(kinds).afterstates, shape)
    }

    /// Returns every action's placement: ndarray of int64, shape (actions, 6). The values are
    /// piece, held, orientation or state, leftmost column, lowest row, spin; all -1 if illegal.
    fn placements<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kinds = ObservationKinds { placements: true, ..Default::default() };
        array(py, &self.show(kinds).placements, [self.games.shape.actions, PLACEMENT])
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("GUIDELINE_KEYS", guideline::key_letters())?;
    module.add_class::<VectorGames>()?;
    module.add_class::<SingleGame>()
}
