//! Beam search over the known pieces and the hold.
//!
//! Layer by layer: every state that was kept is continued by every landing of the current piece and of the one that
//! the hold gives, and the best `width` states of the next layer are kept. A state's value is what the placements on
//! the way to it earned and what its matrix is worth; what a matrix on the way was worth does not count.

use std::cmp::Reverse;

use crate::piece::Piece;
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, Landing, Landings, MoveGenerator, Placed,
};

use super::evaluation::Weights;
use super::layer::{Best, Layer, Rows};
use super::node::{NONE, Node};
use super::perfect_clears::{Known, PerfectClears};
use super::two_best::two_best;

/// How far and how wide a search looks. Depth 1 is greedy, whatever the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beam {
    /// States kept after each placement.
    pub width: usize,
    /// Placements looked ahead at most.
    pub depth: usize,
    /// States that a perfect clear with the known pieces may be looked for in, for each placement and each number of rows
    /// that it may empty; 0 to find only those that the beam comes by. The ways that earn the most are then kept
    /// besides the `width` states, and valued as all others. Not for games that end by their rows.
    pub perfect_clears: u32,
}

impl Beam {
    /// A beam of one state and one placement: each placement by itself.
    pub const GREEDY: Beam = Beam::new(1, 1);

    /// A beam that keeps so many states and looks so many placements ahead.
    #[must_use]
    pub const fn new(width: usize, depth: usize) -> Beam {
        Beam { width, depth, perfect_clears: 0 }
    }
}

/// What is known of the game to come.
///
/// With `futures` of the queue the beam goes on in each of them, from the states that the known pieces lead to, and a
/// placement is worth the mean of what it comes to. In a future whose beam keeps no line that begins with it, it counts as
/// the worst that is kept.
#[derive(Clone, Copy, Debug)]
pub struct Outlook<'a> {
    /// The current piece and those after it that are seen.
    pub known: &'a [Piece],
    /// Pieces that the game may still last.
    pub left: usize,
    /// What may be dealt after the known pieces, in some futures; none to look no further than what is seen.
    pub futures: &'a [Vec<Piece>],
    /// What is left in the bag after the known pieces, in any order; none when a new one begins or nothing is known of it. Only
    /// a controller with a network asks.
    pub bag: &'a [Piece],
}

