//! Searches depth first for placements after which no cell is left: perfect clears with the largest
//! rewards ([`PerfectClears`]), and perfect finishes of a Sprint ([`Finisher`]). A beam drops most
//! states on the way there, because they look like any other low stack until the last piece.

use super::beam::{Beam, BeamPlayer};
use super::evaluation::Weights;
use super::layer::{NO_VALUE, Node};
use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, Hold, Landing, Landings, MoveGenerator, Placed,
};

pub(super) struct PerfectClears {
    /// Largest number of states that a series of searches examines ([`PerfectClears::restart`]).
    budget: u32,
    remaining: u32,
    /// Number of the current series of searches, part of every state's key in the hash table.
    search: u64,
    /// Hash table: key of each examined state, and rewards of its best perfect clear, if any.
    found: Vec<(u64, i64)>,
    lists: Vec<Landings>,
}

#[derive(Clone, Copy)]
pub(super) struct SearchInput<'a> {
    pub(super) movegen: &'a MoveGenerator,
    pub(super) weights: &'a Weights,
    pub(super) pieces: &'a [Piece],
}

#[derive(Clone, Copy)]
struct SearchState {
    state: GuidelineState,
    rows: usize,
    depth: usize,
}

struct ClearStep {
    /// Sum of the rewards from the placement to the perfect clear, plus the back-to-back weight if
    /// back-to-back is active at the end.
    total: i64,
    reward: i64,
    points: u32,
    to: SearchState,
}

impl PerfectClears {
    pub(super) fn new(budget: u32) -> PerfectClears {
        // Twice as many slots as states, within limits; overwritten states are examined again.
        let slots = (2 * budget as usize).clamp(1, 1 << 20).next_power_of_two();
        PerfectClears {
            budget,
            remaining: 0,
            search: 0,
            found: vec![(0, 0); slots],
            lists: Vec::new(),
        }
    }

    /// Finds the most rewarding path from each first placement to a perfect clear of each possible
    /// number of rows. Writes its states to `paths` by number of placements.
    pub(super) fn find_paths(
        &mut self,
        known: &SearchInput,
        start: &GuidelineState,
        roots: &[(Choice, Landing, Placed)],
        most: usize,
        paths: &mut Vec<Vec<Node>>,
    ) {
        paths.clear();
        if self.budget == 0 {
            return;
        }
        let mut path = Vec::new();
        for rows in row_counts(&start.matrix, most) {
            self.restart();
            for (root, (choice, landing, _)) in (0..).zip(roots) {
                let at = SearchState { state: *start, rows, depth: 0 };
                let Some(mut step) = self.step(known, &at, choice, *landing) else { continue };
                let (mut reward, mut points) = (0, 0);
                path.clear();
                let is_whole = loop {
                    reward += step.reward;
                    points += step.points;
                    if step.to.rows == 0 {
                        break true;
                    }
                    let state = step.to.state;
                    path.push(Node { reward, points, root, by_network: 0, state });
                    // A state that is no longer in the table may exceed the remaining budget.
                    let Some(next) = self.best_step(known, &step.to) else { break false };
                    step = next;
                };
                if is_whole {
                    paths.resize(paths.len().max(path.len()), Vec::new());
                    for (layer, node) in paths.iter_mut().zip(&path) {
                        layer.push(*node);
                    }
                }
            }
        }
    }

    /// Begins a series of searches with the same pieces, which share one budget of states.
    pub(super) fn restart(&mut self) {
        self.remaining = self.budget;
        self.search += 1;
    }

    /// Returns the largest sum of rewards for a perfect clear of the fewest possible rows within
    /// `most` placements, if the search finds one.
    pub(super) fn best_total(
        &mut self,
        known: &SearchInput,
        start: &GuidelineState,
        most: usize,
    ) -> Option<i64> {
        // Few rows are likely, and an empty state has been cleared already.
        if self.remaining == 0 || start.matrix.is_empty() {
            return None;
        }
        let rows = row_counts(&start.matrix, most).next()?;
        self.best_reward(known, &SearchState { state: *start, rows, depth: 0 })
    }

    fn best_reward(&mut self, known: &SearchInput, position: &SearchState) -> Option<i64> {
        if position.rows == 0 {
            return Some(known.weights.back_to_back(position.state.combo_state.back_to_back()));
        }
        let key = position.state.key();
        // Earlier searches must not affect which entries are overwritten.
        let slot = (key >> 20) as usize & (self.found.len() - 1);
        let key = key ^ self.search.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (of, found) = self.found[slot];
        if of == key {
            return (found != NO_VALUE).then_some(found);
        }
        self.remaining = self.remaining.checked_sub(1)?;
        let total = self.best_step(known, position).map(|step| step.total);
        self.found[slot] = (key, total.unwrap_or(NO_VALUE));
        total
    }

