//! Result of a training: the finalists from which it is chosen, `controller.toml` and the totals of
//! `run.json`.

use std::collections::VecDeque;
use std::fmt::Write;

use toml::Value;

use super::games::normalised;
use super::training::Contender;
use super::{TrainingPlan, describe_windows};
use crate::engine::Described;
use crate::prelude::*;
use crate::record::{COMMIT, Kind, VERSION, read_manifest};
use crate::stats::{Estimate, FEWEST, Observed, Scale};
use crate::text::numbers::significant;

/// Winner of a training: the candidate that is the result, with its measured performance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Winner {
    /// Candidate that is the result of the training.
    #[serde(flatten)]
    pub finalist: Finalist,
    /// All candidates for the result with their values in the final games, the winner first.
    pub contenders: Vec<Contender>,
    /// Performance of the winner in games that were not used for any choice, if they were played.
    pub held_out: Option<HeldOut>,
}

/// Performance of the winner in games that were not used for any choice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HeldOut {
    /// Value of the objective in games not used for any choice, with its interval.
    pub value: Mean,
    /// Mean lines per game in games not used for any choice; `None` if splitting estimates lines.
    pub lines: Option<Mean>,
    /// Value of the worst finished game if a lost game may equal or beat it, else `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<f64>,
}

impl HeldOut {
    fn new(plan: &TrainingPlan, games: &CandidateGames) -> HeldOut {
        let seed = plan.games.plan().seed;
        // Replications (runs of a splitting estimator) are not games, so they have no lifetimes.
        let lifetimes = plan.objective.estimates().is_none().then(|| games.lifetimes());
        HeldOut {
            value: plan.objective.mean(games, seed),
            // Lines make trainings for different objectives comparable.
            lines: lifetimes.filter(|lifetimes| !lifetimes.is_empty()).map(|lifetimes| {
                let games: Vec<Observed> = lifetimes.into_iter().map(Observed::from).collect();
                Estimate::new(&games, Scale::Total, true, seed).mean
            }),
            contradiction: plan.objective.contradicted(games),
        }
    }

    fn mean(&self) -> f64 {
        self.value.mean.unwrap_or(f64::NAN)
    }

    /// Returns the objective's value in unused games, its interval and the number of games as text.
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
    /// Creates the training's result: the first of the ranked `contenders`, else `leader`.
    #[must_use]
    pub fn new(
        plan: &TrainingPlan,
        leader: Finalist,
        contenders: &[Contender],
        held_out: Option<&CandidateGames>,
    ) -> Winner {
        let finalist = contenders.first().map_or(leader, |first| first.finalist.clone());
        let held_out = held_out.map(|games| HeldOut::new(plan, games));
        Winner { finalist, contenders: contenders.to_vec(), held_out }
    }

    /// Returns the winner's controller file without pattern tables. `course` has the command-line
    /// words that affect the results; `generations` counts finished generations.
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
        let (tie, board_width) = plan.games.file_settings();
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

/// Totals of a training: its generations, games, pieces and times.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrainingTotals {
    /// Reason why the optimiser stopped early; `None` if it did not.
    pub stopped: Option<String>,
    /// Numbers of requested and finished generations.
    pub generations: (u64, u64),
    /// Number of games that scored candidates, without the final games that chose the result.
    pub games: u64,
    /// Number of pieces in the games that scored candidates, without the final games.
    pub pieces: u64,
    /// Number of games saved by racing, which gives worse candidates fewer games.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub saved: u64,
    /// Seconds of all processes of the training; `None` if a killed process left them unknown.
    pub total_s: Option<f64>,
    /// Share of the elapsed time in which no games were played.
    pub outside_share: f64,
    /// Share of the elapsed time in which threads waited without a game.
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

pub(super) fn describe_training(method: &serde_json::Value) -> [String; 3] {
    let method = method.as_str().unwrap_or_default();
    [
        format!("tetrastat-training-{method}"),
        format!("Training of a controller by {method}"),
        "`controller.toml` is the result. `run.json` has the whole configuration.".to_owned(),
    ]
}

/// Returns the seconds of a training's earlier processes; `None` if `run.json` does not contain the
/// checkpoint's `counts`.
pub(super) fn earlier_seconds(folder: &Path, counts: &[(&str, u64)]) -> Option<f64> {
    let manifest: serde_json::Value = read_manifest(&folder.join("run.json")).ok()?;
    let is_of_state = counts.iter().all(|(key, count)| manifest[key] == *count);
    manifest["total_s"].as_f64().filter(|_| is_of_state)
}

/// Kind of candidates that compete to become the result of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ResultSource {
    /// The best candidates scored during the search.
    Best,
    /// The last mean of the search, and the earlier means that scored best in checks.
    Mean,
    /// The average of the search's last 50 means: less noisy than one mean, and not chosen for a
    /// lucky score.
    Average,
    /// Both the best candidates and the means; only the best candidates for ga, which has no means.
    Any,
}

