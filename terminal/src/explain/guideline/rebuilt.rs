//! Rebuilds matrix, hold and points of guideline games placement by placement.

use super::GuidelineScene;
use crate::board::{Board, BoardSize};
use crate::explain::{Rebuild, WatchedStep};
use crate::features::guideline::PICTURED_ROWS;
use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::record::{GuidelineEnd, LoggedLanding};
use crate::rules::guideline::{Choice, ComboState, GuidelineState, Hold, Landing, Spin, shortest};
use crate::search::guideline::SCALE;
use crate::sim::guideline::GuidelineConfig;

/// A guideline game in progress that is rebuilt from the rows of its log.
#[derive(Clone)]
pub struct RebuiltGuidelineGame {
    config: GuidelineConfig,
    state: GuidelineState,
    score: u32,
    lost: bool,
    /// Reason for the end of the game in the run's `games.csv`, if it is known.
    end: Option<GuidelineEnd>,
}

/// Returns the pieces that are known before the placement in `row`: the current piece and the
/// visible ones after it.
fn known(row: &LoggedLanding) -> Vec<Piece> {
    let current = match (row.held, row.hold) {
        (false, _) => vec![row.piece],
        (true, [Some(_), after]) => after.into_iter().collect(),
        // An empty hold takes the current piece, so the next piece is placed.
        (true, [None, after]) => after.into_iter().chain([row.piece]).collect(),
    };
    current.into_iter().chain(row.next.into_iter().flatten()).collect()
}

impl RebuiltGuidelineGame {
    /// Creates game number `game` of a run before its first placement. `end` is the reason for the
    /// game's end in `games.csv`.
    #[must_use]
    pub fn new(
        config: &GuidelineConfig,
        game: u64,
        end: Option<GuidelineEnd>,
    ) -> RebuiltGuidelineGame {
        let state = GuidelineState { matrix: config.start(game), ..GuidelineState::default() };
        RebuiltGuidelineGame { config: config.clone(), state, score: 0, lost: false, end }
    }

    fn scene(&mut self, row: &LoggedLanding) -> std::result::Result<GuidelineScene, String> {
        if self.lost {
            return Err("the game was lost before".to_owned());
        }
        let known = known(row);
        let choice = self.choice(&known, row.held).filter(|choice| choice.piece == row.piece);
        let choice = choice.ok_or("the hold cannot have given this piece")?;
        let is = |hold: Hold| match hold {
            Hold::Piece(piece) => Some(piece),
            Hold::Empty | Hold::Unknown => None,
        };
        if [is(self.state.hold), is(choice.hold)] != row.hold {
            return Err("by the rules another piece is in the hold".to_owned());
        }
        let landing = row.landing.filter(|&landing| self.is_reached(landing));
        let landing = landing.ok_or_else(|| format!("{} can't come to rest there", row.piece))?;
        let placed = self.state.place(&self.config.rules, &choice, landing);
        // The drop points are bounded because the log may have been edited, and the sum must not
        // overflow before the check.
        self.score += placed.points.total() + row.drop_points.clamp(0, 1000) as u32;
        let board = placed.after.matrix.to_board().to_hex();
        let numbers = [
            ("lines", row.lines.to_string(), placed.clear.lines.to_string()),
            ("points_total", row.score.to_string(), self.score.to_string()),
            ("board", row.board.clone(), board),
        ];
        for (name, logged, is) in numbers {
            if logged != is {
                return Err(format!("the log has {name} {logged}, by the rules it is {is}"));
            }
        }
        let value = row.value.map(|value| (value * SCALE).round() as i64);
        let (state, score) = (self.state, self.score);
        Ok(GuidelineScene { state, known, choice, landing, placed, value, score })
    }

    /// Returns the placed piece and the hold after it. If `held` is true, the hold is used; returns
    /// `None` if it cannot be. A human player may also swap equal pieces, which controllers never
    /// do.
    fn choice(&self, known: &[Piece], held: bool) -> Option<Choice> {
        let current = *known.first()?;
        let hold = self.state.hold;
        match hold {
            _ if !held => Some(Choice { piece: current, held, hold, taken: 1 }),
            _ if !self.config.rules.hold => None,
            Hold::Piece(piece) => {
                Some(Choice { piece, held, hold: Hold::Piece(current), taken: 1 })
            }
            Hold::Empty => {
                Some(Choice { piece: *known.get(1)?, held, hold: Hold::Piece(current), taken: 2 })
            }
            Hold::Unknown => None,
        }
    }

