//! `tetrastat annotate` on real files: logs get the values that they already have, and an
//! interruption leaves nothing. tests/messages: annotate.md and annotate-guideline.md have tables
//! that were worked out by hand, annotate-refused.md the mistakes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::Field;

use tetrastat::piece::Piece;
use tetrastat::rules::guideline::{Landing, RotationState};

use crate::common::{command, done, entries, folder, interrupt, read, rows, run, tetrastat, text};

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

const GUIDELINE: &str = "all,board_before,combo_before,rank,regret,best_piece,best_orientation,\
                         best_column,best_landing_row,d_holes";

/// Columns that a search fills.
const OF_SEARCH: [&str; 6] = ["candidates", "score", "rank2_score", "nodes", "rank", "regret"];

/// Logs of guideline games get the values that they already have: every column that is computed,
/// in every row. A row of a planned finish has no values of a search.
#[test]
fn a_guideline_log_is_annotated_to_its_own_values() {
    for run in [
        "--mode blitz --pieces 120",
        "--mode sprint --finisher 0",
        "--mode sprint --search beam --beam-width 4 --beam-depth 2",
        "--mode blitz --pieces 30 --search beam --beam-width 8 --beam-depth 3",
        "--mode endless --pieces 90 --kicks srs+ --half-turns --policy epsilon:0.3",
        "--mode endless --pieces 90 --no-hold --previews 2 --policy softmax:2",
        "--rules capstone --mode blitz --pieces 90 --policy misdrop:0.2",
    ] {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let rules = if run.contains("--rules") { "" } else { "--rules guideline" };
        let log = format!("--placements csv --columns {GUIDELINE} --out run");
        done(folder.path(), &format!("simulate {rules} {run} --seed 5 --games 3 {log}"));
        let annotate = |to: &str, more: &str| {
            let line =
                format!("annotate run/placements.csv --out {to} --columns {GUIDELINE} {more}");
            let output = tetrastat(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{run}");
        };
        annotate("a.csv", "--threads 1");
        annotate("b.csv", "--threads 3");
        assert_eq!(read(folder.path(), "a.csv"), read(folder.path(), "b.csv"));
        let (logged, annotated) = (rows(&at("run/placements.csv")), rows(&at("a.csv")));
        assert_eq!(logged.len(), annotated.len());
        let mut same = 0;
        for (log, row) in logged.iter().zip(&annotated) {
            assert_eq!(row["problem"], "NA", "{run}: {log:?}");
            let is_planned = log["score"] == "NA";
            for (name, value) in log {
                let of_search = OF_SEARCH.contains(&&**name) || name.starts_with("best_");
                if !(of_search && is_planned) {
                    assert_eq!(&row[name], value, "{run}: {name} in {log:?}");
                }
                same += usize::from(row.get(&format!("{name}_input")) == Some(value));
            }
        }
        assert!(same > 60 * logged.len(), "{run}: {same} of {}", logged.len());
    }
}

/// Writes the rows of a log in the columns of the set *Tetr.io Top Players Replays*. `letters` are
/// the names of J and L.
fn as_played_by_people(log: &[BTreeMap<String, String>], letters: [&str; 2]) -> String {
    let name = |piece: &str| match piece {
        "J" => letters[0].to_owned(),
        "L" => letters[1].to_owned(),
        "NA" => "N".to_owned(),
        piece => piece.to_owned(),
    };
    let mut table = "game_id,subframe,won,playfield,x,y,r,placed,hold,next,cleared,\
                     garbage_cleared,attack,t_spin,btb,combo,immediate_garbage,incoming_garbage,\
                     rating,glicko,glicko_rd\n"
        .to_owned();
    for row in log {
        let piece: Piece = row["piece"].parse().unwrap();
        let state = RotationState::named(&row["orientation"]).unwrap();
        let [left, low] = ["column", "landing_row"].map(|name| row[name].parse().unwrap());
        let Landing { x, y, .. } = Landing::at(piece, state, left, low).unwrap();
        let cells = row["board_before"].split(':').flat_map(|cells| {
            let cells = u16::from_str_radix(cells, 16).unwrap();
            (0..10).map(move |column| if cells >> column & 1 == 1 { 'G' } else { 'N' })
        });
        let playfield = cells.collect::<String>();
        let next: String = (1..=5)
            .map(|k| row[&format!("next_{k}")].clone())
            .filter(|piece| piece != "NA")
            .map(|piece| name(&piece))
            .collect();
        let turn = ["N", "E", "S", "W"][state.index()];
        let spin = &row["t_spin"][..1].to_uppercase();
        let (placed, hold) = (name(&row["piece"]), name(&row["hold_after"]));
        let [game, time, lines, combo, attack] =
            ["game", "time_ms", "lines", "combo_before", "attack"].map(|name| &row[name]);
        let btb = u8::from(row["b2b_before"] == "TRUE");
        let playfield = playfield.trim_end_matches('N');
        table += &format!(
            "{game},{time},1,{playfield},{x},{y},{turn},{placed},{hold},{next},{lines},0,{attack},\
             {spin},{btb},{combo},0,0,25000,3000,60\n"
        );
    }
    table
}

/// A table of the form that people's games have gets the values of the log, whichever way it names
/// J and L. The ranks are those of the log except at the first hold, which such a table lacks.
#[test]
fn people_are_scored_like_a_log() {
    for search in ["greedy", "beam --beam-width 6 --beam-depth 2"] {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let log = format!("--placements csv --columns {GUIDELINE} --out run");
        let game = "--rules guideline --mode blitz --pieces 100 --seed 8 --games 4";
        done(folder.path(), &format!("simulate {game} --search {search} {log}"));
        let logged = rows(&at("run/placements.csv"));
        for (letters, note) in [(["J", "L"], ""), (["L", "J"], "J and L are exchanged")] {
            std::fs::write(at("people.csv"), as_played_by_people(&logged, letters)).unwrap();
            let line = format!(
                "annotate people.csv --rules guideline --search {search} --out a.csv --force \
                 --columns {GUIDELINE}"
            );
            let output = tetrastat(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{told}");
            assert!(told.starts_with(note) && told.lines().count() < 2, "{told}");
            assert_eq!(told.is_empty(), note.is_empty(), "{told}");
            let annotated = rows(&at("a.csv"));
            assert_eq!(logged.len(), annotated.len());
            for (log, row) in logged.iter().zip(&annotated) {
                assert_eq!(row["problem"], "NA");
                let first_hold = log["hold_before"] == "NA" && log["used_hold"] == "TRUE";
                let last = log["piece_no"] == "100" || log["piece_no"] == "99";
                for (name, value) in log {
                    let of_search = OF_SEARCH.contains(&&**name) || name.starts_with("best_");
                    let is_computed = row.contains_key(name) && !name.starts_with("hold");
                    if is_computed && !(of_search && (first_hold || last)) {
                        assert_eq!(&row[name], value, "{search}: {name} in {log:?}");
                    }
                }
                assert_eq!(row["t_spin_input"], log["t_spin"][..1].to_uppercase());
            }
        }
    }
}

/// Every page of a fumen of a guideline game is a placement that the rules reach, with the rows and
/// the spin of the log. Cells alone say as much as orientation, column and row.
#[test]
fn fumens_and_cells_of_guideline_games_are_reached() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let log = format!("--placements csv --columns {GUIDELINE} --out run");
    let game = "--rules guideline --mode blitz --pieces 200 --seed 3 --games 1";
    done(folder.path(), &format!("simulate {game} {log}"));
    let logged = rows(&at("run/placements.csv"));
    let fumen = run(folder.path(), &["watch", "--replay", "run", "--to", "200", "--fumen"]);
    std::fs::write(at("game.txt"), fumen).unwrap();
    let header = "board_before,piece,cells\n".to_owned();
    let cells = logged.iter().fold(header, |table, row| {
        table + &format!("{},{},{}\n", row["board_before"], row["piece"], row["cells"])
    });
    std::fs::write(at("cells.csv"), cells).unwrap();
    for from in ["game.txt", "cells.csv"] {
        let line = format!("annotate {from} --rules guideline --out a.csv --force");
        let output = tetrastat(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{from}");
        let annotated = rows(&at("a.csv"));
        assert_eq!(logged.len(), annotated.len());
        for (log, row) in logged.iter().zip(&annotated) {
            for name in ["orientation", "column", "landing_row", "t_spin", "lines", "input_keys"] {
                assert_eq!(row[name], log[name], "{from}: {name} in {log:?}");
            }
            assert_eq!(row["problem"], "NA");
        }
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
