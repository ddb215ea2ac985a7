//! Classic games by placements. The action number of a placement is orientation x width + leftmost
//! column.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tetrastat::board::{Board, BoardSize};
use tetrastat::error::{Error, Result};
use tetrastat::piece::Piece;
use tetrastat::placement::{Candidate, Placement, Placements};
use tetrastat::queue::{Queue, QueueKind};
use tetrastat::rules::{Entry, Outcome, Rules};

use super::cells::{RowOrder, write_mask, write_plane};
use super::game::{Game, NO_PIECE, Numbering, PLACEMENT, Reward, Shape, Start, StepResult};
use super::game::{check_restored, check_start, piece_letters};
use super::meter::{FeatureSelection, Meter};
use super::state::GameOptions;

/// Number of orientations that action numbers distinguish.
const ORIENTATIONS: usize = 4;

/// Options that all classic games by placements of a batch share.
pub(super) struct Setup {
    pub rules: Rules,
    pub size: BoardSize,
    pub queue: QueueKind,
    pub previews: usize,
    pub reward: Reward,
    pub wanted: FeatureSelection,
    order: RowOrder,
    options: GameOptions,
    placements: Placements,
    /// Legal actions of each piece as bits, for rules under which pieces enter from above the
    /// board.
    from_above: [u64; 7],
}

impl Setup {
    pub fn new(
        rules: Rules,
        queue: QueueKind,
        previews: usize,
        reward: Reward,
        wanted: FeatureSelection,
        order: RowOrder,
    ) -> Setup {
        let size = wanted.size;
        let placements = Placements::new(size.width());
        let bits = |piece: Piece| {
            let of = placements.of(piece).iter();
            of.fold(0, |bits, &placement| bits | bit(size, placement))
        };
        let from_above = Piece::ALL.map(bits);
        let options = GameOptions::new([
            ("actions", "placements".to_owned()),
            ("board", size.to_string()),
            ("queue", queue.describe()),
            ("rules", rules.to_string()),
        ]);
        Setup {
            rules,
            size,
            queue,
            previews,
            reward,
            wanted,
            order,
            options,
            placements,
            from_above,
        }
    }
}

fn action(size: BoardSize, placement: Placement) -> usize {
    usize::from(placement.orientation) * size.width() + usize::from(placement.column)
}

/// Returns the bit that stands for the action of `placement`. Four orientations of at most sixteen
/// columns need 64 bits.
fn bit(size: BoardSize, placement: Placement) -> u64 {
    1 << action(size, placement)
}

/// A classic game by placements.
#[derive(Clone)]
pub(super) struct Placing {
    setup: Arc<Setup>,
    numbering: Numbering,
    queue: Queue,
    board: Board,
    /// Piece to place; `None` after the end of a script.
    piece: Option<Piece>,
    legal: u64,
    /// Legal placements of the piece, for rules under which pieces spawn inside the board.
    listed: Vec<Candidate>,
    last: Option<Outcome>,
    lines: i64,
    pieces: i64,
}

impl Placing {
    pub fn new(setup: Arc<Setup>) -> Placing {
        let queue = Queue::new(setup.queue.clone(), 0, 0);
        let board = Board::empty(setup.size);
        Placing {
            setup,
            numbering: Numbering::default(),
            queue,
            board,
            piece: None,
            legal: 0,
            listed: Vec::new(),
            last: None,
            lines: 0,
            pieces: 0,
        }
    }

    /// Deals the next piece and finds its legal actions. At the end of a script, there is no piece.
    fn deal(&mut self) -> Result<()> {
        self.piece = match self.setup.rules.deal(&mut self.queue, &self.board) {
            Ok(piece) => Some(piece),
            Err(Error::ScriptEnded { .. }) => None,
            Err(error) => return Err(error),
        };
        self.find_legal();
        Ok(())
    }

    /// Finds the legal actions of the piece.
    fn find_legal(&mut self) {
        let Setup { rules, size, placements, from_above, .. } = &*self.setup;
        self.legal = match (self.piece, rules.entry) {
            (None, _) => 0,
            (Some(piece), Entry::FromAbove) => from_above[piece.index()],
            (Some(piece), Entry::SpawnInside(_)) => {
                rules.candidates(placements, &self.board, piece, &mut self.listed);
                let listed = self.listed.iter();
                listed.fold(0, |bits, candidate| bits | bit(*size, candidate.placement))
            }
        };
    }

    /// Returns the placement of `piece` that has the number `action`, which must be legal.
    fn candidate(&self, piece: Piece, action: usize) -> Option<Candidate> {
        let Setup { rules, size, .. } = &*self.setup;
        let (orientation, column) = (action / size.width(), action % size.width());
        let placement = Placement { orientation: orientation as u8, column: column as u8 };
        match rules.entry {
            Entry::FromAbove => Some(Candidate::dropped(&self.board.heights(), piece, placement)),
            Entry::SpawnInside(_) => {
                self.listed.iter().find(|candidate| candidate.placement == placement).copied()
            }
        }
    }

    /// Returns the number of every legal action and the outcome of its placement.
    fn outcomes(&self) -> Vec<(usize, Outcome)> {
        let Some(piece) = self.piece else { return Vec::new() };
        let Setup { rules, size, placements, .. } = &*self.setup;
        let mut listed = Vec::new();
        if self.legal != 0 {
            rules.candidates(placements, &self.board, piece, &mut listed);
        }
        let played = |candidate: Candidate| {
            (action(*size, candidate.placement), rules.play(&self.board, piece, candidate))
        };
        listed.into_iter().map(played).collect()
    }
}

