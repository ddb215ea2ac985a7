//! Models a picture: a board, a placement on it, a compared placement, and notes.

use crate::board_view::{CellFace, Cells};
use crate::explain::analysis::{Analysis, decimal};
use crate::explain::{StepView, WatchedStep};
use crate::piece::Piece;
use crate::rules::guideline::Hold;
use crate::search::RankedPlacement;

/// The board of a picture, with the placement and the compared placement marked.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardScene {
    /// Number of columns and of shown rows.
    pub size: (usize, usize),
    /// Cells of the board, including those of the placement.
    pub cells: Cells,
    /// Placement on the board, if any.
    pub placed: Option<PlacedPiece>,
    /// Cells of the compared placement, if any.
    pub other: Option<FourCells>,
}

/// Column and row of each cell of a piece.
pub type FourCells = [(usize, usize); 4];

/// A piece at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The piece.
    pub piece: Piece,
    /// Column and row of each cell.
    pub cells: FourCells,
}

impl BoardScene {
    /// Creates a board with at least `height` rows, and more if a placement needs them. `settled`
    /// returns the content of each cell before the placement.
    #[must_use]
    pub fn new(
        (width, height): (usize, usize),
        settled: impl Fn(usize, usize) -> CellFace,
        placed: Option<PlacedPiece>,
        other: Option<FourCells>,
    ) -> BoardScene {
        let marked =
            placed.iter().flat_map(|placed| placed.cells).chain(other.into_iter().flatten());
        let height = marked.map(|(_, row)| row + 1).chain([height]).max().unwrap_or(height);
        let mut cells = Cells::from_fn((width, height), settled);
        if let Some(PlacedPiece { piece, cells: at }) = placed {
            cells.set_piece(at, CellFace::Piece(piece));
        }
        BoardScene { size: (width, height), cells, placed, other }
    }
}

/// A picture of a board with a title and notes.
#[derive(Clone, Debug, PartialEq)]
pub struct Still {
    /// Title, one line.
    pub title: String,
    /// Board of the picture.
    pub scene: BoardScene,
    /// Lines of text below the board.
    pub notes: Vec<String>,
}

impl Still {
    /// Creates the picture of a watched placement. If there is an analysis, its compared candidate
    /// is marked too.
    #[must_use]
    pub fn watched(
        title: &str,
        step: &WatchedStep<StepView>,
        analysis: Option<&Analysis>,
    ) -> Still {
        let rated = |rank: Option<usize>| analysis?.candidates.get(rank?);
        let other = rated(analysis.and_then(|analysis| analysis.other));
        let mut notes = counters(step);
        if let Some(analysis) = analysis {
            notes.extend(rated(analysis.chosen).map(|chosen| rating("chosen", chosen)));
            notes.extend(other.map(|other| rating("dashed", other)));
            notes.push(analysis.verdict.to_string());
        }
        let view = &step.scene;
        let placed = PlacedPiece { piece: view.piece, cells: view.cells };
        let settled = |column, row| CellFace::settled(view.before.is_filled(column, row));
        let scene = BoardScene::new(view.size(), settled, Some(placed), other.map(|at| at.cells));
        Still { title: title.to_owned(), scene, notes }
    }

    /// Creates the picture of a board with the best and the second-best placement, the first two of
    /// `candidates`. Draws the board alone if there are none.
    #[must_use]
    pub fn ranked(
        title: String,
        size: (usize, usize),
        is_settled: impl Fn(usize, usize) -> bool,
        candidates: &[RankedPlacement],
    ) -> Still {
        let mut notes = Vec::new();
        let (best, second) = (candidates.first(), candidates.get(1));
        notes.extend(best.map(|best| rating("best", best)));
        notes.extend(second.map(|second| rating("dashed", second)));
        let score = |rated: Option<&RankedPlacement>| rated?.score;
        if let (Some(best), Some(second)) = (score(best), score(second)) {
            notes.push(format!("better by {}", decimal(best - second)));
        }
        let placed = best.map(|best| PlacedPiece { piece: best.piece, cells: best.cells });
        let settled = |column, row| CellFace::settled(is_settled(column, row));
        let scene = BoardScene::new(size, settled, placed, second.map(|second| second.cells));
        Still { title, scene, notes }
    }
}

/// Returns the progress of the game and the known pieces as two lines of text.
pub(super) fn counters(step: &WatchedStep<StepView>) -> Vec<String> {
    let mut counters = format!("piece {}, lines {}", step.piece_no, step.lines_total);
    let view = &step.scene;
    if let Some(score) = view.score {
        counters += &format!(", score {score}");
    }
    let mut notes = vec![counters];
    let next: String = view.next.iter().map(|piece| format!(" {}", piece.name())).collect();
    let mut known = format!("{} falls", view.piece);
    if !next.is_empty() {
        known += &format!(", next{next}");
    }
    if let Some((Hold::Piece(piece), _)) = view.hold {
        known += &format!(", hold {}", piece.name());
    }
    notes.push(known);
    notes
}

/// Describes a placement and its score in one line that begins with `which`.
fn rating(
    which: &str,
    placement @ RankedPlacement { lines, score, lost, .. }: &RankedPlacement,
) -> String {
    let score = match score {
        _ if *lost => "loses".to_owned(),
        Some(score) => format!("score {}", decimal(*score)),
        None => "no score".to_owned(),
    };
    let lines = if *lines > 0 { format!(", lines {lines}") } else { String::new() };
    format!("{which}: {}{lines}, {score}", placement.place())
}
