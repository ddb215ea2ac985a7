//! Placements that clear nothing, by where they touch: their features differ from the parent's by
//! sums over the few columns that the piece meets, read from running sums of the parent.
//!
//! Lanes are the columns where an orientation may stand, so that what a piece meets in each of
//! its columns is an unaligned load away.

mod form;
mod place;
mod tables;
mod value;

use super::contenders::{SetBits, from_second_on};
use super::lanes::{LANES, Lanes, Line};
use super::shapes::{LANDING, Shapes};
use super::sheet::Play;
use super::weights::split;
use crate::board::{Board, BoardSize, ROWS};
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

/// The most digits of a weight.
const DIGITS: usize = 4;

/// The placements of one piece, before their digits are put together.
pub(super) struct Parts {
    sums: [[i32; LANES]; DIGITS],
    rows: Line,
    fills: u64,
    sound: u64,
    count: usize,
}

impl Parts {
    pub(super) fn new() -> Parts {
        Parts { sums: [[0; LANES]; DIGITS], rows: Line::ZERO, fills: 0, sound: 0, count: 0 }
    }
}

/// What is found of a piece's placements.
pub(super) struct Found {
    pub(super) rows: [u8; LANES],
    pub(super) best: usize,
    pub(super) score: i64,
    /// With [`Wish::Contenders`] alone: those, and which placements lose.
    pub(super) contenders: u64,
    pub(super) lost: u64,
}

/// What is asked about placements.
pub(super) enum Wish<'a> {
    /// The best.
    Best,
    /// The best's score, piece by piece; None where all lose.
    Scores(&'a mut [Option<i64>]),
    /// The scores of all placements of the only piece, and who can be best or second.
    Contenders(&'a mut [i64; LANES]),
}

/// Marks that every placement loses.
pub(super) const ALL_LOSE: usize = 64;

impl Found {
    pub(super) fn nothing() -> Found {
        Found { rows: [0; LANES], best: ALL_LOSE, score: 0, contenders: 0, lost: 0 }
    }
}

/// A controller whose features are all known here.
pub(super) struct Contact {
    size: BoardSize,
    play: Play,
    forms: Vec<Vec<Form>>,
    /// By piece and placement: what its landing adds at row 0.
    landing: Vec<Vec<i64>>,
    /// The same, with all that does not depend on the board.
    constants: Vec<[i64; LANES]>,
    landing_steps: i64,
    /// For each digit of the weights, lowest first: pairs of (landing row, covered cells),
    /// (columns hanging, rows newly holed), (wells, empty cells beside), (cells above holes,
    /// bumpiness).
    digits: Vec<[[i16; 2]; 4]>,
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
                "column_transitions" => (&mut weights.column_transitions, CELLS),
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
        let landing_steps = steps.map(|(&(_, steps), weight)| i64::from(steps) * weight).sum();
        let landing = |piece| landing_at_floor(size.width(), piece, &weights);
        let mut contact = Contact {
            size,
            play,
            forms: Piece::ALL.map(|piece| Form::all(size.width(), piece)).into(),
            landing: Piece::ALL.map(landing).into(),
            constants: Vec::new(),
            landing_steps,
            digits: digits(landing_steps, &weights)?,
            weights,
            set,
        };
        contact.constants = Piece::ALL.map(|piece| contact.constants_of(piece)).into();
        Some(contact)
    }

    fn constants_of(&self, piece: Piece) -> [i64; LANES] {
        let mut constants = [0; LANES];
        for form in &self.forms[piece.index()] {
            // Every row of the piece has two sides, of which those that were filled count less.
            let sides = 2 * (i64::from(form.shoulders) - form.height as i64);
            let own = form.first..form.first + form.count;
            let landing = &self.landing[piece.index()][own.clone()];
            for (constant, landing) in constants[own].iter_mut().zip(landing) {
                *constant = landing
                    + sides * self.weights.row_transitions
                    + 4 * self.weights.aggregate_height;
            }
        }
        constants
    }

    /// The orientation of a placement.
    #[inline(always)]
    fn form(&self, piece: Piece, index: usize) -> &Form {
        let forms = &self.forms[piece.index()];
        forms.iter().rev().find(|form| form.first <= index).unwrap_or(&forms[0])
    }

    /// What the move itself earns, without rows.
    fn of_landing(&self, piece: Piece, index: usize, row: usize) -> i64 {
        self.landing[piece.index()][index] + self.landing_steps * row as i64
    }
}

