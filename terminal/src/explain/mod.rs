//! Plays, rebuilds and explains placements for `watch` and the HTML page, of any game that
//! implements [`Watched`].
//!
//! An [`Analysis`] ranks all candidate placements and compares two of them by the controller's
//! terms, its weighted features. Scores are exact integers, so the gains of the terms add up to the
//! difference of the scores.

pub(crate) mod classic;
pub(crate) mod guideline;

use std::fmt;
use std::ops::ControlFlow;

use crate::board::Board;
use crate::prelude::*;
use crate::record::LoggedRow;
use crate::sim::{Game, OnPlacement};

const LOST_BEFORE: &str = "the game was lost before";

/// A kind of game that `watch` can play, rebuild from logs, and explain.
pub trait Watched: Game {
    /// A placement of the watched game, with the game's state before it.
    type Scene: 'static;
    /// State of a game between two placements, while the game is rebuilt from its log.
    type Logged;
    /// Players with which the choices of the watched controller are ranked and explained.
    type Explainer;

    /// Returns the title of the watched game number `game`, one line.
    fn title(&self, game: u64) -> String {
        format!("{} · game {game}", self.about().label)
    }

    /// Returns the state of game number `game` before its first placement, to rebuild it.
    fn first_state(&self, game: u64) -> Self::Logged;

    /// Creates the player for a game that is watched while it is played.
    fn watched_player(&self) -> Result<Self::Player> {
        self.player()
    }

    /// Converts a played placement to its form for viewers, with the state of the game before it.
    fn step_of(placed: &Self::Placement, context: Self::Context<'_>) -> WatchedStep<Self::Scene>;

    /// Returns the reason for the end of a game as text.
    fn describe_end(end: Self::End) -> &'static str;

    /// Replays the placement in the log's `row` by the rules and advances `state`. The inner error
    /// describes the first contradiction between row and rules.
    fn rebuild(&self, state: &mut Self::Logged, row: &LoggedRow) -> Result<Rebuilt<Self::Scene>>;

    /// Returns the game's state after the logged placement, or `None` if the log's row does not
    /// determine the state.
    fn state_after(&self, _: &LoggedRow) -> Option<Self::Logged> {
        None
    }

    /// Returns the reason why a rebuilt game ends after its last logged placement, for the viewer.
    fn ending(&self, _: &Path, _: u64, _: u64, _: bool) -> String {
        "the log ends here".to_owned()
    }

    /// Returns the players that explain choices, or `None` for a controller without weights.
    fn explainer(&self) -> Result<Option<Self::Explainer>> {
        Ok(None)
    }

    /// Ranks a piece's placements, and compares the chosen placement with the placement of rank
    /// `other`. The default is the best alternative.
    fn explain(
        &self,
        explainer: &mut Self::Explainer,
        scene: &Self::Scene,
        other: Option<usize>,
    ) -> Analysis;

    /// Returns the phrase that says if features are measured before or after full rows are removed.
    fn measured(&self, _: Option<&Self::Scene>) -> String {
        String::new()
    }

    /// Returns words for the part of a placement's score that no weighted feature explains, if any.
    fn unexplained(&self) -> Option<&'static str> {
        None
    }

    /// Converts a placement to the form that the screen shows, equal for all kinds of games.
    fn view(scene: &Self::Scene) -> StepView;
}

/// Function that returns a watched game's next placement, or the reason why there are no more.
pub type NextPlacement<S> = Box<dyn FnMut() -> Result<ControlFlow<String, WatchedStep<S>>>>;

/// Returns a function that plays game number `game` as `simulate` does, one placement per call.
pub fn live<G: Watched>(config: &G, game: u64) -> Result<NextPlacement<G::Scene>> {
    config.validate()?;
    let (config, mut player) = (config.clone(), config.watched_player()?);
    let (mut state, mut end) = (config.begin(config.plan().seed, game), None);
    Ok(Box::new(move || {
        let mut step = None;
        if end.is_none() {
            let record = |placed: &G::Placement, context: G::Context<'_>| {
                step = Some(G::step_of(placed, context));
            };
            end = config.step(&mut player, &mut state, &mut OnPlacement(record))?.end;
        }
        let ending = || ControlFlow::Break(end.map_or("stopped", G::describe_end).to_owned());
        Ok(step.map_or_else(ending, ControlFlow::Continue))
    }))
}

/// A placement rebuilt from the row of a log, or the contradiction between the row and the rules.
pub type Rebuilt<S> = std::result::Result<WatchedStep<S>, String>;

