//! Beam search over the known pieces and the hold.
//!
//! Layer by layer: every state that was kept is continued by every landing of the current piece and of the one that
//! the hold gives, and the best `width` states of the next layer are kept. A state's value is what the placements on
//! the way to it earned and what its matrix is worth; what a matrix on the way was worth does not count.

use std::cmp::Reverse;

use crate::piece::Piece;
use crate::rules::guideline::{
    Choice, GuidelineState, Hold, Landing, Landings, MoveGenerator, Placed,
};

use super::evaluation::Weights;
use super::two_best::two_best;

/// How far and how wide a search looks. Depth 1 is greedy, whatever the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beam {
    /// States kept after each placement.
    pub width: usize,
    /// Placements looked ahead at most.
    pub depth: usize,
}

/// A placement chosen.
#[derive(Clone, Copy, Debug)]
pub struct BeamDecision {
    /// Which piece.
    pub choice: Choice,
    /// Where.
    pub landing: Landing,
    /// What it did.
    pub placed: Placed,
    /// What the search found.
    pub found: Found,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Value of the placement chosen, in steps of 1/[`super::SCALE`].
    pub value: i64,
    /// The same of the best other placement; none when every state that was left began with the one
    /// chosen.
    pub second: Option<i64>,
    /// Placements that there were to choose from: those of both pieces.
    pub choices: u32,
    /// Placements looked at, those of later pieces included.
    pub looked_at: u64,
}

/// A placement that there is, and what it is worth.
#[derive(Clone, Copy, Debug)]
pub struct RankedLanding {
    /// Which piece; `taken` is counted from the current one.
    pub choice: Choice,
    /// Where.
    pub landing: Landing,
    /// What it does.
    pub placed: Placed,
    /// What it is worth by itself, in steps of 1/[`super::SCALE`]: what it earns and what the matrix after it
    /// is worth. Greedy play goes by it.
    pub own: i64,
    /// Its value under the search, in the same steps: of the best line that begins with it. `None` when it
    /// loses, when the beam kept no line that begins with it, and when others win the game.
    pub value: Option<i64>,
}

impl RankedLanding {
    /// Puts the placement that is played first, then the others by value, by what they are worth themselves
    /// where they have none, and those that lose last.
    pub fn sort_best_first(ranked: &mut [RankedLanding]) {
        ranked.sort_by_key(|RankedLanding { value, own, placed, .. }| {
            // Of equal values the first found is played.
            Reverse((*value, !placed.lost, if value.is_some() { 0 } else { *own }))
        });
    }
}

/// Chooses placements in guideline games; keeps its working memory, so that there is one per thread.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{controller::GuidelineController, kernels::Level, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, Moves, Reach, Standing};
/// use tetrastat::search::guideline::{Beam, Player, Weights};
/// let weights = Weights::new(&GuidelineController::load("tetrastat-sprint")?);
/// let reach = Reach::new(Guideline::official(), Moves::All, Level::detect());
/// let mut player = Player::new(reach, weights, Beam { width: 20, depth: 3 }, Some(40));
/// let known = [Piece::T, Piece::I, Piece::O]; // the current piece and two previews
/// let decision = player.decide(&Standing::default(), &known, 1000).expect("an empty matrix has room");
/// assert!(decision.found.choices >= 34 && decision.found.looked_at > 34);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct BeamPlayer {
    reach: MoveGenerator,
    weights: Weights,
    beam: Beam,
    /// Rows that end the game.
    goal: Option<u32>,
    landings: Landings,
    nodes: Vec<Node>,
    children: Vec<Node>,
    roots: Vec<(Choice, Landing, Placed)>,
    looked_at: u64,
}

/// A state on the way.
#[derive(Clone, Copy)]
struct Node {
    /// `earned`, and what its matrix is worth: the order in which nodes are kept.
    value: i64,
    /// What the placements on the way earned.
    earned: i64,
    /// Of its state, so that like states are found by sorting.
    key: u64,
    /// Index of the first placement on the way, in `roots`.
    root: u16,
    state: GuidelineState,
}

