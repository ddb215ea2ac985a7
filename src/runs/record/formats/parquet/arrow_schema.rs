//! Arrow schema of a table: types and descriptions of columns for Arrow's readers.

use arrow_schema::{DataType, Field, Metadata, Schema};
use serde_json::json;

use crate::record::{Column, ColumnType};

/// Returns the Arrow schema of a table with `columns`. Factors are dictionaries with indices of 32
/// bits. The metadata of a field are `description`, `unit`, `levels` and `missing`, the reason for
/// missing values; those that would be `-` are left out.
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
    use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema};
    use parquet::file::metadata::KeyValue;
    use parquet::schema::types::SchemaDescriptor;

    use super::super::write::schema;
    use super::*;

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
