//! Runs `tetrastat show`: prints boards, features and controllers.

pub(crate) mod board;
mod controllers;
mod features;
mod guideline;

use crate::cli::console::Console;
use crate::cli::options::settings::ParsedArgs;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum ShowCommand {
    Board(Box<ParsedArgs<board::Args>>),
    Features(features::Args),
    Controllers(controllers::Args),
}

impl ShowCommand {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        match self {
            ShowCommand::Board(given) => board::run(console, *given),
            ShowCommand::Features(args) => args.run(console),
            ShowCommand::Controllers(args) => args.run(console),
        }
    }
}
