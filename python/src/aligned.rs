//! Alignment of arrays from Python. NumPy allows unaligned arrays, which start at any address, and
//! Dask delivers some. Rust reads numbers only at addresses that are multiples of their size, so
//! unaligned arrays are copied first.

use std::ops::Deref;

use numpy::PyUntypedArray;
use pyo3::Borrowed;
use pyo3::prelude::*;

/// An array from Python of the type `A`, such as `PyArrayLike1`. For an unaligned array, this is an
/// aligned copy.
pub(crate) struct Aligned<A>(A);

impl<A> Deref for Aligned<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<'py, A> FromPyObject<'_, 'py> for Aligned<A>
where
    A: for<'a> FromPyObject<'a, 'py>,
{
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Aligned<A>> {
        aligned(&given)?.extract().map(Aligned).map_err(Into::into)
    }
}

/// Returns `given`, or an aligned copy of it if it is an unaligned array.
pub(crate) fn aligned<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_unaligned = given.cast::<PyUntypedArray>().is_ok()
        && !given.getattr("flags")?.getattr("aligned")?.extract::<bool>()?;
    if is_unaligned { given.call_method0("copy") } else { Ok(given.clone()) }
}
