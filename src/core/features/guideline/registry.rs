//! Lists all terms, with their exact definitions and sources. Frozen: names and order.

use super::TermFunction::{BackToBack, ClearEvent, Goal, Hold, Matrix};
use super::{TermDefinition, TermFunction, scalar};
use crate::features::same_name;
use crate::piece::Piece;

const fn term(
    name: &'static str,
    measure: TermFunction,
    definition: &'static str,
    source: &'static str,
) -> TermDefinition {
    TermDefinition { name, definition, source, measure }
}

const LEE: &str = "Lee 2013; capstone (Sprint)";
const CAPSTONE: &str = "capstone (Blitz), after Cold Clear";
const MDP: &str = "MDPTetris src/feature_functions.c (Thiery & Scherrer 2009)";
const OWN: &str = "this project";

macro_rules! well_column {
    ($column:literal) => {
        term(
            concat!("well_column_", $column),
            Matrix(scalar::well_column::<$column>),
            concat!("1 if the well column is ", $column, " and well_depth is not 0"),
            CAPSTONE,
        )
    };
}

/// All terms (features of guideline games) in the order of table columns; new ones are appended.
pub const TERMS: &[TermDefinition] = &[
    term("aggregate_height", Matrix(scalar::aggregate_height), "sum of the column heights", LEE),
    term("max_height", Matrix(scalar::max_height), "height of the highest column", CAPSTONE),
    term(
        "holes",
        Matrix(scalar::holes),
        "empty cells with a filled cell above in their column",
        LEE,
    ),
    term(
        "bumpiness",
        Matrix(scalar::bumpiness),
        "sum of the absolute differences of neighbouring heights",
        LEE,
    ),
    term(
        "bumpiness_open",
        Matrix(scalar::bumpiness_open),
        "as bumpiness, the well column left out",
        CAPSTONE,
    ),
    term(
        "bumpiness_open_squared",
        Matrix(scalar::bumpiness_open_squared),
        "the same with squared differences",
        CAPSTONE,
    ),
    term(
        "row_transitions",
        Matrix(scalar::row_transitions),
        "changes between filled and empty along all rows, both walls filled; an empty row has 2",
        CAPSTONE,
    ),
    term(
        "column_transitions",
        Matrix(scalar::column_transitions),
        "changes along the columns, floor filled and sky empty",
        MDP,
    ),
    term("rows_with_holes", Matrix(scalar::rows_with_holes), "rows with a hole", MDP),
    term("cavities", Matrix(scalar::cavities), "holes that are not overhangs", CAPSTONE),
    term("cavities_squared", Matrix(scalar::cavities_squared), "the square of cavities", CAPSTONE),
    term(
        "overhangs",
        Matrix(scalar::overhangs),
        "holes beside which two columns on one side are at most as high as the hole's row",
        CAPSTONE,
    ),
    term(
        "overhangs_squared",
        Matrix(scalar::overhangs_squared),
        "the square of overhangs",
        CAPSTONE,
    ),
    term(
        "covered",
        Matrix(scalar::covered),
        "sum over holes of the filled cells above in the column, at most 6 for each",
        CAPSTONE,
    ),
    term(
        "covered_squared",
        Matrix(scalar::covered_squared),
        "sum over holes of the square of the same",
        CAPSTONE,
    ),
    term("top_half", Matrix(scalar::top_half), "rows of the highest column above 10", CAPSTONE),
    term(
        "top_quarter",
        Matrix(scalar::top_quarter),
        "rows of the highest column above 15",
        CAPSTONE,
    ),
    term(
        "well_depth",
        Matrix(scalar::well_depth),
        "rows from the well column's height up that are filled but for it, at most 17",
        CAPSTONE,
    ),
    well_column!(0),
    well_column!(1),
    well_column!(2),
    well_column!(3),
    well_column!(4),
    well_column!(5),
    well_column!(6),
    well_column!(7),
    well_column!(8),
    well_column!(9),
    term("t_slots_0", Matrix(scalar::t_slots::<0>), "T-slots whose T clears nothing", CAPSTONE),
    term("t_slots_1", Matrix(scalar::t_slots::<1>), "T-slots whose T clears one row", CAPSTONE),
    term("t_slots_2", Matrix(scalar::t_slots::<2>), "T-slots whose T clears two rows", CAPSTONE),
    term("t_slots_3", Matrix(scalar::t_slots::<3>), "T-slots whose T clears three rows", CAPSTONE),
    term(
        "wells_by_height",
        Matrix(scalar::wells_by_height),
        "per column d(d+1)/2, d = how far its height lies below the lower neighbour's (walls above \
         all)",
        OWN,
    ),
    term(
        "cells_over_goal",
        Goal(scalar::cells_over_goal),
        "filled cells in rows that cannot be among those still to be cleared; 0 in a game without \
         end",
        OWN,
    ),
    term("occupied_cells", Matrix(scalar::occupied_cells), "filled cells", MDP),
    term(
        "complete_rows",
        Matrix(scalar::complete_rows),
        "full rows that stand on the measured matrix (0 when measured after clearing); earned once",
        LEE,
    ),
    term(
        "back_to_back",
        BackToBack,
        "1 if the last clear was a tetris or a T-spin with rows",
        CAPSTONE,
    ),
    term("clear_1", ClearEvent(scalar::clear::<1>), "a single without spin", CAPSTONE),
    term("clear_2", ClearEvent(scalar::clear::<2>), "a double without spin", CAPSTONE),
    term("clear_3", ClearEvent(scalar::clear::<3>), "a triple without spin", CAPSTONE),
    term("clear_4", ClearEvent(scalar::clear::<4>), "a tetris", CAPSTONE),
    term("mini_0", ClearEvent(scalar::mini::<0>), "a mini T-spin without rows", CAPSTONE),
    term("mini_1", ClearEvent(scalar::mini::<1>), "a mini T-spin single", CAPSTONE),
    term("mini_2", ClearEvent(scalar::mini::<2>), "a mini T-spin double", CAPSTONE),
    term("t_spin_0", ClearEvent(scalar::t_spin::<0>), "a T-spin without rows", CAPSTONE),
    term("t_spin_1", ClearEvent(scalar::t_spin::<1>), "a T-spin single", CAPSTONE),
    term("t_spin_2", ClearEvent(scalar::t_spin::<2>), "a T-spin double", CAPSTONE),
    term("t_spin_3", ClearEvent(scalar::t_spin::<3>), "a T-spin triple", CAPSTONE),
    term(
        "back_to_back_clear",
        ClearEvent(scalar::back_to_back_clear),
        "a tetris, or a T-spin with rows, after another",
        CAPSTONE,
    ),
    term("perfect_clear", ClearEvent(scalar::perfect_clear), "a perfect clear", CAPSTONE),
    term(
        "combo",
        ClearEvent(scalar::combo),
        "0 0 1 1 2 2 3 3 4 4 4 5 by the number of clears in a row before this one, then 5",
        CAPSTONE,
    ),
    term(
        "wasted_t",
        ClearEvent(scalar::wasted_t),
        "a T placed without a T-spin that removes rows",
        CAPSTONE,
    ),
    term(
        "jeopardy",
        ClearEvent(scalar::jeopardy),
        "rows of the highest column above 10 after the placement",
        CAPSTONE,
    ),
    term("points", ClearEvent(scalar::points), "its points, drops left out", OWN),
    term("rows_removed", ClearEvent(scalar::rows_removed), "rows removed by this placement", LEE),
    term(
        "t_triples_2",
        Matrix(scalar::t_triples::<2>),
        "places where a T is turned in by the fifth kick, stands with its tip under an overhang, \
         and clears two rows",
        OWN,
    ),
    term(
        "t_triples_3",
        Matrix(scalar::t_triples::<3>),
        "the same where it clears three rows: a T-spin triple",
        OWN,
    ),
    term(
        "perfect_chance",
        Matrix(scalar::perfect_chance),
        "filled cells of a stack of at most 4 rows without holes, when their number is a multiple \
         of 4; else 0",
        OWN,
    ),
    term(
        "back_to_back_lost",
        ClearEvent(scalar::back_to_back_lost),
        "a clear that is neither a tetris nor a T-spin, after one that was",
        OWN,
    ),
    term("hold_i", Hold(Piece::I), "1 if an I lies in the hold after the placement", OWN),
    term("hold_o", Hold(Piece::O), "1 if an O lies in the hold after the placement", OWN),
    term("hold_t", Hold(Piece::T), "1 if a T lies in the hold after the placement", OWN),
    term("hold_s", Hold(Piece::S), "1 if an S lies in the hold after the placement", OWN),
    term("hold_z", Hold(Piece::Z), "1 if a Z lies in the hold after the placement", OWN),
    term("hold_j", Hold(Piece::J), "1 if a J lies in the hold after the placement", OWN),
    term("hold_l", Hold(Piece::L), "1 if an L lies in the hold after the placement", OWN),
    term(
        "attack",
        ClearEvent(scalar::attack),
        "rows of garbage that it sends, by the attack table of the rules",
        OWN,
    ),
];

/// Index of each term (feature) among the terms computed from a matrix; `None` for other terms.
pub(super) const MATRIX_INDICES: [Option<usize>; TERMS.len()] = {
    let (mut indices, mut index, mut next) = ([None; TERMS.len()], 0, 0);
    while index < TERMS.len() {
        if matches!(TERMS[index].measure, Matrix(_) | Goal(_)) {
            indices[index] = Some(next);
            next += 1;
        }
        index += 1;
    }
    indices
};

/// Number of terms (features of guideline games) that are computed from a matrix.
pub const MATRIX_TERMS: usize = {
    let (mut index, mut count) = (0, 0);
    while index < TERMS.len() {
        count += MATRIX_INDICES[index].is_some() as usize;
        index += 1;
    }
    count
};

/// Returns the index of the term (feature) `name` among the terms computed from a matrix.
pub(super) const fn matrix_index(name: &str) -> usize {
    let mut index = 0;
    while index < TERMS.len() {
        if same_name(TERMS[index].name, name)
            && let Some(next) = MATRIX_INDICES[index]
        {
            return next;
        }
        index += 1;
    }
    panic!("no such term of the matrix")
}
