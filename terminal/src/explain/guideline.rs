//! Rebuilds guideline games from their logs, and explains placements that controllers chose.
//!
//! Candidates are scored as in greedy play. A beam search looks further and may choose another
//! placement; the verdict then says so.

use super::{
    Analysis, DecidedBy, LOST_BEFORE, Rebuilt, StepView, Watched, WatchedStep, compare_terms,
    compared_rank,
};
use crate::board::{Board, BoardSize};
use crate::features::guideline::PICTURED_ROWS;
use crate::matrix::{Matrix, VISIBLE, WIDTH};
use crate::prelude::*;
use crate::queue::QueueKind;
use crate::record::{GuidelineDecision, GuidelineEnd, GuidelinePlacement, LoggedRow, logged_end};
use crate::rules::GarbageRows;
use crate::rules::guideline::{
    Choice, Clear, ComboState, Guideline, GuidelineState, MAX_PREVIEWS, MoveGenerator, Placed,
    RotationState, Spin, shortest,
};
use crate::search::Policy;
use crate::search::guideline::{
    Beam, BeamPlayer, QueueView, RankedLanding, SCALE, Terms, Weights, to_steps,
};
use crate::sim::guideline::{GuidelineConfig, GuidelinePlayer, PERSON};

/// A placement in a guideline game, with the game's state before it.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidelineScene {
    /// State of a guideline game before the shown placement.
    pub state: GuidelineState,
    /// Current piece and the visible pieces after it in the queue.
    pub known: Vec<Piece>,
    pub choice: Choice,
    pub landing: Landing,
    pub placed: Placed,
    /// Value that the search gave the placement, in steps (fixed-point units of score). May be
    /// `None` for a placement planned earlier or drawn at random.
    pub value: Option<i64>,
    /// Points of the game up to and including the placement, with drop points.
    pub score: u32,
}

#[derive(Clone, Debug)]
pub struct LoggedGuideline {
    state: GuidelineState,
    garbage: Option<Box<GarbageRows>>,
    score: u32,
    lost: bool,
}

pub struct GuidelineExplainer {
    /// Player without look-ahead: only in greedy play do feature contributions add up to the score.
    player: BeamPlayer,
    terms: Terms,
}

impl Watched for GuidelineConfig {
    type Scene = GuidelineScene;
    type Logged = LoggedGuideline;
    type Explainer = GuidelineExplainer;

    fn title(&self, game: u64) -> String {
        let GuidelineConfig { controller, rules, mode, seed, queue, .. } = self;
        let search = self.beam.name();
        let played = format!("{} · {rules} {}", controller.name, mode.name());
        // A human player has no search.
        let search =
            if controller.name == PERSON { String::new() } else { format!(" · {search}") };
        let queue = if *queue == QueueKind::Bag { String::new() } else { format!(" · {queue}") };
        let policy = self.policy.label(" · ");
        format!("{played}{queue}{search}{policy} · seed {seed} · game {game}")
    }

    fn first_state(&self, game: u64) -> LoggedGuideline {
        let (matrix, garbage) = self.start(game);
        let state = GuidelineState { matrix, ..GuidelineState::default() };
        LoggedGuideline { state, garbage, score: 0, lost: false }
    }

    /// Creates a player whose searches return the values of all placements, not only of the best.
    fn watched_player(&self) -> Result<GuidelinePlayer> {
        Ok(GuidelinePlayer::new(self))
    }

    fn step_of(
        seen: &GuidelinePlacement,
        GuidelineDecision { state, outlook }: GuidelineDecision<'_>,
    ) -> WatchedStep<GuidelineScene> {
        let &GuidelinePlacement { choice, landing, placed, score, .. } = seen;
        let value = seen.found.and_then(|found| found.value);
        let known = outlook.known.to_vec();
        let scene = GuidelineScene { state: *state, known, choice, landing, placed, value, score };
        let lines_total = placed.after.lines.into();
        WatchedStep { piece_no: seen.piece_no.into(), lines_total, scene }
    }

