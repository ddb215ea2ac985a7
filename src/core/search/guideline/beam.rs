//! Implements a beam search over the known pieces and the hold.
//!
//! A *layer* has the states after one more placement: every kept state continues with every landing
//! of the current piece and of the held piece, and the best `width` results are kept. The value of
//! a state is the sum of the rewards of all placements that lead to the state, plus the score of
//! its matrix. *Futures* are possible sequences of pieces after the known ones.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::evaluation::Weights;
use super::layer::{BestValues, FullRows, Layer, NO_VALUE, Node, SCALE};
use super::perfect_clears::{PerfectClears, SearchInput};
use super::two_best::two_best;
use crate::matrix::Matrix;
use crate::piece::Piece;
use crate::rng::Stream;
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, Landing, Landings, MoveGenerator, Placed,
};
use crate::search::Policy;

/// Width, depth and perfect-clear budgets of a beam search; depth 1 is greedy at any width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "RecordedBeam", from = "RecordedBeam")]
pub struct Beam {
    /// Number of states that the beam search keeps after each placement.
    pub width: usize,
    /// Largest number of placements that the beam search looks ahead.
    pub depth: usize,
    /// Budget of the search for perfect clears with the known pieces, in states per number of rows
    /// to clear. 0 or a Sprint skips this search.
    pub perfect_clears: u32,
    /// Budget of the search for perfect clears in possible continuations of the queue (futures), in
    /// states per future. 0 or a Sprint skips this search.
    pub future_perfect_clears: u32,
}

#[derive(Serialize, Deserialize)]
struct RecordedBeam {
    search: String,
    beam_width: usize,
    beam_depth: usize,
    beam_perfect_clears: u32,
    beam_future_perfect_clears: u32,
}

impl From<Beam> for RecordedBeam {
    fn from(beam: Beam) -> RecordedBeam {
        RecordedBeam {
            search: beam.name().to_owned(),
            beam_width: beam.width,
            beam_depth: beam.depth,
            beam_perfect_clears: beam.perfect_clears,
            beam_future_perfect_clears: beam.future_perfect_clears,
        }
    }
}

impl From<RecordedBeam> for Beam {
    fn from(beam: RecordedBeam) -> Beam {
        Beam {
            width: beam.beam_width,
            depth: beam.beam_depth,
            perfect_clears: beam.beam_perfect_clears,
            future_perfect_clears: beam.beam_future_perfect_clears,
        }
    }
}

impl Beam {
    /// Greedy search: a beam of width 1 and depth 1, which compares single placements.
    pub const GREEDY: Beam = Beam::new(1, 1);
    /// Marker for games in which an external bot chooses the placements, without a beam search.
    pub const BOT: Beam = Beam::new(0, 0);

    /// Returns the search's name: `tbp` for an external bot, `greedy` for depth 1, else `beam`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.depth {
            0 => "tbp",
            1 => "greedy",
            _ => "beam",
        }
    }

    /// Creates a beam search that keeps `width` states and looks `depth` placements ahead.
    #[must_use]
    pub const fn new(width: usize, depth: usize) -> Beam {
        Beam { width, depth, perfect_clears: 0, future_perfect_clears: 0 }
    }
}

/// Upcoming pieces of a game, as far as a search knows or assumes them.
///
/// With `futures`, the value of a placement is its mean value over the futures. In a future without
/// a value, the worst value of that future counts.
#[derive(Clone, Copy, Debug)]
pub struct QueueView<'a> {
    /// The current piece and the visible pieces after it.
    pub known: &'a [Piece],
    /// Largest number of pieces that can still be placed before the game ends.
    pub left: usize,
    /// Possible sequences of pieces after the known ones; the search continues once with each.
    pub futures: &'a [Vec<Piece>],
    /// Pieces left in the bag after the known pieces, for a neural network; empty if unknown or if
    /// a new bag begins.
    pub bag: &'a [Piece],
}

