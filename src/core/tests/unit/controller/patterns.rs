//! Tests the values, the files and the checks of cell patterns.

use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::controller::{
    Controller, GuidelineController, PatternLayout, PatternWindow, Patterns, TableRows,
    WindowPlaces, WindowShape,
};

fn size(text: &str) -> BoardSize {
    text.parse().unwrap()
}

fn window(cells: &str, mirror: bool, rows: TableRows) -> PatternWindow {
    PatternWindow { cells: cells.to_owned(), at: WindowPlaces::Everywhere, mirror, rows }
}

/// Patterns whose entry number i is i.
fn numbered(windows: &[PatternWindow], on: &str) -> Patterns {
    let entries = PatternLayout::new(windows, size(on)).unwrap().entries();
    Patterns::new(windows, 0.5, size(on), (0..entries as i16).collect()).unwrap()
}

#[test]
fn bits_count_up_each_column_from_the_left() {
    let shape = WindowShape::parse("2x3").unwrap();
    assert_eq!(shape.cells, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
    // The first row of a picture is the highest one.
    let shape = WindowShape::parse("##./.##").unwrap();
    assert_eq!(shape.cells, [[0, 1], [1, 0], [1, 1], [2, 0]]);
    assert!(!shape.is_full() && shape.entries() == 16);
}

/// A board by hand: windows of 2x1, four columns, so three places in each of four rows.
#[test]
fn a_value_by_hand() {
    let board: Board = "..../..../#.../.##.".parse().unwrap();
    // Without mirror, the place (column, row) has the entries 4 (3 row + column) + 0 to 3. The left
    // cell is bit 0.
    let own = numbered(&[window("2x1", false, TableRows::Own)], "4x4");
    let of_places: i64 = (0..12).map(|place| 4 * place).sum();
    // Row 0: .# = 2, ## = 3, #. = 1. Row 1: #. = 1.
    assert_eq!(own.value(&board), of_places + 2 + 3 + 1 + 1);
    // All rows share three tables.
    let shared = numbered(&[window("2x1", false, TableRows::Shared)], "4x4");
    assert_eq!(shared.value(&board), 4 * (4 + 8) + 2 + 3 + 1 + 1);
    // Column 2 mirrors column 0, so `#.` reads as `.#` there. Tables are 0 and 1.
    let mirrored = numbered(&[window("2x1", true, TableRows::Shared)], "4x4");
    assert_eq!(mirrored.value(&board), 4 * 4 + 2 + 3 + 2 + 1);
    // The middle column reads unmirrored.
    let indices = mirrored.layout().indices(&board);
    assert_eq!(indices, [2, 4 + 3, 2, 1, 4, 0, 0, 4, 0, 0, 4, 0]);
}

#[test]
fn listed_places_have_tables_in_the_order_of_the_list() {
    let at = WindowPlaces::Listed(vec![[2, 1], [0, 0], [0, 1]]);
    let window = PatternWindow { at, ..window("2x2", true, TableRows::Own) };
    let layout = PatternLayout::new(&[window], size("4x4")).unwrap();
    // [2, 1] mirrors [0, 1], so both have the first table.
    let tables: Vec<usize> = layout.lookups().iter().map(|lookup| lookup.table).collect();
    assert_eq!((tables, layout.entries()), (vec![0, 16, 0], 32));
}

const HEAD: &str = "name = \"a\"\nmeasured = \"after-clear\"\n";

#[test]
fn a_file_keeps_everything() {
    let windows = [
        PatternWindow {
            at: WindowPlaces::Listed(vec![[0, 0], [3, 2]]),
            ..window("##/#.", false, TableRows::Own)
        },
        window("3x3", true, TableRows::Shared),
    ];
    let patterns = numbered(&windows, "6x5");
    let text = format!("{HEAD}[weights]\nrows_removed = 1\n{}", patterns.to_toml(None));
    let read = Controller::parse("a.toml", &text).unwrap().patterns.unwrap();
    assert_eq!(read, patterns);
    assert_eq!(read.bytes(), patterns.bytes());
    assert_eq!((read.step(), read.size()), (0.5, size("6x5")));
    // Base64 in lines of 40 characters, as the tool `base64` wraps them at 76.
    let tables = patterns.text(None).tables;
    let lines: Vec<_> = tables.as_bytes().chunks(40).map(String::from_utf8_lossy).collect();
    assert!(lines.len() > 1);
    let wrapped = format!("\"\"{}\n\"\"", lines.join("\n"));
    let read = Controller::parse("a.toml", &text.replace(&tables, &wrapped)).unwrap();
    assert_eq!(read.patterns.unwrap().bytes(), patterns.bytes());
    // JSON has the same words.
    let json = serde_json::to_string(&patterns.text(None)).unwrap();
    let text = serde_json::from_str(&json).unwrap();
    assert_eq!(Patterns::from_text(&text, None).unwrap(), patterns);
}

#[test]
fn tables_are_read_from_a_file_beside_the_controller() {
    let patterns = numbered(&[window("2x2", true, TableRows::Own)], "5x6");
    let folder = std::env::temp_dir().join(format!("tetrastat-patterns-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, tables) = (folder.join("a.toml"), folder.join("a.bin"));
    std::fs::write(&file, format!("{HEAD}{}", patterns.to_toml(Some("a.bin")))).unwrap();
    let load = || Controller::load(file.to_str().unwrap());
    let missing = load().unwrap_err().to_string();
    std::fs::write(&tables, patterns.bytes()).unwrap();
    let read = load().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(read.patterns, Some(patterns));
    assert!(read.weights.is_empty());
    assert!(missing.contains("a.bin"), "{missing}");
}

fn problem(patterns: &str) -> String {
    let error = Controller::parse("a.toml", &format!("{HEAD}{patterns}")).unwrap_err();
    let text = error.to_string();
    assert!(!text.contains('\n') && text.starts_with("controller a.toml"), "{text}");
    text
}

#[test]
fn each_wrong_file_has_one_line() {
    let patterns = numbered(&[window("2x2", true, TableRows::Own)], "5x6");
    let right = patterns.to_toml(None);
    let with = |from: &str, to: &str| {
        assert!(right.contains(from), "{from}");
        problem(&right.replacen(from, to, 1))
    };
    for (from, to, words) in [
        ("2x2", "2by2", "columns x rows"),
        ("2x2", "##/#", "columns x rows"),
        ("2x2", "0x2", "columns x rows"),
        ("2x2", "5x4", "window 1: cells \"5x4\": the window has 20 cells: give it 1 to 16 cells"),
        ("2x2", "99999999999x99999999999", "1 to 16 cells"),
        ("2x2", "..", "the window has 0 cells: give it 1 to 16 cells"),
        ("2x2", "#................", "do not fit"),
        ("2x2", "6x1", "do not fit a board of 5x6: use at most 5 columns and 6 rows"),
        ("2x2", "2x3", "entries, but the windows need"),
        ("\"everywhere\"", "\"all\"", "\"everywhere\" or a list of [column, row]"),
        ("\"everywhere\"", "[]", "at is empty"),
        ("\"everywhere\"", "[[4, 0]]", "columns are 0 to 3 and rows 0 to 4"),
        ("\"everywhere\"", "[[0, 5]]", "leaves the board"),
        ("\"everywhere\"", "[[0]]", "a place with 1 number(s): give [column, row]"),
        ("\"everywhere\"", "[[0, 0, 5]]", "a place with 3 number(s): give [column, row]"),
        ("\"own\"", "\"mine\"", "unknown value 'mine'"),
        ("mirror", "mirrored", "unknown key 'mirrored'"),
        ("5x6", "5x3", "board"),
        ("5x6", "5x7", "entries, but the windows need"),
        ("step = 0.5", "step = 0", "positive"),
        ("step = 0.5", "step = inf", "positive"),
        ("step = 0.5", "step = -1e308", "step is -1e308: give a positive number"),
        ("tables = \"", "tables = \"a.bin\" #", "this text is no file"),
        ("tables = \"", "tables = \"?", "neither the name of a file"),
        ("tables = \"", "tables = \"mine2\" #", "name a file with a dot in its name"),
        ("step = 0.5", "", "the key 'step' is missing (see docs/reference/evaluators.md)"),
        ("cells = \"2x2\"", "", "the key 'cells' is missing (see docs/reference/evaluators.md)"),
        ("mirror = true", "mirror = 1", "(see docs/reference/evaluators.md)"),
        ("[patterns]", "wieghts = 1\n[patterns]", "(see data/controllers/ for examples)"),
        // Keys of other sections after those of patterns, and a list over several lines.
        ("rows = \"own\"", "[weights]\nholes", "(see data/controllers/ for examples)"),
        ("\"everywhere\"", "[\n[0, 0],\n[0, 1]]\nat = 1", "(see docs/reference/evaluators.md)"),
        ("tables = \"VFN", "tables = \"VFO", "no file of pattern tables"),
    ] {
        let text = with(from, to);
        assert!(text.contains(words), "{from} -> {to}: {text}");
    }
    let none = "[patterns]\nboard = \"5x6\"\nstep = 1\ntables = \"\"\nwindows = []\n";
    assert!(problem(none).contains("no windows"));
    let large = window("4x4", false, TableRows::Own);
    let many = PatternLayout::new(&[large.clone(), large], size("16x28")).unwrap_err();
    assert!(many.contains("too large"), "{many}");
    // Every shorter or changed file is refused.
    let (bytes, text) = (patterns.bytes(), patterns.text(None));
    let read = |bytes: &[u8]| {
        let text =
            tetrastat_core::controller::PatternsText { tables: "a.b".into(), ..text.clone() };
        Patterns::from_text(&text, Some(bytes.to_vec()))
    };
    assert!(read(bytes).is_ok());
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
    assert!(read(&[bytes, &[0]].concat()).is_err());
    for place in 0..bytes.len() {
        let mut other = bytes.to_vec();
        other[place] ^= 0x40;
        // Other compressed bytes may stand for the same entries.
        assert!(read(&other).is_err() || read(&other).unwrap() == patterns, "{place}");
    }
}

#[test]
fn patterns_fit_one_board_and_classic_games() {
    let patterns = numbered(&[window("2x2", true, TableRows::Own)], "5x6");
    let text = format!("{HEAD}{}", patterns.to_toml(None));
    let controller = Controller::parse("a.toml", &text).unwrap();
    assert!(controller.check(size("5x6")).is_ok());
    let other = controller.check(size("5x7")).unwrap_err().to_string();
    assert!(other.contains("boards of 5x6 only"), "{other}");
    let guideline = GuidelineController::parse("a.toml", &text).unwrap_err().to_string();
    assert!(guideline.contains("only classic games"), "{guideline}");
}
