//! A run's output folder: opened before the work starts, finished by renaming.

pub(crate) mod checksum;
pub(crate) mod data_package;
pub(crate) mod differences;
pub(crate) mod finish;
pub(crate) mod listed;
pub(crate) mod manifest;
pub(crate) mod merge;
pub(crate) mod output_file;
pub(crate) mod resume_point;
pub(crate) mod shard;
pub(crate) mod shell;
pub(crate) mod utc_time;
pub(crate) mod verify;

use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::record::LogFormat;
use crate::record::folder::checksum::CHECKSUM_START;
use crate::record::folder::listed::open_regular;
use crate::record::formats::format::is_without_rows;

/// Suffix of files that are not finished.
pub const PARTIAL: &str = ".partial";

/// Time for which a lock that another process holds is tried again.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// The file of the state that a run goes on from.
pub const CHECKPOINT: &str = "checkpoint.json";

/// Files that stand beside the tables of a run or a training, whatever is played.
const BESIDE_TABLES: [&str; 5] =
    [CHECKPOINT, "run.json", "train.json", "datapackage.json", "controller.toml"];

/// Whether a file's name is that of one that is being written: a table of any game, or what stands beside tables.
fn is_unfinished(name: &str) -> bool {
    let whole = name.strip_suffix(PARTIAL);
    whole.is_some_and(|name| BESIDE_TABLES.contains(&name) || LogFormat::of_file(name).is_ok())
}

/// Removes what was being written in a folder and will not be finished.
pub fn remove_unfinished(folder: &Path) {
    for name in entries(folder).unwrap_or_default().iter().filter(|name| is_unfinished(name)) {
        let _ = fs::remove_file(folder.join(name));
    }
}

/// Whether a folder has a checkpoint of any kind.
///
/// # Errors
/// As [`exists`].
pub fn has_checkpoint(folder: &Path) -> Result<bool> {
    exists(&folder.join(CHECKPOINT))
}

/// Removes the checkpoint of a folder, of any kind.
pub fn remove_checkpoint(folder: &Path) {
    let _ = fs::remove_file(folder.join(CHECKPOINT));
    let _ = fs::remove_file(folder.join(format!("{CHECKPOINT}{PARTIAL}")));
}

/// Returns the names of what a folder holds, in order.
///
/// # Errors
/// [`Error::Io`] if it can't be read.
pub fn entries(folder: &Path) -> Result<Vec<String>> {
    let failed = |e| Error::io("reading", folder, e);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Returns true if a folder is empty or holds only what a kill before the first checkpoint leaves: unfinished tables
/// without rows, and the beginning of that checkpoint. A person's games have rows but no checkpoint.
///
/// # Errors
/// [`Error::Io`] if it can't be read.
pub fn is_left_over(folder: &Path) -> Result<bool> {
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

/// Returns true if an unfinished file holds no played games. A run writes its first checkpoint before its first row.
/// The size proves nothing: a checkpoint may be as large as the run's controller or script.
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

/// A folder's name without characters that a shell or a file system takes amiss.
#[must_use]
pub fn plain_name(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_")
}

/// Writes a complete file into a locked folder: under its partial name, synced to disk and renamed. Readers see the old
/// file or the new one, never half of one.
pub(crate) fn put(folder: &Path, name: &str, text: &str) -> Result<()> {
    let (path, partial) = (folder.join(name), folder.join(format!("{name}{PARTIAL}")));
    let failed = |e| Error::io("writing", &path, e);
    let mut file = File::create(&partial).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&partial, &path).map_err(failed)
}

/// Whether something is at a path. What can't be looked at is not taken for missing: it would be written over.
///
/// # Errors
/// [`Error::Io`] when that can't be known.
pub fn exists(path: &Path) -> Result<bool> {
    path.try_exists().map_err(|e| Error::io("looking for", path, e))
}

/// An output folder.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Folders that did not exist before, deepest first.
    created: Vec<PathBuf>,
    /// Whether an earlier part of the run is in it, which must not be lost.
    resumed: bool,
    /// Held while the folder is written in; a file system without locks has none.
    _lock: Option<File>,
}

impl RunFolder {
    /// Opens a folder for a new run, creating it and its parents. An empty one will do, and one that was
    /// left by a kill before there was anything to go on from.
    ///
    /// # Errors
    /// [`Error::Exists`] when something else is there, [`Error::Io`] when it can't be made,
    /// [`Error::Config`] when another process writes in it.
    pub fn create(path: &Path) -> Result<RunFolder> {
        if exists(path)? && !is_left_over(path)? {
            return Err(Error::Exists { path: path.to_owned() });
        }
        RunFolder::replace(path)
    }

