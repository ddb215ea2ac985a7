//! Computes the results of games for a page: means, survival curves and pairwise verdicts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::Measure;
use crate::error::Result;
use crate::queue::QueueKind;
use crate::record::{Column, ColumnType, TableFile, not_as_written};
use crate::stats::{Arm, Comparison, Observed, RankedArm, Scale, Survival, survival};
use crate::{games, sim};
use tetrastat_core::names::hex_seed;

/// Number of steps to which survival curves are thinned out, more than a screen has points.
const MAX_STEPS: usize = 800;
/// Maximum number of games per condition whose measured values a page shows.
const MAX_VALUES: usize = 4000;

/// Results of the games of one or more conditions.
#[derive(Debug, Serialize)]
pub struct GamesOutcome {
    /// Table column by which the games are compared.
    pub measure: MeasuredColumn,
    /// True if the measured column is a total that grows during a game, so that censored games
    /// count.
    pub total: bool,
    /// Results of the games of each condition.
    pub conditions: Vec<ConditionOutcome>,
    /// Conditions ranked by their means, and a comparison of every pair.
    pub comparison: Comparison,
    /// Warnings about the means, in sentences.
    pub warnings: Vec<String>,
    /// Means per game without a spread: clears by kind, points by source, the share of lost games.
    pub per_game: Vec<MeanPerGame>,
}

/// A mean per game, for each condition; null if its summary has no such mean.
#[derive(Debug, Serialize)]
pub struct MeanPerGame {
    name: String,
    means: Vec<Value>,
}

/// The table column by which games are compared.
#[derive(Debug, Serialize)]
pub struct MeasuredColumn {
    name: String,
    unit: String,
    meaning: String,
}

/// The results of the games of one condition.
#[derive(Debug, Serialize)]
pub struct ConditionOutcome {
    /// Name of the condition.
    pub name: String,
    /// Survival curve. Empty if the measure is not a total.
    pub survival: Vec<Survival>,
    /// Measured value of each shown game, in the order of play. The first of every `step` games is
    /// shown.
    pub values: Vec<f64>,
    /// Flag of each shown game, true if the game was cut off before its end.
    pub censored: Vec<bool>,
    /// Stride: the first of every `step` games is shown.
    pub step: usize,
}

/// A condition's name, its table with one row per game, its configuration and its summary.
pub(super) struct ConditionGames<'a> {
    pub(super) name: String,
    pub(super) results: &'a TableFile,
    pub(super) config: &'a Value,
    pub(super) summary: &'a Value,
}

/// Computes the results of the conditions in `played`, by the main measure of their game. Returns
/// `None` if there are no conditions or the game is unknown.
///
/// # Errors
/// Returns the errors of [`TableFile::values`].
pub(super) fn outcome(played: &[ConditionGames]) -> Result<Option<GamesOutcome>> {
    let Some(first) = played.first() else { return Ok(None) };
    let Some((column, measure)) = measure(first)? else { return Ok(None) };
    let observed = |one: &ConditionGames| -> Result<Vec<Observed>> {
        let values = one.results.values(&measure.column, measure.ended)?;
        let plain = |value: f64| if value.is_nan() { 0.0 } else { value };
        let observed = |(value, censored)| Observed { value: plain(value), censored };
        Ok(values.into_iter().map(observed).collect())
    };
    let mut arms = Vec::new();
    for one in played {
        arms.push(Arm { name: one.name.clone(), games: observed(one)? });
    }
    let total = measure.scale == Scale::Total;
    let conditions = arms.iter().map(|arm| ConditionOutcome::of(arm, total)).collect();
    let chance = is_random(first.config);
    let seed = hex_seed::deserialize(&first.config["seed"]).unwrap_or_default();
    let comparison = Comparison::new(arms, measure.scale, measure.better, chance, seed);
    let Column { name, unit, meaning, .. } = column;
    let measure = MeasuredColumn { name, unit: unit.into_owned(), meaning };
    let of = |ranked: &RankedArm| {
        let name = ranked.controller.clone();
        ranked
            .estimate
            .mean
            .warnings
            .iter()
            .map(move |warning| format!("{name}: {warning}"))
            .collect::<Vec<_>>()
    };
    let warnings = comparison.controllers.iter().flat_map(of).collect();
    let per_game = means_per_game(played);
    Ok(Some(GamesOutcome { measure, total, conditions, comparison, warnings, per_game }))
}

