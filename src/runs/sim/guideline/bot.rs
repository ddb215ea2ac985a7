//! Lets a configured player answer the messages of the Tetris Bot Protocol.

use super::config::GuidelineConfig;
use super::game::{GuidelinePlayer, InPlay};
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::queue::{Queue, QueueKind};
use crate::record::VERSION;
use crate::rng::{Purpose, Stream};
use crate::rules::guideline::positions::Position;
use crate::rules::guideline::{Choice, ComboState, GuidelineState, Hold};
use crate::tbp::{FromBot, Move, MoveInfo, Randomizer, Start, ToBot, matrix_of};

/// Author of the bot.
const AUTHOR: &str = "the tetrastat project";

/// Extensions of the protocol that the bot supports.
const FEATURES: [&str; 2] = ["randomizer", "move_info"];

/// Largest number of known pieces that a bot keeps. No frontend shows so many.
const MOST_KNOWN: usize = 1_000;

/// A bot that plays as one configuration of guideline games says.
///
/// The protocol has no number of rows, pieces or games. So the bot counts rows and pieces from each
/// `start`, and draws the futures of its search from its own seed.
pub struct GuidelineBot {
    player: GuidelinePlayer,
    config: GuidelineConfig,
    has_rules: bool,
    game: Option<InPlay>,
}

/// Reaction of a bot to a message.
#[derive(Clone, Debug, PartialEq)]
pub enum BotReply {
    /// The bot answers with a message.
    Answer(FromBot),
    /// The bot answers nothing.
    Nothing,
    /// The bot ends.
    Quit,
}

impl GuidelineBot {
    /// Creates the bot that plays like `config`.
    #[must_use]
    pub fn new(config: &GuidelineConfig) -> GuidelineBot {
        GuidelineBot {
            player: GuidelinePlayer::new(config),
            config: config.clone(),
            has_rules: false,
            game: None,
        }
    }

    /// Returns the first message of the bot.
    #[must_use]
    pub fn info(&self) -> FromBot {
        FromBot::Info {
            name: format!("{} ({})", self.config.controller.name, self.config.search()),
            version: VERSION.to_owned(),
            author: AUTHOR.to_owned(),
            features: FEATURES.map(str::to_owned).to_vec(),
        }
    }

    /// Answers a line of JSON from the frontend. An empty line is ignored.
    ///
    /// # Errors
    /// [`Error::Config`] if the line breaks the protocol.
    pub fn answer_line(&mut self, line: &[u8]) -> Result<BotReply> {
        if line.trim_ascii().is_empty() {
            return Ok(BotReply::Nothing);
        }
        let message = serde_json::from_slice(line).map_err(|error| {
            Error::Config(format!("no message of the protocol ({error}): send one object a line"))
        })?;
        self.answer(message)
    }

    /// Answers a message from the frontend.
    ///
    /// # Errors
    /// [`Error::Config`] if the message is not allowed here, or its values are impossible.
    pub fn answer(&mut self, message: ToBot) -> Result<BotReply> {
        match message {
            ToBot::Rules { .. } => {
                self.has_rules = true;
                return Ok(BotReply::Answer(FromBot::Ready));
            }
            ToBot::Start(_) if !self.has_rules => {
                return Err(Error::Config("`start` before `rules`: send `rules` first".to_owned()));
            }
            ToBot::Start(start) => self.game = Some(self.begin(&start)?),
            ToBot::Suggest => return self.suggest().map(BotReply::Answer),
            ToBot::Play { played } => self.play(&played)?,
            ToBot::NewPiece { piece } => {
                let (queue, _) = playing(&mut self.game, "new_piece")?.parts();
                if queue.known().count() >= MOST_KNOWN {
                    return Err(Error::Config(format!(
                        "more than {MOST_KNOWN} known pieces: send fewer"
                    )));
                }
                queue.append(piece);
            }
            // A second `stop` is harmless.
            ToBot::Stop => self.game = None,
            ToBot::Quit => return Ok(BotReply::Quit),
            ToBot::Unknown => {}
        }
        Ok(BotReply::Nothing)
    }

