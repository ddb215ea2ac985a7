//! Explains the placements of a shown game: all terms of the controller, the runner-up and the best
//! placements.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::engine::Job;
use crate::error::Result;
use crate::explain::analysis::decimal;
use crate::explain::classic::RebuiltGame;
use crate::explain::guideline::RebuiltGuidelineGame;
use crate::explain::{Analysis, Explain, Rebuild, classic, guideline};
use crate::record::{Column, LoggedLanding, LoggedPlacement, Rows};
use crate::sim::ClassicConfig;
use crate::sim::guideline::GuidelineConfig;

/// Number of best placements that a page lists for each decision. The chosen placement is added if
/// it is not among them.
const BEST_COUNT: usize = 5;

/// Explanations of a game's placements, one entry per shown placement.
#[derive(Debug, Serialize)]
pub struct Explained {
    /// Names of the controller's terms, in the controller's order.
    terms: Vec<String>,
    /// Amount that a value of 1 of each term adds to the score.
    weights: Vec<f64>,
    /// Description of the boards on which terms are measured, and of the search.
    measured: String,
    /// Description of the part of a value that no term covers. `None` if the terms add up to the
    /// value.
    rest: Option<&'static str>,
    /// Reason why placements are not explained. `None` if every placement with a known board before
    /// it is explained.
    missing: Option<String>,
    /// Explanation of each placement. `None` if the board before the placement is unknown.
    pub(super) rows: Vec<Option<Choice>>,
}

/// The explanation of one placement. It is serialised as a list without the names of the fields,
/// because a page has thousands of explanations.
#[derive(Debug)]
pub struct Choice {
    /// Values of the terms of the chosen placement, joined by commas. An empty text between commas
    /// means 0.
    mine: String,
    /// Values of the terms of the runner-up (the best other placement), in the form of `mine`.
    /// `None` if there is no other placement.
    other: Option<String>,
    /// Reason for the choice, worded as on the `watch` screen.
    why: String,
    /// Number of possible placements.
    count: usize,
    /// Rank of the chosen placement among all candidates, from 0, by each candidate's own value.
    /// `None` if it is not a candidate.
    chosen: Option<usize>,
    /// Best placements and the chosen one, as `rank|position|rows removed|value`, joined by
    /// semicolons. The value of a placement that loses the game is empty.
    best: String,
    /// Weights of the terms at this placement. `None` if they equal [`Explained::weights`]; the
    /// weights of some controllers change with the stack height.
    weights: Option<Vec<f64>>,
}

impl Serialize for Choice {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Choice { mine, other, why, count, chosen, best, weights } = self;
        match weights {
            None => (mine, other, why, count, chosen, best).serialize(serializer),
            Some(weights) => (mine, other, why, count, chosen, best, weights).serialize(serializer),
        }
    }
}

/// Logged rows of a game, in the form that its explainer reads.
#[derive(Debug)]
pub(super) enum LoggedRows {
    Classic(Vec<LoggedPlacement>),
    Guideline(Vec<LoggedLanding>),
    /// Reason why there are no rows to explain, for example that they could not be read.
    Unread(String),
}

impl LoggedRows {
    pub(super) fn new(config: &Value) -> LoggedRows {
        match config["game"].as_str() {
            None | Some("classic") => LoggedRows::Classic(Vec::new()),
            Some("guideline") => LoggedRows::Guideline(Vec::new()),
            Some(game) => LoggedRows::Unread(format!("games of {game} have no terms")),
        }
    }

    pub(super) fn push(&mut self, columns: &[Column], rows: &Rows, row: usize) {
        let read = match self {
            LoggedRows::Classic(list) => {
                LoggedPlacement::read(columns, rows, row).map(|read| list.push(read))
            }
            LoggedRows::Guideline(list) => {
                LoggedLanding::read(columns, rows, row).map(|read| list.push(read))
            }
            LoggedRows::Unread(_) => Ok(()),
        };
        if let Err(error) = read {
            *self = LoggedRows::Unread(error.to_string());
        }
    }
}

/// The explainer of a game's placements, together with the game before the first piece.
pub(super) enum Explainer {
    Classic(Box<classic::ClassicExplainer>, Box<RebuiltGame>),
    Guideline(Box<guideline::GuidelineExplainer>, Box<RebuiltGuidelineGame>, Option<&'static str>),
}

impl Explainer {
    /// Creates the explainer for game number `game` of the run with configuration `config`. Returns
    /// `None` for a human player and for games without terms.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] if this program
    /// cannot play with the run's controller, for example because another version wrote the folder.
    pub(super) fn new(config: &Value, game: u64) -> Result<Option<Explainer>> {
        match config["game"].as_str() {
            Some("classic") => {
                let config = ClassicConfig::recorded(config)?;
                let game = Box::new(RebuiltGame::new(&config, game));
                Ok(Some(Explainer::Classic(Box::new(classic::explainer(&config)?), game)))
            }
            Some("guideline") => {
                let config = GuidelineConfig::recorded(config)?;
                let Some(explainer) = guideline::explainer(&config) else { return Ok(None) };
                let game = Box::new(RebuiltGuidelineGame::new(&config, game, None));
                Ok(Some(Explainer::Guideline(Box::new(explainer), game, rest(&config))))
            }
            _ => Ok(None),
        }
    }

