//! Ranks every placement of a piece on a board, and explains the best one.
//! Run with `cargo run --example decide`. It needs only the core (`default-features = false`).

use tetrastat::board::Board;
use tetrastat::controller::Controller;
use tetrastat::error::Result;
use tetrastat::kernels::Level;
use tetrastat::piece::Piece;
use tetrastat::rules::Rules;
use tetrastat::search::{Player, Ranked, Search};

fn main() -> Result<()> {
    let board: Board = "........../........../#.......##/##.#####.#/##.#######".parse()?;
    let bcts = Controller::load("bcts")?;
    let (rules, level) = (Rules::simplified(), Level::detect());
    let mut player = Player::new(&bcts, rules, Search::Greedy, board.size(), level)?;
    let ranked = player.rank_best_first(&board, Piece::L, None);

    let scale = player.scorer().scale();
    println!("{} on\n{board}", Piece::L);
    for Ranked { outcome, value } in ranked.iter().take(3) {
        let placement = outcome.played.candidate.placement;
        let score = value.score(scale).map_or("lost".to_owned(), |score| format!("{score:.3}"));
        println!("orientation {}, column {}: {score}", placement.orientation, placement.column);
    }
    println!("\nthe best one leads to\n{}", ranked[0].outcome.after);
    println!("feature              weight  value");
    for (feature, weight) in &bcts.weights {
        let measured = player.measured_board(&ranked[0].outcome);
        let raw = feature.raw(measured, Some(&ranked[0].outcome.played)).unwrap_or(0);
        let value = feature.in_units(raw, board.width());
        println!("{:18}{weight:9.3}{value:7}", feature.to_string());
    }
    Ok(())
}
