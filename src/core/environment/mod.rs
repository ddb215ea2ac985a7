//! Plays the game action by action, for reinforcement learning.
//!
//! [`Environment`] is the game of the teaching notebook `tetris_ia` (see
//! `docs/reference/sources.md`): pieces fall by one row after every action. A piece turns about its
//! *anchor* (`A`), without wall kicks: a turn without free cells for it has no effect.
//!
//! ```text
//! I    O     T      S      Z      J     L
//! #                               .#    #.
//! #    ##    .#.    .##    ##.    .#    #.
//! #    #A    #A#    #A.    .A#    #A    A#
//! A
//! ```
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::environment::{Action, Environment};
//! use tetrastat::queue::QueueKind;
//! let mut environment = Environment::new("10x20".parse()?, QueueKind::Bag, 7)?;
//! let mut lines = 0;
//! loop {
//!     let step = environment.step(Action::Drop)?; // an agent would choose by `step.observation`
//!     lines += step.reward;
//!     if step.done {
//!         break;
//!     }
//! }
//! println!("{lines} lines\n{}", environment.render());
//! assert_eq!(environment.reset()?.board.stack_height(), 0);
//! # Ok::<(), tetrastat::error::Error>(())
//! ```
//!
//! For placements as actions use [`crate::rules::Rules`], which lists all placements of a piece.

mod dealer;

pub use dealer::{Dealer, NotebookDealer};

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::board::{Board, BoardSize};
use crate::controller::{Controller, Scorer};
use crate::error::{Error, Result};
use crate::features::Move;
use crate::piece::{Orientation, Piece};
use crate::placement::{Candidate, Placement};
use crate::queue::QueueKind;
use crate::rng::{Purpose, Stream};
use crate::rules::Outcome;

crate::names! {
    /// An action of the player, numbered as in the teaching notebook `tetris_ia`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[repr(u8)]
    pub enum Action {
        /// Action 0: does nothing, so the piece only falls.
        Idle = "idle",
        /// Action 1: moves the piece one column to the left.
        Left = "left",
        /// Action 2: moves the piece one column to the right.
        Right = "right",
        /// Action 3: turns the piece a quarter counter-clockwise.
        TurnLeft = "ccw",
        /// Action 4: turns the piece a quarter clockwise.
        TurnRight = "cw",
        /// Action 5: drops the piece straight down, where it stays.
        Drop = "drop",
    }
}

impl FromStr for Action {
    type Err = Error;

    fn from_str(text: &str) -> Result<Action> {
        let numbered =
            || Action::ALL.into_iter().find(|&action| (action as u8).to_string() == text);
        let unknown = || Error::unknown("action", text, Action::NAMES);
        Action::named(text).or_else(numbered).ok_or_else(unknown)
    }
}

/// The state of the game that an agent can see: all of it except the hidden pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Board with the settled cells.
    pub board: Board,
    /// Falling piece; after the end of a game, the game's last piece.
    pub falling: Falling,
    /// Visible next pieces in the order of dealing.
    pub next: Vec<Piece>,
}

/// The result of one action ([`Environment::step`]), for reinforcement learning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Observation of the game after the action.
    pub observation: Observation,
    /// Number of rows that the action removed, 0 to 4.
    pub reward: u32,
    /// True if the piece came to rest by the action.
    pub locked: bool,
    /// True if the game is over after the action.
    pub done: bool,
}

/// A game that is played action by action. A clone gets the same next pieces, so that a search can
/// try actions.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::environment::{Action, Environment};
/// use tetrastat::queue::QueueKind;
/// let mut game = Environment::new("4x4".parse()?, QueueKind::script("OO", false)?, 0)?;
/// game.step(Action::Left)?;
/// assert_eq!(game.render(), "@@..\n@@..\n....\n....\n"); // moved left, fallen by a row
/// let step = game.step(Action::Drop)?;
/// assert!(step.locked && !step.done);
/// assert_eq!(step.observation.board.to_hex(), "3:3");
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Environment {
    dealer: Dealer,
    previews: usize,
    board: Board,
    falling: Falling,
    done: bool,
}

