//! Output files at paths that the user names, and tables in parts.
//!
//! A file is written under a fresh temporary name beside its target, synced and renamed: readers
//! find the complete file or none, and two commands never mix their bytes.
//!
//! | at the target | without `--force` | with `--force` |
//! |---|---|---|
//! | nothing | created | created |
//! | a regular file | refused | replaced |
//! | a symbolic link | refused | the file that it points to is replaced; the link stays |
//! | a character device, a fifo, `/dev/stdout` | written into | written into |
//! | a directory, a block device, a socket | refused | refused |

use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};

use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile, TempDir};

use crate::error::setting::FORCE;
use crate::prelude::*;
use crate::record::PARTIAL;
use crate::record::folder::data_package::resources;
use crate::record::folder::entries;
use crate::record::folder::manifest::{read_manifest, tables_of, write_manifest};
use crate::record::formats::blocks::{hexadecimal, sha256_of};

const MOST_LINKS: usize = 40;
/// Maximum length, in bytes, of a file name that is repeated in a temporary file's name.
const LONGEST_NAME: usize = 200;

#[derive(Debug)]
enum Target {
    New(PathBuf),
    Replaced(PathBuf, Option<Permissions>),
    Stream(PathBuf),
}

/// Output file at a path that the user named, with a temporary name until it is complete.
#[derive(Debug)]
pub struct OutputFile {
    target: Target,
    temporary: NamedTempFile,
}

impl OutputFile {
    /// Checks `path` and creates an output's temporary file. `force` allows replacing a file.
    pub fn create(path: &Path, force: bool) -> Result<OutputFile> {
        let target = Target::check(path, force)?;
        let folder = match &target {
            Target::New(path) | Target::Replaced(path, _) => parent(path).to_owned(),
            Target::Stream(_) => std::env::temp_dir(),
        };
        let temporary = temporary(path, FILE_MODE, |builder| builder.tempfile_in(&folder));
        let temporary = temporary.map_err(|e| Error::io("writing", path, e))?;
        Ok(OutputFile { target, temporary })
    }

    /// Returns the path of the temporary file, into which the output is to be written.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Renames the complete output file to its target, or copies it into a device or fifo.
    pub fn finish(self) -> Result<Written> {
        let OutputFile { target, temporary } = self;
        let (path, replaced) = match target {
            Target::Stream(path) => {
                let failed = |e| Error::io("writing", &path, e);
                let mut from = File::open(temporary.path()).map_err(failed)?;
                io::copy(&mut from, &mut stream(&path).map_err(failed)?).map_err(failed)?;
                return Ok(Written::Stream);
            }
            Target::New(path) => (path, None),
            Target::Replaced(path, permissions) => (path, Some(permissions)),
        };
        let failed = |e| Error::io("writing", &path, e);
        temporary.as_file().sync_all().map_err(failed)?;
        match replaced {
            None => {
                temporary.persist_noclobber(&path).map_err(|error| match error.error.kind() {
                    ErrorKind::AlreadyExists => exists_error(&path),
                    _ => failed(error.error),
                })?
            }
            Some(permissions) => {
                if let Some(permissions) = permissions {
                    temporary.as_file().set_permissions(permissions).map_err(failed)?;
                }
                temporary.persist(&path).map_err(|error| failed(error.error))?
            }
        };
        Ok(Written::File)
    }
}

/// Kind of target to which an output was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Target that is a regular file.
    File,
    /// Target that is a device, a fifo or a stream such as `/dev/stdout`. Nothing else may be
    /// written there.
    Stream,
}

/// Writes `bytes` as a complete output file at `path`. `force` allows replacing a regular file.
pub fn write_output(path: &Path, bytes: &[u8], force: bool) -> Result<Written> {
    let failed = |e| Error::io("writing", path, e);
    // Streams are written directly, so that no temporary folder is needed.
    if let Target::Stream(path) = Target::check(path, force)? {
        stream(&path).and_then(|mut to| to.write_all(bytes)).map_err(failed)?;
        return Ok(Written::Stream);
    }
    let file = OutputFile::create(path, force)?;
    file.temporary.as_file().write_all(bytes).map_err(failed)?;
    file.finish()
}

/// Checks that an output may be written to `path`, before any work is done for the output.
pub fn check_output(path: &Path, force: bool) -> Result<()> {
    Target::check(path, force).map(|_| ())
}

