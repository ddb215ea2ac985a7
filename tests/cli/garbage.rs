//! Tests of garbage rows at the start of games (`--garbage`): their draws, records, studies,
//! replays and refusals.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{folder, manifest, refused, rows, tetrastat, text};

/// Runs a command that succeeds and returns what it prints.
fn run(folder: &Path, line: &str) -> String {
    let output = tetrastat(folder, &line.split_whitespace().collect::<Vec<_>>());
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// Returns the board before the first placement of each game, as rows of bits from the floor.
fn starts(run: &Path) -> Vec<Vec<u16>> {
    let placements = rows(&run.join("placements.csv"));
    let first = placements.iter().filter(|row| row["piece_no"] == "1");
    let rows_of = |text: &str| -> Vec<u16> {
        let row = |row| u16::from_str_radix(row, 16).unwrap();
        text.split(':').map(row).filter(|row| *row != 0).collect()
    };
    first.map(|row| rows_of(&row["board_before"])).collect()
}

/// Returns the pieces of each game.
fn pieces(run: &Path) -> BTreeMap<String, String> {
    let mut pieces: BTreeMap<String, String> = BTreeMap::new();
    for row in rows(&run.join("placements.csv")) {
        pieces.entry(row["game"].clone()).or_default().push_str(&row["piece"]);
    }
    pieces
}

const LOG: &str =
    "--games 300 --max-pieces 3 --sample 0 --placements csv --columns minimal,board_before";

/// Each row has one hole, in each of ten columns equally often: 4.5 standard deviations of 180 are
/// 57. The seed is fixed; of 15,000 other seeds, about one would fail.
#[test]
fn every_game_has_its_own_holes_and_the_usual_pieces() {
    for game in
        ["", "--rules standard --board 10x12", "--rules guideline --mode endless --pieces 3"]
    {
        let folder = folder();
        let log = if game.contains("guideline") {
            LOG.replace("--max-pieces 3 --sample 0", "").replace("minimal", "all")
        } else {
            LOG.to_owned()
        };
        for garbage in [0, 4, 6] {
            run(
                folder.path(),
                &format!("simulate {game} --garbage {garbage} {log} --out g{garbage}"),
            );
        }
        let of = |name: &str| folder.path().join(name);
        let (four, six) = (starts(&of("g4")), starts(&of("g6")));
        assert_eq!(six.len(), 300);
        let mut holes = [0; 10];
        for (game, rows) in six.iter().enumerate() {
            assert_eq!((rows.len(), &rows[..4]), (6, &four[game][..]));
            for row in rows {
                let hole = !row & 0x3ff;
                assert_eq!(hole.count_ones(), 1);
                holes[hole.trailing_zeros() as usize] += 1;
            }
        }
        assert!(holes.iter().all(|count: &i32| (count - 180).abs() < 57), "{holes:?}");
        // With a hold, the pieces are placed in another order than they are dealt.
        if !game.contains("guideline") {
            assert_eq!(pieces(&of("g0")), pieces(&of("g6")));
        }
        assert_eq!(manifest(&of("g6"))["config"]["garbage"], 6);
        assert!(manifest(&of("g0"))["config"].get("garbage").is_none());
        run(folder.path(), "verify g6");
        // A replay that did not start from the garbage would find other landing rows.
        run(folder.path(), "watch --text --replay g6 --game 7");
    }
}

#[test]
fn garbage_is_an_axis_of_studies() {
    let folder = folder();
    let file = "controllers = [\"bcts\"]\ngarbage = [0, 6]\nboard = \"10x12\"\ngames = 100\n\
                max_pieces = 400\nplacements = \"none\"\n";
    std::fs::write(folder.path().join("s.toml"), file).unwrap();
    run(folder.path(), "study s.toml --out s");
    let conditions = rows(&folder.path().join("s/conditions.csv"));
    let garbage: Vec<&str> = conditions.iter().map(|row| &*row["garbage"]).collect();
    assert_eq!(garbage, ["0", "6"]);
    assert!(conditions[1]["folder"].contains("10x12-garbage6"), "{}", conditions[1]["folder"]);
    run(folder.path(), "verify s");
    let compared = run(folder.path(), "compare --from s");
    assert!(compared.contains("garbage"), "{compared}");
    run(folder.path(), "view s --out s.html");
    let train = "train cem --garbage 2 --board 6x10 --features bcts --generations 1 --population 10 --games 4 --max-pieces 50 --held-out-games 4 --out t";
    run(folder.path(), train);
    run(folder.path(), "verify t");
}

#[test]
fn garbage_that_cannot_be_is_refused() {
    let line = |line: &str, remedy: &[&str]| refused(&line.split(' ').collect::<Vec<_>>(), remedy);
    line(
        "simulate --board 10x12 --garbage 12",
        &["garbage 12 fills a board of 12 rows", "at most 11"],
    );
    line("simulate --rules guideline --garbage 20", &["fills a board of 20 rows", "at most 19"]);
    line("simulate --garbage 28", &["0 to 27"]);
    line("simulate --rules liap --garbage 2", &["leave out --garbage"]);
    line("estimate --garbage 2", &["one board", "--board-file", "simulate"]);
    line("estimate --rules guideline --mode endless --garbage 2", &["one board", "--board-file"]);
    line("train td --garbage 2", &["leave out --garbage"]);
    line("tbp --garbage 2", &["--garbage is decided by the frontend"]);
    let folder = folder();
    std::fs::write(folder.path().join("b.txt"), "##########".replacen('#', ".", 1)).unwrap();
    let both = ["simulate", "--board", "10x20", "--board-file", "b.txt", "--garbage", "2"];
    let output = tetrastat(folder.path(), &both);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(!message.contains("panicked"), "{message}");
}
