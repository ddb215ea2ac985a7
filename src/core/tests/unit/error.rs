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

#[test]
fn hidden_characters_and_formulas_are_no_names() {
    for good in ["bcts", "2", "0.5", "von Käthe", "a=b", "名前", "a-1", "x@y", "a, b"] {
        assert_eq!(name_problem(good), None, "{good}");
    }
    for (bad, words) in [
        ("", "1 to 64"),
        (&*"x".repeat(65), "1 to 64"),
        ("=1+1", "formula"),
        (" =1+1", "formula"),
        ("@SUM(1+1)", "formula"),
        ("+1", "formula"),
        ("-1", "formula"),
        ("=cmd|/C calc!A0", "formula"),
        ("\u{ff1d}1", "formula"),
        ("\tmine", "U+0009"),
        ("\rmine", "U+000D"),
        ("a\nb", "U+000A"),
        ("a\u{1b}[31m", "U+001B"),
        ("a\u{9b}31m", "U+009B"),
        ("a\u{202e}b", "U+202E"),
        ("a\u{2066}b", "U+2066"),
        ("a\u{200b}b", "U+200B"),
        ("a\u{e0041}b", "U+E0041"),
    ] {
        let problem = name_problem(bad).unwrap_or_default();
        assert!(problem.contains(words), "{bad:?}: {problem}");
        assert_eq!(printable(&problem, 1000), problem);
    }
}

#[test]
fn lines_stay_lines_and_all_else_that_is_hidden_is_escaped() {
    assert_eq!(printable_lines("a\nb·█\n"), "a\nb·█\n");
    assert_eq!(printable_lines("\u{1b}]0;x\u{7}\u{9b}\r\n"), "\\u{1b}]0;x\\u{7}\\u{9b}\\r\n");
    assert_eq!(printable_lines("\u{202e}\u{2069}\u{feff}"), "\\u{202e}\\u{2069}\\u{feff}");
}
