//! Plays, rebuilds and explains placements for `watch` and the HTML page, of any game that
//! implements [`Watched`].
//!
//! An [`Analysis`] ranks all candidates and compares two of them by the controller's terms, its
//! weighted features. Scores are exact integers, so the gains of the terms add up to the difference
//! of the scores.

pub(crate) mod classic;
pub(crate) mod guideline;

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::record::LoggedRow;
use crate::rules::guideline::Hold;
use crate::search::RankedPlacement;
use crate::sim::{Game, OnPlacement};

const LOST_BEFORE: &str = "the game was lost before";

/// Game that can be watched: played, rebuilt from its log, and explained.
pub trait Watched: Game {
    /// A placement, with the state before it.
    type Scene: 'static;
    /// State of a logged game between two placements.
    type Logged;
    /// Players that rank placements as the controller does.
    type Explainer;

    /// Returns the title of game number `game`, one line.
    fn title(&self, game: u64) -> String {
        format!("{} · game {game}", self.about().label)
    }

    /// Returns game number `game` before its first placement.
    fn first_state(&self, game: u64) -> Self::Logged;

    /// Creates the player of a game that is watched as it is played.
    fn watched_player(&self) -> Result<Self::Player> {
        self.player()
    }

    /// Returns a placement with the state before it.
    fn step_of(placed: &Self::Placement, context: Self::Context<'_>) -> WatchedStep<Self::Scene>;

    /// Describes the reason for the end of a game.
    fn describe_end(end: Self::End) -> &'static str;

    /// Rebuilds the placement in `row` by the rules and moves `state` behind it. The inner error
    /// describes the first contradiction between the row and the rules.
    fn rebuild(&self, state: &mut Self::Logged, row: &LoggedRow) -> Result<Rebuilt<Self::Scene>>;

    /// Returns the state after the placement in `row`, so that a part of a log can be explained.
    /// Returns `None` if the row does not determine it.
    fn state_after(&self, _: &LoggedRow) -> Option<Self::Logged> {
        None
    }

    /// Returns the reason why the log of a game ends where it does. The arguments are the folder of
    /// the run, the number of the game, the count of its logged placements, and true if the last of
    /// them lost the game.
    fn ending(&self, _: &Path, _: u64, _: u64, _: bool) -> String {
        "the log ends here".to_owned()
    }

    /// Returns the explainer of the controller's choices, or `None` for a player without weights.
    fn explainer(&self) -> Result<Option<Self::Explainer>> {
        Ok(None)
    }

    /// Ranks the possible placements and compares the one of `scene` with the candidate of rank
    /// `other`, or with the best other candidate.
    fn explain(
        &self,
        explainer: &mut Self::Explainer,
        scene: &Self::Scene,
        other: Option<usize>,
    ) -> Analysis;

    /// Describes the boards on which the features are measured, for a scene or in general.
    fn measured(&self, _: Option<&Self::Scene>) -> String {
        String::new()
    }

    /// Describes the part of a logged value that the weighted features do not cover, if any.
    fn unexplained(&self) -> Option<&'static str> {
        None
    }

    /// Returns the placement as the screen shows it.
    fn view(scene: &Self::Scene) -> StepView;
}

/// Returns the next placement of a game, or the reason why there are no more.
pub type NextPlacement<S> = Box<dyn FnMut() -> Result<ControlFlow<String, WatchedStep<S>>>>;

/// Returns the source of the placements of game number `game`, as `simulate` plays it.
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
    /// Content of the hold before the placement, and true if the placement used the hold.
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

/// All candidate placements of a piece, and a comparison of the chosen one with another.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// All candidates, the best first.
    pub candidates: Vec<RankedPlacement>,
    /// Rank of the chosen placement, or `None` if it is not a candidate.
    pub chosen: Option<usize>,
    /// Rank of the candidate compared with the chosen one, or `None` if there is no other.
    pub other: Option<usize>,
    /// Terms of the controller, its weighted features, in the controller's order.
    pub terms: Vec<TermDifference>,
    /// Number of steps in one unit of score. Exact scores are integers in steps.
    pub scale: f64,
    /// Reason for the choice.
    pub verdict: DecidedBy,
    /// Description of the boards on which the terms are measured.
    pub measured: String,
}

/// Returns the rank of the candidate to compare: `asked`, or the best one besides `chosen`. Returns
/// `None` if it is not below `count`, the number of candidates.
pub(super) fn compared_rank(
    chosen: Option<usize>,
    asked: Option<usize>,
    count: usize,
) -> Option<usize> {
    let best = usize::from(chosen == Some(0));
    let rank = asked.filter(|&rank| Some(rank) != chosen).unwrap_or(best);
    Some(rank).filter(|&rank| rank < count)
}

/// A term of the controller (a weighted feature) with its values for two compared placements.
#[derive(Clone, Debug, PartialEq)]
pub struct TermDifference {
    /// Name of the feature.
    pub name: String,
    /// Weight of the feature.
    pub weight: f64,
    /// Values of the feature for the chosen placement and for the other one.
    pub values: [f64; 2],
    /// Exact products of weight and value, in steps, for both placements.
    pub steps: [i64; 2],
    /// Number of steps that a value of 1 adds: the weight, as rounded in play.
    pub steps_per_unit: f64,
}

/// Compares two placements. Each of `terms` has the name, the weight, and the number of steps that
/// a value of 1 adds.
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
    /// Returns the contribution of `term` to the score of the chosen placement.
    #[must_use]
    pub fn product(&self, term: &TermDifference) -> f64 {
        term.steps[0] as f64 / self.scale
    }

    /// Returns the contribution of `term` to the score difference of the two placements.
    #[must_use]
    pub fn gain(&self, term: &TermDifference) -> f64 {
        (term.steps[0] - term.steps[1]) as f64 / self.scale
    }

    /// Returns the exact sum of all gains in steps, which is the difference of the two scores.
    #[must_use]
    pub fn gains(&self) -> i64 {
        self.terms.iter().map(|term| term.steps[0] - term.steps[1]).sum()
    }

    /// Returns the verdict as text, with the term that contributes most to it.
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

    /// Returns the sum of all products, the chosen placement's score.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.terms.iter().map(|term| term.steps[0]).sum::<i64>() as f64 / self.scale
    }
}

/// The reason for choosing a placement.
#[derive(Clone, Debug, PartialEq)]
pub enum DecidedBy {
    /// No other placement exists.
    Only,
    /// Score higher by this amount.
    Better(f64),
    /// Equal scores; the text is the rule that decided.
    Tie(&'static str),
    /// The other placement ends the game.
    OtherLoses,
    /// All placements end the game, so the first is played.
    AllLose,
    /// Numbers of next pieces that can be placed without a loss, after either placement.
    Answered(u8, u8),
    /// The placement wins the game.
    Wins,
    /// The placement is part of a perfect finish planned earlier.
    Planned,
    /// Value of the beam's best line, although other placements score higher by themselves: the
    /// rank from 1, the score deficit, and the value of the line through the placement.
    Line(usize, f64, f64),
    /// No reason in the scores: the rank from 1, and the score deficit if it is known.
    Lower(usize, Option<f64>),
    /// No rank, because the controller's search does not generate this placement.
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
