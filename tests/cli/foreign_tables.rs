//! Tables that other programs wrote: their own columns are kept or refused by name, the dialects of
//! spreadsheets and data frames are read, and the rest is refused with the cause and a remedy.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RowAccessor;
use parquet::schema::parser::parse_message_type;

use crate::common::{folder, rows, tetrastat, text};

fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    let output = tetrastat(folder, &line.split_whitespace().collect::<Vec<_>>());
    (output.status.code(), text(&output.stderr).to_owned())
}

fn done(folder: &Path, line: &str) {
    let (code, message) = run(folder, line);
    assert_eq!(code, Some(0), "{line}: {message}");
}

/// Runs a command that is refused with one line of all words.
fn refused(folder: &Path, line: &str, words: &[&str]) {
    let (code, message) = run(folder, line);
    assert_eq!((code, message.lines().count()), (Some(2), 1), "{line}: {message}");
    for word in words {
        assert!(message.contains(word), "{line}: {message} lacks {word}");
    }
    assert!(!message.contains("restore it") && !message.contains("play it"), "{message}");
    assert!(!folder.join("never.csv").exists());
}

/// Writes a Parquet table of one placement. `column` is the type and the value of the column
/// `column`, and `more` are those of another column.
fn parquet<C: DataType, T: DataType>(
    path: &Path,
    (column_type, column): (&str, C::T),
    piece: &[u8],
    (more, value): (&str, T::T),
) {
    let schema = format!(
        "message t {{ required binary board_before (UTF8); required binary piece (UTF8);
            required int64 orientation; required {column_type}; required {more}; }}"
    );
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut writer =
        SerializedFileWriter::new(File::create(path).unwrap(), schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    macro_rules! put {
        ($Type:ty, $value:expr) => {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<$Type>().write_batch(&[$value], None, None).unwrap();
            column.close().unwrap();
        };
    }
    put!(ByteArrayType, ByteArray::from("..../..../..../###."));
    put!(ByteArrayType, ByteArray::from(piece.to_vec()));
    put!(Int64Type, 0);
    put!(C, column);
    put!(T, value);
    group.close().unwrap();
    writer.close().unwrap();
}

/// Names of all columns in the code book.
fn known_columns() -> Vec<String> {
    let path = format!("{}/data/README.md", env!("CARGO_MANIFEST_DIR"));
    let book = fs::read_to_string(path).unwrap();
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
    let whole = || ("int64 column", 3);
    let check =
        |words: &[&str]| refused(folder.path(), "annotate t.parquet --out never.csv", words);
    for kind in ["UINT_32", "DATE", "TIME_MILLIS", "DECIMAL(6,2)"] {
        let more = format!("int32 mine ({kind})");
        parquet::<Int64Type, Int32Type>(&path, whole(), b"I", (&more, 1250));
        check(&["column mine", kind.split('(').next().unwrap(), "leave it out, or write it as"]);
    }
    for kind in ["UINT_64", "TIMESTAMP_MICROS", "TIME_MICROS", "DECIMAL(9,2)"] {
        let more = format!("int64 mine ({kind})");
        parquet::<Int64Type, Int64Type>(&path, whole(), b"I", (&more, -1));
        check(&["column mine", kind.split(['(', '_']).next().unwrap(), "leave it out"]);
        let more = format!("int64 column ({kind})");
        parquet::<Int64Type, Int64Type>(&path, (&more, 3), b"I", ("int64 mine", 1));
        check(&["column column", kind.split(['(', '_']).next().unwrap(), "write it as INT64"]);
    }
    parquet::<Int64Type, FloatType>(&path, whole(), b"I", ("float mine", 0.5));
    check(&["column mine", "FLOAT"]);
    parquet::<Int64Type, ByteArrayType>(&path, whole(), b"I", ("binary mine (JSON)", "{}".into()));
    check(&["column mine", "JSON"]);
    // The least integer stands for a missing value.
    parquet::<Int64Type, Int64Type>(&path, whole(), b"I", ("int64 mine", i64::MIN));
    check(&["column mine has the number -9223372036854775808", "correct the column"]);
    parquet::<Int64Type, Int32Type>(&path, whole(), b"I", ("int32 mine", i32::MIN));
    check(&["column mine has the number -2147483648"]);
    parquet::<DoubleType, Int64Type>(&path, ("double column", 0.5), b"I", ("int64 mine", 1));
    check(&["row 1, column column", "0.5 is no integer"]);
    // A bad byte in a column that is read.
    parquet::<Int64Type, Int64Type>(&path, whole(), b"X\x80", ("int64 mine", 1));
    check(&["column piece has 'X", "none of I O T S Z J L: correct the column"]);
    let latin = ByteArray::from(b"M\xfcller".to_vec());
    parquet::<Int64Type, ByteArrayType>(&path, whole(), b"I", ("binary mine (UTF8)", latin));
    check(&["column mine has a text that is not UTF-8"]);
    // Doubles that are whole are integers, and small integers keep their values.
    parquet::<DoubleType, Int32Type>(
        &path,
        ("double column", 3.0),
        b"I",
        ("int32 mine (UINT_16)", 65535),
    );
    done(folder.path(), "annotate t.parquet --out o.csv --columns lines");
    let expected = "board_before,piece,orientation,column,mine,problem,lines\n\
        ..../..../..../###.,I,0,3,65535,NA,1\n";
    assert_eq!(fs::read_to_string(folder.path().join("o.csv")).unwrap(), expected);
}

