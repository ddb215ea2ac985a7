//! `tetrastat watch` in a pseudo-terminal: started, paused, stepped, left.
//! `tests/messages/watch-text.md` has its text.

use crate::common::pty::Pty;
use crate::common::{folder, small, tetrastat, text};
use vt100::Screen;

const SIZE: (u16, u16) = (80, 24);
const LEFT: &str = "\x1b[D";
const RIGHT: &str = "\x1b[C";

/// The number of the piece shown.
fn number(screen: &Screen) -> Option<u64> {
    let text = screen.contents();
    let mut words = text.split_whitespace().skip_while(|word| *word != "piece");
    words.nth(1)?.parse().ok()
}

#[test]
fn start_step_back_play_and_quit() {
    let folder = folder();
    let watch = Pty::start(folder.path(), &["watch", "--paused", "--speed", "50"], SIZE, false);
    watch.wait_for("piece 1 ");
    watch.wait_for("paused");
    for (key, shown) in
        [(RIGHT, "piece 2 "), ("n", "piece 3 "), (LEFT, "piece 2 "), ("b", "piece 1 ")]
    {
        watch.send(key);
        watch.wait_for(shown);
    }
    watch.send(" ");
    watch.wait_for("50 pieces/s");
    watch.wait("piece 12 or later", |screen| number(screen) >= Some(12));
    watch.send(" ");
    let paused = watch.wait_for("paused");
    assert!(paused.contains("gain") && paused.contains("why: "), "{paused}");
    #[cfg(target_os = "linux")]
    assert!(watch.rests());
    watch.send("+");
    watch.send("\x1b[H");
    watch.wait_for("piece 1 ");
    watch.send(" ");
    watch.wait_for("100 pieces/s");
    watch.send("q");
    let ended = watch.finish();
    assert_eq!((ended.code, ended.text.trim()), (0, ""));
}

#[test]
fn a_game_that_ends_stands_still_until_a_key() {
    let args = ["watch", "--max-pieces", "30", "--speed", "max"];
    let folder = folder();
    let watch = Pty::start(folder.path(), &args, SIZE, true);
    watch.wait_for("the limit of pieces is reached");
    watch.wait_for("piece 30 ");
    watch.send(LEFT);
    watch.wait_for("piece 29 ");
    watch.resize((50, 15));
    watch.wait("the board alone", |screen| !screen.contents().contains("why: "));
    watch.resize((20, 5));
    watch.wait_for("needs 40x12");
    watch.resize(SIZE);
    watch.wait_for("why: ");
    watch.send("q");
    assert_eq!(watch.finish().code, 0);
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for (signal, code) in [("TERM", 130), ("INT", 130)] {
        let folder = folder();
        let watch = Pty::start(folder.path(), &["watch", "--paused"], SIZE, false);
        watch.wait_for("piece 1 ");
        watch.signal(signal);
        assert_eq!(watch.finish().code, code, "{signal}");
    }
    let folder = folder();
    let watch = Pty::start(folder.path(), &["watch", "--paused"], SIZE, false);
    watch.wait_for("piece 1 ");
    watch.send("\x03");
    assert_eq!(watch.finish().code, 130);
}

/// Play before the first picture reports its progress, and Ctrl-C ends it.
#[test]
fn playing_out_a_game_without_end_is_seen_and_ended() {
    for args in [["watch", "--until-death"].as_slice(), &["watch", "--from", "1000000000"]] {
        let folder = folder();
        let watch = Pty::start(folder.path(), args, SIZE, false);
        watch.wait_for("playing: placement");
        watch.wait("thousands", |screen| screen.contents().contains(','));
        watch.send("\x03");
        assert_ne!(watch.finish().code, 0);
    }
}

#[test]
fn a_run_is_played_back() {
    let folder = folder();
    let play = small(&["5", "--placements", "parquet", "--out", "run", "--sample", "0"]);
    assert!(tetrastat(folder.path(), &play).status.success());
    let watch = Pty::start(
        folder.path(),
        &["watch", "--replay", "run", "--until-death", "--paused"],
        SIZE,
        false,
    );
    watch.wait_for("replay · bcts");
    watch.wait_for("piece 1951 ");
    watch.send("g");
    watch.wait_for("piece 2000 ");
    watch.wait_for("the log ends here");
    watch.send("q");
    assert_eq!(watch.finish().code, 0);
}

/// A key pressed and released as the keyboard protocol tells it.
fn stroke(code: u32) -> String {
    format!("\x1b[{code};1:1u\x1b[{code};1:3u")
}

/// Waits until so many pieces of a person are counted.
fn placed(play: &Pty, count: &str) {
    let counts = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("pieces") && words.next() == Some(count)
    };
    play.wait("piece", |screen| screen.contents().lines().any(counts));
}

#[test]
fn a_persons_game_is_played_back() {
    let folder = folder();
    let args = ["play", "--mode", "sprint", "--seed", "3", "--out", "mine"];
    let play = Pty::start(folder.path(), &args, SIZE, true);
    play.wait_for("faults");
    let [a, c, w] = ['a', 'c', 'w'].map(|key| stroke(key.into()));
    play.send(&c);
    play.wait_for("┌used────┐");
    play.send(&w);
    placed(&play, "1");
    play.send(&format!("{a}{a}{w}"));
    placed(&play, "2");
    play.send(&stroke(27));
    play.wait_for("> Resume <");
    play.send(&stroke('q'.into()));
    assert_eq!(play.finish().code, 0);

    let watch = ["watch", "--replay", "mine", "--from", "2", "--text"];
    let output = tetrastat(folder.path(), &watch);
    let shown = text(&output.stdout);
    assert!(shown.starts_with("replay · person · guideline sprint · seed 3 · game 0\n"), "{shown}");
    assert!(shown.contains("piece 2 ") && shown.contains("no controller is known"), "{shown}");
}
