//! Typed columns that hold the rows of a table in memory, and the builders that collect such rows.

use std::fmt;

use bytemuck::pod_collect_to_vec;
use serde_json::Value;

use crate::features::Move;
use crate::kernels::BatchFeatures;
use crate::prelude::*;
use crate::record::tables::field::{columns, fill, join_study, names_of};
use crate::record::tables::surface::Surfaces;

/// Values of one column of a table, one per row. Each type has its own mark for a missing value.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Column of 32-bit integers; `i32::MIN` marks a missing value.
    Integer(Vec<i32>),
    /// Column of 64-bit integers; `i64::MIN` marks a missing value.
    Count(Vec<i64>),
    /// Column of floating-point numbers; NaN marks a missing value.
    Real(Vec<f64>),
    /// Column of names, as indices into a list of names; 255 marks a missing value.
    Factor(Vec<u8>),
    /// Column of truth values, as 0 or 1; 255 marks a missing value.
    Logical(Vec<u8>),
    /// Column of texts; an empty text is a missing value.
    Text(Text),
}

/// Texts of a table's column, joined into one string, with the position where each text ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ends: Vec<u32>,
}

pub(crate) const LONGEST_TEXT_BYTES: usize = 1 << 17;
const USUAL_TEXT_BYTES: usize = 32;
pub(crate) const MOST_TEXT_BYTES: usize = 1 << 28;

// Marks instead of `Option` keep columns plain arrays, which are copied and spilled as bytes.
pub(crate) const NO_INTEGER: i32 = i32::MIN;
pub(crate) const NO_COUNT: i64 = i64::MIN;
pub(crate) const NO_CODE: u8 = u8::MAX;

/// Converts a number to an integer; `None` if it has a fraction or more than 53 bits.
pub(crate) fn whole_number(number: f64) -> Option<i64> {
    const MOST: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    (number.fract() == 0.0 && number.abs() <= MOST).then_some(number as i64)
}

impl Text {
    pub(crate) fn with_room(room: usize) -> Text {
        Text { bytes: Vec::with_capacity(room * USUAL_TEXT_BYTES), ends: Vec::with_capacity(room) }
    }

    /// Appends a text to the column of texts; an empty text counts as a missing value.
    pub fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.end();
    }

    /// Returns the bytes of the column's joined texts, and the position where each text ends.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u8>, Vec<u32>) {
        (self.bytes, self.ends)
    }

    /// Ends the column's last text after the bytes appended so far.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.ends.push(self.bytes.len() as u32);
    }

    pub(crate) fn extend(&mut self, other: &Text, range: Range<usize>) {
        let (first, before) = (other.start(range.start), self.bytes.len());
        self.bytes.extend_from_slice(&other.bytes[first..other.start(range.end)]);
        let end = |&end: &u32| (end as usize - first + before) as u32;
        self.ends.extend(other.ends[range].iter().map(end));
    }

    #[inline]
    pub(crate) fn start(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// Returns the text in a row of the column, as bytes; an empty text is a missing value.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> &[u8] {
        &self.bytes[self.start(row)..self.start(row + 1)]
    }
}

fn known<T: PartialEq + Serialize>(value: T, missing: T) -> Value {
    json!((value != missing).then_some(value))
}

impl ColumnValues {
    /// Creates an empty column with values of type `kind` and memory for `room` values.
    #[must_use]
    pub fn new(kind: ColumnType, room: usize) -> ColumnValues {
        match kind {
            ColumnType::Integer => ColumnValues::Integer(Vec::with_capacity(room)),
            ColumnType::Count => ColumnValues::Count(Vec::with_capacity(room)),
            ColumnType::Real => ColumnValues::Real(Vec::with_capacity(room)),
            ColumnType::Factor => ColumnValues::Factor(Vec::with_capacity(room)),
            ColumnType::Logical => ColumnValues::Logical(Vec::with_capacity(room)),
            ColumnType::Text => ColumnValues::Text(Text::with_room(room)),
        }
    }

