//! Represents the games of a player as a finite Markov chain.

use std::ops::Range;

use rayon::prelude::*;

/// Markov chain of a player's games. The transitions out of one state are equally likely.
///
/// States are numbered in the order in which they are found, breadth first.
#[derive(Debug)]
pub struct Chain {
    pub(super) starts: Vec<u32>,
    offsets: Vec<usize>,
    edges: Vec<Edge>,
}

/// Transition of a [`Chain`] after one draw of the queue: the next state or end, and the number of
/// removed rows, in 4 bytes.
///
/// ```text
/// bits 31-29   28 ... 0
/// lines 0-4    state, or 2^29 - 2: lost, or 2^29 - 1: blocked
/// ```
///
/// The size matters because edges take most of a chain's memory. With a uniform queue, each state
/// has seven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge(u32);

/// Target of an [`Edge`]: a state, or an end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeTarget {
    /// Number of the next state, in which the game goes on.
    State(u32),
    /// End of the game by the placement of the piece.
    Lost,
    /// End of the game because the piece could not enter the board. The piece is not counted.
    Blocked,
}

/// Largest number of states of a chain. An edge has 29 bits for a state, and two of their values
/// mark the ends of a game.
pub(super) const MOST_STATES: usize = LOST_BITS as usize;
/// Number of states that a thread processes at a time.
const BLOCK: usize = 4096;
const TO_BITS: u32 = 29;
const LOST_BITS: u32 = BLOCKED_BITS - 1;
const BLOCKED_BITS: u32 = (1 << TO_BITS) - 1;

impl Edge {
    pub(super) fn new(to: EdgeTarget, lines: u8) -> Edge {
        let bits = match to {
            EdgeTarget::State(state) => state,
            EdgeTarget::Lost => LOST_BITS,
            EdgeTarget::Blocked => BLOCKED_BITS,
        };
        Edge(u32::from(lines) << TO_BITS | bits)
    }

    pub(super) fn to(self) -> EdgeTarget {
        match self.0 & BLOCKED_BITS {
            LOST_BITS => EdgeTarget::Lost,
            BLOCKED_BITS => EdgeTarget::Blocked,
            state => EdgeTarget::State(state),
        }
    }

    /// Returns the number of the next state, or `None` if the game ends.
    pub(super) fn state(self) -> Option<usize> {
        match self.to() {
            EdgeTarget::State(state) => Some(state as usize),
            EdgeTarget::Lost | EdgeTarget::Blocked => None,
        }
    }

    pub(super) fn lines(self) -> f64 {
        f64::from(self.0 >> TO_BITS)
    }

    /// Returns the number of pieces placed: 1, or 0 if the piece could not enter.
    pub(super) fn pieces(self) -> f64 {
        if self.to() == EdgeTarget::Blocked { 0.0 } else { 1.0 }
    }
}

impl Chain {
    /// Returns a chain without transitions whose games begin in one of the states `starts`, each
    /// equally likely.
    pub(super) fn starting(starts: Vec<u32>) -> Chain {
        Chain { starts, offsets: vec![0], edges: Vec::new() }
    }

    pub(super) fn push(&mut self, edges: impl IntoIterator<Item = Edge>) {
        self.edges.extend(edges);
        self.offsets.push(self.edges.len());
    }

    /// Returns the number of states whose transitions are known.
    #[must_use]
    pub fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the transitions out of `state`, each with equal probability.
    pub(super) fn edges(&self, state: usize) -> &[Edge] {
        &self.edges[self.offsets[state]..self.offsets[state + 1]]
    }

    /// Replaces every edge by `new(state, place, edge)`, where `place` is the index of the edge
    /// within `state`. Returns the number of edges that changed.
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

    /// Returns, for every state, the mean of `of` over the edges out of the state.
    pub(super) fn mean(&self, of: impl Fn(Edge) -> f64 + Sync) -> Vec<f64> {
        let mut means = vec![0.0; self.states()];
        self.fill(&mut means, |_, edges| average(edges, &of));
        means
    }

    /// Fills `out` with `value(state, edges)` for every state. One thread computes each value
    /// alone, so results do not depend on the number of threads.
    pub(super) fn fill(&self, out: &mut [f64], value: impl Fn(usize, &[Edge]) -> f64 + Sync) {
        let value = &value;
        out.par_iter_mut()
            .with_min_len(BLOCK)
            .enumerate()
            .for_each(|(state, out)| *out = value(state, self.edges(state)));
    }

    /// Returns the mean of `values`, one per state, over the start states.
    pub(super) fn at_start(&self, values: &[f64]) -> f64 {
        let sum: f64 = self.starts.iter().map(|&start| values[start as usize]).sum();
        sum / self.starts.len() as f64
    }

    /// Returns the number of states from which no game ends. If it is not 0, the mean length of a
    /// game is infinite, because every state can be reached.
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

    /// Returns the probabilities that a game still runs after 0, 1, 2, ... pieces, up to `pieces`.
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
