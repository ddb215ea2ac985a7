//! Merging of shards into the bytes that a single run would have written. A shard is one of several
//! equal parts of a run's games, played separately.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::error::quoted;
use crate::error::setting::{GAMES, OUT, SHARD};
use crate::prelude::*;
use crate::record::folder::data_package::resources;
use crate::record::folder::dataset::link;
use crate::record::folder::manifest::{invalid_content_error, tables_of};
use crate::record::folder::verify::read_verified_manifest;
use crate::record::folder::{exists, has_checkpoint};
use crate::record::{
    Checkpoint, CopyState, Extract, PartEntry, TableFile, command_line, copy_tables, write_manifest,
};

type ShardFolder = (Shard, PathBuf, Value);

const NOT_ADDED_UP: &str = "threads";

/// Builder of the commands that error messages suggest when the parts of a run can't be merged.
pub trait Commands {
    /// Returns the command that plays part `shard` of a run into `folder`; `None` if another part's
    /// command line `other` can't be parsed.
    fn play_command(&self, shard: Shard, folder: &str, other: &[String]) -> Option<String>;

    /// Returns the command that finishes the incomplete run in `folder`.
    fn finish_command(&self, folder: &Path) -> String;
}

/// Form in which a merged run stores its Parquet tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergedLogs {
    /// Single file per table, with the rows of all parts of the run.
    Joined,
    /// Folder per table, with links to the files of the run's parts, or copies of them.
    Parts,
    /// Folder per table, into which the parts of the run have already written their files.
    WrittenParts,
}

impl MergedLogs {
    fn has_parts(self, name: &str) -> bool {
        self != MergedLogs::Joined
            && LogFormat::of_file(name).is_ok_and(|format| format == LogFormat::Parquet)
    }
}

/// Complete shards (parts of the games) of one run, checked and ready to be merged.
#[derive(Debug)]
pub struct ShardMerge {
    parts: Vec<ShardFolder>,
    whole: Value,
    files: Vec<String>,
    logs: MergedLogs,
}

impl ShardMerge {
    /// Checks that the folders `shards`, given in any order, are all the parts of one run.
    pub fn new(
        shards: &[PathBuf],
        commands: &impl Commands,
        logs: MergedLogs,
    ) -> Result<ShardMerge> {
        let parts = in_order(shards, commands, logs)?;
        let mut whole = parts[0].2.clone();
        let values = |key: &'static str| parts.iter().map(move |(.., part)| &part[key]);
        whole["config"]["shard"] = Value::Null;
        whole["command"] = json!(command_line());
        for (key, count) in whole.as_object_mut().into_iter().flatten() {
            // Every integer except `threads` counts something played, so this module need not know
            // a game's totals.
            if count.is_u64() && key != NOT_ADDED_UP {
                let counts = parts.iter().filter_map(|(.., part)| part[key].as_u64());
                *count = json!(counts.fold(0, u64::saturating_add));
            }
        }
        let seconds: f64 = values("elapsed_s").filter_map(Value::as_f64).sum();
        whole["elapsed_s"] = json!(seconds);
        let times = |key| values(key).filter_map(Value::as_str);
        whole["started"] = json!(times("started").min());
        whole["finished"] = json!(times("finished").max());
        let files = tables_of(&whole);
        if logs == MergedLogs::Parts && !files.iter().any(|name| logs.has_parts(name)) {
            let text = "the shards have no Parquet tables: leave --parts out, or play them with \
                        --placements parquet";
            return Err(Error::Config(text.to_owned()));
        }
        Ok(ShardMerge { parts, whole, files, logs })
    }

    /// Returns the merged run's `run.json`, still without a valid list of files.
    #[must_use]
    pub fn whole(&self) -> &Value {
        &self.whole
    }

    /// Returns the names of the merged run's table files.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Merges the parts of a run into `folder`, and returns the merged run's `run.json`.
    /// `described` creates the data package; `summary` joins the parts' summaries.
    pub fn write(
        self,
        folder: &RunFolder,
        described: impl Fn(&Value) -> Result<Value>,
        summary: impl Fn(&Value, &Path, Vec<Value>) -> Result<Value>,
    ) -> Result<Value> {
        let ShardMerge { parts, mut whole, files, logs } = self;
        let mut package = described(&whole)?;
        let (config, state) = (whole["config"].clone(), CopyState { files: files.clone() });
        Checkpoint::new(Value::Null, config, Vec::new(), state).write(folder.path())?;
        let mut entries = Vec::new();
        for name in files {
            if logs.has_parts(&name) {
                entries.push(write_parts(&parts, folder, name, logs)?);
                continue;
            }
            let tables: Vec<PathBuf> = parts.iter().map(|(_, path, _)| path.join(&name)).collect();
            let format = LogFormat::of_file(&name)?;
            let finished =
                copy_tables(&tables, &folder.partial(&name), format, &Extract::default())?;
            folder.finish(&name)?;
            entries.push(FileEntry::new(name, finished));
        }
        package["resources"] = resources(&entries);
        if !whole["summary"].is_null() {
            let summaries = parts.iter().map(|(.., part)| part["summary"].clone()).collect();
            whole["summary"] = summary(&whole, folder.path(), summaries)?;
        }
        whole["files"] = json!(entries);
        write_manifest(folder, "run.json", &whole, Some(&package))?;
        Checkpoint::<CopyState>::finish(folder.path(), true, &[]);
        Ok(whole)
    }
}

