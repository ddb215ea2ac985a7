//! Builds one layer of a beam search: possible placements, their values, and the states kept.
//!
//! The placements of a layer are [`Child`]ren. Only kept children become states ([`Node`]); the
//! matrices of the others exist only in a [`MatrixBatch`] until their scores are computed. The
//! *root* of a state is the first placement of the search that leads to it.

use super::evaluation::{ValueNetwork, Weights};
use super::matrix_batch::{BATCH_SIZE, MatrixBatch, full_beside};
use crate::features::guideline::ClearEvent;
use crate::kernels::Level;
use crate::matrix::{Matrix, ROWS, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{
    Clear, ComboState, Guideline, GuidelineState, Landing, Spin, points,
};

/// Number of integer steps in one unit of weight. Integers make sums exact, so every machine finds
/// the same best placement.
pub const SCALE: f64 = 1e7;

/// Marker for a placement without a value, lower than every real value.
pub(super) const NO_VALUE: i64 = i64::MIN;

/// Game state kept by a beam search, with sums over the placements that lead to the state.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Sum of the rewards of the placements that lead to the state.
    pub(super) reward: i64,
    /// Sum of the points of the placements that lead to the state, without points for drops.
    pub(super) points: u32,
    pub(super) root: u16,
    /// Amount that the neural network adds to the state's value; before the network runs, the
    /// preceding state's amount.
    pub(super) by_network: i64,
    pub(super) state: GuidelineState,
}

#[derive(Clone, Copy)]
struct Child {
    value: i64,
    reward: i64,
    points: u32,
    /// Index of the kept state of the previous layer in which the piece is placed.
    from: u32,
    root: u16,
    /// Index of the placed piece in the preceding state's [`GuidelineState::choices`].
    choice: u8,
    landing: Landing,
}

/// Masks of a matrix for finding the rows that a placed piece completes.
pub(super) struct FullRows {
    /// Cells of each column of the matrix, one bit for each row, then three filled columns.
    columns: [u32; WIDTH + 3],
    /// Rows that are full in all columns left of each column, one bit for each row.
    before: [u32; WIDTH + 1],
    /// For each column, a mask of the rows that are full from the column to the right wall.
    from: [u32; WIDTH + 4],
}

impl FullRows {
    pub(super) fn new(matrix: &Matrix) -> FullRows {
        let [before, beside] = full_beside(matrix.columns());
        let (mut columns, mut from) = ([u32::MAX; WIDTH + 3], [u32::MAX; WIDTH + 4]);
        columns[..WIDTH].copy_from_slice(matrix.columns());
        from[..=WIDTH].copy_from_slice(&beside);
        FullRows { columns, before, from }
    }

    #[inline]
    fn completed_by(&self, (left, cells): (usize, [u32; 4])) -> u32 {
        let mut full = self.before[left] & self.from[left + 4];
        for (column, cells) in self.columns[left..left + 4].iter().zip(cells) {
            full &= column | cells;
        }
        full
    }
}

/// Placement whose state has been built, with the data by which a layer of the beam ranks it.
#[derive(Clone, Copy)]
struct KeptChild {
    value: i64,
    key: u64,
    root: u16,
    at: u32,
}

/// Best value among the sequences that begin with each first placement, or [`NO_VALUE`].
pub(super) type BestValues = Vec<i64>;

pub(super) struct Layer {
    width: usize,
    goal: Option<u32>,
    level: Level,
    batch: Box<MatrixBatch>,
    /// Placements that wait for their score. The flag is true for those that remove no row and have
    /// no spin, under rules that keep all rows.
    waiting: Vec<(Child, bool)>,
    /// For each waiting placement with a false flag, true if it removes the last row required.
    ends: [bool; BATCH_SIZE],
    children: Vec<Child>,
    /// Number of collected placements at which the layer drops all but the best.
    capacity: usize,
    /// Smallest value with which a placement can still be among those that the layer keeps.
    floor: i64,
    has_next: bool,
    count: u64,
    best: BestValues,
    /// Best value of each first placement among sequences that end the game.
    ending: BestValues,
    nodes: Vec<Node>,
    kept: Vec<KeptChild>,
    /// Hash table of the kept states: 1 plus the index of the state's node, or 0 for an empty slot.
    table: Vec<u32>,
    network: Option<ValueNetwork>,
    is_last: bool,
}

impl Layer {
    pub(super) fn new(goal: Option<u32>, level: Level, network: Option<ValueNetwork>) -> Layer {
        Layer {
            width: 1,
            goal,
            level,
            batch: Box::default(),
            waiting: Vec::with_capacity(BATCH_SIZE),
            ends: [false; BATCH_SIZE],
            children: Vec::new(),
            capacity: 0,
            floor: i64::MIN,
            has_next: false,
            count: 0,
            best: Vec::new(),
            ending: Vec::new(),
            nodes: Vec::new(),
            kept: Vec::new(),
            table: Vec::new(),
            network,
            is_last: false,
        }
    }

