//! Explains a controller's placements under the classic rules.
//!
//! An answer is a placement of the piece after the explained one. Under `next` and `expect`, a
//! score adds the placement's own rewards and the value of the best answers. The values of the
//! terms cover both parts, as means over the pieces that have an answer.

use super::ClassicScene;
use crate::board::BoardSize;
use crate::controller::{Controller, Tie};
use crate::error::Result;
use crate::explain::{DecidedBy, Explain, TermDifference};
use crate::kernels::Level;
use crate::piece::Piece;
use crate::rules::{Outcome, Rules};
use crate::search::{Player, Ranked, RankedPlacement, Search, Value};

/// An explainer of a controller's choices.
pub struct ClassicExplainer {
    controller: Controller,
    search: Search,
    /// Player that ranks placements as in play.
    player: Player,
    /// Greedy player that finds the best placement of the next piece.
    answerer: Player,
}

/// The raw values of the terms of a placement and then of the patterns, if there are any. They are
/// summed over the next pieces that have an answer.
struct TermSums {
    raw: Vec<i64>,
    answered: i64,
}

impl ClassicExplainer {
    /// Creates an explainer of a controller's choices.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] if the controller does not fit the board.
    pub fn new(
        controller: &Controller,
        rules: Rules,
        search: Search,
        size: BoardSize,
    ) -> Result<ClassicExplainer> {
        let player = |search| Player::new(controller, rules, search, size, Level::detect());
        Ok(ClassicExplainer {
            controller: controller.clone(),
            search,
            player: player(search)?,
            answerer: player(Search::Greedy)?,
        })
    }

    /// Returns the raw values of all terms, summed over the best answers to the placement `ranked`.
    /// `next` is the known next piece.
    fn parts(&mut self, ranked: &Ranked, next: Option<Piece>) -> TermSums {
        let own = self.raw(&ranked.outcome);
        let pieces: &[Piece] = match (self.search, &next) {
            (Search::Expect, _) => &Piece::ALL,
            (Search::Next, Some(next)) => std::slice::from_ref(next),
            _ => &[],
        };
        let mut sums = TermSums { raw: vec![0; own.len()], answered: 0 };
        for &piece in pieces.iter().filter(|_| !ranked.outcome.lost) {
            let Some(answer) = self.answer(&ranked.outcome, piece) else { continue };
            sums.answered += 1;
            // The value of the patterns, after those of the features, is no reward.
            let rewards = self.controller.features().map(|feature| feature.is_reward());
            for (k, is_reward) in rewards.chain([false]).take(own.len()).enumerate() {
                sums.raw[k] += if is_reward { own[k] } else { 0 } + answer[k];
            }
        }
        if sums.answered == 0 { TermSums { raw: own, answered: 1 } } else { sums }
    }

    /// Returns the raw values of the terms for the best answer with `piece`, or `None` if every
    /// answer loses the game.
    fn answer(&mut self, outcome: &Outcome, piece: Piece) -> Option<Vec<i64>> {
        let answers = self.answerer.rank(&outcome.after, piece, None);
        let survivors = answers.iter().filter(|answer| !answer.outcome.lost);
        let best = survivors.max_by_key(|answer| answer.value)?;
        Some(self.raw(&best.outcome))
    }

    fn raw(&self, outcome: &Outcome) -> Vec<i64> {
        let measured = self.player.measured_board(outcome);
        let features = self.controller.features();
        let values = features
            .map(|feature| feature.raw(measured, Some(&outcome.played)).unwrap_or(0).into());
        let patterns = self.controller.patterns.as_ref();
        values.chain(patterns.map(|patterns| patterns.value(measured))).collect()
    }

    fn tie(&self) -> &'static str {
        match self.controller.tie {
            Tie::First => "the first by orientation, then column, is played",
            Tie::Dellacherie => "Dellacherie's rule, far from the spawn and left first",
        }
    }
}

impl Explain for ClassicExplainer {
    type Scene = ClassicScene;
    type Candidate = Ranked;

    fn ranked(&mut self, scene: &ClassicScene) -> Vec<Ranked> {
        self.player.rank_best_first(&scene.board, scene.outcome.played.piece, scene.next)
    }

    fn is_chosen(scene: &ClassicScene, candidate: &Ranked) -> bool {
        candidate.outcome.played.candidate == scene.outcome.played.candidate
    }

