//! Speaks the Tetris Bot Protocol (TBP) on standard input and output, as both of its ends.
//!
//! | file | content |
//! |---|---|
//! | `message` | the messages, and their pieces, boards and moves |
//! | `process` | a bot as a child process: its start, its answers and their time limit, its end |
//!
//! The protocol is that of 2021, with the extensions for randomizers and `move_info`
//! (`github.com/tetris-bot-protocol/tbp-spec`).

mod message;
mod process;

pub use message::{
    BagPieces, FromBot, Location, Move, MoveInfo, Randomizer, Start, TBP_ROWS, ToBot, Toward,
};
pub(crate) use message::{board_of, matrix_of};
pub use process::{
    Bot, BotEntry, BotProcess, DEFAULT_ANSWER_TIME, LONGEST_LINE, PREFIX, named_bot,
};