impl<'a> Outlook<'a> {
    /// No further than what is seen, in a game without end.
    #[must_use]
    pub fn seen(known: &'a [Piece]) -> Outlook<'a> {
        Outlook { known, left: usize::MAX, futures: &[], bag: &[] }
    }
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
/// use tetrastat::rules::guideline::{Guideline, Moves, MoveGenerator, GuidelineState};
/// use tetrastat::search::guideline::{Beam, BeamPlayer, Outlook, Weights};
/// let weights = Weights::new(&GuidelineController::load("tetrastat-sprint")?);
/// let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
/// let mut player = BeamPlayer::new(movegen, weights, Beam::new(20, 3), Some(40));
/// let known = [Piece::T, Piece::I, Piece::O]; // the current piece and two previews
/// let decision = player.decide(&GuidelineState::default(), Outlook::seen(&known));
/// let decision = decision.expect("an empty matrix has room");
/// assert!(decision.found.choices >= 34 && decision.found.looked_at > 34);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct BeamPlayer {
    movegen: MoveGenerator,
    weights: Weights,
    beam: Beam,
    /// Rows that end the game.
    goal: Option<u32>,
    landings: Landings,
    nodes: Vec<Node>,
    /// The nodes after the last piece that is seen, where each future begins.
    seen: Vec<Node>,
    layer: Layer,
    roots: Vec<(Choice, Landing, Placed)>,
    best: Best,
    looked_at: u64,
    perfect_clears: PerfectClears,
    /// States on the way to perfect clears, by the layers that they are of.
    ways: Vec<Vec<Node>>,
    /// What is left in the bag once so many of the known pieces are taken, by bits of pieces.
    bags: Vec<u8>,
    /// Whether [`BeamPlayer::decide`] looks no further once there is nothing left to decide.
    stops_early: bool,
    /// Whether the search under way may stop so.
    may_stop: bool,
}

/// All seven pieces, by bits.
const ALL: u8 = (1 << Piece::ALL.len()) - 1;

/// A piece's bit.
fn bit(piece: Piece) -> u8 {
    1 << piece as u8
}

/// What is left in the bag before each of the known pieces and after the last, which leaves what is given.
fn bags(known: &[Piece], left: &[Piece]) -> Vec<u8> {
    let left = left.iter().fold(0, |left, &piece| left | bit(piece));
    let mut bags = vec![if left == 0 { ALL } else { left }];
    for &piece in known.iter().rev() {
        let after = bags[bags.len() - 1];
        // A piece that is still there after it was dealt began a bag's last place, and a new bag came after it.
        bags.push(if after & bit(piece) == 0 { after | bit(piece) } else { bit(piece) });
    }
    bags.reverse();
    bags
}

impl BeamPlayer {
    /// A player; `goal` is how many rows end the game.
    #[must_use]
    pub fn new(
        movegen: MoveGenerator,
        weights: Weights,
        beam: Beam,
        goal: Option<u32>,
    ) -> BeamPlayer {
        BeamPlayer {
            layer: Layer::new(goal, movegen.level(), weights.network().cloned()),
            movegen,
            weights,
            beam,
            goal,
            landings: Landings::default(),
            nodes: Vec::new(),
            seen: Vec::new(),
            roots: Vec::new(),
            best: Best::new(),
            looked_at: 0,
            // The rows that end a game are emptied by its finisher.
            perfect_clears: PerfectClears::new(if goal.is_none() {
                beam.perfect_clears
            } else {
                0
            }),
            ways: Vec::new(),
            bags: Vec::new(),
            stops_early: false,
            may_stop: false,
        }
    }

    /// A player that decides as soon as all that it keeps begins with one placement: the choice is the same, sooner, but what it
    /// [found](BeamDecision::found) is of fewer placements.
    #[must_use]
    pub fn stopping_early(self) -> BeamPlayer {
        BeamPlayer { stops_early: true, ..self }
    }

    /// Its generator.
    #[must_use]
    pub fn movegen(&self) -> &MoveGenerator {
        &self.movegen
    }

    /// Returns the best placement, or `None` if no piece can be placed without losing.
    pub fn decide(&mut self, state: &GuidelineState, outlook: Outlook) -> Option<BeamDecision> {
        self.may_stop = self.stops_early;
        self.search(state, outlook);
        let values = self.best.iter().copied().zip(0..);
        let best = two_best(values.filter(|&(value, _)| value != NONE));
        let (value, root, second) = best?;
        let (choice, landing, placed) = self.roots[root as usize];
        let choices = self.roots.len() as u32;
        let found = Found { value, second, choices, looked_at: self.looked_at };
        Some(BeamDecision { choice, landing, placed, found })
    }

    /// Every placement of the pieces that may be placed now, those that lose among them, in the order by which
    /// the first of equal ones is played. As for [`BeamPlayer::decide`].
    pub fn rank(&mut self, state: &GuidelineState, outlook: Outlook) -> Vec<RankedLanding> {
        self.may_stop = false;
        self.search(state, outlook);
        let mut values = self.best.iter();
        let rules = *self.movegen.rules();
        let mut ranked = Vec::new();
        for choice in state.choices(&rules, outlook.known).into_iter().flatten() {
            self.movegen.landings(&state.matrix, choice.piece, &mut self.landings);
            ranked.extend(self.landings.iter().map(|landing| {
                let placed = state.place(&rules, &choice, landing);
                // Placements that lose are no roots of the search.
                let value = if placed.lost {
                    None
                } else {
                    values.next().copied().filter(|value| *value != NONE)
                };
                RankedLanding { choice, landing, placed, own: self.own(&placed), value }
            }));
        }
        ranked
    }

