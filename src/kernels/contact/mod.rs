//! Placements that clear nothing, by where they touch: their features differ from the parent's by
//! sums over the few columns that the piece meets, read from running sums of the parent.
//!
//! Plain array code, compiled once for every level that uses it: heights and what is made of
//! them go by vectors of columns, look-ups one by one.

mod form;
mod place;
mod tables;
mod value;

use super::quick::{ALL_LOSE, Found};
use super::shapes::{LANDING, Shapes};
use super::sheet::Play;
use crate::board::{Board, BoardSize, full_row};
use crate::features::Feature;
use crate::piece::Piece;
use form::Form;
use place::place;
pub(super) use tables::Tables;
use value::{after_clear, value};

/// What each feature known here weighs.
#[derive(Clone, Copy, Default)]
struct Weights {
    landing: [i64; LANDING.len()],
    row_transitions: i64,
    column_transitions: i64,
    holes: i64,
    wells: i64,
    hole_depth: i64,
    rows_with_holes: i64,
    aggregate_height: i64,
    bumpiness: i64,
    complete_rows: i64,
    eroded: i64,
    eroded_alone: i64,
    lines: i64,
}

/// Features that need running sums of cells.
const CELLS: u32 = 1;
/// Features of heights alone, beside holes.
const HEIGHTS: u32 = 2;

/// A controller whose features are all known here.
pub(super) struct Contact {
    size: BoardSize,
    play: Play,
    forms: Vec<Vec<Form>>,
    /// What the landing features add in each lane: score at row 0, by piece.
    landing: Vec<Vec<i64>>,
    landing_steps: i64,
    weights: Weights,
    set: u32,
}

impl Contact {
    /// For weighted features, if all are known.
    pub(super) fn new(size: BoardSize, play: Play, terms: &[(Feature, i64)]) -> Option<Contact> {
        let mut weights = Weights::default();
        let mut set = 0;
        for &(feature, weight) in terms {
            let name = feature.definition().name;
            if let Some(k) = LANDING.iter().position(|&(other, _)| other == name) {
                weights.landing[k] += weight;
                continue;
            }
            let (of, needs) = match name {
                "row_transitions" => (&mut weights.row_transitions, CELLS),
                "column_transitions" => (&mut weights.column_transitions, 0),
                "holes" => (&mut weights.holes, 0),
                "wells" => (&mut weights.wells, CELLS),
                "hole_depth" => (&mut weights.hole_depth, CELLS),
                "rows_with_holes" => (&mut weights.rows_with_holes, CELLS),
                "aggregate_height" => (&mut weights.aggregate_height, HEIGHTS),
                "bumpiness" => (&mut weights.bumpiness, HEIGHTS),
                "complete_rows" => (&mut weights.complete_rows, 0),
                "eroded_cells" => (&mut weights.eroded, 0),
                "eroded_cells_guide" => (&mut weights.eroded_alone, 0),
                "rows_removed" => (&mut weights.lines, 0),
                _ => return None,
            };
            *of += weight;
            set |= needs;
        }
        let steps = LANDING.iter().zip(weights.landing);
        let landing = |piece| landing_at_floor(size.width(), piece, &weights);
        Some(Contact {
            size,
            play,
            forms: Piece::ALL.map(|piece| Form::all(size.width(), piece)).into(),
            landing: Piece::ALL.map(landing).into(),
            landing_steps: steps.map(|(&(_, steps), weight)| i64::from(steps) * weight).sum(),
            weights,
            set,
        })
    }

    /// What the move itself earns, without rows.
    fn of_landing(&self, piece: Piece, index: usize, row: usize) -> i64 {
        self.landing[piece.index()][index] + self.landing_steps * row as i64
    }
}

fn landing_at_floor(width: usize, piece: Piece, weights: &Weights) -> Vec<i64> {
    let shapes = Shapes::new(width, piece);
    let at = |lane: usize| {
        let values = shapes.landing.iter().map(|line| i64::from(line.0[lane] as i16));
        values.zip(weights.landing).map(|(value, weight)| value * weight).sum()
    };
    (0..shapes.count).map(at).collect()
}

/// Finds the best placement of each piece; false where the board is not one for this. With
/// `scores`, also its score, None where all placements lose; `found` is about the last.
#[inline(always)]
pub(super) fn find(
    contact: &Contact,
    board: &Board,
    pieces: &[Piece],
    tables: &mut Tables,
    found: &mut Found,
    scores: Option<&mut [Option<i64>]>,
) -> bool {
    match contact.set {
        0 | CELLS => find_set::<CELLS>(contact, board, pieces, tables, found, scores),
        HEIGHTS => find_set::<HEIGHTS>(contact, board, pieces, tables, found, scores),
        _ => find_set::<{ CELLS | HEIGHTS }>(contact, board, pieces, tables, found, scores),
    }
}

#[inline(always)]
fn find_set<const SET: u32>(
    contact: &Contact,
    board: &Board,
    pieces: &[Piece],
    tables: &mut Tables,
    found: &mut Found,
    mut scores: Option<&mut [Option<i64>]>,
) -> bool {
    let stack = board.stack_height();
    let full = full_row(contact.size.width());
    let any_full = board.rows()[..stack].iter().any(|&row| row == full);
    if any_full || stack > contact.size.height().min(24) {
        return false;
    }
    tables.read(board, stack);
    let mut known = None;
    for (k, &piece) in pieces.iter().enumerate() {
        let fills = place_all::<SET>(contact, board, tables, piece, found);
        if fills != 0 || scores.is_some() {
            let parent = match known {
                Some(parent) => parent,
                None => value::<SET>(contact, board.rows(), stack),
            };
            known = Some(parent);
            clearing::<SET>(contact, board, parent, piece, fills, found);
            if let Some(scores) = &mut scores {
                scores[k] = (found.best != ALL_LOSE).then(|| found.score + parent);
            }
        }
    }
    true
}

/// Scores the placements that fill no row, as differences from the parent; returns the others.
#[inline(always)]
fn place_all<const SET: u32>(
    contact: &Contact,
    board: &Board,
    tables: &Tables,
    piece: Piece,
    found: &mut Found,
) -> u64 {
    (found.best, found.score) = (ALL_LOSE, i64::MIN);
    let mut fills = 0;
    for form in &contact.forms[piece.index()] {
        let landing = &contact.landing[piece.index()];
        fills |= match form.width {
            1 => place::<SET, 1>(contact, board, tables, form, landing, found),
            2 => place::<SET, 2>(contact, board, tables, form, landing, found),
            3 => place::<SET, 3>(contact, board, tables, form, landing, found),
            _ => place::<SET, 4>(contact, board, tables, form, landing, found),
        };
    }
    fills
}

/// Scores the placements that fill rows one by one.
#[inline(always)]
fn clearing<const SET: u32>(
    contact: &Contact,
    board: &Board,
    parent: i64,
    piece: Piece,
    mut fills: u64,
    found: &mut Found,
) {
    let shapes = &contact.forms[piece.index()];
    while fills != 0 {
        let index = fills.trailing_zeros() as usize;
        fills &= fills - 1;
        let form = shapes.iter().rev().find(|form| form.first <= index).unwrap_or(&shapes[0]);
        let row = found.rows[index] as usize;
        let own = contact.of_landing(piece, index, row);
        let Some(score) = after_clear::<SET>(contact, board, form, index - form.first, row) else {
            continue;
        };
        let score = score + own - parent;
        if score > found.score || (score == found.score && index < found.best) {
            (found.score, found.best) = (score, index);
        }
    }
}