/// Largest number of the search's last means that are averaged to a training's result.
pub const AVERAGED_MEANS: usize = 50;

/// Origin of a finalist, a candidate that may become the result of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The best candidate of the generation with this number, from 0.
    Best(u64),
    /// The mean of the search distribution after this number of generations.
    Mean(u64),
    /// The average of this number of the search's last means.
    Average(u64),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Best(generation) => write!(f, "best candidate of generation {generation}"),
            Origin::Mean(generations) => write!(f, "mean after {generations} generations"),
            Origin::Average(1) => write!(f, "the only mean"),
            Origin::Average(of) => write!(f, "average of the last {of} means"),
        }
    }
}

/// Candidate that competes to become the result of a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finalist {
    /// Origin of the finalist: the best of a generation, a mean, or an average.
    pub origin: Origin,
    /// Score with which the candidate became a finalist; `None` for an unscored mean or average.
    pub score: Option<f64>,
    /// Weights of the finalist before they are scaled and rounded for a controller file.
    pub weights: Vec<f64>,
}

/// Best candidates and means of a training so far, from which final games choose the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finalists {
    best: Vec<Finalist>,
    means: Vec<Finalist>,
    /// Means of the last generations, scaled to length 1, from which an average may be computed.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    recent: VecDeque<Vec<f64>>,
}

impl Finalists {
    /// Adds `finalist` to the best candidates or to the means, and keeps the `most` best. Ignores a
    /// candidate that is already listed.
    pub(super) fn offer(&mut self, finalist: Finalist, most: usize) {
        let list = match finalist.origin {
            Origin::Best(_) => &mut self.best,
            Origin::Mean(_) => &mut self.means,
            // The average is computed when it is needed.
            Origin::Average(_) => return,
        };
        // Otherwise an unchanged elite would fill all places, each time with another lucky score.
        if list.iter().any(|known| known.weights == finalist.weights) {
            return;
        }
        list.push(finalist);
        let score = |one: &Finalist| one.score.unwrap_or(f64::NEG_INFINITY);
        list.sort_by(|a, b| score(b).total_cmp(&score(a)));
        list.truncate(most);
    }

    pub(super) fn remember(&mut self, mean: &[f64]) {
        self.recent.push_back(normalised(mean));
        if self.recent.len() > AVERAGED_MEANS {
            self.recent.pop_front();
        }
    }

    fn average(&self) -> Option<Finalist> {
        let count = self.recent.len();
        let weights = self.recent.front()?.len();
        let mean = |i: usize| self.recent.iter().map(|mean| mean[i]).sum::<f64>() / count as f64;
        Some(Finalist {
            origin: Origin::Average(count as u64),
            score: None,
            weights: (0..weights).map(mean).collect(),
        })
    }

    /// Returns the candidates that may become the result, as `answer` selects; `mean` is the
    /// search's mean.
    pub(super) fn competing(&self, answer: ResultSource, mean: Option<Finalist>) -> Vec<Finalist> {
        let means = || {
            // The last mean may already be listed with the score of a check.
            let known = |mean: &Finalist| self.means.iter().any(|m| m.weights == mean.weights);
            self.means.iter().cloned().chain(mean.clone().filter(|mean| !known(mean)))
        };
        match (answer, &mean) {
            (ResultSource::Any, Some(_)) => self.best.iter().cloned().chain(means()).collect(),
            (ResultSource::Mean, Some(_)) => means().collect(),
            (ResultSource::Average, _) => self.average().into_iter().collect(),
            (ResultSource::Best, _) | (_, None) => self.best.clone(),
        }
    }

