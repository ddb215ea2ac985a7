//! Rebuilds classic games from their logs, and explains placements that controllers chose.
//!
//! Under searches that look ahead (`next`, `expect`), a score is the placement's rewards plus the
//! mean value of the best answers, placements of the possible next pieces.

use super::{
    Analysis, DecidedBy, LOST_BEFORE, Rebuilt, StepView, Watched, WatchedStep, compare_terms,
    compared_rank,
};
use crate::board::Board;
use crate::controller::Tie;
use crate::kernels::Level;
use crate::placement::{Placement, Placements};
use crate::prelude::*;
use crate::record::{EndReason, LoggedRow, PlacementRecord};
use crate::rules::{GarbageRows, Outcome};
use crate::search::{Player, Ranked, Search, Value};
use crate::sim::ClassicConfig;

/// A placement in a classic game (no hold, no score), with the board before it, for explanations.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicScene {
    pub board: Board,
    /// Next piece after the placed one, or `None` if the search did not know it.
    pub next: Option<Piece>,
    pub outcome: Outcome,
}

#[derive(Clone, Debug)]
pub struct LoggedClassic {
    board: Board,
    garbage: Option<Box<GarbageRows>>,
    lines_total: u64,
    lost: bool,
}

pub struct ClassicExplainer {
    player: Player,
    /// Greedy player that finds the next piece's best placement, for searches with look-ahead.
    answerer: Player,
}

impl Watched for ClassicConfig {
    type Scene = ClassicScene;
    type Logged = LoggedClassic;
    type Explainer = ClassicExplainer;

    fn title(&self, game: u64) -> String {
        let ClassicConfig { controller, rules, size, queue, search, policy, seed, .. } = self;
        let (name, policy) = (&controller.name, policy.label(" · "));
        let played = format!("{name} · {rules} {size} · {queue} · {search}{policy}");
        format!("{played} · seed {seed} · game {game}")
    }

    fn first_state(&self, game: u64) -> LoggedClassic {
        let (board, garbage) = self.start_board(game);
        LoggedClassic { board, garbage, lines_total: 0, lost: false }
    }

    fn step_of(placed: &PlacementRecord, (): ()) -> WatchedStep<ClassicScene> {
        let &PlacementRecord { before, next, decision, piece_no, lines_total, .. } = placed;
        let scene = ClassicScene { board: before, next, outcome: decision.outcome };
        WatchedStep { piece_no, lines_total, scene }
    }

