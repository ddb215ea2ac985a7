//! The registry of features: each has one name, one exact definition, one scalar function, its
//! source and its direction. The scalar functions are the specification of every vector kernel.
//!
//! A feature is an integer function of a placement and the board it leads to. Where the literature
//! uses fractions the integer counts a stated unit ([`Unit`]): landing height counts half rows.
//! Every raw value fits an `i16` on every board, so that kernels can use 16-bit lanes exactly.
//!
//! A board is measured over the rows in play and any rows that overflow
//! ([`Board::measured_rows`]). Column indices are 0-based from the left, as in the logs (`h0`, ...).
//!
//! Words that definitions use, on a board six wide:
//!
//! ```text
//! ......
//! #..#..     h: a *hole*, an empty cell with a filled one above it in its column
//! #h.#w#     w: a *well cell*, empty with a filled cell or a wall directly left and right
//! ##.#h#     t: a *transition*, a side where filled and empty meet; walls count as filled
//! ```
//!
//! Sources differ in what they count: whether a covered cell can be a well, what the ceiling is, whether a hole's
//! depth ends at the first gap. Each way is a feature of its own here, named after its source where it is one
//! program's alone (`..._guide`, `..._notebook`, `..._unity`: keys of `docs/sources.md`).
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{board::Board, features::Feature};
//! let board: Board = "..../##../#.../##.#".parse()?;
//! let holes: Feature = "holes".parse()?;
//! let transitions: Feature = "row_transitions".parse()?;
//! assert_eq!(holes.raw(&board, None), Some(1));
//! assert_eq!(transitions.raw(&board, None), Some(2 + 2 + 2 + 2)); // every row has two
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

mod explain;
pub mod guideline;
mod heights;
mod holes;
mod moves;
mod registry;
mod transitions;
mod wells;

use std::fmt;
use std::str::FromStr;

pub use explain::{Part, Place, picture};
pub(crate) use heights::rbf_of;
pub use registry::REGISTRY;

use serde::{Deserialize, Serialize};

use crate::board::{Board, BoardSize};
use crate::error::setting::RULES;
use crate::error::{Error, Result};
use crate::piece::{Orientation, Piece};
use crate::placement::Candidate;

/// What one step of a raw value is worth: raw values are integers, so that equal scores are equal everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A whole.
    One,
    /// A half (rows).
    Half,
    /// A quarter (rows).
    Quarter,
    /// One part in as many as the board has columns.
    PerColumn,
    /// One part in ten thousand.
    TenThousandth,
}

impl Unit {
    /// Raw steps in one whole, on a board of this width (which only [`Unit::PerColumn`] asks).
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

    /// One raw step in whole units, as the code book has it.
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
    /// Whether more of a feature is good for a player, by its source's weights or prose.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Direction {
        /// More is better.
        Gain = "gain",
        /// Less is better.
        Cost = "cost",
        /// Depends on the controller.
        Neutral = "neutral",
    }
}

crate::names! {
    /// Which board the features of a placement are measured on. Weights that were found on one are not meant
    /// for the other, so every controller says which.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Measured as "board to measure" {
        /// With the piece on it, full rows still standing.
        BeforeClear = "before-clear",
        /// The afterstate.
        AfterClear = "after-clear",
    }
}

/// The scalar function of a feature, by what it looks at; its values are raw, in steps of the [`Unit`].
#[derive(Clone, Copy)]
pub enum FeatureFunction {
    /// Of the measured board alone.
    Board(fn(&Board) -> i32),
    /// Of the measured board and an index (a column, or a radial basis function).
    Indexed(fn(&Board, usize) -> i32),
    /// Of the move alone: it is earned once, and look-ahead keeps it for every piece placed.
    Move(fn(&Move) -> i32),
}

/// One entry of the registry: what a feature is, whoever measures it. `tetrastat features --list` and the code
/// book are written from these.
pub struct FeatureDefinition {
    /// Name in controllers, options and columns; indexed features append `_0`, `_1`, ...
    pub name: &'static str,
    /// The exact definition, in one sentence.
    pub definition: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Step of the raw value.
    pub unit: Unit,
    /// Which way is good.
    pub direction: Direction,
    /// How many indices an indexed feature has on a board; 0 when it has none.
    pub indices: fn(BoardSize) -> usize,
    /// The scalar function.
    pub measure: FeatureFunction,
}

/// What a placement did, apart from the board it leads to: what features of the move are measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The piece placed.
    pub piece: Piece,
    /// Orientation, column and landing row.
    pub candidate: Candidate,
    /// Rows removed; 0 when the placement loses and its rules clear nothing then.
    pub lines: u8,
    /// Cells of the piece in each of its rows that were removed, lowest row first; 0 for a row that stays.
    pub removed_cells: [u8; 4],
}

