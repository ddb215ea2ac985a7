//! `tetrastat merge`: the shards of a run become one.

use std::path::PathBuf;

use serde_json::json;

use super::Outcome;
use super::opening::folder_of_copy;
use super::output::{print, thousands};
use crate::record::Merging;

/// Join the shards of a run (simulate --shard i/n) to the bytes that one run would have written
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shards' folders, in any order
    #[arg(required = true)]
    shards: Vec<PathBuf>,

    /// Output folder: a new one, or that of the same merge, which begins again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let merging = Merging::new(&self.shards)?;
        let whole = merging.whole();
        let files = whole.files.iter().map(|file| file.name.clone()).collect();
        let config = json!(whole.config);
        let Some(folder) = folder_of_copy(&self.out, config, files)? else {
            return Ok(Outcome::Done);
        };
        match merging.write(&folder) {
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
