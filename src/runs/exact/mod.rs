//! Computes the results of small games exactly, as a check of the whole simulator.
//!
//! On a small board, a controller's games are a finite Markov chain, whose means and standard
//! deviations solve a linear system ([`Chain`]). The best player solves a Markov decision problem
//! ([`Optimum`]), which gives every placement an exact value ([`Optimum::write_action_values`]).
//! Nothing here plays games: enumeration, choice and end of the game are written again from the
//! scalar features, the exact scores and the rules. They share no code with kernels, players or the
//! simulator's loop, so a simulation can be checked against them ([`Deviation`]).
//!
//! | queue, search | a state is |
//! |---|---|
//! | `uniform` or `weights:...`, with `greedy` or `expect` | a board |
//! | `bag`, `bag:N`, `bag:I=2+O=1` | a board and the pieces gone from the bag |
//! | `nes`, `repeat` | a board and the piece before |
//! | `sz-random` | a board: S or Z comes |
//! | `sz`, a script with `cycle` | a board and the index in the sequence |
//! | `next` | any of these, and the piece to be placed |
//!
//! Errors: too many states, or a queue without a finite chain. A game that may never end has an
//! infinite mean, which [`Chain::endless`] detects.

mod chain;
mod deals;
mod optimal;
mod universe;

use std::sync::atomic::{AtomicU64, Ordering};

use statrs::distribution::{ContinuousCDF, Normal};

use self::universe::PackedBoard;
use crate::error::setting::{BOARD, MAX_STATES};
use crate::prelude::*;

pub use chain::{Chain, Moments, Solution};
pub use optimal::{Goal, Optimum};
pub use universe::MAX_CELLS;

/// Progress of the search for a small game's states or for its best player.
#[derive(Debug, Default)]
pub struct ExactWatch {
    /// Number of states (boards, in the search for the best player) found so far.
    pub found: AtomicU64,
    /// Number of states (boards, for the best player) whose transitions are computed.
    pub done: AtomicU64,
    /// Number of completed rounds of policy iteration for the best player.
    pub rounds: AtomicU64,
}

impl ExactWatch {
    fn update(&self, done: usize, found: usize) {
        self.done.store(done as u64, Ordering::Relaxed);
        self.found.store(found as u64, Ordering::Relaxed);
    }
}

/// A game on a small board: rules, start board and queue, without a player.
#[derive(Clone, Debug)]
pub struct SmallGame {
    /// Rules of the game.
    pub rules: Rules,
    /// Board from which all games start.
    pub start: Board,
    /// Queue that deals the pieces.
    pub queue: QueueKind,
}

impl SmallGame {
    fn check(&self) -> Result<()> {
        PackedBoard::check(self.start.size())?;
        if self.start.stack_height() > self.start.height() || self.start.full_rows() != 0 {
            let text = "the start board has full rows or cells above the top: remove them";
            return Err(Error::Config(text.to_owned()));
        }
        Ok(())
    }

    fn too_large(&self, who: &str, limit: usize) -> Error {
        Error::Config(format!(
            "{who} reaches more than {limit} states on {} with queue {}: give a smaller {BOARD}, \
             or a larger {MAX_STATES}",
            self.start.size(),
            self.queue.describe()
        ))
    }
}

/// Deviations of the simulated mean lines and pieces from the exact means, as z scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Deviation {
    /// Number of simulated games.
    pub games: u64,
    /// Mean lines of the simulated games.
    pub mean_lines: f64,
    /// Mean pieces of the simulated games.
    pub mean_pieces: f64,
    /// Difference `mean_lines` minus exact mean lines, divided by the exact standard error.
    pub z_lines: f64,
    /// Difference `mean_pieces` minus exact mean pieces, divided by the exact standard error.
    pub z_pieces: f64,
}

impl Deviation {
    /// Compares the mean lines and pieces of `games` simulated games with the exact means.
    #[must_use]
    pub fn new(exact: &Solution, games: u64, lines: u64, pieces: u64) -> Deviation {
        let n = games as f64;
        let (mean_lines, mean_pieces) = (lines as f64 / n, pieces as f64 / n);
        Deviation {
            games,
            mean_lines,
            mean_pieces,
            z_lines: z_score(mean_lines, exact.lines, n),
            z_pieces: z_score(mean_pieces, exact.pieces, n),
        }
    }

    /// Returns the larger absolute deviation of mean lines and mean pieces, in standard errors.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.z_lines.abs().max(self.z_pieces.abs())
    }
}

/// Relative standard deviation of lines or pieces below which all games count as equal.
const MIN_RELATIVE_SD: f64 = 1e-6;

