//! The Tetris Bot Protocol (TBP) of 2021, with the extensions for randomizers and `move_info`
//! (`github.com/tetris-bot-protocol/tbp-spec`). This file has the messages, and `process` runs a
//! bot as a child process.

mod process;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::matrix::{Matrix, ROWS, WIDTH};
use crate::piece::Piece;
use crate::placement::Spin;
use crate::queue::{PieceCounts, QueueKind};
use crate::rules::guideline::{Landing, RotationState};

pub use process::{
    Bot, BotEntry, BotProcess, DEFAULT_ANSWER_TIME, LONGEST_LINE, PREFIX, named_bot,
};

/// Number of board rows in the Tetris Bot Protocol; a [`Matrix`] stores only the lowest [`ROWS`].
pub const TBP_ROWS: usize = 40;

/// Message of the Tetris Bot Protocol from the frontend, which runs the game, to the bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToBot {
    /// Rules of the next games, sent to the bot, which accepts or refuses them.
    Rules {
        /// Name of the generator of pieces; a missing or unfamiliar name means `unknown`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        randomizer: Option<String>,
    },
    /// Position of a game from which the bot shall begin to calculate.
    Start(Box<Start>),
    /// Request to the bot for the moves that it prefers.
    Suggest,
    /// Report that a move was played in the game.
    Play {
        /// Move that was played in the game.
        #[serde(rename = "move")]
        played: Move,
    },
    /// Report that a piece was added to the end of the queue.
    NewPiece {
        /// Piece that was added to the end of the queue.
        piece: Piece,
    },
    /// Order to the bot to end its calculation.
    Stop,
    /// Order to the bot to end its process.
    Quit,
    /// Message of a type that is not known, which is ignored.
    #[serde(other, skip_serializing)]
    Unknown,
}

/// Message of the Tetris Bot Protocol from the bot to the frontend, which runs the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromBot {
    /// First message of a bot, in which it describes itself.
    Info {
        /// Name of the bot, as shown to people.
        name: String,
        /// Version of the bot, as the bot states.
        version: String,
        /// Author of the bot, as the bot states.
        author: String,
        /// Names of the protocol's extensions that the bot supports.
        #[serde(default)]
        features: Vec<String>,
    },
    /// Answer of a bot that can play by the rules that it was sent.
    Ready,
    /// Report of a failure that keeps the bot from playing.
    Error {
        /// Cause of the bot's failure.
        reason: String,
    },
    /// Answer of a bot to a request for moves.
    Suggestion {
        /// Moves that the bot suggests, the preferred one first.
        moves: Vec<Move>,
        /// Statistics of the bot's search, such as its depth.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        move_info: Option<MoveInfo>,
    },
    /// Message of a type that is not known, which is ignored.
    #[serde(other, skip_serializing)]
    Unknown,
}

impl FromBot {
    /// Returns the bot's message as a line of JSON, with the line break.
    pub fn line(&self) -> Result<String> {
        let text = serde_json::to_string(self).map_err(|e| Error::Internal(e.to_string()))?;
        Ok(text + "\n")
    }

    /// Returns the type of the bot's message as in JSON, for example `ready`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            FromBot::Info { .. } => "info",
            FromBot::Ready => "ready",
            FromBot::Error { .. } => "error",
            FromBot::Suggestion { .. } => "suggestion",
            FromBot::Unknown => "unknown",
        }
    }
}

/// Position of a game: everything that a bot knows when it begins to calculate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Piece in the hold; `None` if the hold is empty.
    pub hold: Option<Piece>,
    /// Current piece, followed by the previews in order.
    pub queue: Vec<Piece>,
    /// Number of consecutive placements that removed rows.
    pub combo: u64,
    /// True if the last clear was difficult, so that back-to-back counts.
    pub back_to_back: bool,
    /// Rows of cells, the bottom row first: a piece's name, `G` for garbage, or `None` for empty.
    pub board: Vec<Vec<Option<String>>>,
    /// State of the generator of pieces once all queued pieces are dealt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub randomizer: Option<Randomizer>,
}

/// State of the generator of pieces once all known pieces are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Randomizer {
    /// Generator of independent, equally likely pieces.
    Uniform,
    /// Generator that deals shuffled bags of the seven pieces.
    SevenBag {
        /// Flags of the seven pieces: true if the piece is still in the current bag.
        #[serde(with = "piece_set")]
        bag_state: [bool; 7],
    },
    /// Generator that deals shuffled bags with given numbers of each piece.
    GeneralBag {
        /// Number of each piece left in the current bag.
        current_bag: BagPieces,
        /// Number of each piece in a full bag.
        filled_bag: BagPieces,
    },
    /// Generator of pieces of an unknown kind.
    #[serde(other, skip_serializing)]
    Unknown,
}

mod piece_set {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::piece::Piece;

