//! Terms of a guideline game: what a matrix is worth, and what a placement earns.
//!
//! A term that has the name of a feature of the other rules has its value on the same cells (board
//! 10x20). Each has one scalar definition, in `board`, `slots` and `clear_event`; [`values`] finds all those of
//! the matrix at once, and tests hold it against them.
//!
//! Rows are 0-based from the floor. A *hole* is an empty cell with a filled cell above it in its
//! column. The *well column* is the lowest column, the leftmost of several. A *T-slot* is where a T
//! that points down can be turned in under an overhang ([`values`] looks for at most three, one after
//! another).
//!
//! ```text
//! ...#......     a T-slot: the overhang in column 3 is over the arm
//! ###...####     of a T at columns 3 to 5, and its tip
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
use registry::PLACES;
pub use registry::{MATRIX_TERMS, TERMS};
pub(crate) use slots::MOST_SLOTS;
pub(crate) use values::{
    COMPLETE_ROWS, COVERED, COVERED_SQUARED, MAX_HEIGHT, SLOT_TERMS, T_TRIPLES_2, T_TRIPLES_3,
    Values, WELL_DEPTH, WELL_TERMS, each_column, measure, rows_over,
};
pub use values::{TermValues, values};

use super::Feature;
use crate::error::setting::RULES;
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::piece::Piece;

/// The scalar function of a term.
#[derive(Clone, Copy)]
pub enum TermFunction {
    /// Of a matrix: counts once, at the end of what a search looks at.
    Matrix(fn(&Matrix) -> i32),
    /// Of a matrix and the rows still to clear, if the game has an end.
    Goal(fn(&Matrix, Option<u32>) -> i32),
    /// Whether the next difficult clear is back-to-back: counts once, as a matrix does.
    BackToBack,
    /// Whether this piece lies in the hold: counts once, as a matrix does.
    Hold(Piece),
    /// Of what a placement did: earned once, and kept by a search that looks further.
    ClearEvent(fn(&ClearEvent) -> i32),
}

/// One entry of the registry.
pub struct TermDefinition {
    /// Name in controllers and columns.
    pub name: &'static str,
    /// The exact definition, in one sentence.
    pub definition: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The scalar function.
    pub measure: TermFunction,
}

/// One term: an entry of the registry. It parses from its name and prints as it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term(usize);

impl Term {
    /// Every term, in the order of the registry.
    pub fn all() -> impl Iterator<Item = Term> {
        (0..TERMS.len()).map(Term)
    }

    /// Its place in the registry.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }

    /// Its place among the terms of the matrix ([`TermValues`]); `None` for all others.
    #[must_use]
    pub fn place(self) -> Option<usize> {
        PLACES[self.0]
    }

    /// Returns true for a term of T-slots, which [`values`] finds only where it is asked for them.
    #[must_use]
    pub fn is_of_slots(self) -> bool {
        self.place().is_some_and(|place| SLOT_TERMS.contains(&place))
    }

    /// Its entry.
    #[must_use]
    pub fn definition(self) -> &'static TermDefinition {
        &TERMS[self.0]
    }

    /// Its value by the scalar definition; `None` for what a matrix alone does not tell. `left` is how many rows
    /// are still to be cleared, in a game that ends by rows.
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
                    "'{name}' is a feature of classic games ({RULES} simplified or standard), no term of guideline games: use one of {names}"
                ));
            }
            Error::unknown("guideline term", name, names)
        })
    }
}
