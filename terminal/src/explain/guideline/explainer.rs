//! Explains a controller's placements in a guideline game.
//!
//! Candidates are scored as in greedy play: by their rewards and the value of the matrix after the
//! placement. A beam search looks further and may choose another placement; the verdict then says
//! so.

use super::GuidelineScene;
use crate::explain::{DecidedBy, Explain, ScoredPlacement, TermDifference};
use crate::features::guideline::Term as GuidelineTerm;
use crate::rules::guideline::{Landing, MoveGenerator, Placed, Spin};
use crate::search::Policy;
use crate::search::guideline::{
    Beam, BeamPlayer, Outlook, RankedLanding, SCALE, Terms, Weights, steps,
};
use crate::sim::guideline::GuidelineConfig;

/// An explainer of a guideline controller's choices.
pub struct GuidelineExplainer {
    config: GuidelineConfig,
    /// Greedy player that ranks the possible placements.
    player: BeamPlayer,
    terms: Terms,
}

/// A placement with its score in steps.
pub struct ScoredLanding {
    landing: Landing,
    held: bool,
    placed: Placed,
    value: i64,
    wins: bool,
}

impl GuidelineExplainer {
    /// Creates an explainer for the configuration's controller.
    #[must_use]
    pub fn new(config: &GuidelineConfig) -> GuidelineExplainer {
        // The terms add up to greedy scores only. The deeper search of a beam affects only the
        // verdict.
        let (goal, greedy) = (config.mode.goal(), Beam::GREEDY);
        let movegen = MoveGenerator::new(*config.rules, config.moves, config.level);
        GuidelineExplainer {
            player: BeamPlayer::new(movegen, Weights::new(&config.controller), greedy, goal),
            terms: Terms::new(&config.controller, goal),
            config: config.clone(),
        }
    }

    fn candidate(&self, landing: Landing, held: bool, placed: Placed) -> ScoredLanding {
        let goal = self.config.mode.goal();
        let wins = goal.is_some_and(|goal| placed.after.lines >= goal);
        ScoredLanding { landing, held, value: self.player.own(&placed), wins, placed }
    }
}

impl Explain for GuidelineExplainer {
    type Scene = GuidelineScene;
    type Candidate = ScoredLanding;

    /// Returns every placement that does not lose the game, the greedy choice first.
    fn ranked(&mut self, scene: &GuidelineScene) -> Vec<ScoredLanding> {
        let mut ranked = self.player.rank(&scene.state, Outlook::seen(&scene.known));
        ranked.retain(|entry| !entry.placed.lost);
        RankedLanding::sort_best_first(&mut ranked);
        let candidate =
            |entry: RankedLanding| self.candidate(entry.landing, entry.choice.held, entry.placed);
        ranked.into_iter().map(candidate).collect()
    }

    fn is_chosen(scene: &GuidelineScene, candidate: &ScoredLanding) -> bool {
        (candidate.landing, candidate.held) == (scene.landing, scene.choice.held)
    }

    fn mine(&self, scene: &GuidelineScene, _: Option<&ScoredLanding>) -> ScoredLanding {
        self.candidate(scene.landing, scene.choice.held, scene.placed)
    }

    fn rated(&self, candidate: &ScoredLanding) -> ScoredPlacement {
        let Landing { piece, state, spin, .. } = candidate.landing;
        let state = state.name();
        let held = if candidate.held { " hold" } else { "" };
        let spin = match spin {
            Spin::None => String::new(),
            spin => format!(" {}", spin.name()),
        };
        let (left, low) = (candidate.landing.left(), candidate.landing.low());
        ScoredPlacement {
            place: format!("{piece}{state} column {left} row {low}{spin}{held}"),
            cells: candidate.landing.cells(),
            lines: candidate.placed.clear.lines,
            score: Some(candidate.value as f64 / SCALE),
            lost: false,
        }
    }

    fn terms(
        &mut self,
        _: &GuidelineScene,
        mine: &ScoredLanding,
        other: Option<&ScoredLanding>,
    ) -> Vec<TermDifference> {
        let own = self.terms.values(&mine.placed);
        let others = other.map(|other| self.terms.values(&other.placed));
        let term = |(place, &(term, weight)): (usize, &(GuidelineTerm, f64))| {
            let (own, other) = (own[place], others.as_ref().map(|others| others[place]));
            TermDifference {
                name: term.to_string(),
                weight,
                values: [f64::from(own), other.map_or(f64::NAN, f64::from)],
                steps: [steps(weight, own), steps(weight, other.unwrap_or(0))],
                steps_of_one: steps(weight, 1) as f64,
            }
        };
        self.terms.weights().iter().enumerate().map(term).collect()
    }

    fn scale(&self, _: &ScoredLanding) -> f64 {
        SCALE
    }

    fn measured(&self, _: Option<&GuidelineScene>) -> String {
        format!("{}, {}", self.config.controller.measured, self.config.beam.name())
    }

    fn is_planned(&self, scene: &GuidelineScene) -> bool {
        // A placement that a policy drew may lack a value, too.
        let is_best = self.config.policy == Policy::Best;
        is_best && scene.value.is_none() && self.config.finisher > 0
    }

    fn verdict(
        &self,
        scene: &GuidelineScene,
        chosen: usize,
        mine: &ScoredLanding,
        other: &ScoredLanding,
    ) -> DecidedBy {
        let by = (mine.value - other.value) as f64 / SCALE;
        let below = (mine.wins, mine.value) < (other.wins, other.value);
        match () {
            () if mine.wins && !other.wins => DecidedBy::Wins,
            // A log may lack the value of the beam's line.
            () if below => match scene.value.filter(|_| self.config.beam.depth > 1) {
                Some(line) => DecidedBy::Line(chosen + 1, -by, line as f64 / SCALE),
                None => DecidedBy::Lower(chosen + 1, Some(-by)),
            },
            () if mine.value == other.value => {
                DecidedBy::Tie("the first found is played, without the hold first")
            }
            () => DecidedBy::Better(by),
        }
    }
}
