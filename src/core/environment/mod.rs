//! Plays the game action by action, for reinforcement learning.
//!
//! [`Environment`] is the game of the teaching notebook `tetris_ia` (see
//! `docs/reference/sources.md`): pieces fall by one row after every action. An environment can be
//! seeded, cloned for a search, and drawn as text. An episode:
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::environment::{Action, Environment};
//! use tetrastat::{queue::QueueKind, rng::{Purpose, Stream}};
//!
//! let mut environment = Environment::new("10x20".parse()?, QueueKind::Bag, 7)?;
//! let mut agent = Stream::new(7, Purpose::Queue, 1);
//! let mut lines = 0;
//! loop {
//!     let action = Action::ALL[agent.below(6) as usize]; // an agent would use its observation
//!     let step = environment.step(action)?;
//!     lines += step.reward;
//!     if step.done {
//!         break;
//!     }
//! }
//! println!("{lines} lines\n{}", environment.render());
//! let observation = environment.reset()?;
//! assert_eq!(observation.board.stack_height(), 0);
//! # Ok::<(), tetrastat::error::Error>(())
//! ```
//!
//! For placements as actions use [`crate::rules::Rules`], which lists all placements of a piece.

mod agent;
mod dealer;
mod falling;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use agent::Agent;
pub use dealer::{Dealer, NotebookDealer};
pub use falling::Falling;

use crate::board::{Board, BoardSize};
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::queue::QueueKind;
use crate::rng::{Purpose, Stream};

crate::names! {
    /// An action of the player, numbered as in the teaching notebook `tetris_ia`.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::environment::Action;
    /// assert_eq!("cw".parse::<Action>()?, Action::TurnRight);
    /// assert_eq!("4".parse::<Action>()?, Action::TurnRight);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
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

    /// Parses an action from its name or number.
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
    /// Visible next pieces, as many as [`Environment::show_next`] sets.
    pub next: Vec<Piece>,
}

/// The result of one action ([`Environment::step`]), for reinforcement learning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Observation after the step.
    pub observation: Observation,
    /// Number of rows removed by the step, 0 to 4. Other rewards can be computed from the boards.
    pub reward: u32,
    /// True if a piece came to rest in the step.
    pub locked: bool,
    /// True if the game is over after the step.
    pub done: bool,
}

