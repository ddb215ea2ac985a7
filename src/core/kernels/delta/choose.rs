//! Chooses the best placement: computes rounded scores of all placements and exact scores of a few.

use super::Delta;
use super::board::{Tables, playable_stack};
use super::by_column::StartSumsJob;
use super::clear::{board_value, clear_rows, landing_score, with_piece};
use super::counted::{Counted, store_counts};
use super::extras::measure_extras;
use super::place::{PlacedPiece, place};
use super::shape::Shape;
use super::weights::*;
use crate::board::{Board, ROWS, full_row};
use crate::kernels::bits::SetBits;
use crate::piece::Piece;
use crate::simd::{Block, BoardJob, Bytes, Rows, Simd, SumBlock};

/// The best placement of a piece: the first with the best score that does not lose, or the first of
/// all if all lose.
#[derive(Clone, Copy)]
struct BestLane {
    lane: usize,
    row: usize,
    lost: bool,
    /// Change of the score from the parent's, if the query needs it.
    score: i64,
    /// Score of the board after the placement, if it was computed.
    next_value: Option<i64>,
}

/// Job that finds the best placement of each of `pieces` on one board.
pub(super) struct ChooseJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) pieces: &'a [Piece],
    pub(super) tables: &'a mut Tables,
    pub(super) query: Query<'a>,
}

/// The result that a caller needs, with the board to be searched.
pub(super) enum Query<'a> {
    /// The index of the best placement alone.
    Index(&'a Board),
    /// The best placement's index, and the board after it, written in place. A copy of the board
    /// would be slow: a wide load stalls if its bytes were just stored by several narrower stores.
    Play(&'a mut Board),
    /// The best score of each piece, `None` if all its placements lose. Fields: the board, the
    /// output, the board's own score if known, and a floor. If the scores sum to less than the
    /// floor, they need not be exact.
    Scores(&'a Board, &'a mut [Option<i64>], Option<i64>, Option<i64>),
}

/// The placement chosen for the last piece.
pub(in crate::kernels) struct Choice {
    /// Canonical index of the placement.
    pub(in crate::kernels) index: usize,
    /// Landing row.
    pub(in crate::kernels) row: u8,
    pub(in crate::kernels) lost: bool,
    /// Number of rows removed, if the placement was played.
    pub(in crate::kernels) lines: u8,
    /// Stack height after the placement, if it was played.
    pub(in crate::kernels) stack: u8,
}

impl BoardJob for ChooseJob<'_> {
    type Output = Option<Choice>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Choice> {
        let ChooseJob { delta, pieces, tables, query } = self;
        let rows = S::Rows::load(match &query {
            Query::Index(board) | Query::Scores(board, ..) => board.rows(),
            Query::Play(board) => board.rows(),
        });
        let stack = playable_stack::<S>(delta, rows)?;
        let mut nothing = [];
        let (mut to, mut parent, mut scores) = (None, None, &mut nothing[..]);
        let mut floor = None;
        match query {
            Query::Index(_) => {}
            Query::Play(after) => to = Some(after),
            Query::Scores(board, all, known, least) => {
                // Placements count the value of pattern diversity and not its change, so a parent's
                // score omits it. A given score that includes it cannot be used.
                let known = known.filter(|_| delta.set & DIVERSITY == 0);
                parent = Some(known.unwrap_or_else(|| board_value(delta, board.rows(), true)));
                (scores, floor) = (all, least);
            }
        }
        let chosen =
            best_of_pieces::<S>(delta, (rows, stack), pieces, tables, parent, floor, scores)?;
        let shape = delta.shape(*pieces.last()?);
        let (lane, row) = (chosen.lane, chosen.row);
        let index = shape.index(lane);
        let mut found = Choice { index, row: row as u8, lost: chosen.lost, lines: 0, stack: 0 };
        if let Some(to) = to {
            let mut rows = with_piece(rows, shape, lane, row);
            // As in the rules: a piece that ends above the top removes no rows, unless the rules
            // clear first.
            let stays = row + shape.heights[lane / 16] as usize > delta.size.height()
                && !delta.play.clear_on_overflow;
            let full = if stays { 0 } else { rows.equal(full_row(delta.size.width())) };
            if full != 0 {
                rows = rows.removed(full);
            }
            rows.store(to.rows_mut());
            found.lines = full.count_ones() as u8;
            found.stack = (ROWS as u32 - rows.occupied().leading_zeros()) as u8;
            tables.cache_value(delta, rows, chosen.next_value);
        }
        Some(found)
    }
}

