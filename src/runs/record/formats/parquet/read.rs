//! Parquet reader: decodes files into rows with the crate's reader for Arrow.
//!
//! The crate checks page checksums, and this module checks what it does not: counts of rows,
//! missing values, types and texts of tables that other programs wrote. It also catches panics at
//! damaged bytes.

use std::collections::btree_map::Entry;
use std::fmt::Display;
use std::slice::from_ref;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type,
};
use arrow_array::{Array, BinaryViewArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_schema};
use parquet::basic::{LogicalType, Type as PhysicalType};
use parquet::errors::{ParquetError, Result as Parquet};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::schema::types::{Type, TypePtr};

use super::footer::{
    FilePrefix, are_statistics_valid, field_names, integer_range, last_block_names, value_range,
};
use super::{damaged, failed, too_long, unusable};
use crate::error::quoted;
use crate::files::open_given;
use crate::prelude::*;
use crate::record::formats::csv::is_plain;
use crate::record::formats::extract::{Extraction, filter_values};
use crate::record::tables::values::{
    LONGEST_TEXT_BYTES, MOST_TEXT_BYTES, NO_CODE, NO_COUNT, NO_INTEGER, Text, whole_number,
};
use crate::record::{Extract, RowFilter};
use crate::threads::catch_panic;

/// Maximum number of rows in a readable row group; other programs seldom exceed a million.
const MOST_ROWS: usize = 1 << 24;
const ROWS_AT_ONCE: usize = 1 << 16;

/// Part of the message of the crate `parquet` for a text that is not UTF-8.
const NO_UTF8: &str = "non UTF-8 data";

fn read_metadata(path: &Path) -> Result<ParquetMetaData> {
    let file = open_given(path).map_err(|e| Error::io("reading", path, e))?;
    whole(path, || ParquetMetaDataReader::new().parse_and_finish(&file))
}

pub(crate) fn row_count(path: &Path) -> Result<u64> {
    read_metadata(path).map(|metadata| metadata.file_metadata().num_rows() as u64)
}

pub(crate) fn names(path: &Path, length: Option<u64>) -> Result<Vec<String>> {
    let Some(length) = length else {
        return read_metadata(path).map(|metadata| field_names(&metadata));
    };
    let file = open_given(path).map_err(|e| Error::io("reading", path, e))?;
    whole(path, || last_block_names(&file, length))
}

pub(crate) fn types(path: &Path) -> Result<Vec<Option<ColumnType>>> {
    let metadata = read_metadata(path)?;
    let file = metadata.file_metadata();
    // Only Arrow's schema tells that a column of integers has durations. A schema that does not fit
    // the file is ignored.
    let arrow = parquet_to_arrow_schema(file.schema_descr(), file.key_value_metadata());
    let arrow = arrow.unwrap_or_else(|_| Schema::empty());
    let kind = |(index, field): (usize, &TypePtr)| {
        let kind = match arrow.fields().get(index).map(|field| field.data_type()) {
            Some(DataType::Duration(_)) => Err(other_type(field.name(), "type DURATION")),
            _ => kind_of(field),
        };
        kind.map_err(|problem| unusable(path, &problem))
    };
    file.schema().get_fields().iter().enumerate().map(kind).collect()
}

fn other_type(column: &str, kind: &str) -> String {
    format!(
        "column {column} is of {kind}: leave it out, or write it as INT64, DOUBLE, BOOLEAN or text"
    )
}