    pub(super) fn serialize<S: Serializer>(set: &[bool; 7], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(Piece::ALL.into_iter().filter(|piece| set[piece.index()]))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[bool; 7], D::Error> {
        let pieces = Vec::<Piece>::deserialize(from)?;
        Ok(Piece::ALL.map(|piece| pieces.contains(&piece)))
    }
}

/// Number of each piece in a bag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "UPPERCASE")]
pub struct BagPieces {
    i: u16,
    o: u16,
    t: u16,
    s: u16,
    z: u16,
    j: u16,
    l: u16,
}

impl BagPieces {
    /// Creates the numbers of pieces in a bag from a list in the order of [`Piece::ALL`].
    #[must_use]
    pub fn new([i, o, t, s, z, j, l]: [u16; 7]) -> BagPieces {
        BagPieces { i, o, t, s, z, j, l }
    }

    /// Returns the numbers of pieces in the bag as [`PieceCounts`].
    pub fn counts(self) -> Result<PieceCounts> {
        let BagPieces { i, o, t, s, z, j, l } = self;
        PieceCounts::new([i, o, t, s, z, j, l])
    }
}

impl Randomizer {
    /// Returns the Tetris Bot Protocol's name of queues of `kind`, such as `seven_bag`.
    #[must_use]
    pub fn name(kind: &QueueKind) -> &'static str {
        match kind {
            QueueKind::Uniform => "uniform",
            QueueKind::Bag => "seven_bag",
            QueueKind::BagOf(_) => "general_bag",
            _ => "unknown",
        }
    }

    /// Returns the protocol's state of a queue of `kind` with the pieces `left` in its bag; `None`
    /// for kinds that the protocol lacks.
    #[must_use]
    pub fn from_queue(kind: &QueueKind, left: Option<[u16; 7]>) -> Option<Randomizer> {
        match (kind, left) {
            (QueueKind::Uniform, _) => Some(Randomizer::Uniform),
            (QueueKind::Bag, Some(left)) => {
                Some(Randomizer::SevenBag { bag_state: left.map(|number| number > 0) })
            }
            (QueueKind::BagOf(full), Some(left)) => {
                let full = Piece::ALL.map(|piece| full.count(piece) as u16);
                let (current_bag, filled_bag) = (BagPieces::new(left), BagPieces::new(full));
                Some(Randomizer::GeneralBag { current_bag, filled_bag })
            }
            _ => None,
        }
    }
}

/// Placement of a piece in the Tetris Bot Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Place on the board where the piece comes to rest.
    pub location: Location,
    /// Spin (none, mini or full) with which the piece arrives.
    #[serde(with = "spin")]
    pub spin: Spin,
}

/// Place of a piece on the board: its orientation and the cell of its centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Kind of the piece that is placed.
    #[serde(rename = "type")]
    pub piece: Piece,
    /// Orientation of the piece: the direction in which it points.
    pub orientation: Toward,
    /// Column of the piece's centre cell, from 0.
    pub x: i64,
    /// Row of the piece's centre cell, 0 at the floor.
    pub y: i64,
}

tetrastat_core::names! {
    /// Orientation of a piece, as the direction in which it points.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Toward {
        /// Orientation in which pieces spawn.
        North = "north",
        /// Orientation after one clockwise turn.
        East = "east",
        /// Orientation after two turns: upside down.
        South = "south",
        /// Orientation after one counter-clockwise turn.
        West = "west",
    }
}

mod spin {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::placement::Spin;

    pub(super) fn serialize<S: Serializer>(spin: &Spin, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(spin.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Spin, D::Error> {
        let name = String::deserialize(from)?;
        Spin::named(&name)
            .ok_or_else(|| D::Error::unknown_variant(&name, &["none", "mini", "full"]))
    }
}

/// Statistics of the search by which a bot found its moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveInfo {
    /// Number of nodes that the bot's search visited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<f64>,
    /// Number of nodes that the bot's search visited per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<f64>,
    /// Depth that the bot's search reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// Remark of the bot on the search for its moves, as free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl Move {
    /// Returns the protocol's move that places a piece at its final position `landing`.
    #[must_use]
    pub fn from_landing(landing: Landing) -> Move {
        let Landing { piece, state, x, y, spin } = landing;
        let orientation = Toward::ALL[state.index()];
        Move { location: Location { piece, orientation, x: x.into(), y: y.into() }, spin }
    }

    /// Returns the piece's final position, in the first orientation that fills the same cells;
    /// `None` outside the columns or the stored rows.
    #[must_use]
    pub fn landing(&self) -> Option<Landing> {
        let Location { piece, orientation, x, y } = self.location;
        let landing = Landing::centred(piece, RotationState::ALL[orientation as usize], x, y)?;
        Some(Landing { spin: self.spin, ..landing }.canonical())
    }
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Move { location: Location { piece, orientation, x, y }, spin } = self;
        write!(f, "{piece} {} at x {x}, y {y}, spin {spin}", orientation.name())
    }
}

pub(crate) fn to_tbp_board(matrix: &Matrix) -> Vec<Vec<Option<String>>> {
    let cell = |row: usize, column: usize| {
        let is_filled = row < ROWS && matrix.is_filled(column, row);
        is_filled.then(|| "G".to_owned())
    };
    (0..TBP_ROWS).map(|row| (0..WIDTH).map(|column| cell(row, column)).collect()).collect()
}

