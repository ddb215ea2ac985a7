//! Controllers: features, weights, and whether they are measured before or after clearing.
//!
//! A controller is a TOML file; the published ones are in `data/controllers/` and compiled in.
//!
//! ```toml
//! name = "mine"
//! title = "What it is"
//! source = "where its weights come from"
//! measured = "after-clear"         # or "before-clear"
//! tie = "first"                    # or "dellacherie"; optional
//! board_width = 10                 # optional: refuse other widths
//! [weights]                        # feature = weight, in whole units of the feature
//! holes = -4.0
//! "holes@8" = -6.0                 # optional: where the stack is 8 rows high (see [`Controller::weights_at`])
//! ```
//!
//! Those of guideline games may have a `[network]` besides ([`Network`]).
//!
//! A placement's score is the sum of weight x value over its features, exactly ([`Scorer`]); the best is played, the first
//! of equal ones unless `tie` says otherwise. Weights are signed as they act: what is bad has a negative one.

mod file;
mod guideline;
mod heights;
mod network;
mod presets;
mod scorer;

pub use guideline::{GUIDELINE_PRESETS, GuidelineController};
pub use heights::{HeightWeight, SplitWeights, split_weights};
pub(crate) use network::{BACK_TO_BACK, BAG, FULL, HOLD, HOLES, NETWORK_STEP, STEP_KINDS, STEPS};
pub use network::{HIDDEN, INPUTS, NETWORK_PIECES, NETWORK_ROWS, Network, NetworkText, SECOND};
pub use presets::{ControllerPreset, PRESETS};
pub use scorer::{Score, Scorer};
use serde::{Deserialize, Serialize};

use crate::board::BoardSize;
use crate::error::setting::BOARD;
use crate::error::{Error, Result, name_problem};
use crate::features::{Feature, Measured};

crate::names! {
    /// Which of several best placements is played. Scores are exact, so ties are real ones, not rounding.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Tie as "tie rule" {
        /// The first in orientation order, then column, as in MDPTetris.
        #[default]
        First = "first",
        /// Dellacherie's priority: far from the spawn column, then its left side, then few turns.
        Dellacherie = "dellacherie",
    }
}

/// Features and their weights: all that tells one linear player from another.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::controller::Controller;
/// let mine = Controller::parse("mine.toml", r#"
///     name = "mine"
///     measured = "after-clear"
///     [weights]
///     holes = -4.0
///     landing_height = -1.0
/// "#)?;
/// assert_eq!(mine.features().map(|f| f.to_string()).collect::<Vec<_>>(), ["holes", "landing_height"]);
/// mine.check("10x20".parse()?)?;
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Controller {
    /// Short name, used in output and file names: 1 to 64 characters on one line.
    pub name: String,
    /// What it is, in one line.
    pub title: String,
    /// Where the weights come from.
    pub source: String,
    /// What its source reports, if anything.
    pub published: Option<String>,
    /// What a user should know, if anything.
    pub note: Option<String>,
    /// Which board the features are measured on.
    pub measured: Measured,
    /// Which of several best placements is played.
    pub tie: Tie,
    /// The only board width it is meant for, if it names every column.
    pub board_width: Option<usize>,
    /// Weight of each feature, per whole unit (a row, not half a row), in the file's order; on an empty board where
    /// [`Controller::at_height`] has others.
    pub weights: Vec<(Feature, f64)>,
    /// Weights that features have where the stack is higher; of most controllers none.
    pub at_height: Vec<HeightWeight>,
}

impl Controller {
    /// The features it weighs, in the file's order, which is that of columns in logs.
    pub fn features(&self) -> impl Iterator<Item = Feature> {
        self.weights.iter().map(|(feature, _)| *feature)
    }

    /// Checks that the controller can play on boards of this size, and that tables can hold its name.
    ///
    /// # Errors
    /// [`Error::Controller`] for a name with a [`name_problem`], a column beyond the wall, or weights for another board
    /// width.
    pub fn check(&self, size: BoardSize) -> Result<()> {
        let fail = |problem| Err(Error::Controller { name: self.name.clone(), problem });
        if let Some(problem) = name_problem(&self.name) {
            return fail(format!("name: {problem}"));
        }
        if let Some(width) = self.board_width.filter(|&width| width != size.width()) {
            return fail(format!(
                "its weights name the columns of a board {width} wide, not {}: use {BOARD} {width}x{} or another controller",
                size.width(),
                size.height()
            ));
        }
        match self.weights.iter().find(|(feature, _)| !feature.exists_on(size)) {
            Some((feature, _)) => fail(format!(
                "{feature} names a column that a board {} wide does not have: use a wider {BOARD} or another controller",
                size.width()
            )),
            None => Ok(()),
        }
    }
}
