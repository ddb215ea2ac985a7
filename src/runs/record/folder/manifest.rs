//! `run.json`, the manifest of a run: its configuration, machine and files. Also the program's
//! command line, times and differences between two configurations.
//! Frozen: bytes

use std::fmt::{Display, Write};
use std::fs;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::quoted;
use crate::files::read_written;
use crate::kernels::cpu_brand;
use crate::prelude::*;
use crate::record::folder::checkpoint::checksum;
use crate::record::folder::output_file::{PartEntry, sha256_of_sums};
use crate::record::folder::verify::check_recorded;
use crate::record::folder::{check_listed_names, is_plain_file_name};
use crate::record::formats::blocks::sha256_of;
use crate::record::{FileSummary, exists};

/// Name of the program, as recorded in tables and manifests.
pub const PROGRAM: &str = "tetrastat";

/// Version of this crate and of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Commit from which the program was built. The suffix `-dirty` means changed sources, `-dev` a
/// debug build.
pub const COMMIT: &str = env!("TETRASTAT_COMMIT");

/// Kind of an output folder, as its `run.json` records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Run that plays games, matches or rounds.
    Run,
    /// Estimate of the mean lines of games that are too long to play, by multilevel splitting.
    Estimate,
    /// Training: a search for the weights of a controller.
    Training,
}

/// Final status of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All games of the run were played.
    Complete,
    /// The user stopped the run; the finished games are kept.
    Interrupted,
    /// An error stopped the run; the finished games are kept.
    Failed(String),
}

/// Program, machine, start and end of a run: the first keys of its manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Provenance {
    /// Name of the program, "tetrastat".
    pub program: String,
    /// Version of the program that played the run.
    pub version: String,
    /// Commit from which the program was built, or "unknown".
    pub commit: String,
    /// Words of the run's command line.
    pub command: Vec<String>,
    /// Number of the run's worker threads.
    pub threads: usize,
    /// SIMD instruction level with which the run computed; `None` if the game has no SIMD code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simd: Option<String>,
    /// Name of the machine's processor.
    pub cpu: String,
    /// Start time of the run, UTC, as RFC 3339.
    pub started: String,
    /// End time of the run, UTC, as RFC 3339.
    pub finished: String,
    /// Seconds from the run's start to its end; for a resumed run, from the last resume.
    pub elapsed_s: f64,
    /// True if the run was resumed from a checkpoint.
    pub resumed: bool,
}

impl Provenance {
    /// Describes the program, machine and times of a run that began at `started` and ends now.
    #[must_use]
    pub fn new(
        (threads, simd): (usize, Option<String>),
        (started, clock): (SystemTime, Instant),
        resumed: bool,
    ) -> Provenance {
        Provenance {
            program: PROGRAM.to_owned(),
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            command: command_line(),
            threads,
            simd,
            cpu: cpu_name(),
            started: utc_time(started),
            finished: utc_time(SystemTime::now()),
            elapsed_s: clock.elapsed().as_secs_f64(),
            resumed,
        }
    }
}

/// Entry of a file or a table in a run's manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Name of the file, or of the folder if the table is divided into several files.
    pub name: String,
    /// Number of the table's rows below the header; 0 for a file that is not a table.
    pub rows: u64,
    /// Size of the file in bytes, or of all parts of the table together.
    pub bytes: u64,
    /// SHA-256 of the file; for a table divided into files, SHA-256 of the text that `sha256sum
    /// part-*.parquet` prints.
    pub sha256: String,
    /// Names of the table's columns; empty for a file that is not a table.
    pub columns: Vec<String>,
    /// Files into which the table is divided, in order; empty for a table in a single file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartEntry>,
    /// Descriptions of the table's columns; empty for an entry read from a manifest.
    #[serde(skip)]
    pub(crate) schema: Vec<Column>,
}

impl FileEntry {
    /// Creates the manifest's entry for the finished file `name`.
    #[must_use]
    pub fn new(name: String, finished: FileSummary) -> FileEntry {
        let FileSummary { rows, bytes, sha256, columns: schema, .. } = finished;
        let columns = schema.iter().map(|column| column.name.clone()).collect();
        FileEntry { name, rows, bytes, sha256, columns, parts: Vec::new(), schema }
    }

    pub(crate) fn from_parts(
        name: String,
        parts: Vec<PartEntry>,
        schema: Vec<Column>,
    ) -> FileEntry {
        let sums = parts.iter().map(|part| (&*part.sha256, &*part.name));
        FileEntry {
            name,
            rows: parts.iter().map(|part| part.rows).sum(),
            bytes: parts.iter().map(|part| part.bytes).sum(),
            sha256: sha256_of_sums(sums),
            columns: schema.iter().map(|column| column.name.clone()).collect(),
            parts,
            schema,
        }
    }

