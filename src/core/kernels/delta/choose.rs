//! Chooses placements: computes rounded scores of all and exact scores of a few. It serves greedy
//! play ([`PlayJob`]), look-ahead ([`ScoresJob`], [`AfterstatesJob`]) and logs ([`TopTwoJob`]).

use super::board::{Tables, playable_stack};
use super::counts::{PieceCounts, count_changes};
use super::exact::{
    StoredCounts, board_value, clear_rows, landing_score, store_counts, with_piece,
};
use super::nonlinear::measure_nonlinear;
use super::shape::Shape;
use super::weights::*;
use super::{Afterstate, Delta};
use crate::board::{Board, ROWS, full_row};
use crate::features::Measured;
use crate::kernels::shapes::SetBits;
use crate::piece::Piece;
use crate::simd::{self, Block, Blocks, BoardJob, Bytes, LANES, Rows, SumBlock, u8x32, u8x64};

#[derive(Clone, Copy)]
struct BestLane {
    lane: u8,
    row: u8,
    lost: bool,
    /// Change of the board's score by the placement, valid if a score was asked for.
    score: i64,
}

pub(super) struct PlayJob<'a, const SET: u32> {
    pub(super) delta: &'a Delta,
    pub(super) piece: Piece,
    pub(super) tables: &'a mut Tables,
    // A copy would be slow: a wide load stalls if narrower stores just wrote its bytes.
    pub(super) board: &'a mut Board,
}

pub(in crate::kernels) struct Choice {
    pub(in crate::kernels) index: u8,
    pub(in crate::kernels) row: u8,
    pub(in crate::kernels) lost: bool,
    pub(in crate::kernels) lines: u8,
    pub(in crate::kernels) stack: u8,
}

impl<const SET: u32> BoardJob for PlayJob<'_, SET> {
    type Output = Option<Choice>;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> Option<Choice> {
        let PlayJob { delta, piece, tables, board } = self;
        let set = delta.set_or::<SET>();
        let rows = Rows::load(simd, board.rows());
        let stack = playable_stack(delta, rows)?;
        tables.read(delta, set, rows, stack);
        tables.next_value = None;
        let exactly = (None, ScorePrecision::Exact);
        let chosen = best_of_piece::<S, SET>(simd, delta, board.rows(), piece, tables, exactly)?;
        let shape = delta.shape(piece);
        let (lane, row) = (usize::from(chosen.lane), usize::from(chosen.row));
        let mut rows = with_piece(rows, shape, lane, row);
        // As in the rules: a piece that ends above the top removes no rows, unless the rules clear
        // first.
        let stays = row + shape.heights[lane / 16] as usize > delta.size.height()
            && !delta.play.clear_on_overflow;
        let full = if stays { 0 } else { rows.equal(full_row(delta.size.width())) };
        if full != 0 {
            rows = rows.removed(full);
        }
        rows.store(board.rows_mut());
        tables.cache_value(delta, rows, tables.next_value);
        Some(Choice {
            index: shape.index(lane) as u8,
            row: chosen.row,
            lost: chosen.lost,
            lines: full.count_ones() as u8,
            stack: (ROWS as u32 - rows.occupied().leading_zeros()) as u8,
        })
    }
}

/// Job that finds the best score of each of `pieces` on a board. Scores may be inexact if their
/// upper bounds sum to less than `floor`.
pub(super) struct ScoresJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) board_score: Option<i64>,
    pub(super) pieces: &'a [Piece],
    pub(super) floor: Option<i64>,
    pub(super) tables: &'a mut Tables,
    pub(super) scores: &'a mut [Option<i64>],
}

