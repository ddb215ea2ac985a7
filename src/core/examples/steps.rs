//! Plays and does nothing else, so that its CPU instructions can be counted where times are
//! unreliable. The command `steps CONTROLLER LEVEL PIECES [SEARCH]` plays on 10x20 with simplified
//! rules and prints the number of rows removed. The search is greedy if it is not given.

use tetrastat_core::board::Board;
use tetrastat_core::controller::Controller;
use tetrastat_core::error::{Error, Result};
use tetrastat_core::kernels::Level;
use tetrastat_core::queue::{Queue, QueueKind};
use tetrastat_core::rules::Rules;
use tetrastat_core::search::{Player, Search};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = || Error::Config("usage: steps CONTROLLER LEVEL PIECES [SEARCH]".to_owned());
    let [controller, level, pieces, rest @ ..] = &args[..] else { return Err(usage()) };
    let search = match rest {
        [] => Search::Greedy,
        [search] => search.parse()?,
        _ => return Err(usage()),
    };
    let level: Level = level.parse()?;
    let pieces: u64 = pieces.parse().map_err(|_| usage())?;
    let (rules, size) = (Rules::simplified(), "10x20".parse()?);
    let mut player = Player::new(&Controller::load(controller)?, rules, search, size, level)?;
    let mut queue = Queue::new(QueueKind::Uniform, 20, 26);
    let (mut board, mut lines) = (Board::empty(size), 0);
    for _ in 0..pieces {
        let piece = queue.deal()?;
        let next = if search == Search::Next { queue.peek(0) } else { None };
        match player.step(&mut board, piece, next) {
            Some(step) if !step.lost => lines += u64::from(step.lines),
            _ => board = Board::empty(size),
        }
    }
    println!("{lines}");
    Ok(())
}
