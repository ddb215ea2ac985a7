//! The game key press by key press: the place for reinforcement learning.
//!
//! [`Environment`] deals pieces that fall by one row with every action, the notebook's game. It can be seeded, cloned (for a search of one's own), and drawn as text. An episode:
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
//!     let action = Action::ALL[agent.below(6) as usize]; // what an agent would choose by what it observes
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
//! Who wants placements as actions takes [`crate::rules::Rules`] instead, which knows all of a piece's.

mod agent;
mod dealer;
mod falling;

use std::str::FromStr;

pub use agent::Agent;
pub use dealer::{Dealer, NotebookDealer};
pub use falling::Falling;

use crate::board::{Board, BoardSize};
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::queue::QueueKind;

crate::names! {
    /// What can be done in a step, by the notebook's numbers.
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
        /// 0: nothing.
        Idle = "idle",
        /// 1: one column to the left.
        Left = "left",
        /// 2: one column to the right.
        Right = "right",
        /// 3: a quarter turn counter-clockwise.
        TurnLeft = "ccw",
        /// 4: a quarter turn clockwise.
        TurnRight = "cw",
        /// 5: straight down, where the piece stays.
        Drop = "drop",
    }
}

impl FromStr for Action {
    type Err = Error;

    /// By name or number.
    fn from_str(text: &str) -> Result<Action> {
        let numbered =
            || Action::ALL.into_iter().find(|&action| (action as u8).to_string() == text);
        let unknown = || Error::unknown("action", text, Action::NAMES);
        Action::named(text).or_else(numbered).ok_or_else(unknown)
    }
}

/// What an agent sees: everything that decides what its actions do, but not the pieces it is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The settled cells.
    pub board: Board,
    /// The piece on its way down; on a game that is over, the one that was last.
    pub falling: Falling,
    /// The pieces after it, as many as are shown.
    pub next: Vec<Piece>,
}

/// What a step came to: the four things that learning from play needs, and whether a piece was locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// What is seen now.
    pub observation: Observation,
    /// Rows removed by this step, 0 to 4. An agent that wants another reward finds it from the boards.
    pub reward: u32,
    /// Whether a piece came to rest.
    pub locked: bool,
    /// Whether the game is over.
    pub done: bool,
}

/// A game that goes on by key presses. Cloning it copies the game with its future: the clone is dealt the
/// same pieces, which is what a search by trial wants, and what an agent must not be given.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::environment::{Action, Environment};
/// use tetrastat::queue::QueueKind;
/// let mut game = Environment::new("4x4".parse()?, QueueKind::script("OO", false)?, 0)?;
/// game.step(Action::Left)?;
/// assert_eq!(game.render(), "@@..\n@@..\n....\n....\n"); // moved, and fallen by a row
/// let step = game.step(Action::Drop)?;
/// assert!(step.locked && !step.done);
/// assert_eq!(step.observation.board.to_hex(), "3:3");
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Environment {
    dealer: Dealer,
    previews: usize,
    board: Board,
    falling: Falling,
    done: bool,
}

impl Environment {
    /// Game 0 of a seed, on an empty board.
    ///
    /// # Errors
    /// [`Error::ScriptEnded`] for a script without pieces.
    pub fn new(size: BoardSize, queue: QueueKind, seed: u64) -> Result<Environment> {
        Environment::of(size, Dealer::of_queue(queue, seed))
    }

    /// The notebook's own environment, bit for bit: NumPy's old generator, counts that are kept from game to
    /// game and a piece that is dealt and never played (seed 42) before the seed given is set.
    ///
    /// # Errors
    /// None: its dealer never ends.
    pub fn notebook(size: BoardSize, seed: u32) -> Result<Environment> {
        let mut environment = Environment::of(size, Dealer::Notebook(NotebookDealer::new(42)))?;
        environment.seed(seed.into());
        environment.reset()?;
        Ok(environment)
    }

    /// The first game of a dealer, on an empty board.
    fn of(size: BoardSize, mut dealer: Dealer) -> Result<Environment> {
        let board = Board::empty(size);
        let falling = Falling::entering(dealer.deal()?, &board);
        Ok(Environment { dealer, previews: 0, board, falling, done: false })
    }

    /// Shows so many pieces after the one that falls; no more than a script has, and none of the notebook's.
    pub fn show_next(&mut self, previews: usize) {
        self.previews = previews;
    }

    /// Puts a board and a piece in place of those there are, and goes on with a game that was over.
    pub fn set(&mut self, board: Board, falling: Falling) {
        (self.board, self.falling, self.done) = (board, falling, false);
    }

    /// Sets the seed of the games that follow; the next [`Environment::reset`] begins its game 0.
    pub fn seed(&mut self, seed: u64) {
        self.dealer.seed(seed);
    }

    /// Begins the next game of the seed, on an empty board.
    ///
    /// # Errors
    /// [`Error::ScriptEnded`] for a script without pieces.
    pub fn reset(&mut self) -> Result<Observation> {
        self.dealer.next_game();
        let board = Board::empty(self.board.size());
        let falling = Falling::entering(self.dealer.deal()?, &board);
        self.set(board, falling);
        Ok(self.observe())
    }

    /// What is seen now.
    pub fn observe(&mut self) -> Observation {
        let next = (0..self.previews).map_while(|ahead| self.dealer.peek(ahead)).collect();
        Observation { board: self.board, falling: self.falling, next }
    }

    /// Does what it can of an action (one that is blocked does nothing), then lets the piece fall by one row.
    /// A piece that rests then is locked, without its cells above the top; full rows are removed, and the next
    /// enters; the game is over when the top row is not empty.
    ///
    /// # Errors
    /// [`Error::Config`] when the game is over; [`Error::ScriptEnded`].
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
            // Not more than the height: what stood out above the top was cut off when the piece was locked.
            self.done = self.board.stack_height() == self.board.height();
            if !self.done {
                self.falling = Falling::entering(self.dealer.deal()?, &self.board);
            }
        }
        Ok(Transition { observation: self.observe(), reward, locked, done: self.done })
    }

    /// The falling piece after an action; where it was, when the action is blocked.
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

    /// A picture, top row first: `#` settled, `@` falling, `.` free; cells above the top are left out.
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
