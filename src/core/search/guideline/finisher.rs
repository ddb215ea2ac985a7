//! Searches for a perfect finish of a Sprint: placements that fill the last rows and leave no cell.

use crate::piece::Piece;
use crate::rules::guideline::{Choice, GuidelineState, Hold, Landing, Landings, MoveGenerator};

use super::beam::{Beam, BeamPlayer};
use super::perfect_clears::{can_fill, fill};

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
    /// Largest number of states examined for each queue of pieces.
    budget: u32,
    /// Number of states that may still be examined.
    left: u32,
    /// Hash table with the keys of states from which no finish was found, for all queues.
    failed: Vec<u64>,
    /// Number mixed into the keys of states, different for each queue that is searched.
    queue: u64,
    lists: Vec<Landings>,
}

/// A placement, and the futures in which it may lead to a perfect finish.
struct FirstPlacement {
    root: u16,
    /// For each future, true if a state after the placement has a finish.
    has_finish: Vec<bool>,
}

impl FirstPlacement {
    /// Returns the number of futures with a finish. The placement with the largest number is
    /// played.
    fn worth(&self) -> usize {
        self.has_finish.iter().filter(|found| **found).count()
    }
}

/// Largest number of states after the known pieces from which [`Finisher::steer`] searches for a
/// finish.
const LEAVES: usize = 400;

/// Number of slots in the table of failed states, which takes half a megabyte.
///
/// A key may overwrite another. The overwritten state is then examined again if it recurs, within
/// the budget.
const SLOTS: usize = 1 << 16;

impl Finisher {
    /// Creates a finisher for games that end after `goal` rows. It examines at most `budget` states
    /// for each queue.
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

    /// Returns the number of pieces that a perfect finish from `state` takes, or `None` if the
    /// stack rules one out.
    #[must_use]
    pub fn pieces(&self, state: &GuidelineState) -> Option<u32> {
        let rows = self.goal.saturating_sub(state.lines);
        let cells = (10 * rows).checked_sub(state.matrix.cells())?;
        let fits = state.matrix.stack_height() as u32 <= rows && cells.is_multiple_of(4);
        fits.then_some(cells / 4)
    }

    /// Returns the placements of a perfect finish with the `known` pieces, or `None` if none is
    /// found within the budget. The first finish found is returned, because all take the same
    /// number of pieces.
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

    /// Clears the table of failed states and sets the budget for a search in `queues` queues.
    fn restart(&mut self, queues: usize) {
        self.failed.fill(0);
        self.left = self.budget.saturating_mul(queues as u32);
        self.queue = 0;
    }

    /// Returns the placement after which the most `futures` have a perfect finish, or `None` if no
    /// future has one. A future is a possible sequence of pieces after the known ones, so finishes
    /// longer than the known pieces are found.
    ///
    /// A beam of `LEAVES` states finds states after the known pieces, and each state is searched
    /// for a finish in every future. A future counts for a placement if any state that begins with
    /// the placement has a finish there. One state is enough, because later placements are chosen
    /// when more pieces are known.
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
        for (root, leaf) in player.leaves(state, known, Beam::new(LEAVES, depth)) {
            let is_whole = self.pieces(&leaf).is_some_and(|left| left as usize + depth == pieces);
            if !is_whole || !can_fill(&leaf.matrix, self.rows(&leaf)) {
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
        let best = firsts.iter().rev().max_by_key(|first| first.worth());
        player.root(best.filter(|first| first.worth() > 0)?.root)
    }

    /// Returns the number of rows still to remove before the game ends.
    fn rows(&self, state: &GuidelineState) -> usize {
        self.goal.saturating_sub(state.lines) as usize
    }

    /// Searches depth first for a finish from `state`, placing the known pieces in their order or
    /// through the hold. Returns true and extends `plan` by the finish if one is found. Remembers
    /// states without one.
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
            // The list is moved out and back, because the search below borrows all of `self`.
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
        // A state that fails because the budget is used up is stored too, and not examined again in
        // this search.
        self.failed[slot] = key;
        false
    }
}

impl Finisher {
    /// Places the piece of `choice` at `landing` and continues the search. Returns true if this
    /// leads to a perfect finish, whose placements are then appended to `plan`.
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
