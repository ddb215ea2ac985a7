//! Models a player's games as a finite Markov chain, and solves the linear systems x = b + P x for
//! its means. P is the matrix of the transition probabilities.
//!
//! I - P is an M-matrix, and the largest row sum of its inverse is the largest mean number of draws
//! until the end of a game. That sum times the residual is an upper bound for the error.

use rayon::prelude::*;

use crate::error::setting::BOARD;
use crate::prelude::*;

/// Markov chain of a player's games on a small board, with equally likely transitions.
#[derive(Debug)]
pub struct Chain {
    pub(super) starts: Vec<u32>,
    offsets: Vec<usize>,
    edges: Vec<Edge>,
}

/// Transition of a [`Chain`]: the next state or the end of the game, and the number of removed
/// rows, in 32 bits.
///
/// ```text
/// bits 31-29   28 ... 0
/// lines 0-4    state, or 2^29 - 2: lost, or 2^29 - 1: blocked
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeTarget {
    State(u32),
    Lost,
    /// End of a game because the drawn piece, which is not counted, could not enter the board.
    Blocked,
}

/// Largest number of states of a Markov chain that the 29 bits of a transition can name.
pub(super) const MOST_STATES: usize = LOST_BITS as usize;
const BLOCK: usize = 4096;
const TARGET_BITS: u32 = 29;
const LOST_BITS: u32 = BLOCKED_BITS - 1;
const BLOCKED_BITS: u32 = (1 << TARGET_BITS) - 1;

impl Edge {
    pub(super) fn new(to: EdgeTarget, lines: u8) -> Edge {
        let bits = match to {
            EdgeTarget::State(state) => state,
            EdgeTarget::Lost => LOST_BITS,
            EdgeTarget::Blocked => BLOCKED_BITS,
        };
        Edge(u32::from(lines) << TARGET_BITS | bits)
    }

    pub(super) fn to(self) -> EdgeTarget {
        match self.0 & BLOCKED_BITS {
            LOST_BITS => EdgeTarget::Lost,
            BLOCKED_BITS => EdgeTarget::Blocked,
            state => EdgeTarget::State(state),
        }
    }

    pub(super) fn state(self) -> Option<usize> {
        match self.to() {
            EdgeTarget::State(state) => Some(state as usize),
            EdgeTarget::Lost | EdgeTarget::Blocked => None,
        }
    }

    pub(super) fn lines(self) -> f64 {
        f64::from(self.0 >> TARGET_BITS)
    }

    pub(super) fn pieces(self) -> f64 {
        if self.to() == EdgeTarget::Blocked { 0.0 } else { 1.0 }
    }
}

impl Chain {
    pub(super) fn from_starts(starts: Vec<u32>) -> Chain {
        Chain { starts, offsets: vec![0], edges: Vec::new() }
    }

    pub(super) fn push(&mut self, edges: impl IntoIterator<Item = Edge>) {
        self.edges.extend(edges);
        self.offsets.push(self.edges.len());
    }

    /// Returns the number of states of the Markov chain.
    #[must_use]
    pub fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn edges(&self, state: usize) -> &[Edge] {
        &self.edges[self.offsets[state]..self.offsets[state + 1]]
    }

    /// Replaces each transition by the result of `new`, and returns how many transitions changed.
    pub(super) fn replace(&mut self, new: impl Fn(usize, usize, Edge) -> Edge + Sync) -> usize {
        let (states, offsets) = (self.states(), &self.offsets);
        let mut rest = &mut self.edges[..];
        // The edges of a block of states are one slice, so threads write to separate memory without
        // a lock.
        let blocks = (0..states).step_by(BLOCK).map(|first| {
            let last = states.min(first + BLOCK);
            let (block, tail) =
                std::mem::take(&mut rest).split_at_mut(offsets[last] - offsets[first]);
            rest = tail;
            (first..last, block)
        });
        let replace = |(block, edges): (Range<usize>, &mut [Edge])| {
            let first = offsets[block.start];
            let mut replaced = 0;
            for state in block {
                let own = &mut edges[offsets[state] - first..offsets[state + 1] - first];
                for (draw, edge) in own.iter_mut().enumerate() {
                    let old = std::mem::replace(edge, new(state, draw, *edge));
                    replaced += usize::from(old != *edge);
                }
            }
            replaced
        };
        blocks.collect::<Vec<_>>().into_par_iter().map(replace).sum()
    }

    pub(super) fn mean(&self, of: impl Fn(Edge) -> f64 + Sync) -> Vec<f64> {
        let mut means = vec![0.0; self.states()];
        self.fill(&mut means, |_, edges| average(edges, &of));
        means
    }

    pub(super) fn fill(&self, out: &mut [f64], value: impl Fn(usize, &[Edge]) -> f64 + Sync) {
        let value = &value;
        out.par_iter_mut()
            .with_min_len(BLOCK)
            .enumerate()
            .for_each(|(state, out)| *out = value(state, self.edges(state)));
    }

