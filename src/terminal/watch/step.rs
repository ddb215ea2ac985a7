//! A placement of a game, with all that is needed to show and explain it.

use crate::board::Board;
use crate::matrix::{VISIBLE, WIDTH};
use crate::piece::Piece;
use crate::placement::Candidate;
use crate::rules::Outcome;
use crate::rules::guideline::{Choice, Hold, Landing, Placed, Standing};

/// A placement of any game.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// Rows removed so far, by this placement too.
    pub lines_total: u64,
    /// What was placed, and on what.
    pub scene: Scene,
}

/// What was placed, by the kind of game.
#[derive(Clone, Debug, PartialEq)]
pub enum Scene {
    /// A game of one piece at a time.
    Classic(Box<ClassicScene>),
    /// A guideline game.
    Guideline(Box<GuidelineScene>),
}

/// A placement under `simplified` or `standard` rules.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicScene {
    /// The board before it.
    pub board: Board,
    /// The next piece, if the search knew it.
    pub next: Option<Piece>,
    /// What the placement led to.
    pub outcome: Outcome,
}

/// A placement under guideline rules.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidelineScene {
    /// The state before it; pieces are counted from the current one.
    pub state: Standing,
    /// The current piece and those seen after it.
    pub known: Vec<Piece>,
    /// Which piece was placed.
    pub choice: Choice,
    /// Where.
    pub landing: Landing,
    /// What it led to.
    pub placed: Placed,
    /// Its value under the search, in steps; `None` when it is of a perfect finish planned before.
    pub value: Option<i64>,
    /// Points so far, drops and this placement's among them.
    pub score: u32,
}

impl Step {
    /// The piece placed.
    #[must_use]
    pub fn piece(&self) -> Piece {
        match &self.scene {
            Scene::Classic(scene) => scene.outcome.played.piece,
            Scene::Guideline(scene) => scene.landing.piece,
        }
    }

    /// Columns and rows of the cells where it comes to rest.
    #[must_use]
    pub fn cells(&self) -> [(usize, usize); 4] {
        match &self.scene {
            Scene::Classic(scene) => {
                cells_of(scene.outcome.played.candidate, scene.outcome.played.piece)
            }
            Scene::Guideline(scene) => scene.landing.cells(),
        }
    }

    /// Columns, and rows in play.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        match &self.scene {
            Scene::Classic(scene) => (scene.board.width(), scene.board.height()),
            Scene::Guideline(_) => (WIDTH, VISIBLE),
        }
    }

    /// Whether a cell was filled before it.
    #[must_use]
    pub fn is_settled(&self, column: usize, row: usize) -> bool {
        match &self.scene {
            Scene::Classic(scene) => scene.board.is_filled(column, row),
            Scene::Guideline(scene) => scene.state.matrix.is_filled(column, row),
        }
    }

    /// Rows that it removes.
    #[must_use]
    pub fn lines(&self) -> u8 {
        match &self.scene {
            Scene::Classic(scene) => scene.outcome.played.lines,
            Scene::Guideline(scene) => scene.placed.clear.lines,
        }
    }

    /// Whether it ends the game.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match &self.scene {
            Scene::Classic(scene) => scene.outcome.lost,
            Scene::Guideline(scene) => scene.placed.lost,
        }
    }

    /// Points so far, in games that have them.
    #[must_use]
    pub fn score(&self) -> Option<u32> {
        match &self.scene {
            Scene::Classic(_) => None,
            Scene::Guideline(scene) => Some(scene.score),
        }
    }

    /// The pieces known to come after it.
    #[must_use]
    pub fn next(&self) -> Vec<Piece> {
        match &self.scene {
            Scene::Classic(scene) => scene.next.into_iter().collect(),
            Scene::Guideline(scene) => {
                scene.known.iter().skip(scene.choice.taken as usize).copied().collect()
            }
        }
    }

    /// The hold before it and whether it was used, in games that have one.
    #[must_use]
    pub fn hold(&self) -> Option<(Hold, bool)> {
        match &self.scene {
            Scene::Classic(_) => None,
            Scene::Guideline(scene) => Some((scene.state.hold, scene.choice.held)),
        }
    }

    /// The board after it, as [`Board::to_hex`].
    #[must_use]
    pub fn after(&self) -> String {
        match &self.scene {
            Scene::Classic(scene) => scene.outcome.after.to_hex(),
            Scene::Guideline(scene) => scene.placed.after.matrix.to_board().to_hex(),
        }
    }
}

/// Columns and rows of a candidate's cells.
#[must_use]
pub fn cells_of(candidate: Candidate, piece: Piece) -> [(usize, usize); 4] {
    let shape = candidate.shape(piece);
    let mut cells = (0..4).flat_map(|k| {
        let row = shape.rows[k];
        let filled = (0..4).filter(move |column| row >> column & 1 == 1);
        filled.map(move |column| {
            (usize::from(candidate.placement.column) + column, usize::from(candidate.row) + k)
        })
    });
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}
