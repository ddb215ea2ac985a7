//! Beam search over the known pieces and the hold.

use crate::piece::Piece;
use crate::rules::guideline::{Choice, Hold, Landing, Landings, Placed, Reach, Standing};

use super::evaluation::Weights;
use super::two_best::two_best;

/// How far and how wide a search looks. Depth 1 is greedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beam {
    /// States kept after each placement.
    pub width: usize,
    /// Placements looked ahead at most.
    pub depth: usize,
}

/// A placement chosen.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
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

/// Chooses placements; keeps its working memory.
pub struct Player {
    reach: Reach,
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
    value: i64,
    earned: i64,
    key: u64,
    root: u16,
    state: Standing,
}

impl Node {
    /// Its value, and the root that it comes from.
    const fn found(&self) -> (i64, u16) {
        (self.value, self.root)
    }
}

impl Player {
    /// A player; `goal` is how many rows end the game.
    #[must_use]
    pub fn new(reach: Reach, weights: Weights, beam: Beam, goal: Option<u32>) -> Player {
        Player {
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
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// The best placement; `known` is the current piece and those after it that are seen, and
    /// `left` how many pieces the game may still last. `None` when no piece can be placed without
    /// losing.
    pub fn decide(&mut self, state: &Standing, known: &[Piece], left: usize) -> Option<Decision> {
        self.roots.clear();
        self.nodes.clear();
        self.looked_at = 0;
        let taken = state.taken;
        let start = Standing { taken: 0, ..*state };
        self.nodes.push(Node { value: 0, earned: 0, key: 0, root: 0, state: start });
        let mut best = None;
        for depth in 0..self.beam.depth.min(left.max(1)) {
            self.expand(known, depth == 0);
            self.looked_at += self.children.len() as u64;
            if self.children.is_empty() {
                break;
            }
            let ended = self.children.iter().filter(|node| self.has_ended(&node.state));
            if let Some(two) = two_best(ended.map(Node::found)) {
                best = Some(two);
                break;
            }
            best = two_best(self.children.iter().map(Node::found));
            self.keep();
        }
        let (value, root, second) = best?;
        let (mut choice, landing, mut placed) = self.roots[root as usize];
        choice.taken += taken;
        placed.after.taken += taken;
        let choices = self.roots.len() as u32;
        let found = Found { value, second, choices, looked_at: self.looked_at };
        Some(Decision { choice, landing, placed, found })
    }

    fn has_ended(&self, state: &Standing) -> bool {
        self.goal.is_some_and(|goal| state.lines >= goal)
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
        let order = |a: &Node, b: &Node| (b.value, a.root, a.key).cmp(&(a.value, b.root, b.key));
        let room = 2 * self.beam.width;
        if self.children.len() > room {
            self.children.select_nth_unstable_by(room, order);
            self.children.truncate(room);
        }
        self.children.sort_unstable_by(|a, b| a.key.cmp(&b.key).then(order(a, b)));
        self.children.dedup_by(|later, first| later.key == first.key && later.state == first.state);
        self.children.sort_unstable_by(order);
        self.children.truncate(self.beam.width);
        std::mem::swap(&mut self.nodes, &mut self.children);
    }
}

/// Tells states apart, nearly always.
#[must_use]
pub(super) fn key(state: &Standing) -> u64 {
    let mut key = u64::from(state.taken) << 32 | u64::from(state.lines);
    let mut mix =
        |word: u64| key = (key.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for pair in state.matrix.columns().chunks_exact(2) {
        mix(u64::from(pair[0]) | u64::from(pair[1]) << 32);
    }
    let hold = match state.hold {
        Hold::Empty => 7,
        Hold::Unknown => 8,
        Hold::Piece(piece) => piece as u64,
    };
    mix(hold | u64::from(state.chain.combo) << 8 | u64::from(state.chain.back_to_back) << 16);
    key ^ key >> 29
}
