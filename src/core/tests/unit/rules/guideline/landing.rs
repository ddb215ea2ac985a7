//! Tests of [`tetrastat_core::rules::guideline::landing`].

use tetrastat_core::matrix::Matrix;
use tetrastat_core::piece::Piece;
use tetrastat_core::rules::guideline::RotationState;
use tetrastat_core::rules::guideline::*;

#[test]
fn candidates_fill_the_same_cells() {
    for piece in Piece::ALL {
        for state in RotationState::ALL {
            let landing = Landing::new(piece, state, 4, 5);
            let locked = landing.lock(&Matrix::EMPTY);
            let cells = landing.cells();
            assert_eq!(cells.into_iter().fold(Matrix::EMPTY, |m, (x, y)| m.with(x, y)), locked);
            let board = landing.candidate().lock(&Matrix::EMPTY.to_board(), piece);
            assert_eq!(board, locked.to_board(), "{landing:?}");
            assert_eq!(landing.canonical().lock(&Matrix::EMPTY), locked);
            let (left, low) = (landing.left_column() as i64, landing.low() as i64);
            assert_eq!(Landing::at(piece, state, left, low), Some(landing));
            assert_eq!(Landing::at(piece, state, 10, low), None);
            assert_eq!(Landing::at(piece, state, left, -1), None);
        }
    }
}
