//! Defines controllers: weighted features, measured before or after full rows are removed.
//!
//! A controller is a TOML file. The published controllers are in `data/controllers/`, and compiled
//! into the program.
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
//! "holes@8" = -6.0                 # optional: at a stack of 8 rows (Controller::weights_at)
//! ```
//!
//! A controller of classic games may also have `[patterns]` ([`Patterns`]), and one of guideline
//! games a `[network]` ([`Network`]).
//!
//! The score of a placement is the exact sum of weight x value over all features, plus the value of
//! the patterns ([`Scorer`]). The placement with the largest score is played. Among placements with
//! equal scores, the first is played unless `tie` selects another. Undesirable features have
//! negative weights.

mod external;
mod file;
mod guideline;
mod heights;
mod network;
mod patterns;
mod presets;
mod scorer;
mod tables;

pub use external::{
    BoardValues, Connection, External, ExternalSource, HOST_PREFIX, LARGEST_VALUE, MoveChooser,
    Position, with_host_players,
};
pub use guideline::{GUIDELINE_PRESETS, GuidelineController};
pub use heights::{HeightWeight, SplitWeights, split_weights};
pub(crate) use network::{BACK_TO_BACK, BAG, FULL, HOLD, HOLES, NETWORK_STEP, STEP_KINDS, STEPS};
pub use network::{HIDDEN, INPUTS, NETWORK_PIECES, NETWORK_ROWS, Network, NetworkText, SECOND};
pub(crate) use patterns::mirrored_rows;
pub use patterns::{
    Lookup, MAX_PATTERN_ENTRIES, MAX_PATTERN_LOOKUPS, MAX_WINDOW_CELLS, PatternLayout,
    PatternWindow, Patterns, PatternsText, TableRows, WindowPlaces, WindowShape,
};
pub use presets::{ControllerPreset, PRESETS};
pub use scorer::{Score, Scorer};
use serde::{Deserialize, Serialize};

use self::file::check_finite;
use crate::board::BoardSize;
use crate::error::setting::BOARD;
use crate::error::{Error, Result, name_problem};
use crate::features::{Feature, Measured};

crate::names! {
    /// The rule for choosing among placements that share the best score. Scores are exact integers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Tie as "tie rule" {
        /// The first placement in the order of orientations, then of columns, as in MDPTetris.
        #[default]
        First = "first",
        /// Dellacherie's priority: farthest from the spawn column, then on its left, then with the
        /// fewest turns.
        Dellacherie = "dellacherie",
    }
}

/// The features, weights and patterns that define a player of classic games.
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
/// let features: Vec<String> = mine.features().map(|feature| feature.to_string()).collect();
/// assert_eq!(features, ["holes", "landing_height"]);
/// mine.check("10x20".parse()?)?;
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "RecordedController", try_from = "RecordedController")]
pub struct Controller {
    /// Short name of the controller, used in output and file names: 1 to 64 characters on one line.
    pub name: String,
    /// Description of the controller in one line.
    pub title: String,
    /// Source of the weights, for example a paper.
    pub source: String,
    /// Results that the source reports, if any.
    pub published: Option<String>,
    /// Remark for users of the controller, if any.
    pub note: Option<String>,
    /// Board that the features are measured on: before or after full rows are removed.
    pub measured: Measured,
    /// Rule for choosing among placements that share the best score.
    pub tie: Tie,
    /// Required board width, for controllers with a weight for every column; `None` for any width.
    pub board_width: Option<usize>,
    /// Weight of each feature per whole unit (a row, not half a row), in the file's order. If
    /// [`Controller::at_height`] has weights of a feature, its weight here is for an empty board.
    pub weights: Vec<(Feature, f64)>,
    /// Weights that apply at certain stack heights; empty for most controllers.
    pub at_height: Vec<HeightWeight>,
    /// Cell patterns, if any. Their value is added to the sum of the weighted features.
    pub patterns: Option<Patterns>,
    /// Player from outside the engine that gives boards their values or chooses placements; `None`
    /// for controllers of this project's files. Its values are added to the weighted features.
    pub external: Option<External>,
}