impl Environment {
    /// Creates an environment with an empty board and random pieces of `seed`.
    pub fn new(size: BoardSize, queue: QueueKind, seed: u64) -> Result<Environment> {
        queue.check_known_ahead("a game by key presses takes its pieces in advance")?;
        Environment::with_dealer(size, Dealer::from_queue(queue, seed))
    }

    /// Creates an environment with the same games as the teaching notebook `tetris_ia` and its
    /// NumPy random numbers.
    pub fn notebook(size: BoardSize, seed: u32) -> Result<Environment> {
        let mut environment =
            // As in the notebook, a piece is dealt with seed 42, and never played, before `seed` is
            // set.
            Environment::with_dealer(size, Dealer::Notebook(NotebookDealer::new(42)))?;
        environment.seed(seed.into());
        environment.reset()?;
        Ok(environment)
    }

    fn with_dealer(size: BoardSize, mut dealer: Dealer) -> Result<Environment> {
        let board = Board::empty(size);
        let falling = Falling::entering(dealer.deal()?, &board);
        Ok(Environment { dealer, previews: 0, board, falling, done: false })
    }

    /// Sets the rule by which the piece queue deals, which a loaded environment lacks.
    pub fn set_queue_kind(&mut self, new: QueueKind) {
        if let Dealer::Queue { kind, queue, .. } = &mut self.dealer {
            queue.set_kind(new.clone());
            *kind = new;
        }
    }

    /// Returns true if pieces are dealt as in the teaching notebook ([`Environment::notebook`]).
    #[must_use]
    pub fn is_notebook(&self) -> bool {
        matches!(self.dealer, Dealer::Notebook(_))
    }

    /// Returns the size of the environment's board.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.board.size()
    }

    /// Returns the board with the settled cells.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the falling piece; after the end of a game, the game's last piece.
    #[must_use]
    pub fn falling(&self) -> Falling {
        self.falling
    }

    /// Returns true if the current game is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.done
    }

    /// Sets the number of next pieces that an [`Observation`] shows. Games of the notebook
    /// `tetris_ia` always show none.
    pub fn show_next(&mut self, previews: usize) {
        self.previews = previews;
    }

    /// Replaces the board and the falling piece of the current game. A finished game continues.
    pub fn set(&mut self, board: Board, falling: Falling) {
        (self.board, self.falling, self.done) = (board, falling, false);
    }

    /// Sets the seed of later games; the next [`Environment::reset`] starts game 0 of that seed.
    pub fn seed(&mut self, seed: u64) {
        self.dealer.seed(seed);
    }

    /// Replaces the pieces of this game that are not visible yet by random ones of `seed`.
    pub fn branch(&mut self, seed: u64) {
        match &mut self.dealer {
            Dealer::Queue { queue, .. } => queue.branch(Stream::new(seed, Purpose::Branches, 0)),
            // Later games of the notebook continue its random numbers, so these differ, too.
            Dealer::Notebook(_) => self.dealer.seed(seed),
        }
    }

    /// Starts the next game of the seed, on an empty board, and returns its first observation.
    pub fn reset(&mut self) -> Result<Observation> {
        self.dealer.next_game();
        let board = Board::empty(self.board.size());
        let falling = Falling::entering(self.dealer.deal()?, &board);
        self.set(board, falling);
        Ok(self.observe())
    }

    /// Returns the state of the game that an agent can see.
    pub fn observe(&mut self) -> Observation {
        let next = (0..self.previews).map_while(|ahead| self.dealer.peek(ahead)).collect();
        Observation { board: self.board, falling: self.falling, next }
    }

    /// Performs `action` if possible, lets the piece fall by one row, and locks a piece at rest.
    /// Fails after the end of the game.
    pub fn step(&mut self, action: Action) -> Result<Transition> {
        if self.done {
            return Err(Error::Config(
                "the game is over: call reset before the next step".to_owned(),
            ));
        }
        self.falling = self.falling_after(action);
        if !self.falling.rests(&self.board) {
            self.falling = self.falling.moved(0, -1);
        }
        let (mut reward, locked) = (0, self.falling.rests(&self.board));
        if locked {
            // A piece at rest loses its cells above the board, full rows are removed, and the next
            // piece enters unless the top row has a cell.
            (self.board, reward) = self.falling.on(&self.board, false).clear();
            // Cells above the top were cut off, so the stack never exceeds the height.
            self.done = self.board.stack_height() == self.board.height();
            if !self.done {
                self.falling = Falling::entering(self.dealer.deal()?, &self.board);
            }
        }
        Ok(Transition { observation: self.observe(), reward, locked, done: self.done })
    }

    fn falling_after(&self, action: Action) -> Falling {
        let falling = self.falling;
        let moved = match action {
            Action::Idle => falling,
            Action::Left => falling.moved(-1, 0),
            Action::Right => falling.moved(1, 0),
            Action::TurnLeft => falling.turned_left(),
            Action::TurnRight => falling.turned_right(),
            Action::Drop => falling.dropped(&self.board).unwrap_or(falling),
        };
        if moved.fits(&self.board) { moved } else { falling }
    }

    /// Returns a picture of the board's rows in play: `#` settled, `@` falling, `.` free.
    #[must_use]
    pub fn render(&self) -> String {
        let falling: Vec<(i32, i32)> =
            if self.done { Vec::new() } else { self.falling.cells().collect() };
        let cell = |column: usize, row: usize| {
            if falling.contains(&(column as i32, row as i32)) {
                '@'
            } else if self.board.is_filled(column, row) {
                '#'
            } else {
                '.'
            }
        };
        let row = |row| (0..self.board.width()).map(move |column| cell(column, row)).chain(['\n']);
        (0..self.board.height()).rev().flat_map(row).collect()
    }
}

