//! Joins the shards of a run to the bytes that one run would have written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::setting::{OUT, SHARD};
use crate::error::{Error, Result};
use crate::record::folder::data_package::resources;
use crate::record::folder::manifest::tables_of;
use crate::record::folder::verify::sound;
use crate::record::folder::{exists, has_checkpoint};
use crate::record::{
    Copying, FileEntry, LogFormat, ResumePoint, RunFolder, Shard, command_line, copy_tables,
    write_manifest,
};

/// A shard's folder with its `run.json`.
type ShardFolder = (Shard, PathBuf, Value);

/// The whole number of `run.json` that is no count of what was played.
const NOT_COUNTED: &str = "threads";

/// Commands of the shards' game, for messages that name a remedy.
pub trait Commands {
    /// What plays a shard into a folder, by the command line of another shard of the run, if that tells.
    fn plays(&self, shard: Shard, folder: &str, other: &[String]) -> Option<String>;

    /// What finishes the run in a folder.
    fn finishes(&self, folder: &Path) -> String;
}

/// The complete shards of one run of any game, which are to be joined.
#[derive(Debug)]
pub struct Merging {
    /// In order.
    parts: Vec<ShardFolder>,
    /// The `run.json` of the whole, as far as it is known before.
    whole: Value,
    /// The files of each.
    files: Vec<String>,
}

impl Merging {
    /// Looks at shards, given in any order.
    ///
    /// # Errors
    /// [`Error::Config`] when a shard is missing or unfinished, with the command that plays it; when one is given
    /// twice, damaged, or of another run.
    pub fn new(shards: &[PathBuf], commands: &impl Commands) -> Result<Merging> {
        let parts = in_order(shards, commands)?;
        let mut whole = parts[0].2.clone();
        let values = |key: &'static str| parts.iter().map(move |(.., part)| &part[key]);
        without_shard(&mut whole["config"]);
        whole["command"] = json!(command_line());
        for (key, count) in whole.as_object_mut().into_iter().flatten() {
            // Every whole number beside `threads` counts something that was played: so that this room knows no
            // game's totals.
            if count.is_u64() && key != NOT_COUNTED {
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
        Ok(Merging { parts, whole, files })
    }

    /// The `run.json` of the whole, as far as that is known before.
    #[must_use]
    pub fn whole(&self) -> &Value {
        &self.whole
    }

    /// Files of the whole.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Joins the shards into a folder, whose `datapackage.json` is what `described` makes of its `run.json`, and
    /// the tables. The `run.json` comes back.
    ///
    /// # Errors
    /// [`Error::Io`] when a file can't be read or written, and as `described`.
    pub fn write(
        self,
        folder: &RunFolder,
        described: impl Fn(&Value) -> Result<Value>,
    ) -> Result<Value> {
        let Merging { parts, mut whole, files } = self;
        let mut package = described(&whole)?;
        Copying::begin(folder, &whole["config"], &files)?;
        let mut entries = Vec::new();
        for name in files {
            let tables: Vec<PathBuf> = parts.iter().map(|(_, path, _)| path.join(&name)).collect();
            let format = LogFormat::of_file(&name)?;
            let finished = copy_tables(&tables, &folder.partial(&name), format)?;
            folder.finish(&name)?;
            entries.push(FileEntry::new(name, finished));
        }
        package["resources"] = resources(&entries);
        whole["files"] = json!(entries);
        write_manifest(folder, "run.json", &whole, Some(&package))?;
        Copying::settle(folder.path(), true, &[]);
        Ok(whole)
    }
}

/// Makes the configuration of a shard that of the whole run: the shard of classic games is then null, and other games
/// lack the key, as their runs without shards do.
fn without_shard(config: &mut Value) {
    match (config["game"].is_null(), config.as_object_mut()) {
        (false, Some(keys)) => _ = keys.shift_remove("shard"),
        _ => config["shard"] = Value::Null,
    }
}

/// The shards with their manifests, in order, checked against each other and their files.
fn in_order(shards: &[PathBuf], commands: &impl Commands) -> Result<Vec<ShardFolder>> {
    let mut parts: Vec<ShardFolder> = Vec::new();
    let mut absent = None;
    for path in shards {
        let shown = path.display();
        if has_checkpoint(path)? {
            let finishing = commands.finishes(path);
            return Err(Error::Config(format!("{shown} is unfinished: {finishing} finishes it")));
        }
        if !exists(&path.join("run.json"))? {
            absent = absent.or(Some(path));
            continue;
        }
        let manifest: Value = sound(path)?;
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
    if let Some((_, path, _)) = parts.iter().find(|(.., manifest)| !alike(one, manifest)) {
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
        let mut others = parts.iter().map(|(.., manifest)| words(&manifest["command"]));
        let played = others.find_map(|other| commands.plays(shard, &folder, &other));
        let played = played.map_or(String::new(), |command| format!(", or play it with {command}"));
        let text = format!("shard {shard} is missing: name its folder{played}");
        return Err(Error::Config(text));
    }
    Ok(parts)
}

/// A list of text.
fn words(list: &Value) -> Vec<String> {
    let words = list.as_array().into_iter().flatten();
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// Whether two shards are of the same run.
fn alike(one: &Value, other: &Value) -> bool {
    let whole = |manifest: &Value| {
        let mut config = manifest["config"].clone();
        // Of the shard only the number of parts must agree.
        let parts =
            config["shard"].as_str().and_then(|shard| Some(shard.split_once('/')?.1.to_owned()));
        config["shard"] = json!(parts);
        (manifest["version"].clone(), config, tables_of(manifest))
    };
    whole(one) == whole(other)
}
