//! Computes the best possible player, which knows the board, the current piece and the state of the
//! queue.
//!
//! The method is policy iteration (Howard 1960). Each round computes the exact values of a policy.
//! It then replaces every choice for which another choice has a greater value. The rounds end when
//! no choice changes.

use std::sync::atomic::Ordering;

use super::chain::{Chain, Edge};
use super::linear::largest;
use super::moments::Solution;
use super::universe::StateSpace;
use super::{ExactWatch, SmallGame};
use crate::error::Result;

tetrastat_core::names! {
    /// Quantity that the best player maximises.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Goal as "goal" {
        /// Mean lines per game.
        Lines = "lines",
        /// Mean pieces per game.
        Pieces = "pieces",
    }
}

/// The best possible player of a game: its chain and its results.
#[derive(Debug)]
pub struct Optimum {
    /// Markov chain of the best player's games.
    pub chain: Chain,
    /// Exact results of the best player's games; `None` if a player exists that never loses.
    pub solution: Option<Solution>,
    /// Number of rounds of policy iteration.
    pub rounds: usize,
    pub(super) goal: Goal,
    pub(super) space: StateSpace,
    /// Value of every state for the best player; 0 if `solution` is `None`.
    pub(super) values: Vec<f64>,
}

/// Smallest improvement, relative to the largest value of any state, for which a choice is
/// replaced. Without it, rounding could make two equal choices replace each other forever.
const GAIN: f64 = 1e-11;

impl Optimum {
    /// Computes the player with the largest mean of `goal` per game.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if there are more than `limit` states, or if the game has no
    /// finite Markov chain.
    pub fn of(game: &SmallGame, goal: Goal, limit: usize, watch: &ExactWatch) -> Result<Optimum> {
        let space = StateSpace::of(game, limit, watch)?;
        let mut chain = space.first_choices();
        let mut values = vec![0.0; chain.states()];
        // A player that never loses has an infinite mean, and the linear system of that mean is
        // singular.
        if space.safe() > 0 {
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

    /// Returns the value of a transition: its own reward and the value of the state after it.
    pub(super) fn value(self, edge: Edge, values: &[f64]) -> f64 {
        self.reward()(edge) + edge.state().map_or(0.0, |to| values[to])
    }
}

/// Replaces every choice of `chain` for which another choice has a greater value, by `values` and
/// `goal`. Returns the number of replaced choices.
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

/// Returns the smallest difference between two values that is not rounding.
pub(super) fn least_gain(values: &[f64]) -> f64 {
    GAIN * largest(values).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::controller::PRESETS;
    use crate::queue::QueueKind;
    use crate::rules::Rules;
    use crate::search::Search;

    const LIMIT: usize = 1_000_000;

    fn game(board: &str, queue: QueueKind) -> SmallGame {
        let start = Board::empty(board.parse().unwrap());
        SmallGame { rules: Rules::simplified(), start, queue }
    }

    fn best(game: &SmallGame, goal: Goal) -> Solution {
        Optimum::of(game, goal, LIMIT, &ExactWatch::default()).unwrap().solution.unwrap()
    }

    /// `python3 tests/oracles/exact.py 4x4 optimal`.
    #[test]
    fn the_best_of_4x4_is_that_of_the_oracle() {
        let four = game("4x4", QueueKind::Uniform);
        let optimum = Optimum::of(&four, Goal::Lines, LIMIT, &ExactWatch::default()).unwrap();
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
            let chain =
                Chain::of(&five, &controller, Search::Greedy, LIMIT, &ExactWatch::default())
                    .unwrap();
            let lines = chain.solve().unwrap().unwrap().lines.mean;
            assert!(lines <= most + 1e-9, "{}: {lines} of {most}", controller.name);
        }
    }

    /// Squares on 5 columns: two fit side by side and one column stays empty, so the fifth
    /// overflows a board of height 4.
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
            Optimum::of(&squares, Goal::Lines, LIMIT, &ExactWatch::default())
                .unwrap()
                .solution
                .is_none()
        );
    }

    #[test]
    fn too_many_states_are_refused() {
        let bag = game("4x4", QueueKind::Bag);
        let error = Optimum::of(&bag, Goal::Lines, 1000, &ExactWatch::default()).unwrap_err();
        assert!(error.to_string().contains("1000 states on 4x4 with queue bag"), "{error}");
    }
}
