//! Registers the features, each with a name, an exact definition, a scalar function, a source and a
//! direction. The scalar functions are the specification of every vector kernel.
//!
//! A feature is an integer function of a placement and the board after it; the integer is its *raw
//! value*, which fits an `i16`. Fractions become integers in a stated [`Unit`]: the landing height,
//! for example, counts half rows. A feature measures the rows in play and any overflowing rows
//! ([`Board::measured_rows`]). Columns are numbered from 0 at the left, as in the logs (`h0`, ...).
//!
//! ```text
//! ......
//! #..#..     h: a *hole*, an empty cell below a filled one in its column
//! #h.#w#     w: a *well cell*, empty between filled cells or walls directly left and right
//! ##.#h#     t: a *transition*, a side between filled and empty; walls count as filled
//! ```
//!
//! Sources differ in three questions: whether a covered cell can be a well, how the ceiling counts,
//! and whether the depth of a hole ends at the first gap. Each version is a feature of its own. A
//! version of a single program has its source in its name (`..._guide`, `..._notebook`,
//! `..._unity`: keys of `docs/reference/sources.md`).

mod explain;
pub mod guideline;
mod registry;
mod scalar;

pub use explain::{Contribution, Location, picture};
pub use registry::REGISTRY;
pub(crate) use scalar::rbf_of;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::board::{Board, BoardSize};
use crate::error::setting::RULES;
use crate::error::{Error, Result};
use crate::piece::{Orientation, Piece};
use crate::placement::Candidate;

/// The size of one step of a feature's raw value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A step of a whole unit, such as a row or a cell.
    One,
    /// A step of half a unit, such as half a row.
    Half,
    /// A step of a quarter of a unit, such as a quarter of a row.
    Quarter,
    /// A step of a whole unit divided by the number of columns.
    PerColumn,
    /// A step of a ten-thousandth of a unit.
    TenThousandth,
}

impl Unit {
    /// Returns the number of steps of a feature's raw value in one whole unit, such as 2 half rows.
    #[must_use]
    pub fn denominator(self, width: usize) -> i32 {
        match self {
            Unit::One => 1,
            Unit::Half => 2,
            Unit::Quarter => 4,
            Unit::PerColumn => width as i32,
            Unit::TenThousandth => 10_000,
        }
    }

    /// Returns the size of one step as text for the code book: `1/2` for [`Unit::Half`].
    #[must_use]
    pub fn step(self) -> &'static str {
        match self {
            Unit::One => "1",
            Unit::Half => "1/2",
            Unit::Quarter => "1/4",
            Unit::PerColumn => "1/width",
            Unit::TenThousandth => "0.0001",
        }
    }
}

crate::names! {
    /// The direction in which a feature's value is better, by its source or published weights.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Direction {
        /// A larger value of the feature is better.
        Gain = "gain",
        /// A smaller value of the feature is better.
        Cost = "cost",
        /// The better direction of the feature's value depends on the controller.
        Neutral = "neutral",
    }
}

crate::names! {
    /// The board that a controller's features are measured on: with or without full rows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Measured as "board to measure" {
        /// Board with the piece, before full rows are removed.
        BeforeClear = "before-clear",
        /// Board after full rows are removed.
        AfterClear = "after-clear",
    }
}

/// The function that computes the raw value of a feature of classic games.
#[derive(Clone, Copy)]
pub enum FeatureFunction {
    /// Function of the board that the feature is measured on.
    Board(fn(&Board) -> i32),
    /// Function of the board and the feature's index, such as a column number.
    Indexed(fn(&Board, usize) -> i32),
    /// Function of a placement, whose value a look-ahead search adds up over all placed pieces.
    Move(fn(&Move) -> i32),
}

/// An entry of the registry of features: name, definition, source, unit and function.
pub struct FeatureDefinition {
    /// Name of the feature; an index follows as `_0`, `_1`, ... if it has indices.
    pub name: &'static str,
    /// Exact definition of the feature in one sentence.
    pub definition: &'static str,
    /// Source of the feature's definition, for example a paper.
    pub source: &'static str,
    /// Unit of the feature's raw value, for example half rows.
    pub unit: Unit,
    /// Desirable direction of the feature's value: larger, smaller, or neither.
    pub direction: Direction,
    /// Function that returns the number of the feature's indices; 0 for a feature without indices.
    pub indices: fn(BoardSize) -> usize,
    /// Function that computes the feature's raw value.
    pub measure: FeatureFunction,
}