    /// What a placement is worth by itself, in steps of 1/[`super::SCALE`].
    #[must_use]
    pub fn own(&self, placed: &Placed) -> i64 {
        self.weights.reward(&placed.event) + self.weights.board(placed, self.goal)
    }

    /// The states that another beam ends with, the best first, each with the placement that its way began with
    /// ([`BeamPlayer::root`]).
    pub(super) fn leaves(
        &mut self,
        state: &GuidelineState,
        known: &[Piece],
        beam: Beam,
    ) -> impl Iterator<Item = (u16, GuidelineState)> {
        self.bags = bags(known, &[]);
        self.may_stop = false;
        self.look_ahead(state, known, beam, true, false);
        self.nodes.iter().map(|node| (node.root, node.state))
    }

    /// Returns the placement with number `root` of those that the last search began with.
    pub(super) fn root(&self, root: u16) -> Option<(Choice, Landing)> {
        let &(choice, landing, _) = self.roots.get(usize::from(root))?;
        Some((choice, landing))
    }

    /// Looks ahead, and goes on in futures where there are any and the game does not end before.
    fn search(&mut self, state: &GuidelineState, Outlook { known, left, futures, bag }: Outlook) {
        self.bags = bags(known, bag);
        // No deeper than the game may last.
        let beam = Beam { depth: self.beam.depth.min(left.max(1)), ..self.beam };
        let further = left.saturating_sub(beam.depth);
        let goes_on = beam.depth >= known.len() && further > 0 && !futures.is_empty();
        let is_over = self.look_ahead(state, known, beam, goes_on, further == 0);
        if goes_on && !is_over && !self.nodes.is_empty() {
            self.go_on(known, beam, further, futures);
        }
    }

    /// Looks ahead, layer by layer: the best value of each root in the last layer that there is. Once any state has
    /// the rows that end the game, only states that have them count, and there is nothing more to look for, nor where the
    /// choice is made and nothing else was asked: whether that is so.
    fn look_ahead(
        &mut self,
        state: &GuidelineState,
        known: &[Piece],
        beam: Beam,
        keeps_last: bool,
        ends_game: bool,
    ) -> bool {
        self.roots.clear();
        self.nodes.clear();
        self.best.clear();
        self.looked_at = 0;
        // `known` begins with the current piece.
        debug_assert_eq!(state.taken, 0);
        self.nodes.push(Node { reward: 0, points: 0, root: 0, by_network: 0, state: *state });
        self.search_layers(known, beam, [keeps_last, ends_game], true)
    }

    /// As many layers as the beam is deep, on from the nodes that there are; as for [`BeamPlayer::look_ahead`]. Whether the last
    /// is kept, and whether the game ends with it.
    fn search_layers(
        &mut self,
        known: &[Piece],
        beam: Beam,
        [keeps_last, ends_game]: [bool; 2],
        from_root: bool,
    ) -> bool {
        let rules = *self.movegen.rules();
        for depth in 0..beam.depth {
            let is_last = ends_game && depth + 1 == beam.depth;
            // A network is asked about what may be kept, so that values are known only with what is.
            let has_network = self.layer.has_network() && !is_last;
            let goes_on = keeps_last || depth + 1 < beam.depth || has_network;
            self.layer.begin(beam.width, self.roots.len(), goes_on, is_last);
            let is_first = from_root && depth == 0;
            self.expand(&rules, known, is_first);
            if is_first {
                self.find_ways(known, beam, keeps_last);
            }
            let children = self.layer.end(&self.weights);
            self.looked_at += children;
            if children == 0 {
                break;
            }
            let (best, ends) = self.layer.best();
            self.best.clone_from(best);
            if ends {
                return true;
            }
            if goes_on {
                self.layer.keep(&mut self.nodes, &rules, known, &self.bags);
                if from_root {
                    self.keep_ways(depth);
                }
                let is_decided = from_root && self.is_decided();
                if has_network && (is_decided || depth + 1 == beam.depth) {
                    self.layer.best_kept(&mut self.best);
                }
                if is_decided {
                    return true;
                }
            }
        }
        false
    }

