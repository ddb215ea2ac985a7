//! `tetrastat merge`: the shards of a run become one.

use std::path::PathBuf;

use super::opening::folder_of_copy;
use super::output::{Outcome, print, thousands};
use crate::record::Merging;
use crate::sim::described;

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
        let (config, files) = (whole["config"].clone(), merging.files().to_vec());
        let Some(folder) = folder_of_copy(&self.out, config, files)? else {
            return Ok(Outcome::Done);
        };
        match merging.write(&folder, described) {
            Ok(manifest) => {
                let shards = self.shards.len();
                let count =
                    |key: &&str| Some(format!(", {} {key}", thousands(manifest[*key].as_u64()?)));
                let counts: String =
                    ["games", "lines", "boards"].iter().filter_map(count).collect();
                print(&format!("{shards} shards{counts}: {}\n", self.out.display()))?;
                Ok(Outcome::Done)
            }
            Err(error) => {
                folder.discard(&[]);
                Err(error.into())
            }
        }
    }
}
