//! Defines the *terms* of guideline games: the numbers that a controller weighs to score a matrix
//! and a placement. A term with the name of a classic feature has the feature's value.
//!
//! Each term has one scalar definition, in `scalar`. The function [`values`](fn@values) computes
//! all terms of a matrix at once, and tests compare it with the definitions.
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
//! assert_eq!(slots.matrix_value(&matrix, None), Some(1)); // one T would clear two rows
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
    covered_cells, each_hole, each_t_slot, each_triple, is_overhang, max_height, well, well_depth,
    with_t,
};
use crate::error::setting::RULES;
use crate::error::{Error, Result};
use crate::features::{Contribution, Feature, Location};
use crate::matrix::{Matrix, ROWS, WIDTH};
use crate::piece::Piece;
use registry::MATRIX_INDICES;

/// The function that computes a term (feature) of guideline games, by its arguments.
#[derive(Clone, Copy)]
pub enum TermFunction {
    /// Function of a matrix. A search counts only its last state, except for `complete_rows`.
    Matrix(fn(&Matrix) -> i32),
    /// Function of a matrix and the number of rows still to remove, `None` in games without a goal.
    Goal(fn(&Matrix, Option<u32>) -> i32),
    /// Value 1 if back-to-back is active, else 0; a search counts the value only for its last
    /// state.
    BackToBack,
    /// Value 1 if the given piece is in the hold, else 0; a search counts the value only for its
    /// last state.
    Hold(Piece),
    /// Function of a placement, whose value a search adds up over all placements.
    ClearEvent(fn(&ClearEvent) -> i32),
}

/// An entry of the registry of terms, the features of guideline games.
pub struct TermDefinition {
    /// Name of the term (feature) in controller files and columns of tables.
    pub name: &'static str,
    /// Exact definition of the term in one sentence.
    pub definition: &'static str,
    /// Source of the term's definition, for example a paper.
    pub source: &'static str,
    /// Function that computes the value of the term (feature).
    pub measure: TermFunction,
}

/// A term (feature of guideline games): an entry of the registry, which parses from its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term(usize);

impl Term {
    /// Returns every term (feature of guideline games), in the order of the registry.
    pub fn all() -> impl Iterator<Item = Term> {
        (0..TERMS.len()).map(Term)
    }

    /// Returns the position of the term (feature) in the registry of all terms.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }

    /// Returns the index of the term (feature) in [`TermValues`], if it is computed from a matrix.
    #[must_use]
    pub fn matrix_index(self) -> Option<usize> {
        MATRIX_INDICES[self.0]
    }

    /// Returns true for a term (feature) that counts T-slots (places for T-spins).
    #[must_use]
    pub fn is_slot_term(self) -> bool {
        self.matrix_index().is_some_and(|index| SLOT_TERMS.contains(&index))
    }

