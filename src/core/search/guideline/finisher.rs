//! The perfect finish of a Sprint: placements that fill the last rows and leave nothing.

use crate::piece::Piece;
use crate::rules::guideline::{
    Choice, GuidelineState, Hold, Landing, Landings, Matrix, MoveGenerator,
};

use super::beam::key;

/// Searches for perfect finishes: a Sprint ends in the fewest pieces when its last one leaves nothing.
pub struct Finisher {
    goal: u32,
    /// States looked at before giving up.
    budget: u32,
    used: u32,
    /// Keys of states that lead to no finish, each in one slot: a later one takes the place of an earlier.
    failed: Vec<u64>,
    /// One list of landings for each depth.
    lists: Vec<Landings>,
}

/// Slots of the table of failures.
/// Half a megabyte: a search looks at no more states than its budget, and what is overwritten is only looked at
/// again.
const SLOTS: usize = 1 << 16;

impl Finisher {
    /// A finisher of games that end with `goal` rows; it gives up after so many states.
    #[must_use]
    pub fn new(goal: u32, budget: u32) -> Finisher {
        Finisher {
            goal,
            budget,
            used: 0,
            failed: vec![0; SLOTS],
            lists: vec![Landings::default(); 24],
        }
    }

    /// Pieces that a perfect finish takes, if the stack still allows one.
    #[must_use]
    pub fn pieces(&self, state: &GuidelineState) -> Option<u32> {
        let rows = self.goal.saturating_sub(state.lines);
        let cells = (10 * rows).checked_sub(state.matrix.cells())?;
        let fits = state.matrix.stack_height() as u32 <= rows && cells.is_multiple_of(4);
        fits.then_some(cells / 4)
    }

    /// The placements of a perfect finish with the known pieces, if one was found within the
    /// budget. First found is first played: all take the same number of pieces.
    pub fn find(
        &mut self,
        reach: &MoveGenerator,
        state: &GuidelineState,
        known: &[Piece],
    ) -> Option<Vec<(Choice, Landing)>> {
        let pieces = self.pieces(state)? as usize;
        let most = known.len() + usize::from(state.hold != Hold::Empty);
        if pieces == 0 || pieces > most || pieces > self.lists.len() {
            return None;
        }
        // Emptied, since what failed with other known pieces need not fail with these.
        self.failed.fill(0);
        self.used = 0;
        let mut plan = Vec::new();
        let start = GuidelineState { taken: 0, ..*state };
        self.descend(reach, &start, known, &mut plan).then_some(plan)
    }

    /// Whether a perfect finish is reached from a state, whose placements then stand in `plan`. Depth first, so
    /// that the first that is found is played.
    fn descend(
        &mut self,
        reach: &MoveGenerator,
        state: &GuidelineState,
        known: &[Piece],
        plan: &mut Vec<(Choice, Landing)>,
    ) -> bool {
        let rows = self.goal.saturating_sub(state.lines) as usize;
        if rows == 0 {
            return true;
        }
        // Never 0, which an empty slot has. Two states with one key would cost a finish, never a wrong one.
        let key = key(state) | 1;
        let slot = (key >> 40) as usize % SLOTS;
        if self.failed[slot] == key || self.used >= self.budget {
            return false;
        }
        self.used += 1;
        let rules = *reach.rules();
        let depth = plan.len();
        for choice in state.choices(&rules, known).into_iter().flatten() {
            // Taken out and put back, since the search below borrows all of `self`.
            let mut list = std::mem::take(&mut self.lists[depth]);
            reach.landings(&state.matrix, choice.piece, &mut list);
            let filled = (0..list.len())
                .filter_map(|index| list.get(index))
                .any(|landing| self.try_out(reach, state, &choice, landing, known, plan));
            self.lists[depth] = list;
            if filled {
                return true;
            }
        }
        // Also where the budget ran out below: it is not looked at again within this search.
        self.failed[slot] = key;
        false
    }
}

impl Finisher {
    /// Whether this landing leads to a perfect finish, which then stands in the plan.
    fn try_out(
        &mut self,
        reach: &MoveGenerator,
        state: &GuidelineState,
        choice: &Choice,
        landing: Landing,
        known: &[Piece],
        plan: &mut Vec<(Choice, Landing)>,
    ) -> bool {
        let rows = self.goal.saturating_sub(state.lines) as usize;
        // A cell above the last rows would be left over.
        if landing.cells().iter().any(|&(_, y)| y >= rows) {
            return false;
        }
        let placed = state.place(reach.rules(), choice, landing);
        if !can_fill(&placed.after.matrix, rows - usize::from(placed.clear.lines)) {
            return false;
        }
        plan.push((*choice, landing));
        let found = self.descend(reach, &placed.after, known, plan);
        if !found {
            plan.pop();
        }
        found
    }
}

/// Whether the empty cells below a row may be filled by whole pieces: between walls without a gap
/// in any row, their number is a multiple of four. (A piece that crosses from one column to the
/// next has cells of both in one row, and rows stay whole.)
fn can_fill(matrix: &Matrix, rows: usize) -> bool {
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
