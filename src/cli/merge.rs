//! `tetrastat merge`: the shards of a run become one.

use std::path::PathBuf;

use super::Outcome;
use super::output::{print, thousands};
use crate::record::{RunFolder, merge};

/// Join the shards of a run (simulate --shard i/n) to the bytes that one run would have written
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shards' folders, in any order
    #[arg(required = true)]
    shards: Vec<PathBuf>,

    /// Output folder, which must not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let folder = RunFolder::create(&self.out, false)?;
        match merge(&self.shards, &folder) {
            Ok(manifest) => {
                let shards = self.shards.len();
                let (games, lines) = (thousands(manifest.games), thousands(manifest.lines));
                let out = self.out.display();
                print(&format!("{shards} shards, {games} games, {lines} lines: {out}\n"))?;
                Ok(Outcome::Done)
            }
            Err(error) => {
                folder.discard();
                Err(error.into())
            }
        }
    }
}
