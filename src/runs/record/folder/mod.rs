//! Folder of a run, locked while the run writes in it. Files have the suffix `.partial` until they
//! are complete, so that a killed run leaves nothing that looks finished.
//!
//! A manifest, checkpoint or data package may come from an untrusted source: every file name in it
//! is checked here before it is used, so that no name leads out of the folder.

pub(crate) mod checkpoint;
pub(crate) mod data_package;
pub(crate) mod dataset;
pub(crate) mod manifest;
pub(crate) mod merge;
pub(crate) mod output_file;
pub(crate) mod verify;

use std::fs::{self, TryLockError};
use std::io::{Read, Write};
use std::time::Instant;
use std::{iter, thread};

use serde_json::Value;

use crate::error::quoted;
use crate::files;
use crate::prelude::*;
use crate::record::folder::checkpoint::CHECKSUM_START;
use crate::record::folder::output_file::{is_in_parts, remove_table};
use crate::record::formats::is_without_rows;

/// Suffix of the names of files that are not complete.
pub const PARTIAL: &str = ".partial";

const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// Name of the file with the state from which a run is resumed.
pub const CHECKPOINT: &str = "checkpoint.json";

const FIXED_FILE_NAMES: [&str; 4] = [CHECKPOINT, "run.json", "datapackage.json", "controller.toml"];

fn is_unfinished(name: &str) -> bool {
    let whole = name.strip_suffix(PARTIAL);
    whole.is_some_and(|name| FIXED_FILE_NAMES.contains(&name) || LogFormat::of_file(name).is_ok())
}

pub(crate) fn remove_unfinished(folder: &Path) {
    for name in entries(folder).unwrap_or_default().iter().filter(|name| is_unfinished(name)) {
        let _ = remove_table(&folder.join(name));
    }
}

/// Returns true if `folder` contains a checkpoint of any kind of run.
pub fn has_checkpoint(folder: &Path) -> Result<bool> {
    exists(&folder.join(CHECKPOINT))
}

/// Removes the checkpoint in `folder`, of any kind of run.
pub fn remove_checkpoint(folder: &Path) {
    let _ = fs::remove_file(folder.join(CHECKPOINT));
    let _ = fs::remove_file(folder.join(format!("{CHECKPOINT}{PARTIAL}")));
}