/// Returns a Parquet column's type, `None` if the column has no values, or an error for an
/// unsupported type.
fn kind_of(field: &Type) -> std::result::Result<Option<ColumnType>, String> {
    let info = field.get_basic_info();
    let physical = field.is_primitive().then(|| field.get_physical_type());
    let (logical, converted) = (info.logical_type_ref(), info.converted_type());
    let signed = |bits: i8, is_signed: bool| match is_signed {
        true => format!("INT_{bits}"),
        false => format!("UINT_{bits}"),
    };
    let name = match logical {
        Some(LogicalType::Integer(kind)) => signed(kind.bit_width, kind.is_signed),
        Some(LogicalType::String) => "UTF8".to_owned(),
        Some(other) => {
            let name = format!("{other:?}").to_uppercase();
            name.split(['(', ' ']).next().unwrap_or_default().to_owned()
        }
        None => converted.to_string(),
    };
    match (physical, &*name) {
        (
            Some(PhysicalType::INT32),
            "NONE" | "INT_8" | "INT_16" | "INT_32" | "UINT_8" | "UINT_16",
        ) => Ok(Some(ColumnType::Integer)),
        (Some(PhysicalType::INT64), "NONE" | "INT_64") => Ok(Some(ColumnType::Count)),
        (Some(PhysicalType::DOUBLE), "NONE") => Ok(Some(ColumnType::Real)),
        (Some(PhysicalType::BOOLEAN), "NONE") => Ok(Some(ColumnType::Logical)),
        (Some(PhysicalType::BYTE_ARRAY), "UTF8" | "ENUM") => Ok(Some(ColumnType::Text)),
        (Some(_), "UNKNOWN") => Ok(None),
        (physical, name) => {
            let kind = match (physical, name) {
                (None, _) => "a nested type".to_owned(),
                (Some(physical), "NONE") => format!("type {physical}"),
                (_, name) => format!("type {name}"),
            };
            Err(other_type(field.name(), &kind))
        }
    }
}

struct Table {
    columns: Vec<Column>,
    kinds: Vec<std::result::Result<Option<ColumnType>, String>>,
    prefix: FilePrefix,
    metadata: ArrowReaderMetadata,
}

fn open(
    path: &Path,
    length: Option<u64>,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
) -> Result<Option<Table>> {
    let names = names(path, length)?;
    if names.is_empty() {
        return Ok(None);
    }
    let columns = columns_of(&names)?;
    let prefix = match length {
        None => FilePrefix::open_finished(path)?,
        Some(length) => FilePrefix::open(path, &columns, length)?,
    };
    whole(path, || Table::open(columns, prefix)).map(Some)
}

impl Table {
    fn open(columns: Vec<Column>, prefix: FilePrefix) -> Parquet<Table> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&prefix)?;
        let file = metadata.file_metadata();
        let rows = metadata.row_groups().iter().map(|group| i128::from(group.num_rows()));
        if rows.sum::<i128>() != file.num_rows().into() {
            return Err(damaged());
        }
        let kinds = file.schema().get_fields().iter().map(|field| kind_of(field)).collect();
        let schema = parquet_to_arrow_schema(file.schema_descr(), None)?;
        let fields = schema.fields().iter().map(with_views);
        let options = ArrowReaderOptions::new()
            .with_schema(Arc::new(Schema::new(fields.collect::<Vec<_>>())));
        let metadata = ArrowReaderMetadata::try_new(Arc::new(metadata), options)?;
        Ok(Table { columns, kinds, prefix, metadata })
    }

    fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    /// Returns a row group's number of rows, checked by the counts of its columns.
    fn row_count(&self, group: usize) -> Parquet<usize> {
        let group = &self.groups()[group];
        let count = usize::try_from(group.num_rows()).unwrap_or(usize::MAX);
        let columns_agree =
            group.columns().iter().all(|column| column.num_values() == group.num_rows());
        if count > MOST_ROWS || group.num_columns() != self.columns.len() || !columns_agree {
            return Err(damaged());
        }
        Ok(count)
    }

    fn rows(&self, group: usize, ranges: &[Range<usize>]) -> Parquet<Rows> {
        let column = |(index, column): (usize, &Column)| match ranges.is_empty() {
            true => Ok(ColumnValues::new(column.kind, 0)),
            false => self.column(group, index, ranges),
        };
        Ok(Rows { columns: self.columns.iter().enumerate().map(column).collect::<Parquet<_>>()? })
    }

    /// Decodes rows of a column. Fails if a required value is missing or CSV cannot hold a text.
    fn column(&self, group: usize, index: usize, ranges: &[Range<usize>]) -> Parquet<ColumnValues> {
        let column = &self.columns[index];
        let kind = self.kinds.get(index).ok_or_else(damaged)?;
        let values = match kind.clone().map_err(ParquetError::General)? {
            Some(kind) => converted(self.decoded(group, index, ranges, kind)?, kind, column)?,
            None => missing(column, ranges.iter().map(Range::len).sum()),
        };
        let is_complete = !column.is_required() || values.presence_bits().is_none();
        match (is_complete, column.is_foreign() || is_plain_text(&values)) {
            (true, true) => Ok(values),
            (false, _) => Err(problem_in(column, "lacks a value in some row")),
            (_, false) => Err(problem_in(column, "has a text that this table cannot hold")),
        }
    }

    fn decoded(
        &self,
        group: usize,
        index: usize,
        ranges: &[Range<usize>],
        kind: ColumnType,
    ) -> Parquet<ColumnValues> {
        let column = &self.columns[index];
        let is_factor = column.kind == ColumnType::Factor && kind == ColumnType::Text;
        let kind = if is_factor { ColumnType::Factor } else { kind };
        // The caller has checked the number of rows.
        let count = self.groups()[group].num_rows() as usize;
        let wanted = ranges.iter().map(Range::len).sum::<usize>();
        let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(
            self.prefix.clone(),
            self.metadata.clone(),
        )
        .with_projection(ProjectionMask::leaves(self.metadata.parquet_schema(), [index]))
        .with_row_groups(vec![group])
        .with_batch_size(ROWS_AT_ONCE);
        if wanted < count {
            let ranges = ranges.iter().cloned();
            let selection = RowSelection::from_consecutive_ranges(ranges, count);
            reader = reader.with_row_selection(selection);
        }
        let mut values = ColumnValues::new(kind, wanted.min(ROWS_AT_ONCE));
        for batch in reader.build()? {
            let batch = batch.map_err(|error| match error.to_string().contains(NO_UTF8) {
                true => problem_in(column, "has a text that is not UTF-8"),
                false => of_arrow(error),
            })?;
            extend(&mut values, column, batch.column(0))?;
        }
        if values.len() == wanted { Ok(values) } else { Err(damaged()) }
    }
}

