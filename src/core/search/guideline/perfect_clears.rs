//! Searches for perfect clears with the known pieces: placements after which no cell is left.
//!
//! A beam drops most states on the way to a perfect clear, because they look like any other low
//! stack until the last piece. A depth-first search, as for the finish of a Sprint, finds perfect
//! clears wherever the number of cells allows one.

use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, Landing, Landings, MoveGenerator, Placed,
};

use super::evaluation::Weights;
use super::node::{NONE, Node};

/// A search for the perfect clears with the largest rewards.
pub(super) struct PerfectClears {
    /// Largest number of states examined for each number of rows to empty.
    budget: u32,
    /// Number of states that may still be examined.
    left: u32,
    /// Number mixed into the keys of states, different for each search whose results are in the
    /// table.
    search: u64,
    /// Hash table: key of a state, and sum of rewards of its best continuation, or [`NONE`] if it
    /// leads to no perfect clear.
    found: Vec<(u64, i64)>,
    lists: Vec<Landings>,
}

/// The data that stay constant during a search for perfect clears.
#[derive(Clone, Copy)]
pub(super) struct SearchInput<'a> {
    pub(super) movegen: &'a MoveGenerator,
    pub(super) weights: &'a Weights,
    /// The current piece and the pieces after it.
    pub(super) pieces: &'a [Piece],
}

/// A state on the way to a perfect clear.
#[derive(Clone, Copy)]
struct SearchState {
    state: GuidelineState,
    /// Number of rows still to fill and remove.
    rows: usize,
    /// Number of placements before the state.
    depth: usize,
}

/// A placement on the way to a perfect clear.
struct Step {
    /// Sum of the rewards of the placement and of the placements after it, up to the perfect clear.
    /// It includes the weight of back-to-back at the end.
    worth: i64,
    /// Reward of the placement alone.
    reward: i64,
    points: u32,
    to: SearchState,
}

impl PerfectClears {
    /// Creates a search that stops after `budget` states; with 0 it finds nothing.
    pub(super) fn new(budget: u32) -> PerfectClears {
        // Twice as many slots as states, within limits; overwritten states are examined again.
        let slots = (2 * budget as usize).clamp(1, 1 << 20).next_power_of_two();
        PerfectClears { budget, left: 0, search: 0, found: vec![(0, 0); slots], lists: Vec::new() }
    }

    /// Writes the states on the way to perfect clears to `ways`, by the number of placements before
    /// them. For each first placement in `roots` and each number of rows, it takes the perfect
    /// clear with the largest reward within `most` placements. The empty state after the clear is
    /// left out: it has earned its reward, and is kept like all others.
    pub(super) fn ways(
        &mut self,
        known: &SearchInput,
        start: &GuidelineState,
        roots: &[(Choice, Landing, Placed)],
        most: usize,
        ways: &mut Vec<Vec<Node>>,
    ) {
        ways.clear();
        if self.budget == 0 {
            return;
        }
        let mut way = Vec::new();
        for rows in row_counts(&start.matrix, most) {
            self.restart();
            for (root, (choice, landing, _)) in (0..).zip(roots) {
                let at = SearchState { state: *start, rows, depth: 0 };
                let Some(mut step) = self.step(known, &at, choice, *landing) else { continue };
                let (mut reward, mut points) = (0, 0);
                way.clear();
                let is_whole = loop {
                    reward += step.reward;
                    points += step.points;
                    if step.to.rows == 0 {
                        break true;
                    }
                    let state = step.to.state;
                    way.push(Node { reward, points, root, by_network: 0, state });
                    // A state that is no longer in the table may exceed the remaining budget.
                    let Some(next) = self.best_step(known, &step.to) else { break false };
                    step = next;
                };
                if is_whole {
                    ways.resize(ways.len().max(way.len()), Vec::new());
                    for (layer, node) in ways.iter_mut().zip(&way) {
                        layer.push(*node);
                    }
                }
            }
        }
    }

    /// Begins searches with the same pieces: they share the largest number of states.
    pub(super) fn restart(&mut self) {
        self.left = self.budget;
        self.search += 1;
    }

    /// Returns the sum of the rewards up to the best perfect clear within `most` placements from
    /// `start`, or `None` if none is found.
    pub(super) fn best_worth(
        &mut self,
        known: &SearchInput,
        start: &GuidelineState,
        most: usize,
    ) -> Option<i64> {
        // Few rows are likely, and an empty state has been cleared already.
        let rows = if self.left == 0 || start.matrix.is_empty() {
            None
        } else {
            row_counts(&start.matrix, most).next()
        };
        rows.and_then(|rows| self.worth(known, &SearchState { state: *start, rows, depth: 0 }))
    }

