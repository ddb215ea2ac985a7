//! Describes players outside the engine, which give boards their values or choose placements.

use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Controller;
use crate::board::Board;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::placement::Candidate;

/// Largest absolute value that an external player may return for a board.
// Sums over seven pieces fit 62 bits.
pub const LARGEST_VALUE: f64 = 1e6;

pub(super) const VALUE_DECIMALS: i32 = 9;

/// Prefix in the names of players that a host program (Python) provides; their own name follows.
pub const HOST_PREFIX: &str = "python:";

thread_local! {
    static HOST_PLAYERS: RefCell<Vec<Controller>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work`. Meanwhile, [`Controller::load`] on this thread also finds the `players` of a host
/// program, for example Python functions.
pub fn with_host_players<T>(players: Vec<Controller>, work: impl FnOnce() -> T) -> T {
    struct HostPlayersGuard(Vec<Controller>);
    impl Drop for HostPlayersGuard {
        fn drop(&mut self) {
            HOST_PLAYERS.set(std::mem::take(&mut self.0));
        }
    }
    let _restore = HostPlayersGuard(HOST_PLAYERS.replace(players));
    work()
}

pub(super) fn host_player(name: &str) -> Option<Result<Controller>> {
    let host_name = name.strip_prefix(HOST_PREFIX)?;
    let found = HOST_PLAYERS
        .with_borrow(|players| players.iter().find(|player| player.name == host_name).cloned());
    let problem = "it is a function of a Python program, which has to pass it to this command: \
        call the command from Python with this player";
    let missing = || Error::Controller { name: name.to_owned(), problem: problem.to_owned() };
    Some(found.ok_or_else(missing))
}

/// An evaluator of boards outside the engine, for example a Python function.
pub trait BoardValues: Send {
    /// Writes the value of each board (without full rows) to the same index of `values`. Larger is
    /// better; an error ends the game.
    fn values(&mut self, boards: &[Board], values: &mut [f64]) -> Result<()>;
}

/// A chooser of placements outside the engine, for example a program that speaks a protocol.
pub trait MoveChooser: Send {
    /// Returns indices in [`Position::candidates`], the preferred first. An error ends the game.
    fn preferences(&mut self, position: &Position<'_>) -> Result<Vec<usize>>;
}

/// A position of a classic game in which an external player chooses a placement.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// Board before the placement.
    pub board: &'a Board,
    /// Piece to place.
    pub piece: Piece,
    /// Next piece, if the search knows it.
    pub next: Option<Piece>,
    /// All placements of the piece that the rules offer, in the order that decides ties.
    pub candidates: &'a [Candidate],
}

/// A connection of one worker thread to an external player.
pub enum Connection {
    /// Connection to a player that gives boards their values.
    Values(Box<dyn BoardValues>),
    /// Connection to a player that chooses placements.
    Moves(Box<dyn MoveChooser>),
}

/// A source of connections to an external player, shared by all threads.
pub trait ExternalSource: fmt::Debug + Send + Sync {
    /// Returns the text that identifies the player in `run.json`, for example `tbp:COMMAND`.
    fn describe(&self) -> String;

    /// Returns true if the player gives placements scores, and false if it only chooses one.
    fn has_scores(&self) -> bool {
        true
    }

    /// Connects one worker thread to the external player.
    fn connect(&self) -> Result<Connection>;
}

/// An external player of classic games, to which each worker thread has its own connection.
#[derive(Clone)]
pub struct External(Arc<dyn ExternalSource>);

impl External {
    /// Creates an external player from its source of connections.
    pub fn new(source: impl ExternalSource + 'static) -> External {
        External(Arc::new(source))
    }

    /// Creates a stand-in for the external player of a recorded run; it has a `description` but
    /// cannot play.
    #[must_use]
    pub fn recorded(description: String) -> External {
        External::new(RecordedPlayer(description))
    }
}

impl Deref for External {
    type Target = dyn ExternalSource;

    fn deref(&self) -> &(dyn ExternalSource + 'static) {
        &*self.0
    }
}

impl Serialize for External {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(&self.describe())
    }
}

impl<'de> Deserialize<'de> for External {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<External, D::Error> {
        String::deserialize(from).map(External::recorded)
    }
}

#[derive(Debug)]
struct RecordedPlayer(String);

impl ExternalSource for RecordedPlayer {
    fn describe(&self) -> String {
        self.0.clone()
    }

    fn connect(&self) -> Result<Connection> {
        let problem = "it was a player from outside this program, so it cannot decide again: play \
            a new run with the program that has it";
        Err(Error::Controller { name: self.0.clone(), problem: problem.to_owned() })
    }
}

impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("External").field(&self.describe()).finish()
    }
}

impl PartialEq for External {
    fn eq(&self, other: &External) -> bool {
        self.describe() == other.describe()
    }
}