impl Move {
    /// The shape placed.
    #[must_use]
    pub fn shape(&self) -> &'static Orientation {
        self.candidate.shape(self.piece)
    }
}

/// One feature: an entry of the registry and, for indexed ones, its index. It parses from its name.
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
    /// Every feature of the registry on a board of this size, in registry order.
    pub fn all(size: BoardSize) -> impl Iterator<Item = Feature> {
        REGISTRY.iter().flat_map(move |definition| {
            let indices = (definition.indices)(size).max(1) as u8;
            (0..indices).map(move |index| Feature { definition, index })
        })
    }

    /// Its entry in the registry.
    #[must_use]
    pub fn definition(&self) -> &'static FeatureDefinition {
        self.definition
    }

    /// Its index; 0 when it has none.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Whether it exists on boards of this size (columns beyond the wall do not).
    #[must_use]
    pub fn exists_on(&self, size: BoardSize) -> bool {
        self.index() < (self.definition.indices)(size).max(1)
    }

    /// Whether it is measured on the move alone.
    #[must_use]
    pub fn is_of_move(&self) -> bool {
        matches!(self.definition.measure, FeatureFunction::Move(_))
    }

    /// Whether a placement earns it once, so that it is no property of the boards that follow:
    /// features of the move, and complete rows (they are gone by the next piece). A search that looks ahead adds
    /// up what is earned and takes the rest from the last board alone.
    #[must_use]
    pub fn is_reward(&self) -> bool {
        self.is_of_move() || self.definition.name == "complete_rows"
    }

    /// The raw value in steps of its unit; `None` for a feature of the move when `played` is not given.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::{board::Board, features::{Feature, Measured}, piece::Piece};
    /// use tetrastat::{placement::Placements, rules::Rules};
    /// let (rules, mut candidates) = (Rules::simplified(), Vec::new());
    /// let board: Board = "..../..../##../##..".parse()?;
    /// rules.candidates(&Placements::new(4), &board, Piece::O, &mut candidates);
    /// let outcome = rules.play(&board, Piece::O, candidates[2]); // the last column pair: two rows
    /// let eroded: Feature = "eroded_cells".parse()?;
    /// let measured = outcome.board(Measured::AfterClear);
    /// assert_eq!(eroded.raw(measured, Some(&outcome.played)), Some(2 * 4));
    /// assert_eq!(eroded.raw(measured, None), None);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[must_use]
    pub fn raw(&self, board: &Board, played: Option<&Move>) -> Option<i32> {
        match self.definition.measure {
            FeatureFunction::Board(function) => Some(function(board)),
            FeatureFunction::Indexed(function) => Some(function(board, self.index())),
            FeatureFunction::Move(function) => played.map(function),
        }
    }

    /// A raw value in whole units: 5 half rows are 2.5 rows.
    #[must_use]
    pub fn in_units(&self, raw: i32, width: usize) -> f64 {
        f64::from(raw) / f64::from(self.definition.unit.denominator(width))
    }

    /// Whether its name ends in an index.
    fn is_indexed(&self) -> bool {
        matches!(self.definition.measure, FeatureFunction::Indexed(_))
    }
}

impl PartialEq for Feature {
    fn eq(&self, other: &Feature) -> bool {
        // By place: the entries are static, and functions in them cannot be compared.
        std::ptr::eq(self.definition, other.definition) && self.index == other.index
    }
}

impl Eq for Feature {}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.definition.name)?;
        if self.is_indexed() {
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
        // It has every index that any board has: which of them a board lacks is asked where one is known.
        let largest = BoardSize::new(16, 28)?;
        Feature::all(largest).find(|feature| feature.to_string() == name).ok_or_else(|| {
            let names = REGISTRY.iter().map(|definition| definition.name);
            if guideline::TERMS.iter().any(|term| term.name == name) {
                let names = names.collect::<Vec<_>>().join(", ");
                return Error::Config(format!(
                    "'{name}' is a term of guideline games ({RULES} guideline or capstone), no feature of classic games: use one of {names}"
                ));
            }
            Error::unknown("feature", name, names)
        })
    }
}

/// The columns of the cells set in a row.
fn columns_of(mut cells: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let column = cells.trailing_zeros() as usize;
        (cells != 0).then(|| cells &= cells - 1).map(|()| column)
    })
}

/// Returns true if two names are equal, at compile time, where `==` on strings does not exist.
pub(crate) const fn same_name(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}