/// Form of a [`Controller`] in `run.json`, without the texts of its file.
#[derive(Serialize, Deserialize)]
struct RecordedController {
    name: String,
    source: String,
    measured: Measured,
    tie: Tie,
    #[serde(with = "crate::names::weights")]
    weights: Vec<(String, f64)>,
    patterns: Option<Patterns>,
    external: Option<External>,
}

impl From<Controller> for RecordedController {
    fn from(controller: Controller) -> RecordedController {
        let weights = controller.named_weights().collect();
        let Controller { name, source, measured, tie, patterns, external, .. } = controller;
        RecordedController { name, source, measured, tie, weights, patterns, external }
    }
}

impl TryFrom<RecordedController> for Controller {
    type Error = Error;

    fn try_from(recorded: RecordedController) -> Result<Controller> {
        let RecordedController { name, source, measured, tie, weights, patterns, external } =
            recorded;
        let (weights, at_height) = split_weights(weights).map_err(Error::Config)?;
        let empty = Controller::new(name, measured);
        Ok(Controller { source, tie, weights, at_height, patterns, external, ..empty })
    }
}

impl Controller {
    /// Returns a controller with this name and board, and without weights, texts and patterns.
    #[must_use]
    pub fn new(name: String, measured: Measured) -> Controller {
        Controller {
            name,
            title: String::new(),
            source: String::new(),
            published: None,
            note: None,
            measured,
            tie: Tie::First,
            board_width: None,
            weights: Vec::new(),
            at_height: Vec::new(),
            patterns: None,
            external: None,
        }
    }

    /// Returns the weighted features in the file's order, in which logs also have their columns.
    pub fn features(&self) -> impl Iterator<Item = Feature> {
        self.weights.iter().map(|(feature, _)| *feature)
    }

    /// Returns the names of the features in the file's order, then `patterns` if there are any.
    #[must_use]
    pub fn term_names(&self) -> Vec<String> {
        let patterns = self.patterns.as_ref().map(|_| "patterns".to_owned());
        self.features().map(|feature| feature.to_string()).chain(patterns).collect()
    }

    /// Checks that the controller can play on boards of `size`, and that its name and its weights
    /// are valid.
    ///
    /// # Errors
    /// Returns [`Error::Controller`] for a name that [`name_problem`] rejects, a weight that is NaN
    /// or infinite, a feature of a column beyond the wall, or a required board width or size that
    /// differs from `size`.
    pub fn check(&self, size: BoardSize) -> Result<()> {
        let fail = |problem| Err(Error::Controller { name: self.name.clone(), problem });
        if let Some(problem) = name_problem(&self.name) {
            return fail(format!("name: {problem}"));
        }
        if let Some(problem) =
            self.named_weights().find_map(|(name, weight)| check_finite(name, weight).err())
        {
            return fail(problem);
        }
        if let Some(width) = self.board_width.filter(|&width| width != size.width()) {
            return fail(format!(
                "it plays only on boards {width} wide, not {}: use {BOARD} \
                 {width}x{} or another controller",
                size.width(),
                size.height()
            ));
        }
        if let Some(fits) = self.patterns.as_ref().map(Patterns::size).filter(|fits| *fits != size)
        {
            return fail(format!(
                "its patterns fit boards of {fits} only, not {size}: use {BOARD} {fits} or another \
                 controller"
            ));
        }
        match self.weights.iter().find(|(feature, _)| !feature.exists_on(size)) {
            Some((feature, _)) => fail(format!(
                "{feature} names a column that a board {} wide does not have: use a wider {BOARD} \
                 or another controller",
                size.width()
            )),
            None => Ok(()),
        }
    }
}
