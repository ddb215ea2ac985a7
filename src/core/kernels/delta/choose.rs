//! From counts to scores: rounded ones of all placements, exact ones of a few.

use super::Delta;
use super::board::{Tables, stack_of};
use super::by_column::Start;
use super::clear::{clearing, locked, of_landing, value_of};
use super::counted::{Counted, keep};
use super::place::{Placed, place};
use super::shape::Shape;
use super::weights::*;
use crate::board::{Board, ROWS, full_row};
use crate::kernels::bits::SetBits;
use crate::piece::Piece;
use crate::simd::{Block, BoardJob, Bytes, Rows, Simd, SumBlock};

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
    /// Only which placement it is.
    Which(&'a Board),
    /// The board is played. A copy of it, made of other pieces than it is read in, would be waited for.
    Play(&'a mut Board),
    /// The best score of each piece, None where it loses. The first number is the board's own score, if it is known,
    /// the second a floor: of scores whose sum is below it only that is asked.
    Scores(&'a Board, &'a mut [Option<i64>], Option<i64>, Option<i64>),
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

impl BoardJob for Choose<'_> {
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
        let mut floor = None;
        match wish {
            Wish::Which(_) => {}
            Wish::Play(after) => to = Some(after),
            Wish::Scores(board, all, own, least) => {
                // A board's patterns are not in a parent's score, since placements count them whole: a score
                // that has them is of no use as a parent's.
                let own = own.filter(|_| delta.set & DIVERSITY == 0);
                parent = Some(own.unwrap_or_else(|| value_of(delta, board.rows(), true)));
                (scores, floor) = (all, least);
            }
        }
        let chosen = best::<S>(delta, (rows, stack), pieces, tables, parent, floor, scores)?;
        let shape = delta.shape(*pieces.last()?);
        let (lane, row) = (chosen.lane, chosen.row);
        let index = shape.index(lane);
        let mut found = Found { index, row: row as u8, lost: chosen.lost, lines: 0, stack: 0 };
        if let Some(to) = to {
            let mut rows = locked(rows, shape, lane, row);
            // As the rules do: what ends above the top removes no rows, unless the rules say so.
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

/// What is asked about the best score of a piece.
#[derive(Clone, Copy)]
enum Ask {
    /// All of it.
    Exact,
    /// All of it, where it is at least so much more than the parent's; otherwise only that it is not.
    Least(i64),
    /// No more than what it is at most.
    Most,
}

/// The best placement of each piece, and its score where the parent's is known. Returns the last; None where wells
/// become too much less to be counted.
///
/// Where the sum of the scores need not be exact below a floor, it is first found what each is at most, from rounded
/// sums. Only if the sum of those reaches the floor, all are found exactly.
#[inline(always)]
fn best<S: Simd>(
    delta: &Delta,
    (rows, stack): (S::Rows, usize),
    pieces: &[Piece],
    tables: &mut Tables,
    of_parent: Option<i64>,
    floor: Option<i64>,
    scores: &mut [Option<i64>],
) -> Option<Chosen> {
    let set = delta.set;
    tables.read::<S>(delta, set, rows, stack);
    let count = pieces.len();
    let parent = of_parent.unwrap_or(0);
    // Wells that were counted too little would lift a score where their weight is positive: nothing bounds it then.
    let floor = floor.filter(|_| delta.weights.exact[CHANGE] <= 0);
    let is_bounded = floor.is_some();
    // How much more than the parent's the scores that are left must be.
    let mut left = floor.unwrap_or(0).saturating_sub(count as i64 * parent);
    let mut chosen = Chosen { lane: 0, row: 0, lost: true, score: 0, next: None };
    // Twice where bounds do not decide; the last piece is exact then.
    let (mut k, mut end) = (0, count);
    while k < end {
        let place_of = if k < count { k } else { k - count };
        let piece = pieces[place_of];
        let shape = delta.shape(piece);
        let ask = if !is_bounded || k >= count {
            Ask::Exact
        } else if k + 1 == count {
            Ask::Least(left)
        } else {
            Ask::Most
        };
        // Three instances of placing: by the width of registers, and by whether it is the I. The rest is data.
        chosen = match piece {
            Piece::I => {
                if set & WELLS != 0 {
                    // Only the upright I asks: for other pieces it would be work for nothing.
                    tables.high_wells::<S>();
                }
                let placed = place::<S::Narrow, true>(delta, tables, shape);
                choose::<S, S::Narrow>(delta, set, rows, tables, shape, &placed, (of_parent, ask))
            }
            Piece::O | Piece::S | Piece::Z if !S::JOINED => {
                let placed = place::<S::Narrow, false>(delta, tables, shape);
                choose::<S, S::Narrow>(delta, set, rows, tables, shape, &placed, (of_parent, ask))
            }
            _ => {
                let placed = place::<S::Wide, false>(delta, tables, shape);
                choose::<S, S::Wide>(delta, set, rows, tables, shape, &placed, (of_parent, ask))
            }
        }?;
        if let (Some(score), Some(parent)) = (scores.get_mut(place_of), of_parent) {
            *score = (!chosen.lost).then(|| chosen.score + parent);
        }
        k += 1;
        if is_bounded && k <= count {
            left = left.saturating_sub(chosen.score);
            if chosen.lost {
                // Worse than whatever has an answer to each piece.
                break;
            }
            if k == count && left <= 0 {
                end = 2 * count - 1;
            }
        }
    }
    Some(chosen)
}

/// Rounded sums of all placements; those that lose, fill rows or are none lie below all others.
///
/// ```text
/// sum = start + sum over counts of count x (high x base + low)       high and low: signed bytes
///
///     of all bytes at once, in words: highs = sum count x high, lows = sum count x low, and only then
///     highs x base + lows + start in 32 bits. `weights` sees to it that no word overflows.
/// ```
#[inline(always)]
fn rounded<V: Bytes>(
    delta: &Delta,
    set: u32,
    tables: &Tables,
    shape: &Shape,
    placed: &Placed<V>,
) -> V::Sums {
    let c = &placed.counts;
    let mut columns;
    let mut start = &shape.start;
    if set & BY_COLUMN != 0 {
        let mut landing = Block::ZERO;
        c[LANDING].store(&mut landing);
        // In the place of the constant start, since weights by column depend on board and placement both.
        columns = SumBlock([[0; 16]; 4]);
        Start { delta, tables, shape, landing: &landing, sums: &mut columns }.write();
        start = &columns;
    }
    let [high, low] = &shape.digits[0];
    let (mut highs, mut lows) = (V::weighed([c[0], c[1]], high), V::weighed([c[0], c[1]], low));
    // Pairs that no feature of the controller asks about are left out: their counts are 0 or not made.
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
    V::sums(highs, lows, delta.rounded.base, placed.sound, start)
}

/// The placements that may be best or second among those that neither lose nor fill a row.
pub(super) struct Near<V: Bytes> {
    pub(super) some: u64,
    /// Whether the wells of one of them are not settled, so that it may be another.
    pub(super) open: bool,
    /// The largest rounded sum, where it is less than what is asked for, and so not told which they are.
    most: Option<i32>,
    /// The rounded sums of all.
    sums: V::Sums,
}

/// The placements that may be best, or also second with two `places`.
///
/// Rounding moves the difference of two sums by `slack` at most (see [`super::weights`]), so that a placement
/// whose rounded sum lies further below the best cannot be best, and the exact sums of a few decide. Where
/// weights are small whole numbers they are not rounded at all: slack is 0, and all that are near are equal.
#[inline(always)]
pub(super) fn near<V: Bytes>(
    delta: &Delta,
    set: u32,
    tables: &Tables,
    shape: &Shape,
    placed: &Placed<V>,
    places: u32,
    least: i32,
) -> Near<V> {
    let sums = rounded(delta, set, tables, shape, placed);
    let mut most = V::largest(sums);
    // None is sound: all lose, fill rows or are no placements; or none is good enough.
    if most.number() < delta.rounded.lowest.max(least) {
        let most = Some(most.number()).filter(|&most| most >= delta.rounded.lowest);
        return Near { some: 0, open: false, most, sums };
    }
    if places == 2 {
        let leaders = V::at_least(sums, most);
        // One leader alone is taken out, and what is near the next best may be second. Of two leaders one is
        // second.
        if leaders.is_power_of_two() {
            let next = V::largest(V::only_less(sums, most));
            most = if next.number() < delta.rounded.lowest { most } else { next };
        }
    }
    let near = V::at_least(sums, most.lowered(delta.rounded.slack));
    // What counts of wells lack only lowers a score where their weight is not positive: the best is
    // then among those near, or they are exact and it is not better.
    let open = if delta.weights.exact[CHANGE] > 0 { u64::MAX } else { near };
    Near { some: near, open: placed.unsettled & open != 0, most: None, sums }
}

/// Three ways: one placement is near, none fills a row, and only which one is asked; exact sums of those that
/// are near; and boards that placements with full rows lead to, valued whole.
#[inline(always)]
fn choose<S: Simd, V: Bytes>(
    delta: &Delta,
    set: u32,
    rows: S::Rows,
    tables: &mut Tables,
    shape: &Shape,
    placed: &Placed<V>,
    (parent, ask): (Option<i64>, Ask),
) -> Option<Chosen> {
    if placed.wild {
        return None;
    }
    let full = placed.full;
    let least = match ask {
        Ask::Exact => i32::MIN,
        Ask::Least(difference) => delta.least_sum(difference),
        Ask::Most => i32::MAX,
    };
    let Near { some: near, open, most, sums } = near(delta, set, tables, shape, placed, 1, least);
    // What stands for a score that is not asked for.
    let below = most.map(|most| match ask {
        Ask::Least(difference) => difference - 1,
        _ => delta.at_most(most),
    });
    if let (Some(score), 0) = (below, full) {
        return Some(Chosen { lane: 0, row: 0, lost: false, score, next: None });
    }
    // The lowest bit, since bytes are in the order that decides ties. 64 where none is near.
    let mut best = near.trailing_zeros() as usize;
    if parent.is_none() && full == 0 && !open && near.is_power_of_two() {
        // Nothing but the landing row is looked up then, so that the other nine counts are not stored.
        placed.counts[LANDING].store(&mut tables.counts[LANDING]);
        let row = tables.counts[LANDING].0[best] as usize;
        return Some(Chosen { lane: best, row, lost: false, score: 0, next: None });
    }
    keep(placed, tables);
    let counted = Counted { delta, shape, tables, unsettled: placed.unsettled };
    let mut score = i64::MIN;
    if open {
        let all = shape.valid & !(full | placed.lost);
        let positive = delta.weights.exact[CHANGE] > 0;
        let lack;
        (best, score, lack) = counted.settled_best(if positive { all } else { near });
        // If the best is less than was counted, it may be another that was just not near.
        if lack != 0 && !positive {
            let mut numbers = SumBlock([[0; 16]; 4]);
            V::store_sums(sums, &mut numbers);
            let (k, at) = SumBlock::place(best);
            // Everything whose rounded sum is within the slack of what the best is truly worth: 1 more for this
            // rounding.
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
        // Nobody else is looked at without rounding, since all that are near are then as good as the first,
        // which wins.
        let mut left = if delta.rounded.slack == 0 { 0 } else { near & (near - 1) };
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let sum = counted.sum(lane);
            if sum > score {
                (best, score) = (lane, sum);
            }
        }
    } else if let Some(below) = below {
        (best, score) = (0, below);
    }
    let mut next = None;
    if full != 0 {
        // Here the parent's score is needed after all, since differences and whole boards are compared.
        // It may have been found on the way to the last decision.
        let parent = match parent.or_else(|| tables.known_value(delta, rows)) {
            Some(parent) => parent,
            None => {
                let mut all_rows = [0; ROWS];
                rows.store(&mut all_rows);
                value_of(delta, &all_rows, true)
            }
        };
        if best < 64 {
            // The score less what the move itself earned is the board's own, for the next decision.
            next = Some(parent + score - of_landing(delta, shape, best, counted.row(best)));
        }
        for lane in SetBits(full) {
            let row = counted.row(lane);
            let Some(cleared) = clearing::<S>(delta, rows, shape, lane, row) else { continue };
            let sum = cleared.of_move + cleared.board - parent;
            // Of equal scores the one with the lower byte, as everywhere.
            if best == 64 || sum > score || (sum == score && lane < best) {
                (best, score) = (lane, sum);
                next = Some(cleared.board);
            }
        }
    }
    let lost = best == 64;
    let lane = if lost { 0 } else { best };
    Some(Chosen { lane, row: counted.row(lane), lost, score, next })
}