    fn describe_end(end: GuidelineEnd) -> &'static str {
        end.sentence()
    }

    fn rebuild(
        &self,
        before: &mut LoggedGuideline,
        row: &LoggedRow,
    ) -> Result<Rebuilt<GuidelineScene>> {
        let piece_no = row.integer("piece_no")? as u64;
        let piece = row.need("piece", row.piece("piece"))?;
        let named = |state: &RotationState| row.level("orientation") == Some(state.name());
        let rotation = row.need("orientation", RotationState::ALL.into_iter().find(named))?;
        let spin = Spin::NAMES.iter().position(|spin| row.level("t_spin") == Some(spin));
        let spin = [Spin::None, Spin::Mini, Spin::Full][row.need("t_spin", spin)?];
        let landing =
            Landing::at(piece, rotation, row.integer("column")?, row.integer("landing_row")?);
        let held = row.integer("used_hold")? == 1;
        let drop_points = row.integer("points_drop")?;
        let LoggedGuideline { state, score, lost, .. } = *before;
        if lost {
            return Ok(Err(LOST_BEFORE.to_owned()));
        }
        let hold = ["hold_before", "hold_after"].map(|name| row.piece(name));
        let current = match (held, hold) {
            (false, _) => vec![piece],
            (true, [Some(_), after]) => after.into_iter().collect(),
            // An empty hold takes the current piece, so the next piece is placed.
            (true, [None, after]) => after.into_iter().chain([piece]).collect(),
        };
        let previews = (1..=MAX_PREVIEWS).filter_map(|k| row.piece(&format!("next_{k}")));
        let known: Vec<Piece> = current.into_iter().chain(previews).collect();
        // A human player may also swap equal pieces, which controllers never do.
        let choice = state.choice(&self.rules, &known, held);
        let is_given = |choice: &Choice| choice.piece == piece && choice.hold != Hold::Unknown;
        let Some(choice) = choice.filter(is_given) else {
            return Ok(Err("the hold cannot have given this piece".to_owned()));
        };
        if [state.hold, choice.hold].map(Hold::piece) != hold {
            return Ok(Err("by the rules another piece is in the hold".to_owned()));
        }
        let landing = landing.map(|landing| Landing { spin, ..landing });
        let is_reached = |landing: &Landing| is_reached(&self.rules, &state.matrix, *landing);
        let Some(landing) = landing.filter(is_reached) else {
            return Ok(Err(format!("{piece} can't come to rest there")));
        };
        let placed = state.place(&self.rules, &choice, landing);
        // The drop points are bounded because the log may have been edited, and the sum must not
        // overflow before the check.
        let score = score + placed.points.total() + drop_points.clamp(0, 1000) as u32;
        let same = row.check(&[
            ("lines", placed.clear.lines.to_string()),
            ("points_total", score.to_string()),
            ("board", placed.after.matrix.to_board().to_hex()),
        ]);
        let value = row.fraction("score").map(|value| (value * SCALE).round() as i64);
        let scene = GuidelineScene { state, known, choice, landing, placed, value, score };
        let (mut after, mut lost) = (placed.next_state(), placed.lost);
        let mut garbage = before.garbage.take();
        if let Some(garbage) = &mut garbage {
            (_, lost) = self.update_garbage(garbage, &mut after.matrix, &placed);
        }
        *before = LoggedGuideline { state: after, garbage, score, lost };
        let lines_total = placed.after.lines.into();
        Ok(same.map(|()| WatchedStep { piece_no, lines_total, scene }))
    }

    fn state_after(&self, row: &LoggedRow) -> Option<LoggedGuideline> {
        if self.garbage.every.is_some() || self.mode.cheese_rows().is_some() {
            return None;
        }
        let size = BoardSize::new(WIDTH, PICTURED_ROWS).ok()?;
        let board = Board::from_hex(size, &row.text("board")?).ok()?;
        // A log has only the lowest `PICTURED_ROWS` rows, so a stack that reaches the highest of
        // these may be higher.
        if board.stack_height() >= PICTURED_ROWS {
            return None;
        }
        let matrix = Matrix::from_board(&board).ok()?;
        let lines = row.whole("lines")?;
        let clear = Clear {
            lines: u8::try_from(lines).ok()?,
            spin: Spin::named(row.level("t_spin")?)?,
            perfect: lines > 0 && matrix.is_empty(),
        };
        let before = ComboState { chain: u8::try_from(row.whole("b2b_chain")?).ok()?, combo: 0 };
        let state = GuidelineState {
            matrix,
            hold: row.piece("hold_after").map_or(Hold::Empty, Hold::Piece),
            taken: 0,
            combo_state: ComboState {
                combo: u8::try_from(row.whole("combo")?).ok()?,
                ..before.after(&self.rules, clear)
            },
            lines: u32::try_from(row.whole("lines_total")?).ok()?,
        };
        let score = u32::try_from(row.whole("points_total")?).ok()?;
        Some(LoggedGuideline { state, garbage: None, score, lost: false })
    }

    fn ending(&self, folder: &Path, game: u64, pieces: u64, lost: bool) -> String {
        // The logged end applies only if it came after exactly these placements.
        let end = logged_end(folder, game).filter(|&(_, count)| u64::from(count) == pieces);
        let end = end.map(|(end, _)| end).or(lost.then_some(GuidelineEnd::LockOut));
        end.map_or("the log ends here: games.csv does not say why", GuidelineEnd::sentence)
            .to_owned()
    }

    fn explainer(&self) -> Result<Option<GuidelineExplainer>> {
        let goal = self.mode.goal();
        let movegen = MoveGenerator::new(*self.rules, self.moves, self.level);
        let weights = Weights::new(&self.controller);
        Ok((!self.controller.weights.is_empty()).then(|| GuidelineExplainer {
            player: BeamPlayer::new(movegen, weights, Beam::GREEDY, goal),
            terms: Terms::new(&self.controller, goal),
        }))
    }

    /// Ranks every placement that does not lose the game, and compares the chosen one with another.
    fn explain(
        &self,
        GuidelineExplainer { player, terms }: &mut GuidelineExplainer,
        scene: &GuidelineScene,
        other: Option<usize>,
    ) -> Analysis {
        let mut ranked = player.rank(&scene.state, QueueView::visible(&scene.known));
        ranked.retain(|entry| !entry.placed.lost);
        RankedLanding::sort_best_first(&mut ranked);
        let GuidelineScene { choice, landing, placed, .. } = *scene;
        let is_chosen = |it: &RankedLanding| (it.landing, it.choice.held) == (landing, choice.held);
        let chosen = ranked.iter().position(is_chosen);
        let other = compared_rank(chosen, other, ranked.len());
        let mine = RankedLanding {
            choice,
            landing,
            placed,
            own: player.greedy_value(&placed),
            value: None,
        };
        let against = other.map(|rank| ranked[rank]);
        // A placement that a policy drew may lack a value, too.
        let is_best = self.policy == Policy::Best;
        let is_planned = is_best && scene.value.is_none() && self.finisher > 0;
        let goal = self.mode.goal().unwrap_or(u32::MAX);
        let verdict = match (chosen, against) {
            _ if is_planned => DecidedBy::Planned,
            (None, _) => DecidedBy::Unknown,
            (Some(_), None) => DecidedBy::Only,
            (Some(chosen), Some(other)) => {
                let by = (mine.own - other.own) as f64 / SCALE;
                let wins = [mine, other].map(|it| it.placed.after.lines >= goal);
                // A log may lack the value of the beam's line.
                let line = scene.value.filter(|_| self.beam.depth > 1);
                match ((wins[0], mine.own) < (wins[1], other.own), line) {
                    _ if wins == [true, false] => DecidedBy::Wins,
                    (true, Some(line)) => DecidedBy::Line(chosen + 1, -by, line as f64 / SCALE),
                    (true, None) => DecidedBy::Lower(chosen + 1, Some(-by)),
                    _ if mine.own == other.own => {
                        DecidedBy::Tie("the first found is played, without the hold first")
                    }
                    _ => DecidedBy::Better(by),
                }
            }
        };
        // The terms add up to the score without look-ahead.
        let alone = |entry: &RankedLanding| RankedLanding { value: Some(entry.own), ..*entry };
        let described = |entry| RankedPlacement::from_guideline(terms, &alone(entry));
        let named = terms.weights().iter();
        let named =
            named.map(|&(term, weight)| (term.to_string(), weight, to_steps(weight, 1) as f64));
        Analysis {
            terms: compare_terms(
                named,
                &described(&mine),
                against.as_ref().map(described).as_ref(),
            ),
            scale: SCALE,
            measured: self.measured(None),
            candidates: ranked.iter().map(described).collect(),
            chosen,
            other,
            verdict,
        }
    }

    fn measured(&self, _: Option<&GuidelineScene>) -> String {
        format!("{}, {}", self.controller.measured, self.beam.name())
    }

    fn unexplained(&self) -> Option<&'static str> {
        let looks_ahead = self.beam.depth > 1 || self.futures > 0;
        match (looks_ahead, self.controller.network.is_some()) {
            (false, false) => None,
            (false, true) => Some("the network"),
            (true, false) => Some("the best placements of the pieces after it"),
            (true, true) => Some("the network and the best placements of the pieces after it"),
        }
    }

    fn view(scene: &GuidelineScene) -> StepView {
        let GuidelineScene { state, known, choice, landing, placed, score, .. } = scene;
        StepView {
            before: state.matrix.to_board(),
            height: VISIBLE,
            piece: landing.piece,
            cells: landing.cells(),
            lines: placed.clear.lines,
            lost: placed.lost,
            score: Some(*score),
            next: known.iter().skip(choice.taken as usize).copied().collect(),
            hold: Some((state.hold, choice.held)),
            after: placed.after.matrix.to_board(),
        }
    }
}