/// Precision to which the best score of a piece is needed.
#[derive(Clone, Copy)]
enum Precision {
    /// The exact score.
    Exact,
    /// The exact score if it exceeds the parent's by at least this much; otherwise only the fact
    /// that it does not.
    AtLeast(i64),
    /// Only an upper bound of the score.
    UpperBound,
}

/// Finds the best placement of each of `pieces` and returns that of the last piece. If `of_parent`,
/// the board's own score, is known, the best scores are written to `scores`. Returns `None` if a
/// placement reduces the fast wells by more than a byte can store.
///
/// With a `floor`, an upper bound of each piece's score is computed first, from rounded sums. The
/// exact scores follow only if the upper bounds sum to at least the floor.
#[inline(always)]
fn best_of_pieces<S: Simd>(
    delta: &Delta,
    (rows, stack): (S::Rows, usize),
    pieces: &[Piece],
    tables: &mut Tables,
    of_parent: Option<i64>,
    floor: Option<i64>,
    scores: &mut [Option<i64>],
) -> Option<BestLane> {
    let set = delta.set;
    tables.read::<S>(delta, set, rows, stack);
    let count = pieces.len();
    let parent = of_parent.unwrap_or(0);
    // If the weight of wells is positive, wells missing from a count would raise the score: it has
    // no upper bound then.
    let floor = floor.filter(|_| delta.weights.exact[WELL_CHANGE] <= 0);
    let is_bounded = floor.is_some();
    // Amount by which the remaining scores must exceed the parent's.
    let mut remaining = floor.unwrap_or(0).saturating_sub(count as i64 * parent);
    let mut chosen = BestLane { lane: 0, row: 0, lost: true, score: 0, next_value: None };
    // A second round if the bounds do not decide; the last piece's score is exact in the first
    // round already.
    let (mut k, mut end) = (0, count);
    while k < end {
        let piece_index = if k < count { k } else { k - count };
        let piece = pieces[piece_index];
        let shape = delta.shape(piece);
        let precision = if !is_bounded || k >= count {
            Precision::Exact
        } else if k + 1 == count {
            Precision::AtLeast(remaining)
        } else {
            Precision::UpperBound
        };
        let wanted = (of_parent, precision);
        // Three instances of `place`: by register width, and one for the I. All other differences
        // are data.
        chosen = match piece {
            Piece::I => {
                if set & WELLS != 0 {
                    // Only the upright I reads this table.
                    tables.read_high_wells::<S>();
                }
                let placed = place::<S::Narrow, true>(delta, tables, shape);
                choose_lane::<S, S::Narrow>(delta, set, rows, tables, shape, &placed, wanted)
            }
            Piece::O | Piece::S | Piece::Z if !S::JOINED => {
                let placed = place::<S::Narrow, false>(delta, tables, shape);
                choose_lane::<S, S::Narrow>(delta, set, rows, tables, shape, &placed, wanted)
            }
            _ => {
                let placed = place::<S::Wide, false>(delta, tables, shape);
                choose_lane::<S, S::Wide>(delta, set, rows, tables, shape, &placed, wanted)
            }
        }?;
        if let (Some(score), Some(parent)) = (scores.get_mut(piece_index), of_parent) {
            *score = (!chosen.lost).then(|| chosen.score + parent);
        }
        k += 1;
        if is_bounded && k <= count {
            remaining = remaining.saturating_sub(chosen.score);
            if chosen.lost {
                // A board on which one piece loses is worse than any board that survives every
                // piece.
                break;
            }
            if k == count && remaining <= 0 {
                end = 2 * count - 1;
            }
        }
    }
    Some(chosen)
}