/// Returns an Arrow field whose texts are decoded as references, not as copies, to save memory.
fn with_views(field: &FieldRef) -> FieldRef {
    let views = match field.data_type() {
        DataType::Utf8 => DataType::Utf8View,
        DataType::Binary => DataType::BinaryView,
        _ => return field.clone(),
    };
    Arc::new(Field::clone(field).with_data_type(views))
}

fn of_arrow(error: ArrowError) -> ParquetError {
    let text = match error {
        ArrowError::ParquetError(text) => text,
        other => other.to_string(),
    };
    match text.strip_prefix("External: ") {
        Some(cause) => ParquetError::External(Box::new(std::io::Error::other(cause.to_owned()))),
        None => ParquetError::General(text.trim_start_matches("Parquet error: ").to_owned()),
    }
}

/// Passes the Parquet rows that `extract` selects to `take`, and returns the number of all rows in
/// the file.
pub(crate) fn read(
    path: &Path,
    length: Option<u64>,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
    extract: &Extract,
    mut take: impl FnMut(&[Column], Rows) -> Result<()>,
) -> Result<u64> {
    let Some(table) = open(path, length, columns_of)? else { return Ok(0) };
    let mut extraction = extract.resolve(&table.columns)?;
    if table.groups().is_empty() {
        take(&extraction.columns, Rows::new(&extraction.columns))?;
    }
    let has_statistics =
        extraction.has_comparisons() && are_statistics_valid(table.metadata.metadata());
    let mut found = 0;
    for group in 0..table.groups().len() {
        let read = || {
            let count = table.row_count(group)?;
            let range = |index| value_range(table.groups()[group].column(index));
            if has_statistics && !extraction.may_keep(range) {
                return Ok((count, Rows::new(&extraction.columns)));
            }
            Ok((count, extract_group(&table, group, count, &mut extraction)?))
        };
        let (count, rows) = whole(path, read)?;
        found += count as u64;
        take(&extraction.columns, rows)?;
    }
    Ok(found)
}

