//! Configuration of classic games, and of bots as their controllers: external processes that speak
//! the Tetris Bot Protocol.
//!
//! Each decision of a bot is a new `start` with board and piece, since a bot knows no rules of
//! classic games. Moves that the rules do not offer are skipped: those with the hold, and places
//! that a straight drop does not reach.

use crate::controller::{Connection, External, ExternalSource, MoveChooser, Position};
use crate::engine::{CHECKPOINT_EVERY, checkpoint_every, one_thread};
use crate::error::setting::{
    BOARD, BOARD_FILE, GAMES, GARBAGE, GARBAGE_EVERY, GARBAGE_MESSINESS, SHARD, THREADS,
};
use crate::features::Measured;
use crate::matrix::WIDTH;
use crate::prelude::*;
use crate::rules::{Garbage, Outcome};
use crate::tbp::{Bot, BotEntry, BotProcess, Move, Start, ToBot, to_tbp_board};

/// Limits at which a classic game is cut off, so that it is censored, not finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Number of placed pieces at which a game is cut off; `None` for no limit.
    #[serde(rename = "max_pieces")]
    pub pieces: Option<u64>,
    /// Number of removed lines at which a game is cut off; `None` for no limit.
    #[serde(rename = "max_lines")]
    pub lines: Option<u64>,
}

/// Largest number of games in a run or in one part (shard) of a run, as memory holds all results.
pub const MOST_GAMES: u64 = 1_000_000_000;

/// Configuration of a run of classic games; `run.json` stores all fields that change results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "game", rename = "classic")]
pub struct ClassicConfig {
    /// Controller that chooses the placements in all games.
    pub controller: Controller,
    /// Rules of the games, such as how pieces enter the board.
    #[serde(flatten)]
    pub rules: Rules,
    /// Size of the games' board in columns and rows.
    #[serde(rename = "board")]
    pub size: BoardSize,
    /// Board from which games start; `None` for an empty one.
    #[serde(with = "tetrastat_core::names::picture")]
    pub start: Option<Board>,
    /// Settings of random garbage rows. Games with garbage rows at the start cannot have a board
    /// `start`.
    #[serde(flatten)]
    pub garbage: Garbage,
    /// Kind of queue that deals the pieces, for example with equal chances for all seven.
    pub queue: QueueKind,
    /// Search by which the controller looks ahead, for example to the next piece.
    pub search: Search,
    /// Policy that chooses a placement by the scores: for example the best, or a random one.
    pub policy: Policy,
    /// Number of games of the whole run, over all its parts (shards).
    pub games: u64,
    /// Part (shard) of the run's games to play; `None` for all games.
    pub shard: Option<Shard>,
    /// Numbers of pieces and lines at which each game is cut off.
    #[serde(flatten)]
    pub limits: Limits,
    /// Seed from which all random streams of the run derive.
    #[serde(with = "tetrastat_core::names::hex_seed")]
    pub seed: u64,
    /// Settings of the logs of placements; `None` if placements are not logged.
    pub log: Option<LogSettings>,
    /// Largest number of placements of the first game that are kept to be shown to the user.
    #[serde(skip)]
    pub sample: usize,
    /// Time between two checkpoints, from which a stopped run resumes.
    #[serde(skip, default = "checkpoint_every")]
    pub checkpoint_every: Duration,
    /// Number of worker threads that play the games.
    #[serde(skip, default = "one_thread")]
    pub threads: usize,
    /// SIMD instruction level of the scoring kernels; results do not depend on it.
    #[serde(skip, default = "Level::detect")]
    pub level: Level,
}

impl ClassicConfig {
    /// Returns true if an external bot plays, which chooses placements without scores.
    #[must_use]
    pub fn has_bot(&self) -> bool {
        !self.controller.external.as_ref().is_none_or(|player| player.has_scores())
    }

    /// Returns the configuration of one game with simplified rules, a uniform queue, greedy search,
    /// the policy `best`, no limits, seed 1, one thread and the best instruction level:
    ///
    /// ```
    /// # mod tetrastat { pub use {tetrastat_core::*, tetrastat_runs::*}; }
    /// use tetrastat::{controller::Controller, search::Search, sim::ClassicConfig};
    /// let bcts = Controller::load("bcts")?;
    /// let usual = ClassicConfig::new(bcts, "10x20".parse()?);
    /// let config = ClassicConfig { search: Search::Next, games: 8, ..usual };
    /// config.validate()?;
    /// # Ok::<(), tetrastat_core::error::Error>(())
    /// ```
    #[must_use]
    pub fn new(controller: Controller, size: BoardSize) -> ClassicConfig {
        ClassicConfig {
            controller,
            rules: Rules::simplified(),
            size,
            start: None,
            garbage: Garbage::default(),
            queue: QueueKind::Uniform,
            search: Search::Greedy,
            policy: Policy::Best,
            games: 1,
            shard: None,
            limits: Limits::default(),
            seed: 1,
            log: None,
            sample: 0,
            checkpoint_every: CHECKPOINT_EVERY,
            threads: 1,
            level: Level::detect(),
        }
    }

    /// Returns the games' settings as texts for a heading; `search` is the text about the search.
    #[must_use]
    pub fn heading(&self, search: &str) -> Vec<String> {
        let ClassicConfig { rules, size, garbage, queue, policy, seed, .. } = self;
        let size = [format!("{rules} {size}")].into_iter().chain(garbage_text(garbage));
        let settings = size.chain([format!("queue {queue}"), search.to_owned()]);
        let policy = (*policy != Policy::Best).then(|| format!("policy {policy}"));
        settings.chain(policy).chain([format!("seed {seed}")]).collect()
    }

