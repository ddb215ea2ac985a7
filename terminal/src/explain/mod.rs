//! Plays, rebuilds and explains placements for `watch` and the HTML page.
//!
//! | file | contents |
//! |---|---|
//! | [`analysis`] | candidates with scores, and two of them compared term by term |
//! | [`classic`], [`guideline`] | the games, each with its explainer |
//!
//! A game implements [`Watched`]. Screens and pages use games only through it.

pub mod analysis;
pub mod classic;
pub mod guideline;

use std::ops::ControlFlow;
use std::path::Path;

pub use analysis::{Analysis, DecidedBy, TermDifference};

use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::record::LoggedRow;
use crate::rules::guideline::Hold;
use crate::sim::{Game, OnPlacement};

const LOST_BEFORE: &str = "the game was lost before";

/// Game that can be watched: played, explained, and rebuilt from its log.
pub trait Watched: Game {
    /// A placement, with the state before it.
    type Scene: 'static;
    /// State of a logged game between two placements.
    type Logged;
    /// Players that rank placements as the controller does.
    type Explainer;

    /// Returns the title of game number `game`, one line. By default it has the label of the run.
    fn title(&self, game: u64) -> String {
        format!("{} · game {game}", self.about().label)
    }

    /// Returns game number `game` before its first placement.
    fn first_state(&self, game: u64) -> Self::Logged;

    /// Creates the player of a game that is watched as it is played.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] if the controller does not fit the board.
    fn watched_player(&self) -> Result<Self::Player> {
        self.player()
    }

    /// Returns a placement with the state before it.
    fn step_of(placed: &Self::Placement, context: Self::Context<'_>) -> WatchedStep<Self::Scene>;

    /// Describes the reason for the end of a game.
    fn describe_end(end: Self::End) -> &'static str;

    /// Rebuilds the placement in `row` by the rules and moves `state` to the state after it. The
    /// inner error describes the first contradiction between the row and the rules.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the row lacks a needed value.
    fn rebuild(&self, state: &mut Self::Logged, row: &LoggedRow) -> Result<Rebuilt<Self::Scene>>;

    /// Returns the state after the placement in `row`, or `None` if the row lacks a needed value or
    /// garbage rows enter during play.
    /// The earlier rows are not needed, so a part of a log can be explained. The default returns
    /// `None`.
    fn state_after(&self, _: &LoggedRow) -> Option<Self::Logged> {
        None
    }

    /// Returns the reason why the log of a game ends where it does. The arguments are the folder of
    /// the run, the number of the game, the count of its logged placements, and true if the last of
    /// them lost the game.
    fn ending(&self, _: &Path, _: u64, _: u64, _: bool) -> String {
        "the log ends here".to_owned()
    }

    /// Returns the explainer of the controller's choices. Returns `None`, as by default, for
    /// players without weights: persons, and bots in guideline games.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] if the controller does not fit the board.
    fn explainer(&self) -> Result<Option<Self::Explainer>> {
        Ok(None)
    }

    /// Ranks the possible placements and compares the one of `scene` with another. `other` is the
    /// rank to compare with; `None` means the best other candidate.
    fn explain(
        &self,
        explainer: &mut Self::Explainer,
        scene: &Self::Scene,
        other: Option<usize>,
    ) -> Analysis;

    /// Describes the boards on which the terms are measured, for a scene or, without one, for
    /// placements in general.
    fn measured(&self, _: Option<&Self::Scene>) -> String {
        String::new()
    }

    /// Describes the part of a logged value that no term covers. Returns `None` if the terms cover
    /// the whole value.
    fn unexplained(&self) -> Option<&'static str> {
        None
    }

    /// Returns the placement as the screen shows it.
    fn view(scene: &Self::Scene) -> StepView;
}

/// A source of the placements of a game. It returns the next placement, or the reason why there are
/// no more.
pub type NextPlacement<S> = Box<dyn FnMut() -> Result<ControlFlow<String, WatchedStep<S>>>>;

/// Returns the source of the placements of game number `game`, as `simulate` plays it.
///
/// # Errors
/// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] if the configuration is
/// invalid.
pub fn live<G: Watched>(config: &G, game: u64) -> Result<NextPlacement<G::Scene>> {
    config.validate()?;
    let (config, mut player) = (config.clone(), config.watched_player()?);
    let (mut state, mut end) = (config.begin(config.plan().seed, game), None);
    Ok(Box::new(move || {
        let mut step = None;
        if end.is_none() {
            let see = |placed: &G::Placement, context: G::Context<'_>| {
                step = Some(G::step_of(placed, context));
            };
            end = config.step(&mut player, &mut state, &mut OnPlacement(see))?.end;
        }
        let ending = || ControlFlow::Break(end.map_or("stopped", G::describe_end).to_owned());
        Ok(step.map_or_else(ending, ControlFlow::Continue))
    }))
}

/// A placement that was rebuilt from the row of a log, or the contradiction between the row and the
/// rules.
pub type Rebuilt<S> = std::result::Result<WatchedStep<S>, String>;

/// A placement of a game, with its number.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedStep<S> {
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// Number of rows removed so far, including this placement's.
    pub lines_total: u64,
    /// Placement and the state before it.
    pub scene: S,
}

/// A placement as the screen shows it, for any game.
#[derive(Clone, Debug, PartialEq)]
pub struct StepView {
    /// Board before the placement.
    pub before: Board,
    /// Number of rows in play.
    pub height: usize,
    /// Placed piece.
    pub piece: Piece,
    /// Column and row of each cell where the piece comes to rest.
    pub cells: [(usize, usize); 4],
    /// Number of rows that the placement removes.
    pub lines: u8,
    /// True if the placement ends the game.
    pub lost: bool,
    /// Points so far. `None` in games without points.
    pub score: Option<u32>,
    /// Known pieces after the placed one.
    pub next: Vec<Piece>,
    /// Content of the hold before the placement, and true if the placement used the hold. `None` in
    /// games without a hold.
    pub hold: Option<(Hold, bool)>,
    /// Board after the placement.
    pub after: Board,
}

impl StepView {
    /// Returns the number of columns, and the number of rows in play.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.before.width(), self.height)
    }
}
