//! The perfect finish of a Sprint: placements that fill the last rows and leave nothing.

use crate::piece::Piece;
use crate::rules::guideline::{Choice, GuidelineState, Hold, Landing, Landings, MoveGenerator};

use super::beam::{Beam, BeamPlayer};
use super::perfect_clears::{can_fill, fill};

/// Searches for perfect finishes: a Sprint ends in the fewest pieces when its last one leaves nothing.
pub struct Finisher {
    goal: u32,
    /// States looked at before giving up, for each queue.
    budget: u32,
    /// States that may still be looked at.
    left: u32,
    /// Keys of states from which there is no finish, of one queue and others.
    failed: Vec<u64>,
    /// Tells the queue of this search from others.
    queue: u64,
    lists: Vec<Landings>,
}

/// A placement, and in which futures it may lead to a perfect finish.
struct Hope {
    root: u16,
    /// For each future, whether any of the states that it leads to has one.
    of: Vec<bool>,
}

impl Hope {
    /// How many futures it serves: the placement that serves the most is played.
    fn worth(&self) -> usize {
        self.of.iter().filter(|found| **found).count()
    }
}

/// States from which a finish is looked for in the futures of the queue.
const LEAVES: usize = 400;

/// Slots of the table of failures, half a megabyte.
///
/// A search looks at no more states than its budget, and what is overwritten is only looked at again.
const SLOTS: usize = 1 << 16;

impl Finisher {
    /// A finisher of games that end with `goal` rows; it gives up after so many states.
    #[must_use]
    pub fn new(goal: u32, budget: u32) -> Finisher {
        Finisher {
            goal,
            budget,
            left: 0,
            failed: vec![0; SLOTS],
            queue: 0,
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

    /// Forgets all that was looked at, for a search in so many queues.
    fn restart(&mut self, queues: usize) {
        self.failed.fill(0);
        self.left = self.budget.saturating_mul(queues as u32);
        self.queue = 0;
    }

    /// The placement after which a perfect finish is likeliest, though it takes more pieces than are known; `None` when
    /// none was found in any of the `futures`, each what may be dealt after the known pieces.
    ///
    /// A beam of `LEAVES` states leads to the states that the known pieces may come to, and from each the finish is
    /// searched for in every future. A placement counts by the futures in which any of its states has one: what is played
    /// after it is chosen by pieces that are seen by then.
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
        let mut hopes: Vec<Hope> = Vec::new();
        let mut plan = Vec::new();
        for (root, leaf) in player.leaves(state, known, Beam::new(LEAVES, depth)) {
            let is_whole = self.pieces(&leaf).is_some_and(|left| left as usize + depth == pieces);
            if !is_whole || !can_fill(&leaf.matrix, self.rows(&leaf)) {
                continue;
            }
            let known_root = hopes.iter().position(|hope| hope.root == root);
            let at = known_root.unwrap_or_else(|| {
                hopes.push(Hope { root, of: vec![false; queues.len()] });
                hopes.len() - 1
            });
            for (index, queue) in queues.iter().enumerate() {
                if hopes[at].of[index] {
                    continue;
                }
                self.queue = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                plan.clear();
                hopes[at].of[index] = self.descend(&movegen, &leaf, queue, &mut plan);
            }
        }
        // Of equals the one that the beam likes best, which it named first.
        let best = hopes.iter().rev().max_by_key(|hope| hope.worth());
        player.root(best.filter(|hope| hope.worth() > 0)?.root)
    }

    /// Rows that are still to be cleared.
    fn rows(&self, state: &GuidelineState) -> usize {
        self.goal.saturating_sub(state.lines) as usize
    }

    /// Looks for a finish from a state, depth first, the known pieces in their order or through the hold; what was
    /// found stands in `plan`, and a state that fails is remembered.
    fn descend(
        &mut self,
        movegen: &MoveGenerator,
        state: &GuidelineState,
        known: &[Piece],
        plan: &mut Vec<(Choice, Landing)>,
    ) -> bool {
        let rows = self.goal.saturating_sub(state.lines) as usize;
        if rows == 0 {
            return true;
        }
        let key = (state.key() ^ self.queue) | 1;
        let slot = (key >> 40) as usize % SLOTS;
        if self.failed[slot] == key || self.left == 0 {
            return false;
        }
        self.left -= 1;
        let rules = *movegen.rules();
        let depth = plan.len();
        for choice in state.choices(&rules, known).into_iter().flatten() {
            // Taken out and put back, since the search below borrows all of `self`.
            let mut list = std::mem::take(&mut self.lists[depth]);
            movegen.landings(&state.matrix, choice.piece, &mut list);
            let filled = (0..list.len())
                .filter_map(|index| list.get(index))
                .any(|landing| self.try_out(movegen, state, &choice, landing, known, plan));
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
        movegen: &MoveGenerator,
        state: &GuidelineState,
        choice: &Choice,
        landing: Landing,
        known: &[Piece],
        plan: &mut Vec<(Choice, Landing)>,
    ) -> bool {
        let rows = self.goal.saturating_sub(state.lines) as usize;
        let Some((placed, _)) = fill(movegen.rules(), state, choice, landing, rows) else {
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