/// Returns true if key inputs bring the piece to the cells of `landing`, in any rotation state and
/// with at least the same spin.
fn is_reached(rules: &Guideline, matrix: &Matrix, landing: Landing) -> bool {
    shortest(rules, matrix, landing).is_some()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::controller::GuidelineController;
    use crate::kernels::Level;
    use crate::record::{Columns, LogFormat, LogSettings};
    use crate::rules::guideline::{Landings, Moves, RuleSet, perft_matrix};
    use crate::sim::guideline::Mode;

    pub(crate) fn guideline(beam: Beam, mode: Mode) -> GuidelineConfig {
        let sprint = mode.goal().is_some();
        let name = if sprint { "tetrastat-sprint" } else { "tetrastat-blitz-greedy" };
        let controller = GuidelineController::load(name).unwrap();
        GuidelineConfig {
            moves: if sprint { Moves::HardDrops } else { Moves::All },
            beam,
            finisher: if sprint && beam.depth > 1 { 500 } else { 0 },
            mode,
            games: 2,
            seed: 3,
            log: Some(LogSettings::new(LogFormat::Csv, Columns::All)),
            ..GuidelineConfig::new(controller, RuleSet::official())
        }
    }

    #[test]
    fn every_state_and_a_lesser_spin_are_a_persons() {
        let (mut turned, mut spins) = (0, 0);
        for name in ["dt", "tsd", "lemontea", "pco"] {
            let (rules, matrix) = (Guideline::official(), perft_matrix(name));
            let movegen = MoveGenerator::new(rules, Moves::All, Level::detect());
            let mut list = Landings::default();
            for piece in Piece::ALL {
                movegen.landings(&matrix, piece, &mut list);
                for landing in list.iter() {
                    spins += u32::from(landing.spin != Spin::None);
                    assert!(is_reached(&rules, &matrix, landing), "{name} {landing:?}");
                    assert!(is_reached(&rules, &matrix, Landing { spin: Spin::None, ..landing }));
                }
                for (landing, state) in
                    list.iter().flat_map(|at| RotationState::ALL.map(|state| (at, state)))
                {
                    let near = [(0, 0), (1, 0), (0, 1), (0, -1)].map(|(dx, dy)| {
                        let moved = |at: u8, by| at.checked_add_signed(by).unwrap_or(0);
                        Landing {
                            state,
                            x: moved(landing.x, dx),
                            y: moved(landing.y, dy),
                            ..landing
                        }
                    });
                    for at in near.into_iter().filter(|at| at.canonical() == landing) {
                        turned += u32::from(at != landing);
                        assert!(is_reached(&rules, &matrix, at), "{name} {at:?}");
                    }
                }
            }
        }
        assert!(turned > 100 && spins > 3, "{turned} {spins}");
    }

    #[test]
    fn a_t_slides_under_an_overhang_and_an_s_never_spins() {
        let mut columns = [0; 10];
        columns[0] = crate::matrix::bit(1);
        let (rules, matrix) = (Guideline::official(), Matrix::from_columns(columns));
        let under = Landing::new(Piece::T, RotationState::Spawn, 1, 0);
        assert!(is_reached(&rules, &matrix, under));
        assert!(!is_reached(&rules, &matrix, Landing { y: 1, ..under }), "it has no ground there");
        assert!(!is_reached(&rules, &matrix, Landing { spin: Spin::Full, ..under }));
        let s = Landing::new(Piece::S, RotationState::Half, 5, 1);
        assert!(is_reached(&rules, &matrix, s));
        assert!(!is_reached(&rules, &matrix, Landing { spin: Spin::Mini, ..s }));
    }
}
