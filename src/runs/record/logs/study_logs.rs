//! Logs of a study's conditions.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Error, Result};
use crate::record::{LogFormat, LogTable, read_manifest};

/// Log file of one condition of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyLog {
    /// Path of the file.
    pub path: PathBuf,
    /// Name of the table.
    pub table: &'static str,
    /// Name of the controller.
    pub controller: String,
    /// Name of the condition's folder.
    pub condition: String,
}

/// Returns the logs of the played conditions in a study's folder, in the order of the folders'
/// names.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] if the folder or a `run.json` can't be read.
pub fn study_logs(study: &Path) -> Result<Vec<StudyLog>> {
    let failed = |e| Error::io("reading", study, e);
    let entries = std::fs::read_dir(study).map_err(failed)?;
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(failed))
        .collect::<Result<_>>()?;
    folders.retain(|folder| folder.join("run.json").is_file());
    folders.sort();
    let mut logs = Vec::new();
    for folder in folders {
        let manifest: Value = read_manifest(&folder.join("run.json"))?;
        let controller = manifest["config"]["controller"]["name"].as_str().unwrap_or("unnamed");
        for table in LogTable::ALL.map(LogTable::name) {
            let paths = LogFormat::ALL.map(|format| folder.join(format!("{table}.{format}")));
            logs.extend(paths.into_iter().find(|path| path.is_file()).map(|path| StudyLog {
                path,
                table,
                controller: controller.to_owned(),
                condition: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            }));
        }
    }
    Ok(logs)
}