    /// Opens a folder for a new run whose files take the places of those of an earlier one as they are
    /// finished; the caller has looked at what is there.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be made, [`Error::Config`] when another process writes in it.
    pub fn replace(path: &Path) -> Result<RunFolder> {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let created = path.ancestors().take_while(missing).map(Path::to_owned).collect();
        fs::create_dir_all(path).map_err(|e| Error::io("creating", path, e))?;
        let lock = lock(path)?;
        Ok(RunFolder { path: path.to_owned(), created, resumed: false, _lock: lock })
    }

    /// Opens the first of `base-001`, `base-002`, ... that does not exist yet.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be made.
    pub fn create_fresh(base: &Path) -> Result<RunFolder> {
        for number in 1u32.. {
            let mut name = base.as_os_str().to_owned();
            name.push(format!("-{number:03}"));
            let path = Path::new(&name);
            // An empty one may be another run's that has just been opened, now or a moment ago. Not by
            // `exists`, which would not see a link that leads nowhere.
            if path.symlink_metadata().is_err() {
                match RunFolder::create(path) {
                    Err(_) if path.exists() => {}
                    opened => return opened,
                }
            }
        }
        Err(Error::Exists { path: base.to_owned() })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file is written until it is finished.
    #[must_use]
    pub fn partial(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{PARTIAL}"))
    }

    /// Where a file is now: under its partial name while it is written, else under its own.
    ///
    /// # Errors
    /// As [`exists`].
    pub fn current(&self, name: &str) -> Result<PathBuf> {
        let partial = self.partial(name);
        Ok(if exists(&partial)? { partial } else { self.path.join(name) })
    }

    /// Opens the folder of a run that goes on.
    ///
    /// # Errors
    /// [`Error::Config`] when another process writes in it.
    pub fn existing(path: &Path) -> Result<RunFolder> {
        let lock = lock(path)?;
        Ok(RunFolder { path: path.to_owned(), created: Vec::new(), resumed: true, _lock: lock })
    }

    /// Takes a finished file's name away again, to go on writing it; an unfinished one stays.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be renamed.
    pub fn reopen(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        if exists(&self.partial(name))? || !exists(&path)? {
            return Ok(());
        }
        fs::rename(&path, self.partial(name)).map_err(|e| Error::io("reopening", &path, e))
    }

    /// Gives a finished file its name.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be renamed.
    pub fn finish(&self, name: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        fs::rename(self.partial(name), &path).map_err(|e| Error::io("finishing", &path, e))?;
        Ok(path)
    }

    /// Writes a whole file so that there is always a whole one.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be written.
    pub fn put(&self, name: &str, text: &str) -> Result<()> {
        put(&self.path, name, text)
    }

    /// Removes files that this run did not write, of an earlier one that it replaces.
    pub fn remove_others(&self, earlier: &[String], written: &[String]) {
        for name in earlier.iter().filter(|name| !written.contains(name)) {
            let _ = fs::remove_file(self.path.join(name));
        }
    }

    /// Makes sure that a file of this name can be finished.
    ///
    /// # Errors
    /// [`Error::Exists`] when a folder stands in its place.
    pub fn refuse_folder(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        if path.is_dir() { Err(Error::Exists { path }) } else { Ok(()) }
    }

    /// Removes the finished files of a failed copy and then acts as [`RunFolder::discard`], so that the same command
    /// starts again. If one of the `tables` can't be removed, the checkpoint stays, and the command starts from it.
    pub fn discard_copy(self, tables: &[String]) {
        if self.resumed {
            return;
        }
        let beside = ["datapackage.json", "run.json"].map(str::to_owned);
        let remains = |name: &String| {
            let path = self.path.join(name);
            fs::remove_file(&path).is_err() && path.exists()
        };
        // Every removal is tried, even if an earlier one fails.
        if tables.iter().chain(&beside).filter(|name| remains(name)).count() == 0 {
            self.discard();
        }
    }

    /// Undoes [`RunFolder::create`] after a run or a training that has nothing to keep.
    pub fn discard(self) {
        if self.resumed {
            return;
        }
        remove_unfinished(&self.path);
        remove_checkpoint(&self.path);
        for folder in self.created {
            // Removes only empty folders: what somebody put there in the meantime stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Locks `folder` against other processes, which would destroy each other's work. Returns `None` on
/// file systems without locks.
///
/// A process that another thread starts holds every open lock until its `exec`, so a lock that was
/// just released may look taken: the lock is tried for `LOCK_PATIENCE`.
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let again = RunFolder::replace(&path).unwrap();
        again.discard();
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
}
