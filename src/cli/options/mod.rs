//! Options that commands share, and the games to which they belong.
//!
//! The help heading of an option names its games: classic games (rules `simplified` and
//! `standard`), guideline games (Sprint, Blitz, cheese races, endless), or LIAP, a card game whose
//! controllers are called declarers. Other games refuse the option. Options without such a heading
//! belong to every game.

use std::convert::Infallible;
use std::str::FromStr;

use anyhow::Context;
use clap::Args;

use crate::cli::options::settings::{options, setting_name};
use crate::cli::prelude::*;
use crate::controller::Tie;
use crate::error::setting::{ALLOW_BOT as ALLOWANCE, BOT_SECONDS as SECONDS_OF_BOT};
use crate::error::{printable, quoted};
use crate::files;
use crate::kernels::Level;
use crate::matrix::Matrix;
use crate::queue::QueueKind;
use crate::rules::guideline::{GUIDELINE_NAMES, RuleOptions};
use crate::rules::{Entry, Garbage, RULES_NAMES, Reach};
use crate::search::Policy;
use crate::sim::bot_controller;
use crate::tbp::{Bot, DEFAULT_ANSWER_TIME, PREFIX, named_bot};
use crate::text::parse::{count, seed};
use crate::threads::all_cores;

pub(crate) mod guideline;
pub(crate) mod pictures;
pub(crate) mod runs;
pub(crate) mod settings;
pub(crate) mod study_file;

pub(crate) const DEFAULT_CONTROLLER: &str = "bcts";

pub(crate) const NO_BOTS: &str = "bots play in simulate, compare, study, data set and watch: \
    here give the name or file of a controller";

#[derive(Clone, Debug, Args)]
pub(crate) struct ClassicOptions {
    /// Rule that chooses among equally good placements: `first` or `dellacherie` [default: the
    /// controller's own rule]
    #[arg(long, value_name = "RULE")]
    pub(crate) tie: Option<Tie>,

    #[command(flatten)]
    pub(crate) board: BoardOptions,
}

impl ClassicOptions {
    /// Loads the controller `named` (default: `bcts`), or starts the bot of `tbp:COMMAND`.
    pub(crate) fn player(
        &self,
        named: Option<&str>,
        any: &AnyGameOptions,
        bots: &BotOptions,
    ) -> anyhow::Result<Controller> {
        let Some(command) = named.and_then(|named| named.strip_prefix(PREFIX)) else {
            return self.controller(named);
        };
        ensure!(
            self.tie.is_none()
                && any.policy == Policy::Best
                && !matches!(any.search, AnySearch::Classic(Search::Expect)),
            "a bot plays its own choice: leave out --tie, --policy and --search expect"
        );
        Ok(bot_controller(bots.bot(command)?))
    }

