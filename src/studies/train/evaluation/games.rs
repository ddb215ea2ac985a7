//! Games of a training, classic or guideline, and the results that a training uses.

use serde_json::{Value, json};

use super::Template;
use super::template::{DECIMALS, GUIDELINE_DECIMALS, GuidelineTemplate};
use crate::controller::{Controller, PatternLayout, Patterns, Tie};
use crate::error::Result;
use crate::features::Measured;
use crate::record::Lifetime;
use crate::search::Policy;
use crate::sim::game::Plan;
use crate::sim::guideline::GuidelineConfig;
use crate::sim::{ClassicConfig, Game};

/// Configuration of a training's games and the template of its candidates. The configured
/// controller is the template with all weights 0; `games` is the number per candidate in a
/// generation.
#[derive(Clone, Debug)]
pub enum TrainingGames {
    /// Games under simplified or standard rules.
    Classic(ClassicConfig, Template),
    /// Games under guideline rules.
    Guideline(GuidelineConfig, GuidelineTemplate),
}

/// Evaluates an expression with the configuration of the games, whatever the game.
macro_rules! for_config {
    ($games:expr, $config:pat => $body:expr) => {
        match $games {
            $crate::train::TrainingGames::Classic($config, _) => $body,
            $crate::train::TrainingGames::Guideline($config, _) => $body,
        }
    };
}

pub(super) use for_config;

impl TrainingGames {
    /// Returns the seed, the number of games per candidate in a generation, and the number of
    /// threads.
    #[must_use]
    pub fn plan(&self) -> Plan {
        for_config!(self, config => config.plan())
    }

    /// Returns the policy that chooses the placements.
    #[must_use]
    pub fn policy(&self) -> Policy {
        for_config!(self, config => config.policy)
    }

    /// Validates the settings that types can't express.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn validate(&self) -> Result<()> {
        for_config!(self, config => config.validate())
    }

    /// Returns the limits of each game: pieces, lines, and time in microseconds.
    pub(super) fn limits(&self) -> [Option<u64>; 3] {
        for_config!(self, config => config.about().limits)
    }

    /// Returns the configuration of the training's games as JSON, in the form in which `run.json`
    /// and the checkpoint of a training store it.
    pub(in crate::train) fn entry(&self) -> Value {
        for_config!(self, config => json!(config))
    }

    /// Returns the names of the features (of guideline games: terms), in the order of the weights.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            TrainingGames::Classic(_, template) => template.names(),
            TrainingGames::Guideline(_, template) => template.names(),
        }
    }

    /// Returns the number of weights of a candidate, table entries included.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match self {
            TrainingGames::Classic(_, template) => template.dimension(),
            TrainingGames::Guideline(_, template) => template.names().len(),
        }
    }

    /// Returns the layout of the tables of candidates, if they have cell patterns.
    #[must_use]
    pub fn layout(&self) -> Option<&PatternLayout> {
        match self {
            TrainingGames::Classic(_, template) => template.layout(),
            TrainingGames::Guideline(..) => None,
        }
    }

    /// Returns the cell patterns of a candidate, if it has any.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if `weights` has another length than
    /// [`TrainingGames::dimension`].
    pub fn patterns(&self, weights: &[f64]) -> Result<Option<Patterns>> {
        match self {
            TrainingGames::Classic(_, template) => Ok(template.controller(weights)?.patterns),
            TrainingGames::Guideline(..) => Ok(None),
        }
    }

    /// Returns the board on which the features are measured.
    #[must_use]
    pub fn measured(&self) -> Measured {
        for_config!(self, config => config.controller.measured)
    }

    /// Returns the weights of a candidate with their names, scaled and rounded as in a controller
    /// file.
    #[must_use]
    pub fn weights(&self, weights: &[f64]) -> Vec<(String, f64)> {
        match self {
            TrainingGames::Classic(_, template) => template.named_weights(weights),
            TrainingGames::Guideline(_, template) => {
                let weights = template.controller(weights).weights.into_iter();
                weights.map(|(term, weight)| (term.to_string(), weight)).collect()
            }
        }
    }

    /// Returns the maximum number of decimals of a candidate's weights.
    #[must_use]
    pub fn decimals(&self) -> i32 {
        match self {
            TrainingGames::Classic(..) => DECIMALS,
            TrainingGames::Guideline(..) => GUIDELINE_DECIMALS,
        }
    }

    /// Returns the tie rule and the board width that a candidate's controller file must contain.
    /// Each is `None` if it is the default.
    #[must_use]
    pub fn kept(&self) -> (Option<Tie>, Option<usize>) {
        match self {
            TrainingGames::Classic(
                ClassicConfig { controller: Controller { tie, board_width, .. }, .. },
                _,
            ) => (Some(*tie).filter(|tie| *tie != Tie::First), *board_width),
            TrainingGames::Guideline(..) => (None, None),
        }
    }

    /// Returns a short name of the games: the board size of classic games or the mode of guideline
    /// games.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            TrainingGames::Classic(config, _) => config.size.to_string(),
            TrainingGames::Guideline(config, _) => config.mode.name().to_owned(),
        }
    }

    /// Describes the games in words: rules, board or mode, and search. `comma` separates the parts.
    #[must_use]
    pub fn describe(&self, comma: &str) -> String {
        let policy = self.policy().label(&format!("{comma}policy "));
        match self {
            TrainingGames::Classic(ClassicConfig { rules, size, queue, search, .. }, _) => {
                format!("{rules} {size}{comma}queue {queue}{comma}search {search}{policy}")
            }
            TrainingGames::Guideline(config, _) => {
                let GuidelineConfig { rules, mode, moves, .. } = config;
                let (mode, search) = (mode.name(), config.beam.name());
                format!("{rules} {mode}{comma}{moves} movement{comma}search {search}{policy}")
            }
        }
    }
}

/// Result of a game. If candidates are scored by a splitting estimate, result of a replication: one
/// independent run of the estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedGame {
    /// Value of the game by the objective; for a replication, the weighted number of deaths.
    pub value: f64,
    /// Lines of the game; for a replication, lines without the copies made by splitting.
    pub lines: u64,
    /// Pieces of the game; for a replication, pieces including the copies made by splitting.
    pub pieces: u64,
    /// True if the game was cut off. A guideline game that is not lost counts as cut off. For a
    /// replication: true if some copies made by splitting were not played to their end.
    pub censored: bool,
}

/// Results of the games of one candidate, in the order of the games' numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateGames(pub Vec<PlayedGame>);

impl CandidateGames {
    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns the value of each game.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.0.iter().map(|game| game.value).collect()
    }

    /// Returns the total number of pieces.
    #[must_use]
    pub fn pieces(&self) -> u64 {
        self.0.iter().map(|game| game.pieces).sum()
    }

    /// Returns the lines of each game, and for each game true if it was cut off.
    #[must_use]
    pub fn lifetimes(&self) -> Vec<Lifetime> {
        let lifetime = |game: &PlayedGame| Lifetime { lines: game.lines, censored: game.censored };
        self.0.iter().map(lifetime).collect()
    }

    /// Returns the number of games that were cut off.
    #[must_use]
    pub fn censored(&self) -> u64 {
        self.0.iter().filter(|game| game.censored).count() as u64
    }
}