    /// Returns the number of values in the column, including missing ones.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            ColumnValues::Integer(values) => values.len(),
            ColumnValues::Count(values) => values.len(),
            ColumnValues::Real(values) => values.len(),
            ColumnValues::Factor(codes) | ColumnValues::Logical(codes) => codes.len(),
            ColumnValues::Text(text) => text.ends.len(),
        }
    }

    /// Returns true if the column has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends `count` missing values to the column.
    pub fn extend_missing(&mut self, count: usize) {
        let len = self.len() + count;
        match self {
            ColumnValues::Integer(values) => values.resize(len, NO_INTEGER),
            ColumnValues::Count(values) => values.resize(len, NO_COUNT),
            ColumnValues::Real(values) => values.resize(len, f64::NAN),
            ColumnValues::Factor(codes) | ColumnValues::Logical(codes) => {
                codes.resize(len, NO_CODE)
            }
            ColumnValues::Text(text) => text.ends.resize(len, text.bytes.len() as u32),
        }
    }

    /// Returns a row's integer, factor index or truth value; `None` if missing or of another type.
    #[must_use]
    #[inline]
    pub fn whole(&self, row: usize) -> Option<i64> {
        match self {
            ColumnValues::Integer(values) => {
                Some(values[row]).filter(|&value| value != NO_INTEGER).map(i64::from)
            }
            ColumnValues::Count(values) => Some(values[row]).filter(|&value| value != NO_COUNT),
            ColumnValues::Factor(codes) | ColumnValues::Logical(codes) => {
                Some(codes[row]).filter(|&code| code != NO_CODE).map(i64::from)
            }
            ColumnValues::Real(_) | ColumnValues::Text(_) => None,
        }
    }

    fn extend(&mut self, other: &ColumnValues, range: Range<usize>) {
        match (self, other) {
            (ColumnValues::Integer(to), ColumnValues::Integer(from)) => {
                to.extend_from_slice(&from[range]);
            }
            (ColumnValues::Count(to), ColumnValues::Count(from)) => {
                to.extend_from_slice(&from[range]);
            }
            (ColumnValues::Real(to), ColumnValues::Real(from)) => {
                to.extend_from_slice(&from[range]);
            }
            (ColumnValues::Factor(to), ColumnValues::Factor(from))
            | (ColumnValues::Logical(to), ColumnValues::Logical(from)) => {
                to.extend_from_slice(&from[range]);
            }
            (ColumnValues::Text(to), ColumnValues::Text(from)) => to.extend(from, range),
            // Columns of one table have the same types in all its rows.
            _ => {}
        }
    }

    /// Appends the next of `values` for each true in `present`, and a missing value for each false.
    pub(crate) fn extend_spread(&mut self, values: &ColumnValues, present: &[bool]) {
        fn spread<T: Copy>(to: &mut Vec<T>, from: &[T], present: &[bool], missing: T) {
            let mut from = from.iter();
            let mut next = |&here: &bool| {
                if here { from.next().copied().unwrap_or(missing) } else { missing }
            };
            to.extend(present.iter().map(&mut next));
        }
        match (self, values) {
            (ColumnValues::Integer(to), ColumnValues::Integer(from)) => {
                spread(to, from, present, NO_INTEGER);
            }
            (ColumnValues::Count(to), ColumnValues::Count(from)) => {
                spread(to, from, present, NO_COUNT);
            }
            (ColumnValues::Real(to), ColumnValues::Real(from)) => {
                spread(to, from, present, f64::NAN);
            }
            (ColumnValues::Factor(to), ColumnValues::Factor(from))
            | (ColumnValues::Logical(to), ColumnValues::Logical(from)) => {
                spread(to, from, present, NO_CODE);
            }
            (ColumnValues::Text(to), ColumnValues::Text(from)) => {
                let mut rows = 0..from.ends.len();
                for &here in present {
                    if let Some(row) = here.then(|| rows.next()).flatten() {
                        to.bytes.extend_from_slice(from.get(row));
                    }
                    to.end();
                }
            }
            // Columns of one table have the same types in all its rows.
            _ => {}
        }
    }

    /// Returns a row's value in the column as JSON: null if missing, a name if it is a factor.
    #[must_use]
    pub fn json(&self, column: &Column, row: usize) -> Value {
        match self {
            ColumnValues::Integer(values) => known(values[row], NO_INTEGER),
            ColumnValues::Count(values) => known(values[row], NO_COUNT),
            // JSON has no NaN; `json!` writes null.
            ColumnValues::Real(values) => json!(values[row]),
            ColumnValues::Factor(codes) => json!(column.levels.get(usize::from(codes[row]))),
            ColumnValues::Logical(codes) => {
                json!((codes[row] != NO_CODE).then_some(codes[row] == 1))
            }
            ColumnValues::Text(text) => {
                let text = String::from_utf8_lossy(text.get(row));
                json!(Some(text).filter(|text| !text.is_empty()))
            }
        }
    }

    /// Returns the column's values as floating-point numbers; missing values and texts are NaN.
    #[must_use]
    pub fn as_numbers(&self) -> Vec<f64> {
        let number = |value, missing| if missing { f64::NAN } else { value };
        match self {
            ColumnValues::Integer(values) => {
                values.iter().map(|&v| number(v.into(), v == NO_INTEGER)).collect()
            }
            ColumnValues::Count(values) => {
                values.iter().map(|&v| number(v as f64, v == NO_COUNT)).collect()
            }
            ColumnValues::Real(values) => values.clone(),
            ColumnValues::Factor(codes) | ColumnValues::Logical(codes) => {
                codes.iter().map(|&code| number(code.into(), code == NO_CODE)).collect()
            }
            ColumnValues::Text(text) => vec![f64::NAN; text.ends.len()],
        }
    }

    /// Returns, per given row, 1 if the column has a value there and 0 if it is missing.
    #[must_use]
    pub fn presence(&self, rows: Range<usize>) -> Vec<i16> {
        fn marks_of<T>(values: &[T], is_there: impl Fn(&T) -> bool) -> Vec<i16> {
            let mut present = vec![0; values.len()];
            for (k, value) in values.iter().enumerate() {
                present[k] = i16::from(is_there(value));
            }
            present
        }
        match self {
            ColumnValues::Integer(values) => marks_of(&values[rows], |&value| value != NO_INTEGER),
            ColumnValues::Count(values) => marks_of(&values[rows], |&value| value != NO_COUNT),
            ColumnValues::Real(values) => marks_of(&values[rows], |value| !value.is_nan()),
            ColumnValues::Factor(codes) | ColumnValues::Logical(codes) => {
                marks_of(&codes[rows], |&code| code != NO_CODE)
            }
            ColumnValues::Text(text) => {
                rows.map(|row| i16::from(!text.get(row).is_empty())).collect()
            }
        }
    }

    /// Returns a bit mask, lowest bit first, of the rows with a value; `None` if none is missing.
    #[must_use]
    pub fn presence_bits(&self) -> Option<Vec<u8>> {
        fn bits_of<T>(values: &[T], is_there: impl Fn(&T) -> bool) -> Option<Vec<u8>> {
            // Loops without an early end are compiled to vector instructions.
            let all = |chunk: &[T]| chunk.iter().fold(true, |all, value| all & is_there(value));
            if values.chunks(256).all(all) {
                return None;
            }
            let bits = |chunk: &[T]| {
                let bit = |(index, value)| u8::from(is_there(value)) << index;
                chunk.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
            };
            Some(values.chunks(8).map(bits).collect())
        }
        match self {
            ColumnValues::Integer(values) => bits_of(values, |&value| value != NO_INTEGER),
            ColumnValues::Count(values) => bits_of(values, |&value| value != NO_COUNT),
            ColumnValues::Real(values) => bits_of(values, |value| !value.is_nan()),
            ColumnValues::Factor(codes) | ColumnValues::Logical(codes) => {
                bits_of(codes, |&code| code != NO_CODE)
            }
            ColumnValues::Text(text) => {
                let starts = [0].iter().chain(&text.ends);
                let lengths: Vec<u32> =
                    text.ends.iter().zip(starts).map(|(end, start)| end - start).collect();
                bits_of(&lengths, |&length| length > 0)
            }
        }
    }

    fn parts(&self) -> [&[u8]; 2] {
        match self {
            ColumnValues::Integer(values) => [&[], bytemuck::cast_slice(values)],
            ColumnValues::Count(values) => [&[], bytemuck::cast_slice(values)],
            ColumnValues::Real(values) => [&[], bytemuck::cast_slice(values)],
            ColumnValues::Factor(codes) | ColumnValues::Logical(codes) => [&[], codes],
            ColumnValues::Text(text) => [&text.bytes, bytemuck::cast_slice(&text.ends)],
        }
    }

    fn from_parts(kind: ColumnType, [texts, fixed]: [&[u8]; 2]) -> ColumnValues {
        // Values are copied one by one, since the bytes may not be aligned for their type.
        match kind {
            ColumnType::Integer => ColumnValues::Integer(pod_collect_to_vec(fixed)),
            ColumnType::Count => ColumnValues::Count(pod_collect_to_vec(fixed)),
            ColumnType::Real => ColumnValues::Real(pod_collect_to_vec(fixed)),
            ColumnType::Factor => ColumnValues::Factor(fixed.to_vec()),
            ColumnType::Logical => ColumnValues::Logical(fixed.to_vec()),
            ColumnType::Text => {
                ColumnValues::Text(Text { bytes: texts.to_vec(), ends: pod_collect_to_vec(fixed) })
            }
        }
    }
}

