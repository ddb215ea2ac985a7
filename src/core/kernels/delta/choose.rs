//! From counts to scores: rounded ones of all placements, exact ones of a few.

use super::board::{Tables, stack_of};
use super::place::{Placed, place};
use super::settle::wells_of;
use super::shape::Shape;
use super::value::value;
use super::weights::*;
use super::{After, Delta, Found};
use crate::board::{Board, ROWS, full_row};
use crate::features::Measured;
use crate::kernels::contenders::SetBits;
use crate::kernels::plan::Workspace;
use crate::piece::Piece;
use crate::placement::Step;
use crate::simd::{self, Block, Bytes, Job, Rows, Simd, SumBlock};

/// The features of BCTS, for which the kernel has an instance of its own.
const BCTS: u32 =
    ROW_TRANSITIONS | COLUMN_TRANSITIONS | HOLES | WELLS | HOLE_DEPTH | ROWS_WITH_HOLES;
/// Stands for any set.
const ANY: u32 = u32::MAX;

/// The features that an instance measures.
#[inline(always)]
fn set_of<const SET: u32>(delta: &Delta) -> u32 {
    if SET == ANY { delta.set } else { SET }
}

/// The first best of the placements that do not lose, or the first if all do.
#[derive(Clone, Copy)]
struct Chosen {
    lane: usize,
    row: usize,
    lost: bool,
    /// How much better than the parent; where it is asked for.
    score: i64,
}

/// The best placement.
pub(super) struct Find<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) tables: &'a mut Tables,
}

impl Job for Find<'_> {
    type Output = Option<Found>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Found> {
        let Find { delta, board, piece, tables } = self;
        let rows = S::Rows::load(board.rows());
        let stack = stack_of::<S>(delta, rows)?;
        let chosen = best::<S>(delta, rows, stack, &[piece], tables, None, &mut []);
        let index = delta.shape(piece).index(chosen.lane);
        Some(Found { index, row: chosen.row as u8, lost: chosen.lost })
    }
}

/// The best placement, played.
pub(super) struct Play<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a mut Board,
    pub(super) piece: Piece,
    pub(super) tables: &'a mut Tables,
}

impl Job for Play<'_> {
    type Output = Option<Step>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Step> {
        let Play { delta, board, piece, tables } = self;
        let rows = S::Rows::load(board.rows());
        let stack = stack_of::<S>(delta, rows)?;
        let chosen = best::<S>(delta, rows, stack, &[piece], tables, None, &mut []);
        let shape = delta.shape(piece);
        let rows = locked(rows, shape, chosen.lane, chosen.row);
        let top = chosen.row + shape.heights[chosen.lane / 16] as usize;
        let stays = top > delta.size.height() && !delta.play.clear_on_overflow;
        let full = if stays { 0 } else { rows.equal(full_row(delta.size.width())) };
        let rows = if full == 0 { rows } else { rows.removed(full) };
        rows.store(board.rows_mut());
        let stack = ROWS as u32 - rows.occupied().leading_zeros();
        Some(Step { lines: full.count_ones() as u8, stack: stack as u8, lost: chosen.lost })
    }
}

/// The best score of each piece.
pub(super) struct Answers<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) own: Option<i64>,
    pub(super) pieces: &'a [Piece],
    pub(super) tables: &'a mut Tables,
    pub(super) scores: &'a mut [Option<i64>],
}

impl Job for Answers<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Answers { delta, board, own, pieces, tables, scores } = self;
        let rows = S::Rows::load(board.rows());
        let Some(stack) = stack_of::<S>(delta, rows) else { return false };
        let parent = match own {
            Some(own) if delta.set & DIVERSITY == 0 => own,
            _ => value_of(delta, board.rows(), true),
        };
        best::<S>(delta, rows, stack, pieces, tables, Some(parent), scores);
        true
    }
}

