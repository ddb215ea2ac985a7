//! A game from the log of a run, of any game: built again by the rules, and held against what was logged.

mod guideline;
mod one_piece;

use std::path::{Path, PathBuf};

use super::film::{Explain, Film, Source};
use super::step::Step;
use crate::error::{Error, Result};
use crate::sim::guideline::is_guideline_run;

pub use guideline::title;

/// A game's rules and where it stands: what the rows of a log are built again by.
trait Rebuild: Clone {
    /// A placement as it was logged.
    type Row: Clone;

    /// Its number.
    fn piece_no(row: &Self::Row) -> u64;

    /// The placement of the next row; in words, what in it the rules contradict.
    fn rebuild(&mut self, row: &Self::Row) -> std::result::Result<Step, String>;

    /// Why there is no more.
    fn ending(&self) -> String;
}

/// The placements of a log, in turn.
#[derive(Clone)]
struct Replay<R: Rebuild> {
    folder: PathBuf,
    game: u64,
    rows: std::vec::IntoIter<R::Row>,
    rebuilt: R,
}

/// A game of a run's log as a film; with candidates where its controller is known.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] when the run or its log can't be read, or a row contradicts the rules.
pub fn replay(folder: &Path, game: u64, kept: usize) -> Result<Film> {
    match is_guideline_run(folder)? {
        true => guideline::replay(folder, game, kept),
        false => one_piece::replay(folder, game, kept),
    }
}

impl<R: Rebuild + 'static> Replay<R> {
    fn new(folder: &Path, game: u64, rows: Vec<R::Row>, rebuilt: R) -> Replay<R> {
        Replay { folder: folder.to_owned(), game, rows: rows.into_iter(), rebuilt }
    }

    fn film(self, title: String, explainer: Option<Box<dyn Explain>>, kept: usize) -> Result<Film> {
        // What does not fit is said at once, not when it comes to be shown.
        let mut check = self.clone();
        while check.advance()?.is_some() {}
        Ok(Film::new(title, Box::new(self), explainer, kept))
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

impl<R: Rebuild + 'static> Source for Replay<R> {
    fn advance(&mut self) -> Result<Option<Step>> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        let step = self.rebuilt.rebuild(&row);
        step.map(Some).map_err(|problem| self.contradicted(R::piece_no(&row), &problem))
    }

    fn ending(&self) -> String {
        self.rebuilt.ending()
    }
}
