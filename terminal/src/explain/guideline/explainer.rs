//! Explains a controller's placements in a guideline game.
//!
//! Candidates are scored as in greedy play: by their rewards and the value of the matrix after the
//! placement. A beam search looks further and may choose another placement; the verdict then says
//! so.

use super::GuidelineScene;
use crate::explain::{DecidedBy, Explain, TermDifference};
use crate::features::guideline::Term as GuidelineTerm;
use crate::rules::guideline::MoveGenerator;
use crate::search::guideline::{
    Beam, BeamPlayer, Outlook, RankedLanding, SCALE, Terms, Weights, steps,
};
use crate::search::{Policy, RankedPlacement};
use crate::sim::guideline::GuidelineConfig;

/// An explainer of a guideline controller's choices.
pub struct GuidelineExplainer {
    config: GuidelineConfig,
    /// Greedy player that ranks the possible placements.
    player: BeamPlayer,
    terms: Terms,
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
}

impl Explain for GuidelineExplainer {
    type Scene = GuidelineScene;
    type Candidate = RankedLanding;

    /// Returns every placement that does not lose the game, the greedy choice first.
    fn ranked(&mut self, scene: &GuidelineScene) -> Vec<RankedLanding> {
        let mut ranked = self.player.rank(&scene.state, Outlook::seen(&scene.known));
        ranked.retain(|entry| !entry.placed.lost);
        RankedLanding::sort_best_first(&mut ranked);
        ranked
    }

    fn is_chosen(scene: &GuidelineScene, candidate: &RankedLanding) -> bool {
        (candidate.landing, candidate.choice.held) == (scene.landing, scene.choice.held)
    }

    fn mine(&self, scene: &GuidelineScene, _: Option<&RankedLanding>) -> RankedLanding {
        let GuidelineScene { choice, landing, placed, .. } = *scene;
        RankedLanding { choice, landing, placed, own: self.player.own(&placed), value: None }
    }

    fn described(&self, _: &GuidelineScene, candidate: &RankedLanding) -> RankedPlacement {
        // The terms add up to the score without look-ahead.
        let alone = RankedLanding { value: Some(candidate.own), ..*candidate };
        RankedPlacement::of_guideline(&self.terms, &alone)
    }

    fn terms(
        &mut self,
        scene: &GuidelineScene,
        mine: &RankedLanding,
        other: Option<&RankedLanding>,
    ) -> Vec<TermDifference> {
        let own = self.described(scene, mine);
        let other = other.map(|other| self.described(scene, other));
        let term = |(k, &(term, weight)): (usize, &(GuidelineTerm, f64))| TermDifference {
            name: term.to_string(),
            weight,
            values: [own.values[k], other.as_ref().map_or(f64::NAN, |other| other.values[k])],
            steps: [own.steps[k], other.as_ref().map_or(0, |other| other.steps[k])],
            steps_of_one: steps(weight, 1) as f64,
        };
        self.terms.weights().iter().enumerate().map(term).collect()
    }

    fn scale(&self, _: &RankedLanding) -> f64 {
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
        mine: &RankedLanding,
        other: &RankedLanding,
    ) -> DecidedBy {
        let by = (mine.own - other.own) as f64 / SCALE;
        let goal = self.config.mode.goal().unwrap_or(u32::MAX);
        let wins = [mine, other].map(|it| it.placed.after.lines >= goal);
        let below = (wins[0], mine.own) < (wins[1], other.own);
        match () {
            () if wins == [true, false] => DecidedBy::Wins,
            // A log may lack the value of the beam's line.
            () if below => match scene.value.filter(|_| self.config.beam.depth > 1) {
                Some(line) => DecidedBy::Line(chosen + 1, -by, line as f64 / SCALE),
                None => DecidedBy::Lower(chosen + 1, Some(-by)),
            },
            () if mine.own == other.own => {
                DecidedBy::Tie("the first found is played, without the hold first")
            }
            () => DecidedBy::Better(by),
        }
    }
}