    /// Returns the sum of the rewards of the best continuation from `place` to a perfect clear, or
    /// `None` if none is found.
    fn worth(&mut self, known: &SearchInput, place: &SearchState) -> Option<i64> {
        if place.rows == 0 {
            return Some(known.weights.back_to_back(place.state.combo_state.back_to_back()));
        }
        let key = place.state.key();
        // Earlier searches must not affect which entries are overwritten.
        let slot = (key >> 20) as usize & (self.found.len() - 1);
        let key = key ^ self.search.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (of, found) = self.found[slot];
        if of == key {
            return (found != NONE).then_some(found);
        }
        self.left = self.left.checked_sub(1)?;
        let worth = self.best_step(known, place).map(|step| step.worth);
        self.found[slot] = (key, worth.unwrap_or(NONE));
        worth
    }

    /// Returns the first placement of the best continuation from `place` to a perfect clear, or
    /// `None` if there is none. Of equal continuations the first is chosen.
    fn best_step(&mut self, known: &SearchInput, place: &SearchState) -> Option<Step> {
        let SearchState { state, depth, .. } = place;
        if self.lists.len() <= *depth {
            self.lists.resize(depth + 1, Landings::default());
        }
        let mut best: Option<Step> = None;
        for choice in state.choices(known.movegen.rules(), known.pieces).into_iter().flatten() {
            // The list is moved out and back, because the search below borrows all of `self`.
            let mut list = std::mem::take(&mut self.lists[*depth]);
            known.movegen.landings(&state.matrix, choice.piece, &mut list);
            for landing in list.iter() {
                let Some(step) = self.step(known, place, &choice, landing) else { continue };
                if best.as_ref().is_none_or(|best| best.worth < step.worth) {
                    best = Some(step);
                }
            }
            self.lists[*depth] = list;
        }
        best
    }

    /// Returns the placement of `choice` at `landing` with its best continuation, or `None` if it
    /// leads to no perfect clear.
    fn step(
        &mut self,
        known: &SearchInput,
        place: &SearchState,
        choice: &Choice,
        landing: Landing,
    ) -> Option<Step> {
        let SearchState { state, rows, depth } = place;
        let (placed, rows) = fill(known.movegen.rules(), state, choice, landing, *rows)?;
        let to = SearchState { state: placed.after, rows, depth: depth + 1 };
        let reward = known.weights.reward(&placed.event);
        let points = placed.event.points;
        Some(Step { worth: reward + self.worth(known, &to)?, reward, points, to })
    }
}

/// Returns all numbers of rows that at most `most` placements may fill and remove so that `matrix`
/// becomes empty.
fn row_counts(matrix: &Matrix, most: usize) -> impl Iterator<Item = usize> {
    let (cells, height) = (matrix.cells() as usize, matrix.stack_height());
    let last = (cells + 4 * most) / WIDTH;
    (height.max(1)..=last).filter(move |rows| {
        let left = WIDTH * rows - cells;
        left > 0 && left.is_multiple_of(4)
    })
}

/// Places the piece of `choice` at `landing`, within the lowest `rows` rows, and returns the result
/// and the number of rows left to fill. Returns `None` if no perfect clear can follow. All higher
/// rows must be empty.
pub(super) fn fill(
    rules: &Guideline,
    state: &GuidelineState,
    choice: &Choice,
    landing: Landing,
    rows: usize,
) -> Option<(Placed, usize)> {
    // A cell above the rows would remain. This test comes first, because most placements fail it.
    if landing.cells().iter().any(|&(_, y)| y >= rows) {
        return None;
    }
    // Full rows are still present, but they have no empty cells, so they do not affect the test.
    let locked = GuidelineState::locked(&state.matrix, rules, landing);
    if !can_fill(&locked, rows) || rules.loses(landing) {
        return None;
    }
    let placed = state.place(rules, choice, landing);
    Some((placed, rows - usize::from(placed.clear.lines)))
}

/// Returns true if whole pieces may fill the empty cells of the lowest `rows` rows. Two
/// neighbouring columns without a common row of empty cells form a wall, which no piece crosses.
/// The number of empty cells between walls must be a multiple of four.
pub(super) fn can_fill(matrix: &Matrix, rows: usize) -> bool {
    if rows == 0 {
        return true;
    }
    // Row r is bit 31 - r, so the highest bits are the lowest rows.
    let inside = u32::MAX << (32 - rows.min(32));
    let free = matrix.columns().map(|column| !column & inside);
    let mut cells = 0;
    for c in 0..free.len() {
        cells += free[c].count_ones();
        // No row has empty cells in both columns, so the count must be a multiple of four.
        let wall = c + 1 == free.len() || free[c] & free[c + 1] == 0;
        if wall && !cells.is_multiple_of(4) {
            return false;
        }
    }
    true
}
