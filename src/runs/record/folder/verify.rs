//! Verification of the folder of a run, training, estimate or study against its checksums.

use std::fs;
use std::io::{BufRead, BufReader};

use serde_json::Value;

use crate::files::read_written;
use crate::prelude::*;
use crate::record::folder::checkpoint::verify_checksum;
use crate::record::folder::data_package::{REPRODUCED, STUDY_FILE};
use crate::record::folder::dataset::DATASET_FILE;
use crate::record::folder::manifest::{
    DESCRIPTOR_KEY, invalid_content_error, is_unchanged, read_manifest, read_run,
};
use crate::record::folder::output_file::{PartEntry, sha256_of_table, table_files};
use crate::record::folder::{
    CHECKPOINT, check_listed_names, entries, exists, is_locked, open_regular,
};
use crate::record::formats::blocks::{hash_of, hexadecimal, sha256_of};
use crate::record::formats::{parquet, unpacked};
use crate::record::tables::conditions::{
    RecordedCondition, read_conditions, read_estimated_conditions,
};
use crate::record::tables::estimates::ESTIMATES;
use crate::record::{PARTIAL, TableCursor, TableFile};

/// Result of checking one file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the checked file.
    pub name: String,
    /// Problem of the file and its remedy; `None` if the file has no problem.
    pub problem: Option<String>,
}

impl Finding {
    /// Creates the result of checking the file `name`, with its `problem` if it has one.
    #[must_use]
    pub fn new(name: impl Into<String>, problem: Option<String>) -> Finding {
        Finding { name: name.into(), problem }
    }

    pub(crate) fn from_check(name: impl Into<String>, checked: Result<Option<String>>) -> Finding {
        Finding::new(name, checked.unwrap_or_else(|error| Some(error.to_string())))
    }
}

const EDITED_MANIFEST: &str =
    "it does not match its checksum: it was changed or damaged; restore it from a copy";

#[derive(Deserialize)]
struct RecordedFiles {
    kind: Kind,
    status: Status,
    files: Vec<FileEntry>,
}

const MANIFEST: &str = "run.json";

/// Returns the error for a folder without the manifest of a run, study, training or estimate.
#[must_use]
pub fn unknown_folder_error(folder: &Path) -> Error {
    let shown = folder.display();
    Error::Config(if !folder.is_dir() {
        format!("{shown} is no folder: check the path, and give the folder that a command wrote")
    } else if folder.join(DATASET_FILE).is_file() {
        format!(
            "{shown} is a data set, whose tables R, Python and other programs read (its README.md \
             says how): give the folder of a run, study, training or estimate"
        )
    } else if folder.join(CHECKPOINT).is_file() {
        match is_locked(folder) {
            true => format!("another process writes in {shown}: wait for it, or stop it"),
            false => format!("{shown} is unfinished: resume it with the command that started it"),
        }
    } else {
        format!(
            "{shown} holds no run, study, training or estimate: give the folder that a command \
             wrote"
        )
    })
}

/// Checks every file and the checkpoint of a run's folder, and that no file is unfinished.
pub fn verify(folder: &Path) -> Result<Vec<Finding>> {
    let mut findings = verify_files(folder, &|_| true)?;
    findings.extend(check_checkpoint(folder)?);
    findings.extend(partial_files(folder)?);
    Ok(findings)
}

fn verify_files(folder: &Path, is_here: &dyn Fn(&FileEntry) -> bool) -> Result<Vec<Finding>> {
    let (name, path) = (MANIFEST, folder.join(MANIFEST));
    if !exists(&path)? {
        return Err(unknown_folder_error(folder));
    }
    let manifest: Value = read_manifest(&path)?;
    if !is_unchanged(&manifest) {
        return Ok(vec![Finding::new(name, Some(EDITED_MANIFEST.to_owned()))]);
    }
    let recorded: RecordedFiles = read_manifest(&path)?;
    let mut findings = vec![Finding::new(name, incomplete_problem(&recorded))];
    if let Some(stated) = manifest[DESCRIPTOR_KEY]["sha256"].as_str() {
        let name = "datapackage.json";
        findings.push(Finding::from_check(name, compare_text(&folder.join(name), stated)));
    }
    let files = recorded.files.iter().filter(|entry| is_here(entry));
    findings
        .extend(files.map(|entry| Finding::from_check(&*entry.name, check_entry(folder, entry))));
    Ok(findings)
}

pub(crate) fn compare_text(path: &Path, stated: &str) -> Result<Option<String>> {
    let is_same = sha256_of(path)? == stated;
    Ok((!is_same)
        .then(|| "the recorded checksum differs: it was changed or damaged; restore it".to_owned()))
}

