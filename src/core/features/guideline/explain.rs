//! Explains the value of a matrix term by the cells, rows, columns and steps that it counts.

use super::Term;
use super::board::{cover, each_hole, is_overhang, max_height, well, well_depth};
use super::slots::{each_slot, with_t};
use super::triples::each_triple;
use crate::features::{Feature, Part, Place};
use crate::matrix::{Matrix, ROWS, WIDTH};

/// Number of rows, from the floor, in which parts can be shown. Parts are shown on classic boards,
/// which have no more rows ([`Matrix::to_board`]).
pub const PICTURED_ROWS: usize = 24;

impl Term {
    /// Returns the non-zero parts that add up to the term's value on a matrix of at most
    /// [`PICTURED_ROWS`] rows. `left` is the number of rows still to be removed, if the game has an
    /// end. Returns `None` for a term that a matrix alone does not determine.
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

/// Returns the parts of the term `name`, which is no classic feature. Returns `None` if its value
/// is not a sum of parts.
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

/// Returns a part for each hole, of size `amount((column, row))`.
fn over_holes(matrix: &Matrix, amount: impl Fn((usize, usize)) -> i32) -> Vec<Part> {
    let part =
        |(column, row)| Part { place: Place::Cell(column, row), amount: amount((column, row)) };
    each_hole(matrix).map(part).collect()
}

/// Multiplies each part by the sum of all parts, so that they add up to the square of that sum.
fn squared(mut parts: Vec<Part>) -> Vec<Part> {
    let count = parts.iter().map(|part| part.amount).sum::<i32>();
    parts.iter_mut().for_each(|part| part.amount *= count);
    parts
}

/// Returns a part for each step between neighbouring columns, without the well column. The step
/// across the well is located in the well column.
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

/// Returns a part of 1 for each row in `from..to`.
fn rows(from: usize, to: usize) -> Vec<Part> {
    (from..to).map(|row| Part { place: Place::Row(row), amount: 1 }).collect()
}

/// Returns a part for each cell at or above `row`: 1 if it is filled, otherwise 0.
fn cells_from(matrix: &Matrix, row: usize) -> Vec<Part> {
    let of_row = |row| (0..WIDTH).map(move |column| (column, row));
    let part = |(column, row)| Part {
        place: Place::Cell(column, row),
        amount: matrix.is_filled(column, row).into(),
    };
    (row..ROWS).flat_map(of_row).map(part).collect()
}

/// Returns a part of 1 at the centre of each T-slot whose T clears `lines` rows. Rows are counted
/// in the original matrix, although slots are filled one after another.
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
