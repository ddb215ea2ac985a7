//! A controller, rules and a search, ready to choose placements.

use std::cmp::Ordering;

use super::{Search, Value};
use crate::board::{Board, BoardSize};
use crate::controller::{Controller, Measured, Score, Scorer, Tie};
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::{Candidate, Placements};
use crate::rules::{Outcome, Rules};

/// A chosen placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it leads to.
    pub outcome: Outcome,
    /// Its value under the search.
    pub value: Value,
    /// The value of the best other placement, if there is another.
    pub runner_up: Option<Value>,
    /// Placements there were.
    pub candidates: usize,
}

impl Decision {
    /// Its score in units, or `None` when it loses or every answer to it does.
    #[must_use]
    pub fn score(&self, scale: f64) -> Option<f64> {
        self.value.score(scale)
    }

    /// How much better than the runner-up, in units; `None` when that has no comparable score.
    #[must_use]
    pub fn margin(&self, scale: f64) -> Option<f64> {
        self.runner_up.and_then(|other| self.value.margin(other, scale))
    }
}

/// A placement with its value, for explanations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// What it leads to.
    pub outcome: Outcome,
    /// Its value under the search.
    pub value: Value,
}

/// Chooses placements. One per thread: it keeps its buffers.
#[derive(Clone, Debug)]
pub struct Player {
    rules: Rules,
    search: Search,
    tie: Tie,
    scorer: Scorer,
    placements: Placements,
    ranked: Vec<Ranked>,
    candidates: Vec<Candidate>,
    answers: Vec<Candidate>,
}

impl Player {
    /// A player for boards of one size.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] when the controller does not fit the board.
    pub fn new(
        controller: &Controller,
        rules: Rules,
        search: Search,
        size: BoardSize,
    ) -> Result<Player> {
        Ok(Player {
            rules,
            search,
            tie: controller.tie,
            scorer: Scorer::new(controller, size)?,
            placements: Placements::new(size.width()),
            ranked: Vec::new(),
            candidates: Vec::new(),
            answers: Vec::new(),
        })
    }

    /// The controller's scores.
    #[must_use]
    pub fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    /// Chooses a placement, or `None` when the piece cannot enter. Without a known next piece
    /// `next` plays greedily.
    pub fn decide(&mut self, board: &Board, piece: Piece, next: Option<Piece>) -> Option<Decision> {
        self.rank(board, piece, next);
        let mut chosen = None;
        for (index, ranked) in self.ranked.iter().enumerate() {
            if chosen.is_none_or(|best: usize| self.beats(ranked, &self.ranked[best])) {
                chosen = Some(index);
            }
        }
        let chosen = chosen?;
        let others = self.ranked.iter().enumerate().filter(|(index, _)| *index != chosen);
        Some(Decision {
            outcome: self.ranked[chosen].outcome,
            value: self.ranked[chosen].value,
            runner_up: others.map(|(_, ranked)| ranked.value).max(),
            candidates: self.ranked.len(),
        })
    }

    /// Every placement of a piece with its value, in tie order.
    pub fn rank(&mut self, board: &Board, piece: Piece, next: Option<Piece>) -> &[Ranked] {
        self.rules.candidates(&self.placements, board, piece, &mut self.candidates);
        self.ranked.clear();
        for index in 0..self.candidates.len() {
            let outcome = self.rules.play(board, piece, self.candidates[index]);
            let value = self.value(&outcome, next);
            self.ranked.push(Ranked { outcome, value });
        }
        &self.ranked
    }

    /// The board that the controller measures after a placement.
    #[must_use]
    pub fn measured_board<'a>(&self, outcome: &'a Outcome) -> &'a Board {
        match self.scorer.measured() {
            Measured::BeforeClear => &outcome.before,
            Measured::AfterClear => &outcome.after,
        }
    }

    fn score(&self, outcome: &Outcome) -> Score {
        self.scorer.score(self.measured_board(outcome), &outcome.played)
    }

    fn value(&mut self, outcome: &Outcome, next: Option<Piece>) -> Value {
        if outcome.lost {
            return Value::LOST;
        }
        let score = self.score(outcome);
        let answered = match (self.search, &next) {
            (Search::Expect, _) => &Piece::ALL[..],
            (Search::Next, Some(next)) => std::slice::from_ref(next),
            (Search::Greedy, _) | (Search::Next, None) => return Value::of_score(score.total),
        };
        let mut value = Value { unanswered: 0, answered: 0, sum: 0 };
        for &piece in answered {
            match self.best_answer(&outcome.after, piece) {
                Some(answer) => {
                    value.answered += 1;
                    value.sum += score.earned + answer;
                }
                None => value.unanswered += 1,
            }
        }
        if value.answered == 0 {
            value.sum = score.total;
        }
        value
    }

    /// The best score of a piece's placements that survive, if any does.
    fn best_answer(&mut self, board: &Board, piece: Piece) -> Option<i64> {
        self.rules.candidates(&self.placements, board, piece, &mut self.answers);
        let outcomes = self.answers.iter().map(|&answer| self.rules.play(board, piece, answer));
        outcomes.filter(|outcome| !outcome.lost).map(|outcome| self.score(&outcome).total).max()
    }

    fn beats(&self, challenger: &Ranked, best: &Ranked) -> bool {
        match (challenger.value.cmp(&best.value), self.tie) {
            (Ordering::Greater, _) => true,
            (Ordering::Equal, Tie::Dellacherie) => priority(challenger) > priority(best),
            _ => false,
        }
    }
}