impl<'a> QueueView<'a> {
    /// Creates a view of the visible pieces `known` only, in a game without end.
    #[must_use]
    pub fn visible(known: &'a [Piece]) -> QueueView<'a> {
        QueueView { known, left: usize::MAX, futures: &[], bag: &[] }
    }
}

/// Placement chosen by a beam search, with its result and the search's values.
#[derive(Clone, Copy, Debug)]
pub struct BeamDecision {
    /// Chosen piece (the current piece, or the piece that the hold gives), and the hold afterwards.
    pub choice: Choice,
    /// Place where the chosen piece lands.
    pub landing: Landing,
    /// Game state, cleared rows and points after the chosen placement.
    pub placed: Placed,
    /// Values of the best placements, and number of placements that the search examined.
    pub found: SearchResult,
}

/// Values of the best placements found by a beam search, and numbers of examined placements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// Value of the chosen placement, in steps of 1/[`super::SCALE`]; `None` if a policy drew a
    /// placement that the search had dropped.
    pub value: Option<i64>,
    /// Value of the best other placement; `None` if all states that the search kept follow from the
    /// chosen placement.
    pub second: Option<i64>,
    /// Number of surviving placements of the current piece and the piece from the hold.
    pub choices: u32,
    /// Number of placements that the search examined, including those of later pieces.
    pub examined: u64,
    /// Rank of the chosen placement: 1 for the best ([`RankedLanding::sort_best_first`]).
    pub rank: u32,
}

impl SearchResult {
    /// Returns the value of the best placement minus that of the chosen one, in units of weights.
    #[must_use]
    pub fn regret(self) -> Option<f64> {
        let value = self.value?;
        Some((self.second.map_or(0, |second| second - value)).max(0) as f64 / SCALE)
    }
}

/// Possible placement in a guideline game, with its greedy value and its beam-search value.
#[derive(Clone, Copy, Debug)]
pub struct RankedLanding {
    /// Piece to place, its effect on the hold, and the number of queue pieces that it uses up.
    pub choice: Choice,
    /// Place where the piece would land.
    pub landing: Landing,
    /// Game state, cleared rows and points after the placement.
    pub placed: Placed,
    /// Greedy value: reward of the placement plus score of the state after it, in steps of
    /// 1/[`super::SCALE`].
    pub own: i64,
    /// Value of the best sequence that begins with the placement, in steps of 1/[`super::SCALE`].
    /// `None` if the placement loses, if no sequence was kept, or if only others reach the goal.
    pub value: Option<i64>,
}

impl RankedLanding {
    /// Sorts placements by search value; then placements without search value by greedy value; then
    /// losing placements. The first is the best.
    pub fn sort_best_first(ranked: &mut [RankedLanding]) {
        // The sort is stable: the first of equal values is played.
        ranked.sort_by_key(|one| Reverse(one.key()));
    }

    /// Returns the first of the best placements in `ranked`, or `None` if `ranked` is empty.
    #[must_use]
    pub fn best(ranked: &[RankedLanding]) -> Option<&RankedLanding> {
        // Of equal keys, `min_by_key` returns the first.
        ranked.iter().min_by_key(|one| Reverse(one.key()))
    }

    fn key(&self) -> (Option<i64>, bool, i64) {
        (self.value, !self.placed.lost, if self.value.is_some() { 0 } else { self.own })
    }
}

/// Placement that a policy drew at random instead of playing the best one.
#[derive(Clone, Copy, Debug)]
pub struct DrawnLanding {
    /// Drawn placement with its greedy value and its beam-search value.
    pub landing: RankedLanding,
    /// Result of the beam search, with the drawn placement as the chosen one.
    pub found: SearchResult,
}

/// A player of guideline games by beam search, with working memory for one thread.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{controller::GuidelineController, kernels::Level, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, Moves, MoveGenerator, GuidelineState};
/// use tetrastat::search::guideline::{Beam, BeamPlayer, QueueView, Weights};
/// let weights = Weights::new(&GuidelineController::load("tetrastat-sprint")?);
/// let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
/// let mut player = BeamPlayer::new(movegen, weights, Beam::new(20, 3), Some(40));
/// let known = [Piece::T, Piece::I, Piece::O]; // the current piece and two previews
/// let decision = player.decide(&GuidelineState::default(), QueueView::visible(&known));
/// let decision = decision.expect("an empty matrix has room");
/// assert!(decision.found.choices >= 34 && decision.found.examined > 34);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct BeamPlayer {
    movegen: MoveGenerator,
    weights: Weights,
    beam: Beam,
    goal: Option<u32>,
    landings: Landings,
    nodes: Vec<Node>,
    /// States kept after the last visible piece, from which the search of each future begins.
    future_starts: Vec<Node>,
    layer: Layer,
    roots: Vec<(Choice, Landing, Placed)>,
    best: BestValues,
    examined: u64,
    perfect_clears: PerfectClears,
    future_clears: PerfectClears,
    paths: Vec<Vec<Node>>,
    bags: Vec<u8>,
    stops_early: bool,
    may_stop: bool,
}

const ALL: u8 = (1 << Piece::ALL.len()) - 1;

