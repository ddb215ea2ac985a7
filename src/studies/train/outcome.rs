//! Files with a training's result: `controller.toml` and `train.json`.

use std::fmt::Write;

use serde::Serialize;
use toml::Value;

use super::finalists::{Finalist, ResultSource};
use super::training::Contender;
use super::{CandidateGames, TrainingGames, TrainingPlan};
use crate::record::{COMMIT, FileEntry, Status, VERSION};
use crate::stats::{FEWEST, Summary};

/// Result of a training with its measured performance.
#[derive(Clone, Debug, Serialize)]
pub struct Winner {
    /// Candidate that won.
    #[serde(flatten)]
    pub finalist: Finalist,
    /// All competitors, the winner first; empty if the finals were not played.
    pub contenders: Vec<Contender>,
    /// Performance of the winner in games that were not used for any choice; `None` if these were
    /// not played.
    pub held_out: Option<HeldOut>,
}

/// Performance of the winner in games that were not used for any choice.
#[derive(Clone, Debug, Serialize)]
pub struct HeldOut {
    /// Value of the objective.
    pub value: f64,
    /// Bounds of the 95 % interval of the value.
    pub interval: (Option<f64>, Option<f64>),
    /// Lines per game, for any objective; `None` if candidates are estimated.
    pub lines: Option<Summary>,
    /// Value of a finished game that is no better than a lost game can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<f64>,
}

impl HeldOut {
    fn of(plan: &TrainingPlan, games: &CandidateGames) -> HeldOut {
        let seed = plan.games.seed();
        let interval = plan.objective.interval(games, seed);
        // Replications are not games.
        let lifetimes = plan.objective.estimates().is_none().then(|| games.lifetimes());
        HeldOut {
            value: plan.objective.value(games),
            interval: (interval.map(|i| i.low), interval.and_then(|i| i.high)),
            // Lines make trainings for different objectives comparable.
            lines: lifetimes.and_then(|lifetimes| Summary::of(&lifetimes, true, seed)),
            contradiction: plan.objective.contradicted(games),
        }
    }

    /// Formats the value with its interval and the number of games.
    #[must_use]
    pub fn said(&self, plan: &TrainingPlan) -> String {
        if plan.objective.estimates().is_some() {
            return self.said_of_estimate(plan);
        }
        let interval = match self.interval {
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
        format!("{objective} {:.1}, {interval}, {games} held-out games, {ended}", self.value)
    }

    /// Formats the mean lines of an estimate; the objective is their logarithm.
    fn said_of_estimate(&self, plan: &TrainingPlan) -> String {
        let lines = |log: f64| format!("{:.4e}", libm::exp(log));
        let interval = match self.interval {
            (Some(low), Some(high)) => {
                format!("95 % interval {} to {}", lines(low), lines(high))
            }
            _ => "no interval".to_owned(),
        };
        let (mean, log, count) = (lines(self.value), self.value, plan.held_out_games);
        format!(
            "{} {log:.3}: {mean} mean lines, {interval}, {count} held-out replications",
            plan.objective
        )
    }
}

impl Winner {
    /// Returns the first of the `contenders` with its `held_out` games, or the `leader` without
    /// finals.
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

    /// Returns the text of the controller's file. `course` holds the command's words that affect
    /// the course of the training. `status` is `Interrupted` if generations are missing. The file
    /// holds no time and no path, and does not depend on the number of threads.
    #[must_use]
    pub fn toml(
        &self,
        plan: &TrainingPlan,
        name: &str,
        course: &[String],
        generations: u64,
        status: &Status,
    ) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let (version, commit) = (VERSION, COMMIT);
        let seed = plan.games.seed();
        let source = format!(
            "tetrastat {version}, commit {commit}: {}; seed {seed}; {} of {generations} \
             generations",
            course.join(" "),
            self.finalist.origin
        );
        let mut text = format!("name = {}\n", quoted(name));
        let _ = writeln!(text, "title = {}", quoted(&self.title(plan)));
        let _ = writeln!(text, "source = {}", quoted(&source));
        if let Some(held_out) = &self.held_out {
            let _ = writeln!(text, "published = {}", quoted(&held_out.said(plan)));
        }
        let _ = writeln!(text, "note = {}", quoted(&self.note(plan, generations, status)));
        let _ = writeln!(text, "measured = {}", quoted(&plan.games.measured().to_string()));
        let (tie, board_width) = plan.games.kept();
        if let Some(tie) = tie {
            let _ = writeln!(text, "tie = {}", quoted(&tie.to_string()));
        }
        if let Some(width) = board_width {
            let _ = writeln!(text, "board_width = {width}");
        }
        text.push_str("\n[weights]\n");
        for (feature, weight) in plan.games.weights(&self.finalist.weights) {
            // Other characters, such as a height's, make a name that TOML has only in quotes.
            let is_bare = feature.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let name = if is_bare { feature } else { quoted(&feature) };
            let _ = writeln!(text, "{name} = {weight}");
        }
        text
    }

    fn title(&self, plan: &TrainingPlan) -> String {
        let (method, games) = (plan.options.name(), plan.games.said(", "));
        format!("Trained by {method}: {games}, {}", plan.objective.said())
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
                "the best of {} finalists on {} validation replications ({:.3} there)",
                self.contenders.len(),
                plan.final_games,
                first.validation
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
        format!(
            "{interrupted}{chosen}{unmeasured}; weights have Euclidean length 1, rounded to \
             {decimals} decimals"
        )
    }
}

/// Content of `train.json`.
#[derive(Clone, Debug, Serialize)]
pub struct TrainManifest {
    pub(super) program: &'static str,
    pub(super) version: &'static str,
    pub(super) commit: &'static str,
    /// Final status of the training.
    pub status: Status,
    /// Reason why the optimiser stopped before its last generation, if it did.
    pub stopped: Option<String>,
    pub(super) command: Vec<String>,
    pub(super) plan: serde_json::Value,
    /// Numbers of requested and finished generations.
    pub generations: (u64, u64),
    /// Number of games of the generations, including checks and excluding finals.
    pub games: u64,
    /// Number of pieces in `games`.
    pub pieces: u64,
    /// Number of games saved by racing.
    #[serde(skip_serializing_if = "is_zero")]
    pub saved: u64,
    /// Result of the training.
    pub winner: Winner,
    pub(super) threads: usize,
    pub(super) simd: String,
    pub(super) cpu: String,
    pub(super) started: String,
    pub(super) finished: String,
    /// Elapsed seconds; for a resumed training, those of its last part.
    pub elapsed_s: f64,
    /// Seconds of all parts of the training; `None` if a part was killed.
    pub total_s: Option<f64>,
    /// Share of the elapsed time in which no games were played.
    pub outside_share: f64,
    /// Share of the elapsed time in which threads waited for the last games or created players.
    pub idle_share: f64,
    pub(super) resumed: bool,
    pub(super) files: Vec<FileEntry>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
