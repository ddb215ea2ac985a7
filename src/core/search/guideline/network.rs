//! Computes the values of states by a controller's neural network, at every instruction level.

use fearless_simd::Simd;

use crate::controller::{
    BACK_TO_BACK, BAG, FULL, HIDDEN, HOLD, HOLES, INPUTS, NETWORK_PIECES, NETWORK_ROWS,
    NETWORK_STEP, Network, SECOND, STEP_KINDS, STEPS,
};
use crate::kernels::Level;
use crate::matrix::{ROWS, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{GuidelineState, Hold};
use crate::simd::{VectorJob, run_vectors};

use super::node::{Node, SCALE};

/// Number of steps per 1,000 points in a network's value.
const FRACTIONS: i64 = 65536;
/// Number of steps in a share of 1, at which a value depends on the network alone.
const SHARES: f64 = 65536.0;

/// A prepared neural network, with memory for the states of a layer.
#[derive(Clone, Debug)]
pub(super) struct ValueNetwork {
    network: Network,
    /// Share of the network in a value, in steps of 1/[`SHARES`].
    share: i64,
    /// Value of 1,000 points, in steps of 1/[`SCALE`].
    thousand: i64,
    /// Indices of the active inputs of each state.
    inputs: Vec<Vec<u16>>,
}

impl ValueNetwork {
    pub(super) fn new(network: &Network) -> ValueNetwork {
        let text = network.text();
        ValueNetwork {
            share: (text.share * SHARES).round() as i64,
            thousand: (text.point * 1000.0 * SCALE).round() as i64,
            network: network.clone(),
            inputs: Vec::new(),
        }
    }

    /// Returns the network's values of the states of `nodes`, in steps of 1/65536 of 1,000 points.
    /// `bags` has masks of the pieces left in the bag, indexed by the number of pieces that a state
    /// has taken.
    pub(super) fn worth(&mut self, level: Level, nodes: &[Node], bags: &[u8]) -> Vec<i64> {
        self.inputs.resize(self.inputs.len().max(nodes.len()), Vec::new());
        for (inputs, Node { state, .. }) in self.inputs.iter_mut().zip(nodes) {
            // An unseen piece may be taken into the hold, so the index is limited.
            let bag = bags[(state.taken as usize).min(bags.len() - 1)];
            list_inputs(state, bag, inputs);
        }
        let mut worth = vec![0; nodes.len()];
        let ValueNetwork { network, inputs, .. } = self;
        run_vectors(level, NetworkJob { network, inputs, worth: &mut worth });
        worth
    }

    /// Returns the value of `points` in steps of 1/[`SCALE`], if no more points can follow.
    pub(super) fn earned(&self, points: u32) -> i64 {
        i64::from(points) * self.thousand / 1000
    }

    /// Returns the value of a state, mixed from the value `by_terms` and the network's value in the
    /// ratio of the share. The network's value is the sum of `points` so far and `worth`, the
    /// network's output.
    pub(super) fn mix(&self, by_terms: i64, points: u32, worth: i64) -> i64 {
        // No overflow: at most 10^6 points, and values below 10^13 steps.
        let points = i64::from(points) * FRACTIONS / 1000 + worth;
        let by_network = points * self.thousand / FRACTIONS;
        by_terms + (by_network - by_terms) * self.share / SHARES as i64
    }
}

/// Writes the indices of the active inputs of `state` to `inputs`. `bag` is a mask of the pieces
/// left in the bag.
fn list_inputs(state: &GuidelineState, bag: u8, inputs: &mut Vec<u16>) {
    inputs.clear();
    let mut filled = [0u16; NETWORK_ROWS];
    let mut heights = [0i32; WIDTH];
    for (column, cells) in state.matrix.columns().iter().enumerate() {
        let cells = cells & (u32::MAX << (ROWS - NETWORK_ROWS));
        for row in rows(cells) {
            inputs.push((WIDTH * row + column) as u16);
            filled[row] += 1;
        }
        if cells != 0 {
            let covered = u32::MAX << cells.trailing_zeros();
            heights[column] = covered.count_ones() as i32;
            inputs.extend(rows(covered & !cells).map(|row| (HOLES + WIDTH * row + column) as u16));
        }
    }
    let held = |piece: &Piece| state.hold == Hold::Piece(*piece);
    let hold = NETWORK_PIECES.iter().position(held).unwrap_or(NETWORK_PIECES.len());
    inputs.push((HOLD + hold) as u16);
    let in_bag = (0..).zip(NETWORK_PIECES).filter(|&(_, piece)| bag >> piece as u8 & 1 == 1);
    inputs.extend(in_bag.map(|(at, _)| BAG as u16 + at));
    if state.combo_state.back_to_back() {
        inputs.push(BACK_TO_BACK as u16);
    }
    let full = (0u16..).zip(filled).filter(|&(_, cells)| cells > 0);
    inputs.extend(full.map(|(row, cells)| FULL as u16 + WIDTH as u16 * row + cells - 1));
    for (pair, heights) in (0..).zip(heights.windows(2)) {
        let step = (heights[1] - heights[0]).clamp(-NETWORK_STEP, NETWORK_STEP);
        inputs.push((STEPS as i32 + STEP_KINDS as i32 * pair + step + NETWORK_STEP) as u16);
    }
}

/// Returns the rows of the filled `cells` of a column, the lowest first: row r is bit 31 - r.
fn rows(cells: u32) -> impl Iterator<Item = usize> {
    let mut rest = cells.reverse_bits();
    std::iter::from_fn(move || {
        let row = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (row < ROWS).then_some(row)
    })
}

/// A job that computes the network's values of states.
struct NetworkJob<'a> {
    network: &'a Network,
    inputs: &'a [Vec<u16>],
    worth: &'a mut [i64],
}

impl VectorJob for NetworkJob<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let NetworkJob { network, inputs, worth } = self;
        for k in 0..worth.len() {
            let mut act = network.first[INPUTS];
            for input in &inputs[k] {
                let row = &network.first[usize::from(*input)];
                for j in 0..HIDDEN {
                    // `Network::new` refuses networks whose sums could overflow.
                    act[j] = act[j].wrapping_add(row[j]);
                }
            }
            for sum in &mut act {
                *sum = (*sum).max(0);
            }
            let mut sum = network.text().third_bias;
            for s in 0..SECOND {
                let row = &network.second[s];
                let mut unit = network.second_bias[s];
                for j in 0..HIDDEN {
                    unit = unit.wrapping_add(i32::from(act[j]) * i32::from(row[j]));
                }
                sum += i64::from(unit.max(0) >> 8) * i64::from(network.third[s]);
            }
            worth[k] = sum;
        }
    }
}
