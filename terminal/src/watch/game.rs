//! The interface of a watchable game, the only one that timeline, screen and keys use.

use std::path::Path;

use super::timeline::{Recorded, Source};
use crate::error::Result;
use crate::explain::{Explain, Rebuild, Scene, WatchedStep};

/// A run whose games can be watched: played, explained, and played back from their log.
pub trait Watched: Sized + 'static {
    /// A placement.
    type Scene: Scene;
    /// A game in play.
    type InPlay: Placing<Scene = Self::Scene>;
    /// Who tells why a placement was chosen.
    type Explainer: Explain<Scene = Self::Scene>;
    /// A game that is built again from its log.
    type Rebuilt: Rebuild<Scene = Self::Scene> + 'static;

    /// What is played, in one line.
    fn title(&self, game: u64) -> String;

    /// The game of this index before its first piece.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] when the configuration makes no sense.
    fn begin(&self, game: u64) -> Result<Self::InPlay>;

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

/// A game in play, piece by piece what `simulate` plays.
pub trait Placing {
    /// A placement.
    type Scene;

    /// Makes the next placement, if there is one, and shows it; why the game is over, once it is.
    ///
    /// # Errors
    /// What keeps it from being made, in one line.
    fn place(
        &mut self,
        see: &mut dyn FnMut(WatchedStep<Self::Scene>),
    ) -> Result<Option<&'static str>>;
}

/// A game in play as the source of a timeline.
pub(super) struct LiveSource<P> {
    play: P,
    end: Option<&'static str>,
}

impl<P: Placing> LiveSource<P> {
    pub(super) fn new(play: P) -> LiveSource<P> {
        LiveSource { play, end: None }
    }
}

impl<P: Placing> Source<P::Scene> for LiveSource<P> {
    fn advance(&mut self) -> Result<Option<WatchedStep<P::Scene>>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let mut step = None;
        self.end = self.play.place(&mut |seen| step = Some(seen))?;
        Ok(step)
    }

    fn ending(&self) -> String {
        self.end.unwrap_or("stopped").to_owned()
    }
}