/// The best placement of each piece; but for its score alone the parent's must be known. Returns the
/// last.
#[inline(always)]
fn best<S: Simd>(
    delta: &Delta,
    rows: S::Rows,
    stack: usize,
    pieces: &[Piece],
    tables: &mut Tables,
    parent: Option<i64>,
    scores: &mut [Option<i64>],
) -> Chosen {
    if delta.set == BCTS {
        best_of::<S, BCTS>(delta, rows, stack, pieces, tables, parent, scores)
    } else {
        best_of::<S, ANY>(delta, rows, stack, pieces, tables, parent, scores)
    }
}

#[inline(always)]
fn best_of<S: Simd, const SET: u32>(
    delta: &Delta,
    rows: S::Rows,
    stack: usize,
    pieces: &[Piece],
    tables: &mut Tables,
    parent: Option<i64>,
    scores: &mut [Option<i64>],
) -> Chosen {
    let set = set_of::<SET>(delta);
    tables.read::<S>(delta, set, rows, stack);
    let mut chosen = Chosen { lane: 0, row: 0, lost: true, score: 0 };
    for (k, &piece) in pieces.iter().enumerate() {
        let shape = delta.shape(piece);
        chosen = match piece {
            Piece::I => {
                if set & WELLS != 0 {
                    tables.high_wells::<S>();
                }
                let placed = place::<S::Narrow, true>(set, tables, shape);
                choose::<S, S::Narrow>(delta, set, rows, tables, shape, &placed, parent)
            }
            Piece::O | Piece::S | Piece::Z => {
                let placed = place::<S::Narrow, false>(set, tables, shape);
                choose::<S, S::Narrow>(delta, set, rows, tables, shape, &placed, parent)
            }
            Piece::T | Piece::J | Piece::L => {
                let placed = place::<S::Wide, false>(set, tables, shape);
                choose::<S, S::Wide>(delta, set, rows, tables, shape, &placed, parent)
            }
        };
        if let (Some(score), Some(parent)) = (scores.get_mut(k), parent) {
            *score = (!chosen.lost).then(|| chosen.score + parent);
        }
    }
    chosen
}

/// Rounded sums of all placements; those that lose, fill rows or are none lie below all others.
#[inline(always)]
fn rounded<V: Bytes>(delta: &Delta, set: u32, shape: &Shape, placed: &Placed<V>) -> V::Sums {
    let c = &placed.counts;
    let [high, low] = &shape.digits[0];
    let (mut highs, mut lows) =
        (V::weighed([c[0], c[1]], high), V::weighed([c[0], c[1]], low));
    for (pair, needed) in [
        (1, ROW_TRANSITIONS | HOLES | HEIGHTS),
        (2, COLUMN_TRANSITIONS | ROWS_WITH_HOLES),
        (3, HOLE_DEPTH | MAX_HEIGHT),
        (4, BUMPINESS | DIVERSITY),
    ] {
        if set & needed != 0 {
            let two = [c[2 * pair], c[2 * pair + 1]];
            let [high, low] = &shape.digits[pair];
            highs = V::add_words(highs, V::weighed(two, high));
            lows = V::add_words(lows, V::weighed(two, low));
        }
    }
    let out = placed.full.or(placed.lost).or(V::load(&shape.outside));
    V::sums(highs, lows, delta.rounded.base, out, &shape.start)
}

/// The counts of all placements, to be looked up.
struct Counted {
    counts: [Block; COUNTS],
    unsettled: u64,
}

impl Counted {
    #[inline(always)]
    fn new<V: Bytes>(placed: &Placed<V>) -> Counted {
        let mut counted = Counted { counts: [Block::ZERO; COUNTS], unsettled: placed.unsettled };
        for k in 0..COUNTS {
            placed.counts[k].store(&mut counted.counts[k]);
        }
        counted
    }

    #[inline(always)]
    fn row(&self, lane: usize) -> usize {
        self.counts[LANDING].0[lane] as usize
    }

    /// The exact difference that a placement makes, if its wells are settled.
    #[inline(always)]
    fn sum(&self, delta: &Delta, shape: &Shape, lane: usize) -> i64 {
        let weights = &delta.weights;
        let mut sum = shape.exact[lane] + weights.always;
        sum += i64::from(self.counts[LANDING].0[lane]) * shape.of_row[lane / 16];
        for k in 1..COUNTS {
            sum += i64::from(self.counts[k].0[lane]) * weights.exact[k];
        }
        sum
    }

