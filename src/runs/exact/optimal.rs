//! Computes the best possible player of a small game by policy iteration (Howard 1960), and the
//! placements that a controller chooses by its definition.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::chain::{Chain, Edge, EdgeTarget, Solution, largest};
use super::universe::{Cache, PackedBoard, StateSpace};
use super::{ExactWatch, SmallGame};
use crate::controller::{Scorer, Tie};
use crate::error::setting::{BOARD, QUEUE};
use crate::placement::{Candidate, Placements};
use crate::prelude::*;
use crate::record::{ActionRow, BlockFile, EncoderPool, action_fields, columns, rows_of};
use crate::rules::Outcome;

tetrastat_core::names! {
    /// Quantity of a game that the best possible player maximises.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Goal as "goal" {
        /// Mean lines per game.
        Lines = "lines",
        /// Mean pieces per game.
        Pieces = "pieces",
    }
}

/// Best possible player of a small game: the Markov chain of its games and their exact results.
#[derive(Debug)]
pub struct Optimum {
    /// Markov chain of the best player's games.
    pub chain: Chain,
    /// Exact results of the best player's games; `None` if a player exists that never loses.
    pub solution: Option<Solution>,
    /// Number of rounds of policy iteration that found the best player.
    pub rounds: usize,
    pub(super) goal: Goal,
    pub(super) space: StateSpace,
    /// Mean lines or pieces that the best player still gets from each state; all 0 if some player
    /// never loses.
    pub(super) values: Vec<f64>,
}

/// Smallest relative improvement that counts in policy iteration, to ignore rounding errors.
const MIN_RELATIVE_GAIN: f64 = 1e-11;

impl Optimum {
    /// Computes the player of `game` with the largest mean of `goal`; fails above `limit` states.
    pub fn compute(
        game: &SmallGame,
        goal: Goal,
        limit: usize,
        watch: &ExactWatch,
    ) -> Result<Optimum> {
        let space = StateSpace::enumerate(game, limit, watch)?;
        let mut chain = space.first_choices();
        let mut values = vec![0.0; chain.states()];
        // A player that never loses has an infinite mean, and the linear system of that mean is
        // singular.
        if space.count_safe_states() > 0 {
            return Ok(Optimum { chain, solution: None, rounds: 0, goal, space, values });
        }
        // With all values 0, the first improvement selects the placements with the largest
        // immediate reward. This is a better start than the first choice everywhere.
        improve(&mut chain, &space, &values, goal);
        let mut rounds = 0;
        loop {
            // The previous values are a good guess, because few choices change in a round.
            values = chain.value(goal.reward(), values)?.x;
            rounds += 1;
            watch.rounds.store(rounds as u64, Ordering::Relaxed);
            if improve(&mut chain, &space, &values, goal) == 0 {
                break;
            }
        }
        Ok(Optimum { solution: chain.solve()?, chain, rounds, goal, space, values })
    }
}

impl Goal {
    fn reward(self) -> fn(Edge) -> f64 {
        match self {
            Goal::Lines => Edge::lines,
            Goal::Pieces => Edge::pieces,
        }
    }

    pub(super) fn value(self, edge: Edge, values: &[f64]) -> f64 {
        self.reward()(edge) + edge.state().map_or(0.0, |to| values[to])
    }
}

fn improve(chain: &mut Chain, space: &StateSpace, values: &[f64], goal: Goal) -> usize {
    let least_gain = least_gain(values);
    let value = |edge: Edge| goal.value(edge, values);
    chain.replace(|state, draw, chosen| {
        let best = space.choices(state, draw).map(|edge| (value(edge), edge));
        let best = best.reduce(|best, other| if other.0 > best.0 { other } else { best });
        match best {
            Some((worth, edge)) if worth > value(chosen) + least_gain => edge,
            _ => chosen,
        }
    })
}

