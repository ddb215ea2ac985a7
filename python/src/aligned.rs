//! Alignment of arrays from Python. NumPy allows unaligned arrays, which start at any address, and
//! Dask delivers some. Rust reads numbers only at addresses that are multiples of their size, so
//! unaligned arrays are copied first.

use numpy::ndarray::{ArrayView, Dimension};
use numpy::{AllowTypeChange, PyArrayLike, PyUntypedArray};
use pyo3::Borrowed;
use pyo3::prelude::*;

use crate::errors::setting_error;

/// Numbers from Python: a NumPy array with the dimension `D`, or anything that NumPy can convert to
/// one, such as a list.
pub(crate) struct Numbers<'py, D: Dimension>(PyArrayLike<'py, f64, D, AllowTypeChange>);

impl<D: Dimension> Numbers<'_, D> {
    pub fn view(&self) -> ArrayView<'_, f64, D> {
        self.0.as_array()
    }
}

impl<'py, D: Dimension + 'py> FromPyObject<'_, 'py> for Numbers<'py, D> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Numbers<'py, D>> {
        aligned(&given)?.extract().map(Numbers).map_err(|error| {
            let numpy = given.py().import("numpy");
            let found =
                numpy.and_then(|numpy| numpy.call_method1("ndim", (given,))?.extract::<usize>());
            match (found, D::NDIM) {
                (Ok(found), Some(wanted)) if found != wanted => setting_error(format!(
                    "an array of dimension {found}: give one of dimension {wanted}{}",
                    if wanted == 2 { ", with a row for each candidate or result" } else { "" }
                )),
                _ => error,
            }
        })
    }
}

/// Returns `given`, or an aligned copy of it if it is an unaligned array.
pub(crate) fn aligned<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_unaligned = given.cast::<PyUntypedArray>().is_ok()
        && !given.getattr("flags")?.getattr("aligned")?.extract::<bool>()?;
    if is_unaligned { given.call_method0("copy") } else { Ok(given.clone()) }
}
