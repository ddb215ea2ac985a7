//! Parquet tables that other programs wrote: their own columns are kept with their types or refused
//! by name. tests/messages/foreign-tables.md has the dialects of CSV.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RowAccessor;
use parquet::schema::parser::parse_message_type;

use crate::annotate::{csv_cells, parquet_cells};
use crate::common::{document, done, folder, read, rows, tetrastat, text};

/// Values of a column that are present.
enum Column<'a> {
    Texts(&'a [&'a [u8]]),
    Int32s(&'a [i32]),
    Int64s(&'a [i64]),
    Floats(&'a [f32]),
    Doubles(&'a [f64]),
    Bools(&'a [bool]),
}
use Column::{Bools, Doubles, Floats, Int32s, Int64s, Texts};

/// Writes a Parquet table. Each column has a type and a name, values, and which of its rows have a
/// value if it is optional.
fn parquet(path: &Path, columns: &[(&str, Column, Option<&[i16]>)]) {
    let fields: String = columns
        .iter()
        .map(|(field, _, levels)| {
            format!("{} {field};", if levels.is_some() { "optional" } else { "required" })
        })
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message t {{ {fields} }}")).unwrap());
    // The default compression of pandas and pyarrow.
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (_, column, levels) in columns {
        let mut writer = group.next_column().unwrap().unwrap();
        macro_rules! put {
            ($Type:ty, $values:expr) => {
                writer.typed::<$Type>().write_batch($values, *levels, None)
            };
        }
        let written = match column {
            Texts(texts) => {
                let texts = texts.iter().map(|text| ByteArray::from(text.to_vec()));
                put!(ByteArrayType, &texts.collect::<Vec<_>>())
            }
            Int32s(values) => put!(Int32Type, values),
            Int64s(values) => put!(Int64Type, values),
            Floats(values) => put!(FloatType, values),
            Doubles(values) => put!(DoubleType, values),
            Bools(values) => put!(BoolType, values),
        };
        written.unwrap();
        writer.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

/// Writes a table of one placement of a piece with two more columns.
fn placement(path: &Path, piece: &[u8], column: (&str, Column), more: (&str, Column)) {
    parquet(
        path,
        &[
            ("binary board_before (UTF8)", Texts(&[b"..../..../..../###."]), None),
            ("binary piece (UTF8)", Texts(&[piece]), None),
            ("int64 orientation", Int64s(&[0]), None),
            (column.0, column.1, None),
            (more.0, more.1, None),
        ],
    );
}

const WHOLE: (&str, Column) = ("int64 column", Int64s(&[3]));

/// Names of all columns in the code book.
fn known_columns() -> Vec<String> {
    let book = document("data/README.md");
    let name = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let is_column =
            ["integer", "count", "real", "factor", "text", "logical"].contains(cells.get(2)?);
        (is_column && !cells[1].contains([' ', '<', '{'])).then(|| cells[1].to_owned())
    };
    let mut names: Vec<String> = book.lines().filter_map(name).collect();
    names.sort();
    names.dedup();
    assert!(names.len() > 150, "{}", names.len());
    names
}

/// K2: no column is checked because another table of ours has one of that name.
#[test]
#[ignore = "long: 14 s"]
fn long_own_columns_may_have_any_name() {
    let folder = folder();
    let inputs =
        ["board_before", "board", "piece", "orientation", "column", "landing_row", "next_1"];
    for name in known_columns().iter().filter(|name| !inputs.contains(&&***name)) {
        let table = format!("board_before,piece,orientation,column,{name}\n000,T,0,0,S+ 1.2k\n");
        fs::write(folder.path().join("a.csv"), table).unwrap();
        done(folder.path(), "annotate a.csv --out o.csv --force");
        let row = &rows(&folder.path().join("o.csv"))[0];
        let value = row.get(&format!("{name}_input")).unwrap_or(&row[name]);
        assert_eq!(value, "S+ 1.2k", "{name}");
    }
}

/// K1, W2: types that are stored as numbers of another meaning.
#[test]
fn columns_of_other_types_are_refused_by_name() {
    let folder = folder();
    let path = folder.path().join("t.parquet");
    let refused = |piece: &[u8], column: (&str, Column), more: (&str, Column), words: &[&str]| {
        placement(&path, piece, column, more);
        let output = tetrastat(folder.path(), &["annotate", "t.parquet", "--out", "never.csv"]);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message} lacks {words:?}");
        // It is no table of ours, which a copy or another game would make good.
        assert!(!message.contains("restore it") && !message.contains("play it"), "{message}");
        assert!(!folder.path().join("never.csv").exists());
    };
    let more = |more: (&str, Column), words: &[&str]| refused(b"I", WHOLE, more, words);
    for kind in ["UINT_32", "DATE", "TIME_MILLIS", "DECIMAL(6,2)"] {
        let name = kind.split('(').next().unwrap();
        let field = format!("int32 mine ({kind})");
        more((&field, Int32s(&[1250])), &["column mine", name, "leave it out, or write it as"]);
    }
    for kind in ["UINT_64", "TIMESTAMP_MICROS", "TIME_MICROS", "DECIMAL(9,2)"] {
        let name = kind.split(['(', '_']).next().unwrap();
        let field = format!("int64 mine ({kind})");
        more((&field, Int64s(&[-1])), &["column mine", name, "leave it out"]);
        let column = format!("int64 column ({kind})");
        let words = ["column column", name, "write it as INT64"];
        refused(b"I", (&column, Int64s(&[3])), ("int64 mine", Int64s(&[1])), &words);
    }
    more(("float mine", Floats(&[0.5])), &["column mine", "FLOAT", "DOUBLE"]);
    more(("binary mine (JSON)", Texts(&[b"{}"])), &["column mine", "JSON"]);
    // The least integer stands for a missing value.
    let least = "column mine has the number -9223372036854775808";
    more(("int64 mine", Int64s(&[i64::MIN])), &[least, "correct the column"]);
    more(("int32 mine", Int32s(&[i32::MIN])), &["column mine has the number -2147483648"]);
    let half = ("double column", Doubles(&[0.5]));
    refused(
        b"I",
        half,
        ("int64 mine", Int64s(&[1])),
        &["row 1, column column", "0.5 is no integer"],
    );
    // A bad byte in a column that is read.
    let one = || ("int64 mine", Int64s(&[1]));
    let words = ["column piece has a text that is not UTF-8: correct the column"];
    refused(b"X\x80", WHOLE, one(), &words);
    let words = ["column piece has 'X', which is none of I O T S Z J L: correct the column"];
    refused(b"X", WHOLE, one(), &words);
    let latin = ("binary mine (UTF8)", Texts(&[b"M\xfcller"]));
    more(latin, &["column mine has a text that is not UTF-8"]);
    // Doubles that are whole are integers, and small integers keep their values.
    let small = ("int32 mine (UINT_16)", Int32s(&[65535]));
    placement(&path, b"I", ("double column", Doubles(&[3.0])), small);
    done(folder.path(), "annotate t.parquet --out o.csv --columns lines");
    let expected = "board_before,piece,orientation,column,mine,problem,lines\n\
        ..../..../..../###.,I,0,3,65535,NA,1\n";
    assert_eq!(read(folder.path(), "o.csv"), expected);
}

/// A table as other programs write it: 64-bit integers, optional columns, and types of their own.
#[test]
fn a_foreign_parquet_table_keeps_its_types() {
    let folder = folder();
    let board: &[u8] = b"..../..../..../###.";
    let both = Some(&[1, 1][..]);
    parquet(
        &folder.path().join("t.parquet"),
        &[
            ("binary board_before (UTF8)", Texts(&[board, board]), both),
            ("binary piece (UTF8)", Texts(&[b"I", b"I"]), both),
            ("int64 orientation", Int64s(&[0]), Some(&[1, 0])),
            ("int64 column", Int64s(&[3, 0]), both),
            ("boolean human", Bools(&[true, false]), None),
            ("double seconds", Doubles(&[1.5]), Some(&[0, 1])),
            ("binary piece_no (UTF8)", Texts(&[b"one", b"two"]), both),
            ("int64 problem", Int64s(&[7, 8]), both),
        ],
    );
    done(folder.path(), "annotate t.parquet --out a.csv --columns lines,rank");
    let expected = "\
board_before,piece,orientation,column,human,seconds,piece_no,problem_input,problem,lines,rank
..../..../..../###.,I,0,3,TRUE,NA,one,7,NA,1,2
..../..../..../###.,I,NA,0,FALSE,1.5,two,8,missing,NA,NA
";
    assert_eq!(read(folder.path(), "a.csv"), expected);
    done(folder.path(), "annotate t.parquet --out a.parquet --columns lines,rank");
    let [parquet, csv] = ["a.parquet", "a.csv"].map(|name| folder.path().join(name));
    assert_eq!(parquet_cells(&parquet), csv_cells(&csv));
}

/// K10: texts with commas and quotation marks go through Parquet, from it and into it.
#[test]
fn texts_may_have_commas_and_quotation_marks() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let note = ("binary note (UTF8)", Texts(&[b"Doe, \"John\""]));
    placement(&path("t.parquet"), b"I", WHOLE, note);
    let line = "..../..../..../###.,I,0,3,\"Doe, \"\"John\"\"\"";
    done(folder.path(), "annotate t.parquet --out a.csv --columns lines");
    assert_eq!(read(folder.path(), "a.csv").lines().nth(1), Some(&*format!("{line},NA,1")));
    fs::write(path("b.csv"), format!("board_before,piece,orientation,column,note\n{line}\n"))
        .unwrap();
    for from in ["t.parquet", "b.csv"] {
        done(folder.path(), &format!("annotate {from} --out d.parquet --columns lines --force"));
        let reader = SerializedFileReader::new(File::open(path("d.parquet")).unwrap()).unwrap();
        let row = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
        assert_eq!(row.get_string(4).unwrap(), "Doe, \"John\"");
    }
}
