//! From counts to scores: rounded ones of all placements, exact ones of a few.

use super::board::{Tables, stack_of};
use super::place::{Placed, place};
use super::settle::{lacking, wells_of};
use super::shape::Shape;
use super::value::value;
use super::weights::*;
use super::{After, Delta};
use crate::board::{Board, ROWS, full_row};
use crate::features::Measured;
use crate::kernels::contenders::SetBits;
use crate::kernels::plan::Workspace;
use crate::piece::Piece;
use crate::simd::{self, Bytes, Job, Rows, Simd, SumBlock};

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
    /// The score of the board that it leads to, where that was found on the way.
    next: Option<i64>,
}

/// The best placement of each piece on a board, with their scores or the board that the last leads to.
pub(super) struct Choose<'a> {
    pub(super) delta: &'a Delta,
    pub(super) pieces: &'a [Piece],
    pub(super) tables: &'a mut Tables,
    pub(super) wish: Wish<'a>,
}

/// What is asked about the best placement.
pub(super) enum Wish<'a> {
    Which(&'a Board),
    /// The board is played. A copy of it, made of other pieces than it is read in, would be waited for.
    Play(&'a mut Board),
    /// The best score of each piece, None where it loses; the board's own may be known.
    Scores(&'a Board, &'a mut [Option<i64>], Option<i64>),
}

/// The first best placement of those that do not lose, or the first; of the last piece.
pub(in crate::kernels) struct Found {
    pub(in crate::kernels) index: usize,
    /// Its landing row.
    pub(in crate::kernels) row: u8,
    pub(in crate::kernels) lost: bool,
    /// Rows removed and height of the stack, if it was played.
    pub(in crate::kernels) lines: u8,
    pub(in crate::kernels) stack: u8,
}

impl Job for Choose<'_> {
    type Output = Option<Found>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Found> {
        let Choose { delta, pieces, tables, wish } = self;
        let rows = S::Rows::load(match &wish {
            Wish::Which(board) | Wish::Scores(board, ..) => board.rows(),
            Wish::Play(board) => board.rows(),
        });
        let stack = stack_of::<S>(delta, rows)?;
        let mut nothing = [];
        let (mut to, mut parent, mut scores) = (None, None, &mut nothing[..]);
        let mut known = None;
        match wish {
            Wish::Which(_) => {}
            Wish::Play(after) => {
                known = tables.known_value(delta, rows);
                to = Some(after);
            }
            Wish::Scores(board, all, own) => {
                let own = own.filter(|_| delta.set & DIVERSITY == 0);
                parent = Some(own.unwrap_or_else(|| value_of(delta, board.rows(), true)));
                scores = all;
            }
        }
        let chosen = if delta.set == BCTS {
            best::<S, BCTS>(delta, rows, stack, pieces, tables, (parent, known), scores)
        } else {
            best::<S, ANY>(delta, rows, stack, pieces, tables, (parent, known), scores)
        };
        let shape = delta.shape(*pieces.last()?);
        let (lane, row) = (chosen.lane, chosen.row);
        let index = shape.index(lane);
        let mut found = Found { index, row: row as u8, lost: chosen.lost, lines: 0, stack: 0 };
        if let Some(to) = to {
            let mut rows = locked(rows, shape, lane, row);
            let stays = row + shape.heights[lane / 16] as usize > delta.size.height()
                && !delta.play.clear_on_overflow;
            let full = if stays { 0 } else { rows.equal(full_row(delta.size.width())) };
            if full != 0 {
                rows = rows.removed(full);
            }
            rows.store(to.rows_mut());
            found.lines = full.count_ones() as u8;
            found.stack = (ROWS as u32 - rows.occupied().leading_zeros()) as u8;
            tables.keep_value(delta, rows, chosen.next);
        }
        Some(found)
    }
}

