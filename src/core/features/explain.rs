//! Explains the value of a feature by the contributions of cells, edges, rows and columns to it.

use std::fmt::Write;

use serde::Serialize;

use super::{Feature, scalar};
use crate::board::Board;

/// A location on the board to which a contribution to a feature's value belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// A cell, by column and row from 0.
    Cell(usize, usize),
    /// The left side of a cell, by column and row; the column `width` stands for the right wall.
    LeftOf(usize, usize),
    /// The lower side of a cell, by column and row; the row above the highest measured row stands
    /// for the ceiling.
    Below(usize, usize),
    /// A row, counted from the floor.
    Row(usize),
    /// A column, counted from the left.
    Column(usize),
    /// The height step between columns k and k + 1.
    Step(usize),
    /// The whole board, for values that no single cell, row or column explains.
    Board,
}

/// A contribution to a feature's raw value, which is the sum of all contributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Contribution {
    /// Location of the contribution on the board.
    #[serde(rename = "place")]
    pub location: Location,
    /// Amount that the contribution adds to the feature's value, in steps of the feature's unit.
    pub amount: i32,
}

impl Feature {
    /// Returns the nonzero contributions of cells, rows and columns to the feature's value, or
    /// `None` for a feature of the move.
    #[must_use]
    pub fn contributions(&self, board: &Board) -> Option<Vec<Contribution>> {
        // A value that is no sum, such as a maximum, is one contribution of the whole board.
        let raw = self.raw(board, None)?;
        let mut contributions = contributions(self, board)
            .unwrap_or(vec![Contribution { location: Location::Board, amount: raw }]);
        contributions.retain(|contribution| contribution.amount != 0);
        Some(contributions)
    }
}

fn contributions(feature: &Feature, board: &Board) -> Option<Vec<Contribution>> {
    let height = |column| board.column_height(column) as i32;
    let index = feature.index();
    Some(match feature.definition().name {
        "holes" => cells(board, |column, row| i32::from(is_hole(board, column, row))),
        "hole_depth" => {
            over_holes(board, |column, hole| scalar::filled_directly_above(board, column, hole))
        }
        "hole_depth_all" => {
            over_holes(board, |column, hole| scalar::filled_above(board, column, hole))
        }
        "rows_with_holes" => {
            rows(board, |row| (0..board.width()).any(|column| is_hole(board, column, row)).into())
        }
        "complete_rows" => rows(board, |row| i32::from(board.row(row) == board.full_row())),
        "occupied_cells" => cells(board, |column, row| board.is_filled(column, row).into()),
        "weighted_cells" => {
            cells(
                board,
                |column, row| {
                    if board.is_filled(column, row) { row as i32 + 1 } else { 0 }
                },
            )
        }
        "wells" => cells(board, |column, row| match scalar::is_well_cell(board, column, row) {
            true => scalar::empty_run_down(board, column, row) as i32,
            false => 0,
        }),
        "wells_fast" => wells_in_runs(board, true),
        "well_cells" => wells_in_runs(board, false),
        "wells_open" => open_wells(board, false),
        "wells_open_restart" => open_wells(board, true),
        "row_transitions" => sides(board, true),
        "row_flips_unity" => sides(board, false),
        "column_transitions" => edges(board, Some(true), Some(false)),
        "column_transitions_floor" => edges(board, Some(true), None),
        "column_transitions_ceiling" => edges(board, Some(true), Some(true)),
        "column_transitions_open" => edges(board, None, None),
        "aggregate_height" | "mean_height" => columns(board, height),
        "aggregate_top_index" => columns(board, |column| height(column) - 1),
        "height" => vec![Contribution { location: Location::Column(index), amount: height(index) }],
        "bumpiness" => (0..board.width() - 1).map(|k| step(board, k)).collect(),
        "height_diff" => vec![step(board, index)],
        "wells_by_height" => columns(board, |column| {
            let lower = scalar::lower_neighbour(board, column);
            scalar::triangle(lower.saturating_sub(board.column_height(column)))
        }),
        "wells_squared" => columns(board, |column| {
            let inner = (1..board.width() - 1).contains(&column);
            let depth = scalar::lower_neighbour(board, column) as i32 - height(column);
            if inner { depth * depth } else { 0 }
        }),
        _ => return None,
    })
}

fn cells(board: &Board, amount: impl Fn(usize, usize) -> i32) -> Vec<Contribution> {
    let of = |row| (0..board.width()).map(move |column| (column, row));
    let contribution = |(column, row)| Contribution {
        location: Location::Cell(column, row),
        amount: amount(column, row),
    };
    (0..board.stack_height()).flat_map(of).map(contribution).collect()
}

fn rows(board: &Board, amount: impl Fn(usize) -> i32) -> Vec<Contribution> {
    let contribution = |row| Contribution { location: Location::Row(row), amount: amount(row) };
    (0..board.stack_height()).map(contribution).collect()
}

fn columns(board: &Board, amount: impl Fn(usize) -> i32) -> Vec<Contribution> {
    let contribution =
        |column| Contribution { location: Location::Column(column), amount: amount(column) };
    (0..board.width()).map(contribution).collect()
}

fn step(board: &Board, k: usize) -> Contribution {
    let amount = board.column_height(k).abs_diff(board.column_height(k + 1)) as i32;
    Contribution { location: Location::Step(k), amount }
}

fn is_hole(board: &Board, column: usize, row: usize) -> bool {
    row < board.column_height(column) && !board.is_filled(column, row)
}