    /// Returns true if a player can reach the landing. Human players may end in any rotation state
    /// that fills the same cells, and with a lesser spin than possible.
    fn is_reached(&self, landing: Landing) -> bool {
        let can_spin = landing.piece == Piece::T || landing.spin == Spin::None;
        can_spin && shortest(&self.config.rules, &self.state.matrix, landing).is_some()
    }
}

impl Rebuild for RebuiltGuidelineGame {
    type Scene = GuidelineScene;
    type Row = LoggedLanding;

    fn piece_no(row: &LoggedLanding) -> u64 {
        row.piece_no
    }

    fn rebuild(
        &mut self,
        row: &LoggedLanding,
    ) -> std::result::Result<WatchedStep<GuidelineScene>, String> {
        let scene = self.scene(row)?;
        self.state = scene.placed.next_state();
        self.lost = scene.placed.lost;
        Ok(WatchedStep { piece_no: row.piece_no, lines_total: self.state.lines.into(), scene })
    }

    fn after(&self, row: &LoggedLanding) -> Option<RebuiltGuidelineGame> {
        let size = BoardSize::new(WIDTH, PICTURED_ROWS).ok()?;
        let board = Board::from_hex(size, &row.board).ok()?;
        // A log has only the lowest `PICTURED_ROWS` rows, so a stack that reaches the highest of
        // these may be higher.
        if board.stack_height() >= PICTURED_ROWS {
            return None;
        }
        let state = GuidelineState {
            matrix: Matrix::from_board(&board).ok()?,
            hold: row.hold[1].map_or(Hold::Empty, Hold::Piece),
            taken: 0,
            combo_state: ComboState {
                back_to_back: row.back_to_back?,
                combo: u8::try_from(row.combo?).ok()?,
            },
            lines: u32::try_from(row.lines_total?).ok()?,
        };
        let score = u32::try_from(row.score).ok()?;
        Some(RebuiltGuidelineGame { state, score, lost: false, ..self.clone() })
    }

    fn ending(&self) -> String {
        match self.end {
            Some(end) => end.words().to_owned(),
            None if self.lost => GuidelineEnd::LockOut.words().to_owned(),
            None => "the log ends here: games.csv does not say why".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::guideline::tests::guideline;
    use crate::kernels::Level;
    use crate::rules::guideline::{Landings, Matrix, MoveGenerator, Moves, RotationState, boards};
    use crate::search::guideline::Beam;

    fn replay_on(matrix: Matrix) -> RebuiltGuidelineGame {
        RebuiltGuidelineGame {
            config: guideline(Beam::GREEDY, crate::sim::guideline::Mode::Sprint { lines: 40 }),
            state: GuidelineState { matrix, ..GuidelineState::default() },
            score: 0,
            lost: false,
            end: None,
        }
    }

    /// Human players turn pieces freely, and may place a T without the spin that it could have.
    #[test]
    fn every_state_and_a_lesser_spin_are_a_persons() {
        let (mut turned, mut spins) = (0, 0);
        for name in ["dt", "tsd", "lemontea", "pco"] {
            let replay = replay_on(boards::matrix(name));
            let movegen = MoveGenerator::new(*replay.config.rules, Moves::All, Level::detect());
            let mut list = Landings::default();
            for piece in Piece::ALL {
                movegen.landings(&replay.state.matrix, piece, &mut list);
                for landing in list.iter() {
                    spins += u32::from(landing.spin != Spin::None);
                    assert!(replay.is_reached(landing), "{name} {landing:?}");
                    assert!(replay.is_reached(Landing { spin: Spin::None, ..landing }));
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
                        assert!(replay.is_reached(at), "{name} {at:?}");
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
        let replay = replay_on(Matrix::from_columns(columns));
        let under = Landing::new(Piece::T, RotationState::Spawn, 1, 0);
        assert!(replay.is_reached(under));
        assert!(!replay.is_reached(Landing { y: 1, ..under }), "it has no ground there");
        assert!(!replay.is_reached(Landing { spin: Spin::Full, ..under }));
        let s = Landing::new(Piece::S, RotationState::Half, 5, 1);
        assert!(replay.is_reached(s));
        assert!(!replay.is_reached(Landing { spin: Spin::Mini, ..s }));
    }
}
