//! Runs `tetrastat show`: prints boards, features and controllers.

pub(crate) mod board;
mod controllers;
mod features;
mod guideline;

use crate::cli::console::output::Printout;
use crate::cli::options::settings::ParsedArgs;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum ShowCommand {
    Board(Box<ParsedArgs<board::Args>>),
    Features(features::Args),
    Controllers(controllers::Args),
}

impl ShowCommand {
    pub(crate) fn run(self) -> anyhow::Result<Printout> {
        match self {
            ShowCommand::Board(given) => board::run(*given),
            ShowCommand::Features(args) => Ok(args.run()),
            ShowCommand::Controllers(args) => args.run(),
        }
    }
}
