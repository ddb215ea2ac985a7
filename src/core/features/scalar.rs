//! Computes each feature on its own, as the specification of every vector kernel.
//!
//! ```text
//! ......
//! ##...#     h: the holes, in three rows; one filled cell is above the three of column 1, so
//! #h#..#     hole_depth counts 1 + 0 + 0 there, and hole_depth_all 1 + 1 + 1
//! #hh#w#     w: the well cells of column 4, which are open to the sky
//! #h##w#
//! ```
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{board::Board, features::Feature};
//! let board: Board = "....../##...#/#.#..#/#..#.#/#.##.#".parse()?; // heights 4 4 3 2 0 4
//! let count = |name: &str| name.parse::<Feature>().map(|f| f.raw(&board, None).unwrap());
//! assert_eq!((count("holes")?, count("rows_with_holes")?), (4, 3));
//! assert_eq!((count("hole_depth")?, count("hole_depth_all")?), (2, 4));
//! assert_eq!((count("aggregate_height")?, count("bumpiness")?), (17, 0 + 1 + 1 + 2 + 4));
//! assert_eq!(count("pattern_diversity")?, 3); // steps of 0, -1 and -2; 4 is too large
//! assert_eq!(count("wells")?, (3 + 1) + (2 + 1)); // from each well cell down
//! assert_eq!(count("wells_fast")?, (1 + 2 + 3) + (1 + 2)); // each run once
//! assert_eq!((count("well_cells")?, count("wells_open")?), (3 + 2, 1 + 2)); // column 1 is covered
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

use super::{Move, columns_of};
use crate::board::Board;

/// Returns the rows of the stack from the top down, each with a mask of the columns that are filled
/// above the row.
fn rows_with_cover(board: &Board) -> impl Iterator<Item = (usize, u16)> {
    let mut cover = 0u16;
    (0..board.stack_height()).rev().map(move |row| {
        let covered = cover;
        cover |= board.row(row);
        (row, covered)
    })
}

pub(super) fn holes(board: &Board) -> i32 {
    let in_row = |(row, cover): (usize, u16)| (cover & !board.row(row)).count_ones() as i32;
    rows_with_cover(board).map(in_row).sum()
}

pub(super) fn rows_with_holes(board: &Board) -> i32 {
    rows_with_cover(board).filter(|&(row, cover)| cover & !board.row(row) != 0).count() as i32
}

pub(super) fn hole_depth(board: &Board) -> i32 {
    over_holes(board, |column, hole| filled_directly_above(board, column, hole))
}

pub(super) fn filled_directly_above(board: &Board, column: usize, hole: usize) -> usize {
    (hole + 1..board.stack_height()).take_while(|&row| board.is_filled(column, row)).count()
}

pub(super) fn hole_depth_all(board: &Board) -> i32 {
    over_holes(board, |column, hole| filled_above(board, column, hole))
}

pub(super) fn filled_above(board: &Board, column: usize, hole: usize) -> usize {
    (hole + 1..board.stack_height()).filter(|&row| board.is_filled(column, row)).count()
}

fn over_holes(board: &Board, value: impl Fn(usize, usize) -> usize) -> i32 {
    let mut sum = 0;
    for (row, cover) in rows_with_cover(board) {
        sum += columns_of(cover & !board.row(row)).map(|column| value(column, row)).sum::<usize>();
    }
    sum as i32
}

pub(super) fn complete_rows(board: &Board) -> i32 {
    board.full_rows().count_ones() as i32
}

pub(super) fn occupied_cells(board: &Board) -> i32 {
    board.rows().iter().map(|row| row.count_ones() as i32).sum()
}

pub(super) fn weighted_cells(board: &Board) -> i32 {
    (1..).zip(board.rows()).map(|(weight, row)| weight * row.count_ones() as i32).sum()
}

fn heights(board: &Board) -> impl Iterator<Item = i32> + Clone {
    board.heights().into_iter().take(board.width()).map(i32::from)
}

fn steps(board: &Board) -> impl Iterator<Item = i32> {
    heights(board).skip(1).zip(heights(board)).map(|(right, left)| right - left)
}

pub(super) fn height(board: &Board, column: usize) -> i32 {
    board.column_height(column) as i32
}

pub(super) fn height_diff(board: &Board, column: usize) -> i32 {
    (height(board, column + 1) - height(board, column)).abs()
}

pub(super) fn aggregate_height(board: &Board) -> i32 {
    heights(board).sum()
}