/// K10: texts with commas and quotation marks go through every format.
#[test]
fn texts_may_have_commas_and_quotation_marks() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let note = ("binary note (UTF8)", "Doe, \"John\"".into());
    parquet::<Int64Type, ByteArrayType>(&path("t.parquet"), ("int64 column", 3), b"I", note);
    let line = "..../..../..../###.,I,0,3,\"Doe, \"\"John\"\"\"";
    done(folder.path(), "annotate t.parquet --out a.csv --columns lines");
    let table = fs::read_to_string(path("a.csv")).unwrap();
    assert_eq!(table.lines().nth(1), Some(&*format!("{line},NA,1")));
    fs::write(path("b.csv"), table.replace(",problem,lines", "").replace(",NA,1", "")).unwrap();
    done(folder.path(), "annotate b.csv --out c.csv --columns lines");
    assert_eq!(fs::read_to_string(path("c.csv")).unwrap(), table);
    for from in ["t.parquet", "b.csv"] {
        done(folder.path(), &format!("annotate {from} --out d.parquet --columns lines --force"));
        let reader = SerializedFileReader::new(File::open(path("d.parquet")).unwrap()).unwrap();
        let row = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
        assert_eq!(row.get_string(4).unwrap(), "Doe, \"John\"");
    }
}

#[test]
fn other_separators_and_encodings_are_named() {
    let folder = folder();
    let table = "board_before,piece,orientation,column,player\n000,T,0,0,Müller\n";
    let utf16: Vec<u8> =
        [0xfeff].into_iter().chain(table.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    for (bytes, words) in [
        (table.replace(',', ";").into_bytes(), &["semicolons", "with commas"][..]),
        (table.replace(',', "\t").into_bytes(), &["tabs", "with commas"]),
        (format!("sep=,\n{table}").into_bytes(), &["`sep=`", "delete this line"]),
        (utf16, &["UTF-16", "save it as UTF-8"]),
        (latin(table), &["line 2", "column player", "Latin-1", "save it as UTF-8"]),
        (latin(&table.replace("player", "Spieler für")), &["Latin-1", "save it as UTF-8"]),
        (Vec::new(), &["empty"]),
    ] {
        fs::write(folder.path().join("t.csv"), bytes).unwrap();
        refused(folder.path(), "annotate t.csv --out never.csv", &[&["t.csv"], words].concat());
    }
}

/// K3: a log as pandas, polars, DuckDB, R and Excel write it.
#[test]
fn a_log_of_other_programs_is_read() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let play =
        "simulate --board 10x10 --games 2 --max-pieces 40 --sample 0 --placements csv --out r";
    done(folder.path(), play);
    let log = fs::read_to_string(path("r/placements.csv")).unwrap();
    let names: Vec<&str> = log.lines().next().unwrap().split(',').collect();
    let as_others_write = |line: (usize, &str)| match line {
        (0, names) => format!("\"\",{names}\r\n"),
        (number, line) => {
            let cell = |(name, cell): (&&str, &str)| match cell {
                "NA" => String::new(),
                "TRUE" => "True".to_owned(),
                "FALSE" => "false".to_owned(),
                "I" | "T" => format!("\"{cell}\""),
                text if ["board", "cleared_rows"].contains(name) => text.to_owned(),
                whole if whole.parse::<i32>().is_ok() => format!("{whole}.0"),
                other => other.to_owned(),
            };
            let cells: Vec<String> = names.iter().zip(line.split(',')).map(cell).collect();
            format!("\"{number}\",{}\r\n", cells.join(","))
        }
    };
    let other: String = log.lines().enumerate().map(as_others_write).collect();
    fs::write(path("placements.CSV"), format!("\u{feff}{other}")).unwrap();
    done(folder.path(), "convert placements.CSV back.csv");
    let back = fs::read_to_string(path("back.csv")).unwrap();
    assert!(back.lines().eq(log.lines()), "{}", &back[..1000]);
    let table =
        "\u{feff},board_before,piece,orientation,column,perfect\n0,000,T,0.0,1e+00,false\n1,,,,,\n";
    fs::write(path("a.CSV"), table).unwrap();
    done(folder.path(), "annotate a.CSV --out o.csv --columns lines");
    let expected = "board_before,piece,orientation,column,perfect,problem,lines\n\
        000,T,0,1,false,NA,0\nNA,NA,NA,NA,NA,missing,NA\n";
    let annotated = fs::read_to_string(path("o.csv")).unwrap();
    assert_eq!(annotated, expected);
}

/// P3: the time grows with the number of columns, not with its square.
#[test]
fn a_table_may_have_100_000_columns() {
    let folder = folder();
    let names: String = (0..100_000).map(|k| format!(",c{k}")).collect();
    let table = format!(
        "board_before,piece,orientation,column{names}\n000,T,0,0{}\n",
        ",1".repeat(100_000)
    );
    fs::write(folder.path().join("t.csv"), table).unwrap();
    done(folder.path(), "annotate t.csv --out o.csv --columns lines");
    let table = fs::read_to_string(folder.path().join("o.csv")).unwrap();
    assert!(table.lines().all(|line| line.split(',').count() == 100_006));
}

/// K7: texts from Windows begin with a byte-order mark.
#[test]
fn every_text_may_begin_with_a_byte_order_mark() {
    let folder = folder();
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), format!("\u{feff}{text}")).unwrap();
    };
    write("b.txt", "....\n....\n....\n###.\n");
    done(folder.path(), "features --board-file b.txt --piece I");
    write("f.txt", "v115@vhAAgH\n");
    done(folder.path(), "annotate f.txt --out f.csv");
    write("c.toml", "name = \"low\"\nmeasured = \"after-clear\"\n[weights]\nmax_height = -1.0\n");
    done(folder.path(), "features --board-file b.txt --piece I --controller c.toml");
    write("s.txt", "IOTSZJL\n");
    done(
        folder.path(),
        "simulate --queue script --script s.txt --games 1 --max-pieces 7 --board 10x10 --out s",
    );
}