/// Rows of a table in memory, stored column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Values of the table's columns, all of one length.
    pub columns: Vec<ColumnValues>,
}

impl Rows {
    /// Creates a table that has the given columns and no rows.
    pub fn new<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Rows {
        Rows::with_room(columns, 0)
    }

    /// Creates a table without rows that has the given columns and memory for `room` rows.
    pub fn with_room<'a>(columns: impl IntoIterator<Item = &'a Column>, room: usize) -> Rows {
        let values = columns.into_iter().map(|column| ColumnValues::new(column.kind, room));
        Rows { columns: values.collect() }
    }

    /// Creates the rows of a table from its columns, which have one value per row.
    #[must_use]
    pub fn from_columns(columns: impl Into<Vec<ColumnValues>>) -> Rows {
        Rows { columns: columns.into() }
    }

    /// Returns the number of the table's rows.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, ColumnValues::len)
    }

    /// Returns true if the table has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the rows `range` of `other`, a table with the same columns.
    pub fn extend(&mut self, other: &Rows, range: Range<usize>) {
        for (to, from) in self.columns.iter_mut().zip(&other.columns) {
            to.extend(from, range.clone());
        }
    }

    /// Returns the size of the table's values in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.columns.iter().flat_map(ColumnValues::parts).map(<[u8]>::len).sum()
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size() + 16 * self.columns.len());
        for part in self.columns.iter().flat_map(ColumnValues::parts) {
            // Native byte order suffices, since only this process reads the bytes.
            bytes.extend((part.len() as u64).to_ne_bytes());
            bytes.extend(part);
        }
        bytes
    }

    pub(crate) fn from_bytes(columns: &[Column], mut bytes: &[u8]) -> Rows {
        let mut part = || {
            let (len, rest) = bytes.split_at(8);
            let len = u64::from_ne_bytes(std::array::from_fn(|k| len[k])) as usize;
            let part;
            (part, bytes) = rest.split_at(len);
            part
        };
        let values =
            columns.iter().map(|column| ColumnValues::from_parts(column.kind, [part(), part()]));
        Rows { columns: values.collect() }
    }
}

