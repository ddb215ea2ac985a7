//! Parquet tables: errors, the Arrow schema, and the parts reader, writer and footer.

mod footer;
mod full_columns;
mod read;
mod write;

use arrow_schema::{DataType, Field, Metadata, Schema};
use parquet::errors::ParquetError;

use crate::prelude::*;

pub(crate) use footer::footer;
pub(crate) use read::{names, read, row_count, seek, types};
pub(crate) use write::pack;

fn damaged() -> ParquetError {
    ParquetError::General("it is damaged".to_owned())
}

fn other_type(column: &Column) -> ParquetError {
    ParquetError::General(format!("column {} is no {}", column.name, column.kind.name()))
}

/// Beginning of the error message for a compression that the crate `parquet` was built without.
const DISABLED_CODEC: &str = "Disabled feature at compile time: ";

fn too_long(column: &Column) -> ParquetError {
    ParquetError::General(format!("column {} has a longer text than any table", column.name))
}

fn failed(action: &'static str, path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => Error::io(action, path, *cause),
            Err(cause) => unusable(path, &cause.to_string()),
        },
        ParquetError::General(text) if text.starts_with(DISABLED_CODEC) => Error::Config(format!(
            "{} is compressed by {}, which this program can't read: write it with zstd, snappy or \
             no compression",
            path.display(),
            text.trim_start_matches(DISABLED_CODEC).replace("flate2", "gzip")
        )),
        ParquetError::General(text) => unusable(path, &text),
        other => unusable(path, &other.to_string()),
    }
}

fn unusable(path: &Path, problem: &str) -> Error {
    let remedy = if problem.starts_with("column ") && problem.contains(": ") {
        return Error::Config(format!("{}: {problem}", path.display()));
    } else if problem.starts_with("column ") {
        "correct the column"
    } else {
        "copy the file again, or write it again"
    };
    Error::Config(format!("{}: {problem}: {remedy}", path.display()))
}

/// Returns the Arrow schema of a table; its fields' metadata are the columns' descriptions.
#[must_use]
pub fn arrow_schema(columns: &[Column]) -> Schema {
    Schema::new(columns.iter().map(field).collect::<Vec<_>>())
}

fn field(column: &Column) -> Field {
    let kind = match column.kind {
        ColumnType::Integer => DataType::Int32,
        ColumnType::Count => DataType::Int64,
        ColumnType::Real => DataType::Float64,
        ColumnType::Logical => DataType::Boolean,
        ColumnType::Text => DataType::Utf8,
        ColumnType::Factor => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
    };
    // The levels are among the descriptions, since a dictionary contains only those that occur.
    let levels =
        if column.levels.is_empty() { "-".into() } else { json!(column.levels).to_string() };
    let pairs = [
        ("description", &*column.meaning),
        ("unit", &*column.unit),
        ("levels", &*levels),
        ("missing", if column.is_required() { "-" } else { &*column.missing }),
    ];
    let known = pairs.into_iter().filter(|(_, value)| !matches!(*value, "" | "-"));
    let known = known.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Field::new(&column.name, kind, !column.is_required()).with_metadata(known.collect::<Metadata>())
}

#[cfg(test)]
mod tests {
    use super::write::schema;
    use super::*;
    use crate::error::Result;
    use crate::record::{
        BlockFile, ColumnType, ColumnValues, EncoderPool, LogFormat, RowSlice, Rows, read_table,
    };
    use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema};
    use parquet::file::metadata::KeyValue;
    use parquet::schema::types::SchemaDescriptor;
    use std::fs;

    #[test]
    fn a_table_that_another_program_compressed_is_told_how_to_write_it() {
        let error = ParquetError::General(format!("{DISABLED_CODEC}flate2"));
        let message = failed("reading", Path::new("placements.parquet"), error).to_string();
        assert!(message.contains("compressed by gzip") && message.contains("zstd"), "{message}");
    }

    fn write(path: &Path, format: LogFormat) {
        let count = |name: &str| Column::new(name, ColumnType::Count, "-", "");
        let columns = [count("game"), count("lines")];
        let values = |from: i64| ColumnValues::Count((0..9).map(|k| from + k * k).collect());
        let encoders = EncoderPool::new(1).unwrap();
        let mut file = BlockFile::create(path, format, &columns, &encoders, 0).unwrap();
        file.push(0, RowSlice::new(Rows { columns: vec![values(0), values(70)] })).unwrap();
        file.end_games(1);
        assert!(file.finish().unwrap().1.is_none());
    }

    fn read_all(path: &Path) -> Result<(Vec<String>, Vec<String>)> {
        let (mut names, mut found) = (Vec::new(), Vec::new());
        read_table(path, |columns, rows| {
            names = columns.iter().map(|column| column.name.clone()).collect();
            found.push(format!("{rows:?}"));
            Ok(())
        })?;
        Ok((names, found))
    }

    #[test]
    fn no_flipped_bit_changes_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for format in [LogFormat::Parquet, LogFormat::CsvZst, LogFormat::CsvGz] {
            let path = folder.path().join(format!("games.{format}"));
            write(&path, format);
            let (good, whole) = (fs::read(&path).unwrap(), read_all(&path).unwrap());
            let mut refused = 0;
            for bit in 0..good.len() * 8 {
                let mut flipped = good.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                fs::write(&path, flipped).unwrap();
                match read_all(&path) {
                    Ok(read) => assert_eq!(read, whole, "bit {bit} of a {format} table"),
                    Err(_) => refused += 1,
                }
            }
            assert!(refused > good.len(), "{refused} of {} bits", good.len() * 8);
        }
    }

    #[test]
    fn a_reader_for_arrow_finds_types_and_descriptions() {
        let mut columns = vec![
            Column::new("game", ColumnType::Count, "-", "index"),
            Column::new("piece", ColumnType::Factor, "-", "the piece"),
            Column::new("height", ColumnType::Real, "rows", ""),
            Column::new("lost", ColumnType::Logical, "-", "whether it was lost"),
            Column::new("holes", ColumnType::Integer, "-", "covered cells"),
            Column::new("board", ColumnType::Text, "-", "rows as text"),
        ];
        columns[1].levels = vec!["I".to_owned(), "O".to_owned()];
        columns[1].missing = "no piece".into();
        let text = encode_arrow_schema(&arrow_schema(&columns));
        let said = vec![KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), text)];
        let file = SchemaDescriptor::new(schema(&columns).unwrap());
        let read = parquet_to_arrow_schema(&file, Some(&said)).unwrap();
        let types: Vec<String> =
            read.fields().iter().map(|field| format!("{}", field.data_type())).collect();
        let expected = ["Int64", "Dictionary(Int32, Utf8)", "Float64", "Boolean", "Int32", "Utf8"];
        assert_eq!(types, expected);
        let piece = read.field(1);
        let said = |key: &str| piece.metadata().get(key).cloned();
        assert_eq!(said("levels").as_deref(), Some("[\"I\",\"O\"]"));
        assert_eq!(said("missing").as_deref(), Some("no piece"));
        assert!(piece.is_nullable() && !read.field(0).is_nullable() && said("unit").is_none());
    }
}