/// The best placement of each piece, and its score where the parent's is known. Returns the last.
#[inline(always)]
fn best<S: Simd, const SET: u32>(
    delta: &Delta,
    rows: S::Rows,
    stack: usize,
    pieces: &[Piece],
    tables: &mut Tables,
    (parent, known): (Option<i64>, Option<i64>),
    scores: &mut [Option<i64>],
) -> Chosen {
    let set = set_of::<SET>(delta);
    tables.read::<S>(delta, set, rows, stack);
    let mut chosen = Chosen { lane: 0, row: 0, lost: true, score: 0, next: None };
    for (k, &piece) in pieces.iter().enumerate() {
        let shape = delta.shape(piece);
        chosen = match piece {
            Piece::I => {
                if set & WELLS != 0 {
                    tables.high_wells::<S>();
                }
                let placed = place::<S::Narrow, true>(set, tables, shape);
                choose::<S, S::Narrow>(delta, set, rows, tables, shape, &placed, (parent, known))
            }
            Piece::O | Piece::S | Piece::Z if !S::JOINED => {
                let placed = place::<S::Narrow, false>(set, tables, shape);
                choose::<S, S::Narrow>(delta, set, rows, tables, shape, &placed, (parent, known))
            }
            _ => {
                let placed = place::<S::Wide, false>(set, tables, shape);
                choose::<S, S::Wide>(delta, set, rows, tables, shape, &placed, (parent, known))
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
    let (mut highs, mut lows) = (V::weighed([c[0], c[1]], high), V::weighed([c[0], c[1]], low));
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
    V::sums(highs, lows, delta.rounded.base, placed.sound, &shape.start)
}

/// The counts of all placements, to be looked up.
#[derive(Clone, Copy)]
struct Counted<'a> {
    delta: &'a Delta,
    shape: &'a Shape,
    tables: &'a Tables,
    /// Placements whose wells may be more than was counted.
    unsettled: u64,
}

/// Keeps the counts of all placements.
#[inline(always)]
fn keep<V: Bytes>(placed: &Placed<V>, tables: &mut Tables) {
    for k in 0..COUNTS {
        placed.counts[k].store(&mut tables.counts[k]);
    }
}

impl Counted<'_> {
    #[inline(always)]
    fn row(self, lane: usize) -> usize {
        self.tables.counts[LANDING].0[lane] as usize
    }

    /// The exact difference that a placement makes, if its wells are settled.
    #[inline(always)]
    fn sum(self, lane: usize) -> i64 {
        let (weights, counts) = (&self.delta.weights, &self.tables.counts);
        let mut sum = self.shape.exact[lane] + weights.always;
        sum += i64::from(counts[LANDING].0[lane]) * self.shape.of_row[lane / 16];
        for k in 1..COUNTS {
            sum += i64::from(counts[k].0[lane]) * weights.exact[k];
        }
        sum
    }

    /// The exact difference that a placement makes.
    #[inline]
    fn settled(self, lane: usize) -> i64 {
        let sum = self.sum(lane);
        if self.is_settled(lane) { sum } else { sum + self.lacking(lane) }
    }

    /// Whether its wells are exact: none of the cells that changed can have been a hole.
    #[inline(always)]
    fn is_settled(self, lane: usize) -> bool {
        let few = self.tables.counts[CHANGE].0[lane] < WELLS_MOST;
        self.unsettled >> lane & 1 == 0
            || (few && !self.tables.has_holes(lane % 16, self.row(lane)))
    }

    /// What the wells that were not counted add.
    #[cold]
    #[inline(never)]
    fn lacking(self, lane: usize) -> i64 {
        let counted = self.tables.counts[CHANGE].0[lane];
        let row = self.row(lane);
        let more = if counted < WELLS_MOST {
            lacking(self.tables, self.shape, lane, row)
        } else {
            wells_of(self.tables, self.shape, lane, row) - i64::from(counted - WELLS_BIAS)
        };
        more * self.delta.weights.known[3]
    }

    /// The first best of some, and what was counted too little of it.
    #[cold]
    #[inline(never)]
    fn settled_best(self, some: u64) -> (usize, i64, i64) {
        let mut best = (64, i64::MIN, 0);
        for lane in SetBits(some) {
            let counted = self.sum(lane);
            let sum = if self.is_settled(lane) { counted } else { counted + self.lacking(lane) };
            if sum > best.1 {
                best = (lane, sum, sum - counted);
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
) -> (u64, bool, V::Sums) {
    let sums = rounded(delta, set, shape, placed);
    let mut most = V::largest(sums);
    if most.number() < delta.rounded.lowest {
        return (0, false, sums);
    }
    if places == 2 {
        let leaders = V::at_least(sums, most);
        if leaders.is_power_of_two() {
            let mut others = SumBlock([[i32::MIN; 16]; 4]);
            V::store_sums(sums, &mut others);
            let (k, at) = SumBlock::place(leaders.trailing_zeros() as usize);
            others.0[k][at] = i32::MIN;
            let next = V::largest(V::load_sums(&others));
            most = if next.number() < delta.rounded.lowest { most } else { next };
        }
    }
    let near = V::at_least(sums, most.lowered(delta.rounded.slack));
    // What counts of wells lack only lowers a score where their weight is not positive: the best is
    // then among those near, or they are exact and it is not better.
    let open = if delta.weights.known[3] > 0 { u64::MAX } else { near };
    (near, placed.unsettled & open != 0, sums)
}

#[inline(always)]
fn choose<S: Simd, V: Bytes>(
    delta: &Delta,
    set: u32,
    rows: S::Rows,
    tables: &mut Tables,
    shape: &Shape,
    placed: &Placed<V>,
    (parent, known): (Option<i64>, Option<i64>),
) -> Chosen {
    let (near, open, sums) = near(delta, set, shape, placed, 1);
    let full = placed.full;
    let mut best = near.trailing_zeros() as usize;
    if parent.is_none() && full == 0 && !open && near.is_power_of_two() {
        placed.counts[LANDING].store(&mut tables.counts[LANDING]);
        let row = tables.counts[LANDING].0[best] as usize;
        return Chosen { lane: best, row, lost: false, score: 0, next: None };
    }
    keep(placed, tables);
    let counted = Counted { delta, shape, tables, unsettled: placed.unsettled };
    let mut score = i64::MIN;
    if open {
        let all = shape.valid & !(full | placed.lost);
        let positive = delta.weights.known[3] > 0;
        let lack;
        (best, score, lack) = counted.settled_best(if positive { all } else { near });
        // If the best is less than was counted, it may be another that was just not near.
        if lack != 0 && !positive {
            let mut numbers = SumBlock([[0; 16]; 4]);
            V::store_sums(sums, &mut numbers);
            let (k, at) = SumBlock::place(best);
            let less = (lack as f64 * delta.rounded.scale).floor() as i32;
            let least = numbers.0[k][at] + less - delta.rounded.slack - 1;
            let others = V::at_least(sums, V::splat(0).lowered(-least)) & all & !near;
            let other = counted.settled_best(others);
            if other.1 > score || (other.1 == score && other.0 < best) {
                (best, score) = (other.0, other.1);
            }
        }
    } else if near != 0 {
        score = counted.sum(best);
        let mut left = if delta.rounded.slack == 0 { 0 } else { near & (near - 1) };
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let sum = counted.sum(lane);
            if sum > score {
                (best, score) = (lane, sum);
            }
        }
    }
    let mut next = None;
    if full != 0 {
        let parent = match parent.or(known) {
            Some(parent) => parent,
            None => {
                let mut all_rows = [0; ROWS];
                rows.store(&mut all_rows);
                value_of(delta, &all_rows, true)
            }
        };
        if best < 64 {
            next = Some(parent + score - of_landing(delta, shape, best, counted.row(best)));
        }
        for lane in SetBits(full) {
            let row = counted.row(lane);
            let Some(cleared) = clearing::<S>(delta, rows, shape, lane, row) else { continue };
            let sum = cleared.of_move + cleared.board - parent;
            if best == 64 || sum > score || (sum == score && lane < best) {
                (best, score) = (lane, sum);
                next = Some(cleared.board);
            }
        }
    }
    let lost = best == 64;
    let lane = if lost { 0 } else { best };
    Chosen { lane, row: counted.row(lane), lost, score, next }
}

/// What the move itself earns where it removes no row.
#[inline(always)]
fn of_landing(delta: &Delta, shape: &Shape, lane: usize, row: usize) -> i64 {
    let weights = &delta.weights;
    shape.landing[lane] + weights.landing * weights.landing_steps * row as i64
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
    let landing = of_landing(delta, shape, lane, row);
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

/// What is known of a piece's placements beside their counts.
struct Survey {
    unsettled: u64,
    full: u64,
    lost: u64,
    /// Those that may be best or second among those that survive and fill no row.
    near: u64,
}

#[inline(always)]
fn survey_of<V: Bytes, const I: bool>(
    delta: &Delta,
    tables: &mut Tables,
    shape: &Shape,
    places: u32,
) -> Survey {
    let placed = place::<V, I>(delta.set, tables, shape);
    let (full, lost) = (placed.full, placed.lost);
    let mut near = 0;
    if places != 0 {
        let (some, open, _) = self::near(delta, delta.set, shape, &placed, places);
        near = if open { shape.valid & !(full | lost) } else { some };
    }
    keep(&placed, tables);
    Survey { unsettled: placed.unsettled, full, lost, near }
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
        Piece::O | Piece::S | Piece::Z if !S::JOINED => {
            survey_of::<S::Narrow, false>(delta, tables, shape, places)
        }
        _ => survey_of::<S::Wide, false>(delta, tables, shape, places),
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
        let counted = Counted { delta, shape, tables, unsettled: survey.unsettled };
        for (lane, after) in shape.lanes().zip(after) {
            let row = counted.row(lane);
            after.row = row as u8;
            if survey.full >> lane & 1 == 0 {
                after.of_move = of_landing(delta, shape, lane, row);
                after.score = parent + counted.settled(lane);
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
        let counted = Counted { delta, shape, tables, unsettled: survey.unsettled };
        let mut some = 0u64;
        for lane in SetBits(survey.near) {
            let index = shape.index(lane);
            space.rows[index] = counted.row(lane) as u8;
            space.scores[index] = parent + counted.settled(lane);
            some |= 1 << index;
        }
        for lane in SetBits(survey.full) {
            let row = counted.row(lane);
            if let Some(cleared) = clearing::<S>(delta, rows, shape, lane, row) {
                let index = shape.index(lane);
                space.rows[index] = row as u8;
                space.scores[index] = cleared.of_move + cleared.board;
                some |= 1 << index;
            }
        }
        space.lost = 0;
        Some(if some.count_ones() < 2 { with_losers(some, shape, space) } else { some })
    }
}

/// Where fewer than two placements survive, the first that do not are best or second.
#[cold]
fn with_losers(mut some: u64, shape: &Shape, space: &mut Workspace) -> u64 {
    for (index, lane) in shape.lanes().enumerate() {
        if some.count_ones() < 2 && some >> index & 1 == 0 {
            space.rows[index] = space.tables.counts[LANDING].0[lane];
            space.lost |= 1 << index;
            some |= 1 << index;
        }
    }
    some
}
