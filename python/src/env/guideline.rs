//! Guideline games by placements or by key presses. The action number of a placement is its index
//! in the list of placements that are legal now.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tetrastat::error::{Error, Result};
use tetrastat::features::guideline::{ClearEvent, Term, values};
use tetrastat::matrix::{Matrix, VISIBLE, WIDTH};
use tetrastat::piece::Piece;
use tetrastat::queue::{Queue, QueueKind};
use tetrastat::rules::guideline::{
    Choice, ComboState, Guideline, GuidelineState, Hold, Landing, Landings, MoveGenerator, Placed,
    shortest,
};
use tetrastat::search::guideline::value;
use tetrastat::sim::guideline::{Mode, look};

use super::cells::{RowOrder, write_plane};
use super::falling::{Falling, KEYS, Key};
use super::game::{
    Game, NO_PIECE, Numbering, PLACEMENT, Reward, Shape, Start, StepResult, check_start,
    piece_letters,
};
use super::state::GameOptions;

/// Number of rows of a plane of cells: the visible rows and four rows above them.
const PLANE_ROWS: usize = VISIBLE + 4;

/// Rule for the reward of a placement.
#[derive(Clone, Copy, Debug)]
pub(super) enum RewardRule {
    /// Reward by the number of rows removed.
    Lines(Reward),
    /// Reward equal to the points of a placement, with the points of drops if these count. The
    /// contained value is added if the game is lost.
    Points(f64),
}

/// Options that all guideline games of a batch share.
pub(super) struct Setup {
    pub movegen: MoveGenerator,
    pub queue: QueueKind,
    pub mode: Mode,
    pub worth: RewardRule,
    /// True if drops earn points. The shortest inputs are then searched for every placement.
    pub drops: bool,
    /// Number of actions for placements; legal placements beyond this number are left out. `None`
    /// for a game by key presses.
    pub slots: Option<usize>,
    pub terms: Vec<Term>,
    pub order: RowOrder,
    pub options: GameOptions,
}

impl Setup {
    fn rules(&self) -> &Guideline {
        self.movegen.rules()
    }
}

/// Meter that computes guideline terms.
pub(super) struct Meter {
    terms: Vec<Term>,
    goal: Option<u32>,
    has_slots: bool,
}

impl Meter {
    /// Writes the terms of `after`, the state after a placement, to `out`. `event` is the clear
    /// event of the placement.
    fn measure(&self, after: &GuidelineState, event: Option<&ClearEvent>, out: &mut [f32]) {
        let left = self.goal.map(|goal| goal.saturating_sub(after.lines));
        let found = values(&after.matrix, left, self.has_slots);
        for (term, out) in self.terms.iter().zip(out) {
            *out = value(*term, &found, after, event) as f32;
        }
    }
}

/// A guideline game by placements or by key presses.
#[derive(Clone)]
pub(super) struct Stacking {
    setup: Arc<Setup>,
    numbering: Numbering,
    queue: Queue,
    known: Vec<Piece>,
    state: GuidelineState,
    landings: Landings,
    /// Legal placements in the order of their action numbers. Empty in a game by key presses.
    offers: Vec<(Choice, Landing)>,
    /// Falling piece of a game by key presses. `None` in a game by placements.
    falling: Option<Falling>,
    last: Option<ClearEvent>,
    pieces: u32,
    score: i64,
}

impl Stacking {
    pub fn new(setup: Arc<Setup>) -> Stacking {
        let queue = Queue::new(setup.queue.clone(), 0, 0);
        Stacking {
            setup,
            numbering: Numbering::default(),
            queue,
            known: Vec::new(),
            state: GuidelineState::default(),
            landings: Landings::default(),
            offers: Vec::new(),
            falling: None,
            last: None,
            pieces: 0,
            score: 0,
        }
    }

