//! Facts of a guideline game so far, from which the record of its next placement is completed.

use serde::{Deserialize, Serialize};

use super::games::GuidelineGameRow;
use super::placements::GuidelinePlacement;
use crate::piece::Piece;
use crate::rules::guideline::{Choice, GuidelineState, InputPath, Landing, MAX_PREVIEWS, Placed};
use crate::search::guideline::SearchResult;

/// Placement chosen by a search, a plan or a person, with its effect.
#[derive(Clone, Debug)]
pub struct ChosenPlacement {
    /// Placed piece, with the hold afterwards.
    pub choice: Choice,
    /// Final position of the piece, with its spin.
    pub landing: Landing,
    /// Effect of the placement.
    pub placed: Placed,
    /// Result of the search; `None` for a placement of a plan or of a person.
    pub found: Option<SearchResult>,
    /// True if the placement is of a perfect finish that was planned before.
    pub planned: bool,
    /// Best placement, if a policy drew another one: its landing, and true if it uses the hold.
    pub best: Option<(Landing, bool)>,
}

/// Totals and counters of a guideline game after its last placement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuidelineHistory {
    /// Result of the game so far.
    pub row: GuidelineGameRow,
    /// Number of pieces since the last I; before the first I, since the start of the game.
    since_i: u32,
    dealt: QueueNumbers,
}

impl GuidelineHistory {
    /// Creates the history of a game before its first placement.
    #[must_use]
    pub fn new(row: GuidelineGameRow) -> GuidelineHistory {
        GuidelineHistory { row, since_i: 0, dealt: QueueNumbers::default() }
    }

    /// Adds a placement that is made in `state` and locks at `time_us` microseconds, and returns
    /// its record. `path` has the inputs, and `next` the visible pieces after the placement.
    pub fn record(
        &mut self,
        state: &GuidelineState,
        chosen: ChosenPlacement,
        path: InputPath,
        time_us: u64,
        next: [Option<Piece>; MAX_PREVIEWS],
    ) -> GuidelinePlacement {
        let ChosenPlacement { choice, landing, placed, found, planned, best } = chosen;
        self.since_i = if landing.piece == Piece::I { 0 } else { self.since_i + 1 };
        self.row.time_us = time_us;
        self.row.count(choice.held, &placed, &path, planned);
        GuidelinePlacement {
            game: self.row.game,
            stream_seed: self.row.stream_seed,
            piece_no: self.row.pieces,
            time_us,
            landing,
            choice,
            hold_before: state.hold,
            next,
            since_i: self.since_i,
            dealt: self.dealt.place(&choice),
            before: state.combo_state,
            placed,
            path,
            found,
            best,
            score: self.row.points.total(),
            attack_total: self.row.attack,
            garbage: self.row.garbage_left,
        }
    }
}

/// Numbers, from 1, of the pieces that the queue has dealt and of the piece in the hold.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct QueueNumbers {
    taken: u64,
    /// Number of the piece in the hold; 0 if the hold is empty.
    held: u64,
}

impl QueueNumbers {
    /// Returns the number of the piece that `choice` places.
    fn place(&mut self, choice: &Choice) -> u64 {
        let current = self.taken + 1;
        self.taken += u64::from(choice.taken);
        match (choice.held, choice.taken) {
            (false, _) => current,
            // The held piece is placed, and the current piece enters the hold with its number.
            (true, 1) => std::mem::replace(&mut self.held, current),
            (true, _) => {
                self.held = current;
                current + 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guideline::Hold;

    /// Piece 1; then 3, while 2 enters the empty hold; then 2 from the hold, while 4 enters it;
    /// then 5.
    #[test]
    fn numbers_in_the_queue_by_hand() {
        let mut dealt = QueueNumbers::default();
        let mut place =
            |held, taken| dealt.place(&Choice { piece: Piece::T, held, hold: Hold::Empty, taken });
        assert_eq!(
            [place(false, 1), place(true, 2), place(true, 1), place(false, 1)],
            [1, 3, 2, 5]
        );
        assert_eq!(place(true, 1), 4);
    }
}
