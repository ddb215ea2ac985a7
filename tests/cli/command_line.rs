//! The command line as a whole: help at every width, features as the code book has them, and
//! trainings as `--dry-run` shows them. The rest stands in tables: counts.md, completion.md,
//! planned.md, files.md, near-misses.md and lists.md in tests/messages/.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::common::{command, entries, folder, tetrastat, text};

/// Runs a command that succeeds and leaves nothing in its folder. Returns what it prints.
fn stdout_of(folder: &Path, line: &str) -> String {
    let before = entries(folder).len();
    let output = tetrastat(folder, &line.split_whitespace().collect::<Vec<_>>());
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    assert_eq!(entries(folder).len(), before, "{line} left something");
    text(&output.stdout).to_owned()
}

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&stdout_of(folder, &format!("{line} --format json"))).unwrap()
}

/// The words that ask for the help of every command, `--help` left out.
const COMMANDS: &str = "|simulate|simulate --rules guideline|play|study|compare|label|estimate|train|train cem\
    |train ga|train snes|train cmaes|train vdcmaes|train td|train snes --rules capstone|show|show board|show features|show controllers|tbp|watch|watch --rules guideline|exact|bench|bench perft\
    |view|data|data verify|data merge|data convert|data set|annotate|liap|liap declare|simulate --rules liap|liap compare\
    |liap distribution|completions|man";

fn help(words: &str, option: &str, columns: usize) -> String {
    let folder = folder();
    let args: Vec<&str> = words.split_whitespace().chain([option]).collect();
    let mut command = command(folder.path(), &args);
    let output = command.env("COLUMNS", columns.to_string()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{words}");
    text(&output.stdout).to_owned()
}

#[test]
fn every_command_is_asked_for_help() {
    let listed = help("", "--help", 500);
    let (listed, _) = listed.split_once("\nOptions:\n").unwrap();
    let listed = listed.lines().filter(|line| line.starts_with("  "));
    let names: Vec<&str> = listed.map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names.iter().filter(|name| **name != "help") {
        assert!(COMMANDS.split('|').any(|words| words == *name), "{name} is not in the list");
    }
}

/// Fails if a line is wider than the terminal, or ends early while its paragraph goes on. Lines
/// indented by four are to be copied as they are.
fn is_wrapped_once(help: &str, what: &str, columns: usize) {
    let mut lines = help.lines().peekable();
    while let Some(line) = lines.next() {
        let length = line.chars().count();
        assert!(length <= columns, "{what} at {columns}: {line}");
        let Some(next) = lines.peek() else { continue };
        let indent = |line: &str| line.len() - line.trim_start().len();
        let first = next.split_whitespace().next().unwrap_or_default();
        let begins_anew = first.is_empty()
            || line.trim().is_empty()
            || first.starts_with(['-', '<', '['])
            || line.starts_with("Usage:")
            || line.ends_with(':') && indent(line) == 0;
        // Items, and the list of commands.
        let is_list = indent(line) == 2 || indent(line) == 4;
        if !begins_anew && !is_list && indent(line) == indent(next) {
            let room = columns - length;
            assert!(
                room <= first.chars().count(),
                "{what} at {columns}: '{line}' ends before '{next}'"
            );
        }
    }
}

/// Examples are not wrapped: what is to be copied fits a narrow terminal.
#[test]
fn help_is_wrapped_once_at_every_width() {
    for words in COMMANDS.split('|') {
        let examples = [80, 100, 120].map(|columns| {
            is_wrapped_once(&help(words, "-h", columns), words, columns);
            let help = help(words, "--help", columns);
            is_wrapped_once(&help, words, columns);
            let is_example = |line: &&str| line.starts_with("    ") && !line.starts_with("     ");
            help.lines().filter(is_example).map(str::to_owned).collect::<Vec<_>>()
        });
        assert!(examples[0] == examples[1] && examples[0] == examples[2], "{words}: {examples:?}");
    }
}

/// Every line of the code book's two tables of features is in the list.
#[test]
fn features_are_listed_with_their_definitions() {
    let folder = folder();
    let listed = json(folder.path(), "show features");
    let shown = stdout_of(folder.path(), "show features");
    let book = tetrastat::record::code_book(&[tetrastat::liap::TABLES]).unwrap();
    let (_, book) = book.split_once("## features\n").unwrap();
    let (features, terms) = book.split_once("## guideline terms\n").unwrap();
    let check =
        |table: &str, entries: &Value, keys: &[&str], told: &dyn Fn(&[&str]) -> Vec<String>| {
            let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
            let rows: Vec<Vec<&str>> = rows
                .map(|row| row.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect())
                .collect();
            let entries = entries.as_array().unwrap();
            assert_eq!(rows.len(), entries.len());
            for (entry, row) in entries.iter().zip(rows) {
                assert_eq!(
                    keys.iter().map(|key| entry[key].as_str().unwrap()).collect::<Vec<_>>(),
                    row
                );
                assert!(told(&row).iter().all(|words| shown.contains(words)), "{row:?}");
            }
            entries.len()
        };
    let keys = ["name", "step", "good", "definition", "source"];
    let told = |row: &[&str]| vec![row[3].to_owned(), row[4].to_owned()];
    let count = check(features, &listed["features"], &keys, &told);
    assert_eq!(count, tetrastat::features::REGISTRY.len());
    let told = |row: &[&str]| vec![format!("\n{} ", row[0])];
    check(terms, &listed["guideline_terms"], &["name", "definition", "source"], &told);
}

/// Every preset, and some lines: what is shown is what `--config` takes, and shows the same.
#[test]
fn what_would_be_trained_is_a_file_that_trains_it() {
    let folder = folder();
    let of_method = |method: &'static str| {
        let names = tetrastat::train::TrainingPreset::names(method);
        names.map(move |name| format!("{method} --preset {name}"))
    };
    let presets: Vec<String> =
        tetrastat::train::METHOD_NAMES.into_iter().flat_map(of_method).collect();
    let lines = [
        "cem",
        "ga --bounds -1,1/-2,2 --features holes,wells --mutation one-gene:0.2:0.1:1:4",
        "snes --eta-mu 0.5 --initial -3,3 --board 6x8 --max-lines 40 --objective sprint",
        "cmaes --start bcts --features holes,wells,landing_height --objective median-pieces --minimise",
        "cem --noise linear:4:7.5 --timing sampling --elite 0.2 --tie dellacherie --max-pieces none",
        "ga --preset guide --games 3 --seed 18446744073709551615 --elite 2 --name 7 --repeat-games",
        "snes --rules guideline --mode blitz --start tetrastat-blitz-greedy --sd 20 --seconds 2.5",
        "snes --preset capstone-blitz --movement full --games 2k --threads 1",
        "cem --features bdu --measured before-clear --queue bag --search next --population-log",
    ];
    for line in presets.iter().map(String::as_str).chain(lines) {
        let dry = format!("train {line} --dry-run");
        let (shown, plan) = (stdout_of(folder.path(), &dry), json(folder.path(), &dry));
        let file = folder.path().join("shown.toml");
        fs::write(&file, &shown).unwrap();
        let method = line.split(' ').next().unwrap();
        let again = format!("train {method} --config shown.toml --dry-run");
        assert_eq!(stdout_of(folder.path(), &again), shown, "{line}");
        assert_eq!(json(folder.path(), &again), plan, "{line}:\n{shown}");
        let keys: toml::Table = shown.parse().unwrap();
        for key in ["method", "generations", "games", "seed"] {
            assert!(keys.contains_key(key), "{line}: no {key} in\n{shown}");
        }
        fs::remove_file(file).unwrap();
    }
}
