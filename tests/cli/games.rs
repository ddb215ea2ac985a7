//! Commands that play several games: each game's options stand in a group of their own in help, manual and
//! completions, and another game refuses them; and `--resume`, which knows every option again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{command, folder, manifest, refused, tetrastat, text};

const CLASSIC: &str = "Classic games (rules simplified or standard)";
const GUIDELINE: &str = "Guideline games (rules guideline or capstone)";
const LIAP: &str = "LIAP (rules liap)";

/// Every option that belongs to a game, with a value that it takes.
const OF_CLASSIC: [(&str, &str); 7] = [
    ("tie", "first"),
    ("clear-on-overflow", ""),
    ("reach-anywhere", ""),
    ("board", "6x8"),
    ("max-pieces", "9"),
    ("max-lines", "9"),
    ("sample", "2"),
];
const OF_GUIDELINE: [(&str, &str); 21] = [
    ("kicks", "srs+"),
    ("half-turns", ""),
    ("mode", "blitz"),
    ("sprint-lines", "2"),
    ("seconds", "2"),
    ("pps", "2"),
    ("pieces", "2"),
    ("key-ms", "2"),
    ("das-ms", "2 --key-ms 2"),
    ("arr-ms", "2 --key-ms 2"),
    ("soft-drop-ms", "2 --key-ms 2"),
    ("beam-width", "2"),
    ("beam-depth", "2"),
    ("beam-perfect-clears", "2 --search beam --mode blitz"),
    ("previews", "2"),
    ("no-hold", ""),
    ("movement", "full"),
    ("finisher", "2"),
    ("finish-futures", "2"),
    ("beam-futures", "2 --search beam"),
    ("beam-future-pieces", "2 --beam-futures 2 --search beam"),
];

const OF_LIAP: [(&str, &str); 4] =
    [("players", "basic"), ("target", "20"), ("max-rounds", "9"), ("no-guard", "")];

fn printed(folder: &Path, args: &[&str]) -> String {
    let mut command = command(folder, args);
    let output = command.env("COLUMNS", "100").stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// The options that stand under a heading of a command's help.
fn group(help: &str, heading: &str) -> BTreeSet<String> {
    let below = help.lines().skip_while(|line| *line != format!("{heading}:")).skip(1);
    let lines = below.take_while(|line| line.is_empty() || line.starts_with(' '));
    let options = lines.filter_map(|line| line.strip_prefix("      --"));
    let names = options.map(|option| option.split(' ').next().unwrap().to_owned());
    names.collect()
}

fn names(options: &[(&str, &str)]) -> BTreeSet<String> {
    options.iter().map(|(name, _)| (*name).to_owned()).collect()
}

/// `--help` shows the options of all games, each in its group, whatever the rules. `-h` shows some.
#[test]
fn help_has_a_group_for_each_game() {
    let folder = folder();
    let (classic, guideline) = (names(&OF_CLASSIC), names(&OF_GUIDELINE));
    for rules in [&[][..], &["--rules", "guideline"]] {
        let help = |option| printed(folder.path(), &[&["simulate"], rules, &[option]].concat());
        let (short, long) = (help("-h"), help("--help"));
        assert_eq!(group(&long, CLASSIC), classic, "{rules:?}");
        assert_eq!(group(&long, GUIDELINE), guideline, "{rules:?}");
        assert_eq!(group(&long, LIAP), names(&OF_LIAP), "{rules:?}");
        let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let usual: [BTreeSet<String>; 2] = [of(&["board", "max-pieces"]), of(&["mode"])];
        assert_eq!([CLASSIC, GUIDELINE].map(|heading| group(&short, heading)), usual, "{rules:?}");
        assert!(group(&short, LIAP).is_empty() && short.lines().count() < 60, "{short}");
        for help in [short, long] {
            let usage = help.lines().find(|line| line.starts_with("Usage:")).unwrap();
            assert_eq!(usage, "Usage: tetrastat simulate [OPTIONS]");
        }
    }
    for command in ["train", "watch"] {
        let help = printed(folder.path(), &[command, "--help"]);
        assert_eq!(group(&help, GUIDELINE), guideline, "{command}");
        let mut own = group(&help, CLASSIC);
        // What a training has beside what `simulate` has.
        for option in ["at-heights", "windows"] {
            assert_eq!(own.remove(option), command == "train", "{command}: {option}");
        }
        assert!(own.contains("board") && own.is_subset(&classic), "{command}: {own:?}");
    }
    // Every subcommand is one that people type.
    for hidden in ["simulate-guideline", "train-guideline", "watch-guideline"] {
        refused(&[hidden], &["unrecognized subcommand", hidden]);
    }
}

#[test]
fn the_manual_has_the_same_groups() {
    let folder = folder();
    printed(folder.path(), &["man", "--out", "man1"]);
    for command in ["simulate", "train", "watch"] {
        let page = folder.path().join(format!("man1/tetrastat-{command}.1"));
        let page = fs::read_to_string(page).unwrap();
        let place = |words: &str| {
            page.find(words).unwrap_or_else(|| panic!("{command}: no {words} in\n{page}"))
        };
        let [classic, guideline] = [CLASSIC, GUIDELINE]
            .map(|heading| place(&format!("SH \"{}\"", heading.to_uppercase())));
        assert!(
            classic < place("\n\\fB\\-\\-board\\fR") && place("\n\\fB\\-\\-board\\fR") < guideline
        );
        assert!(guideline < place("\n\\fB\\-\\-sprint\\-lines\\fR"));
    }
    let pages = fs::read_dir(folder.path().join("man1")).unwrap();
    let names = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.contains("guideline")));
}

