//! Tests of [`tetrastat_core::board`].

use proptest::prelude::*;
use tetrastat_core::board::*;
use tetrastat_core::piece::Piece;

fn board(picture: &str) -> Board {
    picture.parse().unwrap()
}

#[test]
fn picture_reads_back() {
    let picture = "......\n#....#\n##..##\n.#..#.\n";
    let read = board(picture);
    assert_eq!(read.to_string(), picture);
    assert_eq!(read, board("....../#....#/##..##/.#..#."));
    assert_eq!(read.to_hex(), "12:33:21");
    assert_eq!(Board::from_hex(read.size(), "12:33:21").unwrap(), read);
    assert!(Board::from_hex(read.size(), "12:x").unwrap_err().to_string().contains("'12:x'"));
    assert_eq!(read.heights()[..6], [3, 2, 0, 0, 2, 3]);
}

#[test]
fn bad_pictures_name_the_line() {
    let message = |text: &str| text.parse::<Board>().unwrap_err().to_string();
    assert_eq!(
        message("..../.../..../...."),
        "board picture, line 2: 3 cells, but the first line has 4"
    );
    assert_eq!(message("..../..../.x../...."), "board picture, line 3: 'x' is neither '.' nor '#'");
    assert_eq!(message(""), "board picture, line 1: 0 columns: draw 4 to 16");
}

#[test]
fn a_vertical_i_falls_into_the_well_and_clears_four() {
    let well = board("..../..../##.#/##.#/##.#/##.#");
    let upright = &Piece::I.orientations()[0];
    let row = Board::landing_row(&well.heights(), upright, 2);
    assert_eq!(row, 0);
    let (after, lines) = well.lock(upright, 2, row).clear();
    assert_eq!((after, lines), (board("..../..../..../..../..../...."), 4));
}

#[test]
fn a_piece_rests_on_its_first_contact() {
    let uneven = board("..../..../#.../#...");
    let j = &Piece::J.orientations()[1]; // .#/.#/##
    assert_eq!(Board::landing_row(&uneven.heights(), j, 0), 2);
    let l_hook = &Piece::L.orientations()[3]; // ##/.#/.#
    assert_eq!(Board::landing_row(&uneven.heights(), l_hook, 0), 0);
}

#[test]
fn rows_between_two_full_ones_stay() {
    let (after, lines) = board("#.../####/.#../####").clear();
    assert_eq!((after, lines), (board("..../..../#.../.#.."), 2));
}

#[test]
fn all_32_rows_full_clear_to_an_empty_board() {
    let size = BoardSize::new(4, 28).unwrap();
    let full = Board::from_rows(size, &[15; ROWS]).unwrap();
    assert_eq!(full.clear(), (Board::empty(size), 32));
}

#[test]
fn sizes_out_of_range_are_refused() {
    for text in ["40x3", "3x20", "10x29", "17x4", "10", "ax4", "10x", "-4x4"] {
        assert!(text.parse::<BoardSize>().is_err(), "{text}");
    }
    assert_eq!("16x28".parse::<BoardSize>().unwrap().to_string(), "16x28");
}

proptest! {
    #[test]
    fn heights_agree_with_column_height(
        width in 4..=16usize, height in 4..=28usize,
        cells in prop::collection::vec(0..=u16::MAX, 28)
    ) {
        let size = BoardSize::new(width, height).unwrap();
        let rows: Vec<u16> = cells[..height].iter().map(|row| row & full_row(width)).collect();
        let board = Board::from_rows(size, &rows).unwrap();
        for column in 0..width {
            prop_assert_eq!(board.heights()[column] as usize, board.column_height(column));
        }
        prop_assert_eq!(board.to_string().parse::<Board>().unwrap(), board);
        let (cleared, lines) = board.clear();
        prop_assert_eq!(cleared.full_rows(), 0);
        let cells = |b: &Board| b.rows().iter().map(|row| row.count_ones()).sum::<u32>();
        prop_assert_eq!(cells(&board), cells(&cleared) + lines * width as u32);
    }
}

/// Rows that a picture leaves out at the top are empty.
#[test]
fn pictures_may_leave_out_empty_rows() {
    let of = |picture: &str, size: Option<&str>| {
        Board::from_picture(picture, size.map(|size| size.parse().unwrap()))
    };
    let low = of("#...#...../##########", Some("10x12")).unwrap();
    assert_eq!((low.size().to_string().as_str(), low.row(1)), ("10x12", 0b10001));
    assert_eq!((low.row(0), low.row(2)), (low.full_row(), 0));
    let size = |picture: &str| of(picture, None).unwrap().size().to_string();
    assert_eq!(size("#........."), "10x20");
    assert_eq!(size(&["#........."; 22].join("/")), "10x22");
    assert_eq!(size("....../....../....../#....."), "6x4");
    let wrong = |picture: &str, size, words: &str| {
        let message = of(picture, size).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    };
    wrong("#.....", None, "only 1 of its rows");
    wrong("#.....", Some("10x20"), "6 columns");
    wrong(&["#...."; 5].join("/"), Some("5x4"), "5 rows");
    wrong("#..", Some("10x20"), "3 columns");
}

#[test]
fn sizes_read_back() {
    let size: BoardSize = "10x20".parse().unwrap();
    assert_eq!((size.width(), size.height(), size.to_string().as_str()), (10, 20, "10x20"));
    assert!("3x20".parse::<BoardSize>().is_err()); // an I needs four columns
}