/// Returns the means in the summaries of the conditions: clears by kind, points by source, and
/// those without a spread, such as the share of lost games.
fn means_per_game(played: &[ConditionGames]) -> Vec<MeanPerGame> {
    let mut all: Vec<MeanPerGame> = Vec::new();
    for (condition, one) in played.iter().enumerate() {
        let group = |name: &str| one.summary[name].as_object().into_iter().flatten();
        let points = group("points_by").map(|(name, mean)| (format!("points_{name}"), mean));
        let clears = group("clears").map(|(name, mean)| (name.clone(), mean));
        let others = one.summary.as_object().into_iter().flatten();
        let others = others.filter(|(name, mean)| {
            mean["level"].is_number() && one.summary["spread"][name.as_str()].is_null()
        });
        let others = others.map(|(name, mean)| (name.clone(), mean));
        for (name, mean) in others.chain(points).chain(clears) {
            let place = all.iter().position(|row| row.name == name).unwrap_or_else(|| {
                all.push(MeanPerGame { name, means: vec![Value::Null; played.len()] });
                all.len() - 1
            });
            all[place].means[condition] = mean.clone();
        }
    }
    all
}

/// Returns true if games differ by chance, that is, unless the queue deals the same pieces in all
/// games.
fn is_random(config: &Value) -> bool {
    let queue = QueueKind::deserialize(&config["queue"]);
    queue.map_or(config["queue"].is_null(), |queue| queue.is_random())
}

/// Returns the table column by which games of a condition are compared, and the measure that reads
/// it. Returns `None` if the game is unknown.
fn measure(played: &ConditionGames) -> Result<Option<(Column, Measure)>> {
    let is_race = ["sprint", "cheese"].iter().any(|mode| played.config["mode"] == *mode);
    let name = match played.config["game"].as_str() {
        Some("classic") => sim::MAIN_MEASURE,
        Some("guideline") => sim::guideline::main_measure(is_race),
        Some(game) => match games::measures(game) {
            Some((name, _)) => name,
            None => return Ok(None),
        },
        None => return Ok(None),
    };
    let columns = played.results.columns()?;
    let column = columns
        .into_iter()
        .find(|column| column.name == name)
        .ok_or_else(|| not_as_written(played.results.path(), format!("it has no column {name}")))?;
    debug_assert!(matches!(
        column.kind,
        ColumnType::Integer | ColumnType::Count | ColumnType::Real
    ));
    let measure = match played.config["game"].as_str() {
        Some("classic") => sim::measure(&column),
        Some("guideline") => sim::guideline::measure(is_race, &column),
        Some(game) => match games::measures(game) {
            Some((_, measure)) => measure(&column),
            None => return Ok(None),
        },
        None => return Ok(None),
    };
    Ok(Some((column, measure)))
}

impl ConditionOutcome {
    fn of(arm: &Arm, total: bool) -> ConditionOutcome {
        let games = &arm.games;
        let curve = if total { survival(games) } else { Vec::new() };
        let step = games.len().div_ceil(MAX_VALUES).max(1);
        let shown = || games.iter().step_by(step);
        ConditionOutcome {
            name: arm.name.clone(),
            survival: thin_out(curve),
            values: shown().map(|game| game.value).collect(),
            censored: shown().map(|game| game.censored).collect(),
            step,
        }
    }
}

/// Thins a survival curve out to about [`MAX_STEPS`] steps, and keeps its last step.
fn thin_out(curve: Vec<Survival>) -> Vec<Survival> {
    let every = curve.len().div_ceil(MAX_STEPS).max(1);
    let last = curve.len().saturating_sub(1);
    let kept = |place: usize| place.is_multiple_of(every) || place == last;
    let steps = curve.into_iter().enumerate().filter(|(place, _)| kept(*place));
    steps.map(|(_, step)| step).collect()
}