/// A placement of a watched game, with its number in the game.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedStep<S> {
    /// Number of the placed piece in its game, from 1.
    pub piece_no: u64,
    /// Number of rows removed in the game so far, including the placement's own.
    pub lines_total: u64,
    /// Placement and the game's state before it.
    pub scene: S,
}

/// A placement as the viewer's screen shows it, equal for all kinds of games.
#[derive(Clone, Debug, PartialEq)]
pub struct StepView {
    /// Board of a watched game before the shown placement.
    pub before: Board,
    /// Number of rows of the board that are in play.
    pub height: usize,
    /// Piece of the shown placement.
    pub piece: Piece,
    /// Column and row of each cell in which the shown piece comes to rest.
    pub cells: [(usize, usize); 4],
    /// Number of rows that the shown placement removes, 0 to 4.
    pub lines: u8,
    /// True if the shown placement loses the game.
    pub lost: bool,
    /// Points of the game so far. `None` in games without points.
    pub score: Option<u32>,
    /// Visible pieces of the queue after the placed one.
    pub next: Vec<Piece>,
    /// Content of the hold before the shown placement, and true if the placement used the hold.
    pub hold: Option<(Hold, bool)>,
    /// Board of a watched game after the shown placement.
    pub after: Board,
}

impl StepView {
    /// Returns the board's number of columns and of rows in play.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.before.width(), self.height)
    }
}

/// The explanation of a choice: all candidate placements, and a comparison of two of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Possible placements, the best first; in guideline games only those that do not lose.
    pub candidates: Vec<RankedPlacement>,
    /// Rank from 0 of the controller's placement, or `None` if it is not among the candidates.
    pub chosen: Option<usize>,
    /// Rank, from 0, of the placement compared with the chosen one; `None` without an alternative.
    pub other: Option<usize>,
    /// Weighted features of both compared placements, in the controller's order.
    pub terms: Vec<TermDifference>,
    /// Number of steps (integer units of exact scores) in one unit of the displayed score.
    pub scale: f64,
    /// Reason why the controller prefers its placement to the other one.
    pub verdict: DecidedBy,
    /// Description of the boards on which a placement's features are measured.
    pub measured: String,
}

/// Returns the rank of the placement to compare with the chosen placement: `asked`, or else the
/// best alternative; `None` if there is none.
pub(super) fn compared_rank(
    chosen: Option<usize>,
    asked: Option<usize>,
    count: usize,
) -> Option<usize> {
    let best = usize::from(chosen == Some(0));
    let rank = asked.filter(|&rank| Some(rank) != chosen).unwrap_or(best);
    Some(rank).filter(|&rank| rank < count)
}

/// A weighted feature of the controller with its values for two compared placements.
#[derive(Clone, Debug, PartialEq)]
pub struct TermDifference {
    /// Name of the weighted feature.
    pub name: String,
    /// Weight of the feature in the controller's score.
    pub weight: f64,
    /// Values of the feature for the chosen placement and for the compared placement.
    pub values: [f64; 2],
    /// Exact contributions of the feature to the scores of both placements, weight times value, as
    /// integers in steps (fixed-point units of score).
    pub steps: [i64; 2],
    /// Number of steps (fixed-point units of score) that a feature value of 1 adds to the score.
    pub steps_per_unit: f64,
}

/// Compares two placements by the value and the contribution to the score of each feature.
pub(super) fn compare_terms(
    terms: impl IntoIterator<Item = (String, f64, f64)>,
    mine: &RankedPlacement,
    other: Option<&RankedPlacement>,
) -> Vec<TermDifference> {
    let term = |(k, (name, weight, steps_per_unit))| TermDifference {
        name,
        weight,
        values: [mine.values[k], other.map_or(f64::NAN, |other| other.values[k])],
        steps: [mine.steps[k], other.map_or(0, |other| other.steps[k])],
        steps_per_unit,
    };
    terms.into_iter().enumerate().map(term).collect()
}

impl Analysis {
    /// Returns how much the weighted feature `term` adds to the chosen placement's score.
    #[must_use]
    pub fn product(&self, term: &TermDifference) -> f64 {
        term.steps[0] as f64 / self.scale
    }

    /// Returns how much a feature contributes to the score difference of the compared placements.
    #[must_use]
    pub fn gain(&self, term: &TermDifference) -> f64 {
        (term.steps[0] - term.steps[1]) as f64 / self.scale
    }