impl Node {
    /// Its value, and the root that it comes from.
    const fn found(&self) -> (i64, u16) {
        (self.value, self.root)
    }
}

impl BeamPlayer {
    /// A player; `goal` is how many rows end the game.
    #[must_use]
    pub fn new(
        reach: MoveGenerator,
        weights: Weights,
        beam: Beam,
        goal: Option<u32>,
    ) -> BeamPlayer {
        BeamPlayer {
            reach,
            weights,
            beam,
            goal,
            landings: Landings::default(),
            nodes: Vec::new(),
            children: Vec::new(),
            roots: Vec::new(),
            looked_at: 0,
        }
    }

    /// Its generator.
    #[must_use]
    pub fn reach(&self) -> &MoveGenerator {
        &self.reach
    }

    /// The best placement; `known` is the current piece and those after it that are seen, and
    /// `left` how many pieces the game may still last. `None` when no piece can be placed without
    /// losing.
    pub fn decide(
        &mut self,
        state: &GuidelineState,
        known: &[Piece],
        left: usize,
    ) -> Option<BeamDecision> {
        let taken = state.taken;
        let best = self.look_ahead(state, known, left, |nodes, goal| {
            two_best(lasting(nodes, goal).map(Node::found))
        });
        let (value, root, second) = best?;
        let (mut choice, landing, mut placed) = self.roots[root as usize];
        // Added, since the search counts pieces from the current one and the game from its first.
        choice.taken += taken;
        placed.after.taken += taken;
        let choices = self.roots.len() as u32;
        let found = Found { value, second, choices, looked_at: self.looked_at };
        Some(BeamDecision { choice, landing, placed, found })
    }

    /// Every placement of the pieces that may be placed now, those that lose among them, in the order by which
    /// the first of equal ones is played. As for [`BeamPlayer::decide`].
    pub fn rank(
        &mut self,
        state: &GuidelineState,
        known: &[Piece],
        left: usize,
    ) -> Vec<RankedLanding> {
        let values = self.look_ahead(state, known, left, best_of_roots).unwrap_or_default();
        // Values are in the order of roots, which is that of this loop, since both skip placements that lose.
        let mut values = values.into_iter();
        let start = GuidelineState { taken: 0, ..*state };
        let rules = *self.reach.rules();
        let mut ranked = Vec::new();
        for choice in start.choices(&rules, known).into_iter().flatten() {
            self.reach.landings(&start.matrix, choice.piece, &mut self.landings);
            ranked.extend(self.landings.iter().map(|landing| {
                let placed = start.place(&rules, &choice, landing);
                // Placements that lose are no roots of the search.
                let value = if placed.lost { None } else { values.next().flatten() };
                RankedLanding { choice, landing, placed, own: self.own(&placed), value }
            }));
        }
        ranked
    }

    /// What a placement is worth by itself, in steps of 1/[`super::SCALE`].
    #[must_use]
    pub fn own(&self, placed: &Placed) -> i64 {
        self.weights.earned(&placed.act) + self.weights.board(placed, self.goal)
    }

    /// Looks ahead, layer by layer; what `sum_up` makes of the last layer that there is. It is given rows that end
    /// the game when only states that have them count, and finds nothing when none has.
    fn look_ahead<T>(
        &mut self,
        state: &GuidelineState,
        known: &[Piece],
        left: usize,
        sum_up: impl Fn(&[Node], Option<u32>) -> Option<T>,
    ) -> Option<T> {
        self.roots.clear();
        self.nodes.clear();
        self.looked_at = 0;
        // `known` begins with the current piece.
        let start = GuidelineState { taken: 0, ..*state };
        self.nodes.push(Node { value: 0, earned: 0, key: 0, root: 0, state: start });
        let mut best = None;
        for depth in 0..self.beam.depth.min(left.max(1)) {
            self.expand(known, depth == 0);
            self.looked_at += self.children.len() as u64;
            // Every line loses: what the last layer found stands.
            if self.children.is_empty() {
                break;
            }
            let ended = self.goal.and_then(|goal| sum_up(&self.children, Some(goal)));
            // A line that wins is as short as can be: nothing later can be better, whatever it is worth.
            if ended.is_some() {
                return ended;
            }
            best = sum_up(&self.children, None);
            self.keep();
        }
        best
    }

