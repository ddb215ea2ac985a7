//! Shows a folder of this program as one page for a browser: configuration, results, games
//! placement by placement, and rows of tables.
//!
//! The page is one HTML file that needs no network. Styles, scripts, charts ([uPlot](assets/uplot),
//! MIT) and the engine, compiled to WebAssembly, are embedded. Numbers come from the tables of the
//! folder and from [`crate::stats`]; the scripts draw them.
//!
//! | part | contents |
//! |---|---|
//! | [`Running`] | times of writing and of the next reload while the work continues |
//! | [`GamesOutcome`] | means with intervals, survival, values of games, pairwise verdicts |
//! | [`Table`] | rows of a table at a fixed stride |
//! | [`ShownGame`] | placements at the start and end of a game |
//! | [`Explained`] | explanations of placements: all terms, the runner-up, the best placements |
//!
//! A note on the page names everything that was left out to keep it small.

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

pub use explained::Explained;
pub use games::ShownGame;
pub use outcome::{ConditionOutcome, GamesOutcome, MeanPerGame};
pub use tables::Table;

/// Limits on the part of a folder that its page shows.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Maximum number of rows of a table.
    pub rows: usize,
    /// Maximum number of placements of a game.
    pub placements: usize,
    /// Maximum size of the page in bytes. Rows and placements are halved until the page fits.
    pub bytes: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { rows: 2000, placements: 2000, bytes: 10 << 20 }
    }
}

/// The time of writing of a page, and its reload interval, while the work in its folder continues.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Running {
    /// Time at which the page was written, in seconds since 1970 (UTC).
    pub written: u64,
    /// Seconds between two versions of the page.
    pub every_s: u64,
}

/// The kind of work that a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderKind {
    /// Games of one configuration.
    Run,
    /// Runs of several conditions over common seeds, such as a comparison of controllers.
    Study,
    /// Training of a controller.
    Training,
    /// Estimate of a mean for games that are too long to play to their end.
    Estimate,
    /// Games that reproduce the results of published tables.
    Reproduction,
}

/// The weights in a controller's file.
#[derive(Debug, Serialize)]
pub struct WrittenWeights {
    /// Pairs of a feature's name and its weight.
    pub list: Vec<(String, f64)>,
    /// Note of the file, which names the scale of the weights.
    pub note: Option<String>,
}

/// The data of a page.
#[derive(Debug, Serialize)]
pub struct Page {
    /// Kind of work in the folder.
    pub kind: FolderKind,
    /// Title of the work, one line.
    pub title: String,
    /// Reload times while the work continues. `None` if the work does not continue.
    pub running: Option<Running>,
    /// Warnings at the top of the page, for example that the run is unfinished, damaged or shown in
    /// part.
    pub notes: Vec<String>,
    /// Configuration and circumstances: groups of names and values.
    pub facts: Vec<(String, Vec<(String, String)>)>,
    /// Results of the games. `None` if the folder has no games.
    pub outcome: Option<GamesOutcome>,
    /// Contents of `run.json` of a training or an estimate.
    pub report: Option<Value>,
    /// Weights in a training's `controller.toml`.
    pub weights: Option<WrittenWeights>,
    /// Controller that played, as recorded in `run.json`.
    pub controller: Option<Value>,
    /// Entries of `run.json`'s configuration that the scripts need: board, rules, search, queue,
    /// seed.
    pub config: Map<String, Value>,
    /// Cells of each orientation of each piece, as column and row from the lower left corner of the
    /// bounding box.
    pub shapes: BTreeMap<&'static str, Vec<Vec<[usize; 2]>>>,
    /// Tables of the folder.
    pub tables: Vec<Table>,
    /// Selected games of the folder.
    pub games: Vec<ShownGame>,
}

/// Returns true if `folder` holds complete or unfinished work of this program, which a page can
/// show.
#[must_use]
pub fn holds_work(folder: &Path) -> bool {
    folder::holds_work(folder)
}

/// Reads a folder and returns its page as the text of an HTML file. `running` has the reload times
/// of the page if the work in the folder continues.
///
/// # Errors
/// [`Error::Config`] if the folder holds no known work, or one of its tables is damaged;
/// [`Error::Io`] if it cannot be read.
pub fn page(folder: &Path, sizes: &Sizes, running: Option<Running>) -> Result<String> {
    let mut page = folder::read(folder, sizes, running)?;
    let mut html = html::render(&page)?;
    while html.len() > sizes.bytes {
        if !page.halve() {
            return Err(Error::Config(format!(
                "the page has {} bytes, and nothing more can be left out: raise --limit",
                html.len()
            )));
        }
        html = html::render(&page)?;
    }
    Ok(html)
}

impl Page {
    /// Drops half of the rows and placements. Returns `false`, and drops nothing, if only few are
    /// left.
    fn halve(&mut self) -> bool {
        let tables = self.tables.iter_mut().map(Table::halve).fold(false, |any, one| any | one);
        let games = self.games.iter_mut().map(ShownGame::halve).fold(false, |any, one| any | one);
        tables | games
    }
}

/// Returns the cells of an orientation, as column and row in its bounding box.
fn cells(orientation: &Orientation) -> Vec<[usize; 2]> {
    let columns = 0..usize::from(orientation.width);
    let filled = |row: u16| columns.clone().filter(move |x| row >> x & 1 == 1);
    let rows = orientation.rows.iter().enumerate();
    rows.flat_map(|(y, &row)| filled(row).map(move |x| [x, y])).collect()
}

/// Returns the cells of all orientations of all pieces, by the name of the piece.
fn shapes() -> BTreeMap<&'static str, Vec<Vec<[usize; 2]>>> {
    Piece::ALL.map(|piece| (piece.name(), piece.orientations().iter().map(cells).collect())).into()
}
