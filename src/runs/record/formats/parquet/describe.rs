//! Descriptions of columns in the footer of a Parquet file.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use parquet::errors::Result as Parquet;
use parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataReader};
use serde_json::{Value, json};

use super::failed;
use super::footer::{footer_bytes, footer_start};
use crate::error::{Error, Result};
use crate::record::Column;

/// Key of the column descriptions in a Parquet file's metadata.
const KEY: &str = "tetrastat:columns";

/// Writes the meanings of columns into the footer of a finished file, as JSON under one key. Rows
/// are unchanged.
///
/// # Errors
/// [`Error::Config`] if it is not a Parquet file, [`Error::Io`] if it can't be written.
pub(crate) fn describe(path: &Path, columns: &[Column]) -> Result<()> {
    let open = OpenOptions::new().read(true).write(true).open(path);
    let mut file = open.map_err(|e| Error::io("opening", path, e))?;
    let mut write = || -> Parquet<()> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file)?;
        let (footer, like) =
            (footer_start(&file, file.metadata()?.len())?, metadata.file_metadata());
        let said = json!(columns.iter().map(described).collect::<Vec<_>>()).to_string();
        let mut pairs = like.key_value_metadata().cloned().unwrap_or_default();
        pairs.push(KeyValue::new(KEY.to_owned(), said));
        let by = like.created_by().map(str::to_owned);
        let (schema, orders) = (like.schema_descr_ptr(), like.column_orders().cloned());
        let told =
            FileMetaData::new(like.version(), like.num_rows(), by, Some(pairs), schema, orders);
        let whole = ParquetMetaData::new(told, metadata.row_groups().to_vec());
        let text = footer_bytes(&whole)?;
        file.set_len(footer)?;
        file.seek(SeekFrom::Start(footer))?;
        Ok(file.write_all(&text)?)
    };
    write().map_err(|e| failed("describing", path, e))
}

fn described(column: &Column) -> Value {
    let Column { name, kind, unit, meaning, levels, missing } = column;
    json!({
        "name": name, "type": kind.name(), "unit": unit, "description": meaning,
        "levels": levels, "missing": missing,
    })
}
