//! Tests of [`tetrastat_core::search::guideline::evaluation`].

use proptest::prelude::*;
use tetrastat_core::controller::GuidelineController;
use tetrastat_core::features::guideline::{ClearEvent, Term, TermFunction};
use tetrastat_core::piece::Piece;
use tetrastat_core::rules::guideline::Spin;
use tetrastat_core::search::guideline::*;

fn one(term: Term) -> GuidelineController {
    let text = format!("name = 'x'\nmeasured = 'after-clear'\n[weights]\n{term} = 1");
    GuidelineController::parse("x", &text).unwrap()
}

proptest! {
    #[test]
    fn what_is_earned_is_the_scalar_definitions(
        (piece, lines, spin) in (0..7usize, 0..5u8, 0..3usize),
        (perfect, combo, back_to_back, height, points, attack) in
            (any::<bool>(), 0..20u8, any::<bool>(), 0..23u8, 0..5000u32, 0..40u32),
    ) {
        let spin = [Spin::None, Spin::Mini, Spin::Full][spin];
        let perfect = perfect && lines > 0;
        let piece = Piece::ALL[piece];
        let event = ClearEvent {
            piece, lines, spin, perfect, combo, back_to_back, height, points, attack,
        };
        for term in Term::all() {
            if let TermFunction::ClearEvent(function) = term.definition().measure {
                let reward = Weights::new(&one(term)).reward(&event);
                prop_assert_eq!(reward, i64::from(function(&event)) * SCALE as i64, "{}", term);
            }
        }
    }
}