    /// The exact difference that a placement makes.
    fn settled(&self, delta: &Delta, shape: &Shape, tables: &Tables, lane: usize) -> i64 {
        let mut sum = self.sum(delta, shape, lane);
        if self.unsettled >> lane & 1 == 1 {
            let counted = i64::from(self.counts[CHANGE].0[lane]) - i64::from(WELLS_BIAS);
            let exact = wells_of(tables, shape, lane, self.row(lane));
            sum += (exact - counted) * delta.weights.known[3];
        }
        sum
    }

    /// The first best of some placements.
    #[cold]
    #[inline(never)]
    fn settled_best(&self, delta: &Delta, shape: &Shape, tables: &Tables, some: u64) -> (usize, i64) {
        let mut best = (0, i64::MIN);
        for lane in SetBits(some) {
            let sum = self.settled(delta, shape, tables, lane);
            if sum > best.1 {
                best = (lane, sum);
            }
        }
        best
    }
}

/// The placements that may be best, or also second with two `places`, among those that neither lose
/// nor fill a row; and whether the wells of one of them are not settled, so that it may be another.
#[inline(always)]
fn near<V: Bytes>(
    delta: &Delta,
    set: u32,
    shape: &Shape,
    placed: &Placed<V>,
    places: u32,
) -> (u64, bool) {
    let sums = rounded(delta, set, shape, placed);
    let mut most = V::largest(sums);
    if most < delta.rounded.lowest {
        return (0, false);
    }
    if places == 2 {
        let leaders = V::at_least(sums, most);
        if leaders.is_power_of_two() {
            let mut others = SumBlock([[i32::MIN; 16]; 4]);
            V::store_sums(sums, &mut others);
            let (k, at) = SumBlock::place(leaders.trailing_zeros() as usize);
            others.0[k][at] = i32::MIN;
            let next = V::largest(V::load_sums(&others));
            most = if next < delta.rounded.lowest { most } else { next };
        }
    }
    let near = V::at_least(sums, most - delta.rounded.slack);
    // What counts of wells lack only lowers a score where their weight is not positive: the best is
    // then among those near, or they are exact and it is not better.
    let open = if delta.weights.known[3] > 0 { u64::MAX } else { near };
    (near, placed.unsettled & open != 0)
}

#[inline(always)]
fn choose<S: Simd, V: Bytes>(
    delta: &Delta,
    set: u32,
    rows: S::Rows,
    tables: &Tables,
    shape: &Shape,
    placed: &Placed<V>,
    parent: Option<i64>,
) -> Chosen {
    let (near, open) = near(delta, set, shape, placed, 1);
    let full = placed.full.bits();
    let counted = Counted::new(placed);
    let (mut best, mut score) = (near.trailing_zeros() as usize, i64::MIN);
    if open {
        let sound = !(full | placed.lost.bits()) & !V::load(&shape.outside).bits();
        (best, score) = counted.settled_best(delta, shape, tables, sound & lanes_of(shape));
    } else if near != 0 && (parent.is_some() || full != 0 || !near.is_power_of_two()) {
        score = counted.sum(delta, shape, best);
        let exact = delta.rounded.slack == 0;
        let mut left = if exact { 0 } else { near & (near - 1) };
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let sum = counted.sum(delta, shape, lane);
            if sum > score {
                (best, score) = (lane, sum);
            }
        }
    }
    if full != 0 {
        let mut all_rows = [0; ROWS];
        rows.store(&mut all_rows);
        let parent = match parent {
            Some(parent) => parent,
            None => value_of(delta, &all_rows, true),
        };
        for lane in SetBits(full) {
            let row = counted.row(lane);
            let Some(cleared) = clearing::<S>(delta, rows, shape, lane, row) else { continue };
            let sum = cleared.of_move + cleared.board - parent;
            if best == 64 || sum > score || (sum == score && lane < best) {
                (best, score) = (lane, sum);
            }
        }
    }
    let lost = best == 64;
    let lane = if lost { 0 } else { best };
    Chosen { lane, row: counted.row(lane), lost, score }
}