    /// Returns the first placement of the best way from `position` to a perfect clear, if any.
    fn best_step(&mut self, known: &SearchInput, position: &SearchState) -> Option<ClearStep> {
        let SearchState { state, depth, .. } = position;
        if self.lists.len() <= *depth {
            self.lists.resize(depth + 1, Landings::default());
        }
        let mut best: Option<ClearStep> = None;
        for choice in state.choices(known.movegen.rules(), known.pieces).into_iter().flatten() {
            // The list is moved out and back, because the search below borrows all of `self`.
            let mut list = std::mem::take(&mut self.lists[*depth]);
            known.movegen.landings(&state.matrix, choice.piece, &mut list);
            for landing in list.iter() {
                let Some(step) = self.step(known, position, &choice, landing) else { continue };
                if best.as_ref().is_none_or(|best| best.total < step.total) {
                    best = Some(step);
                }
            }
            self.lists[*depth] = list;
        }
        best
    }

    fn step(
        &mut self,
        known: &SearchInput,
        position: &SearchState,
        choice: &Choice,
        landing: Landing,
    ) -> Option<ClearStep> {
        let SearchState { state, rows, depth } = position;
        let (placed, rows) = place_within(known.movegen.rules(), state, choice, landing, *rows)?;
        let to = SearchState { state: placed.after, rows, depth: depth + 1 };
        let reward = known.weights.reward(&placed.event);
        let points = placed.event.points;
        Some(ClearStep { total: reward + self.best_reward(known, &to)?, reward, points, to })
    }
}

/// Returns the possible numbers of rows that at most `most` placements remove to empty `matrix`.
fn row_counts(matrix: &Matrix, most: usize) -> impl Iterator<Item = usize> {
    let (cells, height) = (matrix.cells() as usize, matrix.stack_height());
    let last = (cells + 4 * most) / WIDTH;
    (height.max(1)..=last).filter(move |rows| {
        let left = WIDTH * rows - cells;
        left > 0 && left.is_multiple_of(4)
    })
}

