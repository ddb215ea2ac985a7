//! `tetrastat completions` and `tetrastat man`: what a shell and `man` know of the commands.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_complete::env::Shells;
use clap_mangen::Man;

use crate::cli::console::Console;
use crate::cli::options::complete::ASKED;
use crate::error::Error;
use crate::record::{check_output, write_output};

/// The program, as the scripts call it.
const NAME: &str = "tetrastat";

/// Print a script that completes commands, options and their values in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The script asks the program itself, which the shell must find under its name:\n\n    source <(tetrastat completions bash)    # in ~/.bashrc; zsh alike\n    tetrastat completions fish | source     # in config.fish"
)]
pub(crate) struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let shell = shells.completer(&self.shell.to_string());
        let shell = shell.with_context(|| format!("no script for {}", self.shell))?;
        shell.write_registration(ASKED, NAME, NAME, NAME, &mut script)?;
        console.print_data(&String::from_utf8_lossy(&script))?;
        Ok(())
    }
}

/// Print the manual page, or write one per command into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "tetrastat man | man -l -")]
pub(crate) struct ManArgs {
    /// Write tetrastat.1 and a page per command into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace existing pages of these names in the folder
    #[arg(long, requires = "out")]
    force: bool,
}

/// Writes one page per command into a folder. An existing page with the same bytes is kept, so that the same command
/// continues after a full disk.
fn write_pages(program: Command, folder: &Path, force: bool) -> anyhow::Result<()> {
    fs::create_dir_all(folder).map_err(|e| Error::io("creating", folder, e))?;
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    render_pages(program, &mut pages)?;
    let is_there = |(name, page): &(String, Vec<u8>)| {
        let path = folder.join(name);
        // Only a regular file of the same length is read: never a fifo or a device.
        let length = fs::metadata(&path).map(|found| (found.is_file(), found.len())).ok();
        length == Some((true, page.len() as u64)) && fs::read(&path).is_ok_and(|old| old == *page)
    };
    pages.retain(|page| !is_there(page));
    // All targets are checked before the first page is written.
    for (name, _) in &pages {
        check_output(&folder.join(name), force)?;
    }
    for (name, page) in &pages {
        write_output(&folder.join(name), page, force)?;
    }
    Ok(())
}

/// Renders the pages of a command and its subcommands, with their file names.
fn render_pages(command: Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        render_pages(below.clone(), pages)?;
    }
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)?;
    pages.push((man.get_filename(), page));
    Ok(())
}

impl ManArgs {
    pub(crate) fn run(self, console: &Console, program: Command) -> anyhow::Result<()> {
        match self.out {
            Some(folder) => write_pages(program, &folder, self.force)?,
            None => {
                let mut page = Vec::new();
                Man::new(program).render(&mut page)?;
                console.print_data(&String::from_utf8_lossy(&page))?;
            }
        }
        Ok(())
    }
}
