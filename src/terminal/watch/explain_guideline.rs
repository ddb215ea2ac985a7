//! Why a controller chose a placement in a guideline game.
//!
//! Candidates are scored by themselves, as greedy play does: what they earn and what the matrix after
//! them is worth. A beam looks further and may choose another; the verdict says so.

use std::cmp::Reverse;

use super::analysis::{Analysis, Rated, Term, Verdict, rival};
use super::film::Explain;
use super::step::{GuidelineScene, Scene, Step};
use crate::features::Measured;
use crate::features::guideline::{Measure, Term as GuidelineTerm};
use crate::placement::SPIN_NAMES;
use crate::rules::guideline::{Choice, Landing, Landings, Placed, Reach, Spin};
use crate::search::guideline::{SCALE, Weights};
use crate::sim::guideline::GuidelineConfig;

/// A controller of guideline games that explains its choices.
pub struct GuidelineExplainer {
    config: GuidelineConfig,
    reach: Reach,
    weights: Weights,
}

/// A placement with its score in steps.
struct Candidate {
    choice: Choice,
    landing: Landing,
    placed: Placed,
    value: i64,
    wins: bool,
}

impl GuidelineExplainer {
    /// Explains the choices of a configuration's controller.
    #[must_use]
    pub fn new(config: &GuidelineConfig) -> GuidelineExplainer {
        GuidelineExplainer {
            reach: Reach::new(config.rules, config.moves, config.level),
            weights: Weights::new(&config.controller),
            config: config.clone(),
        }
    }

    /// Every placement that does not lose, the one that greedy play chooses first.
    fn candidates(&self, scene: &GuidelineScene) -> Vec<Candidate> {
        let mut list = Landings::default();
        let mut found = Vec::new();
        for choice in scene.state.choices(&self.config.rules, &scene.known).into_iter().flatten() {
            self.reach.landings(&scene.state.matrix, choice.piece, &mut list);
            found.extend(list.iter().map(|landing| self.candidate(scene, choice, landing)));
        }
        found.retain(|candidate| !candidate.placed.lost);
        found.sort_by_key(|candidate| Reverse((candidate.wins, candidate.value)));
        found
    }

    fn candidate(&self, scene: &GuidelineScene, choice: Choice, landing: Landing) -> Candidate {
        let goal = self.config.mode.goal();
        let placed = scene.state.place(&self.config.rules, &choice, landing);
        let value = self.weights.earned(&placed.act) + self.weights.board(&placed, goal);
        let wins = goal.is_some_and(|goal| placed.after.lines >= goal);
        Candidate { choice, landing, placed, value, wins }
    }

    fn analyse(&self, scene: &GuidelineScene, other: Option<usize>) -> Analysis {
        let candidates = self.candidates(scene);
        let is_chosen = |candidate: &Candidate| {
            candidate.landing == scene.landing && candidate.choice.held == scene.choice.held
        };
        let chosen = candidates.iter().position(is_chosen);
        let other = rival(chosen, other, candidates.len());
        let mine = self.candidate(scene, scene.choice, scene.landing);
        let against = other.map(|rank| &candidates[rank]);
        let terms = self.config.controller.weights.iter();
        Analysis {
            chosen,
            other,
            terms: terms.map(|&(term, weight)| self.term(term, weight, &mine, against)).collect(),
            scale: SCALE,
            verdict: self.verdict(scene, chosen, &mine, against),
            measured: format!("{}, {}", self.config.controller.measured, self.config.search()),
            candidates: candidates.iter().map(rated).collect(),
        }
    }

    fn term(
        &self,
        term: GuidelineTerm,
        weight: f64,
        mine: &Candidate,
        other: Option<&Candidate>,
    ) -> Term {
        let steps = (weight * SCALE).round() as i64;
        let own = self.value(term, &mine.placed);
        let others = other.map(|other| self.value(term, &other.placed));
        Term {
            name: term.to_string(),
            weight,
            values: [f64::from(own), others.map_or(f64::NAN, f64::from)],
            steps: [steps * i64::from(own), steps * i64::from(others.unwrap_or(0))],
        }
    }

    fn value(&self, term: GuidelineTerm, placed: &Placed) -> i32 {
        let before = self.config.controller.measured == Measured::BeforeClear;
        let matrix = if before { &placed.locked } else { &placed.after.matrix };
        let goal = self.config.mode.goal();
        let left = goal.map(|goal| goal.saturating_sub(placed.after.lines));
        match term.definition().measure {
            Measure::Act(function) => function(&placed.act),
            Measure::BackToBack => placed.after.chain.back_to_back.into(),
            Measure::Matrix(_) | Measure::Goal(_) => term.of_matrix(matrix, left).unwrap_or(0),
        }
    }

    fn verdict(
        &self,
        scene: &GuidelineScene,
        chosen: Option<usize>,
        mine: &Candidate,
        other: Option<&Candidate>,
    ) -> Verdict {
        if scene.value.is_none() && self.config.finisher > 0 {
            return Verdict::Planned;
        }
        let Some(rank) = chosen else { return Verdict::Unknown };
        let Some(other) = other else { return Verdict::Only };
        let by = (mine.value - other.value) as f64 / SCALE;
        let below = (mine.wins, mine.value) < (other.wins, other.value);
        match () {
            () if mine.wins && !other.wins => Verdict::Wins,
            // A log may lack the value of the line.
            () if below => match scene.value.filter(|_| self.config.beam.depth > 1) {
                Some(line) => Verdict::Line(rank + 1, -by, line as f64 / SCALE),
                None => Verdict::Lower(rank + 1, Some(-by)),
            },
            () if mine.value == other.value => {
                Verdict::Tie("the first found, without the hold first, is played")
            }
            () => Verdict::Better(by),
        }
    }
}

fn rated(candidate: &Candidate) -> Rated {
    let Landing { piece, state, spin, .. } = candidate.landing;
    let state = state.name();
    let held = if candidate.choice.held { " hold" } else { "" };
    let spin = match spin {
        Spin::None => String::new(),
        spin => format!(" {}", SPIN_NAMES[spin as usize]),
    };
    let (left, low) = (candidate.landing.left(), candidate.landing.low());
    Rated {
        place: format!("{piece}{state} column {left} row {low}{spin}{held}"),
        cells: candidate.landing.cells(),
        lines: candidate.placed.clear.lines,
        score: Some(candidate.value as f64 / SCALE),
        lost: false,
    }
}

impl Explain for GuidelineExplainer {
    fn explain(&mut self, step: &Step, other: Option<usize>) -> Option<Analysis> {
        match &step.scene {
            Scene::Guideline(scene) => Some(self.analyse(scene, other)),
            Scene::Classic(_) => None,
        }
    }
}