    /// Returns the game in the position `start`.
    fn begin(&self, start: &Start) -> Result<InPlay> {
        if start.queue.len() > MOST_KNOWN {
            return Err(Error::Config(format!("more than {MOST_KNOWN} known pieces: send fewer")));
        }
        let state = GuidelineState {
            matrix: matrix_of(&start.board)?,
            hold: start.hold.map_or(Hold::Empty, Hold::Piece),
            combo_state: ComboState {
                back_to_back: start.back_to_back,
                combo: u8::try_from(start.combo).unwrap_or(u8::MAX),
            },
            ..GuidelineState::default()
        };
        let (kind, left) = match start.randomizer {
            Some(Randomizer::SevenBag { bag_state }) => {
                let left = Piece::ALL.into_iter().filter(|piece| bag_state[piece.index()]);
                (QueueKind::Bag, left.collect())
            }
            Some(Randomizer::GeneralBag { current_bag, filled_bag }) => {
                let left: Vec<Piece> = current_bag.counts()?.pieces().collect();
                (QueueKind::BagOf(filled_bag.counts()?), left)
            }
            Some(Randomizer::Uniform | Randomizer::Unknown) | None => {
                (QueueKind::Uniform, Vec::new())
            }
        };
        // Pieces that are dealt are known, so this stream serves only the futures of a search.
        let stream = Stream::new(self.config.seed, Purpose::Futures, 0);
        let queue = Queue::continuing(kind, start.queue.iter().copied(), left, stream);
        Ok(self.player.from_position(state, queue))
    }

    fn suggest(&mut self) -> Result<FromBot> {
        let game = playing(&mut self.game, "suggest")?;
        let (queue, state) = game.parts();
        if queue.known().next().is_none() {
            let text = "`suggest` with an empty queue: send `new_piece` first";
            return Err(Error::Config(text.to_owned()));
        }
        // A game that continues after its goal plays for the next one.
        if let Some(goal) = self.config.mode.goal() {
            state.lines %= goal;
        }
        let moves = self.player.suggest(game).into_iter().map(Move::of).collect();
        let depth = Some(self.config.beam.depth as f64);
        let move_info = Some(MoveInfo { depth, ..MoveInfo::default() });
        Ok(FromBot::Suggestion { moves, move_info })
    }

    /// Advances the game by a placement of the frontend. It need not be one that this program can
    /// reach, because games differ in their kicks.
    fn play(&mut self, played: &Move) -> Result<()> {
        let game = playing(&mut self.game, "play")?;
        let fail = |problem: &str| Err(Error::Config(format!("`play` of {played}: {problem}")));
        let Some(landing) = played.landing() else {
            return fail("a cell is outside the board: send a place within it");
        };
        let (queue, state) = game.parts();
        if !Position::from(landing).fits(&state.matrix, landing.piece) {
            return fail("a cell is filled already: send a free place");
        }
        let (current, next) = (queue.known().next(), queue.known().nth(1));
        let Some(choice) = choice(state, current, next, landing.piece) else {
            return fail("the piece is neither current nor in the hold: send another");
        };
        self.player.advance(game, &choice, landing);
        Ok(())
    }
}

/// Returns the game that the bot calculates, for a message of type `name`.
fn playing<'a>(game: &'a mut Option<InPlay>, name: &str) -> Result<&'a mut InPlay> {
    let none = || Error::Config(format!("`{name}` before `start`: send `start` first"));
    game.as_mut().ok_or_else(none)
}

/// Returns the choice by which `piece` was placed, given the two next pieces of the queue. Whether
/// the hold was used follows from the piece.
fn choice(
    state: &GuidelineState,
    current: Option<Piece>,
    next: Option<Piece>,
    piece: Piece,
) -> Option<Choice> {
    let current = current?;
    let kept = Hold::Piece(current);
    match state.hold {
        _ if piece == current => {
            Some(Choice { piece, held: false, hold: state.hold, taken: 1 })
        }
        Hold::Piece(held) if held == piece => {
            Some(Choice { piece, held: true, hold: kept, taken: 1 })
        }
        Hold::Empty if next == Some(piece) => {
            Some(Choice { piece, held: true, hold: kept, taken: 2 })
        }
        _ => None,
    }
}
