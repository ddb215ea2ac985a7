//! A run of classic games that was played, from its `run.json`: enough to say what was played, not to play on.

use std::path::Path;

use super::{ClassicConfig, ClassicGames, ClassicManifest, Limits};
use crate::error::Result;
use crate::queue::QueueKind;
use crate::record::{ReplaySetup, not_as_written, recorded_seed};

/// The run of a folder, which logs nothing.
///
/// # Errors
/// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] when `run.json` is missing, of another game, or names
/// what this program does not have.
pub fn read_classic_games(folder: &Path) -> Result<ClassicGames> {
    let config = ClassicManifest::read(folder)?.config;
    let recorded = || -> Result<ClassicConfig> {
        let setup = ReplaySetup::of_entry(&config)?;
        Ok(ClassicConfig {
            rules: setup.rules,
            start: (setup.start.stack_height() > 0).then_some(setup.start),
            queue: QueueKind::described(&config.queue)?,
            search: setup.search,
            games: config.games(),
            shard: config.shard.as_deref().map(str::parse).transpose()?,
            limits: Limits { pieces: config.max_pieces, lines: config.max_lines },
            seed: recorded_seed(&config.seed)?,
            ..ClassicConfig::new(setup.controller?, setup.size)
        })
    };
    let path = folder.join("run.json");
    ClassicGames::unlogged(recorded().map_err(|error| not_as_written(&path, &error))?)
}