/// Output folder that has a temporary name until complete, and is removed if dropped before.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    temporary: TempDir,
}

impl OutputFolder {
    /// Creates an output folder with a temporary name beside `path`, and the parents of `path`.
    pub fn create(path: &Path) -> Result<OutputFolder> {
        let failed = |e| Error::io("creating", path, e);
        match path.symlink_metadata() {
            Ok(_) => return Err(folder_exists_error(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io("looking for", path, error)),
        }
        fs::create_dir_all(parent(path)).map_err(failed)?;
        let temporary = temporary(path, FOLDER_MODE, |builder| builder.tempdir_in(parent(path)));
        Ok(OutputFolder { path: path.to_owned(), temporary: temporary.map_err(failed)? })
    }

    /// Returns the path of the temporary folder, in which the output files are to be written.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Renames the complete output folder to its final path.
    pub fn finish(self) -> Result<()> {
        let OutputFolder { path, temporary } = self;
        match fs::rename(temporary.path(), &path) {
            Ok(()) => {
                // The folder no longer exists under its temporary name, so it must not be removed.
                let _ = temporary.keep();
                Ok(())
            }
            Err(_) if path.symlink_metadata().is_ok() => Err(folder_exists_error(&path)),
            Err(error) => Err(Error::io("finishing", &path, error)),
        }
    }
}

impl Target {
    fn check(path: &Path, force: bool) -> Result<Target> {
        let failed = |e| Error::io("looking for", path, e);
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // With `force`, a file that another process creates meanwhile is replaced as well.
                let path = path.to_owned();
                return Ok(if force { Target::Replaced(path, None) } else { Target::New(path) });
            }
            Err(error) => return Err(failed(error)),
            Ok(_) => {}
        }
        let place = resolve_links(path)?;
        let found = match fs::metadata(path) {
            Ok(found) => Some(found),
            // A dangling link has no metadata.
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let refuse = |what: &str| {
            Err(Error::Config(format!("{} is {what}: choose another name", path.display())))
        };
        match found {
            Some(found) if found.is_dir() => refuse("a folder"),
            Some(found) if place.is_none() || takes_bytes(&found) => {
                Ok(Target::Stream(path.to_owned()))
            }
            Some(found) if !found.is_file() => refuse("no regular file"),
            _ if !force => Err(exists_error(path)),
            found => {
                let place = place.unwrap_or_else(|| path.to_owned());
                Ok(Target::Replaced(place, found.map(|found| found.permissions())))
            }
        }
    }
}

/// Returns the file to which a path's symbolic links lead; `None` for streams (`/dev/stdout`).
fn resolve_links(path: &Path) -> Result<Option<PathBuf>> {
    let failed = |e| Error::io("following", path, e);
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        match place.symlink_metadata() {
            Ok(found) if found.is_symlink() => {}
            // The file at the end of the links is replaced or created.
            _ => return Ok(Some(place)),
        }
        let folder = parent(&place).canonicalize().map_err(failed)?;
        if folder.starts_with("/proc") {
            return Ok(None);
        }
        let next = fs::read_link(&place).map_err(failed)?;
        place = folder.join(next);
    }
    let text = format!("{} leads through more than {MOST_LINKS} links", path.display());
    Err(Error::Config(format!("{text}: choose another name")))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

fn exists_error(path: &Path) -> Error {
    let path = path.display();
    Error::Config(format!("{path} exists already: choose another name, or give {FORCE}"))
}

fn folder_exists_error(path: &Path) -> Error {
    Error::Config(format!("{} exists already: name a new folder", path.display()))
}

fn stream(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

#[cfg(unix)]
fn takes_bytes(found: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    kind.is_char_device() || kind.is_fifo()
}

#[cfg(not(unix))]
fn takes_bytes(_: &Metadata) -> bool {
    false
}

/// Permissions of new files and folders before the umask of the process applies.
const FILE_MODE: u32 = 0o666;
const FOLDER_MODE: u32 = 0o777;

fn temporary<T>(
    path: &Path,
    mode: u32,
    make: impl FnOnce(&Builder<'_, '_>) -> io::Result<T>,
) -> io::Result<T> {
    let name = path.file_name().unwrap_or_default();
    let mut prefix = if name.len() > LONGEST_NAME { "output".into() } else { name.to_owned() };
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(PARTIAL);
    // Temporary files are private by default, so the usual permissions are set.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    make(&builder)
}

const PART_PREFIX: &str = "part-";

/// Part of a table in a manifest: one of the files into which the table is divided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Name of the part's file in the table's folder.
    pub name: String,
    /// Number of rows in the part.
    pub rows: u64,
    /// Size of the part's file in bytes.
    pub bytes: u64,
    /// SHA-256 of the part's file, hexadecimal.
    pub sha256: String,
}

