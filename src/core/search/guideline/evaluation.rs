//! Computes a controller's value of a state by exact integer weights ([`Weights`]) and a neural
//! network ([`ValueNetwork`]), and splits scores into terms (features) for logs ([`Terms`]).

use fearless_simd::Simd;

use super::layer::{Node, SCALE};
use crate::controller::{
    BACK_TO_BACK, BAG, FULL, GuidelineController, HIDDEN, HOLD, HOLES, INPUTS, NETWORK_PIECES,
    NETWORK_ROWS, NETWORK_STEP, Network, SECOND, STEP_KINDS, STEPS,
};
use crate::features::Measured;
use crate::features::guideline::{
    CELLS_OVER_GOAL, COLUMN_TRANSITIONS, COMBO, COMPLETE_ROWS, COVERED, COVERED_SQUARED,
    ClearEvent, MATRIX_TERMS, OCCUPIED_CELLS, PERFECT_CHANCE, SLOT_TERMS, T_TRIPLES_2, T_TRIPLES_3,
    TERMS, Term, TermFunction, WELL_TERMS, values,
};
use crate::kernels::{Level, SetBits};
use crate::matrix::{Matrix, ROWS, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{GuidelineState, Hold, Placed, Spin};
use crate::simd::{VectorJob, run_vectors};

/// Weights of a guideline controller as integers, in steps of 1/[`SCALE`].
#[derive(Clone, Debug)]
pub struct Weights {
    pub(super) matrix: MatrixWeights,
    back_to_back: i64,
    hold: [i64; Piece::ALL.len()],
    events: EventWeights,
    pub(super) before_clear: bool,
    /// Neural network of the controller, if any; each beam layer clones it for its own memory.
    pub(super) network: Option<ValueNetwork>,
}

/// Well column of a matrix without a well: one beyond the last column.
pub(super) const NO_WELL: usize = WIDTH;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct MatrixWeights {
    all: [i64; MATRIX_TERMS],
    /// Index and weight of each matrix term whose weight is not 0, except terms of well columns.
    pub(super) listed: Vec<(usize, i64)>,
    /// Weights of the terms `well_column_0` to `well_column_9`, and 0 for [`NO_WELL`].
    pub(super) wells: [i64; WIDTH + 1],
    pub(super) cells: bool,
    pub(super) covers: bool,
    /// True if T-slots (places for a T-spin) have a weight; otherwise none are searched.
    pub(super) slots: bool,
    pub(super) triples: bool,
}

impl MatrixWeights {
    fn new(all: [i64; MATRIX_TERMS]) -> MatrixWeights {
        let is_weighed = |index: usize| all[index] != 0;
        let is_listed = |index: &usize| is_weighed(*index) && !WELL_TERMS.contains(index);
        let well = |column| WELL_TERMS.clone().nth(column).map_or(0, |index| all[index]);
        MatrixWeights {
            listed: (0..MATRIX_TERMS).filter(is_listed).map(|index| (index, all[index])).collect(),
            wells: std::array::from_fn(well),
            cells: [
                CELLS_OVER_GOAL,
                COLUMN_TRANSITIONS,
                COMPLETE_ROWS,
                OCCUPIED_CELLS,
                PERFECT_CHANCE,
            ]
            .into_iter()
            .any(is_weighed),
            covers: [COVERED, COVERED_SQUARED].into_iter().any(is_weighed),
            slots: SLOT_TERMS.into_iter().any(is_weighed),
            triples: [T_TRIPLES_2, T_TRIPLES_3].into_iter().any(is_weighed),
            all,
        }
    }

    /// Returns the weighted score of `matrix`; `left` is the number of rows still to remove, in
    /// games that end after a number of rows.
    #[inline]
    pub(super) fn score(&self, matrix: &Matrix, left: Option<u32>) -> i64 {
        let found = values(matrix, left, self.slots);
        found.iter().zip(&self.all).map(|(v, w)| i64::from(*v) * w).sum()
    }
}

#[derive(Clone, Debug, PartialEq)]
struct EventWeights {
    clears: [[i64; 5]; 3],
    back_to_back_clear: i64,
    back_to_back_lost: i64,
    perfect_clear: i64,
    combo: [i64; COMBO.len()],
    wasted_t: i64,
    jeopardy: i64,
    points: i64,
    attack: i64,
    rows_removed: i64,
}

impl Weights {
    /// Rounds the weights of `controller` to integers and prepares its neural network, if any.
    #[must_use]
    pub fn new(controller: &GuidelineController) -> Weights {
        let mut all = vec![0i64; TERMS.len()];
        for &(term, weight) in &controller.weights {
            all[term.index()] = (weight * SCALE).round() as i64;
        }
        let of = |name: &str| {
            let index = TERMS.iter().position(|term| term.name == name);
            index.map_or(0, |index| all[index])
        };
        let before_clear = controller.measured == Measured::BeforeClear;
        let mut matrix = [0; MATRIX_TERMS];
        for (term, weight) in Term::all().zip(&all) {
            if let Some(index) = term.matrix_index() {
                matrix[index] = *weight;
            }
        }
        let mut events = EventWeights::new(of);
        // Full rows exist only before they are removed, so their weight counts once per placement.
        let rows = std::mem::take(&mut matrix[COMPLETE_ROWS]);
        events.rows_removed += if before_clear { rows } else { 0 };
        let matrix = MatrixWeights::new(matrix);
        let hold = Piece::ALL.map(|piece| of(&format!("hold_{piece}").to_lowercase()));
        let network = controller.network.as_deref().map(ValueNetwork::new);
        Weights { hold, matrix, back_to_back: of("back_to_back"), events, before_clear, network }
    }

    /// Returns the sum of the weighted terms of matrix, hold and back-to-back after a placement, in
    /// steps of 1/[`SCALE`]. Games end after `goal` removed rows, if given.
    #[must_use]
    #[inline]
    pub fn board(&self, placed: &Placed, goal: Option<u32>) -> i64 {
        let matrix = if self.before_clear { &placed.locked } else { &placed.after.matrix };
        self.state(&GuidelineState { matrix: *matrix, ..placed.after }, goal)
    }

    pub(super) fn state(&self, state: &GuidelineState, goal: Option<u32>) -> i64 {
        let left = goal.map(|goal| goal.saturating_sub(state.lines));
        self.matrix.score(&state.matrix, left)
            + self.hold(state.hold)
            + self.back_to_back(state.combo_state.back_to_back())
    }

    #[inline]
    pub(super) fn hold(&self, hold: Hold) -> i64 {
        match hold {
            Hold::Piece(piece) => self.hold[piece as usize],
            Hold::Empty | Hold::Unknown => 0,
        }
    }

    #[inline]
    pub(super) fn back_to_back(&self, back_to_back: bool) -> i64 {
        if back_to_back { self.back_to_back } else { 0 }
    }

    /// Returns the reward of a placement without clear or spin, except the term `jeopardy`.
    #[inline]
    pub(super) fn quiet_reward(&self, piece: Piece) -> i64 {
        if piece == Piece::T { self.events.wasted_t } else { 0 }
    }

    #[inline]
    pub(super) fn jeopardy_reward(&self, height: i32) -> i64 {
        self.events.jeopardy * i64::from(height - 10).max(0)
    }

    /// Returns the reward of the placement that `event` describes, in steps of 1/[`SCALE`].
    #[must_use]
    #[inline]
    pub fn reward(&self, event: &ClearEvent) -> i64 {
        let (w, lines) = (&self.events, usize::from(event.lines));
        let mut sum = w.clears[event.spin as usize][lines];
        if lines > 0 {
            let difficult = lines == 4 || event.spin != Spin::None;
            sum += match (event.back_to_back, difficult) {
                (true, true) => w.back_to_back_clear,
                (true, false) => w.back_to_back_lost,
                (false, _) => 0,
            };
            sum += if event.perfect { w.perfect_clear } else { 0 };
            // The last entry also covers longer combos.
            sum += w.combo[usize::from(event.combo).min(COMBO.len() - 1)];
            sum += w.rows_removed * lines as i64;
        }
        // A T is wasted unless it spins and removes rows.
        if event.piece == Piece::T && (event.spin == Spin::None || lines == 0) {
            sum += w.wasted_t;
        }
        sum += w.points * i64::from(event.points) + w.attack * i64::from(event.attack);
        sum + self.jeopardy_reward(event.height.into())
    }
}

impl EventWeights {
    fn new(of: impl Fn(&str) -> i64) -> EventWeights {
        let kinds = ["clear", "mini", "t_spin"];
        let combo = of("combo");
        EventWeights {
            clears: kinds.map(|kind| std::array::from_fn(|lines| of(&format!("{kind}_{lines}")))),
            back_to_back_clear: of("back_to_back_clear"),
            back_to_back_lost: of("back_to_back_lost"),
            perfect_clear: of("perfect_clear"),
            combo: COMBO.map(|step| i64::from(step) * combo),
            wasted_t: of("wasted_t"),
            jeopardy: of("jeopardy"),
            points: of("points"),
            attack: of("attack"),
            rows_removed: of("rows_removed"),
        }
    }
}

/// Number of integer steps per 1,000 points in the values that a neural network returns.
const NETWORK_VALUE_STEPS: i64 = 65536;
/// Number of integer steps that represent an influence of 1, where the network alone determines a
/// state's value.
const INFLUENCE_STEPS: f64 = 65536.0;

/// Neural network that values game states, with working memory for the states of a beam layer.
#[derive(Clone, Debug)]
pub(super) struct ValueNetwork {
    network: Network,
    /// Influence of the neural network on a state's value, in steps of 1/[`INFLUENCE_STEPS`].
    influence: i64,
    /// Value of 1,000 game points in the score of a state, in steps of 1/[`SCALE`].
    thousand: i64,
    inputs: Vec<Vec<u16>>,
}

impl ValueNetwork {
    pub(super) fn new(network: &Network) -> ValueNetwork {
        let text = network.text();
        ValueNetwork {
            influence: (text.share * INFLUENCE_STEPS).round() as i64,
            thousand: (text.point * 1000.0 * SCALE).round() as i64,
            network: network.clone(),
            inputs: Vec::new(),
        }
    }

    /// Returns the network's value of each state, in steps of 1/65536 of 1,000 points.
    /// `bags[taken]` masks the pieces left in the bag.
    pub(super) fn values(&mut self, level: Level, nodes: &[Node], bags: &[u8]) -> Vec<i64> {
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

    /// Returns the value of the game `points` at the end of a game, in steps of 1/[`SCALE`].
    pub(super) fn value_of_points(&self, points: u32) -> i64 {
        i64::from(points) * self.thousand / 1000
    }

    /// Returns the mean of the score `by_terms` and the network's value (`points` so far plus
    /// `worth` to come), weighted by its influence.
    pub(super) fn mix(&self, by_terms: i64, points: u32, worth: i64) -> i64 {
        // No overflow: at most 10^6 points, and values below 10^13 steps.
        let points = i64::from(points) * NETWORK_VALUE_STEPS / 1000 + worth;
        let by_network = points * self.thousand / NETWORK_VALUE_STEPS;
        by_terms + (by_network - by_terms) * self.influence / INFLUENCE_STEPS as i64
    }
}

/// Lists the network inputs that are 1 for a game state; `bag` masks the pieces left in the bag.
fn list_inputs(state: &GuidelineState, bag: u8, inputs: &mut Vec<u16>) {
    inputs.clear();
    let mut filled = [0u16; NETWORK_ROWS];
    let mut heights = [0i32; WIDTH];
    for (column, cells) in state.matrix.columns().iter().enumerate() {
        let cells = cells & (u32::MAX << (ROWS - NETWORK_ROWS));
        for row in SetBits(u64::from(cells.reverse_bits())) {
            inputs.push((WIDTH * row + column) as u16);
            filled[row] += 1;
        }
        if cells != 0 {
            let covered = u32::MAX << cells.trailing_zeros();
            heights[column] = covered.count_ones() as i32;
            inputs.extend(
                SetBits(u64::from((covered & !cells).reverse_bits()))
                    .map(|row| (HOLES + WIDTH * row + column) as u16),
            );
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

/// Weighted terms (features) of a controller, for explanations; play uses [`super::Weights`].
#[derive(Clone, Debug)]
pub struct Terms {
    weights: Vec<(Term, f64)>,
    measured: Measured,
    goal: Option<u32>,
    slots: bool,
}

impl Terms {
    /// Creates the terms of a controller; the game ends after `goal` removed rows, if given.
    #[must_use]
    pub fn new(controller: &GuidelineController, goal: Option<u32>) -> Terms {
        Terms::weighted(controller.weights.clone(), controller.measured, goal)
    }

    /// Creates terms (features) with `weights`; the game ends after `goal` removed rows, if given.
    #[must_use]
    pub fn weighted(weights: Vec<(Term, f64)>, measured: Measured, goal: Option<u32>) -> Terms {
        let slots = weights.iter().any(|(term, _)| term.is_slot_term());
        Terms { weights, measured, goal, slots }
    }

    /// Creates an empty list of terms (features), for a human player without a controller.
    #[must_use]
    pub fn none() -> Terms {
        Terms::weighted(Vec::new(), Measured::AfterClear, None)
    }

    /// Creates a list of all terms (features) of guideline games, each with weight 0.
    #[must_use]
    pub fn all(measured: Measured, goal: Option<u32>) -> Terms {
        Terms::weighted(Term::all().map(|term| (term, 0.0)).collect(), measured, goal)
    }

    /// Returns each term (feature) with its weight, in the controller's order.
    #[must_use]
    pub fn weights(&self) -> &[(Term, f64)] {
        &self.weights
    }

    /// Returns the matrix that the controller measures, before or after full rows are removed.
    #[must_use]
    pub fn measured<'a>(&self, placed: &'a Placed) -> &'a Matrix {
        match self.measured {
            Measured::BeforeClear => &placed.locked,
            Measured::AfterClear => &placed.after.matrix,
        }
    }

    /// Returns the value of each term (feature) after a placement, in the controller's order.
    #[must_use]
    pub fn values(&self, placed: &Placed) -> Vec<i32> {
        self.values_of(self.measured(placed), &placed.after, Some(&placed.event))
    }

    /// Returns each term's value on `matrix` in the game state `after`; without `event`, terms of
    /// the placement itself are 0.
    #[must_use]
    pub fn values_of(
        &self,
        matrix: &Matrix,
        after: &GuidelineState,
        event: Option<&ClearEvent>,
    ) -> Vec<i32> {
        let left = self.goal.map(|goal| goal.saturating_sub(after.lines));
        let found = values(matrix, left, self.slots);
        let value = |&(term, _): &(Term, f64)| match term.definition().measure {
            TermFunction::ClearEvent(function) => event.map_or(0, function),
            _ => match term.matrix_index() {
                Some(index) => found[index],
                None => state_term(term, after).unwrap_or(0),
            },
        };
        self.weights.iter().map(value).collect()
    }
}

/// Returns the value in `state` of a term of back-to-back or the hold; `None` for other terms.
#[must_use]
pub fn state_term(term: Term, state: &GuidelineState) -> Option<i32> {
    match term.definition().measure {
        TermFunction::BackToBack => Some(state.combo_state.back_to_back().into()),
        TermFunction::Hold(piece) => Some((state.hold == Hold::Piece(piece)).into()),
        TermFunction::Matrix(_) | TermFunction::Goal(_) | TermFunction::ClearEvent(_) => None,
    }
}

/// Returns the exact amount that a term's `value` adds to a score by its `weight`, in steps of
/// 1/[`SCALE`].
#[must_use]
pub fn to_steps(weight: f64, value: i32) -> i64 {
    // Rounding the weight before the product, as in play, makes terms add up exactly to the score.
    (weight * SCALE).round() as i64 * i64::from(value)
}