fn write_parts(
    shards: &[ShardFolder],
    folder: &RunFolder,
    name: String,
    logs: MergedLogs,
) -> Result<FileEntry> {
    let (partial, count) = (folder.partial(&name), shards.len() as u64);
    let (mut parts, mut columns) = (Vec::new(), Vec::new());
    for (shard, path, manifest) in shards {
        let files = manifest["files"].as_array().into_iter().flatten();
        let mut files = files.filter_map(|file| FileEntry::deserialize(file).ok());
        let file = files.find(|file| file.name == name).filter(|file| file.parts.is_empty());
        let Some(file) = file else {
            let problem = format!("it lists no file {name}");
            return Err(invalid_content_error(&path.join("run.json"), problem));
        };
        let part = PartEntry::new(shard.part, count, &file);
        if logs == MergedLogs::Parts {
            link(&path.join(&name), &partial.join(&part.name))?;
        }
        if columns.is_empty() {
            columns = TableFile::finished(&path.join(&name)).named_columns(&file.columns)?;
        }
        parts.push(part);
    }
    if logs == MergedLogs::Parts {
        folder.finish(&name)?;
    }
    Ok(FileEntry::from_parts(name, parts, columns))
}

fn in_order(
    shards: &[PathBuf],
    commands: &impl Commands,
    logs: MergedLogs,
) -> Result<Vec<ShardFolder>> {
    let mut parts: Vec<ShardFolder> = Vec::new();
    let mut absent = None;
    for path in shards {
        let shown = path.display();
        if has_checkpoint(path)? {
            let finishing = commands.finish_command(path);
            return Err(Error::Config(format!("{shown} is unfinished: {finishing} finishes it")));
        }
        if !exists(&path.join("run.json"))? {
            absent = absent.or(Some(path));
            continue;
        }
        let manifest: Value = read_verified_manifest(path, &|file| {
            logs != MergedLogs::WrittenParts || !logs.has_parts(&file.name)
        })?;
        let shard = manifest["config"]["shard"].as_str().map(str::parse::<Shard>);
        let Some(Ok(shard)) = shard else {
            let text = format!("{shown} is a whole run, not a shard: leave it out");
            return Err(Error::Config(text));
        };
        parts.push((shard, path.clone(), manifest));
    }
    parts.sort_by_key(|(shard, ..)| shard.part);
    let Some((first, _, one)) = parts.first() else {
        let path = absent.map_or(OUT.to_string(), |path| path.display().to_string());
        return Err(Error::Config(format!(
            "{path} holds no shard: name folders of runs with {SHARD} I/N"
        )));
    };
    if let Some((_, path, _)) = parts.iter().find(|(.., manifest)| !are_of_one_run(one, manifest)) {
        let text = format!(
            "{} is a shard of another run or version: join shards of one run",
            path.display()
        );
        return Err(Error::Config(text));
    }
    if let Some(pair) = parts.windows(2).find(|pair| pair[0].0.part == pair[1].0.part) {
        let (shard, one, other) = (pair[0].0, pair[0].1.display(), pair[1].1.display());
        let text = format!("shard {shard} is given twice, as {one} and {other}: leave one out");
        return Err(Error::Config(text));
    }
    let given: BTreeSet<u64> = parts.iter().map(|(shard, ..)| shard.part).collect();
    if let Some(part) = (1..=first.of).find(|part| !given.contains(part)) {
        let folder =
            absent.map_or_else(|| format!("PART-{part}"), |path| path.display().to_string());
        let shard = Shard { part, of: first.of };
        let mut others = parts.iter().map(|(.., manifest)| recorded_words(&manifest["command"]));
        let played = others.find_map(|other| commands.play_command(shard, &folder, &other));
        let played = played.map_or(String::new(), |command| format!(", or play it with {command}"));
        let text = format!("shard {shard} is missing: name its folder{played}");
        return Err(Error::Config(text));
    }
    Ok(parts)
}

fn recorded_words(list: &Value) -> Vec<String> {
    let words = list.as_array().into_iter().flatten();
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

fn are_of_one_run(one: &Value, other: &Value) -> bool {
    let whole = |manifest: &Value| {
        let mut config = manifest["config"].clone();
        // Only the number of parts must agree, not the part.
        let parts =
            config["shard"].as_str().and_then(|shard| Some(shard.split_once('/')?.1.to_owned()));
        config["shard"] = json!(parts);
        (manifest["version"].clone(), config, tables_of(manifest))
    };
    whole(one) == whole(other)
}

/// Part of a run's games that is played separately, such as `1/4`, the first of four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of this part of the run, from 1.
    pub part: u64,
    /// Number of parts into which the run is divided.
    pub of: u64,
}

tetrastat_core::by_text!(Shard);

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard> {
        let parse = || {
            let (part, of) = text.split_once('/')?;
            Some(Shard { part: part.parse().ok()?, of: of.parse().ok()? })
        };
        let shard = parse().filter(|shard| (1..=shard.of).contains(&shard.part));
        shard.ok_or_else(|| {
            Error::Config(format!("shard '{}': write PART/PARTS, for example 1/4", quoted(text)))
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl Shard {
    /// Checks that a part of a run gets at least one of the run's games.
    pub fn check(shard: Option<Shard>, games: u64) -> Result<()> {
        match shard {
            Some(Shard { of, .. }) if Shard::games(shard, games).is_empty() => {
                Err(Error::Config(format!(
                    "{games} games in {of} shards leave this one without any: give more {GAMES} \
                     or fewer shards"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Returns the indices of games in `shard`, a part of a run; all games if `shard` is `None`.
    #[must_use]
    pub fn games(shard: Option<Shard>, games: u64) -> Range<u64> {
        // The product may exceed 64 bits. Each bound is the end of one part and the start of the
        // next.
        let bound =
            |part: u64, of: u64| (u128::from(games) * u128::from(part) / u128::from(of)) as u64;
        match shard {
            None => 0..games,
            Some(Shard { part, of }) => bound(part - 1, of)..bound(part, of),
        }
    }
}
