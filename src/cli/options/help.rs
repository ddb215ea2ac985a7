//! What `--help` shows below the options.

/// Indentation of commands and files to copy: their lines stay as they are.
const CODE: &str = "    ";

/// Text as clap wants it: one line for each paragraph, so that it is wrapped once, at the width of
/// the terminal. In the source a paragraph may have several lines; a line that is indented by two is
/// an item, whose text, after two spaces or more, goes below it; one indented by four is to be copied.
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