fn over_holes(board: &Board, amount: impl Fn(usize, usize) -> usize) -> Vec<Contribution> {
    cells(board, |column, row| match is_hole(board, column, row) {
        true => amount(column, row) as i32,
        false => 0,
    })
}

/// Lists the well cells, and the empty cells directly below them; each counts 1, or its depth if
/// `by_depth`.
fn wells_in_runs(board: &Board, by_depth: bool) -> Vec<Contribution> {
    cells(board, |column, row| {
        let run = (row..board.stack_height()).take_while(|&row| !board.is_filled(column, row));
        match { run }.any(|row| scalar::is_well_cell(board, column, row)) {
            true if by_depth => scalar::empty_run_down(board, column, row) as i32,
            counts => i32::from(counts),
        }
    })
}

/// Numbers the well cells open to the sky in each column from below; with `restarts`, again from 1
/// after a gap.
fn open_wells(board: &Board, restarts: bool) -> Vec<Contribution> {
    let is_open = |column, row| {
        row >= board.column_height(column) && scalar::is_well_cell(board, column, row)
    };
    cells(board, |column, row| {
        if !is_open(column, row) {
            return 0;
        }
        let below = (0..row).rev();
        1 + if restarts {
            below.take_while(|&row| is_open(column, row)).count() as i32
        } else {
            below.filter(|&row| is_open(column, row)).count() as i32
        }
    })
}

/// Lists the changes between filled and empty cells along rows. Without `walls`, the left wall is
/// empty and the right wall is ignored.
fn sides(board: &Board, walls: bool) -> Vec<Contribution> {
    let (rows, last) = match walls {
        true => (board.measured_rows(), board.width()),
        false => (board.stack_height(), board.width() - 1),
    };
    let filled = |column: usize, row| match column {
        0 => walls,
        column if column > board.width() => walls,
        column => board.is_filled(column - 1, row),
    };
    let contribution = |column: usize, row| Contribution {
        location: Location::LeftOf(column, row),
        amount: i32::from(filled(column, row) != filled(column + 1, row)),
    };
    (0..rows).flat_map(|row| (0..=last).map(move |column| contribution(column, row))).collect()
}

/// Returns contributions of changes between filled and empty cells along columns.
fn edges(board: &Board, floor: Option<bool>, ceiling: Option<bool>) -> Vec<Contribution> {
    // `None` leaves out the changes at the floor or the ceiling.
    let top = board.measured_rows();
    let mut contributions = Vec::new();
    for column in 0..board.width() {
        for row in 0..=top {
            let below = if row == 0 { floor } else { Some(board.is_filled(column, row - 1)) };
            let here = if row == top { ceiling } else { Some(board.is_filled(column, row)) };
            let differ = below.zip(here).is_some_and(|(below, here)| below != here);
            contributions.push(Contribution {
                location: Location::Below(column, row),
                amount: differ.into(),
            });
        }
    }
    contributions
}

/// Returns a picture of `board` with the amounts of `contributions`: cells in place, sums of rows
/// on the right, sums of columns and height steps below, then the total.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, features::{Feature, picture}};
/// let board: Board = "..../##../#.../##.#".parse()?;
/// let contributions = "holes".parse::<Feature>()?.contributions(&board).unwrap();
/// assert!(picture(&board, &contributions).ends_with("= 1\n"));
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[must_use]
pub fn picture(board: &Board, contributions: &[Contribution]) -> String {
    let amount = |wanted: &dyn Fn(Location) -> bool| -> i32 {
        contributions
            .iter()
            .filter(|contribution| wanted(contribution.location))
            .map(|contribution| contribution.amount)
            .sum()
    };
    let is_cells = contributions
        .iter()
        .any(|contribution| matches!(contribution.location, Location::Cell(..)));
    let of_row = |row| {
        amount(&|location| match location {
            Location::Row(other) | Location::LeftOf(_, other) | Location::Cell(_, other) => {
                other == row
            }
            _ => false,
        })
    };
    let of_column = |column| {
        amount(&|location| match location {
            Location::Column(other) | Location::Below(other, _) => other == column,
            _ => false,
        })
    };
    let mut text = String::new();
    for row in (0..board.measured_rows()).rev() {
        for column in 0..board.width() {
            let here = amount(&|location| location == Location::Cell(column, row));
            match here {
                0 => text.push_str(if board.is_filled(column, row) { "  #" } else { "  ." }),
                here => text += &format!("{here:3}"),
            }
        }
        match of_row(row) {
            0 => text.push('\n'),
            sum => text += &format!(" | {sum}\n"),
        }
    }
    let columns: Vec<i32> = (0..board.width()).map(of_column).collect();
    if columns.iter().any(|&sum| sum != 0) {
        let sums: String = columns.iter().map(|sum| format!("{sum:3}")).collect();
        text += &(sums + "\n");
    }
    let is_step = |contribution: &Contribution| matches!(contribution.location, Location::Step(_));
    if contributions.iter().any(is_step) {
        text.push_str("  ");
        for k in 0..board.width() - 1 {
            let _ = write!(text, "{:3}", amount(&|location| location == Location::Step(k)));
        }
        text.push('\n');
    }
    let sum: i32 = contributions.iter().map(|contribution| contribution.amount).sum();
    let _ = match contributions {
        [] => writeln!(text, "= 0"),
        // The summands are listed only if they fit on a line.
        contributions if is_cells && contributions.len() <= 40 => {
            let terms: Vec<String> =
                contributions.iter().map(|contribution| contribution.amount.to_string()).collect();
            writeln!(text, "{} = {sum}", terms.join(" + "))
        }
        _ => writeln!(text, "= {sum}"),
    };
    text
}
