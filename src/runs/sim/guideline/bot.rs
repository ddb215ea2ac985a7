//! Bots of guideline games: [`GuidelineBot`] answers the messages of the Tetris Bot Protocol with a
//! configured player, and `ExternalPlayer` plays by the moves of a bot in a process of its own.
//!
//! An external bot follows each game from its first position. A game that it does not know, such as
//! one that a viewer continues, begins with a new `start`.

use serde_json::Value;

use super::config::GuidelineConfig;
use super::game::{GuidelinePlayer, InPlay};
use crate::error::printable;
use crate::prelude::*;
use crate::record::{ChosenPlacement, GuidelineGameRow, VERSION};
use crate::rules::guideline::positions::Position;
use crate::rules::guideline::{
    Choice, ComboState, GuidelineState, Hold, Landing, Landings, MoveGenerator, Placed, Spin,
    shortest,
};
use crate::tbp::{
    Bot, BotProcess, FromBot, Move, MoveInfo, Randomizer, Start, ToBot, from_tbp_board,
    to_tbp_board,
};

const AUTHOR: &str = "the tetrastat project";

const FEATURES: [&str; 2] = ["randomizer", "move_info"];

/// Largest number of known pieces (current and next) that the bot accepts from the frontend.
const MOST_KNOWN: usize = 1_000;

const LONGEST_CAUSE: usize = 200;

/// Bot for the Tetris Bot Protocol that plays by the settings of guideline games. It counts rows
/// and pieces itself, because the protocol states neither number.
pub struct GuidelineBot {
    player: GuidelinePlayer,
    config: GuidelineConfig,
    has_rules: bool,
    game: Option<InPlay>,
}

/// Reaction of a bot to a message from the frontend, the program that runs the game.
#[derive(Clone, Debug, PartialEq)]
pub enum BotReply {
    /// Message that the bot sends back to the program that runs the game.
    Answer(FromBot),
    /// No answer, because the message from the frontend needs no answer.
    Nothing,
    /// End of the bot, as the program that runs the game has asked.
    Quit,
}

impl GuidelineBot {
    /// Creates a bot that plays guideline games by the controller, search and rules of `config`.
    #[must_use]
    pub fn new(config: &GuidelineConfig) -> GuidelineBot {
        GuidelineBot {
            player: GuidelinePlayer::new(config),
            config: config.clone(),
            has_rules: false,
            game: None,
        }
    }

    /// Returns the bot's first message, with its name, version, author and features.
    #[must_use]
    pub fn info(&self) -> FromBot {
        FromBot::Info {
            name: format!("{} ({})", self.config.controller.name, self.config.beam.name()),
            version: VERSION.to_owned(),
            author: AUTHOR.to_owned(),
            features: FEATURES.map(str::to_owned).to_vec(),
        }
    }

    /// Parses and answers a line of JSON from the program that runs the game; ignores an empty one.
    pub fn answer_line(&mut self, line: &[u8]) -> Result<BotReply> {
        if line.trim_ascii().is_empty() {
            return Ok(BotReply::Nothing);
        }
        let message = serde_json::from_slice(line);
        self.answer(message.map_err(|error| Error::Config(explain(line, &error)))?)
    }