/// Dellacherie's priority among equal ratings (Fahey 2003): 100 per column between the origin and
/// the spawn column, 10 on its left, less 1 per turn.
fn priority(ranked: &Ranked) -> i32 {
    let Outcome { played, after, .. } = &ranked.outcome;
    let pose = played.shape().fahey;
    let origin = i32::from(played.candidate.placement.column) + i32::from(pose.origin_column);
    let from_spawn = origin - crate::rules::spawn_column(after.width()) as i32;
    100 * from_spawn.abs() + 10 * i32::from(from_spawn < 0) - i32::from(pose.turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str, search: Search, size: BoardSize) -> Player {
        Player::new(&Controller::load(name).unwrap(), Rules::simplified(), search, size).unwrap()
    }

    fn board(picture: &str) -> Board {
        picture.parse().unwrap()
    }

    #[test]
    fn greedy_takes_the_first_of_equal_scores() {
        let empty = Board::empty(BoardSize::new(10, 20).unwrap());
        let mut dellacherie = player("dellacherie", Search::Greedy, empty.size());
        let first = dellacherie.decide(&empty, Piece::O, None).unwrap();
        assert_eq!(first.outcome.played.candidate.placement.column, 0);
        assert_eq!(first.runner_up, Some(first.value), "the right corner scores the same");
        assert_eq!(first.candidates, 9);
    }

    /// Origin columns 1 and 9 of the O, spawn column 5: distances 4 and 4, the left side wins.
    #[test]
    fn dellacherie_prefers_the_left_of_two_equal_corners() {
        let empty = Board::empty(BoardSize::new(10, 20).unwrap());
        let controller =
            Controller { tie: Tie::Dellacherie, ..Controller::load("dellacherie").unwrap() };
        let mut player =
            Player::new(&controller, Rules::simplified(), Search::Greedy, empty.size()).unwrap();
        let o = player.decide(&empty, Piece::O, None).unwrap();
        assert_eq!(o.outcome.played.candidate.placement.column, 0);
        // The flat I's origin is its third cell: columns 2 and 8, distances 3 and 3.
        let i = player.decide(&empty, Piece::I, None).unwrap();
        assert_eq!(i.outcome.played.candidate.placement.column, 0);
    }

    #[test]
    fn a_losing_placement_is_chosen_only_when_all_lose() {
        let tall = board("####/###./###./###./###.").with(3, 0);
        let walls = board("..../..../#.##/#.##/#.##");
        let mut bcts = player("bcts", Search::Greedy, walls.size());
        assert!(!bcts.decide(&walls, Piece::O, None).unwrap().outcome.lost);
        let mut bcts = player("bcts", Search::Greedy, tall.size());
        let forced = bcts.decide(&tall, Piece::L, None).unwrap();
        assert!(forced.outcome.lost);
        assert_eq!(forced.outcome.played.candidate.placement.orientation, 0);
        assert_eq!(forced.value.score(1.0), None);
    }

    /// Two upright I columns and a gap: only an I in the gap clears. Knowing that an I comes next
    /// the O must stay off the gap.
    #[test]
    fn next_keeps_what_both_pieces_earn() {
        let size = BoardSize::new(4, 12).unwrap();
        let start = Board::from_rows(size, &[0b0111, 0b0111, 0b0111, 0b0111]).unwrap();
        let mut next = player("lee", Search::Next, size);
        let ranked = next.rank(&start, Piece::I, Some(Piece::O)).to_vec();
        let tetris = ranked.iter().find(|r| r.outcome.played.lines == 4).unwrap();
        // By hand: four rows earn 4 x 0.760666; then the O on the floor of an empty board has
        // aggregate height 4, no holes, bumpiness 2.
        let expected = 4.0 * 0.760666 - 4.0 * 0.510066 - 2.0 * 0.184483;
        let score = tetris.value.score(next.scorer().scale()).unwrap();
        assert!((score - expected).abs() < 1e-9, "{score} {expected}");
        let chosen = next.decide(&start, Piece::I, Some(Piece::O)).unwrap();
        assert_eq!(chosen.outcome.played.lines, 4);
    }

    #[test]
    fn expect_is_the_mean_of_next_over_the_seven_pieces() {
        let start =
            board("......../......../......../......../......../#......./##..###./###.####");
        let size = start.size();
        let mut expect = player("bcts", Search::Expect, size);
        let mut next = player("bcts", Search::Next, size);
        for piece in Piece::ALL {
            let means = expect.rank(&start, piece, None).to_vec();
            let mut sums = vec![0; means.len()];
            for answer in Piece::ALL {
                for (sum, ranked) in sums.iter_mut().zip(next.rank(&start, piece, Some(answer))) {
                    *sum += ranked.value.sum;
                }
            }
            let means: Vec<i64> = means.iter().map(|ranked| ranked.value.sum).collect();
            assert_eq!(means, sums);
        }
    }

    #[test]
    fn when_every_answer_loses_the_least_bad_first_placement_is_played() {
        let tall = board("..../#.##/#.##/#.##/#.##");
        let mut next = player("bcts", Search::Next, tall.size());
        let chosen = next.decide(&tall, Piece::I, Some(Piece::O)).unwrap();
        assert!(!chosen.outcome.lost);
        let nearly_lost = board("..../#.../#.../##.#/##.#");
        let mut next = player("bcts", Search::Next, nearly_lost.size());
        let chosen = next.decide(&nearly_lost, Piece::O, Some(Piece::I)).unwrap();
        assert!(!chosen.outcome.lost);
    }
}