pub(super) fn least_gain(values: &[f64]) -> f64 {
    MIN_RELATIVE_GAIN * largest(values).max(1.0)
}

/// Second implementation of a controller's choices of placements, to check the fast players.
pub(super) struct Chooser {
    rules: Rules,
    search: Search,
    tie: Tie,
    scorer: Scorer,
    placements: Placements,
    replies: Cache<(PackedBoard, usize), BestReplies>,
}

/// Best score that each next piece can reach after a placement; `None` if the piece ends the game.
type BestReplies = [Option<i64>; 7];

/// Rating of a placement: how many next pieces end the game (fewer are better), then the score.
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
            replies: Cache::default(),
        })
    }

    pub(super) fn sees_next(&self) -> bool {
        self.search == Search::Next
    }

    /// Returns the placement of `piece` with the best rating. The controller's tie rule, then the
    /// order of placements, decides between equal ratings.
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
                let replies = || self.best_replies(stack, &outcome.after);
                // The scores are cached by board, because most boards are reached from many other
                // boards, by each of seven pieces.
                self.replies.get((PackedBoard::from_board(&outcome.after), stack), replies)
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

    fn best_replies(&self, stack: usize, board: &Board) -> BestReplies {
        Piece::ALL.map(|piece| {
            let survivors = self.outcomes(board, piece).filter(|outcome| !outcome.lost);
            let measured = self.scorer.measured();
            let score = |o: Outcome| self.scorer.score(stack, o.board(measured), &o.played).total;
            survivors.map(score).max()
        })
    }
}

pub(super) type Move = (std::result::Result<PackedBoard, EdgeTarget>, u8);

pub(super) fn moved(outcome: &Outcome) -> Move {
    let to = if outcome.lost {
        Err(EdgeTarget::Lost)
    } else {
        Ok(PackedBoard::from_board(&outcome.after))
    };
    (to, outcome.played.lines)
}

/// Returns the results of all placements of `piece`, in the order that decides ties.
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

/// Returns Dellacherie's tie-breaking priority of a placement, from its distance to the spawn
/// column, its side and its turns (Fahey 2003).
fn priority(board: &Board, outcome: &Outcome) -> i32 {
    let pose = outcome.played.shape().fahey;
    let column = i32::from(outcome.played.candidate.placement.column);
    // The function of the search is not used here, because this code checks it.
    let spawn = board.width() as i32 / 2;
    let origin = column + i32::from(pose.origin_column);
    let left = if origin < spawn { 10 } else { 0 };
    100 * (origin - spawn).abs() + left - i32::from(pose.turns)
}

const BLOCK: usize = 128;

impl Optimum {
    /// Writes a table with the exact value of every placement on all reachable boards, and returns
    /// the number of rows. Fails if some player never loses.
    pub fn write_action_values(&self, to: (&Path, LogFormat), watch: &ExactWatch) -> Result<u64> {
        if self.solution.is_none() {
            return Err(Error::Config(format!(
                "a player exists that never loses, so placements have no finite values: give \
                 another {BOARD} or {QUEUE}"
            )));
        }
        let fields = action_fields();
        let encoders = EncoderPool::new(rayon::current_num_threads())?;
        let mut file = BlockFile::create(to.0, to.1, &columns(&fields), &encoders, 0)?;
        let least_gain = least_gain(&self.values);
        let boards = self.space.sorted_boards();
        let rows = |&board: &u32| rows_of(&fields, &self.actions(board, least_gain));
        for (block, numbers) in boards.chunks(BLOCK).enumerate() {
            watch.update(block * BLOCK, boards.len());
            for part in numbers.par_iter().map(rows).collect::<Vec<_>>() {
                // All rows count as one game, because nothing resumes this table.
                file.push(0, RowSlice::new(part))?;
            }
        }
        file.end_games(1);
        let (summary, problem) = file.finish()?;
        problem.map_or(Ok(summary.rows), Err)
    }

