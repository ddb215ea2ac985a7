//! `tetrastat play` in a pseudo-terminal, key by key.

use std::fs;

use crate::common::pty::{Ended, Pty};
use crate::common::{folder, manifest, rows, tetrastat, text};
use portable_pty::CommandBuilder;
use tetrastat::terminal::screen;
use vt100::Screen;

const SIZE: (u16, u16) = (80, 24);
const DOWN: &str = "\x1b[B";
const ENTER: &str = "\r";

/// Returns the number that the counter of pieces shows.
fn pieces(screen: &Screen) -> Option<u32> {
    let text = screen.contents();
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix("pieces   "))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Types keys that place one piece, and waits until it is counted.
fn place(pty: &Pty, keys: &str, number: u32) {
    pty.send(keys);
    pty.wait(&format!("piece {number}"), |screen| pieces(screen) == Some(number));
}

/// A key pressed and released as the keyboard protocol tells it.
fn stroke(code: u32) -> String {
    format!("\x1b[{code};1:1u\x1b[{code};1:3u")
}

#[test]
fn a_game_from_the_menu_to_its_end() {
    let folder = folder();
    let pty = Pty::start(folder.path(), &["play", "--seed", "7"], SIZE, false);
    pty.wait_for("> Sprint: 40 lines <");
    pty.send(DOWN);
    pty.wait_for("> Blitz: 3 minutes <");
    pty.send("\x1b[B\x1b[B");
    pty.wait_for("> Advanced controls: off <");
    pty.send(ENTER);
    pty.wait_for("> Advanced controls: on <");
    pty.send(DOWN);
    pty.wait_for("> Controls <");
    pty.send(ENTER);
    pty.wait_for("does not report key releases");
    pty.send(ENTER);
    pty.wait_for("> Controls <");
    pty.send("\x1b[A\x1b[A");
    pty.wait_for("> Practice: no end <");
    pty.send(ENTER);
    pty.wait_for("┌hold────┐");

    for number in 1..=10 {
        let keys = ["aaaaw", "ddddw", "aaw", "ddw", "w"][number as usize % 5];
        place(&pty, keys, number);
    }
    pty.send("c");
    pty.wait_for("┌used────┐");
    place(&pty, "w", 11);
    pty.wait_for("┌hold────┐");

    pty.send("p");
    pty.wait_for("the clock is stopped");
    pty.send("p");
    pty.wait("the game again", |screen| !screen.contents().contains("the clock is stopped"));

    // On and on in the middle, until no piece can enter.
    for _ in 0..60 {
        let before = pty.wait("a count or an end", |screen| {
            pieces(screen).is_some() || screen.contents().contains("> Again <")
        });
        if before.contains("> Again <") {
            break;
        }
        pty.send("w");
        pty.wait("a change", |screen| screen.contents() != before);
    }
    let end = pty.wait_for("> Again <");
    assert!(end.contains("topped out") || end.contains("locked above"), "{end}");
    for word in ["time", "score", "lines", "pieces per second", "finesse faults"] {
        assert!(end.contains(word), "{word}: {end}");
    }
    pty.send(ENTER);
    pty.wait("another game", |screen| pieces(screen) == Some(0));
    pty.send("\x1b");
    pty.wait_for("> Resume <");
    pty.send("q");
    let Ended { code, text } = pty.finish();
    assert_eq!((code, text.trim()), (0, ""));
}

/// A pause asks for no processor.
#[cfg(target_os = "linux")]
#[test]
fn nothing_wakes_a_paused_game() {
    let folder = folder();
    let pty = Pty::start(folder.path(), &["play", "--mode", "practice"], SIZE, false);
    pty.wait_for("┌hold────┐");
    pty.send("p");
    pty.wait_for("the clock is stopped");
    assert!(pty.rests());
    pty.send("q");
    assert_eq!(pty.finish().code, 0);
}

