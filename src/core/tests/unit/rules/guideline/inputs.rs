//! Tests of [`tetrastat_core::rules::guideline::inputs`].

use tetrastat_core::kernels::Level;
use tetrastat_core::piece::Piece;
use tetrastat_core::rules::guideline::*;
use tetrastat_core::rules::guideline::{
    Guideline, Landing, Landings, Matrix, MoveGenerator, Moves, RotationState, perft_matrix,
};

fn letters(matrix: &Matrix, landing: Landing) -> String {
    let way = shortest(&Guideline::capstone(), matrix, landing).unwrap();
    way.inputs.iter().map(|input| input.letter()).collect()
}

#[test]
fn finesse_by_hand() {
    let at = |state, x| {
        Landing::new(Piece::T, state, x, if state == RotationState::Spawn { 0 } else { 1 })
    };
    assert_eq!(letters(&Matrix::EMPTY, at(RotationState::Spawn, 4)), "D");
    assert_eq!(letters(&Matrix::EMPTY, at(RotationState::Spawn, 1)), "LD");
    assert_eq!(letters(&Matrix::EMPTY, at(RotationState::Right, 0)), "cLD");
    let way =
        shortest(&Guideline::capstone(), &Matrix::EMPTY, at(RotationState::Spawn, 4)).unwrap();
    assert_eq!((way.soft, way.hard, way.points()), (0, 20, 40));
}

/// Every landing of the fast generator has inputs, and their drops cover the fall.
#[test]
fn every_landing_has_a_way() {
    for name in ["dt", "tsd", "lemontea", "pco", "rotating_early"] {
        let matrix = perft_matrix(name);
        for rules in [Guideline::official(), Guideline::capstone()] {
            let movegen = MoveGenerator::new(rules, Moves::All, Level::detect());
            for piece in Piece::ALL {
                let mut out = Landings::default();
                movegen.landings(&matrix, piece, &mut out);
                for landing in out.iter() {
                    assert!(shortest(&rules, &matrix, landing).is_some(), "{name} {landing:?}");
                }
            }
        }
    }
}
