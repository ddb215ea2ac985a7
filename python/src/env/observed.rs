//! Arrays that games write: observations, rewards and flags, with one row for each game.

use numpy::{PyArray1, PyArrayMethods, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use smallvec::{SmallVec, smallvec};

use super::game::Shape;

/// Number of values that describe one placement in [`Observed::placements`].
pub(super) const PLACEMENT: usize = 6;

/// Kinds of observations that were requested. Action masks and counts are always written.
#[derive(Clone, Copy, Default)]
pub(super) struct ObservationKinds {
    pub planes: bool,
    pub features: bool,
    pub afterstates: bool,
    pub placements: bool,
}

/// Observations of games, in arrays of bytes `B`, floats `F`, whole numbers `N` and rewards
/// `R`. An array without values was not requested.
#[derive(Clone, Default)]
pub(super) struct Observed<B, F, N, R> {
    /// Planes of cells, one byte per cell.
    pub cells: B,
    /// Numbers of the pieces.
    pub dealt: B,
    /// Action mask, one byte per action.
    pub mask: B,
    /// Four flags of the last step: terminated, truncated, illegal action, and new game.
    pub flags: B,
    /// Status values, which depend on the game.
    pub status: F,
    /// Feature observation: the features, seven values for each piece (one-hot), and the status.
    pub features: F,
    /// Features of every action's placement.
    pub afterstates: F,
    /// Rows removed, pieces placed and points so far.
    pub counts: N,
    /// For every action the first [`PLACEMENT`] numbers of its placement, or -1.
    pub placements: N,
    /// Reward of the last step.
    pub reward: R,
}

/// Converts every array of an [`Observed`]. The conversion sees its name and the array.
macro_rules! each_array {
    ($observed:expr, ($name:pat, $array:ident) => $converted:expr) => {
        each_array!($observed, ($name, $array) => $converted; cells dealt mask flags status features
            afterstates counts placements reward)
    };
    ($observed:expr, ($name:pat, $array:ident) => $converted:expr; $($field:ident)+) => {{
        let Observed { $($field),+ } = $observed;
        Observed { $($field: { let ($name, $array) = (stringify!($field), $field); $converted }),+ }
    }};
}
pub(super) use each_array;

/// Number of values of one game in each array.
pub(super) type Widths = Observed<usize, usize, usize, usize>;

impl Widths {
    /// Returns the widths for games of size `shape` with `features` features.
    pub fn new(shape: Shape, features: usize, kinds: ObservationKinds) -> Widths {
        let asked = |is_asked: bool, width: usize| if is_asked { width } else { 0 };
        Widths {
            cells: asked(kinds.planes, shape.planes * shape.height * shape.width),
            dealt: asked(kinds.planes, shape.dealt),
            mask: shape.actions,
            flags: 4,
            status: asked(kinds.planes, shape.status),
            features: asked(kinds.features, features + 7 * shape.dealt + shape.status),
            afterstates: asked(kinds.afterstates, shape.actions * features),
            counts: 3,
            placements: asked(kinds.placements, shape.actions * PLACEMENT),
            reward: 1,
        }
    }

    /// Returns an upper bound for the memory of one game's arrays in bytes.
    pub fn bytes(&self) -> usize {
        let mut sum = 0;
        each_array!(self, (_, width) => sum += 8 * width);
        sum
    }
}

/// Part of a flat array, with one row of `width` values for each game.
#[derive(Default)]
pub(super) struct Rows<'a, T> {
    data: &'a mut [T],
    width: usize,
}

impl<'a, T> Rows<'a, T> {
    /// Divides `data` into equal rows for `games` games.
    pub fn new(data: &'a mut [T], games: usize) -> Rows<'a, T> {
        let width = data.len() / games.max(1);
        Rows { data, width }
    }

    /// Takes the first `games` rows.
    pub fn take(&mut self, games: usize) -> Rows<'a, T> {
        let (head, tail) = std::mem::take(&mut self.data).split_at_mut(games * self.width);
        self.data = tail;
        Rows { data: head, width: self.width }
    }

    /// Returns true if the rows have no values.
    pub fn is_empty(&self) -> bool {
        self.width == 0
    }

    pub fn row(&mut self, index: usize) -> &mut [T] {
        &mut self.data[index * self.width..][..self.width]
    }
}

/// Rows of a range of games.
pub(super) type ObservedRows<'a> =
    Observed<Rows<'a, u8>, Rows<'a, f32>, Rows<'a, i64>, Rows<'a, f64>>;

/// Values of a single game, which are copied to new arrays. Flags, counts and the reward are stored
/// in the struct itself: programs clone games often, and each allocation costs time.
pub(super) type Values =
    Observed<SmallVec<[u8; 4]>, SmallVec<[f32; 1]>, SmallVec<[i64; 3]>, SmallVec<[f64; 1]>>;

impl Values {
    pub fn new(widths: Widths) -> Values {
        each_array!(widths, (_, width) => smallvec![Default::default(); width])
    }

    pub fn rows(&mut self) -> ObservedRows<'_> {
        each_array!(self, (_, values) => Rows::new(values, 1))
    }
}

/// Flat NumPy arrays of all games, which Python shares.
pub(super) type Arrays =
    Observed<Py<PyArray1<u8>>, Py<PyArray1<f32>>, Py<PyArray1<i64>>, Py<PyArray1<f64>>>;

/// [`Arrays`] that are locked for writing.
pub(super) type LockedArrays<'py> = Observed<
    PyReadwriteArray1<'py, u8>,
    PyReadwriteArray1<'py, f32>,
    PyReadwriteArray1<'py, i64>,
    PyReadwriteArray1<'py, f64>,
>;

impl Arrays {
    pub fn new(py: Python<'_>, games: usize, widths: Widths) -> Arrays {
        each_array!(widths, (_, width) => PyArray1::zeros(py, games * width, false).unbind())
    }

    /// Returns a dictionary of the flat arrays with their names as keys.
    pub fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        each_array!(self, (name, array) => dict.set_item(name, array)?);
        Ok(dict)
    }

    pub fn lock<'py>(&self, py: Python<'py>) -> PyResult<LockedArrays<'py>> {
        Ok(each_array!(self, (_, array) => array.bind(py).try_readwrite()?))
    }
}

impl LockedArrays<'_> {
    /// Returns the rows of `games` games.
    pub fn rows(&mut self, games: usize) -> PyResult<ObservedRows<'_>> {
        Ok(each_array!(self, (_, array) => Rows::new(array.as_slice_mut()?, games)))
    }
}