fn extract_group(
    table: &Table,
    group: usize,
    count: usize,
    extraction: &mut Extraction,
) -> Parquet<Rows> {
    let decode = |index: usize, rows: Range<usize>| table.column(group, index, from_ref(&rows));
    let mut compared = BTreeMap::new();
    for index in extraction.compared() {
        if let Entry::Vacant(entry) = compared.entry(index) {
            entry.insert(decode(index, 0..count)?);
        }
    }
    let kept = extraction.select(count, |index| &compared[&index]);
    let first = kept.iter().position(|&kept| kept).unwrap_or(0);
    let end = kept.iter().rposition(|&kept| kept).map_or(first, |last| last + 1);
    let in_span = &kept[first..end];
    let column = |&index: &usize| match compared.get(&index) {
        Some(values) => Ok(filter_values(values, &kept)),
        None => {
            let values = decode(index, first..end)?;
            // Unchanged rows are returned without a copy.
            let all = in_span.iter().all(|&kept| kept);
            Ok(if all { values } else { filter_values(&values, in_span) })
        }
    };
    Ok(Rows { columns: extraction.indices().iter().map(column).collect::<Parquet<_>>()? })
}

pub(crate) fn seek(
    path: &Path,
    length: Option<u64>,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
    filter: &RowFilter,
    mut take: impl FnMut(&[Column], &Rows, &[u64]) -> Result<()>,
) -> Result<u64> {
    let Some(table) = open(path, length, columns_of)? else { return Ok(0) };
    let index_of = |key: &str| table.columns.iter().position(|column| column.name == key);
    let keys = index_of("game").zip(index_of("piece_no")).filter(|_| !filter.games.is_empty());
    let mut first = 0;
    for group in 0..table.groups().len() {
        let read = || {
            let count = table.row_count(group)?;
            let mut is_sought: Vec<bool> =
                (first..).take(count).map(|row| filter.has_row(row)).collect();
            if let Some((game, number)) =
                keys.filter(|(game, _)| may_have(&table, group, *game, filter))
            {
                let read = |index| table.column(group, index, from_ref(&(0..count)));
                let [games, numbers] = [read(game)?.as_numbers(), read(number)?.as_numbers()];
                for ((is_sought, game), number) in is_sought.iter_mut().zip(games).zip(numbers) {
                    *is_sought |= filter.has_placement(game as u64, number as u64);
                }
            }
            let indices: Vec<usize> = (0..count).filter(|&row| is_sought[row]).collect();
            let rows = table.rows(group, &ranges(&indices))?;
            Ok((rows, indices, count))
        };
        let (rows, indices, count) = whole(path, read)?;
        let indices: Vec<u64> = indices.into_iter().map(|index| first + index as u64).collect();
        take(&table.columns, &rows, &indices)?;
        first += count as u64;
    }
    Ok(first)
}

fn may_have(table: &Table, group: usize, game: usize, filter: &RowFilter) -> bool {
    let range = integer_range(table.groups()[group].column(game));
    let is_in = |(low, high): (i64, i64)| {
        filter
            .games
            .iter()
            .any(|(game, _)| i64::try_from(*game).is_ok_and(|game| (low..=high).contains(&game)))
    };
    range.is_none_or(is_in)
}

fn ranges(indices: &[usize]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for &index in indices {
        match ranges.last_mut().filter(|last| last.end == index) {
            Some(last) => last.end = index + 1,
            None => ranges.push(index..index + 1),
        }
    }
    ranges
}

/// Returns true if no text has a comma, quotation mark or control character, as CSV requires.
fn is_plain_text(values: &ColumnValues) -> bool {
    match values {
        ColumnValues::Text(text) => {
            // Loops without an early end are compiled to vector instructions.
            let all = |chunk: &[u8]| chunk.iter().fold(true, |all, &byte| all & is_plain(byte));
            text.bytes.chunks(1 << 10).all(all)
        }
        _ => true,
    }
}

/// Runs a Parquet reader, and turns a panic of the crate `parquet` at damaged bytes into an error.
fn whole<T>(path: &Path, read: impl FnOnce() -> Parquet<T>) -> Result<T> {
    let read = catch_panic(read).map_err(|_| failed("reading", path, damaged()))?;
    read.map_err(|e| failed("reading", path, e))
}