    pub(super) fn at_start(&self, values: &[f64]) -> f64 {
        let sum: f64 = self.starts.iter().map(|&start| values[start as usize]).sum();
        sum / self.starts.len() as f64
    }

    /// Returns the number of reachable states from which a game never ends.
    #[must_use]
    pub fn endless(&self) -> usize {
        let mut ends = vec![false; self.states()];
        let mut changed = true;
        while changed {
            changed = false;
            // States are processed from the last to the first. State numbers grow with the distance
            // from the start and ends propagate backwards, so few rounds are enough.
            for state in (0..self.states()).rev() {
                let may_end = |edge: &Edge| edge.state().is_none_or(|to| ends[to]);
                if !ends[state] && self.edges(state).iter().any(may_end) {
                    ends[state] = true;
                    changed = true;
                }
            }
        }
        ends.iter().filter(|ends| !**ends).count()
    }

    /// Returns the probabilities that a game still runs after 0, 1, 2, ... up to `pieces` pieces.
    #[must_use]
    pub fn survival(&self, pieces: usize) -> Vec<f64> {
        let mut at = vec![0.0; self.states()];
        for &start in &self.starts {
            at[start as usize] += 1.0 / self.starts.len() as f64;
        }
        let mut survival = vec![1.0];
        for _ in 0..pieces {
            let mut then = vec![0.0; self.states()];
            for (state, &probability) in at.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                let edges = self.edges(state);
                for to in edges.iter().filter_map(|edge| edge.state()) {
                    then[to] += probability / edges.len() as f64;
                }
            }
            at = then;
            survival.push(at.iter().sum());
        }
        survival
    }
}

pub(super) fn average(edges: &[Edge], of: impl Fn(Edge) -> f64) -> f64 {
    edges.iter().map(|&edge| of(edge)).sum::<f64>() / edges.len() as f64
}

/// Mean and standard deviation of a number per game, such as its lines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moments {
    /// Mean of the number (such as lines) over all games.
    pub mean: f64,
    /// Standard deviation of the number (such as lines) over all games.
    pub sd: f64,
}

/// Exact means and deviations of lines and pieces per game, with a bound of the numerical error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Solution {
    /// Mean and standard deviation of the lines per game.
    pub lines: Moments,
    /// Mean and standard deviation of the pieces per game, a placed last piece included.
    pub pieces: Moments,
    /// Largest relative residual of the linear systems that were solved for the means.
    pub residual: f64,
    /// Upper bound for the error of the mean lines per game, computed from the residual.
    pub error_lines: f64,
}

impl Chain {
    /// Computes the exact means and standard deviations of lines and pieces per game; `None` if
    /// games may never end. Variances follow from the law of total variance.
    pub fn solve(&self) -> Result<Option<Solution>> {
        if self.endless() > 0 {
            return Ok(None);
        }
        let (lines, lines_mean) = self.moments(Edge::lines)?;
        let (pieces, pieces_mean) = self.moments(Edge::pieces)?;
        // A draw of a blocked piece places nothing, so a game has at most one draw more than
        // pieces.
        let draws = largest(&pieces_mean.x) + 1.0;
        let relative = |solved: &SolvedSystem| solved.residual / largest(&solved.x).max(1.0);
        Ok(Some(Solution {
            lines,
            pieces,
            residual: relative(&lines_mean).max(relative(&pieces_mean)),
            error_lines: lines_mean.residual * draws,
        }))
    }

