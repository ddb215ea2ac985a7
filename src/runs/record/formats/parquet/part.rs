//! Beginning of an unfinished file, read as if the file were finished there.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::Result as Parquet;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::reader::{ChunkReader, Length};

use super::footer::{bytes_at, footer, footer_start};
use crate::error::{Error, Result};
use crate::files::open_given;
use crate::record::Column;

/// First `length` bytes of a Parquet file, followed by a footer for them that is not in the file.
/// The footer is empty if the file is finished.
#[derive(Clone)]
pub(super) struct Part {
    file: Arc<File>,
    length: u64,
    footer: Bytes,
}

/// Reads the column names of the last block (a row group with its own footer) in the first `length`
/// bytes. Returns an empty list if there is no block.
pub(super) fn names(file: &File, length: u64) -> Parquet<Vec<String>> {
    if length == 0 {
        return Ok(Vec::new());
    }
    let start = footer_start(file, length)?;
    let block = bytes_at(file, start, length - 8 - start)?;
    let block = ParquetMetaDataReader::decode_metadata(&block)?;
    let fields = block.file_metadata().schema().get_fields();
    Ok(fields.iter().map(|field| field.name().to_owned()).collect())
}

impl Part {
    /// Opens a finished file.
    pub(super) fn whole(path: &Path) -> Result<Part> {
        let failed = |e| Error::io("reading", path, e);
        let file = open_given(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Ok(Part { file: Arc::new(file), length, footer: Bytes::new() })
    }

    /// Opens the first `length` bytes of an unfinished file and computes the footer of their
    /// blocks.
    pub(super) fn of(path: &Path, columns: &[Column], length: u64) -> Result<Part> {
        let file = open_given(path).map_err(|e| Error::io("reading", path, e))?;
        let footer = Bytes::from(footer(path, &file, columns, length)?);
        Ok(Part { file: Arc::new(file), length, footer })
    }
}

impl Length for Part {
    fn len(&self) -> u64 {
        self.length + self.footer.len() as u64
    }
}

impl ChunkReader for Part {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Parquet<Box<dyn Read>> {
        let behind = start.saturating_sub(self.length).min(self.footer.len() as u64);
        let footer = Cursor::new(self.footer.slice(behind as usize..));
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let file = BufReader::new(file.take(self.length.saturating_sub(start)));
        Ok(Box::new(file.chain(footer)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parquet<Bytes> {
        let mut bytes = Vec::new();
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(super::damaged());
        }
        Ok(bytes.into())
    }
}
