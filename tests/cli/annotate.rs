//! `tetrastat annotate` on real files: logs get the values that they already have, hand-made samples
//! have hand-worked values, and every mistake is one line.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;

use crate::common::{command, entries, folder, rows, tetrastat, text};

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Runs a command line that succeeds and returns stderr.
fn done(folder: &Path, line: &str) -> String {
    let output = tetrastat(folder, &words(line));
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stderr).to_owned()
}

fn sample(name: &str) -> String {
    format!("{}/data/annotate/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the header and the rows of a Parquet table in the form of CSV cells.
fn parquet_cells(path: &Path) -> Vec<Vec<String>> {
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

fn csv_cells(path: &Path) -> Vec<Vec<String>> {
    let table = fs::read_to_string(path).unwrap();
    table.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

const COLUMNS: &str = "all,board_before,rank,regret,best_orientation,best_column,d_holes,well_tied";

/// Logs of several controllers, boards, rules, searches and policies are annotated to the values
/// that they already have: every column that is computed, in every row.
#[test]
fn a_log_is_annotated_to_its_own_values() {
    for (number, run) in [
        "--controller bcts --board 10x20 --max-pieces 300",
        "--controller dt20 --board 8x10 --policy epsilon:0.1 --max-pieces 300",
        "--controller dellacherie --board 10x10 --rules standard --policy misdrop:0.2 --max-pieces 300",
        "--controller bdu --board 10x20 --search next --max-pieces 40",
        "--controller notebook-4 --board 10x10 --search next --policy epsilon:0.3 --max-pieces 40",
        "--controller lee --board 10x8 --search expect --max-pieces 15",
        "--controller el-tetris --board 6x12 --clear-on-overflow --max-pieces 300",
        "--controller bcts --board 16x28 --rules standard --reach-anywhere --policy softmax:20 --max-pieces 60",
    ]
    .into_iter()
    .enumerate()
    {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let seed = number + 3;
        let play = format!(
            "simulate {run} --seed {seed} --games 4 --sample 0 --placements csv --columns {COLUMNS}"
        );
        done(folder.path(), &format!("{play} --out run"));
        done(folder.path(), "convert run/placements.csv run/p.parquet");
        done(folder.path(), "convert run/placements.csv run/p.csv.zst");
        let annotate = |from: &str, to: &str, more: &str| {
            let line = format!("annotate run/{from} --out {to} --columns {COLUMNS} {more}");
            assert_eq!(done(folder.path(), &line), "", "{run}");
        };
        annotate("placements.csv", "a.csv", "--threads 1");
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
        for (from, to) in [("p.parquet", "b.csv"), ("p.csv.zst", "c.csv"), ("p.parquet", "d.parquet")]
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

/// The score is minus the height of the stack, so the values are worked out by hand.
#[test]
fn a_hand_made_table_has_hand_worked_values() {
    let folder = folder();
    let controller = "name = \"low\"\nmeasured = \"after-clear\"\n[weights]\nmax_height = -1.0\n";
    fs::write(folder.path().join("low.toml"), controller).unwrap();
    let columns = "minimal,lost,margin,candidates,rank,regret,best_orientation,best_column";
    let line = format!(
        "annotate {} --controller low.toml --out a.csv --columns {columns}",
        sample("human.csv")
    );
    let told = done(folder.path(), &line);
    assert_eq!(told, "1 of 6 rows have no values: 1 outside\n");
    let expected = "\
player,move,board_before,piece,orientation,column,next_1,problem,landing_row,lines,score,lost,margin,candidates,rank,regret,best_orientation,best_column
ada,1,..../..../..../###.,I,0,3,T,NA,0,1,-3,FALSE,-2,5,2,2,1,0
ada,2,..../..../..../###.,I,1,0,T,NA,1,1,-1,FALSE,2,5,1,0,1,0
ada,3,..../..../..../###.,I,0,0,T,NA,1,0,NA,TRUE,NA,5,3,NA,1,0
ben,1,..../..../#.../##..,O,0,2,I,NA,0,1,-1,FALSE,2,3,1,0,0,2
ben,2,..../..../#.../##..,T,2,2,I,NA,0,0,-3,FALSE,-2,10,3,2,3,1
ben,3,..../..../#.../##..,T,0,3,I,outside,NA,NA,NA,NA,NA,NA,NA,NA,NA,NA
";
    let header = expected.lines().next().unwrap();
    let table = fs::read_to_string(folder.path().join("a.csv")).unwrap();
    // The columns of a set come in the order in which they are named.
    let mut names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let mut known: Vec<&str> = header.split(',').collect();
    assert_eq!(names[..8], known[..8]);
    fs::write(folder.path().join("e.csv"), expected).unwrap();
    assert_eq!(rows(&folder.path().join("a.csv")), rows(&folder.path().join("e.csv")));
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
}

#[test]
fn the_pages_of_fumens_become_rows() {
    let folder = folder();
    let line = format!("annotate {} --out a.csv --columns lines,holes,score", sample("fumens.txt"));
    assert_eq!(done(folder.path(), &line), "1 of 7 rows have no values: 1 unreachable\n");
    let table = fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let without_score: Vec<&str> =
        table.lines().map(|line| line.rsplit_once(',').unwrap().0).collect();
    let expected = "\
line,page,board_before,piece,next_1,orientation,column,landing_row,fumen,problem,lines,holes
1,1,000,I,J,1,0,0,1,NA,0,0
1,2,00f,J,O,0,4,0,1,NA,0,0
1,3,07f:010,O,I,0,8,0,1,NA,0,0
1,4,37f:310,I,I,0,7,0,1,NA,1,0
1,5,390:080:080,I,O,1,4,3,1,NA,0,8
1,6,390:080:080:0f0,O,NA,0,5,0,1,unreachable,NA,NA
2,1,1ff:1ff:1ff,I,NA,0,9,0,1,NA,3,0";
    assert_eq!(without_score, expected.lines().collect::<Vec<_>>());
    // A fumen that is cut short, and no other.
    fs::write(folder.path().join("cut.txt"), "\nv115@vhAxOJvh\n").unwrap();
    refusal(folder.path(), "cut.txt", &["cut.txt has no fumen", "line 2: the fumen is damaged"]);
    fs::write(folder.path().join("not.txt"), "hello\n").unwrap();
    refusal(folder.path(), "not.txt", &["not.txt has no fumen", "line 1: ", "v115@"]);
}

/// Runs an annotation that is refused: one line with all words, and nothing is written.
fn refusal(folder: &Path, args: &str, remedies: &[&str]) {
    let before = entries(folder).len();
    let output = tetrastat(folder, &words(&format!("annotate {args} --out never.csv")));
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args}: {message}");
    assert_eq!(message.lines().count(), 1, "{args}: {message}");
    for remedy in remedies {
        assert!(message.contains(remedy), "{args}: {message} lacks {remedy}");
    }
    assert_eq!(entries(folder).len(), before, "{args} left something");
}

#[test]
fn placements_that_the_rules_do_not_have_name_their_problem() {
    let folder = folder();
    let table = "\
id,board,piece,orientation,column,landing_row
1,..../..../..../###.,I,0,3,0
2,..../..../..../###.,O,0,0,0
3,..../..../..../###.,O,0,0,2
4,..../##../..../....,O,0,0,0
5,..../..../..../####,O,0,0,1
6,#.../#.../#.../#...,O,0,2,0
7,..../..../..../###.,S,2,0,
8,..../..../..../###.,I,1,1,
9,..../..../..../###.,I,0,-1,
10,..../..../..../###.,I,0,3,-1
11,,I,0,3,0
12,..../..../..../###.,NA,0,3,0
13,..../..../..../###.,I,,3,0
14,1:1:1:1:1,O,0,2,0
";
    fs::write(folder.path().join("t.csv"), table).unwrap();
    let told = done(folder.path(), "annotate t.csv --out a.csv --columns score,landing_row,holes");
    let counts =
        "3 missing, 1 overflow, 1 full_row, 4 outside, 1 overlap, 1 floating, 1 unreachable";
    assert_eq!(told, format!("12 of 14 rows have no values: {counts}\n"));
    let rows = rows(&folder.path().join("a.csv"));
    let problems: Vec<&str> = rows.iter().map(|row| &*row["problem"]).collect();
    let expected = "NA overlap floating unreachable full_row NA outside outside outside outside \
        missing missing missing overflow";
    assert_eq!(problems, words(expected));
    // The board is the one before the placement, under the name that says so.
    assert_eq!(rows[0]["board_before"], "..../..../..../###.");
    for row in &rows {
        assert_eq!(row["holes"] == "NA", row["problem"] != "NA", "{row:?}");
    }
}

/// A spawn is blocked under standard rules, and a low stack hides a column from straight drops.
#[test]
fn the_rules_decide_which_placements_exist() {
    let folder = folder();
    let table = "board_before,piece,orientation,column\n\
        ......./......./......./...#.../...#.../...#.../...#...,I,1,0\n\
        ......./...#.../...#.../...#.../...#.../...#.../...#...,I,1,0\n";
    fs::write(folder.path().join("t.csv"), table).unwrap();
    for (rules, expected) in [("simplified", ["NA", "NA"]), ("standard", ["NA", "unreachable"])] {
        let line = format!("annotate t.csv --rules {rules} --out a.csv --columns score --force");
        done(folder.path(), &line);
        let rows = rows(&folder.path().join("a.csv"));
        assert_eq!([&*rows[0]["problem"], &*rows[1]["problem"]], expected, "{rules}");
    }
}

/// A table as other programs write it: 64-bit integers, optional columns, and types of their own.
#[test]
fn a_foreign_parquet_table_keeps_its_types() {
    let folder = folder();
    let schema = "message t { optional binary board_before (UTF8); optional binary piece (UTF8);
        optional int64 orientation; optional int64 column; required boolean human;
        optional double seconds; optional binary piece_no (UTF8); optional int64 problem; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let path = folder.path().join("t.parquet");
    let file = File::create(&path).unwrap();
    // The default compression of pandas and pyarrow.
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let texts = |texts: [&str; 2]| texts.map(ByteArray::from);
    let present = Some(&[1i16, 1][..]);
    macro_rules! column {
        ($Type:ty, $values:expr, $levels:expr) => {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<$Type>().write_batch(&$values, $levels, None).unwrap();
            column.close().unwrap();
        };
    }
    column!(ByteArrayType, texts(["..../..../..../###.", "..../..../..../###."]), present);
    column!(ByteArrayType, texts(["I", "I"]), present);
    column!(Int64Type, [0], Some(&[1i16, 0][..]));
    column!(Int64Type, [3, 0], present);
    column!(BoolType, [true, false], None);
    column!(DoubleType, [1.5], Some(&[0i16, 1][..]));
    column!(ByteArrayType, texts(["one", "two"]), present);
    column!(Int64Type, [7, 8], present);
    group.close().unwrap();
    writer.close().unwrap();
    done(folder.path(), "annotate t.parquet --out a.csv --columns lines,rank");
    let expected = "\
board_before,piece,orientation,column,human,seconds,piece_no,problem_input,problem,lines,rank
..../..../..../###.,I,0,3,TRUE,NA,one,7,NA,1,2
..../..../..../###.,I,NA,0,FALSE,1.5,two,8,missing,NA,NA
";
    assert_eq!(fs::read_to_string(folder.path().join("a.csv")).unwrap(), expected);
    done(folder.path(), "annotate t.parquet --out a.parquet --columns lines,rank");
    assert_eq!(
        parquet_cells(&folder.path().join("a.parquet")),
        csv_cells(&folder.path().join("a.csv"))
    );
    let schema = "message t { required float seconds; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = File::create(folder.path().join("f.parquet")).unwrap();
    SerializedFileWriter::new(file, schema, Default::default()).unwrap().close().unwrap();
    refusal(folder.path(), "f.parquet", &["column seconds", "FLOAT", "DOUBLE"]);
}

#[test]
fn mistakes_name_file_row_and_column() {
    let folder = folder();
    let good = fs::read_to_string(sample("human.csv")).unwrap();
    let board = "..../..../..../###.";
    for (number, (from, to, remedies)) in [
        ("I,0,3", "X,0,3", &["line 2", "'X' in column piece", "I O T S Z J L"][..]),
        ("I,0,3", "I,a,3", &["line 2", "'a' in column orientation is no integer"]),
        ("ada,1,", "ada,", &["line: 2", "6 fields"]),
        ("..../..../..../###.,I,0,3", "..x./..../..../###.,I,0,3", &["row 1, column board_before"]),
        ("..../..../..../###.,I,0,3", "7:g,I,0,3", &["row 1, column board_before", "'7:g'"]),
        (
            "..../..../..../###.,I,1,0",
            "...../..../..../###.,I,1,0",
            &["row 2, column board_before"],
        ),
        (
            "..../..../..../###.,I,1,0",
            "..../..../..../..../###.,I,1,0",
            &["row 2", "5 rows", "--board"],
        ),
        ("piece", "stone", &["no column piece"]),
        ("next_1", "piece", &["'piece' occurs twice"]),
        ("board_before,piece", "board,piece_no", &["no column board_before"]),
        ("player,move", "score,score_input", &["two columns score_input"]),
        (board, "", &["never"][..0]),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("t{number}.csv");
        fs::write(folder.path().join(&name), good.replacen(from, to, 1)).unwrap();
        if remedies.is_empty() {
            // A missing board is no mistake.
            done(folder.path(), &format!("annotate {name} --out fine.csv"));
            continue;
        }
        refusal(folder.path(), &name, &[&[&*name][..], remedies].concat());
    }
    let human = sample("human.csv");
    refusal(
        folder.path(),
        &format!("{human} --board 10x20"),
        &["row 1", "4 columns", "10x20 has 10"],
    );
    refusal(folder.path(), &format!("{human} --columns score,game"), &["unknown column 'game'"]);
    refusal(folder.path(), "nowhere.csv", &["nowhere.csv"]);
    refusal(folder.path(), "table.xlsx", &["'table.xlsx'", "parquet, txt, fumen"]);
    refusal(folder.path(), "game.ttrm", &["game.ttrm is a TETR.IO replay", "key presses"]);
    refusal(folder.path(), &format!("{human} --rules guideline"), &["simplified, standard"]);
    fs::write(folder.path().join("old.csv"), good.replace("next_1", "later")).unwrap();
    refusal(folder.path(), "old.csv --search next", &["no column next_1", "--search next"]);
    // An existing table is replaced only with --force.
    fs::write(folder.path().join("never.csv"), "kept").unwrap();
    refusal(folder.path(), &human, &["never.csv exists already", "--force"]);
    assert_eq!(fs::read_to_string(folder.path().join("never.csv")).unwrap(), "kept");
    done(folder.path(), &format!("annotate {human} --out never.csv --force"));
    assert_ne!(fs::read_to_string(folder.path().join("never.csv")).unwrap(), "kept");
}

/// An interrupted annotation ends with code 130 and leaves no file.
#[cfg(unix)]
#[test]
fn an_interruption_leaves_nothing() {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("t.csv")).status().unwrap().success());
    let child = command(folder.path(), &words("annotate t.csv --out a.csv"))
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = File::options().write(true).open(folder.path().join("t.csv")).unwrap();
    let rows = "..../..../..../###.,I,0,3\n".repeat(50_000);
    writeln!(input, "board_before,piece,orientation,column").unwrap();
    input.write_all(rows.as_bytes()).unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
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

/// Notes, links, lists and older fumens: bad lines are skipped and named, the others are read.
#[test]
fn fumens_are_read_as_people_keep_them() {
    let folder = folder();
    let kept = "# my openers, v115@vhA\n\nv115@vhAxOJ # an I\nhttps://fumen.zui.jp/?v115%40vhAxOJ\n\
                \"v115@vhAxOJ\", v110@7eAReI\nv115@vhAxOJvh\n- [link](https://x.org/?d115@vhAxOJ&a=1)\nhello\n";
    fs::write(folder.path().join("kept.txt"), kept).unwrap();
    let said = done(folder.path(), "annotate kept.txt --out a.csv --columns lines");
    assert!(said.starts_with("2 lines skipped: line 6: the fumen is damaged"), "{said}");
    assert!(said.contains("; line 8: no fumen of version 110 or 115"), "{said}");
    let table = fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let expected = "\
line,page,board_before,piece,next_1,orientation,column,landing_row,fumen,problem,lines
3,1,000,I,NA,1,0,0,1,NA,0
4,1,000,I,NA,1,0,0,1,NA,0
5,1,000,I,NA,1,0,0,1,NA,0
5,1,000,I,NA,1,3,0,2,NA,0
7,1,000,I,NA,1,0,0,1,NA,0
";
    assert_eq!(table, expected);
    refusal(folder.path(), "kept.txt --board 12x20", &["12x20", "10 columns"]);
}

/// Empty rows at the top of a picture may be left out, for `--board` and for 10x20.
#[test]
fn pictures_are_padded_to_the_board() {
    let folder = folder();
    let row = |picture: &str| format!("board_before,piece,orientation,column\n{picture},I,1,0\n");
    fs::write(folder.path().join("two.csv"), row("####....../####......")).unwrap();
    fs::write(folder.path().join("hex.csv"), row("00f:00f")).unwrap();
    for board in ["10x20", "10x12"] {
        for table in ["two", "hex"] {
            let line = format!("annotate {table}.csv --board {board} --out {table}-{board}.csv");
            done(folder.path(), &line);
        }
        let computed = |table: &str| {
            let text = fs::read_to_string(folder.path().join(format!("{table}-{board}.csv")));
            text.unwrap().lines().nth(1).unwrap().split_once(',').unwrap().1.to_owned()
        };
        assert_eq!(computed("two"), computed("hex"));
    }
    done(folder.path(), "annotate two.csv --out usual.csv");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("usual.csv"), read("two-10x20.csv"));
    refusal(folder.path(), "two.csv --board 12x20", &["10 columns", "12x20 has 12"]);
    fs::write(folder.path().join("high.csv"), row(&["#........."; 13].join("/"))).unwrap();
    refusal(folder.path(), "high.csv --board 10x12", &["13 rows", "10x12 has 12"]);
}