/// Stored form of a [`Placing`].
#[derive(Serialize, Deserialize)]
pub(super) struct SavedPlacing {
    numbering: Numbering,
    queue: Queue,
    board: Board,
    piece: Option<Piece>,
    last: Option<Outcome>,
    lines: i64,
    pieces: i64,
}

impl Game for Placing {
    type Meter = Meter;
    type Saved = SavedPlacing;

    fn meter(&self) -> Meter {
        self.setup.wanted.meter()
    }

    fn shape(&self) -> Shape {
        let Setup { size, previews, wanted, .. } = &*self.setup;
        Shape {
            planes: 1,
            height: size.height(),
            width: size.width(),
            dealt: 1 + previews,
            status: 0,
            features: wanted.features.len(),
            actions: ORIENTATIONS * size.width(),
            start_height: size.height(),
        }
    }

    fn begin(&mut self, start: &Start) -> Result<()> {
        if let Some(board) = &start.board {
            check_start(board)?;
        }
        let game = self.numbering.begin(start);
        self.queue = Queue::new(self.setup.queue.clone(), self.numbering.seed, game);
        self.board = start.board.unwrap_or(Board::empty(self.setup.size));
        (self.last, self.lines, self.pieces) = (None, 0, 0);
        self.deal()
    }

    fn is_legal(&self, action: usize) -> bool {
        self.legal >> action & 1 == 1
    }

    fn act(&mut self, action: usize) -> Result<StepResult> {
        let placed = self.piece.and_then(|piece| Some((piece, self.candidate(piece, action)?)));
        let Some((piece, candidate)) = placed else { return Ok(StepResult::default()) };
        let outcome = self.setup.rules.play(&self.board, piece, candidate);
        self.board = outcome.after;
        self.lines += i64::from(outcome.played.lines);
        self.pieces += 1;
        self.last = Some(outcome);
        let (mut terminated, mut truncated) = (outcome.lost, false);
        if outcome.lost {
            self.legal = 0;
        } else {
            self.deal()?;
            truncated = self.piece.is_none();
            terminated = !truncated && self.legal == 0;
        }
        let reward = self.setup.reward.of(outcome.played.lines.into(), terminated);
        Ok(StepResult { reward, terminated, truncated })
    }

    fn counts(&self) -> [i64; 3] {
        [self.lines, self.pieces, 0]
    }

    fn cells(&self, out: &mut [u8]) {
        let rows = &self.board.rows()[..self.board.height()];
        write_plane(rows, self.board.width(), self.setup.order, out);
    }

    fn dealt(&mut self, out: &mut [u8]) {
        out[0] = self.piece.map_or(NO_PIECE, |piece| piece as u8);
        for (ahead, seen) in out[1..].iter_mut().enumerate() {
            *seen = self.queue.peek(ahead).map_or(NO_PIECE, |piece| piece as u8);
        }
    }

    fn status(&self, _: &mut [f32]) {}

    fn mask(&self, out: &mut [u8]) {
        write_mask(self.legal, out);
    }

    fn features(&mut self, meter: &mut Meter, out: &mut [f32]) {
        match self.last {
            Some(outcome) => meter.measure(&[(0, outcome)], out),
            None => meter.of_board(&self.board, None, out),
        }
    }

    fn afterstates(&mut self, meter: &mut Meter, out: &mut [f32]) {
        out.fill(0.0);
        meter.measure(&self.outcomes(), out);
    }

    fn placements(&mut self, out: &mut [i64]) {
        for (action, Outcome { played, .. }) in self.outcomes() {
            let Candidate { placement, row } = played.candidate;
            let [turned, column] = [placement.orientation, placement.column].map(i64::from);
            let values = [played.piece as i64, 0, turned, column, row.into(), 0];
            out[PLACEMENT * action..][..PLACEMENT].copy_from_slice(&values);
        }
    }

    fn picture(&mut self) -> String {
        let mut dealt = vec![0; 1 + self.setup.previews];
        self.dealt(&mut dealt);
        let [lines, pieces, _] = self.counts();
        format!("{}{}  {lines} lines, {pieces} pieces\n", self.board, piece_letters(&dealt))
    }

    fn options(&self) -> &GameOptions {
        &self.setup.options
    }

    fn saved(&self) -> SavedPlacing {
        let Placing { numbering, queue, board, piece, last, lines, pieces, .. } = self.clone();
        SavedPlacing { numbering, queue, board, piece, last, lines, pieces }
    }

    fn restored(&self, saved: SavedPlacing) -> Result<Placing> {
        let SavedPlacing { numbering, mut queue, board, piece, last, lines, pieces } = saved;
        let setup = self.setup.clone();
        check_restored(&board, setup.size)?;
        for played in last.iter().flat_map(|outcome| [&outcome.before, &outcome.after]) {
            check_restored(played, setup.size)?;
        }
        queue.set_kind(setup.queue.clone());
        let mut game =
            Placing { numbering, queue, board, piece, last, lines, pieces, ..Placing::new(setup) };
        if !last.is_some_and(|outcome| outcome.lost) {
            game.find_legal();
        }
        Ok(game)
    }
}
