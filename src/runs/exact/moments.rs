//! Computes exact means and standard deviations of lines and pieces per game from a Markov chain.

use serde::Serialize;

use super::chain::{Chain, Edge, average};
use super::linear::{Solved, largest, solve};
use crate::error::Result;

/// Mean and standard deviation of a number that each game has, such as its lines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moments {
    /// Mean of the number over all games.
    pub mean: f64,
    /// Standard deviation of the number over all games.
    pub sd: f64,
}

/// Exact results of the games of a [`Chain`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Solution {
    /// Mean and standard deviation of the lines per game.
    pub lines: Moments,
    /// Mean and standard deviation of the pieces placed per game. A last piece that ends the game
    /// by its placement counts.
    pub pieces: Moments,
    /// Largest residual of the linear systems for the means, each divided by the system's largest
    /// value.
    pub residual: f64,
    /// Upper bound for the error of the mean lines per game, computed from the residual.
    pub error_lines: f64,
}

impl Chain {
    /// Computes the means and standard deviations per game, or returns `None` if games may never
    /// end.
    ///
    /// The variance is the sum of the variances of all steps (law of total variance). The value of
    /// a step is its lines plus the mean lines of the rest of the game; its variance is about the
    /// mean before the step. The sum over a game solves the same linear system, without
    /// cancellation.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if a linear system cannot be solved up to rounding.
    pub fn solve(&self) -> Result<Option<Solution>> {
        if self.endless() > 0 {
            return Ok(None);
        }
        let (lines, lines_mean) = self.moments(Edge::lines)?;
        let (pieces, pieces_mean) = self.moments(Edge::pieces)?;
        // A draw of a blocked piece places nothing, so a game has at most one draw more than
        // pieces.
        let draws = largest(&pieces_mean.x) + 1.0;
        let relative = |solved: &Solved| solved.residual / largest(&solved.x).max(1.0);
        Ok(Some(Solution {
            lines,
            pieces,
            residual: relative(&lines_mean).max(relative(&pieces_mean)),
            error_lines: lines_mean.residual * draws,
        }))
    }

    fn moments(&self, of: fn(Edge) -> f64) -> Result<(Moments, Solved)> {
        let first = self.value(of, vec![0.0; self.states()])?;
        let mean = self.at_start(&first.x);
        let mut spread = vec![0.0; self.states()];
        self.fill(&mut spread, |state, edges| {
            let rest = |edge: Edge| edge.state().map_or(0.0, |to| first.x[to]);
            average(edges, |edge| (of(edge) + rest(edge) - first.x[state]).powi(2))
        });
        let within = self.at_start(&solve(self, &spread, vec![0.0; self.states()])?.x);
        let between: Vec<f64> = first.x.iter().map(|x| (x - mean).powi(2)).collect();
        let variance = within + self.at_start(&between);
        Ok((Moments { mean, sd: variance.max(0.0).sqrt() }, first))
    }

    /// Returns, for every state, the mean sum of `of` over the transitions in the rest of the game.
    /// `guess` is the start of the iteration.
    pub(super) fn value(&self, of: fn(Edge) -> f64, guess: Vec<f64>) -> Result<Solved> {
        solve(self, &self.mean(of), guess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::chain::EdgeTarget;

    fn chain(start: u32, states: impl IntoIterator<Item = Vec<Edge>>) -> Chain {
        let mut chain = Chain::starting(vec![start]);
        states.into_iter().for_each(|edges| chain.push(edges));
        chain
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-11 * b.abs().max(1.0)
    }

    /// Half of the pieces remove two rows and the others end the game, so the lines are geometric.
    #[test]
    fn a_fair_coin_by_hand() {
        let coin =
            chain(0, [vec![Edge::new(EdgeTarget::State(0), 2), Edge::new(EdgeTarget::Lost, 0)]]);
        let solution = coin.solve().unwrap().unwrap();
        assert!(near(solution.lines.mean, 2.0) && near(solution.lines.sd, 8f64.sqrt()));
        assert!(near(solution.pieces.mean, 2.0) && near(solution.pieces.sd, 2f64.sqrt()));
        assert_eq!(coin.survival(3), [1.0, 0.5, 0.25, 0.125]);
    }

    #[test]
    fn a_piece_that_cannot_enter_is_not_counted() {
        let blocked =
            chain(0, [vec![Edge::new(EdgeTarget::Blocked, 0), Edge::new(EdgeTarget::Lost, 1)]]);
        let solution = blocked.solve().unwrap().unwrap();
        assert!(near(solution.pieces.mean, 0.5) && near(solution.lines.mean, 0.5));
        assert!(near(solution.pieces.sd, 0.5));
    }

    /// A walk from k between two ends N apart takes k(N - k) steps. The variance is k(N - k)(k^2 +
    /// (N - k)^2 - 2)/3 (gambler's ruin; Feller, vol. 1, XIV.3).
    #[test]
    fn a_long_random_walk_has_its_known_moments() {
        let (n, k) = (200u32, 70u32);
        let step = |to: u32| match to {
            0 | 200 => Edge::new(EdgeTarget::Lost, 0),
            _ => Edge::new(EdgeTarget::State(to - 1), 0),
        };
        let walk = chain(k - 1, (1..n).map(|at| vec![step(at - 1), step(at + 1)]));
        let solution = walk.solve().unwrap().unwrap();
        let (a, b) = (f64::from(k), f64::from(n - k));
        assert!(near(solution.pieces.mean, a * b), "{solution:?}");
        let variance = a * b * (a * a + b * b - 2.0) / 3.0;
        assert!(near(solution.pieces.sd, variance.sqrt()), "{solution:?}");
        assert!(solution.residual < 1e-12);
    }

    /// Uses a chain that makes BiCGSTAB break down.
    #[test]
    fn a_game_without_chance_has_no_spread() {
        let last =
            |state: u32| if state == 4 { EdgeTarget::Lost } else { EdgeTarget::State(state + 1) };
        let line = chain(0, (0..5).map(|state| vec![Edge::new(last(state), u8::from(state == 2))]));
        let solution = line.solve().unwrap().unwrap();
        assert_eq!(solution.lines, Moments { mean: 1.0, sd: 0.0 });
        assert_eq!(solution.pieces, Moments { mean: 5.0, sd: 0.0 });
    }

    #[test]
    fn a_closed_class_has_no_mean() {
        let on = |state| Edge::new(EdgeTarget::State(state), 1);
        let trap =
            chain(0, [vec![on(1), Edge::new(EdgeTarget::Lost, 0)], vec![on(2)], vec![on(1)]]);
        assert_eq!((trap.endless(), trap.solve().unwrap()), (2, None));
    }
}
