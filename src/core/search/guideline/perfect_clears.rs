//! Perfect clears that the known pieces allow: placements after which nothing is left.
//!
//! A beam drops the states on the way to most of them: they look like any other low stack until the last piece. So the
//! way is searched for, depth first, wherever the cells come out even, as the finish of a Sprint is.

use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, Landing, Landings, MoveGenerator, Placed,
};

use super::evaluation::Weights;
use super::node::{NONE, Node};

/// Searches for the perfect clears that earn the most.
pub(super) struct PerfectClears {
    /// States looked at before giving up, for each number of rows that may be emptied.
    budget: u32,
    /// States that may still be looked at.
    left: u32,
    /// Tells what this search found from what others did, which stays in the table.
    search: u64,
    /// What the best way from a state on earns, [`NONE`] where there is none, beside the state's key.
    found: Vec<(u64, i64)>,
    lists: Vec<Landings>,
}

/// What a search goes by, the same all the way.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) movegen: &'a MoveGenerator,
    pub(super) weights: &'a Weights,
    /// The current piece and those after it.
    pub(super) pieces: &'a [Piece],
}

/// A state on the way to a perfect clear.
#[derive(Clone, Copy)]
struct Place {
    state: GuidelineState,
    /// Rows that are still to be filled and emptied.
    rows: usize,
    /// Placements before it.
    depth: usize,
}

/// A placement on the way.
struct Step {
    /// What it and those after it earn.
    worth: i64,
    /// What it earns by itself.
    reward: i64,
    points: u32,
    to: Place,
}

impl PerfectClears {
    /// A search that gives up after so many states; with 0 it finds nothing.
    pub(super) fn new(budget: u32) -> PerfectClears {
        // Twice as many slots as states, within reason: what is overwritten is only looked at again.
        let slots = (2 * budget as usize).clamp(1, 1 << 20).next_power_of_two();
        PerfectClears { budget, left: 0, search: 0, found: vec![(0, 0); slots], lists: Vec::new() }
    }

    /// The states on the ways to perfect clears, those after the first placement first: for each of `roots` and for each
    /// number of rows the way of `most` placements at most that earns the most. States with nothing on them are left
    /// out: they are worth what was earned, and are kept or not as all others.
    pub(super) fn ways(
        &mut self,
        known: &Known,
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
            self.left = self.budget;
            self.search += 1;
            for (root, (choice, landing, _)) in (0..).zip(roots) {
                let at = Place { state: *start, rows, depth: 0 };
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
                    // A state that the table has lost may lack the budget to be looked at again.
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

    /// What the best way from a place on earns, if there is one.
    fn worth(&mut self, known: &Known, place: &Place) -> Option<i64> {
        if place.rows == 0 {
            return Some(known.weights.back_to_back(place.state.combo_state.back_to_back));
        }
        let key = place.state.key();
        // By the state alone: which one overwrites which must not hang on the searches before.
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

    /// The placement that the best way from a place goes on with, of equals the first.
    fn best_step(&mut self, known: &Known, place: &Place) -> Option<Step> {
        let Place { state, depth, .. } = place;
        if self.lists.len() <= *depth {
            self.lists.resize(depth + 1, Landings::default());
        }
        let mut best: Option<Step> = None;
        for choice in state.choices(known.movegen.rules(), known.pieces).into_iter().flatten() {
            // Taken out and put back, since the search below borrows all of `self`.
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

    /// A placement and the best that may follow, if it leads to a perfect clear.
    fn step(
        &mut self,
        known: &Known,
        place: &Place,
        choice: &Choice,
        landing: Landing,
    ) -> Option<Step> {
        let Place { state, rows, depth } = place;
        let (placed, rows) = fill(known.movegen.rules(), state, choice, landing, *rows)?;
        let to = Place { state: placed.after, rows, depth: depth + 1 };
        let reward = known.weights.reward(&placed.event);
        let points = placed.event.points;
        Some(Step { worth: reward + self.worth(known, &to)?, reward, points, to })
    }
}

/// The rows that `most` placements at most may fill and empty, with what stands in them.
fn row_counts(matrix: &Matrix, most: usize) -> impl Iterator<Item = usize> {
    let (cells, height) = (matrix.cells() as usize, matrix.stack_height());
    let last = (cells + 4 * most) / WIDTH;
    (height.max(1)..=last).filter(move |rows| {
        let left = WIDTH * rows - cells;
        left > 0 && left.is_multiple_of(4)
    })
}

/// A placement within the lowest `rows`, all else empty, and how many of them are left to fill after it; `None` when no
/// perfect clear of them can follow.
pub(super) fn fill(
    rules: &Guideline,
    state: &GuidelineState,
    choice: &Choice,
    landing: Landing,
    rows: usize,
) -> Option<(Placed, usize)> {
    // A cell above the rows would be left over. Asked first, since it is so of most placements.
    if landing.cells().iter().any(|&(_, y)| y >= rows) {
        return None;
    }
    // Full rows still stand: they have no empty cells, so that they change nothing about those that are left.
    let locked = GuidelineState::locked(&state.matrix, rules, landing);
    if !can_fill(&locked, rows) || rules.loses(landing) {
        return None;
    }
    let placed = state.place(rules, choice, landing);
    Some((placed, rows - usize::from(placed.clear.lines)))
}

/// Whether the empty cells below a row may be filled by whole pieces: between walls without a gap
/// in any row, their number is a multiple of four. (A piece that crosses from one column to the
/// next has cells of both in one row, and rows stay whole.)
pub(super) fn can_fill(matrix: &Matrix, rows: usize) -> bool {
    if rows == 0 {
        return true;
    }
    // Row r is bit 31 - r: the highest bits are the lowest rows.
    let inside = u32::MAX << (32 - rows.min(32));
    let free = matrix.columns().map(|column| !column & inside);
    let mut cells = 0;
    for c in 0..free.len() {
        cells += free[c].count_ones();
        // No row with an empty cell in both columns: no piece lies across, and the cells so far must come out
        // even.
        let wall = c + 1 == free.len() || free[c] & free[c + 1] == 0;
        if wall && !cells.is_multiple_of(4) {
            return false;
        }
    }
    true
}
