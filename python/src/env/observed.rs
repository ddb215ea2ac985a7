//! Arrays that environments write: observations, rewards and flags, with one row for each game.
//! States of games as bytes: JSON with a checksum.

use std::collections::BTreeMap;

use numpy::PyReadwriteArray1;
use serde::de::{DeserializeOwned, IgnoredAny};
use smallvec::{SmallVec, smallvec};
use tetrastat::record::{checksum, verify_checksum, write_checksum};

use super::batch::{Shape, damaged};
use crate::prelude::*;

/// Number of values that describe a placement in [`Observed::placements`].
pub(super) const PLACEMENT: usize = 6;

/// Kinds of observations that are requested. Action masks and counts are always written.
#[derive(Clone, Copy, Default)]
pub(super) struct ObservationKinds {
    pub planes: bool,
    pub features: bool,
    pub afterstates: bool,
    pub placements: bool,
}

/// Observations of games, in arrays of bytes `B`, floats `F`, integers `N` and rewards `R`.
/// Unrequested arrays are empty.
#[derive(Clone, Default)]
pub(super) struct Observed<B, F, N, R> {
    pub cells: B,
    pub dealt: B,
    pub mask: B,
    /// Four flags of a game's last step: terminated, truncated, illegal action, and new game.
    pub flags: B,
    pub status: F,
    /// Features of the board, one-hot codes of the visible pieces, and the game's status.
    pub features: F,
    pub afterstates: F,
    /// Rows removed, pieces placed and points in the game so far.
    pub counts: N,
    /// Placement of every action as [`PLACEMENT`] numbers, or -1 if the action is illegal.
    pub placements: N,
    pub reward: R,
}

/// Converts every array of an [`Observed`] by an expression that can use the array and its name.
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

pub(super) type Widths = Observed<usize, usize, usize, usize>;

impl Widths {
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

    /// Returns an upper bound for the memory of one game's observations in bytes.
    pub fn bytes(&self) -> usize {
        let mut sum = 0;
        each_array!(self, (_, width) => sum += 8 * width);
        sum
    }
}

/// Part of a flat array of observations, with one row of `width` values for each game.
#[derive(Default)]
pub(super) struct Rows<'a, T> {
    data: &'a mut [T],
    width: usize,
}

impl<'a, T> Rows<'a, T> {
    pub fn new(data: &'a mut [T], games: usize) -> Rows<'a, T> {
        let width = data.len() / games.max(1);
        Rows { data, width }
    }

    pub fn take(&mut self, games: usize) -> Rows<'a, T> {
        let (head, tail) = std::mem::take(&mut self.data).split_at_mut(games * self.width);
        self.data = tail;
        Rows { data: head, width: self.width }
    }

    pub fn is_empty(&self) -> bool {
        self.width == 0
    }

    pub fn row(&mut self, index: usize) -> &mut [T] {
        &mut self.data[index * self.width..][..self.width]
    }
}

pub(super) type ObservedRows<'a> =
    Observed<Rows<'a, u8>, Rows<'a, f32>, Rows<'a, i64>, Rows<'a, f64>>;

/// Observations of a single game. Few values are stored in the struct itself, since programs clone
/// games often and each allocation costs time.
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

pub(super) type Arrays =
    Observed<Py<PyArray1<u8>>, Py<PyArray1<f32>>, Py<PyArray1<i64>>, Py<PyArray1<f64>>>;

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
    pub fn rows(&mut self, games: usize) -> PyResult<ObservedRows<'_>> {
        Ok(each_array!(self, (_, array) => Rows::new(array.as_slice_mut()?, games)))
    }
}

const SPREAD: usize = 16;

tetrastat_core::names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum RowOrder as "row_order" {
        /// Row 0 of a plane is the floor.
        FloorFirst = "floor",
        /// Row 0 of a plane is the top row.
        TopFirst = "top",
    }
}

impl RowOrder {
    /// Converts between row numbers of a board and of an observation's plane, in either direction.
    pub fn row(self, row: usize, height: usize) -> usize {
        match self {
            RowOrder::FloorFirst => row,
            RowOrder::TopFirst => height - 1 - row,
        }
    }
}

