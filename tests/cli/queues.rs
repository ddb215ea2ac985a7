//! Tests of piece queues in the commands: records, replays and guideline games.
//! `tests/messages/queues.md` has studies and messages.

use std::path::Path;

use tetrastat::board::Board;
use tetrastat::piece::Piece;
use tetrastat::queue::{QUEUE_FORMS, QUEUE_NAMES};
use tetrastat::rules::Rules;

use crate::common::{done, folder, manifest, rows};

/// The pieces of a run's only game, in the order of its placements.
fn pieces(run: &Path) -> String {
    rows(&run.join("placements.csv")).iter().map(|row| row["piece"].clone()).collect()
}

#[test]
fn runs_of_every_queue_are_recorded_and_replayed() {
    let folder = folder();
    for (number, queue) in QUEUE_NAMES.into_iter().chain(QUEUE_FORMS).enumerate() {
        let game = format!(
            "simulate --board 10x10 --games 1 --max-pieces 60 --queue {queue} --placements csv --out r{number}"
        );
        let shown = done(folder.path(), &game);
        assert!(shown.contains(&format!("queue {queue}")), "{shown}");
        let out = folder.path().join(format!("r{number}"));
        assert_eq!(manifest(&out)["config"]["queue"], queue);
        done(folder.path(), &format!("data verify r{number}"));
        let replayed = done(folder.path(), &format!("watch --text --from 3 --replay r{number}"));
        assert!(replayed.contains(&format!(" · {queue} · ")), "{replayed}");
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
            done(folder.path(), &format!("{game} {more} --out {queue}-{name}"));
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
    done(folder.path(), &format!("{game} --out run"));
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
    done(folder.path(), &format!("{game} --controller lee --out lee"));
    assert_ne!(pieces(&folder.path().join("run")), pieces(&folder.path().join("lee")));
}
