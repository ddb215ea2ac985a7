//! `tetrastat convert --columns --where --describe`, partitioned studies, and `tetrastat init`.

use std::fs::{self, File};
use std::path::Path;

use parquet::basic::{ColumnOrder, Type};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::common::{entries, folder, rows, tetrastat, text};

fn run(folder: &Path, args: &[&str]) -> String {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn play(folder: &Path, format: &str) {
    let play = ["simulate", "--board", "8x8", "--games", "4", "--max-pieces", "300"];
    run(folder, &[&play[..], &["--sample", "0", "--placements", format, "--out", "run"]].concat());
}

#[test]
fn a_table_is_extracted_alike_from_every_format() {
    let folder = folder();
    play(folder.path(), "parquet");
    let table = "run/placements.parquet";
    run(folder.path(), &["convert", table, "placements.csv.gz"]);
    let what = ["--columns", "piece_no,game,holes", "--where", "game<=1 and holes>0 and piece!=O"];
    let from = |table| run(folder.path(), &[&["convert", table, "-"][..], &what].concat());
    let extracted = from(table);
    assert_eq!(from("placements.csv.gz"), extracted);
    run(folder.path(), &[&["convert", table, "placements.csv"][..], &what].concat());
    assert_eq!(fs::read_to_string(folder.path().join("placements.csv")).unwrap(), extracted);
    assert!(extracted.starts_with("piece_no,game,holes\n") && extracted.lines().count() > 20);
}

/// A damaged page shows which columns are decoded: only those that are kept or compared, and of a row group in which
/// no row is kept only the compared ones.
#[test]
fn columns_and_row_groups_that_are_not_needed_are_not_decoded() {
    let folder = folder();
    play(folder.path(), "parquet");
    let table = folder.path().join("run/placements.parquet");
    let reader = SerializedFileReader::new(File::open(&table).unwrap()).unwrap();
    let columns = reader.metadata().row_group(0).columns();
    let holes = columns.iter().find(|column| column.column_path().string() == "holes").unwrap();
    let (start, length) = holes.byte_range();
    let mut bytes = fs::read(&table).unwrap();
    bytes[(start + length - 1) as usize] ^= 1;
    // Apart from its run, whose checksum would refuse it at once.
    fs::write(folder.path().join("placements.parquet"), bytes).unwrap();
    let convert = |args: &str| {
        let args = format!("convert placements.parquet - {args}");
        tetrastat(folder.path(), &args.split(' ').collect::<Vec<_>>())
    };
    for (args, rows) in [("--columns game,piece --where game<=1", 2..), ("--where game>9", 0..)] {
        let output = convert(args);
        assert!(output.status.success(), "{args}: {}", text(&output.stderr));
        assert!(rows.contains(&(text(&output.stdout).lines().count() - 1)), "{args}");
    }
    for args in ["--columns holes --where game<=1", "--columns game --where holes>=0"] {
        let output = convert(args);
        assert!(text(&output.stderr).contains("copy the file again"), "{args}");
        assert_eq!(output.status.code(), Some(2), "{args}");
    }
}

#[test]
fn logs_of_a_run_are_extracted_and_it_stays_one() {
    let folder = folder();
    play(folder.path(), "csv");
    let what = ["--format", "csv.zst", "--columns", "game,piece_no,holes", "--where", "game<2"];
    run(folder.path(), &[&["convert", "run", "part"][..], &what].concat());
    assert!(run(folder.path(), &["verify", "part"]).contains("placements.csv.zst"));
    let rows_of = |table: &str| rows(&folder.path().join(table));
    assert_eq!(rows_of("part/games.csv"), rows_of("run/games.csv"));
    run(folder.path(), &["convert", "part/placements.csv.zst", "placements.csv"]);
    let kept = rows_of("run/placements.csv").iter().filter(|row| *row["game"] < *"2").count();
    assert_eq!(rows_of("placements.csv").len(), kept);
    let other = tetrastat(folder.path(), &["convert", "run", "part", "--format", "csv.zst"]);
    assert!(text(&other.stderr).contains("extract"), "{}", text(&other.stderr));
    let none = ["convert", "run", "none", "--format", "csv", "--where", "depth>1"];
    assert!(text(&tetrastat(folder.path(), &none).stderr).contains("no log of the run"));
}

#[test]
fn a_study_becomes_one_partitioned_folder_whose_files_describe_themselves() {
    let folder = folder();
    let study = "controllers = [\"lee\", \"bcts\"]\nboards = [\"8x8\"]\nseed = 1\ngames = 2\nmax_pieces = 50\nplacements = \"parquet\"\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    run(folder.path(), &["study", "study.toml", "--out", "study"]);
    run(folder.path(), &["convert", "study", "parts", "--format", "parquet", "--describe"]);
    let part = folder.path().join("parts/placements/controller=lee");
    let files = entries(&part);
    assert_eq!(files.len(), 1);
    let reader = SerializedFileReader::new(File::open(&files[0]).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    let said =
        metadata.key_value_metadata().unwrap().iter().find(|pair| pair.key == "tetrastat:columns");
    let said: serde_json::Value =
        serde_json::from_str(said.unwrap().value.as_ref().unwrap()).unwrap();
    assert_eq!(said[0]["name"], "game");
    assert_eq!(said.as_array().unwrap().len(), metadata.schema().get_fields().len());
    assert!(metadata.num_rows() > 40);
    assert!(reader.get_row_iter(None).unwrap().all(|row| row.is_ok()));
}

/// What the footer of a Parquet file says under a key.
fn said(file: &Path, key: &str) -> Option<String> {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let pairs = reader.metadata().file_metadata().key_value_metadata()?;
    pairs.iter().find(|pair| pair.key == key)?.value.clone()
}

/// Polars before 1.43.2 reads no file whose footer has another order of values than that of the columns' types.
#[test]
fn footers_of_parquet_files_have_only_the_column_order_that_older_readers_know() {
    let folder = folder();
    play(folder.path(), "parquet");
    run(folder.path(), &["convert", "run/placements.parquet", "placements.parquet", "--describe"]);
    for name in ["run/placements.parquet", "placements.parquet"] {
        let reader = SerializedFileReader::new(File::open(folder.path().join(name)).unwrap());
        let metadata = reader.unwrap().metadata().file_metadata().clone();
        let columns = metadata.schema_descr().columns();
        assert!(columns.iter().any(|column| column.physical_type() == Type::DOUBLE), "{name}");
        let orders = metadata.column_orders().unwrap();
        assert_eq!(orders.len(), columns.len(), "{name}");
        for (order, column) in orders.iter().zip(columns) {
            assert!(
                matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_)),
                "{name}: column {} has {order:?}",
                column.name()
            );
        }
    }
}

