//! `run.json`: what was run, where, and what it wrote.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::controller::Tie;
use crate::error::{Error, Result};
use crate::features::Measured;
use crate::files::read_written;
use crate::kernels::cpu_brand;
use crate::record::folder::checksum::checksum;
use crate::record::folder::listed::{check_listed_names, is_plain_file_name};
use crate::record::formats::blocks::sha256_of;
use crate::record::{Column, Finished, RunFolder, Selection};

/// The program's name, as tables and manifests say who wrote them.
pub const PROGRAM: &str = "tetrastat";

/// The version of this crate and of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that the program was built from, "-dirty" where its sources differed from it, "-dev" in a debug
/// build, which does not look.
pub const COMMIT: &str = env!("TETRASTAT_COMMIT");

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All games were played.
    Complete,
    /// The user stopped it; the games that had ended are kept.
    Interrupted,
    /// An error stopped it; the games that had ended are kept.
    Failed(String),
}

/// A file of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Name in the folder.
    pub name: String,
    /// Rows below the header.
    pub rows: u64,
    /// Size.
    pub bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// The columns themselves, of a table that was just written.
    #[serde(skip)]
    pub(crate) schema: Vec<Column>,
}

impl FileEntry {
    /// The entry of a finished file.
    #[must_use]
    pub fn new(name: String, finished: Finished) -> FileEntry {
        let Finished { rows, bytes, sha256, columns: schema, .. } = finished;
        let columns = schema.iter().map(|column| column.name.clone()).collect();
        FileEntry { name, rows, bytes, sha256, columns, schema }
    }

    /// Measures a CSV file with these columns.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be read.
    pub fn of(path: &Path, columns: &[Column]) -> Result<FileEntry> {
        let bytes = fs::read(path).map_err(|e| Error::io("reading", path, e))?;
        // No cell has a line end, so that lines are rows; one is the header.
        let rows = bytes.iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1) as u64;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names = columns.iter().map(|column| column.name.clone()).collect();
        Ok(FileEntry {
            name,
            rows,
            bytes: bytes.len() as u64,
            sha256: sha256_of(path)?,
            columns: names,
            schema: columns.to_vec(),
        })
    }

    /// The entry of a file that is no table.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be read.
    pub fn of_text(folder: &Path, name: &str) -> Result<FileEntry> {
        let path = folder.join(name);
        let bytes = fs::metadata(&path).map_err(|e| Error::io("reading", &path, e))?.len();
        let sha256 = sha256_of(&path)?;
        Ok(FileEntry {
            name: name.to_owned(),
            rows: 0,
            bytes,
            sha256,
            columns: Vec::new(),
            schema: Vec::new(),
        })
    }

    /// The table that the file holds: its name without endings.
    #[must_use]
    pub fn table(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }
}

/// A run's configuration, complete enough to play it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfigEntry {
    pub(crate) controller: ControllerEntry,
    pub(crate) rules: String,
    pub(crate) reach: Option<String>,
    pub(crate) clear_on_overflow: bool,
    pub(crate) board: String,
    pub(crate) start: Option<String>,
    pub(crate) queue: String,
    pub(crate) search: String,
    pub(crate) games: u64,
    /// The part of the games that was played, `i/n`; all when missing.
    pub shard: Option<String>,
    pub(crate) max_pieces: Option<u64>,
    pub(crate) max_lines: Option<u64>,
    pub(crate) seed: String,
    /// Which placements are logged, if any.
    pub(crate) logged: Option<Selection>,
    /// Columns of the placements table; none without it.
    pub(crate) columns: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ControllerEntry {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) measured: Measured,
    pub(crate) tie: Tie,
    pub(crate) weights: serde_json::Map<String, serde_json::Value>,
}

impl ConfigEntry {
    /// Games of all shards together.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Whether the run is the beginning of another: the same, with fewer games, and only those.
    #[must_use]
    pub fn begins(&self, longer: &ConfigEntry) -> bool {
        let alike = ConfigEntry { games: longer.games, ..self.clone() };
        let whole = self.shard.is_none() && self.logged.is_none();
        whole && self.games < longer.games && alike == *longer
    }
}

/// Reads a manifest or a data package, or the part of one that `T` describes.
///
/// # Errors
/// [`Error::Io`] if it can't be read, [`Error::Config`] if it is damaged or lists a name that is not a plain file name.
pub fn read_manifest<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = read_written(path).map_err(|e| Error::io("reading", path, e))?;
    let damaged = |error: serde_json::Error| {
        Error::Config(format!("{}: {error}: restore it from a copy", path.display()))
    };
    // Listed names are checked before any of them is used.
    check_listed_names(path, &serde_json::from_slice(&text).map_err(damaged)?)?;
    serde_json::from_slice(&text).map_err(damaged)
}

/// Returns the file names of the tables that a manifest lists.
#[must_use]
pub fn tables_of(manifest: &Value) -> Vec<String> {
    let files = manifest["files"].as_array().into_iter().flatten();
    let names = files.filter_map(|file| file["name"].as_str());
    // A training names its controller's file, too.
    let is_table = |name: &&str| is_plain_file_name(name) && !name.ends_with(".toml");
    names.filter(is_table).map(str::to_owned).collect()
}

