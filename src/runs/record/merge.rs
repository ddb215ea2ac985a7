//! Joins the shards of a run to the bytes that one run would have written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::folder::exists;
use super::resume_point::has_checkpoint;
use super::verify::sound;
use super::{Copying, FileEntry, LogFormat, Manifest, ResumePoint, RunFolder, Status, copy_tables};
use super::{command_line, shell_words};
use crate::error::{Error, Result};
use crate::sim::Shard;

/// A shard's folder with its manifest.
type Part = (Shard, PathBuf, Manifest);

/// The complete shards of one run, which are to be joined.
#[derive(Debug)]
pub struct Merging {
    /// In order.
    parts: Vec<Part>,
    /// What the whole will be described by; its files are not written yet.
    whole: Manifest,
}

impl Merging {
    /// Looks at shards, given in any order.
    ///
    /// # Errors
    /// [`Error::Config`] when a shard is missing or unfinished, with the command that plays it; when one is given
    /// twice, damaged, or of another run.
    pub fn new(shards: &[PathBuf]) -> Result<Merging> {
        let parts = in_order(shards)?;
        let mut whole = parts[0].2.clone();
        whole.config.shard = None;
        whole.status = Status::Complete;
        whole.command = command_line();
        let sum = |value: fn(&Manifest) -> u64| parts.iter().map(|(.., part)| value(part)).sum();
        (whole.games, whole.pieces) = (sum(|part| part.games), sum(|part| part.pieces));
        whole.lines = sum(|part| part.lines);
        whole.elapsed_s = parts.iter().map(|(.., part)| part.elapsed_s).sum();
        let times =
            |time: fn(&Manifest) -> &String| parts.iter().map(move |part| time(&part.2).clone());
        whole.started = times(|part| &part.started).min().unwrap_or_default();
        whole.finished = times(|part| &part.finished).max().unwrap_or_default();
        Ok(Merging { parts, whole })
    }

    /// What the whole will be described by, as far as that is known before.
    #[must_use]
    pub fn whole(&self) -> &Manifest {
        &self.whole
    }

    /// Joins the shards into a folder.
    ///
    /// # Errors
    /// [`Error::Io`] when a file can't be read or written.
    pub fn write(self, folder: &RunFolder) -> Result<Manifest> {
        let Merging { parts, mut whole } = self;
        let files: Vec<String> = whole.files.iter().map(|file| file.name.clone()).collect();
        Copying::begin(folder, &json!(whole.config), &files)?;
        for entry in &mut whole.files {
            let tables: Vec<PathBuf> =
                parts.iter().map(|(_, path, _)| path.join(&entry.name)).collect();
            let format = LogFormat::of_file(&entry.name)?;
            let finished = copy_tables(&tables, &folder.partial(&entry.name), format)?;
            folder.finish(&entry.name)?;
            *entry = FileEntry::new(entry.name.clone(), finished);
        }
        whole.publish(folder)?;
        Copying::settle(folder.path(), true, &[]);
        Ok(whole)
    }
}

/// The shards with their manifests, in order, checked against each other and their files.
fn in_order(shards: &[PathBuf]) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut absent = None;
    for path in shards {
        let shown = path.display();
        if has_checkpoint(path)? {
            let text = format!(
                "{shown} is unfinished: tetrastat simulate --resume {} finishes it",
                shell_words(&[shown.to_string()])
            );
            return Err(Error::Config(text));
        }
        if !exists(&path.join("run.json"))? {
            absent = absent.or(Some(path));
            continue;
        }
        let manifest: Manifest = sound(path)?;
        let Some(Ok(shard)) = manifest.config.shard.as_deref().map(str::parse::<Shard>) else {
            let text = format!("{shown} is a whole run, not a shard: leave it out");
            return Err(Error::Config(text));
        };
        parts.push((shard, path.clone(), manifest));
    }
    parts.sort_by_key(|(shard, ..)| shard.part);
    let Some((first, _, one)) = parts.first() else {
        let path = absent.map_or("--out".to_owned(), |path| path.display().to_string());
        return Err(Error::Config(format!(
            "{path} holds no shard: name folders of simulate --shard I/N"
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
        let shard = Shard { part, of: first.of };
        return Err(missing(shard, absent.map(PathBuf::as_path), &one.command));
    }
    Ok(parts)
}

/// A shard that nobody played, or that was not named: what plays it is another shard's command.
fn missing(shard: Shard, absent: Option<&Path>, command: &[String]) -> Error {
    let folder =
        absent.map_or_else(|| format!("PART-{}", shard.part), |path| path.display().to_string());
    let mut words = vec!["tetrastat".to_owned()];
    let mut given = command.iter().skip(1);
    while let Some(word) = given.next() {
        let (name, joined) =
            word.split_once('=').map_or((&**word, false), |(name, _)| (name, true));
        match name {
            "--force" => {}
            "--shard" | "--out" if joined => {}
            "--shard" | "--out" => _ = given.next(),
            _ => words.push(word.clone()),
        }
    }
    words.extend(["--shard".to_owned(), shard.to_string(), "--out".to_owned(), folder]);
    let command = shell_words(&words);
    Error::Config(format!("shard {shard} is missing: name its folder, or play it with {command}"))
}

/// Whether two shards are of the same run.
fn alike(one: &Manifest, other: &Manifest) -> bool {
    let whole = |manifest: &Manifest| {
        let mut config = manifest.config.clone();
        // Of the shard only the number of parts must agree.
        config.shard = config.shard.and_then(|shard| Some(shard.split_once('/')?.1.to_owned()));
        let tables: Vec<String> = manifest.files.iter().map(|file| file.name.clone()).collect();
        (manifest.version.clone(), config, tables)
    };
    whole(one) == whole(other)
}