    /// Creates the manifest's entry for the CSV file `path` with the columns `columns`.
    pub fn from_csv(path: &Path, columns: &[Column]) -> Result<FileEntry> {
        let bytes = fs::read(path).map_err(|e| Error::io("reading", path, e))?;
        // Cells contain no line ends, so lines are rows; one line is the header.
        let rows = bytes.iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1) as u64;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (bytes, sha256, columns) = (bytes.len() as u64, sha256_of(path)?, columns.to_vec());
        Ok(FileEntry::new(name, FileSummary { rows, bytes, sha256, columns, truncated_at: None }))
    }

    /// Creates the manifest's entry for the file `name` in `folder`, which is not a table.
    pub fn from_file(folder: &Path, name: &str) -> Result<FileEntry> {
        Ok(FileEntry { rows: 0, ..FileEntry::from_csv(&folder.join(name), &[])? })
    }

    /// Returns the name of the entry's table: the file name without its endings.
    #[must_use]
    pub fn table(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }
}

/// Returns an error that states the `problem` in the file `path`, and what to do about the file.
pub fn invalid_content_error(path: &Path, problem: impl Display) -> Error {
    let is_damaged = match path.extension().is_some_and(|end| end == "json") {
        true => {
            let text = read_written(path).unwrap_or_default();
            let content = serde_json::from_slice::<Value>(&text);
            content.map_or(true, |content| !is_unchanged(&content))
        }
        false => check_recorded(path).is_err(),
    };
    let remedy = match is_damaged {
        true => "it was changed or damaged; restore it from a copy".to_owned(),
        false => format!(
            "no command of version {VERSION} writes this; correct it, or use the command and \
             version that wrote it"
        ),
    };
    Error::Config(format!("{}: {problem}: {remedy}", path.display()))
}

/// Reads the JSON file `path`, a manifest or a data package, into the type `T`.
pub fn read_manifest<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = read_written(path).map_err(|e| Error::io("reading", path, e))?;
    let damaged = |error: serde_json::Error| invalid_content_error(path, error);
    // Listed names are checked before any of them is used.
    check_listed_names(path, &serde_json::from_slice(&text).map_err(damaged)?)?;
    serde_json::from_slice(&text).map_err(damaged)
}

/// Returns the kind of a complete folder (run, estimate or training); `None` without `run.json`.
pub fn kind_of(folder: &Path) -> Result<Option<Kind>> {
    #[derive(Deserialize)]
    struct Known {
        kind: Kind,
    }
    let path = folder.join("run.json");
    if !exists(&path)? {
        return Ok(None);
    }
    read_manifest(&path).map(|Known { kind }| Some(kind))
}

/// Returns the file names of the tables that `manifest` lists.
#[must_use]
pub fn tables_of(manifest: &Value) -> Vec<String> {
    let files = manifest["files"].as_array().into_iter().flatten();
    let names = files.filter_map(|file| file["name"].as_str());
    // A training also lists its controller's file, which is not a table.
    let is_table = |name: &&str| is_plain_file_name(name) && !name.ends_with(".toml");
    names.filter(is_table).map(str::to_owned).collect()
}

pub(crate) fn write_json(folder: &RunFolder, name: &str, value: &impl Serialize) -> Result<String> {
    let failed = |e: serde_json::Error| Error::io("writing", folder.partial(name), e.into());
    let text = serde_json::to_string_pretty(value).map_err(failed)? + "\n";
    folder.put(name, &text)?;
    Ok(text)
}

pub(crate) fn read_run(folder: &Path) -> Result<Value> {
    let manifest: Value = read_manifest(&folder.join("run.json"))?;
    let kind = manifest["kind"].as_str().unwrap_or_default();
    if kind == "run" {
        return Ok(manifest);
    }
    let (shown, kind) = (folder.display(), quoted(kind));
    Err(Error::Config(format!("{shown} holds work of the kind '{kind}': give the folder of a run")))
}

pub(crate) const DESCRIPTOR_KEY: &str = "datapackage";
const CHECKSUM_KEY: &str = "checksum";

/// Writes a folder's data package and then its manifest, which marks the folder as complete.
pub(crate) fn write_manifest(
    folder: &RunFolder,
    name: &str,
    manifest: &impl Serialize,
    description: Option<&Value>,
) -> Result<()> {
    let failed = |e: serde_json::Error| Error::io("writing", folder.partial(name), e.into());
    let mut manifest = serde_json::to_value(manifest).map_err(failed)?;
    if let Some(description) = description {
        // The description is written first, so that a folder with a manifest is complete, even
        // after a crash between the two writes.
        let text = write_json(folder, "datapackage.json", description)?;
        manifest[DESCRIPTOR_KEY] = json!({ "sha256": checksum(&[&text]) });
    }
    manifest[CHECKSUM_KEY] = json!(checksum_of(&manifest));
    write_json(folder, name, &manifest).map(|_| ())
}

fn checksum_of(manifest: &Value) -> String {
    let mut manifest = manifest.clone();
    if let Some(keys) = manifest.as_object_mut() {
        // `swap_remove` would move the last key and so change the text.
        keys.shift_remove(CHECKSUM_KEY);
    }
    checksum(&[&serde_json::to_string_pretty(&manifest).unwrap_or_default()])
}

pub(crate) fn is_unchanged(manifest: &Value) -> bool {
    manifest[CHECKSUM_KEY] == checksum_of(manifest)
}

