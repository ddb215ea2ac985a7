//! Environments of guideline games by placements, whose action numbers count the legal ones, or by
//! key presses, without gravity and lock delay.

use tetrastat::board::ROWS;
use tetrastat::features::guideline::ClearEvent;
use tetrastat::matrix::{Matrix, VISIBLE, WIDTH};
use tetrastat::queue::{Queue, QueueKind};
use tetrastat::rng::{Purpose, Stream};
use tetrastat::rules::guideline::positions::{Arrival, Position, spin};
use tetrastat::rules::guideline::{
    Choice, ComboState, Guideline, GuidelineState, Hold, Input, Landing, Landings, MoveGenerator,
    Placed, RotationTurn, Spin, shortest,
};
use tetrastat::sim::guideline::{Mode, fill_previews};

use super::batch::{Game, NO_PIECE, Played, Shape, Start};
use crate::afterstates::rows_of;
use crate::prelude::*;

/// Number of rows of an observation's plane of cells: the visible rows and four above them.
const PLANE_ROWS: usize = VISIBLE + 4;

/// Key inputs in the order of their action numbers, and of their letters in logs. Hold comes last.
const INPUTS: [Input; 10] = [
    Input::Left,
    Input::Right,
    Input::FarLeft,
    Input::FarRight,
    Input::Turn(RotationTurn::Clockwise),
    Input::Turn(RotationTurn::CounterClockwise),
    Input::Turn(RotationTurn::Half),
    Input::SonicDrop,
    Input::SoftDrop,
    Input::HardDrop,
];

