//! Assigns options to games, for commands that play several games.
//!
//! The help heading of an option names its games. Other games reject the option. Options without
//! such a heading belong to every game.

use std::convert::Infallible;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::cli::options::settings::{Settings, name, options};
use crate::cli::options::{StartOptions, Workers};
use crate::error::setting::{ALLOW_BOT as ALLOWANCE, BOT_SECONDS as SECONDS_OF_BOT};
use crate::error::{Error, Result, printable};
use crate::rules::guideline::{GUIDELINE_NAMES, RuleOptions, RuleSet};
use crate::rules::{RULES_NAMES, Rules};
use crate::search::{Policy, Search};
use crate::tbp::{Bot, DEFAULT_ANSWER_TIME, named_bot};

/// A group of games with common options.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Games {
    name: &'static str,
    /// Option and values that choose these games, such as `--rules liap`.
    rules: &'static str,
    /// Help heading of the options that only these games have.
    pub(crate) heading: &'static str,
}

/// Games under the `simplified` or `standard` rules, called classic games.
pub(crate) const CLASSIC: Games = Games {
    name: "classic games",
    rules: "--rules simplified or standard",
    heading: "Classic games (rules simplified or standard)",
};

/// Sprint, Blitz and endless games, called guideline games.
pub(crate) const GUIDELINE: Games = Games {
    name: "guideline games",
    rules: "--rules guideline or capstone",
    heading: "Guideline games (rules guideline or capstone)",
};

/// Matches of LIAP, a card game. The strategies that play it are called declarers.
pub(crate) const LIAP: Games =
    Games { name: "LIAP", rules: "--rules liap", heading: "LIAP (rules liap)" };

/// Help heading of the options that every game has. `None` ends the heading of the options before.
pub(crate) const EVERY_GAME: Option<&str> = None;

impl Games {
    /// Checks that no option in `settings` belongs only to other games.
    ///
    /// # Errors
    /// [`Error::Config`] that names the option and the games to which it belongs.
    pub(crate) fn check<A: Args>(&self, settings: &Settings) -> Result<()> {
        for option in options::<A>().get_arguments().filter(|option| settings.has(&name(option))) {
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

/// A value whose type depends on the game: rules, a run, the conditions of a study. This enum is
/// the only list of games. [`for_game`] and [`map_game`] evaluate an expression for any variant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OfGame<C, G, L> {
    Classic(C),
    Guideline(G),
    Liap(L),
}

/// Evaluates an expression with the value inside an [`OfGame`], whatever its variant.
macro_rules! for_game {
    ($of:expr, $one:pat => $body:expr) => {
        match $of {
            $crate::cli::options::games::OfGame::Classic($one) => $body,
            $crate::cli::options::games::OfGame::Guideline($one) => $body,
            $crate::cli::options::games::OfGame::Liap($one) => $body,
        }
    };
}

/// Evaluates an expression with the value inside an [`OfGame`], and returns the result in the same
/// variant.
macro_rules! map_game {
    ($of:expr, $one:pat => $body:expr) => {{
        use $crate::cli::options::games::OfGame;
        match $of {
            OfGame::Classic($one) => OfGame::Classic($body),
            OfGame::Guideline($one) => OfGame::Guideline($body),
            OfGame::Liap($one) => OfGame::Liap($body),
        }
    }};
}

pub(crate) use {for_game, map_game};

/// Rules of any game. The variant says which game it is.
pub(crate) type AnyRules = OfGame<Rules, RuleSet, ()>;

/// Rules of a classic or guideline game. Only these games can be watched, estimated, explained and
/// trained for.
pub(crate) type FallingRules = OfGame<Rules, RuleSet, Infallible>;

/// Value of `--rules` that chooses LIAP.
pub(crate) const LIAP_NAME: &str = "liap";

impl AnyRules {
    /// Returns the group of games that these rules belong to.
    pub(crate) fn games(&self) -> &'static Games {
        match self {
            AnyRules::Classic(_) => &CLASSIC,
            AnyRules::Guideline(_) => &GUIDELINE,
            AnyRules::Liap(()) => &LIAP,
        }
    }

    /// Returns the rules if they belong to a classic or guideline game.
    ///
    /// # Errors
    /// [`Error::Config`] for LIAP. Its message begins with `what`, the activity that LIAP does not
    /// support.
    pub(crate) fn falling(&self, what: &str) -> Result<FallingRules> {
        match self {
            AnyRules::Classic(rules) => Ok(OfGame::Classic(*rules)),
            AnyRules::Guideline(rules) => Ok(OfGame::Guideline(rules.clone())),
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

/// Look-ahead of any game: a search of classic games, or the beam search of guideline games.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnySearch {
    Classic(Search),
    Beam,
}

/// Name of the search that only guideline games have.
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
    /// Returns the search of a classic game, or an error for the beam search.
    pub(crate) fn classic(self) -> Result<Search> {
        match self {
            AnySearch::Classic(search) => Ok(search),
            // The parser of classic searches returns an error that names the valid values.
            AnySearch::Beam => BEAM.parse(),
        }
    }

    /// Checks that the search is `greedy`, because `games` have no look-ahead.
    pub(crate) fn none(self, games: &Games) -> Result<()> {
        match self {
            AnySearch::Classic(Search::Greedy) => Ok(()),
            _ => Err(Error::Config(format!("{} has no searches: leave out --search", games.name))),
        }
    }

    /// Returns true for the beam search and false for `greedy`. Returns an error for a search that
    /// only classic games have.
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

/// Name of the option [`BotOptions::bot_seconds`] in settings.
pub(crate) const BOT_SECONDS: &str = "bot_seconds";

/// Name of the option that allows the bots which a file or a folder names, in settings.
pub(crate) const ALLOW_BOT: &str = "allow_bot";

/// Largest number of characters of a bot's command in a message.
const LONGEST_COMMAND: usize = 2000;

/// Refuses `settings` that name a bot. They were read from `source`, a file or a folder that may
/// come from somebody else, and starting a bot runs any command.
///
/// # Errors
/// [`Error::Config`] with the command, and the option that allows it.
pub(crate) fn refuse_bots(source: &str, settings: &serde_json::Value) -> Result<()> {
    match named_bot(settings) {
        None => Ok(()),
        Some(command) => Err(Error::Config(format!(
            "{source} starts the command '{}' as a bot: give {ALLOWANCE} if you trust the command",
            printable(command, LONGEST_COMMAND)
        ))),
    }
}

/// Options of bots that play instead of a controller.
#[derive(Clone, Debug, Args)]
pub(crate) struct BotOptions {
    /// Longest time in seconds that a bot (`--controller tbp:COMMAND`) may take for an answer
    #[arg(long, value_name = "S", default_value_t = DEFAULT_ANSWER_TIME.as_secs_f64())]
    bot_seconds: f64,
}

impl BotOptions {
    /// Starts the bot of `command` to read its description.
    pub(crate) fn bot(&self, command: &str) -> Result<Bot> {
        let seconds = self.bot_seconds;
        if !(0.001..=86_400.0).contains(&seconds) {
            let text = format!("{SECONDS_OF_BOT} {seconds:?}: give 0.001 to 86400 seconds");
            return Err(Error::Config(text));
        }
        Bot::ask(command, Duration::from_secs_f64(seconds))
    }
}

/// Options of every game.
#[derive(Clone, Debug, Args)]
pub(crate) struct AnyGame {
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
    pub(crate) workers: Workers,
}
