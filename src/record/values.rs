//! Values of a table in typed columns: what workers hand to the files.

use super::{Column, Kind};

/// The values of one column, one per row. Missing values have a mark of their own in each type.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers of 32 bits.
    Integer(Vec<i32>),
    /// Whole numbers of 64 bits.
    Count(Vec<i64>),
    /// Fractions.
    Real(Vec<f64>),
    /// Places among the column's levels.
    Factor(Vec<u8>),
    /// 0 or 1.
    Logical(Vec<u8>),
    /// Texts.
    Text(Text),
}

/// Texts, end to end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    pub(super) bytes: Vec<u8>,
    /// Where each ends.
    pub(super) ends: Vec<u32>,
}

/// Missing [`Values::Integer`].
pub(super) const NO_INTEGER: i32 = i32::MIN;
/// Missing [`Values::Count`].
pub(super) const NO_COUNT: i64 = i64::MIN;
/// Missing [`Values::Factor`] or [`Values::Logical`].
pub(super) const NO_CODE: u8 = u8::MAX;

impl Text {
    /// Adds a text that `write` appends; one that appends nothing is missing.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len() as u32);
    }

    /// The text of a row; a missing one is empty.
    pub(super) fn get(&self, row: usize) -> &[u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[row] as usize]
    }
}

impl Values {
    /// An empty column.
    #[must_use]
    pub fn new(kind: Kind) -> Values {
        match kind {
            Kind::Integer => Values::Integer(Vec::new()),
            Kind::Count => Values::Count(Vec::new()),
            Kind::Real => Values::Real(Vec::new()),
            Kind::Factor => Values::Factor(Vec::new()),
            Kind::Logical => Values::Logical(Vec::new()),
            Kind::Text => Values::Text(Text::default()),
        }
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Values::Integer(values) => values.len(),
            Values::Count(values) => values.len(),
            Values::Real(values) => values.len(),
            Values::Factor(codes) | Values::Logical(codes) => codes.len(),
            Values::Text(text) => text.ends.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a row's value is missing.
    pub(super) fn is_missing(&self, row: usize) -> bool {
        match self {
            Values::Integer(values) => values[row] == NO_INTEGER,
            Values::Count(values) => values[row] == NO_COUNT,
            Values::Real(values) => values[row].is_nan(),
            Values::Factor(codes) | Values::Logical(codes) => codes[row] == NO_CODE,
            Values::Text(text) => text.get(row).is_empty(),
        }
    }

    /// Takes away the values from `row` on.
    fn split_off(&mut self, row: usize) -> Values {
        match self {
            Values::Integer(values) => Values::Integer(values.split_off(row)),
            Values::Count(values) => Values::Count(values.split_off(row)),
            Values::Real(values) => Values::Real(values.split_off(row)),
            Values::Factor(codes) => Values::Factor(codes.split_off(row)),
            Values::Logical(codes) => Values::Logical(codes.split_off(row)),
            Values::Text(text) => Values::Text(text.split_off(row)),
        }
    }

    /// The values as bytes, for a temporary file: fixed-width ones, and texts before them.
    fn parts(&self) -> [&[u8]; 2] {
        match self {
            Values::Integer(values) => [&[], bytemuck::cast_slice(values)],
            Values::Count(values) => [&[], bytemuck::cast_slice(values)],
            Values::Real(values) => [&[], bytemuck::cast_slice(values)],
            Values::Factor(codes) | Values::Logical(codes) => [&[], codes],
            Values::Text(text) => [&text.bytes, bytemuck::cast_slice(&text.ends)],
        }
    }

    fn from_parts(kind: Kind, [texts, fixed]: [&[u8]; 2]) -> Values {
        let collect = bytemuck::pod_collect_to_vec;
        match kind {
            Kind::Integer => Values::Integer(collect(fixed)),
            Kind::Count => Values::Count(bytemuck::pod_collect_to_vec(fixed)),
            Kind::Real => Values::Real(bytemuck::pod_collect_to_vec(fixed)),
            Kind::Factor => Values::Factor(fixed.to_vec()),
            Kind::Logical => Values::Logical(fixed.to_vec()),
            Kind::Text => Values::Text(Text {
                bytes: texts.to_vec(),
                ends: bytemuck::pod_collect_to_vec(fixed),
            }),
        }
    }
}

impl Text {
    fn split_off(&mut self, row: usize) -> Text {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let bytes = self.bytes.split_off(start as usize);
        let ends = self.ends.split_off(row).into_iter().map(|end| end - start);
        Text { bytes, ends: ends.collect() }
    }
}

/// Some rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Its columns, all of one length.
    pub columns: Vec<Values>,
}

impl Rows {
    /// No rows of a table with these columns.
    pub fn new<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Rows {
        Rows { columns: columns.into_iter().map(|column| Values::new(column.kind)).collect() }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Values::len)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes away the rows from `row` on.
    #[must_use]
    pub fn split_off(&mut self, row: usize) -> Rows {
        Rows { columns: self.columns.iter_mut().map(|values| values.split_off(row)).collect() }
    }

    /// Bytes of the values.
    #[must_use]
    pub fn size(&self) -> usize {
        self.columns.iter().flat_map(Values::parts).map(<[u8]>::len).sum()
    }

    /// The rows as bytes, for a temporary file of this process.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size() + 16 * self.columns.len());
        for part in self.columns.iter().flat_map(Values::parts) {
            bytes.extend((part.len() as u64).to_ne_bytes());
            bytes.extend(part);
        }
        bytes
    }

    /// What [`Rows::to_bytes`] wrote of a table with these columns.
    pub(super) fn from_bytes(columns: &[Column], mut bytes: &[u8]) -> Rows {
        let mut part = || {
            let (len, rest) = bytes.split_at(8);
            let len = u64::from_ne_bytes(std::array::from_fn(|k| len[k])) as usize;
            let part;
            (part, bytes) = rest.split_at(len);
            part
        };
        let values = columns.iter().map(|column| Values::from_parts(column.kind, [part(), part()]));
        Rows { columns: values.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Values {
        let mut all = Text::default();
        texts.iter().for_each(|text| all.push(|bytes| bytes.extend(text.as_bytes())));
        Values::Text(all)
    }

    #[test]
    fn rows_split_and_survive_a_temporary_file() {
        let kinds =
            [Kind::Integer, Kind::Count, Kind::Real, Kind::Factor, Kind::Logical, Kind::Text];
        let columns = kinds.map(|kind| Column::new("x", kind, "-", ""));
        let all = |n: usize| Rows {
            columns: vec![
                Values::Integer(vec![7, NO_INTEGER, -3][..n].to_vec()),
                Values::Count(vec![1 << 40, 2, NO_COUNT][..n].to_vec()),
                Values::Real(vec![0.5, -1.0, 2.0][..n].to_vec()),
                Values::Factor(vec![1, NO_CODE, 0][..n].to_vec()),
                Values::Logical(vec![1, 0, 1][..n].to_vec()),
                texts(&["ab", "", "cde"][..n]),
            ],
        };
        let mut rows = all(3);
        assert!(rows.columns[5].is_missing(1) && !rows.columns[5].is_missing(2));
        assert_eq!(Rows::from_bytes(&columns, &rows.to_bytes()), rows);
        let tail = rows.split_off(1);
        assert_eq!((rows, tail.len()), (all(1), 2));
        assert_eq!(tail.columns[5], texts(&["", "cde"]));
    }
}
