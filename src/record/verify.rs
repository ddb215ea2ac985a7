//! Checks a run folder against its manifest.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::{FileEntry, LogFormat, Manifest, PARTIAL, Status};
use crate::error::{Error, Result};

/// What is known of a run folder's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its name.
    pub name: String,
    /// What is wrong with it, and what to do; `None` when it is as the manifest says.
    pub problem: Option<String>,
}

/// Checks bytes, rows and SHA-256 of every file of a run, and that none is unfinished.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] when `run.json` is missing or cannot be read.
pub fn verify(folder: &Path) -> Result<Vec<Finding>> {
    let recorded = Manifest::read(folder)?;
    let mut findings =
        vec![Finding { name: "run.json".to_owned(), problem: unfinished(&recorded) }];
    findings.extend(recorded.files.iter().map(|entry| Finding {
        name: entry.name.clone(),
        problem: check(folder, entry).unwrap_or_else(|error| Some(error.to_string())),
    }));
    findings.extend(partial_files(folder)?);
    Ok(findings)
}

fn unfinished(recorded: &Manifest) -> Option<String> {
    let what = match &recorded.status {
        Status::Complete => return None,
        Status::Interrupted => "the run was interrupted",
        Status::Failed(_) => "the run failed",
    };
    Some(format!("{what}: its tables are whole, but games are missing or censored"))
}

fn check(folder: &Path, entry: &FileEntry) -> Result<Option<String>> {
    let path = folder.join(&entry.name);
    let found = FileEntry::of(&path, entry.rows, entry.header_bytes)?;
    if found.bytes != entry.bytes {
        let (found, recorded) = (found.bytes, entry.bytes);
        return Ok(Some(format!(
            "{found} bytes, not {recorded}: it was cut or added to; play it again"
        )));
    }
    if found.sha256 != entry.sha256 {
        return Ok(Some("other bytes than were written: it was edited; play it again".to_owned()));
    }
    let rows = count_rows(&path)?;
    Ok((rows != entry.rows).then(|| format!("{rows} rows, not {}: play it again", entry.rows)))
}

/// Lines below the header of a table in any format.
fn count_rows(path: &Path) -> Result<u64> {
    let failed = |e| Error::io("reading", path, e);
    let file = File::open(path).map_err(failed)?;
    let name = path.to_string_lossy();
    let format = LogFormat::ALL.into_iter().rev().find(|format| name.ends_with(format.ending()));
    let reader: Box<dyn Read> = format.unwrap_or_default().unpack(file).map_err(failed)?;
    let mut reader = BufReader::with_capacity(1 << 18, reader);
    let mut lines = 0u64;
    loop {
        let buffer = reader.fill_buf().map_err(failed)?;
        if buffer.is_empty() {
            return Ok(lines.saturating_sub(1));
        }
        lines += buffer.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let used = buffer.len();
        reader.consume(used);
    }
}

fn partial_files(folder: &Path) -> Result<Vec<Finding>> {
    let entries = std::fs::read_dir(folder).map_err(|e| Error::io("reading", folder, e))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut partial: Vec<String> = names.filter(|name| name.ends_with(PARTIAL)).collect();
    partial.sort();
    let problem = || Some("unfinished: another run was killed here; remove it".to_owned());
    Ok(partial.into_iter().map(|name| Finding { name, problem: problem() }).collect())
}
