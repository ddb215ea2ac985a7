//! What `run.json` says of a run of one-piece games.

use std::time::{Instant, SystemTime};

use super::RunConfig;
use crate::record::{
    COMMIT, Column, ConfigEntry, ControllerEntry, LogTable, Logs, Manifest, PROGRAM, Status,
    VERSION, command_line, cpu_name,
};
use crate::rules::{Entry, Reach};

impl ConfigEntry {
    /// The entry of a configuration.
    #[must_use]
    pub fn of(config: &RunConfig, logs: &Logs) -> ConfigEntry {
        let controller = &config.controller;
        let weights =
            controller.weights.iter().map(|(f, weight)| (f.to_string(), (*weight).into()));
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
            },
            rules: config.rules.to_string(),
            reach,
            clear_on_overflow: config.rules.clear_on_overflow,
            board: config.size.to_string(),
            start: config.start.map(|board| board.to_hex()),
            queue: config.queue.describe(),
            search: config.search.to_string(),
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

impl Manifest {
    /// A manifest of a run that has just ended; its tables are added when they are finished.
    #[must_use]
    pub fn new(
        status: Status,
        entry: ConfigEntry,
        config: &RunConfig,
        (started, clock): (SystemTime, Instant),
        resumed: bool,
    ) -> Manifest {
        let utc = |time| humantime::format_rfc3339_seconds(time).to_string();
        Manifest {
            program: PROGRAM.to_owned(),
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            status,
            command: command_line(),
            config: entry,
            threads: config.threads,
            simd: config.level.to_string(),
            cpu: cpu_name(),
            started: utc(started),
            finished: utc(SystemTime::now()),
            elapsed_s: clock.elapsed().as_secs_f64(),
            resumed,
            games: 0,
            pieces: 0,
            lines: 0,
            files: Vec::new(),
        }
    }
}