    fn describe_end(end: EndReason) -> &'static str {
        match end {
            EndReason::TopOut => "game over: the stack is above the top row",
            EndReason::SpawnBlocked => "game over: the next piece cannot enter",
            EndReason::PieceLimit => "the limit of pieces is reached",
            EndReason::LineLimit => "the limit of lines is reached",
            EndReason::Interrupted => "stopped",
        }
    }

    fn rebuild(&self, state: &mut LoggedClassic, row: &LoggedRow) -> Result<Rebuilt<ClassicScene>> {
        let piece_no = row.integer("piece_no")? as u64;
        let piece = row.need("piece", row.piece("piece"))?;
        let (orientation, column) = (row.small("orientation")?, row.small("column")?);
        if state.lost {
            return Ok(Err(LOST_BEFORE.to_owned()));
        }
        let (placements, mut list) = (Placements::new(self.size.width()), Vec::new());
        self.rules.candidates(&placements, &state.board, piece, &mut list);
        let placement = Placement { orientation, column };
        let Some(&candidate) = list.iter().find(|possible| possible.placement == placement) else {
            return Ok(Err(format!(
                "{piece} can't be placed with orientation {orientation} in column {column}"
            )));
        };
        let outcome = self.rules.play(&state.board, piece, candidate);
        let Outcome { mut after, played, mut lost, .. } = outcome;
        let lines_total = state.lines_total + u64::from(played.lines);
        let same = row.check(&[
            ("landing_row", candidate.row.to_string()),
            ("lines", played.lines.to_string()),
            ("lines_total", lines_total.to_string()),
            ("lost", u8::from(lost).to_string()),
            ("board", after.to_hex()),
        ]);
        let scene = ClassicScene { board: state.board, next: row.piece("next_1"), outcome };
        if let Some(garbage) = &mut state.garbage {
            (_, lost) = self.update_garbage(garbage, &mut after, &outcome);
        }
        *state = LoggedClassic { board: after, garbage: state.garbage.take(), lines_total, lost };
        Ok(same.map(|()| WatchedStep { piece_no, lines_total, scene }))
    }

    fn state_after(&self, row: &LoggedRow) -> Option<LoggedClassic> {
        if self.garbage.every.is_some() {
            return None;
        }
        let board = Board::from_hex(self.size, &row.text("board")?).ok()?;
        let lines_total = u64::try_from(row.whole("lines_total")?).ok()?;
        let lost = row.whole("lost") == Some(1);
        Some(LoggedClassic { board, garbage: None, lines_total, lost })
    }

    fn ending(&self, _: &Path, _: u64, _: u64, lost: bool) -> String {
        let end = if lost { Self::describe_end(EndReason::TopOut) } else { "the log ends here" };
        end.to_owned()
    }

    fn explainer(&self) -> Result<Option<ClassicExplainer>> {
        let player =
            |search| Player::new(&self.controller, self.rules, search, self.size, Level::detect());
        let (player, answerer) = (player(self.search)?, player(Search::Greedy)?);
        Ok(Some(ClassicExplainer { player, answerer }))
    }

    fn explain(
        &self,
        explainer: &mut ClassicExplainer,
        scene: &ClassicScene,
        other: Option<usize>,
    ) -> Analysis {
        let (stack, played) = (scene.board.stack_height(), &scene.outcome.played);
        let ranked = explainer.player.rank_best_first(&scene.board, played.piece, scene.next);
        let is_chosen = |entry: &Ranked| entry.outcome.played.candidate == played.candidate;
        let chosen = ranked.iter().position(is_chosen);
        let other = compared_rank(chosen, other, ranked.len());
        let unranked = Ranked { outcome: scene.outcome, value: Value::LOST };
        let mine = chosen.map_or(unranked, |rank| ranked[rank]);
        let against = other.map(|rank| ranked[rank]);
        let (own, answered) = with_answers(self, explainer, scene, &mine);
        let others = against.map(|against| {
            let (mut others, count) = with_answers(self, explainer, scene, &against);
            // Sums over different numbers of answers are not comparable, so the means are compared.
            others.steps.iter_mut().for_each(|steps| *steps = *steps * answered / count);
            others
        });
        let scorer = explainer.player.scorer();
        let exact = self.controller.weights_at(stack).into_iter().zip(scorer.terms(stack));
        let mut terms: Vec<(String, f64, f64)> = Vec::new();
        for ((feature, weight), &(_, steps)) in exact {
            let units = feature.definition().unit.denominator(scene.board.width());
            let steps_per_unit = (steps * answered) as f64 * f64::from(units);
            terms.push((feature.to_string(), weight, steps_per_unit));
        }
        if scorer.patterns().is_some() {
            terms.push(("patterns".to_owned(), 1.0, answered as f64 * scorer.scale()));
        }
        let scale = scorer.scale() * f64::from(mine.value.answered.max(1));
        let verdict = match (chosen, against) {
            (None, _) => DecidedBy::Unknown,
            (Some(_), None) => DecidedBy::Only,
            (Some(0), _) if mine.outcome.lost => DecidedBy::AllLose,
            (Some(chosen), Some(other)) if chosen > 0 && mine.value < other.value => {
                let below = other.value.margin(mine.value, scorer.scale());
                DecidedBy::Lower(chosen + 1, below)
            }
            (_, Some(other)) if other.outcome.lost => DecidedBy::OtherLoses,
            (_, Some(other)) if mine.value.unanswered != other.value.unanswered => {
                DecidedBy::Answered(mine.value.answered, other.value.answered)
            }
            (_, Some(other)) if mine.value == other.value => {
                DecidedBy::Tie(match self.controller.tie {
                    Tie::First => "the first by orientation, then column, is played",
                    Tie::Dellacherie => "Dellacherie's rule, far from the spawn and left first",
                })
            }
            (_, Some(other)) => {
                DecidedBy::Better((mine.value.sum - other.value.sum) as f64 / scale)
            }
        };
        let described = |entry| RankedPlacement::from_classic(&explainer.player, stack, entry);
        Analysis {
            terms: compare_terms(terms, &own, others.as_ref()),
            scale,
            measured: self.measured(Some(scene)),
            candidates: ranked.iter().map(described).collect(),
            chosen,
            other,
            verdict,
        }
    }

    fn measured(&self, scene: Option<&ClassicScene>) -> String {
        let clear = self.controller.measured;
        match (self.search, scene.map(|scene| scene.next)) {
            (Search::Expect, _) => format!("{clear}, mean over the best answers of 7 pieces"),
            (Search::Next, None) => format!("{clear}, with the best answer of the next piece"),
            (Search::Next, Some(Some(next))) => format!("{clear}, with the best answer of {next}"),
            _ => clear.to_string(),
        }
    }

    fn view(scene: &ClassicScene) -> StepView {
        let ClassicScene { board, next, outcome } = scene;
        let (piece, lines) = (outcome.played.piece, outcome.played.lines);
        StepView {
            before: *board,
            height: board.height(),
            piece,
            cells: outcome.played.candidate.cells(piece),
            lines,
            lost: outcome.lost,
            score: None,
            next: next.iter().copied().collect(),
            hold: None,
            after: outcome.after,
        }
    }
}

