//! What a command finds in its `--out`: the same command goes on, a different one is refused.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use crate::error::setting::{FORCE, OUT};
use crate::error::{Error, Result};
use crate::files::read_written;
use crate::record::LogFormat;
use crate::record::PARTIAL;
use crate::record::ResumePoint;
use crate::record::RunFolder;
use crate::record::folder::listed::check_listed_names;
use crate::record::folder::manifest::tables_of;
use crate::record::folder::seal::unseal;
use crate::record::folder::verify::first_problem;
use crate::record::folder::{
    CHECKPOINT, entries, exists, has_checkpoint, is_left_over, remove_checkpoint, remove_unfinished,
};

/// Who plays, in the `run.json` of a person's games.
pub const PERSON: &str = "person";

/// What is to be played into a folder.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// What is played, as the manifest will say it.
    pub config: Value,
    /// Files of the tables.
    pub tables: Vec<String>,
    /// Whether another run may be replaced.
    pub force: bool,
}

/// What a command finds in its folder.
#[derive(Debug)]
pub enum Opening<P> {
    /// Nothing that must be kept: it begins. What it replaces is said in words.
    Fresh(RunFolder, Option<String>),
    /// Its own beginning: it goes on.
    Resumed(RunFolder, P),
    /// All that it would play, complete and unharmed.
    Complete,
}

impl Asked<'_> {
    /// Opens the folder. `is_enough` says whether a complete manifest of the same configuration holds all that is
    /// asked for; a training may be taken further.
    ///
    /// # Errors
    /// [`Error::Config`] naming what differs when another run is there, what is damaged in the same run, or what
    /// else the folder holds; [`Error::Io`] when it can't be read or made.
    pub fn open<P: ResumePoint>(&self, is_enough: impl Fn(&Value) -> bool) -> Result<Opening<P>> {
        let path = self.folder;
        if !exists(path)? || is_left_over(path)? {
            return Ok(Opening::Fresh(RunFolder::create(path)?, None));
        }
        if !path.is_dir() {
            return Err(Error::Exists { path: path.to_owned() });
        }
        let folder = RunFolder::existing(path)?;
        if self.force {
            let replaced = self.replaceable::<P>()?;
            drop(folder);
            remove_checkpoint(path);
            remove_unfinished(path);
            return Ok(Opening::Fresh(RunFolder::replace(path)?, Some(replaced)));
        }
        let manifest = manifest::<P>(path)?;
        let same = manifest.as_ref().filter(|manifest| self.is_of(manifest, P::CONFIG));
        let same = same.filter(|manifest| manifest["status"] == "complete");
        let problem = match same {
            Some(manifest) if is_enough(manifest) => match first_problem(path)? {
                None => {
                    if P::MANIFEST == "run.json" {
                        // Left by a kill when the run had just been finished.
                        remove_checkpoint(path);
                    }
                    return Ok(Opening::Complete);
                }
                found => found,
            },
            _ => None,
        };
        if has_checkpoint(path)? {
            let point = P::read(path)?;
            self.refuse_other::<P>(&point.config(), point.files())?;
            return Ok(Opening::Resumed(folder, point));
        }
        let (shown, remedy) = (path.display(), remedy::<P>());
        let Some(manifest) = manifest else {
            return Err(Error::Config(format!(
                "{shown} holds {}, but no {}: choose another {OUT}",
                first_entry(path)?,
                P::OF.trim_start_matches("a ")
            )));
        };
        self.refuse_other::<P>(&manifest[P::CONFIG], tables_of(&manifest))?;
        Err(Error::Config(match problem {
            Some(problem) => format!("{shown} holds this run, damaged: {problem}; {remedy}"),
            None => format!(
                "{shown} holds a part of this run, and no checkpoint to go on from: {remedy}"
            ),
        }))
    }

    /// Whether a manifest is of the same configuration and tables.
    fn is_of(&self, manifest: &Value, config: &str) -> bool {
        manifest[config] == self.config && self.has(&tables_of(manifest))
    }

    /// Whether a file has the name of a table that is to be played, in any format.
    fn names(&self, file: &str) -> bool {
        let table = |file: &str| file.split('.').next().map(str::to_owned);
        let is_table = LogFormat::of_file(file).is_ok();
        is_table && self.tables.iter().any(|asked| table(asked) == table(file))
    }

    fn has(&self, tables: &[String]) -> bool {
        self.tables.iter().all(|table| tables.contains(table))
            && tables.iter().all(|table| self.tables.contains(table))
    }

    /// Refuses a run of another configuration, or with other tables.
    fn refuse_other<P: ResumePoint>(&self, begun: &Value, tables: Vec<String>) -> Result<()> {
        let mut differing = differences(begun, &self.config);
        if differing.is_empty() && !self.has(&tables) {
            let (there, here) = (tables.join(" "), self.tables.join(" "));
            differing = format!("tables are {there} there, {here} here");
        }
        if differing.is_empty() {
            return Ok(());
        }
        let (shown, remedy, of) = (self.folder.display(), remedy::<P>(), P::OF);
        let of = of.strip_prefix("a ").unwrap_or(of);
        Err(Error::Config(format!("{shown} holds another {of}: {differing}; {remedy}")))
    }

    /// What `--force` replaces, in words.
    fn replaceable<P: ResumePoint>(&self) -> Result<String> {
        let (path, shown) = (self.folder, self.folder.display());
        let refuse = |what: &str| {
            Err(Error::Config(format!(
                "{shown} holds {what}: {FORCE} replaces nothing but a run of the same kind; choose another {OUT}"
            )))
        };
        let (manifest, state) = (manifest::<P>(path)?, state(path)?);
        let known = [
            vec![P::MANIFEST.to_owned(), "datapackage.json".to_owned(), CHECKPOINT.to_owned()],
            manifest.as_ref().map(tables_of).unwrap_or_default(),
            state.as_ref().map(tables_of_state).unwrap_or_default(),
        ]
        .concat();
        let is_ours = |name: &String| {
            let whole = name.strip_suffix(PARTIAL).unwrap_or(name);
            !path.join(name).is_dir() && (known.iter().any(|one| one == whole) || self.names(whole))
        };
        if let Some(foreign) = entries(path)?.iter().find(|name| !is_ours(name)) {
            return refuse(foreign);
        }
        if !exists(&path.join(P::MANIFEST))? && !has_checkpoint(path)? {
            let name = first_entry(path)?;
            return refuse(&format!("{name}, and no {}", P::MANIFEST));
        }
        let begun = manifest.as_ref().or(state.as_ref()).map(|found| found[P::CONFIG].clone());
        // Of what can't be read the names alone tell that it was a run.
        if let Some(begun) = begun.filter(|begun| kind(begun) != kind(&self.config)) {
            return refuse(&match kind(&begun) {
                (_, true) => "games of a person".to_owned(),
                (game, _) => format!("a run of {} games", game.unwrap_or("classic")),
            });
        }
        Ok(match manifest {
            Some(manifest) => format!(
                "replacing the run in {shown} that was started {}",
                manifest["started"].as_str().unwrap_or("at an unknown time")
            ),
            None => format!("replacing an unfinished run in {shown}"),
        })
    }
}

