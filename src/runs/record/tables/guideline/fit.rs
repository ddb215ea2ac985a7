//! Fit of pieces to a surface, and covered wells.

use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::Landing;

/// Minimum depth of a well below its lower neighbour, in rows.
const DEEP: u8 = 3;

/// Counts the kinds of pieces that a drop can place without an empty cell below them.
pub(super) fn fitting(matrix: &Matrix) -> u32 {
    let heights = matrix.heights();
    let fits = |piece: &&Piece| {
        piece.orientations().iter().any(|shape| {
            let width = usize::from(shape.width);
            heights.windows(width).any(|under| {
                let gap = |c: usize| i16::from(under[c]) - i16::from(shape.bottom[c]);
                (1..width).all(|c| gap(c) == gap(0))
            })
        })
    };
    Piece::ALL.iter().filter(fits).count() as u32
}

/// Returns true if a piece leaves an empty cell below itself in the well. The well is the deepest
/// column of `matrix`, the matrix before the placement (the leftmost of several). Without a well,
/// `None` is returned.
pub(super) fn covers_well(matrix: &Matrix, landing: Landing) -> Option<bool> {
    let heights = matrix.heights().map(usize::from);
    let beside = |column: Option<usize>| {
        column.and_then(|column| heights.get(column)).copied().unwrap_or(usize::MAX)
    };
    let depth = |column: usize| {
        let lower = beside(column.checked_sub(1)).min(beside(Some(column + 1)));
        lower.saturating_sub(heights[column])
    };
    let deepest = (0..WIDTH).map(depth).max()?;
    let well = (0..WIDTH).find(|&column| depth(column) == deepest)?;
    let cells = landing.cells();
    let lowest = cells.iter().filter(|(column, _)| *column == well).map(|(_, row)| *row).min();
    (deepest >= usize::from(DEEP)).then(|| lowest.is_some_and(|row| row > heights[well]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guideline::RotationState;

    fn matrix(picture: &str) -> Matrix {
        picture.parse().unwrap()
    }

    #[test]
    fn what_fits_by_hand() {
        // On the floor every piece fits except S and Z, which leave a gap.
        assert_eq!(fitting(&Matrix::EMPTY), 5);
        // With one step up to the right, S fits flat on the step and Z fits upright.
        assert_eq!(fitting(&matrix(".....#####")), 7);
        // With steps of 3 everywhere, up and down, only an upright I fits.
        let teeth = ".#.#.#.#.#/.#.#.#.#.#/.#.#.#.#.#".replace('/', "\n");
        assert_eq!(fitting(&matrix(&teeth)), 1);
        // With steps of 2, J and L also fit with an arm over the step.
        let teeth = ".#.#.#.#.#/.#.#.#.#.#".replace('/', "\n");
        assert_eq!(fitting(&matrix(&teeth)), 3);
    }

    #[test]
    fn a_well_is_covered_by_hand() {
        let walls = matrix("#########.\n#########.\n#########.");
        let flat = Landing::new(Piece::I, RotationState::Spawn, 7, 3);
        assert_eq!(flat.cells().iter().map(|cell| cell.0).max(), Some(9));
        assert_eq!(covers_well(&walls, flat), Some(true));
        let beside = Landing::new(Piece::I, RotationState::Spawn, 1, 3);
        assert_eq!(covers_well(&walls, beside), Some(false));
        let upright = Landing::new(Piece::I, RotationState::Right, 9, 2);
        let rows: Vec<usize> = upright.cells().iter().map(|cell| cell.1).collect();
        assert_eq!((rows.iter().min(), rows.iter().max()), (Some(&0), Some(&3)));
        assert_eq!(covers_well(&walls, upright), Some(false));
        let shallow = matrix("#########.\n#########.");
        let flat = Landing::new(Piece::I, RotationState::Spawn, 7, 2);
        assert_eq!(covers_well(&shallow, flat), None);
    }
}