    /// Starts a layer that keeps `width` states; `is_last` is true if the layer ends the game.
    pub(super) fn begin(&mut self, width: usize, roots: usize, has_next: bool, is_last: bool) {
        self.is_last = is_last;
        self.width = width;
        self.children.clear();
        self.capacity = 8 * self.width.max(BATCH_SIZE);
        self.floor = i64::MIN;
        self.has_next = has_next;
        self.count = 0;
        for best in [&mut self.best, &mut self.ending] {
            best.clear();
            best.resize(roots, NO_VALUE);
        }
    }

    /// Adds a placement in the kept state `node` (index `from`) to the layer; `held` is the weight
    /// of the piece in the hold afterwards.
    #[inline]
    pub(super) fn add(
        &mut self,
        weights: &Weights,
        rules: &Guideline,
        (from, node, rows): (usize, &Node, &FullRows),
        (choice, held): (u8, i64),
        landing: Landing,
        root: u16,
    ) {
        let &Node { reward, points, by_network, ref state, .. } = node;
        let piece = landing.columns();
        let is_quiet = landing.spin == Spin::None
            && usize::from(rules.kept_rows) == ROWS
            && rows.completed_by(piece) == 0;
        let (reward, points, combo_state) = if is_quiet {
            let left = self.goal.map(|goal| goal.saturating_sub(state.lines));
            self.batch.push_with_piece(&state.matrix, piece, left);
            // A combo that ends here has no value.
            (reward + weights.quiet_reward(landing.piece), points, state.combo_state)
        } else {
            self.push_clearing(weights, rules, node, landing)
        };
        let chain = weights.back_to_back(combo_state.back_to_back());
        let value = by_network + reward + held + chain;
        let child = Child { value, reward, points, from: from as u32, root, choice, landing };
        self.waiting.push((child, is_quiet));
        if self.batch.is_full() {
            self.score_waiting(weights);
        }
    }

    /// Adds a placement that may clear rows or spin; returns the sequence's rewards and points, and
    /// the combo after the placement.
    fn push_clearing(
        &mut self,
        weights: &Weights,
        rules: &Guideline,
        Node { reward, points: before, state, .. }: &Node,
        landing: Landing,
    ) -> (i64, u32, ComboState) {
        let locked = GuidelineState::locked(&state.matrix, rules, landing);
        let (after, lines) = locked.clear();
        let perfect = lines > 0 && after.is_empty();
        let clear = Clear { lines: lines as u8, spin: landing.spin, perfect };
        let earned = points(rules, clear, state.combo_state).total();
        let attack = rules.attack.lines_sent(clear, state.combo_state);
        let reward = reward
            + weights.reward(&ClearEvent {
                piece: landing.piece,
                lines: clear.lines,
                spin: clear.spin,
                perfect,
                combo: state.combo_state.combo,
                back_to_back: state.combo_state.back_to_back(),
                height: after.stack_height() as u8,
                points: earned,
                attack,
            });
        let lines = state.lines + lines;
        let left = self.goal.map(|goal| goal.saturating_sub(lines));
        self.ends[self.batch.len() % BATCH_SIZE] = left == Some(0);
        self.batch.push(if weights.before_clear { &locked } else { &after }, left);
        (reward, before + earned, state.combo_state.after(rules, clear))
    }

    fn score_waiting(&mut self, weights: &Weights) {
        self.batch.compute_scores(self.level, &weights.matrix);
        self.count += self.batch.len() as u64;
        for (index, (mut child, is_quiet)) in self.waiting.drain(..).enumerate() {
            if is_quiet {
                let high = weights.jeopardy_reward(self.batch.height(index));
                child.value += high;
                child.reward += high;
            }
            child.value += self.batch.score(index);
            if let (Some(network), true) = (&self.network, self.is_last) {
                child.value = network.value_of_points(child.points);
            }
            let root = usize::from(child.root);
            if self.best.len() <= root {
                self.best.resize(root + 1, NO_VALUE);
                self.ending.resize(root + 1, NO_VALUE);
            }
            self.best[root] = self.best[root].max(child.value);
            if self.ends[index % BATCH_SIZE] && !is_quiet {
                self.ending[root] = self.ending[root].max(child.value);
            }
            if child.value >= self.floor && self.has_next {
                self.children.push(child);
            }
        }
        self.batch.clear();
        if self.children.len() >= self.capacity {
            self.prune();
            self.capacity = self.capacity.max(2 * self.children.len());
        }
    }

