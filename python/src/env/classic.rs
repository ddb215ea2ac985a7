//! Environments of classic games (no hold) by placements (action number: orientation x width +
//! leftmost column) and by key presses.

use tetrastat::board::ROWS;
use tetrastat::environment::{Action, Environment, Falling, Transition};
use tetrastat::placement::{Candidate, Placement, Placements};
use tetrastat::queue::{Queue, QueueKind};
use tetrastat::rng::{Purpose, Stream};
use tetrastat::rules::{Entry, Outcome, Rules};

use super::batch::{Game, NO_PIECE, Played, Shape, Start, check_restored, damaged};
use super::observed::write_mask;
use crate::prelude::*;

const ORIENTATIONS: usize = 4;

pub(super) struct PlacementGame {
    rules: Rules,
    size: BoardSize,
    queue: QueueKind,
    previews: usize,
    placements: Placements,
    /// Legal actions of each piece as bits, for rules by which pieces enter from above the board.
    from_above: [u64; 7],
}

impl PlacementGame {
    pub fn new(rules: Rules, size: BoardSize, queue: QueueKind, previews: usize) -> PlacementGame {
        let placements = Placements::new(size.width());
        let bits = |piece| {
            let of = placements.of_piece(piece).iter();
            of.fold(0, |bits, &placement| bits | 1 << action(size, placement))
        };
        let from_above = Piece::ALL.map(bits);
        PlacementGame { rules, size, queue, previews, placements, from_above }
    }

    fn deal(&self, state: &mut PlacingState) -> Result<()> {
        state.piece = match self.rules.deal(&mut state.queue, &state.board) {
            Ok(piece) => Some(piece),
            Err(Error::ScriptEnded { .. }) => None,
            Err(error) => return Err(error),
        };
        self.find_legal(state);
        Ok(())
    }

    fn find_legal(&self, state: &mut PlacingState) {
        state.legal = match (state.piece, self.rules.entry) {
            (None, _) => 0,
            (Some(piece), Entry::FromAbove) => self.from_above[piece.index()],
            (Some(piece), Entry::SpawnInside(_)) => {
                self.rules.candidates(&self.placements, &state.board, piece, &mut state.listed);
                let listed = state.listed.iter();
                listed.fold(0, |bits, at| bits | 1 << action(self.size, at.placement))
            }
        };
    }

    fn candidate(&self, state: &PlacingState, piece: Piece, action: usize) -> Option<Candidate> {
        let (orientation, column) = (action / self.size.width(), action % self.size.width());
        let placement = Placement { orientation: orientation as u8, column: column as u8 };
        match self.rules.entry {
            Entry::FromAbove => Some(Candidate::dropped(&state.board.heights(), piece, placement)),
            Entry::SpawnInside(_) => {
                state.listed.iter().find(|candidate| candidate.placement == placement).copied()
            }
        }
    }
}

