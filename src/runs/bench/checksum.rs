//! Computes a checksum of the engine's behaviour in fixed games. The checksum changes if any
//! placement changes, and must be equal at all instruction levels.

use sha2::{Digest, Sha256};

use crate::board::Board;
use crate::controller::Controller;
use crate::error::Result;
use crate::kernels::Level;
use crate::queue::{Queue, QueueKind};
use crate::rules::Rules;
use crate::search::{Player, Search};

/// Games of the checksum: controller, board size, rules, search and number of pieces.
const GAMES: [(&str, &str, Rules, Search, u64); 12] = [
    ("bcts", "10x20", Rules::simplified(), Search::Greedy, 3000),
    ("dellacherie", "10x10", Rules::simplified(), Search::Greedy, 3000),
    ("dt20", "10x10", Rules::simplified(), Search::Greedy, 3000),
    ("lee", "10x20", Rules::simplified(), Search::Greedy, 3000),
    ("bdu", "10x20", Rules::simplified(), Search::Greedy, 1000),
    ("guide-thiery", "10x20", Rules::simplified(), Search::Greedy, 1000),
    ("unity", "7x12", Rules::simplified(), Search::Greedy, 1000),
    ("notebook-8", "12x20", Rules::simplified(), Search::Greedy, 1000),
    ("bcts", "16x28", Rules::simplified(), Search::Greedy, 1000),
    ("bcts", "10x12", Rules::standard(), Search::Greedy, 1000),
    ("bcts", "10x10", Rules::simplified(), Search::Next, 300),
    ("bcts", "10x10", Rules::simplified(), Search::Expect, 60),
];

/// Returns the checksum of the fixed games at instruction level `level`: the first 16 hexadecimal
/// digits of SHA-256 over the board after every placement. After a lost game, play continues on an
/// empty board.
///
/// # Errors
/// None in a released build, because the games are fixed.
pub fn checksum(level: Level) -> Result<String> {
    let mut hash = Sha256::new();
    for (name, size, rules, search, pieces) in GAMES {
        let size = size.parse()?;
        let mut player = Player::new(&Controller::load(name)?, rules, search, size, level)?;
        let mut queue = Queue::new(QueueKind::Uniform, 20, 26);
        let mut board = Board::empty(size);
        for _ in 0..pieces {
            let piece = queue.deal()?;
            let next = queue.peek(0);
            let step = player.step(&mut board, piece, next);
            board.rows().iter().for_each(|row| hash.update(row.to_le_bytes()));
            if step.is_none_or(|step| step.lost) {
                board = Board::empty(size);
            }
        }
    }
    Ok(start_of(hash))
}

/// Returns the first 16 hexadecimal digits of a hash.
pub(super) fn start_of(hash: Sha256) -> String {
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
