//! What the command line says: help at every width, numbers in all their forms, what a shell offers, what
//! would be run, and what to type instead of a word that does not fit.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::common::{command, entries, folder, refused, tetrastat, text};

/// Runs a command that succeeds, and leaves nothing in its folder that was not there; what it prints.
fn stdout_of(folder: &Path, args: &[&str]) -> String {
    let before = entries(folder).len();
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    assert_eq!(entries(folder).len(), before, "{args:?} left something");
    text(&output.stdout).to_owned()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&stdout_of(folder, args)).unwrap()
}

/// The words that ask for the help of every command, `--help` left out.
const COMMANDS: [&str; 35] = [
    "",
    "simulate",
    "simulate --rules guideline",
    "perft",
    "play",
    "study",
    "compare",
    "plan",
    "rollout",
    "estimate",
    "train",
    "train --rules capstone",
    "reproduce",
    "features",
    "step",
    "tbp",
    "watch",
    "watch --rules guideline",
    "controllers",
    "exact",
    "bench",
    "verify",
    "view",
    "merge",
    "convert",
    "dataset",
    "annotate",
    "init",
    "liap",
    "liap declare",
    "liap simulate",
    "liap compare",
    "liap distribution",
    "completions",
    "man",
];

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
    for name in
        names.iter().filter(|name| **name != "help" && !name.starts_with(char::is_uppercase))
    {
        assert!(COMMANDS.contains(name), "{name} is not in the list of these tests");
    }
}

/// No line is wider than the terminal, and none ends early while its paragraph goes on: a word is wrapped
/// once. Lines indented by four are to be copied as they are.
#[test]
fn help_is_wrapped_once_at_every_width() {
    for columns in [80, 100, 120] {
        for (words, option) in COMMANDS.iter().flat_map(|words| [(words, "-h"), (words, "--help")])
        {
            let help = help(words, option, columns);
            let mut lines = help.lines().peekable();
            while let Some(line) = lines.next() {
                let length = line.chars().count();
                assert!(length <= columns, "{words} {option} at {columns}: {line}");
                let Some(next) = lines.peek() else { continue };
                let indent = |line: &str| line.len() - line.trim_start().len();
                let first = next.split_whitespace().next().unwrap_or_default();
                let begins_anew = first.is_empty()
                    || line.trim().is_empty()
                    || ["-", "<", "["].iter().any(|mark| first.starts_with(mark))
                    || line.starts_with("Usage:")
                    || line.ends_with(':') && indent(line) == 0;
                // Items, and the list of commands.
                let is_list = indent(line) == 2 || indent(line) == 4;
                if begins_anew || is_list || indent(line) != indent(next) {
                    continue;
                }
                let room = columns - length;
                assert!(
                    room <= first.chars().count(),
                    "{words} {option} at {columns}: '{line}' ends before '{next}'"
                );
            }
        }
    }
}

