//! Defines controllers: weighted features, measured before or after full rows are removed.
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
//! the patterns ([`Scorer`]). The placement with the largest score is played; `tie` selects among
//! equal scores. Weights between two heights are interpolated linearly. The height is measured
//! before a piece is placed, so one decision scores all placements, also of later pieces, by the
//! same weights.

mod external;
mod file;
mod guideline;
mod patterns;
mod scorer;

pub use external::{
    BoardValues, Connection, External, ExternalSource, HOST_PREFIX, LARGEST_VALUE, MoveChooser,
    Position, with_host_players,
};
pub use file::{ControllerPreset, PRESETS};
pub(crate) use guideline::{BACK_TO_BACK, BAG, FULL, HOLD, HOLES, NETWORK_STEP, STEP_KINDS, STEPS};
pub use guideline::{
    GUIDELINE_PRESETS, GuidelineController, HIDDEN, INPUTS, NETWORK_PIECES, NETWORK_ROWS, Network,
    NetworkText, SECOND,
};
pub(crate) use patterns::mirrored_rows;
pub use patterns::{
    Lookup, MAX_PATTERN_ENTRIES, MAX_PATTERN_LOOKUPS, MAX_WINDOW_CELLS, PatternLayout,
    PatternWindow, Patterns, PatternsText, TableRows, WindowPlaces, WindowShape,
};
pub use scorer::{Score, Scorer};

use std::fmt;

use serde::{Deserialize, Serialize};

use self::file::check_finite;
use crate::board::{BoardSize, MAX_HEIGHT};
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
        /// Dellacherie's priority: farthest from the spawn column, then left of it, then fewest
        /// turns.
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
    /// Weight of each feature per whole unit, such as a row, in the file's order; `at_height` may
    /// change it for higher stacks.
    pub weights: Vec<(Feature, f64)>,
    /// Weights that apply at certain stack heights; empty for most controllers.
    pub at_height: Vec<HeightWeight>,
    /// Cell patterns, if any. Their value is added to the sum of the weighted features.
    pub patterns: Option<Patterns>,
    /// External player, if any. Values that the player gives are added to the weighted features.
    pub external: Option<External>,
}

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
    /// Creates a controller called `name` without weights. `measured` names the board for its
    /// features: before or after full rows are removed.
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

    /// Returns the controller's features in the order of its file.
    pub fn features(&self) -> impl Iterator<Item = Feature> {
        self.weights.iter().map(|(feature, _)| *feature)
    }

    /// Returns the names of the controller's features in the file's order, then `patterns` if any.
    #[must_use]
    pub fn term_names(&self) -> Vec<String> {
        let patterns = self.patterns.as_ref().map(|_| "patterns".to_owned());
        self.features().map(|feature| feature.to_string()).chain(patterns).collect()
    }

    /// Checks the controller's name and weights, and that it can play on boards of `size`.
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

const AT: char = '@';

/// The weight of a feature at one height of the stack, measured before a piece is placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightWeight {
    /// Feature to which the weight belongs.
    pub feature: Feature,
    /// Height of the stack at which the weight applies, 1 or more rows.
    pub height: usize,
    /// Weight at this height, per whole unit of the feature.
    pub weight: f64,
}

/// Writes the name of a weight at a stack height in files and logs: `holes@8`.
impl fmt::Display for HeightWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{AT}{}", self.feature, self.height)
    }
}

/// A controller's weights on empty boards, and its weights at stack heights, in the file's order.
pub type SplitWeights = (Vec<(Feature, f64)>, Vec<HeightWeight>);

/// Separates weights at stack heights (`holes@8`) from weights on empty boards (`holes`). Fails for
/// unknown names and heights, and for features with weights only at stack heights.
pub fn split_weights<N: AsRef<str>>(
    named: impl IntoIterator<Item = (N, f64)>,
) -> std::result::Result<SplitWeights, String> {
    let (mut weights, mut at_height) = (Vec::new(), Vec::<HeightWeight>::new());
    let feature = |name: &str| name.parse::<Feature>().map_err(|error| error.to_string());
    for (name, weight) in named {
        match name.as_ref().split_once(AT) {
            None => weights.push((feature(name.as_ref())?, weight)),
            Some((of, rows)) => {
                // Other spellings of a number are refused, so that one height has one name.
                let is_height = |height: &usize| {
                    (1..=MAX_HEIGHT).contains(height) && height.to_string() == rows
                };
                let height = rows.parse().ok().filter(is_height);
                let height = height.ok_or_else(|| {
                    format!(
                        "'{}': after {AT} give the height of the stack, 1 to {MAX_HEIGHT} rows, \
                         for example {of}{AT}8",
                        name.as_ref().escape_debug()
                    )
                })?;
                at_height.push(HeightWeight { feature: feature(of)?, height, weight });
            }
        }
    }
    let is_missing =
        |at: &&HeightWeight| !weights.iter().any(|(feature, _)| *feature == at.feature);
    match at_height.iter().find(is_missing) {
        Some(at) => Err(format!("{at} needs a weight for lower stacks: give {} too", at.feature)),
        None => Ok((weights, at_height)),
    }
}

impl Controller {
    /// Returns the name and value of every weight of the controller, those on empty boards first.
    pub fn named_weights(&self) -> impl Iterator<Item = (String, f64)> {
        let empty = self.weights.iter().map(|(feature, weight)| (feature.to_string(), *weight));
        empty.chain(self.at_height.iter().map(|at| (at.to_string(), at.weight)))
    }

    /// Returns the features' weights at a stack of `height` rows before the placement, in the order
    /// of [`Controller::weights`].
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::controller::Controller;
    /// let mine = Controller::parse("mine.toml", r#"
    ///     name = "mine"
    ///     measured = "after-clear"
    ///     [weights]
    ///     holes = -4.0
    ///     "holes@8" = -6.0
    /// "#)?;
    /// let weight_at = |height| mine.weights_at(height)[0].1;
    /// assert_eq!([0, 4, 8, 20].map(weight_at), [-4.0, -5.0, -6.0, -6.0]);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[must_use]
    pub fn weights_at(&self, height: usize) -> Vec<(Feature, f64)> {
        let at = |&(feature, empty): &(Feature, f64)| {
            let (mut below, mut above) = ((0, empty), None);
            for knot in self.at_height.iter().filter(|knot| knot.feature == feature) {
                let point = (knot.height, knot.weight);
                if knot.height <= height {
                    below = if point.0 >= below.0 { point } else { below };
                } else if above.is_none_or(|(nearest, _)| knot.height < nearest) {
                    above = Some(point);
                }
            }
            let weight = match above {
                Some((top, weight)) => {
                    let share = (height - below.0) as f64 / (top - below.0) as f64;
                    below.1 + (weight - below.1) * share
                }
                None => below.1,
            };
            (feature, weight)
        };
        self.weights.iter().map(at).collect()
    }

    /// Returns the greatest stack height, in rows, for which a weight is given; 0 if none is given.
    #[must_use]
    pub fn last_height(&self) -> usize {
        self.at_height.iter().map(|at| at.height).max().unwrap_or(0)
    }

    /// Returns an equivalent controller with explicit weights at each stack height in `heights`.
    #[must_use]
    pub fn spread_over(&self, heights: &[usize]) -> Controller {
        let mut spread = self.clone();
        for &height in heights {
            for (feature, weight) in self.weights_at(height) {
                let is_there = |at: &HeightWeight| at.feature == feature && at.height == height;
                if height > 0 && !spread.at_height.iter().any(is_there) {
                    spread.at_height.push(HeightWeight { feature, height, weight });
                }
            }
        }
        spread
    }
}
