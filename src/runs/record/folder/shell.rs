//! Suggested commands in messages, quoted for a shell.

use std::path::Path;

use serde_json::Value;

/// Commands that `--resume` continues.
const RESUMABLE: [&str; 3] = ["simulate", "liap simulate", "train"];

/// Joins `words` into a command line; words with other than plain characters are quoted.
#[must_use]
pub fn shell_words(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    let quoted = |word: &String| match word.chars().all(is_plain) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Returns `path` as an argument of a suggested command: quoted for a shell, and never parsed as an option.
#[must_use]
pub fn shell_path(path: &Path) -> String {
    let path = path.display().to_string();
    shell_words(&[if path.starts_with('-') { format!("./{path}") } else { path }])
}

/// Returns the command that resumes the run or training in `folder`, without the program's name, from the settings of
/// its checkpoint. Returns `None` if they name a command without `--resume`: the folder may come from an untrusted
/// source.
#[must_use]
pub fn resume_command(settings: &Value, folder: &Path) -> Option<String> {
    let command = settings["command"].as_str()?;
    let is_known = RESUMABLE.contains(&command);
    is_known.then(|| format!("{command} --resume {}", shell_path(folder)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = ["a/b", "two words", "it's", ""].map(str::to_owned);
        assert_eq!(shell_words(&words), r"a/b 'two words' 'it'\''s' ''");
        let paths = ["runs/a", "x y;z", "-rf"].map(|path| shell_path(Path::new(path)));
        assert_eq!(paths, ["runs/a", "'x y;z'", "./-rf"]);
    }

    #[test]
    fn only_commands_of_this_program_are_suggested() {
        let of = |command: &str| resume_command(&json!({ "command": command }), Path::new("a b"));
        assert_eq!(of("liap simulate").as_deref(), Some("liap simulate --resume 'a b'"));
        assert_eq!(of("rm -rf ~; simulate"), None);
        assert_eq!(resume_command(&Value::Null, Path::new("a")), None);
    }
}
