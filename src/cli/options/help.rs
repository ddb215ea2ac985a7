//! Formats the text that `--help` shows below the options.

use std::ffi::OsString;

use clap::{Arg, Command};

use crate::cli::options::games::{CLASSIC, GUIDELINE, LIAP};

/// Help heading of the options of logs.
pub(crate) const LOGS: &str = "Logs";
/// Help heading of the options of output and checkpoints.
pub(crate) const OUTPUT: &str = "Output";

/// Groups of commands in `tetrastat --help`: the title and the names of the commands. `completions`
/// and `man` are in no group.
const GROUPS: [(&str, &str); 4] = [
    ("Jobs", "simulate study compare estimate exact label train"),
    ("Look", "watch play show view"),
    ("Tools", "annotate data bench tbp"),
    ("Card game", "liap"),
];

/// Returns `program` with a `--help` that lists the commands in groups, and with adapted options of
/// the commands that `words` names. The others are left as they are, because adapting all of them
/// would take longer than parsing.
pub(crate) fn adapted(program: Command, words: &[OsString]) -> Command {
    let program = with_adapted_options(program, words);
    let header = *program.get_styles().get_header();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        template += &format!("\n{header}{title}:{header:#}\n");
        for name in names.split(' ') {
            let about = program.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            template += &format!("  {name:11}  {about}\n");
        }
    }
    program.help_template(template + &format!("\n{header}Options:{header:#}\n{{options}}\n"))
}

/// Options of one game that `-h` shows.
const USUAL: [&str; 3] = ["board", "max-pieces", "mode"];
/// Options of all games that only `--help` shows.
const RARE: &str = "simd cycle script garbage garbage-messiness garbage-every policy bot-seconds \
    tie power alpha difference halfwidth means censored-at not-worse-than margin most-games \
    importance burn-in pilot-pieces method asciicast fumen until-death paused combo back-to-back \
    contrast queue";

/// Hides rare options of `command`, and most of those that only one game has, from its `-h`. Lets
/// options that take a value accept negative numbers: their own parsers then reject them and name
/// the valid range. Does the same for the subcommands that `words` names.
fn with_adapted_options(command: Command, words: &[OsString]) -> Command {
    let is_rare = |arg: &Arg| {
        let name = arg.get_long().unwrap_or_default();
        let headings = [&CLASSIC, &GUIDELINE, &LIAP].map(|games| Some(games.heading));
        RARE.split(' ').any(|rare| rare == name)
            || headings.contains(&arg.get_help_heading()) && !USUAL.contains(&name)
    };
    command
        .mut_args(|arg| {
            let is_valued = arg.get_action().takes_values() && !arg.is_positional();
            let arg = if is_rare(&arg) { arg.hide_short_help(true) } else { arg };
            if is_valued { arg.allow_negative_numbers(true) } else { arg }
        })
        .mut_subcommands(|below| match words.iter().any(|word| word == below.get_name()) {
            true => with_adapted_options(below, words),
            false => below,
        })
}

/// Returns a function that hides an option from `-h` unless `shown` contains its name.
pub(crate) fn short_help(shown: &'static [&'static str]) -> impl FnMut(Arg) -> Arg {
    |arg| match arg.get_long() {
        Some(name) if !shown.contains(&name) => arg.hide_short_help(true),
        _ => arg,
    }
}

/// Indentation of code that readers copy, such as commands and files. Lines with this indentation
/// are not joined or wrapped.
const CODE: &str = "    ";

/// Joins each paragraph of `text` into one line, so that clap wraps it at the width of the
/// terminal.
///
/// A line indented by two spaces consists of an item, two or more spaces, and a description. The
/// description moves to its own line below the item. A line indented by four spaces stays
/// unchanged.
pub(crate) fn prose(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut joins = false;
    for line in text.lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let is_more = joins && (indent == 0 || indent > CODE.len());
        match lines.last_mut() {
            Some(last) if is_more && !words.is_empty() => *last = format!("{last} {words}"),
            _ => match words.split_once("  ").filter(|_| indent == 2) {
                Some((item, text)) => {
                    lines.push(format!("  {item}"));
                    lines.push(format!("      {}", text.trim_start()));
                }
                None => lines.push(line.to_owned()),
            },
        }
        joins = !words.is_empty() && indent != CODE.len();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::program;

    #[test]
    fn every_command_is_in_a_group() {
        let listed = GROUPS.iter().flat_map(|(_, names)| names.split(' '));
        let mut listed: Vec<&str> = listed.chain(["completions", "man"]).collect();
        let program = program();
        let mut names: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        let about = |command: &&Command| command.get_about().unwrap().to_string().len();
        let longest = program.get_subcommands().max_by_key(about).unwrap();
        assert!(about(&longest) <= 65, "{} does not fit 80 columns", longest.get_name());
        listed.sort_unstable();
        names.sort_unstable();
        assert_eq!(listed, names);
    }

    #[test]
    fn paragraphs_become_lines_and_copies_stay() {
        let text = "One\ntwo.\n\n  item   its\n         text\n  next   more:\n\n    a = 1\n    b \
            = 2\n\nEnd.";
        let expected = "One two.\n\n  item\n      its text\n  next\n      more:\n\n    a = 1\n    \
            b = 2\n\nEnd.";
        assert_eq!(prose(text), expected);
    }
}