/// The weights of what [`place`] counts, in pairs; None if they are too large for it.
fn digits(landing: i64, weights: &Weights) -> Option<Vec<[[i16; 2]; 4]>> {
    let mut left = [
        landing,
        weights.holes + weights.aggregate_height,
        2 * weights.column_transitions,
        weights.rows_with_holes,
        weights.wells,
        2 * weights.row_transitions,
        weights.hole_depth,
        weights.bumpiness,
    ];
    let mut digits = Vec::new();
    while left != [0; 8] || !matches!(digits.len(), 2 | DIGITS) {
        if digits.len() == DIGITS {
            return None;
        }
        let lowest = split(&mut left);
        digits.push(std::array::from_fn(|pair| [lowest[2 * pair], lowest[2 * pair + 1]]));
    }
    Some(digits)
}

fn landing_at_floor(width: usize, piece: Piece, weights: &Weights) -> Vec<i64> {
    let shapes = Shapes::new(width, piece);
    let at = |lane: usize| {
        let values = shapes.landing.iter().map(|line| i64::from(line.0[lane] as i16));
        values.zip(weights.landing).map(|(value, weight)| value * weight).sum()
    };
    (0..shapes.count).map(at).collect()
}

/// Finds what is asked about the placements of each piece; false where the board is not one for
/// this. `found` is about the last.
#[inline(always)]
pub(super) fn find<V: Lanes>(
    contact: &Contact,
    board: &Board,
    pieces: &[Piece],
    (tables, parts): (&mut Tables, &mut Parts),
    found: &mut Found,
    wish: Wish<'_>,
) -> bool {
    match contact.set {
        0 | CELLS => find_set::<V, CELLS>(contact, board, pieces, (tables, parts), found, wish),
        HEIGHTS => find_set::<V, HEIGHTS>(contact, board, pieces, (tables, parts), found, wish),
        _ => {
            find_set::<V, { CELLS | HEIGHTS }>(contact, board, pieces, (tables, parts), found, wish)
        }
    }
}

#[inline(always)]
fn find_set<V: Lanes, const SET: u32>(
    contact: &Contact,
    board: &Board,
    pieces: &[Piece],
    (tables, parts): (&mut Tables, &mut Parts),
    found: &mut Found,
    mut wish: Wish<'_>,
) -> bool {
    let stack = board.stack_height();
    if stack > contact.size.height().min(24) {
        return false;
    }
    if !tables.read::<V>(board, stack) {
        return false;
    }
    let mut known = None;
    for (k, &piece) in pieces.iter().enumerate() {
        place_all::<V, SET>(contact, board, tables, piece, parts, found);
        let constants = &contact.constants[piece.index()];
        if !matches!(wish, Wish::Contenders(_)) {
            match contact.digits.len() {
                2 => choose::<2>(constants, parts, found),
                _ => choose::<DIGITS>(constants, parts, found),
            }
            if parts.fills == 0 && matches!(wish, Wish::Best) {
                continue;
            }
        }
        let parent = match known {
            Some(parent) => parent,
            None => value::<V, SET>(contact, board.rows(), stack),
        };
        known = Some(parent);
        let mut cleared = [0; LANES];
        let survive = clear_each::<V, SET>(contact, board, piece, parts.fills, found, &mut cleared);
        if let Wish::Contenders(scores) = &mut wish {
            match contact.digits.len() {
                2 => score_all::<2>(constants, parts, parent, scores),
                _ => score_all::<DIGITS>(constants, parts, parent, scores),
            }
            for index in SetBits(survive) {
                scores[index] = cleared[index];
            }
            found.lost = !(parts.sound | survive);
            found.contenders = from_second_on(scores, parts.count);
            continue;
        }
        for index in SetBits(survive) {
            let score = cleared[index] - parent;
            if score > found.score || (score == found.score && index < found.best) {
                (found.score, found.best) = (score, index);
            }
        }
        if let Wish::Scores(scores) = &mut wish {
            scores[k] = (found.best != ALL_LOSE).then(|| found.score + parent);
        }
    }
    true
}

/// Scores the placements that fill no row, as differences from the parent.
#[inline(always)]
fn place_all<V: Lanes, const SET: u32>(
    contact: &Contact,
    board: &Board,
    tables: &Tables,
    piece: Piece,
    parts: &mut Parts,
    found: &mut Found,
) {
    (parts.fills, parts.sound, parts.count) = (0, 0, contact.landing[piece.index()].len());
    let forms = &contact.forms[piece.index()];
    for form in forms {
        for x in (0..form.count).step_by(V::COUNT) {
            match (form.width, form.height) {
                (1, _) => place::<V, SET, 1, 4>(contact, board, tables, form, x, parts),
                (2, 2) => place::<V, SET, 2, 2>(contact, board, tables, form, x, parts),
                (2, _) => place::<V, SET, 2, 3>(contact, board, tables, form, x, parts),
                (3, _) => place::<V, SET, 3, 2>(contact, board, tables, form, x, parts),
                _ => place::<V, SET, 4, 1>(contact, board, tables, form, x, parts),
            }
        }
    }
    for (to, row) in found.rows.iter_mut().zip(parts.rows.0) {
        *to = row as u8;
    }
}

