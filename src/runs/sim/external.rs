//! Plays classic games by the moves of a bot, which runs as a process of its own.
//!
//! Each decision is a new `start` with the board and the piece, since a bot knows no rules of
//! classic games by which it could follow one. Moves that the rules do not offer are skipped: those
//! with the hold, and places that a straight drop does not reach.

use crate::controller::{Connection, Controller, External, ExternalSource, MoveChooser, Position};
use crate::error::Result;
use crate::features::Measured;
use crate::matrix::{Matrix, WIDTH};
use crate::tbp::{Bot, BotEntry, BotProcess, Move, Start, ToBot, board_of};

/// Name of the randomizer that bots are told. The pieces to come are no part of a decision.
const RANDOMIZER: &str = "unknown";

/// Returns a controller of classic games by which `bot` plays. It has no weights.
#[must_use]
pub fn bot_controller(bot: Bot) -> Controller {
    let BotEntry { author, version, .. } = &bot.entry;
    Controller {
        source: format!("bot of {author}, version {version}"),
        board_width: Some(WIDTH),
        external: Some(External::new(BotSource(bot.clone()))),
        ..Controller::new(bot.display_name(), Measured::AfterClear)
    }
}

#[derive(Debug)]
struct BotSource(Bot);

impl ExternalSource for BotSource {
    fn describe(&self) -> String {
        self.0.describe()
    }

    fn has_scores(&self) -> bool {
        false
    }

    fn connect(&self) -> Result<Connection> {
        Ok(Connection::Moves(Box::new(BotChooser { bot: self.0.clone(), process: None })))
    }
}

/// Chooser of one worker thread.
struct BotChooser {
    bot: Bot,
    /// The running bot; `None` before the first decision.
    process: Option<BotProcess>,
}

impl MoveChooser for BotChooser {
    fn preferences(&mut self, position: &Position<'_>) -> Result<Vec<usize>> {
        let Position { board, piece, next, candidates } = *position;
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(BotProcess::begin(&self.bot, RANDOMIZER)?),
        };
        let start = Start {
            hold: None,
            queue: [piece].into_iter().chain(next).collect(),
            combo: 0,
            back_to_back: false,
            board: board_of(&Matrix::from_board(board)?),
            randomizer: None,
        };
        let stop = process.is_calculating().then_some(ToBot::Stop);
        let start = [ToBot::Start(Box::new(start)), ToBot::Suggest];
        let moves = process.suggestion(&stop.into_iter().chain(start).collect::<Vec<_>>())?;
        let index = |wanted: &Move| {
            let landing = wanted.landing().filter(|landing| landing.piece == piece)?.candidate();
            candidates.iter().position(|candidate| *candidate == landing)
        };
        let legal: Vec<usize> = moves.iter().filter_map(index).collect();
        if legal.is_empty() {
            return Err(process.no_legal_move(&moves, &format!("for {piece}")));
        }
        Ok(legal)
    }
}
