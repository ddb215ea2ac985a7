//! Scores all placements of a piece, and chooses the best or the best two.

use super::batch_features::BatchFeatures;
use super::delta::{Afterstate, Delta, Tables, TopTwo};
use super::patterns::{PatternKernel, PatternScratch};
use super::shapes::Shapes;
use crate::board::{Board, BoardSize};
use crate::controller::Patterns;
use crate::features::{Feature, Measured, Move};
use crate::piece::Piece;
use crate::placement::{Candidate, PlacementEffect};
use crate::simd::{LANES, Level};

/// Controller prepared to score placements on one board size, at one instruction level.
///
/// The evaluator is built once and shared by all threads; each brings its own [`Scratch`].
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, controller::{Controller, Scorer}, piece::Piece};
/// use tetrastat::kernels::{Evaluator, Level};
/// let board: Board = "....../....../#...../##.###".parse()?;
/// let scorer = Scorer::new(&Controller::load("bcts")?, board.size())?;
/// let (measured, terms) = (scorer.measured(), scorer.terms(board.stack_height()));
/// let evaluator = Evaluator::new(board.size(), measured, false, terms, Level::detect());
/// let mut scratch = evaluator.scratch();
/// let count = evaluator.evaluate(&board, Piece::I, &mut scratch);
/// assert_eq!(count, 6 + 3); // upright in six columns, then lying in three
/// // Upright on the left the I would end above the top.
/// let survives = |lane: &usize| scratch.lost >> lane & 1 == 0;
/// let first_best = (0..count).rev().filter(survives).max_by_key(|&lane| scratch.scores[lane]);
/// assert_eq!(first_best, Some(2)); // upright, into the well: the row is complete
/// assert_eq!(evaluator.best(&board, Piece::I, &mut scratch).index, 2);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct Evaluator {
    size: BoardSize,
    level: Level,
    play: PlayRules,
    terms: Vec<(Feature, i64)>,
    shapes: Vec<Shapes>,
    /// Fast calculator of how much each placement changes the score; `None` if the level or a
    /// feature is unsupported.
    delta: Option<Delta>,
    patterns: Option<PatternTerms>,
}

/// Rules about the removal of full rows, which decide the board that is scored after a placement.
#[derive(Clone, Copy)]
pub(super) struct PlayRules {
    pub(super) measured: Measured,
    /// True if full rows are removed even if the piece ends above the top.
    pub(super) clear_on_overflow: bool,
}

struct PatternTerms {
    patterns: Patterns,
    weight: i64,
    kernel: PatternKernel,
    merged: Option<Box<[i32]>>,
    /// Weight of the feature `rows_removed`, if the controller has no other features beside its
    /// pattern tables.
    lines: Option<i64>,
}

impl PatternTerms {
    fn scratch(&self) -> PatternScratch<i32> {
        match &self.merged {
            Some(tables) => self.kernel.scratch(tables),
            None => self.kernel.scratch(self.patterns.tables()),
        }
    }

    fn evaluate(&self, board: &Board, piece: Piece, scratch: &mut PatternScratch<i32>) -> usize {
        match &self.merged {
            Some(tables) => self.kernel.evaluate(tables, board, piece, scratch),
            None => self.kernel.evaluate(self.patterns.tables(), board, piece, scratch),
        }
    }

    fn evaluate_lanes(
        &self,
        board: &Board,
        piece: Piece,
        candidates: (&[u8; LANES], &[u8; LANES], usize),
        scratch: &mut PatternScratch<i32>,
    ) {
        let (kernel, plain) = (&self.kernel, self.patterns.tables());
        match &self.merged {
            Some(tables) => kernel.evaluate_lanes(tables, board, piece, candidates, scratch),
            None => kernel.evaluate_lanes(plain, board, piece, candidates, scratch),
        }
    }
}

/// Working memory and results of an [`Evaluator`] for one thread, about 35 KiB.
///
/// Element k of each array belongs to the k-th scored placement, by default in the order of
/// orientation, then column. Further elements and scores of losing placements are meaningless.
pub struct Scratch {
    features: Box<BatchFeatures>,
    moves: Vec<(Board, Move)>,
    pub(super) rows: [u8; LANES],
    after: Vec<Afterstate>,
    pub(super) tables: Box<Tables>,
    patterns: Option<Box<PatternScratch<i32>>>,
    /// Score of each candidate placement: the exact weighted sum of its features.
    pub scores: [i64; LANES],
    /// Weighted sum of the features of the move and of the number of full rows, for each placement.
    pub of_move: [i64; LANES],
    /// Mask of the candidate placements that end the game, one bit each.
    pub lost: u64,
}