fn check_checkpoint(folder: &Path) -> Result<Option<Finding>> {
    let path = folder.join(CHECKPOINT);
    if !exists(&path)? {
        return Ok(None);
    }
    let check = || {
        let bytes = read_written(&path).map_err(|e| Error::io("reading", &path, e))?;
        let state =
            verify_checksum(&bytes).and_then(|text| serde_json::from_str::<Value>(text).ok());
        let Some(state) = state else { return Ok(Some(EDITED_MANIFEST.to_owned())) };
        check_listed_names(&path, &state)?;
        let cursors: Vec<TableCursor> = state
            .get("tables")
            .map_or(Ok(Vec::new()), |tables| serde_json::from_value(tables.clone()))
            .map_err(|error| invalid_content_error(&path, error))?;
        for cursor in cursors {
            let table = TableFile::at_cursor(folder, &cursor)?;
            let (read, hash) = hash_of(table.path(), cursor.cursor.bytes)?;
            if read < cursor.cursor.bytes || hexadecimal(hash) != cursor.sha256 {
                return Ok(Some(format!(
                    "it does not match {}: one of the two was edited; restore both from a copy",
                    cursor.name
                )));
            }
        }
        Ok(None)
    };
    Ok(Some(Finding::from_check(CHECKPOINT, check())))
}

/// Returns the first problem in the manifest or the files of `folder`, with the file's name.
pub fn first_problem(folder: &Path) -> Result<Option<String>> {
    first_problem_of(folder, &|_| true)
}

fn first_problem_of(folder: &Path, is_here: &dyn Fn(&FileEntry) -> bool) -> Result<Option<String>> {
    let problem = |Finding { name, problem, .. }: Finding| Some(format!("{name}: {}", problem?));
    let mut findings = verify_files(folder, is_here)?;
    findings.extend(partial_files(folder)?);
    Ok(findings.into_iter().find_map(problem))
}

pub(crate) fn read_verified_manifest(
    folder: &Path,
    is_here: &dyn Fn(&FileEntry) -> bool,
) -> Result<Value> {
    if let Some(problem) = first_problem_of(folder, is_here)? {
        return Err(as_error(folder, &problem));
    }
    read_run(folder)
}

pub(crate) fn as_error(folder: &Path, problem: &str) -> Error {
    let shown = folder.display();
    Error::Config(match is_locked(folder) {
        true => format!("{shown} is being continued by another process: wait for its end"),
        false => format!("{shown}: {problem}"),
    })
}

/// Checks a table's size and SHA-256 against its manifest and returns the SHA-256; `None` if no
/// valid manifest lists the table.
pub fn check_recorded(table: &Path) -> Result<Option<String>> {
    let Some(name) = table.file_name().and_then(|name| name.to_str()) else { return Ok(None) };
    // A table without a trustworthy manifest is read without a check.
    let Ok(content) = read_manifest::<Value>(&table.with_file_name(MANIFEST)) else {
        return Ok(None);
    };
    let entries = content["files"].as_array().into_iter().flatten();
    let mut entries = entries.filter_map(|entry| FileEntry::deserialize(entry).ok());
    let entry = entries.find(|entry| entry.name == name).filter(|_| is_unchanged(&content));
    let Some(entry) = entry else { return Ok(None) };
    let size: u64 = table_files(table)?.iter().map(|file| file_size(file)).sum::<Result<_>>()?;
    if size == entry.bytes && sha256_of_table(table)? == entry.sha256 {
        return Ok(Some(entry.sha256));
    }
    Err(Error::Config(format!(
        "{} does not match its checksum in {MANIFEST}: restore it from a copy; for a part of its \
         rows, tetrastat data convert DIR NEW --format csv --where ROWS writes a run",
        table.display()
    )))
}

fn file_size(path: &Path) -> Result<u64> {
    let metadata = open_regular(path)?.metadata();
    metadata.map(|file| file.len()).map_err(|e| Error::io("reading", path, e))
}

/// Returns true if `folder` contains the files of a study.
#[must_use]
pub fn is_study(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    has(STUDY_FILE) && (has("conditions.csv") || has(ESTIMATES))
}

/// Checks a study's tables by its `datapackage.json`, and its runs' folders by their `run.json`.
pub fn verify_study(folder: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    // If all conditions are estimated, there are no tables of games.
    if exists(&folder.join("conditions.csv"))? {
        findings = verify_games(folder)?;
    }
    verify_folders(folder, read_estimated_conditions(folder)?, &mut findings);
    Ok(findings)
}