/// Returns the rounded sum of each placement: its score change by rounded weights. Placements that
/// lose, fill rows or do not exist get sums below all others.
///
/// ```text
/// sum = start + sum over counts of count x (high x base + low)       high and low: signed bytes
///
/// All bytes at once, in words:  highs = sum of count x high,  lows = sum of count x low.
/// Only then, in 32 bits:        highs x base + lows + start.
/// `weights` makes sure that no word overflows.
/// ```
#[inline(always)]
fn rounded_sums<V: Bytes>(
    delta: &Delta,
    set: u32,
    tables: &Tables,
    shape: &Shape,
    placed: &PlacedPiece<V>,
) -> V::Sums {
    let c = &placed.counts;
    let mut columns;
    let mut start = &shape.start;
    // Parts that are no sums of weighted counts depend on both board and placement.
    if set & EXTRAS != 0 {
        start = &tables.start;
    }
    if set & BY_COLUMN != 0 {
        let mut landing = Block::ZERO;
        c[LANDING_ROW].store(&mut landing);
        columns = SumBlock(start.0);
        StartSumsJob { delta, tables, shape, landing: &landing, sums: &mut columns }.write();
        start = &columns;
    }
    let [high, low] = &shape.digits[0];
    let (mut highs, mut lows) = (V::weighed([c[0], c[1]], high), V::weighed([c[0], c[1]], low));
    // Pairs of counts that no feature of the controller uses are skipped: they are 0.
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
    V::sums(highs, lows, delta.rounded.base, placed.eligible, start)
}

/// The placements that may be best or second among those that neither lose nor fill a row.
pub(super) struct CandidateSet<V: Bytes> {
    /// Placements found, one bit for each byte.
    pub(super) lanes: u64,
    /// True if a candidate's well count is still approximate, so another placement may be the best.
    pub(super) ambiguous: bool,
    /// Largest rounded sum of an eligible placement if it is below the requested minimum, so that
    /// `lanes` has no placement; otherwise `None`.
    upper_bound: Option<i32>,
    /// Rounded sums of all placements.
    sums: V::Sums,
}

/// Finds the placements that may be best or, if `places` is 2, second best. It finds none if all
/// rounded sums are below `least`.
///
/// Rounding changes the difference of two sums by at most `slack` (see [`super::weights`]). A
/// placement whose rounded sum is lower than the largest by more than that cannot be best. Exact
/// sums of the few others decide.
///
/// Small whole weights are not rounded: `slack` is 0 then, and all placements found are equally
/// good.
#[inline(always)]
pub(super) fn near_best<V: Bytes>(
    delta: &Delta,
    set: u32,
    tables: &Tables,
    shape: &Shape,
    placed: &PlacedPiece<V>,
    places: u32,
    least: i32,
) -> CandidateSet<V> {
    let sums = rounded_sums(delta, set, tables, shape, placed);
    let mut most = V::largest(sums);
    // No placement is eligible (all lose, fill rows or do not exist), or none reaches `least`.
    if most.number() < delta.rounded.min_eligible.max(least) {
        let upper_bound = Some(most.number()).filter(|&most| most >= delta.rounded.min_eligible);
        return CandidateSet { lanes: 0, ambiguous: false, upper_bound, sums };
    }
    if places == 2 {
        let leaders = V::at_least(sums, most);
        // If one placement leads alone, the next best sum bounds the second place. Of two leaders,
        // one is second.
        if leaders.is_power_of_two() {
            let next = V::largest(V::only_less(sums, most));
            most = if next.number() < delta.rounded.min_eligible { most } else { next };
        }
    }
    let near = V::at_least(sums, most.lowered(delta.rounded.slack));
    // If the weight of wells is not positive, wells missing from a count only lower a score. A
    // placement that is not near can then be best only if a near one is inexact.
    let considered = if delta.weights.exact[WELL_CHANGE] > 0 { u64::MAX } else { near };
    CandidateSet {
        lanes: near,
        ambiguous: placed.inexact & considered != 0,
        upper_bound: None,
        sums,
    }
}

