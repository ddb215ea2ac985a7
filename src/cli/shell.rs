//! `tetrastat completions` and `tetrastat man`: what a shell and `man` know of the commands.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_complete::env::Shells;
use clap_mangen::Man;

use super::complete::ASKED;
use super::output::{Outcome, print_data};
use crate::error::Error;

/// The program, as the scripts call it.
const NAME: &str = "tetrastat";

/// Print a script that completes commands, options and their values in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The script asks the program itself, which the shell must find under its name:\n\n    source <(tetrastat completions bash)    # in ~/.bashrc; zsh alike\n    tetrastat completions fish | source     # in config.fish"
)]
pub(super) struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

impl CompletionsArgs {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let shell = shells.completer(&self.shell.to_string());
        let shell = shell.with_context(|| format!("no script for {}", self.shell))?;
        shell.write_registration(ASKED, NAME, NAME, NAME, &mut script)?;
        print_data(&String::from_utf8_lossy(&script))?;
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
    pub(super) fn run(self, program: Command) -> anyhow::Result<Outcome> {
        match self.out {
            Some(folder) => {
                fs::create_dir_all(&folder).map_err(|e| Error::io("creating", &folder, e))?;
                clap_mangen::generate_to(program, &folder)
                    .map_err(|e| Error::io("writing", &folder, e))?;
            }
            None => {
                let mut page = Vec::new();
                Man::new(program).render(&mut page)?;
                print_data(&String::from_utf8_lossy(&page))?;
            }
        }
        Ok(Outcome::Done)
    }
}
