//! Chooses placements by the scalar features and the definition of the search alone, without the
//! player's code.

use std::cmp::Reverse;

use super::chain::EdgeTarget;
use super::memo::Memo;
use super::packed::Packed;
use crate::board::{Board, BoardSize};
use crate::controller::{Controller, Scorer, Tie};
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::{Candidate, Placements};
use crate::rules::{Outcome, Rules};
use crate::search::Search;

/// A controller with its search, implemented directly from the definitions in [`crate::search`].
pub(super) struct Chooser {
    rules: Rules,
    search: Search,
    tie: Tie,
    scorer: Scorer,
    placements: Placements,
    /// Cache of the best scores of the next piece, by board and by the stack height that selects
    /// the weights.
    answers: Memo<(Packed, usize), BestReplies>,
}

/// Best score of each of the seven pieces on a board, over the placements that do not end the game.
/// `None` if there are none.
type BestReplies = [Option<i64>; 7];

/// Rating of a placement; a greater rating is better. It compares first the number of next pieces
/// without a surviving placement, fewer being better, then the score.
type Rating = (Reverse<u8>, i64);

const LOST: Rating = (Reverse(u8::MAX), 0);

impl Chooser {
    pub(super) fn new(
        controller: &Controller,
        rules: Rules,
        search: Search,
        size: BoardSize,
    ) -> Result<Chooser> {
        Ok(Chooser {
            rules,
            search,
            tie: controller.tie,
            scorer: Scorer::new(controller, size)?,
            placements: Placements::new(size.width()),
            answers: Memo::default(),
        })
    }

    pub(super) fn sees_next(&self) -> bool {
        self.search == Search::Next
    }

    /// Returns the placement with the best rating, the first one of equals. Returns `None` if the
    /// piece cannot enter the board.
    pub(super) fn choose(&self, board: &Board, piece: Piece, next: Piece) -> Option<Outcome> {
        let mut best: Option<(Rating, i32, Outcome)> = None;
        for outcome in self.outcomes(board, piece) {
            let rating = self.rating(board.stack_height(), &outcome, next);
            let priority = match self.tie {
                Tie::Dellacherie if rating != LOST => priority(board, &outcome),
                _ => 0,
            };
            // The comparison is strict, so the first of equally good placements is chosen.
            if best.as_ref().is_none_or(|best| (rating, priority) > (best.0, best.1)) {
                best = Some((rating, priority, outcome));
            }
        }
        best.map(|best| best.2)
    }

    fn outcomes(&self, board: &Board, piece: Piece) -> impl Iterator<Item = Outcome> {
        outcomes(&self.rules, &self.placements, board, piece).into_iter()
    }

    /// Returns the rating of a placement by the search. `stack` is the stack height before it.
    /// `next` has an effect only if the search knows the next piece.
    fn rating(&self, stack: usize, outcome: &Outcome, next: Piece) -> Rating {
        if outcome.lost {
            return LOST;
        }
        let measured = outcome.board(self.scorer.measured());
        let own = self.scorer.score(stack, measured, &outcome.played);
        let all = match self.search {
            Search::Greedy => return (Reverse(0), own.total),
            Search::Next | Search::Expect => {
                // All heights from the last one on share one set of weights. Limiting `stack`
                // avoids separate cache entries for them.
                let stack = stack.min(self.scorer.last_height());
                let answers = || self.answers(stack, &outcome.after);
                // The scores are cached by board, because most boards are reached from many other
                // boards, by each of seven pieces.
                self.answers.get((Packed::of(&outcome.after), stack), answers)
            }
        };
        let known = [all[next.index()]];
        let asked = if self.sees_next() { &known[..] } else { &all[..] };
        let answered: Vec<i64> = asked.iter().copied().flatten().collect();
        let unanswered = Reverse((asked.len() - answered.len()) as u8);
        if answered.is_empty() {
            return (unanswered, own.total);
        }
        (unanswered, answered.iter().map(|answer| own.reward + answer).sum())
    }

    /// Returns the best score of each piece on `board`, over the placements that do not end the
    /// game. `stack` is the stack height that selects the weights.
    fn answers(&self, stack: usize, board: &Board) -> BestReplies {
        Piece::ALL.map(|piece| {
            let survivors = self.outcomes(board, piece).filter(|outcome| !outcome.lost);
            let measured = self.scorer.measured();
            let score = |o: Outcome| self.scorer.score(stack, o.board(measured), &o.played).total;
            survivors.map(score).max()
        })
    }
}

/// Result of a placement: the board after it, or the way in which the game ended, and the number of
/// removed rows.
pub(super) type Move = (std::result::Result<Packed, EdgeTarget>, u8);

pub(super) fn moved(outcome: &Outcome) -> Move {
    let to = if outcome.lost { Err(EdgeTarget::Lost) } else { Ok(Packed::of(&outcome.after)) };
    (to, outcome.played.lines)
}

/// Returns the outcomes of all placements of `piece` on `board`, in the order that decides ties.
pub(super) fn outcomes(
    rules: &Rules,
    placements: &Placements,
    board: &Board,
    piece: Piece,
) -> Vec<Outcome> {
    let mut candidates: Vec<Candidate> = Vec::new();
    rules.candidates(placements, board, piece, &mut candidates);
    candidates.into_iter().map(|candidate| rules.play(board, piece, candidate)).collect()
}

/// Returns Dellacherie's priority of a placement (Fahey 2003). It is 100 for each column between
/// the piece's origin and the spawn column, minus 1 for each turn. An origin left of the spawn
/// column adds 10.
fn priority(board: &Board, outcome: &Outcome) -> i32 {
    let pose = outcome.played.shape().fahey;
    let column = i32::from(outcome.played.candidate.placement.column);
    // The function of the search is not used here, because this code checks it.
    let spawn = board.width() as i32 / 2;
    let origin = column + i32::from(pose.origin_column);
    let left = if origin < spawn { 10 } else { 0 };
    100 * (origin - spawn).abs() + left - i32::from(pose.turns)
}
