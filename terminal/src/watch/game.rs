//! Defines the interface of a watchable game. Timeline, screen and keys use games only through it.

use std::path::Path;

use crate::error::Result;
use crate::explain::{Explain, Rebuild, Scene, WatchedStep};

/// A run whose games can be watched: played, explained, and replayed from their log.
pub trait Watched: Sized + 'static {
    /// Type that describes one placement, with the state of the game before it.
    type Scene: Scene;
    /// Explainer of the controller's placements.
    type Explainer: Explain<Scene = Self::Scene>;
    /// Game that is rebuilt from the rows of its log.
    type Rebuilt: Rebuild<Scene = Self::Scene> + 'static;

    /// Returns the title of game number `game`, one line.
    fn title(&self, game: u64) -> String;

    /// Starts game number `game`. Returns a function that makes the next placement at each call,
    /// beginning with the first.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] if the configuration
    /// is invalid.
    fn begin(&self, game: u64) -> Result<NextPlacement<Self::Scene>>;

    /// Returns the explainer of the controller's choices.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] if the controller does not fit the board.
    fn explainer(&self) -> Result<Self::Explainer>;

    /// Reads the log of game number `game` from a run folder.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] if the run or its log cannot
    /// be read.
    fn recorded(folder: &Path, game: u64) -> Result<Recorded<Self>>;
}

/// A function that makes the next placement of a live game, exactly as `simulate` plays. It returns
/// the placement, if there was one, and the reason why the game is over, if it is.
pub type NextPlacement<S> =
    Box<dyn FnMut() -> Result<(Option<WatchedStep<S>>, Option<&'static str>)>>;

/// A source of the placements of a timeline.
pub trait Source<S> {
    /// Returns the next placement, or `None` if there is no more.
    ///
    /// # Errors
    /// Returns an error, in one line, if the placement cannot be made.
    fn advance(&mut self) -> Result<Option<WatchedStep<S>>>;

    /// Returns the reason why there are no more placements.
    fn ending(&self) -> String;
}

/// A game that was read from the log in a run folder.
pub struct Recorded<G: Watched> {
    /// Title of the game, one line.
    pub title: String,
    /// Explainer of the game. `None` if this program lacks the controller.
    pub explainer: Option<G::Explainer>,
    /// Rows of the game's placements, as read from the log in the run folder.
    pub rows: Vec<<G::Rebuilt as Rebuild>::Row>,
    /// State before the first placement, from which the game is rebuilt by adding the logged
    /// placements.
    pub rebuilt: G::Rebuilt,
}
