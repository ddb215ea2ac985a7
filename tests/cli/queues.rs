//! Tests of piece queues in the commands: records, interruptions, guideline games, studies, and messages.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tetrastat::board::Board;
use tetrastat::piece::Piece;
use tetrastat::queue::{QUEUE_FORMS, QUEUE_NAMES};
use tetrastat::rules::Rules;

use crate::common::{command, folder, manifest, refused, rows, tetrastat, text};

/// Runs a command that succeeds and returns what it prints.
fn run(folder: &Path, line: &str) -> String {
    let output = tetrastat(folder, &line.split_whitespace().collect::<Vec<_>>());
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// The pieces of a run's only game, in the order of its placements.
fn pieces(run: &Path) -> String {
    rows(&run.join("placements.csv")).iter().map(|row| row["piece"].clone()).collect()
}

#[test]
fn runs_of_every_queue_are_recorded_and_replayed() {
    let folder = folder();
    for (number, queue) in QUEUE_NAMES.into_iter().chain(QUEUE_FORMS).enumerate() {
        let game = format!(
            "simulate --board 10x10 --games 1 --max-pieces 200 --queue {queue} --placements csv --out r{number}"
        );
        let shown = run(folder.path(), &game);
        assert!(shown.contains(&format!("queue {queue}")), "{shown}");
        let out = folder.path().join(format!("r{number}"));
        assert_eq!(manifest(&out)["config"]["queue"], queue);
        run(folder.path(), &format!("verify r{number}"));
        let replayed = run(folder.path(), &format!("watch --text --from 3 --replay r{number}"));
        assert!(replayed.contains(&format!(" · {queue} · ")), "{replayed}");
    }
}

/// A run that is killed in the middle of its only game continues its bag or its history of pieces.
/// The game takes about a second, so that a slow machine can kill it in time.
#[test]
fn a_long_game_is_resumed_with_its_pieces() {
    for queue in ["bag:3", "nes", "tgm3"] {
        let folder = folder();
        let game = format!(
            "simulate --games 1 --max-pieces 400000 --seed 5 --sample 0 --placements none --queue {queue}"
        );
        run(folder.path(), &format!("{game} --out whole"));
        let line = format!("{game} --checkpoint-ms 5 --out run");
        let args: Vec<&str> = line.split_whitespace().collect();
        let mut child = command(folder.path(), &args).stdout(Stdio::null()).spawn().unwrap();
        let checkpoint = folder.path().join("run/checkpoint.json");
        let (mut first, mut now) = (None, None);
        while (first.is_none() || first == now) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
            now = std::fs::read(&checkpoint).ok();
            first = first.or_else(|| now.clone());
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "{queue} ended too early to be killed");
        run(folder.path(), "simulate --resume run");
        let table = |run: &str| std::fs::read(folder.path().join(run).join("games.csv")).unwrap();
        assert_eq!(table("whole"), table("run"), "{queue}");
    }
}

/// Look-ahead and previews leave the pieces of a seed unchanged.
#[test]
fn searches_and_rules_share_the_pieces_of_a_queue() {
    let folder = folder();
    for queue in ["bag:2", "weights:I=1+O=1+T=2", "nes", "tgm1", "tgm2", "tgm3"] {
        let game = format!("simulate --games 1 --seed 3 --placements csv --queue {queue}");
        for (name, more) in [
            ("greedy", "--max-pieces 40"),
            ("next", "--max-pieces 40 --search next"),
            ("guideline", "--rules guideline --mode endless --pieces 40"),
        ] {
            run(folder.path(), &format!("{game} {more} --out {queue}-{name}"));
        }
        let of = |name: &str| pieces(&folder.path().join(format!("{queue}-{name}")));
        assert!(of("greedy").len() == 40 && of("greedy") == of("next"), "{queue}");
        let first = &rows(&folder.path().join(format!("{queue}-guideline/placements.csv")))[0];
        let known: String = (1..=4).map(|ahead| first[&format!("next_{ahead}")].clone()).collect();
        assert!(of("greedy").contains(&known), "{queue}: {known}");
    }
}

