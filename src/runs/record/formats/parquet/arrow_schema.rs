//! Arrow schema in a Parquet footer: types and descriptions of columns for Arrow's readers.
//!
//! Only the needed part of the schema message (Arrow's `format/Schema.fbs` and `Message.fbs`) is
//! written. The crate that writes all of it has about ten dependencies. A flatbuffer is written
//! forwards: each table precedes the values that it refers to.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use crate::record::{Column, ColumnType};

/// Key of the Arrow schema in a Parquet file's metadata.
pub(super) const KEY: &str = "ARROW:schema";

/// Number of `MetadataVersion.V5`, used since Arrow 1.0.
const VERSION: i16 = 4;
/// Number of `MessageHeader.Schema`.
const SCHEMA: u8 = 1;
/// Number of the type `Int` in Arrow's union `Type`.
const INT: u8 = 2;
/// Number of the type `FloatingPoint` in Arrow's union `Type`.
const FLOATING_POINT: u8 = 3;
/// Number of the type `Utf8` in Arrow's union `Type`.
const UTF8: u8 = 5;
/// Number of the type `Bool` in Arrow's union `Type`.
const BOOL: u8 = 6;
/// Number of `Precision.DOUBLE`.
const DOUBLE: i16 = 2;
/// First bytes of an encapsulated message.
const CONTINUES: [u8; 4] = [0xff; 4];

/// Returns the columns as an encapsulated schema message in base64. Factors are dictionaries, and
/// each field's metadata describes the column.
pub(super) fn arrow_schema(columns: &[Column]) -> String {
    let fields =
        columns.iter().zip(0..).map(|(column, number)| TableSlot::Of(field(column, number)));
    let schema = Node::Table(vec![TableSlot::None, TableSlot::Of(Node::Vector(fields.collect()))]);
    let message = [TableSlot::Short(VERSION), TableSlot::Byte(SCHEMA), TableSlot::Of(schema)];
    let mut flat = FlatbufferWriter { bytes: vec![0; 4] };
    let root = flat.write(&Node::Table(message.into()));
    flat.set_reference(0, root);
    flat.align(8);
    let length = (flat.bytes.len() as u32).to_le_bytes();
    BASE64_STANDARD.encode([&CONTINUES[..], &length, &flat.bytes].concat())
}

/// Builds the Arrow table `Field` of a column: name, nullable, type, dictionary, children,
/// metadata. `number` identifies the dictionary of a factor.
fn field(column: &Column, number: i64) -> Node {
    let whole = |bits| Node::Table(vec![TableSlot::Int(bits), TableSlot::Byte(1)]);
    let (member, kind) = match column.kind {
        ColumnType::Integer => (INT, whole(32)),
        ColumnType::Count => (INT, whole(64)),
        ColumnType::Real => (FLOATING_POINT, Node::Table(vec![TableSlot::Short(DOUBLE)])),
        ColumnType::Logical => (BOOL, Node::Table(Vec::new())),
        ColumnType::Factor | ColumnType::Text => (UTF8, Node::Table(Vec::new())),
    };
    let dictionary = Node::Table(vec![TableSlot::Long(number), TableSlot::Of(whole(32))]);
    let is_factor = column.kind == ColumnType::Factor;
    Node::Table(vec![
        TableSlot::Of(Node::Text(column.name.clone())),
        TableSlot::Byte((!column.is_required()).into()),
        TableSlot::Byte(member),
        TableSlot::Of(kind),
        if is_factor { TableSlot::Of(dictionary) } else { TableSlot::None },
        TableSlot::Of(Node::Vector(Vec::new())),
        TableSlot::Of(Node::Vector(describe(column))),
    ])
}