/// Writes a finished JSON file; its text comes back.
pub(crate) fn write_json(folder: &RunFolder, name: &str, value: &impl Serialize) -> Result<String> {
    let failed = |e: serde_json::Error| Error::io("writing", folder.partial(name), e.into());
    let text = serde_json::to_string_pretty(value).map_err(failed)? + "\n";
    folder.put(name, &text)?;
    Ok(text)
}

/// What a manifest calls the SHA-256 of the description beside it.
pub(crate) const DESCRIBED: &str = "datapackage";
/// What a manifest calls the SHA-256 of its text without this key.
const CHECKSUM: &str = "checksum";

/// Writes a description as `datapackage.json`, if there is one, and then a manifest, which completes the
/// folder, with the checksums of both.
///
/// # Errors
/// [`Error::Io`] when they can't be written.
pub fn write_manifest(
    folder: &RunFolder,
    name: &str,
    manifest: &impl Serialize,
    description: Option<&Value>,
) -> Result<()> {
    let failed = |e: serde_json::Error| Error::io("writing", folder.partial(name), e.into());
    let mut manifest = serde_json::to_value(manifest).map_err(failed)?;
    if let Some(description) = description {
        // First, since a folder with its manifest is complete: a crash between the two must not leave it
        // without this.
        let text = write_json(folder, "datapackage.json", description)?;
        manifest[DESCRIBED] = json!({ "sha256": checksum(&[&text]) });
    }
    manifest[CHECKSUM] = json!(checksum_of(&manifest));
    write_json(folder, name, &manifest).map(|_| ())
}

/// The SHA-256 of a manifest's text without its checksum.
fn checksum_of(manifest: &Value) -> String {
    let mut manifest = manifest.clone();
    if let Some(keys) = manifest.as_object_mut() {
        // Not `swap_remove`, which would put the last key in its place: the text would be another one.
        keys.shift_remove(CHECKSUM);
    }
    checksum(&[&serde_json::to_string_pretty(&manifest).unwrap_or_default()])
}

/// Returns true if a manifest has a checksum of itself.
pub(crate) fn has_checksum(manifest: &Value) -> bool {
    manifest.get(CHECKSUM).is_some()
}

/// The last version that wrote no checksums.
const UNSEALED: &str = "0.1.0";

/// Whether a manifest is as it was written, as far as it tells.
pub(crate) fn is_unchanged(manifest: &Value) -> bool {
    match manifest.get(CHECKSUM) {
        Some(stated) => *stated == checksum_of(manifest),
        // A later manifest without one has lost it: somebody changed it.
        None => manifest["version"] == UNSEALED,
    }
}

/// The command that manifests record instead of the command line of this process.
static COMMAND: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Sets the command that manifests record from now on. A worker of a cluster records its driver's command, since its
/// own command line carries no information.
pub fn set_command_line(words: Vec<String>) {
    *COMMAND.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
}

/// Returns the words of the command line. Bytes that are not UTF-8 become replacement characters.
#[must_use]
pub fn command_line() -> Vec<String> {
    let set = COMMAND.lock().unwrap_or_else(PoisonError::into_inner).clone();
    set.unwrap_or_else(|| {
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
    })
}

/// The processor's name where the system or the processor tells it, else its architecture.
#[must_use]
pub fn cpu_name() -> String {
    let linux = fs::read_to_string("/proc/cpuinfo").ok().and_then(|info| cpu_of_linux(&info));
    // The variable is of Windows; macOS is asked last since that starts a program.
    let told = linux.or_else(cpu_brand).or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok());
    told.or_else(cpu_of_macos).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// What Linux says: the name on x86-64; on ARM, where it says none, who made it and the number of the part.
fn cpu_of_linux(info: &str) -> Option<String> {
    let value = |key: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.split_once(": ")?.1.to_owned())
    };
    let part = || Some((value("CPU implementer")?, value("CPU part")?));
    value("model name").or_else(|| {
        let (maker, part) = part()?;
        Some(format!("{} (implementer {maker}, part {part})", std::env::consts::ARCH))
    })
}

/// What macOS says on its own processors, which no instruction names.
fn cpu_of_macos() -> Option<String> {
    if !cfg!(target_os = "macos") {
        return None;
    }
    let asked = Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
    let name = String::from_utf8(asked.stdout).ok()?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_the_name_that_linux_or_it_tells() {
        let x86 = "vendor_id\t: X\nmodel name\t: Some CPU @ 2.00GHz\nmodel name\t: Another\n";
        assert_eq!(cpu_of_linux(x86).as_deref(), Some("Some CPU @ 2.00GHz"));
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        let name = format!("{} (implementer 0x41, part 0xd0c)", std::env::consts::ARCH);
        assert_eq!(cpu_of_linux(arm), Some(name));
        assert_eq!(cpu_of_linux("processor\t: 0\n"), None);
        assert!(!cpu_name().is_empty());
    }
}