    /// All that the nodes lead to.
    fn expand(&mut self, known: &[Piece], first: bool) {
        self.children.clear();
        let rules = *self.reach.rules();
        for node in &self.nodes {
            for choice in node.state.choices(&rules, known).into_iter().flatten() {
                self.reach.landings(&node.state.matrix, choice.piece, &mut self.landings);
                for landing in self.landings.iter() {
                    let placed = node.state.place(&rules, &choice, landing);
                    if placed.lost {
                        continue;
                    }
                    let earned = node.earned + self.weights.earned(&placed.act);
                    let value = earned + self.weights.board(&placed, self.goal);
                    let root = if first { self.roots.len() as u16 } else { node.root };
                    // The first layer's children are the placements among which is chosen.
                    if first {
                        self.roots.push((choice, landing, placed));
                    }
                    let key = key(&placed.after);
                    self.children.push(Node { value, earned, key, root, state: placed.after });
                }
            }
        }
    }

    /// Keeps the best children: of those with the same state the best, of equals the first root.
    fn keep(&mut self) {
        // Complete: value, then root, then key, so that the sorts need not be stable and no result depends on
        // them.
        let order = |a: &Node, b: &Node| (b.value, a.root, a.key).cmp(&(a.value, b.root, b.key));
        // Twice what is kept, since like states are dropped below; without this bound all children would be
        // sorted.
        let room = 2 * self.beam.width;
        if self.children.len() > room {
            self.children.select_nth_unstable_by(room, order);
            self.children.truncate(room);
        }
        // Like states side by side, the best of them first: two orders of placing the same pieces would fill
        // the beam.
        self.children.sort_unstable_by(|a, b| a.key.cmp(&b.key).then(order(a, b)));
        // Keys only bring states together; whether they are the same is asked of the states.
        self.children.dedup_by(|later, first| later.key == first.key && later.state == first.state);
        self.children.sort_unstable_by(order);
        self.children.truncate(self.beam.width);
        std::mem::swap(&mut self.nodes, &mut self.children);
    }
}

/// The states that count: those that have so many rows, or all.
fn lasting(nodes: &[Node], goal: Option<u32>) -> impl Iterator<Item = &Node> {
    nodes.iter().filter(move |node| goal.is_none_or(|goal| node.state.lines >= goal))
}

/// The best value of each root, up to the last that has one; `None` without any.
fn best_of_roots(nodes: &[Node], goal: Option<u32>) -> Option<Vec<Option<i64>>> {
    let mut best = Vec::new();
    for node in lasting(nodes, goal) {
        let root = usize::from(node.root);
        best.resize(best.len().max(root + 1), None);
        best[root] = best[root].max(Some(node.value));
    }
    (!best.is_empty()).then_some(best)
}

/// Tells states apart, nearly always.
///
/// Two columns to a word, each mixed by a rotation and a product with an odd constant (2^64 over the golden
/// ratio). The order of taking pieces is left out, so that the same matrix reached in two ways has one key.
#[must_use]
pub(super) fn key(state: &GuidelineState) -> u64 {
    let mut key = u64::from(state.taken) << 32 | u64::from(state.lines);
    let mut mix =
        |word: u64| key = (key.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for pair in state.matrix.columns().chunks_exact(2) {
        mix(u64::from(pair[0]) | u64::from(pair[1]) << 32);
    }
    let hold = match state.hold {
        // Beyond the seven pieces.
        Hold::Empty => 7,
        Hold::Unknown => 8,
        Hold::Piece(piece) => piece as u64,
    };
    mix(hold | u64::from(state.chain.combo) << 8 | u64::from(state.chain.back_to_back) << 16);
    key ^ key >> 29
}