    /// Checks the games' settings for values that are out of range or do not fit together.
    pub fn validate(&self) -> Result<()> {
        self.controller.check(self.size)?;
        self.policy.check()?;
        if self.search == Search::Next {
            self.queue.check_known_ahead("search next knows the next piece")?;
        }
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        if self.games == 0 {
            return fail(&format!("games 0: play at least one, for example {GAMES} 8"));
        }
        Shard::check(self.shard, self.games)?;
        // Only the shard's games count, because only their results are kept in memory.
        let range = self.game_range();
        if range.end - range.start > MOST_GAMES {
            return Err(Error::Config(format!(
                "games {}: a run has at most {MOST_GAMES}, play more in parts ({SHARD} 1/{})",
                self.games,
                self.games.div_ceil(MOST_GAMES)
            )));
        }
        if self.threads == 0 {
            return fail(&format!("threads 0: give at least one, for example {THREADS} 2"));
        }
        if self.limits.pieces == Some(0) || self.limits.lines == Some(0) {
            return fail("a limit of 0 ends every game before it starts: give at least 1");
        }
        check_garbage(&self.garbage, self.start.is_some(), self.size.height())?;
        match &self.start {
            Some(board) if board.size() != self.size => Err(Error::Config(format!(
                "the start board is {} but {BOARD} is {}: give them the same size",
                board.size(),
                self.size
            ))),
            Some(board) if board.stack_height() > board.height() || board.full_rows() != 0 => {
                fail("the start board has full rows or cells above the top: remove them")
            }
            _ => Ok(()),
        }
    }

    /// Returns the range of game numbers to play: those of the run's part (shard), or all.
    #[must_use]
    pub fn game_range(&self) -> Range<u64> {
        Shard::games(self.shard, self.games)
    }

    /// Returns the start board of game number `game`, and its garbage rows if games have any.
    #[must_use]
    pub fn start_board(&self, game: u64) -> (Board, Option<Box<GarbageRows>>) {
        let (board, rows) = self.garbage.begin(self.size, self.seed, game);
        (self.start.unwrap_or(board), self.garbage.has_rows().then(|| Box::new(rows)))
    }

    /// Adds due garbage rows after a placement. Returns how many garbage rows the placement
    /// removed, and true if the game is lost.
    pub fn update_garbage(
        &self,
        garbage: &mut GarbageRows,
        board: &mut Board,
        played: &Outcome,
    ) -> (u32, bool) {
        // A placement that loses may leave full rows on the board.
        let removed = if played.played.lines > 0 { played.before.full_rows() } else { 0 };
        let removed = (removed, played.lost);
        garbage
            .after_placement(&self.garbage, None, self.size.width(), removed, |row| board.lift(row))
    }
}

pub(crate) fn garbage_label(garbage: &Garbage) -> String {
    garbage_setting_texts(garbage, ["-garbage", "-every", "-messiness"], "").concat()
}

pub(super) fn garbage_text(garbage: &Garbage) -> Option<String> {
    let words = garbage_setting_texts(
        garbage,
        ["garbage ", "a garbage row every ", "messiness "],
        " pieces",
    );
    (!words.is_empty()).then(|| words.join(", "))
}

fn garbage_setting_texts(
    garbage: &Garbage,
    [rows, every, messiness]: [&str; 3],
    unit: &str,
) -> Vec<String> {
    let parts = [
        (garbage.rows > 0).then(|| format!("{rows}{}", garbage.rows)),
        garbage.every.map(|pieces| format!("{every}{pieces}{unit}")),
        garbage.messiness.map(|value| format!("{messiness}{value}")),
    ];
    parts.into_iter().flatten().collect()
}

pub(super) fn check_garbage(garbage: &Garbage, has_start: bool, height: usize) -> Result<()> {
    let fail = |text: String| Err(Error::Config(text));
    let &Garbage { rows, messiness, every } = garbage;
    if rows > 0 && has_start {
        return fail(format!(
            "games start from one board or from garbage rows: give {BOARD_FILE} or {GARBAGE}"
        ));
    }
    if rows >= height {
        return fail(format!(
            "garbage {rows} fills a board of {height} rows: give {GARBAGE} at most {}",
            height - 1
        ));
    }
    if every == Some(0) {
        return fail(format!("a row every 0 pieces never ends: give {GARBAGE_EVERY} at least 1"));
    }
    match messiness {
        Some(messiness) if !(0.0..=1.0).contains(&messiness) => fail(format!(
            "garbage messiness {messiness} is no probability: give {GARBAGE_MESSINESS} from 0 to 1"
        )),
        Some(_) if !garbage.has_rows() => fail(format!(
            "{GARBAGE_MESSINESS} changes nothing without garbage rows: give {GARBAGE} or \
             {GARBAGE_EVERY}"
        )),
        _ => Ok(()),
    }
}

/// Name of the piece generator told to bots: `unknown`, so that bots cannot predict pieces.
const RANDOMIZER: &str = "unknown";

/// Returns a controller without weights that lets the external `bot` play classic games.
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

struct BotChooser {
    bot: Bot,
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
            board: to_tbp_board(&Matrix::from_board(board)?),
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
