//! Runs `tetrastat completions` and `tetrastat man`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use clap::builder::PossibleValue;
use clap::{Arg, Command};
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

    /// Print all commands as one Markdown page, docs/reference/commands.md
    #[arg(long, hide = true, conflicts_with = "out")]
    markdown: bool,
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

/// Returns the reference of the command line as a Markdown page.
fn markdown(program: Command) -> String {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut page = String::new();
    let mut options = String::new();
    push_arguments(&mut options, &program, false);
    for command in program.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
        push_command(&mut page, command, "##");
    }
    format!("## Options of every command\n{options}\n{}\n", page.trim_end())
}

/// Appends the section of `command` and the sections of its subcommands to `page`. `marks` are the
/// `#` characters of the heading.
fn push_command(page: &mut String, command: &mut Command, marks: &str) {
    let name = command.get_bin_name().unwrap_or(NAME).to_owned();
    let _ = writeln!(page, "{marks} {name}\n");
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        let _ = writeln!(page, "{}\n", sentence(&about.to_string()));
    }
    let usage = command.render_usage().to_string();
    let _ = writeln!(page, "```text\n{}\n```", usage.trim_start_matches("Usage: "));
    push_arguments(page, command, true);
    if let Some(rest) = command.get_after_long_help().or(command.get_after_help()) {
        let rest = rest.to_string();
        // Indented lines are examples of commands.
        let _ = match rest.contains("\n ") || rest.starts_with(NAME) {
            true => writeln!(page, "\n```text\n{}\n```", rest.trim_end()),
            false => writeln!(page, "\n{}", sentence(&rest)),
        };
    }
    page.push('\n');
    let below = format!("{marks}#");
    for command in command.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
        push_command(page, command, &below);
    }
}

/// Appends the arguments of `command`, as one list under each heading. If `own` is true, leaves out
/// the arguments that every command has.
fn push_arguments(page: &mut String, command: &Command, own: bool) {
    let is_shown = |arg: &&Arg| {
        let is_usual = matches!(arg.get_id().as_str(), "help" | "version");
        let is_elsewhere = own && arg.is_global_set();
        !arg.is_hide_set() && !is_usual && !is_elsewhere
    };
    let heading = |arg: &Arg| {
        let usual = if arg.is_positional() { "Arguments" } else { "Options" };
        arg.get_help_heading().unwrap_or(usual).to_owned()
    };
    let mut headings: Vec<String> = Vec::new();
    for arg in command.get_arguments().filter(is_shown) {
        if !headings.contains(&heading(arg)) {
            headings.push(heading(arg));
        }
    }
    for title in headings {
        let _ = writeln!(page, "\n**{title}**\n");
        for arg in command.get_arguments().filter(is_shown).filter(|arg| heading(arg) == title) {
            let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
            let mut help = sentence(&help.unwrap_or_default());
            let mut list = |title: &str, words: &[&str], is_hidden: bool| {
                if arg.get_action().takes_values() && !words.is_empty() && !is_hidden {
                    let _ = write!(help, " {title}: `{}`.", words.join("`, `"));
                }
            };
            let values = arg.get_possible_values();
            let values = values.iter().filter(|value| !value.is_hide_set());
            let values: Vec<&str> = values.map(PossibleValue::get_name).collect();
            list("Values", &values, arg.is_hide_possible_values_set());
            let defaults = arg.get_default_values().iter().filter_map(|value| value.to_str());
            list("Default", &defaults.collect::<Vec<_>>(), arg.is_hide_default_value_set());
            let _ = writeln!(page, "- `{arg}`: {}", help.trim());
        }
    }
}

/// Formats `help` as one line of Markdown that ends with a full stop.
fn sentence(help: &str) -> String {
    let line = help.split_whitespace().collect::<Vec<_>>().join(" ");
    // A browser would read `<` as the start of a tag.
    let line = line.replace('<', "&lt;");
    match line.chars().last() {
        None | Some('.' | ']' | ':') => line,
        Some(_) => line + ".",
    }
}

impl ManArgs {
    pub(crate) fn run(self, console: &Console, program: Command) -> anyhow::Result<()> {
        match self.out {
            None if self.markdown => console.print_data(&markdown(program))?,
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
