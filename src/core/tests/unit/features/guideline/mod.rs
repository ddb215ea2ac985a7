//! Tests of [`tetrastat_core::features::guideline`].

mod explain;

use proptest::prelude::*;
use std::collections::BTreeSet;
use tetrastat_core::features::Feature;
use tetrastat_core::features::guideline::*;
use tetrastat_core::matrix::Matrix;

fn value(picture: &str, name: &str) -> i32 {
    let matrix: Matrix = picture.parse().unwrap();
    name.parse::<Term>().unwrap().of_matrix(&matrix, None).unwrap()
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
    assert!("hoels".parse::<Term>().unwrap_err().to_string().contains("t_slots_2"));
}

#[test]
fn slots_by_hand() {
    assert_eq!(value(".....##.../###...####/####.#####", "t_slots_2"), 1);
    assert_eq!(value("##...#####/####.#####", "t_slots_2"), 0, "no overhang");
    assert_eq!(value("....##..../###...####/####.##.##", "t_slots_1"), 0, "roof over the centre");
    assert_eq!(value(".....##.../###...####/####.##.##", "t_slots_1"), 1);
}

#[test]
fn holes_and_wells_by_hand() {
    // A hole under two cells with one open column to its left: a cavity.
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
    fn all_at_once_are_the_scalar_definitions(matrix in any_matrix(), goal in prop::option::of(0..41u32)) {
        let mut found = values(&matrix, goal);
        add_slots(&matrix, &mut found);
        for term in Term::all().take(BOARD_TERMS) {
            prop_assert_eq!(Some(found[term.index()]), term.of_matrix(&matrix, goal), "{}", term);
        }
    }

    #[test]
    fn terms_with_the_name_of_a_feature_are_that_feature(matrix in any_matrix()) {
        let board = matrix.to_board();
        let shared = Term::all().filter_map(|term| Some((term, term.to_string().parse::<Feature>().ok()?)));
        let mut count = 0;
        for (term, feature) in shared.filter(|(_, feature)| !feature.is_of_move()) {
            prop_assert_eq!(term.of_matrix(&matrix, None), feature.raw(&board, None), "{}", term);
            count += 1;
        }
        prop_assert_eq!(count, 10);
    }
}