impl PartEntry {
    pub(crate) fn new(number: u64, count: u64, file: &FileEntry) -> PartEntry {
        let name = part_name(number, count);
        PartEntry { name, rows: file.rows, bytes: file.bytes, sha256: file.sha256.clone() }
    }
}

/// Returns the file name of a table's part `number` (from 1) of `count`; names sort by number.
#[must_use]
pub fn part_name(number: u64, count: u64) -> String {
    let digits = count.to_string().len().max(5);
    format!("{PART_PREFIX}{number:0digits$}.{}", LogFormat::Parquet)
}

fn is_part(name: &str) -> bool {
    let whole = name.strip_suffix(PARTIAL).unwrap_or(name);
    whole.starts_with(PART_PREFIX)
        && LogFormat::of_file(whole).is_ok_and(|format| format == LogFormat::Parquet)
}

/// Returns true if `path` is a Parquet table's folder that contains only the table's parts.
#[must_use]
pub fn is_in_parts(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let whole = name.strip_suffix(PARTIAL).unwrap_or(&name);
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    LogFormat::of_file(whole).is_ok_and(|format| format == LogFormat::Parquet)
        && is_folder
        && entries(path).is_ok_and(|names| names.iter().all(|name| is_part(name)))
}

pub(crate) fn table_files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut names = entries(path)?;
    names.retain(|name| is_part(name) && !name.ends_with(PARTIAL));
    if names.is_empty() {
        let text = format!("{} holds no {PART_PREFIX}*.parquet: restore it", path.display());
        return Err(Error::Config(text));
    }
    Ok(names.iter().map(|name| path.join(name)).collect())
}

pub(crate) fn sha256_of_table(path: &Path) -> Result<String> {
    if !path.is_dir() {
        return sha256_of(path);
    }
    let sum = |file: PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((sha256_of(&file)?, name))
    };
    let sums = table_files(path)?.into_iter().map(sum).collect::<Result<Vec<_>>>()?;
    Ok(sha256_of_sums(sums.iter().map(|(sum, name)| (&**sum, &**name))))
}

pub(crate) fn sha256_of_sums<'a>(sums: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut hash = Sha256::new();
    sums.for_each(|(sum, name)| hash.update(format!("{sum}  {name}\n")));
    hexadecimal(hash)
}

/// Removes a table's file or its folder of parts; fails if the folder contains other files.
pub(crate) fn remove_table(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    for name in entries(path).unwrap_or_default().iter().filter(|name| is_part(name)) {
        fs::remove_file(path.join(name))?;
    }
    fs::remove_dir(path)
}

/// Writes a run's `datapackage.json` and `run.json`, and removes an earlier run's tables.
pub fn publish(
    folder: &RunFolder,
    manifest: &impl Serialize,
    mut package: Value,
    files: &[FileEntry],
) -> Result<()> {
    // A training also lists its controller's files, which are no tables.
    let tables: Vec<_> = files.iter().filter(|file| !file.columns.is_empty()).cloned().collect();
    package["resources"] = resources(&tables);
    let earlier = earlier_files(folder, &tables);
    write_manifest(folder, "run.json", manifest, Some(&package))?;
    // Files of an earlier run are removed only now: before, they are the only complete ones.
    folder.remove_others(&earlier, &files.iter().map(|file| file.name.clone()).collect::<Vec<_>>());
    Ok(())
}

