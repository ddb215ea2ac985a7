//! A person's game in time, without any terminal: fed with keys and their times in milliseconds, it
//! does what is due between them. The same keys at the same times give the same game.

use super::falling::TimedPiece;
use super::handling::Handling;
use super::held::Shifting;
use super::keys::GameKey;
use super::placed::PersonPlacement;
use crate::matrix::{Matrix, ROWS, WIDTH};
use crate::piece::Piece;
use crate::queue::{Queue, QueueKind};
use crate::record::{GuidelineEnd, GuidelineGameRow};
use crate::rng::{Purpose, stream_seed};
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, Hold, InputPath, MAX_PREVIEWS, RotationTurn, shortest,
};
use crate::sim::guideline::{Dealt, Mode};

/// What a game is: everything but the keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameSetup {
    /// The rules, points among them.
    pub rules: Guideline,
    /// What the game is about.
    pub mode: Mode,
    /// When keys repeat.
    pub handling: Handling,
    /// The seed that every game's queue derives from.
    pub seed: u64,
    /// Number of the game, from 0.
    pub game: u64,
}

/// A game that is played.
#[derive(Clone, Debug)]
pub struct Session {
    setup: GameSetup,
    queue: Queue,
    now: u64,
    state: GuidelineState,
    /// The hold as it is seen now; that of `state` is of the last placement.
    hold: Hold,
    falling: Option<TimedPiece>,
    dealt: Dealt,
    since_i: u32,
    shifting: Shifting,
    /// When soft drop repeats.
    soft_next: Option<u64>,
    row: GuidelineGameRow,
    colours: Colours,
    placements: Vec<PersonPlacement>,
    faults: u32,
    keys: u32,
    end: Option<GuidelineEnd>,
}

/// The pieces of the settled cells, row 0 at the floor.
pub type Colours = Vec<[Option<Piece>; WIDTH]>;

impl Session {
    /// A game at its first piece, at 0 ms.
    #[must_use]
    pub fn new(setup: GameSetup) -> Session {
        let stream = stream_seed(setup.seed, Purpose::Queue, setup.game);
        let queue = Queue::new(QueueKind::Bag, setup.seed, setup.game);
        Session::with_queue(setup, queue, GuidelineGameRow::new(setup.game, stream))
    }

    fn with_queue(setup: GameSetup, queue: Queue, row: GuidelineGameRow) -> Session {
        let mut session = Session {
            setup,
            queue,
            now: 0,
            state: GuidelineState::default(),
            hold: Hold::Empty,
            falling: None,
            dealt: Dealt::default(),
            since_i: 0,
            shifting: Shifting::default(),
            soft_next: None,
            row,
            colours: vec![[None; WIDTH]; ROWS],
            placements: Vec::new(),
            faults: 0,
            keys: 0,
            end: None,
        };
        session.enter_next(false);
        session
    }

    /// What the game is.
    #[must_use]
    pub fn setup(&self) -> &GameSetup {
        &self.setup
    }

    /// Milliseconds played.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The piece that falls; `None` when the game has ended.
    #[must_use]
    pub fn falling(&self) -> Option<&TimedPiece> {
        self.falling.as_ref()
    }

    /// The state between two pieces.
    #[must_use]
    pub fn state(&self) -> &GuidelineState {
        &self.state
    }

    /// The piece of each settled cell.
    #[must_use]
    pub fn colours(&self) -> &Colours {
        &self.colours
    }

    /// The piece in the hold, and whether it was used for the current piece.
    #[must_use]
    pub fn held(&self) -> (Option<Piece>, bool) {
        let piece = match self.hold {
            Hold::Piece(piece) => Some(piece),
            Hold::Empty | Hold::Unknown => None,
        };
        (piece, self.falling.is_some_and(|falling| falling.held))
    }

    /// Returns the next pieces that the rules show.
    #[must_use]
    pub fn previews(&self) -> [Option<Piece>; MAX_PREVIEWS] {
        let (mut queue, previews) = (self.queue.clone(), usize::from(self.setup.rules.previews));
        std::array::from_fn(|ahead| queue.peek(ahead).filter(|_| ahead < previews))
    }

    /// What the game came to so far.
    #[must_use]
    pub fn row(&self) -> &GuidelineGameRow {
        &self.row
    }

    /// The placements so far.
    #[must_use]
    pub fn placements(&self) -> &[PersonPlacement] {
        &self.placements
    }