pub(super) fn aggregate_top_index(board: &Board) -> i32 {
    aggregate_height(board) - board.width() as i32
}

pub(super) fn max_height(board: &Board) -> i32 {
    board.stack_height() as i32
}

pub(super) fn height_range(board: &Board) -> i32 {
    max_height(board) - heights(board).min().unwrap_or(0)
}

pub(super) fn bumpiness(board: &Board) -> i32 {
    steps(board).map(i32::abs).sum()
}

pub(super) fn pattern_diversity(board: &Board) -> i32 {
    (-2..=2).filter(|&step| steps(board).any(|other| other == step)).count() as i32
}

pub(super) fn constant(_: &Board) -> i32 {
    1
}

pub(super) fn rbf(board: &Board, i: usize) -> i32 {
    rbf_of(aggregate_height(board), board.width(), board.height(), i)
}

pub(crate) fn rbf_of(aggregate: i32, width: usize, height: usize, i: usize) -> i32 {
    let mean = f64::from(aggregate) / width as f64;
    let distance = mean - i as f64 * height as f64 / 4.0;
    let spread = height as f64 / 5.0;
    // `libm` gives the same bits on every system, which the platform's function does not guarantee.
    (1e4 * libm::exp(-distance * distance / (2.0 * spread * spread))).round() as i32
}

pub(super) fn landing_height(played: &Move) -> i32 {
    2 * i32::from(played.candidate.row) + i32::from(played.shape().height) - 1
}

pub(super) fn landing_height_mean(played: &Move) -> i32 {
    let in_row = |(k, row): (usize, &u16)| {
        row.count_ones() as i32 * (i32::from(played.candidate.row) + k as i32 + 1)
    };
    played.shape().rows.iter().enumerate().map(in_row).sum()
}

pub(super) fn landing_height_anchor(played: &Move) -> i32 {
    i32::from(played.candidate.row) + i32::from(played.shape().anchor_row) + 1
}

pub(super) fn piece_height_unity(played: &Move) -> i32 {
    let shape = played.shape();
    let top_of_left = shape.bottom[0] + shape.thickness[0] - 1;
    i32::from(played.candidate.row) - i32::from(top_of_left)
}

pub(super) fn eroded_cells(played: &Move) -> i32 {
    let own: u8 = played.removed_cells.iter().sum();
    i32::from(played.lines) * i32::from(own)
}

pub(super) fn eroded_cells_guide(played: &Move) -> i32 {
    let alone = played.removed_cells.iter().filter(|&&cells| cells == 1).count();
    i32::from(played.lines) * alone as i32
}

pub(super) fn rows_removed(played: &Move) -> i32 {
    i32::from(played.lines)
}

pub(super) fn row_transitions(board: &Board) -> i32 {
    let wall = 1u32 << (board.width() + 1);
    let changes = |row: usize| {
        // A shift by one bit makes room for the left wall; the right wall is bit width + 1.
        let walled = u32::from(board.row(row)) << 1 | 1 | wall;
        // Each bit is compared with its right neighbour; the right wall has none.
        ((walled ^ walled >> 1) & (wall - 1)).count_ones() as i32
    };
    let occupied = board.stack_height();
    let empty = board.measured_rows() - occupied;
    2 * empty as i32 + (0..occupied).map(changes).sum::<i32>()
}

pub(super) fn row_flips_unity(board: &Board) -> i32 {
    let changes = |row: usize| {
        let cells = u32::from(board.row(row));
        // Bit 0 is compared with the empty left edge; a bit beyond the right edge is cut off.
        ((cells ^ cells << 1) & u32::from(board.full_row())).count_ones() as i32
    };
    (0..board.stack_height()).map(changes).sum()
}

pub(super) fn column_transitions_open(board: &Board) -> i32 {
    let changes = |row: usize| (board.row(row) ^ board.row(row - 1)).count_ones() as i32;
    // The empty row above the stack adds changes; rows further up do not.
    let occupied_and_one = (board.stack_height() + 1).min(board.measured_rows());
    (1..occupied_and_one).map(changes).sum()
}

pub(super) fn column_transitions_floor(board: &Board) -> i32 {
    let empty_at_floor = (board.full_row() & !board.row(0)).count_ones() as i32;
    column_transitions_open(board) + empty_at_floor
}

pub(super) fn column_transitions(board: &Board) -> i32 {
    column_transitions_floor(board) + top_row(board).count_ones() as i32
}