/// Adds the mean features of the possible next pieces' best placements to a placement's rewards.
/// Returns also how many next pieces can be placed without a loss; 1 if none or without look-ahead.
fn with_answers(
    config: &ClassicConfig,
    explainer: &mut ClassicExplainer,
    scene: &ClassicScene,
    ranked: &Ranked,
) -> (RankedPlacement, i64) {
    let ClassicExplainer { player, answerer } = explainer;
    let stack = scene.board.stack_height();
    let own = RankedPlacement::from_classic(player, stack, ranked);
    let pieces: &[Piece] = match (config.search, &scene.next) {
        (Search::Expect, _) => &Piece::ALL,
        (Search::Next, Some(next)) => std::slice::from_ref(next),
        _ => &[],
    };
    let (mut values, mut steps) = (vec![0.0; own.values.len()], vec![0; own.steps.len()]);
    let mut answered = 0;
    for &piece in pieces.iter().filter(|_| !own.lost) {
        let answers = answerer.rank(&own.after, piece, None);
        let survivors = answers.iter().filter(|answer| !answer.outcome.lost);
        let Some(best) = survivors.max_by_key(|answer| answer.value) else { continue };
        let best = RankedPlacement::from_classic(player, stack, best);
        answered += 1;
        // The value of the patterns, after those of the features, is no reward.
        let rewards = config.controller.features().map(|feature| feature.is_reward());
        for (k, is_reward) in rewards.chain([false]).take(steps.len()).enumerate() {
            let reward = if is_reward { (own.values[k], own.steps[k]) } else { (0.0, 0) };
            values[k] += reward.0 + best.values[k];
            steps[k] += reward.1 + best.steps[k];
        }
    }
    if answered == 0 {
        return (own, 1);
    }
    values.iter_mut().for_each(|value| *value /= answered as f64);
    (RankedPlacement { values, steps, ..own }, answered)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::BoardSize;
    use crate::controller::{Controller, PatternWindow, Patterns, TableRows, WindowPlaces};
    use crate::rules::Rules;

    fn scene(
        player: &mut Player,
        board: Board,
        piece: Piece,
        next: Option<Piece>,
    ) -> Option<ClassicScene> {
        let outcome = player.decide(&board, piece, next)?.outcome;
        Some(ClassicScene { board, next, outcome })
    }

    fn config_of(
        controller: &Controller,
        rules: Rules,
        search: Search,
        size: BoardSize,
    ) -> ClassicConfig {
        ClassicConfig { rules, search, ..ClassicConfig::new(controller.clone(), size) }
    }

    fn explain(config: &ClassicConfig, scene: &ClassicScene, other: Option<usize>) -> Analysis {
        config.explain(&mut config.explainer().unwrap().unwrap(), scene, other)
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
            let analysis =
                explain(&config_of(&controller, rules, Search::Greedy, size), &chosen, None);
            assert_eq!(analysis.gains(), 0);
            assert!(analysis.verdict.to_string().contains(word), "{}", analysis.verdict);
        }
    }

    /// Checks a score difference by hand: Lee's weights, times 4 full rows and a height step of 5.
    #[test]
    fn the_difference_by_hand() {
        let size = BoardSize::new(5, 12).unwrap();
        let board = Board::from_rows(size, &[0b01111; 4]).unwrap();
        let lee = Controller::load("lee").unwrap();
        let rules = Rules::simplified();
        let mut player = Player::new(&lee, rules, Search::Greedy, size, Level::detect()).unwrap();
        let chosen = scene(&mut player, board, Piece::I, None).unwrap();
        let config = config_of(&lee, rules, Search::Greedy, size);
        let analysis = explain(&config, &chosen, None);
        assert_eq!((analysis.chosen, analysis.candidates[0].lines), (Some(0), 4));
        let flat = analysis.candidates.iter().position(|c| c.place() == "turn 1 column 0").unwrap();
        let analysis = explain(&config, &chosen, Some(flat));
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
            let config = config_of(&controller, rules, search, size);
            let ranked = player.rank_best_first(&board, Piece::ALL[piece], next);
            let analysis = explain(&config, &chosen, Some(other));
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