fn earlier_files(folder: &RunFolder, files: &[FileEntry]) -> Vec<String> {
    let manifest = read_manifest::<Value>(&folder.path().join("run.json"));
    let of_table =
        |file: &FileEntry| LogFormat::ALL.map(|format| TableSpec::name(file.table(), format));
    let mut names = manifest.map_or_else(|_| Vec::new(), |manifest| tables_of(&manifest));
    // Only tables are listed, since the listed files will be removed.
    names.retain(|name| LogFormat::of_file(name).is_ok());
    names.extend(files.iter().flat_map(of_table));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_regular_file_is_replaced_only_with_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svg");
        assert_eq!(write_output(&path, b"one", false).unwrap(), Written::File);
        let refusal = write_output(&path, b"two", false).unwrap_err().to_string();
        assert!(refusal.contains("exists already"), "{refusal}");
        assert_eq!(read(&path), "one");
        write_output(&path, b"two", true).unwrap();
        assert_eq!(read(&path), "two");
        assert!(write_output(folder.path(), b"three", true).is_err());
        assert_eq!(names(folder.path()), ["a.svg"]);
    }

    #[test]
    fn of_two_writers_of_one_new_file_exactly_one_wins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        // Both check the target before either of them is finished.
        let two = ["one", "two"].map(|text| {
            let file = OutputFile::create(&path, false).unwrap();
            fs::write(file.path(), text).unwrap();
            file
        });
        let [first, second] = two.map(OutputFile::finish);
        assert_eq!(first.unwrap(), Written::File);
        assert!(second.unwrap_err().to_string().contains("exists already"));
        assert_eq!(read(&path), "one");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn what_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let name = "x".repeat(250);
        drop(OutputFile::create(&folder.path().join(name), false).unwrap());
        drop(OutputFolder::create(&folder.path().join("tables")).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_folder_appears_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/tables");
        let [first, second] = [(); 2].map(|()| OutputFolder::create(&path).unwrap());
        fs::write(first.path().join("a.csv"), "a").unwrap();
        fs::write(second.path().join("b.csv"), "b").unwrap();
        first.finish().unwrap();
        assert!(second.finish().unwrap_err().to_string().contains("exists already"));
        assert_eq!(names(&path), ["a.csv"]);
        assert_eq!(names(&folder.path().join("deep")), ["tables"]);
        assert!(OutputFolder::create(&path).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_what_it_points_to_is_replaced_with_force() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far")).unwrap();
        fs::write(at("far/file"), "old").unwrap();
        symlink("far/file", at("near")).unwrap();
        symlink("near", at("link")).unwrap();
        symlink("far/missing", at("nowhere")).unwrap();
        symlink("loop", at("loop")).unwrap();
        assert!(write_output(&at("link"), b"new", false).is_err());
        assert!(write_output(&at("nowhere"), b"new", false).is_err());
        write_output(&at("link"), b"new", true).unwrap();
        write_output(&at("nowhere"), b"new", true).unwrap();
        assert!(write_output(&at("loop"), b"new", true).is_err());
        assert_eq!([read(&at("far/file")), read(&at("far/missing"))], ["new", "new"]);
        assert!(at("link").symlink_metadata().unwrap().is_symlink());
        assert_eq!(names(folder.path()), ["far", "link", "loop", "near", "nowhere"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_readable_as_any_other_and_a_replaced_one_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [path, plain] = ["a", "b"].map(|name| folder.path().join(name));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        write_output(&path, b"", false).unwrap();
        fs::write(&plain, "").unwrap();
        assert_eq!(mode(&path), mode(&plain));
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        write_output(&path, b"", true).unwrap();
        assert_eq!(mode(&path), 0o640);
    }

    #[test]
    fn names_of_parts_sort_by_their_numbers() {
        assert_eq!(part_name(7, 12), "part-00007.parquet");
        assert!(part_name(99_999, 100_000) < part_name(100_000, 100_000));
        assert!(is_part("part-00007.parquet.partial") && !is_part("part-1.csv"));
    }

    #[test]
    fn only_parts_are_removed_with_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("placements.parquet");
        fs::create_dir(&table).unwrap();
        for name in ["part-00001.parquet", "part-00002.parquet.partial"] {
            fs::write(table.join(name), "x").unwrap();
        }
        assert!(is_in_parts(&table));
        assert_eq!(table_files(&table).unwrap(), [table.join("part-00001.parquet")]);
        fs::write(table.join("mine.txt"), "kept").unwrap();
        assert!(!is_in_parts(&table) && remove_table(&table).is_err());
        assert_eq!(entries(&table).unwrap(), ["mine.txt"]);
        assert!(table_files(&table).is_err());
        fs::remove_file(table.join("mine.txt")).unwrap();
        remove_table(&table).unwrap();
        assert!(!table.exists());
    }
}
