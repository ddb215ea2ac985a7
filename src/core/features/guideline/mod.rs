//! Defines the terms of guideline games: the numbers that a controller weighs to score a matrix and
//! a placement.
//!
//! A term with the name of a classic feature has the feature's value on a 10x20 board with equal
//! cells. Each term has one scalar definition, in `board`, `slots`, `triples` or `clear_event`. The
//! function [`values`] computes all matrix terms at once, and tests compare it with the
//! definitions.
//!
//! Rows are counted from 0 at the floor. A *hole* is an empty cell below a filled one in its
//! column. The *well column* is the lowest column, the leftmost if there are several. A *T-slot* is
//! a place where a T that points down can be turned in under an overhang. [`values`] finds at most
//! three of them, one after another.
//!
//! ```text
//! ...#......     a T-slot: the overhang in column 3 is above the arm
//! ###...####     of a T at columns 3 to 5, whose tip
//! ####.#####     goes into column 4
//! ```
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{features::guideline::Term, matrix::Matrix};
//! let matrix: Matrix = "...#......\n###...####\n####.#####".parse()?;
//! let slots: Term = "t_slots_2".parse()?;
//! assert_eq!(slots.of_matrix(&matrix, None), Some(1)); // one T would clear two rows
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

mod board;
mod clear_event;
mod explain;
mod registry;
mod slots;
mod triples;
mod values;

use std::fmt;
use std::str::FromStr;

pub(crate) use clear_event::COMBO;
pub use clear_event::ClearEvent;
pub use explain::PICTURED_ROWS;
use registry::MATRIX_INDICES;
pub use registry::{MATRIX_TERMS, TERMS};
pub(crate) use slots::MAX_SLOTS;
pub(crate) use values::{
    CELLS_OVER_GOAL, COLUMN_TRANSITIONS, COMPLETE_ROWS, COVERED, COVERED_SQUARED, MAX_HEIGHT,
    OCCUPIED_CELLS, PERFECT_CHANCE, SLOT_TERMS, T_TRIPLES_2, T_TRIPLES_3, Values, WELL_DEPTH,
    WELL_TERMS, count_cells, each_column, measure, rows_over,
};
pub use values::{TermValues, values};

use super::Feature;
use crate::error::setting::RULES;
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::piece::Piece;

/// The scalar function of a term. The variants differ in the arguments.
#[derive(Clone, Copy)]
pub enum TermFunction {
    /// Function of a matrix. A search counts it once, in the last state.
    Matrix(fn(&Matrix) -> i32),
    /// Function of a matrix and the number of rows still to remove, or `None` in a game without
    /// end.
    Goal(fn(&Matrix, Option<u32>) -> i32),
    /// Value 1 if the last clear was difficult, so that back-to-back is active, otherwise 0. A
    /// search counts it once, in the last state.
    BackToBack,
    /// Value 1 if this piece is in the hold, otherwise 0. A search counts it once, in the last
    /// state.
    Hold(Piece),
    /// Function of a placement; a search adds it for every placement.
    ClearEvent(fn(&ClearEvent) -> i32),
}

/// An entry of the registry of terms.
pub struct TermDefinition {
    /// Name of the term in controllers and table columns.
    pub name: &'static str,
    /// Exact definition of the term in one sentence.
    pub definition: &'static str,
    /// Source of the definition.
    pub source: &'static str,
    /// Scalar function that computes the term.
    pub measure: TermFunction,
}

/// A term: an entry of the registry. It parses from its name and prints as its name.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::features::guideline::Term;
/// let holes: Term = "holes".parse()?;
/// assert_eq!((holes.to_string().as_str(), holes.definition().name), ("holes", "holes"));
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term(usize);

impl Term {
    /// Returns every term, in the order of the registry.
    pub fn all() -> impl Iterator<Item = Term> {
        (0..TERMS.len()).map(Term)
    }

    /// Returns the term's position in the registry.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }

    /// Returns the term's index in [`TermValues`], or `None` if the term is not computed from a
    /// matrix.
    #[must_use]
    pub fn place(self) -> Option<usize> {
        MATRIX_INDICES[self.0]
    }

    /// Returns true for a term of T-slots, which [`values`] computes only on request.
    #[must_use]
    pub fn is_of_slots(self) -> bool {
        self.place().is_some_and(|place| SLOT_TERMS.contains(&place))
    }

    /// Returns the term's entry in the registry.
    #[must_use]
    pub fn definition(self) -> &'static TermDefinition {
        &TERMS[self.0]
    }

    /// Returns the term's value by its scalar definition, or `None` if a matrix alone does not
    /// determine the value. `left` is the number of rows still to remove, in a game that ends after
    /// a number of rows.
    #[must_use]
    pub fn of_matrix(self, matrix: &Matrix, left: Option<u32>) -> Option<i32> {
        match self.definition().measure {
            TermFunction::Matrix(function) => Some(function(matrix)),
            TermFunction::Goal(function) => Some(function(matrix, left)),
            TermFunction::BackToBack | TermFunction::Hold(_) | TermFunction::ClearEvent(_) => None,
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.definition().name)
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Term {
    type Err = Error;

    fn from_str(name: &str) -> Result<Term> {
        Term::all().find(|term| term.definition().name == name).ok_or_else(|| {
            let names = TERMS.iter().map(|term| term.name);
            if name.parse::<Feature>().is_ok() {
                let names = names.collect::<Vec<_>>().join(", ");
                return Error::Config(format!(
                    "'{name}' is a feature of classic games ({RULES} simplified or standard), no \
                     term of guideline games: use one of {names}"
                ));
            }
            Error::unknown("guideline term", name, names)
        })
    }
}