    fn actions(&self, board: u32, least_gain: f64) -> Vec<ActionRow> {
        let (mut rows, before) = (Vec::new(), self.space.board(board));
        for (piece, outcomes) in self.space.outcomes(board) {
            for queue_state in self.space.contexts_after(board, piece) {
                let value = |outcome: &Outcome| {
                    self.goal.value(self.space.edge(outcome, queue_state), &self.values)
                };
                let best = outcomes.iter().map(value).fold(0.0, f64::max);
                rows.extend(outcomes.iter().map(|&outcome| {
                    let value = value(&outcome);
                    let regret = if value < best - least_gain { best - value } else { 0.0 };
                    ActionRow { before, piece, queue_state, outcome, value, regret }
                }));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::controller::PRESETS;
    use crate::queue::QueueKind;
    use crate::rules::Rules;
    use crate::search::Search;

    const STATE_LIMIT: usize = 1_000_000;

    fn game(board: &str, queue: QueueKind) -> SmallGame {
        let start = Board::empty(board.parse().unwrap());
        SmallGame { rules: Rules::simplified(), start, queue }
    }

    fn best(game: &SmallGame, goal: Goal) -> Solution {
        Optimum::compute(game, goal, STATE_LIMIT, &ExactWatch::default()).unwrap().solution.unwrap()
    }

    // Expected values from `python3 tests/oracles/exact.py 4x4 optimal`.
    #[test]
    fn the_best_of_4x4_is_that_of_the_oracle() {
        let four = game("4x4", QueueKind::Uniform);
        let optimum =
            Optimum::compute(&four, Goal::Lines, STATE_LIMIT, &ExactWatch::default()).unwrap();
        assert_eq!(optimum.chain.states(), 2582);
        let lines = optimum.solution.unwrap().lines.mean;
        assert!((lines - 7.066942464771642).abs() < 1e-12, "{lines}");
        let pieces = best(&four, Goal::Pieces).pieces.mean;
        assert!((pieces - 10.38155648626271).abs() < 1e-12, "{pieces}");
    }

    #[test]
    #[ignore = "long: 6 s"]
    fn long_no_preset_beats_the_optimum() {
        let five = game("4x5", QueueKind::Uniform);
        let most = best(&five, Goal::Lines).lines.mean;
        let presets = PRESETS.iter().map(|preset| preset.controller().unwrap());
        for controller in presets.filter(|own| own.check(five.start.size()).is_ok()) {
            let chain = Chain::build(
                &five,
                &controller,
                Search::Greedy,
                STATE_LIMIT,
                &ExactWatch::default(),
            )
            .unwrap();
            let lines = chain.solve().unwrap().unwrap().lines.mean;
            assert!(lines <= most + 1e-9, "{}: {lines} of {most}", controller.name);
        }
    }

    // Two squares fit side by side, so the fifth overflows a board of height 4.
    #[test]
    fn squares_on_five_columns_by_hand() {
        let squares = game("5x4", QueueKind::script("O", true).unwrap());
        let solution = best(&squares, Goal::Pieces);
        assert_eq!((solution.pieces.mean, solution.pieces.sd), (5.0, 0.0));
        assert_eq!(best(&squares, Goal::Lines).lines.mean, 0.0);
    }

    #[test]
    fn squares_on_four_columns_go_on_for_ever() {
        let squares = game("4x4", QueueKind::script("O", true).unwrap());
        assert!(
            Optimum::compute(&squares, Goal::Lines, STATE_LIMIT, &ExactWatch::default())
                .unwrap()
                .solution
                .is_none()
        );
    }

    #[test]
    fn too_many_states_are_refused() {
        let bag = game("4x4", QueueKind::Bag);
        let error = Optimum::compute(&bag, Goal::Lines, 1000, &ExactWatch::default()).unwrap_err();
        assert!(error.to_string().contains("1000 states on 4x4 with queue bag"), "{error}");
    }
}