    /// Returns the bot's reaction to a message from the frontend, the program that runs the game.
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
                let (queue, _) = game_in_progress(&mut self.game, "new_piece")?.parts();
                if queue.peeked().count() >= MOST_KNOWN {
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

    fn begin(&self, start: &Start) -> Result<InPlay> {
        if start.queue.len() > MOST_KNOWN {
            return Err(Error::Config(format!("more than {MOST_KNOWN} known pieces: send fewer")));
        }
        let state = GuidelineState {
            matrix: from_tbp_board(&start.board)?,
            hold: start.hold.map_or(Hold::Empty, Hold::Piece),
            combo_state: ComboState {
                chain: start.back_to_back.into(),
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
        Ok(self.player.begin_at(state, queue))
    }

    fn suggest(&mut self) -> Result<FromBot> {
        let game = game_in_progress(&mut self.game, "suggest")?;
        let (queue, state) = game.parts();
        if queue.peeked().next().is_none() {
            let text = "`suggest` with an empty queue: send `new_piece` first";
            return Err(Error::Config(text.to_owned()));
        }
        // A game that continues after its goal plays for the next one.
        if let Some(goal) = self.config.mode.goal() {
            state.lines %= goal;
        }
        let moves = self.player.suggest(game).into_iter().map(Move::from_landing).collect();
        let depth = Some(self.config.beam.depth as f64);
        let move_info = Some(MoveInfo { depth, ..MoveInfo::default() });
        Ok(FromBot::Suggestion { moves, move_info })
    }

    /// Plays a move reported by the running game, even if it is unreachable by the bot's rules.
    fn play(&mut self, played: &Move) -> Result<()> {
        let game = game_in_progress(&mut self.game, "play")?;
        let fail = |problem: &str| Err(Error::Config(format!("`play` of {played}: {problem}")));
        let Some(landing) = played.landing() else {
            return fail("a cell is outside the board: send a place within it");
        };
        let (queue, state) = game.parts();
        if !Position::from(landing).fits(&state.matrix, landing.piece) {
            return fail("a cell is filled already: send a free place");
        }
        let (current, next) = (queue.peeked().next(), queue.peeked().nth(1));
        let Some(choice) = choice(state, current, next, landing.piece) else {
            return fail("the piece is neither current nor in the hold: send another");
        };
        self.player.advance(game, &choice, landing);
        Ok(())
    }
}

fn explain(line: &[u8], error: &serde_json::Error) -> String {
    let no_message = |cause: &str, remedy: &str| {
        format!("no message of the protocol ({}): {remedy}", printable(cause, LONGEST_CAUSE))
    };
    let Ok(Value::Object(message)) = serde_json::from_slice(line) else {
        return no_message(&error.to_string(), "send one object a line");
    };
    // The position of a wrong value is lost, because the type of a message can follow its fields.
    let problem = |message: &Map<String, Value>| {
        let parsed: serde_json::Result<ToBot> = serde_json::from_value(message.clone().into());
        parsed.err().map(|error| error.to_string())
    };
    let Some(cause) = problem(&message) else {
        return no_message(&error.to_string(), "correct it");
    };
    if cause.starts_with("missing field") {
        return no_message(&cause, "add this field");
    }
    // Each field is removed in turn: if that removes or changes the problem, this field was wrong.
    // The field `type` is kept, because its absence changes the problem of any message.
    let is_wrong = |field: &&String| {
        if *field == "type" {
            return false;
        }
        let mut rest = message.clone();
        rest.remove(*field);
        problem(&rest).as_ref() != Some(&cause)
    };
    match message.keys().find(is_wrong) {
        Some(field) => no_message(&format!("field `{field}`: {cause}"), "correct its value"),
        None => no_message(&cause, "correct this value"),
    }
}

fn game_in_progress<'a>(game: &'a mut Option<InPlay>, name: &str) -> Result<&'a mut InPlay> {
    let none = || Error::Config(format!("`{name}` before `start`: send `start` first"));
    game.as_mut().ok_or_else(none)
}

fn choice(
    state: &GuidelineState,
    current: Option<Piece>,
    next: Option<Piece>,
    piece: Piece,
) -> Option<Choice> {
    let current = current?;
    let kept = Hold::Piece(current);
    match state.hold {
        _ if piece == current => Some(Choice { piece, held: false, hold: state.hold, taken: 1 }),
        Hold::Piece(held) if held == piece => {
            Some(Choice { piece, held: true, hold: kept, taken: 1 })
        }
        Hold::Empty if next == Some(piece) => {
            Some(Choice { piece, held: true, hold: kept, taken: 2 })
        }
        _ => None,
    }
}

pub(super) struct ExternalPlayer {
    bot: Bot,
    process: Option<BotProcess>,
    /// Placement that the external bot chose last; the bot is told of it if the same game goes on.
    last: Option<LastPlacement>,
    landings: [Landings; 2],
}

struct LastPlacement {
    /// Number of the game, and number of pieces placed in the game, this placement included.
    game: (u64, u32),
    after: GuidelineState,
    known: Vec<Piece>,
    played: Move,
}

impl ExternalPlayer {
    pub(super) fn new(bot: Bot) -> ExternalPlayer {
        ExternalPlayer { bot, process: None, last: None, landings: Default::default() }
    }

