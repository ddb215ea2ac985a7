//! Solves the linear system of a Markov chain, x = b + P x, where P is the matrix of the transition
//! probabilities between states.
//!
//! The method is BiCGSTAB (van der Vorst 1992, SIAM J. Sci. Stat. Comput. 13:631-644), restarted
//! from the true residual until that is small. BiCGSTAB can break down. Gauss-Seidel sweeps before
//! each start, last state first, always reduce the error, and solve a chain without loops at once.
//! I - P is an M-matrix, and the largest row sum of its inverse is the largest mean number of draws
//! until the end of a game. That sum times the residual is an upper bound for the error.

use rayon::prelude::*;

use super::chain::{Chain, Edge, average};
use crate::error::setting::BOARD;
use crate::error::{Error, Result};

#[derive(Debug)]
pub(super) struct Solved {
    pub(super) x: Vec<f64>,
    /// Largest absolute component of the residual b + P x - x.
    pub(super) residual: f64,
}

/// Residual, relative to the largest value, at which the iteration stops.
const TOLERANCE: f64 = 1e-13;
/// Largest residual, relative to the largest value, of an accepted solution. Rounding may prevent a
/// smaller one.
const ACCEPTED: f64 = 1e-11;
/// Largest number of times that BiCGSTAB is started.
const MOST_STARTS: usize = 14;
/// Number of iterations of BiCGSTAB after each start.
const ITERATIONS: usize = 400;
/// Number of Gauss-Seidel sweeps before the first start. It is doubled after each start that does
/// not halve the residual.
const SWEEPS: usize = 4;

/// Solves x = b + P x for the chain's transition matrix P, starting from the guess `x`.
///
/// # Errors
/// [`Error::Config`] if the residual stays too large.
pub(super) fn solve(chain: &Chain, b: &[f64], x: Vec<f64>) -> Result<Solved> {
    let solved = |x: Vec<f64>| Solved { residual: largest(&residual(chain, b, &x)), x };
    let better = |a: Solved, b: Solved| if b.residual < a.residual { b } else { a };
    let mut best = solved(x);
    let mut sweeps = SWEEPS;
    for _ in 0..MOST_STARTS {
        if best.relative(b) <= TOLERANCE {
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
    match best.relative(b) {
        relative if relative <= ACCEPTED => Ok(best),
        relative => Err(Error::Config(format!(
            "the means of {} states were found to a residual of {relative:.0e} only: give a \
             smaller {BOARD}",
            chain.states()
        ))),
    }
}

impl Solved {
    /// Returns the residual divided by the largest value of `x` or `b`.
    fn relative(&self, b: &[f64]) -> f64 {
        let scale = largest(&self.x).max(largest(b));
        if scale > 0.0 { self.residual / scale } else { 0.0 }
    }
}

/// Makes `sweeps` Gauss-Seidel sweeps. Each replaces every value of `x` in place by the right side
/// of its equation, last state first.
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
    let goal = TOLERANCE / 10.0 * largest(&x).max(largest(b));
    for _ in 0..ITERATIONS {
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

/// Computes (I - P) x into `out`, where P is the chain's transition matrix and I the unit matrix.
fn multiply(chain: &Chain, x: &[f64], out: &mut [f64]) {
    chain.fill(out, |state, edges| x[state] - next(edges, x));
}

fn residual(chain: &Chain, b: &[f64], x: &[f64]) -> Vec<f64> {
    let mut r = vec![0.0; x.len()];
    chain.fill(&mut r, |state, edges| b[state] + next(edges, x) - x[state]);
    r
}

/// Returns the mean of `x` over the states after one more draw; an ended game counts as 0.
pub(super) fn next(edges: &[Edge], x: &[f64]) -> f64 {
    average(edges, |edge| edge.state().map_or(0.0, |to| x[to]))
}

/// Number of values that one thread adds up. It is fixed so that the order of a sum does not depend
/// on the number of threads.
const PART: usize = 8192;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let part = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let parts: Vec<f64> = a.par_chunks(PART).zip(b.par_chunks(PART)).map(part).collect();
    parts.iter().sum()
}

fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.par_chunks_mut(PART).zip(b.par_chunks(PART)).for_each(|(a, b)| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
    });
}

/// Replaces every entry of `p` by `new(p, r, v)` of the entries at its index.
fn update(p: &mut [f64], r: &[f64], v: &[f64], new: impl Fn(f64, f64, f64) -> f64 + Sync) {
    p.par_iter_mut().with_min_len(PART).zip(r).zip(v).for_each(|((p, r), v)| *p = new(*p, *r, *v));
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.par_chunks(PART)
        .map(|x| x.iter().fold(0.0, |most: f64, x| most.max(x.abs())))
        .reduce(|| 0.0, f64::max)
}
