//! Tests of [`tetrastat_core::error`].

use tetrastat_core::error::*;

#[test]
fn quotations_are_printable_and_short() {
    assert_eq!(quoted("bcts"), "bcts");
    assert_eq!(quoted("a\u{1b}[2Jb\nc\0\u{202e}é"), "a\\u{1b}[2Jb\\nc\\u{0}\\u{202e}é");
    let long: String = (0..2000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let cut = quoted(&long);
    assert_eq!((cut.len(), &cut[..5], &cut[52..55]), (80, "abcde", "..."));
    assert!(long.ends_with(&cut[55..]));
    assert_eq!(printable(&"é".repeat(9), 6).chars().count(), 6);
}

#[test]
fn a_name_with_its_parts_in_another_order_is_recognised() {
    let error = "height_max".parse::<tetrastat_core::features::Feature>().unwrap_err().to_string();
    assert!(error.ends_with("did you mean 'max_height'?"), "{error}");
    assert_eq!(nearest("holes_d", ["d_holes", "holes"]), Some("d_holes"));
    assert_eq!(nearest("h_1", ["h_2", "1_h"]), Some("1_h"));
    assert_eq!(nearest("well", ["max_well"]), None);
    assert_eq!(nearest("7bag", ["bag", "uniform"]), Some("bag"));
    assert_eq!(nearest("h16", ["h1", "h2"]), None);
}