    fn mine(&self, scene: &ClassicScene, ranked: Option<&Ranked>) -> Ranked {
        Ranked { outcome: scene.outcome, value: ranked.map_or(Value::LOST, |ranked| ranked.value) }
    }

    fn described(&self, scene: &ClassicScene, candidate: &Ranked) -> RankedPlacement {
        RankedPlacement::of_classic(&self.player, scene.board.stack_height(), candidate)
    }

    fn terms(
        &mut self,
        scene: &ClassicScene,
        mine: &Ranked,
        other: Option<&Ranked>,
    ) -> Vec<TermDifference> {
        let own = self.parts(mine, scene.next);
        let others = other.map(|other| self.parts(other, scene.next));
        let width = mine.outcome.after.width();
        let stack = scene.board.stack_height();
        let exact = self.player.scorer().terms(stack);
        let mut terms = Vec::with_capacity(exact.len() + 1);
        for (k, (feature, weight)) in self.controller.weights_at(stack).into_iter().enumerate() {
            let units = f64::from(feature.definition().unit.denominator(width));
            let value = |parts: &TermSums| parts.raw[k] as f64 / units / parts.answered as f64;
            // Sums over different numbers of answers are not comparable, so the means are compared.
            let of = |parts: &TermSums| exact[k].1 * parts.raw[k] * own.answered / parts.answered;
            terms.push(TermDifference {
                name: feature.to_string(),
                weight,
                values: [value(&own), others.as_ref().map_or(f64::NAN, value)],
                steps: [of(&own), others.as_ref().map_or(0, of)],
                steps_of_one: (exact[k].1 * own.answered) as f64 * units,
            });
        }
        if let Some((_, weight)) = self.player.scorer().patterns() {
            let k = exact.len();
            let scale = self.player.scorer().scale();
            let of = |parts: &TermSums| weight * parts.raw[k] * own.answered / parts.answered;
            let value =
                |parts: &TermSums| (weight * parts.raw[k]) as f64 / scale / parts.answered as f64;
            terms.push(TermDifference {
                name: "patterns".to_owned(),
                weight: 1.0,
                values: [value(&own), others.as_ref().map_or(f64::NAN, value)],
                steps: [of(&own), others.as_ref().map_or(0, of)],
                steps_of_one: own.answered as f64 * scale,
            });
        }
        terms
    }

    fn scale(&self, mine: &Ranked) -> f64 {
        self.player.scorer().scale() * f64::from(mine.value.answered.max(1))
    }

    fn measured(&self, scene: Option<&ClassicScene>) -> String {
        let clear = self.controller.measured;
        let next = scene.map(|scene| scene.next);
        match (self.search, next) {
            (Search::Expect, _) => format!("{clear}, mean over the best answers of 7 pieces"),
            (Search::Next, None) => format!("{clear}, with the best answer of the next piece"),
            (Search::Next, Some(Some(next))) => format!("{clear}, with the best answer of {next}"),
            _ => clear.to_string(),
        }
    }

