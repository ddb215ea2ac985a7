//! The Parquet files that runs, `data convert`, `data merge` and partitioned studies write, read by another
//! library. tests/messages/extract.md has what is extracted.

use std::fs::{self, File};
use std::path::Path;

use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::{ColumnOrder, Type};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::common::{done, entries, fails, folder};

const PLAY: &str =
    "simulate --board 8x8 --games 4 --max-pieces 300 --sample 0 --placements parquet --out";

fn reader(folder: &Path, name: &str) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(folder.join(name)).unwrap()).unwrap()
}

/// Returns the value of a key in the footer of a Parquet file.
fn said(folder: &Path, name: &str, key: &str) -> String {
    let reader = reader(folder, name);
    let pairs = reader.metadata().file_metadata().key_value_metadata().unwrap();
    pairs.iter().find(|pair| pair.key == key).unwrap().value.clone().unwrap()
}

/// A damaged page shows which columns are decoded: only those that are kept or compared, and of a
/// row group in which no row is kept only the compared ones.
#[test]
fn columns_and_row_groups_that_are_not_needed_are_not_decoded() {
    let folder = folder();
    done(folder.path(), &format!("{PLAY} run"));
    let reader = reader(folder.path(), "run/placements.parquet");
    let columns = reader.metadata().row_group(0).columns();
    let holes = columns.iter().find(|column| column.column_path().string() == "holes").unwrap();
    let (start, length) = holes.byte_range();
    let mut bytes = fs::read(folder.path().join("run/placements.parquet")).unwrap();
    bytes[(start + length - 1) as usize] ^= 1;
    // Apart from its run, whose checksum would refuse it at once.
    fs::write(folder.path().join("placements.parquet"), bytes).unwrap();
    for (args, rows) in [("--columns game,piece --where game<=1", 2..), ("--where game>9", 0..)] {
        let printed = done(folder.path(), &format!("data convert placements.parquet - {args}"));
        assert!(rows.contains(&(printed.lines().count() - 1)));
    }
    for args in ["--columns holes --where game<=1", "--columns game --where holes>=0"] {
        let args = format!("data convert placements.parquet - {args}");
        fails(folder.path(), &args.split(' ').collect::<Vec<_>>(), &["copy the file again"]);
    }
}

#[test]
fn a_study_becomes_one_partitioned_folder_whose_files_describe_themselves() {
    let folder = folder();
    let study = "controllers = ['lee', 'bcts']\nboards = ['8x8']\ngames = 2\nmax_pieces = 50\nplacements = 'parquet'\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    done(folder.path(), "study study.toml --out study");
    done(folder.path(), "data convert study parts --format parquet");
    let part = folder.path().join("parts/placements/controller=lee");
    let [file] = &entries(&part)[..] else { panic!("{part:?}") };
    let file = file.to_str().unwrap();
    let reader = reader(folder.path(), file);
    let metadata = reader.metadata().file_metadata();
    let schema =
        parquet_to_arrow_schema(metadata.schema_descr(), metadata.key_value_metadata()).unwrap();
    assert_eq!(schema.fields().len(), metadata.schema().get_fields().len());
    let piece = schema.field_with_name("piece").unwrap().metadata();
    let said = |key: &str| piece.get(key).cloned();
    assert_eq!(said("description").as_deref(), Some("piece that was placed"));
    assert!(said("levels").unwrap().starts_with("[\"I\""));
    assert!(metadata.num_rows() > 40);
    assert!(reader.get_row_iter(None).unwrap().all(|row| row.is_ok()));
}

/// Arrow's readers make factors and descriptions of the schema: whoever wrote the file, it is the
/// same, and other columns have another. Polars before 1.43.2 reads no file whose footer has
/// another order of values than that of the columns' types.
#[test]
fn each_parquet_file_says_its_arrow_types_and_an_order_that_older_readers_know() {
    let folder = folder();
    fs::create_dir(folder.path().join("part")).unwrap();
    for line in [
        &format!("{PLAY} run"),
        "data convert run/placements.parquet placements.csv",
        "data convert placements.csv placements.parquet",
        &format!("{PLAY} part-1 --shard 1/2"),
        &format!("{PLAY} part-2 --shard 2/2"),
        "data merge part-1 part-2 --out merged",
        "data convert run/placements.parquet part/placements.parquet --columns piece,score",
    ] {
        done(folder.path(), line);
    }
    let arrow = |name: &str| said(folder.path(), name, "ARROW:schema");
    let whole = arrow("run/placements.parquet");
    assert!(whole.starts_with("/////"), "an encapsulated message begins with four bytes 0xff");
    assert_eq!(arrow("placements.parquet"), whole);
    assert_eq!(arrow("merged/placements.parquet"), whole);
    assert!(arrow("part/placements.parquet").len() < whole.len() / 4);
    for name in ["run/placements.parquet", "placements.parquet", "part/placements.parquet"] {
        let metadata = reader(folder.path(), name).metadata().file_metadata().clone();
        let columns = metadata.schema_descr().columns();
        assert!(columns.iter().any(|column| column.physical_type() == Type::DOUBLE), "{name}");
        let orders = metadata.column_orders().unwrap();
        assert_eq!(orders.len(), columns.len(), "{name}");
        for (order, column) in orders.iter().zip(columns) {
            let column = column.name();
            assert!(
                matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_)),
                "{name}: {column} {order:?}"
            );
        }
    }
}
