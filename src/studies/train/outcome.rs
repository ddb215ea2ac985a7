//! Files with a training's result: `controller.toml` and `run.json`.

use std::fmt::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Value;

use super::finalists::{Finalist, ResultSource};
use super::training::Contender;
use super::{CandidateGames, TrainingGames, TrainingPlan, describe_windows};
use crate::engine::{Described, Manifest};
use crate::record::{COMMIT, Kind, Status, VERSION, read_manifest};
use crate::stats::{Estimate, FEWEST, Mean, Observed, Scale};
use crate::text::numbers::significant;

/// Winner of a training: the candidate that is the result, with its measured performance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Winner {
    /// Candidate that is the result of the training.
    #[serde(flatten)]
    pub finalist: Finalist,
    /// All finalists that played in the finals, the winner first; empty if the finals were not
    /// played.
    pub contenders: Vec<Contender>,
    /// Performance of the winner in games that were not used for any choice; `None` if these were
    /// not played.
    pub held_out: Option<HeldOut>,
}

/// Performance of the winner in games that were not used for any choice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HeldOut {
    /// Value of the objective for these games, with its interval.
    pub value: Mean,
    /// Mean lines per game, for any objective; `None` if candidates are estimated.
    pub lines: Option<Mean>,
    /// Worst value of a finished game, if it is no better than the best value of a lost game;
    /// otherwise `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<f64>,
}

impl HeldOut {
    fn of(plan: &TrainingPlan, games: &CandidateGames) -> HeldOut {
        let seed = plan.games.plan().seed;
        // Replications (runs of a splitting estimator) are not games, so they have no lifetimes.
        let lifetimes = plan.objective.estimates().is_none().then(|| games.lifetimes());
        HeldOut {
            value: plan.objective.mean(games, seed),
            // Lines make trainings for different objectives comparable.
            lines: lifetimes.filter(|lifetimes| !lifetimes.is_empty()).map(|lifetimes| {
                let games: Vec<Observed> = lifetimes.into_iter().map(Observed::from).collect();
                Estimate::of(&games, Scale::Total, true, seed).mean
            }),
            contradiction: plan.objective.contradicted(games),
        }
    }

    fn mean(&self) -> f64 {
        self.value.mean.unwrap_or(f64::NAN)
    }

    /// Formats the value with its interval and the number of games.
    #[must_use]
    pub fn describe(&self, plan: &TrainingPlan) -> String {
        if plan.objective.estimates().is_some() {
            return self.describe_estimate(plan);
        }
        let interval = match (self.value.low, self.value.high) {
            (None, _) => format!("no interval (fewer than {FEWEST} games)"),
            (Some(low), None) => format!("95 % interval {low:.1} to unbounded"),
            (Some(low), Some(high)) => format!("95 % interval {low:.1} to {high:.1}"),
        };
        let (objective, games) = (&plan.objective, plan.held_out_games);
        let cut = self.lines.as_ref().map_or(0, |lines| lines.censored);
        let ended = match plan.games {
            TrainingGames::Classic(..) if objective.lost().is_none() => {
                format!("{cut} of them cut off by a limit")
            }
            _ => format!("{} of them lost", games - cut),
        };
        format!("{objective} {:.1}, {interval}, {games} held-out games, {ended}", self.mean())
    }

    /// Formats the mean lines of an estimate. The value of the objective is the logarithm of this
    /// mean.
    fn describe_estimate(&self, plan: &TrainingPlan) -> String {
        let lines = |log: f64| format!("{:.4e}", libm::exp(log));
        let interval = match (self.value.low, self.value.high) {
            (Some(low), Some(high)) => {
                format!("95 % interval {} to {}", lines(low), lines(high))
            }
            _ => "no interval".to_owned(),
        };
        let (mean, log, count) = (lines(self.mean()), self.mean(), plan.held_out_games);
        format!(
            "{} {log:.3}: {mean} mean lines, {interval}, {count} held-out replications",
            plan.objective
        )
    }
}

impl Winner {
    /// Creates the result of a training: the first of `contenders` with its games `held_out`, or
    /// `leader` if no finals were played.
    #[must_use]
    pub fn of(
        plan: &TrainingPlan,
        leader: Finalist,
        contenders: &[Contender],
        held_out: Option<&CandidateGames>,
    ) -> Winner {
        let finalist = contenders.first().map_or(leader, |first| first.finalist.clone());
        let held_out = held_out.map(|games| HeldOut::of(plan, games));
        Winner { finalist, contenders: contenders.to_vec(), held_out }
    }

    /// Returns the text of the result's controller file, without its patterns, for a controller
    /// called `name`. `course`
    /// lists the words of the command line that affect the results of the training. `generations`
    /// is the number of finished generations, and `status` is `Interrupted` if any are missing. The
    /// text contains no time and no path, and does not depend on the number of threads.
    #[must_use]
    pub fn toml(
        &self,
        plan: &TrainingPlan,
        name: &str,
        course: &[String],
        generations: u64,
        status: &Status,
    ) -> String {
        let source = format!(
            "{}; seed {}; {} of {generations} generations",
            course.join(" "),
            plan.games.plan().seed,
            self.finalist.origin
        );
        let (tie, board_width) = plan.games.kept();
        let published = self.held_out.as_ref().map(|held_out| held_out.describe(plan));
        controller_text(
            [name, &self.title(plan), &source],
            [
                ("published", published.map(Value::from)),
                ("note", Some(self.note(plan, generations, status).into())),
                ("measured", Some(plan.games.measured().to_string().into())),
                ("tie", tie.map(|tie| tie.to_string().into())),
                ("board_width", board_width.map(|width| Value::from(width as i64))),
            ],
            plan.games.weights(&self.finalist.weights),
        )
    }