    /// Returns the term's entry in the registry: name, definition, source and function.
    #[must_use]
    pub fn definition(self) -> &'static TermDefinition {
        &TERMS[self.0]
    }

    /// Returns the value of the term (feature) on `matrix` with `goal` rows still to remove. Terms
    /// of placements, hold or back-to-back return `None`.
    #[must_use]
    pub fn matrix_value(self, matrix: &Matrix, goal: Option<u32>) -> Option<i32> {
        match self.definition().measure {
            TermFunction::Matrix(function) => Some(function(matrix)),
            TermFunction::Goal(function) => Some(function(matrix, goal)),
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

/// Largest stack height, in rows, at which the value of a term (feature) can be shown cell by cell.
pub const PICTURED_ROWS: usize = 24;

impl Term {
    /// Returns the nonzero contributions of cells, rows and columns to the term's value; `None` for
    /// terms of placements, hold or back-to-back.
    #[must_use]
    pub fn contributions(self, matrix: &Matrix, goal: Option<u32>) -> Option<Vec<Contribution>> {
        // The stack must have at most `PICTURED_ROWS` rows.
        let value = self.matrix_value(matrix, goal)?;
        let name = self.definition().name;
        let feature = name.parse::<Feature>().ok().filter(|feature| !feature.is_of_move());
        if let Some(feature) = feature {
            return feature.contributions(&matrix.to_board());
        }
        let whole = || vec![Contribution { location: Location::Board, amount: value }];
        let mut contributions = contributions(name, matrix, goal).unwrap_or_else(whole);
        contributions.retain(|contribution| contribution.amount != 0);
        Some(contributions)
    }
}

fn contributions(name: &str, matrix: &Matrix, goal: Option<u32>) -> Option<Vec<Contribution>> {
    let is_cavity = |hole| i32::from(!is_overhang(matrix, hole));
    let is_hanging = |hole| i32::from(is_overhang(matrix, hole));
    Some(match name {
        "cavities" => over_holes(matrix, is_cavity),
        "overhangs" => over_holes(matrix, is_hanging),
        "cavities_squared" => squared(over_holes(matrix, is_cavity)),
        "overhangs_squared" => squared(over_holes(matrix, is_hanging)),
        "covered" => over_holes(matrix, |hole| covered_cells(matrix, hole)),
        "covered_squared" => over_holes(matrix, |hole| covered_cells(matrix, hole).pow(2)),
        "bumpiness_open" => steps(matrix, |step| step),
        "bumpiness_open_squared" => steps(matrix, |step| step * step),
        "top_half" => rows(10, max_height(matrix) as usize),
        "top_quarter" => rows(15, max_height(matrix) as usize),
        "well_depth" => {
            let floor = matrix.height(well(matrix));
            rows(floor, floor + well_depth(matrix) as usize)
        }
        "cells_over_goal" => cells_from(matrix, goal.map_or(ROWS, |goal| goal as usize)),
        _ => {
            let (kind, number) = name.rsplit_once('_')?;
            let number = number.parse().ok()?;
            match kind {
                "t_slots" => slots(matrix, number),
                "t_triples" => {
                    let of_lines = each_triple(matrix).filter(|&(_, _, lines)| lines == number);
                    let contribution =
                        |(x, y, _)| Contribution { location: Location::Cell(x, y), amount: 1 };
                    of_lines.map(contribution).collect()
                }
                "well_column" => {
                    let is_it = well(matrix) == number as usize && well_depth(matrix) > 0;
                    vec![Contribution {
                        location: Location::Column(well(matrix)),
                        amount: is_it.into(),
                    }]
                }
                _ => return None,
            }
        }
    })
}

fn over_holes(matrix: &Matrix, amount: impl Fn((usize, usize)) -> i32) -> Vec<Contribution> {
    let contribution = |(column, row)| Contribution {
        location: Location::Cell(column, row),
        amount: amount((column, row)),
    };
    each_hole(matrix).map(contribution).collect()
}

fn squared(mut contributions: Vec<Contribution>) -> Vec<Contribution> {
    let count = contributions.iter().map(|contribution| contribution.amount).sum::<i32>();
    contributions.iter_mut().for_each(|contribution| contribution.amount *= count);
    contributions
}

fn steps(matrix: &Matrix, amount: impl Fn(i32) -> i32) -> Vec<Contribution> {
    let well = well(matrix);
    let others: Vec<usize> = (0..WIDTH).filter(|&column| column != well).collect();
    let contribution = |pair: &[usize]| {
        let step = matrix.height(pair[0]).abs_diff(matrix.height(pair[1])) as i32;
        let is_over = pair[1] - pair[0] > 1;
        let location = if is_over { Location::Column(well) } else { Location::Step(pair[0]) };
        Contribution { location, amount: amount(step) }
    };
    others.windows(2).map(contribution).collect()
}

fn rows(from: usize, to: usize) -> Vec<Contribution> {
    (from..to).map(|row| Contribution { location: Location::Row(row), amount: 1 }).collect()
}

fn cells_from(matrix: &Matrix, row: usize) -> Vec<Contribution> {
    let of_row = |row| (0..WIDTH).map(move |column| (column, row));
    let contribution = |(column, row)| Contribution {
        location: Location::Cell(column, row),
        amount: matrix.is_filled(column, row).into(),
    };
    (row..ROWS).flat_map(of_row).map(contribution).collect()
}

/// Returns the centres of the T-slots (places for T-spins) whose T removes `lines` rows.
fn slots(matrix: &Matrix, lines: u32) -> Vec<Contribution> {
    // The centres are in the rows of `matrix`, although slots are filled one after another.
    let (mut matrix, mut original_rows) = (*matrix, (0..ROWS).collect::<Vec<usize>>());
    let mut contributions = Vec::new();
    for slot in each_t_slot(&{ matrix }) {
        let (column, row) = slot.centre;
        if slot.lines == lines {
            contributions.push(Contribution {
                location: Location::Cell(column, original_rows[row]),
                amount: 1,
            });
        }
        let filled = with_t(&matrix, slot.centre);
        let full: Vec<usize> = (0..ROWS).filter(|&row| filled.row(row) == 1023).collect();
        let mut row = 0..;
        // Cleared rows are removed from the list of original rows, too.
        original_rows.retain(|_| row.next().is_none_or(|row| !full.contains(&row)));
        matrix = filled.clear().0;
    }
    contributions
}
