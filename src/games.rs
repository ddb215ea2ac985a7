//! The games that the command has beyond those of the engine: LIAP, a crate of its own. Whatever reads run folders asks
//! here what it needs to know of them.

use std::path::Path;

use serde_json::Value;

use crate::engine::Measure;
use crate::liap;
use crate::record::{Column, add_tables, shell_path};

/// Commands that `--resume` continues.
const RESUMABLE: [&str; 3] = ["simulate", "liap simulate", "train"];

/// Makes the tables of these games known to all that reads tables in this process.
pub fn register() {
    add_tables(liap::TABLES);
}

/// The column that games are compared by, and how numbers of a column are measured.
pub type Measures = (&'static str, fn(&Column) -> Measure);

/// Returns the column that runs of the game with this name in `run.json` are compared by, and what a column means there.
/// Returns `None` if there is no such game.
#[must_use]
pub fn measures(game: &str) -> Option<Measures> {
    (game == "liap").then_some((liap::MAIN_MEASURE, liap::measure))
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
    fn only_commands_of_this_program_are_suggested() {
        let of = |command: &str| resume_command(&json!({ "command": command }), Path::new("a b"));
        assert_eq!(of("liap simulate").as_deref(), Some("liap simulate --resume 'a b'"));
        assert_eq!(of("rm -rf ~; simulate"), None);
        assert_eq!(resume_command(&Value::Null, Path::new("a")), None);
    }
}