    /// Returns the placement that the external bot chooses; `None` if every placement loses or the
    /// bot suggests no move.
    pub(super) fn choose(
        &mut self,
        movegen: &MoveGenerator,
        state: &GuidelineState,
        queue: &Queue,
        known: &[Piece],
        row: &GuidelineGameRow,
    ) -> Result<Option<ChosenPlacement>> {
        let rules = movegen.rules();
        let choices = state.choices(rules, known);
        let mut survives = false;
        for (choice, landings) in choices.iter().zip(&mut self.landings) {
            if let Some(choice) = choice {
                movegen.landings(&state.matrix, choice.piece, landings);
                survives |= landings.iter().any(|landing| !rules.loses(landing));
            }
        }
        if !survives {
            return Ok(None);
        }
        let messages = self.messages(state, queue, known, row);
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(BotProcess::begin(&self.bot, Randomizer::name(queue.kind()))?),
        };
        let moves = process.suggestion(&messages)?;
        if moves.is_empty() {
            return Ok(None);
        }
        let landings = &self.landings;
        let legal = moves.iter().find_map(|wanted| {
            legal(movegen, state, (&choices, landings), wanted).map(|found| (wanted, found))
        });
        let Some((wanted, (choice, landing, placed))) = legal else {
            let place = format!("for piece {} of game {}", row.pieces + 1, row.game);
            return Err(process.no_legal_move(&moves, &place));
        };
        let played = Move { spin: landing.spin, ..*wanted };
        self.last = Some(LastPlacement {
            game: (row.game, row.pieces + 1),
            after: placed.next_state(),
            known: known.iter().skip(choice.taken as usize).copied().collect(),
            played,
        });
        let found = None;
        Ok(Some(ChosenPlacement { choice, landing, placed, found, planned: false, best: None }))
    }

    fn messages(
        &mut self,
        state: &GuidelineState,
        queue: &Queue,
        known: &[Piece],
        row: &GuidelineGameRow,
    ) -> Vec<ToBot> {
        let here = (row.game, row.pieces);
        let goes_on = |last: &LastPlacement| {
            last.game == here && last.after == *state && known.starts_with(&last.known)
        };
        if let Some(LastPlacement { played, known: seen, .. }) =
            self.last.take_if(|last| goes_on(last))
        {
            let more = known[seen.len()..].iter().map(|&piece| ToBot::NewPiece { piece });
            return [ToBot::Play { played }]
                .into_iter()
                .chain(more)
                .chain([ToBot::Suggest])
                .collect();
        }
        let is_calculating = self.process.as_ref().is_some_and(BotProcess::is_calculating);
        let start = ToBot::Start(Box::new(Start::from_state(state, known, queue)));
        is_calculating.then_some(ToBot::Stop).into_iter().chain([start, ToBot::Suggest]).collect()
    }
}

impl Start {
    fn from_state(state: &GuidelineState, known: &[Piece], queue: &Queue) -> Start {
        let combo_state = state.combo_state;
        Start {
            hold: match state.hold {
                Hold::Piece(piece) => Some(piece),
                Hold::Empty | Hold::Unknown => None,
            },
            queue: known.to_vec(),
            combo: combo_state.combo.into(),
            back_to_back: combo_state.back_to_back(),
            board: to_tbp_board(&state.matrix),
            randomizer: Randomizer::from_queue(queue.kind(), queue.bag_counts()),
        }
    }
}