/// Puts the digits together and finds the first best. Scores stay below 2^54 (weights add up to
/// at most 2^43, differences to less than 2^11), so that their index fits below them.
#[inline(always)]
fn choose<const D: usize>(constants: &[i64; LANES], parts: &Parts, found: &mut Found) {
    let mut best = [i64::MIN; 16];
    for at in (0..parts.count.min(LANES)).step_by(16) {
        let mut sums = [&parts.sums[0][at..at + 16]; D];
        for (power, sums) in sums.iter_mut().enumerate() {
            *sums = &parts.sums[power][at..at + 16];
        }
        let constants = &constants[at..at + 16];
        let sound = parts.sound >> at;
        for x in 0..16 {
            let mut score = constants[x];
            for (power, sums) in sums.iter().enumerate() {
                score += i64::from(sums[x]) << (14 * power);
            }
            let key = score << 6 | (LANES - 1 - at - x) as i64;
            best[x] = best[x].max(if sound & 1 << x != 0 { key } else { i64::MIN });
        }
    }
    let best = best.into_iter().fold(i64::MIN, i64::max);
    (found.best, found.score) = (ALL_LOSE, i64::MIN);
    if parts.sound != 0 {
        found.best = LANES - 1 - (best & 63) as usize;
        found.score = best >> 6;
    }
}

/// Puts the digits of all placements together; those that lose or fill rows are below all others.
#[inline(always)]
fn score_all<const D: usize>(
    constants: &[i64; LANES],
    parts: &Parts,
    parent: i64,
    scores: &mut [i64; LANES],
) {
    for at in (0..parts.count.min(LANES)).step_by(16) {
        let mut sums = [&parts.sums[0][at..at + 16]; D];
        for (power, sums) in sums.iter_mut().enumerate() {
            *sums = &parts.sums[power][at..at + 16];
        }
        let (constants, scores) = (&constants[at..at + 16], &mut scores[at..at + 16]);
        let sound = parts.sound >> at;
        for x in 0..16 {
            let mut score = constants[x] + parent;
            for (power, sums) in sums.iter().enumerate() {
                score += i64::from(sums[x]) << (14 * power);
            }
            scores[x] = if sound & 1 << x != 0 { score } else { i64::MIN };
        }
    }
}

/// Scores the placements that fill rows one by one; returns those that do not lose.
#[inline(always)]
fn clear_each<V: Lanes, const SET: u32>(
    contact: &Contact,
    board: &Board,
    piece: Piece,
    fills: u64,
    found: &Found,
    cleared: &mut [i64; LANES],
) -> u64 {
    let mut survive = 0;
    for index in SetBits(fills) {
        let form = contact.form(piece, index);
        let row = found.rows[index] as usize;
        if let Some(score) = after_clear::<V, SET>(contact, board, form, index - form.first, row) {
            cleared[index] = score + contact.of_landing(piece, index, row);
            survive |= 1 << index;
        }
    }
    survive
}

impl Contact {
    /// The board once a placement is played, and how many rows that removed. The piece comes as
    /// whole vectors of rows: a row written alone would hold up the next reading of the board.
    #[inline]
    pub(super) fn play(
        &self,
        board: &Board,
        piece: Piece,
        index: usize,
        row: usize,
    ) -> (Board, u32) {
        let form = self.form(piece, index);
        let cells: &[u16] = &form.alone[ROWS - row.min(ROWS)..][..ROWS];
        let mut rows = *board.rows();
        for (row, cells) in rows.iter_mut().zip(cells) {
            *row |= cells << (index - form.first);
        }
        let mut lines = 0;
        let stays = row + form.height > self.size.height() && !self.play.clear_on_overflow;
        let own = if stays { row..row } else { row..row + form.height };
        for at in own.rev() {
            if rows[at] == board.full_row() {
                let above: [u16; ROWS] =
                    std::array::from_fn(|row| if row + 1 < ROWS { rows[row + 1] } else { 0 });
                for (row, above) in above.into_iter().enumerate() {
                    rows[row] = if row >= at { above } else { rows[row] };
                }
                lines += 1;
            }
        }
        let mut after = *board;
        *after.rows_mut() = rows;
        (after, lines)
    }
}
