//! Defines the *terms* of guideline games: the numbers that a controller weighs to score a matrix
//! and a placement. A term with the name of a classic feature has the feature's value.
//!
//! Each term has one scalar definition, in `scalar`. The function [`values`] computes all terms of
//! a matrix at once, and tests compare it with the definitions.
//!
//! A *hole* is an empty cell below a filled one in its column. The *well column* is the lowest
//! column, the leftmost if there are several. A *T-slot* is a place where a T that points down can
//! be turned in under an overhang. A *goal* is the number of rows still to remove in a game that
//! ends by rows.
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{features::guideline::Term, matrix::Matrix};
//! let matrix: Matrix = "...#......\n###...####\n####.#####".parse()?;
//! let slots: Term = "t_slots_2".parse()?;
//! assert_eq!(slots.of_matrix(&matrix, None), Some(1)); // one T would clear two rows
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

mod registry;
mod scalar;
mod values;

pub use registry::{MATRIX_TERMS, TERMS};
pub use scalar::ClearEvent;
pub(crate) use scalar::{COMBO, MAX_SLOTS};
pub(crate) use values::{
    CELLS_OVER_GOAL, COLUMN_TRANSITIONS, COMPLETE_ROWS, COVERED, COVERED_SQUARED, MAX_HEIGHT,
    OCCUPIED_CELLS, PERFECT_CHANCE, SLOT_TERMS, T_TRIPLES_2, T_TRIPLES_3, Values, WELL_DEPTH,
    WELL_TERMS, count_cells, each_column, measure, rows_over,
};
pub use values::{TermValues, values};

use std::fmt;
use std::str::FromStr;

use self::scalar::{
    cover, each_hole, each_slot, each_triple, is_overhang, max_height, well, well_depth, with_t,
};
use crate::error::setting::RULES;
use crate::error::{Error, Result};
use crate::features::{Feature, Part, Place};
use crate::matrix::{Matrix, ROWS, WIDTH};
use crate::piece::Piece;
use registry::MATRIX_INDICES;

/// The scalar function of a term. The variants differ in the arguments.
#[derive(Clone, Copy)]
pub enum TermFunction {
    /// Function of a matrix. A search counts it once, in the last state.
    Matrix(fn(&Matrix) -> i32),
    /// Function of a matrix and the number of rows still to remove, or `None` without a goal.
    Goal(fn(&Matrix, Option<u32>) -> i32),
    /// Value 1 if the last clear was difficult. A search counts it once, in the last state.
    BackToBack,
    /// Value 1 if this piece is in the hold. A search counts it once, in the last state.
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

    /// Returns the term's index in [`TermValues`], if it is computed from a matrix.
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