#[derive(Clone, Debug)]
pub struct RowSlice {
    pub rows: Arc<Rows>,
    pub range: Range<usize>,
}

impl RowSlice {
    pub fn new(rows: Rows) -> RowSlice {
        RowSlice { range: 0..rows.len(), rows: Arc::new(rows) }
    }

    pub fn len(&self) -> usize {
        self.range.len()
    }

    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    pub fn take(&mut self, rows: usize) -> RowSlice {
        let middle = self.range.start + rows.min(self.len());
        let taken = RowSlice { rows: self.rows.clone(), range: self.range.start..middle };
        self.range.start = middle;
        taken
    }
}

/// Number of a log's rows that a worker thread collects before it passes them to the file's writer.
const CHUNK_ROWS: usize = 1 << 10;

pub trait Measurable {
    fn measured(&self) -> (&Board, &Move);
}

type Measure<S> = fn(&mut BatchFeatures, &[S]);

/// Encoder of records (of placements, for example) into rows of a table, with board features.
pub struct RowEncoder<S> {
    fields: Arc<Vec<Field<S>>>,
    measuring: Option<(BoardSize, Measure<S>)>,
}

impl<S> Clone for RowEncoder<S> {
    fn clone(&self) -> RowEncoder<S> {
        RowEncoder { fields: self.fields.clone(), measuring: self.measuring }
    }
}

impl<S> fmt::Debug for RowEncoder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowEncoder").field("columns", &self.names()).finish_non_exhaustive()
    }
}

impl<S> RowEncoder<S> {
    /// Creates an encoder of records into rows with columns `fields`, none of them board features.
    #[must_use]
    pub fn from_fields(fields: Vec<Field<S>>) -> RowEncoder<S> {
        RowEncoder { fields: Arc::new(fields), measuring: None }
    }

