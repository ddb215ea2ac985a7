//! Escapes characters that terminals interpret, and rejects names that spreadsheets interpret.

use std::borrow::Cow;

use super::quoted;

/// Maximum length of a controller name, in bytes.
const LONGEST_NAME: usize = 64;
/// Characters with which a spreadsheet formula begins, in their normal and full-width forms.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Returns true if a terminal interprets or hides `c`. Such characters are C0 and C1 controls,
/// controls of the writing direction, and zero-width characters, which make different texts look
/// alike.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Returns `text` with hidden characters escaped, except line ends.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::error::printable_lines;
/// assert_eq!(printable_lines("red \u{1b}[31m\nnext line"), "red \\u{1b}[31m\nnext line");
/// ```
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_hidden(c) && c != '\n';
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| match is_escaped(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Returns the reason why `name` is no valid controller name in tables, file names and on screens,
/// or `None` if it is valid.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::error::name_problem;
/// assert_eq!(name_problem("mine-2"), None);
/// assert!(name_problem("=1+1").unwrap().contains("formula"));
/// assert!(name_problem("a\u{202e}b").unwrap().contains("U+202E"));
/// ```
pub fn name_problem(name: &str) -> Option<String> {
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Some(format!(
            "give 1 to {LONGEST_NAME} characters on one line, for example name = \"mine\""
        ));
    }
    if let Some(hidden) = name.chars().find(|&c| is_hidden(c)) {
        let (name, code) = (quoted(name), u32::from(hidden));
        return Some(format!("'{name}' holds the hidden character U+{code:04X}: leave it out"));
    }
    name.trim_start().chars().next().filter(|first| FORMULA.contains(first)).map(|first| {
        let name = quoted(name);
        format!(
            "'{name}' begins with {first}, so a spreadsheet would read it as a formula: begin \
            it with a letter or a digit"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(!problem.contains(is_hidden), "{problem:?}");
        }
    }

    #[test]
    fn lines_stay_lines_and_all_else_that_is_hidden_is_escaped() {
        assert_eq!(printable_lines("a\nb·█\n"), "a\nb·█\n");
        assert_eq!(printable_lines("\u{1b}]0;x\u{7}\u{9b}\r\n"), "\\u{1b}]0;x\\u{7}\\u{9b}\\r\n");
        assert_eq!(printable_lines("\u{202e}\u{2069}\u{feff}"), "\\u{202e}\\u{2069}\\u{feff}");
    }
}
