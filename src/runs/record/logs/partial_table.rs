//! Positions of the tables of a resumed run; all tables are checked before one is changed.

use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::error::{Error, Result};
use crate::record::folder::checkpoint::start_anew;
use crate::record::folder::exists;
use crate::record::formats::blocks::{BlockFile, hash_of, hexadecimal};
use crate::record::{Column, Cursor, EncoderPool, LogFormat, RunFolder};

/// Table of a run to be resumed, whose bytes match the checkpoint. The file may contain further
/// bytes after the recorded position.
#[derive(Clone, Debug)]
pub struct PartialTable {
    pub(super) cursor: TableCursor,
    /// Hash of the bytes before the cursor.
    hash: Sha256,
}

/// Position in a table's file, as recorded in a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableCursor {
    /// File name of the table, without the suffix of unfinished files.
    pub name: String,
    /// Position in the file.
    #[serde(flatten)]
    pub cursor: Cursor,
    /// SHA-256 of the bytes before the position, hexadecimal.
    pub sha256: String,
}

impl PartialTable {
    /// Checks a table of a run folder against its position in the file at the last checkpoint. The
    /// table may be finished or unfinished, and the file is not changed.
    ///
    /// # Errors
    /// [`Error::Config`] if the table is missing or differs from the checkpoint.
    pub fn of(folder: &RunFolder, cursor: &TableCursor) -> Result<PartialTable> {
        let path = folder.current(&cursor.name)?;
        let damaged = |what: &str| {
            let (path, remedy) = (path.display(), start_anew(folder.path()));
            Err(Error::Config(format!("{path} {what}: {remedy}")))
        };
        if !exists(&path)? {
            return damaged("is missing, but the checkpoint needs it");
        }
        let (read, hash) = hash_of(&path, cursor.cursor.bytes)?;
        if read < cursor.cursor.bytes || hexadecimal(hash.clone()) != cursor.sha256 {
            return damaged("does not match its checksum in the checkpoint");
        }
        Ok(PartialTable { cursor: cursor.clone(), hash })
    }

    /// Opens the table under its partial name to continue it.
    pub(crate) fn resume(
        &self,
        folder: &RunFolder,
        name: &str,
        (format, columns): (LogFormat, &[Column]),
        encoders: &EncoderPool,
    ) -> Result<BlockFile> {
        folder.reopen(name)?;
        let from = (self.cursor.cursor, self.hash.clone());
        BlockFile::resume(&folder.partial(name), format, columns, encoders, from)
    }
}
