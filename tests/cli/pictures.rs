//! Pictures of placements and games, recordings and fumen, by the real binary.

use std::fs;
use std::num::NonZeroU16;
use std::path::Path;

use serde_json::Value;

use crate::common::{folder, run, tetrastat, text};

fn file(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Every tag is closed, attributes are quoted, and nothing is fetched or executed.
fn is_safe_svg(svg: &str) {
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{svg}");
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap().to_owned();
        let known = ["svg", "title", "desc", "style", "rect", "g", "path", "text"];
        assert!(known.contains(&name.as_str()), "{tag}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), Some(name)),
            (false, false) => open.push(name),
            (false, true) => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!svg.contains("href") && !svg.contains("url("));
    for wanted in ["prefers-color-scheme:dark", "role=\"img\"", "<title id=", "<desc id="] {
        assert!(svg.contains(wanted), "{wanted}");
    }
}

#[test]
fn features_draws_the_best_two_placements() {
    let folder = folder();
    let picture = ["--picture", "....../....../#...../##.###"];
    let args = [&["show", "board", "--piece", "J", "--svg", "a.svg"][..], &picture].concat();
    let told = run(folder.path(), &args);
    assert!(told.contains("placements by bcts, best first"), "{told}");
    let svg = file(folder.path(), "a.svg");
    is_safe_svg(&svg);
    assert!(svg.contains("J by bcts") && svg.contains("best: turn 1 column 4, score "), "{svg}");
    assert!(svg.contains("better by ") && svg.matches("class=\"letter on-J\"").count() == 4);
    let refusal = tetrastat(folder.path(), &args);
    assert!(text(&refusal.stderr).contains("give --force"), "{}", text(&refusal.stderr));
    run(folder.path(), &[&args[..], &["--force"]].concat());
    assert_eq!(file(folder.path(), "a.svg"), svg);

    let guideline = ["--rules", "guideline", "--piece", "S", "--hold", "I", "--svg", "b.svg"];
    run(folder.path(), &[&["show", "board"][..], &guideline].concat());
    let svg = file(folder.path(), "b.svg");
    is_safe_svg(&svg);
    assert!(svg.contains("S by tetrastat-sprint") && svg.contains("best: I0 column"), "{svg}");
    let alone = ["show", "board", "--picture", "####/#.../..../....", "--svg", "c.svg"];
    run(folder.path(), &alone);
    assert!(file(folder.path(), "c.svg").contains("a board of 4x4"));
}

/// A controller's name is text wherever it stands.
#[test]
fn a_name_is_never_markup() {
    let folder = folder();
    let toml = "name = \"</text><script>alert(1)</script>\"\nmeasured = \"after-clear\"\n[weights]\nholes = -1\n";
    fs::write(folder.path().join("mine.toml"), toml).unwrap();
    for (name, args) in [
        ("a.svg", &["show", "board", "--piece", "T"][..]),
        ("b.svg", &["watch", "--from", "3"]),
        ("c.svg", &["watch", "--to", "3"]),
    ] {
        let kind = if name == "c.svg" { "--animate" } else { "--svg" };
        let args = [args, &["--controller", "mine.toml", kind, name]].concat();
        run(folder.path(), &args);
        is_safe_svg(&file(folder.path(), name));
    }
}

#[test]
fn watch_draws_a_placement_and_a_stretch() {
    let folder = folder();
    let told = run(folder.path(), &["watch", "--from", "42", "--svg", "piece.svg"]);
    assert_eq!(told, "piece.svg\n");
    let svg = file(folder.path(), "piece.svg");
    is_safe_svg(&svg);
    let shown = run(folder.path(), &["watch", "--from", "42", "--text"]);
    let verdict = shown.split("why: ").nth(1).unwrap().split(" than").next().unwrap();
    assert!(svg.contains(verdict) && svg.contains("piece 42, lines 15"), "{verdict}: {svg}");

    for (rules, name) in [("simplified", "a.svg"), ("guideline", "b.svg")] {
        let args = ["watch", "--rules", rules, "--from", "10", "--to", "24", "--animate", name];
        run(folder.path(), &args);
        let svg = file(folder.path(), name);
        is_safe_svg(&svg);
        assert_eq!(svg.matches("<g class=\"f").count(), 15);
        assert!(svg.contains("animation-delay:2.800s") && svg.contains("prefers-reduced-motion"));
        assert!(svg.contains(">piece 10, lines ") && svg.contains(">piece 24, lines "));
        // The pieces that settled since keep their colours.
        assert!(svg.contains("class=\"settled\""));
    }
    let last = ["watch", "--max-pieces", "5", "--animate", "c.svg"];
    run(folder.path(), &last);
    assert_eq!(file(folder.path(), "c.svg").matches("<g class=\"f").count(), 5);
}

#[test]
fn a_recording_is_what_the_terminal_shows() {
    let folder = folder();
    let args = ["watch", "--from", "41", "--to", "42", "--speed", "4", "--asciicast", "a.cast"];
    run(folder.path(), &args);
    let cast = file(folder.path(), "a.cast");
    let mut lines = cast.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let header = lines.next().unwrap();
    assert_eq!(
        (&header["version"], &header["width"], &header["height"]),
        (&2.into(), &80.into(), &24.into())
    );
    let sides = [24, 80].map(|side| NonZeroU16::new(side).unwrap());
    let mut terminal = vt100::Parser::new(sides[0], sides[1], 0);
    let mut seconds = Vec::new();
    for event in lines {
        assert_eq!(event[1], "o");
        seconds.push(event[0].as_f64().unwrap());
        terminal.process(event[2].as_str().unwrap().as_bytes());
    }
    assert_eq!(seconds, [0.0, 0.25]);
    let shown = terminal.screen().contents();
    let paused = run(folder.path(), &["watch", "--from", "42", "--text"]);
    let numbers = |text: &str| {
        let rows =
            text.lines().filter(|line| line.contains("landing_height") || line.contains("sum "));
        rows.map(|row| row[row.find("landing").or(row.find("sum")).unwrap()..].trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&shown), numbers(&paused));
    assert!(shown.contains("piece 42") && shown.contains("4 pieces/s"), "{shown}");
}

/// A stretch of a log as fumen: each page is the board that the log has, and is taken as a board
/// again.
#[test]
fn a_game_goes_out_as_fumen_and_its_boards_come_back() {
    let folder = folder();
    let board =
        ["--board", "10x12", "--max-pieces", "40", "--placements", "csv", "--columns", "all"];
    let play = [&["simulate", "--games", "1", "--seed", "5", "--out", "run"][..], &board].concat();
    assert!(tetrastat(folder.path(), &play).status.success());
    let fumen = run(folder.path(), &["watch", "--replay", "run", "--to", "30", "--fumen"]);
    assert!(fumen.starts_with("http://fumen.zui.jp/?v115@"), "{fumen}");
    let log = crate::common::rows(&folder.path().join("run/placements.csv"));
    for page in [2usize, 11, 30] {
        let number = page.to_string();
        let args = ["show", "board", "--fumen", &fumen, "--page", &number, "--format", "json"];
        let told: Value = serde_json::from_str(&run(folder.path(), &args)).unwrap();
        let picture: Vec<&str> =
            told["board"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
        assert_eq!(picture.len(), 20);
        let hex = |row: &str| {
            let bits = row.chars().enumerate().filter(|&(_, cell)| cell == '#');
            format!("{:03x}", bits.map(|(column, _)| 1u16 << column).sum::<u16>())
        };
        let height = picture.iter().rev().take_while(|row| row.contains('#')).count().max(1);
        let rows: Vec<String> = picture.iter().rev().take(height).map(|row| hex(row)).collect();
        assert_eq!(rows.join(":"), log[page - 2]["board"], "page {page}");
    }
    let guideline = ["watch", "--rules", "guideline", "--from", "8", "--to", "20", "--fumen"];
    let fumen = run(folder.path(), &guideline);
    let show = [
        "show",
        "board",
        "--rules",
        "guideline",
        "--piece",
        "T",
        "--page",
        "13",
        "--fumen",
        &fumen,
    ];
    assert!(run(folder.path(), &show).contains("landings by"));
}
