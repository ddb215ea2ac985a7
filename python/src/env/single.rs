//! One game, whose steps return new arrays. It is separate from batches because a step of one game
//! costs less than handing arrays to Python in several calls.

use numpy::ndarray::ArrayView;
use numpy::{Element, PyArray1, ToPyArray};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict};
use tetrastat::error::Result;

use super::batch::{AnyBatch, ObservationRows, Rows, StepRows};
use super::game::{Shape, Start};
use super::options::{Classic, GuidelineGame, Shared};
use super::{FLAGS, SeedAndGame, option_error, read_board, shape_dict};
use crate::errors::Whole;

/// Observation and info of a game, as `reset` returns them.
type Observed<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);
/// Observation, reward, terminated, truncated and info, as `step` returns them.
type Stepped<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

/// Kind of the observations that a game returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Observation {
    Planes,
    Features,
    Afterstates,
}

/// Values of the latest observation, which are copied to new arrays.
struct Values {
    cells: Vec<u8>,
    dealt: Vec<u8>,
    status: Vec<f32>,
    features: Vec<f32>,
    afterstates: Vec<f32>,
    mask: Vec<u8>,
    /// The values of `mask` in the type that the info has.
    signed_mask: Vec<i8>,
    counts: [i64; 3],
}

impl Values {
    /// Allocates the values of a game of size `shape`. Values that no observation needs are empty.
    fn new(shape: Shape, observation: Observation, has_afterstates: bool) -> Values {
        let size = |is_needed: bool, size: usize| if is_needed { size } else { 0 };
        let planes = observation == Observation::Planes;
        Values {
            cells: vec![0; size(planes, shape.planes * shape.height * shape.width)],
            dealt: vec![0; size(planes, shape.dealt)],
            status: vec![0.0; size(planes, shape.status)],
            features: vec![0.0; size(observation == Observation::Features, shape.observed())],
            afterstates: vec![0.0; size(has_afterstates, shape.actions * shape.features)],
            mask: vec![0; shape.actions],
            signed_mask: vec![0; shape.actions],
            counts: [0; 3],
        }
    }

    fn rows(&mut self) -> ObservationRows<'_> {
        ObservationRows {
            cells: one(&mut self.cells),
            dealt: one(&mut self.dealt),
            status: one(&mut self.status),
            features: one(&mut self.features),
            afterstates: one(&mut self.afterstates),
            mask: one(&mut self.mask),
            counts: one(&mut self.counts),
        }
    }
}

/// Returns a slice as the row of a single game.
fn one<T>(row: &mut [T]) -> Rows<'_, T> {
    let width = row.len();
    Rows::new(row, width)
}

/// Returns the rows of observations that are not written.
fn no_rows<'a>() -> ObservationRows<'a> {
    ObservationRows {
        cells: one(&mut []),
        dealt: one(&mut []),
        status: one(&mut []),
        features: one(&mut []),
        afterstates: one(&mut []),
        mask: one(&mut []),
        counts: one(&mut []),
    }
}

/// Copies `values` to a new array with the dimensions `shape`. Their product is the number of
/// values.
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

/// One game. `placing`, `keys` and `stacking` create it.
#[pyclass(module = "tetrastat._tetrastat")]
pub(super) struct SingleGame {
    batch: Box<dyn AnyBatch>,
    shape: Shape,
    observation: Observation,
    /// True if the info holds the features of all afterstates.
    informs_afterstates: bool,
    values: Values,
}

impl SingleGame {
    fn new(shared: &Shared, batch: Result<Box<dyn AnyBatch>>) -> PyResult<SingleGame> {
        let batch = batch.map_err(|error| option_error(&error))?;
        let asked = shared.asked().map_err(|error| option_error(&error))?;
        let observation = match (asked.planes, asked.features) {
            (true, _) => Observation::Planes,
            (false, true) => Observation::Features,
            (false, false) => Observation::Afterstates,
        };
        let shape = batch.shape();
        let values = Values::new(shape, observation, asked.afterstates);
        let informs_afterstates = shared.informs_afterstates();
        Ok(SingleGame { batch, shape, observation, informs_afterstates, values })
    }

    /// Returns the values as new arrays: the observation and the info.
    fn observed<'py>(&mut self, py: Python<'py>) -> PyResult<Observed<'py>> {
        let Shape { planes, height, width, actions, features, .. } = self.shape;
        for (signed, &legal) in self.values.signed_mask.iter_mut().zip(&self.values.mask) {
            *signed = legal as i8;
        }
        let Values { cells, dealt, status, signed_mask, counts, .. } = &self.values;
        let afterstates = || array(py, &self.values.afterstates, [actions, features]);
        let observation = match self.observation {
            Observation::Planes => {
                let parts = PyDict::new(py);
                parts.set_item(intern!(py, "board"), array(py, cells, [planes, height, width])?)?;
                parts.set_item(intern!(py, "pieces"), PyArray1::from_slice(py, dealt))?;
                if !status.is_empty() {
                    parts.set_item(intern!(py, "status"), PyArray1::from_slice(py, status))?;
                }
                parts.into_any()
            }
            Observation::Features => PyArray1::from_slice(py, &self.values.features).into_any(),
            Observation::Afterstates => afterstates()?,
        };
        let info = PyDict::new(py);
        info.set_item(intern!(py, "action_mask"), PyArray1::from_slice(py, signed_mask))?;
        info.set_item(intern!(py, "lines"), counts[0])?;
        info.set_item(intern!(py, "pieces"), counts[1])?;
        info.set_item(intern!(py, "score"), counts[2])?;
        if self.informs_afterstates {
            info.set_item(intern!(py, "afterstates"), afterstates()?)?;
        }
        Ok((observation, info))
    }

    /// Reads an action number, which may be any object that is a whole number.
    fn read_action(&self, action: &Bound<'_, PyAny>) -> PyResult<i64> {
        let most = self.shape.actions as i64 - 1;
        let unknown = || PyValueError::new_err(format!("action {action}: use 0 to {most}"));
        let number: i64 = action.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(action.py()) { unknown() } else { error }
        })?;
        if !(0..=most).contains(&number) {
            return Err(unknown());
        }
        match self.batch.find_refusal(&[number]) {
            Some((_, why)) => Err(PyValueError::new_err(format!("action {number}: {why}"))),
            None => Ok(number),
        }
    }
}