    /// Explains the placements in `rows` for which the board before the placement is known: the
    /// first placement of the game, and each one after a logged placement. Returns `None` if the
    /// rows are of another kind of game.
    pub(super) fn explain(&mut self, rows: &LoggedRows) -> Option<Explained> {
        match (self, rows) {
            (Explainer::Classic(explainer, game), LoggedRows::Classic(rows)) => {
                Some(explained(&mut **explainer, &**game, rows, None))
            }
            (Explainer::Guideline(explainer, game, rest), LoggedRows::Guideline(rows)) => {
                Some(explained(&mut **explainer, &**game, rows, *rest))
            }
            (_, LoggedRows::Unread(problem)) => Some(Explained::missing(problem.clone())),
            _ => None,
        }
    }
}

/// Describes the part of a logged value that no term covers. Returns `None` if the terms cover the
/// whole value.
fn rest(config: &GuidelineConfig) -> Option<&'static str> {
    let looks_ahead = config.beam.depth > 1 || config.futures > 0;
    match (looks_ahead, config.controller.network.is_some()) {
        (false, false) => None,
        (false, true) => Some("the network"),
        (true, false) => Some("the best placements of the pieces after it"),
        (true, true) => Some("the network and the best placements of the pieces after it"),
    }
}

fn explained<E, R>(
    explainer: &mut E,
    start: &R,
    rows: &[R::Row],
    rest: Option<&'static str>,
) -> Explained
where
    R: Rebuild,
    E: Explain<Scene = R::Scene>,
{
    let mut all = Explained { rest, ..Explained::missing(String::new()) };
    all.missing = None;
    let mut before: Option<&R::Row> = None;
    for row in rows {
        let number = R::piece_no(row);
        let game = match before.replace(row) {
            _ if number == 1 => Some(start.clone()),
            Some(before) if R::piece_no(before) + 1 == number => start.after(before),
            _ => None,
        };
        let choice = game.and_then(|mut game| match game.rebuild(row) {
            Ok(step) => {
                let analysis = explainer.explain(&step.scene, None);
                if all.terms.is_empty() {
                    all.terms = analysis.terms.iter().map(|term| term.name.clone()).collect();
                    all.weights = weights(&analysis);
                    all.measured = explainer.measured(None);
                }
                Some(Choice::of(&analysis, &all.weights))
            }
            Err(problem) => {
                let first = || format!("placement {number}: {problem}");
                all.missing.get_or_insert_with(first);
                None
            }
        });
        all.rows.push(choice);
    }
    all
}

/// Returns, for each term, the amount that a value of 1 adds to a score.
fn weights(analysis: &Analysis) -> Vec<f64> {
    analysis.terms.iter().map(|term| term.steps_of_one / analysis.scale).collect()
}

impl Explained {
    /// Returns an explanation without placements. `problem` is the reason why they are not
    /// explained.
    pub(super) fn missing(problem: String) -> Explained {
        Explained {
            terms: Vec::new(),
            weights: Vec::new(),
            measured: String::new(),
            rest: None,
            missing: Some(problem),
            rows: Vec::new(),
        }
    }
}

impl Choice {
    fn of(analysis: &Analysis, of_game: &[f64]) -> Choice {
        let values = |place: usize| {
            let value = |value: f64| match value {
                0.0 => String::new(),
                // A page shows far fewer digits than these nine.
                value => format!("{value:.9}").trim_end_matches('0').trim_end_matches('.').into(),
            };
            let values: Vec<String> =
                analysis.terms.iter().map(|term| value(term.values[place])).collect();
            values.join(",")
        };
        let weights = weights(analysis);
        let ranked = analysis.candidates.iter().enumerate();
        let is_listed = |rank: usize| rank < BEST_COUNT || analysis.chosen == Some(rank);
        let listed = ranked.filter(|&(rank, _)| is_listed(rank)).map(|(rank, candidate)| {
            let score = candidate.score.filter(|_| !candidate.lost).map_or(String::new(), decimal);
            format!("{rank}|{}|{}|{score}", candidate.place(), candidate.lines)
        });
        let best: Vec<String> = listed.collect();
        Choice {
            mine: values(0),
            other: analysis.other.map(|_| values(1)),
            why: analysis.why(),
            count: analysis.candidates.len(),
            chosen: analysis.chosen,
            best: best.join(";"),
            weights: (weights != of_game).then_some(weights),
        }
    }
}
