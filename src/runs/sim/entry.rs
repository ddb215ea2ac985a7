//! Converts the configuration of classic games to its form in `run.json`.

use super::ClassicConfig;
use crate::controller::External;
use crate::record::{Column, ConfigEntry, ControllerEntry, LogTable, Logs};
use crate::rules::{Entry, Reach};

impl ConfigEntry {
    /// Returns the entry for `run.json` that describes `config` and `logs`.
    #[must_use]
    pub fn of(config: &ClassicConfig, logs: &Logs) -> ConfigEntry {
        let controller = &config.controller;
        let weights = controller.named_weights().map(|(name, weight)| (name, weight.into()));
        let columns = logs.columns(LogTable::Placements).unwrap_or_default();
        let reach = match config.rules.entry {
            Entry::FromAbove => None,
            Entry::SpawnInside(Reach::Contiguous) => Some("contiguous".to_owned()),
            Entry::SpawnInside(Reach::Anywhere) => Some("anywhere".to_owned()),
        };
        ConfigEntry {
            controller: ControllerEntry {
                name: controller.name.clone(),
                source: controller.source.clone(),
                measured: controller.measured,
                tie: controller.tie,
                weights: weights.collect(),
                patterns: controller
                    .patterns
                    .as_ref()
                    .map(|patterns| Box::new(patterns.text(None))),
                external: controller.external.as_ref().map(External::describe),
            },
            rules: config.rules.to_string(),
            reach,
            clear_on_overflow: config.rules.clear_on_overflow,
            board: config.size.to_string(),
            start: config.start.map(|board| board.to_hex()),
            garbage: config.garbage,
            queue: config.queue.describe(),
            search: config.search.to_string(),
            policy: config.policy.recorded(),
            games: config.games,
            shard: config.shard.map(|shard| shard.to_string()),
            max_pieces: config.limits.pieces,
            max_lines: config.limits.lines,
            seed: format!("0x{:016x}", config.seed),
            logged: logs.any().then_some(logs.selection),
            columns: columns.into_iter().map(|column: Column| column.name).collect(),
        }
    }
}