fn extend(to: &mut ColumnValues, column: &Column, array: &dyn Array) -> Parquet<()> {
    match to {
        ColumnValues::Integer(to) => {
            let from = to.len();
            match array.data_type() {
                DataType::Int8 => extend_numbers::<Int8Type, _>(to, array, NO_INTEGER),
                DataType::Int16 => extend_numbers::<Int16Type, _>(to, array, NO_INTEGER),
                DataType::UInt8 => extend_numbers::<UInt8Type, _>(to, array, NO_INTEGER),
                DataType::UInt16 => extend_numbers::<UInt16Type, _>(to, array, NO_INTEGER),
                _ => extend_numbers::<Int32Type, _>(to, array, NO_INTEGER),
            }
            check_marks(column, &to[from..], array, NO_INTEGER)
        }
        ColumnValues::Count(to) => {
            let from = to.len();
            extend_numbers::<Int64Type, _>(to, array, NO_COUNT);
            check_marks(column, &to[from..], array, NO_COUNT)
        }
        ColumnValues::Real(to) => {
            extend_numbers::<Float64Type, _>(to, array, f64::NAN);
            Ok(())
        }
        ColumnValues::Logical(to) => {
            let code = |value: Option<bool>| value.map_or(NO_CODE, u8::from);
            to.extend(array.as_boolean().iter().map(code));
            Ok(())
        }
        ColumnValues::Text(to) => extend_texts(to, column, &binary_views(array)),
        ColumnValues::Factor(to) => extend_codes(to, column, &binary_views(array)),
    }
}

fn extend_numbers<T: ArrowPrimitiveType, N: From<T::Native> + Copy>(
    to: &mut Vec<N>,
    array: &dyn Array,
    mark: N,
) {
    let (array, from) = (array.as_primitive::<T>(), to.len());
    to.extend(array.values().iter().map(|&value| N::from(value)));
    for (value, is_null) in to[from..].iter_mut().zip(array.nulls().into_iter().flatten()) {
        if !is_null {
            *value = mark;
        }
    }
}

fn check_marks<N: PartialEq + Display>(
    column: &Column,
    values: &[N],
    array: &dyn Array,
    mark: N,
) -> Parquet<()> {
    let marked = values.iter().filter(|&value| *value == mark).count();
    if marked == array.null_count() {
        return Ok(());
    }
    Err(problem_in(column, &format!("has the number {mark}, which this program cannot store")))
}

fn binary_views(array: &dyn Array) -> BinaryViewArray {
    match array.as_string_view_opt() {
        Some(texts) => texts.clone().to_binary_view(),
        None => array.as_binary_view().clone(),
    }
}

fn extend_texts(to: &mut Text, column: &Column, texts: &BinaryViewArray) -> Parquet<()> {
    for text in texts {
        let text = text.unwrap_or_default();
        if text.len() > LONGEST_TEXT_BYTES || to.bytes.len() + text.len() > MOST_TEXT_BYTES {
            return Err(too_long(column));
        }
        // The crate `parquet` does not check every type of texts.
        if std::str::from_utf8(text).is_err() {
            return Err(problem_in(column, "has a text that is not UTF-8"));
        }
        to.bytes.extend_from_slice(text);
        to.end();
    }
    Ok(())
}

fn extend_codes(to: &mut Vec<u8>, column: &Column, texts: &BinaryViewArray) -> Parquet<()> {
    // Views with equal bits have equal texts, so a view seen before needs no second look-up. A
    // short text is stored inside its view.
    let mut known: Vec<(u128, u8)> = Vec::new();
    for (row, &view) in texts.views().iter().enumerate() {
        if texts.is_null(row) {
            to.push(NO_CODE);
        } else if let Some(&(_, code)) = known.iter().find(|(other, _)| *other == view) {
            to.push(code);
        } else {
            let text = texts.value(row);
            let Some(code) = column.levels.iter().position(|level| level.as_bytes() == text) else {
                let (other, levels) =
                    (quoted(&String::from_utf8_lossy(text)), column.levels.join(" "));
                let text = format!("has '{other}', which is none of {levels}");
                return Err(problem_in(column, &text));
            };
            to.push(code as u8);
            if known.len() < column.levels.len() {
                known.push((view, code as u8));
            }
        }
    }
    Ok(())
}

fn missing(column: &Column, count: usize) -> ColumnValues {
    let mut values = ColumnValues::new(column.kind, 0);
    values.extend_missing(count);
    values
}