/// Arrow's readers make factors and descriptions of it: whoever wrote the file, it is the same, and other columns have another.
#[test]
fn each_parquet_file_says_its_arrow_types() {
    let folder = folder();
    play(folder.path(), "parquet");
    let arrow = |name: &str| said(&folder.path().join(name), "ARROW:schema");
    let whole = arrow("run/placements.parquet").unwrap();
    assert!(whole.starts_with("/////"), "an encapsulated message begins with four bytes 0xff");
    run(folder.path(), &["convert", "run/placements.parquet", "placements.csv"]);
    run(folder.path(), &["convert", "placements.csv", "placements.parquet"]);
    assert_eq!(arrow("placements.parquet").as_ref(), Some(&whole));
    for part in ["1", "2"] {
        let shard = format!("--shard {part}/2 --out part-{part}");
        let play =
            "simulate --board 8x8 --games 4 --max-pieces 300 --sample 0 --placements parquet";
        run(folder.path(), &format!("{play} {shard}").split(' ').collect::<Vec<_>>());
    }
    run(folder.path(), &["merge", "part-1", "part-2", "--out", "merged"]);
    assert_eq!(arrow("merged/placements.parquet").as_ref(), Some(&whole));
    fs::create_dir(folder.path().join("part")).unwrap();
    let part = [
        "convert",
        "run/placements.parquet",
        "part/placements.parquet",
        "--columns",
        "piece,holes",
        "--describe",
    ];
    run(folder.path(), &part);
    assert!(arrow("part/placements.parquet").unwrap().len() < whole.len() / 4);
    let described = said(&folder.path().join("part/placements.parquet"), "tetrastat:columns");
    assert!(described.unwrap().contains("\"levels\":[\"I\""));
}

#[test]
fn a_folder_begins_with_a_study_that_runs() {
    let folder = folder();
    let said = run(folder.path(), &["init", "--template", "targets", "mine"]);
    assert!(said.contains("make -C mine"), "{said}");
    let mine = folder.path().join("mine");
    for file in ["study.toml", "report.Rmd", "Makefile", "_targets.R"] {
        assert!(mine.join(file).is_file(), "{file}");
    }
    run(&mine, &["study", "study.toml", "--out", "study"]);
    assert_eq!(rows(&mine.join("study/conditions.csv")).len(), 2);
    let again = tetrastat(folder.path(), &["init", "mine"]);
    assert!(text(&again.stderr).contains("not empty"), "{}", text(&again.stderr));
}