/// Returns the column's description as key-value pairs. The pairs include all levels, since a
/// dictionary contains only those that occur.
fn describe(column: &Column) -> Vec<TableSlot> {
    let levels =
        if column.levels.is_empty() { "-".into() } else { json!(column.levels).to_string() };
    let pairs = [
        ("description", &*column.meaning),
        ("unit", &*column.unit),
        ("levels", &*levels),
        ("missing", if column.is_required() { "-" } else { &*column.missing }),
    ];
    let text = |text: &str| TableSlot::Of(Node::Text(text.to_owned()));
    let pair = |(key, value)| TableSlot::Of(Node::Table(vec![text(key), text(value)]));
    pairs.into_iter().filter(|(_, value)| !matches!(*value, "" | "-")).map(pair).collect()
}

/// Object of a flatbuffer to which a reference can point.
enum Node {
    Table(Vec<TableSlot>),
    /// Vector of references.
    Vector(Vec<TableSlot>),
    Text(String),
}

/// Field of a table or element of a vector: absent, a number, or a reference to an object.
enum TableSlot {
    None,
    Byte(u8),
    Short(i16),
    Int(i32),
    Long(i64),
    Of(Node),
}

impl TableSlot {
    /// Returns the field's bytes in the table. A reference consists of zeros until `set_reference`
    /// sets it.
    fn bytes(&self) -> Vec<u8> {
        match self {
            TableSlot::None => Vec::new(),
            TableSlot::Byte(value) => vec![*value],
            TableSlot::Short(value) => value.to_le_bytes().into(),
            TableSlot::Int(value) => value.to_le_bytes().into(),
            TableSlot::Long(value) => value.to_le_bytes().into(),
            TableSlot::Of(_) => vec![0; 4],
        }
    }
}

struct FlatbufferWriter {
    bytes: Vec<u8>,
}

impl FlatbufferWriter {
    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    /// Sets the reference at position `at`, which is reserved for it, to position `to`.
    fn set_reference(&mut self, at: usize, to: usize) {
        self.bytes[at..at + 4].copy_from_slice(&((to - at) as u32).to_le_bytes());
    }

    /// Writes an object and everything that it refers to. Returns its position.
    fn write(&mut self, node: &Node) -> usize {
        match node {
            Node::Table(cells) => self.table(cells),
            Node::Vector(cells) => {
                let start = self.length(cells.len());
                let places: Vec<usize> = cells.iter().map(|cell| self.put(cell)).collect();
                self.write_references(cells, &places);
                start
            }
            Node::Text(text) => {
                let start = self.length(text.len());
                self.bytes.extend_from_slice(text.as_bytes());
                self.bytes.push(0);
                start
            }
        }
    }

    fn length(&mut self, length: usize) -> usize {
        self.align(4);
        self.bytes.extend_from_slice(&(length as u32).to_le_bytes());
        self.bytes.len() - 4
    }

