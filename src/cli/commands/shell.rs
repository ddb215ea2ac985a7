//! Runs `tetrastat completions` and `tetrastat man`.

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

/// Name of the program in scripts and manual pages.
const NAME: &str = "tetrastat";

/// Print the script that completes commands and options in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The script calls the program, so tetrastat must be on the PATH:\n\n    source \
        <(tetrastat completions bash)    # in ~/.bashrc; zsh alike\n    tetrastat completions \
        fish | source     # in config.fish"
)]
pub(crate) struct CompletionsArgs {
    /// Shell that runs the script
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

/// Print the manual page, or write a page per command
#[derive(Debug, clap::Args)]
#[command(after_help = "tetrastat man | man -l -")]
pub(crate) struct ManArgs {
    /// Folder for tetrastat.1 and one page per command
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace existing pages of these names in the folder
    #[arg(long, requires = "out")]
    force: bool,
}

/// Writes one manual page per command into a folder. Existing pages with the same bytes are kept,
/// so that the command can be repeated after a full disk.
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
    // All files are checked before the first page is written.
    for (name, _) in &pages {
        check_output(&folder.join(name), force)?;
    }
    for (name, page) in &pages {
        write_output(&folder.join(name), page, force)?;
    }
    Ok(())
}

/// Appends the manual page of `command` and of each subcommand to `pages`, with its file name.
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
