//! Tests of [`tetrastat_core::features::explain`].

use proptest::prelude::*;
use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::features::Feature;
use tetrastat_core::features::*;

fn boards() -> impl Strategy<Value = Board> {
    (4usize..=16, 4usize..=28).prop_flat_map(|(width, height)| {
        let size = BoardSize::new(width, height).unwrap();
        let full = size.width();
        let rows = proptest::collection::vec(0u16..=(((1u32 << full) - 1) as u16), height);
        (rows, 0..=height).prop_map(move |(mut rows, stack)| {
            rows[stack..].fill(0);
            Board::from_rows(size, &rows).unwrap()
        })
    })
}

proptest! {
    #[test]
    fn parts_add_up_to_every_feature(board in boards()) {
        for feature in Feature::all(board.size()).filter(|feature| !feature.is_of_move()) {
            let contributions = feature.contributions(&board).unwrap();
            let sum: i32 = contributions.iter().map(|contribution| contribution.amount).sum();
            prop_assert_eq!(Some(sum), feature.raw(&board, None), "{} of\n{}", feature, board);
        }
    }
}

/// The value of the published test board D is 24: 10 in column 1, 3 in column 4, 1 in column 8, 10
/// in column 10.
#[test]
fn the_notebooks_24() {
    let d = ".....##..#./#.##.#...#./#.##.#.#.#./#..###.###./#.##.#.####/#.#########";
    let d: Board = d.parse().unwrap();
    let feature: Feature = "wells_open".parse().unwrap();
    let contributions = feature.contributions(&d).unwrap();
    let in_column = |column| -> i32 {
        let is_here = |at: Location| matches!(at, Location::Cell(other, _) if other == column);
        contributions.iter().filter(|one| is_here(one.location)).map(|one| one.amount).sum()
    };
    assert_eq!([1, 4, 8, 10].map(in_column), [10, 3, 1, 10]);
    let picture = picture(&d, &contributions);
    assert!(picture.trim_end().ends_with("= 24"), "{picture}");
}