/// Returns the legal placement for the bot's move `wanted`, with a spin if the shortest inputs
/// produce one that the bot left out.
fn legal(
    movegen: &MoveGenerator,
    state: &GuidelineState,
    (choices, landings): (&[Option<Choice>; 2], &[Landings; 2]),
    wanted: &Move,
) -> Option<(Choice, Landing, Placed)> {
    let goal = wanted.landing()?;
    let of_piece = |(choice, landings): (&Option<Choice>, _)| {
        choice.filter(|choice| choice.piece == goal.piece).map(|choice| (choice, landings))
    };
    let (choice, landings): (Choice, &Landings) =
        choices.iter().zip(landings).find_map(of_piece)?;
    let is_there = |landing: &Landing| Landing { spin: goal.spin, ..*landing } == goal;
    let best = landings.iter().find(is_there)?;
    let rules = movegen.rules();
    let landing = match (goal.spin, best.spin) {
        (wanted, best_spin) if wanted == best_spin => best,
        // The bot counts on a spin that cannot be made.
        (_, Spin::None) => return None,
        // Without a turn as the last movement there is no spin.
        (Spin::None, _) => match shortest(rules, &state.matrix, goal) {
            Some(path) if path.kick.is_none() => goal,
            _ => best,
        },
        _ => shortest(rules, &state.matrix, goal).map_or(best, |_| goal),
    };
    Some((choice, landing, state.place(rules, &choice, landing)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::GuidelineController;
    use crate::rules::guideline::RuleSet;
    use crate::search::guideline::Beam;
    use crate::sim::guideline::{Mode, Unseen};
    use crate::tbp::{Location, TBP_ROWS, Toward};

    fn bot(mode: Mode, beam: Beam) -> GuidelineBot {
        let sprint = mode.goal().is_some();
        let name = if sprint { "tetrastat-sprint" } else { "tetrastat-blitz-network" };
        let controller = GuidelineController::load(name).unwrap();
        let unseen = if sprint { Unseen::NONE } else { Unseen { futures: 2, pieces: 2 } };
        let finisher = if sprint { 200 } else { 0 };
        let config = GuidelineConfig {
            mode,
            beam,
            finisher,
            futures: 2,
            unseen,
            ..GuidelineConfig::new(controller, RuleSet::official())
        };
        config.validate().unwrap();
        GuidelineBot::new(&config)
    }

    fn blitz() -> GuidelineBot {
        let beam = Beam { perfect_clears: 50, ..Beam::new(3, 2) };
        bot(Mode::Blitz { pieces: 20, time_us: u64::MAX }, beam)
    }

    fn start(queue: &str) -> String {
        let row = "[null,null,null,null,null,null,null,null,null,null]";
        let board = vec![row; TBP_ROWS].join(",");
        let pieces: Vec<String> = queue.chars().map(|piece| format!("\"{piece}\"")).collect();
        format!(
            r#"{{"type":"start","hold":null,"queue":[{}],{},"board":[{board}]}}"#,
            pieces.join(","),
            r#""combo":0,"back_to_back":false"#
        )
    }

    fn moves(bot: &mut GuidelineBot) -> Vec<Move> {
        let answer = bot.answer(ToBot::Suggest).unwrap();
        let BotReply::Answer(FromBot::Suggestion { moves, .. }) = answer else {
            panic!("{answer:?}");
        };
        moves
    }

    #[test]
    fn a_game_by_hand() {
        let mut bot = blitz();
        for line in [r#"{"type":"rules","randomizer":"seven_bag"}"#, &start("SZO")] {
            bot.answer_line(line.as_bytes()).unwrap();
        }
        let mut pieces: Vec<Piece> = moves(&mut bot).iter().map(|at| at.location.piece).collect();
        pieces.sort_unstable();
        pieces.dedup();
        assert_eq!(pieces, [Piece::S, Piece::Z]);
        // Z is placed from the empty hold, so S is held and O is the current piece.
        let place = r#"{"type":"Z","orientation":"north","x":1,"y":0}"#;
        let play = format!(r#"{{"type":"play","move":{{"location":{place},"spin":"none"}}}}"#);
        bot.answer_line(play.as_bytes()).unwrap();
        let mut game = bot.game.clone().unwrap();
        assert_eq!(game.state().hold, Hold::Piece(Piece::S));
        assert_eq!(game.state().matrix.cells(), 4);
        assert_eq!(game.parts().0.peeked().collect::<Vec<_>>(), [Piece::O]);
        // The same cells again, a piece that is not there, and a place outside the board.
        for wrong in [
            play.replace(r#""type":"Z""#, r#""type":"O""#),
            play.replace(r#""y":0"#, r#""y":5"#),
            play.replace(r#""x":1"#, r#""x":11"#),
        ] {
            let error = bot.answer_line(wrong.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("`play` of"), "{error}");
        }
        bot.answer(ToBot::Stop).unwrap();
        let error = bot.answer(ToBot::Suggest).unwrap_err().to_string();
        assert!(error.contains("`suggest` before `start`"), "{error}");
        assert_eq!(bot.answer(ToBot::Quit).unwrap(), BotReply::Quit);
    }

    fn damage(line: &str, stream: &mut Stream) -> Vec<u8> {
        const VALUES: [&str; 8] =
            ["null", "1e999", "-1", "99999999999999999999", "[]", "{}", "\"Q\"", "4.5"];
        let mut bytes = line.as_bytes().to_vec();
        match stream.below(4) {
            0 => bytes.truncate(stream.below(bytes.len() as u32 + 1) as usize),
            1 => {
                for _ in 0..=stream.below(3) {
                    let place = stream.below(bytes.len() as u32) as usize;
                    bytes[place] = stream.below(256) as u8;
                }
            }
            2 => {
                // A value begins after a colon or a comma.
                let starts: Vec<usize> =
                    line.match_indices([':', ',']).map(|(place, _)| place + 1).collect();
                let from = starts[stream.below(starts.len() as u32) as usize];
                let rest = &line[from..];
                let end = from + rest.find([',', '}', ']']).unwrap_or(rest.len());
                bytes.splice(from..end, VALUES[stream.below(8) as usize].bytes());
            }
            _ => {}
        }
        bytes
    }

    #[test]
    fn no_message_breaks_the_bot() {
        let (mut answers, mut errors) = (0, 0);
        for seed in 0..36 {
            let mut stream = Stream::new(seed, Purpose::Choices, 0);
            let mut bot = match seed % 3 {
                0 => blitz(),
                1 => bot(Mode::Sprint { lines: 4 }, Beam::new(3, 2)),
                _ => bot(Mode::Sprint { lines: 2 }, Beam::GREEDY),
            };
            bot.answer(ToBot::Rules { randomizer: None }).unwrap();
            let mut suggested = Vec::new();
            for _ in 0..60 {
                let letter = |stream: &mut Stream| Piece::ALL[stream.below(7) as usize].name();
                let mut line = match stream.below(12) {
                    0 => r#"{"type":"rules","randomizer":"general_bag"}"#.to_owned(),
                    1 => r#"{"type":"stop"}"#.to_owned(),
                    2 | 3 => {
                        let length = stream.below(9);
                        let queue: String = (0..length).map(|_| letter(&mut stream)).collect();
                        let mut text = start(&queue);
                        for _ in 0..stream.below(400) {
                            let nulls: Vec<usize> =
                                text.match_indices("null").map(|(place, _)| place).collect();
                            if let Some(&place) = nulls.get(stream.below(400) as usize) {
                                text.replace_range(place..place + 4, "\"G\"");
                            }
                        }
                        let bag = match stream.below(4) {
                            0 => r#""seven_bag","bag_state":["I","I"]"#,
                            1 => r#""general_bag","current_bag":{"I":1},"filled_bag":{"L":2}"#,
                            2 => r#""general_bag","current_bag":{},"filled_bag":{"L":60000}"#,
                            _ => r#""uniform""#,
                        };
                        let end = text.len() - 1;
                        text.insert_str(end, &format!(r#","randomizer":{{"type":{bag}}}"#));
                        text
                    }
                    4..=6 => r#"{"type":"suggest"}"#.to_owned(),
                    7 => format!(r#"{{"type":"new_piece","piece":"{}"}}"#, letter(&mut stream)),
                    8 => {
                        let orientation = Toward::ALL[stream.below(4) as usize];
                        let mut below = |bound| i64::from(stream.below(bound)) - 1;
                        let (x, y) = (below(12), below(42));
                        let piece = Piece::ALL[stream.below(7) as usize];
                        let location = Location { piece, orientation, x, y };
                        let played = Move { location, spin: Default::default() };
                        serde_json::to_string(&ToBot::Play { played }).unwrap()
                    }
                    _ => match suggested.get(stream.below(20) as usize) {
                        Some(&played) => serde_json::to_string(&ToBot::Play { played }).unwrap(),
                        None => continue,
                    },
                }
                .into_bytes();
                if stream.below(5) == 0 {
                    line = damage(&String::from_utf8_lossy(&line), &mut stream);
                }
                match bot.answer_line(&line) {
                    Ok(BotReply::Answer(FromBot::Suggestion { moves, .. })) => {
                        answers += 1;
                        suggested = moves;
                    }
                    Ok(_) => {}
                    Err(error) => {
                        errors += 1;
                        assert!(matches!(error, Error::Config(_)), "{error}");
                    }
                }
            }
        }
        assert!(answers > 60 && errors > 180, "{answers} {errors}");
    }
}