    fn title(&self, plan: &TrainingPlan) -> String {
        let (method, games) = (plan.options.name(), plan.games.describe(", "));
        let windows = plan.games.layout().map(|layout| {
            let windows = describe_windows(layout);
            format!(", windows {windows}")
        });
        let (objective, windows) = (plan.objective.describe(), windows.unwrap_or_default());
        format!("Trained by {method}: {games}, {objective}{windows}")
    }

    /// Returns a note on how the winner was chosen and in which form its weights are.
    fn note(&self, plan: &TrainingPlan, generations: u64, status: &Status) -> String {
        let is_average = plan.answer == ResultSource::Average;
        let interrupted = match status {
            Status::Complete => String::new(),
            _ => format!(
                "the training was interrupted after {generations} of {} generations: ",
                plan.generations
            ),
        };
        let chosen = match self.contenders.first() {
            Some(_) if is_average => {
                format!("the {}: no candidate was chosen", self.finalist.origin)
            }
            Some(first) if plan.objective.estimates().is_some() => format!(
                "the best of {} finalists on {} validation replications ({} there)",
                self.contenders.len(),
                plan.final_games,
                significant(first.validation)
            ),
            Some(first) => format!(
                "the best of {} finalists on {} validation games ({:.1} there)",
                self.contenders.len(),
                plan.final_games,
                first.validation
            ),
            None => format!("the {}, without finals", self.finalist.origin),
        };
        let unmeasured = match self.held_out {
            Some(_) => "",
            None => ", not measured on held-out games",
        };
        let decimals = plan.games.decimals();
        let scaled = match plan.games.layout() {
            None => format!("weights have Euclidean length 1, rounded to {decimals} decimals"),
            Some(_) => "weights and table entries together have Euclidean length 1, before they \
                are rounded"
                .to_owned(),
        };
        format!("{interrupted}{chosen}{unmeasured}; {scaled}")
    }
}

/// Returns the text of a controller's file, without its patterns: name, title, source, those of
/// `entries` that have a value, and weights. The name and version of this program are put before
/// `source`.
pub(super) fn controller_text<const N: usize>(
    [name, title, source]: [&str; 3],
    entries: [(&str, Option<Value>); N],
    weights: impl IntoIterator<Item = (String, f64)>,
) -> String {
    let source = format!("tetrastat {VERSION}, commit {COMMIT}: {source}");
    let head = [("name", name), ("title", title), ("source", &*source)];
    let head = head.map(|(key, text)| (key, Some(Value::from(text))));
    let mut text = String::new();
    for (key, value) in head.into_iter().chain(entries) {
        if let Some(value) = value {
            let _ = writeln!(text, "{key} = {value}");
        }
    }
    text.push_str("\n[weights]\n");
    for (feature, weight) in weights {
        // TOML needs quotes around names with other characters, such as those of weights at a
        // height.
        let is_bare = feature.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = if is_bare { feature } else { Value::from(feature).to_string() };
        let _ = writeln!(text, "{name} = {weight}");
    }
    text
}

/// Totals of a training.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrainingTotals {
    /// Reason why the optimiser stopped before the last requested generation; `None` if it did not.
    pub stopped: Option<String>,
    /// Numbers of requested and finished generations.
    pub generations: (u64, u64),
    /// Number of games played in the generations, including checks but without the finals.
    pub games: u64,
    /// Number of pieces in `games`.
    pub pieces: u64,
    /// Number of games that racing left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub saved: u64,
    /// Seconds of all parts of the training; `None` if a part was killed.
    pub total_s: Option<f64>,
    /// Share of the elapsed time in which no games were played.
    pub outside_share: f64,
    /// Share of the elapsed time in which threads waited for the last games of a batch or created
    /// players.
    pub idle_share: f64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Described for TrainingPlan {
    const KIND: Kind = Kind::Training;
    type Entry = serde_json::Value;
    type Totals = TrainingTotals;
    type Summary = Winner;

    fn describe(manifest: &Manifest<TrainingPlan>) -> [String; 3] {
        describe_training(&manifest.config["optimiser"]["method"])
    }
}

/// Returns the name, the title and the description of the data package of a training by `method`.
pub(super) fn describe_training(method: &serde_json::Value) -> [String; 3] {
    let method = method.as_str().unwrap_or_default();
    [
        format!("tetrastat-training-{method}"),
        format!("Training of a controller by {method}"),
        "`controller.toml` is the result. `run.json` has the whole configuration.".to_owned(),
    ]
}

/// Reads the elapsed seconds of all earlier parts of a training from `run.json` in `folder`.
/// Returns `None` if that file is missing, or belongs to an earlier state than that with `counts`
/// because a later part was killed. A checkpoint cannot store the seconds, since its bytes must not
/// depend on time.
pub(super) fn earlier_seconds(folder: &Path, counts: &[(&str, u64)]) -> Option<f64> {
    let manifest: serde_json::Value = read_manifest(&folder.join("run.json")).ok()?;
    let is_of_state = counts.iter().all(|(key, count)| manifest[key] == *count);
    manifest["total_s"].as_f64().filter(|_| is_of_state)
}
