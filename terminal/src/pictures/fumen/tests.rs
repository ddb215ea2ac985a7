//! Tests fumens of known meaning, round trips, and the crate `fumen` as oracle.

use proptest::prelude::*;

use super::{CELLS, *};
use crate::piece::Piece;

fn field(picture: &str) -> Field {
    let mut field = Field::default();
    for (row, line) in picture.split('/').rev().enumerate() {
        for (column, letter) in line.chars().enumerate().filter(|&(_, letter)| letter != '.') {
            field.fill(column, row, letter.to_string().parse().ok());
        }
    }
    field
}

#[test]
fn the_empty_page() {
    let page = FumenPage::new(Field::default(), None);
    assert_eq!(encode(std::slice::from_ref(&page)), "v115@vhAAgH");
    assert_eq!(decode("http://fumen.zui.jp/?v115@vhAAgH&x=1").unwrap(), [page]);
}

/// Example from the documentation of tetris-fumen: four rows open at the right.
#[test]
fn a_field_by_hand() {
    let text = "v115@9gI8AeI8AeI8AeI8KeAgH";
    let well = ["#########."; 4].join("/");
    assert_eq!(decode(text).unwrap(), [FumenPage::new(field(&well), None)]);
    assert_eq!(encode(&[FumenPage::new(field(&well), None)]), text);
    let commented = decode("v115@9gI8AeI8AeI8AeI8Ke5IYJA0no2AMOprDTBAAA").unwrap();
    let bar = Operation { piece: Piece::I, rotation: 3, centre: (9, 1) };
    assert_eq!(commented, [FumenPage::new(field(&well), Some(bar))]);
    assert_eq!(bar.cells().unwrap().map(|(column, _)| column), [9; 4]);
    assert_eq!(commented[0].next_field(), Field::default());
}

/// A fumen of version 110 has 22 rows. 7e is 59 + 64 x 30 = 9 x 220 - 1: no cell of the field
/// changes. Then the number of further equal pages is 0, and A4G is 56 x 64 + 6 x 64^2 = 32 x 220 x
/// 4: no piece, and the flag of the colours. An I in spawn state at column 4 of the floor is
/// 1 + 8 x 2 + 32 x (204 + 220 x 4) = 34705 = 17 + 30 x 64 + 8 x 64^2, in digits ReI.
#[test]
fn version_110_by_hand() {
    assert_eq!(decode("v110@7eAA4G").unwrap(), [FumenPage::new(Field::default(), None)]);
    let first = Operation { piece: Piece::I, rotation: 2, centre: (4, 0) };
    let page = FumenPage::new(Field::default(), Some(first));
    assert_eq!(decode("v110@7eAReI").unwrap(), [page]);
}

#[test]
fn a_fumen_ends_where_another_text_begins() {
    let pages = decode("v115@vhAAgH").unwrap();
    for text in [
        "v115@vhAAgH # note",
        "\"v115@vhAAgH\",1",
        "https://fumen.zui.jp/?v115%40vhAAgH",
        "[my opener](https://harddrop.com/fumen/?d115@vhAAgH)",
        "v115@vhAAgH v115@vhAxOJ",
    ] {
        assert_eq!(decode(text).unwrap(), pages, "{text}");
    }
    assert_eq!(
        split("a v115@vhAAgH, m110@7eAA4G v115%40A"),
        ["v115@vhAAgH, ", "m110@7eAA4G ", "v115%40A"]
    );
    assert!(split("v115 and v1.15@").is_empty());
}

/// Example from the documentation of tetris-fumen: seven pages, first an I in spawn state at column
/// 4 of the floor. Every field is the one that the pieces before left.
#[test]
fn a_game_by_hand() {
    let text = "v115@vhGRQYHAvItJEJmhCAUGJKJJvMJTNJGBJFKYPAUEzP?EJG98AQmqhECDdCA";
    let pages = decode(text).unwrap();
    assert_eq!(pages.len(), 7);
    let first = Operation { piece: Piece::I, rotation: 2, centre: (4, 0) };
    assert_eq!(pages[0], FumenPage::new(Field::default(), Some(first)));
    for pair in pages.windows(2) {
        assert_eq!(pair[1].field, pair[0].next_field());
    }
}