/// Returns the letters of the keys in the order of their action numbers, `o` for hold.
pub(super) fn key_letters() -> String {
    INPUTS.into_iter().map(Input::letter).chain(['o']).collect()
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Falling {
    choice: Choice,
    at: Position,
    arrival: Arrival,
    /// Number of rows that the falling piece fell by soft and sonic drops.
    soft: u32,
}

impl Falling {
    fn spawn(rules: &Guideline, matrix: &Matrix, choice: Choice) -> Option<Falling> {
        let at = Position::spawn(rules, matrix, choice.piece)?;
        Some(Falling { choice, at, arrival: Arrival::Moved, soft: 0 })
    }

    fn moved(&self, rules: &Guideline, matrix: &Matrix, input: Input) -> Option<Falling> {
        let piece = self.choice.piece;
        let far = |dx, dy| Some(self.at.far(matrix, piece, dx, dy));
        let mut arrival = Arrival::Moved;
        let to = match input {
            Input::Left => self.at.moved(matrix, piece, -1, 0),
            Input::Right => self.at.moved(matrix, piece, 1, 0),
            Input::FarLeft => far(-1, 0),
            Input::FarRight => far(1, 0),
            Input::Turn(RotationTurn::Half) if !rules.half_turns => None,
            Input::Turn(turn) => self.at.turned(rules, matrix, piece, turn).map(|(to, test)| {
                arrival = Arrival::from_kick(turn, test);
                to
            }),
            Input::SonicDrop => far(0, -1),
            Input::SoftDrop => self.at.moved(matrix, piece, 0, -1),
            Input::HardDrop => None,
        }?;
        let is_drop = matches!(input, Input::SonicDrop | Input::SoftDrop);
        let soft = self.soft + if is_drop { self.at.y.abs_diff(to.y) } else { 0 };
        (to != self.at).then_some(Falling { at: to, arrival, soft, ..*self })
    }

    /// Returns the landing of the falling piece after a hard drop from here, and the points that
    /// all its drops earn.
    fn hard_drop(&self, rules: &Guideline, matrix: &Matrix) -> (Landing, u32) {
        let piece = self.choice.piece;
        let ground = self.at.far(matrix, piece, 0, -1);
        let arrival = if ground == self.at { self.arrival } else { Arrival::Moved };
        let spin = spin(rules, matrix, piece, ground, arrival);
        (ground.landing(piece, spin), self.soft + 2 * self.at.y.abs_diff(ground.y))
    }
}

pub(super) struct GuidelineGame {
    pub movegen: MoveGenerator,
    pub queue: QueueKind,
    pub mode: Mode,
    /// True if drops earn points, so that the shortest inputs of every placement are needed.
    pub drops: bool,
    /// Maximum number of placements that actions can select. `None` if actions are key presses.
    pub slots: Option<usize>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct State {
    queue: Queue,
    known: Vec<Piece>,
    state: GuidelineState,
    falling: Option<Falling>,
    last: Option<ClearEvent>,
    pieces: u32,
    #[serde(skip)]
    landings: Landings,
    /// Legal placements of the state, in the order of their action numbers.
    #[serde(skip)]
    legal: Vec<(Choice, Landing)>,
}

impl GuidelineGame {
    fn rules(&self) -> &Guideline {
        self.movegen.rules()
    }

    /// Reads the current and visible next pieces. Returns false if the given pieces are used up.
    fn read_pieces(&self, state: &mut State) -> Result<bool> {
        match fill_previews(self.rules(), &mut state.queue, &mut state.known) {
            Ok(()) => Ok(true),
            Err(Error::ScriptEnded { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Lists the legal placements, or spawns the piece in a game by key presses. Returns false if
    /// no placement is legal or the piece cannot spawn.
    fn find_legal(&self, state: &mut State) -> bool {
        let choices = state.state.choices(self.rules(), &state.known);
        let Some(slots) = self.slots else {
            return self.spawn(state, choices[0]);
        };
        state.legal.clear();
        for choice in choices.into_iter().flatten() {
            self.movegen.landings(&state.state.matrix, choice.piece, &mut state.landings);
            state.legal.extend(state.landings.iter().map(|landing| (choice, landing)));
        }
        state.legal.truncate(slots);
        !state.legal.is_empty()
    }

    fn spawn(&self, state: &mut State, choice: Option<Choice>) -> bool {
        let spawned = |choice| Falling::spawn(self.rules(), &state.state.matrix, choice);
        state.falling = choice.and_then(spawned);
        state.falling.is_some()
    }

    fn place(
        &self,
        state: &mut State,
        choice: &Choice,
        landing: Landing,
        drop: u32,
    ) -> Result<Played> {
        let placed = state.state.place(self.rules(), choice, landing);
        state.pieces += 1;
        state.last = Some(placed.event);
        for _ in 0..choice.taken {
            state.queue.deal()?;
        }
        state.state = placed.next_state();
        let (lost, terminated, truncated) = self.end(state, &placed)?;
        let (lines, points) = (placed.clear.lines.into(), placed.points.total() + drop);
        Ok(Played { lines, pieces: 1, points, lost, terminated, truncated })
    }

    /// Ends the game if its rules or limits say so. Returns three flags: the game is lost, over, or
    /// cut off.
    fn end(&self, state: &mut State, placed: &Placed) -> Result<(bool, bool, bool)> {
        state.legal.clear();
        state.falling = None;
        if placed.lost {
            return Ok((true, true, false));
        }
        let is_limit = state.pieces >= self.mode.pieces();
        if self.mode.goal().is_some_and(|goal| state.state.lines >= goal)
            || (is_limit && matches!(self.mode, Mode::Blitz { .. }))
        {
            return Ok((false, true, false));
        }
        if !self.read_pieces(state)? {
            return Ok((false, false, true));
        }
        let lost = !self.find_legal(state);
        Ok((lost, lost, is_limit))
    }
}

impl Game for GuidelineGame {
    type State = State;
    type After = Afterstate;

    fn shape(&self) -> Shape {
        Shape {
            planes: 1 + usize::from(self.slots.is_none()),
            height: PLANE_ROWS,
            width: WIDTH,
            dealt: 2 + usize::from(self.rules().previews),
            status: 4,
            actions: self.slots.unwrap_or(INPUTS.len() + 1),
            start_height: VISIBLE,
        }
    }

    fn idle(&self) -> Result<State> {
        Ok(State {
            queue: Queue::new(self.queue.clone(), 0, 0),
            known: Vec::new(),
            state: GuidelineState::default(),
            falling: None,
            last: None,
            pieces: 0,
            landings: Landings::default(),
            legal: Vec::new(),
        })
    }

    fn begin(&self, state: &mut State, start: &Start) -> Result<()> {
        let matrix = start.board.as_ref().map(Matrix::from_board).transpose()?;
        let matrix = matrix.unwrap_or(Matrix::EMPTY);
        state.queue = Queue::new(self.queue.clone(), start.seed, start.game);
        state.state = GuidelineState { matrix, ..GuidelineState::default() };
        (state.last, state.pieces) = (None, 0);
        self.read_pieces(state)?;
        self.find_legal(state);
        Ok(())
    }

    fn is_legal(&self, state: &State, action: usize) -> bool {
        let (rules, matrix) = (self.rules(), &state.state.matrix);
        match (self.slots, &state.falling, INPUTS.get(action)) {
            (Some(_), ..) => action < state.legal.len(),
            (None, None, _) => false,
            (None, Some(_), Some(Input::HardDrop)) => true,
            (None, Some(falling), Some(&input)) => falling.moved(rules, matrix, input).is_some(),
            (None, Some(falling), None) => {
                !falling.choice.held && state.state.choices(rules, &state.known)[1].is_some()
            }
        }
    }

    fn act(&self, state: &mut State, action: usize) -> Result<Played> {
        let rules = self.rules();
        if self.slots.is_some() {
            let Some(&(choice, landing)) = state.legal.get(action) else {
                return Ok(Played::default());
            };
            let path = self.drops.then(|| shortest(rules, &state.state.matrix, landing)).flatten();
            return self.place(state, &choice, landing, path.map_or(0, |path| path.points()));
        }
        let Some(falling) = &mut state.falling else { return Ok(Played::default()) };
        match INPUTS.get(action) {
            Some(Input::HardDrop) => {
                let (landing, points) = falling.hard_drop(rules, &state.state.matrix);
                let choice = falling.choice;
                self.place(state, &choice, landing, if self.drops { points } else { 0 })
            }
            Some(&input) => {
                *falling = falling.moved(rules, &state.state.matrix, input).unwrap_or(*falling);
                Ok(Played::default())
            }
            None => {
                let held = state.state.choices(rules, &state.known)[1];
                let lost = !self.spawn(state, held);
                Ok(Played { lost, terminated: lost, ..Played::default() })
            }
        }
    }

    fn rows(&self, state: &State) -> [u16; ROWS] {
        rows_of(&state.state.matrix, PLANE_ROWS)
    }

    fn falling(&self, state: &State, mut put: impl FnMut(usize, usize)) {
        let piece = state.falling.as_ref();
        let cells = piece.map(|one| one.at.landing(one.choice.piece, Spin::None).cells());
        cells.into_iter().flatten().for_each(|(column, row)| put(column, row));
    }

    fn dealt(&self, state: &mut State, out: &mut [u8]) {
        let choice = state.falling.as_ref().map(|falling| falling.choice);
        let taken = choice.map_or(1, |choice| choice.taken as usize);
        let current = choice.map(|choice| choice.piece).or(state.known.first().copied());
        out[0] = current.map_or(NO_PIECE, |piece| piece as u8);
        out[1..].fill(NO_PIECE);
        if let Hold::Piece(piece) = choice.map_or(state.state.hold, |choice| choice.hold) {
            out[1] = piece as u8;
        }
        for (shown, &piece) in out[2..].iter_mut().zip(state.known.iter().skip(taken)) {
            *shown = piece as u8;
        }
    }

    /// Writes the game's status: rows to clear (0 without a goal), pieces left (0 without a limit),
    /// combo (clears in a row), 1 for back-to-back.
    fn status(&self, state: &State, out: &mut [f32]) {
        let rows = self.mode.goal().map_or(0, |goal| goal.saturating_sub(state.state.lines));
        let most = Some(self.mode.pieces()).filter(|&most| most != u32::MAX);
        let pieces = most.map_or(0, |most| most.saturating_sub(state.pieces));
        let ComboState { combo, .. } = state.state.combo_state;
        let back_to_back = state.state.combo_state.back_to_back();
        let numbers = [rows as f32, pieces as f32, combo.into(), u8::from(back_to_back).into()];
        out.copy_from_slice(&numbers);
    }

    fn mask(&self, state: &State, out: &mut [u8]) {
        if self.slots.is_none() {
            let legal = |(action, to): (usize, &mut u8)| *to = self.is_legal(state, action).into();
            return out.iter_mut().enumerate().for_each(legal);
        }
        let (legal, others) = out.split_at_mut(state.legal.len());
        legal.fill(1);
        others.fill(0);
    }

    fn latest(&self, state: &State) -> Afterstate {
        Afterstate::State(state.state, state.last)
    }

    fn afterstates(&self, state: &State) -> Vec<(usize, Afterstate)> {
        let landed = |&(choice, landing): &(Choice, Landing)| {
            Afterstate::landed(self.rules(), &state.state, choice, landing)
        };
        state.legal.iter().map(landed).enumerate().collect()
    }

    fn branch(&self, state: &mut State, seed: u64) {
        state.queue.branch(Stream::new(seed, Purpose::Branches, 0));
    }

    fn restore(&self, state: &mut State, is_ended: bool) -> Result<()> {
        state.queue.set_kind(self.queue.clone());
        // At the end of a script, the piece of the hold is not offered.
        if self.slots.is_some() && !is_ended && !state.known.is_empty() {
            self.find_legal(state);
        }
        Ok(())
    }

    fn pictured_rows(&self, stack: usize) -> usize {
        PLANE_ROWS.min(VISIBLE.max(stack + 2))
    }

    fn caption(&self, dealt: &[&str], [lines, pieces, score]: [i64; 3]) -> String {
        let (current, hold, next) = (dealt[0], dealt[1], dealt[2..].join(" "));
        format!(
            "{current} hold {hold} next {next}  {lines} lines, {pieces} pieces, {score} points\n"
        )
    }
}