/// Games that were ended, left and begun again are tables like those of a controller.
#[test]
fn games_are_written() {
    let folder = folder();
    let args = ["play", "--mode", "sprint", "--seed", "3", "--rules", "capstone", "--out", "run"];
    let pty = Pty::start(folder.path(), &args, SIZE, true);
    pty.wait_for("faults");
    // Left shift alone.
    pty.send(&stroke(57_441));
    pty.wait_for("┌used────┐");
    let (a, w) = (stroke('a'.into()), stroke('w'.into()));
    place(&pty, &w, 1);
    place(&pty, &format!("{a}{a}{w}"), 2);
    place(&pty, &w, 3);
    pty.send(&stroke(27));
    pty.wait_for("> Resume <");
    pty.send("\x1b[57353;1:1u\x1b[57353;1:3u");
    pty.send(DOWN);
    pty.wait_for("> Again <");
    pty.send(&stroke(13));
    pty.wait("another game", |screen| pieces(screen) == Some(0));
    place(&pty, &w, 1);
    pty.send(&stroke(27));
    pty.wait_for("> Resume <");
    pty.send(&stroke('q'.into()));
    let Ended { code, text: said } = pty.finish();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("2 games are kept in run"), "{said}");

    let verified = tetrastat(folder.path(), &["data", "verify", "run"]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
    let run = folder.path().join("run");
    let (games, placements) = (rows(&run.join("games.csv")), rows(&run.join("placements.csv")));
    let of = |column: &str| games.iter().map(|game| game[column].as_str()).collect::<Vec<_>>();
    assert_eq!((of("end_reason"), of("pieces")), (vec!["left", "left"], vec!["3", "1"]));
    assert_eq!(placements.len(), 4);
    assert_eq!((&*placements[0]["used_hold"], &*placements[1]["used_hold"]), ("TRUE", "FALSE"));
    assert_eq!(placements[2]["points_total"], games[0]["points"]);

    let run = manifest(&run);
    let name = &run["config"]["controller"]["name"];
    assert_eq!((name, &run["pieces"]), (&"person".into(), &4.into()));
    assert_eq!((&run["status"], &run["played"][0]["keys"]), (&"complete".into(), &5.into()));

    // The first piece that a controller sees is the one that was put into the hold.
    let same = ["simulate", "--rules", "capstone", "--games", "1", "--seed", "3", "--out", "bot"];
    assert!(tetrastat(folder.path(), &same).status.success());
    let bot = &rows(&folder.path().join("bot/placements.csv"))[0];
    let first = if bot["used_hold"] == "TRUE" { &bot["hold_after"] } else { &bot["piece"] };
    assert_eq!(first, &placements[0]["hold_after"]);
    let header = |run: &str| {
        let text = fs::read_to_string(folder.path().join(run).join("placements.csv")).unwrap();
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(header("run"), header("bot"));
}

/// Whatever ends the program: the terminal is given back and the game kept.
#[test]
fn signals_lose_nothing() {
    for how in ["TERM", "HUP", "HUP HUP", "INT", "ctrl-c"] {
        let folder = folder();
        let args = ["play", "--mode", "blitz", "--out", "run"];
        let pty = Pty::start(folder.path(), &args, SIZE, how == "TERM");
        pty.wait_for("┌hold────┐");
        place(&pty, "w", 1);
        if how == "ctrl-c" {
            pty.send("\x03");
        } else {
            how.split(' ').for_each(|name| pty.signal(name));
        }
        let Ended { code, text } = pty.finish();
        assert_eq!(code, 130, "{how}: {text}");
        assert!(text.contains("interrupted: 1 game is kept in run"), "{how}: {text}");
        let run = folder.path().join("run");
        assert_eq!(manifest(&run)["status"], "interrupted", "{how}");
        let games = rows(&run.join("games.csv"));
        assert_eq!((&*games[0]["end_reason"], &*games[0]["pieces"]), ("left", "1"), "{how}");
    }
}

/// A terminal that is closed takes its picture with it, not the games.
#[test]
fn a_closed_terminal_loses_nothing() {
    let folder = folder();
    let args = ["play", "--mode", "practice", "--out", "run"];
    let pty = Pty::start(folder.path(), &args, SIZE, false);
    pty.wait_for("┌hold────┐");
    place(&pty, "w", 1);
    pty.close();
    let run = folder.path().join("run");
    assert_eq!(manifest(&run)["status"], "interrupted");
    assert_eq!(rows(&run.join("placements.csv")).len(), 1);
}

/// A signal that comes while the terminal is asked what it can gives it back, too.
#[test]
fn a_signal_at_the_beginning_gives_the_terminal_back() {
    let folder = folder();
    let pty = Pty::start_mute(folder.path(), &["play", "--mode", "practice"], SIZE);
    pty.wait("the alternate screen", Screen::alternate_screen);
    pty.signal("TERM");
    assert_eq!(pty.finish().code, 130);
}

#[test]
fn small_terminals_are_told_so() {
    let folder = folder();
    let small =
        Pty::start(folder.path(), &["play", "--mode", "blitz", "--out", "run"], (60, 20), false);
    let Ended { code, text } = small.finish();
    assert_eq!(code, 2, "{text}");
    let text = text.replace('\n', "");
    assert!(text.contains("60x20") && text.contains("66x24"), "{text}");
    assert!(!folder.path().join("run").exists());

    let pty = Pty::start(folder.path(), &["play", "--mode", "sprint"], SIZE, false);
    pty.wait_for("┌hold────┐");
    pty.resize((50, 12));
    pty.wait_for("needs 66x24");
    pty.wait_for("this one has 50x12");
    pty.resize((90, 30));
    pty.wait_for("the clock is stopped");
    pty.send("q");
    assert_eq!(pty.finish().code, 0);
}

/// Run by [`a_panic_gives_the_terminal_back`] in a pseudo-terminal.
#[test]
fn panics_on_screen() {
    if std::env::var_os("TETRASTAT_TEST_PANIC").is_some() {
        let need = screen::Size::new(10, 5);
        let mut screen = screen::Screen::open("a test", need).unwrap();
        screen.draw(|frame| frame.render_widget("drawn", frame.area())).unwrap();
        panic!("on purpose");
    }
}

#[test]
fn a_panic_gives_the_terminal_back() {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", "play::panics_on_screen", "--nocapture"]);
    command.env("TETRASTAT_TEST_PANIC", "1");
    command.env("RUST_BACKTRACE", "0");
    let Ended { code, text } = Pty::spawn(command, SIZE, true).finish();
    assert_ne!(code, 0);
    assert!(text.contains("on purpose") && !text.contains("drawn"), "{text}");
}

#[test]
fn keys_are_printed_and_changed() {
    let folder = folder();
    let printed = tetrastat(folder.path(), &["play", "--print-key-map"]);
    assert!(printed.status.success());
    let keys = text(&printed.stdout);
    assert!(keys.contains("left = [\"a\"]") && keys.contains("\"lshift\", \"c\""), "{keys}");
    fs::write(folder.path().join("keys.toml"), keys.replace("\"w\"", "\"x\"")).unwrap();
    let again = tetrastat(folder.path(), &["play", "--key-map", "keys.toml", "--print-key-map"]);
    assert_eq!(text(&again.stdout), keys.replace("\"w\"", "\"x\""));
    let args = ["play", "--mode", "practice", "--key-map", "keys.toml"];
    let pty = Pty::start(folder.path(), &args, SIZE, false);
    pty.wait_for("hard drop  X ↑ Space");
    place(&pty, "wwx", 1);
    pty.send("\x03");
    assert_eq!(pty.finish().code, 130);
}
