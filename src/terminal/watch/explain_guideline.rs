//! Why a controller chose a placement in a guideline game.
//!
//! Candidates are scored by themselves, as greedy play does: what they earn and what the matrix after
//! them is worth. A beam looks further and may choose another; the verdict says so.

use super::analysis::{Analysis, Rated, Term, Verdict, rival};
use super::film::Explain;
use super::step::{GuidelineScene, Scene, Step};
use crate::features::guideline::Term as GuidelineTerm;
use crate::placement::SPIN_NAMES;
use crate::rules::guideline::{Landing, Placed, Reach, Spin};
use crate::search::guideline::{Beam, Player, Ranked, SCALE, Terms, Weights, steps};
use crate::sim::guideline::GuidelineConfig;

/// A controller of guideline games that explains its choices.
pub struct GuidelineExplainer {
    config: GuidelineConfig,
    /// Ranks placements by themselves.
    player: Player,
    terms: Terms,
}

/// A placement with its score in steps.
struct Candidate {
    placed: Placed,
    value: i64,
    wins: bool,
}

impl GuidelineExplainer {
    /// Explains the choices of a configuration's controller.
    #[must_use]
    pub fn new(config: &GuidelineConfig) -> GuidelineExplainer {
        let (goal, greedy) = (config.mode.goal(), Beam { width: 1, depth: 1 });
        let reach = Reach::new(config.rules, config.moves, config.level);
        GuidelineExplainer {
            player: Player::new(reach, Weights::new(&config.controller), greedy, goal),
            terms: Terms::new(&config.controller, goal),
            config: config.clone(),
        }
    }

    /// Every placement that does not lose, the one that greedy play chooses first.
    fn ranked(&mut self, scene: &GuidelineScene) -> Vec<Ranked> {
        let mut ranked = self.player.rank(&scene.state, &scene.known, 1);
        ranked.retain(|entry| !entry.placed.lost);
        Ranked::sort_best_first(&mut ranked);
        ranked
    }

    fn candidate(&self, placed: &Placed) -> Candidate {
        let goal = self.config.mode.goal();
        Candidate {
            placed: *placed,
            value: self.player.own(placed),
            wins: goal.is_some_and(|goal| placed.after.lines >= goal),
        }
    }

    fn analyse(&mut self, scene: &GuidelineScene, other: Option<usize>) -> Analysis {
        let ranked = self.ranked(scene);
        let is_chosen = |entry: &Ranked| {
            entry.landing == scene.landing && entry.choice.held == scene.choice.held
        };
        let chosen = ranked.iter().position(is_chosen);
        let other = rival(chosen, other, ranked.len());
        // What a person places need not be among them.
        let mine = self.candidate(&scene.placed);
        let against = other.map(|rank| self.candidate(&ranked[rank].placed));
        Analysis {
            chosen,
            other,
            terms: self.terms(&mine, against.as_ref()),
            scale: SCALE,
            verdict: self.verdict(scene, chosen, &mine, against.as_ref()),
            measured: format!("{}, {}", self.config.controller.measured, self.config.search()),
            candidates: ranked.iter().map(rated).collect(),
        }
    }

    fn terms(&self, mine: &Candidate, other: Option<&Candidate>) -> Vec<Term> {
        let own = self.terms.values(&mine.placed);
        let others = other.map(|other| self.terms.values(&other.placed));
        let term = |(place, &(term, weight)): (usize, &(GuidelineTerm, f64))| {
            let (own, other) = (own[place], others.as_ref().map(|others| others[place]));
            Term {
                name: term.to_string(),
                weight,
                values: [f64::from(own), other.map_or(f64::NAN, f64::from)],
                steps: [steps(weight, own), steps(weight, other.unwrap_or(0))],
            }
        };
        self.terms.weights().iter().enumerate().map(term).collect()
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

fn rated(entry: &Ranked) -> Rated {
    let Landing { piece, state, spin, .. } = entry.landing;
    let state = state.name();
    let held = if entry.choice.held { " hold" } else { "" };
    let spin = match spin {
        Spin::None => String::new(),
        spin => format!(" {}", SPIN_NAMES[spin as usize]),
    };
    let (left, low) = (entry.landing.left(), entry.landing.low());
    Rated {
        place: format!("{piece}{state} column {left} row {low}{spin}{held}"),
        cells: entry.landing.cells(),
        lines: entry.placed.clear.lines,
        score: Some(entry.own as f64 / SCALE),
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
