//! Where the placements of a timeline come from: a game in play, or the log of a run, of any game, which is built again
//! by the rules and held against what was logged.

use std::path::{Path, PathBuf};

use super::game::{Place, Source};
use crate::error::{Error, Result};
use crate::explain::Rebuild;
use crate::explain::step::WatchedStep;

/// A game in play.
pub(super) struct LiveSource<S> {
    place: Place<S>,
    end: Option<&'static str>,
}

impl<S> LiveSource<S> {
    pub(super) fn new(place: Place<S>) -> LiveSource<S> {
        LiveSource { place, end: None }
    }
}

impl<S> Source<S> for LiveSource<S> {
    fn advance(&mut self) -> Result<Option<WatchedStep<S>>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let (step, end) = (self.place)()?;
        self.end = end;
        Ok(step)
    }

    fn ending(&self) -> String {
        self.end.unwrap_or("stopped").to_owned()
    }
}

/// The placements of a log, in turn.
#[derive(Clone)]
pub(super) struct Replay<R: Rebuild> {
    folder: PathBuf,
    game: u64,
    rows: std::vec::IntoIter<R::Row>,
    rebuilt: R,
}

impl<R: Rebuild> Replay<R> {
    /// A game of which every row is checked: what does not fit is said at once, not when it comes to be shown.
    pub(super) fn checked(
        folder: &Path,
        game: u64,
        rows: Vec<R::Row>,
        rebuilt: R,
    ) -> Result<Replay<R>> {
        let replay = Replay { folder: folder.to_owned(), game, rows: rows.into_iter(), rebuilt };
        // The whole log is built again once before anything is shown, on a copy: boards are small.
        let mut check = replay.clone();
        while check.advance()?.is_some() {}
        Ok(replay)
    }

    /// The error of a row that the rules contradict.
    fn contradicted(&self, piece_no: u64, problem: &str) -> Error {
        Error::Config(format!(
            "{}: game {}, placement {piece_no}: {problem}: the log or run.json was changed; restore them from a copy",
            self.folder.display(),
            self.game
        ))
    }
}

impl<R: Rebuild> Source<R::Scene> for Replay<R> {
    fn advance(&mut self) -> Result<Option<WatchedStep<R::Scene>>> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        let step = self.rebuilt.rebuild(&row);
        step.map(Some).map_err(|problem| self.contradicted(R::piece_no(&row), &problem))
    }

    fn ending(&self) -> String {
        self.rebuilt.ending()
    }
}
