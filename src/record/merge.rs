//! Joins the shards of a run to the bytes that one run would have written.

use std::path::PathBuf;

use super::command_line;
use super::verify::sound;
use super::{FileEntry, LogFormat, Manifest, RunFolder, Status, copy_tables};
use crate::error::{Error, Result};

/// Joins complete shards, given in any order, into `folder`.
///
/// # Errors
/// [`Error::Config`] when a shard is missing, given twice, damaged, unfinished, or of another run;
/// [`Error::Io`] when a file can't be read or written.
pub fn merge(shards: &[PathBuf], folder: &RunFolder) -> Result<Manifest> {
    let parts = in_order(shards)?;
    let mut merged = parts[0].1.clone();
    merged.config.shard = None;
    merged.status = Status::Complete;
    merged.command = command_line();
    merged.files = Vec::new();
    let sum = |value: fn(&Manifest) -> u64| parts.iter().map(|(_, part)| value(part)).sum();
    (merged.games, merged.pieces) = (sum(|part| part.games), sum(|part| part.pieces));
    merged.lines = sum(|part| part.lines);
    merged.elapsed_s = parts.iter().map(|(_, part)| part.elapsed_s).sum();
    merged.started = parts.iter().map(|(_, part)| part.started.clone()).min().unwrap_or_default();
    merged.finished = parts.iter().map(|(_, part)| part.finished.clone()).max().unwrap_or_default();
    for entry in &parts[0].1.files {
        let tables: Vec<PathBuf> = parts.iter().map(|(path, _)| path.join(&entry.name)).collect();
        let format = LogFormat::of_file(&entry.name)?;
        let finished = copy_tables(&tables, &folder.partial(&entry.name), format)?;
        folder.finish(&entry.name)?;
        merged.files.push(FileEntry::new(entry.name.clone(), finished));
    }
    merged.publish(folder)?;
    Ok(merged)
}

/// The shards with their manifests, in order, checked against each other and their files.
fn in_order(shards: &[PathBuf]) -> Result<Vec<(PathBuf, Manifest)>> {
    let mut parts = Vec::new();
    for path in shards {
        let manifest = sound(path)?;
        let shard = manifest.config.shard.as_deref().map(str::parse::<crate::sim::Shard>);
        let Some(Ok(shard)) = shard else {
            let text = format!("{} is a whole run, not a shard: leave it out", path.display());
            return Err(Error::Config(text));
        };
        parts.push((shard, path.clone(), manifest));
    }
    parts.sort_by_key(|(shard, ..)| shard.part);
    let (first, _, one) =
        parts.first().ok_or_else(|| Error::Config("no shards: name their folders".to_owned()))?;
    for (number, (shard, path, manifest)) in (1..).zip(&parts) {
        let (path, of) = (path.display(), first.of);
        if !alike(one, manifest) {
            let text =
                format!("{path} is a shard of another run or version: join shards of one run");
            return Err(Error::Config(text));
        }
        if shard.part != number {
            let text = format!("shard {number}/{of} is missing or given twice: name each once");
            return Err(Error::Config(text));
        }
    }
    if parts.len() as u64 != first.of {
        let text = format!("{} of {} shards: name them all", parts.len(), first.of);
        return Err(Error::Config(text));
    }
    Ok(parts.into_iter().map(|(_, path, manifest)| (path, manifest)).collect())
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