/// Best placement of a piece by its score alone, without look-ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestPlacement {
    /// Index of the placement in [`Placements::of_piece`](crate::placement::Placements::of_piece).
    pub index: usize,
    /// Orientation, column and landing row of the placement.
    pub candidate: Candidate,
    /// True if all placements of the piece end the game.
    pub lost: bool,
}

impl Evaluator {
    /// Creates an evaluator whose score is the weighted sum of the features in `terms`. The
    /// absolute weights must sum to at most 2^43.
    #[must_use]
    pub fn new(
        size: BoardSize,
        measured: Measured,
        clear_on_overflow: bool,
        terms: &[(Feature, i64)],
        level: Level,
    ) -> Evaluator {
        let play = PlayRules { measured, clear_on_overflow };
        Evaluator {
            size,
            delta: Delta::new(size, play, terms, level),
            level,
            play,
            terms: terms.to_vec(),
            shapes: Piece::ALL.map(|piece| Shapes::new(size.width(), piece)).into(),
            patterns: None,
        }
    }

    /// Adds a controller's pattern tables with their integer weight ([`Scorer::patterns`]) to the
    /// evaluator; `None` changes nothing.
    ///
    /// [`Scorer::patterns`]: crate::controller::Scorer::patterns
    #[must_use]
    pub fn with_patterns(self, patterns: Option<(&Patterns, i64)>) -> Evaluator {
        let Some((patterns, weight)) = patterns else { return self };
        let is_other = |(feature, _): &(Feature, i64)| feature.definition().name != "rows_removed";
        let has_others = self.terms.iter().any(is_other);
        let lines = (!has_others).then(|| self.terms.iter().map(|(_, weight)| weight).sum());
        let (kernel, merged) = match PatternKernel::merged(patterns, self.play, self.level) {
            Some((kernel, tables)) => (kernel, Some(tables)),
            None => {
                let PlayRules { measured, clear_on_overflow } = self.play;
                let layout = patterns.layout();
                (PatternKernel::new(layout, measured, clear_on_overflow, self.level), None)
            }
        };
        let patterns = patterns.clone();
        let patterns = Some(PatternTerms { patterns, weight, kernel, merged, lines });
        Evaluator { patterns, ..self }
    }

