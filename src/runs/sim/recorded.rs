//! Restores a run of classic games from its `run.json`: enough to describe it, but not to continue
//! it.

use std::path::Path;

use super::{ClassicConfig, ClassicGames, ClassicManifest, Limits};
use crate::error::Result;
use crate::queue::QueueKind;
use crate::record::{ReplaySetup, not_as_written};

/// Reads the run of classic games in `folder`. The result has no logs.
///
/// # Errors
/// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] if `run.json` is missing, belongs
/// to another game, or names something unknown to this program.
pub fn read_classic_games(folder: &Path) -> Result<ClassicGames> {
    let config = ClassicManifest::read(folder)?.config;
    let recorded = || -> Result<ClassicConfig> {
        let setup = ReplaySetup::of_entry(&config)?;
        Ok(ClassicConfig {
            rules: setup.rules,
            start: setup.start,
            garbage: setup.garbage,
            queue: QueueKind::parse_described(&config.queue)?,
            search: setup.search,
            policy: setup.policy,
            games: config.games(),
            shard: config.shard.as_deref().map(str::parse).transpose()?,
            limits: Limits { pieces: config.max_pieces, lines: config.max_lines },
            seed: setup.seed,
            ..ClassicConfig::new(setup.controller?, setup.size)
        })
    };
    let path = folder.join("run.json");
    ClassicGames::unlogged(recorded().map_err(|error| not_as_written(&path, error))?)
}
