//! Provides the placements of a timeline, from a live game or from the log of a run. Logged games
//! are rebuilt by the rules, and the result is compared with the log.

use std::path::{Path, PathBuf};

use super::game::{NextPlacement, Source};
use crate::error::{Error, Result};
use crate::explain::Rebuild;
use crate::explain::step::WatchedStep;

/// A source that plays a live game.
pub(super) struct LiveSource<S> {
    place: NextPlacement<S>,
    end: Option<&'static str>,
}

impl<S> LiveSource<S> {
    pub(super) fn new(place: NextPlacement<S>) -> LiveSource<S> {
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

/// A source that rebuilds the placements of a logged game one after the other.
#[derive(Clone)]
pub(super) struct Replay<R: Rebuild> {
    folder: PathBuf,
    game: u64,
    rows: std::vec::IntoIter<R::Row>,
    rebuilt: R,
}

impl<R: Rebuild> Replay<R> {
    /// Creates a replay after checking every row. Errors are thus reported at once, and not only
    /// when the placement is shown.
    pub(super) fn checked(
        folder: &Path,
        game: u64,
        rows: Vec<R::Row>,
        rebuilt: R,
    ) -> Result<Replay<R>> {
        let replay = Replay { folder: folder.to_owned(), game, rows: rows.into_iter(), rebuilt };
        // Rebuilds the whole log once on a copy, which is cheap because boards are small.
        let mut check = replay.clone();
        while check.advance()?.is_some() {}
        Ok(replay)
    }

    /// Returns the error for a row that contradicts the rules.
    fn contradicted(&self, piece_no: u64, problem: &str) -> Error {
        Error::Config(format!(
            "{folder}: game {}, placement {piece_no}: {problem}: the log or run.json was changed; \
             `tetrastat data verify {folder}` names the file",
            self.game,
            folder = self.folder.display()
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
