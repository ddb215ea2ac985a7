//! Tests of [`tetrastat_core::piece`].

use tetrastat_core::piece::*;

#[test]
fn every_orientation_has_four_cells_in_its_box() {
    for piece in Piece::ALL {
        for o in piece.orientations() {
            assert_eq!(o.rows.iter().map(|row| row.count_ones()).sum::<u32>(), 4);
            assert_eq!(o.thickness.iter().sum::<u8>(), 4);
            assert!(o.rows.iter().all(|&row| row >> o.width == 0));
        }
    }
}

#[test]
fn orientation_counts_are_those_of_mdptetris() {
    let counts = Piece::ALL.map(|piece| piece.orientations().len());
    assert_eq!(counts, [2, 1, 4, 2, 2, 4, 4]);
}

#[test]
fn fahey_vertical_i_turns_once_about_its_third_cell() {
    let pose = Piece::I.orientations()[0].fahey;
    assert_eq!(pose, FaheyPose { turns: 1, origin_column: 0, origin_row: 2 });
}

#[test]
fn letters_read_back() {
    for piece in Piece::ALL {
        assert_eq!(piece.to_string().parse::<Piece>().unwrap(), piece);
    }
    assert_eq!("X".parse::<Piece>().unwrap_err().to_string().lines().count(), 1);
    assert!("".parse::<Piece>().is_err());
    assert!("IO".parse::<Piece>().is_err());
}
