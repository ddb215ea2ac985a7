//! Collects consecutive placements of a timeline (a stretch), with settled cells in the colours of
//! their pieces.

use super::still::{BoardScene, PlacedPiece, counters};
use crate::board_view::CellFace;
use crate::error::{Error, Result};
use crate::explain::Watched;
use crate::explain::{StepView, WatchedStep};
use crate::piece::Piece;
use crate::watch::Timeline;

/// Maximum number of placements in a stretch. A picture of 1,000 placements already has some
/// megabytes.
pub const MOST: u64 = 1_000;
/// Default number of placements in a stretch.
pub const USUAL: u64 = 50;

/// Number of columns of the widest board of any game.
const WIDTH: usize = 16;
/// Number of rows of the highest board of any game.
const ROWS: usize = 32;

/// The settled cells of a board with their pieces, row 0 at the floor. Pieces from before the
/// stretch are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColouredBoard([[CellFace; WIDTH]; ROWS]);

/// A placement of a stretch.
#[derive(Clone, Debug, PartialEq)]
pub struct StretchStep {
    /// The placement with its number.
    pub step: WatchedStep<StepView>,
    /// Settled cells of the board before the placement.
    pub before: ColouredBoard,
    /// Line of text with the progress of the game and the known pieces.
    pub caption: String,
}

impl StretchStep {
    /// Returns the board with the placement on it, with at least `rows` rows.
    #[must_use]
    pub fn scene(&self, rows: usize) -> BoardScene {
        let placed = PlacedPiece { piece: self.step.scene.piece, cells: self.step.scene.cells };
        let settled = |column, row| self.before.cell(column, row);
        let (width, height) = self.step.scene.size();
        BoardScene::new((width, height.max(rows)), settled, Some(placed), None)
    }
}

impl ColouredBoard {
    /// Returns the content of a cell.
    #[must_use]
    pub fn cell(&self, column: usize, row: usize) -> CellFace {
        self.0.get(row).and_then(|cells| cells.get(column)).copied().unwrap_or_default()
    }

    /// Returns the piece of a cell, or `None` if it is empty or the piece is unknown.
    #[must_use]
    pub fn piece(&self, column: usize, row: usize) -> Option<Piece> {
        match self.cell(column, row) {
            CellFace::Piece(piece) => Some(piece),
            _ => None,
        }
    }

    /// Returns `self` if it has the same filled cells as the board before the placement. Otherwise
    /// returns that board, with unknown pieces.
    fn or_settled(self, view: &StepView) -> ColouredBoard {
        let columns = view.size().0;
        let is_settled = |column, row| column < columns && view.before.is_filled(column, row);
        let mut settled = [[CellFace::Empty; WIDTH]; ROWS];
        let mut same = true;
        for (row, cells) in settled.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                let filled = is_settled(column, row);
                *cell = if filled { CellFace::Settled } else { CellFace::Empty };
                same &= filled == (self.0[row][column] != CellFace::Empty);
            }
        }
        if same { self } else { ColouredBoard(settled) }
    }

    /// Returns the cells after the placement, without the rows that it removes.
    fn after(&self, view: &StepView) -> ColouredBoard {
        let (mut rows, columns) = (self.0, view.size().0);
        for (column, row) in view.cells {
            rows[row.min(ROWS - 1)][column.min(WIDTH - 1)] = CellFace::Piece(view.piece);
        }
        if view.lines > 0 {
            let is_full = |cells: &[CellFace; WIDTH]| !cells[..columns].contains(&CellFace::Empty);
            let mut kept = rows.into_iter().filter(|cells| !is_full(cells));
            rows = std::array::from_fn(|_| kept.next().unwrap_or_default());
        }
        ColouredBoard(rows)
    }
}

/// Returns the number of the last placement of a stretch that begins with the shown placement. This
/// is `asked`, or the last of [`USUAL`] placements.
///
/// # Errors
/// [`Error::Config`] if the stretch has more than [`MOST`] placements or none; otherwise the errors
/// of [`Timeline::forward`].
pub fn last_of<G: Watched>(timeline: &mut Timeline<G>, asked: Option<u64>) -> Result<u64> {
    if timeline.step().is_none() {
        timeline.forward()?;
    }
    let first = timeline
        .step()
        .map(|step| step.piece_no)
        .ok_or_else(|| Error::Config("nothing was played: there is no picture of it".to_owned()))?;
    let last = asked.unwrap_or(first.saturating_add(USUAL - 1));
    if last < first || last - first >= MOST {
        return Err(Error::Config(format!(
            "placements {first} to {last}: give a last one (--to) from {first} to {}",
            first.saturating_add(MOST - 1)
        )));
    }
    Ok(last)
}

/// Collects the placements from the shown one to number `last`, or to the game's end.
///
/// # Errors
/// Returns the errors of [`Timeline::forward`].
pub fn stretch<G: Watched>(timeline: &mut Timeline<G>, last: u64) -> Result<Vec<StretchStep>> {
    let mut shots: Vec<StretchStep> = Vec::new();
    let mut painted = ColouredBoard([[CellFace::Empty; WIDTH]; ROWS]);
    while let Some(step) = timeline.viewed().filter(|step| step.piece_no <= last) {
        let before = painted.or_settled(&step.scene);
        painted = before.after(&step.scene);
        let caption = counters(&step).join(", ");
        shots.push(StretchStep { step, before, caption });
        if !timeline.forward()? {
            break;
        }
    }
    Ok(shots)
}
