//! A folder as one page for a browser: what was played, what came of it, its games placement by placement, its rows.
//!
//! The page is one HTML file that asks nothing of a network: styles, scripts, charts ([uPlot](assets/uplot), MIT) and
//! the engine itself, compiled to WebAssembly, stand in it. Numbers come from the tables of the folder and from
//! [`crate::stats`]; the scripts draw them.
//!
//! | part | what it has |
//! |---|---|
//! | [`Running`] | whether the work goes on, and when to load the page again |
//! | [`GamesOutcome`] | means with intervals, survival, values of games, pairwise verdicts |
//! | [`Table`] | rows of a table, every so many of them |
//! | [`ShownGame`] | placements of a game: its beginning and its end |
//! | [`Explained`] | explanations of these placements: all terms, the runner-up, the best placements |
//!
//! Whatever was left out to keep the page small is said on it.

mod explained;
mod facts;
mod folder;
mod games;
mod html;
mod outcome;
mod tables;
mod unfinished;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::piece::{Orientation, Piece};

pub use explained::{Choice, Explained};
pub use games::ShownGame;
pub use outcome::{ConditionOutcome, GamesOutcome, MeanPerGame};
pub use tables::Table;

/// How much of a folder a page has.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Rows of a table at most.
    pub rows: usize,
    /// Placements of a game at most.
    pub placements: usize,
    /// Bytes of the page at most. Rows and placements are halved until it is no larger.
    pub bytes: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { rows: 2000, placements: 2000, bytes: 10 << 20 }
    }
}

/// When the work goes on while a page is written: a reader loads it again.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Running {
    /// Seconds since 1970, UTC, at which the page was written.
    pub written: u64,
    /// Seconds after which it may be written anew.
    pub every_s: u64,
}

/// What a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderKind {
    /// Games of one configuration.
    Run,
    /// Runs over common seeds; comparisons are such.
    Study,
    /// A training.
    Training,
    /// An estimate of a mean that is too long to play.
    Estimate,
    /// Published tables that were played again.
    Reproduction,
}

/// The weights in a controller's file.
#[derive(Debug, Serialize)]
pub struct WrittenWeights {
    /// Pairs of name and weight.
    pub list: Vec<(String, f64)>,
    /// Note of the file, which names the scale of the weights.
    pub note: Option<String>,
}

/// All that a page shows.
#[derive(Debug, Serialize)]
pub struct Page {
    /// What the folder holds.
    pub kind: FolderKind,
    /// What was done, in a line.
    pub title: String,
    /// That the work goes on, so that the page is written anew.
    pub running: Option<Running>,
    /// What a reader has to know first: that it is unfinished, damaged, or shown in part.
    pub notes: Vec<String>,
    /// Configuration and circumstances: groups of names and values.
    pub facts: Vec<(String, Vec<(String, String)>)>,
    /// What games came to.
    pub outcome: Option<GamesOutcome>,
    /// `train.json` or `estimate.json`, as it is.
    pub report: Option<Value>,
    /// The weights in a training's `controller.toml`.
    pub weights: Option<WrittenWeights>,
    /// The controller that played, as `run.json` has it.
    pub controller: Option<Value>,
    /// What of `run.json`'s configuration the scripts need: board, rules, search, queue, seed.
    pub config: Map<String, Value>,
    /// Of each piece the cells of its orientations, columns and rows from the corner of their box.
    pub shapes: BTreeMap<&'static str, Vec<Vec<[usize; 2]>>>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Some of its games.
    pub games: Vec<ShownGame>,
}

/// Returns true if `folder` holds anything to draw: complete or unfinished work of this program.
#[must_use]
pub fn holds_work(folder: &Path) -> bool {
    folder::holds_work(folder)
}

/// Reads a folder and writes its page: the text of an HTML file. It says so when the work there goes on.
///
/// # Errors
/// [`Error::Config`] when the folder holds nothing that is known, or a table of it is damaged; [`Error::Io`] when it
/// can't be read.
pub fn page(folder: &Path, sizes: &Sizes, running: Option<Running>) -> Result<String> {
    let mut page = folder::read(folder, sizes, running)?;
    let mut html = html::render(&page)?;
    while html.len() > sizes.bytes {
        if !page.halve() {
            return Err(Error::Config(format!(
                "the page has {} bytes, and there is nothing left to leave out: allow more by --limit",
                html.len()
            )));
        }
        html = html::render(&page)?;
    }
    Ok(html)
}

impl Page {
    /// Leaves half of the rows and placements out; false when there are too few to go on.
    fn halve(&mut self) -> bool {
        let tables = self.tables.iter_mut().map(Table::halve).fold(false, |any, one| any | one);
        let games = self.games.iter_mut().map(ShownGame::halve).fold(false, |any, one| any | one);
        tables | games
    }
}

/// The cells of an orientation in its box.
fn cells(orientation: &Orientation) -> Vec<[usize; 2]> {
    let columns = 0..usize::from(orientation.width);
    let filled = |row: u16| columns.clone().filter(move |x| row >> x & 1 == 1);
    let rows = orientation.rows.iter().enumerate();
    rows.flat_map(|(y, &row)| filled(row).map(move |x| [x, y])).collect()
}

/// The shapes of all pieces.
fn shapes() -> BTreeMap<&'static str, Vec<Vec<[usize; 2]>>> {
    Piece::ALL.map(|piece| (piece.name(), piece.orientations().iter().map(cells).collect())).into()
}
