//! One game, whose steps return new arrays. It is separate from batches because a step of one game
//! costs less than handing arrays to Python in several calls.

use numpy::ndarray::ArrayView;
use numpy::{Element, PyArray1, ToPyArray};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict};

use super::game::Shape;
use super::observed::{ObservationKinds, ObservedRows, PLACEMENT, Values};
use super::options::{Games, create};
use super::{SeedAndGame, request};
use crate::errors::{Whole, argument_error};

/// Observation and info of a game, as `reset` returns them.
type ObservationAndInfo<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);
/// Observation, reward, terminated, truncated and info, as `step` returns them.
type Stepped<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

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

/// One game.
#[pyclass(module = "tetrastat._tetrastat")]
pub(super) struct SingleGame {
    games: Games,
    /// Latest observation.
    values: Values,
    /// Latest action mask, in the type that the info has.
    mask: Vec<i8>,
}

impl SingleGame {
    fn of(games: Games) -> SingleGame {
        let values = Values::new(games.widths(games.kinds));
        SingleGame { mask: vec![0; games.shape.actions], games, values }
    }

    /// Returns the observations of these kinds.
    fn show(&mut self, kinds: ObservationKinds) -> Values {
        let mut values = Values::new(self.games.widths(kinds));
        self.games.batch.show(&[0], values.rows());
        values
    }

    /// Returns the values as new arrays: the observation and the info.
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

    /// Reads an action number, which may be any object that is a whole number.
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
        create(options).map(SingleGame::of)
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
        SingleGame::of(games)
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

    /// Starts a game: `(seed, game)`, where `None` for either keeps the seed or takes the next
    /// game. Returns the observation and the info.
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
    /// piece, held, orientation or state, leftmost column, lowest row, spin. All six are -1 if the
    /// action is illegal.
    fn placements<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kinds = ObservationKinds { placements: true, ..Default::default() };
        array(py, &self.show(kinds).placements, [self.games.shape.actions, PLACEMENT])
    }
}