/// Converts a column read from a Parquet file to the expected type, such as doubles to integers.
fn converted(values: ColumnValues, kind: ColumnType, column: &Column) -> Parquet<ColumnValues> {
    use ColumnValues::{Count, Factor, Integer, Real, Text};
    let found = match (&values, column.kind) {
        (Factor(_), _) => return Ok(values),
        _ if kind == column.kind => return Ok(values),
        (Integer(_), ColumnType::Count | ColumnType::Real)
        | (Count(_), ColumnType::Integer | ColumnType::Real)
        | (Real(_), ColumnType::Integer | ColumnType::Count) => {
            return whole_values(column, values.as_numbers());
        }
        (Text(text), _) if text.bytes.is_empty() => return Ok(missing(column, values.len())),
        _ if kind == ColumnType::Count => ColumnType::Integer,
        _ => kind,
    };
    let text = format!("is of type {}, not {}", found.name(), column.kind.name());
    Err(problem_in(column, &text))
}

fn whole_values(column: &Column, numbers: Vec<f64>) -> Parquet<ColumnValues> {
    if column.kind == ColumnType::Real {
        return Ok(ColumnValues::Real(numbers));
    }
    let mut values = ColumnValues::new(column.kind, numbers.len());
    for number in numbers {
        let value = whole_number(number);
        let other =
            || problem_in(column, &format!("has {number}, which is no {}", column.kind.name()));
        match &mut values {
            _ if number.is_nan() => values.extend_missing(1),
            ColumnValues::Integer(values) => {
                let value = value.and_then(|value| i32::try_from(value).ok());
                values.push(value.filter(|&value| value != NO_INTEGER).ok_or_else(other)?);
            }
            ColumnValues::Count(values) => values.push(value.ok_or_else(other)?),
            _ => return Err(other()),
        }
    }
    Ok(values)
}

fn problem_in(column: &Column, problem: &str) -> ParquetError {
    ParquetError::General(format!("column {} {problem}", column.name))
}

#[cfg(test)]
mod tests {
    use super::super::footer::footer;
    use super::super::write::pack_group;
    use super::*;
    use crate::record::formats::csv;
    use crate::record::{RowCondition, RowSlice};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use std::fs::File;
    use std::num::NonZeroUsize;

    /// Arrow stores a duration as an integer, so a reader of integers would lose the unit.
    #[test]
    fn a_column_of_durations_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let kind = DataType::Duration(arrow_schema::TimeUnit::Second);
        let schema = Arc::new(Schema::new(vec![Field::new("thought", kind, false)]));
        let values = Arc::new(arrow_array::DurationSecondArray::from(vec![1, 2]));
        let batch = arrow_array::RecordBatch::try_new(Arc::clone(&schema), vec![values]).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = parquet::arrow::ArrowWriter::try_new(file, schema, None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let problem = types(&path).unwrap_err().to_string();
        assert!(problem.contains("column thought is of type DURATION"), "{problem}");
    }

    fn columns(missing: Option<&'static str>) -> Vec<Column> {
        let kinds = [
            ("game", ColumnType::Count),
            ("height", ColumnType::Integer),
            ("score", ColumnType::Real),
            ("lost", ColumnType::Logical),
            ("board", ColumnType::Text),
        ];
        let mut columns: Vec<Column> =
            kinds.into_iter().map(|(name, kind)| Column::new(name, kind, "-", "")).collect();
        if let Some(missing) = missing {
            columns.iter_mut().for_each(|column| column.missing = missing.into());
        }
        columns
    }

    fn rows(height: i32) -> Rows {
        let mut text = Text::default();
        for board in ["0", "1f"] {
            text.bytes.extend_from_slice(board.as_bytes());
            text.end();
        }
        Rows {
            columns: vec![
                ColumnValues::Count(vec![0, 1]),
                ColumnValues::Integer(vec![4, height]),
                ColumnValues::Real(vec![0.5, -1.0]),
                ColumnValues::Logical(vec![0, 1]),
                ColumnValues::Text(text),
            ],
        }
    }

