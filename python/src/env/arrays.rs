//! NumPy arrays of observations, which Python and the games share.

use numpy::{Element, PyArray1, PyArrayMethods, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::batch::{ObservationRows, Rows};
use super::game::Shape;

/// Flat array with `width` values for each game. It is empty if its observations were not
/// requested.
pub(super) struct Field<T> {
    array: Py<PyArray1<T>>,
    width: usize,
}

impl<T: Element> Field<T> {
    pub fn new(py: Python<'_>, games: usize, width: usize) -> Field<T> {
        Field { array: PyArray1::zeros(py, games * width, false).unbind(), width }
    }

    pub fn array<'py>(&self, py: Python<'py>) -> &Bound<'py, PyArray1<T>> {
        self.array.bind(py)
    }

    pub fn lock<'py>(&self, py: Python<'py>) -> PyResult<Locked<'py, T>> {
        Ok(Locked { array: self.array.bind(py).try_readwrite()?, width: self.width })
    }
}

/// A flat array that is locked for writing.
pub(super) struct Locked<'py, T: Element> {
    array: PyReadwriteArray1<'py, T>,
    width: usize,
}

impl<T: Element> Locked<'_, T> {
    pub fn rows(&mut self) -> PyResult<Rows<'_, T>> {
        Ok(Rows::new(self.array.as_slice_mut()?, self.width))
    }
}

/// Kinds of observations that were requested. Action masks and counts are always written.
#[derive(Clone, Copy)]
pub(super) struct ObservationKinds {
    pub planes: bool,
    pub features: bool,
    pub afterstates: bool,
}

/// Observation arrays of all games.
pub(super) struct Arrays {
    cells: Field<u8>,
    dealt: Field<u8>,
    status: Field<f32>,
    features: Field<f32>,
    afterstates: Field<f32>,
    mask: Field<u8>,
    counts: Field<i64>,
}

impl Arrays {
    /// Allocates the arrays of `games` games with observations of size `shape`. Arrays that `asked`
    /// does not include stay empty.
    pub fn new(py: Python<'_>, games: usize, shape: Shape, asked: ObservationKinds) -> Arrays {
        let wide = |is_asked: bool, width: usize| if games > 0 && is_asked { width } else { 0 };
        let field = |is_asked, width| Field::new(py, games, wide(is_asked, width));
        Arrays {
            cells: Field::new(
                py,
                games,
                wide(asked.planes, shape.planes * shape.height * shape.width),
            ),
            dealt: Field::new(py, games, wide(asked.planes, shape.dealt)),
            status: field(asked.planes, shape.status),
            features: field(asked.features, shape.observed()),
            afterstates: field(asked.afterstates, shape.actions * shape.features),
            mask: Field::new(py, games, wide(true, shape.actions)),
            counts: Field::new(py, games, wide(true, 3)),
        }
    }

    /// Returns a dictionary of the flat arrays with their names as keys.
    pub fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("cells", self.cells.array(py))?;
        dict.set_item("dealt", self.dealt.array(py))?;
        dict.set_item("status", self.status.array(py))?;
        dict.set_item("features", self.features.array(py))?;
        dict.set_item("afterstates", self.afterstates.array(py))?;
        dict.set_item("mask", self.mask.array(py))?;
        dict.set_item("counts", self.counts.array(py))?;
        Ok(dict)
    }

    pub fn lock<'py>(&self, py: Python<'py>) -> PyResult<LockedArrays<'py>> {
        Ok(LockedArrays {
            cells: self.cells.lock(py)?,
            dealt: self.dealt.lock(py)?,
            status: self.status.lock(py)?,
            features: self.features.lock(py)?,
            afterstates: self.afterstates.lock(py)?,
            mask: self.mask.lock(py)?,
            counts: self.counts.lock(py)?,
        })
    }
}

/// Observation arrays ([`Arrays`]) that are locked for writing.
pub(super) struct LockedArrays<'py> {
    cells: Locked<'py, u8>,
    dealt: Locked<'py, u8>,
    status: Locked<'py, f32>,
    features: Locked<'py, f32>,
    afterstates: Locked<'py, f32>,
    mask: Locked<'py, u8>,
    counts: Locked<'py, i64>,
}

impl LockedArrays<'_> {
    pub fn shown(&mut self) -> PyResult<ObservationRows<'_>> {
        Ok(ObservationRows {
            cells: self.cells.rows()?,
            dealt: self.dealt.rows()?,
            status: self.status.rows()?,
            features: self.features.rows()?,
            afterstates: self.afterstates.rows()?,
            mask: self.mask.rows()?,
            counts: self.counts.rows()?,
        })
    }
}