/// Returns the action number of a placement, 0 to 63: four orientations of at most 16 columns.
fn action(size: BoardSize, placement: Placement) -> usize {
    usize::from(placement.orientation) * size.width() + usize::from(placement.column)
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct PlacingState {
    queue: Queue,
    board: Board,
    /// Piece to place; `None` once the scripted pieces are used up.
    piece: Option<Piece>,
    last: Option<Outcome>,
    #[serde(skip)]
    legal: u64,
    /// Legal placements of the piece, for rules by which pieces spawn inside the board.
    #[serde(skip)]
    listed: Vec<Candidate>,
}

impl Game for PlacementGame {
    type State = PlacingState;
    type After = Outcome;

    fn shape(&self) -> Shape {
        let (height, width) = (self.size.height(), self.size.width());
        Shape {
            planes: 1,
            height,
            width,
            dealt: 1 + self.previews,
            status: 0,
            actions: ORIENTATIONS * width,
            start_height: height,
        }
    }

    fn idle(&self) -> Result<PlacingState> {
        let queue = Queue::new(self.queue.clone(), 0, 0);
        let board = Board::empty(self.size);
        Ok(PlacingState { queue, board, piece: None, last: None, legal: 0, listed: Vec::new() })
    }

    fn begin(&self, state: &mut PlacingState, start: &Start) -> Result<()> {
        state.queue = Queue::new(self.queue.clone(), start.seed, start.game);
        state.board = start.board.unwrap_or(Board::empty(self.size));
        state.last = None;
        self.deal(state)
    }

    fn is_legal(&self, state: &PlacingState, action: usize) -> bool {
        state.legal >> action & 1 == 1
    }

    fn act(&self, state: &mut PlacingState, action: usize) -> Result<Played> {
        let Some(piece) = state.piece else { return Ok(Played::default()) };
        let Some(candidate) = self.candidate(state, piece, action) else {
            return Ok(Played::default());
        };
        let outcome = self.rules.play(&state.board, piece, candidate);
        let mut lost = outcome.lost;
        state.board = outcome.after;
        state.last = Some(outcome);
        if lost {
            state.legal = 0;
        } else {
            self.deal(state)?;
            lost = state.piece.is_some() && state.legal == 0;
        }
        let (lines, truncated) = (outcome.played.lines.into(), state.piece.is_none());
        Ok(Played { lines, pieces: 1, points: 0, lost, terminated: lost, truncated })
    }

    fn rows(&self, state: &PlacingState) -> [u16; ROWS] {
        *state.board.rows()
    }

    fn dealt(&self, state: &mut PlacingState, out: &mut [u8]) {
        out[0] = state.piece.map_or(NO_PIECE, |piece| piece as u8);
        for (ahead, seen) in out[1..].iter_mut().enumerate() {
            *seen = state.queue.peek(ahead).map_or(NO_PIECE, |piece| piece as u8);
        }
    }

    fn mask(&self, state: &PlacingState, out: &mut [u8]) {
        write_mask(state.legal, out);
    }

    fn latest(&self, state: &PlacingState) -> Afterstate {
        state.last.map_or(Afterstate::Board(state.board), Afterstate::Classic)
    }

    fn afterstates(&self, state: &PlacingState) -> Vec<(usize, Outcome)> {
        let Some(piece) = state.piece.filter(|_| state.legal != 0) else { return Vec::new() };
        let mut listed = Vec::new();
        self.rules.candidates(&self.placements, &state.board, piece, &mut listed);
        let played = |at: Candidate| {
            (action(self.size, at.placement), self.rules.play(&state.board, piece, at))
        };
        listed.into_iter().map(played).collect()
    }

    fn branch(&self, state: &mut PlacingState, seed: u64) {
        state.queue.branch(Stream::new(seed, Purpose::Branches, 0));
    }

    fn restore(&self, state: &mut PlacingState, is_ended: bool) -> Result<()> {
        let last = state.last.iter().flat_map(|outcome| [&outcome.before, &outcome.after]);
        last.chain([&state.board]).try_for_each(|board| check_restored(board, self.size))?;
        state.queue.set_kind(self.queue.clone());
        if !is_ended {
            self.find_legal(state);
        }
        Ok(())
    }
}

pub(super) struct KeyGame {
    pub size: BoardSize,
    /// Queue that deals the game's pieces. `None` is the generator of the notebook `tetris_ia`.
    pub queue: Option<QueueKind>,
    pub previews: usize,
}

impl KeyGame {
    fn environment(&self, seed: u64) -> Result<Environment> {
        let Some(queue) = &self.queue else {
            let wrong =
                |_| Error::Config("the notebook's queue needs a seed below 2^32".to_owned());
            return Environment::notebook(self.size, u32::try_from(seed).map_err(wrong)?);
        };
        let mut environment = Environment::new(self.size, queue.clone(), seed)?;
        environment.show_next(self.previews);
        Ok(environment)
    }
}

impl Game for KeyGame {
    type State = Environment;
    type After = Afterstate;

    fn shape(&self) -> Shape {
        let (height, width) = (self.size.height(), self.size.width());
        Shape {
            planes: 2,
            height,
            width,
            dealt: 1 + self.previews,
            status: 2,
            actions: Action::ALL.len(),
            start_height: height,
        }
    }

    fn idle(&self) -> Result<Environment> {
        self.environment(0)
    }

    fn begin(&self, state: &mut Environment, start: &Start) -> Result<()> {
        // The notebook's games of a seed follow each other, so the next one is not started anew.
        let mut resets = 1;
        if !start.is_next {
            (*state, resets) = (self.environment(start.seed)?, start.game);
        }
        for _ in 0..resets {
            state.reset()?;
        }
        if let Some(board) = start.board {
            state.set(board, Falling::entering(state.falling().piece(), &board));
        }
        Ok(())
    }

    /// Returns true for every key until the game is over, even if the key cannot move the piece.
    fn is_legal(&self, state: &Environment, _: usize) -> bool {
        !state.is_over()
    }

    fn mask(&self, state: &Environment, out: &mut [u8]) {
        out.fill((!state.is_over()).into());
    }

    fn act(&self, state: &mut Environment, action: usize) -> Result<Played> {
        let Transition { reward: lines, locked, done, .. } = state.step(Action::ALL[action])?;
        Ok(Played {
            lines,
            pieces: locked.into(),
            lost: done,
            terminated: done,
            ..Played::default()
        })
    }

    fn rows(&self, state: &Environment) -> [u16; ROWS] {
        *state.board().rows()
    }

    fn falling(&self, state: &Environment, mut put: impl FnMut(usize, usize)) {
        if !state.is_over() {
            let cells = state.falling();
            cells.cells().for_each(|(column, row)| put(column as usize, row as usize));
        }
    }

    fn dealt(&self, state: &mut Environment, out: &mut [u8]) {
        out[0] = if state.is_over() { NO_PIECE } else { state.falling().piece() as u8 };
        if self.previews > 0 {
            let next = state.observe().next.into_iter().map(|piece| piece as u8);
            let next = next.chain(std::iter::repeat(NO_PIECE));
            out[1..].iter_mut().zip(next).for_each(|(shown, piece)| *shown = piece);
        }
    }

    /// Writes the column and row of the falling piece's anchor to `out`.
    fn status(&self, state: &Environment, out: &mut [f32]) {
        let Falling { column, row, .. } = state.falling();
        out.copy_from_slice(&[column as f32, row as f32]);
    }

    fn latest(&self, state: &Environment) -> Afterstate {
        Afterstate::Board(*state.board())
    }

    fn branch(&self, state: &mut Environment, seed: u64) {
        state.branch(seed);
    }

    fn restore(&self, state: &mut Environment, _: bool) -> Result<()> {
        match &self.queue {
            Some(queue) => state.set_queue_kind(queue.clone()),
            None if state.is_notebook() => {}
            None => return Err(damaged()),
        }
        state.show_next(self.previews);
        check_restored(state.board(), self.size)
    }
}
