//! Explains the placements of a shown game: all terms of the controller, the runner-up and the best
//! placements.

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use crate::engine::Job;
use crate::error::Result;
use crate::explain::decimal;
use crate::explain::{Analysis, Watched};
use crate::record::LoggedRow;
use crate::sim::ClassicConfig;
use crate::sim::guideline::GuidelineConfig;

/// Number of best placements that a page lists for each decision. The chosen placement is added if
/// it is not among them.
const BEST_COUNT: usize = 5;

/// Explanations of a game's placements, one entry per shown placement.
#[derive(Debug, Default, Serialize)]
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
    /// Explanation of each placement. `None` if the board before the placement is unknown. It is a
    /// list without names, because a page has thousands of explanations:
    ///
    /// 1. Values of the terms of the chosen placement, joined by commas. An empty text between
    ///    commas means 0.
    /// 2. Values of the terms of the runner-up (the best other placement), in the same form. `null`
    ///    if there is no other placement.
    /// 3. Reason for the choice, worded as on the `watch` screen.
    /// 4. Number of possible placements.
    /// 5. Rank of the chosen placement among all candidates, from 0, by each candidate's own value.
    ///    `null` if it is not a candidate.
    /// 6. Best placements and the chosen one, as `rank|position|rows removed|value`, joined by
    ///    semicolons. The value of a placement that loses the game is empty.
    /// 7. Weights of the terms at this placement, if they differ from [`Explained::weights`]. The
    ///    weights of some controllers change with the stack height.
    pub(super) rows: Vec<Option<Vec<Value>>>,
}

/// Placements of a shown game, rebuilt from the rows of its log.
pub(super) trait LoggedGame {
    /// Rebuilds the placement in `row` if the board before it is known: for the first placement of
    /// the game, and for each one after a logged placement.
    fn push(&mut self, row: &LoggedRow);

    /// Explains the rebuilt placements.
    fn explain(&mut self) -> Explained;
}

impl fmt::Debug for dyn LoggedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoggedGame")
    }
}

struct RebuiltGame<G: Watched> {
    config: G,
    explainer: G::Explainer,
    /// State before the placement with this number.
    before: Option<(u64, G::Logged)>,
    scenes: Vec<Option<G::Scene>>,
    /// First contradiction between a row and the rules.
    contradiction: Option<String>,
    /// Reason why the log cannot be read.
    unreadable: Option<String>,
}

/// Returns game number `game` of the run with configuration `config`. Returns `None` for a human
/// player and for games without terms.
///
/// # Errors
/// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] if this program cannot
/// play with the run's controller, for example because another version wrote the folder.
pub(super) fn logged_game(config: &Value, game: u64) -> Result<Option<Box<dyn LoggedGame>>> {
    match config["game"].as_str() {
        Some(ClassicConfig::NAME) => logged::<ClassicConfig>(config, game),
        Some(GuidelineConfig::NAME) => logged::<GuidelineConfig>(config, game),
        _ => Ok(None),
    }
}

fn logged<G: Watched>(config: &Value, game: u64) -> Result<Option<Box<dyn LoggedGame>>> {
    let config = G::recorded(config)?;
    let Some(explainer) = config.explainer()? else { return Ok(None) };
    let (before, scenes) = (Some((1, config.first_state(game))), Vec::new());
    let (contradiction, unreadable) = (None, None);
    let game = RebuiltGame { config, explainer, before, scenes, contradiction, unreadable };
    Ok(Some(Box::new(game)))
}

impl<G: Watched> RebuiltGame<G> {
    fn rebuild(&mut self, row: &LoggedRow) -> Result<()> {
        let number = row.integer("piece_no")? as u64;
        let before = self.before.take().filter(|(next, _)| *next == number);
        let mut state = before.map(|(_, state)| state);
        let scene = match state.as_mut().map(|state| self.config.rebuild(state, row)) {
            Some(rebuilt) => rebuilt?.map(|step| Some(step.scene)),
            None => Ok(None),
        };
        self.scenes.push(scene.unwrap_or_else(|problem| {
            self.contradiction.get_or_insert(format!("placement {number}: {problem}"));
            None
        }));
        self.before = self.config.state_after(row).or(state).map(|state| (number + 1, state));
        Ok(())
    }
}

impl<G: Watched> LoggedGame for RebuiltGame<G> {
    fn push(&mut self, row: &LoggedRow) {
        if let Err(error) = self.rebuild(row) {
            self.unreadable.get_or_insert(error.to_string());
        }
    }

    fn explain(&mut self) -> Explained {
        if let Some(problem) = self.unreadable.take() {
            return Explained::missing(problem);
        }
        let (rest, missing) = (self.config.unexplained(), self.contradiction.take());
        let mut all = Explained { rest, missing, ..Explained::default() };
        for scene in &self.scenes {
            let choice = scene.as_ref().map(|scene| {
                let analysis = self.config.explain(&mut self.explainer, scene, None);
                if all.terms.is_empty() {
                    all.terms = analysis.terms.iter().map(|term| term.name.clone()).collect();
                    all.weights = weights(&analysis);
                    all.measured = self.config.measured(None);
                }
                choice(&analysis, &all.weights)
            });
            all.rows.push(choice);
        }
        all
    }
}

/// Returns, for each term, the amount that a value of 1 adds to a score.
fn weights(analysis: &Analysis) -> Vec<f64> {
    analysis.terms.iter().map(|term| term.steps_per_unit / analysis.scale).collect()
}

impl Explained {
    /// Returns an explanation without placements. `problem` is the reason why they are not
    /// explained.
    pub(super) fn missing(problem: String) -> Explained {
        Explained { missing: Some(problem), ..Explained::default() }
    }
}

/// Returns the entry of a placement in [`Explained::rows`]. `of_game` has the game's weights.
fn choice(analysis: &Analysis, of_game: &[f64]) -> Vec<Value> {
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
    let ranked = analysis.candidates.iter().enumerate();
    let is_listed = |rank: usize| rank < BEST_COUNT || analysis.chosen == Some(rank);
    let listed = ranked.filter(|&(rank, _)| is_listed(rank)).map(|(rank, candidate)| {
        let score = candidate.score.filter(|_| !candidate.lost).map_or(String::new(), decimal);
        format!("{rank}|{}|{}|{score}", candidate.place(), candidate.lines)
    });
    let best = listed.collect::<Vec<String>>().join(";");
    let (why, count) = (analysis.why(), analysis.candidates.len());
    let other = analysis.other.map(|_| values(1));
    let mut choice = [json!(values(0)), json!(other), why.into(), count.into()].to_vec();
    choice.extend([json!(analysis.chosen), best.into()]);
    let weights = weights(analysis);
    choice.extend((weights != of_game).then_some(json!(weights)));
    choice
}