    /// Whether whatever follows begins with the same placement, and no more is asked.
    fn is_decided(&self) -> bool {
        let mut roots = self.nodes.iter().map(|node| node.root);
        let first = roots.next();
        self.may_stop && roots.all(|root| Some(root) == first)
    }

    /// Looks for the ways to perfect clears that the placements of this search begin.
    fn find_ways(&mut self, known: &[Piece], beam: Beam, keeps_last: bool) {
        // The state that it began with, until those of the first layer are kept.
        let Some(Node { state, .. }) = self.nodes.first() else { return };
        // One more than the beam is deep where it goes on: the last piece that is known may lie in the hold.
        let most = beam.depth + usize::from(keeps_last);
        let known = Known { movegen: &self.movegen, weights: &self.weights, pieces: known };
        self.perfect_clears.ways(&known, state, &self.roots, most, &mut self.ways);
    }

    /// Keeps the states of this layer that are on the way to a perfect clear, besides those that are kept by their value.
    fn keep_ways(&mut self, depth: usize) {
        let others = self.nodes.len();
        for way in self.ways.get(depth).into_iter().flatten() {
            if self.nodes.iter().all(|node| node.state != way.state) {
                self.nodes.push(*way);
            }
        }
        self.layer.ask_network_about_ways(&mut self.nodes[others..], &self.weights, &self.bags);
    }

    /// Goes on in futures from the nodes that there are, in each for as many pieces as it has, `further` at most; the mean
    /// value of each root then stands in place of its best.
    fn go_on(&mut self, known: &[Piece], beam: Beam, further: usize, futures: &[Vec<Piece>]) {
        std::mem::swap(&mut self.seen, &mut self.nodes);
        let of_seen = self.best.clone();
        let mut sums = vec![0i64; self.roots.len()];
        let mut reached = vec![false; self.roots.len()];
        for future in futures {
            self.nodes.clone_from(&self.seen);
            // For a future that has no pieces, or in which none can be placed.
            self.best.clone_from(&of_seen);
            let queue = [known, future].concat();
            self.bags.truncate(known.len() + 1);
            for &piece in future {
                let left = self.bags.last().map_or(ALL, |left| left & !bit(piece));
                self.bags.push(if left == 0 { ALL } else { left });
            }
            let beam = Beam { depth: future.len().min(further), ..beam };
            self.search_layers(&queue, beam, [false, beam.depth == further], false);
            let kept = self.best.iter().copied().filter(|&value| value != NONE);
            let Some(worst) = kept.min() else { continue };
            for ((sum, reached), &value) in sums.iter_mut().zip(&mut reached).zip(&self.best) {
                *reached |= value != NONE;
                // Values are far from the ends of their type: weights times counts, 10^7 steps each.
                *sum += if value == NONE { worst } else { value };
            }
        }
        if reached.contains(&true) {
            let mean = |(sum, reached)| if reached { sum / futures.len() as i64 } else { NONE };
            self.best = sums.into_iter().zip(reached).map(mean).collect();
        }
    }

    /// All that the nodes lead to.
    fn expand(&mut self, rules: &Guideline, known: &[Piece], first: bool) {
        for (from, node) in self.nodes.iter().enumerate() {
            let Node { root, state, .. } = node;
            let rows = Rows::of(&state.matrix);
            for (place, choice) in (0..).zip(state.choices(rules, known)) {
                let Some(choice) = choice else { continue };
                let held = self.weights.hold(choice.hold);
                self.movegen.landings(&state.matrix, choice.piece, &mut self.landings);
                for landing in self.landings.iter() {
                    if rules.loses(landing) {
                        continue;
                    }
                    let mut root = *root;
                    if first {
                        root = self.roots.len() as u16;
                        self.roots.push((choice, landing, state.place(rules, &choice, landing)));
                    }
                    let on = (from, node, &rows);
                    self.layer.add(&self.weights, rules, on, (place, held), landing, root);
                }
            }
        }
    }
}