/// What is to be copied fits a narrow terminal.
#[test]
fn examples_are_not_wrapped() {
    for words in COMMANDS {
        let examples = |columns| -> Vec<String> {
            let help = help(words, "--help", columns);
            let lines =
                help.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(examples(80), examples(120), "{words}");
    }
}

#[test]
fn counts_are_read_in_every_form() {
    let folder = folder();
    for form in
        ["50000", "50_000", "5e4", "50k", "50K", "0.05M", "5.0E4", "500e2", "+50000", "0.00005G"]
    {
        let args = ["simulate", "--dry-run", "--games", form, "--max-pieces", form, "--seed", form];
        let run = json(folder.path(), &args);
        assert_eq!((&run["games"], &run["max_pieces"]), (&50_000.into(), &50_000.into()), "{form}");
        assert_eq!(run["seed"], "0x000000000000c350", "{form}");
    }
    let most = json(folder.path(), &["simulate", "--dry-run", "--seed", "18446744073709551615"]);
    assert_eq!(most["seed"], "0xffffffffffffffff");
    for (form, words) in [
        ("1.5", &["a whole number of at least 1, for example 50000, 50_000"][..]),
        ("1,000", &["50_000"]),
        ("1e", &["50_000"]),
        ("_1", &["50_000"]),
        ("1__0", &["50_000"]),
        ("k", &["50_000"]),
        ("1e3k", &["50_000"]),
        ("1m", &["50_000"]),
        ("0x10", &["50_000"]),
        ("1e30", &["a whole number of at least 1, below 2^64"]),
        ("0", &["a whole number of at least 1,"]),
        ("0e9", &["a whole number of at least 1,"]),
        ("-3", &["a whole number of at least 1,"]),
    ] {
        refused(&["simulate", "--games", form], &[&["--games"], words].concat());
    }
    let tell = json(
        folder.path(),
        &["plan", "--tell", "35M,40_000k", "--limit", "10M", "--format", "json"],
    );
    assert_eq!((&tell["means"][0], &tell["means"][1]), (&35e6.into(), &40e6.into()));
    assert_eq!(tell["limit"], 1e7);
}

/// Every option that counts names the forms, whatever the command.
#[test]
fn every_count_names_its_forms() {
    for (command, options) in [
        (
            "simulate",
            "games threads every from to only-last checkpoint-ms sample max-pieces max-lines",
        ),
        (
            "simulate --rules guideline",
            "games threads sprint-lines pieces beam-width beam-depth beam-perfect-clears previews finisher finish-futures beam-futures beam-future-pieces checkpoint-ms",
        ),
        ("perft", "depth"),
        ("play", "sprint-lines"),
        ("study x.toml", "threads"),
        ("compare bcts dt20", "games most-games threads max-pieces"),
        ("estimate", "budget pieces burn-in pilot-pieces threads"),
        (
            "train cem",
            "generations games check-every check-games finalists final-games held-out-games population immigrants threads",
        ),
        ("train cem --rules guideline", "generations games population pieces"),
        ("reproduce", "threads"),
        ("step --controller bcts", "horizon"),
        ("watch", "game from max-pieces"),
        ("exact", "survival check max-states threads"),
        ("bench", "sample-ms repeats"),
        (
            "liap simulate",
            "rounds matches every from to only-last target max-rounds threads checkpoint-ms",
        ),
        ("simulate --rules liap", "games target max-rounds"),
        ("liap compare v1 v2", "rounds threads"),
    ] {
        for option in options.split_whitespace() {
            let option = format!("--{option}");
            let args: Vec<&str> = command.split_whitespace().chain([&*option, "1e3x"]).collect();
            refused(&args, &["1e3x", &option, "50_000, 50k"]);
        }
    }
}

#[test]
fn files_take_the_same_forms() {
    let folder = folder();
    let study =
        "controllers = ['bcts']\nseeds = ['1_000', '2k']\ngames = '1e3'\nmax_pieces = '5k'\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let rows = json(folder.path(), &["study", "study.toml", "--dry-run", "--format", "json"]);
    let folders = [0, 1].map(|k| rows["conditions"][k]["folder"].as_str().unwrap().to_owned());
    assert!(folders[0].ends_with("-s1000") && folders[1].ends_with("-s2000"), "{folders:?}");
    fs::write(
        folder.path().join("train.toml"),
        "method = 'cem'\ngames = '2k'\npopulation = '1e2'\n",
    )
    .unwrap();
    let plan =
        json(folder.path(), &["train", "--config", "train.toml", "--dry-run", "--format", "json"]);
    assert_eq!(
        (&plan["play"]["games"], &plan["optimiser"]["population"]),
        (&2000.into(), &100.into())
    );
    for (file, line, words) in [
        ("study.toml", "seeds = [1]\ngames = '1e3x'", ["games", "50_000"]),
        (
            "study.toml",
            "seeds = [1]\nrules = true",
            ["rules is true: write one number or text", "`simplified`"],
        ),
    ] {
        fs::write(folder.path().join(file), line).unwrap();
        let output = tetrastat(folder.path(), &["study", file, "--dry-run"]);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

/// A word that is known where other games are played says so, and what to type.
#[test]
fn words_of_other_games_are_told_apart() {
    let guideline = ["guideline", "capstone"];
    for command in ["perft", "play"] {
        refused(
            &[command, "--rules", "standard"],
            &["rules 'standard' are for classic games", guideline[0], guideline[1]],
        );
    }
    for command in ["simulate", "watch --text", "features", "estimate", "exact", "step"] {
        let args: Vec<&str> =
            command.split_whitespace().chain(["--controller", "capstone-blitz"]).collect();
        refused(
            &args,
            &["'capstone-blitz' plays guideline games", "--rules guideline or capstone", "bcts"],
        );
    }
    for command in ["simulate", "watch --text", "train cem"] {
        let option = if command == "train cem" { "--features" } else { "--controller" };
        let args: Vec<&str> =
            command.split_whitespace().chain(["--rules", "capstone", option, "bcts"]).collect();
        refused(
            &args,
            &[
                "controller 'bcts' plays classic games",
                "--rules simplified or standard",
                "capstone-blitz",
            ],
        );
    }
    let folder = folder();
    fs::write(folder.path().join("s.toml"), "controllers = ['capstone-blitz']").unwrap();
    let output = tetrastat(folder.path(), &["study", "s.toml", "--dry-run"]);
    assert!(
        text(&output.stderr).contains("'capstone-blitz' plays guideline games"),
        "{}",
        text(&output.stderr)
    );
    fs::write(folder.path().join("s.toml"), "controllers = ['bcts']\nrules = ['guideline']")
        .unwrap();
    let output = tetrastat(folder.path(), &["study", "s.toml", "--dry-run"]);
    assert!(
        text(&output.stderr).contains("'bcts' plays classic games"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn perft_takes_a_picture_as_others_do() {
    let folder = folder();
    fs::write(folder.path().join("b.txt"), ".........#\n..........\n").unwrap();
    let ways = |args: &[&str]| {
        let text = stdout_of(folder.path(), &[&["perft", "IO", "--depth", "1"], args].concat());
        text.split_whitespace().nth(2).unwrap().to_owned()
    };
    let empty = ways(&[]);
    let picture = ways(&["--board-file", "b.txt"]);
    assert_ne!(picture, empty, "there is a place below the cell at the wall");
    assert_eq!(ways(&["--board", "b.txt"]), picture, "what worked before works");
    assert_eq!(ways(&["--board", "10x20"]), empty);
}

#[test]
fn files_name_the_values_of_their_keys() {
    let folder = folder();
    let weights = "[weights]\nholes = -1\n";
    for (file, words) in [
        (
            format!("name = 'x'\n{weights}"),
            ["measured is missing", "\"after-clear\"", "\"before-clear\""],
        ),
        (
            format!("name = 'x'\nmeasured = 'now'\n{weights}"),
            ["line 2", "after-clear", "before-clear"],
        ),
        (
            format!("name = 'x'\nmeasured = true\n{weights}"),
            ["line 2", "\"before-clear\"", "\"after-clear\""],
        ),
        (
            format!("name = 'x'\nmeasured = 'after-clear'\ntie = 'last'\n{weights}"),
            ["line 3", "first", "dellacherie"],
        ),
        (
            format!("name = 'x'\nmeasured = 'after-clear'\ntie = 1\n{weights}"),
            ["line 3", "\"first\"", "\"dellacherie\""],
        ),
        (
            format!("measured = 'after-clear'\n{weights}"),
            ["name", "1 to 64 characters", "name = \"mine\""],
        ),
        (
            "name = 'x'\nmeasured = 'after-clear'\n".to_owned(),
            ["[weights]", "feature = weight", "features --list"],
        ),
    ] {
        fs::write(folder.path().join("mine.toml"), &file).unwrap();
        for more in [&["--games", "1"][..], &["--rules", "guideline"]] {
            let args = [&["simulate", "--controller", "mine.toml"], more].concat();
            let output = tetrastat(folder.path(), &args);
            let message = text(&output.stderr);
            assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
            assert!(words.iter().all(|word| message.contains(word)), "{file}: {message}");
        }
    }
    fs::write(folder.path().join("t.toml"), "method = 1").unwrap();
    let output = tetrastat(folder.path(), &["train", "--config", "t.toml"]);
    assert!(text(&output.stderr).contains("cem, ga, snes, cmaes"), "{}", text(&output.stderr));
    let keys = "left = 'no key'";
    fs::write(folder.path().join("k.toml"), keys).unwrap();
    let output = tetrastat(folder.path(), &["play", "--keys", "k.toml", "--print-keys"]);
    assert!(text(&output.stderr).contains("space"), "{}", text(&output.stderr));
}

#[test]
fn controllers_shows_files_of_both_kinds_of_games() {
    let folder = folder();
    let file = "name = 'mine'\nmeasured = 'after-clear'\n[weights]\nclear_4 = 2\nholes = -1\n";
    fs::write(folder.path().join("mine.toml"), file).unwrap();
    assert!(stdout_of(folder.path(), &["controllers", "mine.toml"]).contains("clear_4: a tetris"));
}

/// Every line of the code book's two tables of features is in the list.
#[test]
fn features_are_listed_with_their_definitions() {
    let folder = folder();
    let listed = json(folder.path(), &["features", "--list", "--format", "json"]);
    let shown = stdout_of(folder.path(), &["features", "--list"]);
    let book = tetrastat::record::code_book(&[tetrastat::liap::TABLES]).unwrap();
    let (_, book) = book.split_once("## features\n").unwrap();
    let (features, terms) = book.split_once("## guideline terms\n").unwrap();
    let rows = |table: &str| -> Vec<Vec<String>> {
        let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
        rows.map(|row| {
            row.split(" | ").map(|cell| cell.trim_matches(['|', ' ']).to_owned()).collect()
        })
        .collect()
    };
    let entries = listed["features"].as_array().unwrap();
    assert_eq!(entries.len(), tetrastat::features::REGISTRY.len());
    assert_eq!(rows(features).len(), entries.len());
    for (entry, row) in entries.iter().zip(rows(features)) {
        let keys = ["name", "step", "good", "definition", "source"];
        assert_eq!(keys.map(|key| entry[key].as_str().unwrap().to_owned()).to_vec(), row);
        assert!(shown.contains(&row[3]) && shown.contains(&row[4]), "{}", row[0]);
    }
    let entries = listed["guideline_terms"].as_array().unwrap();
    assert_eq!(entries.len(), rows(terms).len());
    for (entry, row) in entries.iter().zip(rows(terms)) {
        let keys = ["name", "definition", "source"];
        assert_eq!(keys.map(|key| entry[key].as_str().unwrap().to_owned()).to_vec(), row);
        assert!(shown.contains(&format!("\n{}: of the ", row[0])), "{}", row[0]);
    }
    let named = |listed: &Value, name: &str| {
        let all = listed["features"].as_array().unwrap();
        all.iter().find(|entry| entry["name"] == name).unwrap().clone()
    };
    assert_eq!(named(&listed, "height")["names"].as_array().unwrap().len(), 10);
    assert_eq!(named(&listed, "landing_height")["of"], "move");
    assert_eq!(named(&listed, "holes")["measured"].as_array().unwrap().len(), 2);
    assert!(shown.contains("\nheight_0 to height_9: of the board, less is better\n"), "{shown}");
    assert!(shown.contains("\nlanding_height: of the move, less is better, in steps of 1/2\n"));
    let narrow = ["features", "--list", "--board", "8x20", "--format", "json"];
    assert_eq!(
        named(&json(folder.path(), &narrow), "height")["names"].as_array().unwrap().len(),
        8
    );
}

/// What the program answers a shell that asks what may follow these words.
fn offered(folder: &Path, words: &str) -> Vec<String> {
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = command(folder, &["--", "tetrastat"]);
    let asked = command.args(&words).env("TETRASTAT_COMPLETE", "bash");
    let asked = asked.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).env("_CLAP_IFS", "\n");
    let output = asked.output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn values_are_offered() {
    let folder = folder();
    fs::write(folder.path().join("dear.toml"), "").unwrap();
    for (words, expected) in [
        ("sim", "simulate"),
        ("simulate --until", ""),
        ("compare --until", "--until-halfwidth --until-verdict"),
        ("simulate --controller de", "dellacherie dellacherie-ce dellacherie-cmaes dear.toml"),
        ("simulate --controller=ca", "--controller=capstone-sprint"),
        ("simulate --rules guideline --controller ca", "capstone-sprint capstone-blitz"),
        ("simulate --rules guideline --mov", "--movement"),
        ("simulate --mo", "--mode --movement"),
        ("watch --sprint", "--sprint-lines"),
        ("simulate --rules guideline --mode ", "sprint blitz endless"),
        ("simulate --rules ", "simplified standard guideline capstone liap"),
        ("compare --rules liap v1 v2-l", "v2-literal v2-literal-singles v2-late"),
        ("compare v1 v2 --rules liap --measure mean", "mean_points"),
        ("perft --rules ", "guideline capstone"),
        ("estimate --rules ", "simplified standard guideline capstone"),
        (
            "simulate --queue ",
            "uniform bag nes tgm1 tgm2 tgm3 least-dealt sz sz-random adversary weights: script",
        ),
        ("simulate --search ", "greedy next expect"),
        ("simulate --rules=capstone --search ", "greedy beam"),
        ("simulate --rules guideline --board 1 --search ", "greedy beam"),
        ("simulate --tie ", "first dellacherie"),
        ("simulate --placements csv", "csv csv.gz csv.zst"),
        ("simulate --columns minimal,wells_o", "minimal,wells_open minimal,wells_open_restart"),
        ("simulate --columns piece_n", "piece_no"),
        ("simulate --format ", "text json"),
        ("simulate --simd ", "auto scalar portable neon avx2 avx512 avx512-vbmi"),
        ("simulate --max-pieces n", "none"),
        ("compare bcts rv", "rvce"),
        ("compare bcts dt20 --measure pieces_i", "pieces_i"),
        ("exact --controller bcts,le", "bcts,lee"),
        ("exact --optimal l", "lines"),
        ("estimate --importance ", "cells height value holes"),
        ("estimate --method s", "splitting"),
        ("train s", "snes"),
        ("train --preset capstone-", "capstone-sprint capstone-blitz capstone-blitz-full"),
        ("train --objective median-pieces_t", "median-pieces_t"),
        ("train --rules guideline --objective mean-points_dr", "mean-points_drop"),
        ("train --features holes,wells_o", "holes,wells_open holes,wells_open_restart"),
        ("train --rules guideline --features t_sp", "t_spin_0 t_spin_1 t_spin_2 t_spin_3"),
        ("train --measured ", "before-clear after-clear"),
        ("train --scale ", "one start"),
        ("train --noise ", "none constant linear hyperbolic"),
        ("reproduce --table l", "ladder lee"),
        ("features --explain wells_f", "wells_fast"),
        (
            "features --rules guideline --explain t_slots_2,cav",
            "t_slots_2,cavities t_slots_2,cavities_squared",
        ),
        ("step --actions left,d", "left,drop"),
        (
            "controllers tetrastat-b",
            "tetrastat-blitz tetrastat-blitz-greedy tetrastat-blitz-hold tetrastat-blitz-network tetrastat-blitz-triples",
        ),
        ("convert a b --format p", "parquet"),
        ("liap declare --declarer v2-l", "v2-literal v2-literal-singles v2-late"),
        ("liap simulate --declarers v1,v2-u", "v1,v2-upstream"),
        ("liap simulate --players r", "random"),
    ] {
        let expected: Vec<&str> = expected.split_whitespace().collect();
        assert_eq!(offered(folder.path(), words), expected, "{words}");
    }
}

/// The directory of the program, first in a shell's path.
fn path() -> String {
    let program = assert_cmd::cargo::cargo_bin!("tetrastat");
    format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap())
}

/// Every shell's script names the program and the variable by which it asks.
#[test]
fn every_shell_has_a_script() {
    let folder = folder();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout_of(folder.path(), &["completions", shell]);
        assert!(script.contains("TETRASTAT_COMPLETE") && script.contains("tetrastat"), "{shell}");
    }
    let wrong =
        command(folder.path(), &["--", "tetrastat", ""]).env("TETRASTAT_COMPLETE", "x").output();
    let wrong = wrong.unwrap();
    assert_eq!((wrong.status.code(), text(&wrong.stderr).lines().count()), (Some(2), 1));
}

#[cfg(unix)]
#[test]
fn bash_completes_values() {
    let folder = folder();
    fs::write(folder.path().join("mine.toml"), "").unwrap();
    let complete = |words: &[&str]| -> Vec<String> {
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let script = format!(
            "source <(tetrastat completions bash)\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_clap_complete_tetrastat tetrastat '{last}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            words.len() - 1,
        );
        let output: Output = Command::new("bash")
            .args(["--norc", "-c", &script])
            .current_dir(folder.path())
            .env("PATH", path())
            .output()
            .unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(str::to_owned).collect()
    };
    assert_eq!(complete(&["tetrastat", "simulate", "--controller", "dt2"]), ["dt20", "dt20-wells"]);
    assert_eq!(complete(&["tetrastat", "simulate", "--controller", "mi"]), ["mine.toml"]);
    assert_eq!(complete(&["tetrastat", "simulate", "--queue", "b"]), ["bag"]);
    assert_eq!(complete(&["tetrastat", "compare", "--until-h"]), ["--until-halfwidth"]);
    assert_eq!(
        complete(&["tetrastat", "simulate", "--rules", "guideline", "--controller", "capstone-b"]),
        ["capstone-blitz"]
    );
}

/// Every preset, and some lines: what is shown is what `--config` takes, and shows the same.
#[test]
fn what_would_be_trained_is_a_file_that_trains_it() {
    let folder = folder();
    let presets: Vec<String> =
        tetrastat::train::PRESETS.iter().map(|(name, _)| format!("--preset {name}")).collect();
    let lines = [
        "cem",
        "ga --bounds -1,1/-2,2 --features holes,wells --mutation one-gene:0.2:0.1:1:4",
        "snes --eta-mu 0.5 --initial -3,3 --board 6x8 --max-lines 40 --objective sprint",
        "cmaes --start bcts --features holes,wells,landing_height --objective median-pieces --minimise",
        "cem --noise linear:4:7.5 --timing sampling --elite 0.2 --tie dellacherie --max-pieces none",
        "--preset guide --games 3 --seed 18446744073709551615 --elite 2 --name 7 --repeat-games",
        "snes --rules guideline --mode blitz --start tetrastat-blitz-greedy --sd 20 --seconds 2.5",
        "--preset capstone-blitz --movement full --games 2k --threads 1",
        "cem --features bdu --measured before-clear --queue bag --search next --population-log",
    ];
    for line in presets.iter().map(String::as_str).chain(lines) {
        let args: Vec<&str> = ["train"].into_iter().chain(line.split_whitespace()).collect();
        let shown = stdout_of(folder.path(), &[&args[..], &["--dry-run"]].concat());
        let plan = json(folder.path(), &[&args[..], &["--dry-run", "--format", "json"]].concat());
        let file = folder.path().join("shown.toml");
        fs::write(&file, &shown).unwrap();
        let again = ["train", "--config", "shown.toml", "--dry-run"];
        assert_eq!(stdout_of(folder.path(), &again), shown, "{line}");
        let again = json(folder.path(), &[&again[..], &["--format", "json"]].concat());
        assert_eq!(again, plan, "{line}:\n{shown}");
        let keys: toml::Table = shown.parse().unwrap();
        for key in ["method", "generations", "games", "seed", "objective", "measured", "features"] {
            assert!(keys.contains_key(key), "{line}: no {key} in\n{shown}");
        }
        fs::remove_file(file).unwrap();
    }
    let shown = stdout_of(folder.path(), &["train", "--preset", "thiery-scherrer", "--dry-run"]);
    let words = [
        "# source: Thiery & Scherrer 2009",
        "population = 100",
        "noise = \"constant:4.0\"",
        "max_pieces = \"none\"",
    ];
    assert!(words.iter().all(|word| shown.contains(word)), "{shown}");
}

#[test]
fn a_training_from_the_shown_file_is_the_same() {
    let folder = folder();
    let small = "--board 6x8 --generations 2 --games 2 --max-pieces 200 --check-every 0 --finalists 1 --final-games 2 --held-out-games 6";
    let args: Vec<&str> =
        "train cem --population 6 --elite 2 --sd 5".split(' ').chain(small.split(' ')).collect();
    fs::write(
        folder.path().join("t.toml"),
        stdout_of(folder.path(), &[&args[..], &["--dry-run"]].concat()),
    )
    .unwrap();
    let one = tetrastat(folder.path(), &[&args[..], &["--out", "one"]].concat());
    assert!(one.status.success(), "{}", text(&one.stderr));
    let two = tetrastat(folder.path(), &["train", "--config", "t.toml", "--out", "two"]);
    assert!(two.status.success(), "{}", text(&two.stderr));
    let read = |run: &str| fs::read(folder.path().join(run).join("history.csv")).unwrap();
    assert_eq!(read("one"), read("two"));
}

#[test]
fn what_would_be_played_is_shown_and_not_played() {
    let folder = folder();
    let args = [
        "simulate",
        "--board",
        "6x8",
        "--games",
        "2",
        "--max-pieces",
        "30",
        "--columns",
        "minimal",
    ];
    let shown = json(folder.path(), &[&args[..], &["--dry-run", "--out", "run"]].concat());
    assert!(tetrastat(folder.path(), &[&args[..], &["--out", "run"]].concat()).status.success());
    assert_eq!(crate::common::manifest(&folder.path().join("run"))["config"], shown);
    let args = ["simulate", "--rules", "capstone", "--games", "1", "--sprint-lines", "2"];
    let shown = json(folder.path(), &[&args[..], &["--dry-run"]].concat());
    assert!(tetrastat(folder.path(), &[&args[..], &["--out", "g"]].concat()).status.success());
    assert_eq!(crate::common::manifest(&folder.path().join("g"))["config"], shown);
    let plan = stdout_of(folder.path(), &["reproduce", "--quick", "--table", "lee", "--dry-run"]);
    let rows = json(
        folder.path(),
        &["reproduce", "--quick", "--table", "lee", "--dry-run", "--format", "json"],
    );
    fs::write(folder.path().join("lee.toml"), plan).unwrap();
    let study = json(folder.path(), &["study", "lee.toml", "--dry-run", "--format", "json"]);
    assert_eq!(study, rows);
    assert!(study["conditions"].as_array().unwrap().len() > 1);
}