    /// Keys pressed beyond those needed (finesse), and all keys pressed, hold not among them.
    #[must_use]
    pub fn keys(&self) -> (u32, u32) {
        (self.faults, self.keys)
    }

    /// How it ended, if it has.
    #[must_use]
    pub fn end(&self) -> Option<GuidelineEnd> {
        self.end
    }

    /// When the next thing happens by itself.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        let falling = self.falling.as_ref()?;
        let end = self.time_limit();
        [Some(falling.due()), self.shifting.next, self.soft_next, end].into_iter().flatten().min()
    }

    /// The game goes on to this time.
    pub fn advance(&mut self, to: u64) {
        while let Some(due) = self.due().filter(|due| *due <= to) {
            self.now = self.now.max(due);
            self.happen();
        }
        if self.end.is_none() {
            self.now = self.now.max(to);
        }
    }

    /// A key is pressed and held down.
    pub fn press(&mut self, action: GameKey, at: u64) {
        self.tap(action, at);
        if self.end.is_some() {
            return;
        }
        let Handling { das_ms, soft_das_ms, .. } = self.setup.handling;
        match action {
            GameKey::Left => self.shifting.press(-1, self.now, das_ms),
            GameKey::Right => self.shifting.press(1, self.now, das_ms),
            GameKey::SoftDrop => self.soft_next = Some(self.now + soft_das_ms),
            _ => {}
        }
    }

    /// A key does what it does once, without being held: all that a terminal says that does not
    /// tell of releases.
    pub fn tap(&mut self, action: GameKey, at: u64) {
        self.advance(at);
        let Some(falling) = &mut self.falling else { return };
        falling.keys += u32::from(!matches!(action, GameKey::Hold | GameKey::Pause));
        match action {
            GameKey::Left => _ = self.shift(-1),
            GameKey::Right => _ = self.shift(1),
            GameKey::SoftDrop => self.soft_drop(),
            GameKey::HardDrop => self.hard_drop(),
            GameKey::TurnLeft => self.turn(RotationTurn::CounterClockwise),
            GameKey::TurnRight => self.turn(RotationTurn::Clockwise),
            GameKey::Hold => self.use_hold(),
            GameKey::Pause => {}
        }
    }

    /// A key is released.
    pub fn release(&mut self, action: GameKey, at: u64) {
        self.advance(at);
        let das = self.setup.handling.das_ms;
        match action {
            GameKey::Left => self.shifting.release(-1, self.now, das),
            GameKey::Right => self.shifting.release(1, self.now, das),
            GameKey::SoftDrop => self.soft_next = None,
            _ => {}
        }
    }

    /// All keys are released, whatever the terminal says: the game was paused.
    pub fn release_all(&mut self) {
        self.shifting = Shifting::default();
        self.soft_next = None;
    }

    /// Its player leaves it, if it has not ended.
    pub fn leave(&mut self, at: u64) {
        self.advance(at);
        if self.end.is_none() {
            self.finish(GuidelineEnd::Left);
        }
    }

    fn time_limit(&self) -> Option<u64> {
        let limit = self.setup.mode.time_us();
        (limit < u64::MAX).then_some(limit / 1000)
    }

    /// What is due now: the end of time first, then keys held down, then the piece's fall or lock.
    fn happen(&mut self) {
        let now = self.now;
        let is_due = |at: Option<u64>| at.is_some_and(|at| at <= now);
        let Handling { arr_ms, soft_arr_ms, .. } = self.setup.handling;
        if is_due(self.time_limit()) {
            self.finish(GuidelineEnd::TimeLimit);
        } else if is_due(self.shifting.next) {
            self.shifting.repeated(now, arr_ms);
            self.shift(self.shifting.direction);
            self.slide();
        } else if is_due(self.soft_next) {
            self.soft_next = Some(now + soft_arr_ms);
            self.soft_drop();
        } else if let Some(falling) = &mut self.falling {
            if falling.is_grounded() {
                self.lock(0);
            } else {
                falling.fall(&self.state.matrix, now);
                self.slide();
            }
        }
    }

    fn shift(&mut self, direction: i32) -> bool {
        let (matrix, now) = (&self.state.matrix, self.now);
        self.falling.as_mut().is_some_and(|falling| falling.shift(matrix, direction, now))
    }

    /// Shifts the piece as far as it goes while a key is held down that repeats without delay.
    fn slide(&mut self) {
        let Shifting { direction, charged, .. } = self.shifting;
        if charged && self.setup.handling.arr_ms == 0 {
            while self.shift(direction) {}
        }
    }

    fn turn(&mut self, turn: RotationTurn) {
        let (rules, matrix, now) = (&self.setup.rules, &self.state.matrix, self.now);
        if let Some(falling) = &mut self.falling {
            falling.turn(rules, matrix, turn, now);
        }
        self.slide();
    }

    fn soft_drop(&mut self) {
        let now = self.now;
        if let Some(falling) = &mut self.falling {
            falling.soft += u32::from(falling.fall(&self.state.matrix, now));
        }
        self.slide();
    }

    fn hard_drop(&mut self) {
        let now = self.now;
        if let Some(falling) = &mut self.falling {
            let rows = falling.drop_down(&self.state.matrix, now);
            self.lock(rows);
        }
    }

    fn use_hold(&mut self) {
        let Some(falling) = self.falling.filter(|falling| self.setup.rules.hold && !falling.held)
        else {
            return;
        };
        let stored = std::mem::replace(&mut self.hold, Hold::Piece(falling.piece));
        self.keys += falling.keys;
        match stored {
            Hold::Piece(piece) => self.enter(piece, true),
            Hold::Empty | Hold::Unknown => self.enter_next(true),
        }
    }

    /// The next piece of the queue enters.
    fn enter_next(&mut self, held: bool) {
        match self.queue.deal() {
            Ok(piece) => self.enter(piece, held),
            // Only a script ends.
            Err(_) => self.finish(GuidelineEnd::PieceLimit),
        }
    }

    fn enter(&mut self, piece: Piece, held: bool) {
        let (rules, matrix) = (&self.setup.rules, &self.state.matrix);
        self.falling = TimedPiece::spawn(rules, matrix, piece, held, self.now);
        match self.falling {
            None => self.finish(GuidelineEnd::TopOut),
            Some(_) => self.slide(),
        }
    }

    /// The piece locks where it is, after a hard drop of so many rows.
    fn lock(&mut self, hard: u32) {
        let Some(falling) = self.falling.take() else { return };
        let rules = &self.setup.rules;
        let matrix = self.state.matrix;
        let (landing, kick) = falling.landing(rules, &matrix);
        let stored = falling.held && !matches!(self.state.hold, Hold::Piece(_));
        let taken = if stored { 2 } else { 1 };
        let choice = Choice { piece: falling.piece, held: falling.held, hold: self.hold, taken };
        let inputs = shortest(rules, &matrix, landing).unwrap_or_default().inputs;
        self.keys += falling.keys;
        self.faults += falling.keys.saturating_sub(inputs.len() as u32);
        let path = InputPath { inputs, soft: falling.soft, hard, far: 0, kick };
        let placed = self.state.place(rules, &choice, landing);
        self.since_i = if landing.piece == Piece::I { 0 } else { self.since_i + 1 };
        self.row.time_us = 1000 * self.now;
        self.row.count(falling.held, &placed, &path, false);
        self.colour(landing.cells(), landing.piece, &placed.locked);
        self.placements.push(PersonPlacement {
            piece_no: self.row.pieces,
            time_us: self.row.time_us,
            landing,
            held: falling.held,
            hold: [self.state.hold, self.hold],
            next: self.previews(),
            since_i: self.since_i,
            number: self.dealt.place(&choice),
            before: self.state.combo_state,
            placed,
            path,
            score: self.row.points.total(),
        });
        self.state = placed.next_state();
        match self.setup.mode.goal() {
            _ if placed.lost => self.finish(GuidelineEnd::LockOut),
            Some(goal) if self.row.lines >= goal => self.finish(GuidelineEnd::Won),
            _ => self.enter_next(false),
        }
    }

    /// Colours the cells of a piece, and removes the full rows.
    fn colour(&mut self, cells: [(usize, usize); 4], piece: Piece, locked: &Matrix) {
        for (column, row) in cells {
            self.colours[row][column] = locked.is_filled(column, row).then_some(piece);
        }
        let full = (1 << WIDTH) - 1;
        let mut row = 0;
        self.colours.retain(|_| {
            row += 1;
            locked.row(row - 1) != full
        });
        self.colours.resize(ROWS, [None; WIDTH]);
    }

    /// Takes this for the last placement.
    #[cfg(test)]
    pub(super) fn show_for_test(&mut self, placement: PersonPlacement) {
        self.placements.push(placement);
    }

    fn finish(&mut self, end: GuidelineEnd) {
        self.falling = None;
        self.end = Some(end);
        self.row.time_us = 1000 * self.now;
        self.row.end = end;
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
