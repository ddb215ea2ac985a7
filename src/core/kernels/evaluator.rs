//! An evaluator: everything about scoring that does not depend on the board.

use super::board_batch::{BoardBatch, Play};
use super::delta::{After, Delta, Tables};
use super::passes::Sweeps;
use super::shapes::{LANDING, Shapes};
use super::slots::{Raws, slot, slot_of};
use super::weights::WeightedSum;
use crate::board::{Board, BoardSize};
use crate::features::{Feature, Measured};
use crate::piece::Piece;
use crate::placement::{Candidate, Step};
use crate::simd::{LANES, Level};

/// A controller made ready for one board size, one set of rules and one instruction level.
///
/// Built once for a run, so that a decision only reads tables: every placement of every piece is laid out here,
/// and the weights are split. It has no mutable state, so that all threads read one and each brings its own
/// [`Scratch`].
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, controller::{Controller, Scorer}, kernels::{Evaluator, Level}, piece::Piece};
/// let board: Board = "....../....../#...../##.###".parse()?;
/// let scorer = Scorer::new(&Controller::load("bcts")?, board.size())?;
/// let (measured, terms) = (scorer.measured(), scorer.terms(board.stack_height()));
/// let evaluator = Evaluator::new(board.size(), measured, false, terms, Level::detect());
/// let mut scratch = evaluator.scratch();
/// let count = evaluator.evaluate(&board, Piece::I, &mut scratch);
/// assert_eq!(count, 6 + 3); // upright in six columns, then lying in three
/// let survives = |lane: &usize| scratch.lost >> lane & 1 == 0; // upright on the left it would end above the top
/// let first_best = (0..count).rev().filter(survives).max_by_key(|&lane| scratch.scores[lane]);
/// assert_eq!(first_best, Some(2)); // upright, into the well: the row is complete
/// assert_eq!(evaluator.best(&board, Piece::I, &mut scratch).index, 2);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct Evaluator {
    pub(super) size: BoardSize,
    pub(super) level: Level,
    pub(super) play: Play,
    pub(super) terms: Vec<(Feature, i64)>,
    /// Of each term: where its raw values are kept, and whether a placement earns it.
    pub(super) kept: Vec<(usize, bool)>,
    /// By [`Piece::index`].
    shapes: Vec<Shapes>,
    /// What is measured on whole boards, for whatever `delta` leaves.
    sweeps: Sweeps,
    /// All terms, and those that [`Feature::is_reward`] alone: look-ahead takes the latter apart.
    total: WeightedSum,
    of_move: WeightedSum,
    /// The landing features in use: index into [`LANDING`], and slot.
    landing: Vec<(usize, usize)>,
    /// The quick kernel, where the level has bytes and every feature is known to it.
    pub(super) delta: Option<Delta>,
}

/// Working memory of an [`Evaluator`], for one thread; about 30 KiB.
///
/// Lane l of everything here is the l-th placement in canonical order (orientation, then column), or the l-th
/// candidate that was given. Lanes from the count on hold whatever was there before.
pub struct Scratch {
    pub(super) batch: Box<BoardBatch>,
    pub(super) raws: Box<Raws>,
    /// The landing row of each lane.
    pub(super) rows: [u8; LANES],
    /// The boards of the last [`Evaluator::evaluate_ahead`].
    pub(super) after: Vec<After>,
    pub(super) tables: Box<Tables>,
    /// The exact weighted sum of each candidate.
    pub scores: [i64; LANES],
    /// The part of each score that its move earned: features of the move and complete rows.
    pub of_move: [i64; LANES],
    /// Candidates that end the game, one bit each.
    pub lost: u64,
}

crate::names! {
    /// The method that scores a set of weighted features. If the difference kernel lacks one of them, the sweep scores the
    /// whole set.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ScoringPath {
        /// Feature by feature, by the scalar definitions.
        Scalar = "scalar",
        /// Scores computed from the changes that a placement makes.
        Difference = "difference",
        /// Sweeps over the whole boards after all placements.
        Sweep = "sweep",
    }
}

/// The placement that a greedy player makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestPlacement {
    /// Its place among [`Placements::of`](crate::placement::Placements::of).
    pub index: usize,
    /// Orientation, column and landing row.
    pub candidate: Candidate,
    /// Whether it ends the game: so do all others then.
    pub lost: bool,
}

impl Scratch {
    /// Raw values of a feature of the evaluator for the candidates evaluated last, by lane.
    #[must_use]
    pub fn raw(&self, feature: Feature, lane: usize) -> i32 {
        i32::from(self.raws.0[slot_of(feature)].0[lane] as i16)
    }
}