    /// Scores the placements that still wait; returns the number of placements in the layer.
    pub(super) fn finish(&mut self, weights: &Weights) -> u64 {
        self.score_waiting(weights);
        self.count
    }

    /// Returns the best value of each first placement, and true if the values count only sequences
    /// that end the game.
    pub(super) fn best(&self) -> (&BestValues, bool) {
        let ends = self.ending.iter().any(|&value| value != NO_VALUE);
        (if ends { &self.ending } else { &self.best }, ends)
    }

    pub(super) fn has_network(&self) -> bool {
        self.network.is_some()
    }

    /// Writes each first placement's best value among the states that [`Layer::keep`] ranked.
    pub(super) fn best_kept(&self, best: &mut BestValues) {
        best.clear();
        best.resize(self.best.len(), NO_VALUE);
        for kept in &self.kept {
            let best = &mut best[usize::from(kept.root)];
            *best = (*best).max(kept.value);
        }
    }

    /// Returns how many placements become states: more than the beam's width, because equal states
    /// are merged and the network reorders them.
    // Mean points per game: 110,936 with twice the width, 112,021 with four times, 111,791 with
    // eight times (docs/lab/records.md).
    fn max_kept(&self) -> usize {
        if self.network.is_some() { 4 * self.width } else { 2 * self.width }
    }

    /// Removes all but the best placements from the layer. Placements that rank equal to the last
    /// of the best are kept, too.
    fn prune(&mut self) {
        let most = self.max_kept();
        if self.children.len() <= most {
            return;
        }
        let rank = |child: &Child| (std::cmp::Reverse(child.value), child.root);
        self.children.select_nth_unstable_by_key(most - 1, rank);
        let last = rank(&self.children[most - 1]);
        self.floor = self.children[most - 1].value;
        let mut len = most;
        for at in most..self.children.len() {
            if rank(&self.children[at]) == last {
                self.children.swap(len, at);
                len += 1;
            }
        }
        self.children.truncate(len);
    }

    fn add_network_values(&mut self, bags: &[u8]) {
        let (Some(network), false) = (&mut self.network, self.is_last) else { return };
        let values = network.values(self.level, &self.nodes, bags);
        for ((kept, node), value) in self.kept.iter_mut().zip(&mut self.nodes).zip(values) {
            let by_terms = kept.value - node.by_network;
            kept.value = network.mix(by_terms, node.points, value);
            node.by_network = kept.value - by_terms;
        }
    }

    pub(super) fn add_network_values_to_paths(
        &mut self,
        paths: &mut [Node],
        weights: &Weights,
        bags: &[u8],
    ) {
        let Some(network) = &mut self.network else { return };
        let values = network.values(self.level, paths, bags);
        for (node, value) in paths.iter_mut().zip(values) {
            let by_terms = node.reward + weights.state(&node.state, self.goal);
            node.by_network = network.mix(by_terms, node.points, value) - by_terms;
        }
    }

    /// Replaces the kept states `nodes` by the best distinct states of the layer. `bags[taken]`
    /// masks the pieces left in the bag.
    pub(super) fn keep(
        &mut self,
        nodes: &mut Vec<Node>,
        rules: &Guideline,
        known: &[Piece],
        bags: &[u8],
    ) {
        self.prune();
        self.nodes.clear();
        self.kept.clear();
        for Child { value, reward, points, from, root, choice, landing } in self.children.drain(..)
        {
            let Node { by_network, state: ref parent, .. } = nodes[from as usize];
            let Some(choice) = parent.choices(rules, known)[usize::from(choice)] else { continue };
            let state = parent.place(rules, &choice, landing).after;
            let at = self.nodes.len() as u32;
            self.kept.push(KeptChild { value, key: state.key(), root, at });
            self.nodes.push(Node { reward, points, root, by_network, state });
        }
        self.add_network_values(bags);
        self.kept.sort_unstable_by_key(|kept| (std::cmp::Reverse(kept.value), kept.root, kept.key));
        self.kept.truncate(self.max_kept());
        nodes.clear();
        let slots = (4 * self.width).next_power_of_two();
        self.table.clear();
        self.table.resize(slots, 0);
        for kept in &self.kept {
            let node = &self.nodes[kept.at as usize];
            let mut slot = kept.key as usize & (slots - 1);
            while let Some(other) = self.table[slot].checked_sub(1) {
                if nodes[other as usize].state == node.state {
                    break;
                }
                slot = (slot + 1) & (slots - 1);
            }
            if self.table[slot] == 0 {
                nodes.push(*node);
                self.table[slot] = nodes.len() as u32;
                if nodes.len() == self.width {
                    return;
                }
            }
        }
    }
}
