//! Collects consecutive placements of a timeline (a stretch), with settled cells in the colours of
//! their pieces.

use super::still::{BoardScene, PlacedPiece, counters};
use crate::board::ROWS;
use crate::board_view::{CellFace, Cells};
use crate::error::{Error, Result};
use crate::explain::{StepView, Watched, WatchedStep};
use crate::watch::Timeline;

/// Maximum number of placements in a stretch. A picture of 1,000 placements already has some
/// megabytes.
pub const MOST: u64 = 1_000;
/// Default number of placements in a stretch.
pub const USUAL: u64 = 50;

/// A placement of a stretch.
#[derive(Clone, Debug, PartialEq)]
pub struct StretchStep {
    /// The placement with its number.
    pub step: WatchedStep<StepView>,
    /// Settled cells of the board before the placement.
    pub before: Cells,
    /// Line of text with the progress of the game and the known pieces.
    pub caption: String,
}

impl StretchStep {
    /// Returns the board with the placement on it, with at least `rows` rows.
    #[must_use]
    pub fn scene(&self, rows: usize) -> BoardScene {
        let placed = PlacedPiece { piece: self.step.scene.piece, cells: self.step.scene.cells };
        let settled = |column, row| self.before.get(column, row);
        let (width, height) = self.step.scene.size();
        BoardScene::new((width, height.max(rows)), settled, Some(placed), None)
    }
}

/// Returns `painted` if it has the filled cells of the board before the placement. Otherwise
/// returns that board, with unknown pieces.
fn or_settled(painted: Option<Cells>, view: &StepView) -> Cells {
    let size = (view.before.width(), ROWS);
    let settled =
        Cells::from_fn(size, |column, row| CellFace::settled(view.before.is_filled(column, row)));
    let shape = |painted: &Cells| {
        let is_filled = |column, row| painted.get(column, row) != CellFace::Empty;
        Cells::from_fn(size, |column, row| CellFace::settled(is_filled(column, row)))
    };
    painted.filter(|painted| shape(painted) == settled).unwrap_or(settled)
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
    let mut painted = None;
    while let Some(step) = timeline.viewed().filter(|step| step.piece_no <= last) {
        let view = &step.scene;
        let before = or_settled(painted, view);
        let mut after = before.clone();
        after.set_piece(view.cells, CellFace::Piece(view.piece));
        if view.lines > 0 {
            after.remove_full_rows();
        }
        painted = Some(after);
        let caption = counters(&step).join(", ");
        shots.push(StretchStep { step, before, caption });
        if !timeline.forward()? {
            break;
        }
    }
    Ok(shots)
}
