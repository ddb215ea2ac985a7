//! `tetrastat annotate` on real files: logs get the values that they already have, and an
//! interruption leaves nothing. tests/messages: annotate.md has tables that were worked out by
//! hand, annotate-refused.md the mistakes.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::Field;

use crate::common::{command, done, entries, folder, interrupt, read, rows, tetrastat, text};

/// Returns the header and the rows of a Parquet table in the form of CSV cells.
pub(crate) fn parquet_cells(path: &Path) -> Vec<Vec<String>> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let mut all =
        vec![schema.get_fields().iter().map(|field| field.name().to_owned()).collect::<Vec<_>>()];
    for row in reader.get_row_iter(None).unwrap() {
        let cell = |(_, field): (&String, &Field)| match field {
            Field::Null => "NA".to_owned(),
            Field::Bool(value) => value.to_string().to_uppercase(),
            Field::Str(value) => value.clone(),
            Field::Int(value) => value.to_string(),
            Field::Long(value) => value.to_string(),
            Field::Double(value) => value.to_string(),
            other => panic!("{other:?}"),
        };
        all.push(row.unwrap().get_column_iter().map(cell).collect());
    }
    all
}

pub(crate) fn csv_cells(path: &Path) -> Vec<Vec<String>> {
    let table = read(Path::new(""), path.to_str().unwrap());
    table.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

const COLUMNS: &str = "all,board_before,rank,regret,best_orientation,best_column,d_holes,well_tied";

/// Logs of several controllers, boards, rules, searches and policies are annotated to the values
/// that they already have: every column that is computed, in every row.
#[test]
fn a_log_is_annotated_to_its_own_values() {
    for (number, run) in [
        "--controller bcts --board 10x20 --max-pieces 150",
        "--controller dt20 --board 8x10 --policy epsilon:0.1 --max-pieces 150",
        "--controller dellacherie --board 10x10 --rules standard --policy misdrop:0.2 --max-pieces 150",
        "--controller bdu --board 10x20 --search next --max-pieces 40",
        "--controller notebook-4 --board 10x10 --search next --policy epsilon:0.3 --max-pieces 40",
        "--controller lee --board 10x8 --search expect --max-pieces 15",
        "--controller el-tetris --board 6x12 --clear-on-overflow --max-pieces 150",
        "--controller bcts --board 16x28 --rules standard --reach-anywhere --policy softmax:20 --max-pieces 60",
    ]
    .into_iter()
    .enumerate()
    {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let seed = number + 3;
        let log = format!("--placements csv --columns {COLUMNS} --out run");
        done(folder.path(), &format!("simulate {run} --seed {seed} --games 4 --sample 0 {log}"));
        for to in ["parquet", "csv.zst"] {
            done(folder.path(), &format!("data convert run/placements.csv run/placements.{to}"));
        }
        let annotate = |from: &str, to: &str, more: &str| {
            let line = format!("annotate run/placements.{from} --out {to} --columns {COLUMNS} {more}");
            let output = tetrastat(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{run}");
        };
        annotate("csv", "a.csv", "--threads 1");
        let (logged, annotated) = (rows(&at("run/placements.csv")), rows(&at("a.csv")));
        assert_eq!(logged.len(), annotated.len());
        let (mut same, mut own) = (0, 0);
        for (log, row) in logged.iter().zip(&annotated) {
            assert_eq!(row["problem"], "NA");
            for (name, value) in log {
                assert_eq!(&row[name], value, "{run}: {name} in {log:?}");
                // A column that was computed keeps its old values under another name.
                match row.get(&format!("{name}_input")) {
                    Some(input) => {
                        assert_eq!(input, value);
                        same += 1;
                    }
                    None => own += 1,
                }
            }
        }
        // Only the columns of the game and the given placement are not computed.
        assert_eq!(own % logged.len(), 0);
        assert!(own / logged.len() <= 12 && same > 50 * logged.len(), "{own} {same}");
        // Any format, and any number of threads.
        for (from, to) in [("parquet", "b.csv"), ("csv.zst", "c.csv"), ("parquet", "d.parquet")]
        {
            annotate(from, to, "--threads 3");
        }
        let expected = csv_cells(&at("a.csv"));
        for other in ["b.csv", "c.csv"] {
            assert_eq!(csv_cells(&at(other)), expected, "{run}: {other}");
        }
        assert_eq!(parquet_cells(&at("d.parquet")), expected, "{run}");
    }
}

/// An interrupted annotation ends with code 130 and leaves no file.
#[cfg(unix)]
#[test]
fn an_interruption_leaves_nothing() {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("t.csv")).status().unwrap().success());
    let child = command(folder.path(), &["annotate", "t.csv", "--out", "a.csv"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = File::options().write(true).open(folder.path().join("t.csv")).unwrap();
    let rows = "..../..../..../###.,I,0,3\n".repeat(50_000);
    writeln!(input, "board_before,piece,orientation,column").unwrap();
    input.write_all(rows.as_bytes()).unwrap();
    interrupt(&child);
    // The program reads on until it notices the signal, and then closes the pipe.
    for _ in 0..1000 {
        if input.write_all(rows.as_bytes()).is_err() {
            break;
        }
    }
    drop(input);
    let told = child.wait_with_output().unwrap();
    assert_eq!(told.status.code(), Some(130), "{}", text(&told.stderr));
    assert_eq!(text(&told.stderr), "interrupted: nothing is written\n");
    assert_eq!(entries(folder.path()), [folder.path().join("t.csv")]);
}