/// Returns the sorted names of all files and folders in `folder`.
pub fn entries(folder: &Path) -> Result<Vec<String>> {
    let failed = |e| Error::io("reading", folder, e);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Returns true if `folder` is empty or has only remains of a run killed before its first
/// checkpoint.
pub(crate) fn is_left_over(folder: &Path) -> Result<bool> {
    if !folder.is_dir() || has_checkpoint(folder)? {
        return Ok(false);
    }
    for name in entries(folder)? {
        let path = folder.join(&name);
        let is_file = fs::metadata(&path).map_err(|e| Error::io("reading", &path, e))?.is_file();
        if !(is_unfinished(&name) && is_file && has_nothing_to_keep(&path, &name)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_nothing_to_keep(path: &Path, name: &str) -> Result<bool> {
    let whole = name.strip_suffix(PARTIAL).unwrap_or(name);
    if whole == CHECKPOINT {
        let mut start = Vec::new();
        let read = open_regular(path)?.take(CHECKSUM_START.len() as u64).read_to_end(&mut start);
        read.map_err(|e| Error::io("reading", path, e))?;
        return Ok(CHECKSUM_START.as_bytes().starts_with(&start));
    }
    match LogFormat::of_file(whole) {
        Ok(format) => is_without_rows(path, format),
        // Other files are written at the end of a run, which has a checkpoint until then.
        Err(_) => Ok(true),
    }
}

/// Returns `name` with `_` for every character except ASCII letters, digits and `-`.
#[must_use]
pub fn plain_name(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_")
}

pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let (path, partial) = (folder.join(name), folder.join(format!("{name}{PARTIAL}")));
    let failed = |e| Error::io("writing", &path, e);
    let mut file = File::create(&partial).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&partial, &path).map_err(failed)
}

/// Returns true if `path` exists. An inaccessible path is an error, since it might be overwritten.
pub fn exists(path: &Path) -> Result<bool> {
    path.try_exists().map_err(|e| Error::io("looking for", path, e))
}

/// Output folder of a run, locked while the run writes files in it.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Folders that were created for the run, the deepest first.
    created: Vec<PathBuf>,
    /// True if the folder has files of an earlier run, which must not be lost.
    resumed: bool,
    _lock: Option<File>,
}

impl RunFolder {
    /// Creates or opens the folder of a new run, and locks it; fails if it contains data to keep.
    pub fn create(path: &Path) -> Result<RunFolder> {
        let folder = RunFolder::lock(path)?;
        if folder.resumed { Err(Error::Exists { path: path.to_owned() }) } else { Ok(folder) }
    }

    /// Creates a run's folder if missing, and locks the folder against other processes.
    pub fn lock(path: &Path) -> Result<RunFolder> {
        if exists(path)? && !path.is_dir() {
            return Err(Error::Exists { path: path.to_owned() });
        }
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let created = path.ancestors().take_while(missing).map(Path::to_owned).collect();
        let lock = loop {
            fs::create_dir_all(path).map_err(|e| Error::io("creating", path, e))?;
            let lock = lock(path)?;
            // A process that kept nothing has removed the folder before it released the lock.
            if path.is_dir() {
                break lock;
            }
        };
        let resumed = !is_left_over(path)?;
        Ok(RunFolder { path: path.to_owned(), created, resumed, _lock: lock })
    }

    /// Returns true if the run's folder held files of an earlier run when it was opened.
    #[must_use]
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Removes the earlier run's checkpoint and unfinished files, so that a new run can replace it.
    #[must_use]
    pub fn replaced(self) -> RunFolder {
        remove_checkpoint(&self.path);
        remove_unfinished(&self.path);
        RunFolder { resumed: false, ..self }
    }

    /// Creates the first of the run folders `base-001`, `base-002`, ... that does not exist.
    pub fn create_fresh(base: &Path) -> Result<RunFolder> {
        for number in 1u32.. {
            let mut name = base.as_os_str().to_owned();
            name.push(format!("-{number:03}"));
            let path = Path::new(&name);
            // An empty folder may belong to another run that has just started. `exists` would not
            // detect a dangling link.
            if path.symlink_metadata().is_err() {
                match RunFolder::create(path) {
                    Err(_) if path.exists() => {}
                    opened => return opened,
                }
            }
        }
        Err(Error::Exists { path: base.to_owned() })
    }

    /// Returns the path of the run's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path under which the run's file `name` is written until it is finished.
    #[must_use]
    pub fn partial(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{PARTIAL}"))
    }

    /// Returns the present path of the run's file `name`: the `.partial` file or the finished file.
    pub fn current(&self, name: &str) -> Result<PathBuf> {
        let partial = self.partial(name);
        Ok(if exists(&partial)? { partial } else { self.path.join(name) })
    }

    /// Opens and locks the folder of a run that is to be resumed.
    pub fn existing(path: &Path) -> Result<RunFolder> {
        let lock = lock(path)?;
        Ok(RunFolder { path: path.to_owned(), created: Vec::new(), resumed: true, _lock: lock })
    }

    /// Renames the finished file `name` of a run to its `.partial` name, to continue the file.
    pub fn reopen(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        if exists(&self.partial(name))? || !exists(&path)? {
            return Ok(());
        }
        fs::rename(&path, self.partial(name)).map_err(|e| Error::io("reopening", &path, e))
    }

    /// Renames the run's file `name` from its `.partial` to its final name, and returns its path.
    pub fn finish(&self, name: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        if is_in_parts(&path) {
            // A file can't replace a folder: the table of an earlier run is removed first.
            remove_table(&path).map_err(|e| Error::io("replacing", &path, e))?;
        }
        fs::rename(self.partial(name), &path).map_err(|e| Error::io("finishing", &path, e))?;
        Ok(path)
    }

    /// Writes the run's file `name` atomically: readers see either the old or the new file.
    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        put(&self.path, name, bytes.as_ref())
    }

    /// Removes the files named in `earlier` but not in `written` from the run's folder.
    pub fn remove_others(&self, earlier: &[String], written: &[String]) {
        for name in earlier.iter().filter(|name| !written.contains(name)) {
            let _ = remove_table(&self.path.join(name));
        }
    }

    /// Checks that no folder has the name `name` of a file that the run will write.
    pub fn refuse_folder(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        if path.is_dir() && !is_in_parts(&path) { Err(Error::Exists { path }) } else { Ok(()) }
    }

    /// Removes the files and the folder of a failed copy of a run; the folder and its checkpoint
    /// stay if a file can't be removed.
    pub fn discard_copy(self, tables: &[String]) {
        if self.resumed {
            return;
        }
        let beside = ["datapackage.json", "run.json"].map(str::to_owned);
        let remains = |name: &String| {
            let path = self.path.join(name);
            remove_table(&path).is_err() && path.exists()
        };
        // Every removal is tried, even if an earlier one fails.
        if tables.iter().chain(&beside).filter(|name| remains(name)).count() == 0 {
            self.discard();
        }
    }

    /// Removes a new run's unfinished files and folders; a folder of an earlier run stays as it is.
    pub fn discard(self) {
        if self.resumed {
            return;
        }
        remove_unfinished(&self.path);
        remove_checkpoint(&self.path);
        for folder in self.created {
            // Only empty folders are removed: other programs' files stay.
            let _ = fs::remove_dir(folder);
        }
    }
}

