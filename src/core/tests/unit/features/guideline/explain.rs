//! Tests of the contributions of guideline terms.

use proptest::prelude::*;
use tetrastat_core::features::guideline::{PICTURED_ROWS, Term};
use tetrastat_core::features::{Contribution, Location, picture};
use tetrastat_core::matrix::{Matrix, WIDTH};

fn matrices() -> impl Strategy<Value = Matrix> {
    let row = prop_oneof![0..1024u16, (0..9u16).prop_map(|hole| 1023 ^ 3 << hole), Just(0)];
    prop::collection::vec(row, 0..PICTURED_ROWS).prop_map(|rows| {
        let cells = |row: u16| (0..WIDTH).filter(move |column| row >> column & 1 == 1);
        let all = rows.iter().enumerate().flat_map(|(y, &row)| cells(row).map(move |x| (x, y)));
        all.fold(Matrix::EMPTY, |matrix, (x, y)| matrix.with(x, y))
    })
}

proptest! {
    #[test]
    fn parts_add_up_to_every_term(matrix in matrices(), left in prop::option::of(0..41u32)) {
        for term in Term::all() {
            let contributions = term.contributions(&matrix, left);
            let sum = contributions.map(|all| all.iter().map(|one| one.amount).sum::<i32>());
            prop_assert_eq!(sum, term.matrix_value(&matrix, left), "{} of {:?}", term, matrix);
        }
    }
}

/// The centre of a T-spin double is under its overhang.
#[test]
fn a_slot_is_marked_at_its_centre() {
    let matrix: Matrix = ".....##.../###...####/####.#####".parse().unwrap();
    let term: Term = "t_slots_2".parse().unwrap();
    let contributions = term.contributions(&matrix, None).unwrap();
    assert_eq!(contributions, [Contribution { location: Location::Cell(4, 1), amount: 1 }]);
    assert!(picture(&matrix.to_board(), &contributions).ends_with("= 1\n"));
}