/// A cell relative to a falling piece's anchor, its centre of turns: columns right, rows up.
type Cell = (i8, i8);

/// Cells of each piece when it enters a board, relative to its anchor, as in the notebook
/// `tetris_ia` with S and Z exchanged.
const ENTRY_CELLS: [[Cell; 4]; 7] = [
    [(0, 0), (0, 1), (0, 2), (0, 3)],
    [(0, 0), (0, 1), (-1, 0), (-1, 1)],
    [(0, 0), (-1, 0), (1, 0), (0, 1)],
    [(0, 0), (-1, 0), (0, 1), (1, 1)],
    [(0, 0), (-1, 1), (0, 1), (1, 0)],
    [(0, 0), (-1, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (0, 1), (0, 2)],
];

/// A falling piece: four cells around an anchor, about which it turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Falling {
    piece: Piece,
    cells: [Cell; 4],
    /// Column of the piece's anchor, counted from 0.
    pub column: i32,
    /// Row of the piece's anchor, 0 at the floor.
    pub row: i32,
}

impl Falling {
    /// Creates a falling piece in its entering orientation, with its anchor in `column` and `row`.
    #[must_use]
    pub fn new(piece: Piece, column: i32, row: i32) -> Falling {
        Falling { piece, cells: ENTRY_CELLS[piece.index()], column, row }
    }

    /// Creates a falling piece where it enters a board: its anchor in the middle of the top row.
    #[must_use]
    pub fn entering(piece: Piece, board: &Board) -> Falling {
        Falling::new(piece, board.width() as i32 / 2, board.height() as i32 - 1)
    }

    /// Returns the kind of the falling piece, one of seven.
    #[must_use]
    pub fn piece(&self) -> Piece {
        self.piece
    }