impl BoardJob for ScoresJob<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> bool {
        let ScoresJob { delta, board, board_score, pieces, floor, tables, scores } = self;
        let rows = Rows::load(simd, board.rows());
        let Some(stack) = playable_stack(delta, rows) else { return false };
        // A placement's score includes the whole pattern diversity and not its change. So the
        // parent's score must omit it, and `board_score`, which includes it, cannot be used.
        let parent = match board_score {
            Some(score) if delta.set & DIVERSITY == 0 => score,
            _ => board_value::<0>(delta, board.rows(), true),
        };
        tables.read(delta, delta.set, rows, stack);
        let count = pieces.len();
        // If the weight of wells is positive, wells missing from a count would raise the score: it
        // has no upper bound then.
        let floor = floor.filter(|_| delta.weights.exact[WELL_CHANGE] <= 0);
        let is_bounded = floor.is_some();
        // Amount by which the remaining scores must exceed the parent's.
        let mut remaining = floor.unwrap_or(0).saturating_sub(count as i64 * parent);
        // A second round if the bounds do not decide; the last piece's score is exact in the first
        // round already.
        let (mut k, mut end) = (0, count);
        while k < end {
            let at = if k < count { k } else { k - count };
            let precision = if !is_bounded || k >= count {
                ScorePrecision::Exact
            } else if k + 1 == count {
                ScorePrecision::AtLeast(remaining)
            } else {
                ScorePrecision::UpperBound
            };
            let wanted = (Some(parent), precision);
            let best = best_of_piece::<S, 0>(simd, delta, board.rows(), pieces[at], tables, wanted);
            let Some(best) = best else { return false };
            scores[at] = (!best.lost).then(|| best.score + parent);
            k += 1;
            if is_bounded && k <= count {
                remaining = remaining.saturating_sub(best.score);
                if best.lost {
                    // A board on which one piece loses is worse than any board that survives every
                    // piece.
                    break;
                }
                if k == count && remaining <= 0 {
                    end = 2 * count - 1;
                }
            }
        }
        true
    }
}

#[derive(Clone, Copy)]
enum ScorePrecision {
    Exact,
    /// Exact score, if it exceeds the board's by this amount or more; else any lower score.
    AtLeast(i64),
    UpperBound,
}

#[inline(always)]
fn best_of_piece<S: Blocks, const SET: u32>(
    simd: S,
    delta: &Delta,
    rows: &[u16; ROWS],
    piece: Piece,
    tables: &mut Tables,
    wanted: (Option<i64>, ScorePrecision),
) -> Option<BestLane> {
    let set = delta.set_or::<SET>();
    let shape = delta.shape(piece);
    // Three instances of `count_changes`: by register width, and one for the I. All other
    // differences are data.
    match piece {
        Piece::I => {
            if set & WELLS != 0 {
                // Only the upright I reads this table.
                tables.read_high_wells(simd);
            }
            let placed = count_changes::<S, u8x32<S>, true>(simd, delta, set, tables, shape);
            choose_lane::<S, _, SET>(delta, rows, tables, shape, &placed, wanted)
        }
        Piece::O | Piece::S | Piece::Z => {
            let placed = count_changes::<S, u8x32<S>, false>(simd, delta, set, tables, shape);
            choose_lane::<S, _, SET>(delta, rows, tables, shape, &placed, wanted)
        }
        _ => {
            let placed = count_changes::<S, u8x64<S>, false>(simd, delta, set, tables, shape);
            choose_lane::<S, _, SET>(delta, rows, tables, shape, &placed, wanted)
        }
    }
}

