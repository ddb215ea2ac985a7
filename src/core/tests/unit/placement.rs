//! Tests of [`tetrastat_core::placement`].

use tetrastat_core::piece::Piece;
use tetrastat_core::placement::*;

#[test]
fn counts_on_ten_columns() {
    let placements = Placements::new(10);
    let counts = Piece::ALL.map(|piece| placements.of_piece(piece).len());
    assert_eq!(counts, [17, 9, 34, 17, 17, 34, 34]); // I O T S Z J L
}

#[test]
fn no_width_exceeds_the_bound_and_all_stay_inside_the_walls() {
    for width in 4..=16 {
        let placements = Placements::new(width);
        for piece in Piece::ALL {
            let list = placements.of_piece(piece);
            assert!(list.len() <= MAX_CANDIDATES);
            for p in list {
                let o = &piece.orientations()[p.orientation as usize];
                assert!(p.column as usize + o.width as usize <= width);
            }
        }
    }
}