    /// Returns the columns and rows of the falling piece's cells.
    pub fn cells(&self) -> impl Iterator<Item = (i32, i32)> + '_ {
        self.cells.iter().map(|&(x, y)| (self.column + i32::from(x), self.row + i32::from(y)))
    }

    /// Returns the falling piece moved `columns` to the right and `rows` up, without checks.
    #[must_use]
    pub fn moved(mut self, columns: i32, rows: i32) -> Falling {
        self.column += columns;
        self.row += rows;
        self
    }

    /// Returns the piece turned counter-clockwise about its anchor, without checks.
    #[must_use]
    pub fn turned_left(mut self) -> Falling {
        self.cells = self.cells.map(|(x, y)| (-y, x));
        self
    }

    /// Returns the piece turned clockwise about its anchor, without checks.
    #[must_use]
    pub fn turned_right(mut self) -> Falling {
        self.cells = self.cells.map(|(x, y)| (y, -x));
        self
    }

    /// Returns true if the piece's cells are inside the walls and the floor and on no filled cell;
    /// cells above the top are free.
    #[must_use]
    pub fn fits(&self, board: &Board) -> bool {
        self.cells().all(|(column, row)| {
            let inside = (0..board.width() as i32).contains(&column) && row >= 0;
            let above = row >= board.height() as i32;
            inside && (above || !board.is_filled(column as usize, row as usize))
        })
    }

    /// Returns true if the piece is at rest, that is, does not fit one row further down.
    #[must_use]
    pub fn rests(&self, board: &Board) -> bool {
        !self.moved(0, -1).fits(board)
    }

    /// Returns the piece after a straight drop, or `None` if it does not fit where it is.
    #[must_use]
    pub fn dropped(self, board: &Board) -> Option<Falling> {
        let mut falling = self.fits(board).then_some(self)?;
        while !falling.rests(board) {
            falling = falling.moved(0, -1);
        }
        Some(falling)
    }

    /// Returns the resting piece after a move along the top row to anchor column `column` and a
    /// drop; `None` if blocked.
    #[must_use]
    pub fn dropped_in(self, board: &Board, column: i32) -> Option<Falling> {
        let Falling { column: middle, row, .. } = Falling::entering(self.piece, board);
        let mut falling = Falling { column: middle, row, ..self };
        while falling.fits(board) && falling.column != column {
            falling = falling.moved((column - falling.column).signum(), 0);
        }
        falling.dropped(board)
    }

    /// Returns all resting places that a turn, moves along the top row and a drop can reach,
    /// ordered by turn and then column.
    #[must_use]
    pub fn resting_places(self, board: &Board) -> Vec<Falling> {
        let all =
            [self, self.turned_right(), self.turned_left(), self.turned_right().turned_right()];
        let turns = self.piece.orientations().len();
        let columns = 0..board.width() as i32;
        all[..turns]
            .iter()
            .flat_map(|turned| {
                columns.clone().filter_map(|column| turned.dropped_in(board, column))
            })
            .collect()
    }

    /// Returns true if two falling pieces have equal cells relative to their anchors.
    #[must_use]
    pub fn is_turned_like(&self, other: &Falling) -> bool {
        // Comparing in one direction is enough, since both have four different cells.
        self.cells.iter().all(|cell| other.cells.contains(cell))
    }

    /// Returns `board` with the piece's cells filled. Cells above the top are lost or, if `wraps`,
    /// filled from the floor up.
    #[must_use]
    pub fn on(&self, board: &Board, wraps: bool) -> Board {
        let height = board.height() as i32;
        self.cells().fold(*board, |board, (column, row)| match row {
            row if row < height => board.with(column as usize, row as usize),
            row if wraps => board.with(column as usize, (row - height) as usize),
            _ => board,
        })
    }

    /// Returns the placement of a classic game that fills the cells of this piece.
    #[must_use]
    pub fn candidate(&self) -> Candidate {
        let lowest =
            |coordinate: fn((i32, i32)) -> i32| self.cells().map(coordinate).min().unwrap_or(0);
        let (column, row) = (lowest(|cell| cell.0), lowest(|cell| cell.1));
        let mut rows = [0u16; 4];
        self.cells().for_each(|cell| rows[(cell.1 - row) as usize] |= 1 << (cell.0 - column));
        let same = |orientation: &Orientation| orientation.rows == rows;
        let orientation = self.piece.orientations().iter().position(same).unwrap_or(0) as u8;
        Candidate { placement: Placement { orientation, column: column as u8 }, row: row as u8 }
    }
}