/// The bytes of a shape's orientations.
#[inline(always)]
fn lanes_of(shape: &Shape) -> u64 {
    u64::MAX >> (64 - 16 * shape.heights.len())
}

/// A board's score, by a function of its own: it is long.
#[inline]
fn value_of(delta: &Delta, rows: &[u16; ROWS], parent: bool) -> i64 {
    simd::run(delta.level, Value { delta, rows, parent }).unwrap_or(0)
}

struct Value<'a> {
    delta: &'a Delta,
    rows: &'a [u16; ROWS],
    parent: bool,
}

impl Job for Value<'_> {
    type Output = i64;

    #[inline(always)]
    fn run<S: Simd>(self) -> i64 {
        value::<S>(self.delta, self.delta.set, S::Rows::load(self.rows), self.parent)
    }
}

/// A board with a piece on it.
#[inline(always)]
fn locked<R: Rows>(rows: R, shape: &Shape, lane: usize, row: usize) -> R {
    rows.with(shape.rows_at(lane, row), lane as u32 % 16)
}

/// A placement that removes rows: what it earns itself, what the board it leads to is worth.
struct Cleared<R> {
    of_move: i64,
    board: i64,
    rows: R,
}

/// The score of one placement that fills rows, None if it loses.
#[inline(always)]
fn clearing<S: Simd>(
    delta: &Delta,
    rows: S::Rows,
    shape: &Shape,
    lane: usize,
    row: usize,
) -> Option<Cleared<S::Rows>> {
    let (weights, height) = (&delta.weights, delta.size.height());
    if row + shape.heights[lane / 16] as usize > height && !delta.play.clear_on_overflow {
        return None;
    }
    let rows = locked(rows, shape, lane, row);
    let full = rows.equal(full_row(delta.size.width()));
    let cleared = rows.removed(full);
    if cleared.occupied().checked_shr(height as u32).unwrap_or(0) != 0 {
        return None;
    }
    let (mut own, mut alone) = (0, 0);
    for k in 0..4 {
        let removed = full >> (row + k) & 1 == 1;
        let cells = if removed { shape.row_cells[lane / 16][k] } else { 0 };
        own += i64::from(cells);
        alone += i64::from(cells == 1);
    }
    let lines = i64::from(full.count_ones());
    let landing = shape.landing[lane] + weights.landing * weights.landing_steps * row as i64;
    let earned = lines * (weights.eroded * own + weights.eroded_alone * alone + weights.lines);
    let mut measured = [0; ROWS];
    let of_move = match delta.play.measured {
        Measured::AfterClear => {
            cleared.store(&mut measured);
            landing + earned
        }
        Measured::BeforeClear => {
            rows.store(&mut measured);
            landing + earned + weights.known[8] * lines
        }
    };
    let mut board = value_of(delta, &measured, false);
    if delta.play.measured == Measured::BeforeClear {
        // Rows that are complete are earned by the move.
        board -= weights.known[8] * lines;
    }
    Some(Cleared { of_move, board, rows: cleared })
}

/// All placements, and the boards they lead to.
pub(super) struct Ahead<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) tables: &'a mut Tables,
    pub(super) after: &'a mut [After],
}

/// What is known of a piece's placements.
struct Survey {
    counted: Counted,
    full: u64,
    lost: u64,
    /// Those that may be best or second among those that survive and fill no row.
    near: u64,
}

#[inline(always)]
fn survey_of<V: Bytes, const I: bool>(
    delta: &Delta,
    tables: &Tables,
    shape: &Shape,
    places: u32,
) -> Survey {
    let placed = place::<V, I>(delta.set, tables, shape);
    let (full, lost) = (placed.full.bits(), placed.lost.bits());
    let mut near = 0;
    if places != 0 {
        let (some, open) = self::near(delta, delta.set, shape, &placed, places);
        let outside = V::load(&shape.outside).bits();
        near = if open { !(full | lost | outside) & lanes_of(shape) } else { some };
    }
    Survey { counted: Counted::new(&placed), full, lost, near }
}