fn verify_folders(folder: &Path, conditions: Vec<RecordedCondition>, findings: &mut Vec<Finding>) {
    for RecordedCondition { folder: run, .. } in conditions {
        let of_run =
            |finding: Finding| Finding { name: format!("{run}/{}", finding.name), ..finding };
        match verify(&folder.join(&run)) {
            Ok(found) => findings.extend(found.into_iter().map(of_run)),
            Err(error) => findings.push(Finding::new(&*run, Some(error.to_string()))),
        }
    }
}

fn verify_games(folder: &Path) -> Result<Vec<Finding>> {
    let name = "datapackage.json";
    let path = folder.join(name);
    if !exists(&path)? {
        let (folder, path) = (folder.display(), path.display());
        let text = format!("{path} does not exist: play the study in {folder} to its end");
        return Err(Error::Config(text));
    }
    let package: Value = read_manifest(&path)?;
    if !is_unchanged(&package) {
        return Ok(vec![Finding::new(name, Some(EDITED_MANIFEST.to_owned()))]);
    }
    let mut findings = vec![Finding::new(name, None)];
    let listed = package["files"].as_array();
    for name in [STUDY_FILE, REPRODUCED] {
        let path = folder.join(name);
        if let Some(entry) = listed.into_iter().flatten().find(|entry| entry["name"] == name) {
            let stated = entry["sha256"].as_str().unwrap_or_default();
            findings.push(Finding::from_check(name, compare_text(&path, stated)));
        }
    }
    for resource in package["resources"].as_array().into_iter().flatten() {
        let name = resource["path"].as_str().unwrap_or_default();
        findings.push(Finding::from_check(name, check_resource(&folder.join(name), resource)));
    }
    for name in ["run.json", CHECKPOINT] {
        if exists(&folder.join(name))? {
            let problem = Some("it does not belong to a study: remove it".to_owned());
            findings.push(Finding::new(name, problem));
        }
    }
    findings.extend(partial_files(folder)?);
    verify_folders(folder, read_conditions(folder)?, &mut findings);
    Ok(findings)
}

/// Compares a file's size and SHA-256 with its data package; returns a text if they differ.
fn check_resource(path: &Path, resource: &Value) -> Result<Option<String>> {
    let edited = || {
        Some("the recorded checksum differs: it was changed or damaged; collect again".to_owned())
    };
    let bytes = file_size(path)?;
    if resource["bytes"].as_u64().is_some_and(|stated| stated != bytes) {
        return Ok(edited());
    }
    let stated = resource["hash"].as_str().unwrap_or_default();
    let is_same = stated.strip_prefix("sha256:") == Some(&*sha256_of(path)?);
    Ok(if is_same { None } else { edited() })
}

fn incomplete_problem(recorded: &RecordedFiles) -> Option<String> {
    let (work, missing) = match recorded.kind {
        Kind::Estimate => ("estimate", "not all replications were played"),
        Kind::Training => ("training", "generations or finals are missing"),
        Kind::Run => ("run", "games are missing or censored"),
    };
    let ended = match recorded.status {
        Status::Complete => return None,
        Status::Interrupted => "was interrupted",
        Status::Failed(_) => "failed",
    };
    Some(format!("the {work} {ended}: its tables are undamaged, but {missing}"))
}

fn check_entry(folder: &Path, entry: &FileEntry) -> Result<Option<String>> {
    let path = folder.join(&entry.name);
    if entry.parts.is_empty() {
        return check_file(&path, (entry.rows, entry.bytes, &entry.sha256), &entry.columns);
    }
    for part in &entry.parts {
        let PartEntry { name, rows, bytes, sha256 } = part;
        let found = check_file(&path.join(name), (*rows, *bytes, sha256), &entry.columns)?;
        if let Some(problem) = found {
            return Ok(Some(format!("{name}: {problem}")));
        }
    }
    // Readers take every file in the folder for a part.
    let names = entries(&path)?.into_iter();
    let mut others = names.filter(|name| entry.parts.iter().all(|part| part.name != *name));
    Ok(others.next().map(|name| format!("{name} is no part of the run: remove it")))
}

fn check_file(
    path: &Path,
    (rows, recorded, sha256): (u64, u64, &str),
    columns: &[String],
) -> Result<Option<String>> {
    let bytes = file_size(path)?;
    if bytes != recorded {
        return Ok(Some(format!(
            "{bytes} bytes, not {recorded}: it was shortened or extended; play it again"
        )));
    }
    if sha256_of(path)? != sha256 {
        return Ok(Some(
            "the recorded checksum differs: it was changed or damaged; play it again".to_owned(),
        ));
    }
    if columns.is_empty() {
        return Ok(None);
    }
    let found = count_rows(path)?;
    Ok((found != rows).then(|| format!("{found} rows, not {rows}: play it again")))
}

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
    Ok(partial.into_iter().map(|name| Finding::new(name, problem())).collect())
}
