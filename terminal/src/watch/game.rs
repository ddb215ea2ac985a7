//! The interface of a watchable game, the only one that timeline, screen and keys use.

use std::path::Path;

use crate::error::Result;
use crate::explain::{Explain, Rebuild, Scene, WatchedStep};

/// A run whose games can be watched: played, explained, and played back from their log.
pub trait Watched: Sized + 'static {
    /// A placement.
    type Scene: Scene;
    /// Who tells why a placement was chosen.
    type Explainer: Explain<Scene = Self::Scene>;
    /// A game that is built again from its log.
    type Rebuilt: Rebuild<Scene = Self::Scene> + 'static;

    /// What is played, in one line.
    fn title(&self, game: u64) -> String;

    /// Returns the game of index `game`, before its first piece.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] when the configuration makes no sense.
    fn begin(&self, game: u64) -> Result<Place<Self::Scene>>;

    /// Who explains the choices of its controller.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] when that does not fit the board.
    fn explainer(&self) -> Result<Self::Explainer>;

    /// A game that a run logged.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] when the run or its log can't be read.
    fn recorded(folder: &Path, game: u64) -> Result<Recorded<Self>>;
}

/// Makes the next placement of a game in play, piece by piece what `simulate` plays. Returns it, if there was one, and
/// the reason why the game is over, once it is.
pub type Place<S> = Box<dyn FnMut() -> Result<(Option<WatchedStep<S>>, Option<&'static str>)>>;

/// Where the placements of a timeline come from.
pub trait Source<S> {
    /// The next placement; `None` when there is no more.
    ///
    /// # Errors
    /// What keeps it from being made, in one line.
    fn advance(&mut self) -> Result<Option<WatchedStep<S>>>;

    /// Why there is no more.
    fn ending(&self) -> String;
}

/// A game that a run logged.
pub struct Recorded<G: Watched> {
    /// What was played, in one line.
    pub title: String,
    /// Who explains it, where its controller is known.
    pub explainer: Option<G::Explainer>,
    /// Its placements.
    pub rows: Vec<<G::Rebuilt as Rebuild>::Row>,
    /// The game before the first of them.
    pub rebuilt: G::Rebuilt,
}