    /// Returns the result without finals: best checked mean (or `mean`), average or best candidate.
    pub(super) fn leader(&self, answer: ResultSource, mean: Option<Finalist>) -> Option<Finalist> {
        match (answer, mean) {
            (ResultSource::Average, _) => self.average(),
            (ResultSource::Mean | ResultSource::Any, Some(mean)) => {
                Some(self.means.first().cloned().unwrap_or(mean))
            }
            (ResultSource::Best, _) | (_, None) => self.best.first().cloned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finalist(origin: Origin, score: f64, weight: f64) -> Finalist {
        Finalist { origin, score: Some(score), weights: vec![weight] }
    }

    #[test]
    fn the_best_of_each_kind_stay() {
        let mut finalists = Finalists::default();
        for (generation, score) in [(0, 3.0), (1, 5.0), (2, 5.0), (3, 4.0)] {
            finalists.offer(finalist(Origin::Best(generation), score, generation as f64), 2);
        }
        finalists.offer(finalist(Origin::Best(4), 9.0, 1.0), 2); // the same weights again
        finalists.offer(finalist(Origin::Mean(2), 1.0, 7.0), 2);
        let origins = |answer, mean| {
            let competing = finalists.competing(answer, mean);
            competing.iter().map(|finalist| finalist.origin).collect::<Vec<_>>()
        };
        let last = || Some(finalist(Origin::Mean(4), 0.0, 8.0));
        let (best, means) =
            ([Origin::Best(1), Origin::Best(2)], [Origin::Mean(2), Origin::Mean(4)]);
        assert_eq!(origins(ResultSource::Best, last()), best);
        assert_eq!(origins(ResultSource::Mean, last()), means);
        assert_eq!(origins(ResultSource::Any, last()), [best, means].concat());
        assert_eq!(origins(ResultSource::Any, None), best, "a genetic search has no mean");
        assert_eq!(finalists.leader(ResultSource::Mean, last()).unwrap().origin, Origin::Mean(2));
    }

    #[test]
    fn a_lucky_candidate_does_not_lead_where_there_is_a_mean() {
        let mut finalists = Finalists::default();
        finalists.offer(finalist(Origin::Best(22), 9.0, 1.0), 2);
        let last = || Some(finalist(Origin::Mean(40), 0.0, 8.0));
        let leader = |finalists: &Finalists, answer, mean| {
            finalists.leader(answer, mean).map(|finalist| finalist.origin)
        };
        let any = ResultSource::Any;
        assert_eq!(leader(&finalists, any, last()), Some(Origin::Mean(40)));
        assert_eq!(leader(&finalists, ResultSource::Best, last()), Some(Origin::Best(22)));
        assert_eq!(leader(&finalists, any, None), Some(Origin::Best(22)), "a genetic search");
        finalists.offer(finalist(Origin::Mean(30), 1.0, 7.0), 2);
        assert_eq!(leader(&finalists, any, last()), Some(Origin::Mean(30)), "it was checked");
    }

    #[test]
    fn the_average_is_of_the_last_means() {
        let mut finalists = Finalists::default();
        assert!(finalists.competing(ResultSource::Average, None).is_empty());
        for _ in 0..60 {
            finalists.remember(&[0.0, -7.0]);
        }
        for length in 1..=AVERAGED_MEANS / 2 {
            finalists.remember(&[length as f64, 0.0]);
        }
        let competing = finalists.competing(ResultSource::Average, None);
        assert_eq!(competing.len(), 1);
        assert_eq!(competing[0].origin, Origin::Average(AVERAGED_MEANS as u64));
        assert_eq!(competing[0].weights, [0.5, -0.5]);
        assert_eq!(finalists.leader(ResultSource::Average, None), Some(competing[0].clone()));
    }
}
