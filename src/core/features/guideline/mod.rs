//! Terms of a guideline game: what a matrix is worth, and what a placement earns.
//!
//! A term that has the name of a feature of the other rules has its value on the same cells (board
//! 10x20). Each has one scalar definition, in `board`, `slots` and `act`; [`values`] finds all those of
//! the matrix at once, and tests hold it against them.
//!
//! Rows are 0-based from the floor. A *hole* is an empty cell with a filled cell above it in its
//! column. The *well column* is the lowest column, the leftmost of several. A *T-slot* is where a T
//! that points down can be turned in under an overhang ([`values`] looks for at most three, one after
//! another).

mod act;
mod board;
mod explain;
mod registry;
mod slots;
mod values;

use std::fmt;
use std::str::FromStr;

pub use act::Act;
pub use explain::PICTURED_ROWS;
pub use registry::TERMS;
pub use values::{BOARD_TERMS, SLOT_TERMS, Values, add_slots, values};

use super::Feature;
use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// The scalar function of a term.
#[derive(Clone, Copy)]
pub enum Measure {
    /// Of a matrix: counts once, at the end of what a search looks at.
    Matrix(fn(&Matrix) -> i32),
    /// Of a matrix and the rows still to clear, if the game has an end.
    Goal(fn(&Matrix, Option<u32>) -> i32),
    /// Whether the next difficult clear is back-to-back: counts once, as a matrix does.
    BackToBack,
    /// Of what a placement did: earned once, and kept by a search that looks further.
    Act(fn(&Act) -> i32),
}

/// One entry of the registry.
pub struct Definition {
    /// Name in controllers and columns.
    pub name: &'static str,
    /// The exact definition, in one sentence.
    pub definition: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The scalar function.
    pub measure: Measure,
}

/// One term: an entry of the registry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term(usize);

impl Term {
    /// Every term, in the order of the registry.
    pub fn all() -> impl Iterator<Item = Term> {
        (0..TERMS.len()).map(Term)
    }

    /// Its place in the registry; terms of the matrix come first.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }

    /// Its entry.
    #[must_use]
    pub fn definition(self) -> &'static Definition {
        &TERMS[self.0]
    }

    /// Its value by the scalar definition; `None` for what a matrix alone does not tell.
    #[must_use]
    pub fn of_matrix(self, matrix: &Matrix, left: Option<u32>) -> Option<i32> {
        match self.definition().measure {
            Measure::Matrix(function) => Some(function(matrix)),
            Measure::Goal(function) => Some(function(matrix, left)),
            Measure::BackToBack | Measure::Act(_) => None,
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.definition().name)
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Term {
    type Err = Error;

    fn from_str(name: &str) -> Result<Term> {
        Term::all().find(|term| term.definition().name == name).ok_or_else(|| {
            let names = TERMS.iter().map(|term| term.name);
            if name.parse::<Feature>().is_ok() {
                let names = names.collect::<Vec<_>>().join(", ");
                return Error::Config(format!(
                    "'{name}' is a feature of one-piece games (--rules simplified or standard), no term of guideline games: use one of {names}"
                ));
            }
            Error::unknown("guideline term", name, names)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Feature;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

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
        assert_eq!(
            value("....##..../###...####/####.##.##", "t_slots_1"),
            0,
            "roof over the centre"
        );
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
}
