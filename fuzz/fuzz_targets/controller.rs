//! TOML of controllers: what is read either fits a board, and scores placements on it, or says in one line why not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tetrastat_core::board::Board;
use tetrastat_core::controller::{Controller, GuidelineController, Scorer};
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::Placements;
use tetrastat_core::rules::Rules;
use tetrastat_core::search::guideline::Weights;

fuzz_target!(|text: &str| {
    match Controller::parse("fuzz.toml", text) {
        Ok(controller) => score(&controller),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
    if let Ok(controller) = GuidelineController::parse("fuzz.toml", text) {
        Weights::new(&controller);
    }
});

fn score(controller: &Controller) {
    let (rules, mut candidates) = (Rules::simplified(), Vec::new());
    for text in ["4x4", "10x20", "16x28"] {
        let size = text.parse().unwrap();
        let Ok(scorer) = Scorer::new(controller, size) else { continue };
        let board = Board::empty(size);
        rules.candidates(&Placements::new(board.width()), &board, Piece::T, &mut candidates);
        for &candidate in &candidates {
            let outcome = rules.play(&board, Piece::T, candidate);
            scorer.score(board.stack_height(), outcome.board(scorer.measured()), &outcome.played);
        }
    }
}
