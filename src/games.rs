//! Games that have a crate of their own (LIAP, a card game): tables, measures, resume commands.

use std::path::Path;

use serde_json::Value;

use crate::engine::Measure;
use crate::liap;
use crate::record::{Column, add_tables, shell_path};
use crate::tbp::named_bot;

/// Registers the tables of LIAP, a card game, so that this process can read their files.
pub fn register() {
    add_tables(liap::TABLES);
}

/// Default column for comparing runs of a game, and a function that returns how to compare runs by
/// any column.
pub type Measures = (&'static str, fn(&Column) -> Measure);

/// Returns the default column for comparing runs of `game`, and how to compare runs by any column.
/// Returns `None` for games except `liap`.
#[must_use]
pub fn measures(game: &str) -> Option<Measures> {
    (game == "liap").then_some((liap::MAIN_MEASURE, liap::measure))
}

/// Returns the command that resumes the run or training in `folder`, without the program's name.
/// Returns `None` unless its checkpoint's `settings` name `simulate` or `train`.
#[must_use]
pub fn resume_command(settings: &Value, folder: &Path) -> Option<String> {
    let command = settings["command"].as_str()?;
    let is_known = command == "simulate" || command.starts_with("train ");
    let allowance = if named_bot(settings).is_some() { " --allow-bot" } else { "" };
    is_known.then(|| format!("{command} --resume {}{allowance}", shell_path(folder)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_commands_of_this_program_are_suggested() {
        let of = |command: &str| resume_command(&json!({ "command": command }), Path::new("a b"));
        assert_eq!(of("simulate").as_deref(), Some("simulate --resume 'a b'"));
        assert_eq!(of("rm -rf ~; simulate"), None);
        assert_eq!(resume_command(&Value::Null, Path::new("a")), None);
    }
}
