//! `{"play": {"controller", "rules", "search", "board", "width", "height", "queue", "script",
//! "seed", "game", "skip", "pieces"}}` plays a game from its start, as `tetrastat simulate` does.
//! With `state` in place of the keys from `board` to `game`, the request continues the game of an
//! earlier answer. Its controller may be another one.
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `queue` | name of a queue, as `--queue` accepts it (not `script`) | `uniform` |
//! | `script` | letters of the pieces to deal instead of a queue | none |
//! | `seed` | run's seed: a number, or a text (decimal or `0x` hexadecimal) for all 64 bits | 1 |
//! | `game` | number of the game in its run, from 0 | 0 |
//! | `skip` | number of pieces placed before the answer begins | 0 |
//! | `pieces` | number of pieces in the answer, at most 10,000 | 100 |
//! | `state` | `state` of an earlier answer, unchanged | start of the game |
//!
//! `skip` and `pieces` add up to at most 100,000, with search `next` 5,000, with `expect` 1,000.
//! The answer has `placements`, `over` (null, `top_out`, `spawn_blocked` or `script_ended`), and
//! the game so far: `board`, `pieces`, `lines`, `next` and `state`. Each placement has `piece_no`
//! from 1, `piece`, `next`, `orientation`, `column`, `landing_row`, `lines`, `score`, `margin` over
//! the runner-up, `runner_up`, `candidates` (their number), and `board`: the board after the
//! placement in hexadecimal.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tetrastat::board::Board;
use tetrastat::error::{Error, Result};
use tetrastat::placement::{Candidate, PlacementEffect};
use tetrastat::queue::{Queue, QueueKind};
use tetrastat::rules::Rules;
use tetrastat::search::{Decision, Player, Search, Value};

use crate::asked::{AnyController, PlayerSettings, board, word};

/// Returns the maximum sum of `skip` and `pieces`, which takes some seconds while the page waits.
const fn most(search: Search) -> u64 {
    match search {
        Search::Greedy => 100_000,
        Search::Next => 5_000,
        Search::Expect => 1_000,
    }
}

/// Maximum number of placements in one answer. An answer of this length has some ten megabytes.
const MAX_PLACEMENTS: u64 = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    controller: Option<AnyController>,
    rules: Option<String>,
    search: Option<String>,
    board: Option<String>,
    width: Option<usize>,
    height: Option<usize>,
    queue: Option<String>,
    script: Option<String>,
    #[serde(default)]
    seed: Seed,
    #[serde(default)]
    game: u64,
    #[serde(default)]
    skip: u64,
    pieces: Option<u64>,
    state: Option<String>,
}

/// A run's seed, as a number or a text. JavaScript's numbers have only 53 bits.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seed {
    Number(u64),
    Text(String),
}

impl Default for Seed {
    fn default() -> Seed {
        Seed::Number(1)
    }
}