    /// Returns the term's value by its scalar definition, if a matrix determines it. `goal` is the
    /// number of rows still to remove, if the game has an end.
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

/// Number of rows, from the floor, that contributions can be shown on ([`Matrix::to_board`]).
pub const PICTURED_ROWS: usize = 24;

impl Term {
    /// Returns the contributions that are not zero, on a matrix of at most [`PICTURED_ROWS`] rows,
    /// or `None` for a term that a matrix alone does not determine.
    #[must_use]
    pub fn parts(self, matrix: &Matrix, left: Option<u32>) -> Option<Vec<Part>> {
        let value = self.of_matrix(matrix, left)?;
        let name = self.definition().name;
        let feature = name.parse::<Feature>().ok().filter(|feature| !feature.is_of_move());
        if let Some(feature) = feature {
            return feature.parts(&matrix.to_board());
        }
        let whole = || vec![Part { place: Place::Board, amount: value }];
        let mut parts = parts(name, matrix, left).unwrap_or_else(whole);
        parts.retain(|part| part.amount != 0);
        Some(parts)
    }
}

fn parts(name: &str, matrix: &Matrix, left: Option<u32>) -> Option<Vec<Part>> {
    let is_cavity = |hole| i32::from(!is_overhang(matrix, hole));
    let is_hanging = |hole| i32::from(is_overhang(matrix, hole));
    Some(match name {
        "cavities" => over_holes(matrix, is_cavity),
        "overhangs" => over_holes(matrix, is_hanging),
        "cavities_squared" => squared(over_holes(matrix, is_cavity)),
        "overhangs_squared" => squared(over_holes(matrix, is_hanging)),
        "covered" => over_holes(matrix, |hole| cover(matrix, hole)),
        "covered_squared" => over_holes(matrix, |hole| cover(matrix, hole).pow(2)),
        "bumpiness_open" => steps(matrix, |step| step),
        "bumpiness_open_squared" => steps(matrix, |step| step * step),
        "top_half" => rows(10, max_height(matrix) as usize),
        "top_quarter" => rows(15, max_height(matrix) as usize),
        "well_depth" => {
            let floor = matrix.height(well(matrix));
            rows(floor, floor + well_depth(matrix) as usize)
        }
        "cells_over_goal" => cells_from(matrix, left.map_or(ROWS, |left| left as usize)),
        _ => {
            let (kind, number) = name.rsplit_once('_')?;
            let number = number.parse().ok()?;
            match kind {
                "t_slots" => slots(matrix, number),
                "t_triples" => {
                    let of_lines = each_triple(matrix).filter(|&(_, _, lines)| lines == number);
                    let part = |(x, y, _)| Part { place: Place::Cell(x, y), amount: 1 };
                    of_lines.map(part).collect()
                }
                "well_column" => {
                    let is_it = well(matrix) == number as usize && well_depth(matrix) > 0;
                    vec![Part { place: Place::Column(well(matrix)), amount: is_it.into() }]
                }
                _ => return None,
            }
        }
    })
}

fn over_holes(matrix: &Matrix, amount: impl Fn((usize, usize)) -> i32) -> Vec<Part> {
    let part =
        |(column, row)| Part { place: Place::Cell(column, row), amount: amount((column, row)) };
    each_hole(matrix).map(part).collect()
}

/// Multiplies each amount by the sum, so that they add up to the square of the sum.
fn squared(mut parts: Vec<Part>) -> Vec<Part> {
    let count = parts.iter().map(|part| part.amount).sum::<i32>();
    parts.iter_mut().for_each(|part| part.amount *= count);
    parts
}

/// Returns the step over the well as a contribution of the well column.
fn steps(matrix: &Matrix, amount: impl Fn(i32) -> i32) -> Vec<Part> {
    let well = well(matrix);
    let others: Vec<usize> = (0..WIDTH).filter(|&column| column != well).collect();
    let part = |pair: &[usize]| {
        let step = matrix.height(pair[0]).abs_diff(matrix.height(pair[1])) as i32;
        let is_over = pair[1] - pair[0] > 1;
        let place = if is_over { Place::Column(well) } else { Place::Step(pair[0]) };
        Part { place, amount: amount(step) }
    };
    others.windows(2).map(part).collect()
}

fn rows(from: usize, to: usize) -> Vec<Part> {
    (from..to).map(|row| Part { place: Place::Row(row), amount: 1 }).collect()
}

fn cells_from(matrix: &Matrix, row: usize) -> Vec<Part> {
    let of_row = |row| (0..WIDTH).map(move |column| (column, row));
    let part = |(column, row)| Part {
        place: Place::Cell(column, row),
        amount: matrix.is_filled(column, row).into(),
    };
    (row..ROWS).flat_map(of_row).map(part).collect()
}

/// Counts T-slots at their centres, in rows of `matrix`, although slots are filled one after
/// another.
fn slots(matrix: &Matrix, lines: u32) -> Vec<Part> {
    let (mut matrix, mut places) = (*matrix, (0..ROWS).collect::<Vec<usize>>());
    let mut parts = Vec::new();
    for slot in each_slot(&{ matrix }) {
        let (column, row) = slot.centre;
        if slot.lines == lines {
            parts.push(Part { place: Place::Cell(column, places[row]), amount: 1 });
        }
        let filled = with_t(&matrix, slot.centre);
        let full: Vec<usize> = (0..ROWS).filter(|&row| filled.row(row) == 1023).collect();
        let mut row = 0..;
        // `places` has the original row of each present row, so cleared rows are removed from it
        // too.
        places.retain(|_| row.next().is_none_or(|row| !full.contains(&row)));
        matrix = filled.clear().0;
    }
    parts
}
