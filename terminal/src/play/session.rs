//! Simulates a human player's game without a terminal. Equal keys at equal times in milliseconds
//! give an equal game.

use super::keys::{FORCED_LOCK_MS, GRAVITY_MS, GameKey, Handling, LOCK_MS, Shifting};
use crate::matrix::{ROWS, WIDTH};
use crate::prelude::*;
use crate::queue::{Queue, QueueKind};
use crate::record::{
    ChosenPlacement, GuidelineEnd, GuidelineGameRow, GuidelineHistory, GuidelinePlacement,
};
use crate::rng::{Purpose, stream_seed};
use crate::rules::guideline::positions::{Arrival, Position, spin};
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, InputPath, MAX_PREVIEWS, Matrix, RotationTurn, Spin,
    shortest,
};
use crate::sim::guideline::Mode;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GameSetup {
    pub(super) rules: Guideline,
    pub(super) mode: Mode,
    pub(super) handling: Handling,
    pub(super) seed: u64,
    pub(super) game: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Session {
    setup: GameSetup,
    queue: Queue,
    now: u64,
    state: GuidelineState,
    /// Current content of the game's hold, which may have changed since the last placement.
    hold: Hold,
    falling: Option<TimedPiece>,
    shifting: Shifting,
    soft_next: Option<u64>,
    history: GuidelineHistory,
    colours: Cells,
    placements: Vec<GuidelinePlacement>,
    faults: u32,
    keys: u32,
    end: Option<GuidelineEnd>,
}
impl Session {
    pub(super) fn new(setup: GameSetup) -> Session {
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
            shifting: Shifting::default(),
            soft_next: None,
            history: GuidelineHistory::new(row),
            colours: Cells::new(WIDTH, ROWS),
            placements: Vec::new(),
            faults: 0,
            keys: 0,
            end: None,
        };
        session.enter_next(false);
        session
    }

    pub(super) fn setup(&self) -> &GameSetup {
        &self.setup
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    pub(super) fn falling(&self) -> Option<&TimedPiece> {
        self.falling.as_ref()
    }

    pub(super) fn state(&self) -> &GuidelineState {
        &self.state
    }

    pub(super) fn colours(&self) -> &Cells {
        &self.colours
    }

    pub(super) fn held(&self) -> (Option<Piece>, bool) {
        (self.hold.piece(), self.falling.is_some_and(|falling| falling.held))
    }

    pub(super) fn previews(&self) -> [Option<Piece>; MAX_PREVIEWS] {
        let (mut queue, previews) = (self.queue.clone(), usize::from(self.setup.rules.previews));
        std::array::from_fn(|ahead| queue.peek(ahead).filter(|_| ahead < previews))
    }

    pub(super) fn row(&self) -> &GuidelineGameRow {
        &self.history.row
    }

    pub(super) fn placements(&self) -> &[GuidelinePlacement] {
        &self.placements
    }

    /// Returns the human player's key presses beyond the shortest inputs (finesse faults), and all
    /// key presses. Presses of hold are not counted.
    pub(super) fn keys(&self) -> (u32, u32) {
        (self.faults, self.keys)
    }

    pub(super) fn end(&self) -> Option<GuidelineEnd> {
        self.end
    }

    /// Returns the time in ms of the next event without a key: a fall, lock, repeat or end.
    pub(super) fn due(&self) -> Option<u64> {
        let falling = self.falling.as_ref()?;
        let end = self.time_limit();
        [Some(falling.due()), self.shifting.next, self.soft_next, end].into_iter().flatten().min()
    }

    pub(super) fn advance(&mut self, to: u64) {
        while let Some(due) = self.due().filter(|due| *due <= to) {
            self.now = self.now.max(due);
            self.handle_due();
        }
        if self.end.is_none() {
            self.now = self.now.max(to);
        }
    }

    /// Handles a key of the game that is pressed and held down at the time `at` in ms.
    pub(super) fn press(&mut self, action: GameKey, at: u64) {
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

    /// Triggers a key's action in the game once, for terminals that do not report key releases.
    pub(super) fn tap(&mut self, action: GameKey, at: u64) {
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

    pub(super) fn release(&mut self, action: GameKey, at: u64) {
        self.advance(at);
        let das = self.setup.handling.das_ms;
        match action {
            GameKey::Left => self.shifting.release(-1, self.now, das),
            GameKey::Right => self.shifting.release(1, self.now, das),
            GameKey::SoftDrop => self.soft_next = None,
            _ => {}
        }
    }

    pub(super) fn release_all(&mut self) {
        self.shifting = Shifting::default();
        self.soft_next = None;
    }

    pub(super) fn leave(&mut self, at: u64) {
        self.advance(at);
        if self.end.is_none() {
            self.finish(GuidelineEnd::Left);
        }
    }

    fn time_limit(&self) -> Option<u64> {
        let limit = self.setup.mode.time_us();
        (limit < u64::MAX).then_some(limit / 1000)
    }

    /// Handles one event that is due, in this order: the time limit, a repeat of a held key, a fall
    /// or lock.
    fn handle_due(&mut self) {
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

    /// Moves the piece as far as possible in a held key's direction, if the repeat time (ARR) is 0.
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

    fn enter_next(&mut self, held: bool) {
        match self.queue.deal() {
            Ok(piece) => self.enter(piece, held),
            // Only the scripted queues of tests run out of pieces.
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

    /// Locks the falling piece where it is, after a hard drop of `hard` rows.
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
        self.colours.set_piece(landing.cells(), CellFace::Piece(landing.piece));
        self.colours.remove_full_rows();
        let chosen =
            ChosenPlacement { choice, landing, placed, found: None, planned: false, best: None };
        let (time_us, next) = (1000 * self.now, self.previews());
        self.placements.push(self.history.record(&self.state, chosen, path, time_us, next));
        self.state = placed.next_state();
        match self.setup.mode.goal() {
            _ if placed.lost => self.finish(GuidelineEnd::LockOut),
            Some(goal) if self.history.row.lines >= goal => self.finish(GuidelineEnd::Won),
            _ => self.enter_next(false),
        }
    }

    #[cfg(test)]
    pub(super) fn show_for_test(&mut self, placement: GuidelinePlacement) {
        self.placements.push(placement);
    }

    fn finish(&mut self, end: GuidelineEnd) {
        self.falling = None;
        self.end = Some(end);
        self.history.row.time_us = 1000 * self.now;
        self.history.row.end = end;
    }
}

#[cfg(test)]
#[path = "tests/session.rs"]
mod tests;

/// Times in ms at which a falling piece came to rest on the stack or floor, and last moved there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ground {
    since: u64,
    /// Time at which the falling piece reached the ground or last moved on it. The lock delay
    /// counts from here.
    moved_at: u64,
}

/// The falling piece of a human player's game. Times are in milliseconds of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedPiece {
    pub(super) piece: Piece,
    pub(super) at: Position,
    /// True if the falling piece came from the hold, or replaced a piece that went there.
    pub(super) held: bool,
    /// Number of rows that the piece fell by soft drops.
    pub(super) soft: u32,
    /// Number of keys pressed for the falling piece, not counting hold.
    pub(super) keys: u32,
    arrival: Arrival,
    /// Index from 0 of the kick (shift of a turned piece) in the last move, if it was a turn.
    kick: Option<u8>,
    /// Game time in ms at which the piece falls by one row, if it is not on the ground.
    falls_at: u64,
    ground: Option<Ground>,
    /// Total milliseconds that the falling piece rested before it last left the ground.
    grounded_ms: u64,
}

impl TimedPiece {
    pub(super) fn spawn(
        rules: &Guideline,
        matrix: &Matrix,
        piece: Piece,
        held: bool,
        now: u64,
    ) -> Option<TimedPiece> {
        let at = Position::spawn(rules, matrix, piece)?;
        let mut falling = TimedPiece {
            piece,
            at,
            held,
            soft: 0,
            keys: 0,
            arrival: Arrival::Moved,
            kick: None,
            falls_at: now + GRAVITY_MS,
            ground: None,
            grounded_ms: 0,
        };
        falling.update_timers(matrix, now);
        Some(falling)
    }

    pub(super) fn is_grounded(&self) -> bool {
        self.ground.is_some()
    }

    /// Returns the game time in ms at which the piece falls a row or locks without a key.
    pub(super) fn due(&self) -> u64 {
        let Some(ground) = self.ground else { return self.falls_at };
        let forced = ground.since + FORCED_LOCK_MS.saturating_sub(self.grounded_ms);
        forced.min(ground.moved_at + LOCK_MS)
    }

    pub(super) fn shift(&mut self, matrix: &Matrix, direction: i32, now: u64) -> bool {
        let Some(at) = self.at.moved(matrix, self.piece, direction, 0) else { return false };
        *self = TimedPiece { at, arrival: Arrival::Moved, kick: None, ..*self };
        self.update_timers(matrix, now);
        true
    }

    pub(super) fn turn(
        &mut self,
        rules: &Guideline,
        matrix: &Matrix,
        turn: RotationTurn,
        now: u64,
    ) -> bool {
        let Some((at, test)) = self.at.turned(rules, matrix, self.piece, turn) else {
            return false;
        };
        let kick = Some(test as u8);
        *self = TimedPiece { at, arrival: Arrival::from_kick(turn, test), kick, ..*self };
        self.update_timers(matrix, now);
        true
    }

    pub(super) fn fall(&mut self, matrix: &Matrix, now: u64) -> bool {
        let Some(at) = self.at.moved(matrix, self.piece, 0, -1) else { return false };
        let falls_at = now + GRAVITY_MS;
        *self = TimedPiece { at, arrival: Arrival::Moved, kick: None, falls_at, ..*self };
        self.update_timers(matrix, now);
        true
    }

    pub(super) fn drop_down(&mut self, matrix: &Matrix, now: u64) -> u32 {
        std::iter::repeat_with(|| self.fall(matrix, now)).take_while(|fell| *fell).count() as u32
    }

    pub(super) fn ghost(&self, matrix: &Matrix) -> Landing {
        self.at.fallen(matrix, self.piece).landing(self.piece, Spin::None)
    }

    /// Returns the placement if the falling piece locks now, with its spin, and the kick index if a
    /// turn was the last move.
    pub(super) fn landing(&self, rules: &Guideline, matrix: &Matrix) -> (Landing, Option<u8>) {
        let spin = spin(rules, matrix, self.piece, self.at, self.arrival);
        (self.at.landing(self.piece, spin), self.kick)
    }

    fn update_timers(&mut self, matrix: &Matrix, now: u64) {
        match (self.ground, self.at.rests(matrix, self.piece)) {
            (None, true) => self.ground = Some(Ground { since: now, moved_at: now }),
            (Some(ground), true) => self.ground = Some(Ground { moved_at: now, ..ground }),
            (Some(ground), false) => {
                self.grounded_ms += now - ground.since;
                self.ground = None;
                self.falls_at = now + GRAVITY_MS;
            }
            (None, false) => {}
        }
    }
}
