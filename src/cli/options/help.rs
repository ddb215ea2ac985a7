//! Formats the text that `--help` shows below the options.

/// Indentation of commands and files to copy. Lines with it stay unchanged.
const CODE: &str = "    ";

/// Joins each paragraph of `text` into one line, so that clap wraps it at the width of the
/// terminal.
///
/// A line indented by two spaces is an item; its text follows after two or more spaces and goes
/// below it. A line indented by four spaces stays unchanged.
pub(crate) fn prose(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut joins = false;
    for line in text.lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let is_more = joins && (indent == 0 || indent > CODE.len());
        match lines.last_mut() {
            Some(last) if is_more && !words.is_empty() => *last = format!("{last} {words}"),
            _ => match words.split_once("  ").filter(|_| indent == 2) {
                Some((item, text)) => {
                    lines.push(format!("  {item}"));
                    lines.push(format!("      {}", text.trim_start()));
                }
                None => lines.push(line.to_owned()),
            },
        }
        joins = !words.is_empty() && indent != CODE.len();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_become_lines_and_copies_stay() {
        let text = "One\ntwo.\n\n  item   its\n         text\n  next   more:\n\n    a = 1\n    b = 2\n\nEnd.";
        let expected = "One two.\n\n  item\n      its text\n  next\n      more:\n\n    a = 1\n    b = 2\n\nEnd.";
        assert_eq!(prose(text), expected);
    }
}