    /// Returns the board size that the evaluator was built for.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns the instruction level that the evaluator uses.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns new working memory of the evaluator for one thread.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        let features: Vec<Feature> = self.terms.iter().map(|&(feature, _)| feature).collect();
        Scratch {
            features: Box::new(BatchFeatures::new(self.size, &features, self.level)),
            moves: Vec::new(),
            rows: [0; LANES],
            after: Vec::new(),
            tables: Box::new(Tables::NONE),
            patterns: self.patterns.as_ref().map(|terms| Box::new(terms.scratch())),
            scores: [0; LANES],
            of_move: [0; LANES],
            lost: 0,
        }
    }

    #[inline]
    pub(super) fn delta_alone(&self) -> Option<&Delta> {
        if self.patterns.is_some() { None } else { self.delta.as_ref() }
    }

    pub(super) fn shapes(&self, piece: Piece) -> &Shapes {
        &self.shapes[piece.index()]
    }

    /// Scores all placements of `piece` dropped from above, by orientation and then column. Writes
    /// the scores to `scratch` and returns their number.
    pub fn evaluate(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> usize {
        if let (Some(terms), Some(memory)) = (&self.patterns, &mut scratch.patterns)
            && let Some(lines) = terms.lines
            && self.level != Level::SCALAR
        {
            let count = terms.evaluate(board, piece, memory);
            for lane in 0..count.min(LANES) {
                let of_move = lines * i64::from(memory.lines()[lane]);
                scratch.of_move[lane] = of_move;
                scratch.scores[lane] = of_move + terms.weight * i64::from(memory.values()[lane]);
            }
            (scratch.rows, scratch.lost) = (*memory.rows(), memory.lost());
            return count;
        }
        let shapes = self.shapes(piece);
        let is_scored = self.evaluate_terms_ahead(board, piece, scratch);
        if !is_scored {
            scratch.rows = shapes.landing_rows(&board.heights());
        }
        let rows = scratch.rows;
        let lanes = (0..shapes.count).map(|lane| (lane, rows[lane] as usize));
        if !is_scored {
            self.score_boards(board, piece, lanes.clone(), scratch);
        }
        self.add_patterns(board, piece, lanes, scratch);
        shapes.count
    }

    /// Returns placement number `lane` of `piece`, with the landing row that the last
    /// [`Evaluator::evaluate`] of this piece found.
    #[must_use]
    pub fn candidate(&self, piece: Piece, lane: usize, scratch: &Scratch) -> Candidate {
        self.shapes(piece).candidate(lane, scratch.rows[lane])
    }

    /// Scores the given `candidates`, placements of `piece`; writes the scores to `scratch`.
    pub fn evaluate_candidates(
        &self,
        board: &Board,
        piece: Piece,
        candidates: &[Candidate],
        scratch: &mut Scratch,
    ) {
        let shapes = self.shapes(piece);
        let lane =
            |candidate: &Candidate| (shapes.lane(candidate.placement), candidate.row as usize);
        let lanes = candidates.iter().map(lane);
        // Most candidates lie exactly where a drop from above would end.
        let is_scored = self.evaluate_terms_ahead(board, piece, scratch)
            && lanes.clone().all(|(lane, row)| usize::from(scratch.rows[lane]) == row);
        if is_scored {
            let (scores, of_move, lost) = (scratch.scores, scratch.of_move, scratch.lost);
            scratch.lost = 0;
            for (at, (lane, _)) in lanes.clone().take(LANES).enumerate() {
                (scratch.scores[at], scratch.of_move[at]) = (scores[lane], of_move[lane]);
                scratch.lost |= (lost >> lane & 1) << at;
            }
        } else {
            self.score_boards(board, piece, lanes.clone(), scratch);
        }
        self.add_patterns(board, piece, lanes, scratch);
    }

    /// Scores the whole board after each of the `candidates`, given as pairs of placement index and
    /// landing row.
    fn score_boards(
        &self,
        board: &Board,
        piece: Piece,
        candidates: impl Iterator<Item = (usize, usize)>,
        scratch: &mut Scratch,
    ) {
        scratch.lost = 0;
        scratch.moves.clear();
        for (lane, (shape, row)) in candidates.take(LANES).enumerate() {
            let candidate = self.shapes(piece).candidate(shape, row as u8);
            let Placed { before, after, removed } = self.place(board, piece, candidate);
            scratch.lost |= u64::from(after.stack_height() > board.height()) << lane;
            // `u64`, because pieces above row 28 may shift by 32: all have four rows here, and the
            // upper ones may be empty.
            let is_removed = |k: usize| (u64::from(removed) >> (row + k) & 1) as u32;
            let own = |k: usize| is_removed(k) * candidate.shape(piece).rows[k].count_ones();
            let removed_cells = std::array::from_fn(|k| own(k) as u8);
            let lines = removed.count_ones() as u8;
            let measured = match self.play.measured {
                Measured::AfterClear => after,
                Measured::BeforeClear => before,
            };
            scratch.moves.push((measured, Move { piece, candidate, lines, removed_cells }));
        }
        scratch.features.measure(scratch.moves.iter().map(|(board, played)| (board, played)));
        (scratch.scores, scratch.of_move) = ([0; LANES], [0; LANES]);
        for (k, &(feature, weight)) in self.terms.iter().enumerate() {
            let raws = scratch.features.raws(k);
            let add = |to: &mut [i64; LANES]| {
                for (score, &raw) in to.iter_mut().zip(raws) {
                    *score += weight * i64::from(raw);
                }
            };
            add(&mut scratch.scores);
            if feature.is_reward() {
                add(&mut scratch.of_move);
            }
        }
    }

    fn add_patterns(
        &self,
        board: &Board,
        piece: Piece,
        candidates: impl ExactSizeIterator<Item = (usize, usize)>,
        scratch: &mut Scratch,
    ) {
        let (Some(terms), Some(memory)) = (&self.patterns, &mut scratch.patterns) else { return };
        if self.level == Level::SCALAR {
            for (score, (board, _)) in scratch.scores.iter_mut().zip(&scratch.moves) {
                *score += terms.weight * terms.patterns.value(board);
            }
            return;
        }
        let (mut lanes, mut rows, count) = ([0; LANES], [0; LANES], candidates.len().min(LANES));
        for (at, (lane, row)) in candidates.take(count).enumerate() {
            (lanes[at], rows[at]) = (lane as u8, row as u8);
        }
        terms.evaluate_lanes(board, piece, (&lanes, &rows, count), memory);
        for (score, &value) in scratch.scores[..count].iter_mut().zip(memory.values()) {
            *score += terms.weight * i64::from(value);
        }
    }

    /// Returns the best-scoring surviving placement dropped from above, the first if tied or if all
    /// placements end the game.
    pub fn best(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> BestPlacement {
        let mut after = *board;
        if let Some(delta) = self.delta_alone()
            && let Some(found) = delta.play(&mut after, piece, &mut scratch.tables)
        {
            let index = usize::from(found.index);
            let candidate = self.shapes(piece).candidate(index, found.row);
            return BestPlacement { index, candidate, lost: found.lost };
        }
        self.best_of_all(board, piece, scratch)
    }

    fn best_of_all(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> BestPlacement {
        if let Some(terms) = &self.patterns
            && let Some(memory) = &mut scratch.patterns
            && let Some(lines) = terms.lines
            && self.level != Level::SCALAR
        {
            let count = terms.evaluate(board, piece, memory);
            let (mut index, mut score) = (0, i64::MIN);
            for lane in 0..count.min(LANES) {
                let value = i64::from(memory.values()[lane]);
                let own = lines * i64::from(memory.lines()[lane]) + terms.weight * value;
                let own = if memory.lost() >> lane & 1 == 1 { i64::MIN } else { own };
                index = if own > score { lane } else { index };
                score = score.max(own);
            }
            let candidate = self.shapes(piece).candidate(index, memory.rows()[index]);
            return BestPlacement { index, candidate, lost: score == i64::MIN };
        }
        let count = self.evaluate(board, piece, scratch);
        // If all placements lose, the first is played at every level, since the rules ask for a
        // placement.
        let (mut index, mut score) = (0, i64::MIN);
        for lane in 0..count.min(LANES) {
            let is_lost = scratch.lost >> lane & 1 == 1;
            let own = if is_lost { i64::MIN } else { scratch.scores[lane] };
            // Greater and not equal: the first of equal placements wins, as in MDPTetris.
            index = if own > score { lane } else { index };
            score = score.max(own);
        }
        let candidate = self.shapes(piece).candidate(index, scratch.rows[index]);
        let lost = score == i64::MIN;
        BestPlacement { index, candidate, lost }
    }

    /// Writes, for each piece, the best score of its placements on `board`; `None` if all lose.
    pub fn best_scores(
        &self,
        board: &Board,
        pieces: &[Piece],
        scratch: &mut Scratch,
        scores: &mut [Option<i64>],
    ) {
        self.best_answers((board, None), pieces, None, scratch, scores);
    }

    /// Writes the best score of each piece on `board`; scores that sum to less than `floor` may be
    /// approximate.
    fn best_answers(
        &self,
        (board, board_score): (&Board, Option<i64>),
        pieces: &[Piece],
        floor: Option<i64>,
        scratch: &mut Scratch,
        scores: &mut [Option<i64>],
    ) {
        if let Some(delta) = self.delta_alone()
            && delta.scores((board, board_score), pieces, floor, &mut scratch.tables, scores)
        {
            return;
        }
        for (&piece, score) in pieces.iter().zip(scores) {
            let count = self.evaluate(board, piece, scratch);
            let survivors = (0..count).filter(|lane| scratch.lost >> lane & 1 == 0);
            *score = survivors.map(|lane| scratch.scores[lane]).max();
        }
    }

    /// Scores every placement of `piece` and keeps the boards for [`Evaluator::answers`]. Returns
    /// false, without scores, if only [`Evaluator::evaluate`] can score this board.
    pub fn evaluate_ahead(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> bool {
        self.patterns.is_none() && self.evaluate_terms_ahead(board, piece, scratch)
    }

    fn evaluate_terms_ahead(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> bool {
        let Some(delta) = &self.delta else { return false };
        let count = self.shapes(piece).count;
        let nothing = Afterstate {
            board: *board,
            score: 0,
            of_move: 0,
            board_score: None,
            row: 0,
            lost: false,
        };
        // Filled in the first call; later the length is right and nothing is written.
        scratch.after.resize(LANES, nothing);
        if !delta.afterstates(board, piece, &mut scratch.tables, &mut scratch.after[..count]) {
            return false;
        }
        scratch.lost = 0;
        for (lane, after) in scratch.after[..count].iter().enumerate() {
            scratch.rows[lane] = after.row;
            scratch.scores[lane] = after.score;
            scratch.of_move[lane] = after.of_move;
            scratch.lost |= u64::from(after.lost) << lane;
        }
        true
    }

    /// Writes, for each next piece, its best score on the board after the surviving placement
    /// `lane` that [`Evaluator::evaluate_ahead`] left in `ahead`.
    ///
    /// Scores that sum to less than `floor` may be inexact or `None`.
    pub fn answers(
        &self,
        (ahead, lane): (&Scratch, usize),
        pieces: &[Piece],
        floor: Option<i64>,
        scratch: &mut Scratch,
        scores: &mut [Option<i64>],
    ) {
        let Afterstate { board, board_score, .. } = &ahead.after[lane];
        self.best_answers((board, *board_score), pieces, floor, scratch, scores);
    }

    /// Returns the number of placements of a piece dropped from above.
    #[must_use]
    pub fn count(&self, piece: Piece) -> usize {
        self.shapes(piece).count
    }

    /// Plays the placement of `piece` with the best score on `board`, and returns its effect.
    #[inline]
    pub fn step(&self, board: &mut Board, piece: Piece, scratch: &mut Scratch) -> PlacementEffect {
        if let Some(delta) = self.delta_alone()
            && let Some(played) = delta.play(board, piece, &mut scratch.tables)
        {
            return PlacementEffect { lines: played.lines, stack: played.stack, lost: played.lost };
        }
        self.step_of_all(board, piece, scratch)
    }

    #[inline(never)]
    fn step_of_all(
        &self,
        board: &mut Board,
        piece: Piece,
        scratch: &mut Scratch,
    ) -> PlacementEffect {
        let best = self.best_of_all(board, piece, scratch);
        let Placed { after, removed, .. } = self.place(board, piece, best.candidate);
        *board = after;
        let lines = removed.count_ones() as u8;
        PlacementEffect { lines, stack: board.stack_height() as u8, lost: best.lost }
    }

    fn place(&self, board: &Board, piece: Piece, candidate: Candidate) -> Placed {
        let (row, top) = (candidate.row as usize, candidate.top(piece));
        let before = candidate.lock(board, piece);
        // Under `simplified`, full rows stay if the piece ends above the top: the stack must show
        // the loss.
        let stays = top > board.height() && !self.play.clear_on_overflow;
        let removed = if stays { 0 } else { before.full_rows_among(row..top) };
        Placed { before, after: before.without_rows(removed), removed }
    }
}

struct Placed {
    before: Board,
    after: Board,
    removed: u32,
}

impl Evaluator {
    /// Returns a mask of the placements of `piece` that may be best or second best: at least all
    /// with the best score, and the first with the second-best. Losing placements rank last.
    ///
    /// In `scratch`, only these placements have exact scores, landing rows and `lost` bits.
    pub fn top_two(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> u64 {
        let Scratch { tables, rows, scores, lost, .. } = scratch;
        let found = TopTwo { tables, rows, scores, lost };
        if let Some(delta) = self.delta_alone()
            && let Some(some) = delta.top_two(board, piece, found)
        {
            return some;
        }
        let count = self.evaluate(board, piece, scratch);
        // The lowest possible score marks a placement that ends the game.
        let own = |lane: usize| match scratch.lost >> lane & 1 {
            0 => scratch.scores[lane],
            _ => i64::MIN,
        };
        let (mut best, mut second) = (i64::MIN, i64::MIN);
        for score in (0..count).map(own) {
            // The lower of the new score and the best so far competes for second place.
            second = second.max(score.min(best));
            best = best.max(score);
        }
        // All placements, if fewer than two survive.
        (0..count).map(|lane| u64::from(own(lane) >= second) << lane).sum()
    }
}