pub(super) fn column_transitions_ceiling(board: &Board) -> i32 {
    let empty_at_ceiling = (board.full_row() & !top_row(board)).count_ones() as i32;
    column_transitions_floor(board) + empty_at_ceiling
}

fn top_row(board: &Board) -> u16 {
    board.row(board.measured_rows() - 1)
}

/// Returns a mask of a row's well cells: empty, with filled cells or walls on both sides.
fn well_row(board: &Board, row: usize) -> u16 {
    let cells = board.row(row);
    let right_wall = 1 << (board.width() - 1);
    !cells & (cells << 1 | 1) & (cells >> 1 | right_wall)
}

pub(super) fn is_well_cell(board: &Board, column: usize, row: usize) -> bool {
    well_row(board, row) >> column & 1 == 1
}

pub(super) fn empty_run_down(board: &Board, column: usize, row: usize) -> usize {
    (0..=row).rev().take_while(|&below| !board.is_filled(column, below)).count()
}

pub(super) fn triangle(n: usize) -> i32 {
    (n * (n + 1) / 2) as i32
}

fn over_columns(board: &Board, value: impl Fn(usize) -> i32) -> i32 {
    (0..board.width()).map(value).sum()
}

pub(super) fn wells(board: &Board) -> i32 {
    // Rows above the stack have no well cells, since no column has walls on both sides.
    let depth = |row, column| empty_run_down(board, column, row) as i32;
    let in_row = |row| columns_of(well_row(board, row)).map(move |column| depth(row, column));
    (0..board.stack_height()).flat_map(in_row).sum()
}

pub(super) fn wells_fast(board: &Board) -> i32 {
    over_columns(board, |column| well_runs(board, column).map(triangle).sum())
}

pub(super) fn well_cells(board: &Board) -> i32 {
    over_columns(board, |column| well_runs(board, column).sum::<usize>() as i32)
}

/// Returns the lengths of a column's vertical runs of empty cells, each counted from its highest
/// well cell down.
fn well_runs(board: &Board, column: usize) -> impl Iterator<Item = usize> {
    let mut row = board.stack_height();
    std::iter::from_fn(move || {
        row = (0..row).rev().find(|&row| is_well_cell(board, column, row))?;
        let run = empty_run_down(board, column, row);
        // The lowest cell of the run, below which the next search starts.
        row = row + 1 - run;
        Some(run)
    })
}

fn open_well_cells(board: &Board, column: usize) -> impl Iterator<Item = usize> {
    (board.column_height(column)..board.stack_height())
        .filter(move |&row| is_well_cell(board, column, row))
}

pub(super) fn wells_open(board: &Board) -> i32 {
    over_columns(board, |column| triangle(open_well_cells(board, column).count()))
}

pub(super) fn wells_open_restart(board: &Board) -> i32 {
    over_columns(board, |column| {
        let mut run = 0;
        let mut next = None;
        let mut sum = 0;
        for row in open_well_cells(board, column) {
            run = if next == Some(row) { run + 1 } else { 1 };
            next = Some(row + 1);
            sum += run;
        }
        sum
    })
}

pub(super) fn wells_by_height(board: &Board) -> i32 {
    over_columns(board, |column| {
        let lower = lower_neighbour(board, column);
        triangle(lower.saturating_sub(board.column_height(column)))
    })
}

pub(super) fn wells_squared(board: &Board) -> i32 {
    let inner = 1..board.width() - 1;
    inner
        .map(|column| {
            let depth = lower_neighbour(board, column) as i32 - board.column_height(column) as i32;
            depth * depth
        })
        .sum()
}

pub(super) fn lower_neighbour(board: &Board, column: usize) -> usize {
    let left = (column > 0).then(|| board.column_height(column - 1));
    let right = (column + 1 < board.width()).then(|| board.column_height(column + 1));
    left.into_iter().chain(right).min().unwrap_or(0)
}

pub(super) fn wells_guide(board: &Board) -> i32 {
    over_columns(board, |column| {
        let mut sum = 0;
        let mut run = 0;
        // The additional row ends the last run.
        for row in 0..=board.measured_rows() {
            if row < board.measured_rows() && !board.is_filled(column, row) {
                run += 1;
                continue;
            }
            let beside = row - run..row;
            let touched = |neighbour: Option<usize>| {
                neighbour.is_none_or(|c| {
                    c == board.width() || beside.clone().any(|r| board.is_filled(c, r))
                })
            };
            if touched(column.checked_sub(1)) && touched(Some(column + 1)) {
                sum += triangle(run);
            }
            run = 0;
        }
        sum
    })
}
