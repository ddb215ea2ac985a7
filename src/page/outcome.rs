//! Results of games on a web page: means, survival curves and pairwise verdicts.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tetrastat_core::names::hex_seed;

use crate::engine::Measure;
use crate::error::Result;
use crate::queue::QueueKind;
use crate::record::{Column, ColumnType, TableFile, invalid_content_error};
use crate::stats::{Arm, Comparison, Observed, RankedArm, Scale, Survival, survival};
use crate::{games, sim};

const MAX_STEPS: usize = 800;
const MAX_VALUES: usize = 4000;

#[derive(Debug, Serialize)]
pub(super) struct GamesOutcome {
    measure: MeasuredColumn,
    /// True if the compared measure grows during a game, as the number of removed rows does.
    total: bool,
    conditions: Vec<ConditionOutcome>,
    comparison: Comparison,
    warnings: Vec<String>,
    /// Means per game of other values than the compared one, such as line clears by kind.
    per_game: Vec<MeanPerGame>,
}

#[derive(Debug, Serialize)]
pub(super) struct MeanPerGame {
    name: String,
    means: Vec<Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct MeasuredColumn {
    name: String,
    unit: String,
    meaning: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ConditionOutcome {
    name: String,
    /// Survival curve of the games; empty if the compared measure does not grow during a game.
    survival: Vec<Survival>,
    /// Value of the compared measure in each shown game, in the order of play.
    values: Vec<f64>,
    censored: Vec<bool>,
    /// Step from one shown game to the next: 1 if the page shows all games, 2 for every second.
    step: usize,
}

pub(super) struct ConditionGames<'a> {
    pub(super) name: String,
    pub(super) results: &'a TableFile,
    pub(super) config: &'a Value,
    pub(super) summary: &'a Value,
}

/// Compares players or settings by their games' main measure; `None` if no measure is defined.
pub(super) fn compare_conditions(played: &[ConditionGames]) -> Result<Option<GamesOutcome>> {
    let Some(first) = played.first() else { return Ok(None) };
    let Some((column, measure)) = main_measure(first)? else { return Ok(None) };
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
    let conditions = arms.iter().map(|arm| ConditionOutcome::new(arm, total)).collect();
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
            let index = all.iter().position(|row| row.name == name).unwrap_or_else(|| {
                all.push(MeanPerGame { name, means: vec![Value::Null; played.len()] });
                all.len() - 1
            });
            all[index].means[condition] = mean.clone();
        }
    }
    all
}

/// Returns true unless the run's piece queue deals the same pieces in all games.
fn is_random(config: &Value) -> bool {
    let queue = QueueKind::deserialize(&config["queue"]);
    queue.map_or(config["queue"].is_null(), |queue| queue.is_random())
}

/// Returns the results column that compares the games, and the analysis of its values; `None` for
/// an unknown kind of game.
fn main_measure(played: &ConditionGames) -> Result<Option<(Column, Measure)>> {
    let is_race = ["sprint", "cheese"].iter().any(|mode| played.config["mode"] == *mode);
    let guideline = |column: &Column| sim::guideline::measure(is_race, column);
    let game = played.config["game"].as_str();
    let other = game.and_then(games::measures);
    let (name, measure): (&str, &dyn Fn(&Column) -> Measure) = match (game, &other) {
        (Some("classic"), _) => (sim::MAIN_MEASURE, &sim::measure),
        (Some("guideline"), _) => (sim::guideline::main_measure(is_race), &guideline),
        (_, Some((name, measure))) => (name, measure),
        (_, None) => return Ok(None),
    };
    let columns = played.results.columns()?;
    let column = columns.into_iter().find(|column| column.name == name).ok_or_else(|| {
        invalid_content_error(played.results.path(), format!("it has no column {name}"))
    })?;
    debug_assert!(matches!(
        column.kind,
        ColumnType::Integer | ColumnType::Count | ColumnType::Real
    ));
    let measure = measure(&column);
    Ok(Some((column, measure)))
}

impl ConditionOutcome {
    fn new(arm: &Arm, total: bool) -> ConditionOutcome {
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

fn thin_out(curve: Vec<Survival>) -> Vec<Survival> {
    let every = curve.len().div_ceil(MAX_STEPS).max(1);
    let last = curve.len().saturating_sub(1);
    let kept = |index: usize| index.is_multiple_of(every) || index == last;
    let steps = curve.into_iter().enumerate().filter(|(index, _)| kept(*index));
    steps.map(|(_, step)| step).collect()
}