    fn moments(&self, of: fn(Edge) -> f64) -> Result<(Moments, SolvedSystem)> {
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

    /// Computes for each state the mean sum of `of`, such as lines, over the rest of a game.
    pub(super) fn value(&self, of: fn(Edge) -> f64, guess: Vec<f64>) -> Result<SolvedSystem> {
        solve(self, &self.mean(of), guess)
    }
}

#[derive(Debug)]
pub(super) struct SolvedSystem {
    pub(super) x: Vec<f64>,
    pub(super) residual: f64,
}

const TARGET_RESIDUAL: f64 = 1e-13;
const MAX_RESIDUAL: f64 = 1e-11;
const MAX_SOLVER_STARTS: usize = 14;
const ITERATIONS_PER_START: usize = 400;
/// Initial number of Gauss-Seidel sweeps before each restart of the linear solver BiCGSTAB.
const FIRST_SWEEPS: usize = 4;

/// Solves x = b + P x, with P the transition matrix, by BiCGSTAB after Gauss-Seidel sweeps (van der
/// Vorst 1992, SIAM J. Sci. Stat. Comput. 13:631-644).
pub(super) fn solve(chain: &Chain, b: &[f64], x: Vec<f64>) -> Result<SolvedSystem> {
    let solved = |x: Vec<f64>| SolvedSystem { residual: largest(&residual(chain, b, &x)), x };
    let better = |a: SolvedSystem, b: SolvedSystem| if b.residual < a.residual { b } else { a };
    let mut best = solved(x);
    let mut sweeps = FIRST_SWEEPS;
    for _ in 0..MAX_SOLVER_STARTS {
        if best.relative_residual(b) <= TARGET_RESIDUAL {
            break;
        }
        let before = best.residual;
        // Sweeps and BiCGSTAB may both increase the residual, so only a better solution is kept.
        let swept = sweep(chain, b, best.x.clone(), sweeps);
        best = better(best, solved(swept));
        let improved = improve(chain, b, best.x.clone());
        best = better(best, solved(improved));
        if best.residual > before / 2.0 {
            // The residual was not halved, so use more of the sweeps, which always converge.
            sweeps *= 2;
        }
    }
    match best.relative_residual(b) {
        relative if relative <= MAX_RESIDUAL => Ok(best),
        relative => Err(Error::Config(format!(
            "the means of {} states were found to a residual of {relative:.0e} only: give a \
             smaller {BOARD}",
            chain.states()
        ))),
    }
}

impl SolvedSystem {
    fn relative_residual(&self, b: &[f64]) -> f64 {
        let scale = largest(&self.x).max(largest(b));
        if scale > 0.0 { self.residual / scale } else { 0.0 }
    }
}

fn sweep(chain: &Chain, b: &[f64], mut x: Vec<f64>, sweeps: usize) -> Vec<f64> {
    for _ in 0..sweeps {
        for state in (0..x.len()).rev() {
            x[state] = b[state] + next(chain.edges(state), &x);
        }
    }
    x
}

fn improve(chain: &Chain, b: &[f64], mut x: Vec<f64>) -> Vec<f64> {
    let n = x.len();
    let mut r = residual(chain, b, &x);
    // The shadow vector of BiCGSTAB is constant through all iterations.
    let shadow = r.clone();
    let (mut p, mut v) = (vec![0.0; n], vec![0.0; n]);
    let mut t = vec![0.0; n];
    let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
    let goal = TARGET_RESIDUAL / 10.0 * largest(&x).max(largest(b));
    for _ in 0..ITERATIONS_PER_START {
        let previous = std::mem::replace(&mut rho, dot(&shadow, &r));
        let beta = rho / previous * alpha / omega;
        update(&mut p, &r, &v, |p, r, v| r + beta * (p - omega * v));
        multiply(chain, &p, &mut v);
        alpha = rho / dot(&shadow, &v);
        // A quotient by 0 means that BiCGSTAB broke down. The caller checks whether `x` is good
        // enough.
        if !alpha.is_finite() {
            break;
        }
        add(&mut r, -alpha, &v);
        multiply(chain, &r, &mut t);
        omega = dot(&t, &r) / dot(&t, &t);
        add(&mut x, alpha, &p);
        if !omega.is_finite() || omega == 0.0 {
            break;
        }
        add(&mut x, omega, &r);
        add(&mut r, -omega, &t);
        if largest(&r) <= goal {
            break;
        }
    }
    x
}

fn multiply(chain: &Chain, x: &[f64], out: &mut [f64]) {
    chain.fill(out, |state, edges| x[state] - next(edges, x));
}

fn residual(chain: &Chain, b: &[f64], x: &[f64]) -> Vec<f64> {
    let mut r = vec![0.0; x.len()];
    chain.fill(&mut r, |state, edges| b[state] + next(edges, x) - x[state]);
    r
}

pub(super) fn next(edges: &[Edge], x: &[f64]) -> f64 {
    average(edges, |edge| edge.state().map_or(0.0, |to| x[to]))
}

/// Length of the chunks of a parallel sum, fixed so that threads do not change the result.
const CHUNK_LENGTH: usize = 8192;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let part = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let parts: Vec<f64> =
        a.par_chunks(CHUNK_LENGTH).zip(b.par_chunks(CHUNK_LENGTH)).map(part).collect();
    parts.iter().sum()
}

fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.par_chunks_mut(CHUNK_LENGTH).zip(b.par_chunks(CHUNK_LENGTH)).for_each(|(a, b)| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
    });
}

fn update(p: &mut [f64], r: &[f64], v: &[f64], new: impl Fn(f64, f64, f64) -> f64 + Sync) {
    p.par_iter_mut()
        .with_min_len(CHUNK_LENGTH)
        .zip(r)
        .zip(v)
        .for_each(|((p, r), v)| *p = new(*p, *r, *v));
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.par_chunks(CHUNK_LENGTH)
        .map(|x| x.iter().fold(0.0, |most: f64, x| most.max(x.abs())))
        .reduce(|| 0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(start: u32, states: impl IntoIterator<Item = Vec<Edge>>) -> Chain {
        let mut chain = Chain::from_starts(vec![start]);
        states.into_iter().for_each(|edges| chain.push(edges));
        chain
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-11 * b.abs().max(1.0)
    }

    // Half of the pieces remove two rows and the others end the game, so the lines are geometric.
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

    // A walk from k between two ends N apart takes k(N - k) steps. The variance is k(N - k)(k^2 +
    // (N - k)^2 - 2)/3 (gambler's ruin; Feller, vol. 1, XIV.3).
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