fn remedy<P: ResumePoint>() -> String {
    match P::HAS_FORCE {
        true => format!("choose another {OUT}, or give {FORCE} to play it anew"),
        false => format!("choose another {OUT}, or remove it"),
    }
}

/// The manifest of a folder, if it has one that can be understood.
fn manifest<P: ResumePoint>(folder: &Path) -> Result<Option<Value>> {
    let path = folder.join(P::MANIFEST);
    let bytes = match read_written(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("reading", path, error)),
    };
    let manifest: Option<Value> = serde_json::from_slice(&bytes).ok();
    // `--force` and the end of the run remove the listed files.
    manifest.iter().try_for_each(|manifest| check_listed_names(&path, manifest))?;
    Ok(manifest)
}

/// Reads the state in a folder's checkpoint of any kind, if there is a readable one.
fn state(folder: &Path) -> Result<Option<Value>> {
    let path = folder.join(CHECKPOINT);
    let read = || serde_json::from_str(unseal(&read_written(&path).ok()?)?).ok();
    let state: Option<Value> = read();
    state.iter().try_for_each(|state| check_listed_names(&path, state))?;
    Ok(state)
}

/// The files of tables that such a state builds on, with cursors or without.
fn tables_of_state(state: &Value) -> Vec<String> {
    let list = |key: &str| state[key].as_array().cloned().unwrap_or_default();
    let names =
        list("tables").into_iter().map(|cursor| cursor["name"].clone()).chain(list("files"));
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn first_entry(folder: &Path) -> Result<String> {
    Ok(entries(folder)?.into_iter().next().unwrap_or_default())
}

/// Which game a configuration is of, and whether a person plays it.
fn kind(config: &Value) -> (Option<&str>, bool) {
    (config["game"].as_str(), config["controller"] == PERSON)
}

/// The error of a run that is to go on under another configuration than it was begun with.
pub fn have_changed(begun: &Value, asked: &Value) -> Error {
    Error::Config(format!(
        "the files or options that this was begun with have changed: {}; restore them, or start anew",
        differences(begun, asked)
    ))
}

/// Differences that are named; more are counted.
const NAMED: usize = 3;
/// Characters of a value that are shown.
const SHOWN: usize = 60;

/// What differs between the configuration that was begun and the one that is asked for; nothing when they are
/// the same.
#[must_use]
pub fn differences(begun: &Value, asked: &Value) -> String {
    let mut found = Vec::new();
    compare("", begun, asked, &mut found);
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    let mut text = found.join(", ");
    if more > 0 {
        text += &format!(", and {more} more");
    }
    text
}

fn compare(key: &str, begun: &Value, asked: &Value, found: &mut Vec<String>) {
    if begun == asked {
        return;
    }
    let (Value::Object(one), Value::Object(other)) = (begun, asked) else {
        found.push(format!("{key} is {} there, {} here", shown(begun), shown(asked)));
        return;
    };
    let added = other.keys().filter(|name| !one.contains_key(*name));
    for name in one.keys().chain(added) {
        let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        compare(&below, &begun[name], &asked[name], found);
    }
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named_with_both_values() {
        let begun =
            json!({ "seed": "0x1", "games": 8, "controller": { "name": "bcts", "tie": null } });
        assert_eq!(differences(&begun, &begun), "");
        let asked =
            json!({ "seed": "0x2", "games": 8, "controller": { "name": "bcts", "tie": "first" } });
        assert_eq!(
            differences(&begun, &asked),
            "seed is 0x1 there, 0x2 here, controller.tie is none there, first here"
        );
        let many = json!({ "seed": 3, "games": 9, "rules": "x", "controller": null });
        assert!(
            differences(&begun, &many).ends_with("and 1 more"),
            "{}",
            differences(&begun, &many)
        );
        assert!(differences(&json!("é".repeat(99)), &json!(1)).contains("é..."));
    }
}
