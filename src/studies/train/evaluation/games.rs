//! Games of a training, classic or guideline, and the results that a training uses.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use super::Template;
use super::template::{DECIMALS, GUIDELINE_DECIMALS, GuidelineTemplate};
use crate::controller::{Controller, PatternLayout, Patterns, Tie};
use crate::error::Result;
use crate::estimate::Splittable;
use crate::features::Measured;
use crate::kernels::Level;
use crate::record::{
    EndReason, GameRow, GuidelineGameRow, Lifetime, game_values, guideline_game_values,
};
use crate::search::{Player, Policy};
use crate::sim::guideline::{GuidelineConfig, GuidelinePlayer};
use crate::sim::{ClassicConfig, Snapshot, Unrecorded, play_game};

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

/// Defines accessors for fields that both configurations have.
macro_rules! shared {
    ($(#[$doc:meta] $name:ident: $Type:ty),*) => {$(
        #[$doc]
        #[must_use]
        pub fn $name(&self) -> $Type {
            match self {
                TrainingGames::Classic(config, _) => config.$name,
                TrainingGames::Guideline(config, _) => config.$name,
            }
        }
    )*};
}

impl TrainingGames {
    shared! {
        /// Returns the number of games per candidate in a generation.
        games: u64,
        /// Returns the seed of the training.
        seed: u64,
        /// Returns the number of worker threads.
        threads: usize,
        /// Returns the SIMD instruction set that the kernels use.
        level: Level,
        /// Returns the policy that chooses the placements.
        policy: Policy
    }

    /// Validates the settings that types can't express.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn validate(&self) -> Result<()> {
        match self {
            TrainingGames::Classic(config, _) => config.validate(),
            TrainingGames::Guideline(config, _) => config.validate(),
        }
    }

    /// Returns the configuration of the training's games as JSON, in the form in which `train.json`
    /// and the checkpoint of a training store it.
    pub(in crate::train) fn entry(&self) -> Value {
        match self {
            TrainingGames::Classic(config, _) => json!(config),
            TrainingGames::Guideline(config, _) => json!(config),
        }
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
        match self {
            TrainingGames::Classic(config, _) => config.controller.measured,
            TrainingGames::Guideline(config, _) => config.controller.measured,
        }
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

/// Configuration of games that candidates can play.
pub(super) trait Trainable: Splittable {
    type GamePlayer;
    /// Finished game, as a row of the table of games.
    type Row: Send;

    fn game_player(&self) -> Result<Self::GamePlayer>;

    /// Plays the game with the number `game` to its end. Returns `None` if `stop` was raised
    /// before.
    fn play_game(
        &self,
        player: &mut Self::GamePlayer,
        game: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Self::Row>>;

    /// Returns the lines, pieces and microseconds of a game; classic games have 0 microseconds.
    fn counts(row: &Self::Row) -> (u64, u64, u64);

    /// Returns true if the game was cut off. A guideline game that is not lost counts as cut off.
    fn is_censored(row: &Self::Row) -> bool;

    fn sprint_reward(row: &Self::Row) -> f64;

    /// Returns the value of each row in the column `column` of the table of games.
    fn values(column: &str, rows: &[Self::Row]) -> Result<Vec<f64>>;
}

impl Trainable for ClassicConfig {
    type GamePlayer = Player;
    type Row = GameRow;

    fn game_player(&self) -> Result<Player> {
        self.player()
    }

    fn play_game(
        &self,
        player: &mut Player,
        game: u64,
        stop: &AtomicBool,
    ) -> Result<Option<GameRow>> {
        let first = Snapshot::first(self, game);
        let row = play_game(self, player, first, stop, &mut Unrecorded)?;
        Ok((row.end_reason != EndReason::Interrupted).then_some(row))
    }

    fn counts(row: &GameRow) -> (u64, u64, u64) {
        (row.lines, row.pieces, 0)
    }

    fn is_censored(row: &GameRow) -> bool {
        row.end_reason.is_censored()
    }

    fn sprint_reward(row: &GameRow) -> f64 {
        let (pieces, lines) = (row.pieces as f64, row.lines as f64);
        if row.end_reason == EndReason::LineLimit { -pieces } else { pieces + 5.0 * lines - 550.0 }
    }

    fn values(column: &str, rows: &[GameRow]) -> Result<Vec<f64>> {
        game_values(column, rows)
    }
}

impl Trainable for GuidelineConfig {
    type GamePlayer = GuidelinePlayer;
    type Row = GuidelineGameRow;

    fn game_player(&self) -> Result<GuidelinePlayer> {
        Ok(GuidelinePlayer::new(self).stopping_early())
    }

    fn play_game(
        &self,
        player: &mut GuidelinePlayer,
        game: u64,
        _: &AtomicBool,
    ) -> Result<Option<GuidelineGameRow>> {
        player.play(game, &mut |_, _| ()).map(Some)
    }

    fn counts(row: &GuidelineGameRow) -> (u64, u64, u64) {
        (row.lines.into(), row.pieces.into(), row.time_us)
    }

    fn is_censored(row: &GuidelineGameRow) -> bool {
        !row.is_lost()
    }

    fn sprint_reward(row: &GuidelineGameRow) -> f64 {
        row.sprint_reward() as f64
    }

    fn values(column: &str, rows: &[GuidelineGameRow]) -> Result<Vec<f64>> {
        guideline_game_values(column, rows)
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