    /// Writes a vtable, which holds both sizes and the offset of each field, and then the table.
    /// Returns the table's position.
    fn table(&mut self, cells: &[TableSlot]) -> usize {
        self.align(4);
        let vtable = self.bytes.len();
        self.bytes.resize(vtable + 4 + 2 * cells.len(), 0);
        self.align(4);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&((start - vtable) as i32).to_le_bytes());
        let places: Vec<usize> = cells.iter().map(|cell| self.put(cell)).collect();
        let sizes = [4 + 2 * cells.len(), self.bytes.len() - start];
        let offset = |(cell, place): (&TableSlot, &usize)| match cell {
            TableSlot::None => 0,
            _ => place - start,
        };
        let offsets = sizes.into_iter().chain(cells.iter().zip(&places).map(offset));
        for (slot, offset) in offsets.enumerate() {
            let at = vtable + 2 * slot;
            self.bytes[at..at + 2].copy_from_slice(&(offset as u16).to_le_bytes());
        }
        self.write_references(cells, &places);
        start
    }

    /// Writes a field, aligned to its size. Returns its position.
    fn put(&mut self, cell: &TableSlot) -> usize {
        let bytes = cell.bytes();
        self.align(bytes.len().max(1));
        self.bytes.extend(bytes);
        self.bytes.len() - cell.bytes().len()
    }

    /// Writes the objects to which the fields `cells` refer, and sets the references at `places`.
    fn write_references(&mut self, cells: &[TableSlot], places: &[usize]) {
        for (cell, &place) in cells.iter().zip(places) {
            if let TableSlot::Of(node) = cell {
                let to = self.write(node);
                self.set_reference(place, to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reader of a flatbuffer table, independent of the writer.
    #[derive(Clone, Copy)]
    struct Table<'a>(&'a [u8], usize);

    impl<'a> Table<'a> {
        fn number<const N: usize>(&self, at: usize) -> [u8; N] {
            assert_eq!(at % N, 0, "values are aligned");
            self.0[at..at + N].try_into().unwrap()
        }

        fn slot(&self, slot: usize) -> Option<usize> {
            let vtable = self.1 - i32::from_le_bytes(self.number(self.1)) as usize;
            let length = u16::from_le_bytes(self.number(vtable)) as usize;
            let at = vtable + 4 + 2 * slot;
            let offset = (at < vtable + length).then(|| u16::from_le_bytes(self.number(at)));
            offset.filter(|&offset| offset > 0).map(|offset| self.1 + offset as usize)
        }

        fn there(&self, at: usize) -> usize {
            at + u32::from_le_bytes(self.number(at)) as usize
        }

        fn table(&self, slot: usize) -> Option<Table<'a>> {
            self.slot(slot).map(|at| Table(self.0, self.there(at)))
        }

        fn tables(&self, slot: usize) -> Vec<Table<'a>> {
            let start = self.there(self.slot(slot).unwrap());
            let length = u32::from_le_bytes(self.number(start)) as usize;
            (1..=length).map(|k| Table(self.0, self.there(start + 4 * k))).collect()
        }

        fn text(&self, slot: usize) -> &'a str {
            let start = self.there(self.slot(slot).unwrap());
            let end = start + 4 + u32::from_le_bytes(self.number(start)) as usize;
            assert_eq!(self.0[end], 0);
            std::str::from_utf8(&self.0[start + 4..end]).unwrap()
        }

        fn byte(&self, slot: usize) -> u8 {
            self.0[self.slot(slot).unwrap()]
        }
    }

    #[test]
    fn what_is_written_is_a_schema_message() {
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
        let bytes = BASE64_STANDARD.decode(arrow_schema(&columns)).unwrap();
        assert_eq!(bytes[..4], CONTINUES);
        let flat = &bytes[8..];
        assert_eq!(flat.len(), u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize);
        assert_eq!(flat.len() % 8, 0);
        let message = Table(flat, Table(flat, 0).there(0));
        assert_eq!((message.byte(0), message.byte(1)), (4, 1));
        let fields = message.table(2).unwrap().tables(1);
        let found: Vec<_> =
            fields.iter().map(|field| (field.text(0), field.byte(1), field.byte(2))).collect();
        let expected = [
            ("game", 0, 2),
            ("piece", 1, 5),
            ("height", 0, 3),
            ("lost", 0, 6),
            ("holes", 0, 2),
            ("board", 0, 5),
        ];
        assert_eq!(found, expected);
        let bits = |field: &Table| {
            let whole = field.table(3).unwrap();
            (whole.byte(0), whole.byte(1))
        };
        assert_eq!((bits(&fields[0]), bits(&fields[4])), ((64, 1), (32, 1)));
        assert_eq!(fields[2].table(3).unwrap().byte(0), 2);
        let dictionaries: Vec<bool> = fields.iter().map(|field| field.table(4).is_some()).collect();
        assert_eq!(dictionaries, [false, true, false, false, false, false]);
        assert_eq!(fields[1].table(4).unwrap().table(1).unwrap().byte(0), 32);
        let metadata = |field: &Table<'_>| -> Vec<(String, String)> {
            let pairs = field.tables(6).into_iter();
            pairs.map(|pair| (pair.text(0).to_owned(), pair.text(1).to_owned())).collect()
        };
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let piece = [
            pair("description", "the piece"),
            pair("levels", "[\"I\",\"O\"]"),
            pair("missing", "no piece"),
        ];
        assert_eq!(metadata(&fields[1]), piece);
        assert_eq!(metadata(&fields[2]), [pair("unit", "rows")]);
    }
}