/// Places a piece within the lowest `rows` rows; all higher rows must be empty. Returns the effect
/// and the number of rows still to clear, or `None` if no perfect clear can follow.
pub(super) fn place_within(
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

/// Returns true if pieces may fill the lowest `rows` rows: every closed-off group of columns has a
/// multiple of four empty cells.
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

/// A search for perfect finishes, which leave no cell, so that a Sprint takes the fewest pieces.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{kernels::Level, piece::Piece, search::guideline::Finisher};
/// use tetrastat::rules::guideline::{Guideline, GuidelineState, MoveGenerator, Moves};
/// let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
/// let matrix = "######....".parse()?;
/// let state = GuidelineState { matrix, lines: 39, ..GuidelineState::default() };
/// let mut finisher = Finisher::new(40, 1000);
/// assert_eq!(finisher.pieces(&state), Some(1));
/// assert!(finisher.find(&movegen, &state, &[Piece::I]).is_some());
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct Finisher {
    goal: u32,
    budget: u32,
    remaining: u32,
    /// Hash table of the keys of states from which no end with an empty matrix was found.
    failed: Vec<u64>,
    /// Number of the piece queue, part of every state's key in the shared hash table.
    queue: u64,
    lists: Vec<Landings>,
}

/// A first placement of the search, and which futures (sequences of later pieces) can end with an
/// empty matrix after it.
struct FirstPlacement {
    root: u16,
    has_finish: Vec<bool>,
}

impl FirstPlacement {
    fn count_finishes(&self) -> usize {
        self.has_finish.iter().filter(|found| **found).count()
    }
}

/// Largest number of states from which [`Finisher::steer`] searches for an end of the game with an
/// empty matrix.
const FINISH_BEAM_WIDTH: usize = 400;

/// Number of slots in the hash table of states from which no perfect finish (end with an empty
/// matrix) was found.
const HASH_SLOTS: usize = 1 << 16;

impl Finisher {
    /// Creates a search for perfect finishes (an empty matrix after exactly `goal` removed rows).
    /// `budget` limits the states examined per queue.
    #[must_use]
    pub fn new(goal: u32, budget: u32) -> Finisher {
        Finisher {
            goal,
            budget,
            remaining: 0,
            failed: vec![0; HASH_SLOTS],
            queue: 0,
            lists: vec![Landings::default(); 24],
        }
    }

    /// Returns the number of pieces from `state` to a perfect finish (end with an empty matrix), or
    /// `None` if the stack rules one out.
    #[must_use]
    pub fn pieces(&self, state: &GuidelineState) -> Option<u32> {
        let rows = self.goal.saturating_sub(state.lines);
        let cells = (10 * rows).checked_sub(state.matrix.cells())?;
        let fits = state.matrix.stack_height() as u32 <= rows && cells.is_multiple_of(4);
        fits.then_some(cells / 4)
    }

    /// Returns placements of the `known` pieces to a perfect finish (end with an empty matrix), or
    /// `None` if the search finds none.
    pub fn find(
        &mut self,
        movegen: &MoveGenerator,
        state: &GuidelineState,
        known: &[Piece],
    ) -> Option<Vec<(Choice, Landing)>> {
        let pieces = self.pieces(state)? as usize;
        let most = known.len() + usize::from(state.hold != Hold::Empty);
        if pieces == 0 || pieces > most || pieces > self.lists.len() {
            return None;
        }
        self.restart(1);
        let mut plan = Vec::new();
        self.descend(movegen, state, known, &mut plan).then_some(plan)
    }

    fn restart(&mut self, queues: usize) {
        self.failed.fill(0);
        self.remaining = self.budget.saturating_mul(queues as u32);
        self.queue = 0;
    }

    /// Returns the placement after which the largest number of `futures` (possible sequences of
    /// later pieces) have a perfect finish, an end with an empty matrix. Returns `None` if no
    /// future has one.
    ///
    /// A beam finds states after the known pieces, and each state is searched for a finish in every
    /// future. One state with a finish is enough for a placement, because later placements are
    /// chosen when more pieces are known.
    pub fn steer(
        &mut self,
        player: &mut BeamPlayer,
        state: &GuidelineState,
        known: &[Piece],
        futures: &[Vec<Piece>],
    ) -> Option<(Choice, Landing)> {
        let pieces = self.pieces(state)? as usize;
        let depth = known.len().min(pieces.saturating_sub(1));
        self.restart(futures.len());
        let movegen = *player.movegen();
        let queues: Vec<Vec<Piece>> = futures.iter().map(|dealt| [known, dealt].concat()).collect();
        let mut firsts: Vec<FirstPlacement> = Vec::new();
        let mut plan = Vec::new();
        for (root, leaf) in player.leaves(state, known, Beam::new(FINISH_BEAM_WIDTH, depth)) {
            let is_whole = self.pieces(&leaf).is_some_and(|left| left as usize + depth == pieces);
            if !is_whole || !can_fill(&leaf.matrix, self.remaining_rows(&leaf)) {
                continue;
            }
            let known_root = firsts.iter().position(|first| first.root == root);
            let at = known_root.unwrap_or_else(|| {
                firsts.push(FirstPlacement { root, has_finish: vec![false; queues.len()] });
                firsts.len() - 1
            });
            for (index, queue) in queues.iter().enumerate() {
                if firsts[at].has_finish[index] {
                    continue;
                }
                self.queue = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                plan.clear();
                firsts[at].has_finish[index] = self.descend(&movegen, &leaf, queue, &mut plan);
            }
        }
        // The list is reversed, so that of placements with equally many futures the best of the
        // beam is chosen.
        let best = firsts.iter().rev().max_by_key(|first| first.count_finishes());
        player.root(best.filter(|first| first.count_finishes() > 0)?.root)
    }

    fn remaining_rows(&self, state: &GuidelineState) -> usize {
        self.goal.saturating_sub(state.lines) as usize
    }

    /// Searches for a perfect finish (end with an empty matrix) from `state`; if found, appends its
    /// placements to `plan` and returns true.
    fn descend(
        &mut self,
        movegen: &MoveGenerator,
        state: &GuidelineState,
        known: &[Piece],
        plan: &mut Vec<(Choice, Landing)>,
    ) -> bool {
        let rows = self.remaining_rows(state);
        if rows == 0 {
            return true;
        }
        let key = (state.key() ^ self.queue) | 1;
        let slot = (key >> 40) as usize % HASH_SLOTS;
        if self.failed[slot] == key || self.remaining == 0 {
            return false;
        }
        self.remaining -= 1;
        let rules = movegen.rules();
        let depth = plan.len();
        for choice in state.choices(rules, known).into_iter().flatten() {
            // The list is moved out and back, because the search below borrows all of `self`.
            let mut list = std::mem::take(&mut self.lists[depth]);
            movegen.landings(&state.matrix, choice.piece, &mut list);
            let filled = list
                .iter()
                .any(|landing| self.try_out(movegen, state, &choice, landing, known, plan));
            self.lists[depth] = list;
            if filled {
                return true;
            }
        }
        // A state that fails because the budget is used up is stored too, and not examined again in
        // this search.
        self.failed[slot] = key;
        false
    }

    fn try_out(
        &mut self,
        movegen: &MoveGenerator,
        state: &GuidelineState,
        choice: &Choice,
        landing: Landing,
        known: &[Piece],
        plan: &mut Vec<(Choice, Landing)>,
    ) -> bool {
        let rows = self.remaining_rows(state);
        let Some((placed, _)) = place_within(movegen.rules(), state, choice, landing, rows) else {
            return false;
        };
        plan.push((*choice, landing));
        let found = self.descend(movegen, &placed.after, known, plan);
        if !found {
            plan.pop();
        }
        found
    }
}