/// Places a piece on a board: all that is not done piece after piece.
#[inline(always)]
fn survey<S: Simd>(
    delta: &Delta,
    rows: S::Rows,
    stack: usize,
    piece: Piece,
    tables: &mut Tables,
    places: u32,
) -> Survey {
    tables.read::<S>(delta, delta.set, rows, stack);
    let shape = delta.shape(piece);
    match piece {
        Piece::I => {
            tables.high_wells::<S>();
            survey_of::<S::Narrow, true>(delta, tables, shape, places)
        }
        Piece::O | Piece::S | Piece::Z => {
            survey_of::<S::Narrow, false>(delta, tables, shape, places)
        }
        Piece::T | Piece::J | Piece::L => survey_of::<S::Wide, false>(delta, tables, shape, places),
    }
}

impl Job for Ahead<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Ahead { delta, board, piece, tables, after } = self;
        let rows = S::Rows::load(board.rows());
        let Some(stack) = stack_of::<S>(delta, rows) else { return false };
        let parent = value_of(delta, board.rows(), true);
        let survey = survey::<S>(delta, rows, stack, piece, tables, 0);
        let shape = delta.shape(piece);
        let weights = &delta.weights;
        for (lane, after) in shape.lanes().zip(after) {
            let row = survey.counted.row(lane);
            after.row = row as u8;
            if survey.full >> lane & 1 == 0 {
                after.of_move =
                    shape.landing[lane] + weights.landing * weights.landing_steps * row as i64;
                after.score = parent + survey.counted.settled(delta, shape, tables, lane);
                after.lost = survey.lost >> lane & 1 == 1;
                after.own = Some(after.score - after.of_move);
                locked(rows, shape, lane, row).store(after.board.rows_mut());
            } else if let Some(cleared) = clearing::<S>(delta, rows, shape, lane, row) {
                after.of_move = cleared.of_move;
                after.score = cleared.of_move + cleared.board;
                after.lost = false;
                let known = delta.play.measured == Measured::AfterClear;
                after.own = known.then_some(cleared.board);
                cleared.rows.store(after.board.rows_mut());
            } else {
                after.lost = true;
            }
        }
        true
    }
}

/// The placements that can be best or second.
pub(super) struct Contend<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) space: &'a mut Workspace,
}

impl Job for Contend<'_> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<u64> {
        let Contend { delta, board, piece, space } = self;
        let rows = S::Rows::load(board.rows());
        let stack = stack_of::<S>(delta, rows)?;
        let parent = value_of(delta, board.rows(), true);
        let tables = &mut *space.tables;
        let survey = survey::<S>(delta, rows, stack, piece, tables, 2);
        let shape = delta.shape(piece);
        let mut some = 0u64;
        for lane in SetBits(survey.near) {
            let index = shape.index(lane);
            space.rows[index] = survey.counted.row(lane) as u8;
            space.scores[index] = parent + survey.counted.settled(delta, shape, tables, lane);
            some |= 1 << index;
        }
        for lane in SetBits(survey.full) {
            let row = survey.counted.row(lane);
            if let Some(cleared) = clearing::<S>(delta, rows, shape, lane, row) {
                let index = shape.index(lane);
                space.rows[index] = row as u8;
                space.scores[index] = cleared.of_move + cleared.board;
                some |= 1 << index;
            }
        }
        space.lost = 0;
        Some(if some.count_ones() < 2 { with_losers(some, shape, &survey.counted, space) } else { some })
    }
}

/// Where fewer than two placements survive, the first that do not are best or second.
#[cold]
fn with_losers(mut some: u64, shape: &Shape, counted: &Counted, space: &mut Workspace) -> u64 {
    for (index, lane) in shape.lanes().enumerate() {
        if some.count_ones() < 2 && some >> index & 1 == 0 {
            space.rows[index] = counted.row(lane) as u8;
            space.lost |= 1 << index;
            some |= 1 << index;
        }
    }
    some
}