/// The lowest stack after a placement of `piece`, counted in rows with cells. A loss counts as 99.
fn lowest_stack(board: &Board, piece: Piece) -> usize {
    let (rules, mut candidates) = (Rules::simplified(), Vec::new());
    let placements = tetrastat::placement::Placements::new(board.width());
    rules.candidates(&placements, board, piece, &mut candidates);
    let stack = |candidate| {
        let outcome = rules.play(board, piece, candidate);
        let rows = outcome.after.rows().iter().filter(|row| **row != 0).count();
        if rows > board.height() { 99 } else { rows }
    };
    candidates.into_iter().map(stack).min().unwrap()
}

/// Every piece of the log is the worst by its definition, and so no game lasts.
#[test]
fn an_adversary_deals_the_worst_piece() {
    let folder = folder();
    let game = "simulate --board 10x12 --games 1 --queue adversary --placements csv --columns minimal,board_before";
    run(folder.path(), &format!("{game} --out run"));
    let placements = rows(&folder.path().join("run/placements.csv"));
    assert!((10..500).contains(&placements.len()), "{}", placements.len());
    for row in &placements {
        let board = Board::from_hex("10x12".parse().unwrap(), &row["board_before"]).unwrap();
        let order = [Piece::S, Piece::Z, Piece::O, Piece::I, Piece::L, Piece::J, Piece::T];
        let stacks = order.map(|piece| lowest_stack(&board, piece));
        let worst = stacks.iter().position(|stack| stacks.iter().max() == Some(stack)).unwrap();
        assert_eq!(row["piece"], order[worst].name(), "{stacks:?}");
    }
    assert!(pieces(&folder.path().join("run")).starts_with("SS"));
    // Another player gets other pieces, and a second game of the same player is the same.
    run(folder.path(), &format!("{game} --controller lee --out lee"));
    assert_ne!(pieces(&folder.path().join("run")), pieces(&folder.path().join("lee")));
}

#[test]
fn queues_are_an_axis_of_studies() {
    let folder = folder();
    let text = "queues = ['bag:2', 'weights:I=2+O=1', 'tgm3']\nboard = '10x10'\ngames = 3\nmax_pieces = 50\n";
    std::fs::write(folder.path().join("my.toml"), text).unwrap();
    run(folder.path(), "study my.toml --out study");
    let conditions = rows(&folder.path().join("study/conditions.csv"));
    let column = |name: &str| conditions.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("queue"), ["bag:2", "weights:I=2+O=1", "tgm3"]);
    for name in column("folder") {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        assert!(name.chars().all(is_plain), "{name}");
    }
}

#[test]
fn bad_queues_are_refused_in_one_line() {
    for (queue, words) in [
        ("bag:0", ["bag:0", "1 to 100"]),
        ("bag:many", ["bag:many", "1 to 100"]),
        ("weights:", ["weights:", "I=2+O=1"]),
        ("weights:Q=1", ["'Q=1'", "I=2+O=1"]),
        ("weights:I=0+O=0", ["add up to 0", "1 to 1000"]),
        ("tgm", ["unknown queue 'tgm'", "tgm1"]),
    ] {
        for game in ["simulate", "simulate --rules guideline", "exact --board 4x4"] {
            let args: Vec<&str> = game.split(' ').chain(["--queue", queue]).collect();
            refused(&args, &words);
        }
    }
    let adversary = ["--queue", "adversary"];
    for (command, word) in [
        ("simulate --search next", "next piece"),
        ("simulate --rules guideline", "previews"),
        ("step", "key presses"),
        ("exact --board 4x4", "simulate"),
        ("estimate", "simulate"),
    ] {
        refused(&[&command.split(' ').collect::<Vec<_>>()[..], &adversary].concat(), &[word]);
    }
}
