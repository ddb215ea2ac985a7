//! Tests of [`tetrastat_core::features::guideline`].

mod explain;

use proptest::prelude::*;
use std::collections::BTreeSet;
use tetrastat_core::features::Feature;
use tetrastat_core::features::guideline::*;
use tetrastat_core::kernels::Level;
use tetrastat_core::matrix::Matrix;
use tetrastat_core::piece::Piece;
use tetrastat_core::rules::guideline::{
    Guideline, GuidelineState, Hold, Landing, Landings, MoveGenerator, Moves, Spin,
};
use tetrastat_core::search::guideline::state_term;

fn value(picture: &str, name: &str) -> i32 {
    let matrix: Matrix = picture.parse().unwrap();
    name.parse::<Term>().unwrap().matrix_value(&matrix, None).unwrap()
}

#[test]
fn names_are_unique_and_read_back() {
    let names: BTreeSet<&str> = TERMS.iter().map(|term| term.name).collect();
    assert_eq!(names.len(), TERMS.len());
    for term in Term::all() {
        assert_eq!(term.to_string().parse::<Term>().unwrap(), term);
        let entry = term.definition();
        assert!(!entry.definition.is_empty() && !entry.source.is_empty(), "{term}");
    }
    assert!("xyzzy".parse::<Term>().unwrap_err().to_string().contains("t_slots_2"));
    assert!("hoels".parse::<Term>().unwrap_err().to_string().ends_with("did you mean 'holes'?"));
}

#[test]
fn slots_by_hand() {
    assert_eq!(value(".....##.../###...####/####.#####", "t_slots_2"), 1);
    assert_eq!(value("##...#####/####.#####", "t_slots_2"), 0, "no overhang");
    assert_eq!(value("....##..../###...####/####.##.##", "t_slots_1"), 0, "roof over the centre");
    assert_eq!(value(".....##.../###...####/####.##.##", "t_slots_1"), 1);
}

/// A T-spin triple, mirrored, with an incomplete row, without overhang, by a high neighbour.
#[test]
fn triples_by_hand() {
    let ready = "#........./........../.#######.#/..########/.#########";
    let whole = ready.replace("#######.#", "#########");
    assert_eq!((value(&whole, "t_triples_3"), value(&whole, "t_triples_2")), (1, 0));
    assert_eq!((value(ready, "t_triples_3"), value(ready, "t_triples_2")), (0, 1));
    let mirrored = whole.parse::<Matrix>().unwrap().mirrored().to_string();
    assert_eq!(value(mirrored.trim(), "t_triples_3"), 1);
    assert_eq!(value(&whole[11..], "t_triples_3"), 0, "nothing that the fourth kick hits");
    let high = "#........./..#......./.#########/..########/.#########";
    assert_eq!(value(high, "t_triples_3"), 0, "no room to lie");
}

/// The generator finds the T of a triple as a full T-spin of three rows.
#[test]
fn triples_are_reached_by_a_spin() {
    let matrix: Matrix = "#........./........../.#########/..########/.#########".parse().unwrap();
    let reach = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
    let mut landings = Landings::default();
    reach.landings(&matrix, Piece::T, &mut landings);
    let triple = |landing: &Landing| landing.lock(&matrix).clear().1 == 3;
    assert!(landings.iter().filter(triple).all(|landing| landing.spin == Spin::Full));
    assert_eq!(landings.iter().filter(triple).count(), 1);
}

