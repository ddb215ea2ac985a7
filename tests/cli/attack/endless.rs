//! Endless inputs and files that are far too large: each is rejected with one line, in little memory.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use super::program::binary;
use crate::common::{folder, tetrastat, text};

/// Kilobytes of address space available to a command.
const MOST_MEMORY: u32 = 3_000_000;

/// Runs a command in little memory and checks that it fails with one line that contains `words`.
fn refused_in_little_memory(room: &Path, command: &str, words: &str) {
    let output = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MOST_MEMORY}; exec \"$0\" \"$@\"")])
        .arg(binary())
        .args(command.split(' '))
        .current_dir(room)
        .env("TETRASTAT_PROGRESS", "none")
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{command}: {message}");
    assert_eq!(message.lines().count(), 1, "{command}: {message}");
    assert!(message.starts_with("tetrastat: ") && message.contains(words), "{command}: {message}");
}

#[test]
fn endless_files_are_refused() {
    let room = folder();
    std::os::unix::fs::symlink("/dev/zero", room.path().join("endless.toml")).unwrap();
    for command in [
        "simulate --board-file /dev/zero",
        "features --board-file /dev/zero --piece T",
        "perft --board-file /dev/zero T",
        "simulate --controller endless.toml",
        "simulate --rules guideline --controller endless.toml",
        "controllers endless.toml",
        "train cem --features endless.toml",
        "train --config endless.toml",
        "study endless.toml --out s",
        "play --keys endless.toml --print-keys",
    ] {
        refused_in_little_memory(room.path(), command, "bytes, the most that is read");
    }
}

#[test]
fn devices_in_place_of_a_folders_files_are_refused() {
    let room = folder();
    let run = "simulate --board 6x8 --games 2 --max-pieces 20 --placements csv --out run";
    let output = tetrastat(room.path(), &run.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let manifest = room.path().join("run/run.json");
    fs::remove_file(&manifest).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &manifest).unwrap();
    for command in [
        "watch --replay run --text",
        "verify run",
        "convert run x --format csv.gz",
        "plan --pilot run run",
        "rollout --from run --out r",
        run,
    ] {
        refused_in_little_memory(room.path(), command, "regular file");
    }
}

#[test]
fn files_that_are_too_large_are_refused() {
    let room = folder();
    let write = |name: &str, text: &[u8]| fs::write(room.path().join(name), text).unwrap();
    let weights: String = (0..1_000_000).map(|k| format!("weight_{k} = {k}.5\n")).collect();
    write(
        "weights.toml",
        format!("name = \"a\"\nmeasured = \"after-clear\"\n[weights]\n{weights}").as_bytes(),
    );
    write("name.toml", format!("name = \"{}\"\n", "a".repeat(10_000_000)).as_bytes());
    write("conditions.toml", "[[condition]]\n".repeat(300_000).as_bytes());
    write("script.txt", "IOTSZJL\n".repeat(1_000_000).as_bytes());
    write("pieces.txt", "IOTSZJL".repeat(15_000).as_bytes());
    for (command, words) in [
        ("simulate --controller weights.toml", "the most that is read"),
        ("simulate --controller name.toml", "the most that is read"),
        ("study conditions.toml --dry-run", "more than 10000 conditions"),
        ("simulate --script script.txt", "the most that is read"),
        ("simulate --script pieces.txt", "105000 pieces, and at most 100000"),
    ] {
        refused_in_little_memory(room.path(), command, words);
    }
}

#[test]
fn a_line_without_an_end_is_refused() {
    let room = folder();
    let header = "game,piece_no,piece,board\n1,1,T,";
    let file = File::create(room.path().join("placements.csv.zst")).unwrap();
    let mut packed = zstd::stream::Encoder::new(file, 1).unwrap();
    packed.write_all(header.as_bytes()).unwrap();
    let megabyte = vec![b'0'; 1 << 20];
    for _ in 0..256 {
        packed.write_all(&megabyte).unwrap();
    }
    packed.finish().unwrap();
    let cell = format!("{header}{}\n", "0".repeat(500_000));
    fs::write(room.path().join("placements.csv"), cell).unwrap();
    for (command, words) in [
        ("convert placements.csv.zst -", "a line has more than 1048576 bytes"),
        ("convert placements.csv.zst t.csv", "a line has more than 1048576 bytes"),
        ("convert placements.csv t.parquet", "column board is no text"),
    ] {
        refused_in_little_memory(room.path(), command, words);
    }
}

#[test]
fn a_page_has_no_board_of_a_million_cells() {
    let room = folder();
    let run = "simulate --board 6x8 --games 2 --max-pieces 20 --placements csv --out run";
    tetrastat(room.path(), &run.split(' ').collect::<Vec<_>>());
    let manifest = room.path().join("run/run.json");
    let whole = fs::read_to_string(&manifest).unwrap();
    for board in ["\"16x65535\"", "5", "\"6\"", "[6, 8]"] {
        let changed = whole.replace("\"6x8\"", board);
        assert_ne!(changed, whole);
        fs::write(&manifest, changed).unwrap();
        refused_in_little_memory(room.path(), "view run", "write WIDTHxHEIGHT");
    }
}