    /// Reads the current piece and all previews from the queue. Returns false if the script has
    /// ended.
    fn look(&mut self) -> Result<bool> {
        match look(self.setup.rules(), &mut self.queue, &mut self.known) {
            Ok(()) => Ok(true),
            Err(Error::ScriptEnded { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Finds the legal placements, or spawns the falling piece in a game by key presses. Returns
    /// false if no placement is legal or the spawn position is blocked.
    fn offer(&mut self) -> bool {
        let rules = *self.setup.rules();
        let choices = self.state.choices(&rules, &self.known);
        let Some(slots) = self.setup.slots else {
            self.falling =
                choices[0].and_then(|choice| Falling::spawn(&rules, &self.state.matrix, choice));
            return self.falling.is_some();
        };
        self.offers.clear();
        for choice in choices.into_iter().flatten() {
            self.setup.movegen.landings(&self.state.matrix, choice.piece, &mut self.landings);
            self.offers.extend(self.landings.iter().map(|landing| (choice, landing)));
        }
        self.offers.truncate(slots);
        !self.offers.is_empty()
    }

    /// Places the piece of `choice` at `landing`, and adds `drop`, the points of its drops.
    fn place(&mut self, choice: &Choice, landing: Landing, drop: u32) -> Result<StepResult> {
        let setup = self.setup.clone();
        let placed = self.state.place(setup.rules(), choice, landing);
        let points = placed.points.total() + drop;
        self.pieces += 1;
        self.score += i64::from(points);
        self.last = Some(placed.event);
        for _ in 0..choice.taken {
            self.queue.deal()?;
        }
        self.state = placed.next_state();
        let (lost, terminated, truncated) = self.end(&placed)?;
        let reward = match setup.worth {
            RewardRule::Lines(reward) => reward.of(placed.clear.lines.into(), lost),
            RewardRule::Points(penalty) => f64::from(points) + if lost { penalty } else { 0.0 },
        };
        Ok(StepResult { reward, terminated, truncated })
    }

    /// Returns three flags: the game is lost, over, or cut off. The checks have the same order as
    /// in a run of the engine, so that games end in the same way.
    fn end(&mut self, placed: &Placed) -> Result<(bool, bool, bool)> {
        let mode = self.setup.mode;
        self.offers.clear();
        self.falling = None;
        if placed.lost {
            return Ok((true, true, false));
        }
        if mode.goal().is_some_and(|goal| self.state.lines >= goal) {
            return Ok((false, true, false));
        }
        let is_limit = self.pieces >= mode.pieces();
        if is_limit && matches!(mode, Mode::Blitz { .. }) {
            return Ok((false, true, false));
        }
        if !self.look()? {
            return Ok((false, false, true));
        }
        let lost = !self.offer();
        Ok((lost, lost, is_limit))
    }

    /// Presses `key` in a game by key presses.
    fn press(&mut self, key: Key) -> Result<StepResult> {
        let rules = *self.setup.rules();
        let Some(falling) = &mut self.falling else { return Ok(StepResult::default()) };
        if key == Key::Hold {
            let other = self.state.choices(&rules, &self.known)[1];
            self.falling =
                other.and_then(|choice| Falling::spawn(&rules, &self.state.matrix, choice));
            let lost = self.falling.is_none();
            let penalty = match self.setup.worth {
                RewardRule::Lines(reward) => reward.lost,
                RewardRule::Points(penalty) => penalty,
            };
            let reward = if lost { penalty } else { 0.0 };
            return Ok(StepResult { reward, terminated: lost, truncated: false });
        }
        let Some((landing, points)) = falling.press(&rules, &self.state.matrix, key) else {
            return Ok(StepResult::default());
        };
        let choice = falling.choice;
        self.place(&choice, landing, if self.setup.drops { points } else { 0 })
    }

    /// Returns the result of every legal placement, in the order of the action numbers.
    fn placed(&self) -> impl Iterator<Item = Placed> + '_ {
        let rules = self.setup.rules();
        self.offers.iter().map(|(choice, landing)| self.state.place(rules, choice, *landing))
    }
}

/// Stored form of a [`Stacking`].
#[derive(Serialize, Deserialize)]
pub(super) struct SavedStacking {
    numbering: Numbering,
    queue: Queue,
    known: Vec<Piece>,
    state: GuidelineState,
    /// True if the game lists its legal placements, which are found again.
    has_offers: bool,
    falling: Option<Falling>,
    last: Option<ClearEvent>,
    pieces: u32,
    score: i64,
}

impl Game for Stacking {
    type Meter = Meter;
    type Saved = SavedStacking;

    fn meter(&self) -> Meter {
        let terms = self.setup.terms.clone();
        let has_slots = terms.iter().any(|term| term.is_of_slots());
        Meter { terms, goal: self.setup.mode.goal(), has_slots }
    }

    fn shape(&self) -> Shape {
        let is_by_keys = self.setup.slots.is_none();
        Shape {
            planes: 1 + usize::from(is_by_keys),
            height: PLANE_ROWS,
            width: WIDTH,
            dealt: 2 + usize::from(self.setup.rules().previews),
            status: 4,
            features: self.setup.terms.len(),
            actions: self.setup.slots.unwrap_or(KEYS.len()),
            start_height: VISIBLE,
        }
    }

    fn begin(&mut self, start: &Start) -> Result<()> {
        if let Some(board) = &start.board {
            check_start(board)?;
        }
        let matrix = start.board.as_ref().map(Matrix::from_board).transpose()?;
        let game = self.numbering.begin(start);
        self.queue = Queue::new(self.setup.queue.clone(), self.numbering.seed, game);
        self.state =
            GuidelineState { matrix: matrix.unwrap_or(Matrix::EMPTY), ..GuidelineState::default() };
        (self.last, self.pieces, self.score) = (None, 0, 0);
        self.look()?;
        self.offer();
        Ok(())
    }

    fn is_legal(&self, action: usize) -> bool {
        let rules = self.setup.rules();
        match (self.setup.slots, &self.falling) {
            (Some(_), _) => action < self.offers.len(),
            (None, None) => false,
            (None, Some(falling)) if KEYS[action] == Key::Hold => {
                !falling.choice.held && self.state.choices(rules, &self.known)[1].is_some()
            }
            (None, Some(falling)) => falling.allows(rules, &self.state.matrix, KEYS[action]),
        }
    }

    fn act(&mut self, action: usize) -> Result<StepResult> {
        if self.setup.slots.is_none() {
            return self.press(KEYS[action]);
        }
        let Some((choice, landing)) = self.offers.get(action).copied() else {
            return Ok(StepResult::default());
        };
        let path = self
            .setup
            .drops
            .then(|| shortest(self.setup.rules(), &self.state.matrix, landing).unwrap_or_default());
        self.place(&choice, landing, path.map_or(0, |path| path.points()))
    }

    fn counts(&self) -> [i64; 3] {
        [self.state.lines.into(), self.pieces.into(), self.score]
    }

    fn cells(&self, out: &mut [u8]) {
        let (settled, falling) = out.split_at_mut(PLANE_ROWS * WIDTH);
        let matrix = self.state.matrix;
        let rows: [u16; PLANE_ROWS] = std::array::from_fn(|row| matrix.row(row));
        write_plane(&rows, WIDTH, self.setup.order, settled);
        falling.fill(0);
        let cells = self.falling.as_ref().map(Falling::cells);
        if falling.is_empty() {
            return;
        }
        for (column, row) in cells.into_iter().flatten().filter(|cell| cell.1 < PLANE_ROWS) {
            falling[self.setup.order.row(row, PLANE_ROWS) * WIDTH + column] = 1;
        }
    }

    /// Writes the numbers of the current piece, the held piece and the next pieces to `out`.
    fn dealt(&mut self, out: &mut [u8]) {
        out.fill(NO_PIECE);
        let choice = self.falling.as_ref().map(|falling| falling.choice);
        let taken = choice.map_or(1, |choice| choice.taken as usize);
        let current = choice.map(|choice| choice.piece).or(self.known.first().copied());
        out[0] = current.map_or(NO_PIECE, |piece| piece as u8);
        if let Hold::Piece(piece) = choice.map_or(self.state.hold, |choice| choice.hold) {
            out[1] = piece as u8;
        }
        for (shown, &piece) in out[2..].iter_mut().zip(self.known.iter().skip(taken)) {
            *shown = piece as u8;
        }
    }

    /// Writes four values to `out`: rows to clear (0 without a goal), pieces left (0 without a
    /// limit), combo (clears in a row), and 1 for back-to-back.
    fn status(&self, out: &mut [f32]) {
        let mode = self.setup.mode;
        let rows = mode.goal().map_or(0, |goal| goal.saturating_sub(self.state.lines));
        let is_endless = mode.pieces() == u32::MAX;
        let pieces = if is_endless { 0 } else { mode.pieces().saturating_sub(self.pieces) };
        let ComboState { combo, back_to_back } = self.state.combo_state;
        let numbers = [rows as f32, pieces as f32, combo.into(), u8::from(back_to_back).into()];
        out.copy_from_slice(&numbers);
    }

    fn mask(&self, out: &mut [u8]) {
        let is_by_keys = self.setup.slots.is_none();
        if !is_by_keys {
            let (legal, others) = out.split_at_mut(self.offers.len());
            legal.fill(1);
            others.fill(0);
            return;
        }
        for (action, legal) in out.iter_mut().enumerate() {
            *legal = u8::from(self.is_legal(action));
        }
    }

    fn features(&mut self, meter: &mut Meter, out: &mut [f32]) {
        meter.measure(&self.state, self.last.as_ref(), out);
    }

    fn afterstates(&mut self, meter: &mut Meter, out: &mut [f32]) {
        out.fill(0.0);
        let terms = self.setup.terms.len();
        for (placed, values) in self.placed().zip(out.chunks_mut(terms.max(1))) {
            meter.measure(&placed.after, Some(&placed.event), values);
        }
    }

    fn placements(&mut self, out: &mut [i64]) {
        for ((choice, landing), values) in self.offers.iter().zip(out.chunks_mut(PLACEMENT)) {
            let (left, low) = (landing.left() as i64, landing.low() as i64);
            let state = landing.state.index() as i64;
            let held = choice.held.into();
            values.copy_from_slice(&[
                choice.piece as i64,
                held,
                state,
                left,
                low,
                landing.spin as i64,
            ]);
        }
    }

    fn picture(&mut self) -> String {
        let mut dealt = vec![0; self.shape().dealt];
        self.dealt(&mut dealt);
        let cells = self.falling.as_ref().map_or(Vec::new(), |falling| falling.cells().to_vec());
        let rows = PLANE_ROWS.min(VISIBLE.max(self.state.matrix.stack_height() + 2));
        let cell = |column: usize, row: usize| match self.state.matrix.is_filled(column, row) {
            true => '#',
            false if cells.contains(&(column, row)) => '@',
            false => '.',
        };
        let row = |row| (0..WIDTH).map(move |column| cell(column, row)).chain(['\n']);
        let picture: String = (0..rows).rev().flat_map(row).collect();
        let [lines, pieces, score] = self.counts();
        let (current, hold, next) =
            (piece_letters(&dealt[..1]), piece_letters(&dealt[1..2]), piece_letters(&dealt[2..]));
        format!(
            "{picture}{current} hold {hold} next {next}  {lines} lines, {pieces} pieces, \
             {score} points\n"
        )
    }

    fn options(&self) -> &GameOptions {
        &self.setup.options
    }

    fn saved(&self) -> SavedStacking {
        let Stacking { numbering, queue, known, state, falling, last, pieces, score, .. } =
            self.clone();
        let has_offers = !self.offers.is_empty();
        SavedStacking { numbering, queue, known, state, has_offers, falling, last, pieces, score }
    }

    fn restored(&self, saved: SavedStacking) -> Result<Stacking> {
        let SavedStacking { numbering, mut queue, known, state, falling, last, .. } = saved;
        let SavedStacking { has_offers, pieces, score, .. } = saved;
        let setup = self.setup.clone();
        queue.set_kind(setup.queue.clone());
        let mut game = Stacking {
            numbering,
            queue,
            known,
            state,
            falling,
            last,
            pieces,
            score,
            ..Stacking::new(setup)
        };
        if has_offers {
            game.offer();
        }
        Ok(game)
    }
}