fn z_score(observed: f64, exact: Moments, games: f64) -> f64 {
    let difference = observed - exact.mean;
    let rounding = MIN_RELATIVE_SD * exact.mean.max(1.0);
    if exact.sd > rounding {
        difference / (exact.sd / games.sqrt())
    } else if difference.abs() <= rounding {
        0.0
    } else {
        difference.signum() * f64::INFINITY
    }
}

/// Returns the Bonferroni-corrected critical |z| of `tests` two-sided tests at error level `level`.
#[must_use]
pub fn critical_z(tests: usize, level: f64) -> f64 {
    Normal::standard().inverse_cdf(1.0 - level / (2.0 * tests.max(1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::search::Search;
    use crate::threads::thread_pool;

    fn chain(board: &str, queue: &str, name: &str, search: Search) -> Chain {
        let start = Board::empty(board.parse().unwrap());
        let rules = Rules::simplified();
        let game = SmallGame { rules, start, queue: queue.parse().unwrap() };
        Chain::build(
            &game,
            &Controller::load(name).unwrap(),
            search,
            1_000_000,
            &ExactWatch::default(),
        )
        .unwrap()
    }

    // Expected values from `python3 tests/oracles/exact.py 4x4 bcts dellacherie` and `5x4 bcts`.
    #[test]
    fn means_are_those_of_the_oracle() {
        for (board, name, states, lines, pieces) in [
            ("4x4", "bcts", 442, 5.430372038988944, 8.734104613525794),
            ("4x4", "dellacherie", 451, 5.538754055821245, 8.849284435828796),
            ("5x4", "bcts", 35045, 5.338036545244786, 10.909539786409267),
        ] {
            let chain = chain(board, "uniform", name, Search::Greedy);
            let solution = chain.solve().unwrap().unwrap();
            assert_eq!(chain.states(), states, "{board} {name}");
            assert!((solution.lines.mean - lines).abs() < 1e-12, "{board} {name} {solution:?}");
            assert!((solution.pieces.mean - pieces).abs() < 1e-12, "{board} {name} {solution:?}");
            assert!(solution.residual < 1e-12 && solution.error_lines < 1e-11, "{solution:?}");
        }
    }

    #[test]
    fn threads_make_no_difference() {
        let solve = |threads| {
            let solve = || chain("4x4", "bag", "dt20", Search::Next).solve().unwrap().unwrap();
            thread_pool(threads).unwrap().install(solve)
        };
        assert_eq!(solve(1), solve(3));
    }

    #[test]
    fn a_bag_begins_like_uniform_pieces_and_parts_from_them() {
        let bag = chain("4x4", "bag", "bcts", Search::Greedy);
        let uniform = chain("4x4", "uniform", "bcts", Search::Greedy);
        let (bag, uniform) = (bag.survival(4), uniform.survival(4));
        assert!((bag[1] - uniform[1]).abs() < 1e-12);
        assert!((bag[4] - uniform[4]).abs() > 1e-3, "{bag:?} {uniform:?}");
    }

    #[test]
    fn settings_that_are_no_finite_chain_are_refused() {
        let bcts = Controller::load("bcts").unwrap();
        let refuse = |board: &str, queue: QueueKind, limit| {
            let start = Board::empty(board.parse().unwrap());
            let game = SmallGame { rules: Rules::simplified(), start, queue };
            let message = Chain::build(&game, &bcts, Search::Greedy, limit, &ExactWatch::default())
                .unwrap_err()
                .to_string();
            assert_eq!(message.lines().count(), 1);
            message
        };
        assert!(refuse("10x20", QueueKind::Uniform, 9).contains("200 cells"));
        assert!(refuse("5x5", QueueKind::Uniform, 99).contains("bcts reaches more than 99 states"));
        assert!(refuse("5x5", QueueKind::LeastDealt, 99).contains("least-dealt"));
        let script = QueueKind::script("OOO", false).unwrap();
        assert!(refuse("5x5", script, 99).contains("add cycle"));
    }

    // Expected value from R: qnorm(1 - 0.01 / (2 * 50)).
    #[test]
    fn critical_values_are_those_of_r() {
        assert!((critical_z(50, 0.01) - 3.719016).abs() < 1e-6);
        assert!((critical_z(1, 0.05) - 1.959964).abs() < 1e-6);
    }

    #[test]
    fn deviations_by_hand() {
        let exact = Solution {
            lines: Moments { mean: 5.0, sd: 4.0 },
            pieces: Moments { mean: 8.0, sd: 0.0 },
            residual: 0.0,
            error_lines: 0.0,
        };
        let found = Deviation::new(&exact, 100, 540, 800);
        assert!((found.z_lines - 1.0).abs() < 1e-12);
        assert_eq!((found.z_pieces, found.largest()), (0.0, found.z_lines));
        assert_eq!(Deviation::new(&exact, 100, 500, 801).z_pieces, f64::INFINITY);
    }
}