/// Returns an approximate score change of each placement, by weights rounded to two digits.
/// Placements that lose, fill rows or do not exist get sums below all others.
///
/// ```text
/// sum = start + sum over counts of count x (high x base + low)       high and low: signed bytes
///
/// All bytes at once, in words:  highs = sum of count x high,  lows = sum of count x low.
/// Only then, in 32 bits:        highs x base + lows + start.
/// `weights` makes sure that no word overflows.
/// ```
#[inline(always)]
fn rounded_sums<S: Blocks, V: Bytes<S>>(
    delta: &Delta,
    set: u32,
    tables: &Tables,
    shape: &Shape,
    placed: &PieceCounts<V>,
) -> V::Sums {
    let c = &placed.counts;
    let mut columns;
    let mut start = &shape.start;
    // Parts that are no sums of weighted counts depend on both board and placement.
    if set & NONLINEAR != 0 {
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

pub(super) struct CandidateSet<S: Blocks, V: Bytes<S>> {
    pub(super) lanes: u64,
    /// True if the well depths of a possibly best placement are only counted approximately.
    pub(super) ambiguous: bool,
    upper_bound: Option<i32>,
    sums: V::Sums,
}

/// Finds the placements that may be among the `places` best (1 or 2), by approximate scores; none
/// if all are below `least`.
#[inline(always)]
pub(super) fn near_best<S: Blocks, V: Bytes<S>>(
    delta: &Delta,
    set: u32,
    tables: &Tables,
    shape: &Shape,
    placed: &PieceCounts<V>,
    places: u32,
    least: i32,
) -> CandidateSet<S, V> {
    let sums = rounded_sums(delta, set, tables, shape, placed);
    let mut most = V::largest(sums);
    // No placement is eligible (all lose, fill rows or do not exist), or none reaches `least`.
    if most < delta.rounded.min_eligible.max(least) {
        let upper_bound = Some(most).filter(|&most| most >= delta.rounded.min_eligible);
        return CandidateSet { lanes: 0, ambiguous: false, upper_bound, sums };
    }
    if places == 2 {
        let leaders = V::at_least(sums, most);
        // If one placement leads alone, the next best sum bounds the second place. Of two leaders,
        // one is second.
        if leaders.is_power_of_two() {
            let next = V::largest(V::only_less(sums, most));
            most = if next < delta.rounded.min_eligible { most } else { next };
        }
    }
    let near = V::at_least(sums, most.wrapping_sub(delta.rounded.slack));
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

/// Chooses the best placement of a piece, by exact scores if needed. `parent` is the board's score,
/// or `None` if the caller needs no score of the placement.
#[inline(always)]
fn choose_lane<S: Blocks, V: Bytes<S>, const SET: u32>(
    delta: &Delta,
    rows: &[u16; ROWS],
    tables: &mut Tables,
    shape: &Shape,
    placed: &PieceCounts<V>,
    (parent, precision): (Option<i64>, ScorePrecision),
) -> Option<BestLane> {
    if placed.overflowed {
        return None;
    }
    let set = delta.set_or::<SET>();
    if set & NONLINEAR != 0 {
        measure_nonlinear(delta, tables, shape, placed);
    }
    let full = placed.full;
    let least = match precision {
        ScorePrecision::Exact => i32::MIN,
        ScorePrecision::AtLeast(difference) => delta.min_sum(difference),
        ScorePrecision::UpperBound => i32::MAX,
    };
    let CandidateSet { lanes: near, ambiguous, upper_bound, sums } =
        near_best(delta, set, tables, shape, placed, 1, least);
    // Stand-in for a score that is not needed exactly.
    let below = match (precision, upper_bound) {
        (ScorePrecision::Exact, _) | (_, None) => None,
        (ScorePrecision::AtLeast(difference), _) => Some(difference - 1),
        (ScorePrecision::UpperBound, Some(sum)) => Some(delta.upper_bound(sum)),
    };
    if let (Some(score), 0) = (below, full) {
        return Some(BestLane { lane: 0, row: 0, lost: false, score });
    }
    // The lowest bit is the first in the order that decides ties; 64 if there is no candidate.
    let mut best = near.trailing_zeros() as usize;
    if parent.is_none() && full == 0 && !ambiguous && near.is_power_of_two() {
        // Only the landing row is needed here, so the other nine counts are not stored.
        placed.counts[LANDING_ROW].store(&mut tables.counts[LANDING_ROW]);
        let row = tables.counts[LANDING_ROW].0[best & 63];
        return Some(BestLane { lane: best as u8, row, lost: false, score: 0 });
    }
    store_counts(placed, tables);
    let counted = StoredCounts { delta, shape, tables, inexact: placed.inexact };
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
            let (k, at) = SumBlock::index(best);
            // All placements whose rounded sum is within the slack of the exact score found; 1 more
            // for rounding here.
            let less = (deficit as f64 * delta.rounded.scale).floor() as i32;
            let least = numbers.0[k][at] + less - delta.rounded.slack - 1;
            let others = V::at_least(sums, least) & all & !near;
            let other = counted.exact_best(others);
            if other.1 > score || (other.1 == score && other.0 < best) {
                (best, score) = (other.0, other.1);
            }
        }
    } else if near != 0 {
        // Without rounding all candidates are equally good, and the first wins.
        let some = if delta.rounded.slack == 0 { 1 << best } else { near };
        (best, score) = counted.best(some);
    } else if let Some(below) = below {
        (best, score) = (0, below);
    }
    if full != 0 {
        let inexact = placed.inexact;
        let job =
            FullRowsJob::<SET> { delta, shape, tables, inexact, rows, parent, full, best, score };
        return simd::run(delta.level, job);
    }
    Some(counted.best_lane(best, score))
}

/// Job that compares the best placement that fills no row with all placements that fill rows.
// All pieces share its code, so that more of the code in use fits the processor's cache of decoded
// instructions.
struct FullRowsJob<'a, const SET: u32> {
    delta: &'a Delta,
    shape: &'a Shape,
    tables: &'a mut Tables,
    inexact: u64,
    rows: &'a [u16; ROWS],
    parent: Option<i64>,
    full: u64,
    /// Index of the best placement that fills no row, as a byte of a vector; 64 if there is none.
    best: usize,
    score: i64,
}