impl Evaluator {
    /// Prepares weighted features. The absolute values of the weights sum to at most 2^43.
    #[must_use]
    pub fn new(
        size: BoardSize,
        measured: Measured,
        clear_on_overflow: bool,
        terms: &[(Feature, i64)],
        level: Level,
    ) -> Evaluator {
        let uses = |name: &str| terms.iter().any(|(f, _)| f.definition().name == name);
        let used = |&(_, (name, _)): &(usize, (&str, u16))| uses(name);
        let landing = LANDING.into_iter().enumerate().filter(used);
        let reward = terms.iter().copied().filter(|&(feature, _)| feature.is_reward());
        let play = Play { measured, clear_on_overflow };
        Evaluator {
            size,
            // None where a feature is unknown to it: then the sweeps do all.
            delta: Delta::new(size, play, terms, level),
            level,
            play,
            terms: terms.to_vec(),
            kept: terms.iter().map(|&(f, _)| (slot_of(f), f.is_reward())).collect(),
            shapes: Piece::ALL.map(|piece| Shapes::new(size.width(), piece)).into(),
            sweeps: Sweeps::new(size, level, terms.iter().map(|&(feature, _)| feature)),
            total: WeightedSum::new(terms),
            of_move: WeightedSum::new(&reward.collect::<Vec<_>>()),
            landing: landing.map(|(k, (name, _))| (k, slot_of_name(name))).collect(),
        }
    }

    /// Returns the method that scores decisions.
    #[must_use]
    pub fn path(&self) -> ScoringPath {
        match &self.delta {
            _ if self.level == Level::SCALAR => ScoringPath::Scalar,
            Some(_) => ScoringPath::Difference,
            None => ScoringPath::Sweep,
        }
    }