impl Seed {
    fn value(&self) -> Result<u64> {
        let text = match self {
            Seed::Number(number) => return Ok(*number),
            Seed::Text(text) => text,
        };
        let parsed = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        parsed.map_err(|_| {
            Error::Config(format!("seed '{text}': give a whole number, decimal or 0x hexadecimal"))
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Game {
    board: Board,
    /// Description of the queue's kind, which a stored [`Queue`] lacks.
    dealer: String,
    queue: Queue,
    pieces: u64,
    lines: u64,
    over: Option<Over>,
}

/// Reason for the end of a game, with the names of the table `games`.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Over {
    TopOut,
    SpawnBlocked,
    ScriptEnded,
}

impl Request {
    pub(crate) fn answer(&self) -> Result<Json> {
        let told = self.pieces.unwrap_or(100);
        let search: Search = word(self.search.as_deref(), "greedy")?;
        for (name, asked, most) in [
            ("skip and pieces", self.skip.saturating_add(told), most(search)),
            ("pieces", told, MAX_PLACEMENTS),
        ] {
            if asked > most {
                let text =
                    format!("{name}: at most {most} pieces in one request: ask again with state");
                return Err(Error::Config(text));
            }
        }
        let mut game = match &self.state {
            Some(state) => Game::restored(state)?,
            None => self.start()?,
        };
        if search == Search::Next {
            game.queue.kind().check_known_ahead("search next knows the next piece")?;
        }
        let rules = word(self.rules.as_deref(), "simplified")?;
        let who = PlayerSettings {
            controller: AnyController::classic(self.controller.as_ref())?,
            rules,
            search,
            size: game.board.size(),
        };
        let placements = who.ask(|_, player| {
            for _ in 0..self.skip {
                game.skip(player, &rules, search);
            }
            let mut placements = Vec::new();
            while (placements.len() as u64) < told {
                let Some(placement) = game.place(player, &rules, search) else { break };
                placements.push(placement);
            }
            placements
        })?;
        game.told(placements)
    }

    fn start(&self) -> Result<Game> {
        let kind = match (&self.script, &self.queue) {
            (Some(letters), None) => QueueKind::script(letters, false)?,
            (Some(_), Some(_)) => {
                return Err(Error::Config("queue and script: give one of them".to_owned()));
            }
            (None, queue) => word(queue.as_deref(), "uniform")?,
        };
        Ok(Game {
            board: board(self.board.as_deref(), self.width, self.height)?,
            dealer: kind.describe(),
            queue: Queue::new(kind, self.seed.value()?, self.game),
            pieces: 0,
            lines: 0,
            over: None,
        })
    }
}

impl Game {
    fn restored(state: &str) -> Result<Game> {
        let wrong = || Error::Config("state: give that of an earlier answer, unchanged".to_owned());
        let mut game: Game = serde_json::from_str(state).map_err(|_| wrong())?;
        game.board.validate().map_err(|_| wrong())?;
        game.queue.set_kind(game.dealer.parse()?);
        Ok(game)
    }

    /// Deals a piece, and returns it with the next piece if `search` uses it. Returns `None` if the
    /// game is over or the script has ended.
    fn deal(
        &mut self,
        rules: &Rules,
        search: Search,
    ) -> Option<(tetrastat::piece::Piece, Option<tetrastat::piece::Piece>)> {
        if self.over.is_some() {
            return None;
        }
        let Ok(piece) = rules.deal(&mut self.queue, &self.board) else {
            self.over = Some(Over::ScriptEnded);
            return None;
        };
        let next = if search == Search::Next { self.queue.peek(0) } else { None };
        Some((piece, next))
    }

    /// Counts a placement. The game is over without one (`None`), or if it loses.
    fn count(&mut self, step: Option<PlacementEffect>) {
        let Some(step) = step else {
            self.over = Some(Over::SpawnBlocked);
            return;
        };
        self.pieces += 1;
        self.lines += u64::from(step.lines);
        self.over = step.lost.then_some(Over::TopOut);
    }

    fn skip(&mut self, player: &mut Player, rules: &Rules, search: Search) {
        if let Some((piece, next)) = self.deal(rules, search) {
            let step = player.step(&mut self.board, piece, next);
            self.count(step);
        }
    }

    fn place(&mut self, player: &mut Player, rules: &Rules, search: Search) -> Option<Json> {
        let (piece, known) = self.deal(rules, search)?;
        let decision = player.decide(&self.board, piece, known);
        self.count(decision.as_ref().map(Decision::step));
        let decision = decision?;
        self.board = decision.outcome.after;
        let scale = player.scorer().scale();
        let mut placement = placed(decision.outcome.played.candidate, decision.value, scale);
        placement["piece_no"] = self.pieces.into();
        placement["piece"] = piece.to_string().into();
        placement["next"] = self.next();
        placement["lines"] = decision.outcome.played.lines.into();
        placement["margin"] = decision.margin(scale).into();
        placement["runner_up"] =
            decision.runner_up.map(|other| placed(other.candidate, other.value, scale)).into();
        placement["candidates"] = decision.candidates.into();
        placement["board"] = self.board.to_hex().into();
        Some(placement)
    }

    fn next(&mut self) -> Json {
        self.queue.peek(0).map(|piece| piece.to_string()).into()
    }

    fn told(mut self, placements: Vec<Json>) -> Result<Json> {
        let next = self.next();
        let state = serde_json::to_string(&self).map_err(|e| Error::Config(e.to_string()))?;
        let Game { board, pieces, lines, over, .. } = self;
        Ok(json!({
            "placements": placements, "over": over, "board": board.to_hex(), "pieces": pieces,
            "lines": lines, "next": next, "state": state,
        }))
    }
}

fn placed(candidate: Candidate, value: Value, scale: f64) -> Json {
    let Candidate { placement, row } = candidate;
    json!({
        "orientation": placement.orientation, "column": placement.column, "landing_row": row,
        "score": value.score(scale),
    })
}