impl<const SET: u32> BoardJob for FullRowsJob<'_, SET> {
    type Output = BestLane;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> BestLane {
        let FullRowsJob { delta, shape, tables, inexact, rows: all_rows, parent, full, .. } = self;
        let (mut best, mut score) = (self.best, self.score);
        let counted = StoredCounts { delta, shape, tables, inexact };
        let rows = Rows::load(simd, all_rows);
        // Changes of the score are compared with scores of whole boards, so the parent's score is
        // needed. The last decision may have computed it. No closures here: they would be compiled
        // for the baseline.
        let known = match parent {
            Some(parent) => Some(parent),
            None => tables.cached_value(delta, rows),
        };
        let parent = match known {
            Some(parent) => parent,
            None => board_value::<SET>(delta, all_rows, true),
        };
        let mut next_value = None;
        if best < 64 {
            // The score without the move's own part is the board's score, for the next decision.
            next_value =
                Some(parent + score - landing_score(delta, shape, best, counted.row(best)));
        }
        for lane in SetBits(full) {
            let row = counted.row(lane);
            let Some(cleared) = clear_rows::<S, SET>(delta, rows, shape, lane, row) else {
                continue;
            };
            let sum = cleared.of_move + cleared.board - parent;
            // The lower byte wins among equal scores, as everywhere.
            if best == 64 || sum > score || (sum == score && lane < best) {
                (best, score) = (lane, sum);
                next_value = Some(cleared.board);
            }
        }
        let found = counted.best_lane(best, score);
        tables.next_value = next_value;
        found
    }
}

impl StoredCounts<'_> {
    #[inline(always)]
    fn best_lane(self, best: usize, score: i64) -> BestLane {
        let lost = best == 64;
        let lane = if lost { 0 } else { best };
        BestLane { lane: lane as u8, row: self.row(lane) as u8, lost, score }
    }
}

pub(super) struct AfterstatesJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) tables: &'a mut Tables,
    pub(super) after: &'a mut [Afterstate],
}

/// Sets of placements, one bit each: inexactly counted, filling rows, losing, and possibly best.
struct PlacementSets {
    inexact: u64,
    full: u64,
    lost: u64,
    near: u64,
}

/// Counts the board changes by each placement and returns sets of placements; `places` is how many
/// best ones to find, 0 to 2.
#[inline(always)]
fn placement_sets<S: Blocks, V: Bytes<S>, const I: bool>(
    simd: S,
    delta: &Delta,
    tables: &mut Tables,
    shape: &Shape,
    places: u32,
) -> Option<PlacementSets> {
    let placed = count_changes::<S, V, I>(simd, delta, delta.set, tables, shape);
    if placed.overflowed {
        return None;
    }
    if delta.set & NONLINEAR != 0 {
        measure_nonlinear(delta, tables, shape, &placed);
    }
    let (full, lost) = (placed.full, placed.lost);
    let mut near = 0;
    if places != 0 {
        let CandidateSet { lanes, ambiguous, .. } =
            near_best(delta, delta.set, tables, shape, &placed, places, i32::MIN);
        // If a candidate's well count is approximate, another placement may be better: all become
        // candidates.
        near = if ambiguous { shape.valid & !(full | lost) } else { lanes };
    }
    store_counts(&placed, tables);
    Some(PlacementSets { inexact: placed.inexact, full, lost, near })
}

#[inline(always)]
fn read_placement_sets<S: Blocks>(
    delta: &Delta,
    rows: Rows<S>,
    stack: usize,
    piece: Piece,
    tables: &mut Tables,
    places: u32,
) -> Option<PlacementSets> {
    tables.read(delta, delta.set, rows, stack);
    let shape = delta.shape(piece);
    match piece {
        Piece::I => {
            if delta.set & WELLS != 0 {
                tables.read_high_wells(rows.simd());
            }
            placement_sets::<S, u8x32<S>, true>(rows.simd(), delta, tables, shape, places)
        }
        Piece::O | Piece::S | Piece::Z => {
            placement_sets::<S, u8x32<S>, false>(rows.simd(), delta, tables, shape, places)
        }
        _ => placement_sets::<S, u8x64<S>, false>(rows.simd(), delta, tables, shape, places),
    }
}

