//! Who plays LIAP, and how matches are played: options of every command that plays them.

use anyhow::{bail, ensure};

use crate::cli::options::{Limit, count, limit};
use crate::liap::{CardPlayer, Declarer, Length, LiapConfig, MatchRules, SEATS, Seat, TARGET};
use crate::sim::CHECKPOINT_EVERY;

/// Players and matches.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LiapOptions {
    /// Player of all seats, or of each, joined by commas: bot (the repository's strategy), basic (the strongest
    /// play), random
    #[arg(long, default_value = "bot", value_name = "NAMES", value_delimiter = ',')]
    players: Vec<CardPlayer>,

    /// Points that end a match
    #[arg(long, default_value_t = TARGET, value_name = "POINTS", value_parser = count::<i32>(1..))]
    target: i32,

    /// Rounds after which a match ends anyway, or `none` for 1,000
    #[arg(long, default_value = "20", value_name = "N", value_parser = limit)]
    max_rounds: Limit,

    /// Let declarations stand that the rules bar (those above 8 become 8)
    #[arg(long)]
    no_guard: bool,
}

impl LiapOptions {
    /// A run between these declarers, nothing logged, not checked.
    pub(crate) fn config(
        &self,
        declarers: [Declarer; SEATS],
        length: Length,
        seed: u64,
        threads: usize,
    ) -> anyhow::Result<LiapConfig> {
        let players = per_seat(&self.players, "--players")?;
        let max_rounds = self.max_rounds.0.map(u32::try_from).transpose();
        ensure!(max_rounds.is_ok(), "--max-rounds: give a number below 2^32, or none");
        Ok(LiapConfig {
            seats: std::array::from_fn(|k| Seat { declarer: declarers[k], player: players[k] }),
            rules: MatchRules {
                target: self.target,
                max_rounds: max_rounds.unwrap_or_default(),
                guard: !self.no_guard,
            },
            length,
            shard: None,
            seed,
            log: None,
            threads,
            checkpoint_every: CHECKPOINT_EVERY,
        })
    }
}

/// One name for all seats, or four joined by commas.
pub(crate) fn per_seat<T: Copy>(given: &[T], what: &str) -> anyhow::Result<[T; SEATS]> {
    match *given {
        [all] => Ok([all; SEATS]),
        [a, b, c, d] => Ok([a, b, c, d]),
        _ => bail!("{what}: give one name for all seats, or four joined by commas"),
    }
}
