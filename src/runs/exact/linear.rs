//! The linear system of a chain: x = b + P x, P the transitions between its states.
//!
//! BiCGSTAB (van der Vorst 1992, SIAM J. Sci. Stat. Comput. 13:631-644), started again from the
//! true residual until that is small. It can break down; sweeps of Gauss and Seidel before each
//! start, last state first, always come nearer, and solve a chain without loops at once. I - P is an
//! M-matrix, and the largest row sum of its inverse is the largest mean number of draws until the
//! end: times that, the residual bounds the error.

use rayon::prelude::*;

use super::chain::{Chain, Edge, average};
use crate::error::setting::BOARD;
use crate::error::{Error, Result};

#[derive(Debug)]
pub(super) struct Solved {
    pub(super) x: Vec<f64>,
    /// Largest |b + Px - x| of any state.
    pub(super) residual: f64,
}

/// Residual, relative to the largest value, at which a solution is done.
const TOLERANCE: f64 = 1e-13;
/// Residual, relative to the largest value, that rounding may leave.
const ACCEPTED: f64 = 1e-11;
/// Starts of BiCGSTAB.
const MOST_STARTS: usize = 14;
/// Its iterations after a start.
const ITERATIONS: usize = 400;
/// Sweeps before the first start; twice as many after each that got nowhere.
const SWEEPS: usize = 4;

/// Solves x = b + P x, from the guess `x`.
///
/// # Errors
/// [`Error::Config`] when the residual stays large.
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
        // Kept only if better, since either step may make it worse.
        let swept = sweep(chain, b, best.x.clone(), sweeps);
        best = better(best, solved(swept));
        let improved = improve(chain, b, best.x.clone());
        best = better(best, solved(improved));
        if best.residual > before / 2.0 {
            // More of what always converges, since neither came nearer by half.
            sweeps *= 2;
        }
    }
    match best.relative(b) {
        relative if relative <= ACCEPTED => Ok(best),
        relative => Err(Error::Config(format!(
            "the means of {} states were found to a residual of {relative:.0e} only: give a smaller {BOARD}",
            chain.states()
        ))),
    }
}

impl Solved {
    /// The residual as a part of the largest value.
    fn relative(&self, b: &[f64]) -> f64 {
        let scale = largest(&self.x).max(largest(b));
        if scale > 0.0 { self.residual / scale } else { 0.0 }
    }
}

/// Replaces every value by what those it leads to say, last state first, in place.
fn sweep(chain: &Chain, b: &[f64], mut x: Vec<f64>, sweeps: usize) -> Vec<f64> {
    for _ in 0..sweeps {
        for state in (0..x.len()).rev() {
            x[state] = b[state] + next(chain.edges(state), &x);
        }
    }
    x
}

/// One run of BiCGSTAB.
fn improve(chain: &Chain, b: &[f64], mut x: Vec<f64>) -> Vec<f64> {
    let n = x.len();
    let mut r = residual(chain, b, &x);
    // The vector of BiCGSTAB that stays the same through all iterations.
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
        // Broken down: a quotient by 0. What x has by now is as good as it gets, and the caller judges it.
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

/// out = (I - P) x.
fn multiply(chain: &Chain, x: &[f64], out: &mut [f64]) {
    chain.fill(out, |state, edges| x[state] - next(edges, x));
}

fn residual(chain: &Chain, b: &[f64], x: &[f64]) -> Vec<f64> {
    let mut r = vec![0.0; x.len()];
    chain.fill(&mut r, |state, edges| b[state] + next(edges, x) - x[state]);
    r
}

/// The mean of `x` after one more draw, 0 where the game has ended.
pub(super) fn next(edges: &[Edge], x: &[f64]) -> f64 {
    average(edges, |edge| edge.state().map_or(0.0, |to| x[to]))
}

/// Numbers that one thread adds up: the sum's order does not depend on the threads.
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

/// Replaces every p by a function of p, r and v.
fn update(p: &mut [f64], r: &[f64], v: &[f64], new: impl Fn(f64, f64, f64) -> f64 + Sync) {
    p.par_iter_mut().with_min_len(PART).zip(r).zip(v).for_each(|((p, r), v)| *p = new(*p, *r, *v));
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.par_chunks(PART)
        .map(|x| x.iter().fold(0.0, |most: f64, x| most.max(x.abs())))
        .reduce(|| 0.0, f64::max)
}