impl BoardJob for AfterstatesJob<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> bool {
        let AfterstatesJob { delta, board, piece, tables, after } = self;
        let rows = Rows::load(simd, board.rows());
        let Some(stack) = playable_stack(delta, rows) else { return false };
        let parent = board_value::<0>(delta, board.rows(), true);
        let Some(sets) = read_placement_sets(delta, rows, stack, piece, tables, 0) else {
            return false;
        };
        let shape = delta.shape(piece);
        let counted = StoredCounts { delta, shape, tables, inexact: sets.inexact };
        for (lane, after) in shape.lanes().zip(after) {
            let row = counted.row(lane);
            after.row = row as u8;
            // No row is filled: the score is the parent's plus the change. The next piece needs the
            // board.
            if sets.full >> lane & 1 == 0 {
                after.of_move = landing_score(delta, shape, lane, row);
                after.score = parent + counted.exact_sum(lane);
                after.lost = sets.lost >> lane & 1 == 1;
                after.board_score = Some(after.score - after.of_move);
                with_piece(rows, shape, lane, row).store(after.board.rows_mut());
            } else if let Some(cleared) = clear_rows::<S, 0>(delta, rows, shape, lane, row) {
                after.of_move = cleared.of_move;
                after.score = cleared.of_move + cleared.board;
                after.lost = false;
                // A score measured before rows are removed is not the score of the board after it.
                let known = delta.play.measured == Measured::AfterClear;
                after.board_score = known.then_some(cleared.board);
                cleared.rows.store(after.board.rows_mut());
            } else {
                after.lost = true;
            }
        }
        true
    }
}

/// Results of a search for the two best placements of a piece.
pub(in crate::kernels) struct TopTwo<'a> {
    pub(in crate::kernels) tables: &'a mut Tables,
    pub(in crate::kernels) rows: &'a mut [u8; LANES],
    pub(in crate::kernels) scores: &'a mut [i64; LANES],
    pub(in crate::kernels) lost: &'a mut u64,
}

pub(super) struct TopTwoJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) scratch: TopTwo<'a>,
}

impl BoardJob for TopTwoJob<'_> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> Option<u64> {
        let TopTwoJob { delta, board, piece, scratch } = self;
        let rows = Rows::load(simd, board.rows());
        let stack = playable_stack(delta, rows)?;
        let tables = &mut *scratch.tables;
        let known = tables.cached_value(delta, rows);
        let parent = known.unwrap_or_else(|| board_value::<0>(delta, board.rows(), true));
        let sets = read_placement_sets(delta, rows, stack, piece, tables, 2)?;
        let shape = delta.shape(piece);
        let counted = StoredCounts { delta, shape, tables, inexact: sets.inexact };
        let mut some = 0u64;
        // Score and index of the first best placement, the board after it, and that board's score.
        // The next query is most likely about this board.
        let mut best = (i64::MIN, usize::MAX, rows, None);
        for lane in SetBits(sets.near) {
            let (index, row) = (shape.index(lane), counted.row(lane));
            let sum = counted.exact_sum(lane);
            scratch.rows[index] = row as u8;
            scratch.scores[index] = parent + sum;
            some |= 1 << index;
            if parent + sum > best.0 {
                let own = parent + sum - landing_score(delta, shape, lane, row);
                best = (parent + sum, index, with_piece(rows, shape, lane, row), Some(own));
            }
        }
        // All placements that fill rows, since only the board after them shows how good they are.
        for lane in SetBits(sets.full) {
            let row = counted.row(lane);
            if let Some(cleared) = clear_rows::<S, 0>(delta, rows, shape, lane, row) {
                let index = shape.index(lane);
                let score = cleared.of_move + cleared.board;
                scratch.rows[index] = row as u8;
                scratch.scores[index] = score;
                some |= 1 << index;
                if score > best.0 || (score == best.0 && index < best.1) {
                    best = (score, index, cleared.rows, Some(cleared.board));
                }
            }
        }
        scratch.tables.cache_value(delta, best.2, best.3);
        *scratch.lost = 0;
        Some(if some.count_ones() < 2 { add_losers(some, shape, scratch) } else { some })
    }
}

#[cold]
fn add_losers(mut some: u64, shape: &Shape, scratch: TopTwo<'_>) -> u64 {
    for (index, lane) in shape.lanes().enumerate() {
        if some.count_ones() < 2 && some >> index & 1 == 0 {
            // A losing placement has no score: the log shows it as missing.
            scratch.rows[index] = scratch.tables.counts[LANDING_ROW].0[lane];
            *scratch.lost |= 1 << index;
            some |= 1 << index;
        }
    }
    some
}