    pub(crate) fn controller(&self, named: Option<&str>) -> anyhow::Result<Controller> {
        ensure!(named.is_none_or(|named| !named.starts_with(PREFIX)), NO_BOTS);
        let mut controller = Controller::load(named.unwrap_or(DEFAULT_CONTROLLER))?;
        controller.tie = self.tie.unwrap_or(controller.tie);
        Ok(controller)
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct BoardOptions {
    /// Let a piece that rests above the top row still clear full rows
    #[arg(long)]
    clear_on_overflow: bool,

    /// Under standard rules, let pieces reach every column where they fit at the spawn row, even
    /// through obstacles
    #[arg(long)]
    reach_anywhere: bool,

    /// Board width 4-16 and height 4-28 [default: 10x20, or the size of a picture that has not ten
    /// columns]
    #[arg(long, value_name = "WxH")]
    pub(crate) board: Option<BoardSize>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct BoardFile {
    /// Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out.
    /// Guideline games need ten columns
    #[arg(long, value_name = "FILE")]
    board_file: Option<PathBuf>,
}

impl BoardFile {
    pub(crate) fn board(&self, size: Option<BoardSize>) -> anyhow::Result<Option<Board>> {
        let read = |path| read_picture(path, |text| Board::from_picture(text, size));
        self.board_file.as_deref().map(read).transpose()
    }

    pub(crate) fn matrix(&self) -> anyhow::Result<Option<Matrix>> {
        self.board_file.as_deref().map(|path| read_picture(path, str::parse)).transpose()
    }
}

fn read_picture<B>(path: &Path, parse: impl FnOnce(&str) -> Result<B>) -> anyhow::Result<B> {
    let text = files::read_text(path, files::BOARD)?;
    parse(&text).with_context(|| path.display().to_string())
}

#[derive(Clone, Debug, Args)]
pub(crate) struct StartOptions {
    #[command(flatten)]
    pub(crate) file: BoardFile,

    #[command(flatten)]
    pub(crate) garbage: GarbageOptions,

    #[command(flatten)]
    pub(crate) queue: QueueOptions,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct GarbageOptions {
    /// Garbage rows at the start, drawn for each game: full but for one hole, whose column is
    /// uniform
    #[arg(long, value_name = "ROWS", default_value = "0", value_parser = count::<usize>(0..=27))]
    garbage: usize,

    /// Probability, from 0 to 1, that a garbage row's hole lies in another column than that of the
    /// row before it [default: each column is equally likely]
    #[arg(long, value_name = "P")]
    garbage_messiness: Option<f64>,

    /// Placed pieces after which a garbage row enters from below and lifts the board by one row
    /// [default: no rows enter]
    #[arg(long, value_name = "N", value_parser = count::<u32>(1..))]
    garbage_every: Option<u32>,
}

impl GarbageOptions {
    pub(crate) fn settings(&self) -> Garbage {
        let &GarbageOptions { garbage: rows, garbage_messiness: messiness, garbage_every: every } =
            self;
        Garbage { rows, messiness, every }
    }
}

impl BoardOptions {
    pub(crate) fn rules(&self, mut rules: Rules) -> anyhow::Result<Rules> {
        ensure!(
            !self.clear_on_overflow || rules.entry == Entry::FromAbove,
            "--clear-on-overflow changes nothing under standard rules, where no piece rests above \
                the top row: leave it out, or give --rules simplified"
        );
        ensure!(
            !self.reach_anywhere || rules.entry != Entry::FromAbove,
            "--reach-anywhere changes nothing under simplified rules, where every column is \
                reached: leave it out, or give --rules standard"
        );
        rules.clear_on_overflow = self.clear_on_overflow;
        if self.reach_anywhere {
            rules.entry = Entry::SpawnInside(Reach::Anywhere);
        }
        Ok(rules)
    }

    pub(crate) fn size(&self, start: Option<&Board>) -> anyhow::Result<BoardSize> {
        Ok(match (self.board, start) {
            (Some(size), _) => size,
            (None, Some(board)) => board.size(),
            (None, None) => BoardSize::new(10, 20)?,
        })
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct QueueOptions {
    /// Piece generator: `uniform`, `bag` (7-bag), `bag:2` (2 of each piece per bag), `bag:I=2+O=1`
    /// (a bag of these pieces), `weights:I=2+O=1` (independent, by weight), `nes`, `tgm1`, `tgm2`,
    /// `tgm3` (as in these games), `least-dealt`, `repeat:0.3` (the last piece again with this
    /// probability), `sz` (alternating), `sz-random`, `adversary` (the worst piece), or `script`
    /// with --script [default: uniform; for guideline games bag]
    #[arg(long)]
    queue: Option<String>,

    /// Pieces of a script queue, at most 100,000: letters of I O T S Z J L, or a file that contains
    /// them
    #[arg(long, value_name = "LETTERS|FILE")]
    script: Option<String>,

    /// Repeat the script when it ends
    #[arg(long, requires = "script")]
    cycle: bool,
}

impl QueueOptions {
    pub(crate) fn queue(&self) -> anyhow::Result<QueueKind> {
        self.queue_or(QueueKind::Uniform)
    }

    pub(crate) fn queue_or(&self, default: QueueKind) -> anyhow::Result<QueueKind> {
        match (self.queue.as_deref(), &self.script) {
            (None, None) => Ok(default),
            (None | Some("script" | "uniform"), Some(script)) => {
                let letters = if PathBuf::from(script).is_file() {
                    files::read_text(Path::new(script), files::SCRIPT)?
                } else {
                    script.clone()
                };
                let kind = QueueKind::script(&letters, self.cycle);
                kind.with_context(|| format!("--script {}", quoted(script)))
            }
            (Some("script"), None) => {
                bail!("a script queue needs its pieces: --script IOTSZJL, or --script FILE")
            }
            (Some(name), Some(_)) => {
                bail!("--script and --queue {name} exclude each other: give one")
            }
            (Some(name), None) => Ok(name.parse::<QueueKind>()?),
        }
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct WorkerOptions {
    /// Seed of the run, decimal or 0x hexadecimal. The same seed gives byte-identical output
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    #[command(flatten)]
    threads: ThreadOption,

    /// Instruction set of the kernels: `auto`, or a slower one: `scalar`, `neon` (ARM), `sse4.2`,
    /// `avx2`, `avx512`
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    pub(crate) simd: Level,
}

impl WorkerOptions {
    pub(crate) fn threads(&self) -> usize {
        self.threads.count()
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ThreadOption {
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,
}

impl ThreadOption {
    pub(crate) fn count(self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Games {
    name: &'static str,
    /// Command-line option that selects this kind of game, such as `--rules liap`.
    rules: &'static str,
    /// Heading, in the help, above options that only this kind of game has.
    pub(crate) heading: &'static str,
}

pub(crate) const CLASSIC: Games = Games {
    name: "classic games",
    rules: "--rules simplified or standard",
    heading: "Classic games (rules simplified or standard)",
};

pub(crate) const GUIDELINE: Games = Games {
    name: "guideline games",
    rules: "--rules guideline or another preset",
    heading: "Guideline games (rules guideline or another preset)",
};

pub(crate) const LIAP: Games =
    Games { name: "LIAP", rules: "--rules liap", heading: "LIAP (rules liap)" };

/// Help heading of options for all games: `None` ends the section under the previous heading.
pub(crate) const EVERY_GAME: Option<&str> = None;

impl Games {
    pub(crate) fn refuse_foreign<A: Args>(&self, settings: &Settings) -> Result<()> {
        for option in
            options::<A>().get_arguments().filter(|option| settings.has(&setting_name(option)))
        {
            let others = [CLASSIC, GUIDELINE, LIAP].into_iter().filter(|games| games != self);
            for Games { name, rules, heading } in others {
                if option.get_help_heading() == Some(heading) {
                    let option = option.get_long().unwrap_or_default();
                    return Err(Error::Config(format!(
                        "--{option} is an option of {name}, not of {}: give {rules}, or leave out \
                            --{option}",
                        self.name
                    )));
                }
            }
        }
        Ok(())
    }
}

/// Value of a type that depends on the kind of game: classic, guideline, or LIAP (a card game).
#[derive(Clone, Copy, Debug)]
pub(crate) enum ByGame<C, G, L> {
    Classic(C),
    Guideline(G),
    Liap(L),
}

macro_rules! for_game {
    ($of:expr, $one:pat => $body:expr) => {
        match $of {
            $crate::cli::options::ByGame::Classic($one) => $body,
            $crate::cli::options::ByGame::Guideline($one) => $body,
            $crate::cli::options::ByGame::Liap($one) => $body,
        }
    };
}

/// Maps the value in a [`ByGame`] by an expression, and keeps the kind of game.
macro_rules! map_game {
    ($of:expr, $one:pat => $body:expr) => {{
        use $crate::cli::options::ByGame;
        match $of {
            ByGame::Classic($one) => ByGame::Classic($body),
            ByGame::Guideline($one) => ByGame::Guideline($body),
            ByGame::Liap($one) => ByGame::Liap($body),
        }
    }};
}

pub(crate) use {for_game, map_game};

pub(crate) type AnyRules = ByGame<Rules, RuleSet, ()>;

/// Rules of a falling-block game: classic or guideline, but not LIAP (a card game).
pub(crate) type FallingRules = ByGame<Rules, RuleSet, Infallible>;

pub(crate) const LIAP_NAME: &str = "liap";

impl AnyRules {
    pub(crate) fn games(&self) -> &'static Games {
        match self {
            AnyRules::Classic(_) => &CLASSIC,
            AnyRules::Guideline(_) => &GUIDELINE,
            AnyRules::Liap(()) => &LIAP,
        }
    }

    /// Returns the rules, or an error that begins with `what` if the game is LIAP, a card game.
    pub(crate) fn falling(&self, what: &str) -> Result<FallingRules> {
        match self {
            AnyRules::Classic(rules) => Ok(ByGame::Classic(*rules)),
            AnyRules::Guideline(rules) => Ok(ByGame::Guideline(rules.clone())),
            AnyRules::Liap(()) => Err(Error::Config(format!(
                "{what} is for falling-block games, not for {}: give {}, or {}",
                LIAP.name, CLASSIC.rules, GUIDELINE.rules
            ))),
        }
    }
}

impl FromStr for AnyRules {
    type Err = Error;

    fn from_str(name: &str) -> Result<AnyRules> {
        match name {
            LIAP_NAME => Ok(AnyRules::Liap(())),
            _ if GUIDELINE_NAMES.contains(&name) => name.parse().map(AnyRules::Guideline),
            _ if RULES_NAMES.contains(&name) => name.parse().map(AnyRules::Classic),
            // A recorded command contains the rules themselves instead of a path, because the file
            // may change.
            _ if name.starts_with('{') => serde_json::from_str::<RuleOptions>(name)
                .map_err(|error| Error::Config(format!("rules: {error}")))
                .and_then(|file| RuleSet::from_options(&file))
                .map(AnyRules::Guideline),
            _ if RuleSet::is_file(name) => name.parse().map(AnyRules::Guideline),
            _ => {
                let others = GUIDELINE_NAMES.into_iter().chain([LIAP_NAME, "a .toml file"]);
                let known = RULES_NAMES.into_iter().chain(others);
                Err(Error::unknown_or_file("rules", name, known))
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum AnySearch {
    Classic(Search),
    Beam,
}

pub(crate) const BEAM: &str = "beam";

impl FromStr for AnySearch {
    type Err = Error;

    fn from_str(name: &str) -> Result<AnySearch> {
        match name {
            BEAM => Ok(AnySearch::Beam),
            _ if Search::NAMES.contains(&name) => name.parse().map(AnySearch::Classic),
            _ => Err(Error::unknown("search", name, Search::NAMES.into_iter().chain([BEAM]))),
        }
    }
}

impl AnySearch {
    pub(crate) fn classic(self) -> Result<Search> {
        match self {
            AnySearch::Classic(search) => Ok(search),
            // The parser of classic searches returns an error that names the valid values.
            AnySearch::Beam => BEAM.parse(),
        }
    }

    pub(crate) fn check_greedy(self, games: &Games) -> Result<()> {
        match self {
            AnySearch::Classic(Search::Greedy) => Ok(()),
            _ => Err(Error::Config(format!("{} has no searches: leave out --search", games.name))),
        }
    }

    /// Returns true for the look-ahead `beam`, false for `greedy`, and an error for all others.
    pub(crate) fn is_beam(self) -> Result<bool> {
        match self {
            AnySearch::Beam => Ok(true),
            AnySearch::Classic(Search::Greedy) => Ok(false),
            AnySearch::Classic(search) => Err(Error::Config(format!(
                "search '{search}' is for classic games ({}): here use one of greedy, {BEAM}",
                CLASSIC.rules
            ))),
        }
    }
}

pub(crate) const BOT_SECONDS: &str = "bot_seconds";

/// Name of the setting that permits bots (external commands) from files or folders to start.
pub(crate) const ALLOW_BOT: &str = "allow_bot";

const LONGEST_COMMAND: usize = 2000;

/// Returns an error if settings from a file or folder name a bot, which may be any command.
pub(crate) fn refuse_bots(source: &str, settings: &serde_json::Value) -> Result<()> {
    match named_bot(settings) {
        None => Ok(()),
        Some(command) => Err(Error::Config(format!(
            "{source} starts the command '{}' as a bot: give {ALLOWANCE} if you trust the command",
            printable(command, LONGEST_COMMAND)
        ))),
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct BotOptions {
    /// Longest time in seconds that a bot (`--controller tbp:COMMAND`) may take for an answer
    #[arg(long, value_name = "S", default_value_t = DEFAULT_ANSWER_TIME.as_secs_f64())]
    bot_seconds: f64,
}

impl BotOptions {
    pub(crate) fn bot(&self, command: &str) -> Result<Bot> {
        let seconds = self.bot_seconds;
        if !(0.001..=86_400.0).contains(&seconds) {
            let text = format!("{SECONDS_OF_BOT} {seconds:?}: give 0.001 to 86400 seconds");
            return Err(Error::Config(text));
        }
        Bot::ask(command, Duration::from_secs_f64(seconds))
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct AnyGameOptions {
    /// `simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009),
    /// `capstone`, `jstris`, `botris`, `tetrio-1`, `tetrio-2`, `puyo-puyo-tetris`, or a TOML file
    /// with your own guideline rules. Runs, studies and comparisons also accept `liap`
    #[arg(long, default_value = "simplified")]
    pub(crate) rules: AnyRules,

    /// Look-ahead: `greedy`; in classic games also `next` (known next piece) or `expect` (the
    /// fewest next pieces that end the game, then the mean over the others); in guideline games
    /// also `beam` (searches over the previews)
    #[arg(long, default_value = "greedy")]
    pub(crate) search: AnySearch,

    /// Choice of a placement by the scores: `best`; `epsilon:P` (with probability P any placement,
    /// each equally likely); `softmax:T` (with a probability proportional to exp(score / T));
    /// `misdrop:P` (with probability P one column beside the best placement, or with one turn
    /// fewer)
    #[arg(long, default_value = "best")]
    pub(crate) policy: Policy,

    #[command(flatten)]
    pub(crate) start: StartOptions,

    #[command(flatten)]
    pub(crate) workers: WorkerOptions,
}
