//! Suggested commands in messages, quoted for a shell.

use std::path::Path;

/// Joins `words` into a command line. A word with characters that may be special to a shell is
/// quoted.
#[must_use]
pub fn shell_words(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    let quoted = |word: &String| match word.chars().all(is_plain) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Returns `path` as an argument of a suggested command: quoted for a shell, and never parsed as an
/// option.
#[must_use]
pub fn shell_path(path: &Path) -> String {
    let path = path.display().to_string();
    shell_words(&[if path.starts_with('-') { format!("./{path}") } else { path }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = ["a/b", "two words", "it's", ""].map(str::to_owned);
        assert_eq!(shell_words(&words), r"a/b 'two words' 'it'\''s' ''");
        let paths = ["runs/a", "x y;z", "-rf"].map(|path| shell_path(Path::new(path)));
        assert_eq!(paths, ["runs/a", "'x y;z'", "./-rf"]);
    }
}
