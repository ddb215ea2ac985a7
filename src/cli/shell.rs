//! `tetrastat completions` and `tetrastat man`: what a shell and `man` know of the commands.

use std::fs;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::output::print;
use super::{Cli, Outcome};
use crate::error::Error;

/// Print a script that completes commands and options in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "bash: tetrastat completions bash > ~/.local/share/bash-completion/completions/tetrastat"
)]
pub(super) struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

impl CompletionsArgs {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tetrastat", &mut script);
        print(&String::from_utf8_lossy(&script))?;
        Ok(Outcome::Done)
    }
}

/// Print the manual page, or write one per command into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "tetrastat man | man -l -")]
pub(super) struct ManArgs {
    /// Write tetrastat.1 and a page per command into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl ManArgs {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        match self.out {
            Some(folder) => {
                fs::create_dir_all(&folder).map_err(|e| Error::io("creating", &folder, e))?;
                clap_mangen::generate_to(Cli::command(), &folder)
                    .map_err(|e| Error::io("writing", &folder, e))?;
            }
            None => {
                let mut page = Vec::new();
                Man::new(Cli::command()).render(&mut page)?;
                print(&String::from_utf8_lossy(&page))?;
            }
        }
        Ok(Outcome::Done)
    }
}