/// Chooses the best placement of one piece from its counts `placed`. Returns `None` if the change
/// of the fast wells exceeds a byte.
///
/// A single candidate is returned at once if only its index is needed. Otherwise the exact sums of
/// all candidates are compared, then the scores of the boards after placements that fill rows.
#[inline(always)]
fn choose_lane<S: Simd, V: Bytes>(
    delta: &Delta,
    set: u32,
    rows: S::Rows,
    tables: &mut Tables,
    shape: &Shape,
    placed: &PlacedPiece<V>,
    (parent, precision): (Option<i64>, Precision),
) -> Option<BestLane> {
    if placed.overflowed {
        return None;
    }
    if set & EXTRAS != 0 {
        measure_extras(delta, tables, shape, placed);
    }
    let full = placed.full;
    let least = match precision {
        Precision::Exact => i32::MIN,
        Precision::AtLeast(difference) => delta.min_sum(difference),
        Precision::UpperBound => i32::MAX,
    };
    let CandidateSet { lanes: near, ambiguous, upper_bound, sums } =
        near_best(delta, set, tables, shape, placed, 1, least);
    // Stand-in for a score that is not needed exactly.
    let below = upper_bound.map(|sum| match precision {
        Precision::AtLeast(difference) => difference - 1,
        _ => delta.upper_bound(sum),
    });
    if let (Some(score), 0) = (below, full) {
        return Some(BestLane { lane: 0, row: 0, lost: false, score, next_value: None });
    }
    // The lowest bit is the first in the order that decides ties; 64 if there is no candidate.
    let mut best = near.trailing_zeros() as usize;
    if parent.is_none() && full == 0 && !ambiguous && near.is_power_of_two() {
        // Only the landing row is needed here, so the other nine counts are not stored.
        placed.counts[LANDING_ROW].store(&mut tables.counts[LANDING_ROW]);
        let row = tables.counts[LANDING_ROW].0[best] as usize;
        return Some(BestLane { lane: best, row, lost: false, score: 0, next_value: None });
    }
    store_counts(placed, tables);
    let counted = Counted { delta, shape, tables, inexact: placed.inexact };
    let mut score = i64::MIN;
    if ambiguous {
        let all = shape.valid & !(full | placed.lost);
        let positive = delta.weights.exact[WELL_CHANGE] > 0;
        let deficit;
        (best, score, deficit) = counted.exact_best(if positive { all } else { near });
        // If the best score is lower than counted, a placement that was not near may be best.
        if deficit != 0 && !positive {
            let mut numbers = SumBlock([[0; 16]; 4]);
            V::store_sums(sums, &mut numbers);
            let (k, at) = SumBlock::place(best);
            // All placements whose rounded sum is within the slack of the exact score found; 1 more
            // for rounding here.
            let less = (deficit as f64 * delta.rounded.scale).floor() as i32;
            let least = numbers.0[k][at] + less - delta.rounded.slack - 1;
            let others = V::at_least(sums, V::splat(0).lowered(-least)) & all & !near;
            let other = counted.exact_best(others);
            if other.1 > score || (other.1 == score && other.0 < best) {
                (best, score) = (other.0, other.1);
            }
        }
    } else if near != 0 {
        score = counted.sum(best);
        // Without rounding all candidates are equally good, and the first wins.
        let mut remaining = if delta.rounded.slack == 0 { 0 } else { near & (near - 1) };
        while remaining != 0 {
            let lane = remaining.trailing_zeros() as usize;
            remaining &= remaining - 1;
            let sum = counted.sum(lane);
            if sum > score {
                (best, score) = (lane, sum);
            }
        }
    } else if let Some(below) = below {
        (best, score) = (0, below);
    }
    let mut next_value = None;
    if full != 0 {
        // Changes of the score are compared with scores of whole boards, so the parent's score is
        // needed. The last decision may have computed it.
        let parent = match parent.or_else(|| tables.cached_value(delta, rows)) {
            Some(parent) => parent,
            None => {
                let mut all_rows = [0; ROWS];
                rows.store(&mut all_rows);
                board_value(delta, &all_rows, true)
            }
        };
        if best < 64 {
            // The score without the move's own part is the board's score, for the next decision.
            next_value =
                Some(parent + score - landing_score(delta, shape, best, counted.row(best)));
        }
        for lane in SetBits(full) {
            let row = counted.row(lane);
            let Some(cleared) = clear_rows::<S>(delta, rows, shape, lane, row) else { continue };
            let sum = cleared.of_move + cleared.board - parent;
            // The lower byte wins among equal scores, as everywhere.
            if best == 64 || sum > score || (sum == score && lane < best) {
                (best, score) = (lane, sum);
                next_value = Some(cleared.board);
            }
        }
    }
    let lost = best == 64;
    let lane = if lost { 0 } else { best };
    Some(BestLane { lane, row: counted.row(lane), lost, score, next_value })
}