/// Writes board rows to `out`, one byte (0 or 1) per cell. `rows` begins with the floor, and bit 0
/// is the leftmost column.
pub(super) fn write_plane(rows: &[u16], width: usize, order: RowOrder, out: &mut [u8]) {
    for k in 0..rows.len() {
        let row = rows[order.row(k, rows.len())];
        let (low, high) = (expand_bits(row as u8), expand_bits((row >> 8) as u8));
        let rest = &mut out[k * width..];
        // Sixteen bytes are stored even if the row is narrower, because the next row overwrites the
        // bytes beyond the width. The last rows have no space for sixteen bytes, so exactly `width`
        // bytes are copied. Storing two words is three times as fast as joining them first.
        if let Some((first, second)) = rest.first_chunk_mut::<SPREAD>().and_then(halves) {
            (*first, *second) = (low.to_le_bytes(), high.to_le_bytes());
        } else {
            let cells = (u128::from(low) | u128::from(high) << 64).to_le_bytes();
            rest[..width].copy_from_slice(&cells[..width]);
        }
    }
}

fn halves(bytes: &mut [u8; SPREAD]) -> Option<(&mut [u8; 8], &mut [u8; 8])> {
    let (first, second) = bytes.split_first_chunk_mut::<8>()?;
    Some((first, second.first_chunk_mut::<8>()?))
}

/// Writes an action mask to `out`, one byte (0 or 1) per action, bit 0 of `legal` first.
pub(super) fn write_mask(legal: u64, out: &mut [u8]) {
    for (k, eight) in out.chunks_mut(8).enumerate() {
        let cells = expand_bits((legal >> (8 * k)) as u8).to_le_bytes();
        eight.copy_from_slice(&cells[..eight.len()]);
    }
}

/// Expands 8 bits to 8 bytes, each 0 or 1, with the lowest bit in the lowest byte.
#[inline(always)]
fn expand_bits(bits: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let kept = (u64::from(bits) * ONES) & DIAGONAL;
    ((kept + 0x7f * ONES) >> 7) & ONES
}

/// Version of the format of saved games, which changes whenever their content does.
const FORMAT: u32 = 2;

/// Maximum bytes of an option's value in a saved game. A longer value is saved as a checksum.
const LONGEST_VALUE: usize = 60;

/// Options of a saved game by name: board, queue, rules. A game is restored only by an environment
/// with the same options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GameOptions(BTreeMap<String, String>);

impl GameOptions {
    pub fn new<const N: usize>(options: [(&str, String); N]) -> GameOptions {
        let stored = |value: String| match value.len() > LONGEST_VALUE {
            true => format!("#{}", &checksum(&[&value])[..16]),
            false => value,
        };
        GameOptions(
            options.into_iter().map(|(name, value)| (name.to_owned(), stored(value))).collect(),
        )
    }

    fn check(&self, other: &GameOptions) -> Result<()> {
        let names = self.0.keys().chain(other.0.keys());
        let Some(name) = names.into_iter().find(|name| self.0.get(*name) != other.0.get(*name))
        else {
            return Ok(());
        };
        let value =
            |options: &GameOptions| options.0.get(name).map_or("none", |value| value).to_owned();
        Err(Error::Config(format!(
            "state: it is of games with {name} {}, but this environment has {name} {}",
            value(other),
            value(self)
        )))
    }
}

#[derive(Serialize, Deserialize)]
struct Stored<S> {
    format: u32,
    options: GameOptions,
    games: Vec<S>,
}

pub(super) fn serialize_states<S: Serialize>(
    options: &GameOptions,
    games: Vec<S>,
) -> Result<Vec<u8>> {
    let stored = Stored { format: FORMAT, options: options.clone(), games };
    let text = serde_json::to_string(&stored).map_err(|error| Error::Config(error.to_string()))?;
    Ok(write_checksum(&text).into_bytes())
}

/// Reads the states of saved games. Fails if `bytes` is damaged or the games had other `options`.
pub(super) fn read_states<S: DeserializeOwned>(
    options: &GameOptions,
    bytes: &[u8],
) -> Result<Vec<S>> {
    let text = verify_checksum(bytes).ok_or_else(damaged)?;
    // The head is read first, because the games of another kind have other parts.
    let head: Stored<IgnoredAny> = serde_json::from_str(text).map_err(|_| damaged())?;
    if head.format != FORMAT {
        return Err(Error::Config(format!(
            "state: it has format {}, and this version of tetrastat reads {FORMAT}",
            head.format
        )));
    }
    options.check(&head.options)?;
    let stored: Stored<S> = serde_json::from_str(text).map_err(|_| damaged())?;
    Ok(stored.games)
}
