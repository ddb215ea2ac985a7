//! Checks a run folder against its manifest.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::blocks::sha256_of;
use super::folder::exists;
use super::format::unpacked;
use super::manifest::{DESCRIBED, is_unchanged, read_manifest};
use super::{FileEntry, LogFormat, PARTIAL, Status, parquet};
use crate::error::{Error, Result};

/// What is known of a run folder's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its name.
    pub name: String,
    /// What is wrong with it, and what to do; `None` when it is as the manifest says.
    pub problem: Option<String>,
}

/// What the manifest of a run or training says of its files.
#[derive(Deserialize)]
struct RecordedFiles {
    status: Status,
    files: Vec<FileEntry>,
}

/// What is wrong with a manifest itself: it was edited, the description beside it was, or the run did not come
/// to its end.
fn manifest_problem(folder: &Path, name: &str, status: &Status) -> Result<Option<String>> {
    let text: Value = read_manifest(&folder.join(name))?;
    if !is_unchanged(&text) {
        let text = "it does not match its checksum: it was edited; restore it from a copy";
        return Ok(Some(text.to_owned()));
    }
    Ok(unfinished(status))
}

/// The description of a folder's tables, if the manifest says what it holds.
fn description(folder: &Path, manifest: &str) -> Result<Option<Finding>> {
    let manifest: Value = read_manifest(&folder.join(manifest))?;
    let Some(stated) = manifest[DESCRIBED]["sha256"].as_str() else { return Ok(None) };
    let name = "datapackage.json".to_owned();
    let problem = match sha256_of(&folder.join(&name)) {
        Ok(found) if found == stated => None,
        Ok(_) => Some("other bytes than were written: it was edited; restore it".to_owned()),
        Err(error) => Some(error.to_string()),
    };
    Ok(Some(Finding { name, problem }))
}

/// Checks bytes, rows and SHA-256 of every file of a run or a training, and that none is unfinished.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] when `run.json` or `train.json` is missing or cannot be read.
pub fn verify(folder: &Path) -> Result<Vec<Finding>> {
    let trained = folder.join("train.json").is_file() && !folder.join("run.json").exists();
    let name = if trained { "train.json" } else { "run.json" };
    let recorded: RecordedFiles = read_manifest(&folder.join(name))?;
    let problem = manifest_problem(folder, name, &recorded.status)?;
    let mut findings = vec![Finding { name: name.to_owned(), problem }];
    findings.extend(description(folder, name)?);
    findings.extend(recorded.files.iter().map(|entry| Finding {
        name: entry.name.clone(),
        problem: check(folder, entry).unwrap_or_else(|error| Some(error.to_string())),
    }));
    findings.extend(partial_files(folder)?);
    Ok(findings)
}

/// The first thing that is wrong in a folder, with the file's name.
pub(super) fn first_problem(folder: &Path) -> Result<Option<String>> {
    let problem = |Finding { name, problem }| Some(format!("{name}: {}", problem?));
    Ok(verify(folder)?.into_iter().find_map(problem))
}

/// The manifest of a run whose files are all as they were written.
///
/// # Errors
/// [`Error::Config`] naming the first that is not, and as [`verify`].
pub(super) fn sound<T: DeserializeOwned>(folder: &Path) -> Result<T> {
    if let Some(problem) = first_problem(folder)? {
        return Err(Error::Config(format!("{}: {problem}", folder.display())));
    }
    read_manifest(&folder.join("run.json"))
}

/// Whether a folder holds a study.
#[must_use]
pub fn is_study(folder: &Path) -> bool {
    ["conditions.csv", "study.toml"].iter().all(|name| folder.join(name).is_file())
}

/// Checks a study's tables against its `datapackage.json`, and every condition's folder against its
/// `run.json`.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] when the study is not complete, or can't be read.
pub fn verify_study(folder: &Path) -> Result<Vec<Finding>> {
    let path = folder.join("datapackage.json");
    let text = fs::read_to_string(&path).map_err(|error| {
        let (folder, path) = (folder.display(), path.display());
        Error::Config(format!("{path}: {error}: play the study in {folder} to its end"))
    })?;
    let package: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| Error::Config(format!("{}: {error}: restore it", path.display())))?;
    let mut findings = Vec::new();
    for resource in package["resources"].as_array().into_iter().flatten() {
        let name = resource["path"].as_str().unwrap_or_default();
        let stated = resource["hash"].as_str().unwrap_or_default();
        let problem = match sha256_of(&folder.join(name)) {
            Ok(found) if format!("sha256:{found}") == stated => None,
            Ok(_) => {
                Some("other bytes than were written: it was edited; collect it again".to_owned())
            }
            Err(error) => Some(error.to_string()),
        };
        findings.push(Finding { name: name.to_owned(), problem });
    }
    for name in ["run.json", "train.json", "checkpoint.json"] {
        if exists(&folder.join(name))? {
            let problem = Some("no file of a study: remove it".to_owned());
            findings.push(Finding { name: name.to_owned(), problem });
        }
    }
    for run in condition_folders(folder)? {
        let of_run =
            |finding: Finding| Finding { name: format!("{run}/{}", finding.name), ..finding };
        findings.extend(verify(&folder.join(&run))?.into_iter().map(of_run));
    }
    Ok(findings)
}

/// The folders that `conditions.csv` names.
fn condition_folders(folder: &Path) -> Result<Vec<String>> {
    let path = folder.join("conditions.csv");
    let text = fs::read_to_string(&path).map_err(|e| Error::io("reading", &path, e))?;
    // The second column of a table of this program's own, whose texts have no commas.
    Ok(text.lines().skip(1).filter_map(|line| Some(line.split(',').nth(1)?.to_owned())).collect())
}

fn unfinished(status: &Status) -> Option<String> {
    let what = match status {
        Status::Complete => return None,
        Status::Interrupted => "the run was interrupted",
        Status::Failed(_) => "the run failed",
    };
    Some(format!("{what}: its tables are whole, but games are missing or censored"))
}

fn check(folder: &Path, entry: &FileEntry) -> Result<Option<String>> {
    let path = folder.join(&entry.name);
    let bytes = fs::metadata(&path).map_err(|e| Error::io("reading", &path, e))?.len();
    if bytes != entry.bytes {
        let recorded = entry.bytes;
        return Ok(Some(format!(
            "{bytes} bytes, not {recorded}: it was cut or added to; play it again"
        )));
    }
    if sha256_of(&path)? != entry.sha256 {
        return Ok(Some("other bytes than were written: it was edited; play it again".to_owned()));
    }
    if entry.name.ends_with(".toml") {
        return Ok(None);
    }
    let rows = count_rows(&path)?;
    Ok((rows != entry.rows).then(|| format!("{rows} rows, not {}: play it again", entry.rows)))
}

/// Rows of a table in any format.
fn count_rows(path: &Path) -> Result<u64> {
    let failed = |e| Error::io("reading", path, e);
    let format = LogFormat::of_file(&path.to_string_lossy())?;
    if format == LogFormat::Parquet {
        return parquet::row_count(path);
    }
    let mut reader = BufReader::with_capacity(1 << 18, unpacked(path, format, None)?);
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
    let entries = fs::read_dir(folder).map_err(|e| Error::io("reading", folder, e))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut partial: Vec<String> = names.filter(|name| name.ends_with(PARTIAL)).collect();
    partial.sort();
    let problem = || Some("unfinished: another run was killed here; remove it".to_owned());
    Ok(partial.into_iter().map(|name| Finding { name, problem: problem() }).collect())
}
