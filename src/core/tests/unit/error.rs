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