/// Each option of one game under the rules of the other: one line that names the option and its games.
#[test]
fn options_of_other_games_are_refused() {
    let refused_of = |command: &str, rules: &str, option: &str, value: &str, words: [&str; 2]| {
        let mut args: Vec<&str> = command.split(' ').chain(["--rules", rules]).collect();
        let named = format!("--{option}");
        args.push(&named);
        args.extend(value.split_whitespace());
        refused(&args, &[words[0], words[1], &format!("leave out {}", first(option, value))]);
    };
    let guideline = ["is an option of guideline games", "--rules guideline or capstone"];
    let classic = ["is an option of classic games", "--rules simplified or standard"];
    for (option, value) in OF_GUIDELINE {
        refused_of("simulate --dry-run", "simplified", option, value, guideline);
        refused_of("watch --text", "standard", option, value, guideline);
        refused_of("train cem --dry-run", "standard", option, value, guideline);
    }
    let liap = ["is an option of LIAP", "--rules liap"];
    for (option, value) in OF_LIAP {
        refused_of("simulate --dry-run", "guideline", option, value, liap);
        refused_of("compare bcts dt20", "standard", option, value, liap);
    }
    refused_of("compare v1 v2", "liap", "board", "6x8", classic);
    refused_of("simulate --dry-run", "liap", "kicks", "srs+", guideline);
    for command in ["train cem", "watch --text"] {
        let args: Vec<&str> = command.split(' ').chain(["--rules", "liap"]).collect();
        refused(
            &args,
            &["for falling-block games, not for LIAP", "--rules simplified or standard"],
        );
    }
    for (option, value) in OF_CLASSIC {
        refused_of("simulate --dry-run", "guideline", option, value, classic);
        if option != "sample" {
            refused_of("watch --text", "capstone", option, value, classic);
            refused_of("train cem --dry-run", "capstone", option, value, classic);
        }
    }
    // Without --rules, too; and where a preset chooses the game.
}

/// The option that is named first: the first in the order of the help.
fn first(option: &str, value: &str) -> String {
    let order =
        OF_CLASSIC.iter().chain(&OF_GUIDELINE).chain(&OF_LIAP).map(|(name, _)| format!("--{name}"));
    let given =
        |name: &String| format!("--{option}") == *name || value.split(' ').any(|word| word == name);
    order.into_iter().find(given).unwrap()
}

/// A file of a training is named where its key belongs to another game.
#[test]
fn a_file_with_a_key_of_another_game_is_named() {
    let folder = folder();
    let file = "method = 'snes'\nrules = 'guideline'\nboard = '6x8'\n";
    fs::write(folder.path().join("t.toml"), file).unwrap();
    let output = tetrastat(folder.path(), &["train", "--config", "t.toml", "--dry-run"]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.contains("t.toml: --board is an option of classic games"), "{said}");
}