#[test]
fn what_is_damaged_is_refused() {
    let known = "v115@9gI8AeI8AeI8AeI8KeAgH";
    for end in 5..known.len() {
        assert!(decode(&known[..end]).is_err(), "{end}");
    }
    for text in
        ["", "v090@vhAAgH", "v110@vhAAgH", "v115@", "v115@vh!AgH", "v115@////////", "v115@éé"]
    {
        assert!(decode(text).is_err(), "{text}");
    }
    // A piece that reaches beyond the wall can be read, and fills no cells.
    let over = Operation { piece: Piece::I, rotation: 2, centre: (9, 22) };
    let page = FumenPage::new(Field::default(), Some(over));
    assert_eq!((over.cells(), page.next_field()), (None, Field::default()));
    assert_eq!(decode(&encode(std::slice::from_ref(&page))).unwrap(), [page]);
}

#[test]
fn every_way_a_piece_can_lie_is_found_by_its_cells() {
    for piece in Piece::ALL {
        for (rotation, location) in (0..4).flat_map(|r| (0..CELLS - WIDTH).map(move |l| (r, l))) {
            let operation = Operation::from_location(piece, rotation, location);
            assert_eq!(operation.location(), Some(location));
            let Some(mut cells) = operation.cells() else { continue };
            let found = Operation::from_cells(piece, cells).unwrap();
            let mut again = found.cells().unwrap();
            cells.sort_unstable();
            again.sort_unstable();
            assert_eq!(again, cells, "{operation:?}");
        }
    }
}

/// Generates random fumen pages: few or many cells, pieces anywhere inside, all flags.
fn pages() -> impl Strategy<Value = Vec<FumenPage>> {
    let cells = prop_oneof![
        Just(None),
        proptest::collection::vec(0..=GREY, CELLS).prop_map(Some),
        proptest::collection::vec(prop_oneof![9 => Just(0), 1 => 1..=GREY], CELLS).prop_map(Some),
    ];
    let piece = proptest::option::of((0..7usize, 0..4u8, 0..CELLS - WIDTH));
    let page = (cells, piece, any::<[bool; 3]>());
    proptest::collection::vec(page, 1..20).prop_map(|parts| {
        let mut pages: Vec<FumenPage> = Vec::new();
        for (cells, piece, [lock, rise, mirror]) in parts {
            let expected = pages.last().map_or(Field::default(), FumenPage::next_field);
            let cells = cells.and_then(|cells| cells.try_into().ok());
            let operation = piece
                .map(|(piece, rotation, at)| {
                    Operation::from_location(Piece::ALL[piece], rotation, at)
                })
                .filter(|operation| operation.cells().is_some());
            let field = cells.map_or(expected, |cells| Field { cells });
            // The oracle also raises and mirrors pages that do not lock.
            pages.push(FumenPage {
                field,
                operation,
                lock,
                rise: rise && lock,
                mirror: mirror && lock,
            });
        }
        pages
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_again(pages in pages()) {
        prop_assert_eq!(decode(&encode(&pages)).unwrap(), pages);
    }

    #[test]
    fn the_crate_reads_and_writes_the_same(pages in pages()) {
        let text = encode(&pages);
        let oracle = ::fumen::Fumen::decode(&text).unwrap();
        prop_assert_eq!(oracle.pages.len(), pages.len());
        for (theirs, ours) in oracle.pages.iter().zip(&pages) {
            for (row, column) in (0..ROWS).flat_map(|row| (0..WIDTH).map(move |c| (row, c))) {
                let index = (ROWS - 1 - row) * WIDTH + column;
                prop_assert_eq!(theirs.field[row][column] as u8, ours.field.cells[index]);
            }
            prop_assert_eq!(theirs.piece.is_some(), ours.operation.is_some());
        }
        prop_assert_eq!(oracle.encode(), text.replace('?', ""));
    }

    #[test]
    fn nothing_makes_it_panic(text in "[A-Za-z0-9+/?]{0,60}") {
        let _ = decode(&format!("v115@{text}"));
        let _ = decode(&format!("v115@vhC{text}"));
    }
}