#[pymethods]
impl SingleGame {
    /// Creates a classic game that is played by placements.
    #[staticmethod]
    fn placing(shared: Shared, classic: Classic, rules: &str) -> PyResult<SingleGame> {
        SingleGame::new(&shared, classic.placing(&shared, rules))
    }

    /// Creates a classic game that is played by key presses.
    #[staticmethod]
    fn keys(shared: Shared, classic: Classic, notebook: bool) -> PyResult<SingleGame> {
        SingleGame::new(&shared, classic.keys(&shared, notebook))
    }

    /// Creates a guideline game.
    #[staticmethod]
    fn stacking(shared: Shared, guideline: GuidelineGame) -> PyResult<SingleGame> {
        SingleGame::new(&shared, guideline.stacking(&shared))
    }

    /// Sizes of the game's observations and actions: dict of str to int.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        shape_dict(py, self.shape)
    }

    /// Returns a copy of the game, which continues independently. With a `seed`, the pieces
    /// that are not visible yet are chosen again at random.
    #[pyo3(signature = (seed = None))]
    fn clone(&self, seed: Option<Whole<u64>>) -> SingleGame {
        let SingleGame { shape, observation, informs_afterstates, .. } = *self;
        let has_afterstates = !self.values.afterstates.is_empty();
        let values = Values::new(shape, observation, has_afterstates);
        let mut batch = self.batch.boxed_clone();
        if let Some(Whole(seed)) = seed {
            batch.branch(seed);
        }
        SingleGame { batch, shape, observation, informs_afterstates, values }
    }

    /// Returns the state of the game as bytes.
    fn get_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let state = self.batch.save(&[0]).map_err(|error| option_error(&error))?;
        Ok(PyBytes::new(py, &state))
    }

    /// Restores a state. Returns the observation and the info.
    fn set_state<'py>(&mut self, py: Python<'py>, state: &[u8]) -> PyResult<Observed<'py>> {
        self.batch.load(state, &[0]).map_err(|error| option_error(&error))?;
        self.batch.show(&[0], self.values.rows());
        self.observed(py)
    }

    /// Starts a game: `(seed, game)`, where `None` for either keeps the seed or takes the next
    /// game. Returns the observation and the info.
    fn begin<'py>(
        &mut self,
        py: Python<'py>,
        start: SeedAndGame,
        board: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Observed<'py>> {
        let board = board.map(|given| read_board(given, self.shape)).transpose()?;
        let number = |given: Option<Whole<u64>>| given.map(|Whole(number)| number);
        let start = Start { seed: number(start.0), game: number(start.1), board };
        self.batch
            .begin(&[Some(start)], self.values.rows())
            .map_err(|error| option_error(&error))?;
        self.observed(py)
    }

    /// Performs an action. Returns the observation, the reward, two flags (terminated, truncated)
    /// and the info.
    fn step<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let action = self.read_action(action)?;
        let (mut reward, mut flags) = ([0.0], [0; FLAGS]);
        let stepped = StepRows {
            shown: self.values.rows(),
            last: no_rows(),
            reward: one(&mut reward),
            flags: one(&mut flags),
        };
        self.batch.step(None, &[action], stepped).map_err(|error| option_error(&error))?;
        let (observation, info) = self.observed(py)?;
        let [terminated, truncated, is_illegal, _] = flags.map(|flag| flag != 0);
        info.set_item(intern!(py, "illegal"), PyBool::new(py, is_illegal))?;
        Ok((observation, reward[0], terminated, truncated, info))
    }

    /// Returns a picture of the game as text.
    fn picture(&mut self) -> String {
        self.batch.picture(0)
    }

    /// Returns the action mask: ndarray of bool, shape (actions,).
    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mut mask = vec![0; self.shape.actions];
        self.batch.mask(0, &mut mask);
        PyArray1::from_vec(py, mask.into_iter().map(|legal| legal != 0).collect())
    }

    /// Returns the planes: ndarray of uint8, shape (planes, height, width).
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Shape { planes, height, width, .. } = self.shape;
        let mut cells = vec![0; planes * height * width];
        self.batch.cells(0, &mut cells);
        array(py, &cells, [planes, height, width])
    }

    /// Returns the features of every action's placement and of the board it leads to: ndarray of
    /// float32, shape (actions, features).
    fn afterstates<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Shape { features, actions, .. } = self.shape;
        let mut values = vec![0.0; features * actions];
        self.batch.afterstates(0, &mut values);
        array(py, &values, [actions, features])
    }

    /// Returns every action's placement: ndarray of int64, shape (actions, 6). The values are
    /// piece, held, orientation or state, leftmost column, lowest row, spin. All six are -1 if the
    /// action is illegal.
    fn placements<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let placements = self.batch.placements(0);
        array(py, &placements, [self.shape.actions, super::game::PLACEMENT])
    }
}