    /// Returns the descriptions of the columns in the encoder's rows.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        columns(&self.fields)
    }

    /// Returns the names of the columns in the encoder's rows.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        names_of(&self.fields, |_| true)
    }

    pub(crate) fn features(&self) -> impl Iterator<Item = Feature> {
        self.fields.iter().filter_map(Field::feature)
    }

    pub(crate) fn join_study(&mut self, condition: u64, all: &[Column]) {
        // The fields are not shared yet, since no worker has started.
        if let Some(fields) = Arc::get_mut(&mut self.fields) {
            join_study(fields, condition, all);
        }
    }

    /// Creates a builder that collects one worker's rows; `level` selects its SIMD instructions.
    #[must_use]
    pub fn rows(&self, level: Level) -> RowBuilder<S> {
        let features: Vec<Feature> = self.features().collect();
        let measuring = self.measuring.filter(|_| !features.is_empty());
        RowBuilder {
            measuring: measuring
                .map(|(size, measure)| (BatchFeatures::new(size, &features, level), measure)),
            surfaces: Surfaces::new(level),
            waiting: Vec::with_capacity(BatchFeatures::LANES),
            rows: empty(&self.fields),
            fields: self.fields.clone(),
        }
    }
}

impl<S: Measurable> RowEncoder<S> {
    pub(crate) fn measuring(fields: Vec<Field<S>>, size: BoardSize) -> RowEncoder<S> {
        // A function pointer called per row would cost time, so there is one call per batch.
        let measure: Measure<S> = |features, rows| features.measure(rows.iter().map(S::measured));
        RowEncoder { fields: Arc::new(fields), measuring: Some((size, measure)) }
    }
}

pub struct RowBuilder<S> {
    fields: Arc<Vec<Field<S>>>,
    measuring: Option<(BatchFeatures, Measure<S>)>,
    surfaces: Surfaces,
    waiting: Vec<S>,
    rows: Rows,
}

impl<S> RowBuilder<S> {
    #[inline]
    pub fn push(&mut self, row: S) {
        self.waiting.push(row);
        if self.waiting.len() == BatchFeatures::LANES {
            self.fill();
        }
    }

    pub fn is_full(&self) -> bool {
        self.len() >= CHUNK_ROWS
    }

    pub fn len(&self) -> usize {
        self.rows.len() + self.waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn take(&mut self) -> Rows {
        self.fill();
        std::mem::replace(&mut self.rows, empty(&self.fields))
    }

    fn fill(&mut self) {
        if let Some((features, measure)) = &mut self.measuring {
            measure(features, &self.waiting);
        }
        let features = self.measuring.as_ref().map(|(features, _)| features);
        fill(&self.fields, &self.waiting, features, &mut self.surfaces, &mut self.rows);
        self.waiting.clear();
    }
}

fn empty<S>(fields: &[Field<S>]) -> Rows {
    Rows::with_room(fields.iter().map(|field| &field.column), CHUNK_ROWS + BatchFeatures::LANES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> ColumnValues {
        let mut all = Text::default();
        for text in texts {
            all.bytes.extend(text.as_bytes());
            all.end();
        }
        ColumnValues::Text(all)
    }

    #[test]
    fn rows_survive_a_temporary_file_and_come_in_pieces() {
        let kinds = [
            ColumnType::Integer,
            ColumnType::Count,
            ColumnType::Real,
            ColumnType::Factor,
            ColumnType::Logical,
            ColumnType::Text,
        ];
        let columns = kinds.map(|kind| Column::new("x", kind, "-", ""));
        let rows = Rows {
            columns: vec![
                ColumnValues::Integer(vec![7, NO_INTEGER, -3]),
                ColumnValues::Count(vec![1 << 40, 2, NO_COUNT]),
                ColumnValues::Real(vec![0.5, -1.0, 2.0]),
                ColumnValues::Factor(vec![1, NO_CODE, 0]),
                ColumnValues::Logical(vec![1, 0, 1]),
                texts(&["ab", "", "cde"]),
            ],
        };
        let presence: Vec<_> = rows.columns.iter().map(|values| values.presence(0..3)).collect();
        let expected: [[i16; 3]; 6] =
            [[1, 0, 1], [1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 1, 1], [1, 0, 1]];
        assert_eq!(presence, expected);
        let bits: Vec<_> = rows.columns.iter().map(ColumnValues::presence_bits).collect();
        let expected = [Some(0b101), Some(0b011), None, Some(0b101), None, Some(0b101)];
        assert_eq!(bits, expected.map(|bits| bits.map(|bits| vec![bits])));
        assert_eq!(Rows::from_bytes(&columns, &rows.to_bytes()), rows);
        let mut joined = Rows::new(&columns);
        joined.extend(&rows, 0..1);
        joined.extend(&rows, 1..3);
        assert_eq!(joined, rows);
        let mut piece = RowSlice::new(rows);
        let first = piece.take(2);
        assert_eq!((first.range, piece.range.clone(), piece.take(9).len()), (0..2, 2..3, 1));
        assert!(piece.is_empty());
    }
}
