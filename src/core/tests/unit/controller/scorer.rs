//! Tests of [`tetrastat_core::controller::scorer`].

use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::controller::*;
use tetrastat_core::controller::{Controller, PRESETS};
use tetrastat_core::features::{Measured, Move};
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::{Candidate, Placement};

fn scorer(name: &str) -> Scorer {
    let size = BoardSize::new(10, 20).unwrap();
    Scorer::new(&Controller::load(name).unwrap(), size).unwrap()
}

#[test]
fn weights_become_exact_integers() {
    let weights = |name| scorer(name).terms(0).iter().map(|term| term.1).collect::<Vec<_>>();
    assert_eq!(weights("dellacherie"), [-1, 2, -2, -2, -8, -2]);
    assert_eq!(weights("dt20"), [-268, 276, -482, -1264, 406, -542, -86, -1896, 178]);
    assert_eq!(weights("bcts")[..2], [-12_629_000, 13_203_948]);
    assert_eq!(scorer("bcts").scale(), 2e6);
}

#[test]
fn every_preset_fits_and_keeps_at_least_nine_decimals_or_all() {
    for preset in PRESETS {
        let controller = preset.controller().unwrap();
        let scorer = Scorer::new(&controller, BoardSize::new(10, 20).unwrap()).unwrap();
        for ((feature, weight), (_, integer)) in controller.weights.iter().zip(scorer.terms(0)) {
            let units = f64::from(feature.definition().unit.denominator(10));
            let back = *integer as f64 * units / scorer.scale();
            assert!((back - weight).abs() < 1e-9, "{} {feature}: {weight} {back}", preset.name);
        }
    }
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let named = [("holes", weight)];
        let at_height = [("holes", -1.0), ("holes@8", weight)];
        for named in [&named[..], &at_height] {
            let (weights, at_height) = split_weights(named.iter().copied()).unwrap();
            let empty = Controller::new("mine".to_owned(), Measured::AfterClear);
            let controller = Controller { weights, at_height, ..empty };
            let error = Scorer::new(&controller, "10x20".parse().unwrap()).unwrap_err();
            let name = named.last().unwrap().0;
            let wanted =
                format!("weight of {name} is {weight}: give a finite number, for example -1.5");
            assert!(error.to_string().contains(&wanted), "{error}");
        }
    }
}

#[test]
fn weights_beyond_64_bits_are_refused() {
    let text = "name='x'\nmeasured='after-clear'\n[weights]\nholes=1e300";
    let huge = Controller::parse("x", text).unwrap();
    let error = Scorer::new(&huge, BoardSize::new(10, 20).unwrap()).unwrap_err();
    assert!(error.to_string().contains("divide"), "{error}");
}

#[test]
fn weights_that_would_round_to_nothing_are_refused() {
    for weights in ["holes=-1e12\nmax_height=-1e-6", "holes=-5e-324", "holes=1\nbumpiness=1e-14"] {
        let text = format!("name='x'\nmeasured='after-clear'\n[weights]\n{weights}");
        let controller = Controller::parse("x", &text).unwrap();
        let error = Scorer::new(&controller, BoardSize::new(10, 20).unwrap()).unwrap_err();
        assert!(error.to_string().contains("too small"), "{weights}: {error}");
    }
}

#[test]
fn a_score_by_hand() {
    // A flat I on an empty 10x20 board: landing height 0, no wells. Row 0 is filled up to column 3
    // and changes there and at the right wall; the 19 empty rows have 2 changes each. Columns 0 to
    // 3 change at the sky, the others at the floor.
    let board: Board = (0..4).fold(Board::empty("10x20".parse().unwrap()), |b, c| b.with(c, 0));
    let candidate = Candidate { placement: Placement { orientation: 1, column: 0 }, row: 0 };
    let played = Move { piece: Piece::I, candidate, lines: 0, removed_cells: [0; 4] };
    let dellacherie = scorer("dellacherie");
    let score = dellacherie.score(board.stack_height(), &board, &played);
    assert_eq!(score.total as f64 / dellacherie.scale(), -(2.0 * 19.0 + 2.0) - 10.0);
    assert_eq!(score.reward, 0);
}

/// The manual's example: -4 at height 0 and -6 at 9 rows are -4 - 2 x 7 / 9 = -5.555556 at 7 rows.
#[test]
fn weights_between_heights_are_interpolated_beyond_their_decimals() {
    let size = BoardSize::new(10, 20).unwrap();
    let text = "name = 'x'\nmeasured = 'after-clear'\n[weights]\nholes = -4.0\n'holes@9' = -6.0\n";
    let scorer = Scorer::new(&Controller::parse("x", text).unwrap(), size).unwrap();
    let holes = |stack: usize| {
        let [(_, weight)] = scorer.terms(stack) else { panic!("one feature") };
        7.0 * *weight as f64 / scorer.scale()
    };
    assert_eq!([0, 9, 20].map(holes), [-28.0, -42.0, -42.0]);
    assert!((holes(7) - 7.0 * (-4.0 - 14.0 / 9.0)).abs() < 7.0 * 5e-7, "{}", holes(7));
}