/// A player of the action-by-action game, like `TetrisAI` of the notebook `tetris_ia`: it chooses
/// where a piece will rest, then turns, moves and drops it.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::controller::Controller;
/// use tetrastat::environment::{Agent, Environment};
/// use tetrastat::queue::QueueKind;
/// let size = "10x20".parse()?;
/// let mut environment = Environment::new(size, QueueKind::Bag, 1)?;
/// let mut agent = Agent::new(&Controller::load("bcts")?, size)?;
/// for _ in 0..100 {
///     let action = agent.act(&environment.observe());
///     assert!(!environment.step(action)?.done);
/// }
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Agent {
    scorer: Scorer,
    target: Option<Falling>,
}

impl Agent {
    /// Creates a player that chooses actions by `controller` on boards of `size`.
    pub fn new(controller: &Controller, size: BoardSize) -> Result<Agent> {
        Ok(Agent { scorer: Scorer::new(controller, size)?, target: None })
    }

    /// Returns the next action, toward the resting place with the best score, or [`Action::Drop`]
    /// if there is none.
    // As in the notebook, the first action after a piece came to rest without a drop still aims at
    // the old target.
    pub fn act(&mut self, observation: &Observation) -> Action {
        let falling = observation.falling;
        let Some(target) = self.target.or_else(|| self.best(&observation.board, falling)) else {
            return Action::Drop;
        };
        let action = action_toward(&target, &falling);
        let is_kept = action != Action::Drop && target.piece() == falling.piece();
        self.target = is_kept.then_some(target);
        action
    }

    fn best(&self, board: &Board, falling: Falling) -> Option<Falling> {
        let mut best: Option<(i64, Falling)> = None;
        for place in falling.resting_places(board) {
            let score = self.score(board, &place);
            // Only a better place replaces the best, so the first of equal ones is kept.
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, place));
            }
        }
        best.map(|(_, place)| place)
    }

    fn score(&self, board: &Board, place: &Falling) -> i64 {
        // The notebook `tetris_ia` plans with an error, kept here: cells above the top reappear at
        // the floor.
        let before = place.on(board, true);
        let (after, lines) = before.clear();
        let candidate = place.candidate();
        let full = before.full_rows();
        let removed = |row: usize| {
            let is_full = full >> (usize::from(candidate.row) + row) & 1 == 1;
            let cells = candidate.shape(place.piece()).rows[row].count_ones() as u8;
            if is_full { cells } else { 0 }
        };
        let removed_cells = std::array::from_fn(removed);
        let played = Move { piece: place.piece(), candidate, lines: lines as u8, removed_cells };
        let outcome = Outcome { before, after, played, lost: false };
        let measured = outcome.board(self.scorer.measured());
        self.scorer.score(board.stack_height(), measured, &played).total
    }
}

/// Returns the next action that brings a falling piece to `target`: a turn, a move or the drop.
fn action_toward(target: &Falling, falling: &Falling) -> Action {
    let turned = |turn: fn(Falling) -> Falling| {
        let once = turn(*falling);
        // Two left turns are tried too, so that half a turn goes left, which is tested first.
        target.is_turned_like(&once) || target.is_turned_like(&turn(once))
    };
    if turned(Falling::turned_left) {
        return Action::TurnLeft;
    }
    if turned(Falling::turned_right) {
        return Action::TurnRight;
    }
    match target.column - falling.column {
        0 => Action::Drop,
        steps if steps < 0 => Action::Left,
        _ => Action::Right,
    }
}