    fn verdict(&self, _: &ClassicScene, chosen: usize, mine: &Ranked, other: &Ranked) -> DecidedBy {
        let margin = mine.value.margin(other.value, self.player.scorer().scale());
        match () {
            () if mine.outcome.lost && chosen == 0 => DecidedBy::AllLose,
            () if chosen > 0 && mine.value < other.value => {
                DecidedBy::Lower(chosen + 1, margin.map(|margin| -margin))
            }
            () if other.outcome.lost => DecidedBy::OtherLoses,
            () if mine.value.unanswered != other.value.unanswered => {
                DecidedBy::Answered(mine.value.answered, other.value.answered)
            }
            () if mine.value == other.value => DecidedBy::Tie(self.tie()),
            () => DecidedBy::Better((mine.value.sum - other.value.sum) as f64 / self.scale(mine)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::controller::{PatternWindow, Patterns, TableRows, WindowPlaces};
    use proptest::prelude::*;

    fn scene(
        player: &mut Player,
        board: Board,
        piece: Piece,
        next: Option<Piece>,
    ) -> Option<ClassicScene> {
        let outcome = player.decide(&board, piece, next)?.outcome;
        Some(ClassicScene { board, next, outcome })
    }

    fn with_tie(tie: Tie) -> Controller {
        Controller { tie, ..Controller::load("dellacherie").unwrap() }
    }

    #[test]
    fn a_tie_is_told_with_its_rule() {
        let size = BoardSize::new(10, 20).unwrap();
        for (tie, word) in [(Tie::First, "first"), (Tie::Dellacherie, "Dellacherie")] {
            let controller = with_tie(tie);
            let rules = Rules::simplified();
            let mut player =
                Player::new(&controller, rules, Search::Greedy, size, Level::detect()).unwrap();
            let chosen = scene(&mut player, Board::empty(size), Piece::O, None).unwrap();
            let mut explainer =
                ClassicExplainer::new(&controller, rules, Search::Greedy, size).unwrap();
            let analysis = explainer.explain(&chosen, None);
            assert_eq!(analysis.gains(), 0);
            assert!(analysis.verdict.to_string().contains(word), "{}", analysis.verdict);
        }
    }

    /// Compares two placements of an I beside a wall of four rows with values by hand (Lee's
    /// weights, before clearing). Both have a height sum of 20 and no hole. The tetris has 4 full
    /// rows, and the flat one a step of 5.
    #[test]
    fn the_difference_by_hand() {
        let size = BoardSize::new(5, 12).unwrap();
        let board = Board::from_rows(size, &[0b01111; 4]).unwrap();
        let lee = Controller::load("lee").unwrap();
        let rules = Rules::simplified();
        let mut player = Player::new(&lee, rules, Search::Greedy, size, Level::detect()).unwrap();
        let chosen = scene(&mut player, board, Piece::I, None).unwrap();
        let mut explainer = ClassicExplainer::new(&lee, rules, Search::Greedy, size).unwrap();
        let analysis = explainer.explain(&chosen, None);
        assert_eq!((analysis.chosen, analysis.candidates[0].lines), (Some(0), 4));
        let flat = analysis.candidates.iter().position(|c| c.place() == "turn 1 column 0").unwrap();
        let analysis = explainer.explain(&chosen, Some(flat));
        let by_hand = 4.0 * 0.760_666 + 5.0 * 0.184_483;
        let DecidedBy::Better(by) = analysis.verdict else { panic!("{:?}", analysis.verdict) };
        assert!((by - by_hand).abs() < 1e-9, "{by} {by_hand}");
        let gains: f64 = analysis.terms.iter().map(|term| analysis.gain(term)).sum();
        assert!((gains - by_hand).abs() < 1e-9, "{gains} {by_hand}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn gains_add_up_to_the_difference_of_scores(
            rows in prop::collection::vec(0..63u16, 0..9),
            (piece, next, search, name) in (0..7usize, 0..7usize, 0..3usize, 0..4usize),
            (standard, other, has_patterns) in (any::<bool>(), 0..12usize, any::<bool>()),
        ) {
            let size = BoardSize::new(6, 10).unwrap();
            let board = Board::from_rows(size, &rows).unwrap();
            let search = [Search::Greedy, Search::Next, Search::Expect][search];
            let name = ["bcts", "lee", "dellacherie", "notebook-8"][name];
            let mut controller = Controller::load(name).unwrap();
            controller.patterns = has_patterns.then(|| {
                let window = PatternWindow {
                    cells: "2x1".to_owned(),
                    at: WindowPlaces::Everywhere,
                    mirror: false,
                    rows: TableRows::Shared,
                };
                Patterns::new(&[window], 0.5, size, (-10..10).collect()).unwrap()
            });
            let rules = if standard { Rules::standard() } else { Rules::simplified() };
            let next = (search == Search::Next).then_some(Piece::ALL[next]);
            let level = Level::detect();
            let mut player = Player::new(&controller, rules, search, size, level).unwrap();
            let Some(chosen) = scene(&mut player, board, Piece::ALL[piece], next) else {
                return Ok(());
            };
            let mut explainer = ClassicExplainer::new(&controller, rules, search, size).unwrap();
            let ranked = player.rank_best_first(&board, Piece::ALL[piece], next);
            let analysis = explainer.explain(&chosen, Some(other));
            prop_assert_eq!(analysis.chosen, Some(0));
            let Some(other) = analysis.other else { return Ok(()) };
            let (mine, others) = (ranked[0].value, ranked[other].value);
            if mine != Value::LOST && others != Value::LOST && mine.answered == others.answered {
                prop_assert_eq!(analysis.gains(), mine.sum - others.sum);
                let own: i64 = analysis.terms.iter().map(|term| term.steps[0]).sum();
                prop_assert_eq!(own, mine.sum);
            }
        }
    }
}