/// A placement with the rows that it removed, on which features of the move are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Piece that was placed.
    pub piece: Piece,
    /// Place of the placed piece: orientation, column and row of rest.
    pub candidate: Candidate,
    /// Number of removed rows; 0 for a piece that reaches above the board's top if the rules then
    /// remove none.
    pub lines: u8,
    /// Number of the piece's removed cells in each row of its bounding box, lowest row first.
    pub removed_cells: [u8; 4],
}

impl Move {
    /// Returns the orientation of the placed piece.
    #[must_use]
    pub fn shape(&self) -> &'static Orientation {
        self.candidate.shape(self.piece)
    }
}

/// A feature of classic games: an entry of the registry and, if indexed, an index; parsed by name.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::BoardSize, features::Feature};
/// let size: BoardSize = "10x20".parse()?;
/// let last: Feature = "height_9".parse()?;
/// assert!(last.exists_on(size) && !last.exists_on(BoardSize::new(9, 20)?));
/// assert_eq!(Feature::all(size).filter(|f| f.definition().name == "height").count(), 10);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Feature {
    definition: &'static FeatureDefinition,
    index: u8,
}

impl Feature {
    /// Returns every feature that exists on boards of `size`, in the order of the registry.
    pub fn all(size: BoardSize) -> impl Iterator<Item = Feature> {
        REGISTRY.iter().flat_map(move |definition| {
            let indices = (definition.indices)(size).max(1) as u8;
            (0..indices).map(move |index| Feature { definition, index })
        })
    }

    /// Returns the feature's entry in the registry: name, definition, source and function.
    #[must_use]
    pub fn definition(&self) -> &'static FeatureDefinition {
        self.definition
    }

    /// Returns the index of an indexed feature, or 0 for a feature without indices.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Returns true if the feature exists on boards of `size`; `height_9` needs ten columns.
    #[must_use]
    pub fn exists_on(&self, size: BoardSize) -> bool {
        self.index() < (self.definition.indices)(size).max(1)
    }

    /// Returns true if the feature is a function of the move alone, not of the board.
    #[must_use]
    pub fn is_of_move(&self) -> bool {
        matches!(self.definition.measure, FeatureFunction::Move(_))
    }

    /// Returns true if a look-ahead search adds up the feature's value over all placements; other
    /// features count on the last board only.
    #[must_use]
    pub fn is_reward(&self) -> bool {
        self.is_of_move() || self.definition.name == "complete_rows"
    }

    /// Returns the feature's raw value, or `None` if the feature needs a placement and `played` is
    /// `None`.
    #[must_use]
    pub fn raw(&self, board: &Board, played: Option<&Move>) -> Option<i32> {
        match self.definition.measure {
            FeatureFunction::Board(function) => Some(function(board)),
            FeatureFunction::Indexed(function) => Some(function(board, self.index())),
            FeatureFunction::Move(function) => played.map(function),
        }
    }

    /// Converts a feature's raw value on `width` columns to whole units: 5 half rows become 2.5.
    #[must_use]
    pub fn in_units(&self, raw: i32, width: usize) -> f64 {
        f64::from(raw) / f64::from(self.definition.unit.denominator(width))
    }
}

impl PartialEq for Feature {
    fn eq(&self, other: &Feature) -> bool {
        // Entries are static and compared by address, because functions in them cannot be compared.
        std::ptr::eq(self.definition, other.definition) && self.index == other.index
    }
}

impl Eq for Feature {}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.definition.name)?;
        if matches!(self.definition.measure, FeatureFunction::Indexed(_)) {
            write!(f, "_{}", self.index)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Feature {
    type Err = Error;

    fn from_str(name: &str) -> Result<Feature> {
        // The largest board has every index; smaller boards are checked where their size is known.
        let largest = BoardSize::new(16, 28)?;
        Feature::all(largest).find(|feature| feature.to_string() == name).ok_or_else(|| {
            let names = REGISTRY.iter().map(|definition| definition.name);
            if guideline::TERMS.iter().any(|term| term.name == name) {
                let names = names.collect::<Vec<_>>().join(", ");
                return Error::Config(format!(
                    "'{name}' is a term of guideline games ({RULES} guideline or another preset), \
                     no feature of classic games: use one of {names}"
                ));
            }
            Error::unknown("feature", name, names)
        })
    }
}

fn columns_of(mut cells: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let column = cells.trailing_zeros() as usize;
        (cells != 0).then(|| cells &= cells - 1).map(|()| column)
    })
}

pub(crate) const fn same_name(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}
