//! Placements of a timeline one after the other, each settled cell in the colour of its piece.

use super::still::{BoardScene, PlacedPiece, counters};
use crate::board_view::CellFace;
use crate::error::{Error, Result};
use crate::explain::step::{StepView, WatchedStep};
use crate::piece::Piece;
use crate::watch::Timeline;
use crate::watch::game::Watched;

/// Most placements of a stretch: a picture of so many has some megabytes.
pub const MOST: u64 = 1_000;
/// Placements of a stretch unless the user says otherwise.
pub const USUAL: u64 = 50;

/// Columns and rows that any game may have.
const WIDTH: usize = 16;
const ROWS: usize = 32;

/// Settled cells by their pieces, row 0 at the floor; those of before the stretch are of none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Painted([[CellFace; WIDTH]; ROWS]);

/// A placement of a stretch.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// The placement.
    pub step: WatchedStep<StepView>,
    /// The cells that were settled before it.
    pub before: Painted,
    /// What is said of it: how far the game is, and which pieces are known.
    pub caption: String,
}

impl Shot {
    /// The board with the placement on it, with so many rows at least.
    #[must_use]
    pub fn scene(&self, rows: usize) -> BoardScene {
        let placed = PlacedPiece { piece: self.step.scene.piece, cells: self.step.scene.cells };
        let settled = |column, row| self.before.cell(column, row);
        let (width, height) = self.step.scene.size();
        BoardScene::new((width, height.max(rows)), settled, Some(placed), None)
    }
}

impl Painted {
    /// What a cell holds.
    #[must_use]
    pub fn cell(&self, column: usize, row: usize) -> CellFace {
        self.0.get(row).and_then(|cells| cells.get(column)).copied().unwrap_or_default()
    }

    /// The piece that a cell is of, if that is known.
    #[must_use]
    pub fn piece(&self, column: usize, row: usize) -> Option<Piece> {
        match self.cell(column, row) {
            CellFace::Piece(piece) => Some(piece),
            _ => None,
        }
    }

    /// The cells settled before a placement: these, if they are the same; else all of no piece.
    fn or_settled(self, view: &StepView) -> Painted {
        let columns = view.size().0;
        let is_settled = |column, row| column < columns && view.is_settled(column, row);
        let mut settled = [[CellFace::Empty; WIDTH]; ROWS];
        let mut same = true;
        for (row, cells) in settled.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                let filled = is_settled(column, row);
                *cell = if filled { CellFace::Settled } else { CellFace::Empty };
                same &= filled == (self.0[row][column] != CellFace::Empty);
            }
        }
        if same { self } else { Painted(settled) }
    }

    /// The cells after a placement.
    fn after(&self, view: &StepView) -> Painted {
        let (mut rows, columns) = (self.0, view.size().0);
        for (column, row) in view.cells {
            rows[row.min(ROWS - 1)][column.min(WIDTH - 1)] = CellFace::Piece(view.piece);
        }
        if view.lines > 0 {
            let is_full = |cells: &[CellFace; WIDTH]| !cells[..columns].contains(&CellFace::Empty);
            let mut kept = rows.into_iter().filter(|cells| !is_full(cells));
            rows = std::array::from_fn(|_| kept.next().unwrap_or_default());
        }
        Painted(rows)
    }
}

/// The number of a stretch's last placement: the one asked for, or of [`USUAL`] placements from the one that a timeline shows.
///
/// # Errors
/// [`Error::Config`] when there are more than [`MOST`], or none; otherwise as [`Timeline::forward`].
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

/// The placements from the one that a timeline shows to that of number `last`, or to the game's end.
///
/// # Errors
/// As [`Timeline::forward`].
pub fn stretch<G: Watched>(timeline: &mut Timeline<G>, last: u64) -> Result<Vec<Shot>> {
    let mut shots: Vec<Shot> = Vec::new();
    let mut painted = Painted([[CellFace::Empty; WIDTH]; ROWS]);
    while let Some(step) =
        timeline.step().filter(|step| step.piece_no <= last).map(WatchedStep::viewed)
    {
        let before = painted.or_settled(&step.scene);
        painted = before.after(&step.scene);
        let caption = counters(&step).join(", ");
        shots.push(Shot { step, before, caption });
        if !timeline.forward()? {
            break;
        }
    }
    Ok(shots)
}
