//! Parses the command-line options of LIAP: players, matches, declarations, comparisons.

use clap::{Args, ValueEnum};

use crate::engine::CHECKPOINT_EVERY;
use crate::error::{Error, Result};
use crate::round::DEFAULT_TARGET;
use crate::text::parse::{Limit, count, limit, seed};
use crate::{
    CardPlayer, Cards, Context, Declarer, DeclarerComparison, Length, LiapConfig, MatchRules,
    SEATS, Seat, Switch,
};

/// Command-line options for the players and the matches of a LIAP run.
#[derive(Clone, Debug, Args)]
pub struct LiapOptions {
    /// Playing strategy of all seats, or four joined by commas: bot (the LIAP repository's), basic
    /// (play of most points), random
    #[arg(long, default_value = "bot", value_name = "NAMES", value_delimiter = ',')]
    players: Vec<CardPlayer>,

    /// Points that end a match
    #[arg(
        long,
        default_value_t = DEFAULT_TARGET,
        value_name = "POINTS",
        value_parser = count::<i32>(1..)
    )]
    target: i32,

    /// Rounds after which a match ends anyway, or `none` for 1,000
    #[arg(long, default_value = "20", value_name = "N", value_parser = limit)]
    max_rounds: Limit,

    /// Allow declarations that the rules forbid; a declaration above 8 becomes 8
    #[arg(long)]
    no_guard: bool,
}

impl LiapOptions {
    /// Builds the configuration of a LIAP run with the given declaration rules, without checks.
    ///
    /// # Errors
    /// [`Error::Config`] if the number of players or rounds is invalid.
    pub fn config(
        &self,
        declarers: [Declarer; SEATS],
        length: Length,
        seed: u64,
        threads: usize,
    ) -> Result<LiapConfig> {
        let players = per_seat(&self.players, "--players")?;
        let max_rounds = self.max_rounds.0.map(u32::try_from).transpose().map_err(|_| {
            Error::Config("--max-rounds: give a number below 2^32, or none".to_owned())
        })?;
        Ok(LiapConfig {
            seats: std::array::from_fn(|k| Seat { declarer: declarers[k], player: players[k] }),
            rules: MatchRules { target: self.target, max_rounds, guard: !self.no_guard },
            length,
            shard: None,
            seed,
            log: None,
            threads,
            checkpoint_every: CHECKPOINT_EVERY,
        })
    }
}

fn per_seat<T: Copy>(given: &[T], what: &str) -> Result<[T; SEATS]> {
    match *given {
        [all] => Ok([all; SEATS]),
        [a, b, c, d] => Ok([a, b, c, d]),
        _ => Err(Error::Config(format!(
            "{what}: give one name for all seats, or four joined by commas"
        ))),
    }
}

/// Parses names of declaration rules: one for all seats, or four joined by commas.
///
/// # Errors
/// Returns an [`Error`] for an unknown name or another number of names.
pub fn declarers(names: &str) -> Result<[Declarer; SEATS]> {
    let declarers = names.split(',').map(|name| name.trim().parse());
    per_seat(&declarers.collect::<Result<Vec<Declarer>>>()?, "declarers")
}

/// Command-line options for a declaring player's position and the declarations made before.
#[derive(Clone, Debug, Args)]
pub(crate) struct Situation {
    /// Player's place in the order of declarations, 0 for the starter [default: number of
    /// --previous declarations]
    #[arg(long, value_name = "0-3")]
    position: Option<usize>,

    /// Declarations of the earlier players, in order, joined by commas
    #[arg(long, value_name = "D,D,D", value_delimiter = ',')]
    previous: Vec<u8>,

    /// The player declared 0 in the last two rounds and must not declare 0 again
    #[arg(long)]
    nonzero: bool,
}

impl Situation {
    pub(crate) fn context(&self) -> Result<Context> {
        let (position, previous) = (self.position, &*self.previous);
        if let Some(position) = position.filter(|&position| position != previous.len()) {
            return Err(Error::Config(format!(
                "position {position} needs {position} previous declarations, but --previous has \
                 {}: make them agree",
                previous.len()
            )));
        }
        Context::new(previous, self.nonzero)
    }
}

/// Command-line options for one declaration: the hand, the situation and the declaration rule.
#[derive(Clone, Debug, Args)]
pub struct DeclareOptions {
    /// Up to eight pieces: G A E R H C S for red general, advisor, elephant, chariot, horse,
    /// cannon, soldier, small letters for black; only the declarer v1 uses the order
    pub(crate) hand: Cards,

    #[command(flatten)]
    pub(crate) situation: Situation,

    /// Declaration rule: v1, v1-rich, v2, v2-literal, v2-literal-singles, v2-upstream or v2-late
    #[arg(long, default_value = "v2")]
    pub(crate) declarer: Declarer,

    /// Print the decision step by step
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Command-line options to compare two declaration rules (declarers) on the same deals.
#[derive(Clone, Debug, Args)]
pub struct CompareOptions {
    /// First of the two declarers (declaration rules), the reference of the comparison
    first: Declarer,

    /// Second of the two declarers, compared with the first
    second: Declarer,

    /// Number of deals, each played with both declarers
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = count::<u64>(1..))]
    rounds: u64,

    /// Player of all seats: bot, basic or random
    #[arg(long, default_value = "bot")]
    player: CardPlayer,

    /// Positions that change to the second declarer: `all` four, or `one` at a time
    #[arg(long, value_enum, default_value = "all")]
    switch: SwitchArg,

    /// Seed of the deals, decimal or 0x hexadecimal
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SwitchArg {
    All,
    One,
}

impl CompareOptions {
    /// Returns the settings of the comparison of two declaration rules by `threads` workers.
    #[must_use]
    pub fn comparison(&self, threads: usize) -> DeclarerComparison {
        let switch = match self.switch {
            SwitchArg::All => Switch::All,
            SwitchArg::One => Switch::One,
        };
        DeclarerComparison {
            declarers: [self.first, self.second],
            player: self.player,
            switch,
            rounds: self.rounds,
            seed: self.seed,
            threads,
        }
    }
}

/// Command-line options to count how many hands lead to each declaration, by declaration rule.
#[derive(Clone, Debug, Args)]
pub struct DistributionOptions {
    /// Declarers, joined by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) declarers: Vec<Declarer>,

    #[command(flatten)]
    pub(crate) situation: Situation,

    /// Correct forbidden declarations to the nearest allowed ones before counting
    #[arg(long)]
    pub(crate) guard: bool,
}
