//! Runs `tetrastat data`: writes data sets, and works with the folders and tables of runs.

pub(crate) mod convert;
pub(crate) mod merge;
pub(crate) mod set;
pub(crate) mod verify;

use crate::cli::console::Console;
use crate::cli::console::output::Printout;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum DataCommand {
    Set(set::Args),
    Convert(convert::Args),
    Merge(merge::Args),
    Verify(verify::Args),
}

impl DataCommand {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Printout> {
        Ok(match self {
            DataCommand::Set(args) => args.run(console)?.into(),
            DataCommand::Convert(args) => args.run(console)?.into(),
            DataCommand::Merge(args) => args.run(console)?.into(),
            DataCommand::Verify(args) => args.run()?,
        })
    }
}
