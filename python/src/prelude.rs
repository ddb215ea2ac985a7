//! Items that many modules of this crate import, so that a module's own list names only what is
//! special to it. They come from other crates and from modules below those that import them.

pub(crate) use std::sync::atomic::AtomicBool;
pub(crate) use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use numpy::{PyArray1, PyArray2, PyArrayMethods};
pub(crate) use pyo3::exceptions::PyValueError;
pub(crate) use pyo3::prelude::*;
pub(crate) use pyo3::types::{PyDict, PyTuple};
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value};
pub(crate) use tetrastat::board::{Board, BoardSize};
pub(crate) use tetrastat::error::{Error, Result};
pub(crate) use tetrastat::features::Measured;
pub(crate) use tetrastat::piece::Piece;

pub(crate) use crate::afterstates::{Afterstate, Selection};
pub(crate) use crate::conversion::Whole;