/// Begins a run, and kills it when it has a checkpoint.
fn killed(folder: &Path, args: &str, out: &str) {
    let args: Vec<&str> = args.split(' ').collect();
    let mut begun = command(folder, &args);
    let mut child = begun.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !folder.join(out).join("checkpoint.json").exists() {
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "{args:?} ended before it was killed");
}

/// Every option is known again, in whatever form it was given: here by its output and its JSON.
#[test]
fn a_resumed_run_has_the_options_that_it_was_begun_with() {
    let folder = folder();
    fs::write(folder.path().join("two words.txt"), "IOTSZJL").unwrap();
    let small = "--columns=minimal,holes --placements=csv.gz --sample-games=0.5 --search=next --seed=0x10 --checkpoint-ms=1 --format=json --threads=1";
    let mut args: Vec<&str> = ["simulate"].into_iter().chain(small.split(' ')).collect();
    args.extend("--games=200 --board=6x10 --max-pieces=1k --cycle".split(' '));
    args.extend(["--script", "two words.txt", "--progress", "none"]);
    let whole = printed(folder.path(), &[&args[..], &["--out", "whole"]].concat());
    let mut begun = command(folder.path(), &[&args[..], &["--out", "cut"]].concat());
    let mut child = begun.stdout(Stdio::null()).spawn().unwrap();
    while !folder.path().join("cut/checkpoint.json").exists() {
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    let again = printed(folder.path(), &["simulate", "--resume", "cut"]);
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(json(&whole)["summary"], json(&again)["summary"]);
    let [whole, cut] = ["whole", "cut"].map(|run| manifest(&folder.path().join(run)));
    assert_eq!((&whole["config"], &whole["files"]), (&cut["config"], &cut["files"]));
    assert_eq!((&cut["threads"], &cut["resumed"]), (&1.into(), &true.into()));
}

/// What another command has begun is no work for this one, which says whose it is.
#[test]
fn what_another_command_has_begun_is_told_apart() {
    let folder = folder();
    let refused = |args: &str, words: &[&str]| {
        let args: Vec<&str> = args.split(' ').collect();
        let output = tetrastat(folder.path(), &args);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    };
    killed(folder.path(), "liap simulate --rounds 1000000000 --out liap", "liap");
    refused("simulate --resume liap", &["started by liap simulate", "liap simulate --resume liap"]);
    refused("liap simulate --resume liap --seed 2", &["leave out --seed"]);
    killed(folder.path(), "simulate --rules guideline --games 1000000 --out sprints", "sprints");
    refused(
        "liap simulate --resume sprints",
        &["started by simulate", "simulate --resume sprints"],
    );
    refused("train --resume sprints", &["sprints", "no checkpoint of a training"]);
    refused("simulate --resume sprints --rules guideline", &["leave out --rules"]);
    let study = "controllers = ['bcts']\nseeds = [1]\ngames = 100000\nplacements = 'none'\n";
    fs::write(folder.path().join("s.toml"), study).unwrap();
    let first = "study/001-bcts-10x20-uniform-greedy-s1";
    killed(folder.path(), "study s.toml --out study", first);
    refused(&format!("simulate --resume {first}"), &["a study or comparison", "again"]);
}

/// The checkpoint of a training has its file's keys: it goes on when the file is another, or gone.
#[test]
fn a_training_goes_on_without_its_file() {
    let folder = folder();
    let file = "method = 'snes'\npopulation = 6\nboard = '6x8'\ngames = 2\nfinal_games = 5\nheld_out_games = 5\n";
    fs::write(folder.path().join("my.toml"), file).unwrap();
    let train = |args: &str| {
        let args: Vec<&str> = ["train"].into_iter().chain(args.split(' ')).collect();
        printed(folder.path(), &args)
    };
    train("--config my.toml --generations 4 --out straight");
    train("--config my.toml --generations 2 --out half");
    fs::remove_file(folder.path().join("my.toml")).unwrap();
    train("--resume half --generations=4");
    for name in ["history.csv", "controller.toml"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(name)).unwrap();
        assert!(read("straight") == read("half"), "{name}");
    }
    let train = |more: &str| {
        let args = format!("train --resume half {more}");
        Command::new(assert_cmd::cargo::cargo_bin!("tetrastat"))
            .args(args.split(' '))
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let output = train("--games 3");
    assert!(text(&output.stderr).contains("leave out --games"), "{}", text(&output.stderr));
}