static COMMAND_LINE: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Sets the command line that manifests record from now on, instead of this process's.
pub fn set_command_line(words: Vec<String>) {
    *COMMAND_LINE.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
}

/// Returns the command line for manifests: the one given to `set_command_line`, or else this
/// process's.
#[must_use]
pub fn command_line() -> Vec<String> {
    let set = COMMAND_LINE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    set.unwrap_or_else(|| {
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
    })
}

fn cpu_name() -> String {
    let linux = fs::read_to_string("/proc/cpuinfo").ok().and_then(|info| cpu_of_linux(&info));
    // The variable exists on Windows; macOS is queried last since that starts a program.
    let told = linux.or_else(cpu_brand).or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok());
    told.or_else(cpu_of_macos).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// Returns the processor's name from `/proc/cpuinfo`; for ARM, its implementer and part number.
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

fn cpu_of_macos() -> Option<String> {
    if !cfg!(target_os = "macos") {
        return None;
    }
    let asked = Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
    let name = String::from_utf8(asked.stdout).ok()?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// Joins `words` into a command line, quoted for a shell where necessary.
#[must_use]
pub fn shell_words(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    let quoted = |word: &String| match word.chars().all(is_plain) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Quotes `path` for a shell, so that it is never parsed as an option.
#[must_use]
pub fn shell_path(path: &Path) -> String {
    let path = path.display().to_string();
    shell_words(&[if path.starts_with('-') { format!("./{path}") } else { path }])
}

const CYCLE_YEARS: i32 = 400;
const CALENDAR_CYCLE: Duration = Duration::from_secs(146_097 * 86_400);
const EARLIEST_TIME: &str = "0000-01-01T00:00:00Z";
const LATEST_TIME: &str = "9999-12-31T23:59:59Z";

pub(crate) fn utc_time(time: SystemTime) -> String {
    // The formatter supports no time before 1970, so such times are shifted by whole cycles of the
    // calendar.
    let mut shifted = Some(time);
    for years in (0..=5).map(|cycles| cycles * CYCLE_YEARS) {
        match shifted {
            Some(late) if late >= UNIX_EPOCH => {
                let mut text = String::new();
                if write!(text, "{}", humantime::format_rfc3339_seconds(late)).is_err() {
                    return LATEST_TIME.to_owned();
                }
                let (year, rest) = text.split_at(4);
                return match year.parse::<i32>().map(|year| year - years) {
                    Ok(year @ 0..) => format!("{year:04}{rest}"),
                    _ => EARLIEST_TIME.to_owned(),
                };
            }
            early => shifted = early.and_then(|early| early.checked_add(CALENDAR_CYCLE)),
        }
    }
    EARLIEST_TIME.to_owned()
}

pub(crate) fn changed_config_error(begun: &Value, asked: &Value) -> Error {
    Error::Config(format!(
        "the files or options have changed since the start: {}; restore them, or start a new run",
        differences(begun, asked)
    ))
}

const MOST_DIFFERENCES: usize = 3;
const LONGEST_VALUE_TEXT: usize = 60;

/// Describes up to three differences between two configurations; empty if they are equal.
#[must_use]
pub fn differences(begun: &Value, asked: &Value) -> String {
    let mut found = Vec::new();
    compare("", begun, asked, &mut found);
    let more = found.len().saturating_sub(MOST_DIFFERENCES);
    found.truncate(MOST_DIFFERENCES);
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
        found.push(format!("{key} is {} there, {} here", value_text(begun), value_text(asked)));
        return;
    };
    let added = other.keys().filter(|name| !one.contains_key(*name));
    for name in one.keys().chain(added) {
        let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        compare(&below, &begun[name], &asked[name], found);
    }
}

fn value_text(value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST_VALUE_TEXT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = ["a/b", "two words", "it's", ""].map(str::to_owned);
        assert_eq!(shell_words(&words), r"a/b 'two words' 'it'\''s' ''");
        let paths = ["runs/a", "x y;z", "-rf"].map(|path| shell_path(Path::new(path)));
        assert_eq!(paths, ["runs/a", "'x y;z'", "./-rf"]);
    }

    #[test]
    fn a_clock_may_be_set_to_any_year() {
        let before = |seconds| UNIX_EPOCH.checked_sub(Duration::from_secs(seconds)).unwrap();
        let after = |seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap();
        for (time, text) in [
            (UNIX_EPOCH, "1970-01-01T00:00:00Z"),
            (after(1_600_000_000), "2020-09-13T12:26:40Z"),
            (before(1), "1969-12-31T23:59:59Z"),
            (before(10 * 365 * 86_400 + 3 * 86_400), "1960-01-01T00:00:00Z"),
            (before(62_167_219_200), EARLIEST_TIME),
            (before(62_167_219_201), EARLIEST_TIME),
            (before(1 << 60), EARLIEST_TIME),
            (after(253_402_300_799), LATEST_TIME),
            (after(253_402_300_800), LATEST_TIME),
        ] {
            assert_eq!(utc_time(time), text);
        }
    }

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