/// A game that is played action by action. A clone gets the same next pieces as the original. A
/// search that tries actions needs this, but an agent must not use it to see hidden pieces.
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
    /// Creates game 0 of `seed`, on an empty board.
    ///
    /// # Errors
    /// Returns [`Error::ScriptEnded`] for a script without pieces, [`Error::Config`] for
    /// [`QueueKind::Adversary`].
    pub fn new(size: BoardSize, queue: QueueKind, seed: u64) -> Result<Environment> {
        queue.check_known_ahead("a game by key presses takes its pieces in advance")?;
        Environment::of(size, Dealer::of_queue(queue, seed))
    }

    /// Creates an environment whose games are identical to those of the teaching notebook
    /// `tetris_ia`. It uses NumPy's old generator, and its counts of dealt pieces are kept across
    /// games. As in the notebook, one piece is dealt with seed 42, and never played, before `seed`
    /// is set.
    ///
    /// # Errors
    /// Returns no error, because the notebook's dealer never runs out of pieces.
    pub fn notebook(size: BoardSize, seed: u32) -> Result<Environment> {
        let mut environment = Environment::of(size, Dealer::Notebook(NotebookDealer::new(42)))?;
        environment.seed(seed.into());
        environment.reset()?;
        Ok(environment)
    }

    /// Creates a game on an empty board, with pieces from `dealer`.
    fn of(size: BoardSize, mut dealer: Dealer) -> Result<Environment> {
        let board = Board::empty(size);
        let falling = Falling::entering(dealer.deal()?, &board);
        Ok(Environment { dealer, previews: 0, board, falling, done: false })
    }

    /// Restores the kind of the queue of a deserialised environment, since its stored form has none
    /// ([`Queue::set_kind`](crate::queue::Queue::set_kind)).
    pub fn set_queue_kind(&mut self, new: QueueKind) {
        if let Dealer::Queue { kind, queue, .. } = &mut self.dealer {
            queue.set_kind(new.clone());
            *kind = new;
        }
    }

    /// Returns true if the notebook's dealer deals the pieces ([`Environment::notebook`]).
    #[must_use]
    pub fn is_notebook(&self) -> bool {
        matches!(self.dealer, Dealer::Notebook(_))
    }

    /// Returns the size of the board.
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

    /// Returns true if the game is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.done
    }

    /// Sets the number of next pieces in an [`Observation`] to `previews`. A script shows no more
    /// pieces than it has left, and the dealer of the teaching notebook `tetris_ia` shows none.
    pub fn show_next(&mut self, previews: usize) {
        self.previews = previews;
    }

    /// Replaces the board and the falling piece. A finished game continues.
    pub fn set(&mut self, board: Board, falling: Falling) {
        (self.board, self.falling, self.done) = (board, falling, false);
    }

    /// Sets the seed of later games; the next [`Environment::reset`] starts game 0 of that seed.
    pub fn seed(&mut self, seed: u64) {
        self.dealer.seed(seed);
    }

    /// Replaces the random stream of the pieces by one of `seed`, so that hidden pieces differ but
    /// have the same distribution ([`Queue::branch`](crate::queue::Queue::branch)). Visible pieces
    /// and later games do not change.
    pub fn branch(&mut self, seed: u64) {
        match &mut self.dealer {
            Dealer::Queue { queue, .. } => queue.branch(Stream::new(seed, Purpose::Branches, 0)),
            // Later games of the notebook continue its random numbers, so these differ, too.
            Dealer::Notebook(_) => self.dealer.seed(seed),
        }
    }

    /// Starts the next game of the seed, on an empty board.
    ///
    /// # Errors
    /// Returns [`Error::ScriptEnded`] for a script without pieces.
    pub fn reset(&mut self) -> Result<Observation> {
        self.dealer.next_game();
        let board = Board::empty(self.board.size());
        let falling = Falling::entering(self.dealer.deal()?, &board);
        self.set(board, falling);
        Ok(self.observe())
    }

    /// Returns the state visible to an agent.
    pub fn observe(&mut self) -> Observation {
        let next = (0..self.previews).map_while(|ahead| self.dealer.peek(ahead)).collect();
        Observation { board: self.board, falling: self.falling, next }
    }

    /// Performs `action`, unless it is blocked, then lets the piece fall by one row. If the piece
    /// is then at rest, it is locked without its cells above the board's top. Full rows are removed
    /// and the next piece enters. The game is over if the top row is not empty.
    ///
    /// # Errors
    /// Returns [`Error::Config`] if the game is over, [`Error::ScriptEnded`] without a next piece.
    pub fn step(&mut self, action: Action) -> Result<Transition> {
        if self.done {
            return Err(Error::Config(
                "the game is over: call reset before the next step".to_owned(),
            ));
        }
        self.falling = self.after(action);
        if !self.falling.rests(&self.board) {
            self.falling = self.falling.moved(0, -1);
        }
        let (mut reward, locked) = (0, self.falling.rests(&self.board));
        if locked {
            (self.board, reward) = self.falling.on(&self.board, false).clear();
            // Cells above the top were cut off, so the stack never exceeds the height.
            self.done = self.board.stack_height() == self.board.height();
            if !self.done {
                self.falling = Falling::entering(self.dealer.deal()?, &self.board);
            }
        }
        Ok(Transition { observation: self.observe(), reward, locked, done: self.done })
    }

    /// Returns the falling piece after `action`, or unchanged if the action is blocked.
    fn after(&self, action: Action) -> Falling {
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

    /// Returns a picture of the rows in play: `#` settled, `@` falling, `.` free.
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
