//! Exports consecutive placements of a game (a stretch) as a fumen, one page per placement.

use super::{Field, FumenPage, Operation, ROWS, WIDTH, encode};
use crate::error::{Error, Result};
use crate::pictures::stretch::StretchStep;

/// Address of the editor that shows fumens.
const EDITOR: &str = "http://fumen.zui.jp/?";

/// Returns the web address at which the editor shows the placements.
///
/// # Errors
/// [`Error::Config`] if the board does not have ten columns, or has cells above row 23.
pub fn address(shots: &[StretchStep]) -> Result<String> {
    let pages = shots.iter().map(page).collect::<Result<Vec<FumenPage>>>()?;
    Ok(EDITOR.to_owned() + &encode(&pages))
}

fn page(shot: &StretchStep) -> Result<FumenPage> {
    let (columns, rows) = (shot.step.scene.size().0, ROWS);
    if columns != WIDTH {
        return Err(Error::Config(format!(
            "a fumen has {WIDTH} columns, this board {columns}: give --svg or --animate"
        )));
    }
    let number = shot.step.piece_no;
    let too_high = || {
        Error::Config(format!(
            "placement {number} reaches above the {rows} rows of a fumen: end before it (--to {})",
            number.saturating_sub(1)
        ))
    };
    let mut field = Field::default();
    for row in 0..ROWS {
        for column in (0..WIDTH).filter(|&column| shot.step.scene.before.is_filled(column, row)) {
            field.fill(column, row, shot.before.get(column, row).piece());
        }
    }
    let is_over =
        |column| (ROWS..ROWS + 5).any(|row| shot.step.scene.before.is_filled(column, row));
    if (0..WIDTH).any(is_over) {
        return Err(too_high());
    }
    let operation = Operation::of_cells(shot.step.scene.piece, shot.step.scene.cells);
    Ok(FumenPage::new(field, Some(operation.ok_or_else(too_high)?)))
}