fn bit(piece: Piece) -> u8 {
    1 << piece as u8
}

/// Returns a mask of the bag's pieces before each `known` piece and after the last. An empty `left`
/// means a full bag.
fn bags(known: &[Piece], left: &[Piece]) -> Vec<u8> {
    let left = left.iter().fold(0, |left, &piece| left | bit(piece));
    let mut bags = vec![if left == 0 { ALL } else { left }];
    for &piece in known.iter().rev() {
        let after = bags[bags.len() - 1];
        // If the bag after a piece still contains that piece, the piece was the last of its bag and
        // a new bag followed.
        bags.push(if after & bit(piece) == 0 { after | bit(piece) } else { bit(piece) });
    }
    bags.reverse();
    bags
}

impl BeamPlayer {
    /// Creates a beam-search player; the game ends after `goal` removed rows, if `goal` is given.
    #[must_use]
    pub fn new(
        movegen: MoveGenerator,
        weights: Weights,
        beam: Beam,
        goal: Option<u32>,
    ) -> BeamPlayer {
        // In a game with a goal, a finisher searches for perfect clears of the last rows instead.
        let budget = |states| if goal.is_none() { states } else { 0 };
        BeamPlayer {
            layer: Layer::new(goal, movegen.level(), weights.network.clone()),
            movegen,
            weights,
            beam,
            goal,
            landings: Landings::default(),
            nodes: Vec::new(),
            future_starts: Vec::new(),
            roots: Vec::new(),
            best: BestValues::new(),
            examined: 0,
            perfect_clears: PerfectClears::new(budget(beam.perfect_clears)),
            future_clears: PerfectClears::new(budget(beam.future_perfect_clears)),
            paths: Vec::new(),
            bags: Vec::new(),
            stops_early: false,
            may_stop: false,
        }
    }

    /// Makes [`BeamPlayer::decide`] stop once the choice is certain. The [search
    /// result](BeamDecision::found) then covers fewer placements.
    #[must_use]
    pub fn stopping_early(self) -> BeamPlayer {
        BeamPlayer { stops_early: true, ..self }
    }

    /// Returns the player's move generator, which lists the landings of a piece.
    #[must_use]
    pub fn movegen(&self) -> &MoveGenerator {
        &self.movegen
    }

    /// Returns the best placement by beam search, or `None` if every placement loses.
    pub fn decide(&mut self, state: &GuidelineState, view: QueueView) -> Option<BeamDecision> {
        self.may_stop = self.stops_early;
        self.search(state, view);
        let values = self.best.iter().copied().zip(0..);
        let best = two_best(values.filter(|&(value, _)| value != NO_VALUE));
        let (value, root, second) = best?;
        let (choice, landing, placed) = self.roots[root as usize];
        let choices = self.roots.len() as u32;
        let examined = self.examined;
        let found = SearchResult { value: Some(value), second, choices, examined, rank: 1 };
        Some(BeamDecision { choice, landing, placed, found })
    }

    /// Returns all placements of the current piece and the piece from the hold, including losing
    /// placements. The search never stops early.
    pub fn rank(&mut self, state: &GuidelineState, view: QueueView) -> Vec<RankedLanding> {
        self.may_stop = false;
        self.search(state, view);
        let mut values = self.best.iter();
        let rules = *self.movegen.rules();
        let mut ranked = Vec::new();
        for choice in state.choices(&rules, view.known).into_iter().flatten() {
            self.movegen.landings(&state.matrix, choice.piece, &mut self.landings);
            ranked.extend(self.landings.iter().map(|landing| {
                let placed = state.place(&rules, &choice, landing);
                // The search starts with surviving placements only.
                let value = if placed.lost {
                    None
                } else {
                    values.next().copied().filter(|value| *value != NO_VALUE)
                };
                RankedLanding { choice, landing, placed, own: self.greedy_value(&placed), value }
            }));
        }
        ranked
    }

    /// Returns the last search's result with `ranked[chosen]` as the chosen placement; `ranked`
    /// comes from [`BeamPlayer::rank`].
    #[must_use]
    pub fn result_of(&self, ranked: &[RankedLanding], chosen: usize) -> SearchResult {
        let others = ranked.iter().enumerate().filter(|&(index, _)| index != chosen);
        let key = ranked[chosen].key();
        SearchResult {
            value: ranked[chosen].value,
            second: others.filter_map(|(_, entry)| entry.value).max(),
            choices: ranked.iter().filter(|entry| !entry.placed.lost).count() as u32,
            examined: self.examined,
            rank: 1 + ranked.iter().filter(|entry| entry.key() > key).count() as u32,
        }
    }

