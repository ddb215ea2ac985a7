//! Reads text files that users supply, up to a largest size, so that an endless file (`/dev/zero`)
//! fails at once instead of filling the memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, Result, quoted};

/// Maximum size of a file with a board picture, in bytes.
pub const BOARD: u64 = 64 << 10;
/// Maximum size of a controller file, in bytes; enough for a neural network of 300,000 bytes.
pub const CONTROLLER: u64 = 1 << 20;
/// Maximum size, in bytes, of a file of pattern tables (values for windows of board cells).
// 2^24 entries of two bytes, incompressible.
pub const PATTERNS: u64 = 34 << 20;
/// Maximum size of a settings file, in bytes: key bindings, rules, or options of a training.
pub const SETTINGS: u64 = 1 << 20;
/// Maximum size of a file with the pieces of a script queue, in bytes.
pub const SCRIPT: u64 = 1 << 20;
/// Maximum size, in bytes, of a file that describes a study (a comparison of settings).
pub const STUDY: u64 = 8 << 20;
/// Maximum size of a file with fumens (encoded board pictures), in bytes: a million pages.
pub const FUMENS: u64 = 64 << 20;
/// Maximum size, in bytes, of a JSON file of this program that it reads again, such as `run.json`.
pub const MANIFEST: u64 = 512 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a text file, and fails if the file has more than `max_bytes` bytes.
pub fn read_text(path: &Path, max_bytes: u64) -> Result<String> {
    let file = File::open(path).map_err(|e| Error::io("reading", path, e))?;
    read_limited(path, file, max_bytes)
}

/// Reads a regular file, and fails if the file has more than `max_bytes` bytes.
pub fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let file = open_given(path).map_err(|e| Error::io("reading", path, e))?;
    read_limited_bytes(path, file, max_bytes)
}

/// Reads the text of `reader` if it has at most `max_bytes` bytes, without a byte-order mark at its
/// start. Error messages name the file `name`.
pub fn read_limited(name: &Path, reader: impl Read, max_bytes: u64) -> Result<String> {
    // The size is checked before decoding, since the text may be cut within a character.
    let bytes = read_limited_bytes(name, reader, max_bytes)?;
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    let text = String::from_utf8(bytes).map_err(invalid);
    let mut text = text.map_err(|e| Error::io("reading", name, e))?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    Ok(text)
}

fn read_limited_bytes(name: &Path, reader: impl Read, max_bytes: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = reader.take(max_bytes + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::io("reading", name, e))?;
    if bytes.len() as u64 > max_bytes {
        return Err(Error::Config(format!(
            "{} has more than {max_bytes} bytes, the most that is read: check that it is the right \
             file",
            quoted(&name.to_string_lossy())
        )));
    }
    Ok(bytes)
}

/// Reads a JSON file that this program wrote earlier: a regular file of at most [`MANIFEST`] bytes.
pub fn read_written(path: &Path) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let size = file.metadata()?.len();
    if size > MANIFEST {
        let text = format!("it has {size} bytes, and at most {MANIFEST} are read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    let mut bytes = Vec::new();
    file.take(MANIFEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads all of a CSV table that this program wrote: a regular file of any size.
pub fn read_table(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open_regular(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Opens a regular file for reading, and fails for a folder, fifo or device.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_or(path, "it is no regular file: restore it from a copy")
}

/// Opens a file that the user named for reading, and fails for a folder, fifo or device.
pub fn open_given(path: &Path) -> io::Result<File> {
    open_or(path, "it is no regular file")
}

fn open_or(path: &Path, problem: &'static str) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, problem)),
    }
}