pub(crate) fn is_locked(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Locks a folder; `None` if the file system has no locks. Retries for `LOCK_PATIENCE`, since a
/// starting process may briefly hold a released lock.
fn lock(folder: &Path) -> Result<Option<File>> {
    // The folder itself is locked, so that no file has to be left in it. The system releases the
    // lock when the process ends.
    let Ok(file) = File::open(folder) else { return Ok(None) };
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_PATIENCE => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Config(format!(
                    "another process writes in {}: wait for it, or stop it",
                    folder.display()
                )));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Returns true if `name` is a single path component on every system, without control characters.
pub(crate) fn is_plain_file_name(name: &str) -> bool {
    let is_barred = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
    !matches!(name, "" | "." | "..") && !name.contains(is_barred)
}

/// Checks that `name`, an entry of the file `list`, is a plain file name without a path.
pub fn check_listed_name(list: &Path, name: &str) -> Result<()> {
    if is_plain_file_name(name) { Ok(()) } else { Err(refused(list, &quoted(name))) }
}

fn refused(list: &Path, name: &str) -> Error {
    Error::Config(format!(
        "{} lists '{name}', which is no plain file name: restore it from a copy",
        list.display()
    ))
}

/// Checks all file names in `content`, read from the manifest, checkpoint or data package `list`.
pub fn check_listed_names(list: &Path, content: &Value) -> Result<()> {
    for (entries, key) in [("files", "name"), ("tables", "name"), ("resources", "path")] {
        let lists = [&content[entries], &content["state"][entries]].map(Value::as_array);
        for entry in lists.into_iter().flatten().flatten() {
            // The checkpoint of a copy lists only names.
            let name = if entry.is_object() { &entry[key] } else { entry };
            let parts = entry["parts"].as_array().into_iter().flatten();
            let names: Vec<&Value> = match name {
                // A table in parts has a list of paths.
                Value::Array(paths) if entries == "resources" => paths.iter().collect(),
                name => iter::once(name).chain(parts.map(|part| &part["name"])).collect(),
            };
            for name in names {
                match name.as_str() {
                    // Parts of a table, and tables of a data set, lie in folders within its folder.
                    Some(path)
                        if entries == "resources" && path.split('/').all(is_plain_file_name) => {}
                    Some(name) => check_listed_name(list, name)?,
                    None => return Err(refused(list, &quoted(&name.to_string()))),
                }
            }
        }
    }
    Ok(())
}

pub(crate) fn open_regular(path: &Path) -> Result<File> {
    files::open_regular(path).map_err(|e| Error::io("reading", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_folder_is_taken_once_and_only_when_nothing_is_in_it() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let first = RunFolder::create(&path).unwrap();
        for second in [RunFolder::create(&path), RunFolder::existing(&path)] {
            assert!(second.unwrap_err().to_string().contains("another process writes in"));
        }
        drop(first);
        RunFolder::existing(&path).unwrap();
        fs::write(path.join("games.csv.partial"), "left by a kill").unwrap();
        RunFolder::create(&path).unwrap();
        fs::write(path.join("mine.txt"), "kept").unwrap();
        assert!(matches!(RunFolder::create(&path), Err(Error::Exists { .. })));
        RunFolder::lock(&path).unwrap().replaced().discard();
        assert!(path.join("mine.txt").exists());
    }

    #[test]
    fn what_a_kill_before_the_first_checkpoint_leaves_is_known_by_what_it_holds() {
        let parent = tempfile::tempdir().unwrap();
        let left_over = |name: &str, bytes: &[u8]| {
            let path = parent.path().join("run");
            fs::create_dir(&path).unwrap();
            fs::write(path.join(name), bytes).unwrap();
            let found = is_left_over(&path).unwrap();
            fs::remove_dir_all(path).unwrap();
            found
        };
        let sealed = crate::record::write_checksum(&"1".repeat(300_000));
        for end in [0, 5, 20, 100_000, sealed.len()] {
            assert!(left_over("checkpoint.json.partial", &sealed.as_bytes()[..end]), "{end} bytes");
        }
        assert!(!left_over("checkpoint.json.partial", b"my notes"));
        assert!(!left_over("checkpoint.json", sealed.as_bytes()));
        let header = "column,".repeat(4000) + "\n";
        let gz = LogFormat::CsvGz;
        for (format, packed) in [
            (LogFormat::Csv, header.clone().into_bytes()),
            (gz, gz.begin(&[]).unwrap()),
            (LogFormat::Parquet, Vec::new()),
        ] {
            assert!(left_over(&format!("games.{format}.partial"), &packed), "{format}");
        }
        assert!(!left_over("games.csv.partial", (header + "1\n").as_bytes()));
        assert!(!left_over("games.csv.gz.partial", &gz.compress(b"a\n1\n".to_vec()).unwrap()));
        assert!(!left_over("games.parquet.partial", b"PAR1"));
    }

    #[test]
    fn fresh_folders_count_up_and_discard_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let base = parent.path().join("runs/bcts");
        let first = RunFolder::create_fresh(&base).unwrap();
        let second = RunFolder::create_fresh(&base).unwrap();
        assert!(first.path().ends_with("bcts-001") && second.path().ends_with("bcts-002"));
        first.discard();
        assert!(
            base.with_file_name("bcts-002").exists() && !base.with_file_name("bcts-001").exists()
        );
        second.discard();
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1, "the parent made first stays");
        let deep = parent.path().join("a/b/c");
        RunFolder::create(&deep).unwrap().discard();
        assert!(!parent.path().join("a").exists());
    }

    #[test]
    fn a_file_in_the_way_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("file");
        fs::write(&path, "").unwrap();
        assert!(matches!(RunFolder::create(&path), Err(Error::Exists { .. })));
    }

    #[test]
    fn a_listed_name_cannot_lead_out_of_its_folder() {
        for name in
            ["games.csv", "placements.csv.zst", "001-bcts-10x10-uniform-greedy-s1", "...", "é"]
        {
            assert!(is_plain_file_name(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "/",
            "../x",
            "a/b",
            "/etc/passwd",
            "a\\b",
            "..\\x",
            "C:x",
            "C:\\x",
            "x:stream",
            "a\0b",
            "a\nb",
            "\u{1b}[31m",
            "\u{7f}",
            "\u{85}",
        ] {
            assert!(!is_plain_file_name(name), "{name:?}");
        }
    }

    #[test]
    fn names_are_checked_in_every_list() {
        let check = |content: Value| check_listed_names(Path::new("d/run.json"), &content);
        let plain = json!({
            "files": [{ "name": "games.csv" }], "tables": [{ "name": "games.csv" }],
            "resources": [{ "path": "games.csv" }],
        });
        check(plain).unwrap();
        check(json!({ "state": { "files": ["games.csv"] } })).unwrap();
        check(json!({ "resources": [{ "path": "placements/queue=bag/part-1.parquet" }] })).unwrap();
        check(json!({ "resources": [{ "path": ["p.parquet/part-1.parquet"] }] })).unwrap();
        check(json!([1])).unwrap();
        for content in [
            json!({ "files": [{ "name": "games.csv" }, { "name": "../x" }] }),
            json!({ "state": { "files": ["../x"] } }),
            json!({ "files": [{ "rows": 1 }] }),
            json!({ "tables": [{ "name": "/x" }] }),
            json!({ "files": [{ "name": ["games.csv"] }] }),
            json!({ "files": [{ "name": "p.parquet", "parts": [{ "name": "../x" }] }] }),
            json!({ "files": [{ "name": "p.parquet", "parts": [{ "rows": 1 }] }] }),
            json!({ "resources": [{ "path": ["p.parquet/part-1.parquet", "../x"] }] }),
            json!({ "resources": [{ "path": [["games.csv"]] }] }),
            json!({ "resources": [{ "path": "placements/../../x" }] }),
            json!({ "resources": [{ "path": "/etc/passwd" }] }),
        ] {
            let message = check(content.clone()).unwrap_err().to_string();
            assert!(
                message.starts_with("d/run.json lists '") && message.contains("restore"),
                "{message}"
            );
        }
    }
}