    /// Returns the exact score difference of the two compared placements, in fixed-point steps.
    #[must_use]
    pub fn gains(&self) -> i64 {
        self.terms.iter().map(|term| term.steps[0] - term.steps[1]).sum()
    }

    /// Returns the reason for the controller's choice as text, with the most decisive feature.
    #[must_use]
    pub fn why(&self) -> String {
        let text = self.verdict.to_string();
        let (DecidedBy::Better(_), Some(other)) = (&self.verdict, self.other) else {
            return text;
        };
        let gain = |term: &&TermDifference| term.steps[0] - term.steps[1];
        let most = self.terms.iter().max_by_key(gain).filter(|term| gain(term) > 0);
        let most = most.map_or(String::new(), |term| format!(", mainly from {}", term.name));
        format!("{text} than number {}{most}", other + 1)
    }

    /// Returns the score of the controller's placement, summed over all weighted features.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.terms.iter().map(|term| term.steps[0]).sum::<i64>() as f64 / self.scale
    }
}

/// The reason why a controller chose one placement and not another.
#[derive(Clone, Debug, PartialEq)]
pub enum DecidedBy {
    /// The chosen placement is the only possible one.
    Only,
    /// The chosen placement's score is higher than that of the compared one, by this amount.
    Better(f64),
    /// The compared placements have equal scores, so a tie-breaking rule (given as text) decides.
    Tie(&'static str),
    /// The compared placement loses the game, and the chosen one does not.
    OtherLoses,
    /// All possible placements of the piece lose the game, so the first one is played.
    AllLose,
    /// The number of next pieces that can be placed without losing decides: after the chosen
    /// placement, and after the compared placement.
    Answered(u8, u8),
    /// The chosen placement wins the game.
    Wins,
    /// The chosen placement is part of a finish of the game that a search planned earlier.
    Planned,
    /// The chosen placement scores lower, but begins a beam search's best sequence. The numbers are
    /// rank from 1, score difference, and sequence value.
    Line(usize, f64, f64),
    /// The chosen placement scores lower: its rank from 1, and the score difference if known.
    Lower(usize, Option<f64>),
    /// The chosen placement has no rank, because the controller's search does not generate it.
    Unknown,
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecidedBy::Only => f.write_str("the only possible placement"),
            DecidedBy::Better(by) => write!(f, "better by {}", decimal(*by)),
            DecidedBy::Tie(rule) => write!(f, "equal scores: {rule}"),
            DecidedBy::OtherLoses => f.write_str("the other ends the game"),
            DecidedBy::AllLose => f.write_str("every placement ends the game: the first is played"),
            DecidedBy::Answered(mine, others) => {
                write!(
                    f,
                    "{mine} of the next pieces can be placed after it, {others} after the other"
                )
            }
            DecidedBy::Wins => f.write_str("it wins the game"),
            DecidedBy::Planned => f.write_str("part of a perfect finish planned earlier"),
            DecidedBy::Line(rank, less, line) => write!(
                f,
                "number {rank} on its own, {} below: the beam's line through it has the value {}",
                decimal(*less),
                decimal(*line)
            ),
            DecidedBy::Lower(rank, Some(less)) => {
                write!(f, "number {rank} for this controller, {} below", decimal(*less))
            }
            DecidedBy::Lower(rank, None) => write!(f, "number {rank} for this controller"),
            DecidedBy::Unknown => f.write_str("this controller does not consider this placement"),
        }
    }
}

/// Formats a number with at most four decimals.
#[must_use]
pub fn decimal(value: f64) -> String {
    decimal_within(value, 12)
}

/// Formats a number with at most four decimals, and fewer if it would exceed `width` characters.
#[must_use]
pub fn decimal_within(value: f64, width: usize) -> String {
    let text = |decimals: usize| {
        let text = format!("{value:.decimals$}");
        let fraction = text.contains('.');
        let text = if fraction { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        // A negative number that rounds to 0 is shown without its sign.
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    (1..=4).rev().map(text).find(|text| text.len() <= width).unwrap_or_else(|| text(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let values = [0.0, -0.00001, 1.5, -12.63, 0.123_456, 1234.5, 123_456.7, -8.0];
        let texts = ["0", "0", "1.5", "-12.63", "0.1235", "1234.5", "123456.7", "-8"];
        assert_eq!(values.map(decimal), texts);
        let narrow = ["0", "0", "1.5", "-12.6", "0.123", "1234", "123457", "-8"];
        assert_eq!(values.map(|value| decimal_within(value, 5)), narrow);
    }
}