    /// The board size it is made for.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The instruction level it runs at.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Working memory for one thread.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        Scratch {
            batch: Box::new(BoardBatch::new(self.size)),
            raws: Box::new(Raws::ZERO),
            rows: [0; LANES],
            after: Vec::new(),
            tables: Box::new(Tables::NONE),
            scores: [0; LANES],
            of_move: [0; LANES],
            lost: 0,
        }
    }

    /// The placements of a piece.
    pub(super) fn shapes(&self, piece: Piece) -> &Shapes {
        &self.shapes[piece.index()]
    }

    /// Scores every placement of a piece dropped from above, in canonical order; returns how many.
    pub fn evaluate(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> usize {
        let shapes = self.shapes(piece);
        scratch.rows = shapes.landing_rows(&board.heights());
        let rows = scratch.rows;
        let lanes = (0..shapes.count).map(|lane| (lane, rows[lane] as usize));
        self.score(board, piece, lanes, scratch);
        shapes.count
    }

    /// The candidate in a lane of the last [`Evaluator::evaluate`].
    #[must_use]
    pub fn candidate(&self, piece: Piece, lane: usize, scratch: &Scratch) -> Candidate {
        self.shapes(piece).candidate(lane, scratch.rows[lane])
    }

    /// Scores given candidates of a piece.
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
        self.score(board, piece, candidates.iter().map(lane), scratch);
    }

    /// Plays and scores placements, given by lane of the shapes and landing row, in lanes from 0 on.
    fn score(
        &self,
        board: &Board,
        piece: Piece,
        candidates: impl ExactSizeIterator<Item = (usize, usize)>,
        scratch: &mut Scratch,
    ) {
        if self.level == Level::SCALAR {
            return self.score_by_features(board, piece, candidates, scratch);
        }
        let batch = &mut scratch.batch;
        batch.begin(board.stack_height());
        batch.add(self.play, board, self.shapes(piece), candidates);
        batch.finish();
        self.measure(scratch);
    }

    /// The greedy choice: the first best of the placements dropped from above that do not lose.
    pub fn best(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> BestPlacement {
        if let Some(best) = self.best_by_differences(board, piece, scratch) {
            return best;
        }
        let count = self.evaluate(board, piece, scratch);
        // Where all lose, the first is played, since the rules ask for a placement, and the same at every
        // level.
        let mut index = 0;
        let mut score = i64::MIN;
        for lane in 0..count {
            // Greater and not equal, so that the first of equal ones wins, as in MDPTetris.
            if scratch.scores[lane] > score && scratch.lost >> lane & 1 == 0 {
                (index, score) = (lane, scratch.scores[lane]);
            }
        }
        let candidate = self.shapes(piece).candidate(index, scratch.rows[index]);
        let lost = score == i64::MIN;
        BestPlacement { index, candidate, lost }
    }

    /// The best score of each piece on a board, None where every placement loses: what look-ahead
    /// asks about an afterstate, for the next piece or for all that may come.
    pub fn best_scores(
        &self,
        board: &Board,
        pieces: &[Piece],
        scratch: &mut Scratch,
        scores: &mut [Option<i64>],
    ) {
        self.best_answers((board, None), pieces, None, scratch, scores);
    }

    /// The best score of each piece on a board whose own score may be known; others whose sum is below the floor where
    /// theirs is.
    fn best_answers(
        &self,
        (board, own): (&Board, Option<i64>),
        pieces: &[Piece],
        floor: Option<i64>,
        scratch: &mut Scratch,
        scores: &mut [Option<i64>],
    ) {
        if let Some(delta) = &self.delta
            && delta.scores((board, own), pieces, floor, &mut scratch.tables, scores)
        {
            return;
        }
        for (&piece, score) in pieces.iter().zip(scores) {
            let count = self.evaluate(board, piece, scratch);
            let sound = (0..count).filter(|lane| scratch.lost >> lane & 1 == 0);
            *score = sound.map(|lane| scratch.scores[lane]).max();
        }
    }

    /// As [`Evaluator::evaluate`], and makes the boards that the candidates lead to, which
    /// [`Evaluator::answers`] is then asked about; without raw values. False where only `evaluate`
    /// will do.
    pub fn evaluate_ahead(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> bool {
        let Some(delta) = &self.delta else { return false };
        let count = self.shapes(piece).count;
        let nothing = After { board: *board, score: 0, of_move: 0, own: None, row: 0, lost: false };
        // Filled once: from the second call on the length is right and nothing is written here.
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

    /// [`Evaluator::best_scores`] on the board that a surviving candidate of the last
    /// [`Evaluator::evaluate_ahead`] leads to. Where the sum of the scores is below `floor`, they may be others whose
    /// sum is, or are None, which is quicker: where only the best of many boards is asked for, the best so far is the
    /// floor.
    pub fn answers(
        &self,
        (ahead, lane): (&Scratch, usize),
        pieces: &[Piece],
        floor: Option<i64>,
        scratch: &mut Scratch,
        scores: &mut [Option<i64>],
    ) {
        let After { board, own, .. } = &ahead.after[lane];
        self.best_answers((board, *own), pieces, floor, scratch, scores);
    }

    /// The number of placements of a piece dropped from above.
    #[must_use]
    pub fn count(&self, piece: Piece) -> usize {
        self.shapes(piece).count
    }

    /// Plays the greedy choice on a board.
    pub fn step(&self, board: &mut Board, piece: Piece, scratch: &mut Scratch) -> Step {
        if let Some(delta) = &self.delta
            && let Some(step) = delta.step(board, piece, &mut scratch.tables)
        {
            return step;
        }
        let best = self.best(board, piece, scratch);
        let (after, lines) = self.place(board, piece, &best);
        *board = after;
        Step { lines: lines as u8, stack: board.stack_height() as u8, lost: best.lost }
    }

    /// The board once a placement is played, and how many rows that removed: what the rules do.
    fn place(&self, board: &Board, piece: Piece, best: &BestPlacement) -> (Board, u32) {
        let (row, top) = (best.candidate.row as usize, best.candidate.top(piece));
        let before = best.candidate.lock(board, piece);
        // Above the top full rows stay under `simplified`, since the game is over and its stack must show that.
        let stays = top > board.height() && !self.play.clear_on_overflow;
        let removed = if stays { 0 } else { before.full_rows_among(row..top) };
        (before.without_rows(removed), removed.count_ones())
    }

    /// The greedy choice by what each placement changes; None where whole boards are measured.
    #[inline]
    fn best_by_differences(
        &self,
        board: &Board,
        piece: Piece,
        scratch: &mut Scratch,
    ) -> Option<BestPlacement> {
        let found = self.delta.as_ref()?.find(board, piece, &mut scratch.tables)?;
        let candidate = self.shapes(piece).candidate(found.index, found.row);
        Some(BestPlacement { index: found.index, candidate, lost: found.lost })
    }

    /// Measures a filled batch and sums it up.
    pub(super) fn measure(&self, scratch: &mut Scratch) {
        scratch.lost = scratch.batch.lost;
        let (batch, raws) = (&*scratch.batch, &mut *scratch.raws);
        self.sweeps.run(batch, raws);
        for &(k, slot) in &self.landing {
            raws.0[slot] = batch.landing[k];
        }
        raws.0[const { slot("eroded_cells") }] = batch.eroded;
        raws.0[const { slot("eroded_cells_guide") }] = batch.eroded_alone;
        raws.0[const { slot("rows_removed") }] = batch.lines;
        self.total.score(self.level, raws, batch.count, &mut scratch.scores);
        self.of_move.score(self.level, raws, batch.count, &mut scratch.of_move);
    }
}

/// [`slot`] at run time: the name comes from a table.
fn slot_of_name(name: &str) -> usize {
    slot(name)
}