    /// Returns a placement's reward plus the score after it, in steps of 1/[`super::SCALE`].
    #[must_use]
    pub fn greedy_value(&self, placed: &Placed) -> i64 {
        self.weights.reward(&placed.event) + self.weights.board(placed, self.goal)
    }

    /// Searches with `beam` and returns the states kept after the last placement, best first, each
    /// with the index of its first placement.
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

    pub(super) fn root(&self, root: u16) -> Option<(Choice, Landing)> {
        let &(choice, landing, _) = self.roots.get(usize::from(root))?;
        Some((choice, landing))
    }

    fn search(
        &mut self,
        state: &GuidelineState,
        QueueView { known, left, futures, bag }: QueueView,
    ) {
        self.bags = bags(known, bag);
        // The search is no deeper than the rest of the game.
        let beam = Beam { depth: self.beam.depth.min(left.max(1)), ..self.beam };
        let further = left.saturating_sub(beam.depth);
        let has_next = beam.depth >= known.len() && further > 0 && !futures.is_empty();
        let is_over = self.look_ahead(state, known, beam, has_next, further == 0);
        if has_next && !is_over && !self.nodes.is_empty() {
            self.search_futures(known, beam, further, futures);
        }
    }

    /// Computes the best value of each first placement after `beam.depth` placements. Returns true
    /// if the choice is certain or a state ends the game.
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
        self.examined = 0;
        // The current piece is the first of `known`.
        debug_assert_eq!(state.taken, 0);
        self.nodes.push(Node { reward: 0, points: 0, root: 0, by_network: 0, state: *state });
        self.search_layers(known, beam, [keeps_last, ends_game], true)
    }

    /// Searches `beam.depth` more placements from the kept states. Returns true if the choice is
    /// certain or a state ends the game.
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
            // The network changes the values of states that may be kept, so values are final only
            // after that.
            let has_network = self.layer.has_network() && !is_last;
            let has_next = keeps_last || depth + 1 < beam.depth || has_network;
            self.layer.begin(beam.width, self.roots.len(), has_next, is_last);
            let is_first = from_root && depth == 0;
            self.expand(&rules, known, is_first);
            if is_first {
                self.find_perfect_clear_paths(known, beam, keeps_last);
            }
            let children = self.layer.finish(&self.weights);
            self.examined += children;
            if children == 0 {
                break;
            }
            let (best, ends) = self.layer.best();
            self.best.clone_from(best);
            if ends {
                return true;
            }
            if has_next {
                self.layer.keep(&mut self.nodes, &rules, known, &self.bags);
                if from_root {
                    self.keep_perfect_clear_paths(depth);
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

    fn is_decided(&self) -> bool {
        let mut roots = self.nodes.iter().map(|node| node.root);
        let first = roots.next();
        self.may_stop && roots.all(|root| Some(root) == first)
    }

    /// Finds the paths to perfect clears, and stores their states in `paths` by beam layer.
    fn find_perfect_clear_paths(&mut self, known: &[Piece], beam: Beam, keeps_last: bool) {
        // The first node is the start state until the first layer is kept.
        let Some(Node { state, .. }) = self.nodes.first() else { return };
        // The last known piece may be in the hold, which allows one more placement.
        let most = beam.depth + usize::from(keeps_last);
        let known = SearchInput { movegen: &self.movegen, weights: &self.weights, pieces: known };
        self.perfect_clears.find_paths(&known, state, &self.roots, most, &mut self.paths);
    }

    fn keep_perfect_clear_paths(&mut self, depth: usize) {
        let others = self.nodes.len();
        for path in self.paths.get(depth).into_iter().flatten() {
            if self.nodes.iter().all(|node| node.state != path.state) {
                self.nodes.push(*path);
            }
        }
        self.layer.add_network_values_to_paths(
            &mut self.nodes[others..],
            &self.weights,
            &self.bags,
        );
    }

    /// Continues the search in each future, for at most `further` pieces. The best value of each
    /// first placement becomes its mean over the futures.
    fn search_futures(
        &mut self,
        known: &[Piece],
        beam: Beam,
        further: usize,
        futures: &[Vec<Piece>],
    ) {
        std::mem::swap(&mut self.future_starts, &mut self.nodes);
        let without_future = self.best.clone();
        let mut sums = vec![0i64; self.roots.len()];
        let mut reached = vec![false; self.roots.len()];
        for future in futures {
            self.nodes.clone_from(&self.future_starts);
            // If a future has no piece to place, the values of the visible pieces remain.
            self.best.clone_from(&without_future);
            let queue = [known, future].concat();
            self.bags.truncate(known.len() + 1);
            for &piece in future {
                let left = self.bags.last().map_or(ALL, |left| left & !bit(piece));
                self.bags.push(if left == 0 { ALL } else { left });
            }
            let beam = Beam { depth: future.len().min(further), ..beam };
            self.search_layers(&queue, beam, [false, beam.depth == further], false);
            self.find_future_perfect_clears(&queue, beam.depth);
            let kept = self.best.iter().copied().filter(|&value| value != NO_VALUE);
            let Some(worst) = kept.min() else { continue };
            for ((sum, reached), &value) in sums.iter_mut().zip(&mut reached).zip(&self.best) {
                *reached |= value != NO_VALUE;
                // The sum cannot overflow: values are weights times counts, in 10^7 steps.
                *sum += if value == NO_VALUE { worst } else { value };
            }
        }
        if reached.contains(&true) {
            let mean = |(sum, reached)| if reached { sum / futures.len() as i64 } else { NO_VALUE };
            self.best = sums.into_iter().zip(reached).map(mean).collect();
        }
    }

    /// Raises the value of each first placement to that of its best perfect clear, if higher. The
    /// clear is at most `most` + 1 placements after a state in `future_starts`.
    fn find_future_perfect_clears(&mut self, queue: &[Piece], most: usize) {
        let input = SearchInput { movegen: &self.movegen, weights: &self.weights, pieces: queue };
        self.future_clears.restart();
        let empty = self.weights.matrix.score(&Matrix::EMPTY, None);
        for Node { reward, by_network, root, state, .. } in &self.future_starts {
            // A state that keeps a piece of the queue in the hold can place one more.
            let found = self.future_clears.best_total(&input, state, most + 1);
            if let (Some(found), Some(best)) = (found, self.best.get_mut(usize::from(*root))) {
                *best = (*best).max(reward + by_network + found + empty);
            }
        }
    }

    /// Adds every surviving placement in each kept state to the next layer of the beam search.
    fn expand(&mut self, rules: &Guideline, known: &[Piece], first: bool) {
        for (from, node) in self.nodes.iter().enumerate() {
            let Node { root, state, .. } = node;
            let rows = FullRows::new(&state.matrix);
            for (index, choice) in (0..).zip(state.choices(rules, known)) {
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
                    self.layer.add(&self.weights, rules, on, (index, held), landing, root);
                }
            }
        }
    }

    /// Draws a placement by `policy`, whose draws come from `stream`, for example that of
    /// [`Policy::stream`]. `best` is the best placement, with the piece from the hold if its second
    /// field is true. Returns `None` if the best placement is played.
    ///
    /// Losing placements are never drawn. A neighbour of the best placement is the highest landing
    /// of the same piece, one column beside it in the same state, or in the state before its last
    /// turn: the spawn state for R and L; for 2 the state R, or the spawn state if the rules have
    /// half turns. The column of the centre cell is that before the turn, without a kick.
    pub fn draw(
        &mut self,
        policy: Policy,
        stream: &mut Stream,
        state: &GuidelineState,
        view: QueueView,
        (best, held): (Landing, bool),
    ) -> Option<DrawnLanding> {
        if !policy.deviates(stream) {
            return None;
        }
        let mut ranked = self.rank(state, view);
        ranked.retain(|entry| !entry.placed.lost);
        let is_best = |entry: &RankedLanding| entry.landing == best && entry.choice.held == held;
        let index = ranked.iter().position(is_best)?;
        let most = ranked[index].value;
        let difference = |index: usize| {
            let by = ranked[index].value?.checked_sub(most?)?;
            Some(by as f64 / SCALE)
        };
        let rules = self.movegen().rules();
        let neighbours = || {
            let all = best.neighbours(rules).filter_map(|(state, column)| {
                let is_there = |(_, entry): &(usize, &RankedLanding)| {
                    let Landing { state: of, x, .. } = entry.landing;
                    entry.choice.held == held && of == state && i32::from(x) == column
                };
                let there = ranked.iter().enumerate().filter(is_there);
                there.max_by_key(|(_, entry)| entry.landing.y).map(|(index, _)| index)
            });
            all.collect()
        };
        let drawn = policy.draw(stream, index, ranked.len(), difference, neighbours);
        if drawn == index {
            return None;
        }
        Some(DrawnLanding { landing: ranked[drawn], found: self.result_of(&ranked, drawn) })
    }
}