/// Parses a board of the Tetris Bot Protocol; cells above the stored rows are lost.
pub(crate) fn from_tbp_board(board: &[Vec<Option<String>>]) -> Result<Matrix> {
    if board.len() != TBP_ROWS || board.iter().any(|row| row.len() != WIDTH) {
        return Err(Error::Config(format!(
            "a board without {TBP_ROWS} rows of {WIDTH} cells: send all rows, the bottom row first"
        )));
    }
    let mut matrix = Matrix::EMPTY;
    for (row, cells) in board.iter().enumerate().take(ROWS) {
        for (column, _) in cells.iter().enumerate().filter(|(_, cell)| cell.is_some()) {
            matrix = matrix.with(column, row);
        }
    }
    if matrix.full_rows() != 0 {
        return Err(Error::Config("a board with full rows: send it without them".to_owned()));
    }
    Ok(matrix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(piece: Piece, orientation: Toward, x: i64, y: i64) -> Move {
        Move { location: Location { piece, orientation, x, y }, spin: Spin::None }
    }

    #[test]
    fn centres_by_hand() {
        use super::Toward::{East, North, South, West};
        let cells = |moves: &[Move]| {
            let mut all = moves.iter().map(|of| of.landing().unwrap()).collect::<Vec<_>>();
            all.dedup();
            assert_eq!(all.len(), 1, "{all:?}");
            let mut cells = all[0].cells();
            cells.sort_unstable();
            cells
        };
        let square = [(4, 0), (4, 1), (5, 0), (5, 1)];
        let (o, i) = (Piece::O, Piece::I);
        let turned = [at(o, North, 4, 0), at(o, East, 4, 1), at(o, South, 5, 1), at(o, West, 5, 0)];
        assert_eq!(cells(&turned), square);
        assert_eq!(
            cells(&[at(i, North, 1, 0), at(i, South, 2, 0)]),
            [(0, 0), (1, 0), (2, 0), (3, 0)]
        );
        assert_eq!(
            cells(&[at(i, East, 3, 2), at(i, West, 3, 1)]),
            [(3, 0), (3, 1), (3, 2), (3, 3)]
        );
        assert_eq!(cells(&[at(Piece::T, East, 0, 1)]), [(0, 0), (0, 1), (0, 2), (1, 1)]);
        let s = [at(Piece::S, North, 1, 0), at(Piece::S, South, 1, 1)];
        assert_eq!(cells(&s), [(0, 0), (1, 0), (1, 1), (2, 1)]);
    }

    #[test]
    fn places_outside_the_board_have_no_landing() {
        use super::Toward::{East, North, West};
        for outside in [
            at(Piece::T, North, 0, 0),
            at(Piece::T, East, 0, 0),
            at(Piece::O, West, 0, 0),
            at(Piece::I, North, 8, 0),
            at(Piece::T, North, 4, 31),
            at(Piece::T, North, i64::MAX, i64::MIN),
            at(Piece::O, East, 4, i64::MIN),
        ] {
            assert_eq!(outside.landing(), None, "{outside}");
        }
        assert!(at(Piece::T, North, 4, 30).landing().is_some());
    }

    #[test]
    fn moves_come_back() {
        for piece in Piece::ALL {
            for state in RotationState::ALL {
                let landing = Landing::new(piece, state, 4, 5).canonical();
                let text = serde_json::to_string(&Move::from_landing(landing)).unwrap();
                let back: Move = serde_json::from_str(&text).unwrap();
                assert_eq!(back.landing(), Some(landing));
            }
        }
    }

    #[test]
    fn messages_by_hand() {
        let read = |text: &str| serde_json::from_str::<ToBot>(text).unwrap();
        assert_eq!(read(r#"{"type":"suggest","more":[1]}"#), ToBot::Suggest);
        assert_eq!(read(r#"{"type":"dance","to":{}}"#), ToBot::Unknown);
        assert_eq!(read(r#"{"type":"rules"}"#), ToBot::Rules { randomizer: None });
        let piece = ToBot::NewPiece { piece: Piece::T };
        assert_eq!(serde_json::to_string(&piece).unwrap(), r#"{"type":"new_piece","piece":"T"}"#);
        let bag = r#"{"type":"seven_bag","bag_state":["S","L","T"]}"#;
        let Randomizer::SevenBag { bag_state } = serde_json::from_str(bag).unwrap() else {
            panic!("{bag}");
        };
        assert_eq!(bag_state.iter().filter(|left| **left).count(), 3);
        let ready: FromBot = serde_json::from_str(r#"{"type":"ready","x":null}"#).unwrap();
        assert_eq!(ready, FromBot::Ready);
        let lost = r#"{"type":"suggestion","moves":[{"location":{"type":"Q"}}]}"#;
        assert!(serde_json::from_str::<FromBot>(lost).is_err());
    }
}