#[test]
fn perfect_clears_back_to_back_and_the_hold_by_hand() {
    assert_eq!(value("####....##/####....##", "perfect_chance"), 12);
    assert_eq!(value("####....#./####....##", "perfect_chance"), 0, "eleven cells");
    assert_eq!(value("####....../###......#", "perfect_chance"), 0, "a hole");
    assert_eq!(
        value("#........./#........./#........./#........./####......", "perfect_chance"),
        0
    );
    let state = GuidelineState { hold: Hold::Piece(Piece::S), ..GuidelineState::default() };
    let of = |name: &str, state: &GuidelineState| state_term(name.parse().unwrap(), state);
    assert_eq!((of("hold_s", &state), of("hold_z", &state)), (Some(1), Some(0)));
    assert_eq!(of("hold_s", &GuidelineState::default()), Some(0), "nothing in the hold");
    assert_eq!((of("back_to_back", &state), of("holes", &state)), (Some(0), None));
    let lost: Term = "back_to_back_lost".parse().unwrap();
    let TermFunction::ClearEvent(lost) = lost.definition().measure else {
        panic!("of a placement")
    };
    let event = |lines, spin, back_to_back| ClearEvent {
        piece: Piece::T,
        lines,
        spin,
        perfect: false,
        combo: 0,
        back_to_back,
        height: 4,
        points: 0,
        attack: 0,
    };
    assert_eq!(lost(&event(2, Spin::None, true)), 1);
    assert_eq!(lost(&event(2, Spin::None, false)), 0, "nothing to lose");
    assert_eq!(
        lost(&event(2, Spin::Mini, true)) + lost(&event(4, Spin::None, true)),
        0,
        "difficult"
    );
    assert_eq!(lost(&event(0, Spin::None, true)), 0, "no clear");
}

#[test]
fn holes_and_wells_by_hand() {
    // A hole below two cells, with one open column to its left, is a cavity.
    let board = ".#......../.#......../#.########";
    assert_eq!(value(board, "cavities"), 1);
    assert_eq!(value(board, "covered"), 2);
    let hang = "###......./##......../##......../##.......#";
    assert_eq!(value(hang, "overhangs"), 3);
    assert_eq!(value(hang, "covered_squared"), 3);
    assert_eq!(value("#########./#########./######.##.", "well_depth"), 0);
    assert_eq!(value("#########./#########./#########.", "well_depth"), 3);
    assert_eq!(value("#########./#########./#########.", "well_column_9"), 1);
    assert_eq!(value("##########/#.########", "complete_rows"), 1);
    assert_eq!(value("#...#...../##........", "bumpiness_open"), 1 + 2 + 1 + 2);
}

fn any_matrix() -> impl Strategy<Value = Matrix> {
    let row = prop_oneof![0..1024u16, (0..9u16).prop_map(|hole| 1023 ^ 3 << hole), Just(0)];
    prop::collection::vec(row, 0..23).prop_map(|rows| {
        let cells = |row: u16| (0..10).filter(move |column| row >> column & 1 == 1);
        let all = rows.iter().enumerate().flat_map(|(y, &row)| cells(row).map(move |x| (x, y)));
        all.fold(Matrix::EMPTY, |matrix, (x, y)| matrix.with(x, y))
    })
}

proptest! {
    #[test]
    fn all_at_once_are_the_scalar_definitions(
        matrix in any_matrix(), goal in prop::option::of(0..41u32)
    ) {
        let found = values(&matrix, goal, true);
        let mut places = 0;
        for (term, place) in Term::all().filter_map(|term| Some((term, term.matrix_index()?))) {
            prop_assert_eq!(Some(found[place]), term.matrix_value(&matrix, goal), "{}", term);
            // The search multiplies terms by weights as numbers without a sign.
            prop_assert!(found[place] >= 0, "{}", term);
            places += 1;
        }
        prop_assert_eq!(places, MATRIX_TERMS);
    }

    #[test]
    fn terms_with_the_name_of_a_feature_are_that_feature(matrix in any_matrix()) {
        let board = matrix.to_board();
        let feature = |term: Term| term.to_string().parse::<Feature>().ok();
        let shared = Term::all().filter_map(|term| Some((term, feature(term)?)));
        let mut count = 0;
        for (term, feature) in shared.filter(|(_, feature)| !feature.is_of_move()) {
            let value = term.matrix_value(&matrix, None);
            prop_assert_eq!(value, feature.raw(&board, None), "{}", term);
            count += 1;
        }
        prop_assert_eq!(count, 10);
    }
}