    fn reread(written: &[Column], expected: &[Column], from: &Rows) -> Result<Vec<Rows>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let packed = pack_group(written, &[RowSlice::new(from.clone())]).unwrap();
        std::fs::write(file.path(), packed).unwrap();
        let mut found = Vec::new();
        read(
            file.path(),
            None,
            |_| Ok(expected.to_vec()),
            &Extract::default(),
            |_, rows| {
                found.push(rows);
                Ok(())
            },
        )?;
        Ok(found)
    }

    fn write_groups(path: &Path, columns: &[Column], groups: &[Rows]) {
        let pack = |rows: &Rows| pack_group(columns, &[RowSlice::new(rows.clone())]).unwrap();
        let mut bytes: Vec<u8> = groups.iter().flat_map(pack).collect();
        std::fs::write(path, &bytes).unwrap();
        let length = bytes.len() as u64;
        bytes.extend(footer(path, &File::open(path).unwrap(), columns, length).unwrap());
        std::fs::write(path, bytes).unwrap();
    }

    fn extracted(path: &Path, columns: &[Column], extract: &Extract) -> Result<(String, u64)> {
        let mut text = Vec::new();
        let count = read(
            path,
            None,
            |_| Ok(columns.to_vec()),
            extract,
            |columns, rows| {
                csv::write(columns, &RowSlice::new(rows), &mut text);
                Ok(())
            },
        )?;
        Ok((String::from_utf8(text).unwrap(), count))
    }

    fn group(values: &[(i64, i32)]) -> Rows {
        let mut text = Text::default();
        for (game, number) in values {
            text.bytes.extend_from_slice(format!("{game}:{number}").as_bytes());
            text.end();
        }
        let numbers = || values.iter().map(|(_, number)| *number);
        let even = |number: i32| if number % 2 == 0 { number } else { NO_INTEGER };
        Rows {
            columns: vec![
                ColumnValues::Count(values.iter().map(|(game, _)| *game).collect()),
                ColumnValues::Integer(numbers().map(even).collect()),
                ColumnValues::Real(numbers().map(|number| f64::from(number) / 4.0).collect()),
                ColumnValues::Logical(numbers().map(|number| u8::from(number > 0)).collect()),
                ColumnValues::Text(text),
            ],
        }
    }

    fn columns_of_groups() -> Vec<Column> {
        let mut columns = columns(None);
        columns[1].missing = "the number is odd".into();
        columns
    }

    const NAMES: [&str; 5] = ["game", "height", "score", "lost", "board"];

    proptest! {
        #[test]
        fn what_is_extracted_is_what_all_rows_would_give(
            groups in vec(vec((0i64..9, -9i32..9), 0..12), 0..5),
            names in vec(select(&NAMES[..]), 0..6),
            comparisons in vec(
                select(
                    &[
                        "game<3",
                        "game>=4",
                        "game=5",
                        "height=NA",
                        "height!=2",
                        "height>0",
                        "score<=-0.5",
                        "lost=TRUE",
                        "board!=1:1",
                    ][..],
                ),
                0..3,
            ),
            every in 0usize..4,
        ) {
            let groups: Vec<Rows> = groups.iter().map(|values| group(values)).collect();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.parquet");
            let columns = columns_of_groups();
            write_groups(&path, &columns, &groups);
            let rows = match comparisons.is_empty() {
                true => RowCondition::default(),
                false => comparisons.join(" and ").parse().unwrap(),
            };
            let names = names.into_iter().map(str::to_owned).collect();
            let extract = Extract { columns: names, rows, every: NonZeroUsize::new(every) };
            let mut extraction = extract.resolve(&columns).unwrap();
            let (mut expected, mut count) = (Vec::new(), 0);
            for rows in groups {
                count += rows.len() as u64;
                let rows = RowSlice::new(extraction.rows(rows));
                csv::write(&extraction.columns, &rows, &mut expected);
            }
            let expected = (String::from_utf8(expected).unwrap(), count);
            prop_assert_eq!(extracted(&path, &columns, &extract).unwrap(), expected);
        }
    }

    #[test]
    fn only_columns_and_row_groups_that_are_needed_are_decoded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let columns = columns_of_groups();
        let values: Vec<Vec<(i64, i32)>> =
            (0..3).map(|k| (0..40).map(|row| (k, row)).collect()).collect();
        let groups: Vec<Rows> = values.iter().map(|values| group(values)).collect();
        write_groups(&path, &columns, &groups);
        let good = std::fs::read(&path).unwrap();
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&File::open(&path).unwrap());
        let metadata = metadata.unwrap();
        let read_with = |group: usize, column: usize, names: &[&str], rows: &str| {
            let (start, length) = metadata.row_group(group).column(column).byte_range();
            let mut damaged = good.clone();
            damaged[(start + length - 1) as usize] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            let columns_kept = names.iter().map(|&name| name.to_owned()).collect();
            let rows = rows.parse().unwrap();
            extracted(&path, &columns, &Extract { columns: columns_kept, rows, every: None })
        };
        for (column, &name) in NAMES.iter().enumerate().skip(1) {
            let lines = |found: Result<(String, u64)>| found.unwrap().0.lines().count();
            assert_eq!(lines(read_with(0, column, &["game"], "game>=0")), 120, "column {column}");
            assert_eq!(lines(read_with(0, column, &[], "game>0")), 80, "column {column}");
            assert_eq!(lines(read_with(2, column, &[], "game<2")), 80, "column {column}");
            assert!(read_with(1, column, &[], "game<2").is_err(), "column {column}");
            assert!(read_with(2, column, &[name], "game>1").is_err(), "column {column}");
        }
        assert!(read_with(1, 0, &["height"], "game>0").is_err(), "a compared column is decoded");
        assert!(read_with(0, 0, &["height"], "game>0").is_ok(), "statistics exclude its row group");
    }

    /// The crate `parquet` writes no checksum of the footer, so a damaged footer could hide rows.
    #[test]
    fn a_changed_statistic_hides_no_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let columns = columns_of_groups();
        write_groups(&path, &columns, &[group(&[(3, 1), (3, 2)]), group(&[(7, 3)])]);
        let good = std::fs::read(&path).unwrap();
        let sevens = Extract { rows: "game=7".parse().unwrap(), ..Extract::default() };
        let expected = extracted(&path, &columns, &sevens).unwrap();
        assert_eq!(expected.0.lines().count(), 1);
        let footer = good.len() - 8 - footer_length(&good);
        let seven = 7i64.to_le_bytes();
        let indices: Vec<usize> =
            (footer..good.len() - 8).filter(|&at| good[at..].starts_with(&seven)).collect();
        assert!(indices.len() >= 2, "the smallest and the largest game");
        for index in indices {
            let mut changed = good.clone();
            changed[index] = 3;
            std::fs::write(&path, changed).unwrap();
            assert_eq!(extracted(&path, &columns, &sevens).unwrap(), expected);
        }
    }

    fn footer_length(file: &[u8]) -> usize {
        let at = file.len() - 8;
        u32::from_le_bytes(std::array::from_fn(|k| file[at + k])) as usize
    }

    /// pyarrow declares every column nullable; other programs may declare none.
    #[test]
    fn a_table_that_another_program_wrote_is_read_whether_its_columns_are_nullable_or_not() {
        let (required, nullable) = (columns(None), columns(Some("sometimes")));
        for (written, expected) in [(&nullable, &required), (&required, &nullable)] {
            let found = reread(written, expected, &rows(5)).unwrap();
            assert_eq!(found.len(), 1);
            for (one, other) in found[0].columns.iter().zip(&rows(5).columns) {
                assert_eq!(format!("{one:?}"), format!("{other:?}"));
            }
        }
        let message = reread(&nullable, &required, &rows(NO_INTEGER)).unwrap_err().to_string();
        assert!(message.contains("column height lacks a value"), "{message}");
    }

    #[test]
    fn a_text_that_is_longer_than_any_is_refused() {
        let read_back = |length: usize| {
            let columns = vec![Column::new("board", ColumnType::Text, "-", "")];
            let mut text = Text::default();
            for _ in 0..3 {
                text.bytes.resize(text.bytes.len() + length, b'0');
                text.end();
            }
            let rows = Rows { columns: vec![ColumnValues::Text(text)] };
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.parquet");
            std::fs::write(&path, pack_group(&columns, &[RowSlice::new(rows)]).unwrap()).unwrap();
            let known = columns.clone();
            read(
                &path,
                None,
                |_| Ok(known),
                &Extract::default(),
                |_, rows| {
                    assert_eq!(rows.len(), 3);
                    Ok(())
                },
            )
        };
        assert_eq!(read_back(LONGEST_TEXT_BYTES).unwrap(), 3);
        let error = read_back(LONGEST_TEXT_BYTES + 1).unwrap_err().to_string();
        assert!(error.contains("column board has a longer text than any table"), "{error}");
    }
}
