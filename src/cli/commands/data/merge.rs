//! Runs `tetrastat data merge`: joins the shards of a run.

use std::path::{Path, PathBuf};

use clap::Parser;
use serde_json::{Value, json};

use crate::cli::Cli;
use crate::cli::commands::simulate;
use crate::cli::console::Console;
use crate::cli::console::opening::copied;
use crate::engine::{Described, Manifest};
use crate::error::{Error, Result};
use crate::games::resume_command;
use crate::liap::LiapConfig;
use crate::record::{
    Commands, MergedLogs, RunFolder, Shard, ShardMerge, checkpoint_state, shell_path, shell_words,
};
use crate::sim::ClassicConfig;
use crate::sim::guideline::GuidelineConfig;
use crate::sim::rollout::RolloutConfig;
use crate::text::numbers::thousands;

/// Join the shards of a run into one run
///
/// Shards come from --shard I/N of simulate or label. The output is byte-identical
/// to an unsharded run
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folders of the shards, in any order
    #[arg(required = true)]
    shards: Vec<PathBuf>,

    /// Output folder: a new one, or that of the same merge, which starts again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Do not join the shards' Parquet tables: each becomes a folder, such as placements.parquet,
    /// with the shards' files as parts. Readers of Parquet data sets read it as one table. Parts
    /// are hard links where possible, which take no space; the shards can be deleted
    #[arg(long)]
    parts: bool,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        let logs = if self.parts { MergedLogs::Parts } else { MergedLogs::Joined };
        let merging = ShardMerge::new(&self.shards, &ProgramCommands, logs)?;
        let whole = merging.whole();
        let (config, files) = (whole["config"].clone(), merging.files().to_vec());
        let write = |folder: &RunFolder| merging.write(folder, described, summary);
        if let Some(manifest) = copied(console, &self.out, config, &files, write)? {
            let (shards, out) = (self.shards.len(), self.out.display());
            console.print(&format!("{shards} shards, {}: {out}\n", counts(&manifest)))?;
        }
        Ok(())
    }
}

/// Joins shards into the new run `out` whose Parquet tables are parts that the shards' players have
/// written into it, wherever it is kept. The parts are neither read nor copied.
///
/// # Errors
/// [`Error::Config`] if a shard is missing, unfinished or damaged, [`Error::Io`] if a file can't be
/// read or written.
pub fn merge_written_parts(shards: &[PathBuf], out: &Path) -> Result<()> {
    let merging = ShardMerge::new(shards, &ProgramCommands, MergedLogs::WrittenParts)?;
    merging.write(&RunFolder::create(out)?, described, summary).map(|_| ())
}

/// Formats the counts in a merged manifest: games and lines, matches and rounds, or boards.
fn counts(manifest: &Value) -> String {
    const TOLD: [&str; 5] = ["games", "lines", "matches", "rounds", "boards"];
    let told = TOLD.into_iter().filter_map(|what| Some((what, manifest[what].as_u64()?)));
    let told = told.map(|(what, count)| format!("{} {what}", thousands(count)));
    told.collect::<Vec<_>>().join(", ")
}

/// Calls a function that is generic over the game with the game of a manifest.
macro_rules! of_game {
    ($manifest:ident, $function:ident($($given:expr),*)) => {
        match $manifest["config"]["game"].as_str() {
            Some("classic") => $function::<ClassicConfig>($($given),*),
            Some("guideline") => $function::<GuidelineConfig>($($given),*),
            Some("liap") => $function::<LiapConfig>($($given),*),
            Some(RolloutConfig::GAME) => $function::<RolloutConfig>($($given),*),
            game => Err(Error::Config(format!(
                "this program cannot merge runs of {}",
                game.unwrap_or("an unnamed game")
            ))),
        }
    };
}

/// Builds the `datapackage.json` of a run from `manifest`, the content of its `run.json`. The
/// tables are not read.
fn described(manifest: &Value) -> Result<Value> {
    fn package<G: Described>(manifest: &Value) -> Result<Value> {
        Ok(Manifest::<G>::from_json(manifest)?.package())
    }
    of_game!(manifest, package(manifest))
}

/// Computes the summary of a run that was merged in `folder`, from `manifest`, the content of its
/// `run.json`, and from the summaries `parts` of its shards.
fn summary(manifest: &Value, folder: &Path, parts: Vec<Value>) -> Result<Value> {
    fn merged<G: Described>(manifest: &Value, folder: &Path, parts: Vec<Value>) -> Result<Value> {
        let config = Manifest::<G>::from_json(manifest)?.config;
        let parts = parts.into_iter().map(|part| {
            let of_shard = |error| Error::Config(format!("the summary of a shard: {error}"));
            serde_json::from_value(part).map_err(of_shard)
        });
        let parts = parts.collect::<Result<_>>()?;
        Ok(json!(G::merged(&config, folder, parts)?))
    }
    of_game!(manifest, merged(manifest, folder, parts))
}

/// Source of the command lines of `tetrastat` that a merge prints as advice.
struct ProgramCommands;

impl Commands for ProgramCommands {
    fn plays(&self, shard: Shard, folder: &str, other: &[String]) -> Option<String> {
        let mut settings = Cli::try_parse_from(other).ok()?.command.of_run()?;
        for option in ["force", "shard", "out"] {
            settings.remove(option);
        }
        settings.set("shard", shard.to_string());
        settings.set("out", folder);
        let words = ["tetrastat", simulate::NAME].into_iter().map(str::to_owned);
        Some(shell_words(&words.chain(settings.words::<simulate::Args>()).collect::<Vec<_>>()))
    }

    fn finishes(&self, folder: &Path) -> String {
        let state = checkpoint_state(folder).ok();
        match state.and_then(|state| resume_command(&state["settings"], folder)) {
            Some(command) => format!("tetrastat {command}"),
            None => format!("the same command with --out {}", shell_path(folder)),
        }
    }
}
